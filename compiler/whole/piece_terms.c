// The equations of a scheme, written out: of every unknown i and of every row k
//
//   R_i = sum_j M_ij (z1_j - z_j) - sum over points of by f_i - sum_k H_ki p_k,      rate_k + e before_k
//
// each function at its point of the piece, and all derivatives by z1. A point's positions and velocities are symbols of
// their own, so d/dz1_j is the sum over the points of
//
//   share d/dz_j + way d/dq_j,   way: how far z1 moves the positions of the point
#include "pieces.h"
#include "../base/fatal.h"

Ex piece_none(const Pieces *m) { return ex_num(m->p->w->pool, 0); }

static void add(const Pieces *m, Ex *to, Ex e) { *to = ex_add(m->p->w->pool, *to, e); }

// ---- points ---------------------------------------------------------------------------------------------------------
Weight piece_weight(Pieces *m, Ex e) {
  Step *p = m->p;
  const Pool *pool = p->w->pool;
  if (ex_operator(pool, e) == OP_NUM)
    return (Weight){ e, ex_is_num(pool, e, 0) ? K_NONE : k_number(p->b, ex_value(pool, e)) };
  for (int i = 0; i < m->nweight; i++) if (m->weight[i].of == e) return m->weight[i].is;
  KValue v;
  step_values(p, &e, 1, &v);
  if (!k_node(p->b, v)->name) k_name(p->b, v, step_name(p, "by", m->nweight), NULL);
  Weight is = { step_local(p, v), v };
  INVARIANT(m->nweight < 64);
  m->weight[m->nweight].of = e;
  m->weight[m->nweight++].is = is;
  return is;
}

static Ex times_h(const Pieces *m, Ex e) {
  Pool *pool = m->p->w->pool;
  return ex_mul(pool, ex_sym(pool, symtab_id(m->p->w->sys->sym, (Sym){ .kind = SYM_H })), e);
}

static Moment own_moment(int point) {
  return point == BEGIN ? AT_BEGIN : point == END ? AT_END : (Moment)(AT_OTHER + point - END - 1);
}

static void spot(Pieces *m, int i) {
  Pool *pool = m->p->w->pool;
  Spot *s = &m->spot[i];
  if (s->used) return;
  Weight no = { piece_none(m), K_NONE };
  *s = (Spot){ .used = true, .own_q = true, .own_z = true, .q = AT_BEGIN, .z = AT_BEGIN, .t = K_NONE, .time = no,
               .begin = no, .end = no, .rest = no, .share = no, .way = no };
  if (i == BEGIN) return;
  const Point *y = &m->point[i], *end = &m->point[END];
  spot(m, y->from);
  if (i != END && y->from == end->from && y->time == end->time && y->begin == end->begin && y->end == end->end &&
      y->share == end->share) {
    *s = m->spot[END];                                     // the end by another name
    s->own_q = s->own_z = false;
    return;
  }
  Ex way = y->end;
  for (int at = y->from; at != BEGIN; at = m->point[at].from) add(m, &way, m->point[at].end);
  s->from = y->from;
  s->time = piece_weight(m, times_h(m, y->time));
  s->begin = piece_weight(m, times_h(m, y->begin));
  s->end = piece_weight(m, times_h(m, y->end));
  s->share = piece_weight(m, y->share);
  s->rest = piece_weight(m, ex_sub(pool, ex_num(pool, 1), y->share));
  s->way = piece_weight(m, times_h(m, way));
  s->late = s->way.v != K_NONE || s->share.v != K_NONE;
  s->own_q = s->time.v != K_NONE || s->begin.v != K_NONE || s->end.v != K_NONE;
  s->q = s->own_q ? own_moment(i) : m->spot[y->from].q;
  s->z = s->share.v == K_NONE ? AT_BEGIN : s->rest.v == K_NONE ? AT_END : own_moment(i);
  s->own_z = s->z == own_moment(i);
}

