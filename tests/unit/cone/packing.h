// Packings of spheres and their one-step problems, from a number that repeats: for benchmarks and tests of friction.
//
//   pyramid   a cannonball pile on a floor: layer k has (a - k) x (b - k) equal balls, each on four of the layer below
//   heap      balls of different radii laid down one after the other, each at the lowest place that is free
//
// A contact has the rows n, t1, t2; u = H v, W = H M^-1 H^T, q = H v0 with v0 the velocities that free fall in one step
// gives ("rest"), or these and random ones ("shaken"). Solid balls, inertia 2/5 m R^2, mu on all contacts. A ball has
// more contacts than freedom: W has a rank of 6 balls at most.
#pragma once
#include "runtime/cone/problem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { PACKING_REST, PACKING_SHAKEN } packing_state;

typedef struct packing {
  int     balls, contacts, rows;
  double (*at)[3], *radius, *mass;
  int    (*pair)[2];                 // balls; the second is -1 for the floor
  nsm_cone_problem p;
  double *M, *q, *none;               // none: bounds of rows in blocks, which nobody reads
  int    *row_start, *col;
  nsm_cone_block *cone;
} packing;

static uint64_t packing_seed;
static double packing_draw(void) {             // [0, 1): splitmix64 (Steele, Lea and Flood 2014)
  uint64_t z = packing_seed += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void *packing_new(size_t n, size_t size) {
  void *x = calloc(n + 1, size);
  if (!x) abort();
  return x;
}

static packing packing_room(int balls) {
  packing k = { .balls = 0 };
  k.at = packing_new((size_t)balls, sizeof *k.at);
  k.radius = packing_new((size_t)balls, sizeof *k.radius);
  k.mass = packing_new((size_t)balls, sizeof *k.mass);
  k.pair = packing_new(12 * (size_t)balls, sizeof *k.pair);
  return k;
}

static double packing_gap(const packing *k, int i, const double *at, double radius) {
  double d = 0;
  for (int a = 0; a < 3; a++) d += (at[a] - k->at[i][a]) * (at[a] - k->at[i][a]);
  return sqrt(d) - radius - k->radius[i];
}

// Contacts: all that are closer than `near`.
static void packing_touch(packing *k, double near) {
  for (int i = 0; i < k->balls; i++) {
    if (k->at[i][2] - k->radius[i] < near) { k->pair[k->contacts][0] = i; k->pair[k->contacts++][1] = -1; }
    for (int j = 0; j < i && k->contacts < 12 * k->balls; j++)
      if (packing_gap(k, j, k->at[i], k->radius[i]) < near) {
        k->pair[k->contacts][0] = i;
        k->pair[k->contacts++][1] = j;
      }
  }
}

// Balls of radius 1; each is left out with the probability `holes`.
static packing packing_pyramid(int a, int b, int layers, double holes) {
  packing k = packing_room(a * b * layers);
  for (int l = 0; l < layers; l++)
    for (int i = 0; i < a - l; i++)
      for (int j = 0; j < b - l; j++) {
        if (packing_draw() < holes) continue;
        double *at = k.at[k.balls];
        at[0] = 2 * i + l;
        at[1] = 2 * j + l;
        at[2] = 1 + sqrt(2) * l;
        k.radius[k.balls++] = 1;
      }
  packing_touch(&k, 1e-6);
  return k;
}

// out := the higher place where a ball of radius r touches three balls; 0 where there is none.
static int packing_place(const packing *k, int i, int j, int l, double r, double *out) {
  const double *p = k->at[i];
  double a[3], b[3], R = r + k->radius[i], Ra = r + k->radius[j], Rb = r + k->radius[l], aa = 0, bb = 0, ab = 0;
  for (int c = 0; c < 3; c++) {
    a[c] = k->at[j][c] - p[c];
    b[c] = k->at[l][c] - p[c];
    aa += a[c] * a[c]; bb += b[c] * b[c]; ab += a[c] * b[c];
  }
  double fa = 0.5 * (R * R - Ra * Ra + aa), fb = 0.5 * (R * R - Rb * Rb + bb), det = aa * bb - ab * ab;
  if (!(det > 1e-6)) return 0;
  double x = (fa * bb - fb * ab) / det, y = (fb * aa - fa * ab) / det,
         n[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] }, off = R * R;
  off -= x * fa + y * fb;
  if (!(off > 0)) return 0;
  double s = sqrt(off / det) * (n[2] > 0 ? 1 : -1);
  for (int c = 0; c < 3; c++) out[c] = p[c] + x * a[c] + y * b[c] + s * n[c];
  return 1;
}

