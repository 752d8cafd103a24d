// Rows that cannot hold together, or say the same twice (E0414, W0825).
//
// Affine rows are numbers: a.q = b. Constraints are eliminated (Gauss); a combination in which no coordinate is left
// and b stays is a contradiction, one with b = 0 a row too many. That is said only of two rows that are multiples of
// each other, for a mechanism may be overdetermined on purpose. Rows that are not affine are compared two by two, as
// formulas. A gap is compared with each other gap and with each constraint of the same direction.
#include <math.h>
#include <string.h>
#include "parts.h"

enum { POINTS = 8 };

// Gaps and constraints on positions; or, on velocity level, the rates of constraints.
typedef struct Rows {
  Check *k;
  bool rates;
  double time;
  int n, nq, *at;                  // at[n]: rows of k->x
  bool *affine, *reported;             // reported: of each statement, that it repeats another one
  double *a, *b, *size;            // y = a.q - b; the largest |a|
  Point generic[POINTS];           // generic points 1 to POINTS - 1, at which formulas are compared
} Rows;

static const SysClass *class_of(const Rows *r, int i) { return &r->k->s->cls[r->k->x->row[r->at[i]].cls]; }
static Ex formula(const Rows *r, int i) {
  const XRow *row = &r->k->x->row[r->at[i]];
  return r->rates ? row->rate : row->y;
}
static bool is_gap(const Rows *r, int i) { return class_of(r, i)->kind == CLASS_CONTACT; }

static bool is_attitude(int id, void *rows) {
  const Expanded *x = ((const Rows *)rows)->k->x;
  for (int i = 0; i < x->np; i++) if (x->position[i] == id) return true;
  return false;
}

// a and b of y = a.q - b, at the time of r; q stands for velocities on their level. False: not affine, or not known.
static bool numbers_of(Rows *r, int i) {
  const Expanded *x = r->k->x;
  Pool *p = r->k->s->pool;
  const int *unknown = r->rates ? x->rate : x->value;
  double *zero = ARENA_ARRAY(r->k->arena, double, x->nz + 1);
  Point at = { r->k, zero, zero, r->time, x->position_start, false };
  for (int j = 0; j < r->nq; j++) if (r->rates && ex_depends(p, formula(r, i), x->value[j])) return false;
  if (ex_depends_any(p, formula(r, i), is_attitude, (void *)r)) return false;
  if (!ex_affine(p, formula(r, i), unknown, r->nq)) return false;
  r->b[i] = -at_point(&at, formula(r, i));
  r->size[i] = 0;
  bool good = isfinite(r->b[i]);
  for (int j = 0; j < r->nq; j++) {
    r->a[i*r->nq + j] = at_point(&at, ex_diff(p, formula(r, i), unknown[j]));
    good &= isfinite(r->a[i*r->nq + j]);
    r->size[i] = fmax(r->size[i], fabs(r->a[i*r->nq + j]));
  }
  return good && r->size[i] > 0;
}

// y_i = f y_k: the factor of two parallel rows, else 0.
static double factor(const Rows *r, int i, int k) {
  const double *a = &r->a[i*r->nq], *b = &r->a[k*r->nq];
  int main = 0;
  for (int j = 1; j < r->nq; j++) if (fabs(b[j]) > fabs(b[main])) main = j;
  double f = a[main]/b[main];
  for (int j = 0; j < r->nq; j++) if (fabs(a[j] - f*b[j]) > 1e-12*r->size[i]) return 0;
  return f;
}

// --- what is said ---

static const char *name(const Rows *r, int i) { return class_of(r, i)->shown; }

static void contradict(const Rows *r, int i, int k, double by) {
  const SysClass *c = class_of(r, i), *d = class_of(r, k);
  Diag *g = diag(r->k->bag, DIAG_E0414, c->span, "%s and %s contradict each other", name(r, k), name(r, i));
  if (c != d) diag_also(g, d->span, "%s", name(r, k));
  diag_note(g, "no %s meets both: they are %.4g apart", r->rates ? "velocity" : "position", fabs(by));
  const Ex both[] = { formula(r, i), formula(r, k) };
  const char *with = parameters_text(r->k, both, 2);
  if (with) diag_label(g, "with %s", with);
}

