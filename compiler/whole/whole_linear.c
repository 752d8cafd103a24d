// Moreau's scheme where every matrix is constant (runtime/step_linear.c). The runtime hands over A of
//
//   dz = A (q, z, tau, 1),   tau_i = h theta phi_i(t1) + h (1 - theta) phi_i(t),   phi_i(t) = f_i(t, 0, 0)
//
// made of W^-1, df/d(q, z) and f at rest: the rows i of f that time changes have their tau, evaluated here; the rest of f
// at rest is in the last column. The free motion is
//
//   z1 = z + dz,   q1 = q + h v + h theta dv
//
// and where no contact may be closed and no row always acts that is the step. Else nsm_whole_rows finds the forces
// (runtime/whole_rows.c).
//
// s: q [nq], z [nz], q1 [nq], z1 [nz], then for each row gap, rate, reach (what a = gap + (h/2) rate must exceed) and y,
// its rate or output at the free motion without multipliers
#include "step.h"

typedef struct Linear {
  Step *p;
  const Instance **contact; int ncontact;
  bool always;                          // some row acts in every step
  int *column0;                         // place of A's entries by row
  bool *entry;                          // [nz][width]
  int width, ntimed, *timed, *tau;      // tau [nz]: number of the row's tau, -1
  Ex *phi;                              // [ntimed]
} Linear;

static bool has_kernel(const Instance *i, KernelKind k) { return i->pc->kernel[k].stage != STAGE_NONE; }

// Is f of instance i, row r, changed by time?
static bool moves_with_time(const Written *w, Ex e) { return ex_depends(w->pool, e, w->sys->sym_time); }

// Variables from this kind on are 0: multipliers, or all.
static Ex without(Written *w, RoleKind first, Ex e) {
  const int *ids;
  int n = ex_symbols(w->pool, e, &ids), m = 0, *from = ARENA_ARRAY(w->arena, int, n + 1);
  Ex *to = ARENA_ARRAY(w->arena, Ex, n + 1);
  for (int i = 0; i < n; i++) {
    Role r = written_role(w, ids[i]);
    if (r.kind >= first && r.kind <= ROLE_L) { from[m] = ids[i]; to[m++] = ex_num(w->pool, 0); }
  }
  return m ? ex_subst(w->pool, e, from, to, m) : e;
}

static bool takes(const Written *w) {
  const Plan *p = w->plan;
  if (!p->constant_iteration_matrix || !p->constant_problem_matrix || !p->one_iteration) return false;
  for (int i = 0; i < p->ncls; i++) {
    const PlanClass *pc = &p->cls[i];
    if (pc->kernel[KERNEL_MASS].stage > STAGE_CONST || pc->kernel[KERNEL_H].stage > STAGE_CONST ||
        pc->kernel[KERNEL_LAW].stage > STAGE_TIME || pc->kernel[KERNEL_MU].stage > STAGE_CONST)
      return false;
    if (pc->c->kind >= CLASS_RELATION && pc->c->kind <= CLASS_FRICTION && !pc->c->affine) return false;
    if (pc->c->kind == CLASS_CONSTRAINT || (pc->c->kind == CLASS_FRICTION && pc->c->normal < 0)) return false;
  }
  return true;
}

