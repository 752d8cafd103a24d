// A body is elaborated as an instance whose model is written here: a scope with the names that a body brings, its
// coordinates, energies and initial values.
//
//   in space  r[3], the attitude q[4] (a unit quaternion, scalar first) and its turn, whose velocity is the spin in
//             body axes; R(q) is written homogeneously of second degree (docs/numerics/bodies.md, section 1)
//   planar    r[2] and angle: coordinates like any other
//   fixed, driven: the same names, constants or functions of time
//
// A shape with a density, or with a mass, gives mass, centre of mass and inertia; the origin of the body's axes is then
// its centre of mass. A shape without them, or beside an inertia of its own, stands as it is written.
#include <string.h>

#include "body_parts.h"

// --- variables ---

static int new_variable(const Symbol *y, Scope *s, MVarKind kind, const char *name, int n, Unit unit) {
  Elab *e = s->e;
  MVar v = { .kind = kind, .ndim = s->ctx.n + (n > 0), .unit = unit, .span = y->span };
  v.name = arena_printf(e->a, "%s%s", prefixed(e, s->path, name), index_marks(e->a, n > 0));
  v.plain = prefixed(e, s->plain, name);
  family_bounds(&v, &s->ctx);
  if (n > 0) {
    v.lo[s->ctx.n] = number(e, 1, y->span);
    v.hi[s->ctx.n] = number(e, n, y->span);
  }
  vec_push(&e->var, v);
  return (int)e->var.n - 1;
}

// Element k (from 0; -1: it has none) of variable id in scope s, or its rate.
static MExpr *element(const Scope *s, int id, int k, bool rate, Span at) {
  Elab *e = s->e;
  MExpr *index[MAX_INDICES];
  int n = 0;
  for (; n < s->ctx.n; n++) index[n] = mx_loop(e->a, n, at);
  if (k >= 0) index[n++] = number(e, k + 1, at);
  return mx_var(e->a, &e->var.at[id], id, index, n, rate, at);
}

static void bring(Scope *s, const Symbol *y, const char *name, int rows, int cols, Unit unit, MExpr *const *at) {
  Elab *e = s->e;
  int n = rows * (cols ? cols : 1);
  Symbol *z = ARENA_NEW(e->a, Symbol);
  *z = (Symbol){ .kind = SY_VAR, .progress = DONE, .name = intern(e->in, name), .span = y->span, .decl = y->decl,
                 .env = env_of(s), .id = -1, .used = true };
  z->value = (Value){ .unit = unit, .ndim = rows ? cols ? 2 : 1 : 0, .dim = { rows, cols }, .span = y->span,
                      .at = ARENA_ARRAY(e->a, MExpr *, (n ? n : 1)) };
  for (int i = 0; i < (n ? n : 1); i++) z->value.at[i] = at[i];
  z->unit = unit;
  map_put(s->names, z->name, z);
}

// --- the names that a body brings ---

static void bring_planar(const Symbol *y, Scope *s, Body *b) {
  Elab *e = s->e;
  MExpr *angle = b->start_q[0], *rate, *R[4];
  if (!b->fixed && !b->driven) {
    b->angle = new_variable(y, s, MV_COORD, "angle", 0, unit_of(e, "rad"));
    angle = element(s, b->angle, -1, false, y->span);
  }
  rate = rate_of(e, angle);
  R[0] = R[3] = mx_1(e->a, MOP_COS, angle, y->span);
  R[2] = mx_1(e->a, MOP_SIN, angle, y->span);
  R[1] = mx_neg(e->a, R[2], y->span);
  for (int i = 0; i < 9; i++) b->R[i] = number(e, i == 8, y->span);
  for (int i = 0; i < 4; i++) b->R[i / 2 * 3 + i % 2] = R[i];
  bring(s, y, "angle", 0, 0, unit_of(e, "rad"), &angle);
  bring(s, y, "spin", 0, 0, unit_of(e, "rad/s"), &rate);
  bring(s, y, "omega", 0, 0, unit_of(e, "rad/s"), &rate);
  b->omega[0] = rate;
  bring(s, y, "R", 2, 2, unit_of(e, "1"), R);
}

