// What Moreau's midpoint rule cannot step is refused, statement by statement (E0705): it has no equation for
// first-order states, and its rows are affine in the end velocities and the multipliers, because nothing is iterated
// (docs/numerics/midpoint.md, section 3).
#include "scheme.h"

static Diag *refuse(DiagBag *bag, Span at, const char *what) {
  Diag *d = diag(bag, DIAG_E0705, at, "the scheme 'midpoint' does not take %s", what);
  diag_help(d, "scheme = moreau(theta = 1/2)");
  return d;
}

static bool states(const System *s, DiagBag *bag) {
  const Model *m = s->model;
  int before = diag_errors(bag);
  for (int i = 0; i < m->nvar; i++)
    if (m->var[i].kind == MV_STATE)
      diag_label(refuse(bag, m->var[i].span, "first-order states"), "`%s` is one", m->var[i].plain);
  return diag_errors(bag) > before;
}

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

static void relation(Arena *a, const System *s, const SysClass *c, DiagBag *bag) {
  int *ids, n = unknowns(a, c, true, &ids);
  bool any = false;
  for (int i = 0; i < c->h.n; i++) any |= c->h.at[i].wrt == WRT_V || c->h.at[i].wrt == WRT_L;
  if (!ex_affine(s->pool, c->y, ids, n)) {
    diag_note(refuse(bag, c->span, "relations that are not affine in velocities and multipliers"),
              "%s is solved once a step, without iteration", c->shown);
  } else if (!any) {
    Diag *d = refuse(bag, c->span, "relations on positions alone");
    diag_note(d, "the output is taken at the middle of the step, which no multiplier of the step moves");
    diag_help(d, "a contact: its law is on the velocity where the gap is closed");
  }
}

static void force(Arena *a, const System *s, const SysClass *c, DiagBag *bag) {
  int *ids, n = unknowns(a, c, false, &ids);
  for (int r = 0; r < c->nrow; r++)
    if (!ex_affine(s->pool, c->g[r], ids, n)) {
      refuse(bag, c->span, "forces that are not affine in the multipliers");
      return;
    }
}

void check_midpoint(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  (void)d;
  if (states(s, bag)) return;                           // relations may speak of them: one cause, one message
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind == CLASS_RELATION) relation(a, s, c, bag);
    else if (c->kind == CLASS_SMOOTH && !c->is_equation) force(a, s, c, bag);
  }
}
