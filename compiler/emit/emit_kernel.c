// Kernels: one loop over the instances of a class each. Slots are loaded once, hoisted constants come from num.
#include <string.h>
#include "emit_parts.h"

typedef struct Body { Emitter *e; const SysClass *c; } Body;

static const char *kernel_leaf(int symbol, void *ctx) {
  Body *b = ctx;
  const Sym *y = symtab_at(b->e->plan->sys->sym, symbol);
  if (y->kind == SYM_COLUMN) return arena_printf(b->e->arena, "c[%d]", y->id);
  if (y->kind == SYM_TIME) return "t";
  for (int k = 0; k < b->c->nslot; k++) {
    if (b->c->slot[k].value == symbol) return arena_printf(b->e->arena, "%c%d", "qxl"[b->c->slot[k].kind], k);
    if (b->c->slot[k].rate == symbol) return arena_printf(b->e->arena, "v%d", k);
  }
  return "(0.0/0.0)"; // every symbol of a class has a slot; kept loud at run time
}

// Loads of the slots that the roots use; whether time and columns are used.
static void loads(Emitter *e, const SysClass *c, const Ex *root, int n, bool *time, bool *columns) {
  const System *s = e->plan->sys;
  bool *value = ARENA_ARRAY(e->arena, bool, c->nslot + 1), *rate = ARENA_ARRAY(e->arena, bool, c->nslot + 1);
  *time = *columns = false;
  for (int r = 0; r < n; r++) {
    if (root[r] == EX_NONE) continue;
    const int *ids;
    int m = ex_symbols(s->pool, root[r], &ids);
    for (int i = 0; i < m; i++) {
      const Sym *y = symtab_at(s->sym, ids[i]);
      if (y->kind == SYM_TIME) *time = true;
      if (y->kind == SYM_COLUMN) *columns = true;
      for (int k = 0; k < c->nslot; k++) {
        if (c->slot[k].value == ids[i]) value[k] = true;
        if (c->slot[k].rate == ids[i]) rate[k] = true;
      }
    }
  }
  for (int k = 0; k < c->nslot; k++) {
    char letter = "qxl"[c->slot[k].kind];
    if (value[k]) { text_printf(e->out, "    const double %c%d = s->%c[ix[%d]]; ", letter, k, letter, k); c_comment(sym_name(c->slot[k].value, (void *)s), e->out); text_addc(e->out, '\n'); }
    if (rate[k]) { text_printf(e->out, "    const double v%d = s->v[ix[%d]]; ", k, k); c_comment(sym_name(c->slot[k].rate, (void *)s), e->out); text_addc(e->out, '\n'); }
  }
}

static const char *const arguments[KERNEL_COUNT] = {
  [KERNEL_MASS] = "double *out", [KERNEL_F] = "double *fv, double *fx", [KERNEL_JAC] = "double *out", [KERNEL_G] = "double *fv, double *fx",
  [KERNEL_B] = "double *out", [KERNEL_K] = "double *out", [KERNEL_ENERGY] = "double *kinetic, double *potential", [KERNEL_Y] = "double *y",
  [KERNEL_GAP] = "double *gap, double *rate", [KERNEL_RATE] = "double *rate", [KERNEL_H] = "double *out",
  [KERNEL_LAW] = "double *lo, double *hi", [KERNEL_OUT] = "double *value" };

// Where value i of the kernel goes; NULL: nowhere (a zero added to a sum).
static const char *target(Emitter *e, const PlanClass *pc, KernelKind k, int i) {
  static const char *const pair[][2] = { { "*kinetic +=", "*potential +=" }, { "gap[k] =", "rate[k] =" }, { "lo[k] =", "hi[k] =" } };
  const Kernel *kn = &pc->kernel[k];
  bool zero = ex_is_num(e->plan->sys->pool, kn->value[i], 0);
  switch (k) {
  case KERNEL_F: case KERNEL_G:
    if (zero) return NULL;
    return arena_printf(e->arena, "f%c[ix[%d]] +=", pc->c->slot[pc->c->row[i]].kind == SLOT_Q ? 'v' : 'x', pc->c->row[i]);
  case KERNEL_ENERGY: return zero ? NULL : pair[0][i];
  case KERNEL_GAP: return pair[1][i];
  case KERNEL_LAW: return pair[2][i];
  case KERNEL_Y: return "y[k] =";
  case KERNEL_RATE: return "rate[k] =";
  case KERNEL_OUT: return "value[k] =";
  default: return kn->n == 1 ? "out[k] =" : arena_printf(e->arena, "out[%d*k + %d] =", kn->n, i);
  }
}

static void one_kernel(Emitter *e, const PlanClass *pc, KernelKind k, int number) {
  static const char *const field[] = {
#define KERNEL(name, field, what) #field,
#include "../plan/kernels.def"
#undef KERNEL
  };
  static const char *const what[] = {
#define KERNEL(name, field, what) what,
#include "../plan/kernels.def"
#undef KERNEL
  };
  const Kernel *kn = &pc->kernel[k];
  const SysClass *c = pc->c;
  Text *o = e->out, body = {0};
  Emitter inner = *e;
  inner.out = &body;
  bool time, columns;
  Body b = { e, c };
  CScope s = { e->arena, e->plan->sys, kernel_leaf, &b, "    " };
  loads(&inner, c, kn->value, kn->n, &time, &columns);
  CNode **v = c_values(&s, kn->value, kn->n, &body);
  for (int i = 0; i < kn->n; i++) {
    const char *to = target(e, pc, k, i);
    if (!to) continue;
    text_printf(&body, "    %s ", to);
    cnode_print(v[i], &body);
    text_add(&body, ";\n");
  }
  Text title = {0};
  text_printf(&title, "%s:", what[k]);
  for (int i = 0; i < kn->n && title.n < 200; i++) {
    text_add(&title, i ? ", " : " ");
    ex_print(e->plan->sys->pool, kn->value[i], &title, sym_name, (void *)e->plan->sys);
  }
  c_comment(text_str(&title), o);
  text_free(&title);
  text_printf(o, "\nstatic void %s_%d(const nsm_view *s, const nsm_table *tab, %s) {\n", field[k], number, arguments[k]);
  if (time) text_add(o, "  const double t = s->t;\n");
  text_add(o, "  const int n = tab->count;\n");
  bool indexed = c->nslot && strstr(text_str(&body), "ix[");
  if (indexed) text_add(o, "  const int *ix = tab->ix;\n");
  if (columns) text_add(o, "  const double *c = tab->num;\n");
  bool view = time || strstr(text_str(&body), "s->");
  if (!view) text_add(o, "  (void)s;\n");
  text_add(o, "  for (int k = 0; k < n; k++) {\n");
  text_add(o, text_str(&body));
  if (indexed) text_printf(o, "    ix += %d;\n", c->nslot);
  if (columns) text_printf(o, "    c += %d;\n", pc->nnum);
  text_add(o, "  }\n}\n");
  text_free(&body);
}

void emit_kernels(Emitter *e, const PlanClass *pc, int number) {
  for (int k = 0; k < KERNEL_COUNT; k++)
    if (pc->kernel[k].stage != STAGE_NONE) one_kernel(e, pc, (KernelKind)k, number);
}
