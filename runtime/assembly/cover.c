// Before the first step: every state has exactly one equation, every coordinate inertia, every multiplier exactly one
// law, every body in space moments of inertia that a body can have. (The compiler checks this for statements and with
// the values at hand; loop ranges, and values of parameters that are set later, are known only here.)
#include "assembly.h"
#include <math.h>
#include <string.h>

// Equations of first-order states: an instance covers a state where its mass pattern has an entry on the state's row;
// the entry on the diagonal says whose equation it is.
static int equations(nsm_sim *s, nsm_error *e) {
  int *owner = SIM_NEW(s, s->a->nx, int), *touched = SIM_NEW(s, s->a->nx, int);
  for (int a = 0; a < s->a->on.mass.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    const nsm_pattern *p = &k->c->mass;
    for (int i = 0; i < k->tab.count; i++)
      for (int n = 0; n < p->n; n++) {
        if (k->c->slot[p->row[n]] != NSM_SLOT_X) continue;
        int row = sim_z_of(s, k, i, p->row[n]) - s->a->nv, col = sim_z_of(s, k, i, p->col[n]) - s->a->nv;
        touched[row] = 1;
        if (row != col) continue;
        int earlier = 0;                                    // the same instance may name an entry twice
        for (int o = 0; o < n && !earlier; o++)
          earlier = k->c->slot[p->row[o]] == NSM_SLOT_X && sim_z_of(s, k, i, p->row[o]) - s->a->nv == row &&
                    sim_z_of(s, k, i, p->col[o]) - s->a->nv == col;
        if (earlier) continue;
        if (owner[row]) {
          char name[256];
          sim_z_name(s, s->a->nv + row, name, sizeof name);
          sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(s->a->on.mass.of[a]),
                      "line %d: state %s has two equations; the other one is in line %d", k->c->line, name, owner[row]);
          return 0;
        }
        owner[row] = k->c->line;
      }
  }
  for (int x = 0; s->a->algebraic && x < s->a->nx; x++) touched[x] |= s->a->algebraic[s->a->nv + x];
  for (int x = 0; x < s->a->nx; x++)
    if (!touched[x]) {
      char name[256];
      sim_z_name(s, s->a->nv + x, name, sizeof name);
      sim_fail_at(e, NSM_MODEL_WRONG, sim_at_z(s, s->a->nv + x), "state %s has no equation: nothing says what %s' is",
                  name, name);
      return 0;
    }
  return 1;
}

// A row of M that is zero at the start has no inertia.
static int inertia(nsm_sim *s, nsm_error *e) {
  double *sum = SIM_NEW(s, s->a->nz, double);
  nsm_view v = sim_now(s);
  for (int a = 0; a < s->a->on.mass.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    const nsm_pattern *p = &k->c->mass;
    k->c->mass_fn(&v, &k->tab, k->mass);
    for (int i = 0; i < k->tab.count; i++)
      for (int n = 0; n < p->n; n++) {
        double m = fabs(k->mass[(size_t)i * (size_t)p->n + (size_t)n]);
        if (!isfinite(m)) {
          char name[256];
          sim_z_name(s, sim_z_of(s, k, i, p->row[n]), name, sizeof name);
          sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(s->a->on.mass.of[a]),
                      "line %d: the inertia of %s is not finite at the start", k->c->line, name);
          return 0;
        }
        sum[sim_z_of(s, k, i, p->row[n])] += m;
      }
  }
  for (int z = 0; z < s->a->nz; z++)
    if (sum[z] == 0 && !(s->a->algebraic && s->a->algebraic[z])) {
      char name[256];
      if (z < s->a->nv) {
        sim_v_name(s, z, name, sizeof name);
        sim_fail_at(
            e, NSM_MODEL_WRONG, sim_at_z(s, z),
            "coordinate %s has no inertia: the mass matrix is singular; its velocity must appear in a kinetic energy",
            name);
      } else {
        sim_z_name(s, z, name, sizeof name);
        sim_fail_at(e, NSM_MODEL_WRONG, sim_at_z(s, z), "state %s: the coefficient of %s' is zero", name, name);
      }
      return 0;
    }
  return 1;
}

