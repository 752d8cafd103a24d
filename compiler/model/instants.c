// Instants that depend on time alone (docs/numerics/events.md, 8). A right side, a force, a law or an energy may have
//
//   if time > t1 then a else b,   sign(sin(w*time)),   floor(time/T),   abs, min, max, table(time, ...)
//
// A step across such a place mixes what stands before it and after it, and is of first order. Each of these has a value
// that is constant in pieces: of a comparison whether it holds, of sign and floor their own, of a table the number of
// the interval. Here this value p becomes a discrete variable d of the run, no column of results, that a block sets,
//
//   when initial or p != d { d = p }
//
// so a step ends where p changes, and the expression reads d: before the end it has its value from before, after it
// the one from after, whatever time a scheme asks for. What is left of it is smooth:
//
//   a < b: d;   floor(e), sign(e): d;   abs(e): if e < 0 then -e else e;   min(a, b): if a < b then a else b
//
// From inside outwards, so that what stands around a floor or a comparison is smooth between two instants. `crossing`
// is below 0 where p = d and passes 0 where it changes; where it is affine in time one instant follows the other.
#include "instants.h"
#include <string.h>
#include "../base/map.h"
#include "mx.h"

typedef struct Instants {
  Arena *a;
  Model *m;
  int first;               // of the variables made here
  const MContext *ctx;     // of the statement at hand
  Map *done;               // of its expressions: what became of them
  DiagBag *bag;
} Instants;

// ---- which expressions ----------------------------------------------------------------------------------------------
static bool by_time(const MExpr *x) {
  return (x->uses & MU_TIME) && !(x->uses & ~(unsigned)(MU_PARAM | MU_LOOP | MU_TIME | MU_DISCRETE));
}

// The loops of the statement that x reads, as a context of its own: place[k] is the new place of loop k. Bounds of a
// discrete variable depend on parameters alone.
static void mark_loops(const MExpr *x, bool *read) {
  if (!(x->uses & MU_LOOP)) return;
  if (x->kind == MX_LOOP) read[x->id] = true;
  for (int i = 0; i < x->nargs; i++) mark_loops(x->arg[i], read);
}

static bool own_loops(const Instants *s, const MExpr *x, MContext *own, MExpr **place) {
  bool read[64] = { false };
  if (s->ctx->n > 64) return false;
  mark_loops(x, read);
  *own = (MContext){ 0, ARENA_ARRAY(s->a, MLoop, s->ctx->n + 1) };
  for (int k = 0; k < s->ctx->n; k++) {
    if (!read[k]) continue;
    if ((s->ctx->loop[k].lo->uses | s->ctx->loop[k].hi->uses) & MU_LOOP) return false;
    place[k] = mx_loop(s->a, own->n, x->span);
    own->loop[own->n++] = s->ctx->loop[k];
  }
  return own->n <= MAX_INDICES;
}

static bool same_loops(const MContext *x, const MContext *y) {
  if (x->n != y->n) return false;
  for (int k = 0; k < x->n; k++)
    if (!mx_same(x->loop[k].lo, y->loop[k].lo) || !mx_same(x->loop[k].hi, y->loop[k].hi)) return false;
  return true;
}

// ---- the discrete variable ------------------------------------------------------------------------------------------
static MExpr *op_3(const Instants *s, MExpr *c, MExpr *yes, MExpr *no) {
  return mx_op(s->a, MOP_IF, (MExpr *[]){ c, yes, no }, 3, c->span);
}

static MExpr *number(const Instants *s, double v, const MExpr *at) { return mx_num(s->a, v, at->span); }

// What passes 0 from below where the value of x leaves d.
static MExpr *crossing(const Instants *s, const MExpr *x, MExpr *d) {
  Arena *a = s->a;
  MExpr *one = number(s, 1, x), *p = x->arg[0];
  if (x->kind != MX_OP) return number(s, -1, x);
  if (x->op == MOP_SEGMENT) return mx_leaves(a, x);
  if (x->op == MOP_FLOOR)
    return mx_2(a, MOP_MAX, mx_2(a, MOP_SUB, d, p, x->span),
                mx_2(a, MOP_SUB, mx_2(a, MOP_SUB, p, d, x->span), one, x->span), x->span);
  if (x->op == MOP_SIGN) return mx_neg(a, mx_2(a, MOP_MUL, d, p, x->span), x->span);
  MExpr *holds = x->op == MOP_LT || x->op == MOP_LE ? mx_2(a, MOP_SUB, x->arg[1], x->arg[0], x->span)
                                                    : mx_2(a, MOP_SUB, x->arg[0], x->arg[1], x->span);
  return op_3(s, mx_2(a, MOP_GT, d, number(s, 0.5, x), x->span), mx_neg(a, holds, x->span), holds);
}

