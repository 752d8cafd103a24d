// Steps by the equations of a scheme (schemes/<name>.c), in which no contact is closed, or one or two are struck. With
// the unknowns z1 and the impulses p of constraints, R = 0 and rate = 0 of piece_terms.c, all derivatives of both.
//
// Where the equations are affine in the unknowns they are solved once. Else by Newton's method, from z or from z and
// its last change; and f at the end is that of the begin of the next step, where a scheme takes it at both.
//
// A contact without friction that is struck is one more constraint, rate + e rate_before = 0, with an impulse that
// presses; the solution is written once more for each such contact, of two at most, and for both.
//
// s: q [nq], z [nz], p [constraints], gain* [nz] (z1 - z of the last step), off* [2], reach [rows], iterations*; of the
// contacts that can be struck: impulses, how often they were, iterations* then (*: where it iterates)
#include "pieces.h"

enum { STRUCK_UNKNOWNS = 8 };           // of an iteration that is written more than once

static KValue plus(const Pieces *m, KValue x, KValue y) { return k_op2(m->p->b, OP_PLUS, x, y); }
static KValue times(const Pieces *m, KValue x, KValue y) { return step_mul(m->p, x, y); }

// The systems: of constraints, with each contact that can be struck. False where one has no order of elimination.
static bool systems(Pieces *m) {
  Written *w = m->p->w;
  piece_rows(m, 0);
  if (!piece_fits(m, &m->rows[0])) return false;
  for (int j = 0; j < m->ncontact && m->nstruck < STRUCK && !w->located; j++) {
    if (!written_rebounds(w, m->contact[j].at) || (m->iterates && w->nz > STRUCK_UNKNOWNS)) continue;
    m->number[m->nstruck] = j;
    piece_rows(m, m->nstruck + 1);
    m->nstruck += piece_fits(m, &m->rows[m->nstruck + 1]);
  }
  m->nsystem = m->nstruck + 1;
  if (m->nstruck == STRUCK) {
    piece_rows(m, SYSTEMS - 1);
    if (piece_fits(m, &m->rows[SYSTEMS - 1])) m->nsystem = SYSTEMS;
  }
  int n = w->nz + m->nc + m->nstruck + 1;
  m->inc_at = ARENA_ARRAY(m->p->arena, int, n);
  m->impulse_at = ARENA_ARRAY(m->p->arena, int, n);
  for (int i = 0; i < w->nz; i++) m->inc_at[i] = ex_symbol(w->pool, step_local(m->p, K_NONE));
  for (int i = 0; i < m->nc + m->nstruck; i++) m->impulse_at[i] = ex_symbol(w->pool, step_local(m->p, K_NONE));
  for (int k = 0; k < m->nsystem; k++) piece_expressions(m, &m->rows[k]);
  return true;
}

static void constants(Pieces *m) {
  Step *p = m->p;
  step_scalar(p, WHOLE_START);
  m->tolerance = step_scalar(p, WHOLE_TOLERANCE);
  for (int k = 0; k < PIECE_POINTS; k++) if (m->force[k]) step_constants(p, m->force[k], p->w->nz);
  step_constants(p, m->M, p->w->nz * p->w->nz);
  for (int k = 0; k < m->nstruck; k++) {
    step_constants(p, &m->contact[m->number[k]].e, 1);
    step_constants(p, &m->contact[m->number[k]].before, 1);
  }
  step_constants(p, m->gap, m->ncontact);
  step_constants(p, m->rate, m->ncontact);
}

// ---- variables ------------------------------------------------------------------------------------------------------
typedef struct Places { int z, p, gain, off, reach, count, push; } Places;

static Places places(const Pieces *m) {
  const Written *w = m->p->w;
  Places at = { .z = w->nq, .p = w->nq + w->nz };
  at.gain = at.p + m->nc;
  at.off = at.gain + (m->iterates ? w->nz : 0);
  at.reach = at.off + (m->iterates ? 2 : 0);
  at.count = at.reach + w->nrow;
  at.push = at.count + m->iterates;
  return at;
}

static void variables(Pieces *m, const Places *at) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nz = p->w->nz;
  m->q = step_variables(p, "q", p->w->nq, 0);
  m->z = step_variables(p, "z", nz, at->z);
  m->pv = step_variables(p, "p", m->nc, at->p);
  m->push = step_variables(p, "push", m->nstruck, at->push);
  if (m->nstruck) m->strikes = k_variable(b, "strikes", k_number(b, 0));
  m->S = ARENA_ARRAY(p->arena, KValue, nz + 1);
  if (!m->iterates) return;
  m->count = k_variable(b, "count", k_at_number(b, p->s, at->count));
  if (m->nstruck) m->solved = k_variable(b, "solved", k_number(b, 0));
  m->gain = step_variables(p, "gain", nz, at->gain);
  m->off = step_variables(p, "off", 2, at->off);
  m->z1 = ARENA_ARRAY(p->arena, KValue, nz + 1);
  m->p1 = ARENA_ARRAY(p->arena, KValue, m->nc + STRUCK + 1);
  for (int i = 0; i < nz; i++) m->z1[i] = k_variable(b, step_name(p, "zi", i), k_number(b, 0));
  for (int i = 0; i < m->nc + m->nstruck; i++) m->p1[i] = k_variable(b, step_name(p, "pi", i), k_number(b, 0));
}

