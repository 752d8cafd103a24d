// fill_N: counts the instances of a class, or fills its tables: indices of the slots and hoisted constants.
//
// Statements without loops that are alike, as in models that name each of a thousand parts, share one function. What
// differs is data: `own` has lines, variables and parameters, `number` the constants, in the order of their use. So
// the code is as long as there are kinds of statements.
#include "emit_parts.h"

enum { FEWEST_CLASSES = 32, FEWEST_ALIKE = 8 };          // below that a text with its own numbers is easier to read

// The global index of a slot; where its guard does not hold, that of nothing.
static KValue slot_index(SetupValues *v, const Slot *t, int line) {
  KBuilder *b = v->b;
  Pool *pool = v->e->plan->sys->pool;
  KValue index[MAX_INDICES] = { K_NONE, K_NONE };
  for (int i = 0; i < t->nidx; i++) index[i] = k_double(b, k_ex_inline(b, pool, setup_leaf, v, t->idx[i]));
  KValue arg[5] = { v->s, setup_own(v, t->var), setup_own(v, line) }, at;
  if (t->nidx == 1 || t->nidx == 2) {
    arg[3] = index[0];
    arg[4] = index[1];
    at = k_call(b, t->nidx == 1 ? KS_nsm_at_1 : KS_nsm_at_2, arg, 3 + t->nidx);
  } else {
    arg[3] = k_integer(b, t->nidx);
    arg[4] = k_list(b, index, t->nidx);
    at = k_call(b, KS_nsm_at, arg, 5);
  }
  if (t->guard == EX_NONE) return at;
  KValue none = t->kind == SLOT_L ? k_call(b, KS_nsm_none, &v->s, 1) : k_integer(b, 0);
  return k_choose(b, k_ex_inline(b, pool, setup_leaf, v, t->guard), at, none);
}

static void fill_slot(Emitter *e, const Slot *t, int k, int line, const char *indent) {
  SetupValues v = setup_begin(e, NULL);
  KValue index = slot_index(&v, t, line);
  text_printf(e->out, "%six[%d] = ", indent, k);
  c_expression(e->arena, k_end(v.b), index, e->out);
  text_addc(e->out, ';');
  if (!e->own && e->comments) {
    text_addc(e->out, ' ');
    c_comment(sym_name(t->value, (void *)e->plan->sys), e->out);
  }
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
    if (i >= pc->index_num || e->own || !e->comments) continue;
    Text t = {0};
    ex_print_short(s->pool, pc->num[i], &t, 1000, sym_name, (void *)s);
    k_remark(v.b, text_str(&t));
    text_free(&t);
  }
  c_body(e->arena, k_end(v.b), indent, e->own ? &e->own->d : NULL, e->out);
}

static void fill_body(Emitter *e, const PlanClass *pc, const char *indent, int depth) {
  const SysClass *c = pc->c;
  int line = line_of(c->span);
  for (int k = 0; k < c->nslot; k++) fill_slot(e, &c->slot[k], k, line, indent);
  if (pc->nnum) fill_columns(e, pc, depth);
  if (c->nslot) text_printf(e->out, "%six += %d;\n", indent, c->nslot);
  if (pc->nnum) text_printf(e->out, "%snum += %d;\n", indent, pc->nnum);
}

