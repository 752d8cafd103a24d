// Relative degree of every row, and the levels that follow from it.
//
//   degree 0: the row of D is not zero; else the first r with (C A^{r-1} B)_row != 0; for nonlinear systems
//   L_g L_f^{r-1} h, by evaluation at two random points (docs/numerics/relative-degree.md). Levels: [Siconos notes],
//   "Computation of the number of Index Set and various levels".
//
// Mechanical rows: a gap g(q) has degree 2 and keeps y, y' with the impulse at level 1; a constraint on velocities
// degree 1.
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "along.h"
#include "../model/model_print.h"
#include "chains.h"
#include "derive.h"

enum { POINTS = 2 };

// What is left of terms that cancel, of their size: round-off of chains of up to DEGREE_SIZE products and sums, with
// room.
static const double cancelled = 1e-10;

typedef struct Point { const System *sys; uint64_t seed; } Point;

// Generic numbers in (0.5, 1.5), the same for the same symbol.
static double random_value(int id, void *point) {
  const Point *p = point;
  uint64_t z = p->seed + 0x9e3779b97f4a7c15ull * (uint64_t)(id + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return 0.5 + (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double at(const Expanded *x, Ex e, Point *p) {
  if (e == EX_NONE) return 0;
  double v = ex_eval(x->sys->pool, e, random_value, p);
  return isfinite(v) ? v : 1;    // outside of the domain there: keep the structure
}

static void exchange(double *a, double *b, int n) {
  for (int j = 0; a != b && j < n; j++) { double t = a[j]; a[j] = b[j]; b[j] = t; }
}

// Gauss and Jordan: reduces A [n x n], and B [n x m] with it, so that row row_of[k] of B is x_k of A X = B. Returns the
// rank. A column has no pivot where elimination leaves less than `cancelled` of its largest entry; x_k is then a row of
// B that is left over, as if its coefficient were 1 (a missing inertia is another check's). size: [n] scratch.
static int eliminate(double *A, double *B, int n, int m, int *row_of, double *size) {
  int rank = 0;
  for (int k = 0; k < n; k++) {
    size[k] = 0;
    for (int i = 0; i < n; i++) size[k] = fmax(size[k], fabs(A[i * n + k]));
  }
  for (int k = 0; k < n; k++) {
    int best = rank;
    row_of[k] = -1;
    for (int i = rank + 1; i < n; i++) if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    if (rank == n || !(fabs(A[best * n + k]) > cancelled * size[k])) continue;
    exchange(A + rank * n, A + best * n, n);
    exchange(B + rank * m, B + best * m, m);
    double pivot = A[rank * n + k];
    for (int j = k; j < n; j++) A[rank * n + j] /= pivot;
    for (int j = 0; j < m; j++) B[rank * m + j] /= pivot;
    for (int i = 0; i < n; i++) {
      double f = A[i * n + k];
      if (i == rank || f == 0) continue;
      for (int j = k; j < n; j++) A[i * n + j] -= f * A[rank * n + j];
      for (int j = 0; j < m; j++) B[i * m + j] -= f * B[rank * m + j];
    }
    row_of[k] = rank++;
  }
  for (int k = 0, rest = rank; k < n; k++) if (row_of[k] < 0) row_of[k] = rest++;
  return rank;
}

// The linearisation at one point: s = (q, v, x), ns = 2 nq + nx; s' = A s + B lambda, y = C s + D lambda.
typedef struct Linear { int ns, nr; double *A, *B, *C, *D; } Linear;

static Linear linearise(Arena *a, const Expanded *x, Point *p) {
  int nq = x->nq, nx = x->nx, nz = x->nz, nr = x->nr, ns = nq + nz;
  Linear l = { ns,
               nr,
               ARENA_ARRAY(a, double, ns *ns + 1),
               ARENA_ARRAY(a, double, ns *nr + 1),
               ARENA_ARRAY(a, double, nr *ns + 1),
               ARENA_ARRAY(a, double, nr *nr + 1) };
  double *M = ARENA_ARRAY(a, double, nz * nz + 1), *R = ARENA_ARRAY(a, double, nz * (ns + nr) + 1);
  int w = ns + nr;
  for (int i = 0; i < nz; i++) {
    for (int j = 0; j < nz; j++) M[i * nz + j] = at(x, x->M[i * nz + j], p);
    for (int j = 0; j < nq; j++) {
      R[i * w + j] = at(x, x->Jq[i * nq + j], p) + at(x, x->Kq[i * nq + j], p);
      R[i * w + nq + j] = at(x, x->Jv[i * nq + j], p) + at(x, x->Kv[i * nq + j], p);
    }
    for (int j = 0; j < nx; j++) R[i * w + 2 * nq + j] = at(x, x->Jx[i * nx + j], p) + at(x, x->Kx[i * nx + j], p);
    for (int j = 0; j < nr; j++) R[i * w + ns + j] = at(x, x->B[i * nr + j], p);
  }
  for (int r = 0; r < nr; r++)   // contact and constraint rows act along their H
    for (int j = 0; j < nq; j++) R[j * w + ns + r] += at(x, x->H[r * nq + j], p);
  int *row_of = ARENA_ARRAY(a, int, nz + 1);
  eliminate(M, R, nz, w, row_of, ARENA_ARRAY(a, double, nz + 1));
  for (int j = 0; j < nq; j++) l.A[j * ns + nq + j] = 1;
  for (int i = 0; i < nz; i++) {
    const double *row = &R[row_of[i] * w];
    memcpy(&l.A[(nq + i) * ns], row, (size_t)ns * sizeof(double));
    if (nr) memcpy(&l.B[(nq + i) * nr], row + ns, (size_t)nr * sizeof(double));
  }
  for (int r = 0; r < nr; r++) {
    for (int j = 0; j < nq; j++) {
      l.C[r * ns + j] = at(x, x->Cq[r * nq + j], p);
      l.C[r * ns + nq + j] = at(x, x->Cv[r * nq + j], p);
    }
    for (int j = 0; j < nx; j++) l.C[r * ns + 2 * nq + j] = at(x, x->Cx[r * nx + j], p);
    for (int j = 0; j < nr; j++) l.D[r * nr + j] = at(x, x->D[r * nr + j], p);
  }
  return l;
}

// x := A^T x and |x| := |A^T| |x|; t: [ns] scratch.
static void through(const double *A, int ns, double *x, double *size, double *t) {
  for (int pass = 0; pass < 2; pass++) {
    double *y = pass ? size : x;
    memset(t, 0, (size_t)ns * sizeof(double));
    for (int i = 0; i < ns; i++)
      for (int j = 0; y[i] != 0 && j < ns; j++) t[j] += y[i] * (pass ? fabs(A[i * ns + j]) : A[i * ns + j]);
    memcpy(y, t, (size_t)ns * sizeof(double));
  }
}

// degree[r] of every row, and in *markov the decoupling matrix: row r of C A^{degree-1} B. An entry counts as zero
// where its terms cancel.
static void degrees(Arena *a, const Linear *l, int *degree, double *markov) {
  int ns = l->ns, nr = l->nr;
  double *c = ARENA_ARRAY(a, double, ns + 1), *size = ARENA_ARRAY(a, double, ns + 1),
         *t = ARENA_ARRAY(a, double, ns + 1);
  for (int r = 0; r < nr; r++) {
    double *m = &markov[r * nr];
    memcpy(m, &l->D[r * nr], (size_t)nr * sizeof(double));
    memcpy(c, &l->C[r * ns], (size_t)ns * sizeof(double));
    for (int i = 0; i < ns; i++) size[i] = fabs(c[i]);
    degree[r] = -1;
    for (int j = 0; j < nr; j++) if (m[j] != 0) degree[r] = 0;
    for (int k = 1; k <= MAX_DEGREE && degree[r] < 0; k++) {
      for (int j = 0; j < nr; j++) {
        double terms = m[j] = 0;
        for (int i = 0; i < ns; i++) {
          m[j] += c[i] * l->B[i * nr + j];
          terms += size[i] * fabs(l->B[i * nr + j]);
        }
        if (fabs(m[j]) > cancelled * terms) degree[r] = k;
      }
      through(l->A, ns, c, size, t);
    }
  }
}

// --- laws against degrees ---

// "z''": what the multiplier of row r drives directly.
static const char *acted_on(Arena *a, const Expanded *x, int r) {
  for (int i = 0; i < x->nz; i++)
    if (x->B[i * x->nr + r] != EX_NONE)
      return arena_printf(a, "%s%s", sym_name(x->rate[i], (void *)x->sys), i < x->nq ? "'" : "");
  return "nothing directly";
}

// Can the law push without limit? A relay cannot: its multiplier stays bounded, whatever the degree.
static bool unbounded(const System *s, const SysClass *c) {
  const Ex end[] = { c->lo, c->hi };
  if (c->row_type != 1) return true;
  for (int i = 0; i < 2; i++)
    if (ex_is_num(s->pool, end[i], INFINITY) || ex_is_num(s->pool, end[i], -INFINITY)) return true;
  return false;
}

static void law_too_weak(Deriver *d, const SysClass *c, const MRelation *m, const Expanded *x, int r) {
  System *s = d->sys;
  Diag *g = diag(d->bag, DIAG_E0420, m->y_span, "this %s has relative degree %d, %s allows at most 1",
                 c->row_type == 0 ? "complementarity" : "relation", c->reldeg,
                 c->row_type == 0 ? "the law" : "a multiplier without a bound");
  diag_also(g, m->lambda_span, "acts on %s", acted_on(d->arena, x, r));
  Chain chain = chain_of_row(d->arena, x, r);
  for (int i = 0; i < chain.n; i++) diag_note(g, "%s", chain.text[i]);
  bool mechanical = false;
  for (int i = 0; i < c->nslot; i++) mechanical |= c->slot[i].kind == SLOT_Q;
  if (c->reldeg == 2 && mechanical && c->row_type != 1) {
    diag_note(g, "at degree 2 the velocity may jump; a rule for the jump is missing");
    Text t = {0};
    ex_print_short(s->pool, c->y, &t, PRINT_MOST, sym_name, s);
    const char *name = name_shown(d->arena, m->name, &m->ctx);
    if (c->row_type == 0) diag_help(g, "contact %s: %s >= 0 with newton(e);", name, text_str(&t));
    else diag_help(g, "constraint %s: %s = 0;", name, text_str(&t));
    text_free(&t);
  } else if (c->row_type == 0)
    diag_help(g, "relate the multiplier to an output of lower degree, e.g. to a derivative of this one");
  else diag_help(g, "enforce a derivative of this output, which has lower degree: y' = 0 in place of y = 0");
}

static void levels(SysClass *c) {
  switch (c->kind) {
  case CLASS_CONTACT:    c->level_y_max = 1; c->level_lambda = 1; break;
  case CLASS_CONSTRAINT: c->level_y_max = c->velocity_level ? 0 : 1; c->level_lambda = c->velocity_level ? 0 : 1; break;
  default:               c->level_y_max = 0; c->level_lambda = 0; break;
  }
}

static void uniform_degree(System *s, Arena *a, const int *degree, double *markov, int nr) {
  if (nr < 2) return;
  for (int r = 0; r < nr; r++) if (degree[r] < 0) return;
  for (int r = 0; r < nr; r++) {                         // rows in units of their own
    double most = 0;
    for (int j = 0; j < nr; j++) most = fmax(most, fabs(markov[r * nr + j]));
    for (int j = 0; j < nr && most > 0; j++) markov[r * nr + j] /= most;
  }
  int rank = eliminate(markov, markov, nr, 0, ARENA_ARRAY(a, int, nr), ARENA_ARRAY(a, double, nr));
  bool same = true;
  for (int r = 1; r < nr; r++) same &= degree[r] == degree[0];
  if (same && rank == nr)
    s->uniform_reldeg = arena_printf(a, "uniform relative degree %d: the decoupling matrix is nonsingular", degree[0]);
  else s->uniform_reldeg = arena_printf(a, "no uniform relative degree: %s (rank %d of %d)",
                                        same ? "the decoupling matrix is singular" : "the rows differ", rank, nr);
}

static bool mentions(const MExpr *x, int var, Map *seen) {
  if (!(x->uses & MU_LAMBDA) || map_get(seen, x)) return false;
  map_put(seen, x, (void *)x);
  if (x->kind == MX_VAR && x->id == var) return true;
  for (int i = 0; i < x->nargs; i++) if (mentions(x->arg[i], var, seen)) return true;
  return false;
}

// Does the multiplier stand in an equation without derivatives, as the current of a diode in the balance of its node?
// Then something carries it, and the run tells a loop in which nothing limits it (runtime/assembly/loop.c).
static bool is_carried(const Deriver *d, const MRelation *of) {
  const Model *m = d->sys->model;
  Map *seen = map_new(d->arena);
  for (int i = 0; i < m->nrelation; i++)
    if (m->relation[i].algebraic && mentions(m->relation[i].y, of->lambda->id, seen)) return true;
  return false;
}

// A quantity of the past, on which the multiplier acts later.
static bool is_late(const Model *m, const MExpr *x, Map *seen) {
  if (map_get(seen, x)) return false;
  map_put(seen, x, (void *)x);
  if (x->kind == MX_VAR && m->var[x->id].kind == MV_DELAY) return true;
  for (int i = 0; i < x->nargs; i++) if (is_late(m, x->arg[i], seen)) return true;
  return false;
}

void relative_degrees(Deriver *d) {
  System *s = d->sys;
  bool relations = false;
  for (int i = 0; i < s->ncls; i++) {
    SysClass *c = &s->cls[i];
    levels(c);
    if (c->kind == CLASS_CONTACT) c->reldeg = 2;
    if (c->kind == CLASS_CONSTRAINT) c->reldeg = c->velocity_level ? 1 : 2;
    if (c->kind == CLASS_FRICTION) c->reldeg = 1;
    relations |= c->kind == CLASS_RELATION;
  }
  if (!relations || s->algebraic_states) return;           // the others are known without looking
  const Expanded *x = expand_system(d->arena, s, DEGREE_SIZE, DEGREE_CLIP, EXPAND_ALL);
  if (!x) return;   // larger than the limit even when cut: degrees of relations stay unknown and are printed so
  int *best = ARENA_ARRAY(d->arena, int, x->nr + 1), *degree = ARENA_ARRAY(d->arena, int, x->nr + 1);
  double *markov = ARENA_ARRAY(d->arena, double, x->nr * x->nr + 1);
  for (int k = 0; k < POINTS; k++) {
    Point p = { s, 0x1234567ull * (uint64_t)(k + 1) };
    Linear l = linearise(d->arena, x, &p);
    degrees(d->arena, &l, degree, markov);
    for (int r = 0; r < x->nr; r++)
      if (k == 0 || (degree[r] >= 0 && (best[r] < 0 || degree[r] < best[r]))) best[r] = degree[r];
  }
  for (int r = 0; r < x->nr; r++) {
    SysClass *c = &s->cls[x->row[r].cls];
    if (c->kind == CLASS_RELATION) c->reldeg = best[r];
  }
  if (!x->clipped) uniform_degree(s, d->arena, best, markov, x->nr);
  for (int i = 0; i < s->ncls; i++) {
    SysClass *c = &s->cls[i];
    if (c->kind != CLASS_RELATION || c->compliant) continue;
    const MRelation *m = c->relation;
    if (!m || m->algebraic) continue;                      // an equation: check/circuit.c asks whether it determines
    int row = 0;
    while (row < x->nr && x->row[row].cls != i) row++;
    if (row == x->nr) continue;                            // in the copy it has no instance
    if (c->reldeg >= 2 && unbounded(s, c)) law_too_weak(d, c, m, x, row);
    if (c->reldeg < 0 && !is_carried(d, m) && !is_late(d->sys->model, m->y, map_new(d->arena))) {
      Diag *g = diag(d->bag, DIAG_W0811, m->y_span, "no multiplier has any influence on this output");
      diag_help(g, "let the multiplier act: a term in an equation, x' = ... + u, or a force, force q = u");
    }
  }
}
