// Powers of two that balance a problem: E M D with entries near one in every row and column.
//
// Complementarity does not change with u' = E u, lambda' = D^-1 lambda (E, D positive diagonal, one factor of each for
// the rows of a block), neither do the digits. First the exponents minimise
//
//   sum over the entries of (log2 |M_ij| + e_i + d_j)^2         (Curtis and Reid, J. Inst. Maths Applics 10 (1972) 118)
//
// by turns over rows and columns. What they come to does not depend on the units that the problem was given in. Then
// rows and columns give up half of the exponent of their largest entry a few times (Ruiz 2001), so that none is above
// one.
#include "solver.h"
#include "runtime/shared/joined.h"
#include <math.h>
#include <string.h>

enum { TURNS = 40, SWEEPS = 12, EVEN = 10, MODEST = 30 };   // the last two: so alike, and so near one, all is balanced
static const double little = 0.1;                           // weight of q and bounds beside the entries of M

// Exponent of the spin of Contensou's block in the frame of its tangents: u' = radius u, lambda' = lambda / radius; of
// the rolling rows of rolling friction, with mu2 / mu, and of the last half axis of an ellipse.
static double frame(const nsm_cone_block *b, int k) {
  int spin = (b->type == NSM_CONE_CONTENSOU || b->type == NSM_CONE_CONTENSOU_EXACT) && k == 3;
  int rolls = (b->type == NSM_CONE_ROLLING && k > (b->size - 1) / 2) ||
              (nsm_cone_is_given(b->type) && b->type != NSM_CONE_DISK && k == b->size - 1);
  if (rolls && b->mu > 0 && b->mu2 > 0) return round(log2(b->mu2 / b->mu));
  return spin && b->radius > 0 ? round(log2(b->radius)) : 0;
}


static int is_given(double x) { return fabs(x) > 0 && fabs(x) < HUGE_VAL; }

// What rows and columns have seen: sums and weights of exponents, or the largest of them.
typedef struct seen { double sum, weight, most; } seen;

static void see(seen *s, double size, double weight) {
  s->sum += weight * size;
  s->weight += weight;
  s->most = size > s->most ? size : s->most;
}

// The entries of M that are not 0, row by row: their columns and exponents. Found once, as every turn reads them all.
typedef struct listed { int *start, *col, *size; } listed;      // start [m + 1]; all NULL: no room

typedef struct balance {
  const nsm_cone_problem *p;
  listed  list;
  double *e, *d;
  int     given;                 // q and the bounds count: q as one more column, inverse bounds as one more row
  double  q, bounds;             // their exponents
} balance;

static void see_entry(const balance *b, int i, int j, int exponent, seen *row, seen *column) {
  double size = exponent + b->e[i] + b->d[j];
  if (row) see(row, size, 1);
  if (column) see(&column[j], size, 1);
}

// Row i of [M q] as it is scaled now, or each column of it where `column` [m] is wanted.
static void see_row(const balance *b, int i, seen *row, seen *column, seen *of_q) {
  const nsm_cone_problem *p = b->p;
  const listed *l = &b->list;
  int first = p->row_start ? p->row_start[i] : 0, end = p->row_start ? p->row_start[i + 1] : p->m;
  for (int k = l->start ? l->start[i] : 0; l->start && k < l->start[i + 1]; k++)
    see_entry(b, i, l->col[k], l->size[k], row, column);
  for (int k = first; !l->start && k < end; k++) {
    double M = p->row_start ? p->M[k] : p->M[(size_t)i + (size_t)k * (size_t)p->m];
    if (M != 0) see_entry(b, i, p->row_start ? p->col[k] : k, nsm_cone_exponent(M), row, column);
  }
  if (!b->given || p->q[i] == 0) return;
  double size = nsm_cone_exponent(p->q[i]) + b->e[i] + b->q;
  if (row) see(row, size, little);
  if (of_q) see(of_q, size, 1);
}

static void see_bound(const balance *b, int i, double bound, seen *column, seen *of_bounds) {
  if (!is_given(bound)) return;
  double size = b->d[i] + b->bounds - nsm_cone_exponent(bound);
  if (column) see(&column[i], size, little);
  see(of_bounds, size, 1);
}

