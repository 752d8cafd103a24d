// check, derive, emit, fmt, explain: commands that print what a stage made.
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "commands.h"

Compilation *compile_file(const Options *o, const char *path, PipelineStage last, FILE *dump, int *code) {
  Compilation *c = compilation_new();
  PipelineOptions p = { path, o->set, o->nset, o->scheme, o->dump, false, o->weights, o->step };
  bool good = compile_to(c, &p, last, dump);
  compilation_report(c, stderr);
  *code = good ? EXIT_OK : c->file_trouble ? EXIT_FILE : EXIT_MODEL;
  if (good) return c;
  compilation_free(c);
  return NULL;
}

int write_text(const Text *t, FILE *f, const char *what) {
  size_t n = t->n ? fwrite(t->at, 1, t->n, f) : 0;
  if (n == t->n && fflush(f) == 0) return EXIT_OK;
  fprintf(stderr, "error: %s could not be written: %s\n", what, strerror(errno));
  return EXIT_FILE;
}

int command_check(const Options *o) {
  int worst = EXIT_OK;
  for (int i = 0; i < o->nfile; i++) {
    Compilation *c = compilation_new();
    PipelineOptions p = { o->file[i], o->set, o->nset, o->scheme, o->dump, true, o->weights, o->step };
    bool good = compile_to(c, &p, STAGE_PLAN, stdout);
    compilation_report(c, stderr);
    int code = good ? EXIT_OK : c->file_trouble ? EXIT_FILE : EXIT_MODEL;
    if (code > worst) worst = code;
    compilation_free(c);
  }
  return worst;
}

// A law or scheme that this version does not support yet is no obstacle to the derivation: the message goes out, the
// system too.
int command_derive(const Options *o) {
  Compilation *c = compilation_new();
  PipelineOptions p = { o->file[0], o->set, o->nset, o->scheme, o->dump, false, o->weights, o->step };
  bool good = compile_to(c, &p, STAGE_PLAN, NULL);
  compilation_report(c, stderr);
  bool later = c->system && !c->plan && diag_errors(c->bag) == diag_count(c->bag, DIAG_E0701);
  int code = good || later ? EXIT_OK : c->file_trouble ? EXIT_FILE : EXIT_MODEL;
  if (code == EXIT_OK) {
    SchemeFacts f = good ? scheme_facts(c->plan) : (SchemeFacts){0};
    Text t = {0};
    (o->json    ? system_print_json
     : o->latex ? system_print_latex
                : system_print)(c->arena, c->system, good ? &f : NULL, &t);
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
  FILE *f = o->output ? fopen(o->output, "w") : stdout;
  if (!f) { fprintf(stderr, "error: %s: %s\n", o->output, strerror(errno)); compilation_free(c); return EXIT_FILE; }
  code = write_text(&c->c, f, o->output ? o->output : "the emitted C");
  if (f != stdout && fclose(f) != 0 && code == EXIT_OK) code = EXIT_FILE;
  compilation_free(c);
  return code;
}

int command_fmt(const Options *o) {
  int worst = EXIT_OK;
  for (int i = 0; i < o->nfile; i++) {
    int code;
    Compilation *c = compile_file(o, o->file[i], STAGE_AST, NULL, &code);
    if (code > worst) worst = code;
    if (!c) continue;
    Text t = {0};
    ast_format(c->ast, c->source, &t);
    FILE *f = stdout;
    if (o->write) f = t.n == c->source->len && !memcmp(t.at, c->source->text, t.n) ? NULL : fopen(o->file[i], "w");
    if (o->write && !f && errno && (t.n != c->source->len || memcmp(t.at, c->source->text, t.n))) {
      fprintf(stderr, "error: %s: %s\n", o->file[i], strerror(errno));
      worst = EXIT_FILE;
    }
    if (f) { code = write_text(&t, f, o->file[i]); if (f != stdout) fclose(f); if (code > worst) worst = code; }
    text_free(&t);
    compilation_free(c);
  }
  return worst;
}

int command_explain(const Options *o) {
  int worst = EXIT_OK;
  for (int i = 0; i < o->nfile; i++) {
    char name[16] = "";
    for (size_t k = 0; o->file[i][k] && k < 15; k++) name[k] = (char)toupper((unsigned char)o->file[i][k]);
    DiagCode code;
    if (!diag_code_find(name, &code)) {
      fprintf(stderr, "error: there is no diagnostic '%s'; codes look like E0420 and stand in every message\n",
              o->file[i]);
      worst = EXIT_USAGE;
      continue;
    }
    printf("%s: %s\n\n%s", name, diag_code_title(code), diag_code_story(code));
  }
  return worst;
}
