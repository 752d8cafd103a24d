// From a model and its settings to a filled simulation: parameters, sizes, experiment, tables of the classes, initial
// values. Every mistake a person can make here is reported with the line of the model and the name they gave.
#include "assembly.h"
#include "runtime/move.h"
#include <limits.h>
#include <math.h>
#include <string.h>

static const double most_bytes = 4.0 * 1024 * 1024 * 1024;
#define MOST_STEPS (LONG_MAX > 2147483647 ? 9e15 : 1e9)    // a long counts them

// ---- parameters -----------------------------------------------------------------------------------------------------
static int set_parameters(nsm_sim *s, const nsm_settings *set, nsm_error *e) {
  const nsm_model *m = s->a->m;
  s->a->p = SIM_NEW(s, m->npar, double);
  unsigned char *given = SIM_NEW(s, m->npar, unsigned char);
  for (int i = 0; set && i < set->nset; i++) {
    const nsm_assignment *a = &set->set[i];
    int found = -1;
    for (int j = 0; j < m->npar && found < 0; j++)
      if (strcmp(sim_text(s, m->par[j].name), a->name) == 0) found = j;
    if (found < 0) { sim_fail(e, NSM_USAGE, "there is no parameter `%s`", a->name); return 0; }
    if (!isfinite(a->value)) { sim_fail(e, NSM_USAGE, "parameter %s: the value is not finite", a->name); return 0; }
    s->a->p[found] = a->value;
    given[found] = 1;
  }
  for (int j = 0; j < m->npar; j++) {
    if (!m->par[j].structural) continue;
    if (given[j] && s->a->p[j] != m->par[j].fixed) {
      sim_fail_at(e, NSM_MODEL_WRONG, sim_at_parameter(j),
                  "line %d: parameter %s shapes the compiled model and is fixed at %.17g; compile again to change it",
                  m->par[j].line, sim_text(s, m->par[j].name), m->par[j].fixed);
      return 0;
    }
    s->a->p[j] = m->par[j].fixed;
    given[j] = 1;
  }
  int missing = m->params ? m->params(s->a->p, given) : -1;
  if (missing >= 0) {
    const nsm_par *d = &m->par[missing];
    const char *name = sim_text(s, d->name), *unit = sim_text(s, d->unit);
    sim_fail_at(e, NSM_MODEL_WRONG, sim_at_parameter(missing),
                "line %d: parameter %s has no value; give one with --set %s=VALUE%s%s%s", d->line, name, name,
                *unit ? " (in " : "", unit, *unit ? ")" : "");
    return 0;
  }
  for (int j = 0; j < m->npar; j++)
    if (isnan(s->a->p[j])) {
      sim_fail_at(e, NSM_MODEL_WRONG, sim_at_parameter(j), "line %d: the value of parameter %s is not a number",
                  m->par[j].line, sim_text(s, m->par[j].name));
      return 0;
    }
  return 1;
}

// ---- experiment -----------------------------------------------------------------------------------------------------
static double chosen(double setting, double own) { return isnan(setting) ? own : setting; }

static int set_times(nsm_sim *s, const nsm_settings *set, const nsm_experiment *x, nsm_error *e) {
  s->a->start = set ? chosen(set->start, x->start) : x->start;
  s->a->until = set ? chosen(set->until, x->until) : x->until;
  s->a->step  = set ? chosen(set->step, x->step) : x->step;
  s->a->located = set && set->located ? set->located > 0 : x->located;
  s->a->unlocated = set && set->located ? NSM_UNLOCATED_SAID : x->unlocated;
  s->a->projects = set && set->projection ? set->projection > 0 : x->projection;
  const char *why = !s->a->scheme->projects       ? "`moreau` projects places, and not the scheme of this model"
                    : s->a->m->nshape_contact > 0 ? "the projection does not take contacts between shapes"
                                                  : NULL;
  if (s->a->projects && why) {
    sim_fail(e, NSM_USAGE, "%s", why);
    return 0;
  }
  if (s->a->projects && s->a->located) {
    sim_fail(e, NSM_USAGE, "the scheme `%s` projects or locates, and not both", s->a->scheme->name);
    return 0;
  }
  if (!s->a->located || s->a->scheme->located) return 1;
  sim_fail(e, NSM_USAGE, "the scheme `%s` does not locate events; moreau, consistent and radau do", s->a->scheme->name);
  return 0;
}

