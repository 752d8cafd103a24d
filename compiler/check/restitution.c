// Restitution that can create energy: a coefficient above 1 (W0810), and coefficients that differ between directions
// which act on each other (W0821).
//
// An impact has L.(u+ + E u-) <= 0 in each direction with E = diag(e), and u+ - u- = G L with G = H M^-1 H'
// (constraints projected out). So the energy changes by at most
//
//   T+ - T- <= -1/2 L'D G L,   D = (1 - e)/(1 + e) of each direction                                                (1)
//
// with equality where all contacts stick. One coefficient for all directions, normal and tangential, makes this
// <= 0 [Möller 2011, (5.133)]; otherwise (1) is evaluated, at the start and near it: is there an L in the cones of the
// laws for which L'D G L < 0? One contact alone (which approaches before its impact: G L >= 0 in its normal direction)
// and two at a time (where one may be about to open) are looked at. Contacts that face each other along one direction
// cannot both be closed. A unilateral relation on velocities (a sprag clutch) counts as restitution 0.
#include <math.h>
#include <string.h>
#include "parts.h"

enum { DIRECTIONS = 5, CONFIGURATIONS = 6, TRIES = 600, REFINED = 120, PAIRS = 6 };

// A contact with its friction: rows of the expanded system, the normal one first.
typedef struct Block { int n, row[DIRECTIONS]; double d[DIRECTIONS], radius[DIRECTIONS]; } Block;

typedef struct Impacts {
  Check *k;
  int n; Block *at;
  int nr; double *G;       // [nr*nr], at the configuration at hand
  bool *reported;              // [ncls*ncls] pairs of statements that can gain
  Diag *first;             // what was said of the first pair
  int more;                // other pairs
} Impacts;

static const SysClass *class_of(const Check *k, int row) { return &k->s->cls[k->x->row[row].cls]; }
static double number(const Check *k, Ex e, double otherwise) {
  double v = e == EX_NONE ? otherwise : value_of(k->s, e, NULL, 0);
  return v;
}

// --- W0810 ---

static bool outside(const Check *k, const SysClass *c, double e, const char *what) {
  if (!(e < 0 || e > 1)) return false;
  Diag *d = diag(k->bag, DIAG_W0810, c->law_span, "%s %g is outside of [0, 1]: impacts would %s", what, e,
                 e < 0 ? "penetrate" : "create energy");
  const char *with = parameters_text(k, &c->e, 1);
  if (with) diag_label(d, "with %s", with);
  diag_help(d, "a restitution lies between 0 (inelastic) and 1 (elastic)");
  return true;
}

typedef struct Range { const char *what; Ex e; bool reported; const SysClass *contact; } Range;

static void in_range(Check *k, const SysClass *c, void *ctx) {
  Range *r = ctx;
  (void)c;
  if (!r->reported) r->reported = outside(k, r->contact, value_of(k->s, r->e, k->loop, 8), r->what);
}

static void check_ranges(Check *k) {
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    bool tangential = c->kind == CLASS_FRICTION && c->direction == 0 && c->normal >= 0;
    if (c->e == EX_NONE || !(c->kind == CLASS_CONTACT || tangential)) continue;
    Range r = { tangential ? "tangential restitution" : "restitution", c->e, false,
                tangential ? &k->s->cls[c->normal] : c };
    every_instance(k, c, in_range, &r);
  }
}

// --- blocks of directions ---

static bool takes_impacts(const SysClass *c) {
  if (c->kind == CLASS_CONTACT) return true;
  bool velocities = false;
  for (int i = 0; i < c->h.n; i++) velocities |= c->h.at[i].wrt == WRT_V;
  return c->kind == CLASS_RELATION && c->row_type == 0 && velocities;
}

static double loss(double e) { return (1 - e)/(1 + e); }

static int first_row(const Check *k, int cls) {
  for (int r = 0; r < k->x->nr; r++) if (k->x->row[r].cls == cls) return r;
  return k->x->nr;
}

