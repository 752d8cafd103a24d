// Contacts between shapes, and materials. Read when all items are elaborated, as they name bodies declared anywhere.
//
//   contact NAME { between = A, B; with laws; }     each of A with each of B
//   contact NAME { among = A; with laws; }          all pairs of A
//   material steel, wood;    pair steel, wood { e = 0.3, mu = 0.4 }
//
// A law without numbers takes those of the pair of materials of the two bodies.
#include <string.h>

#include "elab_body.h"

static bool cannot(const Env *env, Span at, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0245, at, "%s", what);
  diag_help(d, "%s", help);
  return false;
}

// --- bodies ---

typedef struct Side { int n; MMembers at[64]; } Side;

static bool add_members(const Env *env, const Ast *x, Side *side) {
  Elab *e = env->e;
  if (x->kind == AST_PAREN) return add_members(env, x->a, side);
  if (x->kind == AST_VECTOR && !x->unit) {
    bool ok = true;
    for (int i = 0; i < x->list.n; i++) ok = add_members(env, x->list.at[i], side) && ok;
    return ok;
  }
  BodyRange of;
  if (!bodies_of(env, x, &of)) return false;
  const Body *b = of.body->child->body;
  if (b->solid < 0) {
    Diag *d = diag(e->bag, DIAG_E0245, x->span, "`%s` has no shape, so nothing touches it", ast_text(e, x));
    diag_also(d, of.body->span, "declared here");
    diag_help(d, "give it one: shape = sphere(0.1 [m]), or fixed, shape = halfspace");
    return false;
  }
  if (side->n == 64) return cannot(env, x->span, "a side of a contact names 64 bodies at most", "make them a family");
  MMembers *m = &side->at[side->n++];
  *m = (MMembers){ .solid = b->solid, .whole = true, .span = x->span };
  for (int k = 0; k < of.n; k++) {
    const MLoop *l = &of.body->ctx.loop[k];
    m->lo[k] = of.lo[k];
    m->hi[k] = of.hi[k];
    m->whole &= of.lo[k] == l->lo && of.hi[k] == l->hi;
  }
  return true;
}

static bool still(const Elab *e, const MMembers *m) { return is_still(&e->solid.at[m->solid]); }

static bool same_members(const Elab *e, const MMembers *a, const MMembers *b) {
  if (a->solid != b->solid) return false;
  if (a->whole || b->whole) return true;
  for (int k = 0; k < e->solid.at[a->solid].ctx.n; k++)
    if (!mx_same(a->lo[k], b->lo[k]) || !mx_same(a->hi[k], b->hi[k])) return false;
  return true;
}

static bool alone(const Elab *e, const MMembers *m) {
  if (m->whole) return e->solid.at[m->solid].ctx.n == 0;
  for (int k = 0; k < e->solid.at[m->solid].ctx.n; k++) if (!mx_same(m->lo[k], m->hi[k])) return false;
  return true;
}

static bool one_dimension(const Env *env, const Side *side, int n) {
  const Elab *e = env->e;
  const MMembers *first = &side[0].at[0];
  for (int s = 0; s < n; s++)
    for (int i = 0; i < side[s].n; i++) {
      const MMembers *m = &side[s].at[i];
      bool planar = e->solid.at[m->solid].planar;
      if (planar == e->solid.at[first->solid].planar) continue;
      Diag *d = diag(e->bag, DIAG_E0245, m->span, "a planar body touches none in space");
      diag_label(d, "this one is %s", planar ? "planar" : "in space");
      diag_also(d, first->span, "this one is %s", planar ? "in space" : "planar");
      diag_help(d, "a body is planar where its position has two numbers; a floor is a half-plane then: body road { "
                "fixed, shape = halfplane, position = [0, 0] }");
      return false;
    }
  return true;
}

static bool sides_ok(const Env *env, const Ast *x, const Side *side, int n) {
  const Elab *e = env->e;
  bool moves = false;
  for (int s = 0; s < n; s++) {
    if (side[s].n == 0) return cannot(env, x->span, "this contact names no body", "between = ball, floor;");
    for (int i = 0; i < side[s].n; i++) moves |= !still(e, &side[s].at[i]);
  }
  if (!one_dimension(env, side, n)) return false;
  if (!moves)
    return cannot(env, x->name_span, "none of these bodies moves on its own",
                  "one body of each pair moves: it is neither `fixed` nor `driven`");
  if (n == 1 && side[0].n == 1 && alone(e, &side[0].at[0])) {
    Diag *d = diag(e->bag, DIAG_E0245, side[0].at[0].span, "one body has no other one to touch");
    diag_help(d, "among = [%s, ...];, or a family of bodies", ast_text(env->e, x->list.at[0]));
    return false;
  }
  for (int i = 0; n == 2 && i < side[0].n; i++)
    for (int k = 0; k < side[1].n; k++) {
      if (!same_members(e, &side[0].at[i], &side[1].at[k])) continue;
      bool self = alone(e, &side[0].at[i]);
      const char *name = ast_text(env->e, &(Ast){ .span = side[1].at[k].span });
      Diag *d = diag(e->bag, DIAG_E0245, side[1].at[k].span, self ? "a body does not touch itself"
                                                                  : "the same bodies stand on both sides");
      diag_also(d, side[0].at[i].span, "on the other side");
      if (self) diag_help(d, "name another body");
      else diag_help(d, "pairs of one family: contact %s { among = %s; ... }", x->name, name);
      return false;
    }
  return true;
}

