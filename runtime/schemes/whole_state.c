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

// In the order of the classes, as the emitted code has constraints.
int sim_whole_constraints(const nsm_sim *s, int *l) {
  int n = 0;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    for (int i = 0; i < k->tab.count; i++) l[n++] = s->n.r.l[k->row0 + i];
  }
  return n;
}
