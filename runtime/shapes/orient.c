// Signs of determinants of coordinates: in floating point where its error bound allows, else exactly as a sum of
// doubles that do not overlap [Shewchuk 1997].
#include <math.h>
#include "runtime/shapes/orient.h"

// A sum of doubles, least first, none overlapping another [Shewchuk 1997, 2.4].
typedef struct { double part[200]; int n; } expansion;

static void add(expansion *e, double x) {
  int kept = 0;
  for (int i = 0; i < e->n; i++) {
    double sum = x + e->part[i], back = sum - x, low = (x - (sum - back)) + (e->part[i] - back);
    x = sum;
    if (low != 0) e->part[kept++] = low;
  }
  e->part[kept++] = x;
  e->n = kept;
}

static int sign_of(const expansion *e) {
  for (int i = e->n - 1; i >= 0; i--)
    if (e->part[i] != 0) return e->part[i] > 0 ? 1 : -1;
  return 0;
}

static void add_product(expansion *e, double x, double y) {
  double p = x * y;
  add(e, fma(x, y, -p));
  add(e, p);
}

static void add_triple(expansion *e, double x, double y, double z) {
  double p = x * y, low = fma(x, y, -p);
  add_product(e, low, z);
  add_product(e, p, z);
}

int nsm_orient2(const double *a, const double *b, const double *c) {
  double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]), det = left - right;
  if (fabs(det) > 4e-16 * (fabs(left) + fabs(right))) return det > 0 ? 1 : -1;
  expansion e = { .n = 0 };
  const double *p[3] = { a, b, c };
  for (int i = 0; i < 3; i++) {
    const double *u = p[i], *v = p[(i + 1) % 3];
    add_product(&e, u[0], v[1]);
    add_product(&e, -u[1], v[0]);
  }
  return sign_of(&e);
}

// The determinant of a, b, c as rows, times `sign`.
static void add_determinant(expansion *e, double sign, const double *a, const double *b, const double *c) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    add_triple(e, sign * a[i], b[j], c[k]);
    add_triple(e, -sign * a[i], b[k], c[j]);
  }
}

int nsm_orient3(const double *a, const double *b, const double *c, const double *d) {
  double u[3], v[3], w[3];
  for (int k = 0; k < 3; k++) { u[k] = b[k] - a[k]; v[k] = c[k] - a[k]; w[k] = d[k] - a[k]; }
  double det = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    det += w[i] * (u[j] * v[k] - u[k] * v[j]);
    size += fabs(w[i]) * (fabs(u[j] * v[k]) + fabs(u[k] * v[j]));
  }
  if (fabs(det) > 9e-16 * size) return det > 0 ? 1 : -1;
  expansion e = { .n = 0 };   // det(b-a, c-a, d-a) = [bcd] - [acd] + [abd] - [abc]
  add_determinant(&e, 1, b, c, d);
  add_determinant(&e, -1, a, c, d);
  add_determinant(&e, 1, a, b, d);
  add_determinant(&e, -1, a, b, c);
  return sign_of(&e);
}
