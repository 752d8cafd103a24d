// Random friction problems with an answer that was chosen first: a pair (lambda, u) that holds (1) block by block, any
// M, and q = u - M lambda, summed in extended precision and rounded once. All is drawn from one number.
//
// Three families of M, which share nothing:
//   bodies    M = H W^{-1} H^T: rigid bodies, planar or spatial, that touch at random points; few bodies under many
//             contacts, patches of contacts close together, bodies of very different weight
//   factors   M = A S B^T of any rank with rows and columns of very different size, S = I + skew; B = A or nearly A
//   integers  M = H D H^T with H of small integers and D of powers of two: ties and dependences are exact
// Every kind of block, coefficients from 0 to 10, interval rows between; blocks are open, stick or slide, and the
// degenerate cases between: at rest with the force on the edge of the cone, at rest without force, sliding without
// force.
#pragma once
#include "friction.h"

typedef struct planted {
  friction    f;
  double     *lambda;          // [m] the answer
  const char *family;
  int         rank;            // at most
  double      ratio;           // of weights
} planted;

typedef struct planted_seed { uint64_t state; } planted_seed;

static inline uint64_t dice_next(planted_seed *d) {                       // splitmix64
  uint64_t z = d->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static inline double dice_unit(planted_seed *d) { return (double)(dice_next(d) >> 11) * 0x1p-53; }          // [0, 1)
static inline double dice_sign(planted_seed *d) { return 2 * dice_unit(d) - 1; }                            // [-1, 1)
static inline int dice_below(planted_seed *d, int n) { return (int)(dice_next(d) % (uint64_t)n); }
static inline int dice_chance(planted_seed *d, double p) { return dice_unit(d) < p; }
static inline double dice_normal(planted_seed *d) {
  double s = 0;
  for (int i = 0; i < 12; i++) s += dice_unit(d);
  return s - 6;
}
// 10^x, x in [-digits/2, digits/2]
static inline double dice_power(planted_seed *d, double digits) { return pow(10, 0.5 * digits * dice_sign(d)); }
// 1 ... most, small ones as likely as large ones
static inline int dice_count(planted_seed *d, int most) {
  int n = (int)exp(log(most + 1.0) * dice_unit(d));
  return n < 1 ? 1 : n > most ? most : n;
}

// What one problem is made with.
typedef struct planted_recipe {
  unsigned types;
  int      spatial;            // 0 planar, 1 spatial, 2 both
  double   intervals;          // of a row before each block
  double   mu_fixed;           // >= 0: of all blocks
  int      mu_style;
  double   mode[7];            // weights of the modes
  double   force;              // unit of force
} planted_recipe;

enum { PLANT_OPEN, PLANT_STICK, PLANT_SLIP, PLANT_EDGE, PLANT_APEX, PLANT_GRAZE, PLANT_OPEN_SLIDE, PLANT_MODES };

static inline double planted_mu(planted_seed *d, const planted_recipe *r) {
  static const double usual[] = { 0, 0.1, 0.3, 0.5, 0.8, 1, 2, 3, 10 };
  switch (r->mu_style) {
    case 0:  return r->mu_fixed;
    case 1:  return usual[dice_below(d, 9)];
    case 2:  return 10 * dice_unit(d);
    case 3:  return 0.2 + 0.8 * dice_unit(d);
    default: return dice_chance(d, 0.1) ? 0 : pow(10, 1 - 4 * dice_unit(d));
  }
}

static inline planted_recipe planted_recipe_make(planted_seed *d) {
  static const unsigned types[] = { 1, 1, 1, 1, 2, 4, 8, 16, 1 | 16, 1 | 8, 1 | 2 | 4, 7 | 16, 31, 31 };
  planted_recipe r = { .types = types[dice_below(d, 14)], .spatial = dice_below(d, 3) };
  r.intervals = dice_chance(d, 0.6) ? 0 : 0.6 * dice_unit(d);
  r.mu_style = dice_below(d, 5);
  r.mu_fixed = dice_chance(d, 0.2) ? 10 * dice_unit(d) : dice_unit(d);
  r.force = dice_chance(d, 0.5) ? 1 : dice_power(d, 12);
  int style = dice_below(d, 4);
  for (int k = 0; k < PLANT_MODES; k++) {
    double usual = k < PLANT_APEX ? 1 : 0.1;                              // 1: all as likely, 2: random, 3: no opening
    r.mode[k] = style == 0 ? usual : style == 1 ? 1 : style == 2 ? dice_unit(d) * dice_unit(d) : k > 0 &&
        k < PLANT_APEX;
  }
  return r;
}

// Contacts with Coulomb's friction alone, open, sticking or sliding in general position: as engineers meet them, but of
// any rank.
static inline planted_recipe planted_recipe_plain(planted_seed *d) {
  return (planted_recipe){ .types = 1, .spatial = dice_below(d, 2), .mu_style = 1, .mode = { 1, 1, 1 }, .force = 1 };
}

static inline int planted_mode(planted_seed *d, const planted_recipe *r) {
  double sum = 0, x;
  for (int k = 0; k < PLANT_MODES; k++) sum += r->mode[k];
  x = sum * dice_unit(d);
  for (int k = 0; k < PLANT_MODES; k++)
    if ((x -= r->mode[k]) < 0) return k;
  return PLANT_OPEN;
}

static inline nsm_cone_block planted_block(planted_seed *d, const planted_recipe *r, int first) {
  int type;
  do type = dice_below(d, 5); while (!(r->types >> type & 1));
  int spatial = r->spatial == 2 ? dice_below(d, 2) : r->spatial;
  nsm_cone_block b = { (nsm_cone_type)type, first, block_rows((nsm_cone_type)type, spatial), planted_mu(d, r), 0, 0 };
  if (type == NSM_CONE_ELLIPTIC) b.mu2 = dice_chance(d, 0.1) ? 0 : b.mu * (0.3 + 2 * dice_unit(d));
  if (type == NSM_CONE_ELLIPTIC && b.mu2 > 10) b.mu2 = 10;
  if (type == NSM_CONE_CONTENSOU) b.radius = dice_chance(d, 0.05) ? 0 : dice_power(d, 2);
  if (type == NSM_CONE_DISK) { b.mu = 0; b.radius = dice_chance(d, 0.05) ? 0 : r->force * dice_unit(d); }
  return b;
}

// (lambda, u) of one block in the frame of the unit cone, then in its own (contacts.h).
static inline void planted_pair(planted_seed *d, const planted_recipe *r, const nsm_cone_block *k, double weight,
                                double *lambda, double *u) {
  double frame[4], w[4] = { 0 }, y[4] = { 0 }, v[4] = { 0 }, norm = 0, N, speed = dice_unit(d);
  int mode = planted_mode(d, r), first = k->type != NSM_CONE_DISK;
  block_frame(k, frame);
  for (int i = first; i < k->size; i++) {
    w[i] = dice_sign(d);
    if (!(frame[i] > 0)) w[i] = 0;
    norm += w[i] * w[i];
  }
  norm = sqrt(norm);
  for (int i = first; i < k->size; i++) w[i] = norm > 0 ? w[i] / norm : 0;
  if (first) {
    N = mode == PLANT_STICK || mode == PLANT_SLIP || mode == PLANT_EDGE ? r->force * dice_unit(d) : 0;
    y[0] = k->type == NSM_CONE_GRIP && dice_chance(d, 0.5) ? -N : N;
    if (k->type != NSM_CONE_GRIP && (mode == PLANT_OPEN || mode == PLANT_OPEN_SLIDE)) v[0] = dice_unit(d);
  } else N = k->radius;
  double share = mode == PLANT_STICK ? dice_unit(d) : mode == PLANT_APEX && first ? 0 : 1;
  int sliding = mode == PLANT_SLIP || mode == PLANT_GRAZE || mode == PLANT_OPEN_SLIDE;
  if (mode == PLANT_OPEN && !first) share = dice_unit(d);
  for (int i = first; i < k->size; i++) {
    y[i] = N * share * w[i];
    v[i] = sliding ? -speed * w[i] : mode == PLANT_OPEN && first ? dice_sign(d) : 0;
  }
  for (int i = 0; i < k->size; i++) {
    lambda[i] = frame[i] * y[i];
    u[i] = weight * (frame[i] > 0 ? v[i] / frame[i] : dice_sign(d));
  }
}

static inline void planted_interval(planted_seed *d, const planted_recipe *r, double weight, double *lo, double *hi,
                                    double *lambda, double *u) {
  int kind = dice_below(d, 4), where = dice_below(d, 3);
  double a = r->force * dice_sign(d), b = r->force * dice_unit(d);
  *lo = kind == 0 ? -HUGE_VAL : kind == 1 ? 0 : a;
  *hi = kind == 0 || kind == 1 ? HUGE_VAL : a + b;
  if (kind == 3 && dice_chance(d, 0.5)) *lo = -HUGE_VAL;
  int low = *lo > -HUGE_VAL, high = *hi < HUGE_VAL;
  *u = 0;
  if (where == 0 && low) { *lambda = *lo; *u = dice_chance(d, 0.8) ? weight * dice_unit(d) : 0; }
  else if (where == 1 && high) { *lambda = *hi; *u = dice_chance(d, 0.8) ? -weight * dice_unit(d) : 0; }
  else if (low && high) *lambda = *lo + dice_unit(d) * (*hi - *lo);
  else *lambda = low ? *lo + b : high ? *hi - b : a;
}

// ---- the families of M ----------------------------------------------------------------------------------------------
// H [m, n] row-major times D [n] times H^T, in extended precision.
static inline void planted_product(int m, int n, const double *A, const double *D, const double *B, double *M) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      long double sum = 0;
      for (int k = 0; k < n; k++) sum += (long double)A[i * n + k] * D[k] * B[j * n + k];
      M[i + j * m] = (double)sum;
    }
}