static int rows_of(const Check *k, int cls) {
  int n = 0;
  for (int r = 0; r < k->x->nr; r++) n += k->x->row[r].cls == cls;
  return n;
}

static double radius_of(const Check *k, const XRow *r, const SysClass *c) {
  double mu = number(k, r->mu, 1);
  if (friction_law(c->friction)->elliptic && c->direction == 1) return number(k, r->mu2, mu);
  if (c->rolls) return number(k, r->mu2, mu);
  return c->friction == MF_CONTENSOU && c->direction == 2 ? mu*number(k, r->radius, 1) : mu;
}

static void collect(Impacts *m) {
  const Check *k = m->k;
  int *block_of = ARENA_ARRAY(k->arena, int, k->x->nr + 1);
  for (int r = 0; r < k->x->nr; r++) {
    const SysClass *c = class_of(k, r);
    if (!takes_impacts(c)) continue;
    block_of[r] = m->n;
    m->at[m->n++] = (Block){ .n = 1, .row = { r }, .d = { loss(number(k, k->x->row[r].e, 0)) } };
  }
  for (int r = 0; r < k->x->nr; r++) {
    const SysClass *c = class_of(k, r);
    if (c->kind != CLASS_FRICTION || c->normal < 0 || k->s->cls[c->normal].kind != CLASS_CONTACT) continue;
    if (rows_of(k, c->normal) != rows_of(k, k->x->row[r].cls)) continue;         // a family that was cut
    int normal = first_row(k, c->normal) + r - first_row(k, k->x->row[r].cls);   // instance by instance
    Block *b = &m->at[block_of[normal]];
    if (b->n == DIRECTIONS) continue;
    b->d[b->n] = loss(number(k, k->x->row[r].e, 0));
    b->radius[b->n] = radius_of(k, &k->x->row[r], c);
    b->row[b->n++] = r;
  }
}

// --- G = H K H', K = M^-1 less the directions of constraints ---

static bool gather(const Impacts *m, const Point *p) {
  const Expanded *x = m->k->x;
  int nq = x->nq, nr = x->nr;
  double *M = ARENA_ARRAY(m->k->arena, double, nq*nq + 1), *K = ARENA_ARRAY(m->k->arena, double, nq*nq + 1),
         *H = ARENA_ARRAY(m->k->arena, double, nr*nq + 1), *Kh = ARENA_ARRAY(m->k->arena, double, nq + 1);
  for (int i = 0; i < nq; i++) {
    K[i*nq + i] = 1;
    for (int j = 0; j < nq; j++) M[i*nq + j] = at_point(p, x->M[i*x->nz + j]);
  }
  for (int i = 0; i < nr*nq; i++)
    H[i] = at_point(p, (class_of(m->k, i/nq)->kind == CLASS_RELATION ? x->Cv : x->H)[i]);
  for (int i = 0; i < nr*nq; i++) if (!isfinite(H[i])) return false;
  for (int i = 0; i < nq*nq; i++) if (!isfinite(M[i])) return false;
  if (!solve_dense_system(M, K, nq, nq)) return false;
  for (int r = 0; r < nr; r++) {
    if (class_of(m->k, r)->kind != CLASS_CONSTRAINT) continue;
    double size = 0, whole = 0;
    for (int i = 0; i < nq; i++) {
      Kh[i] = 0;
      for (int j = 0; j < nq; j++) Kh[i] += K[i*nq + j]*H[r*nq + j];
      size += Kh[i]*H[r*nq + i];
      whole += fabs(K[i*nq + i])*H[r*nq + i]*H[r*nq + i];
    }
    if (!(size > 1e-12*whole)) continue;              // implied by the ones before
    for (int i = 0; i < nq; i++) for (int j = 0; j < nq; j++) K[i*nq + j] -= Kh[i]*Kh[j]/size;
  }
  for (int r = 0; r < nr; r++) {
    for (int i = 0; i < nq; i++) {
      Kh[i] = 0;
      for (int j = 0; j < nq; j++) Kh[i] += K[i*nq + j]*H[r*nq + j];
    }
    for (int s = 0; s < nr; s++) {
      m->G[r*nr + s] = 0;
      for (int i = 0; i < nq; i++) m->G[r*nr + s] += Kh[i]*H[s*nq + i];
    }
  }
  return true;
}

