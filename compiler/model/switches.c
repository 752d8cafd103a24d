// Switches of `if` in a run that locates its events (docs/numerics/located.md, 8). Where a right side has
//
//   if c then a else b,    c a comparison of what moves,
//
// a step that passes the switch mixes both branches, and is of first order. Here c becomes a discrete variable that two
// conditions set, `when initial or c` and `when initial or not c`: a step ends where c changes, and has one branch.
// Equations of states and forces are rewritten so. Energies are continuous, and so are their forces but for kinks,
// which leave the order at 2; contacts and relations have sets of their own. Where a scheme asks for kinks, those of
// energies end pieces.
//
// A scheme of higher order asks for kinks and jumps too, of what moves:
//
//   abs(p): if p < 0 then -p else p      min(p, q): if p < q then p else q      sign(p): by p > 0 and p < 0
//   floor(p): a discrete variable d = floor(p) that is set where p passes d or d + 1
//   table(p, ...) and spline: d, the number of the interval of p; the expression stays as it is
//
// Where a state that p reads has sign(p), or an `if` by p, in the right side of its own derivative, both
// sides may drive p back. What goes on then is the mean of both that keeps p = 0 [Filippov 1988]: a relay,
//
//   sign(p): l        if p > 0 then a else b: (a + b)/2 + (a - b)/2 l        l in Sgn(p)
//
// with a relation of its own, which a scheme with sets slides on. a - b must not move: so it is no kink.
#include "switches.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "../base/map.h"
#include "mx.h"

typedef struct Switches {
  Arena *a;
  Model *m;
  int first;               // of the variables made here
  int first_relation;
  const MContext *ctx;     // of the statement at hand
  DiagBag *bag;
  bool kinks;              // abs, min, max, sign and floor too
  bool hidden;             // branches are no columns of the results
  const MEquation *equation;   // the one at hand; NULL: a force, an output
  Map *done;               // of the expressions of the statement: what became of them
} Switches;

// ---- which conditions ----------------------------------------------------------------------------------------------
static bool rate_of_state(const Model *m, const MExpr *x) {
  if (x->kind == MX_RATE) return true;
  if (x->kind == MX_VAR && x->derivative && m->var[x->id].kind != MV_COORD) return true;
  for (int i = 0; i < x->nargs; i++) if (rate_of_state(m, x->arg[i])) return true;
  return false;
}

static bool compares(const MExpr *c) {
  if (c->kind != MX_OP) return false;
  switch (c->op) {
  case MOP_LT: case MOP_LE: case MOP_GT: case MOP_GE: return true;
  case MOP_AND: case MOP_OR: return compares(c->arg[0]) && compares(c->arg[1]);
  case MOP_NOT: return compares(c->arg[0]);
  default: return false;
  }
}

static bool by_time_alone(const MExpr *c) { return !(c->uses & (MU_VAR | MU_RATE | MU_INPUT)); }

// Indices of a variable are bounded by parameters alone.
static bool plain_loops(const MContext *ctx) {
  for (int k = 0; k < ctx->n; k++)
    if ((ctx->loop[k].lo->uses | ctx->loop[k].hi->uses) & MU_LOOP) return false;
  return ctx->n <= MAX_INDICES;
}

static const char *why_not(const Switches *s, const MExpr *c) {
  return !plain_loops(s->ctx)      ? "its loops have bounds by other loops"
         : c->uses & MU_LAMBDA     ? "it reads a multiplier, which jumps"
         : rate_of_state(s->m, c)  ? "it reads the derivative of a state"
         : !compares(c)            ? "it compares what is equal or not"
                                   : NULL;
}