// Rows n, t1, t2 (, spin) of a touch of body a on body b (or the ground), for the block or interval at hand. Planar:
// bodies have 3 coordinates, spatial 6.
static inline void planted_touch(planted_seed *d, int spatial, int bodies, const nsm_cone_block *k, int rows,
    double *H) {
  int a = dice_below(d, bodies), b = dice_chance(d, 0.3) ? -1 : dice_below(d, bodies), dof = spatial ? 6 : 3;
  double n[3], t[3], other[3] = { 1, 0, 0 }, frame[4][3], arm[3], at[2][3];
  for (int i = 0; i < 3; i++) n[i] = dice_normal(d);
  if (!spatial) n[2] = 0;
  double l = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int i = 0; i < 3; i++) n[i] /= l;
  if (spatial) {
    if (fabs(n[0]) > 0.8) { other[0] = 0; other[1] = 1; }
    cross(n, other, t);
    l = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int i = 0; i < 3; i++) t[i] /= l;
  } else { t[0] = -n[1]; t[1] = n[0]; t[2] = 0; }
  for (int i = 0; i < 3; i++) {
    frame[0][i] = n[i];
    frame[1][i] = t[i];
    at[0][i] = -n[i] * (0.5 + dice_unit(d)) + 0.3 * dice_sign(d);
    at[1][i] = n[i] * (0.5 + dice_unit(d)) + 0.3 * dice_sign(d);
  }
  cross(n, t, frame[2]);
  int skip = k && k->type == NSM_CONE_DISK;                          // a disk has no normal row
  for (int r = 0; r < rows; r++) {
    int spin = k && k->type == NSM_CONE_CONTENSOU && r == 3;
    const double *f = spin ? n : frame[(r + skip) % 3];
    for (int side = 0; side < 2; side++) {
      int body = side ? b : a;
      double sign = side ? -1 : 1, *row = H + r * dof * bodies + dof * body;
      if (body < 0) continue;
      cross(at[side], f, arm);
      if (!spatial) { row[0] += sign * f[0]; row[1] += sign * f[1]; row[2] += sign * arm[2]; continue; }
      for (int i = 0; i < 3; i++) {
        if (!spin) row[i] += sign * f[i];
        row[3 + i] += sign * (spin ? f[i] : arm[i]);
      }
    }
  }
}

