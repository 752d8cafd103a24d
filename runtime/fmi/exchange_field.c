// Model exchange, the equations: which models are smooth, derivatives at an instant, states onto constraints
// (exchange.h). The system of an instant is that of event_driven, docs/numerics/event_driven.md (1) to (5).
#include "exchange.h"
#include "runtime/clock/clock.h"
#include "runtime/schemes/flow.h"

// ---- smooth models --------------------------------------------------------------------------------------------------
static int refuse(nsm_error *e, nsm_place at, const char *what) {
  sim_fail_at(e, NSM_USAGE, at, "%s is not smooth: model exchange takes smooth models, as the solver of another tool "
              "knows nothing of it", what);
  return 0;
}

static int rows_are_smooth(nsm_sim *s, nsm_error *e) {
  char name[256];
  SIM_EACH(s, row, k) {
    int equation = k->c->kind == NSM_RELATION && k->c->row_type == NSM_ROW_FREE;
    if (k->tab.count == 0 || k->c->kind == NSM_CONSTRAINT || equation) continue;
    sim_row_name(s, k->row0, name, sizeof name);
    return refuse(e, sim_at_row(s, k->row0), name);
  }
  return 1;
}

// NULL: it is.
static const char *not_smooth(const nsm_class *c) {
  switch (c->kind) {
  case NSM_EVERY: return "an `every`";
  case NSM_WHEN:
    return c->by_time ? "a function of time that jumps or has a kink" : c->switches ? "what switches" : "a `when`";
  case NSM_DELAY: return "a delay";
  default:        return NULL;
  }
}

int fmi_smooth(nsm_sim *s, nsm_error *e) {
  if (!rows_are_smooth(s, e)) return 0;
  if (s->touching) return refuse(e, (nsm_place){ 0 }, "contact of shapes");
  for (int i = 0; i < s->a->m->nclass; i++) {
    const char *what = s->a->cls[i].tab.count > 0 ? not_smooth(s->a->cls[i].c) : NULL;
    if (what) return refuse(e, sim_at_class(i), what);
  }
  return 1;
}

// ---- an instant -----------------------------------------------------------------------------------------------------
// The states that the tool gave, as those of the simulation; coordinates that are not shown stay as they are.
static void stand(fmi_component *c) {
  nsm_sim *s = c->s;
  struct sim_flow *w = s->n.flow;
  const double *x = c->before + 1;
  s->now.t = c->time;
  memcpy(w->y, s->now.q, (size_t)w->nq * sizeof(double));
  for (int i = 0; i < s->a->nshown; i++) w->y[s->a->shown[i]] = x[s->a->nx + i];
  memcpy(w->y + w->nq, x + s->a->nx + s->a->nshown, (size_t)s->a->nv * sizeof(double));
  memcpy(w->y + w->nq + s->a->nv, x, (size_t)s->a->nx * sizeof(double));
  flow_take(s, w->y, s->now.q, s->now.z);
}

// Each instant for itself: what the last one had for forces does not show.
static int instant(fmi_component *c) {
  nsm_sim *s = c->s;
  struct sim_flow *w = s->n.flow;
  if (s->n.stale && !sim_refresh(s, &c->error)) return 0;
  stand(c);
  flow_rows(s);
  memset(w->in.force, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  if (flow_instant(s, s->now.t, s->now.q, s->now.z)) return 1;
  sim_fail(&c->error, NSM_FAILED, "the equations have no solution at t = %.17g s", s->now.t);
  return 0;
}

int fmi_has_derivatives(nsm_sim *s) {
  if (!s->a->scheme->flows) return 0;
  flow_rows(s);
  memset(s->n.flow->in.force, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  return flow_instant(s, s->now.t, s->now.q, s->now.z) && !s->n.flow->in.singular;
}

// Impulses of the columns are those of a step of the model with the force at hand.
static void take_forces(nsm_sim *s) {
  const struct sim_flow *w = s->n.flow;
  s->now.span = 0;
  for (int row = 0; row < s->n.r.n; row++) {
    int l = s->n.r.l[row];
    s->now.l[l] = w->in.force[l] * (sim_contactlike(s->a->cls[s->n.r.cls[row]].c) ? s->n.h : 1);
  }
}

static void into_columns(const nsm_sim *s, const double *q, const double *z, double *x) {
  memcpy(x, z + s->a->nv, (size_t)s->a->nx * sizeof(double));
  x += s->a->nx;
  for (int i = 0; i < s->a->nshown; i++) *x++ = q[s->a->shown[i]];
  memcpy(x, z, (size_t)s->a->nv * sizeof(double));
}

int fmi_evaluate(fmi_component *c, double *dx) {
  nsm_sim *s = c->s;
  struct sim_flow *w = s->n.flow;
  if (!c->known) {
    if (!instant(c)) return 0;
    take_forces(s);
    flow_derivative(s, s->now.q, s->now.z, w->x, w->dy);
  }
  c->known = 1;
  if (dx) into_columns(s, w->dy, w->dy + w->nq, dx);
  return 1;
}

int fmi_project(fmi_component *c, double *x) {
  nsm_sim *s = c->s;
  struct sim_flow *w = s->n.flow;
  if (!instant(c)) return 0;
  c->known = 0;
  memcpy(w->q, s->now.q, (size_t)w->nq * sizeof(double));
  memcpy(w->z, s->now.z, (size_t)s->a->nz * sizeof(double));
  if (!flow_project(s, s->now.t, w->q, w->z)) {
    sim_fail(&c->error, NSM_FAILED, "the constraints cannot be met at t = %.17g s", s->now.t);
    return 0;
  }
  into_columns(s, w->q, w->z, x);
  return 1;
}
