// Contacts between shapes whose gaps have a closed form, as contacts of formulas. Schemes that need more of a gap than
// where it stands at the begin of a step, and derivatives, take these (docs/numerics/touching.md).
//
//   a point p of body B, with a radius rho about it, and a half-space with the outward normal n through o:
//       gap = n . (x - o) - rho,   x = r_B + R_B p
//   two spheres or two disks:
//       gap = |x_B - x_A| - rho_A - rho_B,   n along x_B - x_A
//   slip: of the material points there, v_B + omega_B x (x - rho n - r_B) less that of A, along two tangents
//
// A sphere and a disk have one such point, a capsule the two ends of its axis, a box and a polyhedron their corners.
#include "touch_formulas.h"
#include <string.h>
#include "../../runtime/shapes/shape.h"
#include "elab_body.h"
#include "mx.h"

enum { MOST_POINTS = 40 };

typedef struct Vector { MExpr *x[3]; } Vector;
// A body where it is, in the loops of the contact, of which its own are from `first` on.
typedef struct Standing { const MSolid *b; const MMembers *of; int first; Vector r, v, omega; MExpr *R[9]; } Standing;
typedef struct Formulas {
  Arena *a;
  Model *m;
  const MTouch *t;
  const char *why;
  Span at;                 // of the bodies at hand
  bool round;              // spheres, disks and capsules alone
  bool several;            // these touch at several places, which have numbers
  int number;
} Formulas;
// What one contact of formulas is made of.
typedef struct Row { Standing *A, *B; MExpr *gap; Vector n, tangent[2], on_a, on_b; int ntangent; } Row;

// ---- vectors --------------------------------------------------------------------------------------------------------
static MExpr *dot(Arena *a, Vector x, Vector y) {
  MExpr *s = mx_times(a, x.x[0], y.x[0]);
  for (int i = 1; i < 3; i++) s = mx_plus(a, s, mx_times(a, x.x[i], y.x[i]));
  return s;
}

static Vector add(Arena *a, Vector x, Vector y) {
  for (int i = 0; i < 3; i++) x.x[i] = mx_plus(a, x.x[i], y.x[i]);
  return x;
}

static Vector less(Arena *a, Vector x, Vector y) {
  for (int i = 0; i < 3; i++) x.x[i] = mx_minus(a, x.x[i], y.x[i]);
  return x;
}

static Vector scaled(Arena *a, MExpr *s, Vector x) {
  for (int i = 0; i < 3; i++) x.x[i] = mx_times(a, s, x.x[i]);
  return x;
}

static Vector cross(Arena *a, Vector x, Vector y) {
  Vector z;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    z.x[i] = mx_minus(a, mx_times(a, x.x[j], y.x[k]), mx_times(a, x.x[k], y.x[j]));
  }
  return z;
}

static Vector turned(Arena *a, MExpr *const *R, Vector x) {
  Vector y;
  for (int i = 0; i < 3; i++) y.x[i] = dot(a, (Vector){ { R[3 * i], R[3 * i + 1], R[3 * i + 2] } }, x);
  return y;
}

