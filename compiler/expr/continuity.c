// Where does an expression jump, and where has it a kink? Decided by numbers, not by the names of its operations:
// sign(x)*x is continuous, max(x, 0)^2 is smooth, and the branches of an `if` may meet.
//
// An expression of continuous functions can break only on the surfaces where one of its nodes switches: the argument of
// sign or abs is 0, that of floor is whole, two sides of min, max or a comparison are equal. On each such surface some
// points are found along each symbol, the other symbols at generic values, and the expression is evaluated on both
// sides of them. The difference goes to 0 with the distance, or there is a jump. A kink is a jump of a derivative.
#include <math.h>
#include <stdlib.h>
#include "pool_impl.h"

enum { SAMPLES = 6, OCTAVES = 24, EVEN = 40, BISECTIONS = 200 };

// Distances from the surface at which both sides are compared, relative to where it is. The jump is what is left when
// the distance shrinks to a thousandth: more than LEFT of the difference, and more than ROUND_OFF of the changes on
// either side and of the terms.
static const double FAR = 1e-4, NEAR = 1e-7, LEFT = 0.3, ROUND_OFF = 1e-10, SMALL = 1e-3;

typedef struct Probe {
  Pool  *p;
  Ex     e;
  ExVec  order;                    // all nodes below e
  double *value;                   // of nodes in `order`
  Ex     *leaf;                    // [n] the node of each axis; EX_NONE where e does not contain it
  const ExAxis *axis;
  int    n, only;
  Ex     surface;                  // the node that switches
  ExVec  below, moving;            // all nodes below it: of these is what its level hangs on; those with the axis
  double level;                    // of a floor: the whole number that is crossed
  bool   turns;                    // an angle that goes on over the turn stands in e
  uint64_t random;
} Probe;

static double generic(Probe *b) {                  // in (0.2, 1), of either sign: xorshift64*
  b->random ^= b->random >> 12;
  b->random ^= b->random << 25;
  b->random ^= b->random >> 27;
  uint64_t z = b->random*UINT64_C(2685821657736338717);
  double x = 0.2 + 0.8*(double)(z >> 12)*0x1p-52;
  return z & 1 ? x : -x;
}

static bool switches(const Pool *p, Ex e) {
  switch ((Op)node_of(p, e)->op) {
    case OP_SIGN: case OP_FLOOR: case OP_ABS: case OP_MIN: case OP_MAX: case OP_LT: case OP_LE: return true;
    default: return false;
  }
}

// The function that is 0 on the surface, after an evaluation.
static double level_of(const Probe *b) {
  const Ex *a = args_of(b->p, b->surface);
  Op op = (Op)node_of(b->p, b->surface)->op;
  if (op == OP_FLOOR) return b->value[a[0]] - b->level;
  return op == OP_SIGN || op == OP_ABS ? b->value[a[0]] : b->value[a[0]] - b->value[a[1]];
}

static double eval_at(Probe *b, int axis, double x) {
  b->value[b->leaf[axis]] = x;
  eval_nodes(b->p, &b->order, b->value);
  return b->value[b->e];
}

static double level_at(Probe *b, int axis, double x) {
  b->value[b->leaf[axis]] = x;
  eval_nodes(b->p, &b->moving, b->value);
  return level_of(b);
}

// A zero between x (level f) and y of opposite sign; then the last two numbers around it.
static double bisect(Probe *b, int axis, double x, double f, double y) {
  for (int i = 0; i < BISECTIONS; i++) {
    double m = x + (y - x)/2;
    if (m == x || m == y) break;
    double g = level_at(b, axis, m);
    if (g == 0) return m;
    if ((g < 0) == (f < 0)) x = m; else y = m;
  }
  return y;
}

static bool inside(const ExAxis *a, double x) { return isfinite(x) && x > a->lo && x < a->hi; }

// turned(b, a, c) goes on from c, which moves with it; here c stays, and half a turn away from it the level jumps
// over 0.
static bool is_zero(Probe *b, int axis, double x, double size) {
  return !b->turns || fabs(level_at(b, axis, x)) <= 1e-6*size;
}

