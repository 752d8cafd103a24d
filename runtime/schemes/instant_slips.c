// A slip in a plane that begins from 0. Its friction goes along u/|u|, which turns the faster, the slower it slips: as
// |u| goes to 0 its equations are as stiff as one likes, and no solver starts there. But as long as u is small it goes
// along what would hold it, -lambda_T of friction that sticks, up to an angle of |u| times the rate at which that turns
// over the acceleration that friction gives. So the direction of a slip that has begun in the piece at hand is that of
//
//   u + (d^2/(d + |u|)) (sigma + (t - t_begin) sigma'),     sigma = -lambda_T/|lambda_T| where it would stick
//
// with d a share of the largest velocity. The error of a velocity is d times the time to reach it, times the turn.
#include "instant.h"
#include <math.h>
#include <string.h>

static const double share = 1e-8, ahead = 1 / 1024.0;      // d; of the step, for sigma'

// sigma of the blocks that begin, by the forces of the instant at hand, into to.
static void directions(const nsm_sim *s, const sim_instant *in, double *to) {
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const sim_friction *k = &s->n.r.friction[f];
    sim_disk part[2];
    double l[SIM_SLIPS], pull = 0;
    if (!(in->small[k->row[0]] > 0)) continue;
    (void)sim_friction_parts(k, part);
    for (int d = 0; d < part->n; d++) {
      l[d] = part->w[d] > 0 ? -in->force[s->n.r.l[k->row[d]]] / part->w[d] : 0;
      pull = hypot(pull, l[d]);
    }
    for (int d = 0; d < part->n; d++) to[k->row[d]] = pull > 0 ? l[d] / pull : 0;
  }
}

// Which slips begin from 0 in (t, q, z): their d; 1: there are some, and they stick for now.
static int hold(nsm_sim *s, sim_instant *in, double t, const double *q, const double *z) {
  int any = 0;
  double *rate = in->turn;
  nsm_view v = sim_view(s, t, q, z, in->force);
  memset(in->small, 0, (size_t)s->n.r.n * sizeof(double));
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const sim_friction *k = &s->n.r.friction[f];
    any |= k->n > 1 && s->n.r.active[k->row[0]] && s->now.set[k->row[0]] == SIM_SLIPS_ON;
  }
  if (!any) return 0;
  any = 0;
  SIM_EACH(s, friction, k) k->c->rate_fn(&v, &k->tab, rate + k->row0);
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const sim_friction *k = &s->n.r.friction[f];
    sim_disk part[2];
    double slip = 0, small = 0;
    if (k->n == 1 || !s->n.r.active[k->row[0]] || s->now.set[k->row[0]] != SIM_SLIPS_ON) continue;
    if (sim_friction_parts(k, part) != 1) continue;
    for (int d = 0; d < k->n; d++) {
      slip = hypot(slip, part->w[d] * rate[k->row[d]]);
      small += share * in->speed(s, k->row[d]);
    }
    if (!(slip < share * small)) continue;
    in->small[k->row[0]] = small;
    s->now.set[k->row[0]] = SIM_STICKS;
    any = 1;
  }
  return any;
}

int sim_instant_slips(nsm_sim *s, sim_instant *in, double t, const double *q, const double *z, double *q1,
                      double *z1) {
  double later = ahead * s->a->step;
  in->begun = t;
  if (!hold(s, in, t, q, z)) return 0;
  in->rows(s);
  int good = in->at(s, t, q, z);
  if (good) {
    directions(s, in, in->sigma);
    sim_move(s, q, later, z, q1);
    for (int i = 0; i < s->a->nz; i++) z1[i] = z[i] + (i < in->first ? later * in->accelerations[i] : 0);
    good = in->at(s, t + later, q1, z1);
    directions(s, in, in->turn);
  }
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const sim_friction *k = &s->n.r.friction[f];
    if (!(in->small[k->row[0]] > 0)) continue;
    s->now.set[k->row[0]] = SIM_SLIPS_ON;
    for (int d = 0; d < k->n; d++) in->turn[k->row[d]] = (in->turn[k->row[d]] - in->sigma[k->row[d]]) / later;
    if (!good) in->small[k->row[0]] = 0;
  }
  in->rows(s);
  return good;
}
