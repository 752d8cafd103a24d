// Friction: the rows of one contact or constraint with its directions of slip make one block of the one-step problem
// (cone/problem.h).
//
//   -u_T in N_D(lambda_T),  D: |A^-1 lambda_T| <= r                                    (docs/numerics/friction.md (1))
//
//   law        A                        r                  normal row
//   COULOMB    mu                       max(0, lambda_N)   of a contact
//   ELLIPTIC   diag(mu, mu2)            max(0, lambda_N)   of a contact
//   CONTENSOU  diag(mu, mu, mu radius)  max(0, lambda_N)   of a contact; the third direction is the spin
//              exact: A^-1 lambda_T in r B with Contensou's set B in place of a ball
//   GRIP       mu                       |lambda_N|         of a constraint; of one, two or three normal directions
//   DISK       1                        h mu F             none: COULOMB under a given normal force F
//   ROLLING    mu | mu2                 max(0, lambda_N)   of a contact; the first half of the directions slips, the
//                                                          second rolls, and D is a product of two disks
//
// ELLIPTIC, CONTENSOU and ROLLING without a normal row (normals = 0) are under a given force, r = h F; the radius of
// CONTENSOU is mu2 there. Under a given normal impulse D is a fixed set: the blocks of sim_friction_under.
//
// u_T = u_T+ + e_t u_T-. The classes of the directions of one contact follow each other in the model, direction 0 has
// the coefficients. Coefficients that move with the slip are unknowns of the step: c = law(z(c)), by the secant rule.
#include "assembly.h"
#include "runtime/cone/sets.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { PATIENCE = 3 };                  // iterations that may leave more than half of an interval
static const double same = 1e-13;       // relative: values of a coefficient whose difference says nothing
static const double steepest = 0.8;     // slope of law(z(c)) that the secant rule believes

static double column(const sim_class *k, int i, int at) {
  return at < 0 ? 0 : k->tab.num[(size_t)i * (size_t)k->c->nnum + (size_t)at];
}

static int is_contensou(nsm_cone_type type) { return nsm_cone_set_of(type).last == NSM_AXIS_SPIN; }

static nsm_cone_type type_of(int law) {
  switch (law) {
#define BLOCK(...)
#define LAW(name, block, ...) case NSM_##name: return NSM_CONE_##block;
#include "runtime/shared/laws.def"
  default: return NSM_CONE_COULOMB;
  }
}

// The first coefficient of block i of a class that is negative or not finite is named, and when it was; v is NULL where
// it is a constant.
static nsm_code sound(nsm_sim *s, int cls, int i, const nsm_view *v, nsm_code wrong, nsm_error *e) {
  const sim_friction *f = &s->n.r.friction[s->a->cls[cls].friction0 + i];
  const char *part[] = { "coefficient of friction", "second coefficient of friction",
                               f->type == NSM_CONE_DISK ? "normal force times coefficient of friction"
                               : f->normals == 0        ? "normal force"
                                                        : "radius of the contact area" };
  if (f->normals == 0 && is_contensou(f->type)) part[1] = "radius of the contact area";
  for (int k = 0; k < 3; k++) {
    if (f->at[k] >= 0 && isfinite(f->at[k])) continue;
    char name[256], value[32], when[100] = "";
    sim_instance_name(s, cls, i, name, sizeof name);
    if (v) snprintf(when, sizeof when, " at t = %.10g s, step %ld", v->t, sim_step_number(s));
    snprintf(value, sizeof value, isnan(f->at[k]) ? "NaN" : "%g", f->at[k]);
    sim_fail_at(e, wrong, sim_at_class(cls), "line %d (%s): the %s is %s%s; it must be finite and not negative",
                s->a->m->cls[cls].line, name, part[k], value, when);
    return wrong;
  }
  return NSM_OK;
}

static void take(sim_friction *f, const double *c) {                       // of DISK the radius has mu in it
  f->mu = c[0];
  f->mu2 = c[1];
  f->radius = c[2];
}

