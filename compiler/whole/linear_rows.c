// Rows that act in every step, each an interval with constant bounds, by what the runtime makes of the map at hand
// (runtime/schemes/whole_affine.c): with v = (q, z, tau, y at rest, 1) of the begin,
//
//   z1 = z + D v,   q1 = q + D_q v,   w = W v,   from <= w <= to
//
// w is the force of a basic row, within its bounds, and the rate or output u of a row that a bound holds, on its side.
// That u of basic rows is 0 the runtime has found for all v. Where a row is not as the map says, the step is for
// nsm_whole_rows. Where events are located, a force is within its bounds to the end of the step too (linear_lasts), and
// u of a row that a bound holds is on its side throughout (linear_goes_on).
//
// s from `kept` on: W, D of q, D of z; from, to; is a row basic; else its force; is there a map; its residual; where
// events are located of each row the multiplier of the step before the last one; w of the last one; |u| of the one
// before, 0 where the row is basic
#include <math.h>
#include "linear.h"

enum { MOST = 16 };

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

// ---- patterns -------------------------------------------------------------------------------------------------------
// Columns of v.
static int width_of(const Linear *l) { return l->width + l->p->w->nrow; }
static int of_rest(const Linear *l, int row) { return l->width - 1 + row; }
static int of_one(const Linear *l) { return width_of(l) - 1; }

static bool depends(const Linear *l, int row, RoleKind kind, int index) {
  Written *w = l->p->w;
  return !ex_is_num(w->pool, ex_diff(w->pool, l->y[row], written_symbol(w, kind, AT_END, index)), 0);
}

// What dz of unknown j reads.
static void of_change(const Linear *l, int j, bool *to) {
  for (int c = 0; c < l->width; c++)
    if (l->A.at[j * l->width + c] != K_NONE) to[c == l->width - 1 ? of_one(l) : c] = true;
}

// What y of the free motion reads.
static void of_output(const Linear *l, int row, bool *to) {
  int nq = l->p->w->nq;
  for (int j = 0; j < l->p->w->nz; j++) {
    bool by_q = j < nq && depends(l, row, ROLE_Q, j),
         by_z = j < nq ? depends(l, row, ROLE_V, j) : depends(l, row, ROLE_X, j - nq);
    if (by_q) to[j] = true;
    if (by_q || by_z) to[nq + j] = true;
    if (by_q || by_z) of_change(l, j, to);
  }
  if (!ex_is_num(l->p->w->pool, l->at_rest[row], 0)) to[of_rest(l, row)] = true;
}

static bool is_number(const Linear *l, Ex e, double x) { return ex_is_num(l->p->w->pool, e, x); }

// A force that a bound gives is 0 for complementarity; else the column of 1 has it.
static bool has_bound(const Linear *l, int row) {
  const Ex bound[] = { l->lo[row], l->hi[row] };
  for (int k = 0; k < 2; k++) {
    bool number = ex_operator(l->p->w->pool, bound[k]) == OP_NUM;
    if (!number || (ex_value(l->p->w->pool, bound[k]) != 0 && isfinite(ex_value(l->p->w->pool, bound[k])))) return true;
  }
  return false;
}

// Rows that M couples read what any of them reads: W. D reads A, and the forces that act on the unknown.
static void patterns(const Linear *l, bool *W, bool *D, bool *Dq) {
  const Written *w = l->p->w;
  int n = w->nrow, V = width_of(l), nq = w->nq;
  int *with = ARENA_ARRAY(w->arena, int, n + 1);
  for (int i = 0; i < n; i++) with[i] = i;
  for (int e = 0; e < n * n; e++) {
    int a = with[e / n], b = with[e % n];
    if (l->M.at[e] != K_NONE) for (int i = 0; i < n; i++) if (with[i] == b) with[i] = a;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (with[i] != with[j]) continue;
      of_output(l, j, W + i * V);
      if (has_bound(l, j)) W[i * V + of_one(l)] = true;
    }
  for (int z = 0; z < w->nz; z++) {
    of_change(l, z, D + z * V);
    for (int j = 0; j < n; j++)
      for (int c = 0; l->X.at[z * n + j] != K_NONE && c < V; c++) D[z * V + c] |= W[j * V + c];
    for (int j = 0; j < n; j++) if (l->X.at[z * n + j] != K_NONE) D[z * V + nq + z] = true;      // it may come to rest
    for (int c = 0; z < nq && c < V; c++) Dq[z * V + c] = D[z * V + c] || c == nq + z;
  }
}

// ---- the map --------------------------------------------------------------------------------------------------------


static Block *block(Linear *l, int which) { return &l->affine[which]; }
enum { OF_ROWS, OF_Q, OF_Z };