static void bring_spatial(const Symbol *y, Scope *s, Body *b) {
  Elab *e = s->e;
  MExpr *q[4], *R[9], *spin[3], *omega[3];
  for (int k = 0; k < 4; k++) q[k] = b->start_q[k];
  if (!b->fixed && !b->driven) {
    b->turn = new_variable(y, s, MV_COORD, "turn", 3, unit_of(e, "rad"));
    b->attitude = new_variable(y, s, MV_POSITION, "q", 4, unit_of(e, "1"));
    e->var.at[b->turn].rate_name = arena_printf(e->a, "%s[%%]", prefixed(e, s->path, "spin"));
    e->var.at[b->turn].plain = prefixed(e, s->plain, "spin");
    e->var.at[b->turn].partner = b->attitude + 1;
    e->var.at[b->attitude].partner = b->turn + 1;
    for (int k = 0; k < 4; k++) q[k] = element(s, b->attitude, k, false, y->span);
    for (int i = 0; i < 3; i++) spin[i] = element(s, b->turn, i, true, y->span);
  } else spin_of_motion(e, q, spin);
  rotation_matrix(e, q, R);
  for (int i = 0; i < 3; i++) {
    omega[i] = number(e, 0, y->span);
    for (int k = 0; k < 3; k++) omega[i] = plus(e, omega[i], times(e, R[3 * i + k], spin[k]));
  }
  bring(s, y, "q", 4, 0, unit_of(e, "1"), q);
  bring(s, y, "R", 3, 3, unit_of(e, "1"), R);
  bring(s, y, "spin", 3, 0, unit_of(e, "rad/s"), spin);
  bring(s, y, "omega", 3, 0, unit_of(e, "rad/s"), omega);
  memcpy(b->omega, omega, sizeof omega);
  memcpy(b->R, R, sizeof R);
}

static bool mentions(const Ast *x, const char *name) {
  if (!x) return false;
  bool any = (x->kind == AST_NAME && x->name == name) || mentions(x->a, name) || mentions(x->b, name) ||
             mentions(x->c, name);
  for (int i = 0; i < x->list.n && !any; i++) any = mentions(x->list.at[i], name);
  return any;
}

// A place that is made of the body's own mass, inertia and centre: these come first, and the body is planar where its
// shape is. position = stone.centre puts the corners of a stone where they are written.
static bool own_names(const Env *env, const Symbol *y, Scope *s, Body *b) {
  Elab *e = env->e;
  b->planar = body_entry(y, "shape") && shape_is_planar(body_entry(y, "shape"));
  if (!body_shapes(env, y, b)) return false;
  bool moves = !b->fixed && !b->driven;
  if (moves && (!body_mass(env, y, b) || !body_inertia(env, y, b))) return false;
  if (b->shapes.n) bring(s, y, "centre", b->planar ? 2 : 3, 0, unit_of(e, "m"), b->shapes.centre);
  if (b->mass) bring(s, y, "mass", 0, 0, unit_of(e, "kg"), &b->mass);
  if (b->mass) bring(s, y, "inertia", b->planar ? 0 : 3, b->planar ? 0 : 3, unit_of(e, "kg*m^2"), b->J);
  s->placing = true;
  return true;
}

static bool other_dimension(const Env *env, const Value *v, bool planar) {
  const char *what = arena_printf(env->e->a, "the position of this body is %s", shape_text(env->e, v));
  return wrong_body_entry(env->e, v->span, what,
                          planar ? "its shape is of the plane: two numbers" : "its shape is in space: three numbers");
}

static bool read_body(const Env *env, const Symbol *y, Scope *s, Body *b) {
  const Ast *position = body_entry(y, "position"), *attitude = body_entry(y, "attitude");
  b->fixed = body_flag(y, "fixed");
  b->driven = body_flag(y, "driven");
  if (b->fixed && b->driven)
    return wrong_body_entry(env->e, y->span, "a body is fixed or driven, not both", "leave one of the words out");
  bool own = mentions(position, y->name) || mentions(attitude, y->name);
  if (own && !own_names(env, y, s, b)) return false;
  if (position) {
    Value v = elab_expr(env, position);
    if (v.bad) return false;
    if (own && v.ndim == 1 && b->planar != (v.dim[0] == 2)) return other_dimension(env, &v, b->planar);
    b->planar = v.ndim == 1 && v.dim[0] == 2;
  } else if (body_entry(y, "shape")) b->planar = shape_is_planar(body_entry(y, "shape"));
  int n = b->planar ? 2 : 3;
  bool ok = body_vector(env, y, b, "position", "m", n, b->start);
  ok = body_attitude(env, y, b, b->start_q) && ok;
  ok = (own || body_shapes(env, y, b)) && ok;
  static const char *const moving[] = { "mass", "inertia", "velocity", "spin" };
  if (b->fixed || b->driven) {
    for (int i = 2; i < 4; i++)
      if (body_entry(y, moving[i])) {
        Diag *d = diag(env->e->bag, DIAG_E0243, body_entry(y, moving[i])->span, "a %s body has no `%s` of its own",
                       b->fixed ? "fixed" : "driven", moving[i]);
        diag_help(d, b->fixed ? "leave `fixed` out for a body that moves"
                              : "its velocities follow from position and attitude as functions of time");
        ok = false;
      }
    return ok;
  }
  ok = body_vector(env, y, b, "velocity", "m/s", n, b->start_v) && ok;
  ok = body_vector(env, y, b, "spin", "rad/s", b->planar ? 1 : 3, b->start_spin) && ok;
  return ok && (own || (body_mass(env, y, b) && body_inertia(env, y, b)));
}