// Walks from the typical value outwards, in growing and in even steps, until the level changes its sign.
static bool scan(Probe *b, int axis, double scale, double *root) {
  const ExAxis *a = &b->axis[axis];
  for (int side = -1; side <= 1; side += 2) {
    double last = a->at, f = level_at(b, axis, last);
    for (int k = 0; k < 2*OCTAVES + EVEN; k++) {
      double x = a->at + side*scale*(k < OCTAVES         ? ldexp(1, k - OCTAVES)
                                     : k < OCTAVES + EVEN ? 1 + 0.37*(k - OCTAVES)
                                                          : 0.37*EVEN*ldexp(1, k - OCTAVES - EVEN));
      if (!inside(a, x)) break;
      double g = level_at(b, axis, x);
      if (isfinite(f) && isfinite(g) && f != 0 && (f < 0) != (g < 0)) {
        *root = bisect(b, axis, last, f, x);
        if (is_zero(b, axis, *root, fabs(f) + fabs(g))) return inside(a, *root);
      }
      last = x;
      f = g;
    }
  }
  return false;
}

// A point on the surface along one axis. Most switching functions are affine there, and two values give it.
static bool find_root(Probe *b, int axis, double scale, double *root) {
  const ExAxis *a = &b->axis[axis];
  double x = a->at + scale*fabs(generic(b)), y = x + scale;
  double f = level_at(b, axis, x), g = level_at(b, axis, y);
  double r = x - f*(y - x)/(g - f);
  if (inside(a, r) && fabs(level_at(b, axis, r)) <= 1e-12*(fabs(f) + fabs(g))) {
    *root = r;
    return true;
  }
  return scan(b, axis, scale, root);
}

// The whole numbers next to the argument of a floor are where it may switch.
static bool find_switch(Probe *b, int axis, double scale, double *root) {
  b->level = 0;
  if (node_of(b->p, b->surface)->op != OP_FLOOR) return find_root(b, axis, scale, root);
  double below = floor(level_at(b, axis, b->axis[axis].at));
  for (int i = 1; i >= 0 && isfinite(below); i--) {
    b->level = below + i;
    if (find_root(b, axis, scale, root)) return true;
  }
  return false;
}

// The largest term that the value is made of: what its round-off is relative to.
static double size_of(const Probe *b) {
  double size = fabs(b->value[b->e]);
  Op op = (Op)node_of(b->p, b->e)->op;
  if (op != OP_ADD && op != OP_PLUS && op != OP_MINUS) return size;
  for (int i = 0; i < node_of(b->p, b->e)->n_args; i++) size = fmax(size, fabs(b->value[args_of(b->p, b->e)[i]]));
  return size;
}

static bool jumps_at(Probe *b, int axis, double x, double scale, ExBreak *out) {
  double w = fmax(fabs(x), 1e-6*scale);
  double far_after = eval_at(b, axis, x + FAR*w), far_before = eval_at(b, axis, x - FAR*w);
  double before = eval_at(b, axis, x - NEAR*w), after = eval_at(b, axis, x + NEAR*w), fine = fabs(after - before);
  double changes = fabs(far_after - after) + fabs(before - far_before);
  if (!(fine > LEFT*fabs(far_after - far_before) && fine > SMALL*changes && fine > ROUND_OFF*size_of(b)))
    return false;                                  // also where there is no number
  *out = (ExBreak){ b->surface, b->axis[axis].symbol, x, before, after };
  return true;
}

