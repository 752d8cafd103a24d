// fill_N: counts the instances of a class, or fills its tables: indices of the slots and hoisted constants.
#include "emit_parts.h"

static Ex element_guard(const PlanClass *pc, int symbol) {
  for (int i = 0; pc && i < pc->nguard; i++) if (pc->guard[i].symbol == symbol) return pc->guard[i].where;
  return EX_NONE;
}

static const char *setup_leaf(int symbol, void *ctx) {
  Emitter *e = ctx;
  const System *s = e->plan->sys;
  const Sym *y = symtab_at(s->sym, symbol);
  switch (y->kind) {
  case SYM_PARAM: return arena_printf(e->arena, "p[%d]", y->id);
  case SYM_LOOP: return arena_printf(e->arena, "(double)i%d", y->id);
  case SYM_STAT: return arena_printf(e->arena, "stat[%d]", y->id);
  case SYM_PARAM_AT: {
    Text t = {0};
    CScope inner = setup_scope(e, "");
    Ex where = element_guard(e->filling, symbol);
    if (where != EX_NONE) { text_add(&t, "(("); c_value(&inner, where, &t); text_add(&t, ") == 0 ? 0.0 : "); }
    text_printf(&t, "p[nsm_par_at(s, %d, %d, %d, (const double[]){", y->id, line_of(s->model->param[y->id].span),
                y->nidx);
    for (int k = 0; k < y->nidx; k++) { if (k) text_add(&t, ", "); c_value(&inner, y->idx[k], &t); }
    text_add(&t, where != EX_NONE ? "})])" : "})]");
    const char *r = arena_printf(e->arena, "%s", text_str(&t));
    text_free(&t);
    return r;
  }
  default: return "(0.0/0.0)"; // stages are checked before: nothing else can stand here
  }
}

CScope setup_scope(Emitter *e, const char *indent) { return (CScope){ e->arena, e->plan->sys, setup_leaf, e, indent }; }

static void fill_slot(Emitter *e, const Slot *t, int k, int line, const char *indent) {
  CScope s = setup_scope(e, indent);
  text_printf(e->out, "%six[%d] = ", indent, k);
  if (t->guard != EX_NONE) {
    text_addc(e->out, '(');
    c_value(&s, t->guard, e->out);
    text_printf(e->out, ") == 0 ? %s : ", t->kind == SLOT_L ? "nsm_none(s)" : "0");
  }
  if (t->nidx) {
    text_printf(e->out, "nsm_at(s, %d, %d, %d, (const double[]){ ", t->var, line, t->nidx);
    for (int i = 0; i < t->nidx; i++) { if (i) text_add(e->out, ", "); c_value(&s, t->idx[i], e->out); }
    text_add(e->out, " });");
  } else text_printf(e->out, "nsm_at(s, %d, %d, 0, 0);", t->var, line);
  text_add(e->out, " ");
  c_comment(sym_name(t->value, (void *)e->plan->sys), e->out);
  text_addc(e->out, '\n');
}

static void fill_body(Emitter *e, const PlanClass *pc, const char *indent) {
  const SysClass *c = pc->c;
  CScope s = setup_scope(e, indent);
  int line = line_of(c->span);
  for (int k = 0; k < c->nslot; k++) fill_slot(e, &c->slot[k], k, line, indent);
  e->filling = pc;
  CNode **v = c_values(&s, pc->num, pc->index_num, e->out);
  e->filling = NULL;
  for (int i = 0; i < pc->index_num; i++) {
    text_printf(e->out, "%snum[%d] = ", indent, i);
    cnode_print(v[i], e->out);
    text_add(e->out, "; ");
    Text t = {0};
    ex_print_short(e->plan->sys->pool, pc->num[i], &t, 1000, sym_name, (void *)e->plan->sys);
    c_comment(text_str(&t), e->out);
    text_free(&t);
    text_addc(e->out, '\n');
  }
  for (int i = pc->index_num; i < pc->nnum; i++)
    text_printf(e->out, "%snum[%d] = (double)i%d;\n", indent, i, i - pc->index_num);
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
    CScope s = setup_scope(e, "");
    int line = line_of(c->loop[i].span);
    text_printf(o, "%sconst long lo%d = nsm_bound(s, %d, ", pad[i], i, line);
    c_value(&s, c->loop[i].lo, o);
    text_printf(o, "), hi%d = nsm_bound(s, %d, ", i, line);
    c_value(&s, c->loop[i].hi, o);
    text_add(o, ");\n");
    if (c->row_var >= 0) text_printf(o, "%sif (!ix) nsm_loop(s, %d, lo%d, hi%d);\n", pad[i], i, i, i);
    if (i == depth - 1)
      text_printf(o, "%sif (hi%d >= lo%d) count += hi%d - lo%d + 1;\n%sif (ix) ", pad[i], i, i, i, i, pad[i]);
    else text_add(o, pad[i]);
    text_printf(o, "for (long i%d = lo%d; i%d <= hi%d; i%d++) {\n", i, i, i, i, i);
  }
  if (!depth) {
    text_add(o, "  count = 1;\n  if (ix) {\n");
    fill_body(e, pc, "    ");
    text_add(o, "  }\n");
  } else {
    fill_body(e, pc, pad[depth]);
    for (int i = depth; i-- > 0;) text_printf(o, "%s}\n", pad[i]);
  }
  text_add(o, "  return count;\n}\n");
}