// theta: weight of f where the unknowns move it, gamma: share of the end in the point of the laws, of an implicit
// scheme that has its own.
static void own_weights(nsm_sim *s) {
  sim_take_points(s, s->a->theta, s->a->gamma);
  if (!s->a->m->points || s->a->scheme->weights || !s->a->scheme->implicit) return;
  s->a->theta = 0;
  for (int i = 0; i < s->a->late.n; i++) s->a->theta += s->a->point[s->a->late.at[i]].force;
  s->a->gamma = s->a->point[s->a->m->law_at].share;
}

// theta and gamma where the scheme has them, stages where it collocates.
static int set_weights(nsm_sim *s, const nsm_settings *set, nsm_experiment *x, nsm_error *e) {
  int by_weights = s->a->located && !s->a->scheme->collocates && !s->a->scheme->flows;
  if (by_weights && !(x->own_weights & 1)) x->theta = 0.5;                 // second order, as what is located
  if (by_weights && !(x->own_weights & 2)) x->gamma = 0.5;
  s->a->theta = set ? chosen(set->theta, x->theta) : x->theta;
  s->a->gamma = set ? chosen(set->gamma, x->gamma) : x->gamma;
  s->a->gamma_given = (x->own_weights & 2) != 0 || (set && !isnan(set->gamma));
  if (!s->a->scheme->weights) {
    if (set && !(isnan(set->theta) && isnan(set->gamma))) {
      sim_fail(e, NSM_USAGE, "the scheme of this model has no theta and no gamma; `moreau` has");
      return 0;
    }
    s->a->theta = s->a->scheme->collocates || s->a->scheme->flows ? 1 : s->a->scheme->theta;
    s->a->gamma = 1;
  }
  s->a->rtol = set && set->rtol > 0 ? set->rtol : x->rtol > 0 ? x->rtol : 1e-9;
  s->a->atol = set && set->atol > 0 ? set->atol : x->atol > 0 ? x->atol : 0;
  own_weights(s);
  s->a->stages = set && set->stages ? set->stages : x->stages ? x->stages : s->a->scheme->collocates ? 3 : 1;
  if (set && set->stages && !s->a->scheme->collocates && !(s->a->scheme->two_point && s->a->scheme->located)) {
    sim_fail(e, NSM_USAGE, "the scheme of this model has no stages and no order; `radau` and `consistent` have");
    return 0;
  }
  int known = s->a->stages == 1 || (x->stages > 1 && s->a->stages >= 1 && s->a->stages <= 4);
  if (s->a->scheme->two_point && !known) {
    sim_fail(e, NSM_USAGE, "this program was compiled for `consistent` of order %d, and not for order %d; compile it "
             "for scheme = consistent(order = %d)", x->stages > 1 ? 2 * x->stages : 2, 2 * s->a->stages,
             2 * s->a->stages);
    return 0;
  }
  if (!s->a->scheme->collocates || s->a->stages == 2 || s->a->stages == 3) return 1;
  sim_fail(e, NSM_USAGE, "radau has 2 or 3 stages, and not %d", s->a->stages);
  return 0;
}

static void set_solver(nsm_sim *s, const nsm_settings *set, const nsm_experiment *x) {
  s->a->tolerance = set && set->tolerance != 0 ? set->tolerance : isnan(x->tolerance) ? 1e-12 : x->tolerance;
  s->w.cone.tolerance = s->a->tolerance == 1e-12 ? 0 : s->a->tolerance;                  // 0: that of the verifier
  s->a->accept = set && set->accept != 0 ? set->accept : isnan(x->accept) ? 0 : x->accept;
  s->a->project_start = (set && set->project_start) || x->project_start;
  const char *given = set ? s->a->settings.solver : NULL;                // a copy: it lives as long as the simulation
  s->w.cone.solver = given ? given : x->solver ? (const char *)s->a->m->text + x->solver : NULL;
  s->w.cone.budget = set && set->solve_budget > 0 ? set->solve_budget : NSM_CONE_BUDGET;
  s->w.cone.stop = set ? set->stop : NULL;
}