typedef struct planted_row { int first, size; const nsm_cone_block *block; } planted_row;

static inline void planted_bodies(planted_seed *d, planted *p, const planted_row *row, int rows, int spatial) {
  int m = p->f.b.p.m, dof = spatial ? 6 : 3, bodies = dice_count(d, rows), n = dof * bodies;
  double *H = zeros((size_t)(m * n), 8), *D = zeros((size_t)n, 8);
  for (int i = 0; i < bodies; i++) {
    double w = pow(p->ratio, -dice_unit(d));
    for (int k = 0; k < dof; k++) D[dof * i + k] = w * (k < dof / 2 + !spatial ? 1 : 2.5 * (1 + 0.5 * dice_sign(d)));
  }
  int patch = dice_chance(d, 0.2) ? 2 + dice_below(d, 4) : 1;
  for (int i = 0; i < rows; i++) {
    double *h = H + row[i].first * n;
    if (patch > 1 && i % patch && row[i].size == row[i - 1].size) {   // close to the one before
      memcpy(h, H + row[i - 1].first * n, (size_t)(row[i].size * n) * sizeof(double));
      double off = dice_chance(d, 0.2) ? 0 : pow(10, -6 * dice_unit(d));
      for (int k = 0; k < row[i].size * n; k++) if (h[k] != 0) h[k] += off * dice_sign(d);
    } else planted_touch(d, spatial, bodies, row[i].block, row[i].size, h);
  }
  planted_product(m, n, H, D, H, p->f.b.M);
  p->rank = n < m ? n : m;
  free(H);
  free(D);
}

