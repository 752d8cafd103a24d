// Why a step failed, where its length is not the reason.
//
// Does a solution run off to infinity in a finite time? x' = x^2 has x = 1/(t* - t): no step carries a run past t*, and
// "a smaller step may help" would mislead. Told where a step fails, of what grew:
//
//   tau = |x|/|x'|  the time in which it doubles now; of exp(t/tau) ln(|x|/|x_0|) would be T/tau after the time T,
//   of 1/(t* - t)^p it is p ln(T/tau): much less
#include "radau.h"
#include <math.h>
#include <stdio.h>

typedef struct growth { double tau, now; int velocity, at; } growth;

static void look(const nsm_sim *s, double x0, double x, double rate, growth *g, int velocity, int at) {
  double elapsed = s->now.t - s->a->start, tau = fabs(x)/fabs(rate);
  double from = fmax(fabs(x0), 1e-3*fabs(x));
  if (!isfinite(x) || !(x*rate > 0) || !(fabs(x) > 3*fabs(x0)) || !(tau < 0.1*elapsed)) return;
  if (!(log(fabs(x)/from) < 0.5*elapsed/tau) || !(tau < g->tau)) return;
  *g = (growth){ tau, x, velocity, at };
}

int sim_escapes(const nsm_sim *s, char *out, size_t size) {
  growth g = { INFINITY, 0, 0, -1 };
  for (int i = 0; i < s->a->nown; i++) look(s, s->a->q_start[i], s->now.q[i], s->now.z[i], &g, 0, i);
  for (int i = 0; s->n.radau && i < s->a->nz; i++)
    look(s, s->a->z_start[i], s->now.z[i], radau_rate((nsm_sim *)(uintptr_t)s, i), &g, 1, i);
  for (int i = s->a->nv; s->now.gain && i < s->a->nz; i++)
    if (!s->a->algebraic || !s->a->algebraic[i])
      look(s, s->a->z_start[i], s->now.z[i], s->now.gain[i]/s->n.h, &g, 1, i);
  if (g.at < 0) return 0;
  char name[256];
  if (g.velocity) sim_z_name(s, g.at, name, sizeof name);
  else sim_q_name(s, g.at, name, sizeof name);
  snprintf(out, size,
           "%s runs off: it is %.3g at t = %.6g s and doubles within %.2g s, faster and faster. Such a solution ends "
           "in a finite time, and no step goes past it; if it should not grow, look at the sign of what drives it",
           name, g.now, s->now.t, g.tau);
  return 1;
}

int sim_jumps(const nsm_sim *s, char *out, size_t size) {
  for (int i = 0; i < s->a->m->nclass; i++) {
    const nsm_class *c = &s->a->m->cls[i];
    if (c->kind != NSM_SMOOTH || !c->switches) continue;
    snprintf(out, size,
             "the right side of line %d jumps: where it drives back from both sides no value solves it; `if s > 0 "
             "then a else b` slides as (a + b)/2 + u with `relation r: u in (a - b)/2*sgn(s)`; located = true goes "
             "to and fro there", c->line);
    return 1;
  }
  return 0;
}