// f at the begin of the first step.
static void first_force(Pieces *m) {
  Step *p = m->p;
  int nz = p->w->nz;
  m->fv = ARENA_ARRAY(p->arena, KValue, nz + 1);
  step_use(p, AT_BEGIN, step_gotten(p, "qa", p->w->nq, m->q), step_gotten(p, "za", nz, m->z));
  p->t0 = k_name(p->b, step_time(p, k_integer(p->b, 0), 0), "tb", NULL);
  step_values(p, m->force[BEGIN], nz, m->fv);
  for (int i = 0; i < nz; i++) m->fv[i] = k_variable(p->b, step_name(p, "force", i), m->fv[i]);
}

// ---- the step -------------------------------------------------------------------------------------------------------
// Positions and velocities of the points that the begin knows.
static void begin(Pieces *m, KValue i) {
  Step *p = m->p;
  m->Q = step_gotten(p, "qk", p->w->nq, m->q);
  m->Z = step_gotten(p, "zk", p->w->nz, m->z);
  for (int k = 0; k < PIECE_POINTS; k++) piece_time(m, k, i);
  piece_start(m);
  for (int k = 0; k < PIECE_POINTS; k++) if (m->spot[k].used && !m->spot[k].late) piece_place(m, k, NULL);
}

// Which contacts are struck, 0: none is closed; the loop ends where it is otherwise.
static void contacts(Pieces *m, const KValue *reach, KValue hit) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int n = m->ncontact;
  KValue *gap = ARENA_ARRAY(p->arena, KValue, 3 * n + 1), *x = gap + n, *sure = x + n;
  Ex *all = ARENA_ARRAY(p->arena, Ex, 2 * n + 1);
  KValue *v = ARENA_ARRAY(p->arena, KValue, 2 * n + 1);
  for (int j = 0; j < n; j++) { all[2 * j] = m->gap[j]; all[2 * j + 1] = m->rate[j]; }
  step_values(p, all, 2 * n, v);
  for (int j = 0; j < n; j++) {
    x[j] = m->lead.v == K_NONE ? v[2 * j] : plus(m, v[2 * j], times(m, m->lead.v, v[2 * j + 1]));
    if (m->nstruck && !k_node(b, x[j])->name) k_name(b, x[j], step_name(p, "near", j), NULL);
    sure[j] = step_open_for_sure(p, reach[j], v[2 * j], v[2 * j + 1], x[j]);
    for (int k = 0; k < m->nstruck; k++) if (m->number[k] == j) m->rate_before[k] = v[2 * j + 1];
  }
  if (m->nstruck) k_set(b, hit, k_integer(b, 0));
  step_struck(p, n, x, sure, reach, &(Strikes){ m->nstruck, m->nsystem - 1, m->number, hit });
}

// S: what forces at points that the begin knows add to R.
static void early_forces(Pieces *m) {
  Step *p = m->p;
  KBuilder *b = p->b;
  int nz = p->w->nz;
  for (int j = 0; j < nz; j++) m->S[j] = K_NONE;
  for (int k = 0; k < PIECE_POINTS; k++) {
    if (!m->force[k] || m->spot[k].late) continue;
    KValue *f = ARENA_ARRAY(p->arena, KValue, nz + 1);
    bool kept = k == BEGIN && m->carried;
    if (kept) for (int j = 0; j < nz; j++) f[j] = k_get(b, m->fv[j]);
    else step_values(p, m->force[k], nz, f);
    for (int j = 0; j < nz; j++)
      if (m->force[k][j] != piece_none(m) && m->by[k].v != K_NONE)
        m->S[j] = step_add(p, m->S[j], times(m, m->by[k].v, f[j]));
  }
  for (int j = 0; j < nz; j++)
    if (m->S[j] != K_NONE && !k_node(b, m->S[j])->name) k_name(b, m->S[j], step_name(p, "sk", j), NULL);
}

// Where Newton's iteration begins.
static void guess(Pieces *m) {
  Step *p = m->p;
  KBuilder *b = p->b;
  if (!m->iterates) return;
  m->old = step_gotten(p, "go", p->w->nz, m->gain);
  KValue moving = k_name(b, k_double(b, k_op2(b, OP_LT, k_get(b, m->off[1]), k_get(b, m->off[0]))), "moving", NULL);
  for (int j = 0; j < p->w->nz; j++) k_set(b, m->z1[j], plus(m, m->Z[j], times(m, moving, m->old[j])));
  for (int k = 0; k < m->nc; k++) k_set(b, m->p1[k], k_get(b, m->pv[k]));
}