// Are times and weights such that a run can go by them?
static int experiment_holds(const sim_analysis *a, nsm_error *e) {
  static const char example[] = ", as in simulate { until = 2 [s], step = 5 [ms] }";
  const char *name = (const char *)a->m->text + a->m->name;
  if (isnan(a->until))
    sim_fail(e, NSM_USAGE, "no end time: give --until, or `until` in the `simulate` of model %s%s", name, example);
  else if (isnan(a->step))
    sim_fail(e, NSM_USAGE, "no step: give --step, or `step` in the `simulate` of model %s%s", name, example);
  else if (!isfinite(a->start) || !isfinite(a->until))
    sim_fail(e, NSM_USAGE, "the start and end times must be finite");
  else if (!(a->step > 0) || !isfinite(a->step))
    sim_fail(e, NSM_USAGE, "the step must be positive and finite, it is %g s", a->step);
  else if (!(a->until > a->start))
    sim_fail(e, NSM_USAGE, "the end time %g s must lie after the start time %g s", a->until, a->start);
  else if (!(a->theta >= 0 && a->theta <= 1))
    sim_fail(e, NSM_USAGE, "theta must lie in [0, 1], it is %g", a->theta);
  else if (!(a->gamma > 0 && a->gamma <= 1))
    sim_fail(e, NSM_USAGE, "gamma must lie in (0, 1], it is %g", a->gamma);
  else if (!(a->tolerance > 0 && a->tolerance < 1))
    sim_fail(e, NSM_USAGE, "the tolerance must lie between 0 and 1, it is %g", a->tolerance);
  else if (!(a->accept >= 0 && isfinite(a->accept)))
    sim_fail(e, NSM_USAGE, "the residual to accept must be positive, it is %g", a->accept);
  else if (!(floor((a->until - a->start) / a->step + 1e-9) < MOST_STEPS))
    sim_fail(e, NSM_USAGE, "a step of %g s makes %g steps: too many", a->step,
             floor((a->until - a->start) / a->step + 1e-9));
  else if (a->start + a->step == a->start || a->until - a->step == a->until)
    sim_fail(e, NSM_USAGE, "the step %g s is too small for times around %g s: the clock would stand still", a->step,
             a->until);
  else return 1;
  return 0;
}

// t_k = start + k step; one shorter step at the end where the step does not divide the interval.
static int set_experiment(nsm_sim *s, const nsm_settings *set, nsm_error *e) {
  nsm_experiment x = sim_experiment(s->a->m, s->a->p);
  if (!set_times(s, set, &x, e) || !set_weights(s, set, &x, e)) return 0;
  set_solver(s, set, &x);
  if (!experiment_holds(s->a, e)) return 0;
  double length = s->a->until - s->a->start, steps = floor(length / s->a->step + 1e-9);
  s->a->full = (long)steps;
  s->a->total = s->a->full + (length - steps * s->a->step > 1e-9 * s->a->step ? 1 : 0);
  return 1;
}

// ---- sizes ----------------------------------------------------------------------------------------------------------
static int too_big(const nsm_sim *s, nsm_place at, const char *name, double count, double bytes, nsm_error *e) {
  if (count <= 2147483647.0 && bytes <= most_bytes) return 0;
  sim_fail_at(e, NSM_MODEL_WRONG, at,
              "line %d: %s has %.17g elements, which need about %.3g GiB; the limit is %.0f GiB",
              nsm_place_line(s->a->m, at, NULL), name, count, bytes / (1024.0 * 1024 * 1024),
              most_bytes / (1024.0 * 1024 * 1024));
  return 1;
}