static void twice(const Rows *r, int i, int k) {
  const SysClass *c = class_of(r, i), *d = class_of(r, k);
  bool *reported = &r->reported[r->k->x->row[r->at[i]].cls];
  if (*reported) return;
  *reported = true;
  Diag *g = diag(r->k->bag, DIAG_W0825, c->span, "%s says what %s says already", name(r, i), name(r, k));
  if (c != d) diag_also(g, d->span, "%s", name(r, k));
  diag_note(g, "their forces are not determined each, only together");
  diag_help(g, "leave one of them out");
}

// --- two rows ---

static bool same_statement(const Rows *r, int i, int k) { return class_of(r, i) == class_of(r, k); }

// Two affine rows at two times: where do they leave room?
static bool compare_affine(Rows *r, int i, int k) {
  double f = factor(r, i, k);
  if (f == 0) return false;
  double apart = r->b[i] - f*r->b[k], slack = 1e-9*(fabs(r->b[i]) + fabs(f*r->b[k]));
  bool equal = fabs(apart) <= slack;
  if (!is_gap(r, i) && !is_gap(r, k)) {
    if (!equal) contradict(r, i, k, apart/r->size[i]);
    else twice(r, i, k);
    return true;
  }
  if (is_gap(r, i) && is_gap(r, k)) {
    // a.q >= b_i and a.q <= f b_k for f < 0
    if (f < 0 && apart > slack) contradict(r, i, k, apart/r->size[i]);
    else if (f > 0 && equal && formula(r, i) == formula(r, k) && !same_statement(r, i, k)) twice(r, i, k);
    return true;
  }
  // a gap and a constraint: a.q = value of the constraint, in the direction of the gap
  int gap = is_gap(r, i) ? i : k, fixed = is_gap(r, i) ? k : i;
  double g = factor(r, gap, fixed), short_by = r->b[gap] - g*r->b[fixed];
  if (short_by > 1e-9*(fabs(r->b[gap]) + fabs(g*r->b[fixed]))) contradict(r, i, k, short_by/r->size[gap]);
  return true;
}

// dy_i/dq over dy_k/dq for the first coordinate of y_k, at a generic point.
static double slope_ratio(const Rows *r, int i, int k) {
  const Expanded *x = r->k->x;
  Pool *p = r->k->s->pool;
  const int *unknown = r->rates ? x->rate : x->value;
  const Point *at = &r->generic[1];
  for (int j = 0; j < r->nq; j++)
    if (ex_depends(p, formula(r, k), unknown[j]))
      return at_point(at, ex_diff(p, formula(r, i), unknown[j]))/at_point(at, ex_diff(p, formula(r, k), unknown[j]));
  return NAN;
}

// Two constraints, one a multiple of the other but for a number, whatever the positions.
static void compare_formulas(const Rows *r, int i, int k) {
  if (is_gap(r, i) || is_gap(r, k)) {
    if (is_gap(r, i) && is_gap(r, k) && formula(r, i) == formula(r, k) && !same_statement(r, i, k)) twice(r, i, k);
    return;
  }
  double f = slope_ratio(r, i, k), lo = INFINITY, hi = -INFINITY, size = 0;
  if (!isfinite(f) || f == 0) return;
  for (int n = 2; n < POINTS; n++) {
    double a = at_point(&r->generic[n], formula(r, i)), b = f*at_point(&r->generic[n], formula(r, k));
    if (!isfinite(a) || !isfinite(b)) return;
    lo = fmin(lo, a - b);
    hi = fmax(hi, a - b);
    size = fmax(size, fabs(a) + fabs(b));
  }
  if (hi - lo > 1e-11*size) return;
  if (fabs(lo) <= 1e-11*size) twice(r, i, k);
  else contradict(r, i, k, lo);
}

// --- all affine constraints together ---