static void see_bounds(const balance *b, seen *column, seen *of_bounds) {
  const nsm_cone_problem *p = b->p;
  for (int i = 0, c = 0; b->given && i < p->m;) {
    const nsm_cone_block *k = nsm_cone_block_at(p, i, &c);
    if (k && nsm_cone_is_given(k->type)) see_bound(b, i, nsm_cone_reach(k), column, of_bounds);
    if (!k) see_bound(b, i, p->lo[i], column, of_bounds);
    if (!k) see_bound(b, i, p->hi[i], column, of_bounds);
    i += k ? k->size : 1;
  }
}

static void merge(seen *to, const seen *from) {
  to->sum += from->sum;
  to->weight += from->weight;
  to->most = fmax(to->most, from->most);
}

// x of the rows of a block go together, by what all of them have seen. by_most: half of the largest, else the mean.
static double move(const nsm_cone_problem *p, seen *s, int by_most, double *x) {
  double moved = 0;
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *k = nsm_cone_block_at(p, i, &c);
    int end = i + (k ? k->size : 1), first = i;
    for (i++; i < end; i++) merge(&s[first], &s[i]);
    double by = !(s[first].weight > 0) ? 0 : by_most ? trunc(s[first].most / 2) : s[first].sum / s[first].weight;
    for (i = first; i < end; i++) x[i] -= by;
    moved = fmax(moved, fabs(by));
  }
  return moved;
}

static void move_one(const seen *s, int by_most, double *x) {
  if (s->weight > 0) *x -= by_most ? trunc(s->most / 2) : s->sum / s->weight;
}

static void clear(int m, seen *s) {
  for (int i = 0; i < m; i++) s[i] = (seen){ 0, 0, -HUGE_VAL };
}

static double rows_turn(balance *b, int by_most, seen *s) {
  clear(b->p->m, s);
  seen of_bounds = { 0, 0, -HUGE_VAL };
  for (int i = 0; i < b->p->m; i++) see_row(b, i, &s[i], NULL, NULL);
  see_bounds(b, NULL, &of_bounds);
  move_one(&of_bounds, by_most, &b->bounds);
  return move(b->p, s, by_most, b->e);
}

static double columns_turn(balance *b, int by_most, seen *s) {
  clear(b->p->m, s);
  seen of_q = { 0, 0, -HUGE_VAL }, unused = of_q;
  for (int i = 0; i < b->p->m; i++) see_row(b, i, NULL, s, &of_q);
  see_bounds(b, s, &unused);
  move_one(&of_q, by_most, &b->q);
  return move(b->p, s, by_most, b->d);
}

// M is read by columns, as it lies, so the entries of a row come in the order of their columns too.
static listed list_entries(const nsm_cone_problem *p, nsm_cone_work *w) {
  const listed none = { NULL, NULL, NULL };
  size_t m = (size_t)p->m, entries = 0;
  listed l = { w ? nsm_cone_take_ints(w, m + 1) : NULL, NULL, NULL };
  if (!l.start || p->row_start) return none;             // sparse: listed already
  memset(l.start, 0, (m + 1) * sizeof *l.start);
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++) l.start[i + 1] += p->M[i + j * m] != 0;
  for (size_t i = 0; i < m; i++) {
    entries += (size_t)l.start[i + 1];
    l.start[i + 1] = (int)entries;
  }
  l.col = nsm_cone_take_ints(w, entries + 1);
  l.size = nsm_cone_take_ints(w, entries + 1);
  if (!l.col || !l.size) return none;
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++) {
      double M = p->M[i + j * m];
      if (M == 0) continue;
      l.col[l.start[i]] = (int)j;
      l.size[l.start[i]++] = nsm_cone_exponent(M);
    }
  for (size_t i = m; i > 0; i--) l.start[i] = l.start[i - 1];
  l.start[0] = 0;
  return l;
}