static int size_of(nsm_sim *s, int i, const double *bound, nsm_error *e) {
  const nsm_var *d = &s->a->m->var[i];
  sim_var *v = &s->a->var[i];
  char name[256];
  double count = 1;
  sim_family_name(name, sizeof name, sim_text(s, d->name));
  if (d->kind == NSM_VAR_ROW || d->kind == NSM_VAR_SOLVED) return 1;   // as many as its class has instances
  for (int j = 0; j < d->ndim; j++) {
    double lo = bound[2 * j], hi = bound[2 * j + 1];
    if (!(lo == floor(lo) && hi == floor(hi) && fabs(lo) < 1e15 && fabs(hi) < 1e15)) {
      sim_fail_at(e, NSM_MODEL_WRONG, sim_at_variable(i),
                  "line %d: the size of %s is not an integer: its index runs from %.17g to %.17g", d->line, name, lo,
                  hi);
      return 0;
    }
    if (hi - lo + 1 < 0) {
      sim_fail_at(e, NSM_MODEL_WRONG, sim_at_variable(i),
                  "line %d: the size of %s is negative: its index runs from %.17g to %.17g", d->line, name, lo, hi);
      return 0;
    }
    count *= hi - lo + 1;
    v->lo[j] = (long)lo;
    v->n[j] = (long)(hi - lo + 1);
  }
  if (too_big(s, sim_at_variable(i), name, count, count * 240, e)) return 0;
  v->count = (int)count;
  return 1;
}

static int set_sizes(nsm_sim *s, nsm_error *e) {
  const nsm_model *m = s->a->m;
  s->a->var = SIM_NEW(s, m->nvar, sim_var);
  double *bound = SIM_NEW(s, 2 * NSM_MOST_INDICES * (size_t)m->nvar, double);
  if (m->sizes) m->sizes(s->a->p, bound);
  double total = 0;
  for (int i = 0; i < m->nvar; i++) {
    if (!size_of(s, i, bound + 2 * NSM_MOST_INDICES * i, e)) return 0;
    total += s->a->var[i].count;
    if (too_big(s, sim_at_variable(i), "the model up to here", total, total * 240, e)) return 0;
  }
  // By kind: coordinates with their velocities are the first of both.
  static const int order[] = { NSM_VAR_COORD, NSM_VAR_POSITION, NSM_VAR_VELOCITY, NSM_VAR_STATE, NSM_VAR_MULTIPLIER,
                               NSM_VAR_DISCRETE, NSM_VAR_INSTANT, NSM_VAR_GIVEN, NSM_VAR_INPUT, NSM_VAR_DELAY };
  int *next[] = { &s->a->nown, &s->a->nq, &s->a->nv, &s->a->nx, &s->a->nl, &s->a->nd, &s->a->nd, &s->a->nd,
                  &s->a->nd, &s->a->nd };
  for (int k = 0; k < (int)(sizeof order / sizeof *order); k++) {
    if (order[k] == NSM_VAR_INSTANT) s->a->ndiscrete = s->a->nd;
    if (order[k] == NSM_VAR_GIVEN) s->a->nevent = s->a->nd;
    if (order[k] == NSM_VAR_INPUT) s->a->nheld = s->a->nd;
    if (k == 1) s->a->nq = s->a->nv = s->a->nown;
    for (int i = 0; i < m->nvar; i++)
      if (m->var[i].kind == order[k]) {
        s->a->var[i].base = *next[k];
        *next[k] += s->a->var[i].count;
      }
  }
  s->a->nsignal = s->a->nd - s->a->nheld;
  s->a->shown = SIM_NEW(s, s->a->nq, int);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < m->nvar; i++)
      for (int j = 0; j < s->a->var[i].count && m->var[i].kind == order[k] && !m->var[i].rate; j++)
        s->a->shown[s->a->nshown++] = s->a->var[i].base + j;
  s->a->nz = s->a->nv + s->a->nx;
  s->a->ndeclared = s->a->nl;
  return 1;
}

