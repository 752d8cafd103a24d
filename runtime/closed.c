// Which contacts are closed at the begin of a step, and what is exactly at rest at its end.
//
// A scheme closes a contact where a number a, made of the gap and its rate, is not positive: moreau.md (10), midpoint.md
// (6), consistent.md (6). Numbers are rounded, so the test must know what rounding does:
//
//   closed where  a <= 8 eps sum_j |H_j| (|q_j| + h |v_j|)                                                          (a)
//
// the round-off of the terms of a: of the place a step ago and of the way since. And where a contact was pressed, p > 0, with a rate that its law makes 0 exactly, the
// rate is 0 and not what rounding left of it, and the gap is what it was, up to the quadrature error of the step, which
// is no reason to let go: it stays closed while
//
//   a <= (h/2) M_ii p                                                                                               (b)
//
// the way that the pressing force would close within a step. Its law then decides as always, 0 <= u _|_ p >= 0: nothing
// that opens is held.
//
// Velocities that are nothing but what rounding left of the terms that cancelled in them are set to 0, |v_i| <= 4 eps
// (|v_i at the begin| + sum of |terms|), where impulses act: so what rests keeps its place to the last bit.
#include "sim.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double rounds = 8 * DBL_EPSILON, cancels = 4 * DBL_EPSILON, lasting = 16 * DBL_EPSILON, near = 1e-12;

// ---- round-off of a gap ---------------------------------------------------------------------------------------------
void sim_closed_start(nsm_sim *s) {
  s->reach = 1;
  for (int a = 0; a < s->on.contact.n; a++) {
    const sim_class *k = &s->cls[s->on.contact.of[a]];
    for (int i = 0; i < k->tab.count; i++) {
      double sum = 0;
      for (int e = 0; e < k->c->h.n; e++) sum += fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e]);
      s->reach = fmax(s->reach, sum);
    }
  }
}

double sim_nearly_closed(const nsm_sim *s) {
  double q = 0, v = 0;
  for (int i = 0; i < s->nq; i++) {
    q = fabs(s->q[i]) > q ? fabs(s->q[i]) : q;
    v = fabs(s->z[i]) > v ? fabs(s->z[i]) : v;
  }
  return near * s->reach * (q + s->h * v);
}

int sim_closed_by_round_off(nsm_sim *s, const sim_class *k, int i, double a) {
  nsm_view now = sim_now(s);
  double size = 0;
  if (k->c->h_stage > NSM_CONST) k->c->h_fn(&now, &k->tab, k->h);
  for (int e = 0; e < k->c->h.n; e++) {
    int z = sim_z_of(s, k, i, k->c->h.col[e]);
    size += fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e]) * (fabs(s->q[z]) + s->h * fabs(s->z[z]));
  }
  return a <= rounds * size;
}

// ---- moreau and midpoint --------------------------------------------------------------------------------------------
// (a), (b); rates of pressed contacts become 0.
void sim_close(nsm_sim *s) {
  sim_rows *r = &s->r;
  double half = 0.5 * s->h, nearly = sim_nearly_closed(s);
  for (int c = 0; c < s->on.contact.n; c++) {
    const sim_class *k = &s->cls[s->on.contact.of[c]];
    int row = k->row0, n = k->tab.count;
    const double *gap = r->gap + row, *held = r->held + row;
    double *rate = r->rate0 + row;
    unsigned char *active = r->active + row;
    for (int i = 0; i < n; i++) {
      if (held[i] > 0) rate[i] = 0;
      double a = gap[i] + half * rate[i];
      active[i] = !(a > held[i]) || (a <= nearly && sim_closed_by_round_off(s, k, i, a));
    }
  }
}

void sim_hold(nsm_sim *s) {
  sim_rows *r = &s->r;
  const sim_islands *is = &s->isl;
  if (s->on.contact.n == 0) return;
  memset(r->held, 0, (size_t)r->n * sizeof(double));
  for (int i = 0; i < is->nactive; i++) {
    int at = is->active[i], row = r->row_at[at];
    double p = s->l1[r->l[row]], change = r->m[r->diagonal[at]] * p;
    if (p > 0 && s->cls[r->cls[row]].c->kind == NSM_CONTACT && fabs(r->e[row] * r->rate0[row]) <= lasting * change)
      r->held[row] = 0.5 * s->h * change;
  }
}

// ---- at rest --------------------------------------------------------------------------------------------------------
int sim_is_at_rest(double v, double size) { return v != 0 && fabs(v) <= cancels * size; }
