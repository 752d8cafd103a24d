// Mass properties: closed forms, the divergence theorem for polyhedra, parallel axes for unions.
//
// With the second moments S = integral of (x - c) transpose(x - c) over the volume, inertia = trace(S) I - S. S turns
// as S' = R S transpose(R) and moves by parallel axes, so sums are made of S.
#include <math.h>
#include <string.h>
#include "runtime/shapes/mass.h"
#include "runtime/shapes/vector.h"

static const double PI = 3.14159265358979323846;

typedef struct { double volume, centre[3], second[9]; } moments;   // second about the centre

// A tetrahedron of a base point b and a triangle with edges u, v, w from b has the volume D = u . (v x w) / 6,
// the centre b + (u + v + w)/4 and about b the second moments
//     D/20 (u u' + v v' + w w' + s s'),  s = u + v + w                                                          (1)
// [Tonon 2004; Mirtich 1996 for the divergence theorem]. Signed, they add to those of the polyhedron.
typedef struct { double base[3], volume, first[3], second[9]; } tetrahedra;

static void add_tetrahedron(tetrahedra *t, const double *a, const double *b, const double *c) {
  double u[3], v[3], w[3], s[3], n[3];
  sub3(a, t->base, u);
  sub3(b, t->base, v);
  sub3(c, t->base, w);
  cross3(v, w, n);
  double volume = dot3(u, n) / 6;
  t->volume += volume;
  for (int i = 0; i < 3; i++) s[i] = u[i] + v[i] + w[i];
  for (int i = 0; i < 3; i++) {
    t->first[i] += volume / 4 * s[i];
    for (int j = 0; j < 3; j++)
      t->second[3 * i + j] += volume / 20 * (u[i] * u[j] + v[i] * v[j] + w[i] * w[j] + s[i] * s[j]);
  }
}

static moments sum_of(const tetrahedra *t) {
  moments m = { .volume = t->volume };
  double off[3] = { 0 };
  for (int i = 0; i < 3 && t->volume != 0; i++) off[i] = t->first[i] / t->volume;
  for (int i = 0; i < 3; i++) {
    m.centre[i] = t->base[i] + off[i];
    for (int j = 0; j < 3; j++) m.second[3 * i + j] = t->second[3 * i + j] - t->volume * off[i] * off[j];
  }
  return m;
}

// From a base amid the corners, so that nothing is lost far from the origin.
static void base_amid(int n, const double *point, double *base) {
  for (int k = 0; k < 3; k++) {
    base[k] = 0;
    for (int i = 0; i < n; i++) base[k] += point[3 * i + k] / n;
  }
}

static moments of_hull(const nsm_hull *h) {
  tetrahedra t = { .volume = 0 };
  base_amid(h->corners, h->corner, t.base);
  for (int f = 0; f < h->faces; f++) {
    const int *c = h->face_corner + h->face_from[f];
    for (int i = 1; i + 1 < h->face_from[f + 1] - h->face_from[f]; i++)
      add_tetrahedron(&t, h->corner + 3 * c[0], h->corner + 3 * c[i], h->corner + 3 * c[i + 1]);
  }
  return sum_of(&t);
}

// Triangles of the base with each edge: area D = u x v / 2, centre (u + v)/3, second moments D/12 (u u' + v v' + s s').
static moments of_polygon(const nsm_hull *h) {
  tetrahedra t = { .volume = 0 };
  base_amid(h->corners, h->corner, t.base);
  for (int k = 0; k < h->corners; k++) {
    double u[3], v[3], s[3];
    sub3(h->corner + 3 * k, t.base, u);
    sub3(h->corner + 3 * ((k + 1) % h->corners), t.base, v);
    double area = (u[0] * v[1] - u[1] * v[0]) / 2;
    t.volume += area;
    for (int i = 0; i < 3; i++) s[i] = u[i] + v[i];
    for (int i = 0; i < 3; i++) {
      t.first[i] += area / 3 * s[i];
      for (int j = 0; j < 3; j++) t.second[3 * i + j] += area / 12 * (u[i] * u[j] + v[i] * v[j] + s[i] * s[j]);
    }
  }
  return sum_of(&t);
}

