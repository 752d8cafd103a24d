// Expressions of the set-up: over parameters, loop counters and statistics.
#include <math.h>
#include "../base/fatal.h"
#include "emit_parts.h"

// The condition under which an element of an array is needed at all; EX_NONE: always.
static Ex element_guard(const PlanClass *pc, int symbol) {
  for (int i = 0; pc && i < pc->nguard; i++) if (pc->guard[i].symbol == symbol) return pc->guard[i].where;
  return EX_NONE;
}

SetupValues setup_begin(Emitter *e, const PlanClass *filling) {
  SetupValues v = { .e = e, .filling = filling, .b = k_begin(e->arena, "set-up", KT_VOID) };
  v.s = k_param(v.b, KT_SETUP, "s");
  v.p = k_param(v.b, KT_INPUT, "p");
  v.points = k_param(v.b, KT_INPUT, "points");           // no parameter: the array of emit.c
  v.own = k_param(v.b, KT_INDICES, "k");
  v.stat = k_param(v.b, KT_INPUT, "stat");
  v.num = k_param(v.b, KT_OUTPUT, "num");
  for (int i = 0; i < MAX_INDICES; i++) v.loop[i] = k_param(v.b, KT_INT, arena_printf(e->arena, "i%d", i));
  return v;
}

KValue setup_own(const SetupValues *v, int x) {
  Own *own = v->e->own;
  if (!own) return k_integer(v->b, x);
  vec_push(&own->k, x);
  return k_at_number(v->b, v->own, (int)own->k.n - 1);
}

// Of an array, where no set-up is at hand that looks the number up: by comparisons; NaN where there is no such element.
static KValue element_alone(KBuilder *b, const SetupValues *v, const Sym *y, const KValue *index) {
  const MParam *array = &v->e->plan->sys->model->param[y->id];
  int n = array->dim[0]*(y->nidx > 1 ? array->dim[1] : 1);
  KValue x = k_number(b, NAN);
  for (int i = n - 1; i >= 0; i--) {
    KValue here = k_op2(b, OP_EQ, index[y->nidx - 1], k_number(b, (y->nidx > 1 ? i%array->dim[1] : i) + 1));
    if (y->nidx > 1) here = k_op2(b, OP_AND, here, k_op2(b, OP_EQ, index[0], k_number(b, i/array->dim[1] + 1)));
    x = k_choose(b, here, k_at_number(b, v->p, y->id + i), x);
  }
  return x;
}

static KValue element(KBuilder *b, const SetupValues *v, int symbol, const Sym *y) {
  const System *s = v->e->plan->sys;
  SetupValues plain = *v;
  plain.filling = NULL;
  KValue index[MAX_INDICES];
  for (int k = 0; k < y->nidx; k++)
    index[k] = k_double(b, k_ex_inline(b, s->pool, setup_leaf, &plain, y->idx[k]));
  if (v->e->alone) return element_alone(b, v, y, index);
  KValue arg[5] = { v->s, setup_own(v, y->id), setup_own(v, line_of(s->model->param[y->id].span)),
                    k_integer(b, y->nidx), k_list(b, index, y->nidx) };
  KValue x = k_at(b, v->p, k_call(b, KS_nsm_par_at, arg, 5));
  Ex where = element_guard(v->filling, symbol);
  return where == EX_NONE ? x : k_choose(b, k_ex_inline(b, s->pool, setup_leaf, &plain, where), x, k_number(b, 0));
}

KValue setup_leaf(KBuilder *b, int symbol, void *setup_values) {
  const SetupValues *v = setup_values;
  const Sym *y = symtab_at(v->e->plan->sys->sym, symbol);
  switch (y->kind) {
  case SYM_PARAM: return k_at(b, v->p, setup_own(v, y->id));
  case SYM_LOOP: return k_double(b, v->loop[y->id]);
  case SYM_STAT: return k_at_number(b, v->stat, y->id);
  case SYM_TABLE: return k_call(b, KS_nsm_points, (KValue[]){ v->points, setup_own(v, y->id) }, 2);
  case SYM_PARAM_AT: return element(b, v, symbol, y);
  default: FATAL("%s stands in an expression of the set-up", sym_name(symbol, (void *)v->e->plan->sys));
  }
}

void setup_value(Emitter *e, Ex x) {
  SetupValues v = setup_begin(e, NULL);
  KValue value = k_ex_inline(v.b, e->plan->sys->pool, setup_leaf, &v, x);
  c_expression(e->arena, k_end(v.b), value, e->out);
}
