// Algebraic equations: has the system of a step one solution (E0252)? With the unknowns of its end, states x and
// multipliers l,
//
//   ( M/h - A    -B      ) ( x )
//   (   C        D + I_c ) ( l )      I_c = 1 for rows that are no equations: each has a state in which its l is free
//
// must be regular. Where it is not, a combination of rows is zero, and so is one of columns: the first says which
// equations contradict or repeat each other, the second what nothing determines. Both are named.
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

static double value(const Point *p, Ex e) {
  double v = e == EX_NONE ? 0 : at_point(p, e);
  return isfinite(v) ? v : 1;
}

// Unknowns: x, then the multiplier of each row. Columns are scaled to 1.
static void one_step_matrix(const Check *k, const Point *p, double *a) {
  const Expanded *x = k->x;
  int nx = x->nx, n = nx + x->nr;
  double h = k->s->step == EX_NONE ? NAN : value_of(k->s, k->s->step, NULL, 0);
  if (!(h > 0)) h = 1e-3;
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx; j++)
      a[i*n + j] = value(p, x->M[i*nx + j])/h - value(p, x->Jx[i*nx + j]) - value(p, x->Kx[i*nx + j]);
    for (int j = 0; j < x->nr; j++) a[i*n + nx + j] = -value(p, x->B[i*x->nr + j]);
  }
  for (int i = 0; i < x->nr; i++) {
    for (int j = 0; j < nx; j++) a[(nx + i)*n + j] = value(p, x->Cx[i*nx + j]);
    for (int j = 0; j < x->nr; j++) a[(nx + i)*n + nx + j] = value(p, x->D[i*x->nr + j]);
    if (k->s->cls[x->row[i].cls].row_type != 2) a[(nx + i)*n + nx + i] += 1;
  }
  for (int j = 0; j < n; j++) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i*n + j]));
    for (int i = 0; i < n && largest > 0; i++) a[i*n + j] /= largest;
  }
}

// The same without the rows of laws and their multipliers: W of the step.
static void blocked_matrix(const Check *k, const Point *p, double *a) {
  const Expanded *x = k->x;
  int nx = x->nx, n = nx + x->nr;
  one_step_matrix(k, p, a);
  for (int i = 0; i < nx; i++) memmove(a + i*nx, a + i*n, (size_t)nx * sizeof *a);
}

static const SysClass *class_of(const Check *k, int row) {
  return &k->s->cls[row < k->x->nx ? k->x->equation[row] : k->x->row[row - k->x->nx].cls];
}

// The part that it belongs to, where that is of a library; else its own place.
static Span place_of(const SysClass *c) {
  return c->relation && c->relation->made.file ? c->relation->made : c->span;
}

static int unknown_symbol(const Check *k, int i) {
  return i < k->x->nx ? k->x->value[i] : k->x->row[i - k->x->nx].lambda;
}

// The places of the largest entries of v, up to `most`.
static int large_ones(const double *v, int n, int *at, int most) {
  double largest = 0;
  int count = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
  for (int i = 0; i < n && count < most; i++) if (fabs(v[i]) > 1e-6*largest) at[count++] = i;
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

static void singular(Check *k, const double *left, const double *right, int n) {
  int row[4], column[4], nrow = large_ones(left, n, row, 4), ncolumn = large_ones(right, n, column, 4);
  const SysClass *first = class_of(k, row[nrow - 1]);
  bool nodes = true;
  Text t = {0};
  for (int i = 0; i < ncolumn; i++) {
    nodes = nodes && is_node(k, unknown_symbol(k, column[i]));
    text_printf(&t, "%s%s", i ? ", " : "", sym_name(unknown_symbol(k, column[i]), (void *)k->s));
  }
  Diag *d = diag(k->bag, nodes ? DIAG_E0251 : DIAG_E0252, place_of(first),
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
    Span at = place_of(c);
    bool new = at.lo != place_of(first).lo || at.file != place_of(first).file;
    for (int j = 0; j < i; j++) new = new && at.lo != place_of(class_of(k, row[j])).lo;
    if (new) diag_also(d, at, "%s", c->shown);
  }
  if (place_of(first).file != first->span.file) diag_also(d, first->span, "its equation");
  if (nodes) diag_help(d, "connect it with a node that is held: by a part with a resistance, or node gnd = 0;");
  else if (any_node(k))
    diag_help(d, "sources side by side, or in a loop, need a resistance in series; current sources in a row one "
              "beside them");
  else diag_help(d, "leave one of them out, and write another one for what is left undetermined");
}

// A first-order system that is written out and small, each unknown with its equation: the number of unknowns, else 0.
static int size_of_circuit(const Check *k) {
  if (!k->x || k->x->clipped || k->x->nq || !any_algebraic(k)) return 0;
  int n = k->x->nx + k->x->nr;
  if (n > MOST) return 0;
  for (int i = 0; i < k->x->nx; i++) if (k->x->equation[i] < 0) return 0;
  return n;
}

bool needs_rows(Arena *m, const System *s) {
  if (!s->algebraic_states) return false;
  Check k = { .arena = m, .s = s };
  check_open(&k, false, false);
  int n = size_of_circuit(&k);
  if (!n || k.x->nr == 0) return false;
  double *a = ARENA_ARRAY(m, double, n*n), *left = ARENA_ARRAY(m, double, n);
  bool floats = true, has_solution = false;
  for (int point = 1; point <= 2; point++) {
    Point p = generic_point(&k, point, 1);
    one_step_matrix(&k, &p, a);
    has_solution = has_solution || rank_of_rows(a, n, n, NO_PIVOT, left) == n;
    blocked_matrix(&k, &p, a);
    floats = floats && rank_of_rows(a, k.x->nx, k.x->nx, NEARLY_FLOATS, left) < k.x->nx;
  }
  return floats && has_solution;
}

void check_circuit(Check *k) {
  int n = size_of_circuit(k);
  if (!n) return;
  Arena *m = k->arena;
  double *a = ARENA_ARRAY(m, double, n*n), *b = ARENA_ARRAY(m, double, n*n), *left = ARENA_ARRAY(m, double, n),
         *right = ARENA_ARRAY(m, double, n);
  for (int point = 1; point <= 2; point++) {               // regular at one of two generic points: silent
    Point p = generic_point(k, point, 1);
    one_step_matrix(k, &p, a);
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[j*n + i] = a[i*n + j];
    if (rank_of_rows(a, n, n, NO_PIVOT, left) == n) return;
    rank_of_rows(b, n, n, NO_PIVOT, right);
  }
  singular(k, left, right, n);
}
