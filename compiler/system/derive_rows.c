// Rows of the one-step problem: relations y = h(t,q,v,x,lambda), contacts and constraints with their gap, its rate and
// H = dg/dq (docs/numerics/moreau.md (3)). Friction has a class for each direction of slip, beside the class of its
// contact.
#include "along.h"
#include "derive.h"

static bool member_rate(int id, void *s) { return symtab_at(((System *)s)->sym, id)->kind == SYM_RATE; }
static bool member_state(int id, void *system) {
  const System *s = system;
  const Sym *y = symtab_at(s->sym, id);
  return (y->kind == SYM_VALUE || y->kind == SYM_RATE) && s->model->var[y->id].kind == MV_STATE;
}
static bool member_multiplier(int id, void *system) {
  const System *s = system;
  const Sym *y = symtab_at(s->sym, id);
  if (y->kind != SYM_VALUE) return false;
  MVarKind kind = s->model->var[y->id].kind;
  return kind == MV_MULTIPLIER || kind == MV_ROW;
}
static bool member_state_rate(int id, void *system) { return member_state(id, system) && member_rate(id, system); }

// y over all slots: C (q, v, x) and D (lambda).
static void output_jacobian(Deriver *d, SysClass *c) {
  Pool *p = d->sys->pool;
  for (int k = 0; k < c->nslot; k++) {
    const Slot *t = &c->slot[k];
    if (t->kind == SLOT_POSITION || t->kind == SLOT_D) continue;
    Wrt by = t->kind == SLOT_Q ? WRT_Q : t->kind == SLOT_X ? WRT_X : WRT_L;
    Ex dy = t->kind == SLOT_L ? ex_diff(p, c->y, t->value) : diff_along(d->sys, c->y, t);
    if (!ex_is_num(p, dy, 0)) entries_push(d->arena, &c->h, (Entry){ 0, k, by, dy });
    if (t->kind != SLOT_Q) continue;
    dy = ex_diff(p, c->y, t->rate);
    if (!ex_is_num(p, dy, 0)) entries_push(d->arena, &c->h, (Entry){ 0, k, WRT_V, dy });
  }
}

static const char *const row_of[] = { [MALG_NONE] = "relation", [MALG_UNKNOWN] = "equation of", [MALG_NODE] = "node",
                                     [MALG_HELD] = "node" };

// 0 = y, for an unknown that is a state without inertia.
static void algebraic_class(Deriver *d, const MRelation *m, int unknown, Ex y) {
  SysClass *c = derive_new_class(d, CLASS_SMOOTH, arena_printf(d->arena, "%s %s", row_of[m->algebraic], m->name),
                                 m->span, &m->ctx);
  c->is_equation = c->at_end = true;
  c->relation = m;
  derive_right_hand_side(d, c, unknown, y);
}

static void relation_class(Deriver *d, int number) {
  System *s = d->sys;
  const MRelation *m = &s->model->relation[number];
  if (s->row_unknown[number] < 0) return;                  // solved
  Ex y = s->row_left[number] != EX_NONE ? s->row_left[number] : lower_expr(s, m->y);
  int lambda = s->row_unknown[number] == m->lambda->id
                   ? lower_var_symbol(s, m->lambda, false)
                   : symtab_id(s->sym, (Sym){ .kind = SYM_VALUE, .id = s->row_unknown[number] });
  if (m->algebraic && s->algebraic_states) {
    algebraic_class(d, m, lambda, y);
    return;
  }
  SysClass *c = derive_new_class(d, CLASS_RELATION, arena_printf(d->arena, "%s %s", row_of[m->algebraic], m->name),
                                 m->span, &m->ctx);
  c->relation = m;
  c->y_span = m->y_span;
  c->law_span = m->law_span;
  c->row_type = (int)m->law;
  c->y = y;
  c->lo = lower_expr(s, m->lo);
  c->hi = lower_expr(s, m->hi);
  if (ex_depends_any(s->pool, c->y, member_state_rate, s)) {
    diag(d->bag, DIAG_E0502, m->y_span, "the output of a relation cannot contain the derivative of a state");
    return;
  }
  SlotList l = slots_of(d->arena, s, c);
  slots_collect(&l, c->y);
  slots_collect(&l, c->lo);
  slots_collect(&l, c->hi);
  c->lambda_slot = slots_add(&l, lambda);
  output_jacobian(d, c);
}

