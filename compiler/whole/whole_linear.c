// Moreau's scheme where every matrix is constant (runtime/schemes/step_linear.c). The runtime hands over A of
//
//   dz = A (q, z, tau, 1),   tau_i = h theta phi_i(t1) + h (1 - theta) phi_i(t),   phi_i(t) = f_i(t, 0, 0)
//
// made of W^-1, df/d(q, z) and f at rest: the rows i of f that time changes have their tau, evaluated here; the rest of
// f at rest is in the last column. The free motion is
//
//   z1 = z + dz,   q1 = q + h v + h theta dv
//
// and where no contact may be closed and no row always acts that is the step. Rows that always act, where they are few,
// act here (linear_rows.c). Else nsm_whole_rows finds the forces (runtime/schemes/whole_linear.c).
//
// s: q [nq], z [nz], q1 [nq], z1 [nz]; then for each row gap, rate, reach (what a = gap + (h/2) rate must exceed), y
// (its rate or output at the free motion without multipliers) and multiplier; the largest residual; the map: l0 [nrow],
// L [nrow, nrow] by columns, for each row which bound holds it (1, -1; 0: none); where contacts stay closed instead of
// l0, L what linear_contacts.c says
#include <math.h>
#include "linear.h"

static bool takes(const Written *w, bool here) {
  const Plan *p = w->plan;
  if (!p->constant_iteration_matrix || !p->constant_problem_matrix || !p->one_iteration) return false;
  for (int i = 0; i < p->ncls; i++) {
    const PlanClass *pc = &p->cls[i];
    if (pc->kernel[KERNEL_MASS].stage > STAGE_CONST || pc->kernel[KERNEL_H].stage > STAGE_CONST ||
        pc->kernel[KERNEL_LAW].stage > STAGE_TIME || pc->kernel[KERNEL_MU].stage > STAGE_CONST)
      return false;
    if (pc->c->kind >= CLASS_RELATION && pc->c->kind <= CLASS_FRICTION && !pc->c->affine) return false;
    if (pc->c->kind == CLASS_CONSTRAINT || (linear_is_dry(pc->c) && !here)) return false;
    if (linear_is_dry(pc->c) && (pc->c->friction != MF_GIVEN || pc->c->direction > 0 || pc->e_num >= 0)) return false;
    if (pc->c->friction == MF_ROLLING) return false;
  }
  return true;
}

static void places(Linear *l) {
  const Written *w = l->p->w;
  int nq = w->nq, nz = w->nz, nr = w->nrow, at = 0, *to[] = { &l->q, &l->z, &l->q1, &l->z1, &l->gap, &l->rate,
      &l->reach, &l->y_at, &l->l_at, &l->worst, &l->l0, &l->L }, size[] = { nq, nz, nq, nz, nr, nr, nr, nr, nr, 1, nr };
  for (int i = 0; i < 12; i++) { *to[i] = at; if (i < 11) at += size[i]; }
  l->kept = l->l0;                                         // rows that act here, or contacts
}

static Ex bound(const Linear *l, const Instance *i, int which) {
  Pool *p = l->p->w->pool;
  const SysClass *c = i->pc->c;
  const Kernel *law = &i->pc->kernel[KERNEL_LAW];
  if (law->n == 2) return written(l->p->w, i, law->value[which]);
  if (linear_is_dry(c)) {                                  // an impulse of h radius at most
    Ex radius = ex_sym(p, written_symbol(l->p->w, ROLE_CONSTANT, AT_END,
                                         written_constant(l->p->w, i, i->pc->radius_num)));
    Ex most = ex_mul(p, radius, l->h);
    return which ? most : ex_neg(p, most);
  }
  return ex_num(p, which ? INFINITY : c->row_type == 0 ? 0 : -INFINITY);
}