static Vector axis(const Formulas *f, int k, MExpr *length) {
  MExpr *none = mx_num(f->a, 0, f->at);
  Vector e = { { none, none, none } };
  e.x[k] = length;
  return e;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------
static MExpr *in_loops(const Formulas *f, MExpr *x, int first) {
  MExpr *by[MAX_INDICES];
  if (first == 0) return x;
  for (int k = 0; k + first < MAX_INDICES; k++) by[k] = mx_loop(f->a, k + first, f->at);
  return mx_subst(f->a, x, by, MAX_INDICES - first);
}

static Standing standing(const Formulas *f, const MMembers *of, int first) {
  Standing s = { .b = &f->m->solid[of->solid], .of = of, .first = first };
  for (int i = 0; i < 3; i++) {
    s.r.x[i] = in_loops(f, s.b->here[i], first);
    s.v.x[i] = in_loops(f, s.b->rates[i], first);
    s.omega.x[i] = in_loops(f, s.b->rates[3 + i], first);
  }
  for (int i = 0; i < 9; i++) s.R[i] = in_loops(f, s.b->here[3 + i], first);
  return s;
}

// A place of a shape in the world.
static Vector in_world(const Formulas *f, const Standing *s, const MShape *shape, Vector local) {
  MExpr *turn[9];
  Vector at;
  for (int i = 0; i < 9; i++) turn[i] = in_loops(f, shape->turn[i], s->first);
  for (int i = 0; i < 3; i++) {
    at.x[i] = in_loops(f, shape->at[i], s->first);
    local.x[i] = in_loops(f, local.x[i], s->first);
  }
  return add(f->a, s->r, turned(f->a, s->R, add(f->a, at, turned(f->a, turn, local))));
}

static bool is_round(const MShape *s) { return s->kind == NSM_SPHERE || s->kind == NSM_DISK; }
static bool is_endless(const MShape *s) { return s->kind == NSM_HALFSPACE || s->kind == NSM_HALFPLANE; }

// The points of a shape, in its own axes, that may touch a half-space; how many, 0: it has none.
static int points_of(const Formulas *f, const MShape *s, Vector *p) {
  MExpr *none = mx_num(f->a, 0, f->at);
  int planar = s->kind == NSM_RECTANGLE, n = 0;
  switch (s->kind) {
  case NSM_SPHERE: case NSM_DISK:
    p[0] = axis(f, 0, none);
    return 1;
  case NSM_CAPSULE:
    p[0] = axis(f, 2, s->size[1]);
    p[1] = axis(f, 2, mx_neg(f->a, s->size[1], f->at));
    return 2;
  case NSM_BOX: case NSM_RECTANGLE:
    for (; n < (planar ? 4 : 8); n++) {
      p[n] = axis(f, 0, none);
      for (int i = 0; i < (planar ? 2 : 3); i++)
        p[n].x[i] = n >> i & 1 ? s->size[i] : mx_neg(f->a, s->size[i], f->at);
    }
    return n;
  case NSM_CONVEX: case NSM_POLYGON: {
    if (s->size[0]->kind != MX_NUM) return 0;              // members with corners of their own
    const MPoints *of = &f->m->points[(int)s->size[0]->num];
    if (of->n > MOST_POINTS) return 0;
    for (; n < of->n; n++)
      for (int i = 0; i < 3; i++) p[n].x[i] = mx_num(f->a, of->at[3 * n + i], f->at);
    return n;
  }
  default: return 0;
  }
}

// ---- rows -----------------------------------------------------------------------------------------------------------
static MContext loops_of(const Formulas *f, const Standing *A, const Standing *B, bool pairs) {
  const Standing *both[] = { A->first ? B : A, A->first ? A : B };
  MContext c = { 0, ARENA_ARRAY(f->a, MLoop, MAX_INDICES + 1) };
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < both[s]->b->ctx.n; k++) {
      MLoop l = both[s]->b->ctx.loop[k];
      if (!both[s]->of->whole) {
        l.lo = both[s]->of->lo[k];
        l.hi = both[s]->of->hi[k];
      }
      l.lo = in_loops(f, l.lo, both[s]->first);
      l.hi = in_loops(f, l.hi, both[s]->first);
      if (pairs && s == 1) l.lo = mx_plus(f->a, mx_loop(f->a, 0, f->at), mx_num(f->a, 1, f->at));
      c.loop[c.n++] = l;
    }
  return c;
}

// "on.lambda_t[1]", with a % for each loop: the rows of a contact are variables.
static int new_row(Formulas *f, const MContext *c, const char *family, const char *part, bool rate) {
  Model *m = f->m;
  MVar v = { .kind = MV_ROW, .ndim = c->n, .unit = UNIT_ANY, .span = f->t->span };
  v.name = v.plain = arena_printf(f->a, "%s.%s", family, part);
  for (int k = 0; k < c->n; k++) {
    v.lo[k] = c->loop[k].lo;
    v.hi[k] = c->loop[k].hi;
  }
  for (int i = 0; i < m->nvar && v.unit.state != UNIT_KNOWN; i++)
    if (m->var[i].kind == MV_COORD && m->var[i].unit.state == UNIT_KNOWN)
      v.unit = impulse_along(unit_named(rate ? "m/s" : "m"), rate);
  ARENA_MORE(f->a, m->var, m->nvar, MVar);
  m->var[m->nvar] = v;
  return m->nvar++;
}