// n balls, radii 1 -+ spread, over a square floor of the given width, at whose rim there is nothing.
static packing packing_heap(int n, double width, double spread) {
  packing k = packing_room(n);
  for (int i = 0; i < n; i++) {
    double best = HUGE_VAL, r = 1 + spread * (2 * packing_draw() - 1), found[3] = { 0, 0, r };
    int near[64], nears;
    for (int attempt = 0; attempt < 60; attempt++) {         // on the floor
      double at[3] = { width * packing_draw(), width * packing_draw(), r };
      int free = 1;
      for (int j = 0; j < k.balls && free; j++) free = packing_gap(&k, j, at, r) > -1e-9;
      if (free && at[2] < best) { best = at[2]; memcpy(found, at, sizeof found); }
    }
    for (int a = 0; a < k.balls && best > r; a++) {
      nears = 0;
      for (int b = 0; b < a && nears < 64; b++) if (packing_gap(&k, b, k.at[a], k.radius[a]) < 2 * r) near[nears++] = b;
      for (int b = 0; b < nears; b++)
        for (int c = 0; c < b; c++) {
          double at[3];
          if (!packing_place(&k, a, near[b], near[c], r, at) || at[2] < r || at[2] >= best || at[0] < 0 || at[1] < 0 ||
              at[0] > width || at[1] > width)
            continue;
          int free = 1;
          for (int j = 0; j < k.balls && free; j++) free = packing_gap(&k, j, at, r) > -1e-9;
          if (free) { best = at[2]; memcpy(found, at, sizeof found); }
        }
    }
    if (!(best < HUGE_VAL)) continue;
    memcpy(k.at[k.balls], found, sizeof found);
    k.radius[k.balls++] = r;
  }
  packing_touch(&k, 0.02);
  return k;
}

static void packing_frame(const packing *k, int c, double *R) {       // rows n, t1, t2; n points to the first ball
  int a = k->pair[c][0], b = k->pair[c][1];
  double n[3] = { 0, 0, 1 }, s = 0, t[3];
  for (int i = 0; b >= 0 && i < 3; i++) { n[i] = k->at[a][i] - k->at[b][i]; s += n[i] * n[i]; }
  for (int i = 0; b >= 0 && i < 3; i++) n[i] /= sqrt(s);
  int least = fabs(n[0]) < 0.6 ? 0 : fabs(n[1]) < 0.6 ? 1 : 2;
  s = 0;
  for (int i = 0; i < 3; i++) { t[i] = (i == least) - n[least] * n[i]; s += t[i] * t[i]; }
  for (int i = 0; i < 3; i++) { R[i] = n[i]; R[3 + i] = t[i] / sqrt(s); }
  for (int i = 0; i < 3; i++)
    R[6 + i] = n[(i + 1) % 3] * R[3 + (i + 2) % 3] - n[(i + 2) % 3] * R[3 + (i + 1) % 3];
}

// Rows of contact c for the ball on its side 0 or 1: H [3][6], linear and angular velocity.
static void packing_rows(const packing *k, int c, int side, double *H) {
  double R[9], sign = side ? -1 : 1, lever = -sign * k->radius[k->pair[c][side]];
  packing_frame(k, c, R);
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < 3; i++) {
      H[6 * r + i] = sign * R[3 * r + i];                             // v + omega x (lever n)
      int a = (i + 1) % 3, b = (i + 2) % 3;
      H[6 * r + 3 + i] = sign * lever * (R[a] * R[3 * r + b] - R[b] * R[3 * r + a]);
    }
}