// ---- tables of the classes ------------------------------------------------------------------------------------------
static int count_classes(nsm_sim *s, nsm_error *e) {
  const nsm_model *m = s->a->m;
  s->a->cls = SIM_NEW(s, m->nclass, sim_class);
  double bytes = 240.0 * (s->a->nz + s->a->nl);
  for (int i = 0; i < m->nclass; i++) {
    sim_class *k = &s->a->cls[i];
    k->c = &m->cls[i];
    k->row0 = -1;
    long n = sim_loops_count(s, i);
    if (s->fill_failed) return 0;
    if (n < 0) n = 0;
    int entries = k->c->mass.n + k->c->jac.n + 2 * k->c->b.n + k->c->k.n + 3 * k->c->h.n;
    bytes += (double)n * (4.0 * k->c->nslot + 8.0 * k->c->nnum + 20.0 * entries + (k->c->kind == NSM_SMOOTH ? 0 : 120));
    char label[256];
    sim_family_name(label, sizeof label, sim_text(s, k->c->label));
    if (too_big(s, sim_at_class(i), label, (double)n, bytes, e)) return 0;
    k->tab.count = (int)n;
  }
  s->a->nl_shown = -1;
  // A contact or constraint class owns the rows of its variable: the class says how many.
  for (int i = 0; i < m->nvar; i++)
    if (m->var[i].kind == NSM_VAR_ROW) {
      sim_var *v = &s->a->var[i];
      v->count = s->a->cls[m->var[i].cls].tab.count;
      v->base = s->a->nl;
      if (s->touching && m->var[i].cls >= s->a->given->nclass && s->a->nl_shown < 0) s->a->nl_shown = s->a->nl;
      s->a->nl += v->count;
    }
  if (s->a->nl_shown < 0) s->a->nl_shown = s->a->nl;
  return 1;
}

// nsm_table.even: families whose instances differ by where they stand in the arrays alone.
static int is_even(const sim_class *k) {
  size_t slots = (size_t)k->c->nslot, columns = (size_t)k->c->nnum;
  int same = k->c->nnum;
  for (int i = 1; i < k->tab.count; i++) {
    const int *ix = k->tab.ix + (size_t)i * slots;
    const double *num = k->tab.num + (size_t)i * columns;
    for (size_t j = 0; j < slots; j++) if (ix[j] != k->tab.ix[j] + i) return 0;
    for (int j = 0; j < same; j++) if (memcmp(&num[j], &k->tab.num[j], sizeof *num) != 0) same = j;
  }
  return same + 1;
}

static int fill_classes(nsm_sim *s, nsm_error *e) {
  for (int i = 0; i < s->a->m->nclass; i++) {
    sim_class *k = &s->a->cls[i];
    size_t n = (size_t)k->tab.count;
    int *ix = SIM_NEW(s, n * (size_t)k->c->nslot, int);
    double *num = SIM_NEW(s, n * (size_t)k->c->nnum, double);
    s->filling = i;
    const nsm_setup_view g = { s->a->p, k->c->own, k->c->number };
    if (k->c->fill && n > 0) k->c->fill((nsm_setup *)s, &g, ix, num);
    if (s->fill_failed) return 0;
    k->tab.ix = ix;
    k->tab.num = num;
    k->tab.even = is_even(k);
    for (size_t j = 0; j < n * (size_t)k->c->nnum; j++)
      if (isnan(num[j])) {
        char name[256];
        sim_instance_name(s, i, (int)(j / (size_t)k->c->nnum), name, sizeof name);
        sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(i), "line %d (%s): a constant of this statement is not a number",
                    k->c->line, name);
        return 0;
      }
    if (k->c->kind == NSM_RELATION || sim_contactlike(k->c)) {
      k->row0 = s->n.r.n;
      s->n.r.n += k->tab.count;
    }
    if (k->c->kind == NSM_SMOOTH) {
      k->mass = SIM_NEW(s, n * (size_t)k->c->mass.n, double);
      k->jac  = SIM_NEW(s, n * (size_t)k->c->jac.n, double);
      k->b    = SIM_NEW(s, n * (size_t)k->c->b.n, double);
      k->k    = SIM_NEW(s, n * (size_t)k->c->k.n, double);
      k->mcurve = SIM_NEW(s, n * (size_t)k->c->mcurve.n, double);
    }
    if (k->row0 >= 0) {
      k->h = SIM_NEW(s, n * (size_t)k->c->h.n, double);
      k->curve = SIM_NEW(s, n * (size_t)k->c->curve.n, double);
    }
    int middle = k->c->kind == NSM_CONSTRAINT || (s->a->located && sim_contactlike(k->c));
    if (s->a->scheme->implicit && !s->a->m->place_at && middle && k->c->h_stage > NSM_EVENT)
      k->h_mid = SIM_NEW(s, n * (size_t)k->c->h.n, double);
  }
  return 1;
}