int sim_friction_analyse(nsm_sim *s, nsm_error *e) {
  sim_rows *r = &s->n.r;
  r->friction_of = SIM_NEW(s, r->n, int);
  for (int i = 0; i < r->n; i++) r->friction_of[i] = -1;
  SIM_EACH(s, friction, k) if (k->c->direction == 0) r->nfriction += k->tab.count;
  r->friction = SIM_NEW(s, r->nfriction, sim_friction);
  r->coefficients = SIM_NEW(s, s->a->on.mu.n > 0 ? 3 * r->nfriction : 0, double);
  int n = 0;
  for (int a = 0; a < s->a->on.friction.n; a++) {
    int cls = s->a->on.friction.of[a], directions = 1;
    sim_class *k = &s->a->cls[cls];
    if (k->c->direction != 0) continue;
    k->friction0 = n;
    while (cls + directions < s->a->m->nclass && s->a->m->cls[cls + directions].kind == NSM_FRICTION &&
           s->a->m->cls[cls + directions].direction == directions)
      directions++;
    for (int i = 0; i < k->tab.count; i++, n++) {
      sim_friction *f = &r->friction[n];
      *f = (sim_friction){ .type = type_of(k->c->friction),
                           .normals = k->c->normal < 0 ? 0 : nsm_cone_normals(type_of(k->c->friction)),
                           .normal = { -1 },
                           .n = directions,
                           .at = { column(k, i, k->c->mu_num), column(k, i, k->c->mu2_num),
                                   column(k, i, k->c->radius_num) } };
      if (sound(s, cls, i, NULL, NSM_MODEL_WRONG, e) != NSM_OK) return 0;
      take(f, f->at);
      for (int d = 0; d < f->normals; d++) {
        f->normal[d] = s->a->cls[k->c->normal + d].row0 + i;
        r->friction_of[f->normal[d]] = n;
      }
      for (int d = 0; d < directions; d++) {
        f->row[d] = s->a->cls[cls + d].row0 + i;
        r->friction_of[f->row[d]] = n;
      }
    }
  }
  return 1;
}

void sim_friction_follow(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  for (int i = 0; i < r->nfriction; i++) {
    const sim_friction *f = &r->friction[i];
    for (int d = 0; d < f->n; d++) {
      r->active[f->row[d]] = f->normals == 0 || nsm_cone_is_grip(f->type) || r->active[f->normal[0]];
      s->w.l1[r->l[f->row[d]]] = 0;
    }
  }
}

void sim_friction_active(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  nsm_view v = sim_now(s);
  sim_friction_follow(s);
  SIM_EACH(s, friction, k) if (k->c->e_num >= 0 || s->now.ledger.on || r->law || s->located)
    k->c->rate_fn(&v, &k->tab, r->rate0 + k->row0);
}

// The diagonal of A, from mu, mu2 and radius.
static void axes(const sim_friction *f, const double *c, double *A) {
  for (int d = 0; d < f->n; d++)
    A[d] = nsm_cone_axis_length(nsm_cone_axis_of(f->type, f->n, d), c[0], c[1], f->normals == 0 ? c[1] : c[2]);
}

void sim_friction_axes(const sim_friction *f, double *A) { axes(f, (const double[]){ f->mu, f->mu2, f->radius }, A); }

static int make_parts(const sim_friction *f, sim_disk *part) {
  double A[SIM_SLIPS];
  nsm_cone_set set = nsm_cone_set_of(f->type);
  int n = f->n / set.parts;
  sim_friction_axes(f, A);
  for (int p = 0; p < set.parts; p++) {
    part[p] = (sim_disk){ .first = p * n, .n = n, .mu = A[p * n] };
    for (int d = 0; d < n && !(part[p].mu > 0); d++) part[p].mu = A[p * n + d];
    for (int d = 0; d < n; d++) part[p].w[d] = part[p].mu > 0 ? A[p * n + d] / part[p].mu : 1;
    part[p].exact = set.exact && A[0] > 0 && A[n - 1] > 0;
  }
  return set.parts;
}

// They are made anew where a coefficient is another one.
const sim_disk *sim_friction_disks(const sim_friction *f, int *n) {
  const double *of = f->parts_of;
  if (f->parts == 0 || of[0] != f->mu || of[1] != f->mu2 || of[2] != f->radius) {
    sim_friction *kept = (sim_friction *)(uintptr_t)f;
    kept->parts = make_parts(f, kept->part);
    memcpy(kept->parts_of, (const double[]){ f->mu, f->mu2, f->radius }, sizeof f->parts_of);
  }
  *n = f->parts;
  return f->part;
}

int sim_friction_parts(const sim_friction *f, sim_disk *part) {
  int n;
  const sim_disk *of = sim_friction_disks(f, &n);
  memcpy(part, of, (size_t)n * sizeof *part);
  return n;
}

static double longer(double length, double x) { return length > 0 ? hypot(length, x) : fabs(x); }

double sim_disk_gauge(const sim_disk *p, const double *l) {
  double x[SIM_SLIPS] = { 0 }, length = 0;
  for (int d = 0; d < p->n; d++) length = longer(length, x[d] = p->w[d] > 0 ? l[d] / p->w[d] : 0);
  return p->exact ? nsm_cone_gauge_contensou(x) : length;
}

