// Looks for a proof that there is no solution: the best that can be done for what every solution has (certificate.c).
//
//   minimise |E (v - u)|_2  over  u = M lambda + q,  lambda in K,  v with the signs that u must have               (16)
//
// Where the minimum is not zero its residual r = v - u is the proof: A^T r <= 0 for the columns A of everything that
// may grow, = 0 for what is free, and r.q = -|r|^2; so y = E^2 r. The problem is solved as it was posed by Lawson and
// Hanson (Solving Least Squares Problems, 1974, chapter 23), with bounds (Stark and Parker 1995): columns enter one by
// one where they reduce the residual, and leave where they meet a bound; those inside are kept as Q R, r as what is
// orthogonal to Q.
//
// The cones of contacts are treated twice: first with lambda_T free, which is enough for symmetric semidefinite M,
// where a proof has M y = 0 (cone.md (17)); then by their rays, the one that reduces the residual most at a time.
#include "solver.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { LOW, HIGH, INSIDE, ROUNDS = 100 };
static const double nothing = 1e-13,          // beside the terms of it
                    wider = 1e-11,            // what is added to mu
                    nearly = 1e-6,            // of q
                    WORK = 3e8;               // entries touched

typedef nsm_cone_column column;

typedef struct least_squares {
  const nsm_cone_problem *p;
  int     rows, columns, room, inside, steps;
  int    *row, *at;                           // [rows] rows of p; [rows] columns inside, in the order of Q
  double *e, *d;                              // [m] exponents of E and D
  double *A;                                  // [rows*m] E M D, the rows at hand, by columns
  column *column;                             // [room]
  double *Q, *R, *z, *a, *r, *b;              // [rows*rows] each, [rows]
  double  size, unit;                         // of the terms of r; of b
  double  work, limit;
} least_squares;

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void add(int n, double f, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] += f * x[i];
}

// The column in the rows at hand, balanced.
static void fill(const least_squares *s, const column *c, double *a) {
  memset(a, 0, (size_t)s->rows * sizeof *a);
  if (c->slack >= 0) a[c->slack] = -c->weight[0];
  else
    for (int l = 0; l < c->size; l++)
      if (c->weight[l] != 0) add(s->rows, c->weight[l], s->A + (size_t)(c->first + l) * (size_t)s->rows, a);
}

// Its product with r.
static double along(const least_squares *s, const column *c) {
  double sum = 0;
  if (c->slack >= 0) return -c->weight[0] * s->r[c->slack];
  for (int l = 0; l < c->size; l++)
    if (c->weight[l] != 0) sum += c->weight[l] * dot(s->rows, s->A + (size_t)(c->first + l) * (size_t)s->rows, s->r);
  return sum;
}

// a := what is orthogonal to Q, twice; c [inside] the coefficients.
static void orthogonal(const least_squares *s, double *a, double *c) {
  for (int k = 0; k < s->inside; k++) c[k] = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < s->inside; k++) {
      const double *q = s->Q + (size_t)k * (size_t)s->rows;
      double f = dot(s->rows, q, a);
      c[k] += f;
      add(s->rows, -f, q, a);
    }
}

// r := b - sum of the columns at their bounds, then what is orthogonal to Q; z: the unknowns inside.
static void residual(least_squares *s) {
  memcpy(s->r, s->b, (size_t)s->rows * sizeof *s->r);
  for (int c = 0; c < s->columns; c++)
    if (s->column[c].state != INSIDE && s->column[c].x != 0) {
      fill(s, &s->column[c], s->a);
      add(s->rows, -s->column[c].x, s->a, s->r);
    }
  s->size = sqrt(dot(s->rows, s->r, s->r));
  orthogonal(s, s->r, s->z);
  for (int k = s->inside - 1; k >= 0; k--) {
    for (int l = k + 1; l < s->inside; l++) s->z[k] -= s->R[k + (size_t)l * (size_t)s->rows] * s->z[l];
    s->z[k] /= s->R[k + (size_t)k * (size_t)s->rows];
  }
  s->work += 6.0 * s->rows * (s->inside + 1);
}

// 0 where the column depends on those inside.
static int enter(least_squares *s, int c) {
  double *a = s->Q + (size_t)s->inside * (size_t)s->rows, *f = s->R + (size_t)s->inside * (size_t)s->rows;
  if (s->inside >= s->rows) return 0;
  fill(s, &s->column[c], a);
  orthogonal(s, a, f);
  double length = sqrt(dot(s->rows, a, a));
  if (!(length > nothing * s->column[c].length)) return 0;
  for (int i = 0; i < s->rows; i++) a[i] /= length;
  f[s->inside] = length;
  s->column[c].state = INSIDE;
  s->steps++;
  s->at[s->inside++] = c;
  s->work += 8.0 * s->rows * (s->inside + 1);
  return 1;
}