// ---- the discrete variable ------------------------------------------------------------------------------------------
// What passes 0 from below where c becomes true.
static MExpr *side(const Switches *s, const MExpr *c) {
  Arena *a = s->a;
  if (!(c->uses & (MU_VAR | MU_RATE | MU_TIME | MU_INPUT))) {
    MExpr *far = mx_num(a, 1e300, c->span);
    return mx_op(a, MOP_IF, (MExpr *[]){ (MExpr *)c, far, mx_neg(a, far, c->span) }, 3, c->span);
  }
  switch (c->op) {
  case MOP_NE: return mx_leaves(a, c->arg[0]);             // of a number of an interval
  case MOP_LT: case MOP_LE: return mx_2(a, MOP_SUB, c->arg[1], c->arg[0], c->span);
  case MOP_AND: case MOP_OR:
    return mx_2(a, c->op == MOP_AND ? MOP_MIN : MOP_MAX, side(s, c->arg[0]), side(s, c->arg[1]), c->span);
  case MOP_NOT: return mx_neg(a, side(s, c->arg[0]), c->span);
  default: return mx_2(a, MOP_SUB, c->arg[0], c->arg[1], c->span);
  }
}

static bool same_loops(const MContext *x, const MContext *y) {
  if (x->n != y->n) return false;
  for (int k = 0; k < x->n; k++)
    if (!mx_same(x->loop[k].lo, y->loop[k].lo) || !mx_same(x->loop[k].hi, y->loop[k].hi)) return false;
  return true;
}

static MExpr *value_of_switch(const Switches *s, int var, Span at) {
  MExpr *index[MAX_INDICES];
  for (int k = 0; k < s->ctx->n; k++) index[k] = mx_loop(s->a, k, at);
  return mx_var(s->a, &s->m->var[var], var, index, s->ctx->n, false, at);
}

static void block(Switches *s, const MExpr *c, int var, MExpr *value) {
  Model *m = s->m;
  ARENA_MORE(s->a, m->block, m->nblock, MBlock);
  ARENA_MORE(s->a, m->action, m->naction, MAction);
  m->block[m->nblock] = (MBlock){ .ctx = *s->ctx, .cond = (MExpr *)c, .crossing = side(s, c), .initial = true,
                                  .switches = true, .wavy = true, .span = c->span };
  m->action[m->naction++] = (MAction){ .kind = MA_ASSIGN, .block = m->nblock++,
                                       .on = value_of_switch(s, var, c->span),
                                       .value = value, .span = c->span };
}

static int new_name(Switches *s, MVarKind kind, const char *what, Span at) {
  Model *m = s->m;
  ARENA_MORE(s->a, m->var, m->nvar, MVar);
  int id = m->nvar++;
  const char *name = arena_printf(s->a, "%s%d", what, id - s->first + 1), *marks = "";
  for (int k = 0; k < s->ctx->n; k++) marks = arena_printf(s->a, "%s[%%]", marks);
  m->var[id] = (MVar){ .kind = kind, .name = arena_printf(s->a, "%s%s", name, marks), .plain = name,
                       .ndim = s->ctx->n, .hidden = kind == MV_DISCRETE && s->hidden, .span = at };
  for (int k = 0; k < s->ctx->n; k++) {
    m->var[id].lo[k] = s->ctx->loop[k].lo;
    m->var[id].hi[k] = s->ctx->loop[k].hi;
  }
  return id;
}

// A discrete variable that starts at 0.
static int new_variable(Switches *s, const MExpr *c) {
  Model *m = s->m;
  ARENA_MORE(s->a, m->init, m->ninit, MInit);
  int id = new_name(s, MV_DISCRETE, "branch", c->span);
  m->init[m->ninit++] = (MInit){ .ctx = *s->ctx, .on = value_of_switch(s, id, c->span),
                                 .value = mx_num(s->a, 0, c->span), .span = c->span };
  return id;
}

// kink: its two values are the same where c changes. A condition that also stands where something jumps is none. c sets
// the variable to 1; `not c`, its second block, to 0, and has a variable of its own where it is asked for.
static int variable(Switches *s, const MExpr *c, bool kink) {
  Model *m = s->m;
  for (int i = 0; i < m->nblock; i++) {
    MBlock *b = &m->block[i];
    if (!b->switches || !same_loops(&b->ctx, s->ctx) || !mx_same(b->cond, c)) continue;
    const MAction *sets = &m->action[m->naction - (m->nblock - i)];
    if (!mx_is_num(sets->value, 1)) continue;
    for (int k = 0; k < 2; k++) b[k].kink &= kink;
    return sets->on->id;
  }
  int id = new_variable(s, c);
  block(s, c, id, mx_num(s->a, 1, c->span));
  block(s, mx_1(s->a, MOP_NOT, (MExpr *)c, c->span), id, mx_num(s->a, 0, c->span));
  m->block[m->nblock - 2].kink = m->block[m->nblock - 1].kink = kink;
  return id;
}

