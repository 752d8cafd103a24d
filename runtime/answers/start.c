// Columns of constants, start values and times of the clock with their derivatives by parameters and initial values.
//
// All of these are made when a simulation is opened, and no time passes meanwhile: a start that is projected, defaults
// that hang on other parameters, instants of the start are in it. So the simulation is opened with three pairs of
// values of each parameter, at distances d, d/2, d/4, and what it holds is extrapolated [Richardson 1911]: with
// d = 2^-6 |p| or less the error of a product, a quotient or a power is that of rounding, some 1e-14.
#include "play.h"
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 3, SIDE = 7, CLOCK = 3 };
// Of values at 0, d, ... 6 d the derivative at 0: where a parameter stands at the end of its range.
static const double one_sided[SIDE] = { -49.0 / 20, 6, -15.0 / 2, 20.0 / 3, -15.0 / 4, 6.0 / 5, -1.0 / 6 };

static size_t columns_of(const nsm_sim *s) {
  size_t n = 0;
  for (int c = 0; c < s->a->m->nclass; c++) n += (size_t)s->a->cls[c].tab.count * (size_t)s->a->m->cls[c].nnum;
  return n;
}

size_t play_start_size(const nsm_sim *s) {
  return columns_of(s) + (size_t)(s->a->nq + s->a->nz + s->a->nl + 1 + s->a->nd + 2 * s->a->ndelay) + CLOCK;
}

// Where what was before the start is kept of late quantity i: at time 0 of the clock, before its events.
static int before(const nsm_sim *s, int i) { return s->a->signal[s->a->nsignal - s->a->ndelay + i].ring; }

static void gather(const nsm_sim *s, double *x) {
  for (int c = 0; c < s->a->m->nclass; c++) {
    size_t n = (size_t)s->a->cls[c].tab.count * (size_t)s->a->m->cls[c].nnum;
    if (n > 0) memcpy(x, s->a->cls[c].tab.num, n * sizeof *x);
    x += n;
  }
  const double *from[] = { s->now.q, s->now.z, s->now.l, s->now.d, s->now.last };
  const int n[] = { s->a->nq, s->a->nz, s->a->nl + 1, s->a->nd, s->a->ndelay };
  for (int i = 0; i < 5; x += n[i++]) if (n[i] > 0) memcpy(x, from[i], (size_t)n[i] * sizeof *x);
  for (int i = 0; i < s->a->ndelay; i++) *x++ = s->now.ring[before(s, i)];
  x[0] = s->a->start;
  x[1] = s->a->step;
  x[2] = s->a->until;
}

// The start with another value of the parameter, or of the initial value. 0 with the reason.
static int start_with(const player *p, const play_name *name, double value, double *x, nsm_error *e) {
  nsm_settings set = p->s->a->settings;
  nsm_assignment *all = calloc((size_t)set.nset + 1, sizeof *all);
  if (!all) return sim_no_memory(e, "a start"), 0;
  if (set.nset > 0) memcpy(all, set.set, (size_t)set.nset * sizeof *all);
  if (name->parameter >= 0) all[set.nset++] = (nsm_assignment){ name->text, value };
  if (play_is_end(name)) {
    set.step = p->s->a->step * (value - p->s->a->start) / (p->s->a->until - p->s->a->start);
    set.until = value;
  }
  set.set = all;
  set.dump_problems = NULL;
  nsm_sim *s = nsm_open(p->s->a->given, &set, e);
  free(all);
  if (!s && name->parameter >= 0 && e) {                  // as a number of members
    char why[sizeof e->text];
    snprintf(why, sizeof why, "%s", e->text);
    sim_fail_at(e, NSM_USAGE, sim_at_parameter(name->parameter), "E0773: `%s` cannot be changed a little: %s",
                name->text, why);
  }
  if (!s) return 0;
  int good = play_start_size(s) == play_start_size(p->s) &&
             (name->column < 0 || nsm_write_column(s, name->column, value, e) == NSM_OK);
  if (good) gather(s, x);
  else sim_fail(e, NSM_USAGE, "E0773: `%s` changes sizes of the model", name->text);
  nsm_close(s);
  return good;
}

static double spacing(double value) {
  int exponent;
  if (value == 0) return ldexp(1, -6);
  frexp(value, &exponent);
  return ldexp(1, exponent - 7);
}