// ---- initial values -------------------------------------------------------------------------------------------------
static int set_initial(nsm_sim *s, nsm_error *e) {
  s->a->q_start = SIM_NEW(s, s->a->nq, double);
  s->a->z_start = SIM_NEW(s, s->a->nz, double);
  s->a->d_start = SIM_NEW(s, s->a->nd, double);
  for (int i = 0; i < s->a->m->nclass; i++) {
    const sim_class *k = &s->a->cls[i];
    if (k->c->kind != NSM_INIT) continue;
    for (int j = 0; j < k->tab.count; j++) {
      int at = k->tab.ix[(size_t)j * (size_t)k->c->nslot];
      double value = k->tab.num[(size_t)j * (size_t)k->c->nnum];
      if (!isfinite(value)) {
        char name[256];
        int state = k->c->slot[0] == NSM_SLOT_X;
        if (k->c->slot[0] == NSM_SLOT_D) sim_d_name(s, at, name, sizeof name);
        else if (state) sim_z_name(s, s->a->nv + at, name, sizeof name);
        else if (k->c->init_velocity) sim_z_name(s, at, name, sizeof name);
        else sim_q_name(s, at, name, sizeof name);
        sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(i), "line %d: the initial value of %s is not finite", k->c->line,
                    name);
        return 0;
      }
      int kind = k->c->slot[0];
      if (kind == NSM_SLOT_D) s->a->d_start[at] = value;
      else if (kind == NSM_SLOT_X) s->a->z_start[s->a->nv + at] = value;
      else if (kind == NSM_SLOT_VELOCITY) s->a->z_start[at] = value;
      else if (kind == NSM_SLOT_POSITION) s->a->q_start[at] = value;
      else if (kind == NSM_SLOT_Q && k->c->init_velocity) s->a->z_start[at] = value;
      else if (kind == NSM_SLOT_Q) s->a->q_start[at] = value;
    }
  }
  return 1;
}

// ---- lists of classes by phase --------------------------------------------------------------------------------------
static void list_if(nsm_sim *s, sim_list *l, int cls, int condition) {
  if (!l->of) l->of = SIM_NEW(s, s->a->m->nclass, int);
  if (condition && s->a->cls[cls].tab.count > 0) l->of[l->n++] = cls;
}