// ---- what slides ----------------------------------------------------------------------------------------------------
// Which states x reads: their values, or their derivatives; into which[0 .. first).
static void collect(const Switches *s, const MExpr *x, bool derivative, bool *which, Map *seen) {
  if (!(x->uses & MU_VAR) || map_get(seen, x)) return;
  map_put(seen, x, (void *)(uintptr_t)x);
  if (x->kind == MX_VAR && x->id < s->first && x->derivative == derivative && s->m->var[x->id].kind == MV_STATE)
    which[x->id] = true;
  for (int i = 0; i < x->nargs; i++) collect(s, x->arg[i], derivative, which, seen);
}

// Is the equation at hand for the derivative of a state that p reads?
static bool drives(const Switches *s, const MExpr *p) {
  bool *read = ARENA_ARRAY(s->a, bool, s->first + 1), *driven = ARENA_ARRAY(s->a, bool, s->first + 1);
  collect(s, p, false, read, map_new(s->a));
  collect(s, s->equation->lhs, true, driven, map_new(s->a));
  for (int v = 0; v < s->first; v++) if (read[v] && driven[v]) return true;
  return false;
}

// The relay l in Sgn(p), made once; NULL: there is none, and nothing drives p.
static MExpr *relay(Switches *s, MExpr *p) {
  Model *m = s->m;
  for (int i = s->first_relation; i < m->nrelation; i++) {
    const MRelation *r = &m->relation[i];
    if (same_loops(&r->ctx, s->ctx) && mx_same(r->y->arg[0], p)) return r->lambda;
  }
  if (!s->equation || !drives(s, p)) return NULL;
  ARENA_MORE(s->a, m->relation, m->nrelation, MRelation);
  MExpr *y = mx_neg(s->a, p, p->span);
  if (y->kind != MX_OP || y->op != MOP_NEG) y = mx_1(s->a, MOP_NEG, p, p->span);
  int id = new_name(s, MV_MULTIPLIER, "slide", p->span);
  MExpr *l = value_of_switch(s, id, p->span);
  m->relation[m->nrelation++] = (MRelation){
    .ctx = *s->ctx, .name = m->var[id].name, .law = ML_BOX, .y = y, .lambda = l, .lo = mx_num(s->a, -1, p->span),
    .hi = mx_num(s->a, 1, p->span), .span = p->span, .y_span = p->span, .lambda_span = p->span, .law_span = p->span };
  return l;
}

static bool is_fixed(const MExpr *x) { return !(x->uses & ~(unsigned)(MU_PARAM | MU_LOOP | MU_TIME | MU_DISCRETE)); }

// The terms of x with their signs, not more than MOST_TERMS of them. 0: there are more.
enum { MOST_TERMS = 16 };
typedef struct Term { MExpr *of; bool negative; } Term;
static bool terms(Arena *a, MExpr *x, bool negative, Term *to, int *n) {
  if (x->kind == MX_OP && (x->op == MOP_ADD || x->op == MOP_SUB))
    return terms(a, x->arg[0], negative, to, n) && terms(a, x->arg[1], negative != (x->op == MOP_SUB), to, n);
  if (x->kind == MX_OP && x->op == MOP_NEG) return terms(a, x->arg[0], !negative, to, n);
  if (x->kind == MX_OP && (x->op == MOP_MUL || x->op == MOP_DIV) && x->arg[0]->kind == MX_OP &&
      x->arg[0]->op == MOP_NEG)                            // -x/b
    return terms(a, mx_2(a, x->op, x->arg[0]->arg[0], x->arg[1], x->span), !negative, to, n);
  if (*n == MOST_TERMS) return false;
  to[(*n)++] = (Term){ x, negative };
  return true;
}

