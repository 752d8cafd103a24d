// Fused steps where every matrix is constant: the equations of a scheme (schemes/<name>.c), solved when the run starts.
// The runtime hands over A of
//
//   dz = A (q, z, tau, 1),   tau_i = sum over points of by phi_i(t there),   phi_i(t) = f_i(t, 0, 0)                (1)
//
// made of W^-1, df/d(q, z) and f at rest: the rows i of f that time changes have their tau, evaluated here; the rest of
// f at rest is in the last column. The free motion is
//
//   z1 = z + dz,   q1 = q + (begin + end) z + end dz                                                                (2)
//
// with the numbers of the point END, and where no contact may be closed and no row always acts that is the step. Rows
// that always act, where they are few, act here (linear_rows.c). Else nsm_whole_rows finds the forces
// (runtime/schemes/whole_linear.c).
//
// s: q [nq], z [nz], q1 [nq], z1 [nz]; then for each row gap, rate, reach (the least gap + lead rate of an open one), y
// (its rate or output at the free motion without multipliers) and multiplier; the largest residual; what linear_rows.c
// or linear_contacts.c says
#include <math.h>
#include "linear.h"
#include "../base/fatal.h"

static bool takes(const Written *w, bool here) {
  const Plan *p = w->plan;
  if (!p->constant_iteration_matrix || !p->constant_problem_matrix || !p->one_iteration) return false;
  for (int i = 0; i < p->ncls; i++) {
    const PlanClass *pc = &p->cls[i];
    if (pc->kernel[KERNEL_MASS].stage > STAGE_CONST || pc->kernel[KERNEL_H].stage > STAGE_CONST ||
        pc->kernel[KERNEL_LAW].stage > STAGE_TIME || pc->kernel[KERNEL_MU].stage > STAGE_CONST)
      return false;
    if (pc->kernel[KERNEL_LAW].stage == STAGE_EVENT) return false;           // maps have numbers of the bounds
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
      &l->reach, &l->y_at, &l->l_at, &l->worst }, size[] = { nq, nz, nq, nz, nr, nr, nr, nr, nr, 1 };
  for (int i = 0; i < 10; i++) { *to[i] = at; at += size[i]; }
  l->kept = at;                                            // rows that act here, or contacts
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

// Of every row y at the free motion, and its bounds.
static void row_expressions(Linear *l) {
  Written *w = l->p->w;
  Ex **all[] = { &l->y, &l->lo, &l->hi, &l->at_rest };
  for (int i = 0; i < 4; i++) *all[i] = ARENA_ARRAY(w->arena, Ex, w->nrow + 1);
  for (int i = 0; i < w->n; i++) {
    const Instance *at = &w->at[i];
    if (at->row < 0) continue;
    bool always = at->pc->c->kind == CLASS_RELATION || linear_is_dry(at->pc->c);
    l->y[at->row] = linear_without(w, ROLE_L, piece_row(&l->m, at));
    l->at_rest[at->row] = linear_without(w, ROLE_Q, l->y[at->row]);
    l->timed_y |= linear_timed(w, l->y[at->row]);
    l->drifts |= !always && !ex_is_num(w->pool, l->at_rest[at->row], 0);
    l->lo[at->row] = bound(l, at, 0);
    l->hi[at->row] = bound(l, at, 1);
    l->always |= always;
  }
}

static void contacts(Linear *l) {
  const Pieces *m = &l->m;
  l->ncontact = m->ncontact;
  l->contact = ARENA_ARRAY(l->p->arena, const Instance *, m->ncontact + 1);
  for (int j = 0; j < m->ncontact; j++) {
    l->contact[j] = m->contact[j].at;
    l->timed_gaps |= linear_timed(l->p->w, m->gap[j]) || linear_timed(l->p->w, m->contact[j].before);
    INVARIANT(m->lead.v == K_NONE || m->rate[j] == m->contact[j].before);
  }
}

// The points with gamma = 1, which the runtime asks for where there are relations (ordinary, runtime/schemes/whole.c).
static void equations(Linear *l) {
  Written *w = l->p->w;
  const Plan *plan = w->plan;
  Point *point = ARENA_ARRAY(w->arena, Point, PIECE_POINTS);
  int gamma = symtab_id(w->sys->sym, (Sym){ .kind = SYM_GAMMA });
  Ex one = ex_num(w->pool, 1);
  for (int i = 0; i < PIECE_POINTS; i++) {
    point[i] = plan->point[i];
    Ex *of[] = { &point[i].time, &point[i].begin, &point[i].end, &point[i].share };
    for (int k = 0; k < 4; k++) if (*of[k] != EX_NONE) *of[k] = ex_subst(w->pool, *of[k], &gamma, &one, 1);
  }
  const Point *end = &point[END];
  INVARIANT(end->from == BEGIN && ex_is_num(w->pool, end->share, 1));
  l->m = (Pieces){ .p = l->p, .text = plan->equations, .point = point };
  piece_spots(&l->m);
  piece_forces(&l->m);
  piece_contacts(&l->m);
  l->way = piece_weight(&l->m, ex_mul(w->pool, ex_sym(w->pool, symtab_id(w->sys->sym, (Sym){ .kind = SYM_H })),
                                      ex_add(w->pool, end->begin, end->end))).v;
}

// ---- before the loop ------------------------------------------------------------------------------------------------
static void constants(Linear *l) {
  Step *p = l->p;
  int nr = p->w->nrow;
  if (l->ntimed || l->timed_gaps || l->timed_y) step_scalar(p, WHOLE_START);
  step_constants(p, l->m.gap, l->ncontact);
  for (int j = 0; j < l->ncontact; j++) {
    step_constants(p, &l->m.contact[j].before, 1);
    if (l->stays) step_constants(p, &l->m.contact[j].e, 1);
  }
  for (int k = 0; k < PIECE_POINTS; k++) if (l->phi[k]) step_constants(p, l->phi[k], l->ntimed);
  step_constants(p, l->y, nr);
  l->nconstant = WHOLE_SCALARS + p->w->nconstant;
  linear_load(l, &l->A, "a");
  l->fall = ARENA_ARRAY(p->arena, KValue, p->w->nq + 1);
  for (int j = 0; j < p->w->nq; j++) {
    const KValue *A = l->A.at + j * l->width;
    bool constant = A[l->width - 1] != K_NONE;
    for (int k = 0; k + 1 < l->width; k++) constant &= A[k] == K_NONE;
    l->fall[j] = constant ? k_name(p->b, k_op2(p->b, OP_TIMES, l->m.spot[END].end.v, A[l->width - 1]),
                                   step_name(p, "fall", j), NULL) : K_NONE;
  }
}

// phi at the end of a step is that of the next begin, where a scheme takes f at both.
static void first_phi(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  l->carried = ARENA_ARRAY(p->arena, KValue, l->ntimed + 1);
  if (!l->m.carried || l->ntimed == 0) return;
  p->t0 = k_name(b, step_time(p, k_integer(b, 0), 0), "tb", NULL);
  step_values(p, l->phi[BEGIN], l->ntimed, l->carried);
  for (int i = 0; i < l->ntimed; i++) l->carried[i] = k_variable(b, step_name(p, "phi", i), l->carried[i]);
}

// ---- stretches of free steps ----------------------------------------------------------------------------------------
// An unknown that is not finite stays so: z1 = z + dz. So free steps in a row are looked at where they end, and where
// the state is not finite then, they are all for the generic step, which finds the one that fails.
static int marked(const Linear *l, KValue *of) {
  const Written *w = l->p->w;
  int n = 0, ncarried = l->m.carried ? l->ntimed : 0;
  for (int j = 0; j < w->nq; j++) of[n++] = l->qv[j];
  for (int j = 0; j < w->nz; j++) of[n++] = l->zv[j];
  for (int j = 0; j < ncarried; j++) of[n++] = l->carried[j];
  return n;
}

static void mark_open(Linear *l) {
  Step *p = l->p;
  KValue *of = ARENA_ARRAY(p->arena, KValue, p->w->nq + p->w->nz + l->ntimed + 1);
  int n = marked(l, of);
  l->first = k_variable(p->b, "first", k_integer(p->b, 0));
  l->before = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int j = 0; j < n; j++) l->before[j] = k_variable(p->b, step_name(p, "before", j), k_get(p->b, of[j]));
}

