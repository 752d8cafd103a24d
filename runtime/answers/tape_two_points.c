// Which laws held in a step of `consistent` with friction: in its impact, its motion, and in what makes them hold for
// the velocities at its end (docs/numerics/friction.md, (4) to (6)). What sticks has no slip, to round-off; what sets
// say of the motion counts before that.
#include "tape_two_points.h"
#include "runtime/schemes/consistent.h"
#include <math.h>
#include <string.h>

static const double rests = 1e-9;        // beside the terms of a slip, as the scheme has it at the begin of a step

// Do the slips u of a part of a block vanish, beside `times` those of the velocities v?
static int vanishes(const nsm_sim *s, const sim_friction *f, const sim_disk *part, const double *u, double times,
                    const double *v) {
  for (int d = part->first; d < part->first + part->n; d++)
    if (fabs(u[f->row[d]]) > rests * times * con_rate_terms(s, f->row[d], v)) return 0;
  return 1;
}

int tape_rests(const nsm_sim *s, int row) {
  const sim_friction *f = &s->n.r.friction[s->n.r.friction_of[row]];
  sim_disk part[2];
  int parts = sim_friction_parts(f, part), p = parts == 2 && f->row[part[1].first] == row;
  return vanishes(s, f, &part[p], s->n.con->gap, s->n.h, s->n.con->uc);
}

static void rates_at(const nsm_sim *s, const nsm_view *v, double *to) {
  SIM_EACH(s, row, k) k->c->rate_fn(v, &k->tab, to + k->row0);
}

static int is_grip(const sim_friction *f) { return f->normals > 1 || nsm_cone_is_grip(f->type); }

// Laws of friction from those of what presses; u: slips; whose: rows that take part, NULL: those that are active.
typedef struct deciding {
  const double *u, *v;
  double times;
  const unsigned char *whose;
  int by_sets, of_force;
} deciding;

static void of_friction(const nsm_sim *s, const deciding *how, unsigned char *law) {
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < r->nfriction; i++) {
    const sim_friction *f = &r->friction[i];
    sim_disk part[2];
    int parts = sim_friction_parts(f, part);
    for (int p = 0; p < parts; p++) {
      int head = f->row[part[p].first], e = r->e[head] != 0 && how->of_force == 0;
      int takes = how->whose ? how->whose[head] : r->active[head] && (f->normals > 0 || how->of_force);
      if (!how->whose && f->normals == 1 && !is_grip(f)) takes &= law[f->normal[0]] != TAPE_NONE;
      int sticks = how->by_sets ? s->now.set[head] != SIM_SLIPS_ON
                                : vanishes(s, f, &part[p], how->u, how->times, how->v);
      for (int d = part[p].first; d < part[p].first + part[p].n; d++)
        law[f->row[d]] = (unsigned char)(!takes   ? TAPE_NONE
                                         : sticks ? e ? TAPE_RATE_E : TAPE_RATE
                                                  : e ? TAPE_SLIDES_E : TAPE_SLIDES);
    }
  }
}

static int kind_of(const nsm_sim *s, int row) { return s->a->cls[s->n.r.cls[row]].c->kind; }

// A contact that presses, and one that ends here; constraints as they are.
static void of_motion(const nsm_sim *s, unsigned char *law) {
  const sim_rows *r = &s->n.r;
  int known = s->located && !s->located->capture && s->now.sets_known == 1;
  for (int row = 0; row < r->n; row++) {
    if (kind_of(s, row) != NSM_CONTACT || law[row] == TAPE_NONE) continue;
    int ends = s->located && s->located->hit[row] && s->now.set[row] == SIM_CLOSED;
    law[row] = (unsigned char)(s->now.force[r->l[row]] > 0 || ends ? TAPE_RATE : TAPE_NONE);
  }
  deciding how = { s->n.con->gap, s->n.con->uc, s->n.h, NULL, known, 1 };
  of_friction(s, &how, law);
}

// Without a closed contact there is no impact. A rate that is round-off has none, but is none.
static void of_impact(const nsm_sim *s, double *rate, double *before, unsigned char *law) {
  const sim_rows *r = &s->n.r;
  int any = 0;
  for (int row = 0; row < r->n; row++) {
    any |= kind_of(s, row) == NSM_CONTACT && r->active[row];
    if (kind_of(s, row) != NSM_CONSTRAINT) law[row] = TAPE_NONE;
  }
  if (!any) return;
  nsm_view v = sim_now(s);
  rates_at(s, &v, before);
  v.v = s->n.con->uc;
  rates_at(s, &v, rate);
  for (int row = 0; row < r->n; row++) {
    rate[row] += r->e[row] * before[row];
    if (kind_of(s, row) != NSM_CONTACT || !r->active[row]) continue;
    if (s->now.impulse[r->l[row]] != 0 || fabs(before[row]) <= rests * con_rate_terms(s, row, s->now.z))
      law[row] = r->e[row] != 0 ? TAPE_RATE_E : TAPE_RATE;
  }
  deciding how = { rate, s->now.z, 1, NULL, 0, 0 };
  of_friction(s, &how, law);
}

static int of_end(nsm_sim *s, double t1, double *rate, unsigned char *law) {
  const sim_rows *r = &s->n.r;
  const unsigned char *ended = s->n.con->ended;
  int any = 0;
  for (int row = 0; row < r->n; row++) {
    any |= ended[row];
    law[row] = ended[row] ? TAPE_RATE : TAPE_NONE;
  }
  if (!any) return 0;
  nsm_view v = con_view(s, t1);
  rates_at(s, &v, rate);
  deciding how = { rate, s->n.con->uc, 1, ended, 0, 1 };
  of_friction(s, &how, law);
  return 1;
}

int tape_two_points_laws(nsm_sim *s, double t1, double *room, unsigned char *motion, unsigned char *impact,
                         unsigned char *end) {
  of_motion(s, motion);
  memcpy(impact, motion, (size_t)s->n.r.n);
  of_impact(s, room, room + s->n.r.n, impact);
  return of_end(s, t1, room, end);
}
