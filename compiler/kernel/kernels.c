// Plan -> kernels: one loop over the instances of a class each; a class without loops has one instance, and no loop.
// Slots are loaded once, hoisted constants come from the columns of the instance.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../base/fatal.h"
#include "../../runtime/nsm_abi.h"
#include "kernels.h"

// --- what a symbol is in a kernel ---

// Symbols that are one number for all instances: loaded before the loop.
static const struct { SymKind kind; const char *name; KField field; } scalar[] = {
  { SYM_TIME, "t", KF_VIEW_t }, { SYM_TIME0, "tb", KF_VIEW_t0 }, { SYM_H, "h", KF_VIEW_h } };
enum { SCALARS = sizeof scalar / sizeof *scalar };

// Which values of a variable a symbol means: at the end of the step, at its begin, the increment between them.
typedef enum { AT_END, AT_BEGIN, INCREMENT, MOMENTS } Moment;

// Prefix of the local name, and where the view has it.
static const struct { const char *local; KField field; } of_value[MOMENTS][SLOT_D + 1] = {
  { { "q", KF_VIEW_q }, { "x", KF_VIEW_x }, { "l", KF_VIEW_l }, { "p", KF_VIEW_q }, [SLOT_D] = { "d", KF_VIEW_d } },
  { { "qb", KF_VIEW_q0 }, { "xb", KF_VIEW_x }, { "lb", KF_VIEW_l }, { "pb", KF_VIEW_q0 },
    [SLOT_D] = { "db", KF_VIEW_d } },
  { { "qd", KF_VIEW_dq }, { "xd", KF_VIEW_dx }, { "ld", KF_VIEW_l }, { "pd", KF_VIEW_dq },     // of an attitude: none
    [SLOT_D] = { "dd", KF_VIEW_d } }
}, of_rate[MOMENTS] = { { "v", KF_VIEW_v }, { "vb", KF_VIEW_v0 }, { "vd", KF_VIEW_dv } },
  of_signal = { "dr", KF_VIEW_d_rate };

typedef struct Maker {
  bool comments;                       // values are explained to a reader
  Arena *arena; const Plan *plan; const PlanClass *pc;
  KValue view, table, argument[3];     // parameters: where results go, or the row's multipliers come from
  KValue scalars[SCALARS], instance;
  KValue ix, num;                      // the first row of the tables: of a class without loops, or in step; K_NONE
  KValue *same;                        // of a table in step: [columns]; NULL
  KValue (*value)[MOMENTS], (*rate)[MOMENTS];   // [nslot] loads; K_NONE
} Maker;

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

static KValue slot_index(KBuilder *b, const Maker *m, int slot) {
  return m->ix == K_NONE ? k_slot(b, slot) : k_at_number(b, m->ix, slot);
}

static KValue leaf(KBuilder *b, int symbol, void *ctx);

// Of a contact between shapes: nsm_touch_count(s, contact), nsm_touch_impulse(s, contact, class, body, axis).
static KValue touch(KBuilder *b, const Maker *m, const Sym *y) {
  const System *s = m->plan->sys;
  int what = (int)ex_value(s->pool, y->idx[0]);
  KValue arg[5] = { m->view, k_number(b, y->id) };
  if (what < MT_IMPULSE) return k_call(b, what == MT_COUNT ? KS_nsm_touch_count : KS_nsm_touch_deepest, arg, 2);
  arg[2] = k_number(b, class_of_solid(s, (int)ex_value(s->pool, y->idx[1])));
  arg[3] = k_double(b, k_ex_inline(b, s->pool, leaf, (void *)(uintptr_t)m, y->idx[2]));
  arg[4] = k_number(b, what - MT_IMPULSE + 1);
  return k_call(b, KS_nsm_touch_impulse, arg, 5);
}

