// State equations M x' = f: M has an inverse (E0508). That each state has one is seen to before (system/cover.c).
#include <math.h>
#include <string.h>
#include "parts.h"

// A combination of equations in which no derivative is left.
static void dependent(const Check *k, const double *left, int nx, const Ex *entries) {
  const Expanded *x = k->x;
  double largest = 0;
  int named[3], n = 0, count = 0;
  for (int i = 0; i < nx; i++) largest = fmax(largest, fabs(left[i]));
  for (int i = 0; i < nx; i++) {
    if (!(fabs(left[i]) > 1e-9*largest)) continue;
    if (n < 3) named[n++] = i;
    count++;
  }
  const SysClass *c = &k->s->cls[x->equation[x->nq + named[n - 1]]];
  const char *with = parameters_text(k, entries, nx*nx);
  Diag *d;
  if (count == 1)
    d = diag(k->bag, DIAG_E0508, c->span, "this equation does not contain the derivative of a state: its factor is 0");
  else
    d = diag(k->bag, DIAG_E0508, c->span,
             "the derivatives are not determined: a combination of %d equations contains none of them", count);
  if (with) diag_label(d, "with %s", with);
  for (int i = 0; i + 1 < n; i++) {
    const SysClass *other = &k->s->cls[x->equation[x->nq + named[i]]];
    bool new = other != c;
    for (int j = 0; j < i; j++) new &= other != &k->s->cls[x->equation[x->nq + named[j]]];
    if (new) diag_also(d, other->span, "one of them");
  }
  diag_note(d, "what is left is an algebraic equation, 0 = f");
  diag_help(d, "write it with a multiplier: relation N: -(f) in normal_cone([-inf, inf], u);");
}

static void nonsingular(const Check *k) {
  const Expanded *x = k->x;
  int nx = x->nx;
  double *m = ARENA_ARRAY(k->arena, double, nx*nx + 1), *left = ARENA_ARRAY(k->arena, double, nx + 1);
  Ex *entries = ARENA_ARRAY(k->arena, Ex, nx*nx + 1);
  if (k->s->algebraic_states) return;                  // no inertia on purpose
  Point p = start_point(k);
  for (int i = x->nq; i < x->nz; i++) if (x->equation[i] < 0) return;    // too large to be counted when compiling
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) {
      Ex e = x->M[(x->nq + i)*x->nz + x->nq + j];
      if (moves(k, e)) return;                       // known during the run
      entries[i*nx + j] = e;
      m[i*nx + j] = at_point(&p, e);
      if (!isfinite(m[i*nx + j])) return;
    }
  if (rank_of_rows(m, nx, nx, NO_PIVOT, left) < nx) dependent(k, left, nx, entries);
}

void check_equations(Check *k) {
  if (k->x && k->x->nx) nonsingular(k);
}
