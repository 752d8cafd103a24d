// Rows that act in every step, each an interval with constant bounds, by the map that the runtime keeps in s
// (runtime/schemes/whole_rows.c has the equations and what the verifier asks for):
//
//   lambda = L q + l0,   u = M lambda + q,   z1 = z_free + X lambda
//
// A row that its bound holds, lambda = lo (side 1) or hi (-1), asks for u on that side; the others have side 0.
// An unknown that is nothing but what rounding left becomes 0 (runtime/schemes/closed.c). Where a row is not as the map
// says, the step is for nsm_whole_rows.
#include <float.h>
#include <math.h>
#include "linear.h"

enum { MOST = 16 };
// An unknown z1 is at rest where |z1| <= 16 eps (|z_k| + |z_free| + sum_j |X_j lambda_j|). While it stays between
// |z|/`calm` and |z| `calm` of a step in which it moved, with the same sign, and the forces stay below what they were
// bounded by then, F = sum_j |X_j| max |lambda_j| <= `strong` |z|, the sum is at most 2 (F + calm |z|), and z1 moves:
// two comparisons say so, and that it is finite.
static const double calm = 1e4, strong = 1e9;

bool linear_rows_fit(const Linear *l) {
  const Written *w = l->p->w;
  if (!l->always || l->ncontact || w->nrow > MOST) return false;
  for (int i = 0; i < w->n; i++) {
    const PlanClass *pc = w->at[i].pc;
    if (w->at[i].row < 0 || linear_is_dry(pc->c)) continue;
    if (pc->c->kind != CLASS_RELATION || pc->kernel[KERNEL_LAW].stage > STAGE_CONST) return false;
  }
  return true;
}

// Is a force below 0 one that fits in no way?
static bool never_negative(const Linear *l, int row) {
  const Pool *pool = l->p->w->pool;
  return ex_operator(pool, l->lo[row]) == OP_NUM && ex_value(pool, l->lo[row]) >= 0;
}

// |m| of the columns of such rows, once.
static void sizes(Linear *l, Pattern2 *m, int rows, const char *name) {
  int n = l->p->w->nrow;
  m->size = ARENA_ARRAY(l->p->arena, KValue, rows * n + 1);
  for (int i = 0; i < rows * n; i++)
    if (m->at[i] != K_NONE && never_negative(l, i % n))
      m->size[i] = k_name(l->p->b, step_abs(l->p, m->at[i]), step_name(l->p, name, i), NULL);
}

// min(largest |u|/U so far, 8 eps)
static KValue least_of(const Linear *l) {
  KBuilder *b = l->p->b;
  KValue rounds = k_number(b, 8 * DBL_EPSILON), x = k_get(b, l->worst_value);
  return k_choose(b, k_op2(b, OP_LT, x, rounds), x, rounds);
}

static void set_least(const Linear *l) { k_set(l->p->b, l->least, least_of(l)); }

void linear_worst_open(Linear *l) {
  l->worst_value = k_variable(l->p->b, "worst", k_at_number(l->p->b, l->p->s, l->worst));
  l->least = k_variable(l->p->b, "least", least_of(l));
}

void linear_worst_load(Linear *l) {
  k_set(l->p->b, l->worst_value, k_at_number(l->p->b, l->p->s, l->worst));
  set_least(l);
}

// ---- unknowns that are not at rest ----
static bool is_bounded(const Linear *l, int row) {
  const Pool *pool = l->p->w->pool;
  return ex_operator(pool, l->lo[row]) == OP_NUM && isfinite(ex_value(pool, l->lo[row])) &&
         ex_operator(pool, l->hi[row]) == OP_NUM && isfinite(ex_value(pool, l->hi[row]));
}

