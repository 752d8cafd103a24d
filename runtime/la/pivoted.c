// See pivoted.h. Column by column: what its entries reach (reach), L^-1 times it (eliminate), its pivot (divide).
#include "pivoted.h"
#include "vector.h"
#include <math.h>
#include <string.h>

enum { NOT_YET = -1 };
static const double STILL = 0.1;         // of the largest of its column, a pivot that is used again

static void *take(const nsm_la_memory *m, size_t count, size_t size) {
  return m->take(m->of, (count ? count : 1) * size);
}
#define TAKE(m, count, type) ((type *)take(m, (size_t)(count), sizeof(type)))

int nsm_lu_open(nsm_lu *f, int n, int pairs, size_t guess, const nsm_la_memory *m) {
  size_t size = (size_t)n, wide = 1 + (size_t)pairs;
  *f = (nsm_lu){ .n = n, .pairs = pairs, .dropped = n, .l_room = guess, .u_room = guess };
  char *at = take(m, wide * (size + 2 * guess) * sizeof(double) + 2 * (size + 1) * sizeof(size_t) +
                         2 * (size + guess) * sizeof(int), 1);
  if (!at) return 0;
  for (int k = 0; k <= pairs; k++) {
    double **of[] = { &f->d[k], &f->l[k], &f->u[k] };
    for (int i = 0; i < 3; i++) { *of[i] = (double *)at; at += (i == 0 ? size : guess) * sizeof(double); }
  }
  f->l_start = (size_t *)at;
  f->u_start = f->l_start + size + 1;
  f->order = (int *)(f->u_start + size + 1);
  f->row = f->order + size;
  f->l_at = f->row + size;
  f->u_at = f->l_at + guess;
  return 1;
}

int nsm_lu_work_open(nsm_lu_work *w, int n, const nsm_la_memory *m) {
  w->place = TAKE(m, n, int);
  w->mark = TAKE(m, n, int);
  w->stack = TAKE(m, n, int);
  w->list = TAKE(m, n, int);
  w->next = TAKE(m, n, size_t);
  for (int k = 0; k < 2; k++) w->x[k] = TAKE(m, n, double);
  return w->place && w->mark && w->stack && w->list && w->next && w->x[0] && w->x[1];
}

int nsm_lu_order(const nsm_columns *A, const int *node, int *order, const nsm_la_memory *m) {
  int n = A->n, *start = TAKE(m, n + 2, int), *to = TAKE(m, 2 * A->start[n], int);
  for (int pass = 0; start && to && pass < 2; pass++) {
    for (int j = 0; j < n; j++)
      for (int e = A->start[j]; e < A->start[j + 1]; e++) {
        int i = A->row[e];
        if (i == j) continue;
        if (pass == 0) { start[i + 2]++; start[j + 2]++; }
        else { to[start[i + 1]++] = j; to[start[j + 1]++] = i; }
      }
    for (int j = 0; j < n && pass == 0; j++) start[j + 2] += start[j + 1];
  }
  nsm_sparse *s = start && to ? nsm_sparse_analyse(n, start, to, node, m) : NULL;
  if (s) memcpy(order, s->order, (size_t)n * sizeof *order);
  nsm_sparse_free(s, m);
  if (to && m->give) m->give(m->of, to);
  if (start && m->give) m->give(m->of, start);
  return s != NULL;
}

// ---- room -----------------------------------------------------------------------------------------------------------
// What was there before stands in the block of open, or has grown and is given back.
static int larger(void **at, size_t used, size_t room, size_t size, int grown, const nsm_la_memory *m) {
  void *more = m->take(m->of, room * size);
  if (!more) return 0;
  memcpy(more, *at, used * size);
  if (grown) m->give(m->of, *at);
  *at = more;
  return 1;
}

typedef struct room { int **at; double **value; size_t *room; int *grown; } room;