void derive_relations(Deriver *d) {
  for (int i = 0; i < d->sys->model->nrelation; i++) relation_class(d, i);
}

// rate = sum dg/dq_a v_a + dg/dt
static Ex rate_of_gap(Deriver *d, const SysClass *c) {
  Pool *p = d->sys->pool;
  Ex *part = ARENA_ARRAY(d->arena, Ex, 2 * c->nslot + 1);
  int n = 0;
  part[n++] = ex_diff(p, c->y, d->sys->sym_time);
  for (int k = 0; k < c->nslot; k++) {
    const Slot *t = &c->slot[k];
    if (t->kind == SLOT_Q) part[n++] = ex_mul(p, diff_along(d->sys, c->y, t), ex_sym(p, t->rate));
    if (t->kind != SLOT_D || t->rate < 0) continue;
    part[n++] = ex_mul(p, ex_diff(p, c->y, t->value), ex_sym(p, t->rate));
    if (ex_depends(p, c->y, t->rate))
      diag(d->bag, DIAG_E0411, c->y_span, "the rate of %s cannot stand here: its own rate would be needed",
           sym_name(t->value, d->sys));
  }
  return ex_op(p, OP_ADD, part, n);
}

static void row_jacobian(Deriver *d, SysClass *c) {
  Pool *p = d->sys->pool;
  for (int k = 0; k < c->nslot; k++) {
    if (c->slot[k].kind != SLOT_Q) continue;
    Ex h = ex_diff(p, c->rate, c->slot[k].rate);
    if (!ex_is_num(p, h, 0)) entries_push(d->arena, &c->h, (Entry){ 0, k, WRT_V, h });
  }
}

// A compliant gap contains its own multiplier: 0 <= g(q,lambda) _|_ lambda >= 0 with the force (dg/dq)^T lambda, no
// impact law.
static void compliant_contact(Deriver *d, const MContact *m, SysClass *c, int lambda) {
  System *s = d->sys;
  c->kind = CLASS_RELATION;
  c->compliant = true;
  c->row_var = m->row_var;
  SlotList l = slots_of(d->arena, s, c);
  c->lambda_slot = slots_add(&l, lambda);
  output_jacobian(d, c);
  Slot *slot = c->slot;
  int nslot = c->nslot;
  Ex y = c->y;
  for (int k = 0; k < nslot; k++) {
    if (slot[k].kind != SLOT_Q) continue;
    Ex direction = diff_along(s, y, &slot[k]);
    if (ex_is_num(s->pool, direction, 0)) continue;
    SysClass *f =
        derive_new_class(d, CLASS_SMOOTH, arena_printf(d->arena, "force of contact %s", m->name), m->span, &m->ctx);
    f->of_compliant = true;
    derive_right_hand_side(d, f, slot[k].value, ex_mul(s->pool, direction, ex_sym(s->pool, lambda)));
  }
}

static int own_multiplier(System *s, int row_var, int nloop) {
  Sym y = { .kind = SYM_VALUE, .id = row_var, .nidx = nloop };
  for (int i = 0; i < nloop; i++) y.idx[i] = ex_sym(s->pool, symtab_id(s->sym, (Sym){ .kind = SYM_LOOP, .id = i }));
  return symtab_id(s->sym, y);
}

// --- friction ---

static bool negative(const System *s, Ex e) {
  return e != EX_NONE && ex_operator(s->pool, e) == OP_NUM && ex_value(s->pool, e) < 0;
}

static bool bad_slip(Deriver *d, Span at, const char *what, const char *help) {
  diag_help(diag(d->bag, DIAG_E0402, at, "%s", what), "%s", help);
  return false;
}

