// Derivatives of what a model for exchange computes along a direction (FMI 2.0, 2.1.9; FMI 3.0, 2.2.11), and their
// transpose. The values are those that the tool would get; their central differences
//
//   D(h) = (f(x + h s) - f(x - h s)) / (2 h) = f'(x) s + c2 h^2 + c4 h^4 + ...                                    (1)
//
// are carried on to h = 0 by Neville's scheme over h, h/2, h/4, ... [Ridders 1982], which says how far off it is. A
// difference at a much smaller h has to agree: else h was beyond what the model does nearby, and it begins anew there.
#include "directional.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 7, PASSES = 3 };
static const double widest = 0x1p-5, shrinks = 0x1p-9;     // first h beside the sizes of x; of the next pass
static const double settled = 1e-13, fails = 1e-6, differs = 1e-3;         // parts of a derivative
static const double far_off = 1e-9, rounded = 1e-5;      // of a value, or of 1, by a change of x by its size

typedef struct table {
  double old[LEVELS], row[LEVELS];      // Neville's scheme: the last row, this one
  double best, off, most;               // derivative; how far off; largest |f|
  int    done;
} table;

typedef struct direction {
  fmi_component *c;
  uint32_t *unknown, *known;            // each an element
  size_t    n, m;
  const double *seed;
  double   *base, *plus, *minus;        // [m] [n] [n]
  table    *of;                         // [n]
  double    size;                       // the largest step that (1) may take
} direction;

static int wrong(fmi_component *c, nsm_code code, const char *call, const char *why) {
  c->error = (nsm_error){ .code = code };
  snprintf(c->error.text, sizeof c->error.text, "%s: %s", call, why);
  return 0;
}

// ---- what is asked --------------------------------------------------------------------------------------------------
// Variables as their elements, to be freed; NULL: there is none such, or no memory.
static uint32_t *elements(fmi_component *c, const uint32_t *reference, size_t n, size_t *all) {
  *all = 0;
  for (size_t i = 0; i < n; i++) {
    int count = fmi_count(c, reference[i]);
    if (count == 0) return NULL;
    *all += (size_t)count;
  }
  uint32_t *to = malloc((*all + 1) * sizeof *to), *at = to;
  if (!to) wrong(c, NSM_USAGE, "a derivative", "there is no memory");
  for (size_t i = 0; to && i < n; i++)
    for (int k = 0, count = fmi_count(c, reference[i]); k < count; k++) *at++ = reference[i] + (uint32_t)k;
  return to;
}

static int can_vary(const fmi_component *c, uint32_t r) {
  uint32_t i = r & FMI_NUMBER;
  if (r >= FMI_DERIVATIVE) return 0;
  if (r >= FMI_INPUT) return 1;
  return r >= FMI_PARAMETER ? !c->m->par[i].structural : i >= 1 && (int)i <= c->nstate;
}

static int is_computed(uint32_t r) { return r >= FMI_DERIVATIVE || (r < FMI_PARAMETER && r > 0); }

static void close_direction(direction *d) {
  free(d->unknown);
  free(d->known);
  free(d->base);
  free(d->of);
}

static int open_direction(direction *d, fmi_component *c, const fmi_derivative *of) {
  *d = (direction){ .c = c };
  d->unknown = elements(c, of->unknown, of->nunknown, &d->n);
  d->known = d->unknown ? elements(c, of->known, of->nknown, &d->m) : NULL;
  if (!d->known) return 0;
  for (size_t i = 0; i < d->n; i++)
    if (!is_computed(d->unknown[i])) return wrong(c, NSM_USAGE, "a derivative", "an unknown is not computed");
  for (size_t i = 0; i < d->m; i++)
    if (!can_vary(c, d->known[i]))
      return wrong(c, NSM_USAGE, "a derivative", "a known is no state, input or tunable parameter");
  d->base = calloc(d->m + 2 * d->n + 1, sizeof(double));
  d->of = calloc(d->n + 1, sizeof *d->of);
  if (!d->base || !d->of) return wrong(c, NSM_USAGE, "a derivative", "there is no memory");
  d->plus = d->base + d->m;
  d->minus = d->plus + d->n;
  for (size_t i = 0; i < d->m; i++) {
    if (!fmi_get_element(c, d->known[i], &d->base[i])) return 0;
    if (d->known[i] >= FMI_INPUT && isnan(nsm_get_input(c->s, (int)(d->known[i] & FMI_NUMBER))))
      return wrong(c, NSM_USAGE, "a derivative", "an input has the value of the model: set it first");
  }
  return 1;
}

// ---- differences ----------------------------------------------------------------------------------------------------
// Values at x + h s. In a run the states at hand are what the tool gave.
static int values(direction *d, double h, double *f) {
  fmi_component *c = d->c;
  for (size_t i = 0; i < d->m; i++) {
    double x = d->base[i] + h * d->seed[i];
    if (d->seed[i] == 0) continue;
    if (d->known[i] < FMI_PARAMETER && c->phase != FMI_INITIALIZING) c->before[d->known[i]] = x;
    else if (!fmi_set_element(c, d->known[i], x)) return 0;
  }
  c->known = 0;
  for (size_t i = 0; i < d->n; i++)
    if (!fmi_get_element(c, d->unknown[i], &f[i])) return 0;
  return 1;
}

