// Jumps and kinks: of gaps, constraints and slips (E0412, E0413, W0831), of energies (E0509), and of right-hand sides
// with what they drive (W0822). Whether there is one is decided by ex_jumps and ex_kinks; here stands what is asked.
//
//   positions (gap, constraint)  neither jump with coordinates or time, nor kink with coordinates: no gradient there
//   velocities (slip, drive)     no jump with coordinates; one with time is a blow, and may be meant. Of a slip the
//                                magnitude counts: a basis of the tangential plane may turn over
//   T and V                      no jump with coordinates: the force would be infinite; R none with velocities
//   x' = f(x), force(v)          a jump with the variable that it drives is a set-valued law written as a function
// A force that jumps with time, a position or an index is an ordinary input.
#include <math.h>
#include <string.h>
#include "parts.h"

typedef enum { OF_TIME = 1, OF_Q = 2, OF_V = 4, OF_X = 8, OF_LAMBDA = 16 } Kinds;
typedef struct Axes { int n; ExAxis *at; } Axes;

static double start_of(const Check *k, const Slot *t) {
  if (!k->x) return NAN;
  Sym y = { .kind = SYM_VALUE, .id = t->var, .nidx = t->nidx };
  for (int i = 0; i < t->nidx; i++) y.idx[i] = ex_num(k->s->pool, value_of(k->s, t->idx[i], k->loop, 8));
  int id = symtab_id(k->s->sym, y), at = id < k->nindex ? k->index[id] : -1;
  return at >= 0 && at < k->x->nz ? k->x->start[at] : NAN;
}

// No run goes on for so long; where time has lost the digits of a phase, everything jumps.
static double time_of_no_run(const Check *k, double t0) {
  double t = k->s->until == EX_NONE ? NAN : value_of(k->s, k->s->until, NULL, 0);
  return t > t0 ? t0 + 1e6*(t - t0) : INFINITY;
}

// Everything that moves in the class; what may be crossed is chosen by kind, or is one symbol.
static Axes axes_of(const Check *k, const SysClass *c, unsigned crossed, int symbol) {
  Axes a = { 0, ARENA_ARRAY(k->arena, ExAxis, 2*c->nslot + 1) };
  double t0 = start_time(k);
  a.at[a.n++] = (ExAxis){ k->s->sym_time, t0, t0, time_of_no_run(k, t0), crossed & OF_TIME };
  for (int i = 0; i < c->nslot; i++) {
    const Slot *t = &c->slot[i];
    if (t->kind == SLOT_D) continue;
    double x = start_of(k, t);
    unsigned kind = t->kind == SLOT_Q || t->kind == SLOT_POSITION ? OF_Q : t->kind == SLOT_X ? OF_X : OF_LAMBDA;
    a.at[a.n++] = (ExAxis){ t->value, isnan(x) ? 0 : x, -INFINITY, INFINITY, (crossed & kind) || t->value == symbol };
    if (t->rate >= 0)
      a.at[a.n++] = (ExAxis){ t->rate, 0, -INFINITY, INFINITY, (kind == OF_Q && crossed & OF_V) || t->rate == symbol };
  }
  return a;
}

static bool jumps(Check *k, const SysClass *c, Ex e, unsigned crossed, int symbol, ExBreak *out) {
  Axes a = axes_of(k, c, crossed, symbol);
  return e != EX_NONE && ex_jumps(k->s->pool, e, a.at, a.n, here_or_one, k, out);
}

// --- how it reads ---

static bool same_sides(const Pool *p, Ex a, Ex b) {
  return ex_nargs(p, a) == 2 && ((ex_arg(p, a, 0) == ex_arg(p, b, 0) && ex_arg(p, a, 1) == ex_arg(p, b, 1)) ||
                                 (ex_arg(p, a, 0) == ex_arg(p, b, 1) && ex_arg(p, a, 1) == ex_arg(p, b, 0)));
}

// The operation that the user wrote: a derivative has sign for abs, and a comparison for min and max.
static Op written(const Check *k, Ex e, Ex node) {
  Pool *p = k->s->pool;
  const Ex *all;
  int n = ex_topological(p, &e, 1, &all);
  Op op = ex_operator(p, node);
  for (int i = 0; i < n; i++) {
    Op o = ex_operator(p, all[i]);
    if (op == OP_SIGN && o == OP_ABS && ex_arg(p, all[i], 0) == ex_arg(p, node, 0)) return OP_ABS;
    if (op == OP_LT && (o == OP_MIN || o == OP_MAX) && same_sides(p, all[i], node)) return o;
  }
  return op;
}