// A stretch begins with step i and the state as it is.
static void mark(const Linear *l, KValue i) {
  Step *p = l->p;
  KValue *of = ARENA_ARRAY(p->arena, KValue, p->w->nq + p->w->nz + l->ntimed + 1);
  int n = marked(l, of);
  k_set(p->b, l->first, i);
  for (int j = 0; j < n; j++) k_set(p->b, l->before[j], k_get(p->b, of[j]));
}

static KValue is_finite(Step *p, KValue sum) {
  return k_op2(p->b, OP_EQ, k_op2(p->b, OP_MINUS, sum, sum), k_number(p->b, 0));
}

// The stretch ends here.
static void end_stretch(const Linear *l, KValue done) {
  Step *p = l->p;
  KValue *of = ARENA_ARRAY(p->arena, KValue, p->w->nq + p->w->nz + l->ntimed + 1), sum = K_NONE;
  int n = marked(l, of);
  for (int j = 0; j < p->w->nq + p->w->nz; j++) sum = step_add(p, sum, k_get(p->b, of[j]));
  if (sum == K_NONE) return;
  k_if(p->b, k_op1(p->b, OP_NOT, is_finite(p, k_name(p->b, sum, "all", NULL))));
  for (int j = 0; j < n; j++) k_set(p->b, of[j], k_get(p->b, l->before[j]));
  k_set(p->b, done, k_get(p->b, l->first));
  if (l->called) k_break(p->b);
  k_close(p->b);
}

