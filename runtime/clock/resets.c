// A block that puts a place into an obstacle. A start there is refused (start.c), and so is a reset: where a gap is
// deeper behind it than before, by more than a rounded number says (a thousandth of its terms). What a scheme has let
// overlap before is no fault of the block; nor is what a reset of velocities or of states finds.
#include "clock.h"
#include <math.h>

static const double tiny = 1e-9;         // no depth, in the unit of the gap

// Gaps at the present state, of contacts whose gap is a formula; of shapes the deepest.
static double gaps(nsm_sim *s, double *gap) {
  nsm_view v = sim_now(s);
  double deepest = 0;
  for (int a = 0; a < s->a->on.contact.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.contact.of[a]];
    k->c->gap_fn(&v, &k->tab, gap + k->row0, s->n.r.rate0 + k->row0);
    if (s->a->on.contact.of[a] < s->a->given->nclass) continue;
    for (int i = 0; i < k->tab.count; i++) deepest = fmin(deepest, gap[k->row0 + i]);
  }
  return deepest;
}

void sim_reset_begins(nsm_sim *s) {
  if (s->a->on.contact.n == 0 || (s->w.changed & SIM_PLACES)) return;
  s->w.deepest = gaps(s, s->w.gap_before);
}

// The row whose gap a reset has made deepest, beside its terms; -1: none.
static int worst(nsm_sim *s, const double *gap) {
  nsm_view v = sim_now(s);
  double most = sim_rounded_depth;
  int at = -1;
  for (int a = 0; a < s->a->on.contact.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.contact.of[a]];
    int shapes = s->a->on.contact.of[a] >= s->a->given->nclass;
    if (k->c->h_stage != NSM_NONE) k->c->h_fn(&v, &k->tab, k->h);
    sim_gap_terms(s, k, &v);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      double before = shapes ? s->w.deepest : fmin(s->w.gap_before[row], 0), deeper = before - gap[row],
             size = fmax(s->n.r.terms[row], fabs(gap[row]));
      if (!(gap[row] < 0) || deeper <= tiny || deeper <= most * size) continue;
      most = deeper / size;
      at = row;
    }
  }
  s->w.terms_of = -1;
  return at;
}

nsm_code sim_reset_ends(nsm_sim *s, nsm_error *e) {
  double *gap = s->n.r.gap;
  if (s->a->on.contact.n == 0) return NSM_OK;
  if (s->touching && !sim_touch_update(s, s->n.h)) return NSM_OK;      // no room for them: the step says so
  gaps(s, gap);
  int row = worst(s, gap);
  if (row < 0) return NSM_OK;
  char name[256];
  sim_row_name(s, row, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, sim_at_class(s->w.reset_by),
              "E0510: line %d: at t = %.10g s this block makes the gap of %s %.6g, which is inside of the obstacle; "
              "put it where the gap is not negative, or --project-start moves it there",
              s->a->m->cls[s->w.reset_by].line, s->now.t, name, gap[row]);
  return NSM_FAILED;
}
