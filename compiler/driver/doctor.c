// doctor: what nsm can use of this machine, what is missing, and the command that installs it.
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../api/installed.h"
#include "commands.h"

// A program is asked for its version; a plug-in is looked for beside the others.
typedef struct Want { const char *what, *program, *plugin, *package; bool needed; } Want;

static const Want wants[] = {
  { "C compiler: nsm build, --jit=cc", "${CC:-cc} --version", NULL, "gcc", true },
  { "LLVM: --jit=llvm, --jit=auto", NULL, "libnsm_llvm.so", "llvm-14-dev", false },
  { "HDF5: -o r.h5", NULL, "libnsm_hdf5.so", "libhdf5-dev", false },
  { "SUNDIALS: scheme = event_driven", NULL, "libnsm_sundials.so", "libsundials-dev", false },
  { "LAPACKE: nsm analyse", NULL, "libnsm_lapack.so", "liblapacke-dev", false },
  { "MPI: nsm sweep under mpirun", "mpirun --version", "libnsm_mpi.so", "libopenmpi-dev openmpi-bin", false },
  { "libzip: nsm build -o F.fmu", NULL, "libnsm_zip.so", "libzip-dev", false },
  { "expat: nsm import of robots", NULL, "libnsm_xml.so", "libexpat1-dev", false },
  { "gnuplot: PDF and PNG of nsm plot", "gnuplot --version", NULL, "gnuplot-nox", false },
  { "Python: the package nsm", "python3 --version", NULL, "python3-minimal libpython3-stdlib", false },
  { "numpy: arrays of the package", "python3 -c 'import numpy; print(\"numpy\", numpy.__version__)'", NULL,
    "python3-numpy", false } };

// The first line that the program says, NULL where it is not there or ends badly.
static const char *said(Arena *a, const char *program) {
  char line[200] = "";
  FILE *f = popen(arena_printf(a, "(%s) 2>/dev/null", program), "r");
  if (!f) return NULL;
  bool any = fgets(line, sizeof line, f) != NULL;
  for (int c; any && (c = fgetc(f)) != EOF;) {}
  bool good = pclose(f) == 0 && any;
  line[strcspn(line, "\n")] = 0;
  return good ? arena_strndup(a, line, strlen(line)) : NULL;
}

// In the build or beside the archives of an installation, or with the other plug-ins of one.
static const char *plugin(Arena *a, const char *name) {
  const char *const folders[] = { installed(a)->lib, arena_printf(a, "%s/../../../lib/nsm", installed(a)->lib),
                                  arena_printf(a, "%s/../../../lib/x86_64-linux-gnu/nsm", installed(a)->lib) };
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const char *path = arena_printf(a, "%s/%s", folders[i], name);
    void *library = access(path, R_OK) == 0 ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (library) return "found";
  }
  return NULL;
}

int command_doctor(const Options *o) {
  (void)o;
  Arena *a = arena_new();
  int missing = 0, code = EXIT_OK;
  const char *packages = "";
  printf("nsm %s\n", nsm_version());
  for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
    const Want *w = &wants[i];
    const char *program = w->program ? said(a, w->program) : "", *part = w->plugin ? plugin(a, w->plugin) : "";
    bool there = program && part;
    printf("%-8s %s%s%s\n", there ? "ok" : w->needed ? "missing" : "without", w->what, there && *program ? ": " : "",
           there && *program ? program : "");
    if (there) continue;
    missing++;
    if (w->needed) code = EXIT_FILE;
    packages = arena_printf(a, "%s %s", packages, w->package);
  }
  if (missing)
    printf("\nOn Debian, as root: apt-get install%s\nThen build nsm again, for what is a library.\n", packages);
  arena_free(a);
  return code;
}
