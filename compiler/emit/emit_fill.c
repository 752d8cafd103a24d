// fill_N: counts the instances of a class, or fills its tables: indices of the slots and hoisted constants.
#include "emit_parts.h"

// The global index of a slot; where its guard does not hold, that of nothing.
static KValue slot_index(SetupValues *v, const Slot *t, int line) {
  KBuilder *b = v->b;
  Pool *pool = v->e->plan->sys->pool;
  KValue index[MAX_INDICES];
  for (int i = 0; i < t->nidx; i++) index[i] = k_double(b, k_ex_inline(b, pool, setup_leaf, v, t->idx[i]));
  KValue arg[5] = { v->s, k_integer(b, t->var), k_integer(b, line), k_integer(b, t->nidx),
                    k_list(b, index, t->nidx) };
  KValue at = k_call(b, KS_nsm_at, arg, 5);
  if (t->guard == EX_NONE) return at;
  KValue none = t->kind == SLOT_L ? k_call(b, KS_nsm_none, &v->s, 1) : k_integer(b, 0);
  return k_choose(b, k_ex_inline(b, pool, setup_leaf, v, t->guard), at, none);
}

static void fill_slot(Emitter *e, const Slot *t, int k, int line, const char *indent) {
  SetupValues v = setup_begin(e, NULL);
  KValue index = slot_index(&v, t, line);
  text_printf(e->out, "%six[%d] = ", indent, k);
  c_expression(e->arena, k_end(v.b), index, e->out);
  text_add(e->out, "; ");
  c_comment(sym_name(t->value, (void *)e->plan->sys), e->out);
  text_addc(e->out, '\n');
}

static void fill_columns(Emitter *e, const PlanClass *pc, int indent) {
  const System *s = e->plan->sys;
  SetupValues v = setup_begin(e, pc);
  KValue *x = ARENA_ARRAY(e->arena, KValue, pc->nnum + 1);
  k_values(v.b, s->pool, setup_leaf, &v, pc->num, pc->index_num, x);
  for (int i = 0; i < pc->nnum; i++) {
    KValue at = i < pc->index_num ? x[i] : v.loop[i - pc->index_num];
    k_store(v.b, v.num, k_integer(v.b, i), k_double(v.b, at));
    if (i >= pc->index_num) continue;
    Text t = {0};
    ex_print_short(s->pool, pc->num[i], &t, 1000, sym_name, (void *)s);
    k_remark(v.b, text_str(&t));
    text_free(&t);
  }
  c_body(e->arena, k_end(v.b), indent, e->out);
}

static void fill_body(Emitter *e, const PlanClass *pc, const char *indent, int depth) {
  const SysClass *c = pc->c;
  int line = line_of(c->span);
  for (int k = 0; k < c->nslot; k++) fill_slot(e, &c->slot[k], k, line, indent);
  if (pc->nnum) fill_columns(e, pc, depth);
  if (c->nslot) text_printf(e->out, "%six += %d;\n", indent, c->nslot);
  if (pc->nnum) text_printf(e->out, "%snum += %d;\n", indent, pc->nnum);
}

void emit_fill(Emitter *e, const PlanClass *pc, int number) {
  static const char *const pad[] = {
    "  ",           "    ",           "      ",           "        ",          "          ",
    "            ", "              ", "                ", "                  "
  };
  const SysClass *c = pc->c;
  Text *o = e->out;
  text_printf(o, "static long fill_%d(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {\n", number);
  text_add(o, "  const double *p = g->p;\n  long count = 0;\n  (void)s; (void)p; (void)num;\n");
  int depth = c->nloop < 8 ? c->nloop : 8;
  for (int i = 0; i < depth; i++) {
    int line = line_of(c->loop[i].span);
    text_printf(o, "%sconst long lo%d = nsm_bound(s, %d, ", pad[i], i, line);
    setup_value(e, c->loop[i].lo);
    text_printf(o, "), hi%d = nsm_bound(s, %d, ", i, line);
    setup_value(e, c->loop[i].hi);
    text_add(o, ");\n");
    bool own = c->row_var >= 0 && c->kind != CLASS_DELAY;
    if (own) text_printf(o, "%sif (!ix) nsm_loop(s, %d, lo%d, hi%d);\n", pad[i], i, i, i);
    if (i == depth - 1)
      text_printf(o, "%sif (hi%d >= lo%d) count += hi%d - lo%d + 1;\n%sif (ix) ", pad[i], i, i, i, i, pad[i]);
    else text_add(o, pad[i]);
    text_printf(o, "for (long i%d = lo%d; i%d <= hi%d; i%d++) {\n", i, i, i, i, i);
  }
  if (!depth) {
    text_add(o, "  count = 1;\n  if (ix) {\n");
    fill_body(e, pc, "    ", 2);
    text_add(o, "  }\n");
  } else {
    fill_body(e, pc, pad[depth], depth + 1);
    for (int i = depth; i-- > 0;) text_printf(o, "%s}\n", pad[i]);
  }
  text_add(o, "  return count;\n}\n");
}