static MMembers *kept(Elab *e, const Side *side) {
  MMembers *m = ARENA_ARRAY(e->a, MMembers, side->n + 1);
  memcpy(m, side->at, sizeof *m * (size_t)side->n);
  return m;
}

// --- materials ---

static const char *const numbers[ML_NUMBERS] = { "e", "e_t", "mu", "radius", "mu_r", "ratio", "exponent" };

static Unit unit_of_number(const Elab *e, int k) {
  if (k != ML_RADIUS && k != ML_ROLLING) return UNIT_ONE;
  return e->has_units ? unit_named("m") : UNIT_ANY;
}

static int material_number(const Env *env, const Ast *name) {
  Elab *e = env->e;
  for (size_t i = 0; i < e->material.n; i++) if (e->material.at[i] == name->name) return (int)i;
  Diag *d = diag(e->bag, DIAG_E0201, name->span, "unknown material `%s`", name->name);
  diag_label(d, "not declared");
  diag_help(d, "material %s;", name->name);
  return -1;
}

typedef struct Pairs { int n; MTouchLaw *law; Span *at; } Pairs;    // [n][n]; at.file NULL: none

static bool pair_entry(const Env *env, const Ast *x, MTouchLaw *law) {
  Elab *e = env->e;
  int k = 0;
  while (x->kind == AST_ARG && k < ML_RATIO && strcmp(x->name, numbers[k])) k++;
  if (x->kind != AST_ARG || k == ML_RATIO) {
    Diag *d = diag(e->bag, DIAG_E0246, x->span, "a pair of materials has no entry `%s`", x->name ? x->name
                                                                                               : ast_text(e, x));
    diag_help(d, "its entries are e of laws of impact, e_t of newton, mu of friction, radius of contensou, mu_r of "
                 "rolling");
    return false;
  }
  law->of[k] = coefficient(env, x->a, unit_of_number(e, k), "a coefficient of a pair");
  return law->of[k] != NULL;
}

static void read_pair(const Touching *t, Pairs *pairs) {
  const Ast *x = t->item;
  const Env *env = &t->env;
  int a = material_number(env, x->a), b = material_number(env, x->b);
  if (a < 0 || b < 0) return;
  if (pairs->at[a * pairs->n + b].file) {
    Diag *d = diag(env->e->bag, DIAG_E0202, x->span, "the pair %s, %s is given twice", x->a->name, x->b->name);
    diag_also(d, pairs->at[a * pairs->n + b], "first given here");
    diag_help(d, "keep one of them");
    return;
  }
  MTouchLaw law = { { NULL } };
  for (int i = 0; i < x->list2.n; i++) if (!pair_entry(env, x->list2.at[i], &law)) return;
  pairs->law[a * pairs->n + b] = pairs->law[b * pairs->n + a] = law;
  pairs->at[a * pairs->n + b] = pairs->at[b * pairs->n + a] = x->span;
}

// --- laws ---

typedef struct Laws { MTouchLaw given; const Ast *of[ML_NUMBERS]; bool wanted[ML_NUMBERS]; MFrictionLaw friction;
                      MImpactLaw kind; const Ast *impact, *tangent; } Laws;

static bool number(const Env *env, const Ast *law, int i, int which, Laws *out) {
  if (i >= law->list.n) {
    out->wanted[which] = i == 0 || law->list.n == 0;
    out->of[which] = law;
    return true;
  }
  out->given.of[which] = coefficient(env, law->list.at[i], unit_of_number(env->e, which), "a coefficient of a law");
  return out->given.of[which] != NULL;
}

static bool second(const Env *env, const Ast *law, const Ast **first, const char *what) {
  if (!*first) { *first = law; return true; }
  Diag *d = diag(env->e->bag, DIAG_E0225, law->span, "a second law of %s", what);
  diag_also(d, (*first)->span, "the first one");
  diag_help(d, "keep one of them");
  return false;
}

