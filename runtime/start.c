// Contacts that are violated at the start. A scheme takes them as closed, so that they stay where they are; nearly
// always the initial value is a mistake. Rounded input (the woodpecker of seed 004 starts 0.9 um inside of its pole) is
// nothing to talk about.
#include "sim.h"
#include <math.h>
#include <stdio.h>

static const double worth_a_word = 1e-2, nothing = 1e-9;   // of the terms that make up the gap; in the unit of the gap

void sim_note_start(nsm_sim *s) {
  sim_rows *r = &s->r;
  double worst = 0;
  int row = -1, many = 0;
  nsm_view v = sim_now(s);
  for (int a = 0; a < s->on.row.n; a++) {
    sim_class *k = &s->cls[s->on.row.of[a]];
    if (k->c->kind != NSM_CONTACT) continue;
    k->c->gap_fn(&v, &k->tab, r->gap + k->row0, r->rate0 + k->row0);
    if (k->c->h_stage > NSM_CONST) k->c->h_fn(&v, &k->tab, k->h);
    for (int i = 0; i < k->tab.count; i++) {
      double gap = r->gap[k->row0 + i], size = fabs(gap);
      if (!(gap < -nothing)) continue;
      for (int e = 0; e < k->c->h.n; e++)
        size =
            fmax(size, fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e] * s->q[sim_z_of(s, k, i, k->c->h.col[e])]));
      if (-gap <= worth_a_word * size) continue;
      many++;
      if (row < 0 || gap < worst) { worst = gap; row = k->row0 + i; }
    }
  }
  if (row < 0 || *s->note) return;
  char name[256], more[64] = "";
  sim_row_name(s, row, name, sizeof name);
  if (many > 1) snprintf(more, sizeof more, ", and %d more", many - 1);
  snprintf(s->note, sizeof s->note,
           "%s starts inside of the obstacle, at gap %.6g%s; it counts as closed and stays that far in", name, worst,
           more);
}