// Room for n entries more than `used`, half as much again where it grows.
static int have_room(const room *r, int pairs, size_t used, const nsm_la_memory *m) {
  size_t now = *r->room, asked = now + now / 2 > used ? now + now / 2 : used;
  if (used <= now) return 1;
  if (!larger((void **)r->at, now, asked, sizeof(int), *r->grown, m)) return 0;
  for (int k = 0; k <= pairs; k++)
    if (!larger((void **)&r->value[k], now, asked, sizeof(double), *r->grown, m)) return 0;
  *r->room = asked;
  *r->grown = 1;
  return 1;
}

// ---- a column -------------------------------------------------------------------------------------------------------
// From row i, which is not marked yet: depth first through the columns of L. Rows are listed from `top` downwards when
// all behind them are, so that the list is in the order of elimination.
static int descend(const nsm_lu *f, int i, int number, int top, nsm_lu_work *w) {
  int depth = 0;
  w->stack[0] = i;
  w->mark[i] = number;
  w->next[0] = w->place[i] >= 0 ? f->l_start[w->place[i]] : 0;
  while (depth >= 0) {
    int at = w->stack[depth], k = w->place[at], deeper = 0;
    size_t end = k >= 0 ? f->l_start[k + 1] : 0;
    for (size_t e = w->next[depth]; e < end && !deeper; e++) {
      int to = f->l_at[e];
      if (w->mark[to] == number) continue;
      w->mark[to] = number;
      w->next[depth++] = e + 1;
      w->stack[depth] = to;
      w->next[depth] = w->place[to] >= 0 ? f->l_start[w->place[to]] : 0;
      deeper = 1;
    }
    if (deeper) continue;
    w->list[--top] = at;
    depth--;
  }
  return top;
}

// Rows that column j has in the factors, from the returned place of w.list on; their values in w.x. Entries that are 0
// reach none, unless they were seen.
static int reach(const nsm_lu *f, const nsm_columns *A, int j, int number, nsm_lu_work *w) {
  int top = A->n;
  for (int e = A->start[j]; e < A->start[j + 1]; e++) {
    if (A->re[e] != 0 || (f->complex && A->im[e] != 0)) { if (A->seen) A->seen[e] = 1; }
    else if (!A->seen || !A->seen[e]) continue;
    if (w->mark[A->row[e]] != number) top = descend(f, A->row[e], number, top, w);
  }
  for (int k = 0; k <= f->complex; k++) {
    const double *value = k ? A->im : A->re;
    for (int p = top; p < A->n; p++) w->x[k][w->list[p]] = 0;
    for (int e = A->start[j]; e < A->start[j + 1]; e++) w->x[k][A->row[e]] += value[e];
  }
  return top;
}

// x -= u L(:, k)
static void subtract(const nsm_lu *f, int k, double ur, double ui, double *xr, double *xi) {
  const double *lr = f->l[0], *li = f->l[1];
  if (!f->complex) {
    for (size_t e = f->l_start[k]; e < f->l_start[k + 1]; e++) xr[f->l_at[e]] -= lr[e] * ur;
    return;
  }
  for (size_t e = f->l_start[k]; e < f->l_start[k + 1]; e++) {
    int i = f->l_at[e];
    xr[i] -= lr[e] * ur - li[e] * ui;
    xi[i] -= lr[e] * ui + li[e] * ur;
  }
}

static double size_of(const nsm_lu *f, const nsm_lu_work *w, int i) {
  return f->complex ? fabs(w->x[0][i]) + fabs(w->x[1][i]) : fabs(w->x[0][i]);
}

// The entries of U above place k; and the row of the pivot, -1 where there is none.
static int eliminate(nsm_lu *f, int n, int k, int top, double small, nsm_lu_work *w) {
  size_t u = f->u_start[k];
  int best = -1, j = f->order[k], mine = 0;
  double most = small;
  for (int p = top; p < n; p++) {
    int i = w->list[p], at = w->place[i];
    if (at == NOT_YET) {
      double size = size_of(f, w, i);
      if (size > most) { most = size; best = i; }
      mine |= i == j;
      continue;
    }
    double ur = w->x[0][i], ui = f->complex ? w->x[1][i] : 0;
    f->u_at[u] = at;
    f->u[0][u] = ur;
    if (f->complex) f->u[1][u] = ui;
    u++;
    if (ur != 0 || ui != 0) subtract(f, at, ur, ui, w->x[0], w->x[1]);
  }
  f->u_start[k + 1] = u;
  return best >= 0 && mine && size_of(f, w, j) == most ? j : best;
}