static const char *op_text(Op op) {
  switch (op) {
  case OP_SIGN: return "sign"; case OP_FLOOR: return "floor"; case OP_ABS: return "abs";
  case OP_MIN: return "min"; case OP_MAX: return "max"; default: return "if";
  }
}

static int moving_symbols(const Check *k, Ex e) {
  const int *ids;
  int n = ex_symbols(k->s->pool, e, &ids), count = 0;
  for (int i = 0; i < n; i++) count += moves(k, ex_sym(k->s->pool, ids[i]));
  return count;
}

// "z passes 0.5", or, where the place depends on more: "x = y", "x + y passes a whole number".
static const char *place_text(const Check *k, const ExBreak *b) {
  Pool *p = k->s->pool;
  Text t = {0};
  if (moving_symbols(k, b->node) == 1)
    text_printf(&t, "%s passes %.4g", sym_name(b->symbol, (void *)k->s), fabs(b->where) < 1e-12 ? 0 : b->where);
  else {
    bool floor = ex_operator(p, b->node) == OP_FLOOR;
    ex_print_short(p, ex_arg(p, b->node, 0), &t, PRINT_MOST, sym_name, (void *)k->s);
    text_add(&t, floor ? " passes a whole number" : " = ");
    if (ex_nargs(p, b->node) == 2) ex_print_short(p, ex_arg(p, b->node, 1), &t, PRINT_MOST, sym_name, (void *)k->s);
    else if (!floor) text_add(&t, "0");
  }
  const char *copy = arena_strndup(k->arena, text_str(&t), strlen(text_str(&t)));
  text_free(&t);
  return copy;
}

static void jump_label(const Check *k, Diag *d, const ExBreak *b) {
  const char *op = op_text(ex_operator(k->s->pool, b->node));
  if (!strcmp(op, "if")) diag_label(d, "the branches of the `if` do not meet there");
  else diag_label(d, "%s jumps there", op);
}

static void jump_note(Diag *d, const ExBreak *b) {
  diag_note(d, "it changes at once, for example by %.3g", b->after - b->before);
}

// --- rows ---

typedef struct Row { const char *what; Ex y; bool reported; } Row;

static void say_jump(Check *k, const SysClass *c, const Row *r, const ExBreak *b) {
  bool time = b->symbol == k->s->sym_time;
  if (time && c->velocity_level) {
    Diag *d = diag(k->bag, DIAG_W0831, c->y_span, "%s jumps where %s: that is a blow", r->what, place_text(k, b));
    jump_label(k, d, b);
    if (c->kind != CLASS_FRICTION) jump_note(d, b);
    diag_help(d, "let the velocity change within a short time, if no blow is meant");
    return;
  }
  Diag *d = diag(k->bag, DIAG_E0413, c->y_span, "%s jumps where %s", r->what, place_text(k, b));
  jump_label(k, d, b);
  if (c->kind != CLASS_FRICTION) jump_note(d, b);
  if (time) {
    diag_note(d, "a surface that is elsewhere at once has no velocity to hit with");
    diag_help(d, "let it move there within a short time");
  } else diag_help(d, "let the pieces meet, or write a statement for each of them");
}

static void kink_help(Diag *d, const SysClass *c, Op op, const ExBreak *b) {
  bool both = b->before > b->after;                  // a roof: the smaller of two gaps counts
  if (c->kind != CLASS_CONTACT && !c->compliant) diag_help(d, "write the smooth piece that is meant");
  else if (both && op == OP_ABS) diag_help(d, "write two contacts, one for each side, e.g. a - x >= 0 and a + x >= 0");
  else if (both) diag_help(d, "the smaller one counts: write a contact for each, a >= 0 and b >= 0");
  else diag_help(d, "the larger one counts, which two contacts cannot say: round the corner off, "
                    "(a + b + sqrt((a - b)^2 + r^2))/2 for max(a, b)");
}

static void say_kink(Check *k, const SysClass *c, const Row *r, const ExBreak *b) {
  Op op = written(k, c->y, b->node);
  Diag *d = diag(k->bag, DIAG_E0412, c->y_span, "%s is not differentiable: %s has a kink where %s", r->what,
                 op_text(op), place_text(k, b));
  diag_note(d, "the force acts along the gradient, and there is none");
  kink_help(d, c, op, b);
}

