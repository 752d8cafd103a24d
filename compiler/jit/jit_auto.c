// Tiers: a run starts with libtcc's code. Where what is left of it is long against what LLVM will take, LLVM compiles
// the kernels in a second thread, and the thread that steps takes them over between two steps.
//
//   left = time per step so far * steps left,   cost = COST_START + COST_NODE * nodes + COST_PAIR * nodes^2, the latter
//   two of each kernel, nodes^2 up to LLVM_LONG (llvm/plugin.h)
//   worth it:  left >= WORTH * cost,   where there is one processor only: left >= WORTH_ALONE * cost
//
// So that a second thread that shares a processor's units with the first one, or all of it, costs a run at most about
// 2 %. The constants of the cost are upper ends of what tests/bench/jit measures.
#define _GNU_SOURCE                                     // sched_getaffinity
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include "jit_parts.h"

#define COST_START 0.05                                 // s
#define COST_NODE  40e-6                                // s
#define COST_PAIR  2e-9                                 // s: straight code is scheduled as one block
#define COST_TOGETHER 8                                 // of a kernel that is made for several runs at a time, too
enum { FIRST_LOOK = 64, WORTH = 20, WORTH_ALONE = 50 };
static const double LONG_ENOUGH = 5e-3;                 // s, to know the time per step

enum { WAITING, COMPILING, READY, OVER };

struct Tier {
  double began, cost;
  int processors;
  atomic_int stage;                                     // READY: address is written
  pthread_t thread; bool running;
  void **address;
  LlvmTogether together;
};

// Processor time of the thread that steps: what others take of the machine does not make the run longer.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// LLVM ends the program where it finds no memory, which a run by libtcc would not need: none under a limit.
static bool memory_is_limited(void) {
  struct rlimit most[2] = { { 0 } };
  getrlimit(RLIMIT_AS, &most[0]);
  getrlimit(RLIMIT_DATA, &most[1]);
  return most[0].rlim_cur != RLIM_INFINITY || most[1].rlim_cur != RLIM_INFINITY;
}

static double cost_of(double nodes) {
  double pairs = nodes < LLVM_LONG ? nodes * nodes : (double)LLVM_LONG * LLVM_LONG;
  return COST_NODE * nodes + COST_PAIR * pairs;
}

void tier_start(Jit *j) {
  if (memory_is_limited()) return;
  Tier *t = calloc(1, sizeof *t);
  if (!t || !llvm_own_model(j)) { free(t); return; }
  t->cost = COST_START;
  for (int i = 0; i < j->kernels->n; i++)
    if (llvm_takes(&j->kernels->at[i], i))
      t->cost += (j->kernels->at[i].together ? COST_TOGETHER : 1) * cost_of(j->kernels->at[i].kernel->n);
  t->processors = processors();
  t->began = -1;
  j->tier = t;
}

static void *compile(void *jit) {
  Jit *j = jit;
  const char *missing;
  char *why = NULL;
  const LlvmPlugin *l = llvm_plugin(&missing);
  if (l) j->tier->address = llvm_addresses(l, j, &j->llvm, &j->tier->together, &why);
  free(why);                                            // where LLVM fails the run goes on as it is
  atomic_store_explicit(&j->tier->stage, j->tier->address ? READY : OVER, memory_order_release);
  return NULL;
}

// Signals are for the thread that steps.
static bool start_thread(Jit *j) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  atomic_store(&j->tier->stage, COMPILING);
  j->tier->running = pthread_create(&j->tier->thread, NULL, compile, j) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return j->tier->running;
}

// Until it is known whether the run is long enough.
static long wait_for_worth(Jit *j, long done, long total) {
  Tier *t = j->tier;
  double elapsed = now() - t->began;
  if (elapsed < LONG_ENOUGH) return 2 * done;
  double left = elapsed / (double)done * (double)(total - done);
  if (left < t->cost * (t->processors > 1 ? WORTH : WORTH_ALONE)) return 2 * done;   // it may become slower
  return start_thread(j) ? done + done / 4 + 1 : LONG_MAX;
}

long jit_between_steps(void *jit, long done, long total) {
  Jit *j = jit;
  Tier *t = j->tier;
  if (!t) return LONG_MAX;
  if (done == 0 || t->began < 0) { t->began = now(); return done + FIRST_LOOK; }
  switch (atomic_load_explicit(&t->stage, memory_order_acquire)) {
  case WAITING: return wait_for_worth(j, done, total);
  case COMPILING: return done + (long)(5e-3 * (double)done / (now() - t->began)) + 1;      // every 5 ms
  case READY: llvm_use(j, t->address, t->together); atomic_store(&t->stage, OVER); return LONG_MAX;
  default: return LONG_MAX;
  }
}

bool jit_between_runs(void *jit, double left, bool quiet) {
  Jit *j = jit;
  Tier *t = j->tier;
  if (!t) return false;
  switch (atomic_load_explicit(&t->stage, memory_order_acquire)) {
  case WAITING: if (left >= t->cost * (t->processors > 1 ? WORTH : WORTH_ALONE)) start_thread(j); return false;
  case READY:
    if (quiet) { llvm_use(j, t->address, t->together); atomic_store(&t->stage, OVER); }
    return !quiet;
  default: return false;
  }
}

void tier_end(Jit *j) {
  if (!j->tier) return;
  if (j->tier->running) pthread_join(j->tier->thread, NULL);
  free(j->tier->address);
  free(j->tier);
  j->tier = NULL;
}