static KValue leaf(KBuilder *b, int symbol, void *ctx) {
  const Maker *m = ctx;
  const System *s = m->plan->sys;
  const Sym *y = symtab_at(s->sym, symbol);
  if (y->kind == SYM_COLUMN && m->same) return m->same[y->id];
  if (y->kind == SYM_COLUMN) return m->num == K_NONE ? k_column(b, y->id) : k_at_number(b, m->num, y->id);
  for (int i = 0; i < SCALARS; i++) if (scalar[i].kind == y->kind) return m->scalars[i];
  if (y->kind == SYM_LAMBDA) return k_at(b, m->argument[0], m->instance);
  if (y->kind == SYM_KAPPA) return k_at(b, m->argument[1], m->instance);
  if (y->kind == SYM_TOUCH) return touch(b, m, y);
  int now = at_moment(s, symbol, AT_END);
  Moment when = moment(y->kind);
  for (int k = 0; k < m->pc->c->nslot; k++) {
    if (m->pc->c->slot[k].value == now) return m->value[k][when];
    if (m->pc->c->slot[k].rate == now) return m->rate[k][when];
  }
  FATAL("symbol %s of class %s has no slot", sym_name(symbol, (void *)s), m->pc->c->label);
}

// --- loads ---

// Which symbols the values use: of each slot the moments of its value and rate, as bits 1 << Moment.
typedef struct Used { bool scalars[SCALARS]; int *value, *rate; } Used;

static Used used_by(const Maker *m, const Kernel *kn) {
  const System *s = m->plan->sys;
  const SysClass *c = m->pc->c;
  Used u = { { false }, ARENA_ARRAY(m->arena, int, c->nslot + 1), ARENA_ARRAY(m->arena, int, c->nslot + 1) };
  const Ex *order;
  int n = ex_topological(s->pool, kn->value, kn->n, &order);
  for (int i = 0; i < n; i++) {
    if (ex_operator(s->pool, order[i]) != OP_SYM) continue;
    const int symbol = ex_symbol(s->pool, order[i]);
    SymKind kind = symtab_at(s->sym, symbol)->kind;
    for (int k = 0; k < SCALARS; k++) u.scalars[k] |= kind == scalar[k].kind;
    int now = at_moment(s, symbol, AT_END);
    for (int k = 0; now >= 0 && k < c->nslot; k++) {
      if (c->slot[k].value == now) u.value[k] |= 1 << moment(kind);
      if (c->slot[k].rate == now) u.rate[k] |= 1 << moment(kind);
    }
  }
  return u;
}

// What a kernel reads of slot `slot`: of a table in step where that begins in the arrays.
static KValue load(KBuilder *b, const Maker *m, const char *local, KField field, int slot, int symbol) {
  KValue array = k_field(b, m->view, field), at = slot_index(b, m, slot);
  return k_name(b, m->same ? k_from(b, array, at) : k_at(b, array, at),
                arena_printf(m->arena, m->same ? "%s%ds" : "%s%d", local, slot),
                m->comments ? sym_name(symbol, (void *)m->plan->sys) : NULL);
}

static void loads(KBuilder *b, Maker *m, const Used *u) {
  const System *s = m->plan->sys;
  const SysClass *c = m->pc->c;
  m->value = arena_alloc(m->arena, sizeof *m->value * (size_t)(c->nslot + 1));
  m->rate = arena_alloc(m->arena, sizeof *m->rate * (size_t)(c->nslot + 1));
  for (int k = 0; k < c->nslot; k++)
    for (Moment w = AT_END; w < MOMENTS; w++) {
      const Slot *t = &c->slot[k];
      m->value[k][w] = m->rate[k][w] = K_NONE;
      if (u->value[k] & 1 << w)
        m->value[k][w] = load(b, m, of_value[w][t->kind].local, of_value[w][t->kind].field, k,
                              at_moment(s, t->value, w));
      if (u->rate[k] & 1 << w)
        m->rate[k][w] = t->kind == SLOT_D ? load(b, m, of_signal.local, of_signal.field, k, t->rate)
                                          : load(b, m, of_rate[w].local, of_rate[w].field, k,
                                                 at_moment(s, t->rate, w));
    }
}

// Of a table in step: the elements of the instance at hand.
static void elements(KBuilder *b, Maker *m) {
  for (int k = 0; k < m->pc->c->nslot; k++)
    for (Moment w = AT_END; w < MOMENTS; w++) {
      if (m->value[k][w] != K_NONE) m->value[k][w] = k_at(b, m->value[k][w], m->instance);
      if (m->rate[k][w] != K_NONE) m->rate[k][w] = k_at(b, m->rate[k][w], m->instance);
    }
}

