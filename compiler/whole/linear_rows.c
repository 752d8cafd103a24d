// Rows that act in every step, each an interval with constant bounds, by the map that the runtime keeps in s
// (runtime/whole_rows.c has the equations and what the judge asks for):
//
//   lambda = L q + l0,   u = M lambda + q,   z1 = z_free + X lambda
//
// Where a row is not as the map says, or an unknown may be at rest, the step is for nsm_whole_rows.
#include <float.h>
#include <math.h>
#include "linear.h"

enum { MOST = 8 };

bool linear_rows_fit(const Linear *l) {
  const Written *w = l->p->w;
  if (!l->always || l->ncontact || w->nrow > MOST) return false;
  for (int i = 0; i < w->n; i++) {
    const PlanClass *pc = w->at[i].pc;
    if (w->at[i].row >= 0 && (pc->c->kind != CLASS_RELATION ||
        pc->kernel[KERNEL_LAW].stage > STAGE_CONST)) return false;
  }
  return true;
}

void linear_rows_open(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow;
  linear_load(l, &l->M, "m");
  linear_load(l, &l->X, "x");
  l->l = ARENA_ARRAY(p->arena, KValue, n + 1);
  l->l0_value = ARENA_ARRAY(p->arena, KValue, n + 1);
  l->basic = ARENA_ARRAY(p->arena, KValue, n + 1);
  l->L_value = ARENA_ARRAY(p->arena, KValue, n * n + 1);
  for (int i = 0; i < n; i++) l->l[i] = k_variable(b, step_name(p, "l", i), k_at_number(b, p->s, l->l_at + i));
  for (int i = 0; i < n; i++) l->l0_value[i] = k_variable(b, step_name(p, "lo", i), k_at_number(b, p->s, l->l0 + i));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      l->L_value[i + j * n] = ex_is_num(p->w->pool, l->y[j], 0) ? K_NONE
          : k_variable(b, arena_printf(p->arena, "L%d_%d", i, j), k_at_number(b, p->s, l->L + i + j * n));
  for (int i = 0; i < n; i++)
    l->basic[i] = k_variable(b, step_name(p, "basic", i), k_at_number(b, p->s, l->L + n * n + i));
  l->worst_value = k_variable(b, "worst", k_at_number(b, p->s, l->worst));
}

// What the runtime has put into s.
void linear_rows_load(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow;
  for (int i = 0; i < n; i++) k_set(b, l->l[i], k_at_number(b, p->s, l->l_at + i));
  for (int i = 0; i < n; i++) k_set(b, l->l0_value[i], k_at_number(b, p->s, l->l0 + i));
  for (int i = 0; i < n * n; i++)
    if (l->L_value[i] != K_NONE) k_set(b, l->L_value[i], k_at_number(b, p->s, l->L + i));
  for (int i = 0; i < n; i++) k_set(b, l->basic[i], k_at_number(b, p->s, l->L + n * n + i));
  k_set(b, l->worst_value, k_at_number(b, p->s, l->worst));
}

static KValue less(Step *p, KValue x, KValue y) { return k_op2(p->b, OP_LE, x, y); }

// (2) of whole_rows.c for an interval; free ends are left out.
static KValue holds(Linear *l, int i, KValue small, KValue lambda, KValue u) {
  Step *p = l->p;
  KBuilder *b = p->b;
  double lo = ex_operator(p->w->pool, l->lo[i]) == OP_NUM ? ex_value(p->w->pool, l->lo[i]) : 0,
         hi = ex_operator(p->w->pool, l->hi[i]) == OP_NUM ? ex_value(p->w->pool, l->hi[i]) : 0;
  KValue zero = k_number(b, 0), within = K_NONE, at = K_NONE, low, high;
  step_values(p, &l->lo[i], 1, &low);
  step_values(p, &l->hi[i], 1, &high);
  if (lo > -INFINITY) {
    within = less(p, low, lambda);
    at = k_op2(b, OP_AND, k_op2(b, OP_LT, zero, u), k_op2(b, OP_EQ, lambda, low));
  }
  if (hi < INFINITY) {
    within = step_both(p, within, less(p, lambda, high));
    at = step_either(p, at, k_op2(b, OP_AND, k_op2(b, OP_LT, u, zero), k_op2(b, OP_EQ, lambda, high)));
  }
  return step_either(p, step_both(p, small, within), at);
}