// The k-th inside goes out: R loses a column and is made triangular again by rotations.
static void leave(least_squares *s, int k, int state) {
  size_t n = (size_t)s->rows;
  s->column[s->at[k]].state = state;
  for (int l = k; l + 1 < s->inside; l++) {
    s->at[l] = s->at[l + 1];
    memcpy(s->R + (size_t)l * n, s->R + (size_t)(l + 1) * n, (size_t)(l + 2) * sizeof(double));
  }
  s->inside--;
  for (int l = k; l < s->inside; l++) {
    double *R = s->R + (size_t)l * n, h = hypot(R[l], R[l + 1]), cosine = R[l] / h, sine = R[l + 1] / h;
    for (int j = l; j < s->inside; j++) {
      double *x = s->R + (size_t)l + (size_t)j * n, up = x[0], down = x[1];
      x[0] = cosine * up + sine * down;
      x[1] = cosine * down - sine * up;
    }
    double *q = s->Q + (size_t)l * n, *next = q + n;
    for (int i = 0; i < s->rows; i++) {
      double x = q[i], y = next[i];
      q[i] = cosine * x + sine * y;
      next[i] = cosine * y - sine * x;
    }
  }
  s->work += 6.0 * s->rows * (s->inside - k + 1);
}

// From x inside towards z, as far as the bounds allow, until all of z is inside of them.
static int settle(least_squares *s) {
  for (int turn = 0; turn <= s->rows; turn++) {
    residual(s);
    double most = 1;
    int out = -1, state = LOW;
    for (int k = 0; k < s->inside; k++) {
      column *c = &s->column[s->at[k]];
      double bound = s->z[k] < c->low ? c->low : s->z[k] > c->high ? c->high : NAN;
      double share = bound == bound ? (bound - c->x) / (s->z[k] - c->x) : 2;
      if (share < most) { most = fmax(share, 0); out = k; state = s->z[k] < c->low ? LOW : HIGH; }
    }
    for (int k = 0; k < s->inside; k++) {
      column *c = &s->column[s->at[k]];
      c->x = nsm_cone_project(c->x + most * (s->z[k] - c->x), c->low, c->high);
    }
    if (out < 0) return 1;
    column *c = &s->column[s->at[out]];
    c->x = state == LOW ? c->low : c->high;
    leave(s, out, state);
  }
  return 0;
}

// How much the column reduces the residual by moving, relative to |r| |a|.
static double gain_of(least_squares *s, const column *c, double length) {
  if (c->state == INSIDE || c->barred || !(c->low < c->high) || !(c->length > 0)) return 0;
  double w = along(s, c);
  s->work += c->slack >= 0 ? 1 : s->rows;
  return (c->low == -HUGE_VAL ? fabs(w) : c->state == LOW ? w : -w) / (c->length * length);
}

// r := the least residual of the columns that there are. 0: it is zero, or given up.
static int minimise(least_squares *s) {
  if (!settle(s)) return 0;
  for (int c = 0; c < s->columns; c++) s->column[c].barred = 0;
  while (s->work < s->limit) {
    double length = sqrt(dot(s->rows, s->r, s->r)), best = nothing;
    int take = -1;
    if (!(length > nothing * s->size)) return 0;         // what every solution has can be had
    for (int c = 0; c < s->columns; c++) {
      double gain = gain_of(s, &s->column[c], length);
      if (gain > best) { best = gain; take = c; }
    }
    if (take < 0) return 1;
    s->column[take].barred = 1;                          // until another one has moved
    if (!enter(s, take)) continue;
    if (!settle(s)) return 0;
    if (s->column[take].state == INSIDE)
      for (int c = 0; c < s->columns; c++) s->column[c].barred = 0;
  }
  return 0;
}

// ---- the problem as columns -----------------------------------------------------------------------------------------
static void put(least_squares *s, column c) {
  if (s->columns == s->room) return;
  c.x = c.low > -HUGE_VAL ? c.low : c.high < HUGE_VAL ? c.high : 0;
  c.state = c.low > -HUGE_VAL ? LOW : HIGH;
  s->column[s->columns++] = c;
}

static void measure(const least_squares *s, column *c) {
  fill(s, c, s->a);
  c->length = sqrt(dot(s->rows, s->a, s->a));
}

static void put_variable(least_squares *s, int j, double low, double high) {
  double f = ldexp(1, -(int)s->d[j]);                    // lambda = D lambda'
  put(s, (column){ .first = j, .size = 1, .slack = -1, .weight = { 1 }, .low = low * f, .high = high * f });
}

// Row i is one that asks for a sign of u: side 1: u >= 0, -1: u <= 0, 0: u = 0.
static void put_row(least_squares *s, int i, int side) {
  s->row[s->rows++] = i;
  if (side) put(s, (column){ .slack = s->rows - 1, .weight = { side }, .high = HUGE_VAL });
}