// Gap and rate of each contact; of every row what it is at the free motion, and its bounds.
static Ex *row_expressions(Linear *l, bool *timed_gaps, bool *timed_y, bool *drifts) {
  Written *w = l->p->w;
  Ex *gaps = ARENA_ARRAY(w->arena, Ex, 2 * w->nrow + 1);
  l->contact = ARENA_ARRAY(w->arena, const Instance *, w->nrow + 1);
  Ex **all[] = { &l->y, &l->lo, &l->hi };
  for (int i = 0; i < 3; i++) *all[i] = ARENA_ARRAY(w->arena, Ex, w->nrow + 1);
  for (int i = 0; i < w->n; i++) {
    const Instance *at = &w->at[i];
    if (at->row < 0) continue;
    bool relation = at->pc->c->kind == CLASS_RELATION;
    l->y[at->row] =
        linear_without(w, ROLE_L, written(w, at, at->pc->kernel[relation ? KERNEL_Y : KERNEL_RATE].value[0]));
    *timed_y |= linear_timed(w, l->y[at->row]);
    bool always = relation || linear_is_dry(at->pc->c);
    *drifts |= !always && !ex_is_num(w->pool, linear_without(w, ROLE_Q, l->y[at->row]), 0);
    l->lo[at->row] = bound(l, at, 0);
    l->hi[at->row] = bound(l, at, 1);
    l->always |= always;
    if (at->pc->c->kind != CLASS_CONTACT) continue;
    for (int k = 0; k < 2; k++) {
      gaps[2 * l->ncontact + k] = written(w, at, at->pc->kernel[KERNEL_GAP].value[k]);
      *timed_gaps |= linear_timed(w, gaps[2 * l->ncontact + k]);
    }
    l->contact[l->ncontact++] = at;
  }
  return gaps;
}

static void put(Step *p, int at, int n, const KValue *x) {
  for (int j = 0; j < n; j++) k_store(p->b, p->s, k_integer(p->b, at + j), x[j]);
}

// What the state is now.
static void now(const Linear *l, const KValue *q, const KValue *z, KValue *q1, KValue *z1) {
  for (int j = 0; j < l->p->w->nq; j++) q1[j] = k_get(l->p->b, q[j]);
  for (int j = 0; j < l->p->w->nz; j++) z1[j] = k_get(l->p->b, z[j]);
}

static void set_back(const Linear *l, const KValue *q, const KValue *z, const KValue *Q, const KValue *Z) {
  for (int j = 0; j < l->p->w->nq; j++) k_set(l->p->b, q[j], Q[j]);
  for (int j = 0; j < l->p->w->nz; j++) k_set(l->p->b, z[j], Z[j]);
}

// What the runtime has put into s: the state after a step that it made.
static void reload(Linear *l, const KValue *q, const KValue *z, const KValue *reach) {
  Step *p = l->p;
  KBuilder *b = p->b;
  for (int j = 0; j < p->w->nq; j++) k_set(b, q[j], k_at_number(b, p->s, l->q1 + j));
  for (int j = 0; j < p->w->nz; j++) k_set(b, z[j], k_at_number(b, p->s, l->z1 + j));
  for (int j = 0; j < l->ncontact; j++) k_set(b, reach[j], k_at_number(b, p->s, l->reach + l->contact[j]->row));
  if (l->here) linear_rows_load(l);
  if (l->stays) linear_stays_load(l);
}

// Step `at` of the call by the runtime, which has the rows that act; what it left is loaded, or the loop ends.
static void rows_by_runtime(Linear *l, KValue at, const KValue *q, const KValue *z, const KValue *reach) {
  Step *p = l->p;
  KBuilder *b = p->b;
  KValue arg[] = { p->s, k_op2(b, OP_PLUS, p->k, k_double(b, at)) };
  k_if(b, k_op2(b, OP_EQ, k_call(b, KS_nsm_whole_rows, arg, 2), k_integer(b, 0)));
  k_break(b);
  k_close(b);
  reload(l, q, z, reach);
}

