// Is the step short enough for the oscillations of a linear system (W0829), and for sources and `every` (W0848)?
//
//   M q'' + C q' + K q = ...,   K w = omega^2 M w
//
// The trapezoidal rule stays stable at any step, but the phase it turns in one is below pi: where h omega > pi for
// every mode, nothing of the motion is computed. Where only the fast ones are too fast they may be of no interest. An
// explicit scheme is unstable as soon as h omega > 2 for one of them; for it the matrices at the start will do, where
// they change. Implicit damping (theta above 1/2) is left alone: it may be meant to bring the system to rest.
#include <math.h>
#include "parts.h"

static const double PI = 3.14159265358979323846;

typedef struct Modes { double slowest, fastest; } Modes;    // omega

// Lower triangle of the Cholesky factor in place; false where m is not positive definite.
static bool cholesky(double *m, int n) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) m[j*n + j] -= m[j*n + k]*m[j*n + k];
    if (!(m[j*n + j] > 0)) return false;
    m[j*n + j] = sqrt(m[j*n + j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) m[i*n + j] -= m[i*n + k]*m[j*n + k];
      m[i*n + j] /= m[j*n + j];
    }
  }
  return true;
}

// L^-1 a in place
static void forward(const double *l, double *a, int n) {
  for (int c = 0; c < n; c++)
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) a[i*n + c] -= l[i*n + k]*a[k*n + c];
      a[i*n + c] /= l[i*n + i];
    }
}

static void transpose(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) { double t = a[i*n + j]; a[i*n + j] = a[j*n + i]; a[j*n + i] = t; }
}

static bool matrix_at(const Check *k, const Point *p, const Ex *e, int cols, int rows, bool constant, double sign,
                      double *out) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      if (constant && moves(k, e[i*cols + j])) return false;
      out[i*rows + j] = sign*at_point(p, e[i*cols + j]);
      if (!isfinite(out[i*rows + j])) return false;
    }
  return true;
}

// Modes of a system of coordinates without constraints; false where there is none that is too fast, or where a mode of
// an implicit scheme does not oscillate, or its matrices are not constant.
static bool modes_of(const Check *k, bool explicit_step, double h, Modes *out) {
  const Expanded *x = k->x;
  int n = x->nq;
  double *m = ARENA_ARRAY(k->arena, double, n*n + 1), *a = ARENA_ARRAY(k->arena, double, n*n + 1),
         *c = ARENA_ARRAY(k->arena, double, n*n + 1), *v = ARENA_ARRAY(k->arena, double, n*n + 1),
         *w = ARENA_ARRAY(k->arena, double, n + 1), size = 0, skew = 0;
  Point p = start_point(k);
  for (int r = 0; r < x->nr; r++) if (k->s->cls[x->row[r].cls].kind == CLASS_CONSTRAINT) return false;
  if (!matrix_at(k, &p, x->M, x->nz, n, !explicit_step, 1, m) ||
      !matrix_at(k, &p, x->Jq, n, n, !explicit_step, -1, a) ||
      !matrix_at(k, &p, x->Jv, n, n, !explicit_step, -1, c) || !cholesky(m, n))
    return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      size = fmax(size, fabs(a[i*n + j]));
      skew = fmax(skew, fabs(a[i*n + j] - a[j*n + i]));
    }
  if (skew > 1e-9*size) return false;
  double *both[] = { a, c };
  for (int i = 0; i < 2; i++) {
    forward(m, both[i], n);
    transpose(both[i], n);
    forward(m, both[i], n);
  }
  double trace = 0;                                  // the sum of all omega^2
  for (int i = 0; i < n; i++) trace += a[i*n + i];
  if (!explicit_step && h*h*trace <= n*PI*PI) return false;
  symmetric_eigen(a, n, w, v);
  *out = (Modes){ INFINITY, 0 };
  for (int i = 0; i < n; i++) {
    double damping = 0;
    for (int r = 0; r < n; r++) for (int s = 0; s < n; s++) damping += v[r*n + i]*c[r*n + s]*v[s*n + i];
    bool swings = w[i] > 0 && damping <= 2*sqrt(w[i]);
    if (!swings && explicit_step) continue;
    if (!swings) return false;
    out->slowest = fmin(out->slowest, sqrt(w[i]));
    out->fastest = fmax(out->fastest, sqrt(w[i]));
  }
  return out->fastest > 0;
}