static void put_interval(least_squares *s, int i) {
  const nsm_cone_problem *p = s->p;
  int below = p->lo[i] > -HUGE_VAL, above = p->hi[i] < HUGE_VAL;
  put_variable(s, i, p->lo[i], p->hi[i]);
  if (!(below && above)) put_row(s, i, below ? 1 : above ? -1 : 0);
}

// Tangents are free at first, those of disks in the box around it.
static void put_block(least_squares *s, const nsm_cone_block *b) {
  int disk = nsm_cone_is_given(b->type), normals = nsm_cone_normals(b->type), grip = nsm_cone_is_grip(b->type);
  for (int k = 0; k < normals; k++) {
    put_variable(s, b->first + k, grip ? -HUGE_VAL : 0, HUGE_VAL);
    put_row(s, b->first + k, !grip);
  }
  for (int k = normals; k < b->size; k++) {
    double side[NSM_CONE_MOST_ROWS] = { 0 };
    side[k - normals] = 1;
    double reach = nsm_cone_support(b, side);
    if (reach > 0) put_variable(s, b->first + k, disk ? -reach : -HUGE_VAL, disk ? reach : HUGE_VAL);
  }
}

static void put_all(least_squares *s, const nsm_cone_problem *p) {
  s->rows = s->columns = s->inside = 0;
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *b = nsm_cone_block_at(p, i, &c);
    if (b) put_block(s, b);
    else put_interval(s, i);
    i += b ? b->size : 1;
  }
  for (int k = 0; k < s->rows; k++)
    for (int j = 0; j < p->m; j++) {
      double M = nsm_cone_entry(p, s->row[k], j);
      s->A[k + (size_t)j * (size_t)s->rows] = M != 0 ? ldexp(M, (int)(s->e[s->row[k]] + s->d[j])) : 0;
    }
  for (int c = 0; c < s->columns; c++) measure(s, &s->column[c]);
  double most = 0;
  for (int k = 0; k < s->rows; k++) most = fmax(most, fabs(s->b[k] = -ldexp(p->q[s->row[k]], (int)s->e[s->row[k]])));
  for (int k = 0; k < s->rows && most > 0; k++) s->b[k] /= most;
  s->unit = most;
}

static int is_contact(const nsm_cone_block *b) { return !nsm_cone_is_given(b->type) && !nsm_cone_is_grip(b->type); }

// Columns of the tangents leave; rays of the cones take their place, one by one.
static void forget_tangents(least_squares *s) {
  int kept = 0;
  for (int c = 0, next = 0; c < s->columns; c++) {
    const column *k = &s->column[c];
    while (k->slack < 0 && next < s->p->cones && s->p->cone[next].first + s->p->cone[next].size <= k->first) next++;
    const nsm_cone_block *b = k->slack < 0 && next < s->p->cones && k->first > s->p->cone[next].first ?
        &s->p->cone[next] : NULL;
    if (b && is_contact(b)) continue;
    s->column[kept] = *k;
    s->column[kept].state = k->low > -HUGE_VAL ? LOW : HIGH;
    s->column[kept++].x = k->low > -HUGE_VAL ? k->low : k->high < HUGE_VAL ? k->high : 0;
  }
  s->columns = kept;
  s->inside = 0;
}

// For each contact the ray that reduces the residual most, where one does; how many. s_c = (M^T y)_c.
static int put_rays(least_squares *s, const double *y) {
  const nsm_cone_problem *p = s->p;
  int before = s->columns;
  for (int c = 0; c < p->cones; c++) {
    const nsm_cone_block *b = &p->cone[c];
    double sum[NSM_CONE_MOST_ROWS] = { 0 }, terms[NSM_CONE_MOST_ROWS] = { 0 };
    if (!is_contact(b)) continue;
    for (int l = 0; l < b->size; l++)
      for (int k = 0; k < s->rows; k++) {
        double t = nsm_cone_entry(p, s->row[k], b->first + l) * y[s->row[k]];
        sum[l] += t;
        terms[l] += fabs(t);
      }
    column ray = { .first = b->first, .size = b->size, .slack = -1, .weight = { 1 }, .high = HUGE_VAL };
    double h = nsm_cone_support_point(b, sum + 1, ray.weight + 1);
    for (int l = 1; l < b->size; l++)                    // wider: so that the proof is not at the edge
      ray.weight[l] = ldexp(ray.weight[l] * (1 + wider), (int)(s->d[b->first] - s->d[b->first + l]));
    if (sum[0] + (1 + wider) * h > 1e-14 * (terms[0] + nsm_cone_support(b, terms + 1))) {
      measure(s, &ray);
      put(s, ray);
    }
  }
  return s->columns - before;
}

