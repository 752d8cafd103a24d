// Which relations are watched. Those whose y does not depend on multipliers: there the law is about a state, and
// multipliers jump. And those that have several solutions, or may have: where the matrix D = dy/dlambda of the rows
// that it couples is not positive semidefinite, a multiplier jumps where its branch ends (a Schmitt trigger). Others
// have multipliers that are continuous, which the theta-gamma scheme takes to second order without an event.
#include "located.h"
#include <math.h>
#include <string.h>

enum { MOST = 300 };                     // rows that D couples; more are taken as monotone

void sim_list_live(nsm_sim *s) {
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  w->nlive = w->nblock = 0;
  SIM_EACH(s, row, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      int f = r->nfriction > 0 ? r->friction_of[row] : -1;
      w->live[w->nlive++] = row;
      if (f >= 0 && r->friction[f].row[0] == row) w->block[w->nblock++] = f;
    }
}

int sim_next_part(const nsm_sim *s, sim_grip *p) {
  const sim_rows *r = &s->n.r;
  const struct sim_located *w = s->located;
  if (p->next == 0 || ++p->at == p->n) {
    do {
      if (p->next == w->nblock) return 0;
      p->block = w->block[p->next++];
    } while (p->acting && !r->active[r->friction[p->block].row[0]]);
    p->of = sim_friction_disks(&r->friction[p->block], &p->n);
    p->at = 0;
  }
  p->disk = &p->of[p->at];
  p->row = r->friction[p->block].row + p->disk->first;
  return 1;
}

void sim_located_relations(nsm_sim *s) {
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  int *of = sim_lend(s, (size_t)r->n * 3 + 3, sizeof(int)), *row = of + r->n, *size = row + r->n;
  for (int i = 0; i < r->n; i++) of[i] = i;
  for (int i = 0; i < r->n; i++)
    for (int e = r->d0[i]; e < r->d0[i + 1]; e++) of[nsm_root(of, i)] = nsm_root(of, r->ds[e]);
  memset(size, 0, (size_t)r->n * sizeof *size);
  for (int i = 0; i < r->n; i++) size[nsm_root(of, i)]++;
  w->nrelation = 0;
  SIM_EACH(s, relation, k) {
    for (int i = k->row0; i < k->row0 + k->tab.count; i++) {
      int cases = r->lo[i] > -INFINITY || r->hi[i] < INFINITY, g = nsm_root(of, i), watched = r->d0[i] == r->d0[i + 1];
      watched |= s->n.flow != NULL;
      if (!watched && size[g] <= MOST) {
        int n = 0;
        for (int j = 0; j < r->n; j++) if (nsm_root(of, j) == g) row[n++] = j;
        watched = !sim_rows_monotone(s, row, n);
      }
      if (watched && (k->c->row_type == NSM_ROW_BOX || cases)) w->relation[w->nrelation++] = i;
    }
  }
  sim_give(s, of);
  w->watches = r->nfriction + w->nrelation > 0;
}