static bool read_impact(const Env *env, const Ast *law, Laws *out) {
  MImpactLaw kind = impact_law_named(law->name);
  const ImpactLaw *row = impact_law_row(kind);
  if (!second(env, law, &out->impact, "impact") || !law_arguments(env, law, 0, row ? row->most : 0)) return false;
  out->kind = kind;
  if (!row) {
    out->given.of[ML_E] = mx_num(env->e->a, is_law(law, "elastic"), law->span);
    return true;
  }
  if (!number(env, law, 0, ML_E, out)) return false;
  if (kind == MI_NEWTON) return law->list.n < 2 || number(env, law, 1, ML_ET, out);
  return (law->list.n < 2 || number(env, law, 1, ML_RATIO, out)) &&
         (law->list.n < 3 || number(env, law, 2, ML_EXPONENT, out));
}

static bool read_law(const Env *env, const Ast *law, Laws *out) {
  bool coulomb = is_law(law, "coulomb"), contensou = is_law(law, "contensou");
  if (is_impact(law)) return read_impact(env, law, out);
  bool rolling = is_law(law, "rolling");
  if (!coulomb && !contensou && !rolling) {
    Diag *d = diag(env->e->bag, DIAG_E0212, law->span, "`%s` is no law between shapes", law->name);
    diag_help(d, "%s, coulomb(mu), contensou(mu, radius), rolling(mu, mu_r)", impact_forms(env));
    return false;
  }
  if (!second(env, law, &out->tangent, "friction") || !law_names_fit(env, law)) return false;
  if (rolling && law->list.n > 2) return law_arguments(env, law, 2, 2);
  if (law->list.n > (coulomb ? 1 : 2)) {
    not_supported(env, DIAG_E0703, law->span, coulomb ? "two coefficients of friction between shapes"
                                                      : "the exact set of contensou between shapes",
                  coulomb ? "coulomb(mu)" : "contensou(mu, radius)");
    return false;
  }
  out->friction = coulomb ? MF_COULOMB : rolling ? MF_ROLLING : MF_CONTENSOU;
  if (!coulomb && law->list.n == 1) return law_arguments(env, law, 2, 2);
  return number(env, law, 0, ML_MU, out) &&
         (coulomb || number(env, law, 1, rolling ? ML_ROLLING : ML_RADIUS, out));
}

// --- the law of each pair of bodies ---

static bool missing(const Env *env, const Ast *x, const Ast *law, const MMembers *a, const MMembers *b, int k) {
  Elab *e = env->e;
  const MSolid *A = &e->solid.at[a->solid], *B = &e->solid.at[b->solid];
  Diag *d;
  if (A->material < 0 || B->material < 0) {
    const MSolid *none = A->material < 0 ? A : B;
    d = diag(e->bag, DIAG_E0246, law->span, "`%s` has no numbers, and `%s` no material", law->name, none->plain);
    diag_also(d, none->span, "declared here");
    diag_help(d, "write %s(0.5), or give the body a material", law->name);
    diag_edit(d, law->span, "%s(0.5)", law->name);
    return false;
  }
  const char *m = e->material.at[A->material], *n = e->material.at[B->material];
  d = diag(e->bag, DIAG_E0246, law->span, "the pair %s, %s has no %s", m, n, numbers[k]);
  diag_label(d, "of %s and %s in contact %s", A->plain, B->plain, x->name);
  diag_help(d, "pair %s, %s { %s = 0.5 }", m, n, numbers[k]);
  return false;
}

static bool law_of_pair(const Env *env, const Ast *x, const Laws *laws, const Pairs *pairs, const MMembers *a,
                        const MMembers *b, MTouch *t) {
  Elab *e = env->e;
  int i = e->solid.at[a->solid].material, j = e->solid.at[b->solid].material, n = pairs->n;
  if (still(e, a) && still(e, b)) return true;
  for (int k = 0; k < ML_NUMBERS; k++) {
    if (!laws->wanted[k]) continue;
    MExpr *value = i >= 0 && j >= 0 ? pairs->law[i * n + j].of[k] : NULL;
    if (!value) return missing(env, x, laws->of[k], a, b, k);
    t->law[(i + 1) * (n + 1) + j + 1].of[k] = t->law[(j + 1) * (n + 1) + i + 1].of[k] = value;
    if (k == ML_E && pairs->law[i * n + j].of[ML_ET])
      t->law[(i + 1) * (n + 1) + j + 1].of[ML_ET] = t->law[(j + 1) * (n + 1) + i + 1].of[ML_ET] =
          pairs->law[i * n + j].of[ML_ET];
  }
  return true;
}

