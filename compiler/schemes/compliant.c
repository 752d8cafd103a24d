// Compliant contacts for the energy-consistent schemes. A gap g(q) + c lambda with c > 0 has the law lambda = max(0,
// -g)/c: the force of a potential,
//
//   0 <= g(q) + c lambda _|_ lambda >= 0   <=>   lambda dg/dq = -dV/dq,  V = max(0, -g)^2 / (2 c)
//
// whose discrete derivative keeps the energy exactly, however stiff the contact and however large the step.
#include <math.h>
#include "../system/along.h"
#include "compliant.h"

typedef struct Parts { Ex gap, compliance; } Parts;

static Parts parts_of(const System *s, const SysClass *c) {
  int lambda = c->slot[c->lambda_slot].value;
  return (Parts){ ex_subst(s->pool, c->y, &lambda, (Ex[]){ ex_num(s->pool, 0) }, 1), ex_diff(s->pool, c->y, lambda) };
}

static bool moves(int id, void *system) {
  const Sym *y = symtab_at(((const System *)system)->sym, id);
  return y->kind == SYM_TIME || y->kind == SYM_RATE || y->kind == SYM_VALUE;
}
// Attitudes of bodies and the angles that turned(y, x) remembers are positions too.
static bool is_no_position(int id, void *system) {
  const System *s = system;
  const Sym *y = symtab_at(s->sym, id);
  return y->kind == SYM_TIME || y->kind == SYM_RATE ||
         (y->kind == SYM_VALUE && s->model->var[y->id].kind != MV_COORD && !is_position(s, id) && !is_memory(s, id));
}

const char *compliant_refused(const System *s, const SysClass *c) {
  Parts p = parts_of(s, c);
  double value = value_of(s, p.compliance, NULL, 0);
  if (ex_depends_any(s->pool, p.compliance, moves, (void *)(uintptr_t)s))
    return "its gap is not affine in its force, with a constant factor";
  if (ex_depends_any(s->pool, p.gap, is_no_position, (void *)(uintptr_t)s))
    return "its gap depends on more than positions and its force";
  return value <= 0 ? "its compliance, the factor of its force in the gap, is not positive" : NULL;
}

SysClass *compliant_class(Arena *a, const System *s, const SysClass *c) {
  Pool *p = s->pool;
  Parts part = parts_of(s, c);
  SysClass *n = ARENA_NEW(a, SysClass);
  *n = *c;
  n->kind = CLASS_SMOOTH;
  n->h = (Entries){ 0 };
  n->kinetic = n->dissipation = EX_NONE;
  Ex depth = ex_2(p, OP_MAX, ex_num(p, 0), ex_neg(p, part.gap));
  n->potential = ex_div(p, ex_pow(p, depth, ex_num(p, 2)), ex_mul(p, ex_num(p, 2), part.compliance));
  n->row = ARENA_ARRAY(a, int, c->nslot + 1);
  n->f = ARENA_ARRAY(a, Ex, c->nslot + 1);
  n->g = ARENA_ARRAY(a, Ex, c->nslot + 1);
  n->nrow = 0;
  for (int k = 0; k < c->nslot; k++) {
    if (c->slot[k].kind != SLOT_Q || ex_is_num(p, diff_along(s, part.gap, &c->slot[k]), 0)) continue;
    n->row[n->nrow] = k;
    n->f[n->nrow] = n->g[n->nrow] = ex_num(p, 0);
    n->nrow++;
  }
  return n;
}

Ex compliant_force(const System *s, const SysClass *c) {
  Parts part = parts_of(s, c);
  return ex_div(s->pool, ex_2(s->pool, OP_MAX, ex_num(s->pool, 0), ex_neg(s->pool, part.gap)), part.compliance);
}

Ex compliant_compliance(const System *s, const SysClass *c) { return parts_of(s, c).compliance; }