void sim_disk_nearest(const sim_disk *p, double radius, double *l) {
  double x[SIM_SLIPS] = { 0 }, length = 0;
  for (int d = 0; d < p->n; d++) length = longer(length, x[d] = p->w[d] > 0 ? l[d] / p->w[d] : 0);
  if (p->exact) nsm_cone_project_contensou(radius, x, x, NULL, NULL);
  for (int d = 0; d < p->n; d++) l[d] = p->w[d] * (p->exact || !(length > radius) ? x[d] : radius / length * x[d]);
}

int sim_friction_rows(const nsm_sim *s, int friction, int *row) {
  const sim_friction *f = &s->n.r.friction[friction];
  int n = 0;
  for (int d = 0; d < f->normals; d++) row[n++] = f->normal[d];
  for (int d = 0; d < f->n; d++) row[n++] = f->row[d];
  return n;
}

double sim_friction_pressed(const nsm_sim *s, int friction, const double *l) {
  const sim_friction *f = &s->n.r.friction[friction];
  double force = 0;
  if (f->normals == 0) return s->n.h * f->radius;
  if (f->normals == 1 && f->type != NSM_CONE_GRIP) return l[s->n.r.l[f->normal[0]]];
  for (int d = 0; d < f->normals; d++) force = hypot(force, l[s->n.r.l[f->normal[d]]]);
  return force;
}

nsm_cone_block sim_friction_block(const nsm_sim *s, int friction, int first) {
  const sim_friction *f = &s->n.r.friction[friction];
  return (nsm_cone_block){ .type = f->type,
                           .first = first,
                           .size = f->n + f->normals,
                           .mu = f->mu,
                           .mu2 = f->mu2,
                           .radius = f->radius };
}

int sim_friction_under(const nsm_sim *s, int friction, double normal, int first, nsm_cone_block *block) {
  const sim_friction *f = &s->n.r.friction[friction];
  sim_disk part[2];
  int parts = sim_friction_parts(f, part);
  nsm_cone_axis last = nsm_cone_set_of(f->type).last;
  for (int p = 0; p < parts; p++)
    block[p] = (nsm_cone_block){ .type = NSM_CONE_DISK, .first = first + part[p].first, .size = part[p].n,
                                 .radius = part[p].mu * normal };
  if (parts == 2 || last == NSM_AXIS_ONE || last == NSM_AXIS_MU) return parts;
  block->type = nsm_cone_set_of(f->type).exact ? NSM_CONE_ELLIPSE_EXACT : NSM_CONE_ELLIPSE;
  block->mu = part[0].w[0];                             // in units of the first half axis, whose length the radius has
  block->mu2 = part[0].w[f->n - 1];
  return 1;
}

// ---- coefficients that move -----------------------------------------------------------------------------------------
int sim_friction_moves(const nsm_sim *s, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  return k->c->kind == NSM_FRICTION && (k - k->c->direction)->c->mu_fn != NULL;
}

void sim_friction_law(nsm_sim *s, const nsm_view *v) {
  SIM_EACH(s, mu, k) {
    int n = k->tab.count;
    double *c = s->n.r.coefficients;
    k->c->mu_fn(v, &k->tab, c, c + n, c + 2 * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < 3; j++) {
        sim_friction *f = &s->n.r.friction[k->friction0 + i];
        f->at[j] = f->normals == 0 && j == 2 && s->n.h == 0 ? 0 : c[i + j * n];     // no force in an instant
      }
  }
}

// What the law means while a step is sought: less than nothing is nothing. NaN where it is not finite.
static double meant(double c) { return c >= 0 && c < INFINITY ? c : c < 0 ? 0 : NAN; }

// (8): of the iteration before are known c and law(c); now `c` gave `law`. A falling characteristic can have several
// solutions, law rising with c: there plain iteration moves to one that lasts. The two values between which law - c
// changes its sign are kept, and halved where the secant rule leaves them or does not bring them together.
static double next(sim_guess *g, double c, double law) {
  double was = g->used, before = g->law, value = law;
  if (fabs(law - c) <= same * c) return law;
  g->used = c;
  g->law = law;
  if (law > c) g->lo = c;
  else g->hi = c;
  int known = g->known;
  g->known = 1;
  if (!known) return law;
  if (fabs(c - was) > same * fabs(c)) {
    double slope = (law - before) / (c - was);
    value = c + (law - c) / (1 - (slope < 1 ? fmin(slope, steepest) : 0));
  }
  if (g->hi - g->lo <= same * g->hi) {                      // round-off, or the rest of the step moved on
    g->reach = 64 * fmax(g->reach, same * g->hi);
    g->lo -= g->reach;
    g->hi += g->reach;
  }
  double width = g->hi - g->lo;
  if (!isfinite(width)) return value > g->lo && value < g->hi ? value : law;
  g->slow = width > 0.5 * g->width ? g->slow + 1 : 0;
  g->width = width;
  if (g->slow < PATIENCE && value > g->lo && value < g->hi) return value;
  g->slow = 0;
  return 0.5 * (g->lo + g->hi);
}