// Moments of inertia are integrals over a mass that is nowhere negative: with S the integral of x x^T,
//   J = tr(S) 1 - S,   S = tr(J)/2 1 - J
// so S has no negative eigenvalue: no principal moment is larger than the sum of the others. By Cholesky's
// factorization of S, up to round-off.
static int can_be(const double *J) {
  double trace = J[0] + J[4] + J[8], S[9];
  for (int i = 0; i < 9; i++) S[i] = (i % 4 ? 0 : trace * (0.5 + 1e-9)) - (J[i] + J[3 * (i % 3) + i / 3]) / 2;
  for (int j = 0; j < 3; j++) {
    if (!(S[4 * j] >= 0)) return 0;
    for (int i = j + 1; i < 3; i++)
      for (int k = j + 1; k < 3; k++)
        if (S[4 * j] > 0) S[3 * i + k] -= S[3 * i + j] * S[3 * j + k] / S[4 * j];
  }
  return 1;
}

// The kinetic energy of a turn stands in a class with three slots in the line of its body.
static int turns(const nsm_sim *s, const sim_class *k, const sim_class *body) {
  const nsm_class *c = k->c, *b = body->c;
  if (c->nslot != 3 || b->nslot != 10 || c->line != b->line || c->file != b->file || !k->tab.count) return 0;
  return k->tab.count == body->tab.count && sim_z_of(s, k, 0, 0) == sim_z_of(s, body, 0, 4);
}

static int moments(nsm_sim *s, int cls, nsm_error *e) {
  const sim_class *k = &s->a->cls[cls];
  const nsm_pattern *p = &k->c->mass;
  for (int i = 0; i < k->tab.count; i++) {
    double J[9] = { 0 };
    for (int n = 0; n < p->n; n++) J[3 * p->row[n] + p->col[n]] += k->mass[(size_t)i * (size_t)p->n + (size_t)n];
    int positive = J[0] > 0 && J[4] > 0 && J[8] > 0;         // else M says so, which is factored next
    if (!positive || can_be(J)) continue;
    char name[256];
    sim_z_name(s, sim_z_of(s, k, i, 0), name, sizeof name);
    char *end = strstr(name, ".spin");
    if (end) *end = '\0';
    sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(cls),
                "line %d: no body has the moments of inertia of %s, %.6g, %.6g and %.6g: the largest one is at most "
                "the sum of the others", k->c->line, name, J[0], J[4], J[8]);
    return 0;
  }
  return 1;
}

static int bodies(nsm_sim *s, nsm_error *e) {
  for (int a = 0, b = 0; a < s->a->on.mass.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    for (b = 0; b < s->a->on.kinematics.n; b++)
      if (turns(s, k, &s->a->cls[s->a->on.kinematics.of[b]])) break;
    if (b < s->a->on.kinematics.n && !moments(s, s->a->on.mass.of[a], e)) return 0;
  }
  return 1;
}

// Relations name their multiplier; rows of contacts and constraints have their own. Fills r.l, r.cls, r.of_l.
static int laws(nsm_sim *s, nsm_error *e) {
  sim_rows *r = &s->n.r;
  r->l = SIM_NEW(s, r->n, int);
  r->cls = SIM_NEW(s, r->n, int);
  r->of_l = SIM_NEW(s, s->a->nl, int);
  for (int i = 0; i < s->a->nl; i++) r->of_l[i] = -1;
  for (int a = 0; a < s->a->on.row.n; a++) {
    int cls = s->a->on.row.of[a];
    const sim_class *k = &s->a->cls[cls];
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      int l = k->c->kind == NSM_RELATION ? k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)k->c->lambda_slot]
                                         : s->a->var[k->c->row_var].base + i;
      if (r->of_l[l] >= 0) {
        char name[256];
        sim_l_name(s, l, name, sizeof name);
        sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(cls),
                    "line %d: multiplier %s has two laws; the other one is in line %d", k->c->line, name,
                    s->a->m->cls[r->cls[r->of_l[l]]].line);
        return 0;
      }
      r->of_l[l] = row;
      r->l[row] = l;
      r->cls[row] = cls;
    }
  }
  for (int l = 0; l < s->a->ndeclared; l++)
    if (r->of_l[l] < 0) {
      char name[256];
      sim_l_name(s, l, name, sizeof name);
      sim_fail_at(e, NSM_MODEL_WRONG, sim_at_l(s, l), "multiplier %s has no law: no relation determines it", name);
      return 0;
    }
  return 1;
}

int sim_cover(nsm_sim *s, nsm_error *e) {
  return equations(s, e) && inertia(s, e) && bodies(s, e) && laws(s, e);
}