// Columns that do not change in a run: y at rest of rows without time, and 1.
static bool is_constant(const Linear *l, int c) {
  if (c == of_one(l)) return true;
  return c >= l->width - 1 && !linear_timed(l->p->w, l->at_rest[c - l->width + 1]);
}

// Of every row of a block what its constant columns come to.
static void fold(Linear *l, bool open) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int V = width_of(l);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < block(l, k)->rows; i++) {
      KValue sum = K_NONE, *to = &l->fixed[k][i];
      for (int c = l->width - 1; c < V; c++) {
        int e = i * V + c, at = block(l, k)->place + e;
        if (!l->read[k][e] || !is_constant(l, c)) continue;
        KValue x = k_at_number(b, p->s, at);
        sum = step_add(p, sum, c == of_one(l) ? x : k_op2(b, OP_TIMES, x, l->rest_value[c - l->width + 1]));
      }
      if (sum == K_NONE) continue;
      if (open) *to = k_variable(b, arena_printf(p->arena, "%s%d_c", block(l, k)->name, i), sum);
      else k_set(b, *to, sum);
    }
}

static void each(Linear *l, bool open) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int V = width_of(l), n = p->w->nrow;
  for (int k = 0; k < 3; k++)
    for (int e = 0; e < block(l, k)->rows * V; e++) {
      if (!l->read[k][e] || is_constant(l, e % V)) continue;
      KValue x = k_at_number(b, p->s, block(l, k)->place + e);
      const char *name = arena_printf(p->arena, "%s%d_%d", block(l, k)->name, e / V, e % V);
      if (open) block(l, k)->at[e] = k_variable(b, name, x);
      else k_set(b, block(l, k)->at[e], x);
    }
  fold(l, open);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < n; i++) {
      if (l->bound[k][i] == K_NONE) continue;
      KValue x = k_at_number(b, p->s, l->bounds_at + k * n + i);
      if (open) l->bound[k][i] = k_variable(b, step_name(p, k ? "to" : "from", i), x);
      else k_set(b, l->bound[k][i], x);
    }
  KValue there = k_at_number(b, p->s, l->bounds_at + 4 * n);
  if (open) l->there = k_variable(b, "there", there);
  else k_set(b, l->there, there);
}

// Bounds that are looked at: a number 0 of complementarity, or what the map says; none where both ends are free.
static void bounds(Linear *l) {
  const Pool *pool = l->p->w->pool;
  int n = l->p->w->nrow;
  for (int k = 0; k < 2; k++) l->bound[k] = ARENA_ARRAY(l->p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) {
    bool lo = ex_operator(pool, l->lo[i]) == OP_NUM, hi = ex_operator(pool, l->hi[i]) == OP_NUM;
    bool up = hi && ex_value(pool, l->hi[i]) == INFINITY, down = lo && ex_value(pool, l->lo[i]) == -INFINITY;
    l->looked[i] = up && down ? NEVER : up && is_number(l, l->lo[i], 0) ? ABOVE_0 : WITHIN;
    for (int k = 0; k < 2; k++) l->bound[k][i] = l->looked[i] == WITHIN ? l->there : K_NONE;   // any but K_NONE
  }
}

static void rests(Linear *l) {
  Step *p = l->p;
  int n = p->w->nrow;
  l->rest_value = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) {
    l->rest_value[i] = K_NONE;
    if (linear_timed(p->w, l->at_rest[i])) continue;
    step_values(p, &l->at_rest[i], 1, &l->rest_value[i]);
    if (k_node(p->b, l->rest_value[i])->code != KN_NUMBER && !k_node(p->b, l->rest_value[i])->name)
      k_name(p->b, l->rest_value[i], step_name(p, "rest", i), NULL);
  }
}

// Where events are located. No row changes how it acts in the code, and the runtime makes no step of it.
static void before_open(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow;
  KValue **all[] = { &l->before_l, &l->before_w, &l->basic };
  for (int k = 0; k < 3; k++) *all[k] = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) {
    l->before_l[i] = k_variable(b, step_name(p, "lb", i), k_get(b, l->l[i]));
    l->before_w[i] = k_variable(b, step_name(p, "wb", i), k_get(b, l->watched[i]));
    l->basic[i] = k_name(b, k_at_number(b, p->s, l->bounds_at + 2 * n + i), step_name(p, "basic", i), NULL);
  }
}

KValue linear_lasts(const Linear *l, KValue now, KValue before) {
  KBuilder *b = l->p->b;
  return k_op2(b, OP_LT, before, k_op2(b, OP_TIMES, k_number(b, 3), now));
}

KValue linear_goes_on(const Linear *l, KValue now, KValue before) {
  KBuilder *b = l->p->b;
  return k_op2(b, OP_LE, before, k_op2(b, OP_TIMES, k_number(b, 2), now));
}