static void variables(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  l->qv = step_variables(p, "q", p->w->nq, l->q);
  l->zv = step_variables(p, "z", p->w->nz, l->z);
  l->reach_v = ARENA_ARRAY(p->arena, KValue, l->ncontact + 1);
  for (int i = 0; i < l->ncontact; i++)
    l->reach_v[i] = k_variable(b, step_name(p, "reach", i), k_at_number(b, p->s, l->reach + l->contact[i]->row));
  if (l->here) linear_rows_open(l);
  if (l->stays) linear_stays_open(l);
  first_phi(l);
  if (l->direct || l->here) mark_open(l);
}

// ---- the state ------------------------------------------------------------------------------------------------------
static void put(Step *p, int at, int n, const KValue *x) {
  for (int j = 0; j < n; j++) k_store(p->b, p->s, k_integer(p->b, at + j), x[j]);
}

// The state as it is now.
static void now(const Linear *l, KValue *q1, KValue *z1) {
  for (int j = 0; j < l->p->w->nq; j++) q1[j] = k_get(l->p->b, l->qv[j]);
  for (int j = 0; j < l->p->w->nz; j++) z1[j] = k_get(l->p->b, l->zv[j]);
}

static void set_state(const Linear *l, const KValue *q, const KValue *z) {
  for (int j = 0; j < l->p->w->nq; j++) k_set(l->p->b, l->qv[j], q[j]);
  for (int j = 0; j < l->p->w->nz; j++) k_set(l->p->b, l->zv[j], z[j]);
}