// Of each unknown the interval (from, to), empty to begin with; of each force a bound: a number where the law has one.
static void calm_open(Linear *l) {
  Step *p = l->p;
  const Pool *pool = p->w->pool;
  KBuilder *b = p->b;
  int n = p->w->nrow, nz = p->w->nz;
  KValue **all[] = { &l->from, &l->to, &l->most };
  for (int k = 0; k < 3; k++) *all[k] = ARENA_ARRAY(p->arena, KValue, nz + n + 1);
  for (int i = 0; i < nz; i++) {
    bool acts = false;
    for (int j = 0; j < n; j++) acts |= l->X.at[i * n + j] != K_NONE;
    l->from[i] = acts ? k_variable(b, step_name(p, "from", i), k_number(b, 0)) : K_NONE;
    l->to[i] = acts ? k_variable(b, step_name(p, "to", i), k_number(b, 0)) : K_NONE;
  }
  for (int j = 0; j < n; j++) {
    double most = is_bounded(l, j) ? fmax(fabs(ex_value(pool, l->lo[j])), fabs(ex_value(pool, l->hi[j]))) : 0;
    l->most[j] = is_bounded(l, j) ? k_number(b, most) : k_variable(b, step_name(p, "strong", j), k_number(b, 0));
  }
}

static void calm_forget(Linear *l) {
  for (int i = 0; i < l->p->w->nz; i++) if (l->to[i] != K_NONE) k_set(l->p->b, l->to[i], k_get(l->p->b, l->from[i]));
}

static KValue most_of(const Linear *l, int j) { return is_bounded(l, j) ? l->most[j] : k_get(l->p->b, l->most[j]); }

static KValue size_of_force(const Linear *l, int j, KValue lambda) {
  return never_negative(l, j) ? lambda : step_abs(l->p, lambda);
}

static KValue stays_calm(Linear *l, const KValue *change, const KValue *z1, const KValue *lambda) {
  Step *p = l->p;
  KBuilder *b = p->b;
  KValue all = K_NONE;
  for (int i = 0; i < p->w->nz; i++) {
    if (change[i] == K_NONE) continue;
    all = step_both(p, all, k_op2(b, OP_LT, k_get(b, l->from[i]), z1[i]));
    all = step_both(p, all, k_op2(b, OP_LT, z1[i], k_get(b, l->to[i])));
  }
  for (int j = 0; j < p->w->nrow; j++)
    if (!is_bounded(l, j)) all = step_both(p, all, k_op2(b, OP_LE, size_of_force(l, j, lambda[j]), most_of(l, j)));
  return all;
}

static void set_calm(Linear *l, const KValue *change, const KValue *z1, const KValue *lambda) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow;
  for (int j = 0; j < n; j++) {
    if (is_bounded(l, j)) continue;
    KValue size = size_of_force(l, j, lambda[j]);
    k_if(b, k_op2(b, OP_LT, most_of(l, j), size));
    k_set(b, l->most[j], k_op2(b, OP_TIMES, k_number(b, 2), size));
    k_close(b);
  }
  for (int i = 0; i < p->w->nz; i++) {
    if (change[i] == K_NONE) continue;
    KValue F = K_NONE, below = k_op2(b, OP_LT, z1[i], k_number(b, 0)),
           near = k_op2(b, OP_TIMES, k_number(b, 1 / calm), z1[i]), far = k_op2(b, OP_TIMES, k_number(b, calm), z1[i]);
    for (int j = 0; j < n; j++)
      if (l->X.at[i * n + j] != K_NONE)
        F = step_add(p, F, k_op2(b, OP_TIMES, step_abs(p, l->X.at[i * n + j]), most_of(l, j)));
    k_set(b, l->from[i], k_choose(b, below, far, near));
    k_set(b, l->to[i], k_choose(b, k_op2(b, OP_LE, F, k_op2(b, OP_TIMES, k_number(b, strong), step_abs(p, z1[i]))),
                                k_choose(b, below, near, far), k_get(b, l->from[i])));
  }
}

// What s has behind the map, where events are located.
static int past_at(const Linear *l) { return l->L + l->p->w->nrow * (l->p->w->nrow + 1); }