// e times the rate before, of the contacts that are struck; it may have been asked for with the gap.
static void kick(Pieces *m, Rows *r) {
  Step *p = m->p;
  p->suffix = r->suffix;
  for (int k = 0; k < r->nstruck; k++) {
    int contact = m->number[r->struck[k]];
    const Row *row = &m->contact[contact];
    KValue before = m->rate_before[r->struck[k]],
           e = p->constant[written_role(p->w, ex_symbol(p->w->pool, row->e)).index];
    if (row->before != m->rate[contact]) step_values(p, &row->before, 1, &before);
    r->kick[k] = k_name(p->b, times(m, e, before), step_name(p, "kick", contact), NULL);
    if (m->iterates) k_set(p->b, m->p1[m->nc + k], k_get(p->b, m->push[r->struck[k]]));
  }
  p->suffix = "";
}

// By the contacts that are struck.
static void solve(Pieces *m, KValue hit) {
  KBuilder *b = m->p->b;
  k_set(b, m->ok, k_integer(b, 0));
  if (m->nstruck) k_if(b, k_op2(b, OP_EQ, k_get(b, hit), k_integer(b, 0)));
  piece_solve(m, &m->rows[0]);
  for (int k = 1; k < m->nsystem; k++) {
    k_else(b);
    if (k + 1 < m->nsystem) k_if(b, k_op2(b, OP_EQ, k_get(b, hit), k_integer(b, k)));
    kick(m, &m->rows[k]);
    piece_solve(m, &m->rows[k]);
  }
  for (int k = 1; k < m->nsystem; k++) k_close(b);
  k_if(b, k_op2(b, OP_EQ, k_get(b, m->ok), k_integer(b, 0)));
  k_break(b);
  k_close(b);
}

// The steps; how many were done.
static KValue loop(Pieces *m, const Places *at) {
  Step *p = m->p;
  KBuilder *b = p->b;
  KValue *reach = ARENA_ARRAY(p->arena, KValue, m->ncontact + 1),
         hit = m->nstruck ? k_variable(b, "hit", k_integer(b, 0)) : K_NONE;
  for (int j = 0; j < m->ncontact; j++)
    reach[j] = k_name(b, k_at_number(b, p->s, at->reach + m->contact[j].at->row), step_name(p, "reach", j), NULL);
  bool early = !m->spot[m->mass_at].late;
  if (early && !m->mass_moves) piece_factor_mass(m);
  piece_sizes_of_mass(m);
  if (m->carried) first_force(m);
  KValue done = k_variable(b, "done", k_integer(b, 0));
  m->ok = k_variable(b, "ok", k_integer(b, 0));
  KValue i = k_loop(b, "i", k_integer(b, 0), p->n);
  begin(m, i);
  if (m->ncontact) contacts(m, reach, hit);
  if (early && m->mass_moves) piece_factor_mass(m);
  early_forces(m);
  guess(m);
  solve(m, hit);
  step_record(p, i, m->q, m->z);
  k_set(b, done, plus(m, i, k_integer(b, 1)));
  k_close(b);
  return done;
}

static void store(Pieces *m, const Places *at) {
  Step *p = m->p;
  step_store(p, 0, p->w->nq, m->q);
  step_store(p, at->z, p->w->nz, m->z);
  step_store(p, at->p, m->nc, m->pv);
  step_store(p, at->push, m->nstruck, m->push);
  step_store(p, at->push + m->nstruck, m->nstruck > 0, &m->strikes);
  if (!m->iterates) return;
  step_store(p, at->gain, p->w->nz, m->gain);
  step_store(p, at->off, 2, m->off);
  step_store(p, at->count, 1, &m->count);
  step_store(p, at->push + m->nstruck + 1, m->nstruck > 0, &m->solved);
}

const Whole *whole_piece(Arena *a, Written *w) {
  const Plan *plan = w->plan;
  bool explicit_step = plan->scheme->explicit_step;
  if ((plan->one_iteration && !explicit_step) || (explicit_step && w->nx > 0) || !written_by_impulses(w)) return NULL;
  Step step = step_open(a, w, "Whole steps by the equations of a scheme, while no contact is closed."), *p = &step;
  Pieces pieces = { .p = p, .text = plan->equations, .point = plan->point }, *m = &pieces;
  m->iterates = !plan->one_iteration;
  p->h = step_scalar(p, WHOLE_STEP);
  piece_spots(m);
  piece_forces(m);
  piece_inertia(m);
  piece_constraints(m);
  piece_contacts(m);
  if (!systems(m)) return step_drop(p);
  constants(m);
  Places at = places(m);
  variables(m, &at);
  KValue done = loop(m, &at);
  store(m, &at);
  Whole *o = step_close(p, WHOLE_PIECE, done);
  o->nstruck = m->nstruck;
  for (int k = 0; k < m->nstruck; k++) o->struck[k] = m->contact[m->number[k]].at->row;
  return o;
}