static bool along(Probe *b, int axis, ExBreak *out) {
  static const double scales[SAMPLES] = { 1, 1, 10, 0.1, 1e-2, 100 };
  b->moving.n = 0;
  for (size_t i = 0; i < b->below.n; i++)
    if (ex_depends(b->p, b->below.at[i], b->axis[axis].symbol)) vec_push(&b->moving, b->below.at[i]);
  for (int k = 0; k < SAMPLES; k++) {
    for (int i = 0; i < b->n; i++) {
      if (!b->leaf[i]) continue;
      const ExAxis *a = &b->axis[i];
      double x = a->at + scales[k]*fmax(fabs(a->at), 1)*generic(b);
      if (!(x > a->lo && x < a->hi)) x = isfinite(a->lo) ? a->lo + scales[k]*fabs(generic(b)) : a->at;
      b->value[b->leaf[i]] = x;
    }
    eval_nodes(b->p, &b->below, b->value);
    double root, scale = scales[k]*fmax(fabs(b->axis[axis].at), 1);
    if (find_switch(b, axis, scale, &root) && jumps_at(b, axis, root, scale, out)) return true;
  }
  return false;
}

static bool search(Probe *b, ExBreak *out) {
  for (size_t i = 0; i < b->order.n; i++) {
    b->surface = b->order.at[i];
    if (!switches(b->p, b->surface)) continue;
    b->below.n = 0;
    walk_collect(b->p, args_of(b->p, b->surface), node_of(b->p, b->surface)->n_args, 0, &b->below);
    for (int k = 0; k < b->n; k++)
      if ((b->only < 0 ? b->axis[k].crosses : b->only == k) && b->leaf[k] &&
          ex_depends(b->p, b->surface, b->axis[k].symbol) && along(b, k, out))
        return true;
  }
  return false;
}

static bool any_switch(const Probe *b) {
  for (size_t i = 0; i < b->order.n; i++) if (switches(b->p, b->order.at[i])) return true;
  return false;
}

// Of b there are p, e, axis, n, and only: the axis along which surfaces are crossed, or -1: every one that says so.
static bool jumps(Probe b, double (*others)(int id, void *ctx), void *ctx, ExBreak *out) {
  Pool *p = b.p;
  Ex e = b.e;
  const ExAxis *axis = b.axis;
  int n = b.n;
  b.random = UINT64_C(0x9e3779b97f4a7c15);
  walk_collect(p, &e, 1, 0, &b.order);
  bool found = false;
  if (any_switch(&b)) {
    b.value = memory_for(sizeof *b.value*((size_t)e + 1)); // only entries in `order` are written and read
    b.leaf = memory_for(sizeof *b.leaf*((size_t)n + 1));
    for (int k = 0; k < n; k++) b.leaf[k] = EX_NONE;
    for (size_t i = 0; i < b.order.n; i++) {
      Ex at = b.order.at[i];
      b.turns |= node_of(p, at)->op == OP_TURNED;
      if (node_of(p, at)->op != OP_SYM) continue;
      b.value[at] = NAN;
      for (int k = 0; k < n; k++) if (axis[k].symbol == ex_symbol(p, at)) b.leaf[k] = at;
      bool moves = false;
      for (int k = 0; k < n; k++) moves = moves || b.leaf[k] == at;
      if (!moves) b.value[at] = others(ex_symbol(p, at), ctx);
    }
    found = search(&b, out);
  }
  free(b.value);
  free(b.leaf);
  vec_free(&b.order);
  vec_free(&b.below);
  vec_free(&b.moving);
  return found;
}

bool ex_jumps(Pool *p, Ex e, const ExAxis *axis, int n, double (*others)(int id, void *ctx), void *ctx, ExBreak *out) {
  return jumps((Probe){ .p = p, .e = e, .axis = axis, .n = n, .only = -1 }, others, ctx, out);
}

// The gradient changes across a surface in the direction of its normal: each derivative is crossed along its own
// symbol.
bool ex_kinks(Pool *p, Ex e, const ExAxis *axis, int n, double (*others)(int id, void *ctx), void *ctx, ExBreak *out) {
  for (int k = 0; k < n; k++) {
    if (!axis[k].crosses || !ex_depends(p, e, axis[k].symbol)) continue;
    Probe along = { .p = p, .e = ex_diff(p, e, axis[k].symbol), .axis = axis, .n = n, .only = k };
    if (jumps(along, others, ctx, out)) return true;
  }
  return false;
}
