// Dampers that feed energy (W0823).
//
// A dissipation R(q, v) takes the power v.dR/dv; it is never negative. A force on one coordinate takes
// -(F(v) - F(0)) v with v its velocity. Both are evaluated at many generic points, of small and of large velocities:
// where they are negative at all of them, the sign is wrong. A dissipation that is a constant quadratic form is warned
// of where it has any negative direction. What feeds at small and takes at large amplitudes (van der Pol) is meant, and
// so is a controller, whose force depends on velocities in other ways than a damper's between two bodies.
#include <math.h>
#include "parts.h"

enum { POINTS = 60 };

// Slots of the class at hand at a generic point.
typedef struct Sample { Check *k; const SysClass *c; int number; double size; int set; double value; } Sample;

static double leaf(int id, void *sample) {
  Sample *s = sample;
  if (id == s->set) return s->value;
  double v = here(id, s->k);
  if (!isnan(v)) return v;
  const Sym *y = symtab_at(s->k->s->sym, id);
  return s->size*(y->kind == SYM_TIME ? fabs(generic_number(s->number, id)) : generic_number(s->number, id));
}

static double eval(Sample *s, Ex e, int set, double value) {
  s->set = set;
  s->value = value;
  return ex_eval(s->k->s->pool, e, leaf, s);
}

static void vary(Sample *s, int i) {
  static const double sizes[] = { 1, 1e-3, 1e3, 10, 0.1 };
  s->number = i;
  s->size = sizes[i % 5];
}

static void warn(const Check *k, const SysClass *c, Ex e, const char *what, const char *help) {
  Diag *d = diag(k->bag, DIAG_W0823, c->span, "%s", what);
  const char *with = parameters_text(k, &e, 1);
  if (with) diag_label(d, "with %s", with);
  diag_help(d, "%s", help);
}

// --- dissipation ---

// The smallest eigenvalue of the constant d2R/dv2, relative to the largest; nan where it is not constant.
static double least_damping(Check *k, const SysClass *c) {
  int n = c->nrow;
  Pool *p = k->s->pool;
  double *a = ARENA_ARRAY(k->arena, double, n*n + 1), *v = ARENA_ARRAY(k->arena, double, n*n + 1),
         *w = ARENA_ARRAY(k->arena, double, n + 1), least = INFINITY, largest = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Ex e = ex_neg(p, ex_diff(p, c->f[i], c->slot[c->row[j]].rate));
      a[i*n + j] = ex_eval(p, e, here, k);
      if (!isfinite(a[i*n + j])) return NAN;
    }
  symmetric_eigen(a, n, w, v);
  for (int i = 0; i < n; i++) {
    least = fmin(least, w[i]);
    largest = fmax(largest, fabs(w[i]));
  }
  return n && largest > 0 ? least/largest : 0;
}

typedef struct Verdict { bool negative, positive, reported; } Verdict;

static void dissipation(Check *k, const SysClass *c, void *ctx) {
  Verdict *v = ctx;
  if (v->reported) return;
  double least = least_damping(k, c);
  bool negative = least < -1e-9, positive = false;
  for (int i = 0; i < POINTS && isnan(least); i++) {
    Sample s = { .k = k, .c = c };
    vary(&s, i);
    double power = 0;
    for (int r = 0; r < c->nrow; r++)
      power -= eval(&s, c->f[r], -1, 0)*leaf(c->slot[c->row[r]].rate, &s);
    negative |= power < 0;
    positive |= power > 0 || isnan(power);
  }
  if (!negative || positive) return;
  v->reported = true;
  warn(k, c, c->dissipation, "this dissipation is negative: it feeds energy", "dissipation c*v^2/2 with c >= 0");
}

// --- forces ---

// A damper's force depends on its own velocity alone, or on the difference to others.
static bool like_a_damper(Check *k, const SysClass *c, int own) {
  Pool *p = k->s->pool;
  double sum = 0, most = 0;
  int others = 0;
  Sample s = { .k = k, .c = c };
  vary(&s, 0);
  for (int i = 0; i < c->nslot; i++) {
    if (c->slot[i].kind != SLOT_Q) continue;
    Ex d = ex_diff(p, c->f[0], c->slot[i].rate);
    if (ex_is_num(p, d, 0)) continue;
    double v = eval(&s, d, -1, 0);
    sum += v;
    most = fmax(most, fabs(v));
    others += c->slot[i].rate != own;
  }
  return others == 0 || fabs(sum) <= 1e-9*most;
}

static void force(Check *k, const SysClass *c, void *ctx) {
  Verdict *v = ctx;
  int own = c->slot[c->row[0]].rate;
  if (v->reported || !ex_depends(k->s->pool, c->f[0], own) || !like_a_damper(k, c, own)) return;
  for (int i = 0; i < POINTS; i++) {
    Sample s = { .k = k, .c = c };
    vary(&s, i);
    double x = leaf(own, &s), power = (eval(&s, c->f[0], own, x) - eval(&s, c->f[0], own, 0))*x;
    v->positive |= power > 0;
    v->negative |= power < 0 || isnan(power);
  }
}

// Does another statement damp the same coordinate? Then only their sum has a meaning.
static bool damped_elsewhere(const Check *k, const SysClass *c) {
  const Slot *own = &c->slot[c->row[0]];
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *o = &k->s->cls[i];
    if (o == c || o->kind != CLASS_SMOOTH || o->kinetic != EX_NONE || o->is_equation) continue;
    for (int r = 0; r < o->nrow; r++) {
      const Slot *t = &o->slot[o->row[r]];
      if (t->var == own->var && ex_depends(k->s->pool, o->f[r], t->rate)) return true;
    }
  }
  return false;
}

void check_power(Check *k) {
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    Verdict v = {0};
    if (c->kind != CLASS_SMOOTH || c->is_equation) continue;
    if (c->dissipation != EX_NONE) each_instance(k, c, dissipation, &v);
    if (c->dissipation != EX_NONE || c->kinetic != EX_NONE || c->potential != EX_NONE || c->nrow != 1) continue;
    each_instance(k, c, force, &v);
    if (v.positive && !v.negative && !damped_elsewhere(k, c))
      warn(k, c, c->f[0], arena_printf(k->arena, "this force grows with %s and points along it: it feeds energy",
                                       sym_name(c->slot[c->row[0]].rate, (void *)k->s)),
           "a damper acts against the velocity: force x = -c*x';");
  }
}
