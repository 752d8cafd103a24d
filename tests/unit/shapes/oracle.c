#include "oracle.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 }; // corners of a polyhedron

static real dot(const real *a, const real *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static real length(const real *a) { return sqrtl(dot(a, a)); }
static void cross(const real *a, const real *b, real *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// A shape's axes in the world.
typedef struct { real R[9], t[3]; } frame;

static frame frame_of(const nsm_shape *s, const nsm_pose *p) {
  frame f;
  for (int i = 0; i < 3; i++) {
    f.t[i] = p->r[i];
    for (int k = 0; k < 3; k++) f.t[i] += (real)p->R[3 * i + k] * s->at[k];
    for (int j = 0; j < 3; j++) {
      f.R[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) f.R[3 * i + j] += (real)p->R[3 * i + k] * s->turn[3 * k + j];
    }
  }
  return f;
}

// max over the shape of n.x
static real support(const nsm_shape *s, const frame *f, const real *n) {
  real m[3], base = dot(n, f->t), z;
  for (int j = 0; j < 3; j++) m[j] = n[0] * f->R[j] + n[1] * f->R[3 + j] + n[2] * f->R[6 + j];
  switch (s->kind) {
    case NSM_SPHERE: return base + s->size[0] * length(n);
    case NSM_CAPSULE: return base + s->size[0] * length(n) + s->size[1] * fabsl(m[2]);
    case NSM_BOX: return base + s->size[0] * fabsl(m[0]) + s->size[1] * fabsl(m[1]) + s->size[2] * fabsl(m[2]);
    case NSM_CYLINDER: return base + s->size[1] * fabsl(m[2]) + s->size[0] * sqrtl(m[0] * m[0] + m[1] * m[1]);
    case NSM_CONVEX:
      z = -LDBL_MAX;
      for (int i = 0; i < s->hull->corners; i++) {
        const double *x = s->hull->corner + 3 * i;
        z = fmaxl(z, m[0] * x[0] + m[1] * x[1] + m[2] * x[2]);
      }
      return base + z;
    default: return LDBL_MAX;
  }
}

real oracle_value(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, const real n[3]) {
  frame fa = frame_of(A, pa), fb = frame_of(B, pb);
  real back[3] = { -n[0], -n[1], -n[2] };
  return -support(B, &fb, back) - support(A, &fa, n);
}

static real value(const nsm_shape *A, const frame *fa, const nsm_shape *B, const frame *fb, const real *n) {
  real back[3] = { -n[0], -n[1], -n[2] };
  return -support(B, fb, back) - support(A, fa, n);
}

// ---- Polyhedra: every axis, then every pair of features -------------------------------------------------------------

typedef struct {
  int corners, edges, faces;
  real x[MOST][3], normal[2 * MOST][3], rounding;
  int edge[3 * MOST][2], face[2 * MOST][MOST], of_face[2 * MOST];
} solid;

static int solid_of(const nsm_shape *s, const frame *f, solid *p) {
  double x[MOST][3], normal[2 * MOST][3];
  p->corners = p->edges = p->faces = 0;
  p->rounding = s->kind == NSM_SPHERE || s->kind == NSM_CAPSULE ? s->size[0] : 0;
  if (s->kind == NSM_SPHERE || s->kind == NSM_CAPSULE) {
    memset(x, 0, sizeof x);
    p->corners = s->kind == NSM_SPHERE ? 1 : 2;
    if (p->corners == 2) {
      x[0][2] = s->size[1];
      x[1][2] = -s->size[1];
      p->edge[p->edges][0] = 0;
      p->edge[p->edges++][1] = 1;
    }
  } else if (s->kind == NSM_BOX) {
    for (int i = 0; i < 8; i++)
      for (int k = 0; k < 3; k++) x[i][k] = (i >> k & 1 ? 1 : -1) * s->size[k];
    p->corners = 8;
    for (int i = 0; i < 8; i++)
      for (int k = 0; k < 3; k++)
        if (!(i >> k & 1)) { p->edge[p->edges][0] = i; p->edge[p->edges++][1] = i | 1 << k; }
    for (int k = 0; k < 3; k++)
      for (int side = 0; side < 2; side++) {
        int g = p->faces++, u = 1 << (k + 1) % 3, v = 1 << (k + 2) % 3, base = side << k;
        for (int i = 0; i < 3; i++) normal[g][i] = i == k ? (side ? 1 : -1) : 0;
        int around[4] = { base, base | u, base | u | v, base | v };
        p->of_face[g] = 4;
        for (int i = 0; i < 4; i++) p->face[g][i] = around[i];
      }
  } else if (s->kind == NSM_CONVEX) {
    const nsm_hull *h = s->hull;
    p->corners = h->corners;
    memcpy(x, h->corner, (size_t)h->corners * sizeof x[0]);
    p->edges = h->edges;
    for (int i = 0; i < h->edges; i++) {
      p->edge[i][0] = h->edge_corner[2 * i];
      p->edge[i][1] = h->edge_corner[2 * i + 1];
    }
    p->faces = h->faces;
    for (int g = 0; g < h->faces; g++) {
      memcpy(normal[g], h->normal + 3 * g, sizeof normal[g]);
      p->of_face[g] = h->face_from[g + 1] - h->face_from[g];
      for (int i = 0; i < p->of_face[g]; i++) p->face[g][i] = h->face_corner[h->face_from[g] + i];
    }
  } else {
    return 0;
  }
  for (int i = 0; i < p->corners; i++)
    for (int k = 0; k < 3; k++)
      p->x[i][k] = f->t[k] + f->R[3 * k] * x[i][0] + f->R[3 * k + 1] * x[i][1] + f->R[3 * k + 2] * x[i][2];
  for (int g = 0; g < p->faces; g++) {
    for (int k = 0; k < 3; k++)
      p->normal[g][k] = f->R[3 * k] * normal[g][0] + f->R[3 * k + 1] * normal[g][1] + f->R[3 * k + 2] * normal[g][2];
    real l = length(p->normal[g]);
    for (int k = 0; k < 3; k++) p->normal[g][k] /= l;
  }
  return 1;
}

static real solid_value(const solid *a, const solid *b, const real *n) {
  real low = LDBL_MAX, high = -LDBL_MAX;
  for (int i = 0; i < a->corners; i++) high = fmaxl(high, dot(n, a->x[i]));
  for (int i = 0; i < b->corners; i++) low = fminl(low, dot(n, b->x[i]));
  return low - high;
}

typedef struct { real best, second, n[3]; } search;

// Keeps the best; `second`: the best of those in another direction.
static void offer(search *s, real v, const real *n) {
  if (v > s->best) {
    if (dot(n, s->n) < 1 - 1e-12L) s->second = s->best;
    s->best = v;
    memcpy(s->n, n, sizeof s->n);
  } else if (v > s->second && dot(n, s->n) < 1 - 1e-12L) {
    s->second = v;
  }
}

// Shortest vector between two segments: of the unbounded lines where that falls inside, else from each end.
static void point_segment(const real *x, const real *p, const real *q, real sign, real *best, real *r) {
  real e[3], w[3], d[3];
  for (int k = 0; k < 3; k++) { e[k] = q[k] - p[k]; w[k] = x[k] - p[k]; }
  real ee = dot(e, e), u = ee > 0 ? fminl(1, fmaxl(0, dot(w, e) / ee)) : 0;
  for (int k = 0; k < 3; k++) d[k] = sign * (p[k] + u * e[k] - x[k]);
  if (length(d) < *best) { *best = length(d); memcpy(r, d, sizeof d); }
}

static void nearest(const solid *a, const solid *b, real sign, real *best, real *r) {
  for (int i = 0; i < a->corners; i++) {
    for (int j = 0; j < b->corners; j++) {
      real d[3];
      for (int k = 0; k < 3; k++) d[k] = sign * (b->x[j][k] - a->x[i][k]);
      if (length(d) < *best) { *best = length(d); memcpy(r, d, sizeof d); }
    }
    for (int j = 0; j < b->edges; j++)
      point_segment(a->x[i], b->x[b->edge[j][0]], b->x[b->edge[j][1]], sign, best, r);
    for (int g = 0; g < b->faces; g++) {
      real w[3], above, e[3], c[3];
      for (int k = 0; k < 3; k++) w[k] = a->x[i][k] - b->x[b->face[g][0]][k];
      above = dot(w, b->normal[g]);
      if (above <= 0 || above >= *best) continue;
      int in = 1;
      for (int m = 0; m < b->of_face[g] && in; m++) {
        const real *p = b->x[b->face[g][m]], *q = b->x[b->face[g][(m + 1) % b->of_face[g]]];
        for (int k = 0; k < 3; k++) { e[k] = q[k] - p[k]; w[k] = a->x[i][k] - p[k]; }
        cross(e, w, c);
        real s = dot(c, b->normal[g]);
        // The box's faces are not all in one sense of turning: hold to the sense of the face's own first three.
        real e2[3], c2[3];
        const real *x0 = b->x[b->face[g][0]], *x1 = b->x[b->face[g][1]], *x2 = b->x[b->face[g][2]];
        for (int k = 0; k < 3; k++) { e[k] = x1[k] - x0[k]; e2[k] = x2[k] - x1[k]; }
        cross(e, e2, c2);
        in = (s >= 0) == (dot(c2, b->normal[g]) >= 0);
      }
      if (!in) continue;
      *best = above;
      for (int k = 0; k < 3; k++) r[k] = -sign * above * b->normal[g][k];
    }
  }
}

static real solid_distance(const solid *a, const solid *b, real *n, real *sharp) {
  search s = { -LDBL_MAX, -LDBL_MAX, { 0, 0, 0 } };
  real back[3];
  for (int g = 0; g < a->faces; g++) offer(&s, solid_value(a, b, a->normal[g]), a->normal[g]);
  for (int g = 0; g < b->faces; g++) {
    for (int k = 0; k < 3; k++) back[k] = -b->normal[g][k];
    offer(&s, solid_value(a, b, back), back);
  }
  for (int i = 0; i < a->edges; i++)
    for (int j = 0; j < b->edges; j++) {
      real e[3], h[3], c[3];
      for (int k = 0; k < 3; k++) {
        e[k] = a->x[a->edge[i][1]][k] - a->x[a->edge[i][0]][k];
        h[k] = b->x[b->edge[j][1]][k] - b->x[b->edge[j][0]][k];
      }
      cross(e, h, c);
      real l = length(c);
      if (l < 1e-12L * length(e) * length(h)) continue;
      for (int sign = -1; sign < 2; sign += 2) {
        for (int k = 0; k < 3; k++) back[k] = sign * c[k] / l;
        // no more than the edges' own gap
        real gap = 0;
        for (int k = 0; k < 3; k++) gap += back[k] * (b->x[b->edge[j][0]][k] - a->x[a->edge[i][0]][k]);
        if (gap > s.second) offer(&s, solid_value(a, b, back), back);
      }
    }
  memcpy(n, s.n, sizeof s.n);
  *sharp = s.best - s.second;
  if (s.best > 0 || a->faces + b->faces == 0) {
    real best = LDBL_MAX, r[3] = { 0, 0, 0 };
    nearest(a, b, 1, &best, r);
    nearest(b, a, -1, &best, r);
    for (int i = 0; i < a->edges; i++)
      for (int j = 0; j < b->edges; j++) {
        real e[3], h[3], c[3], w[3], t[3];
        const real *p = a->x[a->edge[i][0]], *q = b->x[b->edge[j][0]];
        for (int k = 0; k < 3; k++) {
          e[k] = a->x[a->edge[i][1]][k] - p[k];
          h[k] = b->x[b->edge[j][1]][k] - q[k];
          w[k] = q[k] - p[k];
        }
        cross(e, h, c);
        real cc = dot(c, c);
        if (cc < 1e-24L * dot(e, e) * dot(h, h)) continue;
        cross(w, h, t);
        real u = dot(t, c) / cc;
        cross(w, e, t);
        real v = dot(t, c) / cc, g = dot(w, c) / sqrtl(cc);
        if (u < 0 || u > 1 || v < 0 || v > 1 || fabsl(g) >= best) continue;
        best = fabsl(g);
        for (int k = 0; k < 3; k++) r[k] = dot(w, c) / cc * c[k];
      }
    if (best > s.best + 1e-17L || s.best == -LDBL_MAX) {
      s.best = best;
      for (int k = 0; k < 3; k++) n[k] = best > 0 ? r[k] / best : 0;
    }
    // Apart, the direction is unique, and as sharp as they are far apart; in touch, corners have a cone of directions.
    *sharp = fmaxl(s.best, s.best - s.second);
  }
  return s.best - a->rounding - b->rounding;
}

// ---- Anything: search over directions -------------------------------------------------------------------------------

typedef struct {
  const nsm_shape *A, *B;
  frame fa, fb;
  real n0[3], u[3], v[3];
} chart;

// f at the direction n0 + x u + y v
static real at(const chart *c, real x, real y, real *n) {
  for (int k = 0; k < 3; k++) n[k] = c->n0[k] + x * c->u[k] + y * c->v[k];
  real l = length(n);
  for (int k = 0; k < 3; k++) n[k] /= l;
  return value(c->A, &c->fa, c->B, &c->fb, n);
}

static const real golden = 0.618033988749894848204586834L;

// max over y in [-w, w] by golden section
static real best_y(const chart *c, real x, real centre, real w, int steps, real *y) {
  real n[3], a = centre - w, b = centre + w, p = b - golden * (b - a), q = a + golden * (b - a);
  real fp = at(c, x, p, n), fq = at(c, x, q, n);
  for (int i = 0; i < steps; i++) {
    if (fp < fq) { a = p; p = q; fp = fq; q = a + golden * (b - a); fq = at(c, x, q, n); }
    else { b = q; q = p; fq = fp; p = b - golden * (b - a); fp = at(c, x, p, n); }
  }
  *y = fp > fq ? p : q;
  return fmaxl(fp, fq);
}

static real refine(chart *c, real w, int steps, real *n) {
  real yp, yq, a = -w, b = w, p = b - golden * (b - a), q = a + golden * (b - a);
  real fp = best_y(c, p, 0, w, steps, &yp), fq = best_y(c, q, 0, w, steps, &yq);
  for (int i = 0; i < steps; i++) {
    if (fp < fq) { a = p; p = q; fp = fq; yp = yq; q = a + golden * (b - a); fq = best_y(c, q, 0, w, steps, &yq); }
    else { b = q; q = p; fq = fp; yq = yp; p = b - golden * (b - a); fp = best_y(c, p, 0, w, steps, &yp); }
  }
  return fp > fq ? at(c, p, yp, n) : at(c, q, yq, n);
}

static void set_chart(chart *c, const real *n) {
  int k = fabsl(n[0]) < 0.6L ? 0 : 1;
  real e[3] = { k == 0, k == 1, 0 };
  memcpy(c->n0, n, sizeof c->n0);
  cross(n, e, c->u);
  real l = length(c->u);
  for (int i = 0; i < 3; i++) c->u[i] /= l;
  cross(n, c->u, c->v);
}

// Where f is smooth at its maximum: Newton with central differences, which finds the direction better than comparing
// values can. Returns whether it did; n is then the maximum to about 1e-10.
static int polish(chart *c, real *n) {
  const real h = 3e-7L;
  real m[3], step = 1, start[3];
  memcpy(start, n, sizeof start);
  for (int k = 0; k < 4; k++) {
    set_chart(c, n);
    real f = at(c, 0, 0, m), e = at(c, h, 0, m), w = at(c, -h, 0, m), no = at(c, 0, h, m), so = at(c, 0, -h, m);
    real xy = (at(c, h, h, m) - at(c, h, -h, m) - at(c, -h, h, m) + at(c, -h, -h, m)) / (4 * h * h);
    real gx = (e - w) / (2 * h), gy = (no - so) / (2 * h);
    real xx = (e - 2 * f + w) / (h * h), yy = (no - 2 * f + so) / (h * h);
    real det = xx * yy - xy * xy, x, y;
    if (!(det > 0) || !(xx < 0) || fabsl(xx) + fabsl(yy) > 50) return 0;
    x = -(yy * gx - xy * gy) / det;
    y = -(xx * gy - xy * gx) / det;
    step = fmaxl(fabsl(x), fabsl(y));
    if (step > 1e-5L) return 0;
    at(c, x, y, m);
    memcpy(n, m, sizeof m);
  }
  return step < 1e-9L && dot(start, n) > 1 - 1e-10L;
}

static real search_all(const nsm_shape *A, const frame *fa, const nsm_shape *B, const frame *fb, real *best_n,
                       int *smooth) {
  enum { GRID = 800, STARTS = 3 };
  chart c = { .A = A, .B = B, .fa = *fa, .fb = *fb };
  real start[STARTS][3], score[STARTS], best = -LDBL_MAX;
  int starts = 0;
  // Equal shares of the sphere on a spiral; the best ones that are apart from each other.
  static real grid[GRID][3];
  static real f[GRID];
  for (int i = 0; i < GRID; i++) {
    real z = 1 - (2 * i + 1.0L) / GRID, phi = 2.399963229728653L * i, r = sqrtl(1 - z * z);
    grid[i][0] = r * cosl(phi); grid[i][1] = r * sinl(phi); grid[i][2] = z;
    f[i] = value(A, fa, B, fb, grid[i]);
  }
  while (starts < STARTS) {
    int pick = -1;
    for (int i = 0; i < GRID; i++) {
      int apart = 1;
      for (int s = 0; s < starts; s++) apart &= dot(grid[i], start[s]) < 0.97L;
      if (apart && (pick < 0 || f[i] > f[pick])) pick = i;
    }
    if (pick < 0) break;
    memcpy(start[starts], grid[pick], sizeof grid[pick]);
    score[starts++] = f[pick];
  }
  for (int s = 0; s < starts; s++) {
    real n[3], v = score[s];
    memcpy(n, start[s], sizeof n);
    // Narrower and narrower about the best so far.
    static const real widths[] = { 0.12L, 0.03L, 4e-3L, 2e-4L, 1e-6L, 1e-8L };
    for (int i = 0, again = 0; i < 6; i++) {
      real m[3];
      set_chart(&c, n);
      real g = refine(&c, widths[i], i < 2 ? 16 : 28, m);
      int at_border = fabsl(dot(c.u, m)) > 0.7L * widths[i] || fabsl(dot(c.v, m)) > 0.7L * widths[i];
      if (g > v) { v = g; memcpy(n, m, sizeof n); }
      if (at_border && again++ < 20) { i = i > 0 ? i - 2 : -1; continue; }
      if (v < best - 4 * widths[i] * widths[i] - 1e-3L * widths[i]) break; // another start is better
    }
    if (v > best) { best = v; memcpy(best_n, n, 3 * sizeof *n); }
  }
  real n[3];
  memcpy(n, best_n, sizeof n);
  *smooth = polish(&c, n);
  if (*smooth) memcpy(best_n, n, sizeof n);
  return *smooth ? fmaxl(best, value(A, fa, B, fb, n)) : best;
}

real oracle_distance(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, real n[3],
                     real *sharp) {
  frame fa = frame_of(A, pa), fb = frame_of(B, pb);
  static solid a, b;
  if (A->kind == NSM_HALFSPACE || B->kind == NSM_HALFSPACE) {
    const nsm_shape *other = A->kind == NSM_HALFSPACE ? B : A;
    const frame *plane = A->kind == NSM_HALFSPACE ? &fa : &fb, *of = A->kind == NSM_HALFSPACE ? &fb : &fa;
    real up[3] = { plane->R[2], plane->R[5], plane->R[8] }, down[3] = { -up[0], -up[1], -up[2] };
    memcpy(n, A->kind == NSM_HALFSPACE ? up : down, sizeof up);
    *sharp = 1;
    return -support(other, of, down) - dot(up, plane->t);
  }
  if (solid_of(A, &fa, &a) && solid_of(B, &fb, &b)) return solid_distance(&a, &b, n, sharp);
  int smooth;
  real d = search_all(A, &fa, B, &fb, n, &smooth);
  *sharp = smooth && d > 1e-3L ? d : 0;
  return d;
}

// ---- Random pairs ---------------------------------------------------------------------------------------------------

double uniform(chance *c, double from, double to) {
  c->s = c->s * 6364136223846793005ull + 1442695040888963407ull;
  unsigned long long x = c->s ^ c->s >> 29;
  return from + (to - from) * (double)((x * 0x9e3779b97f4a7c15ull) >> 11) / 9007199254740992.0;
}

void random_direction(chance *c, double n[3]) {
  double l;
  do {
    for (int k = 0; k < 3; k++) n[k] = uniform(c, -1, 1);
    l = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  } while (l > 1 || l < 0.1);
  for (int k = 0; k < 3; k++) n[k] /= l;
}

static void rotation_of(const double *w, double *R) {
  // unit quaternion (1, w/2)/|.|
  double s = 1 / sqrt(1 + 0.25 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
  double a = s, b = 0.5 * s * w[0], c = 0.5 * s * w[1], d = 0.5 * s * w[2];
  double Q[9] = { a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c),
                  2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b),
                  2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d };
  memcpy(R, Q, sizeof Q);
}

void turn_cayley(const double R[9], const double w[3], double out[9]) {
  double Q[9], P[9];
  rotation_of(w, Q);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) P[3 * i + j] = R[3 * i] * Q[j] + R[3 * i + 1] * Q[3 + j] + R[3 * i + 2] * Q[6 + j];
  memcpy(out, P, sizeof P);
}

