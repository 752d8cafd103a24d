// What Moreau's midpoint rule cannot step is refused, statement by statement (E0705): it has no equation for
// first-order states, and its rows are affine in the end velocities and the multipliers, because nothing is iterated
// (docs/numerics/midpoint.md, section 3).
#include "scheme.h"

// Symbols of the class's multipliers, and of its velocities on request.
static int unknowns(Arena *a, const SysClass *c, bool velocities, int **out) {
  int *ids = ARENA_ARRAY(a, int, c->nslot + 1), n = 0;
  for (int k = 0; k < c->nslot; k++) {
    if (c->slot[k].kind == SLOT_L) ids[n++] = c->slot[k].value;
    else if (c->slot[k].kind == SLOT_Q && velocities) ids[n++] = c->slot[k].rate;
  }
  *out = ids;
  return n;
}

static void relation(Arena *a, const System *s, const SysClass *c, const SchemeDescriptor *by, DiagBag *bag) {
  int *ids, n = unknowns(a, c, true, &ids);
  bool any = false;
  for (int i = 0; i < c->h.n; i++) any |= c->h.at[i].wrt == WRT_V || c->h.at[i].wrt == WRT_L;
  if (!ex_affine(s->pool, c->y, ids, n)) {
    diag_note(refuse_in_scheme(by, c->span, "relations that are not affine in velocities and multipliers", bag),
              "%s is solved once a step, without iteration", c->shown);
  } else if (!any) {
    Diag *d = refuse_in_scheme(by, c->span, "relations on positions alone", bag);
    diag_note(d, "the output is taken at the middle of the step, which no multiplier of the step moves");
    diag_help(d, "a contact: its law is on the velocity where the gap is closed");
  }
}

static void force(Arena *a, const System *s, const SysClass *c, const SchemeDescriptor *by, DiagBag *bag) {
  int *ids, n = unknowns(a, c, false, &ids);
  for (int r = 0; r < c->nrow; r++)
    if (!ex_affine(s->pool, c->g[r], ids, n)) {
      (void)refuse_in_scheme(by, c->span, "forces that are not affine in the multipliers", bag);
      return;
    }
}

// Forces of the step are known when it is solved, and friction is solved with them.
static void pressed(Arena *a, const System *s, const SysClass *c, const SchemeDescriptor *by, DiagBag *bag) {
  int *ids, n = unknowns(a, c, false, &ids);
  for (int i = 0; i < n && c->radius != EX_NONE; i++)
    if (ex_depends(s->pool, c->radius, ids[i])) {
      diag_note(refuse_in_scheme(by, c->span, "a normal force that depends on forces of the step", bag),
                "the law of friction is looked at once a step, before its forces are known");
      return;
    }
}

void check_midpoint(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  if (refuse_states(s, d, bag)) return;                         // relations may speak of them: one cause, one message
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind == CLASS_RELATION) relation(a, s, c, d, bag);
    else if (c->kind == CLASS_FRICTION) pressed(a, s, c, d, bag);
    else if (c->kind == CLASS_SMOOTH && !c->is_equation) force(a, s, c, d, bag);
  }
}