// Rows and columns that no entry joins to others have exponents e + c, d - c with any number c, which depends on the
// units: it makes e of their first row whole, or rounding would depend on it too. parent: [m]
static void settle(const balance *b, int *parent) {
  const nsm_cone_problem *p = b->p;
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *k = nsm_cone_block_at(p, i, &c);
    int first = i, end = i + (k ? k->size : 1);
    for (; i < end; i++) parent[i] = first;
  }
  for (int j = 0; j < p->m; j++) {
    for (int k = p->row_start ? p->row_start[j] : 0, end = p->row_start ? p->row_start[j + 1] : 0; k < end; k++)
      if (p->M[k] != 0) nsm_unite(parent, j, p->col[k]);
    for (int i = 0; !p->row_start && i < p->m; i++)
      if (p->M[(size_t)i + (size_t)j * (size_t)p->m] != 0) nsm_unite(parent, i, j);
  }
  for (int i = p->m - 1; i >= 0; i--) {                    // the root, which is the first, is the last to move
    double first = b->e[nsm_root(parent, i)], part = first - round(first);
    b->e[i] -= part;
    b->d[i] += part;
  }
}

void nsm_cone_balance(const nsm_cone_problem *p, nsm_cone_work *w, double *e, double *d, double *unit,
                      double *scratch) {
  size_t mark = w ? w->used : 0;
  balance b = { .p = p, .list = list_entries(p, w), .e = e, .d = d, .given = unit != NULL };
  seen *s = (seen *)(void *)scratch;
  for (int i = 0, c = 0; i < p->m;) {
    const nsm_cone_block *k = nsm_cone_block_at(p, i, &c);
    int end = i + (k ? k->size : 1);
    for (int r = 0; i < end; i++, r++) e[i] = d[i] = k ? frame(k, r) : 0;
  }
  for (int turn = 0; turn < TURNS; turn++)
    if (!(fmax(rows_turn(&b, 0, s), columns_turn(&b, 0, s)) > 0.5)) break;
  settle(&b, (int *)(void *)scratch);
  for (int i = 0; i < p->m; i++) { e[i] = round(e[i]); d[i] = round(d[i]); }
  b.q = round(b.q);
  b.bounds = round(b.bounds);
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    if (!(fmax(rows_turn(&b, 1, s), columns_turn(&b, 1, s)) > 0)) break;
  if (unit) *unit = b.q;
  if (w) w->used = mark;
}

void nsm_cone_balance_once(const nsm_cone_problem *p, nsm_cone_work *w, double *e, double *d, double *scratch) {
  size_t m = (size_t)p->m, bytes = m * sizeof(double);
  int kept = w && w->scales && p->m == w->m && p->cone == w->scales_of_cone &&
             (p->M == w->scales_of || (w->form == NSM_FORM_DENSE && p->M == w->dense));
  if (!kept || !w->scales_known) nsm_cone_balance(p, w, e, d, NULL, scratch);
  if (!kept) return;
  if (w->scales_known) {
    memcpy(e, w->scales, bytes);
    memcpy(d, w->scales + m, bytes);
  } else {
    memcpy(w->scales, e, bytes);
    memcpy(w->scales + m, d, bytes);
    w->scales_known = 1;
  }
}

// ---- the balanced problem -------------------------------------------------------------------------------------------
// From the end of the workspace, which gets smaller: what stands at its beginning is analysed anew for every matrix.
static void *take_last(nsm_cone_work *w, size_t bytes) {
  if (w->bytes < bytes + 64 || w->bytes - bytes - 64 < w->used) return NULL;
  uintptr_t base = (uintptr_t)w, at = (base + w->bytes - bytes) / 64 * 64;
  w->bytes = (size_t)(at - base);
  return (void *)at;
}

static double *last_doubles(nsm_cone_work *w, size_t n) { return take_last(w, n * sizeof(double)); }

static double power(double x, double e) { return x == 0 || fabs(x) == HUGE_VAL ? x : ldexp(x, (int)e); }

// Is there anything to gain? Rows and columns without entries do not count.
static int is_uneven(const nsm_cone_problem *p, const double *x, double unit) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (int i = 0; i < p->m; i++) {
    least = fmin(least, x[i]);
    most = fmax(most, x[i]);
  }
  return most - least > EVEN || most + unit > MODEST || least + unit < -MODEST;
}

