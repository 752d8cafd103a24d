// build: emitted C + a two-line main, compiled by the system's C compiler and linked with the runtime.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "commands.h"

static const char main_text[] =
  "#include \"nsm_run.h\"\n"
  "int main(int argc, char **argv) { return nsm_run_command(nsm_model_get(), argc, argv, 0, stdout, stderr); }\n";

static bool put_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  if (!f) return false;
  bool good = fputs(text, f) >= 0;
  return fclose(f) == 0 && good;
}

// NSM_LINK_FLAGS holds words separated by blanks.
static int compile_and_link(Arena *a, const char *c, const char *m, const char *output) {
  char *words = arena_strndup(a, NSM_LINK_FLAGS, strlen(NSM_LINK_FLAGS));
  const char *argv[64] = {
    jit_c_compiler(), "-std=gnu11", "-O2", "-ffp-contract=off", "-w", "-I" NSM_INCLUDE_DIR, "-o", output, c, m,
    "-L" NSM_LIB_DIR
  };
  int n = 11;
  for (char *w = strtok(words, " "); w && n < 62; w = strtok(NULL, " ")) argv[n++] = w;
  pid_t child = fork();
  if (child == 0) {
    execvp(argv[0], (char *const *)argv);
    fprintf(stderr, "error: cannot run the C compiler '%s': %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  int status = 1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int command_build(const Options *o) {
  if (!o->output) { fputs("error: nsm build needs -o NAME for the simulator\n", stderr); return EXIT_USAGE; }
  int code;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, NULL, &code);
  if (!c) return code;
  char folder[] = "/tmp/nsm-build-XXXXXX";
  if (!mkdtemp(folder)) {
    fprintf(stderr, "error: no temporary folder: %s\n", strerror(errno));
    compilation_free(c);
    return EXIT_FILE;
  }
  const char *model = arena_printf(c->arena, "%s/model.c", folder),
             *main_c = arena_printf(c->arena, "%s/main.c", folder);
  if (!put_file(model, text_str(&c->c)) || !put_file(main_c, main_text)) {
    fprintf(stderr, "error: %s: %s\n", folder, strerror(errno));
    code = EXIT_FILE;
  } else if (access(o->output, F_OK) == 0 && access(o->output, W_OK) != 0) {
    fprintf(stderr, "error: %s: %s\n", o->output, strerror(errno));
    code = EXIT_FILE;
  } else if (compile_and_link(c->arena, model, main_c, o->output) != 0) {
    fprintf(stderr, "error: the simulator %s could not be built\n", o->output);
    code = access(o->output, W_OK) == 0 || errno == ENOENT ? EXIT_FILE : EXIT_COMPILER;
  }
  unlink(model); unlink(main_c); rmdir(folder);
  compilation_free(c);
  return code;
}