// --- the least of L'D G L ---

enum { MOST = 2*DIRECTIONS };
typedef struct Form { int n, blocks, first[2]; double G[MOST][MOST], d[MOST], radius[MOST]; } Form;

static Form form_of(const Impacts *m, const Block *a, const Block *b) {
  Form f = { .blocks = b ? 2 : 1 };
  int row[MOST];
  for (int k = 0; k < f.blocks; k++) {
    const Block *block = k ? b : a;
    f.first[k] = f.n;
    for (int i = 0; i < block->n; i++) {
      f.d[f.n] = block->d[i];
      f.radius[f.n] = block->radius[i];
      row[f.n++] = block->row[i];
    }
  }
  for (int i = 0; i < f.n; i++) for (int j = 0; j < f.n; j++) f.G[i][j] = m->G[row[i]*m->nr + row[j]];
  return f;
}

// Into the cones: normal parts not negative, tangential ones inside of their ellipse.
static void project(const Form *f, double *l) {
  for (int k = 0; k < f->blocks; k++) {
    int from = f->first[k], to = k + 1 < f->blocks ? f->first[k + 1] : f->n;
    l[from] = fabs(l[from]);
    double size = 0;
    for (int i = from + 1; i < to; i++) size += f->radius[i] > 0 ? pow(l[i]/f->radius[i], 2) : 0;
    double shrink = size > l[from]*l[from] ? l[from]/sqrt(size) : 1;
    for (int i = from + 1; i < to; i++) l[i] = f->radius[i] > 0 ? l[i]*shrink : 0;
  }
}

// L'D G L relative to the size of its terms; 0 where a contact alone would have to separate before its impact.
static double gain(const Form *f, const double *l) {
  double value = 0, size = 0;
  for (int i = 0; i < f->n; i++) {
    double u = 0, terms = 0;
    for (int j = 0; j < f->n; j++) {
      u += f->G[i][j]*l[j];
      terms += fabs(f->G[i][j]*l[j]);
    }
    if (i == 0 && f->blocks == 1 && u < -1e-12*terms) return 0;
    value += l[i]*f->d[i]*u;
    size += fabs(l[i]*f->d[i])*terms;
  }
  return size > 0 ? value/size : 0;
}

static bool can_gain(const Form *f) {
  static const double LESS = -1e-6;
  double best = 0, l[MOST], at[MOST] = {0};
  for (int t = 0; t < TRIES + REFINED; t++) {
    double near = t < TRIES ? 1 : ldexp(1, -(t - TRIES)/10);
    for (int i = 0; i < f->n; i++) {
      double scale = f->radius[i] > 0 ? fmin(f->radius[i], 10) : 1;
      l[i] = (t < TRIES ? 0 : at[i]) + near*scale*generic_number(t, i);
    }
    project(f, l);
    double g = gain(f, l);
    if (g >= best) continue;
    best = g;
    memcpy(at, l, sizeof at);
  }
  return best < LESS;
}

// --- what is said ---

static void warn_alone(const Impacts *m, const Block *b) {
  const Check *k = m->k;
  const SysClass *c = class_of(k, b->row[0]);
  double e = number(k, k->x->row[b->row[0]].e, 0), e_t = number(k, k->x->row[b->row[1]].e, 0);
  Diag *d = diag(k->bag, DIAG_W0821, c->law_span,
                 "%s has restitution %g, its friction %g, and they act on each other: an impact can create energy",
                 c->shown, e, e_t);
  diag_note(d, "one coefficient for both directions, newton(e, e), never does");
}

static bool friction_differs(const Block *a, const Block *b) { return a->n + b->n > 2 && a->d[0] == b->d[0]; }