// --- where results go ---

// How value i of a kernel is put away. ENTRIES: out[n*k + i] = ...; EACH: argument i, [k] = ...; SUMS: argument i,
// [0] += ...; ROWS: the row's slot of argument 0 or, of a state, 1, += ...; PLACES: the row's slot of argument 0 = ...
typedef enum { ENTRIES, EACH, SUMS, ROWS, PLACES } Way;

static const struct { Way way; KType type[3]; const char *name[3]; } results[KERNEL_COUNT] = {
#define ONE(text) { KT_OUTPUT }, { text }
#define TWO(one, two) { KT_OUTPUT, KT_OUTPUT }, { one, two }
  [KERNEL_MASS] = { ENTRIES, ONE("out") },
  [KERNEL_MCURVE] = { ENTRIES, ONE("out") },
  [KERNEL_F] = { ROWS, TWO("fv", "fx") },
  [KERNEL_JAC] = { ENTRIES, ONE("out") },
  [KERNEL_G] = { ROWS, TWO("fv", "fx") },
  [KERNEL_B] = { ENTRIES, ONE("out") },
  [KERNEL_K] = { ENTRIES, ONE("out") },
  [KERNEL_ENERGY] = { SUMS, TWO("kinetic", "potential") },
  [KERNEL_Y] = { EACH, ONE("y") },
  [KERNEL_GAP] = { EACH, TWO("gap", "rate") },
  [KERNEL_SIZE] = { EACH, ONE("size") },
  [KERNEL_RATE] = { EACH, ONE("rate") },
  [KERNEL_H] = { ENTRIES, ONE("out") },
  [KERNEL_LAW] = { EACH, TWO("lo", "hi") },
  [KERNEL_MU] = { EACH, { KT_OUTPUT, KT_OUTPUT, KT_OUTPUT }, { "mu", "mu2", "radius" } },
  [KERNEL_OUT] = { EACH, ONE("value") },
  [KERNEL_C] = { ROWS, ONE("r") },
  [KERNEL_CJAC] = { ENTRIES, ONE("out") },
  [KERNEL_WORK] = { SUMS, TWO("force", "damping") },
  [KERNEL_DG] = { ENTRIES, ONE("out") },
  [KERNEL_HM] = { ENTRIES, ONE("out") },
  [KERNEL_RQ] = { ENTRIES, ONE("out") },
  [KERNEL_DRATE] = { ENTRIES, ONE("out") },
  [KERNEL_CURVE] = { ENTRIES, { KT_INPUT, KT_INPUT, KT_OUTPUT }, { "l", "kappa", "out" } },
  [KERNEL_BEND] = { ENTRIES, { KT_INPUT, KT_OUTPUT }, { "l", "out" } },
  [KERNEL_LAMBDA] = { EACH, ONE("l") },
  [KERNEL_GQ] = { ENTRIES, ONE("out") },
  [KERNEL_MOVE] = { PLACES, ONE("moved") },
  [KERNEL_POSE] = { ENTRIES, ONE("out") },
#undef ONE
#undef TWO
};

static void put(KBuilder *b, const Maker *m, KernelKind kind, int i, KValue v) {
  const Kernel *kn = &m->pc->kernel[kind];
  const SysClass *c = m->pc->c;
  Way way = results[kind].way;
  bool zero = ex_is_num(m->plan->sys->pool, kn->value[i], 0);
  if (zero && (way == SUMS || way == ROWS)) return;
  v = k_double(b, v);
  switch (way) {
  case SUMS: k_add_to(b, m->argument[i], k_integer(b, 0), v); break;
  case ROWS: {
    bool state = kind != KERNEL_C && c->slot[c->row[i]].kind != SLOT_Q;
    k_add_to(b, m->argument[state], slot_index(b, m, c->row[i]), v);
    break;
  }
  case PLACES: k_store(b, m->argument[0], slot_index(b, m, c->row[i]), v); break;
  case EACH: k_store(b, m->argument[i], m->instance, v); break;
  case ENTRIES: {
    KValue at = m->instance, out = m->argument[kind == KERNEL_CURVE ? 2 : kind == KERNEL_BEND];
    if (kn->n > 1 && !c->nloop) at = k_integer(b, i);
    else if (kn->n > 1)
      at = k_op2(b, OP_PLUS, k_op2(b, OP_TIMES, k_integer(b, kn->n), m->instance), k_integer(b, i));
    k_store(b, out, at, v);
    break;
  }
  }
}

