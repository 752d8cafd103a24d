// run and test: compile in memory, then the runtime's own command line.
#include <string.h>
#include "../../runtime/nsm_run.h"
#include "commands.h"

static int run_compiled(const Options *o, Compilation *c, int argc, char **argv) {
  double start = now_seconds();
  const char *why = "";
  Jit *j = jit_compile(c->arena, o->jit, text_str(&c->c), &why);
  if (!j) {
    fprintf(stderr, "error: the emitted C does not compile, which is a fault of nsm itself:\n%s\n", why);
    return EXIT_COMPILER;
  }
  int code = nsm_run_command(jit_model(j), argc, argv, c->seconds + now_seconds() - start, stdout, stderr);
  jit_free(j);
  return code;
}

int command_run(const Options *o) {
  if (o->help) return nsm_run_command(NULL, o->nrest, o->rest, 0, stdout, stderr);
  int code;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, stderr, &code);
  if (!c) return code;
  code = run_compiled(o, c, o->nrest, o->rest);
  compilation_free(c);
  return code;
}

// Claims of every file; a failing one does not hide the next.
int command_test(const Options *o) {
  int worst = EXIT_OK, failed = 0;
  for (int i = 0; i < o->nfile; i++) {
    int code;
    Compilation *c = compile_file(o, o->file[i], STAGE_C, NULL, &code);
    if (c) {
      Arena *a = arena_new();
      char **argv = ARENA_ARRAY(a, char *, o->nrest + 8);
      int argc = 0;
      for (int k = 0; k < o->nrest; k++) argv[argc++] = o->rest[k];
      static char *const more[] = { "--expect", "--quiet", "-o", "/dev/null" };
      for (size_t k = 0; k < sizeof more / sizeof *more; k++) argv[argc++] = more[k];
      code = run_compiled(o, c, argc, argv);
      int claims = c->model->nexpect;
      if (code == EXIT_OK) fprintf(stderr, "ok    %s (%d claim%s)\n", o->file[i], claims, claims == 1 ? "" : "s");
      arena_free(a);
      compilation_free(c);
    }
    if (code != EXIT_OK) { fprintf(stderr, "FAIL  %s\n", o->file[i]); failed++; }
    if (code > worst) worst = code;
  }
  fprintf(stderr, "%d passed, %d failed\n", o->nfile - failed, failed);
  return worst;
}
