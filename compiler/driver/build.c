// build: emitted C + a short main, compiled by the system's C compiler and linked with the runtime; or an FMU
// (build_fmu.c).
#include <errno.h>
#include <string.h>
#include "../base/vec.h"
#include "build.h"
#include "../api/installed.h"
#include "replace.h"

// What --set gives to a parameter that is stored stands before the flags of the simulator, which may give it again.
static void main_text(const Options *o, Text *out) {
  int n = 0;
  text_add(out, "#include \"nsm_run.h\"\nint main(int argc, char **argv) {\n  static char *set[] = { ");
  for (int i = 0; i < o->nset; i++) {
    if (o->set[i].use != SET_STORED) continue;
    text_add(out, "\"--set\", ");
    text_json_string(out, o->set[i].text);
    text_add(out, ", ");
    n += 2;
  }
  text_printf(out, "0 };\n  char *all[argc + %d];\n  all[0] = argv[0];\n"
                   "  for (int i = 0; i < %d; i++) all[1 + i] = set[i];\n"
                   "  for (int i = 1; i <= argc; i++) all[%d + i] = argv[i];\n"
                   "  return nsm_run_main(nsm_model_get(), argc + %d, all);\n}\n", n + 1, n, n, n);
}

// The program, in the folder of the compiler.
static int make(const Options *o, Compilation *c, CcFolder f, const char *program) {
  Arena *a = c->arena;
  const Installed *at = installed(a);
  const char *why = "", *model = cc_path(a, f, "model.c"), *main_c = cc_path(a, f, "main.c");
  const char *const arguments[] = { "-std=gnu11", "-O2", "-ffp-contract=off", "-w", "-I", at->include, "-o", program,
                                    model, main_c, "-L", at->lib, NULL };
  CcStatus status = CC_SYSTEM;
  Text text = { 0 };
  main_text(o, &text);
  if (cc_write(a, f, "model.c", text_str(&c->c), &why) && cc_write(a, f, "main.c", text_str(&text), &why))
    status = cc_run(a, f, arguments, NSM_LINK_FLAGS, program, &why);
  text_free(&text);
  return build_status(status, why);
}

static int put_in_place(Arena *a, const char *program, const char *output) {
  Text bytes = {0};
  char piece[1 << 16];
  const char *why = "";
  FILE *in = fopen(program, "rb");
  bool good = in != NULL;
  for (size_t n; good && (n = fread(piece, 1, sizeof piece, in)) > 0;) text_addn(&bytes, piece, n);
  if (!in || ferror(in)) { good = false; why = strerror(errno); }
  if (in) fclose(in);
  good = good && replace_file(a, output, bytes.at, bytes.n, 0777, &why);
  if (!good) fprintf(stderr, "error: %s: %s\n", output, why);
  text_free(&bytes);
  return good ? EXIT_OK : EXIT_FILE;
}

// Model exchange: the kernels are those of event_driven, whose equations of an instant it has.
static bool for_exchange(Options *o, bool fmu) {
  if (!given(o, NSM_FLAG_EXCHANGE)) return true;
  const char *why = !fmu ? "is for FMUs: nsm build F.nsm -o F.fmu"
                  : given(o, NSM_FLAG_SCHEME) ? "leaves the steps to the tool: there is no --scheme with it" : NULL;
  if (why) fprintf(stderr, "error: --exchange %s\n", why);
  o->scheme = "event_driven";
  snprintf(o->flags.scheme, sizeof o->flags.scheme, "event_driven");
  o->flags.text[NSM_FLAG_SCHEME] = "event_driven";
  return !why;
}

int command_build(const Options *given_options) {
  Options own = *given_options, *o = &own;
  if (!o->output || !strcmp(o->output, "-")) {
    fputs("error: nsm build needs -o NAME for the simulator, a file; NAME.fmu for an FMU\n", stderr);
    return EXIT_USAGE;
  }
  bool fmu = build_is_fmu(o->output);
  if (!fmu && (given(o, NSM_FLAG_FMI) || given(o, NSM_FLAG_DEBUG))) {
    fprintf(stderr, "error: --%s is for FMUs: nsm build F.nsm -o F.fmu\n", given(o, NSM_FLAG_FMI) ? "fmi" : "debug");
    return EXIT_USAGE;
  }
  if (!for_exchange(o, fmu)) return EXIT_USAGE;
  int code;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, NULL, &code);
  if (!c) {
    if (code == EXIT_MODEL) build_without_exchange(o);
    return code;
  }
  const char *why;
  CcFolder f = { NULL };
  code = check_output(c, o->output);
  if (code == EXIT_OK && !(f = cc_folder(c->arena, &why)).path) {
    fprintf(stderr, "error: %s\n", why);
    code = EXIT_FILE;
  }
  const char *program = code == EXIT_OK ? cc_path(c->arena, f, "program") : NULL;
  if (code == EXIT_OK) code = fmu ? build_fmu(o, c, f, o->output) : make(o, c, f, program);
  if (code == EXIT_OK && !fmu) code = put_in_place(c->arena, program, o->output);
  cc_folder_remove(f);
  compilation_free(c);
  return code;
}