static void past_open(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow;
  KValue **all[] = { &l->before_l, &l->speed, &l->before_speed, &l->u };
  for (int k = 0; k < 4; k++) *all[k] = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) {
    l->before_l[i] = k_variable(b, step_name(p, "lb", i), k_get(b, l->l[i]));
    l->speed[i] = k_variable(b, step_name(p, "speed", i), k_at_number(b, p->s, past_at(l) + n + i));
    l->before_speed[i] = k_variable(b, step_name(p, "speedb", i), k_get(b, l->speed[i]));
  }
}

static void past_close(Linear *l) {
  KBuilder *b = l->p->b;
  const KValue *of[] = { l->before_l, l->speed, l->before_speed };
  int n = l->p->w->nrow;
  for (int i = 0; i < 3 * n; i++)
    k_store(b, l->p->s, k_integer(b, past_at(l) + i), k_get(b, of[i / n][i % n]));
}

void linear_rows_open(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow;
  linear_load(l, &l->M, "m");
  linear_load(l, &l->X, "x");
  sizes(l, &l->M, n, "am");
  sizes(l, &l->X, p->w->nz, "ax");
  l->l = ARENA_ARRAY(p->arena, KValue, n + 1);
  l->l0_value = ARENA_ARRAY(p->arena, KValue, n + 1);
  l->side = ARENA_ARRAY(p->arena, KValue, n + 1);
  l->L_value = ARENA_ARRAY(p->arena, KValue, n * n + 1);
  for (int i = 0; i < n; i++) l->l[i] = k_variable(b, step_name(p, "l", i), k_at_number(b, p->s, l->l_at + i));
  if (p->w->located) past_open(l);
  for (int i = 0; i < n; i++) l->l0_value[i] = k_variable(b, step_name(p, "lo", i), k_at_number(b, p->s, l->l0 + i));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      l->L_value[i + j * n] = ex_is_num(p->w->pool, l->y[j], 0) ? K_NONE
          : k_variable(b, arena_printf(p->arena, "L%d_%d", i, j), k_at_number(b, p->s, l->L + i + j * n));
  for (int i = 0; i < n; i++)
    l->side[i] = k_variable(b, step_name(p, "side", i), k_at_number(b, p->s, l->L + n * n + i));
  for (int k = 0; k < 2; k++) {
    l->bound[k] = ARENA_ARRAY(p->arena, KValue, n + 1);
    step_values(p, k ? l->hi : l->lo, n, l->bound[k]);
    for (int i = 0; i < n; i++)
      if (k_node(b, l->bound[k][i])->code == KN_OP && !k_node(b, l->bound[k][i])->name)
        k_name(b, l->bound[k][i], step_name(p, k ? "most" : "least", i), NULL);
  }
  linear_worst_open(l);
  calm_open(l);
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
  for (int i = 0; i < n; i++) k_set(b, l->side[i], k_at_number(b, p->s, l->L + n * n + i));
  linear_worst_load(l);
  calm_forget(l);
}

static KValue less(Step *p, KValue x, KValue y) { return k_op2(p->b, OP_LE, x, y); }

KValue linear_lasts(const Linear *l, KValue now, KValue before) {
  KBuilder *b = l->p->b;
  return k_op2(b, OP_LT, before, k_op2(b, OP_TIMES, k_number(b, 3), now));
}

KValue linear_goes_on(const Linear *l, KValue now, KValue before) {
  KBuilder *b = l->p->b;
  return k_op2(b, OP_LE, before, k_op2(b, OP_TIMES, k_number(b, 2), now));
}

