// What a class' `fill` calls back: numbers of variable elements and parameters, loop bounds. The first mistake is
// recorded with its statement and line, and the run does not start.
#include "assembly.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

// nsm_setup is the simulation itself, seen from emitted code.
static nsm_sim *sim_of(nsm_setup *s) { return (nsm_sim *)s; }

static nsm_place here(const nsm_sim *s, int line) { return (nsm_place){ NSM_AT_CLASS, s->filling, line }; }

// Indices of an element, and the line that asks for it.
typedef struct indices { int line, n; const double *at; } indices;

// `name` with the indices as they are, of which number `which` is wrong; the range is empty where hi < lo.
static void wrong(nsm_sim *s, indices of, const char *name, int which, long lo, long hi) {
  char element[256];
  int line = of.line;
  double k = of.at[which];
  if (s->fill_failed) return;
  s->fill_failed = 1;
  sim_expand_written(element, sizeof element, name, of.at, of.n);
  if (!(k == floor(k)))
    sim_fail_at(s->setup_error, NSM_MODEL_WRONG, here(s, line),
                "line %d: %s does not exist: index %.17g is not an integer", line, element, k);
  else if (hi < lo)
    sim_fail_at(s->setup_error, NSM_MODEL_WRONG, here(s, line), "line %d: %s does not exist: there are no elements",
                line, element);
  else
    sim_fail_at(s->setup_error, NSM_MODEL_WRONG, here(s, line),
                "line %d: %s does not exist: index %.17g is out of range %ld..%ld", line, element, k, lo, hi);
}

static int row_at(nsm_sim *s, int var, int line, int nidx, const double *idx) {
  const nsm_var *d = &s->a->m->var[var];
  int level = 0;
  long lo = 0, hi = 0, at = sim_loops_find(s, d->cls, nidx, idx, &level, &lo, &hi);
  if (at >= 0) return s->a->var[var].base + (int)at;
  wrong(s, (indices){ line, nidx, idx }, sim_text(s, d->name), level, lo, hi);
  return 0;
}

int nsm_at(nsm_setup *setup, int var, int line, int nidx, const double *idx) {
  nsm_sim *s = sim_of(setup);
  if (var < 0 || var >= s->a->m->nvar) return 0;
  const sim_var *v = &s->a->var[var];
  const nsm_var *d = &s->a->m->var[var];
  if (d->kind == NSM_VAR_ROW && d->cls >= 0) return row_at(s, var, line, nidx, idx);
  long at = 0;
  for (int i = 0; i < nidx && i < NSM_MOST_INDICES; i++) {
    double k = idx[i] - (double)v->lo[i];
    if (!(k >= 0 && k < (double)v->n[i] && k == floor(k))) {
      wrong(s, (indices){ line, nidx, idx }, sim_text(s, d->name), i, v->lo[i], v->lo[i] + v->n[i] - 1);
      return 0;
    }
    at = at * v->n[i] + (long)k;
  }
  return v->base + (int)at;
}

int nsm_at_1(nsm_setup *s, int var, int line, double i) { return nsm_at(s, var, line, 1, &i); }
int nsm_at_2(nsm_setup *s, int var, int line, double i, double k) {
  return nsm_at(s, var, line, 2, (const double[]){ i, k });
}

int nsm_none(nsm_setup *setup) { return sim_of(setup)->a->nl; }

double nsm_points(const double *const *points, int table) { return (double)(uintptr_t)points[table]; }

void nsm_loop(nsm_setup *setup, int level, long lo, long hi) { sim_loops_record(sim_of(setup), level, lo, hi); }

long nsm_bound(nsm_setup *setup, int line, double value) {
  nsm_sim *s = sim_of(setup);
  if (value == floor(value) && fabs(value) <= 2147483648.0) return (long)value;
  if (!s->fill_failed)
    sim_fail_at(s->setup_error, NSM_MODEL_WRONG, here(s, line),
                "line %d: a loop bound is %.17g, which is not an integer%s", line, value,
                value == floor(value) ? " of a reasonable size" : "");
  s->fill_failed = 1;
  return 0;
}

int nsm_par_at(nsm_setup *setup, int par, int line, int nidx, const double *idx) {
  nsm_sim *s = sim_of(setup);
  if (par < 0 || par >= s->a->m->npar) return 0;
  const nsm_par *d = &s->a->m->par[par];
  long at = 0;
  for (int i = 0; i < nidx && i < 2; i++) {
    if (!(idx[i] >= 1 && idx[i] <= d->dim[i] && idx[i] == floor(idx[i]))) {
      char array[256];                                        // the first element carries the shape: "k[1]" -> "k[%]"
      snprintf(array, sizeof array, "%.*s[%s]", (int)strcspn(sim_text(s, d->name), "["), sim_text(s, d->name),
               nidx > 1 ? "%,%" : "%");
      wrong(s, (indices){ line, nidx, idx }, array, i, 1, d->dim[i]);
      return 0;
    }
    at = at * d->dim[i] + (long)idx[i] - 1;
  }
  return par + (int)at;
}