static inline void planted_factors(planted_seed *d, planted *p, const planted_row *row, int rows, int plain) {
  int m = p->f.b.p.m, n = dice_chance(d, 0.3) ? m : dice_count(d, m);
  double *A = zeros((size_t)(m * n), 8), *B = zeros((size_t)(m * n), 8), *D = zeros((size_t)n, 8);
  double fill = dice_chance(d, 0.5) ? 1 : 0.1 + 0.5 * dice_unit(d), uneven = dice_chance(d, 0.5) ? 0 : 0.5;
  for (int i = 0; i < rows; i++) {
    double size = pow(p->ratio, -uneven * dice_unit(d));             // of the whole block
    for (int k = row[i].first * n; k < (row[i].first + row[i].size) * n; k++)
      A[k] = dice_chance(d, fill) ? size * dice_normal(d) : 0;
  }
  for (int k = 0; k < n; k++) D[k] = pow(p->ratio, -(1 - uneven) * dice_unit(d));
  double skew = dice_chance(d, 0.6) || plain ? 0 : pow(10, -1 - 3 * dice_unit(d));
  int turned = dice_chance(d, 0.5);
  for (int i = 0; i < m * n; i++) B[i] = A[i] * (turned ? 1 + skew * dice_sign(d) : 1);
  if (!turned && skew > 0)                                           // M = A D (I + skew S) A^T
    for (int i = 0; i < m; i++)
      for (int k = 1; k < n; k++) {
        double a = A[i * n + k - 1], b = A[i * n + k], s = skew * sqrt(D[k] / D[k - 1]);
        B[i * n + k - 1] += s * b;
        B[i * n + k] -= skew * sqrt(D[k - 1] / D[k]) * a;
      }
  planted_product(m, n, A, D, B, p->f.b.M);
  p->rank = n;
  free(A);
  free(B);
  free(D);
}