void random_rotation(chance *c, double R[9]) {
  double n[3], t = tan(uniform(c, -1.57, 1.57));
  random_direction(c, n);
  for (int k = 0; k < 3; k++) n[k] *= 2 * t;
  rotation_of(n, R);
}

static nsm_hull *kept[4096];
static int hulls;

void forget_hulls(void) {
  while (hulls > 0) {
    nsm_hull *h = kept[--hulls];
    free((void *)h->corner);
    free((void *)h->face_from);
    free(h);
  }
}

const nsm_hull *hull_of_points(int n, const double *p) {
  int most = 2 * n;
  double *real_part = malloc((size_t)(3 * n + 4 * most) * sizeof(double));
  int *whole_part = malloc((size_t)(most + 1 + 3 * most + 8 * 3 * n) * sizeof(int));
  double *normal = real_part + 3 * n, *level = normal + 3 * most;
  int *from = whole_part, *corner = from + most + 1, *edge = corner + 3 * most, *edge_face = edge + 12 * n;
  int faces = 0, edges = 0;
  memcpy(real_part, p, (size_t)(3 * n) * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        if (i == j || j == k || k == i || i > j || i > k) continue;
        real a[3], b[3], c[3], lv = 0;
        for (int m = 0; m < 3; m++) { a[m] = p[3 * j + m] - p[3 * i + m]; b[m] = p[3 * k + m] - p[3 * i + m]; }
        cross(a, b, c);
        real l = length(c);
        for (int m = 0; m < 3; m++) { c[m] /= l; lv += c[m] * p[3 * i + m]; }
        int out = 1;
        for (int q = 0; q < n && out; q++)
          if (q != i && q != j && q != k) out = c[0] * p[3 * q] + c[1] * p[3 * q + 1] + c[2] * p[3 * q + 2] < lv;
        if (!out || faces == most) continue;
        for (int m = 0; m < 3; m++) normal[3 * faces + m] = (double)c[m];
        level[faces] = (double)lv;
        from[faces] = 3 * faces;
        corner[3 * faces] = i; corner[3 * faces + 1] = j; corner[3 * faces + 2] = k;
        faces++;
      }
  from[faces] = 3 * faces;
  for (int f = 0; f < faces; f++)
    for (int m = 0; m < 3; m++) {
      int a = corner[3 * f + m], b = corner[3 * f + (m + 1) % 3];
      if (a > b) continue;
      edge[2 * edges] = a;
      edge[2 * edges + 1] = b;
      edge_face[2 * edges] = f;
      for (int g = 0; g < faces; g++)
        for (int q = 0; q < 3; q++)
          if (corner[3 * g + q] == b && corner[3 * g + (q + 1) % 3] == a) edge_face[2 * edges + 1] = g;
      edges++;
    }
  nsm_hull *h = malloc(sizeof *h);
  *h = (nsm_hull){ n, faces, edges, real_part, normal, level, from, corner, edge, edge_face };
  if (hulls == 4096) abort();
  return kept[hulls++] = h;
}