// Is a force within its bounds, which: 0, 1? Of the multiplier before, where events are located.
static KValue within_bound(Linear *l, int i, KValue lambda, int which) {
  Step *p = l->p;
  KBuilder *b = p->b;
  KValue bound = l->bound[which][i], before = k_get(b, l->l[i]);
  KValue in = which ? less(p, lambda, bound) : less(p, bound, lambda);
  if (!p->w->located) return in;
  KValue room = which ? k_op2(b, OP_MINUS, bound, lambda) : k_op2(b, OP_MINUS, lambda, bound);
  before = which ? k_op2(b, OP_MINUS, bound, before) : k_op2(b, OP_MINUS, before, bound);
  return step_both(p, in, linear_lasts(l, room, before));
}

// K_NONE where both ends are free.
static KValue within_bounds(Linear *l, int i, KValue lambda) {
  Step *p = l->p;
  const Pool *pool = p->w->pool;
  KValue in = K_NONE;
  if (ex_operator(pool, l->lo[i]) != OP_NUM || ex_value(pool, l->lo[i]) > -INFINITY) in = within_bound(l, i, lambda, 0);
  if (ex_operator(pool, l->hi[i]) != OP_NUM || ex_value(pool, l->hi[i]) < INFINITY)
    in = step_both(p, in, within_bound(l, i, lambda, 1));
  return in;
}

// Row i of a matrix times the forces: its entries that are not 0. Adds to *sum (K_NONE: nothing yet) and keeps what
// add_sizes needs of each product.
static void add_products(Linear *l, const Pattern2 *m, const KValue *lambda, char matrix, int i, KValue *product,
                         KValue *sum) {
  Step *p = l->p;
  int n = p->w->nrow;
  for (int j = 0; j < n; j++) {
    KValue entry = m->at[i * n + j];
    product[j] = K_NONE;
    if (entry == K_NONE) continue;
    product[j] = k_op2(p->b, OP_TIMES, entry, lambda[j]);
    if (!never_negative(l, j)) k_name(p->b, product[j], arena_printf(p->arena, "%c%d_%d", matrix, i, j), NULL);
    *sum = step_add(p, *sum, product[j]);
  }
}

// |m lambda|, and |m| lambda where a force below 0 fits in no way: the same number, and |m| is known.
static void add_sizes(Linear *l, const Pattern2 *m, const KValue *lambda, int i, const KValue *product, KValue *size) {
  int n = l->p->w->nrow;
  for (int j = 0; j < n; j++)
    if (product[j] != K_NONE)
      *size = step_add(l->p, *size, never_negative(l, j) ? k_op2(l->p->b, OP_TIMES, m->size[i * n + j], lambda[j])
                                                         : step_abs(l->p, product[j]));
}

KValue linear_stopped(const Linear *l, KValue q0, KValue z0) {
  KValue begin = l->m.spot[END].begin.v;
  return begin == K_NONE ? q0 : k_op2(l->p->b, OP_PLUS, q0, k_op2(l->p->b, OP_TIMES, begin, z0));
}

// Row i, where no bound holds it: |u| <= 8 eps U and a force within its bounds, else `fits` becomes 0. The largest
// |u|/U is kept, and least = min(that, 8 eps), below which nothing is left to do.
void linear_verify(Linear *l, int i, KValue u, KValue U, KValue within, KValue fits) {
  Step *p = l->p;
  KBuilder *b = p->b;
  KValue rounds = k_number(b, 8 * DBL_EPSILON), never = k_integer(b, 0);
  KValue off = k_name(b, step_abs(p, u), step_name(p, "off", i), NULL);
  U = k_name(b, U, step_name(p, "size", i), NULL);
  k_if(b, k_op1(b, OP_NOT, less(p, off, k_op2(b, OP_TIMES, k_get(b, l->least), U))));
  k_if(b, k_op1(b, OP_NOT, less(p, off, k_op2(b, OP_TIMES, rounds, U))));
  k_set(b, fits, never);
  k_else(b);
  k_if(b, k_op2(b, OP_LT, k_op2(b, OP_TIMES, k_get(b, l->worst_value), U), off));
  k_set(b, l->worst_value, k_op2(b, OP_OVER, off, U));
  set_least(l);
  k_close(b);
  k_close(b);
  k_close(b);
  if (within == K_NONE) return;
  k_if(b, k_op1(b, OP_NOT, within));
  k_set(b, fits, never);
  k_close(b);
}