// The pivot of place k, and the entries of L below it. 0: there is none.
static int divide(nsm_lu *f, int n, int k, int top, int pivot, nsm_lu_work *w) {
  size_t l = f->l_start[k];
  f->row[k] = pivot;
  if (pivot >= 0) {
    double a = w->x[0][pivot], b = f->complex ? w->x[1][pivot] : 0, size = a * a + b * b;
    w->place[pivot] = k;
    f->d[0][k] = a;
    if (f->complex) f->d[1][k] = b;
    for (int p = top; p < n; p++) {
      int i = w->list[p];
      if (w->place[i] != NOT_YET) continue;
      double xr = w->x[0][i], xi = f->complex ? w->x[1][i] : 0;
      f->l_at[l] = i;
      if (!f->complex) f->l[0][l] = xr / a;
      else {
        f->l[0][l] = (xr * a + xi * b) / size;
        f->l[1][l] = (xi * a - xr * b) / size;
      }
      l++;
    }
  }
  f->l_start[k + 1] = l;
  return pivot >= 0;
}

int nsm_lu_factor(nsm_lu *f, const nsm_columns *A, const int *order, double small, nsm_lu_work *w,
                  const nsm_la_memory *memory) {
  int n = A->n, found = 0;
  f->n = n;
  f->complex = A->im != NULL;
  f->dropped = n;
  memcpy(f->order, order, (size_t)n * sizeof(int));
  for (int i = 0; i < n; i++) w->place[i] = w->mark[i] = NOT_YET;
  for (int k = 0; k < n; k++) {
    int top = reach(f, A, order[k], k, w);
    size_t more = (size_t)(n - top);
    room u = { &f->u_at, f->u, &f->u_room, &f->u_grown }, l = { &f->l_at, f->l, &f->l_room, &f->l_grown };
    if (!have_room(&u, f->pairs, f->u_start[k] + more, memory)) return -1;
    if (!have_room(&l, f->pairs, f->l_start[k] + more, memory)) return -1;
    found += divide(f, n, k, top, eliminate(f, n, k, top, small, w), w);
  }
  return f->dropped = n - found;
}

// ---- the same pivots ------------------------------------------------------------------------------------------------
// The rows of place k are those of its entries in U, L and its pivot. 0: an entry of A is in none, or the pivot is
// small.
static int column_again(nsm_lu *f, const nsm_columns *A, int k, double small, nsm_lu_work *w) {
  const size_t u0 = f->u_start[k], u1 = f->u_start[k + 1], l0 = f->l_start[k], l1 = f->l_start[k + 1];
  const int j = f->order[k], pivot = f->row[k];
  double *x = w->x[0], most = 0;
#define BEGIN(i) (w->mark[i] = k, x[i] = 0)
  BEGIN(pivot);
  for (size_t e = u0; e < u1; e++) BEGIN(f->row[f->u_at[e]]);
  for (size_t e = l0; e < l1; e++) BEGIN(f->l_at[e]);
#undef BEGIN
  for (int e = A->start[j]; e < A->start[j + 1]; e++) {
    if (A->re[e] != 0 && w->mark[A->row[e]] != k) return 0;
    x[A->row[e]] += A->re[e];
  }
  for (size_t e = u0; e < u1; e++) {
    const int at = f->u_at[e];
    const double u = f->u[0][e] = x[f->row[at]];
    if (u != 0) subtract(f, at, u, 0, x, NULL);
  }
  const double d = f->d[0][k] = x[pivot];
  for (size_t e = l0; e < l1; e++) {
    const double size = fabs(x[f->l_at[e]]);
    if (!(size <= most)) most = size;
    f->l[0][e] = x[f->l_at[e]] / d;
  }
  return fabs(d) > small && fabs(d) >= STILL * most;
}