static void list_phases(nsm_sim *s) {
  int most_out = 1;
  for (int i = 0; i < s->a->m->nclass; i++) {
    const nsm_class *c = &s->a->m->cls[i];
    int smooth = c->kind == NSM_SMOOTH, row = s->a->cls[i].row0 >= 0, implicit = s->a->scheme->implicit,
        theta = smooth && implicit, impulses = smooth && !s->a->scheme->two_point;
    list_if(s, &s->a->on.smooth, i, smooth);
    list_if(s, &s->a->on.f_moving, i, smooth && c->f_stage > NSM_EVENT && !c->f_mean);
    list_if(s, &s->a->on.f_mean, i, smooth && c->f_stage > NSM_EVENT && c->f_mean);
    list_if(s, &s->a->on.g, i, smooth && c->g_stage != NSM_NONE);
    list_if(s, &s->a->on.mass, i, smooth && c->mass_stage != NSM_NONE);
    list_if(s, &s->a->on.mass_moving, i, smooth && c->mass_stage > NSM_EVENT);
    list_if(s, &s->a->on.jac, i, theta && c->jac_stage != NSM_NONE);
    list_if(s, &s->a->on.jac_moving, i, theta && c->jac_stage > NSM_EVENT);
    list_if(s, &s->a->on.k, i, theta && c->k_stage != NSM_NONE);
    list_if(s, &s->a->on.k_moving, i, theta && c->k_stage > NSM_EVENT);
    list_if(s, &s->a->on.b, i, impulses && c->b_stage != NSM_NONE);
    list_if(s, &s->a->on.b_moving, i, impulses && c->b_stage > NSM_EVENT);
    list_if(s, &s->a->on.row, i, row);
    list_if(s, &s->a->on.relation, i, row && c->kind == NSM_RELATION);
    list_if(s, &s->a->on.contact, i, row && c->kind == NSM_CONTACT);
    list_if(s, &s->a->on.friction, i, row && c->kind == NSM_FRICTION);
    list_if(s, &s->a->on.mu, i, row && c->mu_stage >= NSM_EVENT);
    list_if(s, &s->a->on.constraint, i, row && c->kind == NSM_CONSTRAINT);
    list_if(s, &s->a->on.driven, i, row && c->driven);
    list_if(s, &s->a->on.h_moving, i, row && c->h_stage > NSM_EVENT);
    s->a->renewed += i >= s->a->given->nclass && s->a->cls[i].tab.count > 0;
    list_if(s, &s->a->on.mid, i, s->a->cls[i].h_mid != NULL);
    list_if(s, &s->a->on.mcurve, i, theta && c->mcurve.n > 0);
    list_if(s, &s->a->on.rq, i, row && implicit && c->rq.n > 0);
    list_if(s, &s->a->on.rq_moving, i, row && implicit && c->rq.n > 0 && c->rq_stage > NSM_EVENT);
    list_if(s, &s->a->on.curve, i, row && implicit && c->curve.n > 0 && c->kind == NSM_CONSTRAINT);
    list_if(s, &s->a->on.contact_curve, i, row && implicit && c->curve.n > 0 && c->kind != NSM_CONSTRAINT);
    list_if(s, &s->a->on.law, i, row && c->law_fn != NULL);
    list_if(s, &s->a->on.law_moving, i, row && c->law_fn != NULL && c->law_stage > NSM_EVENT);
    list_if(s, &s->a->on.energy, i, c->energy_fn != NULL);
    list_if(s, &s->a->on.compliant, i, c->lambda_fn != NULL);
    list_if(s, &s->a->on.output, i, c->kind == NSM_OUTPUT && !c->hidden);
    list_if(s, &s->a->on.assertion, i, c->kind == NSM_ASSERT);
    list_if(s, &s->a->on.kinematics, i, c->kind == NSM_KINEMATICS);
    int values = c->f_stage == NSM_EVENT || c->law_stage == NSM_EVENT || c->rq_stage == NSM_EVENT;
    int matrices = c->mass_stage == NSM_EVENT || c->jac_stage == NSM_EVENT || c->k_stage == NSM_EVENT ||
                   c->b_stage == NSM_EVENT || c->h_stage == NSM_EVENT || c->rq_stage == NSM_EVENT;
    s->a->event_matrix |= matrices;
    s->a->event_values |= values || matrices;
    if ((c->kind == NSM_OUTPUT || c->kind == NSM_ASSERT) && s->a->cls[i].tab.count > most_out)
      most_out = s->a->cls[i].tab.count;
  }
  s->w.out = SIM_NEW(s, most_out, double);
  s->a->ncolumn = 1 + s->a->nz + s->a->nshown + s->a->nl_shown + s->a->ndiscrete;
  for (int i = 0; i < s->a->on.output.n; i++) s->a->ncolumn += s->a->cls[s->a->on.output.of[i]].tab.count;
  sim_columns_scaled(s);
}

// One iteration is exact where everything is affine; with constant matrices the short way applies. Rows of shapes that
// follow the motion within a piece are none of either.
static void choose_step(nsm_sim *s) {
  int affine = !s->a->settings.general;
  for (int i = 0; i < s->a->on.smooth.n; i++) {
    const nsm_class *c = s->a->cls[s->a->on.smooth.of[i]].c;
    affine &= c->affine && c->mass_stage != NSM_STATE;
  }
  for (int i = 0; i < s->a->on.row.n; i++) affine &= s->a->cls[s->a->on.row.of[i]].c->y_affine;
  for (int i = 0; i < s->a->on.law_moving.n; i++)
    affine &= s->a->cls[s->a->on.law_moving.of[i]].c->law_stage != NSM_STATE;
  s->a->follows = s->a->located && s->touching && s->a->scheme->implicit;
  s->a->one_iteration = affine && !s->a->follows;
  s->a->linear = affine && s->a->scheme->implicit && !s->a->m->place_at &&
                 s->a->on.mass_moving.n + s->a->on.jac_moving.n + s->a->on.k_moving.n + s->a->on.b_moving.n +
                 s->a->on.h_moving.n + s->a->on.rq_moving.n == s->a->renewed;
  s->a->iterates = !s->a->linear || s->a->follows;
  s->a->piles = s->a->linear && s->a->ngroup > 0 && !s->a->located;
}