// --- a kernel ---

static void describe(KBuilder *b, const Maker *m, KernelKind kind) {
  static const char *const what[] = {
#define KERNEL(name, field, what) what,
#include "../plan/kernels.def"
#undef KERNEL
  };
  const Kernel *kn = &m->pc->kernel[kind];
  Text t = {0};
  text_printf(&t, "%s:", what[kind]);
  for (int i = 0; i < kn->n && t.n < 200; i++) {
    text_add(&t, i ? ", " : " ");
    ex_print_short(m->plan->sys->pool, kn->value[i], &t, 1000, sym_name, (void *)m->plan->sys);
  }
  k_about(b, text_str(&t));
  text_free(&t);
}

const char *kernel_name(Arena *a, KernelKind kind, int cls) {
  static const char *const field[] = {
#define KERNEL(name, field, what) #field,
#include "../plan/kernels.def"
#undef KERNEL
  };
  return arena_printf(a, "%s_%d", field[kind], cls);
}

// What the values are made of is loaded: they, and where they go.
static void values(KBuilder *b, Maker *m, KernelKind kind) {
  const Kernel *kn = &m->pc->kernel[kind];
  KValue *v = ARENA_ARRAY(m->arena, KValue, kn->n + 1);
  k_values(b, m->plan->sys->pool, leaf, m, kn->value, kn->n, v);
  for (int i = 0; i < kn->n; i++) put(b, m, kind, i, v[i]);
}

// Gaps and rates of all instances are taken in every step. Where the slots of an instance are those of the one before,
// each plus one, and its columns the same (nsm_table.even), nothing is read from the tables: the loop runs along q and
// v, and a compiler makes vectors of it.
static bool in_step(const Maker *m, KernelKind kind) {
  return (kind == KERNEL_GAP || kind == KERNEL_RATE) && m->pc->c->nloop > 0;
}

// [number] which columns the values read; the last of them and one.
static int columns_read(const Maker *m, KernelKind kind, bool *read) {
  const Kernel *kn = &m->pc->kernel[kind];
  const System *s = m->plan->sys;
  const Ex *order;
  int n = ex_topological(s->pool, kn->value, kn->n, &order), end = 0;
  for (int i = 0; i < n; i++) {
    if (ex_operator(s->pool, order[i]) != OP_SYM) continue;
    const Sym *y = symtab_at(s->sym, ex_symbol(s->pool, order[i]));
    if (y->kind != SYM_COLUMN) continue;
    read[y->id] = true;
    if (y->id >= end) end = y->id + 1;
  }
  return end;
}

static void loop_in_step(KBuilder *b, Maker *m, const Used *u, KernelKind kind) {
  bool *read = ARENA_ARRAY(m->arena, bool, m->pc->nnum + 1);
  int columns = columns_read(m, kind, read);
  k_if(b, k_op2(b, OP_LT, k_integer(b, columns), k_field(b, m->table, KF_TABLE_even)));
  m->ix = k_name(b, k_field(b, m->table, KF_TABLE_ix), "first", NULL);
  m->same = ARENA_ARRAY(m->arena, KValue, m->pc->nnum + 1);
  for (int i = 0; i < columns; i++)
    if (read[i])
      m->same[i] = k_name(b, k_at_number(b, k_field(b, m->table, KF_TABLE_num), i),
                          arena_printf(m->arena, "same%d", i), NULL);
  loads(b, m, u);
  KValue count = k_name(b, k_field(b, m->table, KF_TABLE_count), "count", NULL);
  m->instance = k_loop(b, "i", k_integer(b, 0), count);
  elements(b, m);
  values(b, m, kind);
  k_close(b);
  m->ix = K_NONE;
  m->same = NULL;
  k_else(b);
}

