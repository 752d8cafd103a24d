// Several runs of a sweep in one thread, whose fused steps are taken together: each is a coroutine that goes on by
// itself (its values, events, generic steps, measures) until it asks for fused steps. When all ask, or are at their
// end, one call of the model's function takes those of all, each in a vector's lane (compiler/jit/llvm/lanes.c).
//
// What a run gives does not hang on the runs beside it: the function computes in each lane what it computes in any
// other, also where the other lanes are idle.
#define _GNU_SOURCE                                     // MAP_NORESERVE
#include "sweep.h"
#include "runtime/schemes/schemes.h"
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 8 << 20 };               // bytes, as a thread has them; what is not used costs nothing

typedef struct group group;
typedef struct lane {
  struct sim_together to;
  group       *of;
  sweep_lane  *run;
  ucontext_t   begin;
  jmp_buf      context;                 // once it has begun: a switch by ucontext asks the kernel for signals each time
  int          begun, over, asks;
  nsm_sim     *s;                       // asks: for up to m steps from step `tick` on
  long         tick;
  int          m, done;
} lane;

struct group {
  const sweep_task   *k;
  const volatile int *stop;
  jmp_buf             thread;
  lane                lane[SWEEP_LANES];
  int                 n;
};

int sweep_lanes(const nsm_model *m) { return m->lanes > 0 && m->lanes <= SWEEP_LANES ? m->lanes : 1; }

// ---- a run ----------------------------------------------------------------------------------------------------------
static int ask(struct sim_together *t, nsm_sim *s, long tick, int m) {
  lane *l = (lane *)t;
  l->s = s;
  l->tick = tick;
  l->m = m;
  l->asks = 1;
  if (_setjmp(l->context) == 0) _longjmp(l->of->thread, 1);
  return l->done;
}

// makecontext passes ints alone: a pointer is two of them.
static void run_one(unsigned high, unsigned low) {
  lane *l = (lane *)((uintptr_t)high << 32 | low);
  l->run->outcome = sweep_one_run(l->of->k, l->run->run, l->of->stop, &l->to, l->run->row);
  l->over = 1;
  _longjmp(l->of->thread, 1);
}

static void go_on(lane *l) {
  uintptr_t at = (uintptr_t)l;
  l->asks = 0;
  if (_setjmp(l->of->thread) != 0) return;
  if (l->begun) _longjmp(l->context, 1);
  l->begun = 1;
  makecontext(&l->begin, (void (*)(void))run_one, 2, (unsigned)(at >> 32), (unsigned)at);
  setcontext(&l->begin);
}

// ---- their steps ----------------------------------------------------------------------------------------------------
// Lanes without a run read what another one has.
static void step_together(group *g) {
  const nsm_model *m = g->k->m;
  double *s[SWEEP_LANES], *rows[SWEEP_LANES], tick[SWEEP_LANES];
  const double *c[SWEEP_LANES];
  int steps[SWEEP_LANES], done[SWEEP_LANES];
  const lane *some = NULL;
  for (int l = 0; l < g->n; l++) if (g->lane[l].asks) some = &g->lane[l];
  for (int l = 0; l < m->lanes; l++) {
    int asks = l < g->n && g->lane[l].asks;
    const lane *of = asks ? &g->lane[l] : some;
    sim_whole_arrays(of->s, &s[l], &c[l], &rows[l]);
    tick[l] = (double)of->tick;
    steps[l] = asks ? of->m : 0;
    done[l] = asks;
  }
  if (rows[0]) m->together_recorded(s, c, tick, steps, rows, done);
  else m->together(s, c, tick, steps, done);
  for (int l = 0; l < g->n; l++) g->lane[l].done = done[l];
}

static void run_together(group *g) {
  for (int left = g->n; left > 0;) {
    int asking = 0;
    left = 0;
    for (int l = 0; l < g->n; l++) {
      if (g->lane[l].over) continue;
      go_on(&g->lane[l]);
      left += !g->lane[l].over;
      asking += g->lane[l].asks;
    }
    if (asking > 0) step_together(g);
  }
}

// A stack of its own, with a page below that nobody may touch; 0: there is no memory for it.
static int take_stack(lane *l, void **stack) {
  if (!*stack) {
    void *at = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return 0;
    *stack = at;
    if (mprotect(at, 4096, PROT_NONE) != 0) return 0;
  }
  if (getcontext(&l->begin) != 0) return 0;
  l->begin.uc_stack = (stack_t){ .ss_sp = *stack, .ss_size = STACK };
  return 1;
}

void sweep_give_stacks(void *stack[SWEEP_LANES]) {
  for (int l = 0; l < SWEEP_LANES; l++) if (stack[l]) munmap(stack[l], STACK);
}

void sweep_runs(const sweep_task *k, sweep_lane *run, int n, void *stack[SWEEP_LANES], const volatile int *stop) {
  group g = { .k = k, .stop = stop, .n = n };
  for (int l = 0; l < n; l++) g.lane[l] = (lane){ .to = { ask }, .of = &g, .run = &run[l] };
  int together = k->m->lanes > 0;
  for (int l = 0; l < n && together; l++) together = take_stack(&g.lane[l], &stack[l]);
  if (together) run_together(&g);
  for (int l = 0; l < n && !together; l++) run[l].outcome = sweep_one_run(k, run[l].run, stop, NULL, run[l].row);
}