static moments diagonal(double volume, double x, double y, double z) {   // second moments volume (x, y, z)
  return (moments){ volume, { 0 }, { volume * x, 0, 0, 0, volume * y, 0, 0, 0, volume * z } };
}

// A capsule: a cylinder of half length l and two half balls, whose centres lie 3 r/8 beyond its ends:
// z^2 over them is volume (l^2 + 3 l r/4 + r^2/5).
static moments of_capsule(double r, double l) {
  double shaft = 2 * PI * r * r * l, caps = 4 * PI / 3 * r * r * r, across = shaft * r * r / 4 + caps * r * r / 5;
  double along = shaft * l * l / 3 + caps * (l * l + 3 * l * r / 4 + r * r / 5);
  return (moments){ shaft + caps, { 0 }, { across, 0, 0, 0, across, 0, 0, 0, along } };
}

static moments of_shape(const nsm_shape *s) {
  double a = s->size[0], b = s->size[1], c = s->size[2];
  switch (s->kind) {
  case NSM_SPHERE: return diagonal(4 * PI / 3 * a * a * a, a * a / 5, a * a / 5, a * a / 5);
  case NSM_BOX: return diagonal(8 * a * b * c, a * a / 3, b * b / 3, c * c / 3);
  case NSM_CYLINDER: return diagonal(2 * PI * a * a * b, a * a / 4, a * a / 4, b * b / 3);
  case NSM_CAPSULE: return of_capsule(a, b);
  case NSM_CONVEX: return of_hull(s->hull);
  case NSM_DISK: return diagonal(PI * a * a, a * a / 4, a * a / 4, 0);
  case NSM_RECTANGLE: return diagonal(4 * a * b, a * a / 3, b * b / 3, 0);
  case NSM_POLYGON: return of_polygon(s->hull);
  default: return (moments){ .volume = INFINITY };
  }
}

// How many sizes of a kind have to be above nought.
static int sizes_of(nsm_shape_kind kind) {
  switch (kind) {
  case NSM_SPHERE: case NSM_DISK: case NSM_CAPSULE: return 1;   // a capsule of no length is a sphere
  case NSM_CYLINDER: case NSM_RECTANGLE: return 2;
  case NSM_BOX: return 3;
  default: return 0;
  }
}

static nsm_mass_error fault_of(const nsm_shape *shape, int count) {
  for (int i = 0; i < count; i++) {
    const nsm_shape *s = &shape[i];
    if (s->kind == NSM_HALFSPACE || s->kind == NSM_HALFPLANE) return NSM_MASS_ENDLESS;
    if ((s->kind >= NSM_DISK) != (shape[0].kind >= NSM_DISK)) return NSM_MASS_MIXED;
    for (int k = 0; k < sizes_of(s->kind); k++) if (!(s->size[k] > 0)) return NSM_MASS_NO_VOLUME;
    if (s->kind == NSM_CAPSULE && !(s->size[1] >= 0)) return NSM_MASS_NO_VOLUME;
  }
  return count > 0 ? NSM_MASS_FOUND : NSM_MASS_NO_VOLUME;
}

static void to_mass(const moments *m, int planar, nsm_mass *out) {
  memset(out, 0, sizeof *out);
  out->volume = m->volume;
  memcpy(out->centre, m->centre, sizeof out->centre);
  const double *S = m->second;
  double trace = S[0] + S[4] + S[8];
  if (planar) { out->inertia[8] = trace; return; }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out->inertia[3 * i + j] = (i == j ? trace : 0) - (S[3 * i + j] + S[3 * j + i]) / 2;
}

