// Which statement of the model gave a nan or an infinity: its kernels one by one, in order, at the last iterate.
#include "consistent.h"
#include <math.h>
#include <string.h>

static const char *what_is(double x) { return isnan(x) ? "NaN" : "infinite"; }

static nsm_code blame(nsm_sim *s, int cls, int i, const char *what, double value, double t, nsm_error *e) {
  char name[256];
  if (i >= 0) sim_instance_name(s, cls, i, name, sizeof name);
  else sim_family_name(name, sizeof name, sim_text(s, s->a->m->cls[cls].label));
  char escape[400] = "";
  int runs = !isnan(value) && sim_escapes(s, escape, sizeof escape);
  if (!runs && sim_is_network(s)) {
    runs = 1;
    snprintf(escape, sizeof escape, "does a part there divide by 0, as a resistor of 0 ohm does?");
  }
  sim_fail_at(e, NSM_FAILED, sim_at_class(cls), "line %d (%s): %s became %s at t = %.10g s, step %ld%s%s",
              s->a->m->cls[cls].line, name, what, what_is(value), t, sim_step_number(s), runs ? "; " : "", escape);
  return NSM_FAILED;
}

// " with x = -1e-05, y = 2": what the equation of unknown z reads, at most TOLD of it; roots of negative numbers and
// divisions by 0 show there.
static void add_values(const nsm_sim *s, const nsm_view *v, const sim_class *k, int z, char *out, size_t size) {
  enum { TOLD = 3 };
  const nsm_pattern *p = &k->c->jac;
  int seen[TOLD], told = 0;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n && told < TOLD; e++) {
      int wrt = p->wrt[e], is_new = 1, of_x = wrt == NSM_WRT_X;
      if (!of_x && !(wrt == NSM_WRT_Q && s->a->nq == s->a->nv)) continue;
      if (sim_z_of(s, k, i, p->row[e]) != z) continue;
      int at = sim_z_of(s, k, i, p->col[e]);
      for (int j = 0; j < told; j++) is_new &= seen[j] != at;
      if (!is_new) continue;
      char name[256];
      if (of_x) sim_z_name(s, at, name, sizeof name);
      else sim_q_name(s, at, name, sizeof name);
      size_t used = strlen(out);
      snprintf(out + used, size - used, "%s%s = %.8g", told ? ", " : " with ", name,
               of_x ? v->x[at - s->a->nv] : v->q[at]);
      seen[told++] = at;
    }
}

static int bad(const double *x, size_t n, size_t *where) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) { *where = i; return 1; }
  return 0;
}

static int whole(const nsm_sim *s, const nsm_view *v, size_t *where) {
  return bad(v->q, (size_t)s->a->nq, where) || bad(v->v, (size_t)s->a->nz, where);
}

static nsm_code smooth(nsm_sim *s, const nsm_view *v, int cls, nsm_error *e) {
  sim_class *k = &s->a->cls[cls];
  const nsm_class *c = k->c;
  size_t n = (size_t)k->tab.count, at;
  double *f = s->w.f;
  if (c->mass_stage != NSM_NONE) {
    c->mass_fn(v, &k->tab, k->mass);
    if (bad(k->mass, n * (size_t)c->mass.n, &at))
      return blame(s, cls, (int)(at / (size_t)c->mass.n), "the inertia", k->mass[at], v->t, e);
  }
  if (c->f_stage != NSM_NONE) {
    memset(f, 0, (size_t)s->a->nz * sizeof(double));
    c->f_fn(v, &k->tab, f, f + s->a->nv);
    if (bad(f, (size_t)s->a->nz, &at)) {
      char what[600], name[256];
      if ((int)at < s->a->nv) sim_v_name(s, (int)at, name, sizeof name);
      else sim_z_name(s, (int)at, name, sizeof name);
      snprintf(what, sizeof what, (int)at < s->a->nv ? "the force on %s" : "the right-hand side of %s'", name);
      add_values(s, v, k, (int)at, what, sizeof what);
      return blame(s, cls, n == 1 ? 0 : -1, what, f[at], v->t, e);
    }
  }
  if (c->jac_stage != NSM_NONE) {
    c->jac_fn(v, &k->tab, k->jac);
    if (bad(k->jac, n * (size_t)c->jac.n, &at))
      return blame(s, cls, (int)(at / (size_t)c->jac.n), "the derivative of the force", k->jac[at], v->t, e);
  }
  if (c->g_stage != NSM_NONE) {
    memset(f, 0, (size_t)s->a->nz * sizeof(double));
    c->g_fn(v, &k->tab, f, f + s->a->nv);
    if (bad(f, (size_t)s->a->nz, &at)) return blame(s, cls, n == 1 ? 0 : -1, "the term with multipliers", f[at], v->t,
                                                    e);
  }
  return NSM_OK;
}

