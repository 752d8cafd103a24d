// The mass matrix M = d2T/dq'2 must be positive definite: otherwise accelerations are not determined (E0506), or some
// motion has a kinetic energy below zero and runs away (E0507).
//
// M is evaluated at the start. Its connected blocks are scaled to a unit diagonal, so that units and mass ratios do not
// matter, and their smallest eigenvalue decides; the eigenvector is a motion to show. What depends on where the system
// goes from there is checked during the run.
#include <math.h>
#include <string.h>
#include "parts.h"

static const double SINGULAR = 1e-14;                // of the scaled block, for each of its rows

static Span kinetic_of(const Check *k, int coordinate, Span otherwise) {
  int var = symtab_at(k->s->sym, k->x->value[coordinate])->id;
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    for (int e = 0; e < c->mass.n && c->kinetic != EX_NONE; e++)
      if (c->slot[c->mass.at[e].row].var == var) return c->span;
  }
  return otherwise;
}

// --- no inertia at all: decided by structure, for systems of any size ---

static bool none(const Check *k, int var) {
  const System *s = k->s;
  for (int i = 0; i < s->ncls; i++)
    for (int e = 0; e < s->cls[i].mass.n; e++)
      if (!s->cls[i].is_equation && s->cls[i].slot[s->cls[i].mass.at[e].row].var == var) return false;
  const MVar *v = &s->model->var[var];
  Diag *d = diag(k->bag, DIAG_E0506, v->span, "the mass matrix is singular: coordinate `%s` has no inertia", v->plain);
  diag_label(d, "its velocity stands in no kinetic energy");
  diag_help(d, "kinetic m*%s'^2/2;", v->plain);
  return true;
}

// --- blocks ---

static int component(const Check *k, int first, bool *taken, int *block) {
  int n = 0, nz = k->x->nz;
  block[n++] = first;
  taken[first] = true;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k->x->nq; j++)
      if (!taken[j] && (k->x->M[block[i]*nz + j] != EX_NONE || k->x->M[j*nz + block[i]] != EX_NONE)) {
        taken[j] = true;
        block[n++] = j;
      }
  return n;
}

static const char *motion_text(const Check *k, const double *v, const int *block, int n) {
  double *all = ARENA_ARRAY(k->arena, double, k->x->nq + 1);
  for (int i = 0; i < n; i++) all[block[i]] = v[i];
  return vector_text(k, all, 0, k->x->nq, "'");
}

// v'Mv/2 for the motion as it is shown: the largest velocity is 1.
static double energy(const double *m, const double *v, int n) {
  double e = 0, largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) e += v[i]*m[i*n + j]*v[j]/2;
  return e/(largest*largest);
}

static void report(const Check *k, const double *m, const double *v, const int *block, int n, bool negative,
                   bool constant) {
  const char *motion = motion_text(k, v, block, n);
  int main = 0;
  for (int i = 1; i < n; i++) if (fabs(v[i]) > fabs(v[main])) main = i;
  const MVar *var = &k->s->model->var[symtab_at(k->s->sym, k->x->value[block[main]])->id];
  Span at = kinetic_of(k, block[main], var->span);
  Ex *entries = ARENA_ARRAY(k->arena, Ex, n*n + 1);
  for (int i = 0; i < n*n; i++) entries[i] = k->x->M[block[i/n]*k->x->nz + block[i%n]];
  const char *with = parameters_text(k, entries, n*n);
  Diag *d;
  if (negative) {
    d = diag(k->bag, DIAG_E0507, at, "the kinetic energy is not positive: it is %.3g for %s%s", energy(m, v, n), motion,
             constant ? "" : " at the start");
    diag_note(d, "with less energy the faster it moves, such a motion runs away");
    diag_help(d, "a kinetic energy is a sum of squares, m*v^2/2 with m > 0");
  } else {
    d = diag(k->bag, DIAG_E0506, at, "the mass matrix is singular: there is no kinetic energy in %s%s", motion,
             constant ? "" : " at the start");
    diag_note(d, "what accelerates this motion is not determined");
    diag_help(d, n > 1 ? "give each coordinate an inertia of its own, or leave one of them out"
                       : "give it a mass that is not zero");
  }
  if (with) diag_label(d, "with %s", with);
}