// Row i of a matrix times the forces: its entries that are not 0, each product by name; adds to *sum, and |product| to
// *size. K_NONE in either: nothing yet.
static void add_products(Linear *l, const KValue *row, const KValue *lambda, char matrix, int i, KValue *sum,
                         KValue *size) {
  Step *p = l->p;
  for (int j = 0; j < p->w->nrow; j++) {
    if (row[j] == K_NONE) continue;
    KValue t = k_name(p->b, k_op2(p->b, OP_TIMES, row[j], lambda[j]), arena_printf(p->arena, "%c%d_%d", matrix, i, j),
                      NULL);
    *sum = step_add(p, *sum, t);
    *size = step_add(p, *size, step_abs(p, t));
  }
}

KValue linear_rows_act(Linear *l, const KValue *q, const KValue *z, KValue *z1, KValue *lambda,
                       KValue *change) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow, nz = p->w->nz;
  KValue good = K_NONE;
  for (int i = 0; i < n; i++) {                              // a row at its bound does not wait for q
    KValue v = k_variable(b, step_name(p, "act", i), k_get(b, l->l0_value[i])), sum = k_get(b, l->l0_value[i]);
    for (int j = 0; j < n; j++)
      if (l->L_value[i + j * n] != K_NONE)
        sum = step_add(p, sum, k_op2(b, OP_TIMES, k_get(b, l->L_value[i + j * n]), q[j]));
    k_if(b, k_op1(b, OP_NOT, k_op2(b, OP_EQ, k_get(b, l->basic[i]), k_number(b, 0))));
    k_set(b, v, sum);
    k_close(b);
    lambda[i] = k_name(b, k_get(b, v), step_name(p, "force", i), NULL);
  }
  for (int i = 0; i < n; i++) {
    bool none = ex_is_num(p->w->pool, l->y[i], 0);
    KValue u = none ? K_NONE : q[i], U = none ? K_NONE : step_abs(p, q[i]);
    add_products(l, &l->M.at[i * n], lambda, 'm', i, &u, &U);
    if (u == K_NONE) u = U = k_number(b, 0);
    u = k_name(b, u, step_name(p, "u", i), NULL);
    U = k_name(b, U, step_name(p, "size", i), NULL);
    KValue v = k_name(b, step_abs(p, u), step_name(p, "off", i), NULL);
    KValue small = less(p, v, k_op2(b, OP_TIMES, k_number(b, 8 * DBL_EPSILON), U));
    good = step_both(p, good, holds(l, i, small, lambda[i], u));
    // the largest |u|/U of basic rows
    KValue least = k_op2(b, OP_TIMES, k_get(b, l->worst_value), U);
    k_if(b, k_op2(b, OP_AND, k_op2(b, OP_LT, least, v), small));
    k_set(b, l->worst_value, k_op2(b, OP_OVER, v, U));
    k_close(b);
  }
  for (int i = 0; i < nz; i++) {
    KValue size = K_NONE, sum = K_NONE;
    add_products(l, &l->X.at[i * n], lambda, 'x', i, &sum, &size);
    change[i] = K_NONE;
    if (size == K_NONE) continue;
    change[i] = k_name(b, sum, step_name(p, "change", i), NULL);
    size = k_op2(b, OP_PLUS, size, k_op2(b, OP_PLUS, step_abs(p, z[i]), step_abs(p, z1[i])));
    z1[i] = k_name(b, k_op2(b, OP_PLUS, z1[i], change[i]), step_name(p, "zc", i), NULL);
    good = step_both(p, good, k_op2(b, OP_LT, k_op2(b, OP_TIMES, k_number(b, 16 * DBL_EPSILON), size),
                                    step_abs(p, z1[i])));
  }
  return good;
}

void linear_rows_close(Linear *l) {
  Step *p = l->p;
  for (int i = 0; i < p->w->nrow; i++)
    k_store(p->b, p->s, k_integer(p->b, l->l_at + i), k_get(p->b, l->l[i]));
  k_store(p->b, p->s, k_integer(p->b, l->worst), k_get(p->b, l->worst_value));
}