// The functions of time whose signs decide: where these are affine each instant is the only one of its piece.
static bool is_plain(const MExpr *x) {
  for (int i = 0; i < x->nargs; i++) if (!mx_affine_in_time(x->arg[i])) return false;
  return true;
}

static MExpr *value_at(const Instants *s, int var, MExpr *const *index, int n, Span at) {
  return mx_var(s->a, &s->m->var[var], var, index, n, false, at);
}

static MExpr *in_own_loops(const Instants *s, int var, const MContext *own, Span at) {
  MExpr *index[MAX_INDICES];
  for (int k = 0; k < own->n; k++) index[k] = mx_loop(s->a, k, at);
  return value_at(s, var, index, own->n, at);
}

// x with the start in the place of time; NULL where it has rates.
static MExpr *at_start(const Instants *s, MExpr *x, Map *done) {
  if (!(x->uses & MU_TIME)) return x;
  if (x->kind == MX_TIME) return s->m->sim.start ? s->m->sim.start : number(s, 0, x);
  MExpr **arg = ARENA_ARRAY(s->a, MExpr *, x->nargs + 1), *y = map_get(done, x);
  if (y || x->kind != MX_OP) return y;
  for (int i = 0; i < x->nargs; i++)
    if (!(arg[i] = at_start(s, x->arg[i], done))) return NULL;
  y = mx_again(s->a, x, arg);
  map_put(done, x, y);
  return y;
}

static int new_variable(Instants *s, const MContext *own, Span at) {
  Model *m = s->m;
  ARENA_MORE(s->a, m->var, m->nvar, MVar);
  int id = m->nvar++;
  const char *name = arena_printf(s->a, "instant%d", id - s->first + 1), *marks = "";
  for (int k = 0; k < own->n; k++) marks = arena_printf(s->a, "%s[%%]", marks);
  m->var[id] = (MVar){ .kind = MV_DISCRETE, .by_time = true, .name = arena_printf(s->a, "%s%s", name, marks),
                       .plain = name, .ndim = own->n, .span = at };
  for (int k = 0; k < own->n; k++) {
    m->var[id].lo[k] = own->loop[k].lo;
    m->var[id].hi[k] = own->loop[k].hi;
  }
  return id;
}

// start: the value at the start, over parameters and indices; NULL: the block sets it then.
static int variable(Instants *s, const MContext *own, MExpr *x, MExpr *start) {
  Model *m = s->m;
  bool truth = x->op != MOP_FLOOR && x->op != MOP_SIGN && x->op != MOP_SEGMENT;
  MExpr *one = number(s, 1, x), *none = number(s, 0, x), *p = truth ? op_3(s, x, one, none) : x;
  for (int i = 0; i < m->naction; i++)
    if (m->block[m->action[i].block].by_time && same_loops(&m->block[m->action[i].block].ctx, own) &&
        mx_same(m->action[i].value, p))
      return m->action[i].on->id;
  int id = new_variable(s, own, x->span);
  ARENA_MORE(s->a, m->init, m->ninit, MInit);
  ARENA_MORE(s->a, m->block, m->nblock, MBlock);
  ARENA_MORE(s->a, m->action, m->naction, MAction);
  MExpr *d = in_own_loops(s, id, own, x->span), *other = mx_2(s->a, MOP_NE, p, d, x->span);
  if (!truth) {                                            // a value that is no number changes nothing
    MExpr *finite = mx_2(s->a, MOP_LT, mx_1(s->a, MOP_ABS, p, x->span), number(s, 1e300, x), x->span);
    other = mx_2(s->a, MOP_AND, finite, other, x->span);
  }
  MExpr *at_first = !start ? none : truth ? op_3(s, start, one, none) : start;
  m->init[m->ninit++] = (MInit){ .ctx = *own, .on = d, .value = at_first, .span = x->span };
  m->block[m->nblock] = (MBlock){ .ctx = *own, .cond = other, .crossing = crossing(s, x, d), .initial = true,
                                  .switches = true, .by_time = true, .wavy = !is_plain(x), .span = x->span };
  m->action[m->naction++] = (MAction){ .kind = MA_ASSIGN, .block = m->nblock++, .on = d, .value = p, .span = x->span };
  return id;
}