// The problem: masses 1 ... heaviest, evenly in their logarithm; solid balls; a step of 1 ms.
static void packing_problem(packing *k, double mu, double heaviest, packing_state state) {
  int n = k->contacts, most = 0;
  double *v = packing_new(6 * (size_t)k->balls, sizeof *v), *H[2];
  int *first = packing_new((size_t)k->balls + 1, sizeof *first), *of = packing_new(2 * (size_t)n, sizeof *of);
  for (int i = 0; i < k->balls; i++) {
    k->mass[i] = pow(heaviest, packing_draw());
    v[6 * i + 2] = -9.81e-3;
    for (int a = 0; a < 6; a++) v[6 * i + a] += state == PACKING_SHAKEN ? 0.02 * (2 * packing_draw() - 1) : 0;
  }
  for (int s = 0; s < 2; s++) {
    H[s] = packing_new(18 * (size_t)n, sizeof *H[s]);
    for (int c = 0; c < n; c++) if (k->pair[c][s] >= 0) packing_rows(k, c, s, H[s] + 18 * c);
  }
  for (int e = 0; e < 2 * n; e++) if (k->pair[e / 2][e % 2] >= 0) first[k->pair[e / 2][e % 2] + 1]++;
  for (int i = 0; i < k->balls; i++) first[i + 1] += first[i];
  for (int e = 2 * n - 1; e >= 0; e--) if (k->pair[e / 2][e % 2] >= 0) of[--first[k->pair[e / 2][e % 2] + 1]] = e / 2;
  for (int i = 0; i < k->balls; i++) first[i] = first[i + 1];        // each was moved to its beginning, one further on
  first[k->balls] = 0;
  for (int e = 0; e < 2 * n; e++) first[k->balls] += k->pair[e / 2][e % 2] >= 0;
  k->rows = 3 * n;
  size_t entries = 0;
  for (int i = 0; i < k->balls; i++) {
    int d = first[i + 1] - first[i];
    entries += 9 * (size_t)d * (size_t)d;
    most = d > most ? d : most;
  }
  k->M = packing_new(entries, sizeof *k->M);
  k->col = packing_new(entries, sizeof *k->col);
  k->row_start = packing_new((size_t)k->rows + 1, sizeof *k->row_start);
  k->q = packing_new((size_t)k->rows, sizeof *k->q);
  k->none = packing_new((size_t)k->rows, sizeof *k->none);
  k->cone = packing_new((size_t)n, sizeof *k->cone);
  double *block = packing_new(9 * (size_t)n, sizeof *block);
  int *seen = packing_new((size_t)n, sizeof *seen), *list = packing_new(2 * (size_t)most + 2, sizeof *list);
  for (int c = 0, at = 0; c < n; c++) {
    int count = 0;
    for (int s = 0; s < 2; s++) {
      int b = k->pair[c][s];
      if (b < 0) continue;
      double w[6];
      for (int i = 0; i < 6; i++) w[i] = (i < 3 ? 1 : 2.5 / (k->radius[b] * k->radius[b])) / k->mass[b];
      for (int r = 0; r < 3; r++)
        for (int i = 0; i < 6; i++) k->q[3 * c + r] += H[s][18 * c + 6 * r + i] * v[6 * b + i];
      for (int e = first[b]; e < first[b + 1]; e++) {
        int d = of[e], side = k->pair[d][1] == b;
        if (!seen[d]) { seen[d] = 1; list[count++] = d; memset(block + 9 * d, 0, 9 * sizeof *block); }
        for (int r = 0; r < 3; r++)
          for (int t = 0; t < 3; t++)
            for (int i = 0; i < 6; i++)
              block[9 * d + 3 * r + t] += H[s][18 * c + 6 * r + i] * w[i] * H[side][18 * d + 6 * t + i];
      }
    }
    for (int i = 1; i < count; i++)
      for (int j = i; j > 0 && list[j - 1] > list[j]; j--) { int t = list[j]; list[j] = list[j - 1]; list[j - 1] = t; }
    for (int r = 0; r < 3; r++) {
      k->row_start[3 * c + r] = at;
      for (int i = 0; i < count; i++)
        for (int t = 0; t < 3; t++) { k->col[at] = 3 * list[i] + t; k->M[at++] = block[9 * list[i] + 3 * r + t]; }
    }
    for (int i = 0; i < count; i++) seen[list[i]] = 0;
    k->row_start[3 * c + 3] = at;
    k->cone[c] = (nsm_cone_block){ NSM_CONE_COULOMB, 3 * c, 3, mu, 0, 0 };
  }
  k->p = (nsm_cone_problem){ .m = k->rows, .M = k->M, .row_start = k->row_start, .col = k->col, .q = k->q,
                             .lo = k->none, .hi = k->none, .cones = n, .cone = k->cone };
  free(v); free(H[0]); free(H[1]); free(first); free(of); free(block); free(seen); free(list);
}

static void packing_free(packing *k) {
  free(k->at); free(k->radius); free(k->mass); free(k->pair);
  free(k->M); free(k->q); free(k->none); free(k->row_start); free(k->col); free(k->cone);
}