// a - b where that does not move, as terms that do are in both; else NULL.
static MExpr *jump_of(const Switches *s, MExpr *a, MExpr *b) {
  Term all[MOST_TERMS];
  int n = 0;
  if (!terms(s->a, a, false, all, &n) || !terms(s->a, b, true, all, &n)) return NULL;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n && all[i].of; j++)
      if (all[j].of && all[i].negative != all[j].negative && mx_same(all[i].of, all[j].of))
        all[i].of = all[j].of = NULL;
  MExpr *sum = NULL;
  for (int i = 0; i < n; i++) {
    if (!all[i].of) continue;
    if (!is_fixed(all[i].of)) return NULL;
    MExpr *term = all[i].negative ? mx_neg(s->a, all[i].of, a->span) : all[i].of;
    sum = sum ? mx_2(s->a, MOP_ADD, sum, term, a->span) : term;
  }
  return sum;
}

// sign(p), or an `if` by p whose branches are apart by what does not move; NULL where it does not slide.
static MExpr *sliding(Switches *s, MExpr *x, MExpr **arg) {
  Arena *a = s->a;
  Span at = x->span;
  if (!s->kinks || x->kind != MX_OP || (x->op != MOP_SIGN && x->op != MOP_IF) || is_fixed(arg[0])) return NULL;
  if (x->op == MOP_SIGN)
    return why_not(s, mx_2(a, MOP_LT, arg[0], mx_num(a, 0, at), at)) ? NULL : relay(s, arg[0]);
  const MExpr *c = arg[0];
  bool one = c->kind == MX_OP && (c->op == MOP_LT || c->op == MOP_LE || c->op == MOP_GT || c->op == MOP_GE);
  MExpr *jump = one && !why_not(s, c) ? jump_of(s, arg[1], arg[2]) : NULL, *l = jump ? relay(s, side(s, c)) : NULL;
  if (!l) return NULL;
  MExpr *half = mx_num(a, 0.5, at), *mean = mx_2(a, MOP_ADD, arg[1], arg[2], at);
  return mx_2(a, MOP_MUL, half, mx_2(a, MOP_ADD, mean, mx_2(a, MOP_MUL, jump, l, at), at), at);
}

// ---- statements -----------------------------------------------------------------------------------------------------
static void tell(const Switches *s, const MExpr *c, const char *why) {
  Diag *d = diag(s->bag, DIAG_W0845, c->span, "this switch is not located");
  diag_label(d, "%s", why);
  diag_help(d, "compare states, coordinates, velocities or the time by < or >; steps across it are of first order");
}

// if c then a else b, c being located.
static MExpr *by_switch(Switches *s, const MExpr *c, MExpr *a, MExpr *b, bool kink) {
  MExpr *on = value_of_switch(s, variable(s, c, kink), c->span);
  return mx_op(s->a, MOP_IF, (MExpr *[]){ mx_2(s->a, MOP_GT, on, mx_num(s->a, 0.5, c->span), c->span), a, b }, 3,
               c->span);
}

static MExpr *floor_of(Switches *s, MExpr *x, MExpr *p) {
  Span at = x->span;
  int id = new_variable(s, x);
  MExpr *d = value_of_switch(s, id, at), *above = mx_2(s->a, MOP_ADD, d, mx_num(s->a, 1, at), at);
  block(s, mx_2(s->a, MOP_GE, p, above, at), id, x);
  block(s, mx_2(s->a, MOP_LT, p, d, at), id, x);
  return d;
}

// Points of a table: there is a kink, of a spline one of the second derivative. A table that is held jumps there, and
// has no value of the interval before; it stays as it is.
static MExpr *at_points(Switches *s, MExpr *x) {
  if (s->m->table[x->id].data[1] == 0) return x;
  MExpr *at = mx_segment(s->a, x, x->arg[0]);
  int id = new_variable(s, x);
  block(s, mx_2(s->a, MOP_NE, at, value_of_switch(s, id, x->span), x->span), id, at);
  return x;
}

