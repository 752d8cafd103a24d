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
//   DISK       1                        h mu F             none: the normal force F is given
//
// u_T = u_T+ + e_t u_T-. The classes of the directions of one contact follow each other in the model, direction 0 has
// the coefficients.
#include "sim.h"
#include <float.h>
#include <math.h>

static double column(const sim_class *k, int i, int at) {
  return at < 0 ? 0 : k->tab.num[(size_t)i * (size_t)k->c->nnum + (size_t)at];
}

static nsm_cone_type type_of(int law) {
  switch (law) {
  case NSM_ELLIPTIC:  return NSM_CONE_ELLIPTIC;
  case NSM_CONTENSOU: return NSM_CONE_CONTENSOU;
  case NSM_CONTENSOU_EXACT: return NSM_CONE_CONTENSOU_EXACT;
  case NSM_GRIP:      return NSM_CONE_GRIP;
  case NSM_GRIP2:     return NSM_CONE_GRIP2;
  case NSM_GRIP3:     return NSM_CONE_GRIP3;
  case NSM_DISK:      return NSM_CONE_DISK;
  default:            return NSM_CONE_COULOMB;
  }
}

// The first coefficient that is negative or not finite is named.
static int sound(nsm_sim *s, int cls, int i, const sim_friction *f, nsm_error *e) {
  const struct { const char *name; double value;
  } part[] = { { "coefficient of friction", f->mu },
               { "second coefficient of friction", f->mu2 },
               { f->type == NSM_CONE_DISK ? "normal force times coefficient of friction" : "radius of the contact area",
                 f->radius } };
  for (int k = 0; k < 3; k++) {
    if (part[k].value >= 0 && isfinite(part[k].value)) continue;
    char name[256];
    sim_instance_name(s, cls, i, name, sizeof name);
    sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(cls),
                "line %d (%s): the %s is %g; it must be finite and not negative", s->m->cls[cls].line, name,
                part[k].name, part[k].value);
    return 0;
  }
  return 1;
}

int sim_friction_analyse(nsm_sim *s, nsm_error *e) {
  sim_rows *r = &s->r;
  r->friction_of = SIM_NEW(s, r->n, int);
  for (int i = 0; i < r->n; i++) r->friction_of[i] = -1;
  for (int a = 0; a < s->on.friction.n; a++) {
    const sim_class *k = &s->cls[s->on.friction.of[a]];
    if (k->c->direction == 0) r->nfriction += k->tab.count;
  }
  r->friction = SIM_NEW(s, r->nfriction, sim_friction);
  int n = 0;
  for (int a = 0; a < s->on.friction.n; a++) {
    int cls = s->on.friction.of[a], directions = 1;
    const sim_class *k = &s->cls[cls];
    if (k->c->direction != 0) continue;
    while (cls + directions < s->m->nclass && s->m->cls[cls + directions].kind == NSM_FRICTION &&
           s->m->cls[cls + directions].direction == directions)
      directions++;
    for (int i = 0; i < k->tab.count; i++, n++) {
      sim_friction *f = &r->friction[n];
      *f = (sim_friction){ .type = type_of(k->c->friction),
                           .normals = nsm_cone_normals(type_of(k->c->friction)),
                           .normal = { -1 },
                           .n = directions,
                           .mu = column(k, i, k->c->mu_num),
                           .mu2 = column(k, i, k->c->mu2_num),
                           .radius = column(k, i, k->c->radius_num) };
      if (!sound(s, cls, i, f, e)) return 0;
      for (int d = 0; d < f->normals; d++) {
        f->normal[d] = s->cls[k->c->normal + d].row0 + i;
        r->friction_of[f->normal[d]] = n;
      }
      for (int d = 0; d < directions; d++) {
        f->row[d] = s->cls[cls + d].row0 + i;
        r->friction_of[f->row[d]] = n;
      }
    }
  }
  return 1;
}

void sim_friction_follow(nsm_sim *s) {
  sim_rows *r = &s->r;
  for (int i = 0; i < r->nfriction; i++) {
    const sim_friction *f = &r->friction[i];
    for (int d = 0; d < f->n; d++) {
      r->active[f->row[d]] = f->normals == 0 || r->active[f->normal[0]];
      s->l1[r->l[f->row[d]]] = 0;
    }
  }
}

void sim_friction_active(nsm_sim *s) {
  sim_rows *r = &s->r;
  nsm_view v = sim_now(s);
  sim_friction_follow(s);
  for (int a = 0; a < s->on.friction.n; a++) {
    const sim_class *k = &s->cls[s->on.friction.of[a]];
    if (k->c->e_num >= 0 || s->ledger.on) k->c->rate_fn(&v, &k->tab, r->rate0 + k->row0);
  }
}

