// Where an orbit passes a contact at a small distance: an orbit that touches it there without speed has no multipliers,
// and one that is a little different has an impact.
#include "analyse.h"
#include "runtime/assembly/assembly.h"
#include "runtime/clock/located.h"
#include <stdlib.h>
#include <string.h>

static const double near = 1e-3;         // of the largest gap in the period

typedef struct passing { double *gap, *rate, *least, *at, *largest; double t; } passing;    // [rows]; of the last step

static void look(nsm_sim *s, passing *k, int first) {
  const sim_rows *r = &s->n.r;
  double gap[r->n + 1], rate[r->n + 1], h = s->now.t - k->t, x;
  nsm_view now = sim_now(s);
  for (int a = 0; a < s->a->on.contact.n; a++) {
    const sim_class *c = &s->a->cls[s->a->on.contact.of[a]];
    if (s->a->on.contact.of[a] >= s->a->given->nclass) continue;           // of shapes
    c->c->gap_fn(&now, &c->tab, gap + c->row0, rate + c->row0);
    for (int row = c->row0; row < c->row0 + c->tab.count; row++) {
      k->largest[row] = fmax(k->largest[row], gap[row]);
      if (!first && h > 0 && k->rate[row] < 0 && rate[row] > 0 && k->gap[row] > 0 && gap[row] > 0) {
        double g = sim_least_of_cubic(k->gap[row], k->rate[row], gap[row], rate[row], h, &x);
        if (g > 0 && g < k->least[row]) { k->least[row] = g; k->at[row] = k->t + x; }
      }
      k->gap[row] = gap[row];
      k->rate[row] = rate[row];
    }
  }
  k->t = s->now.t;
}

nsm_code steady_passes(const steady *w, const nsm_settings *set, steady_pass *tell, void *with, nsm_error *e) {
  nsm_settings own = steady_settings(w, set, w->period);
  nsm_sim *s = nsm_open(w->a.m, &own, e);
  if (!s) return e->code;
  size_t n = (size_t)s->n.r.n;
  double *room = calloc(5 * n + 1, sizeof *room);
  passing k = { room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, s->now.t };
  nsm_code code = room ? NSM_OK : sim_no_memory(e, "an orbit");
  for (int i = 0; code == NSM_OK && i < w->n; i++) nsm_write_column(s, w->a.by[i].column, w->y[i], NULL);
  for (size_t row = 0; room && row < n; row++) k.least[row] = INFINITY;
  for (int first = 1; code == NSM_OK; first = 0) {
    look(s, &k, first);
    if (nsm_steps_done(s) >= nsm_steps_total(s)) break;
    code = nsm_step(s, e);
  }
  for (size_t row = 0; code == NSM_OK && row < n; row++) {
    char name[256];
    if (!(k.least[row] < near * k.largest[row])) continue;
    sim_row_name(s, (int)row, name, sizeof name);
    tell(with, name, k.at[row], k.least[row]);
  }
  free(room);
  nsm_close(s);
  return code == NSM_STOPPED ? NSM_OK : code;
}