// What s has behind the map, where events are located.
static int past_at(const Linear *l) { return l->bounds_at + 4 * l->p->w->nrow + 2; }

void linear_rows_open(Linear *l) {
  Step *p = l->p;
  Arena *a = p->arena;
  int n = p->w->nrow, nq = p->w->nq, nz = p->w->nz, V = width_of(l), rows[] = { n, nq, nz }, at = l->kept;
  static const char *const name[] = { "W", "Q", "D" };
  linear_load(l, &l->M, "m");
  linear_load(l, &l->X, "x");
  for (int k = 0; k < 3; k++) {
    l->read[k] = ARENA_ARRAY(a, bool, rows[k] * V + 1);
    l->fixed[k] = ARENA_ARRAY(a, KValue, rows[k] + 1);
    l->affine[k] = (Block){ ARENA_ARRAY(a, KValue, rows[k] * V + 1), rows[k], at, name[k] };
    for (int e = 0; e < rows[k] * V; e++) block(l, k)->at[e] = K_NONE;
    for (int i = 0; i < rows[k]; i++) l->fixed[k][i] = K_NONE;
    at += rows[k] * V;
  }
  l->bounds_at = at;
  patterns(l, l->read[OF_ROWS], l->read[OF_Z], l->read[OF_Q]);
  rests(l);
  l->looked = ARENA_ARRAY(a, int, n + 1);
  bounds(l);
  each(l, true);
  l->l = step_variables(p, "l", n, l->l_at);
  l->watched = ARENA_ARRAY(a, KValue, n + 1);
  for (int i = 0; i < n; i++) {
    KValue begin = p->w->located ? k_at_number(p->b, p->s, past_at(l) + n + i) : k_number(p->b, 0);
    l->watched[i] = k_variable(p->b, step_name(p, "w", i), begin);
  }
  if (p->w->located) before_open(l);
}

// What the runtime has put into s.
void linear_rows_load(Linear *l) {
  KBuilder *b = l->p->b;
  for (int i = 0; i < l->p->w->nrow; i++) k_set(b, l->l[i], k_at_number(b, l->p->s, l->l_at + i));
  each(l, false);
}

// ---- a step ---------------------------------------------------------------------------------------------------------
// v of the step: what changes.
static void begin_of(const Linear *l, const KValue *tau, KValue *v) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int nq = p->w->nq, nz = p->w->nz, V = width_of(l);
  for (int c = 0; c < V; c++)
    v[c] = c < nq ? k_get(b, l->qv[c]) : c < nq + nz ? k_get(b, l->zv[c - nq])
         : c < l->width - 1 ? tau[c - nq - nz] : K_NONE;
  for (int i = 0; i < p->w->nrow; i++) {
    if (!linear_timed(p->w, l->at_rest[i])) continue;
    step_values(p, &l->at_rest[i], 1, &v[of_rest(l, i)]);
    k_name(b, v[of_rest(l, i)], step_name(p, "rest", i), NULL);
  }
}

// Row i of a block times v, of the columns from .. to - 1.
static KValue product(const Linear *l, int which, int i, const KValue *v, int from, int to) {
  KBuilder *b = l->p->b;
  int V = width_of(l);
  KValue sum = K_NONE;
  for (int c = from; c < to; c++)
    if (l->affine[which].at[i * V + c] != K_NONE)
      sum = step_add(l->p, sum, k_op2(b, OP_TIMES, k_get(b, l->affine[which].at[i * V + c]), v[c]));
  return sum;
}

static KValue with_fixed(const Linear *l, int which, int i, KValue sum) {
  return l->fixed[which][i] == K_NONE ? sum : step_add(l->p, sum, k_get(l->p->b, l->fixed[which][i]));
}

// The bound `which`, 0 below, 1 above; K_NONE: none is looked at.
static KValue bound(const Linear *l, int i, int which) {
  const Pool *pool = l->p->w->pool;
  Ex of = which ? l->hi[i] : l->lo[i];
  if (ex_operator(pool, of) == OP_NUM && !isfinite(ex_value(pool, of))) return K_NONE;
  if (l->looked[i] == WITHIN) return k_get(l->p->b, l->bound[which][i]);
  return l->looked[i] == ABOVE_0 && which == 0 ? k_number(l->p->b, 0) : K_NONE;
}

static KValue room(const Linear *l, KValue bound, KValue w, int which) {
  return which ? k_op2(l->p->b, OP_MINUS, bound, w) : step_sub(l->p, w, bound);
}