int sim_friction_rows(const nsm_sim *s, int friction, int *row) {
  const sim_friction *f = &s->r.friction[friction];
  int n = 0;
  for (int d = 0; d < f->normals; d++) row[n++] = f->normal[d];
  for (int d = 0; d < f->n; d++) row[n++] = f->row[d];
  return n;
}

double sim_friction_pressed(const nsm_sim *s, int friction, const double *l) {
  const sim_friction *f = &s->r.friction[friction];
  double force = 0;
  if (f->normals == 1 && f->type != NSM_CONE_GRIP) return l[s->r.l[f->normal[0]]];
  for (int d = 0; d < f->normals; d++) force = hypot(force, l[s->r.l[f->normal[d]]]);
  return force;
}

nsm_cone_block sim_friction_block(const nsm_sim *s, int friction, int first) {
  const sim_friction *f = &s->r.friction[friction];
  int disk = f->type == NSM_CONE_DISK;
  return (nsm_cone_block){ .type = f->type,
                           .first = first,
                           .size = f->n + f->normals,
                           .mu = disk ? 0 : f->mu,
                           .mu2 = f->mu2,
                           .radius = disk ? s->h * f->radius : f->radius };
}

static int is_contensou(nsm_cone_type type) {
  return type == NSM_CONE_CONTENSOU || type == NSM_CONE_CONTENSOU_EXACT;
}

// Diagonal of A and the radius r for a normal impulse; the largest entry of A M A.
static double frame(const nsm_sim *s, const sim_friction *f, double normal, const double *diagonal, double *scaled,
                    double *r) {
  double most = 0;
  *r = f->type == NSM_CONE_DISK ? s->h * f->radius : nsm_cone_is_grip(f->type) ? fabs(normal) : fmax(normal, 0);
  for (int d = 0; d < f->n; d++) {
    scaled[d] = f->type == NSM_CONE_DISK                  ? 1
                : f->type == NSM_CONE_ELLIPTIC && d == 1  ? f->mu2
                : is_contensou(f->type) && d == 2 ? f->mu * f->radius
                                                          : f->mu;
    most = fmax(most, scaled[d] * scaled[d] * diagonal[d]);
  }
  return most;
}

// lambda := prox_D(lambda - rho u) in the frame scaled by A: lambda' = A^-1 lambda, u' = A u, and D is a disk.
void sim_friction_prox(const nsm_sim *s, int friction, double normal, const double *u, const double *diagonal,
                       double factor, double *lambda) {
  const sim_friction *f = &s->r.friction[friction];
  double scaled[3], r, most = frame(s, f, normal, diagonal, scaled, &r), rho = factor / (most > 0 ? most : 1), step[3],
                       length = 0;
  for (int d = 0; d < f->n; d++) {
    step[d] = scaled[d] > 0 ? lambda[d] / scaled[d] - rho * scaled[d] * u[d] : 0;      // where A is 0 so is lambda
    length = hypot(length, step[d]);
  }
  if (f->type == NSM_CONE_CONTENSOU_EXACT && scaled[2] > 0) nsm_cone_project_contensou(r, step, step, NULL, NULL);
  else
    for (int d = 0; d < f->n; d++) step[d] *= length > r ? r / length : 1;
  for (int d = 0; d < f->n; d++) lambda[d] = scaled[d] * step[d];
}

// |lambda - prox_D(lambda - rho u)| in the scaled frame
double sim_friction_residual(const nsm_sim *s, int friction, const double *l, const double *u, const double *diagonal,
                             const double *size) {
  const sim_friction *f = &s->r.friction[friction];
  double normal = sim_friction_pressed(s, friction, l), scaled[3], r,
         most = frame(s, f, normal, diagonal, scaled, &r), rho = most > 0 ? 1 / most : 1;
  double x[3], error = 0, terms = 0;
  for (int d = 0; d < f->n; d++) x[d] = l[s->r.l[f->row[d]]];
  sim_friction_prox(s, friction, normal, u, diagonal, 1, x);
  for (int d = 0; d < f->n; d++) {
    double e = l[s->r.l[f->row[d]]] - x[d];
    error = hypot(error, scaled[d] > 0 ? e / scaled[d] : e);
    terms += rho * scaled[d] * size[d] + r;
  }
  return error / (terms + DBL_MIN);
}