// The unknowns at the end, which are variables where forces act on them.
static KValue *values(const Linear *l, const KValue *change, const KValue *variable) {
  KValue *v = ARENA_ARRAY(l->p->arena, KValue, l->p->w->nz + 1);
  for (int i = 0; i < l->p->w->nz; i++) if (change[i] != K_NONE) v[i] = k_get(l->p->b, variable[i]);
  return v;
}

// The forces: of a row at its bound that, of the others by q.
static void take_forces(Linear *l, const KValue *q, KValue *lambda) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow;
  for (int i = 0; i < n; i++) {                              // a row at its bound does not wait for q
    KValue v = k_variable(b, step_name(p, "force", i), k_get(b, l->l0_value[i])), sum = k_get(b, l->l0_value[i]);
    for (int j = 0; j < n; j++)
      if (l->L_value[i + j * n] != K_NONE)
        sum = step_add(p, sum, k_op2(b, OP_TIMES, k_get(b, l->L_value[i + j * n]), q[j]));
    k_if(b, k_op2(b, OP_EQ, k_get(b, l->side[i]), k_number(b, 0)));
    k_set(b, v, sum);
    k_close(b);
    lambda[i] = k_get(b, v);
  }
}

// Do the rows hold with these forces? A variable.
static KValue verify_rows(Linear *l, const KValue *q, const KValue *lambda) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow;
  KValue fits = k_variable(b, "fits", k_integer(b, 1)), *product = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) {
    bool none = ex_is_num(p->w->pool, l->y[i], 0);
    KValue u = none ? K_NONE : q[i], U = none ? K_NONE : step_abs(p, q[i]);
    add_products(l, &l->M, lambda, 'm', i, product, &u);
    u = k_name(b, u == K_NONE ? k_number(b, 0) : u, step_name(p, "u", i), NULL);
    k_if(b, k_op1(b, OP_NOT, k_op2(b, OP_LT, k_number(b, 0), k_op2(b, OP_TIMES, k_get(b, l->side[i]), u))));
    add_sizes(l, &l->M, lambda, i, product, &U);
    linear_verify(l, i, u, U == K_NONE ? k_number(b, 0) : U, within_bounds(l, i, lambda[i]), fits);
    if (p->w->located) {
      l->u[i] = u;
      k_else(b);
      k_if(b, k_op1(b, OP_NOT, linear_goes_on(l, k_op2(b, OP_TIMES, k_get(b, l->side[i]), u), k_get(b, l->speed[i]))));
      k_set(b, fits, k_integer(b, 0));
      k_close(b);
    }
    k_close(b);
  }
  return fits;
}

// The end that the forces lead to. part: [nz] the products that a change is the sum of. Does any force act?
static bool move_end(Linear *l, const KValue *lambda, const LinearEnd *end, const KValue *free, KValue **part) {
  Step *p = l->p;
  KBuilder *b = p->b;
  bool acts = false;
  for (int i = 0; i < p->w->nz; i++) {
    KValue d = K_NONE;
    end->change[i] = K_NONE;
    part[i] = ARENA_ARRAY(p->arena, KValue, p->w->nrow + 1);
    add_products(l, &l->X, lambda, 'x', i, part[i], &d);
    if (d == K_NONE) continue;
    acts = true;
    end->change[i] = i < p->w->nq ? k_name(b, d, step_name(p, "change", i), NULL) : d;
    end->z[i] = k_variable(b, step_name(p, "zc", i), k_op2(b, OP_PLUS, free[i], end->change[i]));
    if (i < p->w->nq)
      end->q[i] = k_variable(b, step_name(p, "qc", i),
                             k_op2(b, OP_PLUS, end->q[i], k_op2(b, OP_TIMES, l->m.spot[END].end.v, end->change[i])));
  }
  return acts;
}

