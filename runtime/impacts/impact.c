// The laws of impact.h: room, and which one it is.
#include "impact.h"
#include <math.h>
#include <string.h>

enum { VECTORS = 48, ALIGNED = 64 };

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
    impact_blow all = impact_of_all(p, p->before, &w);
    all.scale = 1;
    all.first = a->compression;
    all.P = a->impulse;
    ok = impact_phases(p, &all, w);
    a->share = all.share;
  }
  memcpy(a->after, p->before, (size_t)p->m * sizeof(double));
  impact_apply(p, a->impulse, a->after);
  for (int i = 0; i < p->m; i++) ok &= isfinite(a->after[i]) && isfinite(a->impulse[i]);
  return ok;
}
