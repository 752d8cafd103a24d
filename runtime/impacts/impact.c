// The laws of impact.h: room, and what they share.
#include "impact.h"
#include <math.h>
#include <string.h>

enum { VECTORS = 48, ALIGNED = 64 };
static const double nothing = 1e-9;

static size_t doubles(int m, int contacts) {
  return (size_t)m * (size_t)m + (size_t)VECTORS * (size_t)(m + contacts + 1);
}

static size_t up(size_t bytes) { return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED; }

static size_t of_cones(int m, int contacts) {
  return nsm_cone_workspace_size_with(m, (size_t)m * (size_t)m, m, 2 * contacts);
}

static size_t of_blocks(int contacts) { return up(2 * (size_t)(contacts + 1) * sizeof(nsm_cone_block)); }

size_t nsm_impact_room(int m, int contacts) {
  return up(doubles(m, contacts) * sizeof(double)) + up((size_t)(m + 4 * contacts + 4) * sizeof(int)) +
         of_blocks(contacts) + of_cones(m, contacts) + ALIGNED;
}

void impact_apply(const nsm_impact *p, const double *P, double *u) {
  for (int j = 0; j < p->m; j++)
    for (int i = 0; P[j] != 0 && i < p->m; i++) u[i] += p->D[i + (size_t)j * (size_t)p->m] * P[j];
}

double impact_gain(int m, const double *P, const double *from, const double *to) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += 0.5 * P[i] * (from[i] + to[i]);
  return sum;
}

double impact_fastest(const nsm_impact *p) {
  double most = 0;
  for (int i = 0; i < p->m; i++) most = fmax(most, fabs(p->before[i]));
  return most;
}

int impact_rest(const nsm_impact *p, const double *u, impact_work w, nsm_impact_answer *a, double *loss) {
  size_t m = (size_t)p->m;
  double *P = impact_take(&w, m), *after = impact_take(&w, m), least = 0, share = 1;
  int *all = w.whole;
  w.whole += p->contacts;
  *loss = 0;
  for (int c = 0; c < p->contacts; c++) {
    all[c] = c;
    least = fmin(least, u[p->contact[c].first]);
  }
  if (!impact_phases(p, all, p->contacts, 0, u, w, NULL, P, &share)) return least >= -nothing * impact_fastest(p);
  memcpy(after, u, m * sizeof(double));
  impact_apply(p, P, after);
  *loss = -impact_gain(p->m, P, u, after);
  for (size_t i = 0; i < m; i++) a->impulse[i] += P[i];
  return 1;
}

static int has_friction(const nsm_impact *p) {
  for (int c = 0; c < p->contacts; c++) if (p->contact[c].size > 1) return 1;
  return 0;
}

int nsm_impact_solve(const nsm_impact *p, void *work, nsm_impact_answer *a) {
  char *at = work;
  impact_work w = { .next = work, .cone_bytes = of_cones(p->m, p->contacts) };
  at += up(doubles(p->m, p->contacts) * sizeof(double));
  w.whole = (int *)at;
  w.blocks = (nsm_cone_block *)(at += up((size_t)(p->m + 4 * p->contacts + 4) * sizeof(int)));
  w.cone = at + of_blocks(p->contacts);
  a->loss = NAN;
  a->share = 1;
  memset(a->compression, 0, (size_t)p->m * sizeof(double));
  int ok = 0;
  if (p->law == IMPACT_BINARY) ok = impact_binary(p, w, a);
  else if (p->law == IMPACT_LZB) ok = has_friction(p) ? impact_lzb_friction(p, w, a) : impact_lzb(p, w, a);
  else {
    int *all = w.whole;
    for (int c = 0; c < p->contacts; c++) all[c] = c;
    w.whole += p->contacts;
    ok = impact_phases(p, all, p->contacts, 1, p->before, w, a->compression, a->impulse, &a->share);
  }
  memcpy(a->after, p->before, (size_t)p->m * sizeof(double));
  impact_apply(p, a->impulse, a->after);
  for (int i = 0; i < p->m; i++) ok &= isfinite(a->after[i]) && isfinite(a->impulse[i]);
  return ok;
}
