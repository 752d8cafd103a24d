// For the tests of friction: problems from files, and generated ones that have a solution. M = H W^{-1} H^T of rigid
// bodies, or a random semidefinite matrix with an answer that holds (1) by construction.
#pragma once
#include "contacts.h"
#include "problem_file.h"
#include <stdio.h>

typedef struct friction { bench b; nsm_cone_block *block; } friction;

// Room for `cones` blocks; rows are added with friction_add, their matrix afterwards.
static inline friction friction_open(int m, int cones) {
  friction f = { .b = bench_open(m, 0, 0), .block = zeros((size_t)cones, sizeof(nsm_cone_block)) };
  size_t bytes = nsm_cone_workspace_size_with(m, (size_t)m * (size_t)m, m, cones);
  free(f.b.work);
  f.b.work = malloc(bytes);
  if (!f.b.work) abort();
  memset(f.b.work, 0xa5, bytes < 1 << 20 ? bytes : 1 << 20);
  nsm_cone_workspace_init(f.b.work, bytes);
  f.b.p.cone = f.block;
  return f;
}

static inline void friction_close(friction *f) { bench_close(&f->b); free(f->block); }

static inline void friction_add(friction *f, nsm_cone_block k) { f->block[f->b.p.cones++] = k; }

static inline int friction_read(const char *path, friction *f) {
  numbers t = read_numbers(path);
  int d = t.n > 4 ? (int)next_number(&t) : 0, contacts = d ? (int)next_number(&t) : 0, m = d * contacts, ok = 0;
  if ((d == 2 || d == 3) && contacts > 0 && m < 6000) {
    *f = friction_open(m, contacts);
    ok = read_matrix(&t, m, f->b.M);
    for (int i = 0; i < m; i++) f->b.q[i] = next_number(&t);
    for (int c = 0; c < contacts; c++)
      friction_add(f, (nsm_cone_block){ NSM_CONE_COULOMB, c * d, d, next_number(&t), 0, 0 });
    ok = ok && t.at <= t.n;
  }
  free(t.x);
  return ok;
}

// The same problem with M as rows; d is to be closed as well.
static inline friction friction_sparse(const friction *d) {
  int m = d->b.p.m, nnz = 0;
  for (int i = 0; i < m * m; i++) nnz += d->b.M[i] != 0;
  friction f = { .b = bench_open(m, nnz > 0 ? nnz : 1, m),
                 .block = zeros((size_t)d->b.p.cones, sizeof(nsm_cone_block)) };
  size_t bytes = nsm_cone_workspace_size_with(m, (size_t)nnz, m, d->b.p.cones);
  free(f.b.work);
  f.b.work = malloc(bytes);
  if (!f.b.work) abort();
  nsm_cone_workspace_init(f.b.work, bytes);
  memcpy(f.block, d->block, (size_t)d->b.p.cones * sizeof *f.block);
  f.b.p.cone = f.block;
  f.b.p.cones = d->b.p.cones;
  for (int i = 0, k = 0; i < m; i++) {
    f.b.q[i] = d->b.q[i];
    f.b.lo[i] = d->b.lo[i];
    f.b.hi[i] = d->b.hi[i];
    for (int j = 0; j < m; j++)
      if (d->b.M[i + j * m] != 0) { f.b.col[k] = j; f.b.M[k++] = d->b.M[i + j * m]; }
    f.b.row_start[i + 1] = k;
  }
  return f;
}

// ---- rigid bodies ---------------------------------------------------------------------------------------------------
typedef struct pile {
  int bodies, contacts, room;
  double *H;              // [3 room][6 bodies], row-major: rows n, t1, t2 of each contact
  double *inverse;        // [6 bodies] inverse masses and moments
  double *velocity;       // [6 bodies] without reactions
} pile;