int nsm_lu_again(nsm_lu *f, const nsm_columns *A, double small, nsm_lu_work *w) {
  int good = f->n == A->n && f->dropped == 0 && !f->complex && !A->im;
  for (int k = 0; good && k < A->n; k++) w->mark[k] = NOT_YET;
  for (int k = 0; good && k < A->n; k++) good = column_again(f, A, k, small, w);
  return good;
}

// ---- solutions ------------------------------------------------------------------------------------------------------
void nsm_lu_solve(const nsm_lu *f, double *xr, double *xi, nsm_lu_work *w) {
  double *yr = w->x[0], *yi = w->x[1];
  for (int k = 0; k < f->n; k++) {
    yr[k] = xr[f->row[k]];
    if (f->complex) yi[k] = xi[f->row[k]];
    if (yr[k] != 0 || (f->complex && yi[k] != 0)) subtract(f, k, yr[k], f->complex ? yi[k] : 0, xr, xi);
  }
  for (int k = f->n - 1; k >= 0; k--) {
    const double *ur = f->u[0], *ui = f->u[1];
    double a = f->d[0][k], v = yr[k];
    if (!f->complex) {
      v /= a;
      if (v != 0) for (size_t e = f->u_start[k]; e < f->u_start[k + 1]; e++) yr[f->u_at[e]] -= ur[e] * v;
      xr[f->order[k]] = v;
      continue;
    }
    double b = f->d[1][k], size = a * a + b * b, vi = (yi[k] * a - yr[k] * b) / size;
    v = (yr[k] * a + yi[k] * b) / size;
    for (size_t e = f->u_start[k]; e < f->u_start[k + 1]; e++) {
      yr[f->u_at[e]] -= ur[e] * v - ui[e] * vi;
      yi[f->u_at[e]] -= ur[e] * vi + ui[e] * v;
    }
    xr[f->order[k]] = v;
    xi[f->order[k]] = vi;
  }
}

// `wide` vectors of four lanes, whose rows are `lanes` apart. A right side begins where its first entry is.
typedef double lane __attribute__((vector_size(32), aligned(8), may_alias));

// Unrolled, so that they are in registers.
#define EACH(j) _Pragma("GCC unroll 4") for (int j = 0; j < wide; j++)
#define AT(i, k) (((lane *)(b + (size_t)(i) * lanes))[k])

LA_INLINE void lanes_of(const nsm_lu *f, double *b, size_t lanes, int wide) {
  for (int k = 0; k < f->n; k++) {
    lane x[2];
    int any = 0;
    EACH(j) {
      x[j] = AT(f->row[k], j);
      for (int i = 0; i < 4; i++) any |= x[j][i] != 0;
    }
    if (!any) continue;
    for (size_t e = f->l_start[k]; e < f->l_start[k + 1]; e++)
      EACH(j) AT(f->l_at[e], j) -= f->l[0][e] * x[j];
  }
  for (int k = f->n - 1; k >= 0; k--) {
    lane x[2];
    double by = 1 / f->d[0][k];
    EACH(j) x[j] = AT(f->row[k], j) *= by;
    for (size_t e = f->u_start[k]; e < f->u_start[k + 1]; e++)
      EACH(j) AT(f->row[f->u_at[e]], j) -= f->u[0][e] * x[j];
  }
}
static void four_plain(const nsm_lu *f, double *b, size_t lanes) { lanes_of(f, b, lanes, 1); }
static void eight_plain(const nsm_lu *f, double *b, size_t lanes) { lanes_of(f, b, lanes, 2); }
LA_WIDE static void four_wide(const nsm_lu *f, double *b, size_t lanes) { lanes_of(f, b, lanes, 1); }
LA_WIDE static void eight_wide(const nsm_lu *f, double *b, size_t lanes) { lanes_of(f, b, lanes, 2); }

