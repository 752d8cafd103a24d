// Restitution coefficients that differ between contacts which act on each other can create energy (seed 004, section
// 3.9): W0821. So can one above 1: W0810.
//
// A unilateral relation on velocities (a sprag clutch) is an element of restitution 0. Two elements act on each other
// where W_i^T M^-1 W_j is not zero by structure: their coordinates are connected by off-diagonal masses or by
// constraints. Two gaps of the same single coordinate are left out: their rows are parallel, and along one direction
// the larger coefficient decides.
#include <math.h>
#include "../system/expand.h"
#include "default_value.h"
#include "scheme.h"

enum { LIMIT = 200, CLIP = 3 };   // variables written out; a larger system is cut to CLIP instances of each family

static int top(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static void join(int *up, int i, int k) { up[top(up, i)] = top(up, k); }

static SysClass *class_of(const Expanded *x, int row) { return &x->sys->cls[x->row[row].cls]; }
static bool acts(const Expanded *x, int row, int q) {
  return (class_of(x, row)->kind == CLASS_RELATION ? x->Cv : x->H)[row * x->nq + q] != EX_NONE;
}

static bool takes_impacts(const SysClass *c) {
  if (c->kind == CLASS_CONTACT) return true;
  bool velocities = false;
  for (int i = 0; i < c->h.n; i++) velocities |= c->h.at[i].wrt == WRT_V;
  return c->kind == CLASS_RELATION && c->row_type == 0 && velocities;
}

static void connect(const Expanded *x, int *up) {
  for (int i = 0; i < x->nq; i++) up[i] = i;
  for (int i = 0; i < x->nq; i++)
    for (int k = 0; k < i; k++) if (x->M[i * x->nz + k] != EX_NONE) join(up, i, k);
  for (int r = 0; r < x->nr; r++) {
    if (class_of(x, r)->kind != CLASS_CONSTRAINT) continue;
    for (int i = 0, first = -1; i < x->nq; i++) {
      if (!acts(x, r, i)) continue;
      if (first < 0) first = i; else join(up, first, i);
    }
  }
}

static bool coupled(const Expanded *x, int *up, int r, int s) {
  int nr = 0, ns = 0, shared = 0;
  bool connected = false;
  for (int i = 0; i < x->nq; i++) {
    nr += acts(x, r, i);
    ns += acts(x, s, i);
    shared += acts(x, r, i) && acts(x, s, i);
    for (int k = 0; k < x->nq && acts(x, r, i); k++) connected |= acts(x, s, k) && top(up, i) == top(up, k);
  }
  return connected && !(nr == 1 && ns == 1 && shared == 1);
}

static double restitution(const System *s, const SysClass *c) { return c->e == EX_NONE ? 0 : default_value(s, c->e); }

static bool is_index(int id, void *system) {
  SymKind k = symtab_at(((const System *)system)->sym, id)->kind;
  return k == SYM_LOOP || k == SYM_PARAM_AT;
}

// Equal by the text, or by the default values; unknown values are not held against it. A coefficient with an index
// differs between the instances of its family.
static bool same(const System *s, const SysClass *a, const SysClass *b) {
  if (a->e == b->e) return a->e == EX_NONE || !ex_depends_any(s->pool, a->e, is_index, (void *)s);
  double x = restitution(s, a), y = restitution(s, b);
  return x == y || isnan(x) || isnan(y);
}

// Written numbers are checked when the rows are derived; this is for values of parameters.
static void check_range(const System *s, DiagBag *bag) {
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind != CLASS_CONTACT || c->e == EX_NONE || ex_operator(s->pool, c->e) == OP_NUM) continue;
    double e = restitution(s, c);
    if (e < 0 || e > 1)
      diag(bag, DIAG_W0810, c->span, "restitution %g is outside of [0, 1]: impacts would %s", e,
           e < 0 ? "penetrate" : "create energy");
  }
}

void check_restitution(Arena *a, const System *s, DiagBag *bag) {
  check_range(s, bag);
  const SysClass *first = NULL;
  bool differ = false;
  for (int i = 0; i < s->ncls; i++) {
    if (!takes_impacts(&s->cls[i])) continue;
    differ |= !same(s, first ? first : &s->cls[i], &s->cls[i]);
    if (!first) first = &s->cls[i];
  }
  Expanded *x = differ ? expand_system(a, s, LIMIT, CLIP) : NULL;
  if (!x) return;
  int *up = ARENA_ARRAY(a, int, x->nq + 1);
  connect(x, up);
  bool *told = ARENA_ARRAY(a, bool, s->ncls * s->ncls + 1);
  for (int r = 0; r < x->nr; r++)
    for (int k = 0; k < r; k++) {
      const SysClass *c = class_of(x, k), *d = class_of(x, r);
      if (!takes_impacts(c) || !takes_impacts(d) || same(s, c, d) || !coupled(x, up, k, r)) continue;
      bool *seen = &told[x->row[k].cls * s->ncls + x->row[r].cls];
      if (*seen) continue;
      *seen = true;
      Diag *g = diag(bag, DIAG_W0821, d->span,
                     "%s and %s have different restitution and act on each other: an impact at both can create energy",
                     c->shown, d->shown);
      if (c != d) diag_also(g, c->span, "%s", c->shown);
      if (c->kind == CLASS_RELATION || d->kind == CLASS_RELATION)
        diag_note(g, "a unilateral law on velocities counts as restitution 0");
      else diag_note(g, "one coefficient for both, between 0 and 1, never does");
    }
}