// Extrapolated from pairs. 0: one of them has no start.
static int by_pairs(const player *p, const play_name *name, double value, size_t n, double *x, double *d) {
  double delta = spacing(value);
  for (int k = 0; k < PAIRS; k++, delta *= 0.5) {
    if (!start_with(p, name, value + delta, x, NULL) || !start_with(p, name, value - delta, x + n, NULL)) return 0;
    double *to = x + (2 + (size_t)k) * n;
    for (size_t i = 0; i < n; i++) to[i] = (x[i] - x[n + i]) / (2 * delta);
  }
  for (size_t i = 0; i < n; i++) {
    double a = x[2 * n + i], b = x[3 * n + i], c = x[4 * n + i], ab = b + (b - a) / 3, bc = c + (c - b) / 3;
    d[i] = a == b && b == c ? a : bc + (bc - ab) / 15;
  }
  return 1;
}

static int by_side(const player *p, const play_name *name, double value, size_t n, double *x, double *d, nsm_error *e) {
  double delta = spacing(value) / 4;
  nsm_error other;
  if (!start_with(p, name, value + delta, x, &other)) delta = -delta;
  memset(d, 0, n * sizeof *d);
  for (int k = 0; k < SIDE; k++) {
    if (!start_with(p, name, value + k * delta, x, e)) return 0;
    for (size_t i = 0; i < n; i++) d[i] += one_sided[k] * x[i] / delta;
  }
  return 1;
}

// Direction j of everything that is made at the start.
static void put(void *with, int j, const double *d) {
  player *p = with;
  play_state *to = &p->of[j / DUAL_LANES];
  const nsm_sim *s = p->s;
  int lane = 1 + j % DUAL_LANES;
  for (int c = 0; c < s->a->m->nclass; c++) {
    int n = s->a->cls[c].tab.count * s->a->m->cls[c].nnum;
    for (int i = 0; i < n; i++) to->num[c][i].a[lane] = *d++;
  }
  dual *at[] = { to->q, to->z, to->l, to->d, to->last };
  const int n[] = { s->a->nq, s->a->nz, s->a->nl + 1, s->a->nd, s->a->ndelay };
  for (int k = 0; k < 5; k++) for (int i = 0; i < n[k]; i++) at[k][i].a[lane] = *d++;
  for (int i = 0; i < s->a->ndelay; i++) to->ring[before(s, i)].a[lane] = *d++;
  to->start.a[lane] = to->t.a[lane] = d[0];
  to->step.a[lane] = d[1];
  to->until.a[lane] = d[2];
}

static void values(player *p) {
  const nsm_sim *s = p->s;
  for (int c = 0; c <= p->nc; c++) {
    play_state *to = &p->of[c];
    for (int k = 0; k < s->a->m->nclass; k++)
      for (int i = 0; i < s->a->cls[k].tab.count * s->a->m->cls[k].nnum; i++)
        to->num[k][i] = dual_of(s->a->cls[k].tab.num[i]);
    for (int i = 0; i < s->a->nq; i++) to->q[i] = dual_of(s->now.q[i]);
    for (int i = 0; i < s->a->nz; i++) to->z[i] = dual_of(s->now.z[i]);
    for (int i = 0; i <= s->a->nl; i++) to->l[i] = dual_of(s->now.l[i]);
    for (int i = 0; i < s->a->nd; i++) to->d[i] = dual_of(s->now.d[i]);
    for (int i = 0; i < s->a->ndelay; i++) {
      to->last[i] = dual_of(s->now.last[i]);
      to->ring[before(s, i)] = dual_of(s->now.ring[before(s, i)]);
    }
    to->kept = dual_of(0);
    to->start = to->t = dual_of(s->a->start);
    to->step = dual_of(s->a->step);
    to->until = dual_of(s->a->until);
    to->history = dual_of(0);
  }
}

int play_start_by(player *p, const play_name *name, int names, play_start_taken *take, void *with, nsm_error *e) {
  size_t n = play_start_size(p->s);
  double *x = malloc((n + 1) * (PAIRS + 3) * sizeof *x), *d = x ? x + (PAIRS + 2) * (n + 1) : NULL;
  if (!x) return sim_no_memory(e, "the derivative of the start"), 0;
  int good = 1;
  for (int j = 0; good && j < names; j++) {
    double value = play_is_end(&name[j])      ? p->s->a->until
                   : name[j].parameter >= 0 ? p->s->a->p[name[j].parameter]
                                            : nsm_read_column(p->s, name[j].column);
    good = by_pairs(p, &name[j], value, n, x, d) || by_side(p, &name[j], value, n, x, d, e);
    if (good) take(with, j, d);
  }
  free(x);
  return good;
}

int play_start(player *p, const play_name *name, int names, nsm_error *e) {
  values(p);
  if (!play_start_by(p, name, names, put, p, e)) return 0;
  for (int c = 0; c <= p->nc; c++) play_start_past(p, &p->of[c]);
  return 1;
}