void piece_spots(Pieces *m) {
  for (int i = 0; i < PIECE_POINTS; i++) if (i == BEGIN || m->point[i].time != EX_NONE) spot(m, i);
}

static Ex at_spot(const Pieces *m, Ex e, int point) {
  return written_at(m->p->w, e, m->spot[point].q, m->spot[point].z);
}

// ---- the equations --------------------------------------------------------------------------------------------------
static Piece statement(const Pieces *m, const Instance *at) {
  Written *w = m->p->w;
  return (Piece){ w->arena, w->sys, w->pool, &w->sys->cls[at->cls] };
}

static void add_force(Pieces *m, const Instance *at, const Term *t) {
  Written *w = m->p->w;
  const Kernel *f = &at->pc->kernel[KERNEL_F];
  if (!m->force[t->point]) m->force[t->point] = written_zeros(w, w->nz);
  m->by[t->point] = piece_weight(m, ex_neg(w->pool, t->weight));
  for (int r = 0; r < f->n; r++) {
    int row = written_z(w, at, at->pc->c->row[r]);
    if (row >= 0) add(m, &m->force[t->point][row], at_spot(m, written(w, at, f->value[r]), t->point));
  }
}

static void add_inertia(Pieces *m, const Instance *at, const Term *t) {
  Written *w = m->p->w;
  const Kernel *mass = &at->pc->kernel[KERNEL_MASS];
  INVARIANT(ex_is_num(w->pool, t->weight, 1));
  m->mass_at = t->point;
  m->mass_moves |= mass->stage > STAGE_CONST;
  for (int e = 0; e < mass->n; e++) {
    int row = written_z(w, at, at->pc->c->mass.at[e].row), col = written_z(w, at, at->pc->c->mass.at[e].col);
    if (row >= 0 && col >= 0) add(m, &m->M[row * w->nz + col], at_spot(m, written(w, at, mass->value[e]), t->point));
  }
}

static Row *rows_of(Pieces *m, ClassKind kind, int *n) {
  Written *w = m->p->w;
  const Instance **at;
  *n = written_list(w, kind, &at);
  Row *row = ARENA_ARRAY(w->arena, Row, *n + 1);
  for (int k = 0; k < *n; k++) {
    Piece p = statement(m, at[k]);
    Ex rate, *H = written_zeros(w, w->nz);
    row[k] = (Row){ .at = at[k], .along = written_zeros(w, w->nz), .H = written_zeros(w, w->nz) };
    written_row(w, at[k], &rate, H);
    int end = point_of(&p, m->text->rate(&p), RATE);
    row[k].rate = at_spot(m, rate, end);
    row[k].before = at_spot(m, rate, point_of(&p, m->text->before(&p), RATE));
    for (int j = 0; j < w->nz; j++) {
      row[k].along[j] = at_spot(m, H[j], point_of(&p, m->text->impulse(&p), IMPULSE));
      row[k].H[j] = at_spot(m, H[j], end);
    }
    if (at[k]->pc->e_num >= 0)
      row[k].e = ex_sym(w->pool, written_symbol(w, ROLE_CONSTANT, AT_END,
                                                written_constant(w, at[k], at[k]->pc->e_num)));
  }
  return row;
}

// gap + lead rate, both at a point that the begin knows.
static void gaps_of(Pieces *m) {
  Written *w = m->p->w;
  m->gap = written_zeros(w, m->ncontact);
  m->rate = written_zeros(w, m->ncontact);
  for (int k = 0; k < m->ncontact; k++) {
    const Instance *at = m->contact[k].at;
    Piece p = statement(m, at);
    Terms t = terms_of(&p, m->text->closed(&p));
    for (int i = 0; i < t.n; i++) {
      INVARIANT(!m->spot[t.at[i].point].late);
      bool gap = t.at[i].of == GAP;
      if (!gap) m->lead = piece_weight(m, t.at[i].weight);
      Ex e = at_spot(m, written(w, at, at->pc->kernel[KERNEL_GAP].value[!gap]), t.at[i].point);
      *(gap ? &m->gap[k] : &m->rate[k]) = e;
    }
  }
}

