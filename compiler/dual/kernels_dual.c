// An interpreter of kernels (kernel/kernel.h) whose numbers are duals. A node is an operation on a value and seven
// derivatives, so its own cost is shared by seven directions.
//
// Where a function has a kink the derivative is that of the branch taken; of `sign`, `floor` and comparisons it is 0.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../base/fatal.h"
#include "../../runtime/nsm_abi.h"
#include "kernels_dual.h"
#include "functions_dual.h"

typedef union Datum {
  dual x;
  int i;
  const dual *array;
  dual *out;
  const int *indices;
} Datum;

// Of each node that opens or leaves a block: the node behind the block.
// slopes: of its values; of a mass matrix that moves of its product.
typedef struct Prepared { const KKernel *k; int *behind; bool runs; Slopes *slopes; } Prepared;

struct DualKernels {
  dual_with head;
  Arena *arena;
  const PlanKernels *all;
  Prepared *of;                         // [all->n], shared by entries that are alike
  int ncls, *first;                     // [ncls + 1] entries of a class
  Slopes **slopes;                      // [nslopes]
  int nslopes;
};

typedef struct Machine {
  const Prepared *p;
  Datum *at;
  const dual_view *view;
  const dual_table *table;
  dual *const *out;
  int instance, slots, columns;
} Machine;

// --- before ---

static int close_of(const KKernel *k, int opened) {
  for (int i = opened + 1; i < k->n; i++)
    if ((k->node[i].code == KN_CLOSE || k->node[i].code == KN_ELSE) && k->node[i].index == opened) return i + 1;
  FATAL("a block of %s is not closed", k->name);
}

// What has duals here: not what is asked of contacts of shapes, and no list.
static bool is_known(const KNode *n) {
  if (n->code == KN_CALL)
    switch ((KSymbol)n->index) {
    case KS_nsm_touch_count: case KS_nsm_touch_deepest: case KS_nsm_touch_impulse: return false;
    default: return n->type == KT_DOUBLE;
    }
  return n->code != KN_LIST;
}

static Prepared prepare(Arena *a, const KKernel *k) {
  Prepared p = { .k = k, .behind = ARENA_ARRAY(a, int, k->n + 1), .runs = true };
  for (int i = 0; i < k->n; i++) {
    const KNode *n = &k->node[i];
    p.runs &= is_known(n);
    if (n->code == KN_IF || n->code == KN_ELSE || n->code == KN_LOOP || n->code == KN_INSTANCES)
      p.behind[i] = close_of(k, i);
  }
  return p;
}

// Those that derivatives of runs ask for (runtime/answers).
static bool is_asked(KernelKind k) {
  switch (k) {
  case KERNEL_MASS: case KERNEL_F: case KERNEL_G: case KERNEL_ENERGY: case KERNEL_Y: case KERNEL_GAP: case KERNEL_RATE:
  case KERNEL_H: case KERNEL_LAW: case KERNEL_MU: case KERNEL_OUT: case KERNEL_MOVE: case KERNEL_C: case KERNEL_DG:
  case KERNEL_HM: case KERNEL_DRATE: case KERNEL_LAMBDA: return true;
  default: return false;
  }
}

// The entry whose slopes are those of entry i, too.
static int first_of(const PlanKernels *all, int i) {
  const PlanKernel *k = &all->at[i], *first = &all->at[k->first];
  bool same = k->nentry == first->nentry && (k->entry == first->entry ||
              memcmp(k->entry, first->entry, (size_t)k->nentry * sizeof *k->entry) == 0);
  return same ? k->first : i;
}

static void take_slopes(DualKernels *d) {
  Arena *a = d->arena;
  d->slopes = ARENA_ARRAY(a, Slopes *, d->all->n + 1);
  for (int i = 0; i < d->all->n; i++) {
    const PlanKernel *k = &d->all->at[i];
    if (first_of(d->all, i) < i || k->cls < 0 || !is_asked(k->kind) || !d->of[i].runs) continue;
    Slopes *s = d->of[i].slopes = slopes_made(a, k->kernel, k->entry, k->nentry, arena_printf(a, "slopes_%d", i));
    if (s) d->slopes[d->nslopes++] = s;
  }
  for (int i = 0; i < d->all->n; i++) d->of[i].slopes = d->of[first_of(d->all, i)].slopes;
}

int dual_slopes(const DualKernels *d, Slopes *const **all) {
  *all = d->slopes;
  return d->nslopes;
}

