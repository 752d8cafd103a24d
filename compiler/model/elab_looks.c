// How bodies look whose model does not say it: where no `draw` stands and a body has no shape, it is shown as a box of
// its mass and its moments of inertia about its axes. With edges l and a uniform density
//   J_1 = m (l_2^2 + l_3^2)/12, ...,   so that   l_1 = sqrt(6 (J_2 + J_3 - J_1)/m), ...;
// in the plane a square, l = sqrt(6 J/m). Only what shows a run asks for it: numbers of a run do not depend on it.
#include "elab_body.h"

// max(x, 0)^(1/2): rounding may leave a little less than 0 of a thin rod.
static MExpr *edge(Elab *e, MExpr *square, Span at) {
  return mx_1(e->a, MOP_SQRT, mx_2(e->a, MOP_MAX, square, mx_num(e->a, 0, at), at), at);
}

static void argument(Elab *e, MDraw *draw, const Scope *s, MExpr *const *value, int n, Span at) {
  draw->argument[draw->nargument++] = n;
  for (int i = 0; i < n; i++) {
    MOutput o = { .ctx = s->ctx, .name = prefixed(e, s->path, "draw"), .value = value[i],
                  .unit = UNIT_ANY, .hidden = true, .span = at };
    vec_push(&e->output, o);
  }
}

static void look(Elab *e, const Symbol *y) {
  const Scope *s = y->child;
  const Body *b = s->body;
  const Symbol *R = map_get(s->names, intern(e->in, "R")), *angle = map_get(s->names, intern(e->in, "angle"));
  MExpr *size[3], *six = mx_num(e->a, 6, y->span);
  if (b->fixed || b->driven || b->shapes.n || !b->mass) return;
  MDraw draw = { .shape = "box", .first = (int)e->output.n };
  for (int i = 0; i < 3; i++) {
    MExpr *J = b->J[0];
    if (!b->planar)
      J = mx_minus(e->a, mx_plus(e->a, b->J[4*((i + 1) % 3)], b->J[4*((i + 2) % 3)]), b->J[4*i]);
    size[i] = edge(e, mx_2(e->a, MOP_DIV, mx_times(e->a, six, J), b->mass, y->span), y->span);
  }
  int n = b->planar ? 2 : 3;
  argument(e, &draw, s, b->r, n, y->span);
  argument(e, &draw, s, size, n, y->span);
  if (b->planar) argument(e, &draw, s, angle->value.at, 1, y->span);
  else argument(e, &draw, s, R->value.at, 9, y->span);
  vec_push(&e->draw, draw);
}

void bodies_by_themselves(Elab *e) {
  if (e->draw.n) return;
  for (size_t i = 0; i < e->symbols.n; i++) {
    const Symbol *y = e->symbols.at[i];
    if (y->kind == SY_INSTANCE && y->progress == DONE && y->child && y->child->body) look(e, y);
  }
}
