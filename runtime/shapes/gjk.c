// Distance of two convex point sets by the algorithm GJK [Gilbert et al. 1988]: the point v of the
// difference B - A nearest to the origin is sought in a growing and shrinking simplex of its corners. With finitely
// many corners it ends when no corner lies nearer; the simplex' own nearest point is by regions [Ericson 2005, 5.1].
#include "distance.h"
#include "vector.h"

enum { MOST_STEPS = 100 };

typedef struct {
  int n;
  double w[4][3];     // corners of B - A
  int a[4], b[4];     // which corners of A and B
} simplex;

static void keep(simplex *s, const int *which, int n) {
  simplex old = *s;
  for (int i = 0; i < n; i++) {
    copy3(s->w[i], old.w[which[i]]);
    s->a[i] = old.a[which[i]];
    s->b[i] = old.b[which[i]];
  }
  s->n = n;
}

// Nearest point to the origin of the segment of corners i, j; which of them carry it.
static int of_segment(const simplex *s, int i, int j, int *which, double *v) {
  double d[3];
  sub3(s->w[j], s->w[i], d);
  double dd = dot3(d, d), k = dd > 0 ? -dot3(s->w[i], d) / dd : 0;
  which[0] = i;
  if (k <= 0) { copy3(v, s->w[i]); return 1; }
  if (k >= 1) { which[0] = j; copy3(v, s->w[j]); return 1; }
  add3(s->w[i], k, d, v);
  // Off the line's own direction: what is left of it is round-off.
  add3(v, -dot3(v, d) / dd, d, v);
  which[1] = j;
  return 2;
}

// Takes the point x, carried by m corners, where it is nearer than the nearest one so far.
static void take_nearer(const double *x, int m, const int *chosen, double *least, int *best, int *which, double *v) {
  if (dot3(x, x) >= *least) return;
  *least = dot3(x, x);
  *best = m;
  copy3(v, x);
  for (int t = 0; t < m; t++) which[t] = chosen[t];
}

static int of_triangle(const simplex *s, int i, int j, int k, int *which, double *v) {
  double ab[3], ac[3], n[3], c[3];
  const double *w[3] = { s->w[i], s->w[j], s->w[k] };
  int index[3] = { i, j, k };
  sub3(w[1], w[0], ab);
  sub3(w[2], w[0], ac);
  cross3(ab, ac, n);
  double nn = dot3(n, n), size = dot3(ab, ab) * dot3(ac, ac);
  if (nn > 1e-24 * size) {
    int inside = 1;
    for (int e = 0; e < 3 && inside; e++) {
      cross3(w[e], w[(e + 1) % 3], c);
      inside = dot3(c, n) >= 0;
    }
    if (inside) {
      double k0 = (dot3(w[0], n) + dot3(w[1], n) + dot3(w[2], n)) / (3 * nn);
      for (int e = 0; e < 3; e++) { v[e] = k0 * n[e]; which[e] = index[e]; }
      return 3;
    }
  }
  double least = INFINITY, x[3];
  int best = 0, chosen[2];
  for (int e = 0; e < 3; e++) {
    int m = of_segment(s, index[e], index[(e + 1) % 3], chosen, x);
    take_nearer(x, m, chosen, &least, &best, which, v);
  }
  return best;
}

// 4: the origin is inside.
static int of_tetrahedron(const simplex *s, int *which, double *v) {
  static const int face[4][4] = { { 0, 1, 2, 3 }, { 0, 3, 1, 2 }, { 0, 2, 3, 1 }, { 1, 3, 2, 0 } };
  double least = INFINITY, x[3], ab[3], ac[3], n[3], d[3];
  int best = 4, chosen[3];
  for (int f = 0; f < 4; f++) {
    const int *c = face[f];
    sub3(s->w[c[1]], s->w[c[0]], ab);
    sub3(s->w[c[2]], s->w[c[0]], ac);
    cross3(ab, ac, n);
    sub3(s->w[c[3]], s->w[c[0]], d);
    double other = dot3(d, n), origin = -dot3(s->w[c[0]], n);
    double flat = 1e-14 * norm3(n) * norm3(d);
    if (fabs(other) > flat && (other > 0) == (origin > 0)) continue;
    int m = of_triangle(s, c[0], c[1], c[2], chosen, x);
    take_nearer(x, m, chosen, &least, &best, which, v);
  }
  return best;
}

static void corner_of_difference(const nsm_core_pair *pair, int a, int b, double *w) {
  double x[3];
  turn3(pair->R, pair->b.corner + 3 * b, x);
  for (int i = 0; i < 3; i++) w[i] = x[i] + pair->t[i] - pair->a.corner[3 * a + i];
}

double nsm_gjk(const nsm_core_pair *pair, double limit, double v[3]) {
  simplex s = { .n = 0 };
  corner_of_difference(pair, 0, 0, v);
  double best = INFINITY;
  for (int step = 0; step < MOST_STEPS; step++) {
    double vv = dot3(v, v), m[3], local[3], far;
    if (!(vv < best)) break;
    best = vv;
    if (!(vv > 1e-30 * pair->scale * pair->scale)) return 0;
    int a = nsm_core_support(&pair->a, v, &far);
    for (int i = 0; i < 3; i++) m[i] = -v[i];
    back3(pair->R, m, local);
    int b = nsm_core_support(&pair->b, local, &far), known = 0;
    for (int i = 0; i < s.n; i++) known |= s.a[i] == a && s.b[i] == b;
    if (known && s.n > 0) break;
    double *w = s.w[s.n];
    corner_of_difference(pair, a, b, w);
    s.a[s.n] = a;
    s.b[s.n] = b;
    double vw = dot3(v, w);
    if (vw > 0 && vw * vw > limit * limit * vv && limit >= 0) return vw / sqrt(vv);
    if (s.n > 0 && vv - vw <= 1e-15 * vv) break;
    s.n++;
    int which[4] = { 0 }, kept = 1;
    double x[3];
    if (s.n == 1) copy3(x, s.w[0]);
    else if (s.n == 2) kept = of_segment(&s, 0, 1, which, x);
    else if (s.n == 3) kept = of_triangle(&s, 0, 1, 2, which, x);
    else kept = of_tetrahedron(&s, which, x);
    if (kept == 4) { v[0] = v[1] = v[2] = 0; return 0; }
    if (s.n == 1) best = INFINITY;
    else if (!(dot3(x, x) < vv)) break;
    copy3(v, x);
    keep(&s, which, kept);
  }
  return norm3(v);
}