static inline pile pile_open(int bodies, int room) {
  return (pile){ .bodies = bodies, .room = room, .H = zeros((size_t)(18 * room * bodies), 8),
                 .inverse = zeros((size_t)(6 * bodies), 8), .velocity = zeros((size_t)(6 * bodies), 8) };
}

static inline void pile_close(pile *s) { free(s->H); free(s->inverse); free(s->velocity); }

static inline void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1]; c[1] = a[2] * b[0] - a[0] * b[2]; c[2] = a[0] * b[1] - a[1] * b[0];
}

// Contact of body a (at arm ra from its centre) on body b, b = -1: the ground; normal n points to a.
static inline void pile_touch(pile *s, int a, const double *ra, int b, const double *rb, const double *n) {
  double frame[3][3], arm[3], other[3] = { 1, 0, 0 };
  memcpy(frame[0], n, sizeof frame[0]);
  if (fabs(n[0]) > 0.8) { other[0] = 0; other[1] = 1; }
  cross(n, other, frame[1]);
  double l = sqrt(frame[1][0] * frame[1][0] + frame[1][1] * frame[1][1] + frame[1][2] * frame[1][2]);
  for (int i = 0; i < 3; i++) frame[1][i] /= l;
  cross(n, frame[1], frame[2]);
  for (int r = 0; r < 3; r++) {
    double *row = s->H + (size_t)((3 * s->contacts + r) * 6 * s->bodies);
    for (int side = 0; side < 2; side++) {
      int body = side ? b : a;
      if (body < 0) continue;
      cross(side ? rb : ra, frame[r], arm);
      for (int i = 0; i < 3; i++) {
        row[6 * body + i] = side ? -frame[r][i] : frame[r][i];
        row[6 * body + 3 + i] = side ? -arm[i] : arm[i];
      }
    }
  }
  s->contacts++;
}

static inline void pile_body(pile *s, int i, double mass, double size) {
  for (int k = 0; k < 3; k++) {
    s->inverse[6 * i + k] = 1 / mass;
    s->inverse[6 * i + 3 + k] = 2.5 / (mass * size * size * (1 + 0.5 * draw()));
  }
}

// The friction problem: M = H W^{-1} H^T in units where forces are `force` and velocities `speed` times as large; mu
// between the two.
static inline friction pile_problem(const pile *s, double mu_low, double mu_high, double force, double speed) {
  int n = 6 * s->bodies, m = 3 * s->contacts;
  friction f = friction_open(m, s->contacts);
  for (int i = 0; i < m; i++) {
    const double *a = s->H + (size_t)(i * n);
    for (int j = 0; j <= i; j++) {
      const double *c = s->H + (size_t)(j * n);
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[k] * c[k] * s->inverse[k];
      f.b.M[i + j * m] = f.b.M[j + i * m] = sum * speed / force;
    }
    for (int k = 0; k < n; k++) f.b.q[i] += a[k] * s->velocity[k] * speed;
  }
  for (int c = 0; c < s->contacts; c++)
    friction_add(
        &f, (nsm_cone_block){ NSM_CONE_COULOMB, 3 * c, 3, mu_low + (mu_high - mu_low) * 0.5 * (1 + draw()), 0, 0 });
  return f;
}

// `height` boxes on each other and on the ground, `corners` contacts each (4: hyperstatic), pushed sideways by up to
// `push` times gravity; masses differ by factors up to `ratio`.
static inline friction box_stack(int height, int corners, double push, double ratio, double mu_low, double mu_high,
                                 double force, double speed) {
  pile s = pile_open(height, height * corners);
  for (int i = 0; i < height; i++) {
    pile_body(&s, i, pow(ratio, draw()), 1);
    for (int k = 0; k < 3; k++) s.velocity[6 * i + k] = push * draw() - (k == 2 ? 1 : 0);
    for (int k = 0; k < corners; k++) {
      double angle = 6.283185307179586 * (k + 0.5) / corners, c = cos(angle), d = sin(angle);
      pile_touch(&s, i, (double[]){ c, d, -0.5 }, i - 1, (double[]){ c, d, 0.5 }, (double[]){ 0, 0, 1 });
    }
  }
  friction f = pile_problem(&s, mu_low, mu_high, force, speed);
  pile_close(&s);
  return f;
}

