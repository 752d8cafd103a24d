// Branch and bound on complementarity: exact for any M, the last resort for small and middle-sized problems.
//
// Relaxed, row i asks only for lambda_i in K_i and for the sign of u_i that its bounds allow (free: u_i = 0; one-sided:
// a half line; a box asks for nothing). That is a system of linear inequalities; a row that is decided has u_i = 0, or
// lambda_i at one of its bounds and u_i on the side that goes with it. A feasible point in which every row happens to
// be complementary is a solution; otherwise a row that is not is decided in each of its two or three ways. An
// infeasible system is proved so by a Farkas vector, which certificate.c checks on the problem itself: where all leaves
// are closed that way there is no solution.
// The systems are solved by the simplex method with bounds on all 2m variables, nonbasic ones within their bounds,
// basic ones repaired one at a time (Dutertre & de Moura, CAV 2006): tightening or relaxing a bound keeps the tableau,
// so going back costs nothing. Equations may outnumber unknowns: a free row whose free column is zero is a plain
// equation (over-determined mixed problems).
#include "tableau.h"
#include <math.h>
#include <string.h>

static const double WORK = 4e8;               // entries of tableaux touched
static const double FEASIBLE = 1e-10;         // in the units of the tableau, relative to 1 + |x|
static const double PIVOT = 1e-9;             // smallest entry to exchange on, beside the largest of its row

typedef struct decision { int row, way, count; unsigned char ways[3]; } decision;

typedef struct tree {
  nsm_tableau    t;
  double        *low, *high;   // [2m] bounds of u' and lambda' at the present node
  decision      *path;         // [m]
  unsigned char *state;        // [m] OPEN or decided
  unsigned char *flags;        // [2m+1]
  double        *y, *scratch;  // [m], [2m]
  int            depth, doubtful;
  double         work, limit;
} tree;

// ---- bounds of a node -----------------------------------------------------------------------------------------------
static void set_bounds(tree *b, int i) {
  nsm_tableau *k = &b->t;
  int m = k->m, s = b->state[i], below = k->lo[i] > -HUGE_VAL, above = k->hi[i] < HUGE_VAL;
  double *low = b->low, *high = b->high;
  low[m + i] = s == NSM_HIGH ? k->hi[i] : k->lo[i];
  high[m + i] = s == NSM_LOW ? k->lo[i] : k->hi[i];
  low[i] = s == NSM_BASIC || s == NSM_LOW || (s == NSM_OPEN && !above) ? 0.0 : -HUGE_VAL;
  high[i] = s == NSM_BASIC || s == NSM_HIGH || (s == NSM_OPEN && !below) ? 0.0 : HUGE_VAL;
}

// Row i is decided (or open again); its variables follow where they are nonbasic.
static void decide(tree *b, int i, unsigned char s) {
  nsm_tableau *k = &b->t;
  b->state[i] = s;
  set_bounds(b, i);
  for (int v = i; v < 2 * k->m; v += k->m)
    if (k->where[v] < 0) nsm_tableau_move(k, -1 - k->where[v], nsm_cone_project(k->value[v], b->low[v], b->high[v]));
}

// ---- linear feasibility ---------------------------------------------------------------------------------------------
// How far basic row r is outside of its bounds; *to is the bound.
static double violation(const tree *b, int r, double *to) {
  int v = b->t.basic[r];
  double x = b->t.x[r], small = FEASIBLE * (1 + fabs(x));
  if (x < b->low[v] - small)  { *to = b->low[v];  return b->low[v] - x; }
  if (x > b->high[v] + small) { *to = b->high[v]; return x - b->high[v]; }
  return 0;
}