// Which entries of A can differ from 0: rows of f that W couples to the row, and what they read.
static void pattern(Linear *l) {
  Written *w = l->p->w;
  int nz = w->nz, *comp = ARENA_ARRAY(w->arena, int, nz + 1);
  bool *reads = ARENA_ARRAY(w->arena, bool, nz * l->width + 1);
  for (int i = 0; i < nz; i++) comp[i] = i;
  for (int a = 0; a < w->n; a++) {
    const Instance *i = &w->at[a];
    const SysClass *c = i->pc->c;
    if (c->kind != CLASS_SMOOTH) continue;
    const Entries *all[] = { &c->mass, &c->jac, &c->k };
    for (int k = 0; k < 3; k++)
      for (int e = 0; e < all[k]->n; e++) {
        const Entry *y = &all[k]->at[e];
        int row = written_z(w, i, y->row), col = written_z(w, i, y->col);
        if (row < 0 || col < 0) continue;
        int from = comp[row], to = comp[col];
        for (int j = 0; j < nz; j++) if (comp[j] == from) comp[j] = to;
        if (k > 0) {
          if (y->wrt == WRT_Q) reads[row * l->width + col] = true;   // a force of place: of the velocity in the step too
          reads[row * l->width + w->nq + col] = true;
        }
      }
    for (int r = 0; r < c->nrow; r++) {
      int row = written_z(w, i, c->row[r]);
      if (row < 0) continue;
      if (has_kernel(i, KERNEL_F)) reads[row * l->width + l->width - 1] = true;
      if (has_kernel(i, KERNEL_G)) reads[row * l->width + l->width - 1] = true;
      if (l->tau[row] >= 0) reads[row * l->width + w->nq + nz + l->tau[row]] = true;
    }
  }
  for (int i = 0; i < nz; i++)
    for (int j = 0; j < nz; j++)
      for (int k = 0; comp[i] == comp[j] && k < l->width; k++)
        l->entry[i * l->width + k] |= reads[j * l->width + k];
}

static void time_rows(Linear *l) {
  Written *w = l->p->w;
  l->tau = ARENA_ARRAY(w->arena, int, w->nz + 1);
  l->timed = ARENA_ARRAY(w->arena, int, w->nz + 1);
  l->phi = ARENA_ARRAY(w->arena, Ex, w->nz + 1);
  Ex *sum = ARENA_ARRAY(w->arena, Ex, w->nz + 1);
  bool *moves = ARENA_ARRAY(w->arena, bool, w->nz + 1);
  for (int i = 0; i < w->nz; i++) sum[i] = ex_num(w->pool, 0);
  for (int a = 0; a < w->n; a++) {
    const Instance *i = &w->at[a];
    static const KernelKind kinds[] = { KERNEL_F, KERNEL_G };
    for (int k = 0; k < 2; k++) {
      const Kernel *f = &i->pc->kernel[kinds[k]];
      for (int r = 0; r < f->n; r++) {
        int row = written_z(w, i, i->pc->c->row[r]);
        Ex e = without(w, ROLE_Q, written(w, i, f->value[r]));
        if (row < 0) continue;
        sum[row] = ex_add(w->pool, sum[row], e);
        moves[row] |= moves_with_time(w, e);
      }
    }
  }
  for (int i = 0; i < w->nz; i++) {
    l->tau[i] = -1;
    if (!moves[i]) continue;
    l->tau[i] = l->ntimed;
    l->timed[l->ntimed] = i;
    l->phi[l->ntimed++] = sum[i];
  }
}

// t of step k + i + add
static KValue time_at(Step *p, KValue i, double add) {
  KBuilder *b = p->b;
  KValue at = k_op2(b, OP_PLUS, k_op2(b, OP_PLUS, p->k, k_double(b, i)), k_number(b, add));
  return k_op2(b, OP_PLUS, step_scalar(p, WHOLE_START), k_op2(b, OP_TIMES, at, step_scalar(p, WHOLE_STEP)));
}