static void warn_pair(Impacts *m, const Block *a, const Block *b) {
  const Check *k = m->k;
  if (m->first) { m->more++; return; }
  const SysClass *c = class_of(k, a->row[0]), *e = class_of(k, b->row[0]);
  const char *differ = friction_differs(a, b) ? "friction with another restitution (e_t)" : "different restitution";
  Diag *d = diag(k->bag, DIAG_W0821, e->span,
                 "%s and %s have %s and act on each other: an impact at both can create energy", c->shown, e->shown,
                 differ);
  if (c != e) diag_also(d, c->span, "%s", c->shown);
  if (c->kind == CLASS_RELATION || e->kind == CLASS_RELATION)
    diag_note(d, "a unilateral law on velocities counts as restitution 0");
  else diag_note(d, "one coefficient for all, between 0 and 1, and for friction newton(e, e), never does");
  m->first = d;
}

static bool *reported(const Impacts *m, const Block *a, const Block *b) {
  return &m->reported[m->k->x->row[a->row[0]].cls*m->k->s->ncls + m->k->x->row[b->row[0]].cls];
}

static bool face_each_other(const Impacts *m, const Block *a, const Block *b) {
  int i = a->row[0], j = b->row[0];
  double ij = m->G[i*m->nr + j], ii = m->G[i*m->nr + i], jj = m->G[j*m->nr + j];
  return ij < 0 && ij*ij >= (1 - 1e-12)*ii*jj;
}

static bool uniform(const Block *a, const Block *b) {
  bool same = true;
  for (int i = 0; i < a->n; i++) same &= a->d[i] == a->d[0] || isnan(a->d[i]);
  for (int i = 0; b && i < b->n; i++) same &= b->d[i] == a->d[0] || isnan(b->d[i]);
  return same || isnan(a->d[0]);
}

static void look(Impacts *m) {
  int *pairs = ARENA_ARRAY(m->k->arena, int, m->k->s->ncls*m->k->s->ncls + 1);
  for (int i = 0; i < m->n; i++) {
    Block *a = &m->at[i];
    if (*reported(m, a, a) || uniform(a, NULL)) continue;
    Form f = form_of(m, a, NULL);
    if ((*reported(m, a, a) = can_gain(&f))) warn_alone(m, a);
  }
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < i; j++) {
      const Block *a = &m->at[j], *b = &m->at[i];
      int *seen = &pairs[reported(m, a, b) - m->reported];
      if (*reported(m, a, b) || uniform(a, b) || face_each_other(m, a, b) || *seen >= PAIRS) continue;
      if (!uniform(a, NULL) && *reported(m, a, a)) continue;
      if (!uniform(b, NULL) && *reported(m, b, b)) continue;
      Form f = form_of(m, a, b);
      bool coupled = false;
      for (int r = 0; r < a->n; r++) for (int s = a->n; s < f.n; s++) coupled |= f.G[r][s] != 0;
      if (!coupled) continue;
      (*seen)++;
      if ((*reported(m, a, b) = can_gain(&f))) warn_pair(m, a, b);
    }
}

static bool all_uniform(const Impacts *m) {
  for (int i = 0; i < m->n; i++) if (!uniform(&m->at[0], &m->at[i])) return false;
  return true;
}

void check_restitution(Check *k) {
  if (model_impact(k->s->model) == MI_NEWTON) check_ranges(k);             // else impact_laws.c
  if (!k->x || diag_errors(k->bag) || model_impact(k->s->model) != MI_NEWTON) return;
  Impacts m = { .k = k, .at = ARENA_ARRAY(k->arena, Block, k->x->nr + 1), .nr = k->x->nr,
                .G = ARENA_ARRAY(k->arena, double, k->x->nr*k->x->nr + 1),
                .reported = ARENA_ARRAY(k->arena, bool, k->s->ncls*k->s->ncls + 1) };
  collect(&m);
  if (all_uniform(&m)) return;
  for (int i = 0; i < CONFIGURATIONS; i++) {
    Point p = generic_point(k, i, i ? 0.5 : 0);
    if (gather(&m, &p)) look(&m);
  }
  if (m.more) diag_note(m.first, "the same holds for %d more pair%s", m.more, m.more == 1 ? "" : "s");
}
