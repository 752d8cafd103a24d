// Algebraic equations: has the system of a step one solution (E0252)? With the unknowns of its end, states x and
// multipliers l,
//
//   ( M/h - A    -B      ) ( x )
//   (   C        D + I_c ) ( l )      I_c = 1 for rows that are no equations: each has a state in which its l is free
//
// must be regular. Of an `if` both branches are taken as present, as the cases of a law are: an ideal switch joins its
// ends or has no current, and what it leaves undetermined in one state the others may determine. Where the matrix is
// singular all the same, a combination of rows is zero, and so is one of columns: the first says which
// equations contradict or repeat each other, the second what nothing determines. Both are named.
//
// Where velocities v stand in these equations (a machine between a circuit and a shaft) they are unknowns too, with the
// rows M/h v - B l of their motion. Positions are as they are: an unknown that could only hold a place, a = k x with a
// given a, has no finite value at the end of a step (index 3), and the matrix is singular without them.
#include <float.h>
#include <math.h>
#include <string.h>
#include "parts.h"

enum { MOST = 128 };          // as rank_of_rows
// A load behind diodes that is tied to the ground by a leak alone, 1 Gohm say, floats too: W has the leak's resistance,
// beside which whatever the laws decide is lost.
static const double NEARLY_FLOATS = 1e-6;

static bool any_algebraic(const Check *k) {
  for (int i = 0; i < k->s->model->nvar; i++) if (k->s->model->var[i].algebraic) return true;
  return false;
}

static bool any_node(const Check *k) {
  for (int i = 0; i < k->s->model->nvar; i++) if (k->s->model->var[i].algebraic >= MALG_NODE) return true;
  return false;
}

// Point numbers: two generic ones, and one at which of each `if` both branches are there.
enum { BOTH_BRANCHES = 3 };

// e with `if c then a else b` as w a + (1 - w) b, w a generic number of its own for each c.
static double blended(const Point *p, Ex e) {
  Pool *pool = p->k->s->pool;
  if (!ex_uses_op(pool, e, OP_IF, NULL, NULL)) return at_point(p, e);
  int n = ex_nargs(pool, e);
  if (ex_operator(pool, e) == OP_IF) {
    double w = 0.5 + 0.4*generic_number(BOTH_BRANCHES, (int)ex_arg(pool, e, 0)), a = blended(p, ex_arg(pool, e, 1)),
           b = blended(p, ex_arg(pool, e, 2));
    return w*(isfinite(a) ? a : 1) + (1 - w)*(isfinite(b) ? b : 1);
  }
  Ex *arg = ARENA_ARRAY(p->k->arena, Ex, n + 1);
  for (int i = 0; i < n; i++) {
    double v = blended(p, ex_arg(pool, e, i));
    arg[i] = ex_num(pool, isfinite(v) ? v : 1);
  }
  return at_point(p, ex_op(pool, ex_operator(pool, e), arg, n));
}

static double value(const Point *p, Ex e) {
  double v = e == EX_NONE ? 0 : p->both ? blended(p, e) : at_point(p, e);
  return isfinite(v) ? v : 1;
}

// The generic point of that number.
static Point point_at(const Check *k, int number) {
  Point p = generic_point(k, number, 1);
  p.both = number == BOTH_BRANCHES;
  return p;
}

// The unknowns: velocities and states by their numbers in 0 ... nz - 1, then the multipliers of relations, nz + row.
// Each has its row under the same number.
typedef struct Unknowns { int n, nz, *of; } Unknowns;

static bool is_equation(const Check *k, int i) { return i >= k->x->nz || k->x->equation[i] >= 0; }

// What row `row` reads of unknown `col`.
static double entry(const Check *k, const Point *p, int row, int col, double h) {
  const Expanded *x = k->x;
  int nq = x->nq, nx = x->nx, nr = x->nr, nz = x->nz;
  if (row >= nz) {
    int r = row - nz;
    return value(p, col >= nz ? x->D[r*nr + col - nz] : col >= nq ? x->Cx[r*nx + col - nq] : x->Cv[r*nq + col]);
  }
  if (col >= nz) return -value(p, x->B[row*nr + col - nz]);
  double m = value(p, x->M[row*nz + col])/h;
  if (col >= nq) return m - value(p, x->Jx[row*nx + col - nq]) - value(p, x->Kx[row*nx + col - nq]);
  return row < nq ? m : m - value(p, x->Jv[row*nq + col]) - value(p, x->Kv[row*nq + col]);
}

// Of n numbers, the square root of the smallest times the largest; 1 where all are 0. What is round-off of the largest
// does not count: the slope of a junction that is blocked is 1e-100.
static double middle(const double *a, int n, int step) {
  double least = INFINITY, most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i*step]));
  for (int i = 0; i < n; i++) if (fabs(a[i*step]) > DBL_EPSILON*most) least = fmin(least, fabs(a[i*step]));
  return most > 0 ? sqrt(least)*sqrt(most) : 1;
}