// The coefficients stand on direction 0. They may move, but not with what the step is solved for.
static bool coefficients(Deriver *d, const MFriction *f, SysClass *c, Ex mu, Ex mu2, Ex radius) {
  System *s = d->sys;
  SlotList l = slots_of(d->arena, s, c);
  const Ex all[] = { mu, mu2, radius };
  for (int i = 0; i < 3; i++) {
    if (all[i] == EX_NONE || !ex_depends_any(s->pool, all[i], member_state_rate, s)) {
      slots_collect(&l, all[i]);
      continue;
    }
    Diag *g = diag(d->bag, DIAG_E0224, f->span, "friction cannot depend on the derivative of a state");
    diag_label(g, "a derivative in a coefficient or a normal force");
    diag_help(g, "use the right-hand side of its equation");
    return false;
  }
  c->mu = mu; c->mu2 = mu2; c->radius = radius;
  return true;
}

static bool slip_class(Deriver *d, const MFriction *f, int k, SysClass *c) {
  System *s = d->sys;
  Pool *p = s->pool;
  c->y_span = f->slip_span;
  c->law_span = f->span;
  c->row_type = 2;
  c->row_var = f->var[k];
  c->y = c->rate = lower_expr(s, f->slip[k]);
  c->velocity_level = true;
  SlotList l = slots_of(d->arena, s, c);
  slots_collect(&l, c->y);
  if (ex_depends_any(p, c->y, member_state, s) || ex_depends_any(p, c->y, member_multiplier, s))
    return bad_slip(d, f->slip_span, "a slip velocity is a function of coordinates, velocities and time only",
                    "a belt with dynamics of its own is a coord");
  row_jacobian(d, c);
  if (!c->h.n)
    return bad_slip(d, f->slip_span, "this slip contains no velocity, so friction can act on nothing", "slip = x';");
  for (int i = 0; i < c->h.n; i++)
    if (ex_depends_any(p, c->h.at[i].value, member_rate, s))
      return bad_slip(d, f->slip_span, "a slip velocity is linear in the velocities",
                      "friction acts against the relative velocity itself: slip = x' - belt;");
  return true;
}

// One class for each direction. normal: the class of the contact or constraint, of several normal directions the last;
// -1 under a given normal force.
static void friction_classes(Deriver *d, const MFriction *f, int normal, const MContext *ctx, Span span,
                             const char *label, const MExpr *e_t) {
  System *s = d->sys;
  if (f->law == MF_NONE) return;
  Ex mu = lower_expr(s, f->mu), mu2 = lower_expr(s, f->mu2), radius = lower_expr(s, f->radius),
     force = lower_expr(s, f->force), e = lower_expr(s, e_t);
  if (negative(s, mu) || negative(s, mu2) || negative(s, radius)) {
    Diag *g = diag(d->bag, DIAG_E0404, f->span, "a %s is not negative",
                   negative(s, radius) ? "radius" : "coefficient of friction");
    if (!negative(s, radius)) diag_help(g, "friction acts against the slip by itself: coulomb(0.3)");
    return;
  }
  if (negative(s, force)) {
    diag(d->bag, DIAG_E0404, f->force->span, "a normal force that presses is not negative");
    return;
  }
  if (f->law == MF_GIVEN) radius = ex_mul(s->pool, mu, force);
  else if (force != EX_NONE) {                             // three numbers at most: of CONTENSOU mu, radius, force
    if (radius != EX_NONE) mu2 = radius;
    radius = force;
  }
  if (normal >= 0) normal -= f->law == MF_GRIP2 ? 1 : f->law == MF_GRIP3 ? 2 : 0;      // to the first
  for (int k = 0; k < f->nslip; k++) {
    static const char *const plain[] = { "slip 1 of %s", "slip 2 of %s", "spin of %s" };
    static const char *const rolls[] = { "slip 1 of %s", "slip 2 of %s", "rolling 1 of %s", "rolling 2 of %s" };
    const char *what = f->nslip == 1          ? "slip of %s"
                       : f->law != MF_ROLLING ? plain[k]
                       : f->nslip == 2        ? (k ? "rolling of %s" : "slip of %s")
                                              : rolls[k];
    SysClass *c = derive_new_class(d, CLASS_FRICTION, arena_printf(d->arena, what, label), span, ctx);
    c->normal = normal;
    c->direction = k;
    c->friction = f->law;
    c->rolls = friction_law(f->law)->rolls && k >= f->nslip / 2;
    c->e = e;
    if (!slip_class(d, f, k, c) || (k == 0 && !coefficients(d, f, c, mu, mu2, radius))) return;
  }
}