static void friction(Formulas *f, const Row *r, const MTouchLaw *law, MContact *c) {
  Arena *a = f->a;
  MExpr *none = mx_num(a, 0, f->at);
  bool rolls = f->t->friction == MF_ROLLING, spins = f->t->friction == MF_CONTENSOU;
  int n = r->ntangent * (rolls ? 2 : 1) + spins;
  Vector omega = less(a, r->B->omega, r->A->omega), about[2],
         v = less(a, add(a, r->B->v, cross(a, r->B->omega, less(a, r->on_b, r->B->r))),
                  add(a, r->A->v, cross(a, r->A->omega, less(a, r->on_a, r->A->r))));
  about[0] = r->ntangent == 1 ? axis(f, 2, mx_num(a, 1, f->at)) : r->tangent[0];
  about[1] = r->tangent[1];
  c->friction = (MFriction){ .law = f->t->friction, .mu = law->of[ML_MU] ? law->of[ML_MU] : none, .nslip = n,
                             .slip = ARENA_ARRAY(a, MExpr *, n), .span = f->t->law_span, .slip_span = f->t->span };
  if (spins) c->friction.radius = law->of[ML_RADIUS] ? law->of[ML_RADIUS] : none;
  if (rolls) c->friction.mu2 = law->of[ML_ROLLING] ? law->of[ML_ROLLING] : none;
  for (int k = 0; k < n; k++) {
    c->friction.slip[k] = k < r->ntangent ? dot(a, r->tangent[k], v)
                          : spins ? dot(a, r->n, omega) : dot(a, about[k - r->ntangent], omega);
    c->friction.var[k] = new_row(f, &c->ctx, c->name, slip_part(k, n, rolls, false), true);
  }
}

static const MTouchLaw *law_of(const Formulas *f, const Row *r) {
  int n = f->m->nmaterial + 1;
  return &f->t->law[(r->A->b->material + 1) * n + r->B->b->material + 1];
}

static void push(Formulas *f, const Row *r) {
  Model *m = f->m;
  MContext c = loops_of(f, r->A, r->B, r->A->of == r->B->of);
  const MTouchLaw *law = law_of(f, r);
  const char *name = f->t->name;
  const Standing *each[] = { r->A->first ? r->B : r->A, r->A->first ? r->A : r->B };
  for (int s = 0; s < 2; s++) {                            // which of several it is
    const MTouch *t = f->t;
    bool second = t->nside == 2 && each[s]->of >= t->member[1] && each[s]->of < t->member[1] + t->nmember[1];
    if (t->nmember[second] == 1) continue;
    name = arena_printf(f->a, "%s.%.*s", name, (int)strcspn(each[s]->b->name, "["), each[s]->b->name);
  }
  if (f->several) name = arena_printf(f->a, "%s.at%d", name, ++f->number);
  name = arena_printf(f->a, "%s%s", name, index_marks(f->a, c.n));
  MContact x = { .ctx = c, .name = name, .gap = r->gap, .impact = f->t->impact, .has_impact_law = true,
                 .e = law->of[ML_E] ? law->of[ML_E] : mx_num(f->a, 0, f->at), .e_t = law->of[ML_ET],
                 .ratio = law->of[ML_RATIO], .exponent = law->of[ML_EXPONENT], .span = f->t->span,
                 .gap_span = f->t->span, .law_span = f->t->law_span, .assert_span = f->t->span };
  x.row_var = new_row(f, &c, name, "lambda", false);
  if (f->t->friction != MF_NONE) friction(f, r, law, &x);
  ARENA_MORE(f->a, m->contact, m->ncontact, MContact);
  m->contact[m->ncontact++] = x;
}

// ---- pairs of shapes ------------------------------------------------------------------------------------------------
static bool no_form(Formulas *f, const char *why) {
  f->why = why;
  return false;
}

static bool on_plane(Formulas *f, Standing *A, const MShape *plane, Standing *B, const MShape *shape) {
  Arena *a = f->a;
  Vector p[MOST_POINTS], zero = axis(f, 0, mx_num(a, 0, f->at));
  int n = points_of(f, shape, p), up = plane->kind == NSM_HALFPLANE ? 1 : 2;
  if (n == 0) return no_form(f, "this shape and a half-space have no gap in closed form");
  if (n > 2 && f->round) return no_form(f, "it may rest on more corners than hold it, whose forces are not unique");
  bool rounded = is_round(shape) || shape->kind == NSM_CAPSULE;
  MExpr *one = mx_num(a, 1, f->at), *rho = rounded ? in_loops(f, shape->size[0], B->first) : NULL;
  Vector o = in_world(f, A, plane, zero);
  Row r = { .A = A, .B = B, .ntangent = up, .n = less(a, in_world(f, A, plane, axis(f, up, one)), o) };
  for (int k = 0; k < up; k++) r.tangent[k] = less(a, in_world(f, A, plane, axis(f, k, one)), o);
  for (int k = 0; k < n; k++) {
    Vector x = in_world(f, B, shape, p[k]);
    if (rho) x = less(a, x, scaled(a, rho, r.n));
    r.gap = dot(a, r.n, less(a, x, o));
    r.on_a = r.on_b = x;
    push(f, &r);
  }
  return true;
}