static inline void planted_integers(planted_seed *d, planted *p) {
  int m = p->f.b.p.m, n = dice_count(d, m), most = 1 + dice_below(d, 3);
  double *H = zeros((size_t)(m * n), 8), *D = zeros((size_t)n, 8), fill = 0.15 + 0.6 * dice_unit(d);
  for (int i = 0; i < m * n; i++) H[i] = dice_chance(d, fill) ? dice_below(d, 2 * most + 1) - most : 0;
  for (int i = 0; i < m; i++) H[i * n + dice_below(d, n)] += 1;
  for (int k = 0; k < n; k++) D[k] = ldexp(1, -(int)(log2(p->ratio) * dice_unit(d)));
  planted_product(m, n, H, D, H, p->f.b.M);
  p->rank = n;
  free(H);
  free(D);
}

// ---- a problem ------------------------------------------------------------------------------------------------------
// `most` contacts at the most. Its lambda and guess are zero. From number PLANTED_PLAIN on they are plain.
enum { PLANTED_PLAIN = 1000000 };
static inline planted planted_make(uint64_t number, int most) {
  planted_seed seed = { number * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du }, *d = &seed;
  for (int i = 0; i < 4; i++) dice_next(d);
  int plain = number >= PLANTED_PLAIN;
  planted_recipe r = plain ? planted_recipe_plain(d) : planted_recipe_make(d);
  int count = dice_count(d, most), rows = 0, m = 0, room = 2 * count + 2;
  nsm_cone_block *block = zeros((size_t)count, sizeof *block);
  planted_row *row = zeros((size_t)room, sizeof *row);
  for (int c = 0; c < count; c++) {
    if (dice_chance(d, r.intervals)) row[rows++] = (planted_row){ m++, 1, NULL };
    block[c] = planted_block(d, &r, m);
    row[rows++] = (planted_row){ m, block[c].size, block + c };
    m += block[c].size;
  }
  static const double ratios[] = { 1, 1, 1, 1e2, 1e4, 1e6, 1e8 };
  planted p = { .f = friction_open(m, count), .lambda = zeros((size_t)m, 8), .ratio = ratios[dice_below(d, 7)] };
  for (int c = 0; c < count; c++) friction_add(&p.f, block[c]);
  int family = dice_below(d, plain ? 2 : 3), spatial = r.spatial != 0;
  for (int c = 0; c < count; c++) spatial |= block[c].size > 2;
  p.family = family == 0 ? "bodies" : family == 1 ? "factors" : "integers";
  if (family == 0) planted_bodies(d, &p, row, rows, spatial);
  if (family == 1) planted_factors(d, &p, row, rows, plain);
  if (family == 2) planted_integers(d, &p);
  double *u = zeros((size_t)m, 8), speed = plain || dice_chance(d, 0.5) ? 1 : dice_power(d, 12), by_weight =
      dice_chance(d, 0.5);
  for (int i = 0; i < m * m; i++) p.f.b.M[i] *= speed / r.force;
  for (int k = 0; k < rows; k++) {
    int i = row[k].first;
    double trace = 0, weight;
    for (int j = i; j < i + row[k].size; j++) trace += p.f.b.M[j + j * m] / row[k].size;
    weight = by_weight && trace > 0 ? trace * r.force : speed;       // light bodies move faster
    if (row[k].block) planted_pair(d, &r, row[k].block, weight, p.lambda + i, u + i);
    else planted_interval(d, &r, weight, p.f.b.lo + i, p.f.b.hi + i, p.lambda + i, u + i);
  }
  for (int i = 0; i < m; i++) {
    long double sum = u[i];
    for (int j = 0; j < m; j++) sum -= (long double)p.f.b.M[i + j * m] * p.lambda[j];
    p.f.b.q[i] = (double)sum;
  }
  free(u);
  free(row);
  free(block);
  return p;
}

static inline void planted_close(planted *p) {
  free(p->lambda);
  friction_close(&p->f);
}
