// Several processes, by MPI. The program itself is not linked to MPI: where a launcher started it, which it shows in
// the environment, the plug-in libnsm_mpi.so is loaded (runtime/sweep/mpi/). Where that was not built, a launch of
// several processes is refused: each of them would write the same file.
#define _GNU_SOURCE
#include "sweep.h"
#include "runtime/clock/clock.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What launchers tell: Open MPI, MPICH and relatives (PMI), PMIx, Slurm.
static int launched(void) {
  static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS" };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const char *n = getenv(sizes[i]);
    if (n && atoi(n) > 0) return atoi(n);
  }
  return 0;
}

static void *load(void) {
  char path[4096], file[4200];
  static const char *const places[] = { "lib/libnsm_mpi.so", "../lib/libnsm_mpi.so", "../lib/nsm/libnsm_mpi.so" };
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) return NULL;
  path[n] = 0;
  *strrchr(path, '/') = 0;
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof places / sizeof *places; i++) {
    snprintf(file, sizeof file, "%s/%s", path, places[i]);
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

static int find(sweep_ranks *r) {
  struct { const char *name; void *to; } all[] = {
    { "nsm_mpi_start", &r->start }, { "nsm_mpi_send", &r->send }, { "nsm_mpi_receive", &r->receive },
    { "nsm_mpi_share", &r->share }, { "nsm_mpi_end", &r->end }, { "nsm_mpi_give_up", &r->give_up }
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    void *symbol = dlsym(r->library, all[i].name);
    if (!symbol) return 0;
    memcpy(all[i].to, &symbol, sizeof symbol);             // the way POSIX has it
  }
  return 1;
}

int sweep_ranks_open(sweep_ranks *r, nsm_error *e) {
  *r = (sweep_ranks){ .rank = 0, .size = 1 };
  int n = launched();
  if (n == 0) return 1;
  r->library = load();
  if (r->library && find(r) && r->start(&r->rank, &r->size)) return 1;
  r->library = NULL;
  if (n == 1) return 1;
  sim_fail(e, NSM_FILE,
           "%d processes were started together, and this nsm was built without MPI: install libopenmpi-dev and build "
           "again, or use --threads", n);
  return 0;
}

void sweep_ranks_close(sweep_ranks *r) {
  if (r->library) r->end();
}