static bool all_constant(const System *s, const Entries *e) {
  for (int i = 0; i < e->n; i++) if (stage_of(s, e->at[i].value) > STAGE_CONST) return false;
  return true;
}

// Is it a system of coordinates without constraints, with constant matrices where that counts? Asked of the classes,
// before it is written out.
static bool is_oscillator(const System *s, bool constant) {
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind == CLASS_CONSTRAINT || c->is_equation) return false;
    if (c->kind == CLASS_SMOOTH && constant && !(all_constant(s, &c->mass) && all_constant(s, &c->jac))) return false;
  }
  return true;
}

// ---- sources (W0848) ------------------------------------------------------------------------------------------------
typedef struct Sources { double h; bool reported; } Sources;

typedef struct Instant { Check *k; double t; } Instant;

static double then(int id, void *instant) {
  const Instant *at = instant;
  return id == at->k->s->sym_time ? at->t : here(id, at->k);
}

// How fast an argument changes by time itself, at the start or the end of the run; nan where that depends on more.
static double rate_by_time(Check *k, Ex arg) {
  const System *s = k->s;
  Ex by_time = ex_diff(s->pool, arg, s->sym_time);
  double first = s->start == EX_NONE ? 0 : value_of(s, s->start, NULL, 0);
  double last = s->until == EX_NONE ? first : value_of(s, s->until, NULL, 0);
  Instant start = { k, first }, end = { k, isnan(last) ? first : last };
  return fmax(fabs(ex_eval(s->pool, by_time, then, &start)), fabs(ex_eval(s->pool, by_time, then, &end)));
}

// The period of sin, floor or a periodic table in its argument; 0: it has none.
static double period_of(const Check *k, Ex e) {
  Op op = ex_operator(k->s->pool, e);
  if (op == OP_SIN || op == OP_COS) return 2*PI;
  if (op == OP_FLOOR) return 1;
  if (op != OP_TABLE) return 0;
  const int *ids;
  if (ex_symbols(k->s->pool, ex_arg(k->s->pool, e, 0), &ids) != 1) return 0;
  return table_period(&k->s->model->table[symtab_at(k->s->sym, ids[0])->id]);
}

// sin(w t + ...) with h w > pi; floor(r t + ...), and periodic tables, with half a period below the step.
static void fast_sources(Check *k, const SysClass *c, void *ctx) {
  Sources *s = ctx;
  Pool *p = k->s->pool;
  Ex *root = ARENA_ARRAY(k->arena, Ex, 2 * c->nrow + 2);
  const Ex *order;
  int n = 0, m;
  for (int r = 0; r < c->nrow; r++) { root[n++] = c->f[r]; root[n++] = c->g[r]; }
  if (c->y != EX_NONE) root[n++] = c->y;
  m = n ? ex_topological(p, root, n, &order) : 0;
  for (int i = 0; i < m && !s->reported; i++) {
    double own = period_of(k, order[i]);
    if (!(own > 0)) continue;
    double period = own/rate_by_time(k, ex_arg(p, order[i], ex_operator(p, order[i]) == OP_TABLE));
    if (!(2*s->h > period*(1 + 1e-9))) continue;
    s->reported = true;
    const Model *model = k->s->model;                      // of a part of a library: the step, which is the user's own
    Span at = c->span.file == model->file || !model->sim.step ? c->span : model->sim.step->span;
    Diag *d = diag(k->bag, DIAG_W0848, at, "a source has a period of %.3g, and the step is %.3g", period,
                   s->h);
    diag_note(d, "a step sees it at its ends: what is between them has no part in the motion, or in the results");
    diag_help(d, "a step of %.1g shows it well", period/100);
  }
}