nsm_mass_error nsm_mass_of(const nsm_shape *shape, int count, nsm_mass *out) {
  moments all = { .volume = 0 };
  nsm_mass_error fault = fault_of(shape, count);
  if (fault != NSM_MASS_FOUND) return fault;
  for (int pass = 0; pass < 2; pass++)   // the common centre, then the moments about it
    for (int i = 0; i < count; i++) {
      moments m = of_shape(&shape[i]);
      double centre[3], arm[3], half[9], turned[9];
      turn3(shape[i].turn, m.centre, centre);
      for (int k = 0; k < 3; k++) centre[k] += shape[i].at[k];
      if (!(m.volume > 0) || !isfinite(m.volume)) return NSM_MASS_NO_VOLUME;
      if (pass == 0) {
        all.volume += m.volume;
        for (int k = 0; k < 3; k++) all.centre[k] += (centre[k] - all.centre[k]) * (m.volume / all.volume);
        continue;
      }
      product3(shape[i].turn, m.second, half);
      product_back3(half, shape[i].turn, turned);
      sub3(centre, all.centre, arm);
      for (int j = 0; j < 9; j++) all.second[j] += turned[j] + m.volume * arm[j / 3] * arm[j % 3];
    }
  to_mass(&all, shape[0].kind >= NSM_DISK, out);
  for (int k = 0; k < 9; k++) if (!isfinite(out->inertia[k])) return NSM_MASS_NO_VOLUME;
  return NSM_MASS_FOUND;
}

void nsm_mass_of_triangles(const double *point, int triangles, const int *corner, nsm_mass *out) {
  tetrahedra t = { .volume = 0 };
  for (int k = 0; k < 3 && triangles > 0; k++) t.base[k] = point[3 * corner[0] + k];
  for (int i = 0; i < triangles; i++)
    add_tetrahedron(&t, point + 3 * corner[3 * i], point + 3 * corner[3 * i + 1], point + 3 * corner[3 * i + 2]);
  moments m = sum_of(&t);
  to_mass(&m, 0, out);
}

// One rotation of Jacobi's method: makes A[p][q] nought [Golub and Van Loan 2013, 8.5].
static void rotate(double A[9], double V[9], int p, int q) {
  double off = A[3 * p + q];
  if (off == 0) return;
  double theta = (A[4 * q] - A[4 * p]) / (2 * off);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
  for (int k = 0; k < 3; k++) {   // A <- A G, V <- V G
    double x = A[3 * k + p], y = A[3 * k + q];
    A[3 * k + p] = c * x - s * y;
    A[3 * k + q] = s * x + c * y;
    x = V[3 * k + p];
    y = V[3 * k + q];
    V[3 * k + p] = c * x - s * y;
    V[3 * k + q] = s * x + c * y;
  }
  for (int k = 0; k < 3; k++) {   // A <- transpose(G) A
    double x = A[3 * p + k], y = A[3 * q + k];
    A[3 * p + k] = c * x - s * y;
    A[3 * q + k] = s * x + c * y;
  }
  A[3 * p + q] = A[3 * q + p] = 0;
}

void nsm_principal(const double J[9], double moment[3], double axes[9]) {
  double A[9], V[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) A[3 * i + j] = (J[3 * i + j] + J[3 * j + i]) / 2;
  for (int sweep = 0; sweep < 30; sweep++) {   // quadratic: five are enough
    double off = fabs(A[1]) + fabs(A[2]) + fabs(A[5]), size = fabs(A[0]) + fabs(A[4]) + fabs(A[8]);
    if (!(off > 1e-17 * size)) break;
    rotate(A, V, 0, 1);
    rotate(A, V, 0, 2);
    rotate(A, V, 1, 2);
  }
  int order[3] = { 0, 1, 2 };
  for (int i = 0; i < 3; i++)
    for (int j = 2; j > i; j--)
      if (A[4 * order[j]] > A[4 * order[j - 1]]) { int t = order[j]; order[j] = order[j - 1]; order[j - 1] = t; }
  for (int k = 0; k < 3; k++) {
    moment[k] = A[4 * order[k]];
    for (int i = 0; i < 3; i++) axes[3 * i + k] = V[3 * i + order[k]];
  }
  double x[3] = { axes[0], axes[3], axes[6] }, y[3] = { axes[1], axes[4], axes[7] }, z[3];
  cross3(x, y, z);   // right-handed
  for (int i = 0; i < 3; i++) axes[3 * i + 2] = z[i];
}