static const KKernel *one_kernel(Arena *a, const Plan *p, int cls, KernelKind kind, bool comments) {
  Maker m = { .arena = a, .plan = p, .pc = &p->cls[cls], .comments = comments };
  const Kernel *kn = &m.pc->kernel[kind];
  KBuilder *b = k_begin(a, kernel_name(a, kind, cls), KT_VOID);
  if (comments) describe(b, &m, kind);
  m.view = k_param(b, KT_VIEW, "s");
  m.table = k_param(b, KT_TABLE, "tab");
  for (int i = 0; i < 3; i++)
    m.argument[i] = results[kind].name[i] ? k_param(b, results[kind].type[i], results[kind].name[i]) : K_NONE;
  Used u = used_by(&m, kn);
  for (int i = 0; i < SCALARS; i++)
    if (u.scalars[i]) m.scalars[i] = k_name(b, k_field(b, m.view, scalar[i].field), scalar[i].name, NULL);
  bool loop = m.pc->c->nloop > 0;
  m.ix = loop ? K_NONE : k_name(b, k_field(b, m.table, KF_TABLE_ix), "ix", NULL);
  m.num = loop ? K_NONE : k_name(b, k_field(b, m.table, KF_TABLE_num), "c", NULL);
  if (in_step(&m, kind)) loop_in_step(b, &m, &u, kind);
  m.instance = loop ? k_instances(b, m.table, m.pc->c->nslot, m.pc->nnum) : k_integer(b, 0);
  loads(b, &m, &u);
  values(b, &m, kind);
  if (loop) k_close(b);
  if (in_step(&m, kind)) k_close(b);
  return k_end(b);
}

// --- kernels that are alike ---