// D(h) into `minus`; 0: the model has no values there.
static int difference(direction *d, double h) {
  if (!values(d, h, d->plus) || !values(d, -h, d->minus)) return 0;
  for (size_t i = 0; i < d->n; i++) {
    if (!isfinite(d->plus[i]) || !isfinite(d->minus[i])) return 0;
    d->of[i].most = fmax(d->of[i].most, fmax(fabs(d->plus[i]), fabs(d->minus[i])));
    d->minus[i] = (d->plus[i] - d->minus[i]) / (2 * h);
  }
  return 1;
}

// One more row of Neville's scheme, of `level` others.
static void extend(table *t, int level, double first) {
  memcpy(t->old, t->row, sizeof t->row);
  t->row[0] = first;
  double by = 1;
  for (int k = 1; k <= level; k++) {
    by *= 4;
    t->row[k] = t->row[k - 1] + (t->row[k - 1] - t->old[k - 1]) / (by - 1);
    double off = fmax(fabs(t->row[k] - t->row[k - 1]), fabs(t->row[k] - t->old[k - 1]));
    if (off < t->off) { t->off = off; t->best = t->row[k]; }
  }
}

// Levels from h on; a level without values begins the scheme anew.
static void one_pass(direction *d, double h) {
  for (size_t i = 0; i < d->n; i++) if (!d->of[i].done) d->of[i].off = INFINITY;
  for (int all = 0, level = 0; all < LEVELS; all++, h /= 2) {
    if (!difference(d, h)) { level = 0; continue; }
    int sharp = level >= 2;
    for (size_t i = 0; i < d->n; i++) {
      table *t = &d->of[i];
      if (t->done) continue;
      extend(t, level, d->minus[i]);
      sharp &= t->off <= settled * fabs(t->best);
    }
    level++;
    if (sharp) return;
  }
}

// Is a difference at h much the same, but for round-off? `last`: then the estimate of the scheme is believed.
static int all_agree(direction *d, double h, int last) {
  int all = 1, there = difference(d, h);
  for (size_t i = 0; i < d->n; i++) {
    table *t = &d->of[i];
    double one = fmax(1, t->most) / d->size, off = fabs(t->best - d->minus[i]);
    if (t->done) continue;
    int sharp = t->off <= fails * fabs(t->best) || t->off <= far_off * one;
    t->done = sharp && (last || (there && (off <= differs * fabs(t->best) || off <= rounded * one)));
    all &= t->done;
  }
  return all;
}

static int derivative(direction *d, const double *seed, double *out) {
  d->seed = seed;
  d->size = INFINITY;
  memset(d->of, 0, d->n * sizeof *d->of);
  memset(out, 0, d->n * sizeof *out);
  for (size_t i = 0; i < d->m; i++) {
    double x = fabs(d->base[i]);
    int free_of_sign = d->known[i] < FMI_PARAMETER || d->known[i] >= FMI_INPUT;
    if (!isfinite(seed[i])) return wrong(d->c, NSM_USAGE, "a derivative", "a seed is not finite");
    if (seed[i] != 0) d->size = fmin(d->size, (free_of_sign ? fmax(x, 1) : x > 0 ? x : 1) / fabs(seed[i]));
  }
  if (isinf(d->size)) return 1;
  double h = widest * d->size;
  for (int pass = 0; pass < PASSES; pass++, h *= shrinks) {
    one_pass(d, h);
    if (!all_agree(d, h * shrinks, pass == PASSES - 1)) continue;
    for (size_t i = 0; i < d->n; i++) out[i] = d->of[i].best;
    return 1;
  }
  return wrong(d->c, NSM_FAILED, "a derivative", "the model is not smooth enough at this point");
}

// ---- the calls ------------------------------------------------------------------------------------------------------
// One derivative of all unknowns, or for each known the sum of those by it.
static int asked(direction *d, const fmi_derivative *of, double *out) {
  if (!of->adjoint) return derivative(d, of->seed, out);
  double *column = calloc(d->n + d->m + 1, sizeof *column), *one = column + d->n;
  int ok = column != NULL || wrong(d->c, NSM_USAGE, "a derivative", "there is no memory");
  for (size_t j = 0; ok && j < d->m; j++) {
    out[j] = 0;
    one[j] = 1;
    ok = derivative(d, one, column) && values(d, 0, d->plus);              // x stands where it was
    one[j] = 0;
    for (size_t i = 0; ok && i < d->n; i++) out[j] += of->seed[i] * column[i];
  }
  free(column);
  return ok;
}

int fmi_derive(fmi_component *c, const fmi_derivative *of, double *out) {
  direction d = { .c = c };
  void *kept = NULL;
  if (!fmi_exchanges(c, "a derivative") || !fmi_fresh(c)) return 0;
  if (!fmi_has_derivatives(c->s))
    return wrong(c, NSM_USAGE, "a derivative", "constraints of the model depend on each other, and off them "
                 "it has none");
  int ok = open_direction(&d, c, of) && fmi_keep(c, &kept, "a derivative");
  if (ok) {
    ok = asked(&d, of, out);
    nsm_error why = c->error;
    if (!fmi_take_back(c, kept, "a derivative")) ok = 0;
    else c->error = why;
  }
  fmi_forget(&kept);
  close_direction(&d);
  return ok;
}
