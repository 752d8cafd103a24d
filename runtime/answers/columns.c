// Columns of results, and the actions of blocks, of the state at hand.
#include "play.h"
#include <stddef.h>
#include <string.h>

// ---- blocks ---------------------------------------------------------------------------------------------------------
// From the state at hand, to it.
void play_block(player *p, const tape_entry *e) {
  nsm_sim *s = p->s;
  const sim_event *v = &s->a->event[e->block];
  play_state *to = p->at;
  dual_view view = play_view(p, dual_add(to->t, dual_of(e->h)), to->q, to->z, to->l, dual_of(s->n.h));
  size_t at = 0;
  for (int a = 0; a < v->naction; a++) {
    const sim_class *k = &s->a->cls[v->action[a]];
    PLAY(p, k, out, &view, p->m + at);
    at += (size_t)k->tab.count;
  }
  at = 0;
  for (int a = 0; a < v->naction; a++) {
    const sim_class *k = &s->a->cls[v->action[a]];
    for (int i = e->instance; k->c->action == NSM_ACT_ASSIGN && i < e->instance + e->count; i++) {
      int to_of = k->tab.ix[(size_t)i * (size_t)k->c->nslot], kind = k->c->slot[0];
      dual value = p->m[at + (size_t)i];
      if (kind == NSM_SLOT_D) to->d[to_of] = value;
      else if (kind == NSM_SLOT_X) to->z[s->a->nv + to_of] = value;
      else if (k->c->init_velocity || kind == NSM_SLOT_VELOCITY) to->z[to_of] = value;
      else to->q[to_of] = value;
    }
    at += (size_t)k->tab.count;
  }
  play_keep_past(p, 1);
}

// ---- columns --------------------------------------------------------------------------------------------------------
static int output_of(const nsm_sim *s, int *c) {
  for (int a = 0; a < s->a->on.output.n; a++) {
    int n = s->a->cls[s->a->on.output.of[a]].tab.count;
    if (*c < n) return s->a->on.output.of[a];
    *c -= n;
  }
  return -1;
}

static dual energy(player *p, int which) {
  nsm_sim *s = p->s;
  play_state *of = p->at;
  dual sum[2] = { dual_of(0), dual_of(0) };
  dual_view v = play_view(p, of->t, of->q, of->z, of->l, dual_of(s->n.h));
  SIM_EACH(s, energy, k) PLAY(p, k, energy, &v, &sum[0], &sum[1]);
  return which == 0 ? dual_add(sum[0], sum[1]) : sum[which - 1];
}

dual play_column(player *p, int chunk, int c) {
  nsm_sim *s = p->s;
  play_state *of = p->at = &p->of[chunk];
  if (c >= s->a->ncolumn) return energy(p, c - s->a->ncolumn);
  if (c-- == 0) return of->t;
  if (c < s->a->nx) return of->z[s->a->nv + c];
  if ((c -= s->a->nx) < s->a->nshown) return of->q[s->a->shown[c]];
  if ((c -= s->a->nshown) < s->a->nv) return of->z[c];
  if ((c -= s->a->nv) < s->a->nl_shown) return of->l[c];
  if ((c -= s->a->nl_shown) < s->a->ndiscrete) return of->d[c];
  c -= s->a->ndiscrete;
  int cls = output_of(s, &c);
  dual_view v = play_view(p, of->t, of->q, of->z, of->l, dual_of(s->n.h));
  PLAY(p, &s->a->cls[cls], out, &v, p->m);
  return p->m[c];
}

// Impulses of contacts are sums over the pieces of a step, which are not kept.
static int is_impulse(const nsm_sim *s, int l) {
  return l < s->a->nl && s->n.r.n > 0 && sim_contactlike(s->a->cls[s->n.r.cls[s->n.r.of_l[l]]].c);
}

int play_reads_impulse(const nsm_sim *s, const sim_class *k, int i) {
  int impulse = 0;
  for (int slot = 0; slot < k->c->nslot; slot++)
    if (k->c->slot[slot] == NSM_SLOT_L) impulse |= is_impulse(s, k->tab.ix[i * k->c->nslot + slot]);
  return impulse;
}

int play_column_refused(player *p, int c, char *why, size_t size) {
  const nsm_sim *s = p->s;
  int impulse = 0, first = 1 + s->a->nx + s->a->nshown + s->a->nv;
  if (c >= s->a->ncolumn + 3) { snprintf(why, size, "the residue of the energy has no derivative"); return 1; }
  if (c >= first && c < first + s->a->nl_shown) impulse = is_impulse(s, c - first);
  else if (c >= first + s->a->nl_shown + s->a->ndiscrete && c < s->a->ncolumn) {
    int at = c - first - s->a->nl_shown - s->a->ndiscrete, cls = output_of(s, &at);
    impulse = play_reads_impulse(s, &s->a->cls[cls], at);
  }
  if (impulse) snprintf(why, size, "impulses of contacts and constraints have no derivative yet");
  return impulse;
}