void nsm_lu_solve_lanes(const nsm_lu *f, double *b, int lanes) {
  int wide = la_wide(), from = 0;
  for (; from + 8 <= lanes; from += 8) (wide ? eight_wide : eight_plain)(f, b + from, (size_t)lanes);
  if (from < lanes) (wide ? four_wide : four_plain)(f, b + from, (size_t)lanes);
}

// Columns of U, then of L, are products with what is known: sums stay in registers.
LA_INLINE void inverse_of(const nsm_lu *f, const int *place, int n, double *b, size_t lanes, int wide) {
  int next = 0;
  for (int k = 0; k < f->n; k++) {
    double unit[16] = { 0 };
    lane x[4];
    const double over = 1 / f->d[0][k];
    for (; next < n && place[next] == k; next++) unit[next] = 1;
    EACH(j) x[j] = *(lane *)(unit + 4 * j);
    for (size_t e = f->u_start[k]; next > 0 && e < f->u_start[k + 1]; e++)
      EACH(j) x[j] -= f->u[0][e] * AT(f->row[f->u_at[e]], j);
    EACH(j) AT(f->row[k], j) = x[j] * over;
  }
  for (int k = f->n - 1; k >= 0; k--) {
    lane x[4];
    EACH(j) x[j] = AT(f->row[k], j);
    for (size_t e = f->l_start[k]; e < f->l_start[k + 1]; e++)
      EACH(j) x[j] -= f->l[0][e] * AT(f->l_at[e], j);
    EACH(j) AT(f->row[k], j) = x[j];
  }
}
static void inverse_plain(const nsm_lu *f, const int *place, int n, double *b, size_t lanes) {
  inverse_of(f, place, n, b, lanes, 4);
}
LA_WIDE static void inverse_wide(const nsm_lu *f, const int *place, int n, double *b, size_t lanes) {
  inverse_of(f, place, n, b, lanes, 4);
}

void nsm_lu_inverse(const nsm_lu *f, const int *place, int n, double *b, int lanes) {
  void (*by)(const nsm_lu *, const int *, int, double *, size_t) = la_wide() ? inverse_wide : inverse_plain;
  for (int from = 0; from < n; from += 16) by(f, place + from, n - from < 16 ? n - from : 16, b + from, (size_t)lanes);
}
#undef AT
#undef EACH

void nsm_lu_null_right(const nsm_lu *f, int which, double *x, nsm_lu_work *w) {
  double *y = w->x[0];
  int last = 0;
  while (f->row[last] >= 0 || which-- > 0) last++;
  memset(x, 0, (size_t)f->n * sizeof(double));
  memset(y, 0, (size_t)f->n * sizeof(double));
  for (int k = last; k >= 0; k--) {
    if (k != last && f->row[k] < 0) continue;
    double v = k == last ? 1 : y[k] / f->d[0][k];
    x[f->order[k]] = v;
    for (size_t e = f->u_start[k]; e < f->u_start[k + 1] && v != 0; e++) y[f->u_at[e]] -= f->u[0][e] * v;
  }
}

// Rows that are no pivots are those that are left over.
void nsm_lu_null_left(const nsm_lu *f, int which, double *x, nsm_lu_work *w) {
  int free = 0;
  for (int i = 0; i < f->n; i++) w->list[i] = 0;
  for (int k = 0; k < f->n; k++) if (f->row[k] >= 0) w->list[f->row[k]] = 1;
  while (w->list[free] || which-- > 0) free++;
  memset(x, 0, (size_t)f->n * sizeof(double));
  x[free] = 1;
  for (int k = f->n - 1; k >= 0; k--) {
    if (f->row[k] < 0) continue;
    double sum = 0;
    for (size_t e = f->l_start[k]; e < f->l_start[k + 1]; e++) sum += f->l[0][e] * x[f->l_at[e]];
    x[f->row[k]] = -sum;
  }
}