static nsm_code row(nsm_sim *s, const nsm_view *v, int cls, nsm_error *e) {
  sim_class *k = &s->a->cls[cls];
  size_t n = (size_t)k->tab.count, at;
  double *y = s->n.r.y + k->row0, *g = s->n.r.gap + k->row0;
  if (k->c->kind == NSM_RELATION) {
    k->c->y_fn(v, &k->tab, y);
    if (bad(y, n, &at)) return blame(s, cls, (int)at, "the output", y[at], v->t, e);
  } else {
    k->c->gap_fn(v, &k->tab, g, y);
    if (bad(g, n, &at)) return blame(s, cls, (int)at, "the gap", g[at], v->t, e);
    if (bad(y, n, &at))
      return blame(s, cls, (int)at, k->c->kind == NSM_FRICTION ? "the slip velocity" : "the rate of the gap", y[at],
                   v->t, e);
  }
  if (k->c->h_stage != NSM_NONE) {
    k->c->h_fn(v, &k->tab, k->h);
    if (bad(k->h, n * (size_t)k->c->h.n, &at))
      return blame(s, cls, (int)(at / (size_t)k->c->h.n), "the derivative", k->h[at], v->t, e);
  }
  if (k->c->law_fn) {
    double *lo = s->n.r.lo + k->row0, *hi = s->n.r.hi + k->row0;
    k->c->law_fn(v, &k->tab, lo, hi);
    for (size_t i = 0; i < n; i++)
      if (isnan(lo[i]) || isnan(hi[i])) return blame(s, cls, (int)i, "a bound", NAN, v->t, e);
    for (size_t i = 0; i < n; i++)
      if (lo[i] > hi[i]) {
        char name[256];
        sim_instance_name(s, cls, (int)i, name, sizeof name);
        sim_fail_at(e, NSM_FAILED, sim_at_class(cls),
                    "line %d (%s): the lower bound %g lies above the upper bound %g at t = %.10g s, step %ld",
                    k->c->line, name, lo[i], hi[i], v->t, sim_step_number(s));
        return NSM_FAILED;
      }
  }
  return NSM_OK;
}

static nsm_code friction(nsm_sim *s, const nsm_view *v, int cls, nsm_error *e) {
  const sim_class *k = &s->a->cls[cls];
  double *c = s->n.r.coefficients;
  if (!k->c->mu_fn) return NSM_OK;
  k->c->mu_fn(v, &k->tab, c, c + k->tab.count, c + 2 * k->tab.count);
  for (int i = 0; i < 3 * k->tab.count; i++)
    if (s->n.r.active[k->row0 + i % k->tab.count] && !isfinite(c[i]))
      return blame(s, cls, i % k->tab.count, "a coefficient of friction", c[i], v->t, e);
  return NSM_OK;
}

// What the energy-consistent schemes take between both ends of the step.
static nsm_code between(nsm_sim *s, const nsm_view *v, int cls, nsm_error *e) {
  sim_class *k = &s->a->cls[cls];
  const nsm_class *c = k->c;
  size_t n = (size_t)k->tab.count, at;
  if (c->c_fn) {
    memset(s->w.f, 0, (size_t)s->a->nv * sizeof(double));
    c->c_fn(v, &k->tab, s->w.f);
    if (bad(s->w.f, (size_t)s->a->nv, &at))
      return blame(s, cls, n == 1 ? 0 : -1, "the force between both ends of the step", s->w.f[at], v->t, e);
  }
  if (c->cjac_fn) {
    double *d = s->n.con->cls[cls].cjac;
    c->cjac_fn(v, &k->tab, d);
    if (bad(d, n * (size_t)c->cjac.n, &at))
      return blame(s, cls, (int)(at / (size_t)c->cjac.n), "the derivative of the force", d[at], v->t, e);
  }
  if (c->dg_fn) {
    double *d = s->n.con->cls[cls].dg;
    c->dg_fn(v, &k->tab, d);
    if (bad(d, n * (size_t)c->h.n, &at))
      return blame(s, cls, (int)(at / (size_t)c->h.n), "the derivative between both ends of the step", d[at], v->t, e);
  }
  return NSM_OK;
}

static nsm_code kernels(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  for (int i = 0; i < s->a->m->nclass; i++) {
    if (s->a->cls[i].tab.count == 0) continue;
    nsm_code c = NSM_OK;
    if (s->a->m->cls[i].kind == NSM_SMOOTH) c = smooth(s, v, i, e);
    else if (s->a->cls[i].row0 >= 0) c = row(s, v, i, e);
    if (c == NSM_OK && s->a->cls[i].row0 >= 0) c = friction(s, v, i, e);
    if (c == NSM_OK && s->n.con) c = between(s, v, i, e);
    if (c != NSM_OK) return c;
  }
  return NSM_OK;
}

// First at the start of the step with its end time (the state there is finite), then at the given view if that is
// finite, else at the first iterate of the step; where the state itself is what overflowed, it is named. NSM_OK where
// nothing is wrong. A lost iterate is overwritten.
nsm_code sim_blame(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  nsm_view start = sim_now(s);
  size_t at;
  nsm_code c = kernels(s, &start, e);
  if (c != NSM_OK) return c;
  if (!whole(s, v, &at)) return kernels(s, v, e);
  start.t = v->t;
  if ((c = kernels(s, &start, e)) != NSM_OK) return c;
  char name[256];
  double value;
  int lost = bad(v->v, (size_t)s->a->nz, &at);
  if (lost) { sim_z_name(s, (int)at, name, sizeof name); value = v->v[at]; }
  else if (bad(v->q, (size_t)s->a->nq, &at)) { sim_q_name(s, (int)at, name, sizeof name); value = v->q[at]; lost = 1; }
  if (!lost) return NSM_OK;
  // The iterate is lost; the first one of the step, q_k + h v_k, is tried again in its place.
  if (v->q != start.q) {
    double *q = (double *)v->q;
    sim_move(s, start.q, s->n.h, start.v, q);
    start.q = q;
    if ((c = kernels(s, &start, e)) != NSM_OK) return c;
  }
  sim_fail_at(e, NSM_FAILED, sim_at_z(s, (int)at), "%s became %s at t = %.10g s, step %ld", name, what_is(value), v->t,
              sim_step_number(s));
  return NSM_FAILED;
}