// Two spheres, two disks. The normal of two spheres turns, and tangents that turn with it everywhere there are not.
static bool round_ones(Formulas *f, Standing *A, const MShape *s, Standing *B, const MShape *t) {
  Arena *a = f->a;
  bool planar = s->kind == NSM_DISK;
  if (!planar && f->t->friction != MF_NONE)
    return no_form(f, "spheres on spheres have a gap in closed form, but no two directions of slip that move with it");
  Vector zero = axis(f, 0, mx_num(a, 0, f->at)), x = in_world(f, A, s, zero), y = in_world(f, B, t, zero),
         d = less(a, y, x);
  MExpr *radius[] = { in_loops(f, s->size[0], A->first), in_loops(f, t->size[0], B->first) },
        *length = mx_1(a, MOP_SQRT, dot(a, d, d), f->at);
  Row r = { .A = A, .B = B, .gap = mx_minus(a, length, mx_plus(a, radius[0], radius[1])) };
  for (int i = 0; i < 3; i++) r.n.x[i] = mx_is_num(d.x[i], 0) ? d.x[i] : mx_2(a, MOP_DIV, d.x[i], length, f->at);
  r.ntangent = planar;
  r.tangent[0] = (Vector){ { r.n.x[1], mx_neg(a, r.n.x[0], f->at), zero.x[0] } };
  r.on_a = add(a, x, scaled(a, radius[0], r.n));
  r.on_b = less(a, y, scaled(a, radius[1], r.n));
  push(f, &r);
  return true;
}

static bool shapes(Formulas *f, Standing *A, const MShape *s, Standing *B, const MShape *t) {
  if (is_endless(s)) return on_plane(f, A, s, B, t);
  if (is_endless(t)) return on_plane(f, B, t, A, s);
  if (is_round(s) && is_round(t)) return round_ones(f, A, s, B, t);
  return no_form(f, "these two shapes have no gap in closed form; a half-space and what stands on it have one");
}

static bool bodies(Formulas *f, const MMembers *p, const MMembers *q) {
  const MSolid *b = &f->m->solid[p->solid], *c = &f->m->solid[q->solid];
  f->at = q->span;
  if (is_still(b) && is_still(c)) return true;
  if (b->ctx.n + c->ctx.n > MAX_INDICES || (p == q && b->ctx.n > 1))
    return no_form(f, "pairs of families with so many indices are not written as formulas");
  Standing A = standing(f, p, 0), B = standing(f, q, b->ctx.n);
  f->several = b->nshape * c->nshape > 1 || !(is_round(&b->shape[0]) || is_round(&c->shape[0]));
  f->number = 0;
  for (int i = 0; i < b->nshape; i++)
    for (int k = 0; k < c->nshape; k++)
      if (!shapes(f, &A, &b->shape[i], &B, &c->shape[k])) return false;
  return true;
}

static bool members(Formulas *f) {
  const MTouch *t = f->t;
  if (t->nside == 2) {
    for (int i = 0; i < t->nmember[0]; i++)
      for (int k = 0; k < t->nmember[1]; k++)
        if (!bodies(f, &t->member[0][i], &t->member[1][k])) return false;
    return true;
  }
  for (int i = 0; i < t->nmember[0]; i++)
    for (int k = i; k < t->nmember[0]; k++) {
      const MMembers *p = &t->member[0][i];
      if (i == k && f->m->solid[p->solid].ctx.n == 0) continue;
      if (!bodies(f, p, &t->member[0][k])) return false;
    }
  return true;
}

// Are counts, depths or impulses of contacts between shapes asked for?
static bool is_asked(const Model *m) {
  for (int i = 0; i < m->noutput; i++) if (m->output[i].value->uses & MU_TOUCH) return true;
  for (int i = 0; i < m->nassertion; i++) if (m->assertion[i].cond->uses & MU_TOUCH) return true;
  return false;
}

const Model *with_gaps_as_formulas(Arena *a, const Model *given, int most, bool round) {
  if (given->ntouch == 0) return given;
  Model *m = ARENA_NEW(a, Model), *as_it_is = ARENA_NEW(a, Model);
  *as_it_is = *m = *given;
  Formulas f = { .a = a, .m = m, .at = given->touch[0].span, .round = round };
  bool ok = !is_asked(given) || no_form(&f, "its count, deepest or impulse is asked for, which are of shapes");
  for (int i = 0; ok && i < given->ntouch; i++) {
    f.t = &given->touch[i];
    ok = members(&f);
  }
  m->ntouch = 0;
  if (ok && !(model_laws(m) <= most))
    ok = no_form(&f, arena_printf(a, "of these bodies %g pairs may touch; up to %d are written as formulas",
                                  model_laws(m), most));
  as_it_is->no_formulas = f.why;
  as_it_is->no_formulas_at = f.at;
  return ok ? m : as_it_is;
}
