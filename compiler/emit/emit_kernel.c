// Kernels: one loop over the instances of a class each. Slots are loaded once, hoisted constants come from num.
#include <string.h>
#include "emit_parts.h"

typedef struct Body { Emitter *e; const SysClass *c; } Body;

// Symbols that are one number for all instances: loaded before the loop.
static const struct {
  SymKind kind;
  const char *name, *field;
} scalar[] = { { SYM_TIME, "t", "t" }, { SYM_TIME0, "tb", "t0" }, { SYM_H, "h", "h" } };
enum { SCALARS = sizeof scalar / sizeof *scalar };

// Which values of a variable a symbol means: at the end of the step, at its begin, the increment between them.
typedef enum { AT_END, AT_BEGIN, INCREMENT, MOMENTS } Moment;

static Moment moment(SymKind k) {
  return k == SYM_VALUE0 || k == SYM_RATE0 ? AT_BEGIN : k == SYM_VALUE_D || k == SYM_RATE_D ? INCREMENT : AT_END;
}

// The symbol of the same variable at another moment; -1 for what is no variable.
static int at_moment(const System *s, int symbol, Moment m) {
  static const SymKind value[] = { SYM_VALUE, SYM_VALUE0, SYM_VALUE_D }, rate[] = { SYM_RATE, SYM_RATE0, SYM_RATE_D };
  Sym y = *symtab_at(s->sym, symbol);
  Moment now = moment(y.kind);
  if (y.kind != value[now] && y.kind != rate[now]) return -1;
  y.kind = y.kind == value[now] ? value[m] : rate[m];
  return symtab_id(s->sym, y);
}

// Prefix of the local variable, and where the view has it.
static const struct { const char *local, *field; } of_value[MOMENTS][3] = {
  { { "q", "q" }, { "x", "x" }, { "l", "l" } },
  { { "qb", "q0" }, { "xb", "x" }, { "lb", "l" } },
  { { "qd", "dq" }, { "xd", "dx" }, { "ld", "l" } }
}, of_rate[MOMENTS] = { { "v", "v" }, { "vb", "v0" }, { "vd", "dv" } };

static const char *kernel_leaf(int symbol, void *ctx) {
  Body *b = ctx;
  const Sym *y = symtab_at(b->e->plan->sys->sym, symbol);
  if (y->kind == SYM_COLUMN) return arena_printf(b->e->arena, "c[%d]", y->id);
  for (int i = 0; i < SCALARS; i++) if (scalar[i].kind == y->kind) return scalar[i].name;
  if (y->kind == SYM_LAMBDA) return "l[k]";
  if (y->kind == SYM_KAPPA) return "kappa[k]";
  Moment m = moment(y->kind);
  int now = at_moment(b->e->plan->sys, symbol, AT_END);
  for (int k = 0; k < b->c->nslot; k++) {
    if (b->c->slot[k].value == now) return arena_printf(b->e->arena, "%s%d", of_value[m][b->c->slot[k].kind].local, k);
    if (b->c->slot[k].rate == now) return arena_printf(b->e->arena, "%s%d", of_rate[m].local, k);
  }
  return "(0.0/0.0)"; // every symbol of a class has a slot; kept loud at run time
}

static void load(Emitter *e, const char *local, int slot, const char *from, int symbol) {
  text_printf(e->out, "    const double %s%d = s->%s[ix[%d]]; ", local, slot, from, slot);
  c_comment(sym_name(symbol, (void *)e->plan->sys), e->out);
  text_addc(e->out, '\n');
}

// Loads of the slots that the roots use; which scalars and whether columns are used.
static void loads(Emitter *e, const SysClass *c, const Ex *root, int n, bool *scalars, bool *columns) {
  const System *s = e->plan->sys;
  // bits 1 << Moment
  int *value = ARENA_ARRAY(e->arena, int, c->nslot + 1), *rate = ARENA_ARRAY(e->arena, int, c->nslot + 1);
  const Ex *order;
  int total = ex_topological(s->pool, root, n, &order);
  *columns = false;
  for (int i = 0; i < total; i++) {
    if (ex_operator(s->pool, order[i]) != OP_SYM) continue;
    const int symbol = ex_symbol(s->pool, order[i]);
    const Sym *y = symtab_at(s->sym, symbol);
    for (int k = 0; k < SCALARS; k++) scalars[k] |= y->kind == scalar[k].kind;
    if (y->kind == SYM_COLUMN) *columns = true;
    int now = at_moment(s, symbol, AT_END);
    for (int k = 0; now >= 0 && k < c->nslot; k++) {
      if (c->slot[k].value == now) value[k] |= 1 << moment(y->kind);
      if (c->slot[k].rate == now) rate[k] |= 1 << moment(y->kind);
    }
  }
  for (int k = 0; k < c->nslot; k++)
    for (Moment m = AT_END; m < MOMENTS; m++) {
      const Slot *t = &c->slot[k];
      if (value[k] & 1 << m)
        load(e, of_value[m][t->kind].local, k, of_value[m][t->kind].field, at_moment(s, t->value, m));
      if (rate[k] & 1 << m) load(e, of_rate[m].local, k, of_rate[m].field, at_moment(s, t->rate, m));
    }
}

