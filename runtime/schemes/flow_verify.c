// The check of what is to stand, with kernels of its own that had no part in the solution: the equations of the instant
// and the laws of the rows, each beside the size of its terms.
#include "flow.h"

static const double small = 1e-3;       // of the terms that a multiplier is in

// Of the forces of all rows that push on what moves, so far.
static double largest_force(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  double largest = fmax(s->now.flow.strong, DBL_MIN);
  for (int r = 0; r < w->m; r++) {
    int row = w->row[r];
    const sim_class *k = &s->a->cls[s->n.r.cls[row]];
    if (!sim_contactlike(k->c)) continue;
    double held = 0, square = DBL_MIN;
    for (int e = 0; e < k->c->h.n; e++) {
      double h = k->h[(size_t)(row - k->row0) * (size_t)k->c->h.n + (size_t)e];
      held += fabs(h * w->f[sim_z_of(s, k, row - k->row0, k->c->h.col[e])]);
      square += h * h;
    }
    largest = fmax(largest, fmax(fabs(w->in.force[s->n.r.l[row]]), held / square));
  }
  for (int f = 0; f < s->n.r.nfriction; f++)
    if (s->n.r.active[s->n.r.friction[f].row[0]]) largest = fmax(largest, sim_flow_pressed(s, f));
  return s->now.flow.strong = largest;
}

// The largest value of the unit of z so far.
static double size_of(const nsm_sim *s, int z) {
  const struct sim_flow *w = s->n.flow;
  return s->now.flow_size[w->group[w->nq + z]];
}

// The largest sum of terms so far: a slider has none at its dead centre, where its slip is known to what it was before.
double sim_flow_speed(const nsm_sim *s, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  int i = row - k->row0, n = k->c->h.n;
  double sum = DBL_MIN;
  for (int e = 0; e < n; e++) sum += fabs(k->h[(size_t)(i * n + e)]) * size_of(s, sim_z_of(s, k, i, k->c->h.col[e]));
  return k->c->kind == NSM_RELATION ? sum : fmax(sum, s->now.flow_most[2 * row]);
}

int sim_flow_stopped(const nsm_sim *s, const double *rate) {
  const struct sim_flow *w = s->n.flow;
  int any = 0;
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const sim_friction *of = &s->n.r.friction[f];
    sim_disk part[2];
    double slip = 0;
    if (!w->slides[f] || of->n == 1) continue;
    (void)sim_friction_parts(of, part);
    for (int d = 0; d < of->n; d++) slip = hypot(slip, part->w[d] * rate[of->row[d]]);
    any |= slip <= FLOW_KNOWN * w->rtol * sim_flow_speed(s, of->row[0]);
  }
  return any;
}

// f + g + sum of H^T lambda, the sum made anew, and the sizes of its terms.
static void forces(nsm_sim *s, const nsm_view *v, double *sum, double *size) {
  struct sim_flow *w = s->n.flow;
  sim_forces(s, v, 0, sum);
  SIM_EACH(s, f_mean, k) k->c->f_fn(v, &k->tab, sum, sum + s->a->nv);
  memcpy(w->f, sum, (size_t)s->a->nz * sizeof(double));
  SIM_EACH(s, g, k) k->c->g_fn(v, &k->tab, sum, sum + s->a->nv);
  for (int z = 0; z < s->a->nz; z++) size[z] = fabs(sum[z]) + fabs(w->f[z]);
  SIM_EACH(s, row, k) {
    if (!sim_contactlike(k->c)) continue;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < k->c->h.n; e++) {
        int z = sim_z_of(s, k, i, k->c->h.col[e]);
        double p = k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e] * v->l[s->n.r.l[k->row0 + i]];
        sum[z] += p;
        size[z] += fabs(p);
      }
  }
}

void flow_terms(nsm_sim *s, double t, const double *q, const double *z) {
  nsm_view v = sim_view(s, t, q, z, s->n.flow->in.force);
  forces(s, &v, s->n.flow->z, s->n.flow->terms);
}

// M z' is that sum.
static double momentum(nsm_sim *s, const nsm_view *v) {
  struct sim_flow *w = s->n.flow;
  double *sum = w->z, *size = w->dz, off = 0;
  forces(s, v, sum, size);
  SIM_EACH(s, mass, k) {
    const nsm_pattern *p = &k->c->mass;
    double *m = k->mass;
    if (k->c->mass_stage > NSM_EVENT) k->c->mass_fn(v, &k->tab, m = w->in.mass);
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        int z = sim_z_of(s, k, i, p->row[e]);
        double d = m[(size_t)i * (size_t)p->n + (size_t)e] * w->x[sim_z_of(s, k, i, p->col[e])];
        sum[z] -= d;
        size[z] += fabs(d) + fabs(m[(size_t)i * (size_t)p->n + (size_t)e]) * size_of(s, z) / s->a->step;
      }
  }
  for (int z = 0; z < s->a->nz; z++) off = fmax(off, fabs(sum[z]) / (size[z] + DBL_MIN));
  return off;
}

// Of a block of friction: what its force is beyond the disk, what sticks and moves, what pushes along its slip.
static double friction_off(nsm_sim *s, int f, const double *rate, double largest) {
  const sim_friction *of = &s->n.r.friction[f];
  const struct sim_flow *w = s->n.flow;
  sim_disk part[2];
  double l[SIM_SLIPS], off = 0, along = 0, size = DBL_MIN;
  if (!s->n.r.active[of->row[0]]) return 0;
  (void)sim_friction_parts(of, part);
  for (int d = 0; d < of->n; d++) {
    double terms = sim_flow_speed(s, of->row[d]);
    l[d] = w->in.force[s->n.r.l[of->row[d]]];
    along += l[d] * rate[of->row[d]];
    size += largest * terms;
    if (!w->slides[f]) off = fmax(off, fabs(rate[of->row[d]]) / terms);
  }
  if (w->slides[f]) off = fmax(off, along / size);
  return fmax(off, (sim_disk_gauge(part, l) - part->mu * sim_flow_pressed(s, f)) / largest);
}