#define MOST_INSTANTS 1e9                               // as in runtime/clock/events.c

// Of the experiment, nan where it is not known.
static double length_of(const System *s) {
  if (s->until == EX_NONE) return NAN;
  return value_of(s, s->until, NULL, 0) - (s->start == EX_NONE ? 0 : value_of(s, s->start, NULL, 0));
}

static void check_sources(const Check *k, double h) {
  Check own = *k;
  Sources s = { h, false };
  for (int i = 0; i < k->s->ncls && !s.reported; i++) {
    const SysClass *c = &k->s->cls[i];
    if (c->kind == CLASS_SMOOTH || c->kind == CLASS_RELATION) each_instance(&own, c, fast_sources, &s);
    if (c->kind != CLASS_EVERY || !(value_of(k->s, c->period, NULL, 0) < h*(1 - 1e-9))) continue;
    s.reported = true;
    Diag *d = diag(k->bag, DIAG_W0848, c->span, "`every` has a period of %.3g, and the step is %.3g",
                   value_of(k->s, c->period, NULL, 0), h);
    double period = value_of(k->s, c->period, NULL, 0), many = length_of(k->s)/period;
    if (many > MOST_INSTANTS) {
      diag_note(d, "the run would have %.3g instants, and refuses more than %g; is its unit what is meant?", many,
                MOST_INSTANTS);
      continue;
    }
    if (many > 1e6)
      diag_note(d, "the run has %.3g instants, and a step ends at each; is its unit what is meant?", many);
    else diag_note(d, "steps end at its instants, so it runs as written; results have the rows of the step");
    diag_help(d, "a step of %.1g shows it well", period);
  }
}

static bool has_states_alone(const System *s) {
  for (int i = 0; i < s->model->nvar; i++)
    if (s->model->var[i].kind != MV_STATE && s->model->var[i].kind != MV_DISCRETE) return false;
  return true;
}

void check_step(Arena *a, const System *s, const char *explicit_by, double theta, double step, DiagBag *bag) {
  bool explicit_step = explicit_by != NULL;
  Check k = { .arena = a, .s = s, .bag = bag };
  Modes m;
  double h = step > 0 || s->step == EX_NONE ? step : value_of(s, s->step, NULL, 0);
  if (h > 0) check_sources(&k, h);
  bool first_order = h > 0 && has_states_alone(s);
  if (first_order) {
    check_open(&k, false, true);
    if (k.x) check_growth(&k, h, step);
  }
  if (!(h > 0) || first_order || (!explicit_step && theta > 0.5) || !is_oscillator(s, !explicit_step)) return;
  check_open(&k, false, true);
  if (!k.x || !k.x->nq || k.x->nx || !modes_of(&k, explicit_step, h, &m)) return;
  double omega = explicit_step ? m.fastest : m.slowest;
  if (!(h*omega > (explicit_step ? 2 : PI))) return;
  Span at = s->model->sim.step && !(step > 0) ? s->model->sim.step->span : s->model->span;
  Diag *d = !explicit_step
                ? diag(bag, DIAG_W0829, at, "the step %.3g is longer than half a period of every oscillation", h)
                : diag(bag, DIAG_W0829, at,
                       "the step %.3g is above 2/omega = %.3g of the fastest oscillation: `%s` is unstable", h,
                       2/omega, explicit_by);
  if (m.slowest == m.fastest) diag_label(d, "its period is %.3g", 2*PI/omega);
  else diag_label(d, "the %s one has a period of %.3g", explicit_step ? "fastest" : "slowest", 2*PI/omega);
  diag_help(d, "a step of %.1g shows it well", 2*PI/m.fastest/100);
}