// x, whose arguments are smooth between instants: what is read in its place, d; NULL: it stays. given: x as written.
static MExpr *discrete(Instants *s, MExpr *x, MExpr *given) {
  MContext own;
  MExpr *place[64] = { NULL }, *index[MAX_INDICES];
  if (!by_time(x)) return NULL;
  if (!own_loops(s, x, &own, place)) {
    Diag *d = diag(s->bag, DIAG_W0845, x->span, "steps do not end where this changes");
    diag_label(d, "it depends on an index whose range depends on another index");
    diag_help(d, "let the range depend on parameters alone; steps across it are of first order");
    return NULL;
  }
  MExpr *start = given->uses & MU_DISCRETE ? NULL : at_start(s, given, map_new(s->a));
  if (start) start = mx_subst(s->a, start, place, s->ctx->n);
  int var = variable(s, &own, mx_subst(s->a, x, place, s->ctx->n), start), n = 0;
  for (int k = 0; k < s->ctx->n; k++) if (place[k]) index[n++] = mx_loop(s->a, k, x->span);
  return value_at(s, var, index, n, x->span);
}

// ---- expressions ----------------------------------------------------------------------------------------------------
static MExpr *truth_of(Instants *s, MExpr *x, MExpr *given) {
  MExpr *d = discrete(s, x, given);
  return d ? mx_2(s->a, MOP_GT, d, number(s, 0.5, x), x->span) : x;
}

// if a < b then yes else no.
static MExpr *choice(Instants *s, MExpr *x, MExpr *less, MExpr *given, MExpr *yes, MExpr *no) {
  MExpr *c = truth_of(s, less, given);
  return c == less ? x : op_3(s, c, yes, no);
}

static void ends_of_table(Instants *s, MExpr *x, MExpr *given) {
  if (s->m->table[x->id].data[1] > 1) return;              // a spline has no kinks
  (void)discrete(s, mx_segment(s->a, x, x->arg[0]), mx_segment(s->a, x, given->arg[0]));
}

static MExpr *operation(Instants *s, MExpr *x, MExpr *given) {
  Arena *a = s->a;
  MExpr *p = x->arg[0], *q = x->nargs > 1 ? x->arg[1] : NULL, *none, *d;
  if (!by_time(x)) return x;
  switch (x->op) {
  case MOP_LT: case MOP_LE: case MOP_GT: case MOP_GE: return truth_of(s, x, given);
  case MOP_FLOOR: case MOP_SIGN: return (d = discrete(s, x, given)) ? d : x;
  case MOP_ABS:
    none = number(s, 0, x);
    return choice(s, x, mx_2(a, MOP_LT, p, none, x->span), mx_2(a, MOP_LT, given->arg[0], none, x->span),
                  mx_neg(a, p, x->span), p);
  case MOP_MIN: case MOP_MAX:
    return choice(s, x, mx_2(a, MOP_LT, p, q, x->span), mx_2(a, MOP_LT, given->arg[0], given->arg[1], x->span),
                  x->op == MOP_MIN ? p : q, x->op == MOP_MIN ? q : p);
  case MOP_TABLE: ends_of_table(s, x, given); return x;
  default: return x;
  }
}

static MExpr *rewritten(Instants *s, MExpr *x) {
  if (!x || !(x->uses & MU_TIME) || x->nargs == 0 || (x->kind != MX_OP && x->kind != MX_RATE)) return x;
  MExpr *known = map_get(s->done, x), **arg = ARENA_ARRAY(s->a, MExpr *, x->nargs), *y = x;
  if (known) return known;
  bool same = true;
  for (int i = 0; i < x->nargs; i++) {
    arg[i] = rewritten(s, x->arg[i]);
    same &= arg[i] == x->arg[i];
  }
  if (!same) y = x->kind == MX_RATE ? mx_rate(s->a, arg[0], x->span) : mx_again(s->a, x, arg);
  if (x->kind == MX_OP) y = operation(s, y, x);
  map_put(s->done, x, y);
  return y;
}