void sim_friction_guess(nsm_sim *s, int fresh) {
  SIM_EACH(s, mu, k) {
    for (int i = 0; i < k->tab.count; i++) {
      sim_friction *f = &s->n.r.friction[k->friction0 + i];
      double c[3] = { f->mu, f->mu2, f->radius };
      for (int j = 0; j < 3; j++) {
        double law = meant(f->at[j]);
        if (fresh) f->guess[j] = (sim_guess){ .lo = -INFINITY, .hi = INFINITY };
        if (!isnan(law)) c[j] = fresh ? law : fmax(next(&f->guess[j], c[j], law), 0);
      }
      take(f, c);
    }
  }
}

nsm_code sim_friction_sound(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  for (int a = 0; a < s->a->on.mu.n; a++) {
    int cls = s->a->on.mu.of[a];
    for (int i = 0; i < s->a->cls[cls].tab.count; i++) {
      if (!s->n.r.active[s->a->cls[cls].row0 + i]) continue;
      nsm_code code = sound(s, cls, i, v, NSM_FAILED, e);
      if (code != NSM_OK) return code;
    }
  }
  return NSM_OK;
}

// ---- natural map ----------------------------------------------------------------------------------------------------
// Diagonal of A and the radius r for a normal impulse, by the law at the iterate; the largest entry of A M A.
static double frame(const nsm_sim *s, const sim_friction *f, double normal, const double *diagonal, double *scaled,
                    double *r) {
  double most = 0;
  *r = f->normals == 0 ? s->n.h * meant(f->at[2]) : nsm_cone_is_grip(f->type) ? fabs(normal) : fmax(normal, 0);
  axes(f, (const double[]){ meant(f->at[0]), meant(f->at[1]), meant(f->at[2]) }, scaled);
  for (int d = 0; d < f->n; d++) most = fmax(most, scaled[d] * scaled[d] * diagonal[d]);
  return most;
}

// lambda := prox_D(lambda - rho u) in the frame scaled by A: lambda' = A^-1 lambda, u' = A u, and D is a disk.
void sim_friction_prox(const nsm_sim *s, int friction, double normal, const double *u, const double *diagonal,
                       double factor, double *lambda) {
  const sim_friction *f = &s->n.r.friction[friction];
  double scaled[SIM_SLIPS], r, most = frame(s, f, normal, diagonal, scaled, &r), rho = factor / (most > 0 ? most : 1),
                               step[SIM_SLIPS];
  sim_disk part[2];
  for (int d = 0; d < f->n; d++) {
    step[d] = scaled[d] > 0 ? lambda[d] / scaled[d] - rho * scaled[d] * u[d] : 0;      // where A is 0 so is lambda
  }
  if (nsm_cone_set_of(f->type).exact && scaled[2] > 0) nsm_cone_project_contensou(r, step, step, NULL, NULL);
  else
    for (int k = sim_friction_parts(f, part); k-- > 0;) {
      double length = 0;
      for (int d = part[k].first; d < part[k].first + part[k].n; d++) length = hypot(length, step[d]);
      for (int d = part[k].first; d < part[k].first + part[k].n; d++) step[d] *= length > r ? r / length : 1;
    }
  for (int d = 0; d < f->n; d++) lambda[d] = scaled[d] * step[d];
}

// |lambda - prox_D(lambda - rho u)| in the scaled frame
double sim_friction_residual(const nsm_sim *s, int friction, const double *l, const double *u, const double *diagonal,
                             const double *size) {
  const sim_friction *f = &s->n.r.friction[friction];
  double normal = sim_friction_pressed(s, friction, l), scaled[SIM_SLIPS], r,
         most = frame(s, f, normal, diagonal, scaled, &r), rho = most > 0 ? 1 / most : 1;
  double x[SIM_SLIPS], error = 0, terms = 0;
  for (int d = 0; d < f->n; d++) x[d] = l[s->n.r.l[f->row[d]]];
  sim_friction_prox(s, friction, normal, u, diagonal, 1, x);
  for (int d = 0; d < f->n; d++) {
    double e = l[s->n.r.l[f->row[d]]] - x[d];
    error = hypot(error, scaled[d] > 0 ? e / scaled[d] : e);
    terms += rho * scaled[d] * size[d] + r;
  }
  return error / (terms + DBL_MIN);
}