static void place(const Scope *s, int id, bool velocity, MExpr *const *value, int n) {
  Placed p = { .id = id, .nloop = s->ctx.n, .n = n, .velocity = velocity, .value = ARENA_ARRAY(s->e->a, MExpr *, n) };
  for (int k = 0; k < n; k++) p.value[k] = value[k];
  vec_push(&s->e->placed, p);
}

// What contacts know of the body: its shapes, where it is.
static void push_solid(const Symbol *y, const Scope *s, Body *b) {
  Elab *e = s->e;
  MExpr *zero = number(e, 0, y->span), *one = number(e, 1, y->span);
  const char *path = s->path, *plain = s->plain;
  MSolid m = { .ctx = s->ctx, .name = arena_strndup(e->a, path, strlen(path) - 1), .planar = b->planar,
               .plain = arena_strndup(e->a, plain, strlen(plain) - 1), .span = y->span,
               .motion = b->fixed ? MB_FIXED : b->driven ? MB_DRIVEN : b->planar ? MB_PLANAR : MB_SPATIAL,
               .place = b->place, .attitude = b->attitude, .turn = b->turn, .angle = b->angle,
               .shape = b->shapes.at, .nshape = b->shapes.n, .material = body_material(y) };
  for (int i = 0; i < 12; i++) m.pose[i] = i > 2 && i % 4 == 3 ? one : zero;
  for (int i = 0; i < 6; i++) m.rates[i] = zero;
  for (int i = 0; i < (b->planar ? 2 : 3); i++) {
    m.pose[i] = b->start[i];
    m.rates[i] = b->v[i];
  }
  if (b->planar) {
    m.pose[3] = m.pose[7] = mx_1(e->a, MOP_COS, b->start_q[0], y->span);
    m.pose[6] = mx_1(e->a, MOP_SIN, b->start_q[0], y->span);
    m.pose[4] = mx_neg(e->a, m.pose[6], y->span);
    m.rates[5] = b->omega[0];
  } else {
    rotation_matrix(e, b->start_q, m.pose + 3);
    for (int i = 0; i < 3; i++) m.rates[3 + i] = b->omega[i];
  }
  for (int i = 0; i < 12; i++) m.here[i] = i > 2 ? b->R[i - 3] : i < (b->planar ? 2 : 3) ? b->r[i] : zero;
  b->solid = (int)e->solid.n;
  vec_push(&e->solid, m);
}

bool body_force(Symbol *y) {
  Elab *e = y->env.e;
  Env args = y->env;
  Body *b = ARENA_NEW(e->a, Body);
  *b = (Body){ .turn = -1, .attitude = -1, .place = -1, .angle = -1, .solid = -1 };
  if (!body_entries_ok(y) || !instance_loops(y, &args)) return false;
  Scope *s = instance_scope(y, NULL, args);
  bool read = read_body(&args, y, s, b);
  s->placing = false;
  if (!read) return false;
  s->body = b;
  int n = b->planar ? 2 : 3;
  if (!b->fixed && !b->driven) b->place = new_variable(y, s, MV_COORD, "r", n, unit_of(e, "m"));
  for (int i = 0; i < n; i++) {
    b->r[i] = b->place < 0 ? b->start[i] : element(s, b->place, i, false, y->span);
    b->v[i] = rate_of(e, b->r[i]);
  }
  bring(s, y, "r", n, 0, unit_of(e, "m"), b->r);
  if (b->planar) bring_planar(y, s, b);
  else bring_spatial(y, s, b);
  if (b->place >= 0) {
    place(s, b->place, false, b->start, n);
    place(s, b->place, true, b->start_v, n);
    place(s, b->planar ? b->angle : b->attitude, false, b->start_q, b->planar ? 1 : 4);
    place(s, b->planar ? b->angle : b->turn, true, b->start_spin, b->planar ? 1 : 3);
  }
  if (b->mass) bring(s, y, "mass", 0, 0, unit_of(e, "kg"), &b->mass);
  if (b->mass) bring(s, y, "inertia", b->planar ? 0 : 3, b->planar ? 0 : 3, unit_of(e, "kg*m^2"), b->J);
  if (b->shapes.n) {
    bring(s, y, "centre", n, 0, unit_of(e, "m"), b->shapes.centre);
    push_solid(y, s, b);
  }
  return true;
}