static int take_copy(const nsm_cone_problem *p, nsm_cone_work *w, nsm_cone_balanced *b) {
  size_t m = (size_t)p->m, entries = p->row_start ? (size_t)p->row_start[p->m] : m * m;
  b->e = last_doubles(w, m);
  b->d = last_doubles(w, m);
  b->M = last_doubles(w, entries);
  b->q = last_doubles(w, m);
  b->lo = last_doubles(w, 3 * m);                        // the first scratch too
  b->hi = b->lo ? b->lo + m : NULL;
  b->terms = b->lo ? b->lo + 2 * m : NULL;
  b->lambda = last_doubles(w, m);
  b->u = last_doubles(w, m);
  b->proof = last_doubles(w, m);
  b->cone = take_last(w, (size_t)p->cones * sizeof *b->cone + 1);
  return b->e && b->d && b->M && b->q && b->lo && b->hi && b->terms && b->lambda && b->u && b->proof && b->cone;
}

// An entry that has got lost, or is no number any more: the problem is not the same.
static int moved(double from, double e, double *to) {
  *to = power(from, e);
  return from == 0 || fabs(from) == HUGE_VAL || (fabs(*to) < HUGE_VAL && fabs(*to) >= 0x1p-1000);
}

static int fill_copy(const nsm_cone_problem *p, nsm_cone_balanced *b) {
  int ok = 1;
  for (int i = 0; i < p->m; i++) {
    for (int k = p->row_start ? p->row_start[i] : 0; k < (p->row_start ? p->row_start[i + 1] : p->m); k++) {
      size_t at = p->row_start ? (size_t)k : (size_t)i + (size_t)k * (size_t)p->m;
      ok &= moved(p->M[at], b->e[i] + b->d[p->row_start ? p->col[k] : k], &b->M[at]);
    }
    ok &= moved(p->q[i], b->e[i] + b->unit, &b->q[i]);
    if (p->q_terms) b->terms[i] = power(p->q_terms[i], b->e[i] + b->unit);
    b->lo[i] = -HUGE_VAL;
    b->hi[i] = HUGE_VAL;
  }
  for (int i = 0, c = 0; i < p->m;) {
    if (c < p->cones && p->cone[c].first == i) {
      b->cone[c] = p->cone[c];
      if (nsm_cone_is_given(p->cone[c].type)) ok &= moved(p->cone[c].radius, b->unit - b->d[i], &b->cone[c].radius);
      for (int k = 1; k < p->cone[c].size; k++) {
        int exponent = (int)frame(&p->cone[c], k);
        if (exponent && (p->cone[c].type == NSM_CONE_ROLLING || nsm_cone_is_given(p->cone[c].type)))
          b->cone[c].mu2 = ldexp(p->cone[c].mu2, -exponent);
        else if (exponent) b->cone[c].radius = ldexp(p->cone[c].radius, -exponent);
      }
      i += p->cone[c++].size;
    } else {
      ok &= moved(p->lo[i], b->unit - b->d[i], &b->lo[i]) & moved(p->hi[i], b->unit - b->d[i], &b->hi[i]);
      i++;
    }
  }
  return ok;
}

int nsm_cone_balanced_make(const nsm_cone_problem *p, nsm_cone_work *w, nsm_cone_balanced *b) {
  if (!take_copy(p, w, b)) return 0;
  nsm_cone_balance(p, w, b->e, b->d, &b->unit, b->lo);
  if (!is_uneven(p, b->e, b->unit) && !is_uneven(p, b->d, -b->unit)) return 0;
  b->p = *p;
  b->p.M = b->M;
  b->p.q = b->q;
  b->p.lo = b->lo;
  b->p.hi = b->hi;
  b->p.cone = b->cone;
  b->p.q_terms = p->q_terms ? b->terms : NULL;
  b->p.matrix_id = 0;
  return fill_copy(p, b);
}

void nsm_cone_balanced_lambda(const nsm_cone_balanced *b, int there, double *lambda) {
  for (int i = 0; i < b->p.m; i++) {
    if (there) b->lambda[i] = power(lambda[i], b->unit - b->d[i]);
    else lambda[i] = power(b->lambda[i], b->d[i] - b->unit);
  }
}
