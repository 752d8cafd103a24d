// Slip velocities that are no tangential ones (E0415, W0827): equal to the rate of the gap, two directions that are
// one, or the rate of the gap with something added.
//
// Compared as vectors H over the coordinates, at generic points: what is parallel at all of them is the same direction.
#include <math.h>
#include "parts.h"

enum { POINTS = 3 };
typedef struct Pair { const SysClass *a, *b; bool parallel, any; } Pair;

// Coefficients of the velocity of slot t of class c in row `of`: the same symbol in both classes is the same velocity.
static Ex coefficient(const Check *k, const SysClass *of, int rate) { return ex_diff(k->s->pool, of->rate, rate); }

typedef struct Leaf { Check *k; int number; } Leaf;

static double generic(int id, void *leaf) {          // in (0.3, 1.3), the same for the same symbol
  Leaf *l = leaf;
  double v = here(id, l->k);
  if (!isnan(v)) return v;
  return 0.8 + generic_number(l->number, id)/2;
}

// One point: are the two parallel there?
static void at_point_of(Pair *p, Leaf *l) {
  const SysClass *a = p->a, *b = p->b;
  double ab = 0, aa = 0, bb = 0;
  for (int i = 0; i < a->nslot; i++) {
    if (a->slot[i].kind != SLOT_Q) continue;
    double x = ex_eval(l->k->s->pool, coefficient(l->k, a, a->slot[i].rate), generic, l);
    double y = ex_eval(l->k->s->pool, coefficient(l->k, b, a->slot[i].rate), generic, l);
    ab += x*y;
    aa += x*x;
    bb += y*y;
  }
  for (int i = 0; i < b->nslot; i++)                  // velocities of b that a does not have
    if (b->slot[i].kind == SLOT_Q && slots_find(a, b->slot[i].rate) < 0)
      bb += pow(ex_eval(l->k->s->pool, coefficient(l->k, b, b->slot[i].rate), generic, l), 2);
  p->parallel &= isfinite(ab) && aa > 0 && bb > 0 && fabs(ab) > (1 - 1e-12)*sqrt(aa)*sqrt(bb);
}

// Is a the rate b with velocities added that b does not have? Said only where all of b has the factor 1 or -1: a slip
// may well contain an angle on which the gap depends as well, with a lever of its own.
static bool contains(const Check *k, const SysClass *a, const SysClass *b) {
  double sign = 0;
  bool more = false;
  for (int i = 0; i < b->nslot; i++) {
    if (b->slot[i].kind != SLOT_Q) continue;
    Ex x = coefficient(k, a, b->slot[i].rate), y = coefficient(k, b, b->slot[i].rate);
    if (ex_is_num(k->s->pool, y, 0)) continue;
    if (ex_operator(k->s->pool, x) != OP_NUM || ex_operator(k->s->pool, y) != OP_NUM) return false;
    double factor = ex_value(k->s->pool, x)/ex_value(k->s->pool, y);
    if (fabs(ex_value(k->s->pool, x)) != 1 || fabs(factor) != 1 || (sign != 0 && factor != sign)) return false;
    sign = factor;
  }
  for (int i = 0; i < a->nslot; i++)
    more |= a->slot[i].kind == SLOT_Q && ex_is_num(k->s->pool, coefficient(k, b, a->slot[i].rate), 0);
  return sign != 0 && more;
}

static void compare(Check *k, const SysClass *c, void *ctx) {
  Pair *p = ctx;
  (void)c;
  p->any = true;
  for (int i = 0; i < POINTS; i++) at_point_of(p, &(Leaf){ k, i });
}

static void refuse(const Check *k, const SysClass *slip, const SysClass *other) {
  bool normal = other->kind != CLASS_FRICTION;
  Diag *d = diag(k->bag, DIAG_E0415, slip->y_span, "%s",
                 normal ? "this slip is the normal velocity: friction would act against the gap"
                        : "two directions of slip are one");
  if (normal) diag_also(d, other->y_span, "the normal direction");
  if (normal) diag_help(d, "a slip is the velocity along the surface");
  else diag_help(d, "slip = v; for one direction, slip = [v1, v2]; for two that differ");
}

static void warn(const Check *k, const SysClass *slip, const SysClass *other) {
  Diag *d = diag(k->bag, DIAG_W0827, slip->y_span, "this slip contains the normal velocity");
  diag_also(d, other->y_span, "the normal direction");
  diag_note(d, "friction would act against the closing of the gap as well");
  diag_help(d, "a slip is the velocity along the surface alone");
}

// --- coefficients by the values of their parameters; numbers are checked when the rows are derived ---

typedef struct Coefficient { Ex e; const char *what; bool reported; } Coefficient;

static void not_negative(Check *k, const SysClass *c, void *ctx) {
  Coefficient *m = ctx;
  double v = value_of(k->s, m->e, k->loop, 8);
  if (m->reported || !(v < 0)) return;
  m->reported = true;
  Diag *d = diag(k->bag, DIAG_E0404, c->law_span, "a %s is not negative, this one is %g", m->what, v);
  const char *with = parameters_text(k, &m->e, 1);
  if (with) diag_label(d, "with %s", with);
  diag_help(d, "friction acts against the slip by itself");
}

static void check_coefficients(Check *k, const SysClass *c) {
  bool given = c->normal < 0, drills = friction_law(c->friction)->drills;
  const char *third = c->friction == MF_GIVEN ? "limit of friction" : given ? "normal force" : "radius";
  Coefficient all[] = { { c->mu, "coefficient of friction", false },
                        { c->mu2, given && drills ? "radius" : "coefficient of friction", false },
                        { c->radius, third, false } };
  for (int i = 0; i < 3; i++)
    if (all[i].e != EX_NONE && c->direction == 0) every_instance(k, c, not_negative, &all[i]);
}

void check_slips(Check *k) {
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    if (c->kind != CLASS_FRICTION) continue;
    check_coefficients(k, c);
    const SysClass *other[3] = { c->normal >= 0 ? &k->s->cls[c->normal] : NULL };
    for (int j = 1; j <= c->direction && j < 3; j++) other[j] = c - j;
    for (int j = 0; j < 3; j++) {
      if (!other[j]) continue;
      Pair p = { c, other[j], true, false };
      each_instance(k, c, compare, &p);
      if (!p.any) continue;
      if (p.parallel) { refuse(k, c, other[j]); break; }
      if (j == 0 && contains(k, c, other[j])) warn(k, c, other[j]);
    }
  }
}