void piece_contacts(Pieces *m) {
  m->lead = (Weight){ piece_none(m), K_NONE };
  m->contact = rows_of(m, CLASS_CONTACT, &m->ncontact);
  gaps_of(m);
}

void piece_constraints(Pieces *m) { m->constraint = rows_of(m, CLASS_CONSTRAINT, &m->nc); }

Ex piece_row(const Pieces *m, const Instance *at) {
  Piece p = statement(m, at);
  bool relation = at->pc->c->kind == CLASS_RELATION;
  int point = relation ? point_of(&p, m->text->relation(&p), OUTPUT) : point_of(&p, m->text->rate(&p), RATE);
  return at_spot(m, written(m->p->w, at, at->pc->kernel[relation ? KERNEL_Y : KERNEL_RATE].value[0]), point);
}

// The terms of all smooth statements in one function of the model.
static void momenta(Pieces *m, ModelFunction of, void (*add_term)(Pieces *, const Instance *, const Term *)) {
  const Written *w = m->p->w;
  for (int i = 0; i < w->n; i++) {
    const Instance *at = &w->at[i];
    if (at->pc->c->kind != CLASS_SMOOTH) continue;
    Piece p = statement(m, at);
    Terms t = terms_of(&p, m->text->momentum(&p));
    for (int k = 0; k < t.n; k++) if (t.at[k].of == of) add_term(m, at, &t.at[k]);
  }
}

void piece_forces(Pieces *m) {
  momenta(m, FORCE, add_force);
  m->carried = m->force[BEGIN] && m->force[END];
}

void piece_inertia(Pieces *m) {
  m->M = written_zeros(m->p->w, m->p->w->nz * m->p->w->nz);
  momenta(m, INERTIA, add_inertia);
}

// ---- systems and their derivatives ----------------------------------------------------------------------------------
void piece_rows(Pieces *m, int system) {
  Arena *a = m->p->arena;
  Rows *r = &m->rows[system];
  *r = (Rows){ .row = ARENA_ARRAY(a, const Row *, m->nc + STRUCK + 1) };
  r->suffix = system == 0 ? "" : arena_printf(a, "%c", 'a' + system - 1);
  for (int k = 0; k < m->nc; k++) r->row[r->n++] = &m->constraint[k];
  for (int k = 0; k < STRUCK; k++) {
    if (!(system >> k & 1)) continue;
    r->struck[r->nstruck++] = k;
    r->row[r->n++] = &m->contact[m->number[k]];
  }
}

bool piece_fits(const Pieces *m, const Rows *r) {
  int nz = m->p->w->nz, n = nz + r->n;
  bool *pattern = ARENA_ARRAY(m->p->arena, bool, n * n + 1);
  for (int i = 0; i < nz; i++)
    for (int j = 0; j < nz; j++) pattern[i * n + j] = (!m->iterates || i == j) && m->M[i * nz + j] != piece_none(m);
  for (int k = 0; k < r->n; k++)
    for (int j = 0; j < nz; j++) {
      pattern[j * n + nz + k] = r->row[k]->along[j] != piece_none(m);
      pattern[(nz + k) * n + j] = r->row[k]->H[j] != piece_none(m);
    }
  return factors_exist(m->p->arena, n, nz, pattern);
}

static Ex slope(const Pieces *m, Ex e, RoleKind kind, Moment at, int index) {
  return ex_diff(m->p->w->pool, e, written_symbol(m->p->w, kind, at, index));
}

