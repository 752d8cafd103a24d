// Relations whose law cannot hold (E0416: the lower bound above the upper one) and whose sign feeds (W0824).
//
// -y in N_[lo,hi](lambda) is a monotone law where y grows with lambda: at degree r, where d^r y/dt^r = ... + p lambda
// with p > 0 (p = D, CB, ...; docs/numerics/relative-degree.md). With p < 0 each push moves the output further away
// from where the law wants it: a relay is left instead of reached, and a complementarity has two solutions or none. A
// row is checked alone, where no other multiplier stands in its derivative; at degree 2 and more an oscillator needs no
// sign.
#include <math.h>
#include <string.h>
#include "parts.h"

// --- bounds ---

static ExRange any(int id, void *check) {
  double v = here(id, check);
  return isnan(v) ? (ExRange){ -INFINITY, INFINITY } : (ExRange){ v, v };
}

typedef struct Bounds { bool reported; } Bounds;

static void bounds(Check *k, const SysClass *c, void *ctx) {
  Bounds *b = ctx;
  Pool *p = k->s->pool;
  if (b->reported || c->lo == EX_NONE || c->hi == EX_NONE) return;
  ExRange between = ex_range(p, ex_sub(p, c->lo, c->hi), any, k);
  if (!(between.lo > 0)) return;
  b->reported = true;
  ExRange lo = ex_range(p, c->lo, any, k), hi = ex_range(p, c->hi, any, k);
  Diag *d = diag(k->bag, DIAG_E0416, c->law_span,
                 "the lower bound of this law lies above the upper one");
  if (lo.lo == lo.hi && hi.lo == hi.hi) diag_label(d, "from %.4g to %.4g: nothing lies between", lo.lo, hi.hi);
  else diag_label(d, "at least %.4g above it", between.lo);
  const char *with = parameters_text(k, (Ex[]){ c->lo, c->hi }, 2);
  if (with) diag_note(d, "with %s", with);
  diag_help(d, "normal_cone([lo, hi], u) takes the smaller one first; the height of a relay is not negative");
}

// --- signs ---


static double entry(const Point *p, Ex e, bool *good) {
  double v = at_point(p, e);
  *good &= isfinite(v);
  return v;
}

// p of every row at a point: D where it is not zero, else C M^-1 B; nan where other multipliers take part or the degree
// is higher.
static bool signs_at(const Check *k, const Point *p, double *sign) {
  const Expanded *x = k->x;
  int nq = x->nq, nx = x->nx, nz = x->nz, nr = x->nr;
  double *M = ARENA_ARRAY(k->arena, double, nz*nz + 1), *B = ARENA_ARRAY(k->arena, double, nz*nr + 1);
  bool good = true;
  for (int i = 0; i < nz*nz; i++) M[i] = entry(p, x->M[i], &good);
  for (int i = 0; i < nz*nr; i++) B[i] = entry(p, x->B[i], &good);
  for (int r = 0; r < nr; r++) for (int i = 0; i < nq; i++) B[i*nr + r] += entry(p, x->H[r*nq + i], &good);
  if (!good || !solve_dense_system(M, B, nz, nr)) return false;
  for (int r = 0; r < nr; r++) {
    sign[r] = NAN;
    if (k->s->cls[x->row[r].cls].kind != CLASS_RELATION) continue;
    double own = 0, others = 0;
    bool algebraic = false;
    for (int j = 0; j < nr; j++) algebraic |= x->D[r*nr + j] != EX_NONE;
    for (int j = 0; j < nr; j++) {
      double v = algebraic ? entry(p, x->D[r*nr + j], &good) : 0;
      for (int i = 0; !algebraic && i < nq; i++) v += entry(p, x->Cv[r*nq + i], &good)*B[i*nr + j];
      for (int i = 0; !algebraic && i < nx; i++) v += entry(p, x->Cx[r*nx + i], &good)*B[(nq + i)*nr + j];
      if (j == r) own = v; else others = fmax(others, fabs(v));
    }
    if (good && others == 0) sign[r] = own;
  }
  return good;
}

static void feeds(const Check *k, const SysClass *c) {
  bool relay = c->row_type == 1;
  Diag *d = diag(k->bag, DIAG_W0824, c->y_span,
                 "this law has the sign that feeds: its multiplier drives the output the wrong way");
  diag_note(d, relay ? "it pushes away from the switch: from there it goes either way"
                     : "where the output is zero it has two solutions, or none");
  diag_help(d, relay ? "a relay that brings s to zero reads u in -K*sgn(s), where u adds to the derivative of s"
                     : "change the sign of the multiplier where it acts, or of the output");
}

static void signs(Check *k) {
  enum { POINTS = 4 };
  const Expanded *x = k->x;
  double *worst = ARENA_ARRAY(k->arena, double, x->nr + 1), *sign = ARENA_ARRAY(k->arena, double, x->nr + 1);
  bool *reported = ARENA_ARRAY(k->arena, bool, k->s->ncls + 1);
  for (int r = 0; r < x->nr; r++) worst[r] = -INFINITY;
  for (int i = 0; i < POINTS; i++) {
    Point p = generic_point(k, i, i ? 1 : 0);
    if (!signs_at(k, &p, sign)) return;
    for (int r = 0; r < x->nr; r++) worst[r] = isnan(sign[r]) ? INFINITY : fmax(worst[r], sign[r]);
  }
  for (int r = 0; r < x->nr; r++) {
    const SysClass *c = &k->s->cls[x->row[r].cls];
    if (c->kind != CLASS_RELATION || c->row_type == 2 || !(worst[r] < 0) || reported[x->row[r].cls]) continue;
    reported[x->row[r].cls] = true;
    feeds(k, c);
  }
}

void check_laws(Check *k) {
  bool relations = false;
  for (int i = 0; i < k->s->ncls; i++) {
    if (k->s->cls[i].kind != CLASS_RELATION) continue;
    relations = true;
    Bounds b = { false };
    every_instance(k, &k->s->cls[i], bounds, &b);
  }
  if (relations && k->x && k->x->nr && !diag_errors(k->bag)) signs(k);
}