DualKernels *dual_kernels(const PlanKernels *all, const char *jumps) {
  Arena *a = arena_new();
  DualKernels *d = ARENA_NEW(a, DualKernels);
  d->arena = a;
  d->head.recorded = recorded_kernels();
  d->head.jumps = jumps ? arena_printf(a, "%s", jumps) : NULL;
  d->all = all;
  d->of = ARENA_ARRAY(a, Prepared, all->n + 1);
  for (int i = 0; i < all->n; i++) {
    d->of[i] = all->at[i].first < i ? d->of[all->at[i].first] : prepare(a, all->at[i].kernel);
    if (all->at[i].cls >= d->ncls) d->ncls = all->at[i].cls + 1;
  }
  d->first = ARENA_ARRAY(a, int, d->ncls + 2);
  for (int i = 0; i < all->n; i++) if (all->at[i].cls >= 0) d->first[all->at[i].cls + 1] = i + 1;   // -1: whole steps
  for (int c = 0; c < d->ncls; c++) if (d->first[c + 1] < d->first[c]) d->first[c + 1] = d->first[c];
  take_slopes(d);
  return d;
}

void dual_kernels_free(DualKernels *d) { if (d) arena_free(d->arena); }

// --- values ---

static void of_op(const Machine *m, const KNode *n, Datum *to) {
  const Datum *x = &m->at[n->arg[0]], *y = n->narg > 1 ? &m->at[n->arg[1]] : x;
  bool whole = m->p->k->node[n->arg[0]].type == KT_INT || m->p->k->node[n->arg[0]].type == KT_BOOL;
  if (!whole && n->type != KT_DOUBLE) dual_asks_value();
  switch (n->op) {
  case OP_PLUS: if (whole) to->i = x->i + y->i; else to->x = dual_add(x->x, y->x); return;
  case OP_MINUS: if (whole) to->i = x->i - y->i; else to->x = dual_sub(x->x, y->x); return;
  case OP_TIMES: if (whole) to->i = x->i * y->i; else to->x = dual_mul(x->x, y->x); return;
  case OP_OVER: to->x = dual_div(x->x, y->x); return;
  case OP_OPPOSITE: to->x = dual_scale(x->x, -1); return;
  case OP_LT: to->i = whole ? x->i < y->i : x->x.a[0] < y->x.a[0]; return;
  case OP_LE: to->i = whole ? x->i <= y->i : x->x.a[0] <= y->x.a[0]; return;
  case OP_EQ: to->i = whole ? x->i == y->i : x->x.a[0] == y->x.a[0]; return;
  case OP_AND: to->i = whole ? x->i && y->i : x->x.a[0] != 0 && y->x.a[0] != 0; return;
  case OP_OR: to->i = whole ? x->i || y->i : x->x.a[0] != 0 || y->x.a[0] != 0; return;
  case OP_NOT: to->i = whole ? !x->i : x->x.a[0] == 0; return;
  case OP_IF: *to = x->i ? m->at[n->arg[1]] : m->at[n->arg[2]]; return;
  default: {
    dual arg[3];
    for (int i = 0; i < n->narg && i < 3; i++) arg[i] = m->at[n->arg[i]].x;
    to->x = dual_operation(n->op, arg);
  }
  }
}

static void of_call(const Machine *m, const KNode *n, Datum *to) {
  dual arg[4];
  for (int i = 0; i < n->narg && i < 4; i++) arg[i] = m->at[n->arg[i]].x;
  to->x = dual_call((KSymbol)n->index, arg);
}

static void of_field(const Machine *m, const KNode *n, Datum *to) {
  const dual_view *v = m->view;
  switch ((KField)n->index) {
  case KF_VIEW_t: to->x = v->t; return;
  case KF_VIEW_t0: to->x = v->t0; return;
  case KF_VIEW_h: to->x = v->h; return;
#define ARRAY(name) case KF_VIEW_##name: to->array = v->name; return;
  ARRAY(q) ARRAY(v) ARRAY(x) ARRAY(l) ARRAY(q0) ARRAY(v0) ARRAY(k) ARRAY(dq) ARRAY(dv) ARRAY(dx) ARRAY(d) ARRAY(d_rate)
#undef ARRAY
  case KF_TABLE_count: to->i = m->table->count; return;
  case KF_TABLE_ix: to->indices = m->table->ix; return;
  case KF_TABLE_num: to->array = m->table->num; return;
  default: to->i = 0;                                       // even: never, the other branch is the general one
  }
}

static void element(const Machine *m, const KNode *n, Datum *to) {
  const KNode *array = &m->p->k->node[n->arg[0]];
  int i = m->at[n->arg[1]].i;
  if (array->type == KT_INDICES) to->i = m->at[n->arg[0]].indices[i];
  else to->x = m->at[n->arg[0]].array[i];
}

