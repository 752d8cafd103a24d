// What event_driven takes, its room, and its solver.
#include "flow.h"

// What is asked of a run is not what is asked of a step of the solver: errors add up along a motion, and impacts and
// instabilities enlarge them. The solver does not take less than some round-off.
static const double of_run = 1e-3, least = 1e-14;

static int refuse(nsm_error *e, const char *what) {
  sim_fail(e, NSM_USAGE, "`event_driven` does not take %s", what);
  return 0;
}

int sim_flow_fits(nsm_sim *s, nsm_error *e) {
  int rows = s->n.r.n, n = s->a->nz + rows;
  if (s->touching) return refuse(e, "contacts between shapes; `consistent(located = true)` does");
  if (s->a->algebraic) return refuse(e, "unknowns without inertia; `radau` does");
  if (s->a->ndelay > 0) return refuse(e, "delays; `moreau` and `radau` do");
  if (!s->a->located) {
    sim_fail(e, NSM_USAGE, "`event_driven` goes from event to event: it cannot be had with located = false");
    return 0;
  }
  if (n > FLOW_MOST) {
    sim_fail(e, NSM_USAGE, "`event_driven` takes up to %d unknowns, and this model has %d, by %d velocities and states "
             "and %d rows; `consistent` and `moreau` have no such limit", FLOW_MOST, n, s->a->nz, rows);
    return 0;
  }
  return sim_own_velocities(s, e) && nsm_flow_plugin(e) != NULL;
}

// The first element whose unit is the same: of coordinates, of their velocities, of states.
static int same_unit(const nsm_sim *s, int velocity, int var, int before) {
  const nsm_model *m = s->a->m;
  const char *unit = sim_text(s, velocity ? m->var[var].rate_unit : m->var[var].unit);
  for (int k = 0; k < before; k++) {
    int kind = m->var[k].kind, fits = kind == m->var[var].kind && s->a->var[k].count > 0;
    if (fits && strcmp(unit, sim_text(s, velocity ? m->var[k].rate_unit : m->var[k].unit)) == 0) return k;
  }
  return var;
}

static void take_groups(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  for (int i = 0; i < w->n; i++) w->group[i] = i;
  for (int i = 0; i < s->a->m->nvar; i++) {
    const sim_var *v = &s->a->var[i];
    int kind = s->a->m->var[i].kind, q = kind == NSM_VAR_COORD || kind == NSM_VAR_POSITION,
        u = kind == NSM_VAR_COORD || kind == NSM_VAR_VELOCITY, x = kind == NSM_VAR_STATE;
    for (int j = 0; j < v->count; j++) {
      if (q) w->group[v->base + j] = s->a->var[same_unit(s, 0, i, i)].base;
      if (u) w->group[w->nq + v->base + j] = w->nq + s->a->var[same_unit(s, 1, i, i)].base;
      if (x) w->group[w->nq + s->a->nv + v->base + j] = w->nq + s->a->nv + s->a->var[same_unit(s, 0, i, i)].base;
    }
  }
}

// Is the system of an instant affine in its multipliers?
static int iterates(const nsm_sim *s) {
  int more = 0;
  for (int a = 0; a < s->a->on.g.n; a++) {
    const nsm_class *c = s->a->cls[s->a->on.g.of[a]].c;
    more |= !c->affine && c->b_stage == NSM_STATE;
  }
  for (int a = 0; a < s->a->on.relation.n; a++) {
    const nsm_class *c = s->a->cls[s->a->on.relation.of[a]].c;
    more |= !c->y_affine && c->h_stage == NSM_STATE;
  }
  for (int f = 0; f < s->n.r.nfriction; f++)
    more |= s->n.r.friction[f].normals > 1 || s->n.r.friction[f].type == NSM_CONE_GRIP;
  return more;
}

static void room_of_instant(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  sim_instant_open(s, &w->in, s->a->nz);
  w->in.rows = flow_rows;
  w->in.at = flow_allowed;
  w->in.factors = flow_instant;
  w->in.speed = sim_flow_speed;
  w->x = w->in.accelerations = SIM_NEW(s, s->a->nz + s->n.r.n, double);
  for (size_t i = 0; i < 5; i++) w->rate[i] = SIM_NEW(s, s->n.r.n, double);
  w->weight = SIM_NEW(s, 5, double);
  w->row = SIM_NEW(s, s->n.r.n, int);
  w->level = SIM_NEW(s, s->n.r.n, unsigned char);
  w->in.slides = w->slides = SIM_NEW(s, s->n.r.nfriction, unsigned char);
  w->f = SIM_NEW(s, s->a->nz, double);
  w->known = SIM_NEW(s, s->a->nz, double);
  flow_hidden_open(s);
}

void sim_flow_analyse(nsm_sim *s) {
  nsm_error e;
  sim_newton_analyse(s);
  struct sim_flow *w = s->n.flow = SIM_NEW(s, 1, struct sim_flow);
  w->solver = nsm_flow_plugin(&e);
  w->nq = s->a->nq;
  w->n = s->a->nq + s->a->nz;
  w->nquad = s->a->nl + s->n.r.n + 2;
  w->nroot = 2 * s->n.r.n + s->a->nwhen;
  w->rtol = fmin(s->a->rtol, fmax(of_run * s->a->rtol, least));
  w->atol = of_run * s->a->atol;
  w->stops = s->a->nsignal > 0 || s->a->nevery > 0;
  for (int b = 0; b < s->a->m->nblock; b++) w->stops |= s->a->event[b].by_time || s->a->event[b].instant;
  w->from = -INFINITY;
  w->to = INFINITY;
  double **by_n[] = { &w->y, &w->dy, &w->tolerance, &w->there_y }, **by_q[] = { &w->q, &w->qa, &w->qb, &w->end_q },
         **by_z[] = { &w->z, &w->dz, &w->end_z, &w->terms }, **by_quad[] = { &w->quad, &w->before, &w->quad_size };
  for (size_t i = 0; i < 4; i++) *by_n[i] = SIM_NEW(s, w->n, double);
  for (size_t i = 0; i < 4; i++) *by_q[i] = SIM_NEW(s, w->nq, double);
  for (size_t i = 0; i < 4; i++) *by_z[i] = SIM_NEW(s, s->a->nz, double);
  for (size_t i = 0; i < 3; i++) *by_quad[i] = SIM_NEW(s, w->nquad, double);
  w->group = SIM_NEW(s, w->n, int);
  w->hits = SIM_NEW(s, w->nroot, int);
  w->there = SIM_NEW(s, w->nroot, double);
  w->compared = SIM_NEW(s, 3 * (s->a->nwhen + s->n.r.n), double);
  room_of_instant(s);
  flow_moves_open(s);
  take_groups(s);
  w->iterates = iterates(s);
}

void sim_flow_close(nsm_sim *s) {
  if (s->n.flow && s->n.flow->motion) s->n.flow->solver->close(s->n.flow->motion);
}