static void check_block(const Check *k, const int *block, int n) {
  double *m = ARENA_ARRAY(k->arena, double, n*n), *a = ARENA_ARRAY(k->arena, double, n*n),
         *w = ARENA_ARRAY(k->arena, double, n), *v = ARENA_ARRAY(k->arena, double, n*n),
         *scale = ARENA_ARRAY(k->arena, double, n), *motion = ARENA_ARRAY(k->arena, double, n);
  Point p = start_point(k);
  bool constant = true;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Ex e = k->x->M[block[i]*k->x->nz + block[j]];
      constant &= !moves(k, e);
      m[i*n + j] = at_point(&p, e);
      if (!isfinite(m[i*n + j])) return;             // known at the start of the run
    }
  for (int i = 0; i < n; i++) {
    double size = fabs(m[i*n + i]);
    for (int j = 0; j < n && m[i*n + i] == 0; j++) size = fmax(size, fabs(m[i*n + j]));
    scale[i] = size > 0 ? 1/sqrt(size) : 1;
  }
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i*n + j] = m[i*n + j]*scale[i]*scale[j];
  symmetric_eigen(a, n, w, v);
  int least = 0;
  for (int i = 1; i < n; i++) if (w[i] < w[least]) least = i;
  if (w[least] > n*SINGULAR) return;
  bool negative = w[least] < -n*SINGULAR;
  if (!negative && !constant) return;                // may be left at once: the run sees
  for (int i = 0; i < n; i++) motion[i] = v[i*n + least]*scale[i];
  report(k, m, motion, block, n, negative, constant);
}

// --- what is left of a kinetic energy at rest ---

typedef struct Rest { const Check *k; int number; double size; } Rest;

static double at_rest(int id, void *rest) {
  const Rest *r = rest;
  SymKind kind = symtab_at(r->k->s->sym, id)->kind;
  if (kind == SYM_RATE) return 0;
  if (kind == SYM_VALUE || kind == SYM_TIME) return r->size*generic_number(r->number, id);
  return here(id, (void *)r->k);
}

// T is a sum of squares, also where a frame moves: never below zero. A part without velocities that can be is a
// potential in the wrong place (W0832).
static void without_velocities(Check *k, const SysClass *c, void *ctx) {
  bool *reported = ctx;
  double least = 0;
  for (int i = 0; i < 12; i++) {
    Rest r = { k, i, i % 2 ? 1 : 10 };
    double t = ex_eval(k->s->pool, c->kinetic, at_rest, &r);
    least = fmin(least, isfinite(t) ? t : 0);
  }
  if (*reported || least > -1e-9) return;
  *reported = true;
  Diag *d = diag(k->bag, DIAG_W0832, c->span, "this kinetic energy has a part without velocities that can be negative");
  diag_note(d, "a kinetic energy is a sum of squares of velocities, and zero or positive at rest");
  diag_help(d, "a potential has a statement of its own: potential m*g*z;");
}

void check_inertia(Check *k) {
  for (int i = 0; i < k->s->ncls; i++) {
    bool reported = false;
    if (k->s->cls[i].kinetic != EX_NONE) each_instance(k, &k->s->cls[i], without_velocities, &reported);
  }
  bool bare = false;
  for (int v = 0; v < k->s->model->nvar; v++)
    if (k->s->model->var[v].kind == MV_COORD) bare |= none(k, v);
  if (bare || !k->x) return;
  bool *taken = ARENA_ARRAY(k->arena, bool, k->x->nq + 1);
  int *block = ARENA_ARRAY(k->arena, int, k->x->nq + 1);
  for (int i = 0; i < k->x->nq; i++)
    if (!taken[i]) check_block(k, block, component(k, i, taken, block));
}