static uint64_t mixed(uint64_t h, uint64_t x) {
  h = (h ^ x)*UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

// All that a printer makes code of; comments are left out.
static uint64_t code_of(const KKernel *k) {
  uint64_t h = mixed((uint64_t)k->result + 1, (uint64_t)k->nparam), bits;
  for (int i = 0; i < k->n; i++) {
    const KNode *n = &k->node[i];
    memcpy(&bits, &n->number, sizeof bits);
    h = mixed(mixed(h, bits), (uint64_t)n->code << 32 | (uint64_t)n->op << 16 | (uint64_t)n->type << 8 | n->named);
    h = mixed(h, (uint64_t)(uint32_t)n->index << 32 | (uint32_t)n->block);
    for (int j = 0; j < n->narg; j++) h = mixed(h, (uint64_t)(uint32_t)n->arg[j]);
    for (const char *c = n->name; c && *c; c++) h = mixed(h, (unsigned char)*c);
  }
  return h;
}

static bool same_name(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_code(const KKernel *a, const KKernel *b) {
  if (a->result != b->result || a->nparam != b->nparam || a->n != b->n) return false;
  for (int i = 0; i < a->n; i++) {
    const KNode *x = &a->node[i], *y = &b->node[i];
    if (x->code != y->code || x->op != y->op || x->type != y->type || x->index != y->index || x->narg != y->narg ||
        x->named != y->named || x->block != y->block ||
        memcmp(&x->number, &y->number, sizeof x->number) || !same_name(x->name, y->name) ||
        (x->narg && memcmp(x->arg, y->arg, sizeof *x->arg * (size_t)x->narg)))
      return false;
  }
  return true;
}

typedef struct Alike { int *at; uint32_t cap, n; } Alike;      // entries + 1 by their code; open addressing

static void alike_put(Alike *t, const PlanKernels *all, int entry) {
  uint32_t at = (uint32_t)code_of(all->at[entry].kernel) & (t->cap - 1);
  while (t->at[at]) at = (at + 1) & (t->cap - 1);
  t->at[at] = entry + 1;
}

// The entry with this code, -1 if there is none; then the one that is being made (all->n) will have it.
static int alike_first(Alike *t, PlanKernels *all, const KKernel *k) {
  if (t->n * 2 >= t->cap) {
    free(t->at);
    t->cap = t->cap ? t->cap * 2 : 256;
    t->at = memory_for(sizeof *t->at * t->cap);
    memset(t->at, 0, sizeof *t->at * t->cap);
    for (int i = 0; i < all->n; i++)
      if (all->at[i].first == i) alike_put(t, all, i);
  }
  uint32_t at = (uint32_t)code_of(k) & (t->cap - 1);
  for (; t->at[at]; at = (at + 1) & (t->cap - 1))
    if (same_code(all->at[t->at[at] - 1].kernel, k)) return t->at[at] - 1;
  t->at[at] = all->n + 1;
  t->n++;
  return -1;
}

// Statements of their own, written again and again, are short: they are made aside first.
static bool is_short(const Plan *p, const PlanClass *pc, int kind) {
  enum { MOST_SLOTS = 16, MOST_VALUES = 64, MOST_NODES = 300 };
  const Kernel *kn = &pc->kernel[kind];
  double size = 0;
  if (p->ncls < 2 || pc->c->nslot > MOST_SLOTS || kn->n > MOST_VALUES) return false;
  for (int i = 0; i < kn->n && size <= MOST_NODES; i++) size += ex_tree_size(p->sys->pool, kn->value[i]);
  return size <= MOST_NODES;
}

// The curvature of a constraint on attitudes: the runtime takes it where a step does not converge without
// (docs/numerics/consistent.md, section 4). It is the longest of all kernels by far.
static bool is_seldom(const PlanClass *pc, KernelKind kind, const KKernel *k) {
  enum { LONG = 1000 };                                  // nodes
  return kind == KERNEL_CURVE && pc->c->kind == CLASS_CONSTRAINT && pc->kernel[KERNEL_GQ].stage != STAGE_NONE &&
         k->n > LONG;
}

static void take_entries(Arena *a, const PlanClass *pc, PlanKernel *to) {
  const SysClass *c = pc->c;
  if (to->kind != KERNEL_MASS || pc->kernel[KERNEL_MASS].stage <= STAGE_EVENT) return;
  KernelEntry *e = ARENA_ARRAY(a, KernelEntry, c->mass.n + 1);
  for (int i = 0; i < c->mass.n; i++) {
    int row = c->mass.at[i].row, col = c->mass.at[i].col;
    e[i] = (KernelEntry){ row, col, c->slot[row].kind != SLOT_Q, c->slot[col].kind != SLOT_Q };
  }
  to->nentry = c->mass.n;
  to->entry = e;
}

PlanKernels kernels_of_plan(Arena *a, const Plan *p, bool comments) {
  static const size_t offset[] = {
#define KERNEL(name, field, what) offsetof(nsm_class, field##_fn),
#include "../plan/kernels.def"
#undef KERNEL
  };
  PlanKernels all = { 0, ARENA_ARRAY(a, PlanKernel, p->ncls * KERNEL_COUNT + 1) };
  int *entry = ARENA_ARRAY(a, int, p->ncls * KERNEL_COUNT + 1);  // of class i and kind k
  Arena *tried = arena_new();
  Alike alike = { 0 };
  for (int i = 0; i < p->ncls; i++)
    for (int k = 0; k < KERNEL_COUNT; k++) {
      if (p->cls[i].kernel[k].stage == STAGE_NONE) continue;
      PlanKernel *new = &all.at[all.n];
      entry[i * KERNEL_COUNT + k] = all.n;
      if (p->cls[i].like >= 0) {
        *new = all.at[entry[p->cls[i].like * KERNEL_COUNT + k]];
        new->cls = i;
        all.n++;
        continue;
      }
      bool aside = is_short(p, &p->cls[i], k);
      const KKernel *kernel = one_kernel(aside ? tried : a, p, i, (KernelKind)k, comments);
      int first = alike_first(&alike, &all, kernel);
      *new = (PlanKernel){ i, (KernelKind)k, offset[k], first >= 0 ? all.at[first].kernel : kernel,
                           first >= 0 ? first : all.n, is_seldom(&p->cls[i], (KernelKind)k, kernel), .entry = NULL };
      take_entries(a, &p->cls[i], new);
      if (first < 0 && aside) new->kernel = one_kernel(a, p, i, (KernelKind)k, comments);
      all.n++;
      arena_free(tried);
      tried = arena_new();
    }
  arena_free(tried);
  free(alike.at);
  return all;
}
