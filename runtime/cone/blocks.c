// Cone blocks: are they well formed, which kinds are there, where to start.
#include "solver.h"
#include <math.h>

static const nsm_cone_kind kinds[] = {
#define LAW(...)
#define BLOCK(name, number, word, normals, sizes, mu, mu2, radius, ...) \
  { word, NSM_CONE_##name, normals, sizes, mu, mu2, radius },
#include "runtime/shared/laws.def"
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const nsm_cone_kind *nsm_cone_kind_at(int k) { return k >= 0 && k < KINDS ? kinds + k : NULL; }

const nsm_cone_kind *nsm_cone_kind_of(nsm_cone_type type) {
  static const nsm_cone_kind none = { NULL, NSM_CONE_TYPES, 0, 0, 0, 0, 0 };
  for (int k = 0; k < KINDS; k++) if (kinds[k].type == type) return kinds + k;
  return &none;
}

static int coefficient_ok(double x) { return x >= 0 && x < HUGE_VAL; }

static int block_ok(const nsm_cone_block *b) {
  const nsm_cone_kind *k = nsm_cone_kind_of(b->type);
  return nsm_cone_has_size(b->type, b->size) && (!k->mu || coefficient_ok(b->mu)) &&
         (!k->mu2 || coefficient_ok(b->mu2)) && (!k->radius || coefficient_ok(b->radius));
}

int nsm_cone_blocks_ok(const nsm_cone_problem *p) {
  int end = 0;
  if (p->cones < 0 || (p->cones > 0 && !p->cone)) return 0;
  for (int c = 0; c < p->cones; c++) {
    const nsm_cone_block *b = &p->cone[c];
    if (!block_ok(b) || b->first < end || b->first > p->m - b->size) return 0;
    end = b->first + b->size;
  }
  return 1;
}

unsigned nsm_cone_blocks_used(const nsm_cone_problem *p) {
  unsigned used = 0;
  for (int c = 0; c < p->cones; c++) used |= 1u << p->cone[c].type;
  return used;
}

double nsm_cone_round(const nsm_cone_block *b, double *d) {
  nsm_cone_set set = nsm_cone_set_of(b->type);
  int    n = b->size - nsm_cone_normals(b->type);
  double most = set.last == NSM_AXIS_ONE ? 1 : set.last == NSM_AXIS_MU2 ? fmax(b->mu, b->mu2) : b->mu;
  for (int k = 0; k < n; k++) {
    nsm_cone_axis axis = nsm_cone_axis_of(b->type, n, k);
    d[k] = axis == NSM_AXIS_SPIN                         ? b->radius
           : set.last == NSM_AXIS_MU2 && most > 0 ? (axis == NSM_AXIS_MU2 ? b->mu2 : b->mu) / most
                                                         : 1;
  }
  return nsm_cone_is_given(b->type) ? most * b->radius : most;
}

void nsm_cone_half_axes(const nsm_cone_block *b, double *d) {
  int n = b->size - nsm_cone_normals(b->type);
  for (int k = 0; k < n; k++)
    d[k] = nsm_cone_axis_length(nsm_cone_axis_of(b->type, n, k), b->mu, b->mu2, b->radius);
}

int nsm_cone_is_exact(const nsm_cone_block *b) {
  nsm_cone_set set = nsm_cone_set_of(b->type);
  return set.exact && b->mu > 0 && (set.last == NSM_AXIS_SPIN ? b->radius : b->mu2) > 0;
}

// In the frame a = A s, A the half axes: |a| in the direction A a / |a|.
double nsm_cone_support_point(const nsm_cone_block *b, const double *s, double *lambda) {
  int n = b->size - nsm_cone_normals(b->type);
  double A[NSM_CONE_MOST_ROWS], a[3], size = 0, h = 0;
  nsm_cone_half_axes(b, A);
  if (nsm_cone_is_given(b->type)) {
    double d[3], radius = nsm_cone_round(b, d);
    for (int k = 0; k < n; k++) A[k] = radius * d[k];
  }
  if (nsm_cone_set_of(b->type).parts == 2) {         // two disks, each by itself
    nsm_cone_block part = { .type = NSM_CONE_COULOMB, .size = 1 + n / 2, .mu = A[0] };
    h = nsm_cone_support_point(&part, s, lambda);
    part.mu = A[n - 1];
    return h + nsm_cone_support_point(&part, s + n / 2, lambda ? lambda + n / 2 : NULL);
  }
  if (nsm_cone_set_of(b->type).exact) {
    for (int k = 0; k < 3; k++) a[k] = A[k] * s[k];
    h = nsm_cone_power_contensou(a, lambda);
    for (int k = 0; k < 3 && lambda; k++) lambda[k] *= A[k];
    return h;
  }
  for (int k = 0; k < n; k++) size = fmax(size, fabs(a[k] = A[k] * s[k]));
  for (int k = 0; k < n && size > 0; k++) h += a[k] / size * (a[k] / size);
  h = size > 0 ? size * sqrt(h) : 0;
  for (int k = 0; k < n && lambda; k++) lambda[k] = h > 0 ? A[k] * (a[k] / h) : 0;
  return h;
}

double nsm_cone_support(const nsm_cone_block *b, const double *s) { return nsm_cone_support_point(b, s, NULL); }

void nsm_cone_start(const nsm_cone_problem *p, double *lambda) {
  int i = 0;
  for (int c = 0; c <= p->cones; c++) {
    int end = c < p->cones ? p->cone[c].first : p->m;
    for (; i < end; i++) lambda[i] = nsm_cone_project(0, p->lo[i], p->hi[i]);
    if (c < p->cones)
      for (end += p->cone[c].size; i < end; i++) lambda[i] = 0;
  }
}