const Whole *whole_linear(Arena *a, Written *w) {
  if (!takes(w)) return NULL;
  Step step = step_open(a, w, "A whole step, again and again: z1 = z + A (q, z, tau, 1); rows by nsm_whole_rows."), *p = &step;
  Linear linear = { .p = p }, *l = &linear;
  KBuilder *b = p->b;
  int nq = w->nq, nz = w->nz;
  time_rows(l);
  l->width = nq + nz + l->ntimed + 1;
  l->entry = ARENA_ARRAY(a, bool, nz * l->width + 1);
  pattern(l);
  l->contact = ARENA_ARRAY(a, const Instance *, w->n + 1);
  for (int i = 0; i < w->n; i++) {
    ClassKind kind = w->at[i].pc->c->kind;
    if (kind == CLASS_CONTACT) l->contact[l->ncontact++] = &w->at[i];
    if (kind == CLASS_RELATION) l->always = true;
  }
  // gap and rate of each contact
  Ex *rows = ARENA_ARRAY(a, Ex, 2 * l->ncontact + 1);
  bool timed_rows = false;
  for (int i = 0; i < l->ncontact; i++)
    for (int k = 0; k < 2; k++) {
      rows[2 * i + k] = written(w, l->contact[i], l->contact[i]->pc->kernel[KERNEL_GAP].value[k]);
      timed_rows |= moves_with_time(w, rows[2 * i + k]);
    }

  // what each row is at the free motion
  Ex *y = ARENA_ARRAY(a, Ex, w->nrow + 1);
  bool timed_y = false, drifts = false;
  for (int i = 0; i < w->n; i++) {
    const Instance *at = &w->at[i];
    if (at->row < 0) continue;
    bool relation = at->pc->c->kind == CLASS_RELATION;
    y[at->row] = without(w, ROLE_L, written(w, at, at->pc->kernel[relation ? KERNEL_Y : KERNEL_RATE].value[0]));
    timed_y |= moves_with_time(w, y[at->row]);
    drifts |= !relation && !ex_is_num(w->pool, without(w, ROLE_Q, y[at->row]), 0);
  }

  // ---- constants ----
  KValue h = step_scalar(p, WHOLE_STEP), ht = K_NONE, he = K_NONE, half = K_NONE;
  p->h = h;
  if (nq || l->ntimed) ht = k_name(b, k_op2(b, OP_TIMES, h, step_scalar(p, WHOLE_THETA)), "ht", NULL);
  if (l->ntimed)
    he = k_name(b, k_op2(b, OP_TIMES, h, k_op2(b, OP_MINUS, k_number(b, 1), step_scalar(p, WHOLE_THETA))), "he", NULL);
  if (l->ncontact) half = k_name(b, k_op2(b, OP_TIMES, k_number(b, 0.5), h), "half", NULL);
  if (l->ntimed || timed_rows || timed_y) step_scalar(p, WHOLE_START);
  step_constants(p, y, w->nrow);
  step_constants(p, rows, 2 * l->ncontact);
  step_constants(p, l->phi, l->ntimed);
  int npattern = 0, *prow = ARENA_ARRAY(a, int, nz * l->width + 1), *pcol = ARENA_ARRAY(a, int, nz * l->width + 1);
  KValue *A = ARENA_ARRAY(a, KValue, nz * l->width + 1);
  for (int i = 0; i < nz; i++)
    for (int k = 0; k < l->width; k++) {
      A[i * l->width + k] = K_NONE;
      if (!l->entry[i * l->width + k]) continue;
      A[i * l->width + k] = k_name(b, k_at_number(b, p->c, WHOLE_SCALARS + w->nconstant + npattern),
                                   step_name(p, "a", npattern), NULL);
      prow[npattern] = i;
      pcol[npattern++] = k;
    }

  // ---- state ----
  KValue *q = ARENA_ARRAY(a, KValue, nq + 1), *z = ARENA_ARRAY(a, KValue, nz + 1),
         *reach = ARENA_ARRAY(a, KValue, l->ncontact + 1), *phi = ARENA_ARRAY(a, KValue, l->ntimed + 1);
  int at_q = 0, at_z = nq, at_q1 = nq + nz, at_z1 = 2 * nq + nz, at_gap = 2 * nq + 2 * nz, at_rate = at_gap + w->nrow,
      at_reach = at_rate + w->nrow, at_y = at_reach + w->nrow;
  for (int i = 0; i < nq; i++) q[i] = k_variable(b, step_name(p, "q", i), k_at_number(b, p->s, at_q + i));
  for (int i = 0; i < nz; i++) z[i] = k_variable(b, step_name(p, "z", i), k_at_number(b, p->s, at_z + i));
  for (int i = 0; i < l->ncontact; i++)
    reach[i] = k_variable(b, step_name(p, "reach", i), k_at_number(b, p->s, at_reach + l->contact[i]->row));
  if (l->ntimed) {
    KValue *first = ARENA_ARRAY(a, KValue, l->ntimed + 1);
    p->t = k_name(b, time_at(p, k_integer(b, 0), 0), "tb", NULL);
    step_values(p, l->phi, l->ntimed, first);
    for (int i = 0; i < l->ntimed; i++) phi[i] = k_variable(b, step_name(p, "phi", i), first[i]);
  }
  KValue done = k_variable(b, "done", k_integer(b, 0));
  KValue i = k_loop(b, "i", k_integer(b, 0), p->n);
  KValue *Q = ARENA_ARRAY(a, KValue, nq + 1), *Z = ARENA_ARRAY(a, KValue, nz + 1);
  for (int j = 0; j < nq; j++) Q[j] = p->value[ROLE_Q][AT_END][j] = k_name(b, k_get(b, q[j]), step_name(p, "qk", j), NULL);
  for (int j = 0; j < nz; j++) {
    Z[j] = k_name(b, k_get(b, z[j]), step_name(p, "zk", j), NULL);
    if (j < nq) p->value[ROLE_V][AT_END][j] = Z[j];
    else p->value[ROLE_X][AT_END][j - nq] = Z[j];
  }

  // ---- which contacts may be closed ----
  KValue *row = ARENA_ARRAY(a, KValue, 2 * l->ncontact + 1), any = K_NONE;
  if (l->ncontact) {
    if (timed_rows) p->t = k_name(b, time_at(p, i, 0), "t", NULL);
    step_values(p, rows, 2 * l->ncontact, row);
    for (int j = 0; j < 2 * l->ncontact; j++)
      row[j] = k_name(b, row[j], step_name(p, j % 2 ? "rate" : "gap", j / 2), NULL);
    for (int j = 0; j < l->ncontact; j++) {
      KValue x = k_op2(b, OP_PLUS, row[2 * j], k_op2(b, OP_TIMES, half, row[2 * j + 1]));
      any = step_either(p, any, k_op1(b, OP_NOT, k_op2(b, OP_LT, k_get(b, reach[j]), x)));
    }
  }

  // ---- free motion ----
  KValue *tau = ARENA_ARRAY(a, KValue, l->ntimed + 1), sum = K_NONE;
  if (l->ntimed) {
    KValue *now = ARENA_ARRAY(a, KValue, l->ntimed + 1);
    p->t = k_name(b, time_at(p, i, 1), "t1", NULL);
    step_values(p, l->phi, l->ntimed, now);
    for (int j = 0; j < l->ntimed; j++) {
      now[j] = k_name(b, now[j], step_name(p, "next", j), NULL);
      tau[j] = k_name(b, k_op2(b, OP_PLUS, k_op2(b, OP_TIMES, ht, now[j]), k_op2(b, OP_TIMES, he, k_get(b, phi[j]))),
                      step_name(p, "tau", j), NULL);
      k_set(b, phi[j], now[j]);
    }
  }
  KValue *z1 = ARENA_ARRAY(a, KValue, nz + 1), *q1 = ARENA_ARRAY(a, KValue, nq + 1);
  bool rows_act = l->always || l->ncontact;
  for (int j = 0; j < nz; j++) {
    KValue dz = A[j * l->width + l->width - 1];
    for (int k = 0; k + 1 < l->width; k++) {
      if (A[j * l->width + k] == K_NONE) continue;
      KValue in = k < nq ? Q[k] : k < nq + nz ? Z[k - nq] : tau[k - nq - nz];
      dz = step_add(p, dz, k_op2(b, OP_TIMES, A[j * l->width + k], in));
    }
    if (dz != K_NONE) dz = k_name(b, dz, step_name(p, "dz", j), NULL);
    z1[j] = k_name(b, step_add(p, Z[j], dz), step_name(p, "zn", j), NULL);
    sum = step_add(p, sum, z1[j]);
    if (j >= nq) continue;
    KValue x = k_op2(b, OP_PLUS, Q[j], k_op2(b, OP_TIMES, h, Z[j]));
    if (dz != K_NONE) x = k_op2(b, OP_PLUS, x, k_op2(b, OP_TIMES, ht, dz));
    q1[j] = k_name(b, x, step_name(p, "qn", j), NULL);
    sum = step_add(p, sum, q1[j]);
  }
  sum = k_name(b, sum, "sum", NULL);
  k_if(b, k_op1(b, OP_NOT, k_op2(b, OP_EQ, k_op2(b, OP_MINUS, sum, sum), k_number(b, 0))));
  k_break(b);
  k_close(b);

  // ---- rows ----
  if (rows_act) {
    if (!l->always) k_if(b, any);
    for (int j = 0; j < nq; j++) {
      k_store(b, p->s, k_integer(b, at_q + j), Q[j]);
      k_store(b, p->s, k_integer(b, at_q1 + j), q1[j]);
    }
    for (int j = 0; j < nz; j++) {
      k_store(b, p->s, k_integer(b, at_z + j), Z[j]);
      k_store(b, p->s, k_integer(b, at_z1 + j), z1[j]);
    }
    for (int j = 0; j < l->ncontact; j++) {
      k_store(b, p->s, k_integer(b, at_gap + l->contact[j]->row), row[2 * j]);
      k_store(b, p->s, k_integer(b, at_rate + l->contact[j]->row), row[2 * j + 1]);
    }
    for (int j = 0; j < nq; j++) { p->value[ROLE_Q][AT_END][j] = q1[j]; p->value[ROLE_V][AT_END][j] = z1[j]; }
    for (int j = nq; j < nz; j++) p->value[ROLE_X][AT_END][j - nq] = z1[j];
    if (timed_y && !l->ntimed) p->t = k_name(b, time_at(p, i, 1), "t1", NULL);
    KValue *row_y = ARENA_ARRAY(a, KValue, w->nrow + 1);
    step_values(p, y, w->nrow, row_y);
    for (int j = 0; j < w->nrow; j++) k_store(b, p->s, k_integer(b, at_y + j), row_y[j]);
    KValue arg[] = { p->s, k_op2(b, OP_PLUS, p->k, k_double(b, i)) };
    k_if(b, k_op2(b, OP_EQ, k_call(b, KS_nsm_whole_rows, arg, 2), k_integer(b, 0)));
    k_break(b);
    k_close(b);
    for (int j = 0; j < nq; j++) k_set(b, q[j], k_at_number(b, p->s, at_q1 + j));
    for (int j = 0; j < nz; j++) k_set(b, z[j], k_at_number(b, p->s, at_z1 + j));
    for (int j = 0; j < l->ncontact; j++) k_set(b, reach[j], k_at_number(b, p->s, at_reach + l->contact[j]->row));
    if (!l->always) k_else(b);
  }
  if (!l->always) {
    for (int j = 0; j < nq; j++) k_set(b, q[j], q1[j]);
    for (int j = 0; j < nz; j++) k_set(b, z[j], z1[j]);
    if (rows_act) k_close(b);
  }
  k_set(b, done, k_op2(b, OP_PLUS, i, k_integer(b, 1)));
  k_close(b);
  for (int j = 0; j < nq; j++) k_store(b, p->s, k_integer(b, at_q + j), k_get(b, q[j]));
  for (int j = 0; j < nz; j++) k_store(b, p->s, k_integer(b, at_z + j), k_get(b, z[j]));
  Whole *o = step_close(p, WHOLE_LINEAR, done);
  o->npattern = npattern;
  o->row = prow;
  o->col = pcol;
  o->ntimed = l->ntimed;
  o->drifts = drifts;
  o->timed = l->timed;
  return o;
}