nsm_shape random_shape(chance *c, nsm_shape_kind kind, double size) {
  nsm_shape s = { .kind = kind };
  for (int k = 0; k < 3; k++) s.size[k] = size * uniform(c, 0.2, 1);
  for (int k = 0; k < 3; k++) s.at[k] = size * uniform(c, -0.3, 0.3);
  random_rotation(c, s.turn);
  if (kind == NSM_CONVEX) {
    int n = 4 + (int)uniform(c, 0, 9);
    double p[3 * 16];
    for (int i = 0; i < n; i++) {
      random_direction(c, p + 3 * i);
      for (int k = 0; k < 3; k++) p[3 * i + k] *= s.size[k];
    }
    s.hull = hull_of_points(n, p);
  }
  return s;
}

void random_pair(chance *c, const nsm_shape *A, const nsm_shape *B, double gap, nsm_pose *pa, nsm_pose *pb) {
  double n[3];
  random_direction(c, n);
  random_rotation(c, pa->R);
  random_rotation(c, pb->R);
  for (int k = 0; k < 3; k++) pa->r[k] = uniform(c, -1, 1);
  real m[3] = { n[0], n[1], n[2] }, l = length(m);
  for (int k = 0; k < 3; k++) m[k] /= l;
  *pb = (nsm_pose){ { pa->r[0], pa->r[1], pa->r[2] }, { 0 } };
  random_rotation(c, pb->R);
  if (A->kind == NSM_HALFSPACE || B->kind == NSM_HALFSPACE) {
    real up[3], sharp, d = oracle_distance(A, pa, B, pb, up, &sharp);
    for (int k = 0; k < 3; k++) pb->r[k] += (double)((gap - d) * up[k]);
    return;
  }
  // Apart by at least `gap` along m, then the rest by the true distance, twice.
  for (int k = 0; k < 3; k++) pb->r[k] += (double)((gap - oracle_value(A, pa, B, pb, m)) * m[k]);
  for (int again = 0; again < 3; again++) {
    real near[3], sharp, d;
    frame fa = frame_of(A, pa), fb = frame_of(B, pb);
    static solid a, b;
    if (!solid_of(A, &fa, &a) || !solid_of(B, &fb, &b)) return;
    d = solid_distance(&a, &b, near, &sharp);
    for (int k = 0; k < 3; k++) pb->r[k] += (double)((gap - d) * near[k]);
  }
}
