// Moreau's theta-gamma scheme (mathematics.md (3)-(10)): every step evaluates f at both ends, assembles
// W = M - h theta (J_v + h theta J_q) - h gamma K, and solves the one-step problem in the rows.
#include <string.h>
#include "hoist.h"
#include "scheme.h"

static void set_kernel(PlanClass *pc, Hoist *h, KernelKind k, const Ex *value, int n) {
  if (!n) return;
  Kernel *out = &pc->kernel[k];
  out->n = n;
  out->value = ARENA_ARRAY(h->arena, Ex, n);
  out->stage = STAGE_CONST;
  for (int i = 0; i < n; i++) {
    Stage s = stage_of(h->sys, value[i]);
    if (s > out->stage) out->stage = s;
    out->value[i] = hoist(h, value[i]);
  }
}

static void set_entries(Arena *a, PlanClass *pc, Hoist *h, KernelKind k, const Entries *e) {
  Ex *v = ARENA_ARRAY(a, Ex, e->n + 1);
  for (int i = 0; i < e->n; i++) v[i] = e->at[i].value;
  set_kernel(pc, h, k, v, e->n);
}

static bool all_zero(const Pool *p, const Ex *e, int n) {
  for (int i = 0; i < n; i++) if (!ex_is_num(p, e[i], 0)) return false;
  return true;
}

static void plan_class(Arena *a, const System *s, PlanClass *pc, const SysClass *c) {
  Hoist h = { a, s, NULL, 0, 0 };
  Pool *p = s->pool;
  pc->c = c;
  pc->e_num = -1;
  set_entries(a, pc, &h, KERNEL_MASS, &c->mass);
  if (!all_zero(p, c->f, c->nrow)) set_kernel(pc, &h, KERNEL_F, c->f, c->nrow);
  set_entries(a, pc, &h, KERNEL_JAC, &c->jac);
  if (!all_zero(p, c->g, c->nrow)) set_kernel(pc, &h, KERNEL_G, c->g, c->nrow);
  set_entries(a, pc, &h, KERNEL_B, &c->b);
  set_entries(a, pc, &h, KERNEL_K, &c->k);
  if (c->kinetic || c->potential) {
    Ex zero = ex_num(p, 0);
    Ex e[2] = { c->kinetic ? c->kinetic : zero, c->potential ? c->potential : zero };
    set_kernel(pc, &h, KERNEL_ENERGY, e, 2);
  }
  if (c->kind == CLASS_RELATION) set_kernel(pc, &h, KERNEL_Y, &c->y, 1);
  if (c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT) {
    Ex e[2] = { c->velocity_level ? ex_num(p, 0) : c->y, c->rate };
    set_kernel(pc, &h, KERNEL_GAP, e, 2);
    set_kernel(pc, &h, KERNEL_RATE, &c->rate, 1);
    pc->kernel[KERNEL_GAP].stage = pc->kernel[KERNEL_RATE].stage = STAGE_STATE;
  }
  set_entries(a, pc, &h, KERNEL_H, &c->h);
  if (c->kind == CLASS_RELATION && c->row_type == 1) set_kernel(pc, &h, KERNEL_LAW, (Ex[]){ c->lo, c->hi }, 2);
  if (c->kind == CLASS_OUTPUT || c->kind == CLASS_ASSERT) set_kernel(pc, &h, KERNEL_OUT, &c->value, 1);
  if (c->kind == CLASS_INIT) hoist_column(&h, c->value);
  if (c->e != EX_NONE && !ex_is_num(p, c->e, 0)) pc->e_num = hoist_column(&h, c->e);
  pc->index_num = h.n;
  pc->num = h.num;
  pc->nnum = h.n;
  if (c->kind >= CLASS_RELATION && c->kind <= CLASS_OUTPUT) pc->nnum += c->nloop;
}

const Plan *scheme_moreau(Arena *a, const System *s) {
  Plan *p = ARENA_NEW(a, Plan);
  p->sys = s;
  p->scheme = "moreau";
  p->theta = s->second_order ? 0.5 : 1.0;
  p->gamma = 1.0;
  p->one_iteration = s->affine;
  p->ncls = s->ncls;
  p->cls = ARENA_ARRAY(a, PlanClass, s->ncls);
  p->constant_iteration_matrix = p->constant_problem_matrix = true;
  for (int i = 0; i < s->ncls; i++) {
    PlanClass *pc = &p->cls[i];
    plan_class(a, s, pc, &s->cls[i]);
    if (s->cls[i].kind == CLASS_SMOOTH) {
      p->constant_iteration_matrix &= pc->kernel[KERNEL_MASS].stage <= STAGE_CONST && pc->kernel[KERNEL_JAC].stage <= STAGE_CONST
                                      && pc->kernel[KERNEL_K].stage <= STAGE_CONST;
      p->constant_problem_matrix &= pc->kernel[KERNEL_B].stage <= STAGE_CONST;
    } else p->constant_problem_matrix &= pc->kernel[KERNEL_H].stage <= STAGE_CONST;
  }
  p->constant_problem_matrix &= p->constant_iteration_matrix;
  return p;
}