// The runtime has made a step, and s has the state after it.
static void reload(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  for (int j = 0; j < p->w->nq; j++) k_set(b, l->qv[j], k_at_number(b, p->s, l->q1 + j));
  for (int j = 0; j < p->w->nz; j++) k_set(b, l->zv[j], k_at_number(b, p->s, l->z1 + j));
  for (int j = 0; j < l->ncontact; j++)
    k_set(b, l->reach_v[j], k_at_number(b, p->s, l->reach + l->contact[j]->row));
  if (l->here) linear_rows_load(l);
  if (l->stays) linear_stays_load(l);
}

// Step `at` of the call by the runtime, which has the rows that act; the loop ends where it does not make it.
static void rows_by_runtime(Linear *l, KValue at) {
  Step *p = l->p;
  KBuilder *b = p->b;
  KValue arg[] = { p->s, k_op2(b, OP_PLUS, p->k, k_double(b, at)) };
  k_if(b, k_op2(b, OP_EQ, k_call(b, KS_nsm_whole_rows, arg, 2), k_integer(b, 0)));
  k_break(b);
  k_close(b);
  reload(l);
}

// ---- the step -------------------------------------------------------------------------------------------------------
// One step: the state at its begin; of contacts gap and rate, and gap + lead rate; the free motion, and the end.
typedef struct Motion {
  KValue i, *Q, *Z, *gap, *rate, *near, open, *q1, *z1, *freeq, *free, *out, finite, sum;
} Motion;

static Motion begin(Linear *l, KValue i) {
  Step *p = l->p;
  KBuilder *b = p->b;
  Motion o = { .i = i, .open = K_NONE, .finite = K_NONE };
  KValue **all[] = { &o.Q, &o.Z, &o.gap, &o.rate, &o.near, &o.q1, &o.z1, &o.freeq, &o.free, &o.out };
  for (int k = 0; k < 10; k++) *all[k] = ARENA_ARRAY(p->arena, KValue, p->w->nz + p->w->nrow + 1);
  now(l, o.Q, o.Z);
  for (int j = 0; l->direct && j < p->w->nq; j++) k_name(b, o.Q[j], step_name(p, "qb", j), NULL);
  for (int j = 0; l->direct && j < p->w->nz; j++) k_name(b, o.Z[j], step_name(p, "zb", j), NULL);
  step_use(p, AT_BEGIN, o.Q, o.Z);
  if (l->timed_gaps) piece_time(&l->m, BEGIN, i);
  return o;
}

// May a contact be closed? A copy of the state has no name of its own: steps would wait for it.
static void may_close(Linear *l, Motion *o) {
  Step *p = l->p;
  KBuilder *b = p->b;
  const Pieces *m = &l->m;
  int n = l->ncontact;
  Ex *e = ARENA_ARRAY(p->arena, Ex, 2 * n + 1);
  KValue *row = ARENA_ARRAY(p->arena, KValue, 2 * n + 1);
  for (int j = 0; j < n; j++) { e[2 * j] = m->gap[j]; e[2 * j + 1] = m->contact[j].before; }
  step_values(p, e, 2 * n, row);
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < 2; k++)
      if (k_node(b, row[2 * j + k])->code != KN_GET)
        k_name(b, row[2 * j + k], step_name(p, k ? "rate" : "gap", j), NULL);
    o->gap[j] = row[2 * j];
    o->rate[j] = row[2 * j + 1];
    KValue x = o->gap[j];
    if (m->lead.v != K_NONE) x = k_op2(b, OP_PLUS, x, k_op2(b, OP_TIMES, m->lead.v, o->rate[j]));
    o->near[j] = l->stays && n > 1 ? k_name(b, x, step_name(p, "near", j), NULL) : x;
    o->open = step_both(p, o->open, step_open_for_sure(p, k_get(b, l->reach_v[j]), o->gap[j], o->rate[j], x));
  }
}