// de/dz1_j
static Ex chain(const Pieces *m, Ex e, int j) {
  Written *w = m->p->w;
  Ex sum = piece_none(m);
  for (int i = 0; i < PIECE_POINTS; i++) {
    const Spot *s = &m->spot[i];
    if (!s->used || !s->late) continue;
    if (s->own_q && s->way.v != K_NONE && j < w->nq)
      add(m, &sum, ex_mul(w->pool, s->way.e, slope(m, e, ROLE_Q, s->q, j)));
    if (s->own_z)
      add(m, &sum, ex_mul(w->pool, s->share.e, j < w->nq ? slope(m, e, ROLE_V, s->z, j)
                                                         : slope(m, e, ROLE_X, s->z, j - w->nq)));
  }
  return sum;
}

static void derivatives(const Pieces *m, Rows *r, const Ex *inc, const Ex *impulse) {
  Written *w = m->p->w;
  Pool *p = w->pool;
  int nz = w->nz;
  for (int i = 0; i < nz; i++) {
    Ex R = piece_none(m);                                  // with z1 - z and p held fixed
    for (int l = 0; l < nz; l++) add(m, &R, ex_mul(p, m->M[i * nz + l], inc[l]));
    for (int k = 0; k < r->n; k++) R = ex_sub(p, R, ex_mul(p, impulse[k], r->row[k]->along[i]));
    for (int j = 0; j < nz; j++) {
      Ex d = ex_add(p, m->M[i * nz + j], chain(m, R, j));
      for (int k = 0; k < PIECE_POINTS; k++)
        if (m->force[k] && m->spot[k].late) d = ex_sub(p, d, ex_mul(p, m->by[k].e, chain(m, m->force[k][i], j)));
      r->J[i * nz + j] = d;
    }
  }
  for (int k = 0; k < r->n; k++)
    for (int j = 0; j < nz; j++) r->C[k * nz + j] = chain(m, r->row[k]->rate, j);
}

// Values that an iterate is checked by, in `root`; derivatives in `more`; the constants of both.
void piece_expressions(Pieces *m, Rows *r) {
  Step *p = m->p;
  Written *w = p->w;
  int nz = w->nz, n = r->n, most = PIECE_POINTS * nz + nz * nz + 2 * n * nz + n;
  Ex *inc = ARENA_ARRAY(p->arena, Ex, nz + 1), *impulse = ARENA_ARRAY(p->arena, Ex, n + 1);
  for (int i = 0; i < nz; i++) inc[i] = ex_sym(w->pool, m->inc_at[i]);
  for (int i = 0; i < n; i++) impulse[i] = ex_sym(w->pool, m->impulse_at[i]);
  r->J = written_zeros(w, nz * nz);
  r->C = written_zeros(w, n * nz);
  derivatives(m, r, inc, impulse);
  Ex *to = r->root = ARENA_ARRAY(p->arena, Ex, most + 1);
  for (int k = 0; k < PIECE_POINTS; k++)
    for (int i = 0; m->force[k] && m->spot[k].late && i < nz; i++) *to++ = m->force[k][i];
  r->at_M = (int)(to - r->root);
  for (int i = 0; m->spot[m->mass_at].late && i < nz * nz; i++) *to++ = m->M[i];
  r->at_along = (int)(to - r->root);
  for (int i = 0; i < n * nz; i++) *to++ = r->row[i / nz]->along[i % nz];
  r->at_H = (int)(to - r->root);
  for (int i = 0; i < n * nz; i++) *to++ = r->row[i / nz]->H[i % nz];
  r->at_rate = (int)(to - r->root);
  for (int k = 0; k < n; k++) *to++ = r->row[k]->rate;
  r->nroot = (int)(to - r->root);
  r->nmore = nz * nz + n * nz;
  r->more = ARENA_ARRAY(p->arena, Ex, r->nmore + 1);
  r->left = ARENA_ARRAY(p->arena, Ex, r->nmore + 1);
  for (int i = 0; i < nz * nz; i++) r->more[i] = r->J[i];
  for (int i = 0; i < n * nz; i++) r->more[nz * nz + i] = r->C[i];
  step_constants(p, r->root, r->nroot);
  step_constants(p, r->more, r->nmore);
}