// --- energies and initial values ---

static void energy(const Symbol *y, const Scope *s, MEnergyKind kind, MExpr *value) {
  if (mx_is_num(value, 0)) return;
  MEnergy m = { .ctx = s->ctx, .kind = kind, .value = value, .span = y->span };
  m.value->span = y->span;
  vec_push(&s->e->energy, m);
}

static void start(const Symbol *y, const Scope *s, int id, int k, bool velocity, MExpr *value) {
  MInit i = { .ctx = s->ctx, .on = element(s, id, k, false, y->span), .velocity = velocity, .value = value,
              .span = y->span };
  vec_push(&s->e->init, i);
}

// -m g.r of the gravity that is declared nearest around the body.
static void weight(const Symbol *y, const Scope *s, const Body *b) {
  Elab *e = s->e;
  Scope *at = y->env.scope;
  while (at && !at->gravity) at = at->parent;
  if (!at) return;
  Env env = env_of(at);
  Value g = elab_expr(&env, at->gravity->a);
  if (g.bad || !unit_check(&env, g, unit_of(e, "m/s^2"), "gravity")) return;
  int n = b->planar ? 2 : 3;
  if (g.ndim != 1 || g.dim[0] != n) {
    wrong_body_entry(e, at->gravity->span,
                     arena_printf(e->a, "gravity is %s, and the body `%s` is %s", shape_text(e, &g), y->name,
                                  b->planar ? "planar" : "in space"),
                     b->planar ? "gravity [0, -9.81] [m/s^2];" : "gravity [0, 0, -9.81] [m/s^2];");
    return;
  }
  if (extra_uses(&g, MU_PARAM | MU_LOOP | MU_TIME)) {
    not_constant(&env, &g, "gravity", "a force that depends on the motion is written as `force`");
    return;
  }
  MExpr *height = number(e, 0, y->span);
  for (int i = 0; i < n; i++) height = plus(e, height, times(e, g.at[i], b->r[i]));
  if (!mx_is_num(height, 0)) energy(y, s, ME_POTENTIAL, mx_neg(e->a, times(e, b->mass, height), y->span));
}

void body_items(Symbol *y) {
  if (!symbol_force(y)) return;
  Scope *s = y->child;
  const Body *b = s->body;
  Elab *e = s->e;
  if (b->fixed || b->driven) return;
  int n = b->planar ? 2 : 3;
  MExpr *half = number(e, 0.5, y->span), *square = number(e, 0, y->span), *turning = square, *w[3];
  for (int i = 0; i < n; i++) square = plus(e, square, times(e, b->v[i], b->v[i]));
  energy(y, s, ME_KINETIC, times(e, half, times(e, b->mass, square)));
  int m = b->planar ? 1 : 3;
  for (int i = 0; i < m; i++)
    w[i] = b->planar ? element(s, b->angle, -1, true, y->span) : element(s, b->turn, i, true, y->span);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++) turning = plus(e, turning, times(e, b->J[m * i + k], times(e, w[i], w[k])));
  energy(y, s, ME_KINETIC, times(e, half, turning));
  weight(y, s, b);
  for (int i = 0; i < n; i++) {
    start(y, s, b->place, i, false, b->start[i]);
    start(y, s, b->place, i, true, b->start_v[i]);
  }
  if (b->planar) {
    start(y, s, b->angle, -1, false, b->start_q[0]);
    start(y, s, b->angle, -1, true, b->start_spin[0]);
    return;
  }
  for (int k = 0; k < 4; k++) start(y, s, b->attitude, k, false, b->start_q[k]);
  for (int i = 0; i < 3; i++) start(y, s, b->turn, i, true, b->start_spin[i]);
  const char *path = s->path;
  MBody body = { .ctx = s->ctx, .name = arena_strndup(e->a, path, strlen(path) - 1), .attitude = b->attitude,
                 .turn = b->turn, .place = b->place, .span = y->span };
  vec_push(&e->body, body);
}
