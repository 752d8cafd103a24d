// Energy-consistent schemes (docs/numerics/consistent.md): the kernels of one point in time for the impact step and the
// ledger, and the two-point kernels of the smooth step. consistent and consistent1 differ in the runtime's step only,
// consistent_explicit_mass in R1 and in where the runtime takes M of the second row.
//
// Pieces of a higher degree (docs/numerics/galerkin.md) take forces at Gauss' nodes, by the derivatives of f, and keep
// closed contacts and sticking friction on both levels, as constraints: they have the discrete derivative of the rate.
#include "../schemes/compliant.h"
#include "alike.h"
#include "parts.h"
#include "../schemes/two_point.h"

static void smooth_kernels(PlanClass *pc, Hoist *h, const TwoPoint *t) {
  Pool *p = h->sys->pool;
  bool any = false;
  for (int r = 0; r < pc->c->nrow; r++) any |= !ex_is_num(p, t->r[r], 0);
  if (any) kernel_set(pc, h, KERNEL_C, t->r, pc->c->nrow);
  kernel_entries(pc, h, KERNEL_CJAC, &t->cjac);
  pc->cjac = t->cjac;
  pc->c_affine = t->affine;
  work_kernel(pc, h, t->force, t->damping);
}

static void row_kernels(PlanClass *pc, Hoist *h, const TwoPoint *t) {
  kernel_set(pc, h, KERNEL_DG, t->dg, pc->c->h.n);
  if (t->hm) kernel_set(pc, h, KERNEL_HM, t->hm, pc->c->h.n);
  kernel_entries(pc, h, KERNEL_RQ, &t->rq);
  kernel_entries(pc, h, KERNEL_DRATE, &t->dr);
  kernel_entries(pc, h, KERNEL_CURVE, &t->curve);
  kernel_entries(pc, h, KERNEL_BEND, &t->bend);
  if (t->gap != EX_NONE) {
    kernel_set(pc, h, KERNEL_GAP, (Ex[]){ t->gap, pc->c->rate }, 2);
    pc->kernel[KERNEL_GAP].stage = STAGE_STATE;
  }
  kernel_entries(pc, h, KERNEL_GQ, &t->gq);
  pc->gq = t->gq;
  if (t->h.n == pc->c->h.n && t->h.n > 0) kernel_entries(pc, h, KERNEL_H, &t->h);
  pc->rq = t->rq;
  pc->dr = t->dr;
  pc->curve = t->curve;
  pc->bend = t->bend;
}

// The force of a compliant contact on a coordinate: its potential stands in another class.
static const SysClass *no_terms(Arena *a, const SysClass *c) {
  SysClass *n = ARENA_NEW(a, SysClass);
  *n = *c;
  n->nrow = 0;
  n->b = n->k = (Entries){ 0 };
  return n;
}

// A direction of slip as a constraint on velocities, for where it sticks.
static void sticking_kernels(Arena *a, const System *s, const Equations *q, PlanClass *pc, Hoist *h) {
  const SysClass *c = pc->c;
  SysClass *held = ARENA_NEW(a, SysClass);
  *held = *c;
  held->kind = CLASS_CONSTRAINT;
  held->velocity_level = true;
  TwoPoint t = two_point_row(a, s, held, q, true);
  kernel_entries(pc, h, KERNEL_RQ, &t.rq);
  kernel_entries(pc, h, KERNEL_DRATE, &t.dr);
  kernel_entries(pc, h, KERNEL_CURVE, &t.curve);
  pc->rq = t.rq;
  pc->dr = t.dr;
  pc->curve = t.curve;
}

const Plan *scheme_consistent(Arena *a, const System *s, const SchemeDescriptor *d, int degree) {
  Plan *p = plan_open(a, s, d, 0.5);
  p->degree = degree;
  Alike *alike = alike_new(a, s);
  for (int i = 0; i < s->ncls; i++) {
    if (class_alike(alike, p, i)) continue;
    const SysClass *c = &s->cls[i];
    PlanClass *pc = &p->cls[i];
    Hoist h = { .arena = a, .sys = s };
    if (c->of_compliant) c = no_terms(a, c);
    else if (c->compliant) c = compliant_class(a, s, c);
    if (c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT) c = two_point_whole_turns(a, s, c);
    class_kernels(pc, &h, c, false);
    if (pc->c->kind == CLASS_KINEMATICS) kinematics_kernel(pc, &h, d);
    if (c->compliant) {
      kernel_set(pc, &h, KERNEL_LAMBDA, (Ex[]){ compliant_force(s, &s->cls[i]) }, 1);
      pc->compliance_num = hoist_column(&h, compliant_compliance(s, &s->cls[i]));
    }
    if (c->kind == CLASS_SMOOTH) {
      TwoPoint t = two_point_smooth(a, s, c, d->equations);
      smooth_kernels(pc, &h, &t);
      if (degree > 1 && pc->kernel[KERNEL_WORK].n > 0) kernel_entries(pc, &h, KERNEL_JAC, &c->jac);
      p->constant_iteration_matrix &= pc->c_affine;
    } else if (c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT) {
      TwoPoint t = two_point_row(a, s, c, d->equations, degree > 1);
      row_kernels(pc, &h, &t);
      p->constant_problem_matrix &= c->affine;
    } else if (c->kind == CLASS_FRICTION) {
      if (degree > 1) sticking_kernels(a, s, d->equations, pc, &h);
      p->constant_problem_matrix &= c->affine;
    }
    class_columns(pc, &h);
  }
  p->constant_problem_matrix &= p->constant_iteration_matrix;
  p->one_iteration = p->constant_problem_matrix;
  return p;
}
