// A trace is done again: values, and derivatives of all nodes along some directions [Griewank and Walther 2008, 3.1].
#include "trace.h"
#include "runtime/schemes/schemes.h"
#include <math.h>

const double trace_one = 1;

// ---- values ---------------------------------------------------------------------------------------------------------
void replay_call(const trace *t, trace_call *c) {
  c->view.t = t->value[c->t[0]];
  c->view.t0 = t->value[c->t[1]];
  c->view.h = t->value[c->t[2]];
  c->run(&c->view, &c->table, 1, t->value + c->to, c->slope);
}

static void fill(const trace *t, const trace_array *a) {
  for (int i = 0; i < a->n; i++) if (a->node[i]) a->value[i] = t->value[a->node[i]];
}

// Steps that are alike stand one after the other.
int replay_values(trace *t) {
  double *x = t->value, (*by)[2] = t->by;
  const trace_step *s = t->step;
#define EACH(operation, does) case operation: do { does; } while ((++s)->op == operation); break;
#define A x[(unsigned)s->of[0]]
#define B x[(unsigned)s->of[1]]
#define TO(values) values[(unsigned)s->to]
  while (s && s->op != TRACE_END) {
    switch (s->op) {
    EACH(TRACE_SUM, TO(x) = A + B)
    EACH(TRACE_DIFFERENCE, TO(x) = A - B)
    EACH(TRACE_PRODUCT, TO(x) = A * B)
    EACH(TRACE_QUOTIENT, TO(x) = A / B; TO(by)[0] = 1 / B; TO(by)[1] = -TO(x) / B)
    EACH(TRACE_ROOT, TO(x) = sqrt(A); TO(by)[0] = TO(x) > 0 ? 0.5 / TO(x) : 0)
    EACH(TRACE_FILL, fill(t, &t->array[s->of[0]]))
    EACH(TRACE_CALL, replay_call(t, &t->call[s->of[0]]))
    default: s++;
    }
  }
  for (int i = 0; i < t->nguard; i++) {
    const trace_guard_of *g = &t->guard[i];
    if ((x[g->of[0]] > x[g->of[1]]) != g->above) return 0;
  }
  return 1;
}

// ---- derivatives ----------------------------------------------------------------------------------------------------
typedef double four __attribute__((vector_size(32), aligned(8)));

// lane [n, lanes], lanes a multiple of four
NSM_WIDE void replay_sums(const trace_sums *s, double *lane, int lanes) {
  for (const trace_sum *sum = s->at, *last = sum + s->n; sum < last; sum++) {
    const trace_term *term = s->term + sum->first, *end = term + sum->n;
    for (double *at = lane; at < lane + lanes; at += 4) {
      four x = { 0, 0, 0, 0 };
      for (const trace_term *k = term; k < end; k++) x += k->times * *k->by * *(const four *)(at + k->at);
      *(four *)(at + sum->to) = x;
    }
  }
}

void replay_back(const trace *t, double *bar) {
  for (int i = t->back.n - 1; i >= 0; i--) {
    const trace_sum *sum = &t->back.at[i];
    const trace_term *term = t->back.term + sum->first;
    double by = bar[sum->to];
    if (by == 0) continue;
    bar[sum->to] = 0;
    for (int k = 0; k < sum->n; k++) bar[term[k].at] += term[k].times * *term[k].by * by;
  }
}