// (1)
static KValue *timed_forces(Linear *l, KValue i) {
  Step *p = l->p;
  KBuilder *b = p->b;
  KValue *tau = ARENA_ARRAY(p->arena, KValue, l->ntimed + 1), *at = ARENA_ARRAY(p->arena, KValue, l->ntimed + 1);
  for (int j = 0; j < l->ntimed; j++) tau[j] = K_NONE;
  for (int k = PIECE_POINTS - 1; k >= BEGIN; k--) {
    if (!l->phi[k]) continue;
    bool kept = k == BEGIN && l->m.carried;
    if (!kept && l->ntimed) piece_time(&l->m, k, i);
    if (!kept) step_values(p, l->phi[k], l->ntimed, at);
    for (int j = 0; j < l->ntimed; j++) {
      const char *name = k == END ? step_name(p, "next", j) : arena_printf(p->arena, "phi%d_%d", k, j);
      KValue phi = kept ? k_get(b, l->carried[j]) : k_name(b, at[j], name, NULL);
      tau[j] = step_add(p, tau[j], k_op2(b, OP_TIMES, l->m.by[k].v, phi));
    }
    for (int j = 0; kept && j < l->ntimed; j++) k_name(b, tau[j], step_name(p, "tau", j), NULL);
    for (int j = 0; k == END && l->m.carried && j < l->ntimed; j++) l->next[j] = at[j];
  }
  for (int j = 0; l->m.carried && j < l->ntimed; j++) k_set(b, l->carried[j], l->next[j]);
  return tau;
}

static KValue *increments(Linear *l, const KValue *tau) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int nq = p->w->nq, nz = p->w->nz;
  KValue *dz = ARENA_ARRAY(p->arena, KValue, nz + 1);
  for (int j = 0; j < nz; j++) {
    const KValue *A = l->A.at + j * l->width;
    dz[j] = A[l->width - 1];
    for (int k = 0; k + 1 < l->width; k++) {
      if (A[k] == K_NONE) continue;
      KValue in = k < nq ? k_get(b, l->qv[k]) : k < nq + nz ? k_get(b, l->zv[k - nq]) : tau[k - nq - nz];
      dz[j] = step_add(p, dz[j], k_op2(b, OP_TIMES, A[k], in));
    }
    if (dz[j] != K_NONE && (j < nq || l->direct)) dz[j] = k_name(b, dz[j], step_name(p, "dz", j), NULL);
  }
  return dz;
}

// (2)
static void free_motion(Linear *l, Motion *o, const KValue *tau) {
  Step *p = l->p;
  KBuilder *b = p->b;
  int nq = p->w->nq, nz = p->w->nz;
  KValue *dz = increments(l, tau), sum = K_NONE;
  for (int j = 0; j < nq; j++) {
    KValue way = k_op2(b, OP_TIMES, l->way, k_get(b, l->zv[j]));     // one addition from q to q1: steps wait for it
    if (l->fall[j] != K_NONE) way = k_op2(b, OP_PLUS, way, l->fall[j]);
    else if (dz[j] != K_NONE) way = k_op2(b, OP_PLUS, way, k_op2(b, OP_TIMES, l->m.spot[END].end.v, dz[j]));
    o->q1[j] = k_op2(b, OP_PLUS, k_get(b, l->qv[j]), way);
    if (l->direct) k_set(b, l->qv[j], o->q1[j]);
    else k_name(b, o->q1[j], step_name(p, "qn", j), NULL);
  }
  for (int j = 0; j < nz; j++) {
    o->z1[j] = step_add(p, k_get(b, l->zv[j]), dz[j]);
    if (l->direct) k_set(b, l->zv[j], o->z1[j]);
    else k_name(b, o->z1[j], step_name(p, "zn", j), NULL);
  }
  if (l->direct) now(l, o->q1, o->z1);
  for (int j = 0; j < nz; j++) {
    if (!l->direct) sum = step_add(p, sum, o->z1[j]);
    if (!l->direct && j < nq) sum = step_add(p, sum, o->q1[j]);
    o->free[j] = o->z1[j];
    if (j < nq) o->freeq[j] = o->q1[j];
  }
  o->sum = l->direct ? sum : k_name(b, sum, "sum", NULL);
}