static void of_value(const Machine *m, const KNode *n, Datum *to) {
  const KNode *node = m->p->k->node;
  const Datum *x = n->narg ? &m->at[n->arg[0]] : NULL;
  switch (n->code) {
  case KN_NUMBER: to->x = dual_of(n->number); return;
  case KN_INTEGER: to->i = n->index; return;
  case KN_COUNTER: to->i = node[n->index].code == KN_INSTANCES ? m->instance : m->at[n->index].i; return;
  case KN_SLOT: to->i = m->table->ix[m->instance * m->slots + n->index]; return;
  case KN_COLUMN: to->x = m->table->num[m->instance * m->columns + n->index]; return;
  case KN_FIELD: of_field(m, n, to); return;
  case KN_AT: element(m, n, to); return;
  case KN_FROM: to->array = x->array + m->at[n->arg[1]].i; return;
  case KN_GET: *to = *x; return;
  case KN_OP: of_op(m, n, to); return;
  case KN_SINE: to->x = dual_operation(OP_SIN, &m->at[node[n->arg[0]].arg[0]].x); return;
  case KN_COSINE: to->x = dual_operation(OP_COS, &m->at[node[n->arg[0]].arg[0]].x); return;
  case KN_CALL: of_call(m, n, to); return;
  case KN_DOUBLE:
    if (node[n->arg[0]].type == KT_DOUBLE) *to = *x;
    else to->x = dual_of(x->i);
    return;
  case KN_TRUTH:
    dual_asks_value();
    to->i = node[n->arg[0]].type == KT_DOUBLE ? x->x.a[0] != 0 : x->i;
    return;
  default: FATAL("a kernel in dual numbers meets node %d", (int)n->code);
  }
}

// --- statements ---

static int close(Machine *m, int i) {
  int opened = m->p->k->node[i].index;
  const KNode *n = &m->p->k->node[opened];
  if (n->code == KN_LOOP && ++m->at[opened].i < m->at[n->arg[1]].i) return opened + 1;
  if (n->code == KN_INSTANCES && ++m->instance < m->table->count) return opened + 1;
  return i + 1;
}

static int instances(Machine *m, const KNode *n, int i) {
  m->instance = 0;
  m->slots = n->index;
  m->columns = (int)n->number;
  return m->table->count > 0 ? i + 1 : m->p->behind[i];
}

// The next node; -1: it returned.
static int one(Machine *m, int i) {
  const KNode *n = &m->p->k->node[i];
  const Datum *x = n->narg && n->arg[0] != K_NONE ? &m->at[n->arg[0]] : NULL;
  switch (n->code) {
  case KN_SINCOS: return i + 1;
  case KN_PARAM:
    if (n->index > 1) m->at[i].out = m->out[n->index - 2];
    return i + 1;
  case KN_VARIABLE: m->at[i] = *x; return i + 1;
  case KN_SET: m->at[n->arg[0]] = m->at[n->arg[1]]; return i + 1;
  case KN_STORE: x->out[m->at[n->arg[1]].i] = m->at[n->arg[2]].x; return i + 1;
  case KN_ADD_TO: {
    dual *to = &x->out[m->at[n->arg[1]].i];
    *to = dual_add(*to, m->at[n->arg[2]].x);
    return i + 1;
  }
  case KN_IF: return x->i ? i + 1 : m->p->behind[i];
  case KN_ELSE: return m->p->behind[i];                     // the first branch ends here
  case KN_LOOP:
    m->at[i].i = x->i;
    return x->i < m->at[n->arg[1]].i ? i + 1 : m->p->behind[i];
  case KN_INSTANCES: return instances(m, n, i);
  case KN_BREAK: return m->p->behind[n->index];
  case KN_CLOSE: return close(m, i);
  case KN_RETURN: return -1;
  default: of_value(m, n, &m->at[i]); return i + 1;
  }
}

static void run(Machine *m) {
  for (int i = 0; i >= 0 && i < m->p->k->n;) i = one(m, i);
}

// Numbers of a kernel stand on the stack, of a long one elsewhere: several threads run kernels at a time.
enum { FEW = 400 };

static void run_long(Machine *m) {
  m->at = malloc(((size_t)m->p->k->n + 1) * sizeof *m->at);
  if (!m->at) FATAL("no memory for a kernel of %s", m->p->k->name);
  run(m);
  free(m->at);
}

static void run_short(Machine *m) {
  Datum at[FEW];
  m->at = at;
  run(m);
  m->at = NULL;
}

int dual_kernel_run(void *with, int cls, int offset, const dual_view *v, const dual_table *t, dual *const *out) {
  DualKernels *d = with;
  if (cls >= d->ncls) return 0;
  for (int e = d->first[cls]; e < d->first[cls + 1]; e++) {
    int product = offset == DUAL_INERTIA, of = product ? (int)offsetof(nsm_class, mass_fn) : offset;
    if (d->all->at[e].offset != (size_t)of || d->all->at[e].cls != cls) continue;
    if (!d->of[e].runs) return 0;
    if (product == (d->all->at[e].entry != NULL) && d->of[e].slopes && d->of[e].slopes->run) {
      slopes_run(d->of[e].slopes, v, t, out);
      return 1;
    }
    if (product) return 0;
    Machine m = { .p = &d->of[e], .view = v, .table = t, .out = out };
    (m.p->k->n <= FEW ? run_short : run_long)(&m);
    return 1;
  }
  return 0;
}

#ifdef DUAL_RECORDED
dual_any *recorded_kernels(void) { return (dual_any *)dual_kernel_run; }
#endif