// What jumps or has a kink where p, or p - q, passes a value; x where it is none of these. `arg`: the arguments.
static MExpr *pieces_of(Switches *s, MExpr *x, MExpr **arg) {
  Arena *a = s->a;
  Span at = x->span;
  if (x->op == MOP_TABLE && !by_time_alone(x) && !(x->uses & MU_LAMBDA) && plain_loops(s->ctx) &&
      !rate_of_state(s->m, x)) return at_points(s, x);
  bool two = x->op == MOP_MIN || x->op == MOP_MAX, one = x->op == MOP_ABS || x->op == MOP_SIGN || x->op == MOP_FLOOR;
  if ((!one && !two) || x->nargs != 1 + two || by_time_alone(x)) return x;
  MExpr *zero = two ? arg[1] : mx_num(a, 0, at), *less = mx_2(a, MOP_LT, arg[0], zero, at);
  if (why_not(s, less)) return x;
  switch (x->op) {
  case MOP_ABS: return by_switch(s, less, mx_neg(a, arg[0], at), arg[0], true);
  case MOP_MIN: return by_switch(s, less, arg[0], arg[1], true);
  case MOP_MAX: {                                          // where both are equal: the one that does not move
    MExpr *more = mx_2(a, MOP_GT, arg[0], arg[1], at);
    return is_fixed(arg[1]) ? by_switch(s, more, arg[0], arg[1], true) : by_switch(s, less, arg[1], arg[0], true);
  }
  case MOP_SIGN:
    return by_switch(s, less, mx_num(a, -1, at),
                     by_switch(s, mx_2(a, MOP_GT, arg[0], zero, at), mx_num(a, 1, at), zero, false), false);
  default: return floor_of(s, x, arg[0]);
  }
}

// These branches are no columns of the results.
static MExpr *smooth_pieces(Switches *s, MExpr *x, MExpr **arg) {
  bool hidden = s->hidden;
  s->hidden = true;
  MExpr *y = pieces_of(s, x, arg);
  s->hidden = hidden;
  return y;
}

static MExpr *of_operation(Switches *s, MExpr *x);
static MExpr *rewritten(Switches *s, MExpr *x);

// The root of an abs, a max or a min, a logarithm of one, a power that is not whole.
static bool has_no_other_side(const MExpr *x) {
  bool narrow = x->op == MOP_SQRT || x->op == MOP_LOG ||
                (x->op == MOP_POW && !(x->arg[1]->kind == MX_NUM && x->arg[1]->num == floor(x->arg[1]->num)));
  const MExpr *p = x->arg[0];
  return narrow && p->kind == MX_OP && (p->op == MOP_ABS || p->op == MOP_MAX || p->op == MOP_MIN);
}

// Such a p: its kink ends pieces, but a trial that goes on behind it has no root of -s there, and reads p as it is.
static MExpr *at_its_kink(Switches *s, MExpr *p) {
  MExpr *arg[8];
  rewritten(s, p);
  for (int i = 0; i < p->nargs; i++) arg[i] = rewritten(s, p->arg[i]);
  return mx_op(s->a, p->op, arg, p->nargs, p->span);
}

// Parts that are shared stay shared.
static MExpr *rewritten(Switches *s, MExpr *x) {
  if (!(x->uses & (MU_VAR | MU_RATE | MU_TIME | MU_INPUT)) || x->nargs == 0 || x->kind != MX_OP) return x;
  MExpr *known = map_get(s->done, x);
  if (!known) map_put(s->done, x, known = of_operation(s, x));
  return known;
}

static MExpr *of_operation(Switches *s, MExpr *x) {
  MExpr *arg[8];
  bool same = true, chooses = x->op == MOP_IF && x->arg[0]->uses & (MU_VAR | MU_RATE | MU_TIME | MU_INPUT);
  if (x->nargs > 8) return x;
  for (int i = 0; i < x->nargs; i++) {
    arg[i] = i == 0 && chooses ? x->arg[0] : i == 0 && s->kinks && x->arg[0]->nargs <= 8 && has_no_other_side(x)
             ? at_its_kink(s, x->arg[0]) : rewritten(s, x->arg[i]);
    same &= arg[i] == x->arg[i];
  }
  MExpr *slides = sliding(s, x, arg);
  if (slides) return slides;
  chooses = chooses && !(compares(x->arg[0]) && by_time_alone(x->arg[0]));           // instants.c
  const char *why = chooses ? why_not(s, x->arg[0]) : NULL;
  if (why) tell(s, x->arg[0], why);
  if (chooses && !why) {
    MExpr *on = value_of_switch(s, variable(s, x->arg[0], false), x->span);
    arg[0] = mx_2(s->a, MOP_GT, on, mx_num(s->a, 0.5, x->span), x->span);
    same = false;
  }
  MExpr *y = same ? x : mx_op(s->a, x->op, arg, x->nargs, x->span);
  if (!same) {
    y->id = x->id;
    y->num = x->num;
  }
  return s->kinks ? smooth_pieces(s, y, arg) : y;
}