// ---- steps that are not free ----------------------------------------------------------------------------------------
static void stay(Linear *l, const Motion *o) {
  KBuilder *b = l->p->b;
  KValue step = k_name(b, k_op2(b, OP_PLUS, l->p->k, k_double(b, o->i)), "k1", NULL);
  KValue ok = linear_stays_act(l, &(LinearMotion){ o->gap, o->near, o->rate, l->reach_v, o->Q, o->Z, l->qv, l->zv,
                                                   o->finite, step });
  k_if(b, k_op2(b, OP_EQ, k_get(b, ok), k_integer(b, 1)));
  mark(l, k_op2(b, OP_PLUS, o->i, k_integer(b, 1)));
  k_else(b);
  linear_stays_close(l);
}

// All that nsm_whole_rows reads goes into s.
static void hand_over(Linear *l, Motion *o) {
  Step *p = l->p;
  int nq = p->w->nq, nz = p->w->nz, nr = p->w->nrow;
  if (l->direct) { now(l, o->q1, o->z1); now(l, o->freeq, o->free); }
  put(p, l->q, nq, o->Q);
  put(p, l->z, nz, o->Z);
  put(p, l->q1, nq, o->freeq);
  put(p, l->z1, nz, o->free);
  for (int j = 0; j < l->ncontact; j++) {
    put(p, l->gap + l->contact[j]->row, 1, &o->gap[j]);
    put(p, l->rate + l->contact[j]->row, 1, &o->rate[j]);
  }
  if (!l->here) {
    if (l->timed_y) piece_time(&l->m, END, o->i);
    step_use(p, AT_END, o->q1, o->z1);
    step_values(p, l->y, nr, o->out);
  }
  put(p, l->y_at, nr, o->out);
}

// The step ends the loop, or the runtime makes it; with the state at its begin.
static void leave(Linear *l, Motion *o, KValue done, KValue last) {
  KBuilder *b = l->p->b;
  if (l->direct && o->open == K_NONE) return;
  KValue right = step_both(l->p, o->open, l->direct ? K_NONE : o->finite);
  if (!l->all) k_if(b, k_op1(b, OP_NOT, right));
  if (l->direct) {
    for (int j = 0; j < l->p->w->nz; j++) {
      o->sum = step_add(l->p, o->sum, o->z1[j]);
      if (j < l->p->w->nq) o->sum = step_add(l->p, o->sum, o->q1[j]);
    }
    o->finite = is_finite(l->p, k_name(b, o->sum, "sum", NULL));
  }
  if (l->stays) stay(l, o);
  if (l->called) hand_over(l, o);
  if (l->all) { rows_by_runtime(l, o->i); return; }
  if (last != K_NONE) k_set(b, last, o->sum);
  if (l->direct) set_state(l, o->Q, o->Z);
  k_set(b, done, o->i);
  k_break(b);
  k_close(b);
  if (l->stays) k_close(b);
}

// The step by the map of rows that always act. The free motion is for the runtime, where they do not act so.
static void rows_here(Linear *l, Motion *o, KValue done, KValue last) {
  Step *p = l->p;
  KBuilder *b = p->b;
  if (l->timed_y) piece_time(&l->m, END, o->i);
  KValue *tau = timed_forces(l, o->i);
  k_if(b, k_op1(b, OP_NOT, linear_rows_hold(l, tau)));
  free_motion(l, o, tau);
  step_use(p, AT_END, o->q1, o->z1);
  step_values(p, l->y, p->w->nrow, o->out);
  hand_over(l, o);
  k_set(b, last, o->sum);
  k_set(b, done, o->i);
  k_break(b);
  k_close(b);
  linear_rows_move(l);
}