static int take_room(least_squares *s, nsm_cone_work *w) {
  size_t m = (size_t)s->p->m, n = m;
  for (int c = 0; c < s->p->cones; c++) n -= (size_t)(s->p->cone[c].size - nsm_cone_normals(s->p->cone[c].type));
  if (n > NSM_FARKAS_ROWS) return 0;
  s->room = (int)nsm_cone_farkas_columns(s->p->m);
  s->row = nsm_cone_take_ints(w, n);
  s->at = nsm_cone_take_ints(w, n);
  s->e = nsm_cone_take_doubles(w, m);
  s->d = nsm_cone_take_doubles(w, m);
  s->column = nsm_cone_take(w, (size_t)s->room * sizeof *s->column);
  s->A = nsm_cone_take_doubles(w, n * m);
  s->Q = nsm_cone_take_doubles(w, n * n);
  s->R = nsm_cone_take_doubles(w, n * n);
  s->z = nsm_cone_take_doubles(w, n);
  s->a = nsm_cone_take_doubles(w, n);
  s->r = nsm_cone_take_doubles(w, n);
  s->b = nsm_cone_take_doubles(w, n);
  return s->row && s->at && s->e && s->d && s->A && s->column && s->Q && s->R && s->z && s->a && s->r && s->b;
}

static int proves(const least_squares *s, nsm_cone_work *w, double *y) {
  memset(y, 0, (size_t)s->p->m * sizeof *y);
  for (int k = 0; k < s->rows; k++) y[s->row[k]] = ldexp(s->r[k], (int)s->e[s->row[k]]);
  return nsm_cone_proves(s->p, w, y);
}

// One row that contradicts itself: the proof that is said best.
static int one_row_proves(const least_squares *s, nsm_cone_work *w, double *y, double *scratch) {
  memset(y, 0, (size_t)s->p->m * sizeof *y);
  for (int k = 0; k < s->rows; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      y[s->row[k]] = sign;
      if (s->p->q[s->row[k]] * sign < 0 && nsm_cone_is_certificate(s->p, y, scratch))
        return nsm_cone_proves(s->p, w, y);
      y[s->row[k]] = 0;
    }
  return 0;
}

// Is what every solution has there at lambda, but for so little that no proof has a margin?
static int is_nearly_there(const least_squares *s, const double *lambda, double *u) {
  const nsm_cone_problem *p = s->p;
  double worst = 0;
  for (int i = 0; i < p->m; i++) u[i] = p->q[i];
  for (int i = 0; i < p->m; i++)
    for (int k = p->row_start ? p->row_start[i] : 0; k < (p->row_start ? p->row_start[i + 1] : p->m); k++) {
      int j = p->row_start ? p->col[k] : k;
      u[i] += (p->row_start ? p->M[k] : p->M[(size_t)i + (size_t)k * (size_t)p->m]) * lambda[j];
    }
  for (int k = 0, c = 0; k < s->rows; k++) {             // its slack, where it has one, is the next of the columns
    while (c < s->columns && s->column[c].slack < k) c++;
    double side = c < s->columns && s->column[c].slack == k ? s->column[c].weight[0] : 0, v = u[s->row[k]];
    worst = fmax(worst, ldexp(side == 0 ? fabs(v) : fmax(-side * v, 0), (int)s->e[s->row[k]]));
  }
  return worst <= nearly * s->unit;
}

nsm_cone_outcome nsm_cone_farkas(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                 double *u) {
  size_t mark = w->used;
  least_squares s = { .p = p, .limit = t->max_iterations > 0 ? 1e4 * t->max_iterations : WORK };
  double *y = nsm_cone_take_doubles(w, (size_t)p->m), *scratch = nsm_cone_take_doubles(w, 3 * (size_t)p->m);
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  (void)u;
  if (y && scratch && take_room(&s, w)) {
    nsm_cone_balance(p, w, s.e, s.d, NULL, scratch);
    put_all(&s, p);
    if (t->warm && is_nearly_there(&s, lambda, scratch)) { w->used = mark; return NSM_CONE_GAVE_UP; }
    if (one_row_proves(&s, w, y, scratch) || (minimise(&s) && proves(&s, w, y))) outcome = NSM_CONE_PROVED_NONE;
    else if (p->cones > 0 && s.work < s.limit) {
      forget_tangents(&s);
      for (int round = 0; round < ROUNDS && outcome == NSM_CONE_GAVE_UP; round++) {
        if (!minimise(&s)) break;
        if (proves(&s, w, y)) outcome = NSM_CONE_PROVED_NONE;
        else if (put_rays(&s, y) == 0) break;
      }
    }
    w->iterations += s.steps;
    nsm_cone_charge(w, s.work);
  }
  w->used = mark;
  return outcome;
}
