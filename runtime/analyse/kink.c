// Has F of field.h, (1) a kink at the point, where there are several linear models? Along each column of the point
//
//     d(e) = |r(e) - 2 r(0) + r(-e)|/e        of smooth equations O(e), at a kink O(1)                            (3)
//
// beside the largest slope of its equation: abs(x) at 0 has d = 2. Two lengths e tell one from the other, and both from
// round-off, of which d is O(1/e).
#include "linear.h"
#include <math.h>
#include <string.h>

static const double length = 1e-6, shortest = 1e-9,        // e beside the number, and of a number that is 0
                    kinked = 1e-3, least = 1e-9,           // d beside the slope of its equation; that beside all
                    stays = 0.5;                           // of d, or d of it, where e is a sixteenth
enum { NEARER = 16 };

typedef struct bend { field *f; double *q, *delta, *r0, *r1, *r2, *wide, *near; } bend;

// r at the point moved by e along column j: of delta, v or x.
static int moved(bend *b, int j, double e, double *r, nsm_error *error) {
  field *f = b->f;
  double *number = j < f->nv ? NULL : j < 2 * f->nv ? &f->v[j - f->nv] : &f->x[j - 2 * f->nv], was = number ? *number : 0;
  if (number) *number += e;
  else {
    memset(b->delta, 0, (size_t)f->nv * sizeof(double));
    b->delta[j] = e;
    memcpy(b->q, f->q, (size_t)f->s->a->nq * sizeof(double));
    field_move(f, b->delta);
  }
  int good = field_values(f, r, error);
  if (number) *number = was;
  else memcpy(f->q, b->q, (size_t)f->s->a->nq * sizeof(double));
  return good;
}

static int bends(bend *b, int j, double e, double *d, nsm_error *error) {
  if (!moved(b, j, e, b->r1, error) || !moved(b, j, -e, b->r2, error)) return 0;
  for (int i = 0; i < b->f->m; i++) d[i] = fabs(b->r1[i] - 2 * b->r0[i] + b->r2[i]) / e;
  return 1;
}

static double size_of(const field *f, int j) {
  double most = 0;
  for (int i = 0; j < f->nv && i < f->s->a->nq; i++) most = fmax(most, fabs(f->q[i]));
  if (j >= f->nv) most = fabs(j < 2 * f->nv ? f->v[j - f->nv] : f->x[j - 2 * f->nv]);
  return fmax(length * most, shortest);
}

// The largest slope of equation i, and at least a share of all.
static double slope_of(const field *f, int i, double all) {
  double most = least * all;
  for (int j = 0; j < 2 * f->nv + f->nx; j++) most = fmax(most, fabs(f->J[(size_t)i + (size_t)j * (size_t)f->m]));
  return most;
}

int linear_kink(field *f, int *column, nsm_error *error) {
  size_t m = (size_t)f->m;
  double all = 0;
  bend b = { .f = f, .q = play_take(f->p, (size_t)f->s->a->nq, sizeof(double)),
             .delta = play_take(f->p, (size_t)f->nv, sizeof(double)) };
  double **of[] = { &b.r0, &b.r1, &b.r2, &b.wide, &b.near };
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) *of[k] = play_take(f->p, m, sizeof(double));
  *column = -1;
  if (f->p->failed) return sim_no_memory(error, "an analysis"), 0;
  if (!field_evaluate(f, error)) return 0;
  memcpy(b.r0, f->r, m * sizeof(double));
  for (int i = 0; i < f->m; i++) all = fmax(all, slope_of(f, i, 0));
  for (int j = 0; j < 2 * f->nv + f->nx; j++) {
    double e = size_of(f, j);
    if (!bends(&b, j, e, b.wide, error) || !bends(&b, j, e / NEARER, b.near, error)) return 0;
    for (int i = 0; i < f->m; i++) {
      int is_one = b.near[i] > stays * b.wide[i] && b.wide[i] > stays * b.near[i];
      if (!is_one || !(b.near[i] > kinked * slope_of(f, i, all))) continue;
      *column = j;
      return 1;
    }
  }
  return 1;
}