// Forces of the last step of this stretch, before the runtime may need them.
static void forces_here(Linear *l, KValue done) {
  Step *p = l->p;
  KBuilder *b = p->b;
  k_if(b, k_op2(b, OP_LT, k_get(b, l->first), k_get(b, done)));
  linear_rows_forces(l);
  k_close(b);
  for (int j = 0; j < p->w->nrow; j++) put(p, l->l_at + j, 1, (KValue[]){ k_get(b, l->l[j]) });
}

// Calls stand outside of the loop that keeps registers.
static void call_outside(Linear *l, KValue done, KValue last) {
  Step *p = l->p;
  KBuilder *b = p->b;
  KValue at = k_get(b, done), wrong = k_get(b, last);
  k_if(b, step_either(p, k_op2(b, OP_EQ, at, p->n),
                      k_op1(b, OP_NOT, k_op2(b, OP_EQ, k_op2(b, OP_MINUS, wrong, wrong), k_number(b, 0)))));
  k_break(b);
  k_close(b);
  rows_by_runtime(l, at);
  step_record(p, at, l->qv, l->zv);
  k_set(b, done, k_op2(b, OP_PLUS, at, k_integer(b, 1)));
  k_close(b);
}

// The steps; how many were done.
static KValue loop(Linear *l) {
  Step *p = l->p;
  KBuilder *b = p->b;
  bool some = l->called && !l->all;
  KValue done = k_variable(b, "done", k_integer(b, 0)), last = some ? k_variable(b, "last", k_number(b, 0)) : K_NONE;
  if (some) k_loop(b, "turn", k_integer(b, 0), p->n);
  KValue from = k_name(b, k_get(b, done), "from", NULL);
  if (l->direct || l->here) mark(l, from);
  if (!l->all) k_set(b, done, p->n);
  Motion motion = begin(l, k_loop(b, "i", from, p->n)), *o = &motion;
  may_close(l, o);
  if (l->here) rows_here(l, o, done, last);
  else {
    free_motion(l, o, timed_forces(l, o->i));
    if (o->sum != K_NONE) o->finite = is_finite(p, o->sum);
    leave(l, o, done, last);
  }
  step_record(p, o->i, l->qv, l->zv);
  if (l->all) k_set(b, done, k_op2(b, OP_PLUS, o->i, k_integer(b, 1)));
  k_close(b);
  if (l->direct || l->here) end_stretch(l, done);
  if (l->here) forces_here(l, done);
  if (some) call_outside(l, done, last);
  return done;
}

static Whole *close(Linear *l, KValue done) {
  Step *p = l->p;
  step_store(p, l->q, p->w->nq, l->qv);
  step_store(p, l->z, p->w->nz, l->zv);
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
  o->drifts = l->drifts;
  for (int i = 0; l->here && i < p->w->nrow; i++)
    if (!ex_is_num(p->w->pool, l->at_rest[i], 0)) o->with_rest |= 1u << i;
  o->here = l->here;
  o->stays = l->stays;
  return o;
}

const Whole *whole_linear(Arena *a, Written *w, bool here) {
  if (!takes(w, here)) return NULL;
  Step step = step_open(a, w, "Fused steps: z1 = z + A (q, z, tau, 1), and the rows that act."), *p = &step;
  Linear linear = { .p = p }, *l = &linear;
  p->h = step_scalar(p, WHOLE_STEP);
  l->h = step_local(p, p->h);
  equations(l);
  contacts(l);
  linear_time(l);
  row_expressions(l);
  l->width = w->nq + w->nz + l->ntimed + 1;
  l->here = here && linear_rows_fit(l);
  if (here && !l->here) return step_drop(p);
  l->stays = !l->here && !l->timed_gaps && !l->timed_y && !l->drifts && linear_stays_fit(l);
  l->called = l->always || l->ncontact;
  l->all = l->called && !l->here && l->always;
  l->direct = !l->here && !l->all;
  linear_patterns(l);
  places(l);
  constants(l);
  variables(l);
  return close(l, loop(l));
}