static void row(Check *k, const SysClass *c, void *ctx) {
  Row *r = ctx;
  ExBreak b;
  if (r->reported) return;
  if (jumps(k, c, r->y, OF_Q | OF_V | OF_LAMBDA, -1, &b) || jumps(k, c, r->y, OF_TIME, -1, &b)) {
    say_jump(k, c, r, &b);
    r->reported = true;
    return;
  }
  Axes a = axes_of(k, c, OF_Q | OF_V | OF_LAMBDA, -1);
  if (!ex_kinks(k->s->pool, r->y, a.at, a.n, here_or_one, k, &b)) return;
  say_kink(k, c, r, &b);
  r->reported = true;
}

// --- energies and right-hand sides ---

typedef struct Energy { Ex e; const char *what; unsigned crossed; bool reported; } Energy;

static void energy(Check *k, const SysClass *c, void *ctx) {
  Energy *e = ctx;
  ExBreak b;
  if (e->reported || !jumps(k, c, e->e, e->crossed, -1, &b)) return;
  e->reported = true;
  Diag *d = diag(k->bag, DIAG_E0509, c->span, "%s jumps where %s", e->what, place_text(k, &b));
  jump_label(k, d, &b);
  jump_note(d, &b);
  diag_note(d, "its force is the derivative, which is infinite there and was taken to be 0");
  diag_help(d, "let the energy change within a finite distance; a blow is a contact");
}

static void driven(Check *k, const SysClass *c, void *ctx) {
  bool *reported = ctx;
  for (int r = 0; r < c->nrow && !*reported; r++) {
    const Slot *t = &c->slot[c->row[r]];
    int own = t->kind == SLOT_Q ? t->rate : t->value;
    Ex f = ex_add(k->s->pool, c->f[r], c->g[r]);
    ExBreak b;
    if (!jumps(k, c, f, 0, own, &b)) continue;
    *reported = true;
    const char *what = t->kind == SLOT_Q
                           ? arena_printf(k->arena, "the force on %s", sym_name(t->value, (void *)k->s))
                           : sym_name(t->rate, (void *)k->s);
    Diag *d = diag(k->bag, DIAG_W0822, c->span, "%s jumps where %s", what, place_text(k, &b));
    jump_label(k, d, &b);
    jump_note(d, &b);
    diag_note(d, "where it drives back from both sides nothing can rest there: the solution trembles by the step size");
    diag_help(d, t->kind == SLOT_Q ? "dry friction is a law of a contact: "
                                     "contact N { normal_force = F; slip = v; with coulomb(mu); }"
                                   : "a switch is a set-valued law: multiplier u; relation N: u in -K*sgn(s);");
  }
}

// What locates sign, floor and abs.
static void ends_steps(const Check *k, Diag *d) {
  const char *by_if = "write the pieces as an `if`: simulate { scheme = moreau(located = true) } ends steps there";
  bool velocities = false;
  for (int i = 0; i < k->s->model->nvar; i++)
    velocities |= k->s->model->var[i].kind == MV_COORD || k->s->model->var[i].kind == MV_POSITION;
  if (velocities) diag_help(d, "%s", by_if);
  else diag_help(d, "simulate { scheme = radau } ends steps there; or %s", by_if);
}

// A jump with what does not drive back: the step that crosses it is of first order. A run that locates its events ends
// steps where an `if` changes, and by radau where sign, floor and abs do: of these nothing is left in the right sides.
static void crossed(Check *k, const SysClass *c, void *ctx) {
  bool *reported = ctx;
  ExBreak b;
  for (int r = 0; r < c->nrow && !*reported; r++) {
    const Slot *t = &c->slot[c->row[r]];
    if (!jumps(k, c, ex_add(k->s->pool, c->f[r], c->g[r]), OF_Q | OF_V | OF_X, -1, &b)) continue;
    Op op = ex_operator(k->s->pool, b.node);
    bool is_if = op != OP_SIGN && op != OP_FLOOR;
    if (is_if && k->s->model->sim.located > 0 && !k->s->model->sim.by_default) continue;    // W0845 has told it
    *reported = true;
    const char *what = sym_name(t->kind == SLOT_Q ? t->value : t->rate, (void *)k->s);
    Diag *d = diag(k->bag, DIAG_W0847, c->span, "%s%s jumps where %s", t->kind == SLOT_Q ? "the force on " : "", what,
                   place_text(k, &b));
    jump_label(k, d, &b);
    diag_note(d, "a step that crosses this place mixes both sides: the run is of first order in the step");
    if (is_if) diag_help(d, "simulate { scheme = moreau(located = true) } ends steps there");
    else ends_steps(k, d);
  }
}