// Kinks of an energy, where its forces jump or have one: a piece ends there, and the energy stays as it is.
static void watch(Switches *s, MExpr *x) {
  if (x->kind != MX_OP || x->nargs == 0 || x->nargs > 8 || !(x->uses & MU_VAR) || map_get(s->done, x)) return;
  map_put(s->done, x, x);
  s->hidden = true;
  for (int i = 0; i < x->nargs; i++) watch(s, x->arg[i]);
  if (x->op == MOP_IF && !(compares(x->arg[0]) && by_time_alone(x->arg[0])) && !why_not(s, x->arg[0]))
    variable(s, x->arg[0], true);
  else if (x->op != MOP_FLOOR && x->op != MOP_SIGN) smooth_pieces(s, x, x->arg);
}

static void begin(Switches *s, const MContext *ctx, const MEquation *equation) {
  s->ctx = ctx;
  s->equation = equation;
  s->done = map_new(s->a);
}

// An output shows what slides.
static MExpr *shown(Switches *s, MExpr *x) {
  if (x->kind != MX_OP || x->nargs == 0 || x->nargs > 8 || !(x->uses & MU_VAR)) return x;
  MExpr *arg[8], *known = map_get(s->done, x);
  if (known) return known;
  bool same = true;
  for (int i = 0; i < x->nargs; i++) {
    arg[i] = shown(s, x->arg[i]);
    same &= arg[i] == x->arg[i];
  }
  MExpr *y = sliding(s, x, x->arg);
  if (!y) y = x;
  if (y == x && !same) {
    y = mx_op(s->a, x->op, arg, x->nargs, x->span);
    y->id = x->id;
    y->num = x->num;
  }
  map_put(s->done, x, y);
  return y;
}

const Model *with_switches(Arena *a, const Model *given, int located, bool kinks, DiagBag *bag) {
  bool always = kinks && located == 0 && given->sim.located == 0;
  if (always) located = 1;
  if (located <= 0 && given->sim.located <= 0) return given;
  Model *m = ARENA_NEW(a, Model);
  *m = *given;
  if (located) m->sim.located = located;
  if (m->sim.located <= 0) return m;
  Switches all = { .a = a, .m = m, .first = m->nvar, .first_relation = m->nrelation, .bag = bag, .kinks = kinks,
                   .hidden = always }, *s = &all;
  ARENA_MORE(s->a, m->equation, m->nequation, MEquation);
  ARENA_MORE(s->a, m->force, m->nforce, MForce);
  for (int i = 0; i < m->nequation; i++) {
    begin(s, &m->equation[i].ctx, &m->equation[i]);
    m->equation[i].lhs = rewritten(s, m->equation[i].lhs);
    m->equation[i].rhs = rewritten(s, m->equation[i].rhs);
  }
  for (int i = 0; i < m->nforce; i++) {
    begin(s, &m->force[i].ctx, NULL);
    m->force[i].value = rewritten(s, m->force[i].value);
  }
  for (int i = 0; kinks && i < m->nenergy; i++) {
    begin(s, &m->energy[i].ctx, NULL);
    watch(s, m->energy[i].value);
  }
  if (m->nrelation == s->first_relation) return m;
  ARENA_MORE(s->a, m->output, m->noutput, MOutput);
  for (int i = 0; i < m->noutput; i++) {
    begin(s, &m->output[i].ctx, NULL);
    m->output[i].value = shown(s, m->output[i].value);
  }
  return m;
}
