// What a class' `fill` calls back: numbers of variable elements and parameters, loop bounds. The first mistake is
// recorded with its statement and line, and the run does not start.
#include "sim.h"
#include <math.h>

// nsm_setup is the simulation itself, seen from emitted code.
static nsm_sim *sim_of(nsm_setup *s) { return (nsm_sim *)s; }

static nsm_place here(const nsm_sim *s, int line) { return (nsm_place){ NSM_AT_CLASS, s->filling, line }; }

static void wrong(nsm_sim *s, int line, const char *what, double index, const char *name, long lo, long hi) {
  if (s->fill_failed) return;
  s->fill_failed = 1;
  if (!(index == floor(index)))
    sim_fail_at(s->setup_error, NSM_MODEL_WRONG, here(s, line), "line %d: index %g of %s is not an integer", line, index, name);
  else if (hi < lo)
    sim_fail_at(s->setup_error, NSM_MODEL_WRONG, here(s, line), "line %d: index %.17g of %s is out of range: %s has no elements", line,
             index, name, what);
  else
    sim_fail_at(s->setup_error, NSM_MODEL_WRONG, here(s, line), "line %d: index %.17g of %s is out of range %ld..%ld", line, index, name,
             lo, hi);
}

int nsm_at(nsm_setup *setup, int var, int line, int nidx, const double *idx) {
  nsm_sim *s = sim_of(setup);
  if (var < 0 || var >= s->m->nvar) return 0;
  const sim_var *v = &s->var[var];
  const nsm_var *d = &s->m->var[var];
  long at = 0;
  for (int i = 0; i < nidx && i < 2; i++) {
    double k = idx[i] - (double)v->lo[i];
    if (!(k >= 0 && k < (double)v->n[i] && k == floor(k))) {
      wrong(s, line, "it", idx[i], sim_text(s, d->name), v->lo[i], v->lo[i] + v->n[i] - 1);
      return 0;
    }
    at = at * v->n[i] + (long)k;
  }
  // Rows of a family whose loops are not a rectangle (or that has more than two) have no address.
  if (s->rows_sized && v->n[0] * v->n[1] != v->count) {
    if (!s->fill_failed)
      sim_fail_at(s->setup_error, NSM_MODEL_WRONG, here(s, line),
                  "line %d: elements of %s cannot be named here: its loops are not a rectangle", line,
                  sim_text(s, d->name));
    s->fill_failed = 1;
    return 0;
  }
  return v->base + (int)at;
}

long nsm_bound(nsm_setup *setup, int line, double value) {
  nsm_sim *s = sim_of(setup);
  if (value == floor(value) && fabs(value) <= 2147483648.0) return (long)value;
  if (!s->fill_failed)
    sim_fail_at(s->setup_error, NSM_MODEL_WRONG, here(s, line), "line %d: a loop bound is %.17g, which is not an integer%s", line, value,
             value == floor(value) ? " of a reasonable size" : "");
  s->fill_failed = 1;
  return 0;
}

int nsm_par_at(nsm_setup *setup, int par, int line, int nidx, const double *idx) {
  nsm_sim *s = sim_of(setup);
  if (par < 0 || par >= s->m->npar) return 0;
  const nsm_par *d = &s->m->par[par];
  long at = 0;
  for (int i = 0; i < nidx && i < 2; i++) {
    if (!(idx[i] >= 1 && idx[i] <= d->dim[i] && idx[i] == floor(idx[i]))) {
      wrong(s, line, "it", idx[i], sim_text(s, d->name), 1, d->dim[i]);
      return 0;
    }
    at = at * d->dim[i] + (long)idx[i] - 1;
  }
  return par + (int)at;
}