static void whole_fill(Emitter *e, const PlanClass *pc, int number) {
  static const char *const pad[] = {
    "  ",           "    ",           "      ",           "        ",          "          ",
    "            ", "              ", "                ", "                  "
  };
  const SysClass *c = pc->c;
  Text *o = e->out;
  text_printf(o, "static long fill_%d(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {\n", number);
  text_add(o, "  const double *p = g->p;\n  long count = 0;\n  (void)s; (void)p; (void)num;\n");
  if (e->own) text_add(o, "  const int *k = g->own;\n  const double *d = g->number;\n  (void)k; (void)d;\n");
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

void emit_fill(Emitter *e, const PlanClass *pc, int number) {
  Own own = { 0 };
  if (e->fill[number].first < 0) { whole_fill(e, pc, number); return; }
  if (e->fill[number].first < number) return;
  e->own = &own;
  whole_fill(e, pc, number);
  e->own = NULL;
  vec_free(&own.k);
  vec_free(&own.d);
}

// --- which classes are alike ---

// The body with its own data apart, as text that is the same for all that are alike.
static const char *form_of(Emitter *e, const PlanClass *pc, Own *all) {
  Text form = { 0 }, *out = e->out;
  Arena *kept = e->arena;
  Own own = { 0 };
  e->arena = arena_new();
  e->out = &form;
  e->own = &own;
  fill_body(e, pc, "", 0);
  e->own = NULL;
  e->out = out;
  arena_free(e->arena);
  e->arena = kept;
  const char *text = intern(e->words, text_str(&form));
  for (size_t i = 0; i < own.k.n; i++) vec_push(&all->k, own.k.at[i]);
  for (size_t i = 0; i < own.d.n; i++) vec_push(&all->d, own.d.at[i]);
  vec_free(&own.k);
  vec_free(&own.d);
  text_free(&form);
  return text;
}

static void write_integers(Text *o, const Own *own) {
  text_add(o, "static const int own[] = {");
  for (size_t i = 0; i < own->k.n; i++) text_printf(o, "%s%d,", i % 24 ? "" : "\n  ", own->k.at[i]);
  text_add(o, " 0\n};\n");
}

static void write_numbers(Text *o, const Own *own) {
  text_add(o, "static const double number[] = {");
  for (size_t i = 0; i < own->d.n; i++) {
    text_add(o, i % 8 ? " " : "\n  ");
    c_number(own->d.at[i], o);
    text_addc(o, ',');
  }
  text_add(o, " 0.0\n};\n\n");
}

// Classes that are alike have this number in common: what differs in it need not be written out and compared.
static uintptr_t outline(const PlanClass *pc) {
  const SysClass *c = pc->c;
  uint64_t h = (uint64_t)c->nslot << 32 | (uint32_t)pc->nnum;
  for (int k = 0; k < c->nslot; k++)
    h = (h ^ (uint64_t)(4*c->slot[k].nidx + 2*(c->slot[k].guard != EX_NONE) + 1))*UINT64_C(0x9e3779b97f4a7c15);
  return (uintptr_t)h | 1;
}

// [n] have enough classes the outline of this one?
static bool *worth_comparing(Arena *a, const Plan *p) {
  Map *count = map_new(a);
  bool *worth = ARENA_ARRAY(a, bool, p->ncls + 1);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < p->ncls; i++) {
      if (p->cls[i].c->nloop > 0) continue;
      const void *key = (const void *)outline(&p->cls[i]);
      uintptr_t have = (uintptr_t)map_get(count, key);
      if (pass) worth[i] = have >= FEWEST_ALIKE;
      else map_put(count, key, (void *)(have + 1));
    }
  return worth;
}

void fills_alike(Emitter *e) {
  int n = e->plan->ncls;
  e->fill = ARENA_ARRAY(e->arena, Fill, n + 1);
  for (int i = 0; i < n; i++) e->fill[i].first = -1;
  if (n < FEWEST_CLASSES) return;
  Arena *work = arena_new();
  const char **form = ARENA_ARRAY(work, const char *, n);
  const bool *worth = worth_comparing(work, e->plan);
  int *alike = ARENA_ARRAY(work, int, n);                // how many have the form that this class is the first of
  Fill *from = ARENA_ARRAY(work, Fill, n + 1);           // first of its form, -1: has loops; its data in `all`
  Map *first = map_new(work);                            // form -> its first class + 1
  Own all = { 0 }, kept = { 0 };
  for (int i = 0; i < n; i++) {
    from[i] = (Fill){ -1, all.k.n, all.d.n };
    if (!worth[i]) continue;
    form[i] = form_of(e, &e->plan->cls[i], &all);
    from[i].first = (int)(uintptr_t)map_get(first, form[i]) - 1;
    if (from[i].first < 0) map_put(first, form[i], (void *)(uintptr_t)((from[i].first = i) + 1));
    alike[from[i].first]++;
  }
  from[n] = (Fill){ -1, all.k.n, all.d.n };
  bool shared = false;                                   // also where no class has data of its own
  for (int i = 0; i < n; i++) {
    if (from[i].first < 0 || alike[from[i].first] < FEWEST_ALIKE) continue;
    shared = true;
    e->fill[i] = (Fill){ from[i].first, kept.k.n, kept.d.n };
    for (size_t j = from[i].k; j < from[i + 1].k; j++) vec_push(&kept.k, all.k.at[j]);
    for (size_t j = from[i].d; j < from[i + 1].d; j++) vec_push(&kept.d, all.d.at[j]);
  }
  if (shared) write_integers(e->out, &kept);
  if (shared) write_numbers(e->out, &kept);
  vec_free(&all.k);
  vec_free(&all.d);
  vec_free(&kept.k);
  vec_free(&kept.d);
  arena_free(work);
}
