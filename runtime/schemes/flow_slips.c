// A slip in a plane that begins from 0. Its friction goes along u/|u|, which turns the faster, the slower it slips: as
// |u| goes to 0 its equations are as stiff as one likes, and no solver starts there. But as long as u is small it goes
// along what would hold it, -lambda_T of friction that sticks, up to an angle of |u| times the rate at which that turns
// over the acceleration that friction gives. So the direction of a slip that has begun in the piece at hand is that of
//
//   u + (d^2/(d + |u|)) (sigma + (t - t_begin) sigma'),     sigma = -lambda_T/|lambda_T| where it would stick
//
// with d a share of the largest velocity. The error of a velocity is d times the time to reach it, times the turn.
#include "flow.h"

static const double share = 1e-8, ahead = 1 / 1024.0;      // d; of the step, for sigma'

static double size_of_slip(const nsm_sim *s, const int *row, int n) {
  double size = 0;
  for (int d = 0; d < n; d++) size += sim_flow_speed(s, row[d]);
  return share * size;
}

// sigma of the blocks that begin, by the forces of the instant at hand, into to.
static void directions(const nsm_sim *s, double *to) {
  const struct sim_flow *w = s->n.flow;
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const sim_friction *k = &s->n.r.friction[f];
    sim_disk part[2];
    double l[SIM_SLIPS], pull = 0;
    if (!(w->small[k->row[0]] > 0)) continue;
    (void)sim_friction_parts(k, part);
    for (int d = 0; d < part->n; d++) {
      l[d] = part->w[d] > 0 ? -w->in.force[s->n.r.l[k->row[d]]] / part->w[d] : 0;
      pull = hypot(pull, l[d]);
    }
    for (int d = 0; d < part->n; d++) to[k->row[d]] = pull > 0 ? l[d] / pull : 0;
  }
}

// Which slips begin from 0 in (t, q, z): their d; 1: there are some, and they stick for now.
static int hold(nsm_sim *s, double t, const double *q, const double *z) {
  struct sim_flow *w = s->n.flow;
  int any = 0;
  nsm_view v = sim_view(s, t, q, z, w->in.force);
  memset(w->small, 0, (size_t)s->n.r.n * sizeof(double));
  for (int f = 0; f < s->n.r.nfriction; f++) any |= w->slides[f] && s->n.r.friction[f].n > 1;
  if (!any) return 0;
  any = 0;
  SIM_EACH(s, friction, k) k->c->rate_fn(&v, &k->tab, w->rate[1] + k->row0);
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const sim_friction *k = &s->n.r.friction[f];
    sim_disk part[2];
    double slip = 0, small = size_of_slip(s, k->row, k->n);
    if (!w->slides[f] || sim_friction_parts(k, part) != 1 || k->n == 1) continue;
    for (int d = 0; d < k->n; d++) slip = hypot(slip, part->w[d] * w->rate[1][k->row[d]]);
    if (!(slip < share * small)) continue;
    w->small[k->row[0]] = small;
    s->now.set[k->row[0]] = SIM_STICKS;
    any = 1;
  }
  return any;
}

void flow_slips(nsm_sim *s, double t, const double *q, const double *z) {
  struct sim_flow *w = s->n.flow;
  double later = ahead * s->a->step;
  if (!hold(s, t, q, z)) return;
  flow_rows(s);
  int good = flow_instant(s, t, q, z);
  if (good) {
    flow_allow(s);
    directions(s, w->sigma);
    sim_move(s, q, later, z, w->qa);
    for (int i = 0; i < s->a->nz; i++) w->z[i] = z[i] + later * w->x[i];
    good = flow_instant(s, t + later, w->qa, w->z);
    flow_allow(s);
    directions(s, w->turn);
  }
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const sim_friction *k = &s->n.r.friction[f];
    if (!(w->small[k->row[0]] > 0)) continue;
    s->now.set[k->row[0]] = SIM_SLIPS_ON;
    for (int d = 0; d < k->n; d++) w->turn[k->row[d]] = (w->turn[k->row[d]] - w->sigma[k->row[d]]) / later;
    if (!good) w->small[k->row[0]] = 0;
  }
  flow_rows(s);
}
