// The equations of a piece of moreau (docs/numerics/moreau.md, (4) to (9)), and of an impact, which is a piece of
// length 0 without forces. Numbers in comments are those of that page.
#include "play.h"
#include <stddef.h>
#include <string.h>

static void nothing(dual *x, int n) { memset(x, 0, (size_t)n * sizeof *x); }

// q~, z~ of a point that is reached from the begin, (6), (6a).
static dual_view at_point(player *p, const nsm_point *to, dual h, dual *q, dual *z) {
  const play_state *b = p->at;
  play_move(p, b->q, dual_scale(h, to->end), p->w, dual_scale(h, to->begin), b->z, q);
  for (int i = 0; i < p->s->a->nz; i++)
    z[i] = dual_add(dual_scale(b->z[i], 1 - to->share), dual_scale(p->w[i], to->share));
  return play_view(p, dual_add(b->t, dual_scale(h, to->time)), q, z, p->l1, h);
}

// The views of a piece whose unknowns are p->w; unknowns without inertia are taken at the end of the step.
static void views(player *p, dual h, play_views *v) {
  nsm_sim *s = p->s;
  const play_state *b = p->at;
  const nsm_point *end = &s->a->point[NSM_END], *law = &s->a->point[s->a->m->law_at];
  int between = s->a->m->points != NULL;
  nothing(p->l1, s->a->nl + 1);
  for (int row = 0; row < s->n.r.n; row++) p->l1[s->n.r.l[row]] = p->w[s->a->nz + row];
  play_move(p, b->q, dual_scale(h, end->end), p->w, dual_scale(h, end->begin), b->z, p->q1);
  for (int i = 0; i < s->a->nz; i++) {
    p->zb[i] = sim_is_at_end(s, i) ? p->w[i] : b->z[i];
    p->inc[i] = dual_sub(p->w[i], p->zb[i]);
  }
  v->h = h;
  v->end = play_view(p, dual_add(b->t, h), p->q1, p->w, p->l1, h);
  v->begin = play_view(p, b->t, b->q, p->zb, b->l, h);
  v->middle = at_point(p, &s->a->point[s->a->m->inertia_at], h, p->qm, p->zm);
  v->middle.dv = p->inc;
  v->middle.dx = p->inc + s->a->nv;
  v->law = between ? at_point(p, law, h, p->qg, p->zg) : v->end;
}

// h f with its weight at the end, at the begin, or of what is taken at the mean.
typedef enum { AT_BEGIN, AT_END, AT_MEAN } moment;

static void add_forces(player *p, const tape_entry *e, moment when, const dual_view *v, dual h, dual *eq) {
  nsm_sim *s = p->s;
  nothing(p->f, s->a->nz);
  SIM_EACH(s, smooth, k)
    if (k->c->f_mean == (when == AT_MEAN) && !(when == AT_BEGIN && k->c->at_end))
      PLAY(p, k, f, v, p->f, p->f + s->a->nv);
  for (int i = 0; i < s->a->nz; i++) {
    double by = when == AT_END ? e->theta[i] : when == AT_BEGIN ? 1 - e->theta[i] : 1;
    if (by != 0) eq[i] = dual_sub(eq[i], dual_scale(dual_mul(h, p->f[i]), by));
  }
}

static void add_reactions(player *p, const tape_entry *e, const play_views *v, dual *eq) {
  nsm_sim *s = p->s;
  nothing(p->g, s->a->nz);
  SIM_EACH(s, smooth, k)
    PLAY(p, k, g, e->gamma[k - s->a->cls] == 1 ? &v->end : &v->law, p->g, p->g + s->a->nv);
  for (int i = 0; i < s->a->nz; i++) eq[i] = dual_sub(eq[i], dual_mul(v->h, p->g[i]));
}

// What is asked for M times the increments themselves.
static int takes_product(player *p, const sim_class *k, dual_view v) {
  const int cls = (int)(k - p->s->a->cls), nv = p->s->a->nv;
  dual_table t = { k->tab.count, k->tab.ix, p->at->num[cls], k->tab.num, p->remembers ? &p->memo : NULL };
  v.dv = p->inc;
  v.dx = p->inc + nv;
  return p->run(p->with, cls, DUAL_INERTIA, &v, &t, (dual *const[]){ p->g, p->g + nv });
}

void play_add_inertia(player *p, const dual_view *v, double sign, dual *eq) {
  nsm_sim *s = p->s;
  nothing(p->g, s->a->nz);
  SIM_EACH(s, smooth, k) {
    const nsm_pattern *m = &k->c->mass;
    if (m->n == 0 || (k->c->mass_stage > NSM_EVENT && takes_product(p, k, *v)) || !PLAY(p, k, mass, v, p->m)) continue;
    for (int i = 0; i < k->tab.count; i++)
      for (int j = 0; j < m->n; j++) {
        dual *to = &eq[sim_z_of(s, k, i, m->row[j])], part = dual_scale(p->m[i * m->n + j], sign);
        *to = dual_add(*to, dual_mul(part, p->inc[sim_z_of(s, k, i, m->col[j])]));
      }
  }
  for (int i = 0; i < s->a->nz; i++) eq[i] = dual_add(eq[i], dual_scale(p->g[i], sign));
}

static void add_impulses(player *p, const play_views *v, dual *eq) {
  nsm_sim *s = p->s;
  SIM_EACH(s, row, k) {
    const nsm_pattern *h = &k->c->h;
    if (!sim_contactlike(k->c) || !PLAY(p, k, h, k->h_mid ? &v->middle : &v->end, p->h)) continue;
    for (int i = 0; i < k->tab.count; i++)
      for (int j = 0; j < h->n; j++) {
        if (h->wrt[j] != NSM_WRT_V) continue;
        dual *to = &eq[sim_z_of(s, k, i, h->col[j])];
        *to = dual_sub(*to, dual_mul(p->h[i * h->n + j], p->w[s->a->nz + k->row0 + i]));
      }
  }
}

void play_points(player *p, const tape_entry *e, dual h) {
  nsm_sim *s = p->s;
  int nz = s->a->nz, impact = e->kind == TAPE_IMPACT;
  play_views *v = &p->now;
  views(p, h, v);
  nothing(p->eq, nz);
  if (!impact) {
    add_forces(p, e, AT_END, &v->end, h, p->eq);
    if (s->a->theta < 1) add_forces(p, e, AT_BEGIN, &v->begin, h, p->eq);
    if (s->a->on.f_mean.n > 0) add_forces(p, e, AT_MEAN, &v->middle, h, p->eq);
    add_reactions(p, e, v, p->eq);
  }
  play_add_inertia(p, &v->middle, 1, p->eq);
  add_impulses(p, v, p->eq);
  if (s->n.r.n == 0) return;
  play_rows(p, e, v);
  play_row_laws(p, e, v, p->eq + nz);
}
