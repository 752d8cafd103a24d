// What the kinds of whole steps share of the state.
#include "whole.h"
#include <string.h>

double sim_whole_nearly(const nsm_sim *s) { return 1e-9 * (s->n.terms + s->n.reach * s->now.extent); }

void sim_whole_forget(nsm_sim *s) {
  for (int a = 0; a < s->a->on.contact.n + s->a->on.friction.n; a++) {
    int cls = a < s->a->on.contact.n ? s->a->on.contact.of[a] : s->a->on.friction.of[a - s->a->on.contact.n];
    const sim_class *k = &s->a->cls[cls];
    memset(s->now.l + s->n.r.l[k->row0], 0, (size_t)k->tab.count * sizeof(double));
  }
  if (s->now.holds) memset(s->now.held, 0, (size_t)s->n.r.n * sizeof(double));
  s->now.holds = 0;
}

int sim_whole_call(nsm_sim *s, long tick, int m) {
  struct sim_whole *w = s->n.whole;
  const nsm_model *model = s->a->m;
  if (s->together && model->lanes > 0 && m >= WHOLE_TOGETHER) return s->together->call(s->together, s, tick, m);
  return w->rows ? model->whole_recorded(w->s, w->c, (double)tick, m, w->rows)
                 : model->whole_run(w->s, w->c, (double)tick, m);
}

void sim_whole_arrays(nsm_sim *s, double **state, const double **constants, double **rows) {
  *state = s->n.whole->s;
  *constants = s->n.whole->c;
  *rows = s->n.whole->rows;
}

double *sim_whole_put(double *to, const double *from, int n) {
  memcpy(to, from, (size_t)n * sizeof(double));
  return to + n;
}

const double *sim_whole_take(double *to, const double *from, int n) {
  memcpy(to, from, (size_t)n * sizeof(double));
  return from + n;
}

// [n] the multipliers of constraints, in the order of the classes, as the emitted code has them.
static int constraints(const nsm_sim *s, int *l) {
  int n = 0;
  SIM_EACH(s, constraint, k)
    for (int i = 0; i < k->tab.count; i++) l[n++] = s->n.r.l[k->row0 + i];
  return n;
}

double *sim_whole_put_motion(const nsm_sim *s, double *x) {
  int l[WHOLE_ROWS], n = constraints(s, l);
  x = sim_whole_put(x, s->now.q, s->a->nq);
  x = sim_whole_put(x, s->now.z, s->a->nz);
  for (int i = 0; i < n; i++) *x++ = s->now.l[l[i]];
  return x;
}

const double *sim_whole_take_motion(nsm_sim *s, const double *x) {
  int l[WHOLE_ROWS], n = constraints(s, l);
  x = sim_whole_take(s->now.q, x, s->a->nq);
  x = sim_whole_take(s->now.z, x, s->a->nz);
  for (int i = 0; i < n; i++) s->now.l[l[i]] = *x++;
  return x;
}

double *sim_whole_put_near(const nsm_sim *s, double *x) {
  double near = s->a->on.contact.n > 0 ? sim_whole_nearly(s) : 0;
  for (int i = 0; i < s->n.r.n; i++) *x++ = s->now.held[i] > 0 ? 1e300 : near;
  return x;
}

double *sim_whole_put_struck(const nsm_sim *s, const struct sim_whole *w, double *x) {
  for (int k = 0; k < w->of->nstruck; k++) *x++ = s->now.l[s->n.r.l[w->of->struck[k]]];
  return x;
}

const double *sim_whole_take_struck(nsm_sim *s, const struct sim_whole *w, const double *x) {
  for (int k = 0; k < w->of->nstruck; k++) s->now.l[s->n.r.l[w->of->struck[k]]] = *x++;
  return x;
}