// Unknowns without inertia, each with an algebraic equation of its own; before the state is taken, which keeps sizes of
// terms where there are some.
static void find_algebraic(nsm_sim *s) {
  SIM_EACH(s, smooth, k)
    for (int i = 0; k->c->at_end && i < k->tab.count; i++) {
      if (!s->a->algebraic) s->a->algebraic = SIM_NEW(s, s->a->nz, unsigned char);
      s->a->algebraic[sim_z_of(s, k, i, k->c->at_end - 1)] = 1;
    }
}

// Before the state is taken, which has numbers for each instant and each condition (events.c).
static void count_events(nsm_sim *s) {
  for (int i = 0; i < s->a->m->nclass; i++) {
    const sim_class *k = &s->a->cls[i];
    if (k->c->kind == NSM_EVERY) s->a->nevery += k->tab.count;
    if (k->c->kind == NSM_WHEN) s->a->nwhen += k->tab.count;
  }
}

// ---- state and work -------------------------------------------------------------------------------------------------
static void set_state(nsm_sim *s) {
  size_t nz = (size_t)s->a->nz, nl = (size_t)s->a->nl + 1;     // nl: one more, always 0
#define SIM_STATE(type, name, count, what) s->now.name = SIM_NEW(s, count, type);
#include "runtime/state.def"
#undef SIM_STATE
  s->w.q1 = SIM_NEW(s, s->a->nq, double);
  s->w.z1 = SIM_NEW(s, nz, double);
  s->w.l1 = SIM_NEW(s, nl, double);
  s->w.q1_low = SIM_NEW(s, s->a->scheme->two_point ? s->a->nq : 0, double);
  s->w.z1_low = SIM_NEW(s, s->a->scheme->two_point ? nz : 0, double);
  double **by_z[] = { &s->n.f_constant, &s->w.f, &s->w.zm, &s->w.zg, &s->w.mean };
  for (size_t i = 0; i < sizeof by_z / sizeof *by_z; i++) *by_z[i] = SIM_NEW(s, nz, double);
  s->w.rhs = SIM_NEW(s, nz + nl, double);                      // the border of W has at most all multipliers
  s->w.size = SIM_NEW(s, nz + nl, double);
  s->w.push = SIM_NEW(s, nz + nl, double);
  s->w.pushed = SIM_NEW(s, nz + nl + 1, int);
  if (s->a->linear) s->n.dz_constant = SIM_NEW(s, nz, double);
  s->a->zero = SIM_NEW(s, nz, double);
  s->a->zero_l = SIM_NEW(s, nl, double);
  s->w.way = SIM_NEW(s, s->a->on.kinematics.n > 0 ? s->a->nv : 0, double);
  s->w.qm = SIM_NEW(s, s->a->nq, double);
  s->w.qg = SIM_NEW(s, s->a->nq, double);
  s->w.l_try = SIM_NEW(s, nl, double);
  s->w.l_from = SIM_NEW(s, nl, double);
  memcpy(s->now.q, s->a->q_start, (size_t)s->a->nq * sizeof(double));
  memcpy(s->now.z, s->a->z_start, nz * sizeof(double));
  if (s->a->nd > 0) memcpy(s->now.d, s->a->d_start, (size_t)s->a->nd * sizeof(double));
  s->now.t = s->a->start;
}

int sim_setup(nsm_sim *s, const nsm_settings *set, nsm_error *e) {
  s->setup_error = e;
  if (!set_parameters(s, set, e) || !set_sizes(s, e)) return 0;
  if (!set_experiment(s, set, e)) return 0;
  if (!count_classes(s, e) || !fill_classes(s, e) || !set_initial(s, e)) return 0;
  if (!sim_signals_open(s, set, e)) return 0;
  list_phases(s);
  choose_step(s);
  count_events(s);
  find_algebraic(s);
  set_state(s);
  return 1;
}
