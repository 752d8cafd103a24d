// State equations M x' = f: each state has one, and M has an inverse (E0504, E0203, E0508).
#include <math.h>
#include <string.h>
#include "parts.h"

static const char *state_name(const Check *k, int i) { return sym_name(k->x->value[i], (void *)k->s); }

static bool one_each(const Check *k) {
  const Expanded *x = k->x;
  bool good = true;
  for (int i = x->nq; i < x->nz && good; i++) {
    if (x->second[i] >= 0) {
      const SysClass *first = &k->s->cls[x->equation[i]], *again = &k->s->cls[x->second[i]];
      Diag *d = diag(k->bag, DIAG_E0504, again->span, "state `%s` has two equations", state_name(k, i));
      if (first != again) diag_also(d, first->span, "the other one");
      diag_help(d, "each state has exactly one equation for its derivative");
      good = false;
    } else if (x->equation[i] < 0) {
      const MVar *v = &k->s->model->var[symtab_at(k->s->sym, x->value[i])->id];
      Diag *d = diag(k->bag, DIAG_E0203, v->span, "missing equation for state `%s`", state_name(k, i));
      diag_label(d, "nothing says how it changes");
      diag_help(d, "%s' = ...;", state_name(k, i));
      good = false;
    }
  }
  return good;
}

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
  for (int i = 0; i + 1 < n; i++) diag_also(d, k->s->cls[x->equation[x->nq + named[i]]].span, "one of them");
  diag_note(d, "what is left is an algebraic equation, 0 = f");
  diag_help(d, "write it with a multiplier: relation N: -(f) in normal_cone([-inf, inf], u);");
}

static void nonsingular(const Check *k) {
  const Expanded *x = k->x;
  int nx = x->nx;
  double *m = ARENA_ARRAY(k->arena, double, nx*nx + 1), *left = ARENA_ARRAY(k->arena, double, nx + 1);
  Ex *entries = ARENA_ARRAY(k->arena, Ex, nx*nx + 1);
  Point p = start_point(k);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) {
      Ex e = x->M[(x->nq + i)*x->nz + x->nq + j];
      if (moves(k, e)) return;                       // known during the run
      entries[i*nx + j] = e;
      m[i*nx + j] = at_point(&p, e);
      if (!isfinite(m[i*nx + j])) return;
    }
  if (rank_of_rows(m, nx, nx, left) < nx) dependent(k, left, nx, entries);
}

void check_equations(Check *k) {
  if (k->x && k->x->nx && one_each(k)) nonsingular(k);
}
