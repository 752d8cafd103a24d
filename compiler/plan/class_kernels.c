// The kernels that every scheme needs of a class: mass, right-hand side, Jacobians, rows, energies, values.
#include "../system/slots.h"
#include "parts.h"

Plan *plan_open(Arena *a, const System *s, const SchemeDescriptor *d, double theta) {
  Plan *p = ARENA_NEW(a, Plan);
  p->sys = s;
  p->scheme = d;
  p->theta = theta;
  p->gamma = 1;
  p->ncls = s->ncls;
  p->cls = ARENA_ARRAY(a, PlanClass, s->ncls);
  p->constant_iteration_matrix = true;
  p->constant_problem_matrix = s->model->ntouch == 0;
  return p;
}

void plan_matrices(Plan *p, const PlanClass *pc) {
  const Kernel *k = pc->kernel;
  if (pc->c->kind == CLASS_SMOOTH) {
    p->constant_iteration_matrix &= k[KERNEL_MASS].stage <= STAGE_CONST && k[KERNEL_JAC].stage <= STAGE_CONST &&
                                    k[KERNEL_K].stage <= STAGE_CONST;
    p->constant_problem_matrix &= k[KERNEL_B].stage <= STAGE_CONST;
  } else if (pc->c->kind <= CLASS_FRICTION) p->constant_problem_matrix &= k[KERNEL_H].stage <= STAGE_CONST;
  p->constant_problem_matrix &= p->constant_iteration_matrix;
}

void kernel_set(PlanClass *pc, Hoist *h, KernelKind k, const Ex *value, int n) {
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
  ex_share_factors(h->sys->pool, out->value, n);
}

void kernel_entries(PlanClass *pc, Hoist *h, KernelKind k, const Entries *e) {
  Ex *v = ARENA_ARRAY(h->arena, Ex, e->n + 1);
  for (int i = 0; i < e->n; i++) v[i] = e->at[i].value;
  kernel_set(pc, h, k, v, e->n);
}

static bool all_zero(const Pool *p, const Ex *e, int n) {
  for (int i = 0; i < n; i++) if (!ex_is_num(p, e[i], 0)) return false;
  return true;
}

// Coefficients that move have a kernel, others columns.
static void friction_kernel(PlanClass *pc, Hoist *h, const SysClass *c) {
  if (friction_moves(h->sys, c)) {
    Ex zero = ex_num(h->sys->pool, 0);
    kernel_set(pc, h, KERNEL_MU,
               (Ex[]){ c->mu, c->mu2 == EX_NONE ? zero : c->mu2, c->radius == EX_NONE ? zero : c->radius }, 3);
    return;
  }
  if (c->mu != EX_NONE) pc->mu_num = hoist_column(h, c->mu);
  if (c->mu2 != EX_NONE) pc->mu2_num = hoist_column(h, c->mu2);
  if (c->radius != EX_NONE) pc->radius_num = hoist_column(h, c->radius);
}