static void contact_class(Deriver *d, const MContact *m) {
  System *s = d->sys;
  Pool *p = s->pool;
  const char *label = arena_printf(d->arena, "contact %s", m->name);
  if (!m->gap) { friction_classes(d, &m->friction, -1, &m->ctx, m->span, label, NULL); return; }
  SysClass *c = derive_new_class(d, CLASS_CONTACT, label, m->span, &m->ctx);
  c->contact = m;
  c->y_span = m->gap_span;
  c->law_span = m->law_span;
  c->row_type = 0;
  c->row_var = m->row_var;
  c->y = lower_expr(s, m->gap);
  SlotList l = slots_of(d->arena, s, c);
  slots_collect(&l, c->y);
  if (ex_depends_any(p, c->y, member_rate, s)) {
    Diag *g = diag(d->bag, DIAG_E0411, m->gap_span, "a gap is a function of positions, not of velocities");
    diag_help(g, "a set-valued law on a velocity is a relation: relation N: 0 <= v perp lambda >= 0;");
    return;
  }
  if (ex_depends_any(p, c->y, member_state, s)) {
    Diag *g = diag(d->bag, DIAG_E0411, m->gap_span,
                   "a gap is a function of coordinates and time; it cannot contain a first-order state");
    diag_help(g, "a moving obstacle with dynamics of its own is a coord, or write the law as a relation");
    return;
  }
  if (ex_depends_any(p, c->y, member_multiplier, s)) {
    int own = own_multiplier(s, m->row_var, m->ctx.n);
    if (ex_depends(p, c->y, own)) {
      if (m->friction.law != MF_NONE) {
        Diag *g = diag(d->bag, DIAG_E0701, m->friction.span, "friction on a compliant contact is not supported");
        diag_also(g, m->gap_span, "the gap contains its own force");
        diag_help(g, "model the compliance by a spring between a contact and the body");
        return;
      }
      compliant_contact(d, m, c, own);
      return;
    }
    diag(d->bag, DIAG_E0411, m->gap_span, "a gap may contain its own multiplier (compliance) but not another one");
    return;
  }
  bool any = false;
  for (int k = 0; k < c->nslot; k++) any |= c->slot[k].kind == SLOT_Q;
  if (!any) {
    Diag *g = diag(d->bag, DIAG_E0411, m->gap_span, "this gap contains no coordinate, so no force can act on it");
    diag_help(g, "a gap says how far two surfaces are apart, such as z - R");
    return;
  }
  c->rate = rate_of_gap(d, c);
  row_jacobian(d, c);
  c->e = lower_expr(s, m->e);
  c->ratio = lower_expr(s, m->ratio);
  c->exponent = lower_expr(s, m->exponent);
  if (c->e != EX_NONE && stage_of(s, c->e) > STAGE_CONST) {
    diag(d->bag, DIAG_E0411, m->law_span, "a restitution coefficient is constant during a run");
    return;
  }
  if (m->e_t && m->friction.law == MF_NONE)
    diag(d->bag, DIAG_W0812, m->law_span, "the tangential restitution has no effect: the contact has no friction");
  friction_classes(d, &m->friction, (int)(c - s->cls), &m->ctx, m->span, label, m->e_t);
}

