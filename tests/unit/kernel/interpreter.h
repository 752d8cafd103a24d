// Runs a kernel node by node, each value where it stands: what the printers must give bit by bit.
#pragma once
#include <math.h>
#include <stdlib.h>
#include "compiler/kernel/kernel.h"
#include "runtime/nsm_abi.h"

typedef union Datum { double d; int i; const double *array; } Datum;
typedef struct Machine { const KKernel *k; Datum *at; double result; int loops; } Machine;

static int after(const KKernel *k, int opened) {            // the node behind the block that `opened` opens
  for (int i = opened + 1;; i++) {
    if (k->node[i].code == KN_CLOSE && k->node[i].index == opened) return i + 1;
    if (k->node[i].code == KN_ELSE && k->node[i].index == opened) return i + 1;
  }
}

static double call_function(KSymbol s, double x, double y) {
  switch (s) {
  case KS_nsm_sqrt: return nsm_sqrt(x);
  case KS_nsm_abs: return nsm_abs(x);
  case KS_nsm_floor: return nsm_floor(x);
  case KS_nsm_sign: return nsm_sign(x);
  case KS_nsm_min: return nsm_min(x, y);
  case KS_nsm_max: return nsm_max(x, y);
  case KS_nsm_atan2: return nsm_atan2(x, y);
  case KS_nsm_exp: return nsm_exp(x);
  case KS_nsm_tanh: return nsm_tanh(x);
  default: abort();
  }
}

static Datum of_op(const Machine *m, const KNode *n) {
  const Datum *x = &m->at[n->arg[0]], *y = n->narg > 1 ? &m->at[n->arg[1]] : x;
  bool whole = m->k->node[n->arg[0]].type == KT_INT;
  switch (n->op) {
  case OP_PLUS: return whole ? (Datum){ .i = x->i + y->i } : (Datum){ .d = x->d + y->d };
  case OP_MINUS: return whole ? (Datum){ .i = x->i - y->i } : (Datum){ .d = x->d - y->d };
  case OP_TIMES: return whole ? (Datum){ .i = x->i * y->i } : (Datum){ .d = x->d * y->d };
  case OP_OVER: return (Datum){ .d = x->d / y->d };
  case OP_OPPOSITE: return (Datum){ .d = -x->d };
  case OP_LT: return (Datum){ .i = whole ? x->i < y->i : x->d < y->d };
  case OP_LE: return (Datum){ .i = whole ? x->i <= y->i : x->d <= y->d };
  case OP_EQ: return (Datum){ .i = whole ? x->i == y->i : x->d == y->d };
  case OP_AND: return (Datum){ .i = x->i && y->i };
  case OP_OR: return (Datum){ .i = x->i || y->i };
  case OP_NOT: return (Datum){ .i = !x->i };
  case OP_IF: return x->i ? m->at[n->arg[1]] : m->at[n->arg[2]];
  default: abort();
  }
}

static Datum of_value(const Machine *m, const KNode *n) {
  const Datum *x = n->narg ? &m->at[n->arg[0]] : NULL;
  switch (n->code) {
  case KN_NUMBER: return (Datum){ .d = n->number };
  case KN_INTEGER: return (Datum){ .i = n->index };
  case KN_COUNTER: return m->at[n->index];
  case KN_AT: return (Datum){ .d = x->array[m->at[n->arg[1]].i] };
  case KN_GET: return *x;
  case KN_OP: return of_op(m, n);
  case KN_SINE: return (Datum){ .d = sin(m->at[m->k->node[n->arg[0]].arg[0]].d) };
  case KN_COSINE: return (Datum){ .d = cos(m->at[m->k->node[n->arg[0]].arg[0]].d) };
  case KN_CALL: return (Datum){ .d = call_function((KSymbol)n->index, x->d, n->narg > 1 ? m->at[n->arg[1]].d : 0) };
  case KN_DOUBLE: return (Datum){ .d = x->i };
  case KN_TRUTH: return (Datum){ .i = x->d != 0 };
  default: abort();
  }
}

// The next node; -1: it returned.
static int one(Machine *m, int i) {
  const KNode *n = &m->k->node[i];
  const Datum *x = n->narg && n->arg[0] != K_NONE ? &m->at[n->arg[0]] : NULL;
  switch (n->code) {
  case KN_PARAM: case KN_SINCOS: return i + 1;
  case KN_VARIABLE: m->at[i] = *x; return i + 1;
  case KN_SET: m->at[n->arg[0]] = m->at[n->arg[1]]; return i + 1;
  case KN_STORE: ((double *)(uintptr_t)x->array)[m->at[n->arg[1]].i] = m->at[n->arg[2]].d; return i + 1;
  case KN_ADD_TO: ((double *)(uintptr_t)x->array)[m->at[n->arg[1]].i] += m->at[n->arg[2]].d; return i + 1;
  case KN_IF: return x->i ? i + 1 : after(m->k, i);
  case KN_ELSE: return after(m->k, i);                      // the first branch ends here
  case KN_LOOP:
    m->at[i].i = x->i;
    return x->i < m->at[n->arg[1]].i ? i + 1 : after(m->k, i);
  case KN_BREAK: return after(m->k, n->index);
  case KN_CLOSE: {
    const KNode *opened = &m->k->node[n->index];
    if (opened->code != KN_LOOP) return i + 1;
    return ++m->at[n->index].i < m->at[opened->arg[1]].i ? n->index + 1 : i + 1;
  }
  case KN_RETURN: m->result = m->k->result == KT_INT ? x->i : x->d; return -1;
  default: m->at[i] = of_value(m, n); return i + 1;
  }
}

// A kernel double f(const double *in, double *out, int n).
static double interpret(const KKernel *k, const double *in, double *out, int n) {
  Machine m = { .k = k, .at = calloc((size_t)k->n, sizeof(Datum)) };
  m.at[0].array = in;
  m.at[1].array = out;
  m.at[2].i = n;
  for (int i = 3; i >= 0 && i < k->n;) i = one(&m, i);
  free(m.at);
  return m.result;
}