static const char *const arguments[KERNEL_COUNT] = { [KERNEL_MASS] = "double *out",
                                                     [KERNEL_F] = "double *fv, double *fx",
                                                     [KERNEL_JAC] = "double *out",
                                                     [KERNEL_G] = "double *fv, double *fx",
                                                     [KERNEL_B] = "double *out",
                                                     [KERNEL_K] = "double *out",
                                                     [KERNEL_ENERGY] = "double *kinetic, double *potential",
                                                     [KERNEL_Y] = "double *y",
                                                     [KERNEL_GAP] = "double *gap, double *rate",
                                                     [KERNEL_SIZE] = "double *size",
                                                     [KERNEL_RATE] = "double *rate",
                                                     [KERNEL_H] = "double *out",
                                                     [KERNEL_LAW] = "double *lo, double *hi",
                                                     [KERNEL_MU] = "double *mu, double *mu2, double *radius",
                                                     [KERNEL_OUT] = "double *value",
                                                     [KERNEL_MCURVE] = "double *out",
                                                     [KERNEL_C] = "double *r",
                                                     [KERNEL_CJAC] = "double *out",
                                                     [KERNEL_WORK] = "double *force, double *damping",
                                                     [KERNEL_DG] = "double *out",
                                                     [KERNEL_RQ] = "double *out",
                                                     [KERNEL_GQ] = "double *out",
                                                     [KERNEL_LAMBDA] = "double *l",
                                                     [KERNEL_DRATE] = "double *out",
                                                     [KERNEL_CURVE] =
                                                         "const double *l, const double *kappa, double *out" };

// Where value i of the kernel goes; NULL: nowhere (a zero added to a sum).
static const char *target(Emitter *e, const PlanClass *pc, KernelKind k, int i) {
  static const char *const pair[][2] = { { "*kinetic +=", "*potential +=" },
                                         { "gap[k] =", "rate[k] =" },
                                         { "lo[k] =", "hi[k] =" },
                                         { "*force +=", "*damping +=" } };
  const Kernel *kn = &pc->kernel[k];
  bool zero = ex_is_num(e->plan->sys->pool, kn->value[i], 0);
  switch (k) {
  case KERNEL_F: case KERNEL_G:
    if (zero) return NULL;
    return arena_printf(e->arena, "f%c[ix[%d]] +=", pc->c->slot[pc->c->row[i]].kind == SLOT_Q ? 'v' : 'x',
                        pc->c->row[i]);
  case KERNEL_C: return zero ? NULL : arena_printf(e->arena, "r[ix[%d]] +=", pc->c->row[i]);
  case KERNEL_WORK: return zero ? NULL : pair[3][i];
  case KERNEL_ENERGY: return zero ? NULL : pair[0][i];
  case KERNEL_GAP: return pair[1][i];
  case KERNEL_LAW: return pair[2][i];
  case KERNEL_Y: return "y[k] =";
  case KERNEL_RATE: return "rate[k] =";
  case KERNEL_MU: return i == 0 ? "mu[k] =" : i == 1 ? "mu2[k] =" : "radius[k] =";
  case KERNEL_LAMBDA: return "l[k] =";
  case KERNEL_SIZE: return "size[k] =";
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
  bool scalars[SCALARS] = { false }, columns;
  Body b = { e, c };
  CScope s = { e->arena, e->plan->sys, kernel_leaf, &b, "    " };
  loads(&inner, c, kn->value, kn->n, scalars, &columns);
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
    ex_print_short(e->plan->sys->pool, kn->value[i], &title, 1000, sym_name, (void *)e->plan->sys);
  }
  c_comment(text_str(&title), o);
  text_free(&title);
  text_printf(o, "\nstatic void %s_%d(const nsm_view *s, const nsm_table *tab, %s) {\n", field[k], number,
              arguments[k]);
  bool view = strstr(text_str(&body), "s->") != NULL;
  for (int i = 0; i < SCALARS; i++) {
    if (scalars[i]) text_printf(o, "  const double %s = s->%s;\n", scalar[i].name, scalar[i].field);
    view |= scalars[i];
  }
  text_add(o, "  const int n = tab->count;\n");
  bool indexed = c->nslot && strstr(text_str(&body), "ix[");
  if (indexed) text_add(o, "  const int *ix = tab->ix;\n");
  if (columns) text_add(o, "  const double *c = tab->num;\n");
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