void class_kernels(PlanClass *pc, Hoist *h, const SysClass *c, bool jacobians) {
  Pool *p = h->sys->pool;
  pc->c = c;
  pc->e_num = pc->ratio_num = pc->exponent_num = pc->mu_num = pc->mu2_num = pc->radius_num = pc->compliance_num = -1;
  kernel_entries(pc, h, KERNEL_MASS, &c->mass);
  if (c->kind == CLASS_BODY) {
    hoist_block(h, c->column, c->ncolumn);
    if (c->pose) kernel_set(pc, h, KERNEL_POSE, c->pose, 18);
    return;
  }
  if (c->kind == CLASS_KINEMATICS) {
    friction_kernel(pc, h, c);
    return;
  }
  if (!all_zero(p, c->f, c->nrow)) kernel_set(pc, h, KERNEL_F, c->f, c->nrow);
  if (jacobians) kernel_entries(pc, h, KERNEL_JAC, &c->jac);
  if (!all_zero(p, c->g, c->nrow)) kernel_set(pc, h, KERNEL_G, c->g, c->nrow);
  kernel_entries(pc, h, KERNEL_B, &c->b);
  if (jacobians) kernel_entries(pc, h, KERNEL_K, &c->k);
  if (c->kinetic || c->potential) {
    Ex zero = ex_num(p, 0);
    Ex e[2] = { c->kinetic ? c->kinetic : zero, c->potential ? c->potential : zero };
    kernel_set(pc, h, KERNEL_ENERGY, e, 2);
  }
  bool law = c->kind == CLASS_RELATION || c->kind == CLASS_LAW;
  if (law) kernel_set(pc, h, KERNEL_Y, &c->y, 1);
  if (c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT || c->kind == CLASS_FRICTION) {
    Ex e[2] = { c->velocity_level ? ex_num(p, 0) : c->y, c->rate };
    kernel_set(pc, h, KERNEL_GAP, e, 2);
    kernel_set(pc, h, KERNEL_RATE, &c->rate, 1);
    pc->kernel[KERNEL_GAP].stage = pc->kernel[KERNEL_RATE].stage = STAGE_STATE;
    if (c->kind != CLASS_FRICTION && !c->velocity_level)
      kernel_set(pc, h, KERNEL_SIZE, (Ex[]){ magnitude(h->arena, p, c->y) }, 1);
  }
  kernel_entries(pc, h, KERNEL_H, &c->h);
  if (law && c->row_type == 1) kernel_set(pc, h, KERNEL_LAW, (Ex[]){ c->lo, c->hi }, 2);
  if (c->kind == CLASS_OUTPUT || (c->kind >= CLASS_ASSERT && c->kind < CLASS_DELAY && c->value != EX_NONE))
    kernel_set(pc, h, KERNEL_OUT, &c->value, 1);
  if (c->kind == CLASS_INIT) hoist_column(h, c->value);
  if (c->kind == CLASS_DELAY) {
    hoist_column(h, c->period);
    kernel_set(pc, h, KERNEL_OUT, &c->value, 1);
  }
  if (c->kind == CLASS_EVERY) hoist_block(h, (Ex[]){ c->period, c->offset }, 2);     // two columns, also where equal
  if (c->e != EX_NONE && !ex_is_num(p, c->e, 0)) pc->e_num = hoist_column(h, c->e);
  if (c->ratio != EX_NONE) pc->ratio_num = hoist_column(h, c->ratio);
  if (c->exponent != EX_NONE) pc->exponent_num = hoist_column(h, c->exponent);
  friction_kernel(pc, h, c);
}

void work_kernel(PlanClass *pc, Hoist *h, Ex force, Ex damping) {
  if (force == EX_NONE && damping == EX_NONE) return;
  Ex zero = ex_num(h->sys->pool, 0);
  kernel_set(pc, h, KERNEL_WORK, (Ex[]){ force == EX_NONE ? zero : force, damping == EX_NONE ? zero : damping }, 2);
}

static int guard_place(const PlanClass *pc, int symbol) {
  for (int i = 0; i < pc->nguard; i++) if (pc->guard[i].symbol == symbol) return i;
  return -1;
}

// k[i+1] behind `if i < n` is hoisted without its `if`: the conditions come from what it was hoisted from.
static void element_guards(PlanClass *pc, const Hoist *h) {
  const System *s = h->sys;
  bool choices = false;
  for (int i = 0; i < h->nfrom; i++)
    choices = choices || (h->from[i] != EX_NONE && ex_uses_op(s->pool, h->from[i], OP_IF, NULL, NULL));
  for (int c = 0; c < h->n && choices; c++) {
    const int *ids;
    int n = ex_symbols(s->pool, h->num[c], &ids), most = pc->nguard + n;
    ColumnGuard *at = ARENA_ARRAY(h->arena, ColumnGuard, most + 1);
    for (int i = 0; i < pc->nguard; i++) at[i] = pc->guard[i];
    pc->guard = at;
    for (int i = 0; i < n; i++) {
      if (symtab_at(s->sym, ids[i])->kind != SYM_PARAM_AT || guard_place(pc, ids[i]) >= 0) continue;
      Ex where = guard_of((System *)s, h->from, h->nfrom, ids[i], -1);
      if (where != EX_NONE) pc->guard[pc->nguard++] = (ColumnGuard){ ids[i], where };
    }
  }
}

void class_columns(PlanClass *pc, const Hoist *h) {
  const SysClass *c = pc->c;
  pc->index_num = h->n;
  pc->num = h->num;
  element_guards(pc, h);
  pc->nnum = h->n;
  bool named = (c->kind >= CLASS_RELATION && c->kind <= CLASS_OUTPUT) || c->kind >= CLASS_BODY;
  if (c->compliant || named) pc->nnum += c->nloop;
}