// Row r reads x_r = constant + sum T_rc n_c, at its extreme, short of its bound: y_r = +-1, y_c = -+T_rc on the u among
// them, where |T_rc| is at least `least`.
static int proved_from(tree *b, int r, double sign, double least) {
  const nsm_tableau *k = &b->t;
  int m = k->m;
  for (int i = 0; i < m; i++) b->y[i] = 0;
  if (k->basic[r] < m) b->y[k->basic[r]] = sign * k->row[k->basic[r]];
  for (int c = 0; c <= m; c++) {
    int v = k->nonbasic[c];
    double a = nsm_tableau_column(k, c)[r];
    if (v < m && fabs(a) >= least) b->y[v] = -sign * a * k->row[v];
  }
  return nsm_cone_is_certificate_at(k->p, b->state, b->y, b->scratch);
}

// Where exchanges have left round-off in place of a zero, sums that must vanish are nothing but that; so such entries
// are left out then. Any y may be tried: the certificate is checked on the problem itself.
static int proved(tree *b, int r, double to) {
  double sign = b->t.x[r] < to ? 1.0 : -1.0, largest = 0;
  for (int c = 0; c < b->t.m; c++) largest = fmax(largest, fabs(nsm_tableau_column(&b->t, c)[r]));
  return proved_from(b, r, sign, 0) || proved_from(b, r, sign, PIVOT * largest);
}

// The column to exchange row r with, to move it in `direction`: the largest entry, or (Bland) the variable of least
// index. -1: none.
static int entering_column(const tree *b, int r, double direction, int bland) {
  const nsm_tableau *k = &b->t;
  int m = k->m, best = -1;
  double largest = 0, best_size = 0;
  for (int c = 0; c < m; c++) largest = fmax(largest, fabs(nsm_tableau_column(k, c)[r]));
  for (int c = 0; c <= m; c++) {
    int v = k->nonbasic[c];
    if (v == 2 * m) continue;
    double a = nsm_tableau_column(k, c)[r] * direction;
    if (!(fabs(a) > PIVOT * largest)) continue;
    if (a > 0 ? k->value[v] >= b->high[v] : k->value[v] <= b->low[v]) continue;
    if (bland ? best < 0 || v < k->nonbasic[best] : fabs(a) > best_size) { best = c; best_size = fabs(a); }
  }
  return best;
}

// 1: the node's system holds. 0: it cannot. -1: given up.
static int repair(tree *b, nsm_cone_work *w) {
  nsm_tableau *k = &b->t;
  int m = k->m;
  for (int step = 0;; step++) {
    int bland = step > 2 * m + 20, row = -1;
    double worst = 0, to = 0, t;
    for (int r = 0; r < m; r++) {
      if (k->basic[r] == 2 * m) continue;
      double d = violation(b, r, &t);
      if (d > 0 && (row < 0 || (bland ? k->basic[r] < k->basic[row] : d > worst))) { row = r; worst = d; to = t; }
    }
    if (row < 0) return 1;
    int column = entering_column(b, row, k->x[row] < to ? 1.0 : -1.0, bland);
    if (column < 0) {
      b->work += 0.5 * m * m;
      if (!proved(b, row, to)) b->doubtful = 1;
      return 0;
    }
    if (b->work > b->limit || !(worst < HUGE_VAL)) return -1;
    b->work += (double)m * m;
    w->iterations++;
    nsm_tableau_exchange(k, row, column, (to - k->x[row]) / nsm_tableau_column(k, column)[row], to);
    if (k->exchanges > 100 + m) {
      b->work += (double)m * m * m / 2;
      if (!nsm_tableau_rebuild(k, b->flags)) return -1;
    }
  }
}

// ---- the tree -------------------------------------------------------------------------------------------------------
// How far open row i is from complementarity, and the ways to decide it, the nearest first.
static double incomplete(const tree *b, int i, decision *d) {
  const nsm_tableau *k = &b->t;
  int below = k->lo[i] > -HUGE_VAL, above = k->hi[i] < HUGE_VAL;
  double x = nsm_tableau_value(k, k->m + i), u = nsm_tableau_value(k, i);
  if (b->state[i] != NSM_OPEN || below + above == 0 || !(k->lo[i] < k->hi[i])) return -1;
  int high = !below || (above && u < 0);
  double distance = high ? k->hi[i] - x : x - k->lo[i], size = high ? -u : u;
  unsigned char near = high ? NSM_HIGH : NSM_LOW;
  *d = (decision){ i, 0, below + above == 2 ? 3 : 2, { near, NSM_BASIC, high ? NSM_LOW : NSM_HIGH } };
  if (distance > size) { d->ways[0] = NSM_BASIC; d->ways[1] = near; }
  return fmin(distance, size);
}

