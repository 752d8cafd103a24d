// check, derive, emit, fmt: commands that print what a stage made.
#include <errno.h>
#include <string.h>
#include "../../runtime/command/outputs.h"
#include "build.h"
#include "commands.h"
#include "replace.h"

static CodeFor code_for(const Options *o) {
  if (o->command == NSM_FOR_BUILD && build_is_fmu(o->output)) return CODE_FOR_FMU;
  if (o->jit == JIT_CC || o->command == NSM_FOR_BUILD) return CODE_FOR_COMPILER;
  return o->command == NSM_FOR_EMIT ? CODE_FOR_READER : CODE_FOR_LIBTCC;
}

static PipelineOptions pipeline_options(const Options *o, const char *path, bool library) {
  return (PipelineOptions){ .path = path, .set = o->set, .nset = o->nset, .scheme = o->scheme, .dump = o->dump,
                            .library = library, .looks = o->command == NSM_FOR_VIEW, .weights = o->weights,
                            .step = o->step, .analyse = o->analyse, .at_rest = o->at_rest,
                            .located = o->located, .order = o->order, .projection = o->projection,
                            .derivatives = o->derivatives,
                            .contacts = given(o, NSM_FLAG_CONTACTS), .together = o->command == NSM_FOR_SWEEP,
                            .measures = o->command == NSM_FOR_SWEEP ? o->flags.text[NSM_FLAG_MEASURES] : NULL,
                            .code_for = code_for(o) };
}

int exit_code_of(const Compilation *c, bool good) {
  return good ? EXIT_OK : c->usage_trouble ? EXIT_USAGE : c->file_trouble ? EXIT_FILE : EXIT_MODEL;
}

static void report(const Compilation *c) {
  if (c->note) fputs(c->note, stderr);
  if (c->trouble) fprintf(stderr, "error: %s\n", c->trouble);
  compilation_report(c, stderr);
}

Compilation *compile_file(const Options *o, const char *path, PipelineStage last, FILE *dump, int *code) {
  Compilation *c = compilation_new();
  PipelineOptions p = pipeline_options(o, path, false);
  bool good = compile_to(c, &p, last, dump);
  if (given(o, NSM_FLAG_QUIET)) diag_without_notes(c->bag);
  report(c);
  *code = exit_code_of(c, good);
  if (good) return c;
  compilation_free(c);
  return NULL;
}

// --- writing ---

static int not_written(const char *what, int why) {
  if (why == EPIPE) return EXIT_PIPE;
  fprintf(stderr, "error: %s could not be written: %s\n", what, strerror(why ? why : EIO));
  return EXIT_FILE;
}

int write_text(const Text *t, FILE *f, const char *what) {
  errno = 0;
  size_t n = t->n ? fwrite(t->at, 1, t->n, f) : 0;
  return n == t->n && fflush(f) == 0 ? EXIT_OK : not_written(what, errno);
}

int write_file(const Text *t, const char *path) {
  if (!strcmp(path, "-")) return write_text(t, stdout, "standard output");
  nsm_error e = { .code = NSM_OK };
  FILE *f = nsm_output_open(path, 0, &e);
  if (!f) { nsm_print_error(NULL, &e, stderr); return EXIT_FILE; }
  int code = write_text(t, f, path);
  return fclose(f) == 0 || code != EXIT_OK ? code : not_written(path, errno);
}

const char **compilation_inputs(const Compilation *c, int *n) {
  const char **input = ARENA_ARRAY(c->arena, const char *, 2 + c->nread);
  input[0] = c->path;
  input[1] = "/proc/self/exe";
  *n = 2;
  for (int i = 1; i < c->nread; i++) input[(*n)++] = c->read[i];
  return input;
}

int output_refused(const nsm_error *e) {
  nsm_print_error(NULL, e, stderr);
  return e->code == NSM_FILE ? EXIT_FILE : EXIT_USAGE;
}

int check_output(const Compilation *c, const char *path) {
  int n;
  const char **input = compilation_inputs(c, &n);
  nsm_output output = { strcmp(path, "-") ? "--output" : "the output,", path };
  nsm_error e = { .code = NSM_OK };
  if (nsm_outputs_check(input, n, &output, 1, &e) == NSM_OK) return EXIT_OK;
  return output_refused(&e);
}

// --- the commands ---

int command_check(const Options *o) {
  int worst = EXIT_OK;
  for (int i = 0; i < o->nfile; i++) {
    Compilation *c = compilation_new();
    PipelineOptions p = pipeline_options(o, o->file[i], true);
    bool good = compile_to(c, &p, STAGE_PLAN, stdout);
    report(c);
    int code = exit_code_of(c, good);
    if (code > worst) worst = code;
    compilation_free(c);
  }
  return worst;
}

int command_derive(const Options *o) {
  int code;
  Compilation *c = compile_file(o, o->file[0], STAGE_PLAN, NULL, &code);
  if (!c) return code;
  code = check_output(c, "-");
  if (code == EXIT_OK) {
    SchemeFacts f = scheme_facts(c->plan);
    Text t = {0};
    (given(o, NSM_FLAG_JSON)     ? system_print_json
     : given(o, NSM_FLAG_LATEX)  ? system_print_latex
     : given(o, NSM_FLAG_MATHML) ? system_print_mathml
                                 : system_print)(c->arena, c->system, &f, &t);
    code = write_text(&t, stdout, "the derivation");
    text_free(&t);
  }
  compilation_free(c);
  return code;
}

int command_emit(const Options *o) {
  int code;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, NULL, &code);
  if (!c) return code;
  const char *path = o->output ? o->output : "-";
  code = check_output(c, path);
  if (code == EXIT_OK) code = write_file(&c->c, path);
  compilation_free(c);
  return code;
}

static int format_in_place(const Compilation *c, const char *path, const Text *t) {
  if (t->n == c->source->len && !memcmp(t->at, c->source->text, t->n)) return EXIT_OK;
  const char *why;
  if (replace_file(c->arena, path, t->at, t->n, 0, &why)) return EXIT_OK;
  fprintf(stderr, "error: %s: %s\n", path, why);
  return EXIT_FILE;
}

int command_fmt(const Options *o) {
  int worst = EXIT_OK;
  bool write = given(o, NSM_FLAG_WRITE);
  for (int i = 0; i < o->nfile; i++) {
    int code;
    if (write && !strcmp(o->file[i], "-")) {
      fputs("error: --write: standard input is no file that could be replaced\n", stderr);
      return EXIT_USAGE;
    }
    Compilation *c = compile_file(o, o->file[i], STAGE_AST, NULL, &code);
    if (code > worst) worst = code;
    if (!c) continue;
    Text t = {0};
    ast_format(c->ast, c->source, &t);
    code = write ? EXIT_OK : check_output(c, "-");
    if (code == EXIT_OK) code = write ? format_in_place(c, o->file[i], &t) : write_text(&t, stdout, "standard output");
    if (code > worst) worst = code;
    text_free(&t);
    compilation_free(c);
  }
  return worst;
}