// ---- statements -----------------------------------------------------------------------------------------------------
static void begin(Instants *s, const MContext *ctx) {
  s->ctx = ctx;
  s->done = map_new(s->a);
}

static void of_friction(Instants *s, MFriction *f) {
  MExpr **slip = ARENA_ARRAY(s->a, MExpr *, f->nslip + 1);
  f->mu = rewritten(s, f->mu);
  f->mu2 = rewritten(s, f->mu2);
  f->radius = rewritten(s, f->radius);
  f->force = rewritten(s, f->force);
  for (int i = 0; i < f->nslip; i++) slip[i] = rewritten(s, f->slip[i]);
  f->slip = slip;
}

static void of_first_order(Instants *s) {
  Model *m = s->m;
  ARENA_MORE(s->a, m->equation, m->nequation, MEquation);
  ARENA_MORE(s->a, m->relation, m->nrelation, MRelation);
  for (int i = 0; i < m->nequation; i++) {
    begin(s, &m->equation[i].ctx);
    m->equation[i].lhs = rewritten(s, m->equation[i].lhs);
    m->equation[i].rhs = rewritten(s, m->equation[i].rhs);
  }
  for (int i = 0; i < m->nrelation; i++) {
    begin(s, &m->relation[i].ctx);
    m->relation[i].y = rewritten(s, m->relation[i].y);
    m->relation[i].lo = rewritten(s, m->relation[i].lo);
    m->relation[i].hi = rewritten(s, m->relation[i].hi);
  }
}

static void of_mechanics(Instants *s) {
  Model *m = s->m;
  ARENA_MORE(s->a, m->energy, m->nenergy, MEnergy);
  ARENA_MORE(s->a, m->force, m->nforce, MForce);
  ARENA_MORE(s->a, m->contact, m->ncontact, MContact);
  ARENA_MORE(s->a, m->constraint, m->nconstraint, MConstraint);
  for (int i = 0; i < m->nenergy; i++) {
    begin(s, &m->energy[i].ctx);
    m->energy[i].value = rewritten(s, m->energy[i].value);
  }
  for (int i = 0; i < m->nforce; i++) {
    begin(s, &m->force[i].ctx);
    m->force[i].on = rewritten(s, m->force[i].on);
    m->force[i].value = rewritten(s, m->force[i].value);
  }
  for (int i = 0; i < m->ncontact; i++) {
    MContact *c = &m->contact[i];
    begin(s, &c->ctx);
    c->gap = rewritten(s, c->gap);
    c->e = rewritten(s, c->e);
    c->e_t = rewritten(s, c->e_t);
    c->ratio = rewritten(s, c->ratio);
    c->exponent = rewritten(s, c->exponent);
    of_friction(s, &c->friction);
  }
  for (int i = 0; i < m->nconstraint; i++) {
    begin(s, &m->constraint[i].ctx);
    m->constraint[i].value = rewritten(s, m->constraint[i].value);
    of_friction(s, &m->constraint[i].friction);
  }
}

static void of_driven_bodies(Instants *s) {
  Model *m = s->m;
  ARENA_MORE(s->a, m->solid, m->nsolid, MSolid);
  for (int i = 0; i < m->nsolid; i++) {
    MSolid *b = &m->solid[i];
    if (b->motion != MB_DRIVEN) continue;
    begin(s, &b->ctx);
    for (int k = 0; k < 12; k++) b->pose[k] = rewritten(s, b->pose[k]);
    for (int k = 0; k < 6; k++) b->rates[k] = rewritten(s, b->rates[k]);
  }
}

const Model *with_instants(Arena *a, const Model *given, DiagBag *bag) {
  Model *m = ARENA_NEW(a, Model);
  *m = *given;
  Instants all = { .a = a, .m = m, .first = m->nvar, .bag = bag }, *s = &all;
  of_first_order(s);
  of_mechanics(s);
  of_driven_bodies(s);
  return m->nvar > given->nvar ? m : given;
}