void derive_contacts(Deriver *d) {
  for (int i = 0; i < d->sys->model->ncontact; i++) contact_class(d, &d->sys->model->contact[i]);
}

static void constraint_class(Deriver *d, const MConstraint *m) {
  System *s = d->sys;
  Pool *p = s->pool;
  const char *label = arena_printf(d->arena, "constraint %s", m->name);
  SysClass *c = derive_new_class(d, CLASS_CONSTRAINT, label, m->span, &m->ctx);
  c->y_span = c->law_span = m->span;
  c->row_type = 2;
  c->row_var = m->row_var;
  c->y = lower_expr(s, m->value);
  SlotList l = slots_of(d->arena, s, c);
  slots_collect(&l, c->y);
  if (ex_depends_any(p, c->y, member_state, s) || ex_depends_any(p, c->y, member_multiplier, s)) {
    diag(d->bag, DIAG_E0411, m->span, "a constraint is on coordinates, velocities and time only");
    return;
  }
  c->velocity_level = ex_depends_any(p, c->y, member_rate, s);
  if (c->velocity_level) {
    c->rate = c->y;
    row_jacobian(d, c);
    for (int i = 0; i < c->h.n; i++)
      if (ex_depends_any(p, c->h.at[i].value, member_rate, s)) {
        Diag *g = diag(d->bag, DIAG_E0411, m->span, "a constraint on velocities must be linear in them");
        diag_note(g, "it is not in %s", sym_name(c->slot[c->h.at[i].col].rate, s));
        return;
      }
  } else {
    c->rate = rate_of_gap(d, c);
    row_jacobian(d, c);
  }
  if (!c->h.n) {
    Diag *g = diag(d->bag, DIAG_E0411, m->span, "this constraint contains no coordinate, so no force can act on it");
    if (ex_operator(p, c->y) == OP_NUM)
      diag_note(g, "it says %g = 0, which is %s true", ex_value(p, c->y), ex_is_num(p, c->y, 0) ? "always" : "never");
    diag_help(g, "a constraint holds coordinates together, such as x^2 + y^2 = l^2");
    return;
  }
  friction_classes(d, &m->friction, (int)(c - s->cls), &m->ctx, m->span, label, NULL);
}

void derive_constraints(Deriver *d) {
  for (int i = 0; i < d->sys->model->nconstraint; i++) constraint_class(d, &d->sys->model->constraint[i]);
}

static SysClass *value_class(Deriver *d, ClassKind kind, const char *label, Span span, const MContext *ctx,
                             const MExpr *value) {
  SysClass *c = derive_new_class(d, kind, label, span, ctx);
  c->value = lower_expr(d->sys, value);
  SlotList l = slots_of(d->arena, d->sys, c);
  slots_collect(&l, c->value);
  if (kind != CLASS_INIT && ex_depends_any(d->sys->pool, c->value, member_state_rate, d->sys))
    diag(d->bag, DIAG_E0502, value->span, "the derivative of a state can only stand in its equation");
  return c;
}

// The attitude of a body and its turn: slots 0 to 3 and 4 to 6; 7 to 9 are its place.
static void kinematics(Deriver *d, const MBody *b) {
  System *s = d->sys;
  SysClass *c = derive_new_class(d, CLASS_KINEMATICS, arena_printf(d->arena, "body %s", b->name), b->span, &b->ctx);
  SlotList l = slots_of(d->arena, s, c);
  Sym y = { .kind = SYM_VALUE, .id = b->attitude, .nidx = b->ctx.n + 1 };
  c->row = ARENA_ARRAY(d->arena, int, 4);
  c->f = ARENA_ARRAY(d->arena, Ex, 4);
  c->g = ARENA_ARRAY(d->arena, Ex, 4);
  c->nrow = 4;
  for (int k = 0; k < b->ctx.n; k++) y.idx[k] = ex_sym(s->pool, symtab_id(s->sym, (Sym){ .kind = SYM_LOOP, .id = k }));
  for (int k = 0; k < 4; k++) {
    y.idx[b->ctx.n] = ex_num(s->pool, k + 1);
    int symbol = symtab_id(s->sym, y);
    c->row[k] = slots_add(&l, symbol);
    c->f[k] = attitude_rate(s, symbol);
    c->g[k] = ex_num(s->pool, 0);
  }
  y.id = b->turn;
  for (int i = 0; i < 3; i++) {
    y.idx[b->ctx.n] = ex_num(s->pool, i + 1);
    c->turn[i] = slots_add(&l, symtab_id(s->sym, y));
  }
  y.id = b->place;                     // no kernel reads it: the class says where a body is
  for (int i = 0; i < 3; i++) {
    y.idx[b->ctx.n] = ex_num(s->pool, i + 1);
    (void)slots_add(&l, symtab_id(s->sym, y));
  }
}