// Rows and columns in units in which their entries lie about 1: conductances beside the 1 of currents do not say by
// themselves what is small.
static void balance(double *a, int n) {
  enum { ROUNDS = 4 };
  for (int round = 0; round < 2*ROUNDS; round++)
    for (int i = 0; i < n; i++) {
      double *at = round % 2 ? a + i*n : a + i, by = 1/middle(at, n, round % 2 ? 1 : n);
      for (int j = 0; j < n; j++) at[round % 2 ? j : j*n] *= by;
    }
}

// Columns are scaled to 1. The step is near the model's own: at just that one M/h - A may be singular where a state
// grows, M = h A, which is no fault of the equations.
static void one_step_matrix(const Check *k, const Point *p, const Unknowns *u, double *a) {
  int n = u->n;
  double h = k->s->step == EX_NONE ? NAN : value_of(k->s, k->s->step, NULL, 0)*(1 + 0.1*generic_number(0, 0));
  if (!(h > 0)) h = 1e-3;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i*n + j] = entry(k, p, u->of[i], u->of[j], h);
  for (int i = u->nz; i < n; i++)
    if (k->s->cls[k->x->row[u->of[i] - k->x->nz].cls].row_type != 2) a[i*n + i] += 1;
  for (int j = 0; j < n; j++) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i*n + j]));
    for (int i = 0; i < n && largest > 0; i++) a[i*n + j] /= largest;
  }
}

// The same without the rows of laws and their multipliers: W of the step.
static void blocked_matrix(const Check *k, const Point *p, const Unknowns *u, double *a) {
  one_step_matrix(k, p, u, a);
  for (int i = 0; i < u->nz; i++) memmove(a + i*u->nz, a + i*u->n, (size_t)u->nz * sizeof *a);
}

static const SysClass *class_of(const Check *k, int row) {
  return &k->s->cls[row < k->x->nz ? k->x->equation[row] : k->x->row[row - k->x->nz].cls];
}

static int unknown_symbol(const Check *k, int i) {
  return i < k->x->nq ? k->x->rate[i] : i < k->x->nz ? k->x->value[i] : k->x->row[i - k->x->nz].lambda;
}

// The unknowns with the largest entries of v, up to `most`; of rows those that are no motion.
static int large_ones(const Check *k, const double *v, const Unknowns *u, bool rows, int *at, int most) {
  double largest = 0;
  int count = 0;
  for (int i = 0; i < u->n; i++) if (!rows || is_equation(k, u->of[i])) largest = fmax(largest, fabs(v[i]));
  for (int i = 0; i < u->n && count < most; i++)
    if ((!rows || is_equation(k, u->of[i])) && fabs(v[i]) > 1e-6*largest) at[count++] = u->of[i];
  return count;
}

static bool is_node(const Check *k, int symbol) {
  return k->s->model->var[symtab_at(k->s->sym, symbol)->id].algebraic == MALG_NODE;
}

// The equations that gave what was put into this one, each once.
typedef struct Named { int n, relation[3]; } Named;

static void put_in(Check *k, Diag *d, const MExpr *x, Named *named) {
  const System *s = k->s;
  if (!(x->uses & MU_LAMBDA) || named->n == 3) return;
  int by = x->kind == MX_VAR && s->solved[x->id] != EX_NONE ? s->solved_by[x->id] : -1;
  for (int i = 0; i < named->n; i++) if (named->relation[i] == by) return;
  const MRelation *r = by >= 0 ? &s->model->relation[by] : NULL;
  if (r && r->algebraic != MALG_HELD) {
    named->relation[named->n++] = by;
    diag_also(d, r->made.file ? r->made : r->span, "%s %s gives %s",
              r->algebraic == MALG_NODE ? "node" : "the equation of", r->name, s->model->var[x->id].plain);
    put_in(k, d, r->y, named);
  }
  for (int i = 0; i < x->nargs; i++) put_in(k, d, x->arg[i], named);
}

static bool reads_place(const Check *k, int row) {
  const Expanded *x = k->x;
  const Ex *of = row >= x->nz ? &x->Cq[(row - x->nz)*x->nq] : &x->Jq[row*x->nq];
  for (int i = 0; i < x->nq; i++) if (of[i] != EX_NONE) return true;
  return false;
}