static bool laws_of(const Env *env, const Ast *x, const Side *side, int n, const Pairs *pairs, MTouch *t) {
  Elab *e = env->e;
  Laws laws = { .friction = MF_NONE };
  for (int i = 0; i < x->list2.n; i++) if (!read_law(env, x->list2.at[i], &laws)) return false;
  if (!laws.impact) {
    Diag *d = diag(e->bag, DIAG_E0214, x->name_span, "contact `%s` has no impact law", x->name);
    diag_label(d, "what happens to the velocity when bodies meet?");
    diag_help(d, "with newton(0.5);, or newton without a number where the bodies have materials");
    return false;
  }
  t->friction = laws.friction;
  t->impact = laws.kind;
  t->law_span = laws.impact->span;
  for (int k = 0; k < ML_NUMBERS; k++) t->by_material |= laws.wanted[k];
  int size = pairs->n + 1;
  t->law = ARENA_ARRAY(e->a, MTouchLaw, size * size);
  for (int i = 0; i < size * size; i++) t->law[i] = laws.given;
  if (!t->by_material) return true;
  const Side *other = n == 1 ? &side[0] : &side[1];
  for (int i = 0; i < side[0].n; i++)
    for (int k = 0; k < other->n; k++) {
      if (n == 1 && i == k && alone(e, &side[0].at[i])) continue;
      if (!law_of_pair(env, x, &laws, pairs, &side[0].at[i], &other->at[k], t)) return false;
    }
  return true;
}

// --- the statement ---

static void statement(const Touching *at, const Pairs *pairs) {
  const Ast *x = at->item;
  Env env = at->env;
  Elab *e = env.e;
  MTouch t = { .name = prefixed(e, env.scope->path, x->name), .span = x->name_span, .nside = x->list.n };
  if (env.ctx.n > 0) {
    not_supported(&env, DIAG_E0703, x->name_span, "a contact between shapes inside a family of models",
                  "write it outside, with the bodies of all members: between = part.ball, floor;");
    return;
  }
  Side *side = ARENA_ARRAY(e->a, Side, 2);
  bool ok = true;
  for (int s = 0; s < t.nside; s++) ok = add_members(&env, x->list.at[s], &side[s]) && ok;
  if (!ok || !sides_ok(&env, x, side, t.nside) || !laws_of(&env, x, side, t.nside, pairs, &t)) return;
  Text text = { 0 };
  text_add(&text, t.nside == 2 ? "between " : "among ");
  for (int s = 0; s < t.nside; s++) {
    t.nmember[s] = side[s].n;
    t.member[s] = kept(e, &side[s]);
    text_printf(&text, "%s%s", s ? " and " : "", ast_text(e, x->list.at[s]));
  }
  for (int i = 0; i < x->list2.n; i++) text_printf(&text, "%s%s", i ? ", " : " with ", ast_text(e, x->list2.at[i]));
  t.text = arena_printf(e->a, "%s", text_str(&text));
  text_free(&text);
  vec_push(&e->touch, t);
}

// --- where their results may stand ---

static void not_yet(Elab *e, const MExpr *x) {
  if (!x || !(x->uses & MU_TOUCH)) return;
  Diag *d = diag(e->bag, DIAG_E0247, x->span, "what a contact does in a step is known after the step");
  diag_label(d, "part of the step");
  diag_help(d, "it stands in outputs, claims and assert");
}

static void check_uses(Elab *e) {
  for (size_t i = 0; i < e->energy.n; i++) not_yet(e, e->energy.at[i].value);
  for (size_t i = 0; i < e->force.n; i++) not_yet(e, e->force.at[i].value), not_yet(e, e->force.at[i].on);
  for (size_t i = 0; i < e->equation.n; i++) not_yet(e, e->equation.at[i].lhs), not_yet(e, e->equation.at[i].rhs);
  for (size_t i = 0; i < e->relation.n; i++) {
    const MRelation *r = &e->relation.at[i];
    not_yet(e, r->y), not_yet(e, r->lambda), not_yet(e, r->lo), not_yet(e, r->hi);
  }
  for (size_t i = 0; i < e->contact.n; i++) {
    const MContact *c = &e->contact.at[i];
    not_yet(e, c->gap), not_yet(e, c->friction.mu), not_yet(e, c->friction.force);
    for (int k = 0; k < c->friction.nslip; k++) not_yet(e, c->friction.slip[k]);
  }
  for (size_t i = 0; i < e->constraint.n; i++) not_yet(e, e->constraint.at[i].value);
  for (size_t i = 0; i < e->init.n; i++) not_yet(e, e->init.at[i].value);
  for (size_t i = 0; i < e->block.n; i++) not_yet(e, e->block.at[i].cond);
}

void touch_statements(Elab *e) {
  int n = (int)e->material.n;
  Pairs pairs = { n, ARENA_ARRAY(e->a, MTouchLaw, n * n + 1), ARENA_ARRAY(e->a, Span, n * n + 1) };
  for (size_t i = 0; i < e->pairs.n; i++) read_pair(&e->pairs.at[i], &pairs);
  for (size_t i = 0; i < e->touching.n; i++) statement(&e->touching.at[i], &pairs);
  check_uses(e);
}