const Whole *whole_linear(Arena *a, Written *w, bool here) {
  if (!takes(w, here)) return NULL;
  Step step = step_open(a, w, "Whole steps: z1 = z + A (q, z, tau, 1), and the rows that act."), *p = &step;
  Linear linear = { .p = p, .width = 0 }, *l = &linear;
  KBuilder *b = p->b;
  int nq = w->nq, nz = w->nz, nr = w->nrow;
  bool timed_gaps = false, timed_y = false, drifts = false;
  linear_time(l);
  KValue h = p->h = step_scalar(p, WHOLE_STEP);
  l->h = step_local(p, h);
  Ex *gaps = row_expressions(l, &timed_gaps, &timed_y, &drifts);
  l->width = nq + nz + l->ntimed + 1;
  l->here = here && linear_rows_fit(l);
  if (here && !l->here) return step_drop(p);
  l->stays = !l->here && !w->located && !timed_gaps && !timed_y && !drifts && linear_stays_fit(l);
  linear_patterns(l);
  places(l);

  // ---- constants ----
  KValue ht = K_NONE, he = K_NONE, half = K_NONE;
  if (nq || l->ntimed) ht = k_name(b, k_op2(b, OP_TIMES, h, step_scalar(p, WHOLE_THETA)), "ht", NULL);
  if (l->ntimed)
    he = k_name(b, k_op2(b, OP_TIMES, h, k_op2(b, OP_MINUS, k_number(b, 1), step_scalar(p, WHOLE_THETA))), "he", NULL);
  if (l->ncontact) half = k_name(b, k_op2(b, OP_TIMES, k_number(b, 0.5), h), "half", NULL);
  if (l->ntimed || timed_gaps || timed_y) step_scalar(p, WHOLE_START);
  step_constants(p, gaps, 2 * l->ncontact);
  step_constants(p, l->phi, l->ntimed);
  step_constants(p, l->y, nr);
  if (l->here) { step_constants(p, l->lo, nr); step_constants(p, l->hi, nr); }
  l->nconstant = WHOLE_SCALARS + w->nconstant;
  const KValue *A = linear_load(l, &l->A, "a");

  // ---- state ----
  KValue *q = step_variables(p, "q", nq, l->q), *z = step_variables(p, "z", nz, l->z),
         *reach = ARENA_ARRAY(a, KValue, l->ncontact + 1), *phi = ARENA_ARRAY(a, KValue, l->ntimed + 1);
  for (int i = 0; i < l->ncontact; i++)
    reach[i] = k_variable(b, step_name(p, "reach", i), k_at_number(b, p->s, l->reach + l->contact[i]->row));
  if (l->here) linear_rows_open(l);
  if (l->stays) linear_stays_open(l);
  if (l->ntimed) {
    p->t = k_name(b, step_time(p, k_integer(b, 0), 0), "tb", NULL);
    step_values(p, l->phi, l->ntimed, phi);
    for (int i = 0; i < l->ntimed; i++) phi[i] = k_variable(b, step_name(p, "phi", i), phi[i]);
  }
  bool called = l->always || l->ncontact, all = called && !l->here && l->always;   // by the runtime: some, all steps
  KValue done = k_variable(b, "done", k_integer(b, 0)), last = called ? k_variable(b, "last", k_number(b, 0)) : K_NONE;
  if (called && !all) k_loop(b, "turn", k_integer(b, 0), p->n);
  KValue i = k_loop(b, "i", k_get(b, done), p->n);
  KValue *Q = ARENA_ARRAY(a, KValue, nq + 1), *Z = ARENA_ARRAY(a, KValue, nz + 1);
  // Where it can, a step changes the state in place, and what does not go on is set back: code that keeps nothing in
  // registers would wait for copies on the way from step to step.
  bool direct = !l->here && !all;
  for (int j = 0; j < nq; j++) Q[j] = k_get(b, q[j]);
  for (int j = 0; j < nz; j++) Z[j] = k_get(b, z[j]);
  for (int j = 0; direct && j < nq; j++) k_name(b, Q[j], step_name(p, "qb", j), NULL);
  for (int j = 0; direct && j < nz; j++) k_name(b, Z[j], step_name(p, "zb", j), NULL);
  step_use(p, AT_END, Q, Z);

  // ---- which contacts may be closed ----
  KValue *row = ARENA_ARRAY(a, KValue, 2 * l->ncontact + 1), *near = ARENA_ARRAY(a, KValue, l->ncontact + 1),
         open = K_NONE;
  if (timed_gaps) p->t = k_name(b, step_time(p, i, 0), "t", NULL);
  step_values(p, gaps, 2 * l->ncontact, row);
  for (int j = 0; j < l->ncontact; j++) {
    for (int k = 0; k < 2; k++)
      if (k_node(b, row[2 * j + k])->code != KN_GET)         // a copy of the state would only be waited for
        k_name(b, row[2 * j + k], step_name(p, k ? "rate" : "gap", j), NULL);
    KValue x = k_op2(b, OP_PLUS, row[2 * j], k_op2(b, OP_TIMES, half, row[2 * j + 1]));
    near[j] = l->stays && l->ncontact > 1 ? k_name(b, x, step_name(p, "near", j), NULL) : x;
    open = step_both(p, open, step_open_for_sure(p, k_get(b, reach[j]), row[2 * j], row[2 * j + 1], x));
  }

  // ---- free motion ----
  KValue *tau = ARENA_ARRAY(a, KValue, l->ntimed + 1), sum = K_NONE;
  if (l->ntimed || (timed_y && l->always)) p->t = k_name(b, step_time(p, i, 1), "tnext", NULL);
  if (l->ntimed) {
    step_values(p, l->phi, l->ntimed, tau);
    for (int j = 0; j < l->ntimed; j++) {
      KValue now = k_name(b, tau[j], step_name(p, "next", j), NULL);
      tau[j] = k_name(b, k_op2(b, OP_PLUS, k_op2(b, OP_TIMES, ht, now), k_op2(b, OP_TIMES, he, k_get(b, phi[j]))),
                      step_name(p, "tau", j), NULL);
      k_set(b, phi[j], now);
    }
  }
  KValue *z1 = ARENA_ARRAY(a, KValue, nz + 1), *q1 = ARENA_ARRAY(a, KValue, nq + 1),
         *force = ARENA_ARRAY(a, KValue, nr + 1), *out = ARENA_ARRAY(a, KValue, nr + 1), good = K_NONE;
  KValue *dz = ARENA_ARRAY(a, KValue, nz + 1);
  for (int j = 0; j < nz; j++) {
    dz[j] = A[j * l->width + l->width - 1];
    for (int k = 0; k + 1 < l->width; k++) {
      if (A[j * l->width + k] == K_NONE) continue;
      KValue in = k < nq ? k_get(b, q[k]) : k < nq + nz ? k_get(b, z[k - nq]) : tau[k - nq - nz];
      dz[j] = step_add(p, dz[j], k_op2(b, OP_TIMES, A[j * l->width + k], in));
    }
    if (dz[j] != K_NONE && (j < nq || direct)) dz[j] = k_name(b, dz[j], step_name(p, "dz", j), NULL);
  }
  for (int j = 0; j < nq; j++) {
    KValue way = k_op2(b, OP_TIMES, h, k_get(b, z[j]));    // one addition from q to q1: steps wait for it
    if (dz[j] != K_NONE) way = k_op2(b, OP_PLUS, way, k_op2(b, OP_TIMES, ht, dz[j]));
    q1[j] = k_op2(b, OP_PLUS, k_get(b, q[j]), way);
    if (direct) k_set(b, q[j], q1[j]);
    else k_name(b, q1[j], step_name(p, "qn", j), NULL);
  }
  for (int j = 0; j < nz; j++) {
    z1[j] = step_add(p, k_get(b, z[j]), dz[j]);
    if (direct) k_set(b, z[j], z1[j]);
    else k_name(b, z1[j], step_name(p, "zn", j), NULL);
  }
  if (direct) now(l, q, z, q1, z1);
  for (int j = 0; j < nz; j++) {
    sum = step_add(p, sum, z1[j]);
    if (j < nq) sum = step_add(p, sum, q1[j]);
  }
  KValue sum_free = l->here ? sum : k_name(b, sum, "sum", NULL);   // needed where the step is not taken
  KValue *free = ARENA_ARRAY(a, KValue, nz + 1), *freeq = ARENA_ARRAY(a, KValue, nq + 1);
  for (int j = 0; j < nz; j++) free[j] = z1[j];
  for (int j = 0; j < nq; j++) freeq[j] = q1[j];
  if (l->here) {
    step_use(p, AT_END, q1, z1);
    step_values(p, l->y, nr, out);
    for (int j = 0; j < nr; j++) out[j] = k_name(b, out[j], step_name(p, "out", j), NULL);
    KValue *change = ARENA_ARRAY(a, KValue, nz + 1);
    good = linear_rows_act(l, out, force, &(LinearEnd){ Q, Z, q1, z1, change, ht });
    sum = K_NONE;                                          // what linear_rows_act does not ask for
    for (int j = 0; j < nz; j++) {
      if (change[j] != K_NONE) { z1[j] = k_get(b, z1[j]); if (j < nq) q1[j] = k_get(b, q1[j]); }
      else sum = step_add(p, sum, z1[j]);
      if (j < nq) sum = step_add(p, sum, q1[j]);
    }
    if (sum != K_NONE) sum = k_name(b, sum, "sum", NULL);
  }

  // ---- rows by the runtime ----
  KValue finite = sum == K_NONE ? K_NONE : k_op2(b, OP_EQ, k_op2(b, OP_MINUS, sum, sum), k_number(b, 0));
  if (called) {
    if (!all) k_if(b, k_op1(b, OP_NOT, l->here ? step_both(p, good, finite) : step_both(p, open, finite)));
    if (l->stays) {
      KValue *gap = ARENA_ARRAY(a, KValue, l->ncontact + 1);
      for (int j = 0; j < l->ncontact; j++) gap[j] = row[2 * j];
      KValue ok = linear_stays_act(l, &(LinearMotion){ gap, near, reach, Q, Z, q, z });
      k_if(b, k_op2(b, OP_EQ, k_get(b, ok), k_integer(b, 0)));
      linear_stays_close(l);
    }
    if (direct) { now(l, q, z, q1, z1); now(l, q, z, freeq, free); }
    put(p, l->q, nq, Q);
    put(p, l->z, nz, Z);
    put(p, l->q1, nq, freeq);
    put(p, l->z1, nz, free);
    for (int j = 0; j < l->ncontact; j++) {
      put(p, l->gap + l->contact[j]->row, 1, &row[2 * j]);
      put(p, l->rate + l->contact[j]->row, 1, &row[2 * j + 1]);
    }
    if (!l->here) {
      step_use(p, AT_END, q1, z1);
      if (timed_y && !l->ntimed && !l->always) p->t = k_name(b, step_time(p, i, 1), "tnext", NULL);
      step_values(p, l->y, nr, out);
    } else put(p, l->worst, 1, (KValue[]){ k_get(b, l->worst_value) });
    put(p, l->y_at, nr, out);
    if (l->here) for (int j = 0; j < nr; j++) put(p, l->l_at + j, 1, (KValue[]){ k_get(b, l->l[j]) });
    if (all) {
      rows_by_runtime(l, i, q, z, reach);
    } else {
      k_set(b, last, sum_free);
      if (direct) set_back(l, q, z, Q, Z);
      k_break(b);
      k_close(b);
      if (l->stays) k_close(b);
    }
  } else {
    k_if(b, k_op1(b, OP_NOT, finite));
    if (direct) set_back(l, q, z, Q, Z);
    k_break(b);
    k_close(b);
  }
  if (l->here) {
    for (int j = 0; j < nq; j++) k_set(b, q[j], q1[j]);
    for (int j = 0; j < nz; j++) k_set(b, z[j], z1[j]);
    for (int j = 0; j < nr; j++) k_set(b, l->l[j], force[j]);
  }
  k_set(b, done, k_op2(b, OP_PLUS, i, k_integer(b, 1)));
  k_close(b);
  if (called && !all) {                                    // calls stand outside of the loop that keeps registers
    KValue at = k_get(b, done), wrong = k_get(b, last);
    k_if(b, step_either(p, k_op2(b, OP_EQ, at, p->n),
                        k_op1(b, OP_NOT, k_op2(b, OP_EQ, k_op2(b, OP_MINUS, wrong, wrong), k_number(b, 0)))));
    k_break(b);
    k_close(b);
    rows_by_runtime(l, at, q, z, reach);
    k_set(b, done, k_op2(b, OP_PLUS, at, k_integer(b, 1)));
    k_close(b);
  }
  for (int j = 0; j < nq; j++) k_store(b, p->s, k_integer(b, l->q + j), k_get(b, q[j]));
  for (int j = 0; j < nz; j++) k_store(b, p->s, k_integer(b, l->z + j), k_get(b, z[j]));
  if (l->here) linear_rows_close(l);
  if (l->stays) linear_stays_close(l);
  Whole *o = step_close(p, WHOLE_LINEAR, done);
  o->npattern = l->A.n;
  o->row = l->A.row;
  o->col = l->A.col;
  o->nm = l->M.n;
  o->m_row = l->M.row;
  o->m_col = l->M.col;
  o->nx = l->X.n;
  o->x_row = l->X.row;
  o->x_col = l->X.col;
  o->ntimed = l->ntimed;
  o->timed = l->timed;
  o->drifts = drifts;
  o->here = l->here;
  o->stays = l->stays;
  return o;
}