static KValue good(const Linear *l, int i, KValue w, KValue all) {
  Step *p = l->p;
  KBuilder *b = p->b;
  for (int which = 0; which < 2; which++) {
    KValue to = bound(l, i, which);
    if (to == K_NONE) continue;
    all = step_both(p, all, which ? k_op2(b, OP_LE, w, to) : k_op2(b, OP_LE, to, w));
    if (!p->w->located) continue;
    KValue now = k_name(b, room(l, to, w, which), step_name(p, which ? "under" : "over", i), NULL),
           before = room(l, to, k_get(b, l->watched[i]), which), basic = k_op2(b, OP_EQ, l->basic[i], k_number(b, 1));
    before = k_name(b, before, step_name(p, which ? "underb" : "overb", i), NULL);
    KValue lasts = step_both(p, basic, linear_lasts(l, now, before)),
           goes_on = step_both(p, k_op1(b, OP_NOT, basic), linear_goes_on(l, now, before));
    KValue either = step_either(p, lasts, goes_on);
    all = step_both(p, all, k_name(b, either, step_name(p, which ? "below" : "above", i), NULL));
  }
  return all;
}

KValue linear_rows_hold(Linear *l, const KValue *tau) {
  Step *p = l->p;
  KValue all = K_NONE;
  l->v = ARENA_ARRAY(p->arena, KValue, width_of(l) + 1);
  l->w = ARENA_ARRAY(p->arena, KValue, p->w->nrow + 1);
  begin_of(l, tau, l->v);
  for (int i = 0; i < p->w->nrow; i++) {
    KValue w = with_fixed(l, OF_ROWS, i, product(l, OF_ROWS, i, l->v, 0, width_of(l)));
    l->w[i] = k_name(p->b, w == K_NONE ? k_number(p->b, 0) : w, step_name(p, "row", i), NULL);
    all = good(l, i, l->w[i], all);
  }
  return all != K_NONE ? all : k_op2(p->b, OP_EQ, k_get(p->b, l->there), k_number(p->b, 1));
}

// (z + what time and the constant columns add) + what the state adds: the next step waits for the state alone.
void linear_rows_move(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int nq = p->w->nq, nz = p->w->nz, of_state = nq + nz;
  KValue *d = ARENA_ARRAY(p->arena, KValue, of_state + 1), *z = ARENA_ARRAY(p->arena, KValue, of_state + 1);
  for (int j = 0; j < of_state; j++) {
    int which = j < nq ? OF_Q : OF_Z, i = j < nq ? j : j - nq;
    KValue other = with_fixed(l, which, i, product(l, which, i, l->v, of_state, width_of(l)));
    z[j] = step_add(p, k_get(b, j < nq ? l->qv[j] : l->zv[i]), other);
    d[j] = product(l, which, i, l->v, 0, of_state);
    if (d[j] != K_NONE) k_name(b, d[j], step_name(p, j < nq ? "dq" : "dz", i), NULL);
  }
  for (int j = 0; j < of_state; j++) k_set(b, j < nq ? l->qv[j] : l->zv[j - nq], step_add(p, z[j], d[j]));
  for (int i = 0; i < p->w->nrow; i++) {
    if (p->w->located) k_set(b, l->before_w[i], k_get(b, l->watched[i]));
    k_set(b, l->watched[i], l->w[i]);
  }
}

// The force of a row by what is looked at: by the map, of a row that a bound holds that bound's.
static KValue force(const Linear *l, int i, KValue watched) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int n = p->w->nrow;
  if (l->looked[i] == NEVER) return k_get(b, watched);
  KValue basic = k_at_number(b, p->s, l->bounds_at + 2 * n + i), held = k_at_number(b, p->s, l->bounds_at + 3 * n + i);
  return k_choose(b, k_op2(b, OP_EQ, basic, k_number(b, 1)), k_get(b, watched), held);
}

void linear_rows_forces(Linear *l) {
  Step *p = l->p;
  for (int i = 0; i < p->w->nrow; i++) {
    k_set(p->b, l->l[i], force(l, i, l->watched[i]));
    if (p->w->located) k_set(p->b, l->before_l[i], force(l, i, l->before_w[i]));
  }
}

void linear_rows_close(Linear *l) {
  int n = l->p->w->nrow;
  step_store(l->p, l->l_at, n, l->l);
  if (!l->p->w->located) return;
  step_store(l->p, past_at(l), n, l->before_l);
  for (int i = 0; i < n; i++) {
    KBuilder *b = l->p->b;
    KValue basic = k_op2(b, OP_EQ, l->basic[i], k_number(b, 1)), size = step_abs(l->p, k_get(b, l->before_w[i]));
    k_store(b, l->p->s, k_integer(b, past_at(l) + 2 * n + i), k_choose(b, basic, k_number(b, 0), size));
  }
}