// A velocity that is round-off of the forces that stopped it is 0.
static void stop_at_end(Linear *l, const KValue *lambda, const LinearEnd *end, const KValue *free, KValue **part) {
  Step *p = l->p;
  KBuilder *b = p->b;
  for (int i = 0; i < p->w->nz; i++) {
    if (end->change[i] == K_NONE) continue;
    KValue force = K_NONE;
    add_sizes(l, &l->X, lambda, i, part[i], &force);
    force = k_name(b, force, step_name(p, "terms", i), NULL);
    KValue size = k_op2(b, OP_PLUS, force, k_op2(b, OP_PLUS, step_abs(p, end->z0[i]), step_abs(p, free[i])));
    k_if(b, k_op2(b, OP_AND, k_op2(b, OP_LT, k_number(b, 0), force),
                  k_op2(b, OP_LE, step_abs(p, k_get(b, end->z[i])),
                        k_op2(b, OP_TIMES, k_number(b, 16 * DBL_EPSILON), size))));
    k_set(b, end->z[i], k_number(b, 0));
    if (i < p->w->nq)
      k_set(b, end->q[i], linear_stopped(l, end->q0[i], end->z0[i]));
    k_close(b);
  }
}

KValue linear_rows_act(Linear *l, const KValue *q, KValue *lambda, const LinearEnd *end) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow, nz = p->w->nz;
  take_forces(l, q, lambda);
  KValue fits = verify_rows(l, q, lambda);
  KValue sum = K_NONE, **part = ARENA_ARRAY(p->arena, KValue *, nz + 1), *free = ARENA_ARRAY(p->arena, KValue, nz + 1);
  for (int i = 0; i < nz; i++) free[i] = end->z[i];
  bool acts = move_end(l, lambda, end, free, part);
  KValue good = k_op2(b, OP_EQ, k_get(b, fits), k_integer(b, 1));
  if (!acts) return good;
  KValue *z1 = values(l, end->change, end->z);
  k_if(b, k_op1(b, OP_NOT, stays_calm(l, end->change, z1, lambda)));
  for (int j = 0; j < n; j++) sum = step_add(p, sum, lambda[j]);
  for (int i = 0; i < nz; i++) if (end->change[i] != K_NONE) sum = step_add(p, sum, k_get(b, end->z[i]));
  sum = k_name(b, sum, "sums", NULL);
  k_if(b, k_op2(b, OP_AND, good, k_op2(b, OP_EQ, k_op2(b, OP_MINUS, sum, sum), k_number(b, 0))));
  stop_at_end(l, lambda, end, free, part);
  set_calm(l, end->change, values(l, end->change, end->z), lambda);
  k_else(b);
  k_set(b, fits, k_integer(b, 0));
  k_close(b);
  k_close(b);
  return k_op2(b, OP_EQ, k_get(b, fits), k_integer(b, 1));
}

void linear_rows_set(Linear *l, const KValue *lambda) {
  KBuilder *b = l->p->b;
  for (int i = 0; i < l->p->w->nrow; i++) {
    if (l->p->w->located) {
      k_set(b, l->before_l[i], k_get(b, l->l[i]));
      k_set(b, l->before_speed[i], k_get(b, l->speed[i]));
      k_set(b, l->speed[i], step_abs(l->p, l->u[i]));
    }
    k_set(b, l->l[i], lambda[i]);
  }
}

void linear_rows_close(Linear *l) {
  Step *p = l->p;
  for (int i = 0; i < p->w->nrow; i++)
    k_store(p->b, p->s, k_integer(p->b, l->l_at + i), k_get(p->b, l->l[i]));
  if (p->w->located) past_close(l);
  k_store(p->b, p->s, k_integer(p->b, l->worst), k_get(p->b, l->worst_value));
}