static void singular(Check *k, const double *left, const double *right, const Unknowns *u) {
  int row[4], column[4], nrow = large_ones(k, left, u, true, row, 4),
      ncolumn = large_ones(k, right, u, false, column, 4);
  const SysClass *first = class_of(k, row[nrow - 1]);
  bool nodes = true;
  Text t = {0};
  for (int i = 0; i < ncolumn; i++) {
    nodes = nodes && is_node(k, unknown_symbol(k, column[i]));
    text_printf(&t, "%s%s", i ? ", " : "", sym_name(unknown_symbol(k, column[i]), (void *)k->s));
  }
  Diag *d = diag(k->bag, nodes ? DIAG_E0251 : DIAG_E0252, place_of_class(first),
                 nodes ? "nothing determines the potential of %s" : "these equations do not determine %s",
                 text_str(&t));
  text_free(&t);
  diag_label(d, "%s: %s", first->shown,
             nrow == 1 ? "none of the unknowns is left in it"
                       : "this one follows from the others, or contradicts them");
  Named named = { 0 };
  if (first->relation) put_in(k, d, first->relation->y, &named);
  for (int i = 0; i + 1 < nrow; i++) {
    const SysClass *c = class_of(k, row[i]);
    Span at = place_of_class(c);
    bool new = at.lo != place_of_class(first).lo || at.file != place_of_class(first).file;
    for (int j = 0; j < i; j++) new = new && at.lo != place_of_class(class_of(k, row[j])).lo;
    if (new) diag_also(d, at, "%s", c->shown);
  }
  if (place_of_class(first).file != first->span.file) diag_also(d, first->span, "its equation");
  bool place = false;
  for (int i = 0; i < nrow; i++) place = place || reads_place(k, row[i]);
  if (place)
    diag_help(d, "currents and forces change velocities; a place is held by a constraint: constraint N: x = ...;");
  else if (nodes) diag_help(d, "connect it with a node that is held: by a part with a resistance, or node gnd = 0;");
  else if (any_node(k))
    diag_help(d, "sources side by side, or in a loop, need a resistance in series; current sources in a row one "
              "beside them");
  else diag_help(d, "leave one of them out, and write another one for what is left undetermined");
}

static bool reads(const Expanded *x, int row, int velocity) {
  if (row >= x->nz) return x->Cv[(row - x->nz)*x->nq + velocity] != EX_NONE;
  return x->Jv[row*x->nq + velocity] != EX_NONE || x->Kv[row*x->nq + velocity] != EX_NONE;
}

// Of a system that is written out and small, with an equation for each state: the states, the multipliers of relations,
// and the velocities that stand in an equation of these. n = 0 where there is nothing to ask.
static Unknowns unknowns_of(Check *k) {
  Unknowns u = { 0 };
  if (!any_algebraic(k)) return u;
  if (k->x && k->x->nq) check_open(k, false, true);
  const Expanded *x = k->x;
  if (!x || x->clipped) return u;
  for (int i = x->nq; i < x->nz; i++) if (x->equation[i] < 0) return u;
  int *of = ARENA_ARRAY(k->arena, int, x->nz + x->nr + 1), n = 0;
  for (int v = 0; v < x->nq; v++) {
    bool any = false;
    for (int i = x->nq; i < x->nz + x->nr && !any; i++) any = reads(x, i, v);
    if (any) of[n++] = v;
  }
  for (int i = x->nq; i < x->nz; i++) of[n++] = i;
  int nz = n;
  for (int i = 0; i < x->nr; i++) if (k->s->cls[x->row[i].cls].kind == CLASS_RELATION) of[n++] = x->nz + i;
  return n > MOST ? u : (Unknowns){ n, nz, of };
}

bool needs_rows(Arena *m, const System *s) {
  if (!s->algebraic_states) return false;
  Check k = { .arena = m, .s = s };
  check_open(&k, false, false);
  Unknowns u = unknowns_of(&k);
  if (u.n == u.nz) return false;
  double *a = ARENA_ARRAY(m, double, u.n*u.n), *left = ARENA_ARRAY(m, double, u.n);
  bool floats = true, has_solution = false;
  for (int point = 1; point <= BOTH_BRANCHES; point++) {
    Point p = point_at(&k, point);
    one_step_matrix(&k, &p, &u, a);
    balance(a, u.n);
    has_solution = has_solution || rank_of_rows(a, u.n, u.n, NO_PIVOT, left) == u.n;
    if (p.both) continue;
    blocked_matrix(&k, &p, &u, a);
    floats = floats && rank_of_rows(a, u.nz, u.nz, NEARLY_FLOATS, left) < u.nz;
  }
  return floats && has_solution;
}

void check_circuit(Check *of) {
  Check here = *of, *k = &here;
  Unknowns u = unknowns_of(k);
  if (!u.n) return;
  int n = u.n;
  Arena *m = k->arena;
  double *a = ARENA_ARRAY(m, double, n*n), *b = ARENA_ARRAY(m, double, n*n), *left = ARENA_ARRAY(m, double, n),
         *right = ARENA_ARRAY(m, double, n);
  for (int point = 1; point <= BOTH_BRANCHES; point++) {   // regular at one of the generic points: silent
    Point p = point_at(k, point);
    one_step_matrix(k, &p, &u, a);
    balance(a, n);
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[j*n + i] = a[i*n + j];
    if (rank_of_rows(a, n, n, NO_PIVOT, left) == n) return;
    rank_of_rows(b, n, n, NO_PIVOT, right);
  }
  singular(k, left, right, &u);
}