// Spheres or lumps touching at random: each body rests on up to `touches` of those before it or on the ground, `patch`
// contacts close together in each place.
static inline friction random_heap(int bodies, int touches, int patch, double ratio, double mu_low, double mu_high,
                                   double force, double speed) {
  pile s = pile_open(bodies, bodies * touches * patch);
  for (int i = 0; i < bodies; i++) {
    pile_body(&s, i, pow(ratio, draw()), 1);
    for (int k = 0; k < 6; k++) s.velocity[6 * i + k] = 0.3 * draw() - (k == 2 ? 1 : 0);
    for (int t = 0; t < touches; t++) {
      int below =
          i > 0 && draw() > -0.6 ? (i < 6 ? (int)((draw() + 1) * 0.5 * i) : i - 1 - (int)((draw() + 1) * 2.5)) : -1;
      double n[3] = { 0.8 * draw(), 0.8 * draw(), 1 }, l = sqrt(n[0] * n[0] + n[1] * n[1] + 1);
      for (int k = 0; k < 3; k++) n[k] /= l;
      for (int k = 0; k < patch; k++) {
        double ra[3], rb[3];
        for (int j = 0; j < 3; j++) {
          double shift = 0.2 * draw() * (patch > 1);
          ra[j] = -n[j] + shift;
          rb[j] = n[j] + shift;
        }
        pile_touch(&s, i, ra, below, rb, n);
      }
    }
  }
  friction f = pile_problem(&s, mu_low, mu_high, force, speed);
  pile_close(&s);
  return f;
}

// Blocks of all types (bits of `types`) and intervals, random semidefinite M of the given rank (as a share of m) with a
// skew part, and q from an answer.
static inline friction random_blocks(int count, unsigned types, double rank, double skew, double mu_low, double mu_high,
                                     double force, double speed) {
  nsm_cone_block *k = zeros((size_t)count, sizeof *k);
  int m = 0;
  for (int c = 0; c < count; c++) {
    int type;
    if (types == 1u << NSM_CONE_ELLIPSE) type = NSM_CONE_ELLIPSE;
    else do type = (int)((draw() + 1) * 2.5); while (!(types & 1u << type));
    k[c] = block_of((nsm_cone_type)type, draw() > -0.5, m, mu_low + (mu_high - mu_low) * 0.5 * (1 + draw()));
    if (nsm_cone_is_given(k[c].type)) k[c].radius = force * (0.2 + fabs(draw()));
    m += k[c].size + (draw() > 0.6);       // now and then an interval row
  }
  friction f = friction_open(m, count);
  int r = (int)(rank * m);
  fill_semidefinite(&f.b, r < 1 ? 1 : r, skew);
  double *u = zeros((size_t)m, 8);
  for (int i = 0; i < m; i++) {
    if (draw() > 0) f.b.lambda[i] = force * (0.1 + fabs(draw()));
    else            u[i] = 0.1 + fabs(draw());
  }
  for (int c = 0; c < count; c++) {
    friction_add(&f, k[c]);
    block_answer(k + c, (int)((draw() + 1) * 0.5 * MODES) % MODES, force, f.b.lambda + k[c].first, u + k[c].first);
  }
  for (int i = 0; i < m * m; i++) f.b.M[i] *= speed / force;
  for (int i = 0; i < m; i++) {
    f.b.q[i] = speed * u[i];
    for (int j = 0; j < m; j++) f.b.q[i] -= f.b.M[i + j * m] * f.b.lambda[j];
  }
  memset(f.b.lambda, 0, (size_t)m * 8);
  free(u);
  free(k);
  return f;
}
