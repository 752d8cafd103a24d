// cc + dlopen: the system's C compiler with -O2, for long runs and as the reference of the tests. Files go to a private
// temporary folder and are removed at once.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../base/text.h"
#include "abi_text.h"
#include "jit_parts.h"

static int write_file(const char *folder, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  if (!f) return 0;
  int ok = fputs(text, f) >= 0;
  return fclose(f) == 0 && ok;
}

static void remove_files(const char *folder) {
  static const char *const name[] = { "model.c", "nsm_abi.h", "model.so", "messages" };
  char path[128];
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    unlink(path);
  }
  rmdir(folder);
}

static const char *messages(Arena *a, const char *folder) {
  char path[128], text[4000];
  snprintf(path, sizeof path, "%s/messages", folder);
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  return arena_strndup(a, text, n);
}

// No shell: the compiler is run with its arguments, messages into a file.
static int run_compiler(const char *folder) {
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    if (chdir(folder) != 0 || !freopen("messages", "w", stderr)) _exit(127);
    execlp(jit_c_compiler(), jit_c_compiler(), "-std=c11", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-w", "-o",
           "model.so", "model.c", (char *)NULL);
    fprintf(stderr, "cannot run the C compiler '%s': %s\n", jit_c_compiler(), strerror(errno));
    fflush(stderr);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int jit_cc_compile(Arena *a, Jit *j, const char *c_text, const char **why) {
  const char *tmp = getenv("TMPDIR");
  if (!tmp || !*tmp || strlen(tmp) > 40) tmp = "/tmp";
  snprintf(j->folder, sizeof j->folder, "%s/nsm-XXXXXX", tmp);
  if (!mkdtemp(j->folder)) { *why = arena_printf(a, "no temporary folder in %s: %s", tmp, strerror(errno)); return 0; }
  int ok = write_file(j->folder, "model.c", c_text) && write_file(j->folder, "nsm_abi.h", nsm_abi_text);
  if (!ok) *why = arena_printf(a, "cannot write to %s: %s", j->folder, strerror(errno));
  if (ok && run_compiler(j->folder) != 0) { *why = messages(a, j->folder); ok = 0; }
  if (ok) {
    char path[128];
    snprintf(path, sizeof path, "%s/model.so", j->folder);
    j->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    union {
      void *address;
      const nsm_model *(*get)(void);
    } model = { j->handle ? dlsym(j->handle, "nsm_model_get") : NULL };
    if (model.address) j->model = model.get();
    else { *why = arena_printf(a, "%s", dlerror()); ok = 0; }
  }
  remove_files(j->folder);
  return ok;
}

void jit_cc_free(Jit *j) {
  if (j->handle) dlclose(j->handle);
  j->handle = NULL;
}
