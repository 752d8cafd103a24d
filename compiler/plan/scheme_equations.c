// Schemes whose equations stand in schemes/<name>.c: which kernels each class needs follows from the points at which
// they take its functions. One at a point that the unknowns move has derivatives with respect to what they move there;
// one at a point that the begin of the piece knows is evaluated once.
#include "../base/fatal.h"
#include "../system/slots.h"
#include "alike.h"
#include "parts.h"

static bool depends(const Piece *p, const Plan *plan, Ex e, ModelFunction of) {
  int point = point_of(p, e, of);
  return point >= 0 && (point_moves(p, plan->point, point) || point_shares(p, plan->point, point));
}

static void smooth(PlanClass *pc, Hoist *h, const Piece *p, const Plan *plan) {
  Ex R = plan->equations->momentum(p);
  class_kernels(pc, h, p->cls, depends(p, plan, R, FORCE) || depends(p, plan, R, REACTION));
  Ex others = plan->equations->momentum(&(Piece){ p->arena, p->sys, p->pool, &(SysClass){ .kind = CLASS_SMOOTH } });
  pc->f_mean = point_of(p, R, FORCE) != point_of(p, others, FORCE);
  if (depends(p, plan, R, INERTIA)) curve_of_inertia(pc, h, p->cls);
}

// The statement without entries by positions, where no unknown moves those that its row is taken at.
static const SysClass *row_of(const Piece *p, const Plan *plan, int point) {
  if (point_moves(p, plan->point, point)) return p->cls;
  SysClass *c = ARENA_NEW(p->arena, SysClass);
  *c = *p->cls;
  c->h = (Entries){ 0 };
  for (int e = 0; e < p->cls->h.n; e++)
    if (p->cls->h.at[e].wrt != WRT_Q) entries_push(p->arena, &c->h, p->cls->h.at[e]);
  return c;
}

static void row(PlanClass *pc, Hoist *h, const Piece *p, const Plan *plan) {
  const Equations *q = plan->equations;
  bool relation = p->cls->kind == CLASS_RELATION;
  int point = relation ? point_of(p, q->relation(p), OUTPUT) : plan->place_at ? plan->place_at
                                                             : point_of(p, q->rate(p), RATE);
  class_kernels(pc, h, row_of(p, plan, point), true);
  if (relation) return;
  if (depends(p, plan, q->impulse(p), IMPULSE)) curve_of_impulse(pc, h, p->cls);
  bool rate = !plan->place_at || p->cls->velocity_level;
  if (rate && point_moves(p, plan->point, point)) slope_of_rate(pc, h, p->cls);
}

// Where the functions of a statement stand, and the weights of f: what the generic step takes (schemes/check_form.c).
static void places(Plan *plan, const Piece *p) {
  Ex R = plan->equations->momentum(p), h = ex_sym(p->pool, symtab_id(p->sys->sym, (Sym){ .kind = SYM_H }));
  Terms t = terms_of(p, R);
  plan->inertia_at = point_of(p, R, INERTIA);
  plan->law_at = point_of(p, R, REACTION);
  SysClass row = { .kind = CLASS_CONTACT }, holds = { .kind = CLASS_CONSTRAINT };
  Piece contact = { p->arena, p->sys, p->pool, &row }, constraint = { p->arena, p->sys, p->pool, &holds };
  plan->along_at = point_of(&constraint, plan->equations->impulse(&constraint), IMPULSE);
  int place = point_of(&contact, plan->equations->rate(&contact), GAP);
  plan->place_at = place < 0 ? 0 : place;
  for (int i = 0; i < PIECE_POINTS; i++) plan->force[i] = ex_num(p->pool, 0);
  for (int i = 0; i < t.n; i++)
    if (t.at[i].of == FORCE)
      plan->force[t.at[i].point] = ex_neg(p->pool, ex_diff(p->pool, t.at[i].weight, ex_symbol(p->pool, h)));
  Terms closed = terms_of(p, plan->equations->closed(p));
  plan->lead = 0;
  for (int i = 0; i < closed.n; i++) {
    Ex by = ex_diff(p->pool, closed.at[i].weight, ex_symbol(p->pool, h));
    if (closed.at[i].of == RATE) plan->lead = ex_value(p->pool, by);
  }
}

const Plan *scheme_equations(Arena *a, const System *s, const SchemeDescriptor *d, const Equations *q) {
  Plan *p = plan_open(a, s, d, 0);
  p->equations = q;
  p->projection = d->projects && s->model->sim.projection;
  SysClass smooth_one = { .kind = CLASS_SMOOTH };
  Piece any = { a, s, s->pool, &smooth_one };
  q->points(&any, p->point);
  places(p, &any);
  if (q->weights) q->weights(s, &p->theta, &p->gamma);
  p->one_iteration = d->explicit_step || s->affine;
  Alike *alike = alike_new(a, s);
  for (int i = 0; i < s->ncls; i++) {
    if (class_alike(alike, p, i)) continue;
    const SysClass *c = &s->cls[i];
    PlanClass *pc = &p->cls[i];
    Piece piece = { a, s, s->pool, c };
    Hoist h = { .arena = a, .sys = s };
    if (c->kind == CLASS_SMOOTH) smooth(pc, &h, &piece, p);
    else if (c->kind >= CLASS_RELATION && c->kind <= CLASS_FRICTION) row(pc, &h, &piece, p);
    else class_kernels(pc, &h, c, true);
    if (c->kind == CLASS_KINEMATICS) kinematics_kernel(pc, &h, d);
    class_columns(pc, &h);
    plan_matrices(p, pc);
  }
  return p;
}