// What turned(y, x) remembers: the angle where the step begins.
static void remembered(Deriver *d, const MAngle *m) {
  System *s = d->sys;
  SysClass *c = derive_new_class(d, CLASS_KINEMATICS, "turned", m->span, &m->ctx);
  SlotList l = slots_of(d->arena, s, c);
  Sym near = { .kind = SYM_VALUE, .id = m->var, .nidx = m->ctx.n };
  for (int k = 0; k < m->ctx.n; k++)
    near.idx[k] = ex_sym(s->pool, symtab_id(s->sym, (Sym){ .kind = SYM_LOOP, .id = k }));
  int symbol = symtab_id(s->sym, near);
  c->row = ARENA_ARRAY(d->arena, int, 1);
  c->f = ARENA_ARRAY(d->arena, Ex, 1);
  c->g = ARENA_ARRAY(d->arena, Ex, 1);
  c->nrow = 1;
  c->row[0] = slots_add(&l, symbol);
  c->f[0] = c->g[0] = ex_num(s->pool, 0);
  c->remembers = true;
  c->value = ex_op(s->pool, OP_TURNED, (Ex[]){ lower_expr(s, m->y), lower_expr(s, m->x), ex_sym(s->pool, symbol) }, 3);
  slots_collect(&l, c->value);
}

void derive_rest(Deriver *d) {
  System *s = d->sys;
  const Model *m = s->model;
  for (int i = 0; i < m->noutput; i++) {
    const MOutput *o = &m->output[i];
    SysClass *c = value_class(d, CLASS_OUTPUT, o->name, o->span, &o->ctx, o->value);
    c->name = o->name;
    c->hidden = o->hidden;
    c->unit = unit_of_results(d->arena, o->unit, o->declared);
  }
  for (int i = 0; i < m->nvar; i++) {                      // columns of what was solved
    if (s->solved[i] == EX_NONE) continue;
    SysClass *c = derive_new_class(d, CLASS_OUTPUT, m->var[i].name, m->var[i].span, &(MContext){ 0 });
    SlotList l = slots_of(d->arena, s, c);
    c->name = m->var[i].name;
    c->unit = unit_of_results(d->arena, m->var[i].unit, m->var[i].declared);
    c->value = s->solved[i];
    slots_collect(&l, c->value);
  }
  for (int i = 0; i < m->ninit; i++) {
    const MInit *o = &m->init[i];
    SysClass *c = derive_new_class(d, CLASS_INIT, "initial value", o->span, &o->ctx);
    SlotList l = slots_of(d->arena, s, c);
    slots_add(&l, lower_var_symbol(s, o->on, false));
    c->value = lower_expr(s, o->value);
    c->init_velocity = o->velocity;
  }
  for (int i = 0; i < m->nbody; i++) kinematics(d, &m->body[i]);
  for (int i = 0; i < m->nangle; i++) remembered(d, &m->angle[i]);
  for (int i = 0; i < m->nassertion; i++) {
    const MAssert *o = &m->assertion[i];
    value_class(d, CLASS_ASSERT, "assert", o->span, &o->ctx, o->cond)->text = o->text;
  }
}