static void eliminate(Rows *r) {
  int m = r->nq, list[128], rows = 0;
  for (int i = 0; i < r->n && rows < 128; i++) if (r->affine[i] && !is_gap(r, i)) list[rows++] = i;
  if (rows < 3) return;                              // pairs are compared below
  double *a = ARENA_ARRAY(r->k->arena, double, rows*m + 1), *left = ARENA_ARRAY(r->k->arena, double, rows + 1);
  for (int i = 0; i < rows; i++) memcpy(&a[i*m], &r->a[list[i]*m], sizeof *a*(size_t)m);
  if (rank_of_rows(a, rows, m, NO_PIVOT, left) == rows) return;
  double rest = 0, size = 0;
  int last = -1, count = 0;
  for (int i = 0; i < rows; i++) {
    if (!(fabs(left[i])*r->size[list[i]] > 1e-9)) continue;
    rest += left[i]*r->b[list[i]];
    size += fabs(left[i]*r->b[list[i]]);
    last = list[i];
    count++;
  }
  if (fabs(rest) <= 1e-9*size || count < 3) return;
  Diag *d = diag(r->k->bag, DIAG_E0414, class_of(r, last)->span, "%d constraints contradict each other", count);
  for (int i = 0, reported = 0; i < rows && reported < 3; i++)
    if (fabs(left[i])*r->size[list[i]] > 1e-9 && class_of(r, list[i]) != class_of(r, last)) {
      diag_also(d, class_of(r, list[i])->span, "%s", name(r, list[i]));
      reported++;
    }
  diag_note(d, "added up, no coordinate is left in them but %.4g = 0", fabs(rest));
}

// --- passes ---

static bool takes_part(const Rows *r, const SysClass *c) {
  if (c->kind == CLASS_CONSTRAINT) return r->rates || !c->velocity_level;
  return c->kind == CLASS_CONTACT && !r->rates;
}

static void collect(Rows *r) {
  const Expanded *x = r->k->x;
  r->n = 0;
  for (int i = 0; i < x->nr; i++) {
    if (!takes_part(r, &r->k->s->cls[x->row[i].cls])) continue;
    r->at[r->n] = i;
    r->affine[r->n] = numbers_of(r, r->n);
    r->n++;
  }
}

// Constraints hold at all times: two that agree at the start only are looked at later. Gaps are compared at the start.
static bool belongs_here(const Rows *r, int i, int j, bool gaps) {
  if (r->rates) return class_of(r, i)->velocity_level || class_of(r, j)->velocity_level;
  return gaps == (is_gap(r, i) || is_gap(r, j));
}

static void compare_all(Rows *r, bool gaps) {
  int before = diag_errors(r->k->bag);
  collect(r);
  for (int i = 0; i < r->n; i++)
    for (int j = 0; j < i && diag_errors(r->k->bag) == before; j++) {
      if (!belongs_here(r, i, j, gaps)) continue;
      if (!(r->affine[i] && r->affine[j] && compare_affine(r, i, j))) compare_formulas(r, i, j);
    }
  if (diag_errors(r->k->bag) == before && !gaps) eliminate(r);
}

void check_contradictions(Check *k) {
  if (!k->x) return;
  const Expanded *x = k->x;
  Rows r = { .k = k, .nq = x->nq, .at = ARENA_ARRAY(k->arena, int, x->nr + 1),
             .affine = ARENA_ARRAY(k->arena, bool, x->nr + 1), .reported = ARENA_ARRAY(k->arena, bool, k->s->ncls + 1),
             .a = ARENA_ARRAY(k->arena, double, x->nr*x->nq + 1),
             .b = ARENA_ARRAY(k->arena, double, x->nr + 1), .size = ARENA_ARRAY(k->arena, double, x->nr + 1) };
  for (int n = 1; n < POINTS; n++) r.generic[n] = generic_point(k, n, n % 2 ? 0.5 : 3);
  const double generic = 0.7318;
  r.time = start_time(k) + generic;
  compare_all(&r, false);
  r.rates = true;
  compare_all(&r, false);
  r.rates = false;
  r.time = start_time(k);
  compare_all(&r, true);
}