// The open row that is farthest from complementarity, at least by `least`.
static int choose(const tree *b, double least, decision *best) {
  double worst = least;
  int found = 0;
  for (int i = 0; i < b->t.m; i++) {
    decision d;
    double v = incomplete(b, i, &d);
    if (v >= worst) { worst = v; *best = d; found = 1; }
  }
  return found;
}

static void descend(tree *b, const decision *d) {
  b->path[b->depth++] = *d;
  decide(b, d->row, d->ways[0]);
}

// To the next way not yet tried. 0: all have been.
static int go_back(tree *b) {
  while (b->depth > 0) {
    decision *d = &b->path[b->depth - 1];
    if (++d->way < d->count) { decide(b, d->row, d->ways[d->way]); return 1; }
    decide(b, d->row, NSM_OPEN);
    b->depth--;
  }
  return 0;
}

static nsm_cone_outcome search(tree *b, nsm_cone_work *w, const nsm_cone_try *t, double *lambda, double *u,
                               int *index) {
  nsm_tableau *k = &b->t;
  for (;;) {
    int feasible = repair(b, w);
    if (feasible < 0) return NSM_CONE_GAVE_UP;
    decision d;
    if (feasible && choose(b, 1e-8, &d)) { descend(b, &d); continue; }
    if (feasible) {
      nsm_cone_check c;
      b->work += (double)k->m * k->m * k->m;
      nsm_tableau_polish(k, lambda, b->scratch, index);
      nsm_cone_check_answer(k->p, w, t, lambda, u, &c);
      if (c.accepted) return NSM_CONE_PROPOSED;
      if (b->work > b->limit || !nsm_tableau_rebuild(k, b->flags)) return NSM_CONE_GAVE_UP;
      if (choose(b, 0, &d)) { descend(b, &d); continue; }
      b->doubtful = 1;
    }
    if (!go_back(b)) return b->doubtful ? NSM_CONE_GAVE_UP : NSM_CONE_PROVED_NONE;
  }
}

nsm_cone_outcome nsm_cone_branch(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                 double *u) {
  tree b = { 0 };
  size_t mark = w->used, m = (size_t)p->m;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  int *index = nsm_cone_take_ints(w, 2 * m);
  b.low = nsm_cone_take_doubles(w, 2 * m);
  b.high = nsm_cone_take_doubles(w, 2 * m);
  b.y = nsm_cone_take_doubles(w, m);
  b.scratch = nsm_cone_take_doubles(w, 2 * m);
  b.path = nsm_cone_take(w, m * sizeof(decision));
  b.state = nsm_cone_take(w, m);
  b.flags = nsm_cone_take(w, 2 * m + 1);
  if (index && b.low && b.high && b.y && b.scratch && b.path && b.state && b.flags && nsm_tableau_open(&b.t, p, w)) {
    b.limit = t->max_iterations > 0 ? (double)t->max_iterations * (double)(m * m) : WORK;
    memset(b.state, NSM_OPEN, m);
    for (int i = 0; i < p->m; i++) {
      set_bounds(&b, i);
      b.t.value[p->m + i] = b.t.lo[i] > -HUGE_VAL ? b.t.lo[i] : b.t.hi[i] < HUGE_VAL ? b.t.hi[i] : 0.0;
    }
    nsm_tableau_load(&b.t);
    outcome = search(&b, w, t, lambda, u, index);
    if (outcome == NSM_CONE_GAVE_UP) nsm_tableau_read(&b.t, lambda);
  }
  w->used = mark;
  return outcome;
}