// Sizes of the y of relations, into scale[2 row]: of their terms, and the largest so far.
static void sizes(nsm_sim *s, const double *y) {
  struct sim_flow *w = s->n.flow;
  SIM_EACH(s, relation, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      s->now.flow_most[2 * row] = fmax(s->now.flow_most[2 * row], fabs(y[row]));
      s->now.flow_most[2 * row + 1] = fmax(s->now.flow_most[2 * row + 1], fabs(w->in.force[s->n.r.l[row]]));
    }
  SIM_EACH(s, relation, k)
    for (int i = 0; i < k->tab.count; i++) {
      const double *h = k->h + (size_t)i * (size_t)k->c->h.n;
      double size = fmax(s->now.flow_most[2 * (k->row0 + i)], DBL_MIN);
      for (int e = 0; e < k->c->h.n; e++) {
        int ix = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)k->c->h.col[e]], wrt = k->c->h.wrt[e];
        if (wrt == NSM_WRT_L) size += ix < s->a->nl ? fabs(h[e]) * s->now.flow_most[2 * s->n.r.of_l[ix] + 1] : 0;
        else if (wrt == NSM_WRT_V || wrt == NSM_WRT_X) {
          int z = sim_z_of(s, k, i, k->c->h.col[e]);
          size += fabs(h[e]) * (fabs(s->w.z1[z]) + size_of(s, z));
        }
      }
      s->now.flow_scale[2 * (k->row0 + i)] = size;
    }
}

// What of a multiplier is nothing beside the terms of the equations and relations that it is in, and its largest so
// far: into scale[2 row + 1]. Sizes of the equations stand in dz.
static void pushes(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  double *scale = s->now.flow_scale;
  for (int row = 0; row < s->n.r.n; row++) scale[2 * row + 1] = INFINITY;
  SIM_EACH(s, b, k) {
    const nsm_pattern *p = &k->c->b;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        int l = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)p->col[e]];
        double b = fabs(k->b[(size_t)i * (size_t)p->n + (size_t)e]);
        if (l >= s->a->nl || b == 0) continue;
        double *least = &scale[2 * s->n.r.of_l[l] + 1];
        *least = fmin(*least, w->dz[sim_z_of(s, k, i, p->row[e])] / b);
      }
  }
  SIM_EACH(s, relation, k)
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < k->c->h.n; e++) {
        int l = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)k->c->h.col[e]];
        double h = fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e]);
        if (k->c->h.wrt[e] != NSM_WRT_L || l >= s->a->nl || h == 0) continue;
        double *least = &scale[2 * s->n.r.of_l[l] + 1];
        *least = fmin(*least, scale[2 * (k->row0 + i)] / h);
      }
  for (int row = 0; row < s->n.r.n; row++) {
    double *least = &scale[2 * row + 1];
    *least = fmax(isfinite(*least) ? small * *least : 0, fmax(s->now.flow_most[2 * row + 1], DBL_MIN));
  }
}

// Of a relation: y that is not 0 inside of the bounds, or has the wrong sign at one; a multiplier beyond them.
static double relation_off(const nsm_sim *s, int row, double y) {
  const struct sim_flow *w = s->n.flow;
  const sim_rows *r = &s->n.r;
  double l = w->in.force[r->l[row]], size = s->now.flow_scale[2 * row];
  if (w->in.of[row] < 0) return r->lo[row] == r->hi[row] ? 0 : (s->now.set[row] == SIM_HIGH ? y : -y) / size;
  double beyond = fmax(r->lo[row] - l, l - r->hi[row]) / s->now.flow_scale[2 * row + 1];
  return fmax(fabs(y) / size, isfinite(beyond) ? beyond : 0);
}

double sim_flow_verify(nsm_sim *s, double t1) {
  struct sim_flow *w = s->n.flow;
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, w->in.force);
  double off = momentum(s, &v), largest = largest_force(s), *rate = w->rate[4];
  SIM_EACH(s, row, k) (k->c->kind == NSM_RELATION ? k->c->y_fn : k->c->rate_fn)(&v, &k->tab, rate + k->row0);
  if (sim_flow_stopped(s, rate)) largest = INFINITY;       // nothing says what forces hang on
  sizes(s, rate);
  SIM_EACH(s, row, k)
    for (int row = k->row0; k->c->kind != NSM_RELATION && row < k->row0 + k->tab.count; row++)
      s->now.flow_most[2 * row] = sim_flow_speed(s, row);
  pushes(s);
  SIM_EACH(s, row, k) {
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i, relation = k->c->kind == NSM_RELATION;
      if (relation) { off = fmax(off, relation_off(s, row, rate[row])); continue; }
      if (k->c->kind == NSM_FRICTION || w->in.of[row] < 0) continue;
      off = fmax(off, fabs(rate[row]) / sim_flow_speed(s, row));
      if (k->c->kind == NSM_CONTACT) off = fmax(off, -w->in.force[s->n.r.l[row]] / largest);
    }
  }
  for (int f = 0; f < s->n.r.nfriction; f++) off = fmax(off, friction_off(s, f, rate, largest));
  return off;
}