// A kink of abs leaves the order at two. Those of min and max are most often limits, which are meant.
static void bent(Check *k, const SysClass *c, void *ctx) {
  bool *reported = ctx;
  ExBreak b;
  for (int r = 0; r < c->nrow && !*reported; r++) {
    const Slot *t = &c->slot[c->row[r]];
    Ex f = ex_add(k->s->pool, c->f[r], c->g[r]);
    Axes a = axes_of(k, c, OF_Q | OF_V | OF_X, -1);
    if (!ex_kinks(k->s->pool, f, a.at, a.n, here_or_one, k, &b) || written(k, f, b.node) != OP_ABS) continue;
    *reported = true;
    Diag *d = diag(k->bag, DIAG_N0849, c->span, "%s%s has a kink where %s", t->kind == SLOT_Q ? "the force on " : "",
                   sym_name(t->kind == SLOT_Q ? t->value : t->rate, (void *)k->s), place_text(k, &b));
    diag_label(d, "abs bends there");
    diag_note(d, "a step that crosses this place is of second order at most, whatever the scheme");
    ends_steps(k, d);
  }
}

static void output(Check *k, const SysClass *c, void *ctx) {
  bool *reported = ctx;
  ExBreak b;
  if (*reported || !jumps(k, c, c->y, OF_Q | OF_V | OF_X | OF_LAMBDA, -1, &b)) return;
  *reported = true;
  Diag *d = diag(k->bag, DIAG_W0822, c->span, "the output of %s jumps where %s", c->shown, place_text(k, &b));
  jump_label(k, d, &b);
  jump_note(d, &b);
  diag_help(d, "a law that switches is a relation of its own: u in -K*sgn(s)");
}

static const char *row_text(const SysClass *c) {
  return c->kind == CLASS_FRICTION     ? "the slip"
         : c->kind == CLASS_CONSTRAINT ? c->velocity_level ? "this constraint on velocities" : "this constraint"
                                       : "the gap";
}

static void smooth(Check *k, const SysClass *c) {
  Energy part[] = { { c->kinetic, "the kinetic energy", OF_Q | OF_V, false },
                    { c->potential, "the potential", OF_Q, false },
                    { c->dissipation, "the dissipation", OF_V, false } };
  bool reported = false;
  for (int i = 0; i < 3; i++) {
    if (part[i].e == EX_NONE) continue;
    each_instance(k, c, energy, &part[i]);
    reported |= part[i].reported;
  }
  if (!reported) each_instance(k, c, driven, &reported);
  if (!reported && k->steps) each_instance(k, c, crossed, &reported);
  bool energy = c->kinetic != EX_NONE || c->potential != EX_NONE || c->dissipation != EX_NONE;
  if (!reported && !energy && k->steps) each_instance(k, c, bent, &reported);
}

// Of directions of one law with one coefficient the sum of squares, else the square of each.
static Ex magnitude(const Check *k, const SysClass *c) {
  Pool *p = k->s->pool;
  Ex two = ex_num(p, 2), m = ex_pow(p, c->y, two);
  bool round = !friction_law(c->friction)->elliptic && c->friction != MF_ROLLING && c->direction < 2;
  const SysClass *end = k->s->cls + k->s->ncls;
  for (const SysClass *o = c - c->direction; round && o < end && o->kind == CLASS_FRICTION && o->direction < 2; o++) {
    if (o != c && o->normal == c->normal && o->span.lo == c->span.lo) m = ex_add(p, m, ex_pow(p, o->y, two));
  }
  return m;
}

void check_breaks(Check *k) {
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    Row r = { row_text(c), c->kind == CLASS_FRICTION ? magnitude(k, c) : c->y, false };
    bool reported = false;
    if (c->kind == CLASS_SMOOTH) smooth(k, c);
    else if (c->kind == CLASS_RELATION && !c->compliant && c->row_type != 1) each_instance(k, c, output, &reported);
    else if (c->kind <= CLASS_FRICTION && c->kind != CLASS_RELATION) each_instance(k, c, row, &r);
    else if (c->compliant) each_instance(k, c, row, &r);
  }
}
