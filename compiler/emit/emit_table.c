// Tables: patterns, slots, classes, variables, parameters, and the model that holds them all. Text goes out as numbers.
#include <stdlib.h>
#include <string.h>
#include "../base/fatal.h"
#include "emit_parts.h"

// The name of the part of class i with these numbers: written now, or that of an earlier class with the same ones.
static const char *numbers(Emitter *e, const char *type, const char *part, int i, int n, int (*at)(const void *, int),
                           const void *ctx) {
  Text t = {0};
  for (int k = 0; k < n; k++) text_printf(&t, "%s%d", k ? ", " : "", at(ctx, k));
  text_add(&t, n ? " };\n" : "0 };\n");
  size_t body = t.n;
  text_add(&t, part);
  const char *key = intern(e->words, text_str(&t)), *known = map_get(e->table_at, key);
  if (!known) {
    const char *name = arena_printf(e->arena, "%s_%d", part, i);
    text_printf(e->out, "static const %s %s[] = { ", type, name);
    text_addn(e->out, text_str(&t), body);
    map_put(e->table_at, key, (void *)name);
    known = name;
  }
  text_free(&t);
  return known;
}

static int slot_kind(const void *c, int i) { return (int)((const SysClass *)c)->slot[i].kind; }
static int entry_row(const void *e, int i) { return ((const Entries *)e)->at[i].row; }
static int entry_col(const void *e, int i) { return ((const Entries *)e)->at[i].col; }
static int entry_wrt(const void *e, int i) { return (int)((const Entries *)e)->at[i].wrt; }

// The names of the tables of a class.
enum { PATTERNS = 12 };
typedef struct Names { const char *slot, *row[PATTERNS], *col[PATTERNS], *wrt[PATTERNS]; } Names;

static const struct { KernelKind kernel; const char *stage, *fn;
} field[] = { { KERNEL_MASS, "mass_stage", "mass_fn" },
              { KERNEL_MCURVE, NULL, "mcurve_fn" },
              { KERNEL_F, "f_stage", "f_fn" },
              { KERNEL_JAC, "jac_stage", "jac_fn" },
              { KERNEL_G, "g_stage", "g_fn" },
              { KERNEL_B, "b_stage", "b_fn" },
              { KERNEL_K, "k_stage", "k_fn" },
              { KERNEL_ENERGY, NULL, "energy_fn" },
              { KERNEL_Y, "y_stage", "y_fn" },
              { KERNEL_GAP, "y_stage", "gap_fn" },
              { KERNEL_RATE, NULL, "rate_fn" },
              { KERNEL_SIZE, NULL, "size_fn" },
              { KERNEL_H, "h_stage", "h_fn" },
              { KERNEL_LAW, "law_stage", "law_fn" },
              { KERNEL_MU, "mu_stage", "mu_fn" },
              { KERNEL_OUT, NULL, "out_fn" },
              { KERNEL_C, NULL, "c_fn" },
              { KERNEL_CJAC, NULL, "cjac_fn" },
              { KERNEL_WORK, NULL, "work_fn" },
              { KERNEL_DG, NULL, "dg_fn" },
              { KERNEL_HM, NULL, "hm_fn" },
              { KERNEL_RQ, "rq_stage", "rq_fn" },
              { KERNEL_GQ, NULL, "gq_fn" },
              { KERNEL_LAMBDA, NULL, "lambda_fn" },
              { KERNEL_DRATE, NULL, "drate_fn" },
              { KERNEL_CURVE, NULL, "curve_fn" },
              { KERNEL_BEND, NULL, "bend_fn" },
              { KERNEL_MOVE, NULL, "move_fn" },
              { KERNEL_POSE, NULL, "pose_fn" } };

typedef struct Pattern { const char *name; const Entries *e; } Pattern;

static void patterns_of(const PlanClass *pc, Pattern *p) {
  const SysClass *c = pc->c;
  const Pattern all[PATTERNS] = { { "mass", &c->mass },    { "jac", &c->jac },    { "b", &c->b },    { "k", &c->k },
                                  { "h", &c->h },          { "cjac", &pc->cjac }, { "rq", &pc->rq }, { "dr", &pc->dr },
                                  { "curve", &pc->curve }, { "gq", &pc->gq },     { "mcurve", &pc->mcurve },
                                  { "bend", &pc->bend } };
  memcpy(p, all, sizeof all);
}

static Names class_tables(Emitter *e, const PlanClass *pc, int i) {
  Names n;
  Pattern p[PATTERNS];
  patterns_of(pc, p);
  n.slot = numbers(e, "unsigned char", "slot", i, pc->c->nslot, slot_kind, pc->c);
  for (int k = 0; k < PATTERNS; k++) {
    const Entries *at = p[k].e;
    if (!at->n) continue;
    n.row[k] = numbers(e, "unsigned short", arena_printf(e->arena, "%s_row", p[k].name), i, at->n, entry_row, at);
    n.col[k] = numbers(e, "unsigned short", arena_printf(e->arena, "%s_col", p[k].name), i, at->n, entry_col, at);
    n.wrt[k] = numbers(e, "unsigned char", arena_printf(e->arena, "%s_wrt", p[k].name), i, at->n, entry_wrt, at);
  }
  return n;
}

static bool is_motion(int symbol, void *sys) {
  const System *s = sys;
  const Sym *y = symtab_at(s->sym, symbol);
  return y->kind == SYM_RATE || (y->kind == SYM_VALUE && s->model->var[y->id].kind <= MV_STATE);
}

// Has a right side an `if`, sign or floor of what moves?
static bool may_jump(const System *s, const SysClass *c) {
  Ex *root = malloc((2 * (size_t)c->nrow + 1) * sizeof *root);
  bool found = false;
  const Ex *order;
  for (int r = 0; r < c->nrow; r++) { root[2 * r] = c->f[r]; root[2 * r + 1] = c->g[r]; }
  int n = c->nrow ? ex_topological(s->pool, root, 2 * c->nrow, &order) : 0;
  for (int i = 0; i < n && !found; i++) {
    Op op = ex_operator(s->pool, order[i]);
    found = (op == OP_IF || op == OP_SIGN || op == OP_FLOOR) &&
            ex_depends_any(s->pool, ex_arg(s->pool, order[i], 0), is_motion, (void *)(uintptr_t)s);
  }
  free(root);
  return found;
}

// Does a condition hold where both sides of what it compares are the same? 1, -1: not, 0: that hangs on more.
static int at_zero(const MExpr *c) {
  if (c->kind != MX_OP) return 0;
  switch (c->op) {
  case MOP_LT: case MOP_GT: return -1;
  case MOP_LE: case MOP_GE: return 1;
  case MOP_NOT: return -at_zero(c->arg[0]);
  case MOP_AND: case MOP_OR: return at_zero(c->arg[0]) == at_zero(c->arg[1]) ? at_zero(c->arg[0]) : 0;
  default: return 0;
  }
}

// A switch that is set to a number. What is set to floor(p) is not that of p = 0 where rounding has p below.
static bool sets_number(const Model *m, int block) {
  for (int i = 0; i < m->naction; i++)
    if (m->action[i].block == block && m->action[i].value && m->action[i].value->kind != MX_NUM) return false;
  return true;
}

static void emit_condition(Text *o, const Model *m, int block) {
  const MBlock *b = &m->block[block];
  int zero = b->cond && b->crossing && (!b->switches || sets_number(m, block)) ? at_zero(b->cond) : 0;
  if (zero != 0) text_printf(o, "    .at_zero = %d,\n", zero);
  if (b->switches) text_printf(o, "    .switches = %d,\n", 1 + b->kink);
  if (b->by_time) text_add(o, "    .by_time = 1,\n");
  if (b->wavy) text_add(o, "    .wavy = 1,\n");
}

// *next: the first kernel of the class, and then that of the next class.
static const char *function_of(const Emitter *e, int cls, KernelKind kind, int next) {
  for (; next < e->kernels->n && e->kernels->at[next].cls == cls; next++)
    if (e->kernels->at[next].kind == kind) return e->kernels->at[next].kernel->name;
  FATAL("class %d has no kernel %d", cls, (int)kind);
}

// Patterns and kernels of a class.
static void emit_kernels(Emitter *e, const PlanClass *pc, int i, const Names *t, int *next) {
  Text *o = e->out;
  Pattern pat[PATTERNS];
  patterns_of(pc, pat);
  for (int k = 0; k < PATTERNS; k++)
    if (pat[k].e->n)
      text_printf(o, "    .%s = { %d, %s, %s, %s },\n", pat[k].name, pat[k].e->n, t->row[k], t->col[k], t->wrt[k]);
  for (size_t k = 0; k < sizeof field / sizeof *field; k++) {
    const Kernel *kn = &pc->kernel[field[k].kernel];
    if (kn->stage == STAGE_NONE) continue;
    const char *fn = function_of(e, i, field[k].kernel, *next);
    if (field[k].stage) text_printf(o, "    .%s = %d, .%s = %s,\n", field[k].stage, (int)kn->stage, field[k].fn, fn);
    else text_printf(o, "    .%s = %s,\n", field[k].fn, fn);
  }
  while (*next < e->kernels->n && e->kernels->at[*next].cls == i) ++*next;
}

static bool is_driven(const Emitter *e, const SysClass *c) {
  const System *s = e->plan->sys;
  Ex rate = c->rate;
  bool row = c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT || c->kind == CLASS_FRICTION;
  return row ? !all_at_rest(e->arena, s, c, &rate, 1) : c->potential != EX_NONE && moves_in_time(s, c->potential);
}

// Facts of a class that most classes do not have.
static void emit_facts(Emitter *e, const PlanClass *pc, int i) {
  static const char *const action[] = { "NSM_ACT_ASSIGN", "NSM_ACT_STOP", "NSM_ACT_FAIL" };
  const SysClass *c = pc->c;
  Text *o = e->out;
  if (is_driven(e, c)) text_add(o, "    .driven = 1,\n");
  if (c->at_end) text_printf(o, "    .at_end = %d,\n", 1 + c->row[0]);
  if (c->kind == CLASS_RELATION && c->relation && c->relation->algebraic) text_add(o, "    .equation = 1,\n");
  if (c->remembers) text_add(o, "    .remembers = 1,\n");
  if (pc->f_mean) text_add(o, "    .f_mean = 1,\n");
  if (pc->c_affine) text_add(o, "    .c_affine = 1,\n");
  if ((c->kind >= CLASS_EVERY && c->kind <= CLASS_ACTION) || c->kind == CLASS_LAW)
    text_printf(o, "    .block = %d, .action = %s, .initial = %d,\n", c->block, action[c->action],
                e->plan->sys->model->block[c->block].initial);
  if (c->kind == CLASS_SMOOTH && may_jump(e->plan->sys, c)) text_add(o, "    .switches = 1,\n");
  if (c->kind == CLASS_WHEN) emit_condition(o, e->plan->sys->model, c->block);
  if (c->kind == CLASS_SMOOTH && c->kinetic == EX_NONE && c->potential == EX_NONE && !c->is_equation)
    text_printf(o, "    .work = %s,\n", c->dissipation != EX_NONE ? "NSM_WORK_DAMPING" : "NSM_WORK_FORCE");
  if (c->kind == CLASS_BODY) emit_body(e, c, i);
}

static void emit_friction(Text *o, const PlanClass *pc) {
  const SysClass *c = pc->c;
  text_printf(o,
              "    .friction = %s, .normal = %d, .direction = %d, .mu_num = %d, .mu2_num = %d, .radius_num = %d,\n",
              friction_law(c->friction)->abi, c->normal, c->direction, pc->mu_num, pc->mu2_num, pc->radius_num);
}

static void emit_class(Emitter *e, const PlanClass *pc, int i, const Names *t, int *next) {
  static const char *const kind[] = { "NSM_SMOOTH",   "NSM_RELATION", "NSM_CONTACT", "NSM_CONSTRAINT",
                                      "NSM_FRICTION", "NSM_OUTPUT",   "NSM_INIT",    "NSM_ASSERT",
                                      "NSM_KINEMATICS", "NSM_BODY",   "NSM_EVERY",   "NSM_WHEN",
                                      "NSM_CROSSING", "NSM_ACTION",   "NSM_DELAY", "NSM_LAW" };
  const SysClass *c = pc->c;
  const Fill *f = &e->fill[i];
  Text *o = e->out;
  Span place = place_of_class(c);
  bool said = c->text && (c->kind == CLASS_ASSERT || c->kind == CLASS_ACTION);
  const char *label = c->kind == CLASS_OUTPUT ? c->name : said ? c->text : c->label;
  text_printf(o,
              "  { .kind = %s, .line = %d, .file = %d, .label = %d, .nslot = %d, .nnum = %d, .slot = %s, .fill = "
              "fill_%d,\n",
              kind[c->kind], line_of(place), file_of(e, place), blob_add(e, label), c->nslot, pc->nnum, t->slot,
              f->first < 0 ? i : f->first);
  if (f->first >= 0) text_printf(o, "    .own = own + %zu, .number = number + %zu,\n", f->k, f->d);
  emit_kernels(e, pc, i, t, next);
  emit_facts(e, pc, i);
  if (c->kind == CLASS_FRICTION) emit_friction(o, pc);
  if (pc->ratio_num >= 0 || pc->exponent_num >= 0)
    text_printf(o, "    .ratio_num = %d, .exponent_num = %d,\n", pc->ratio_num + 1, pc->exponent_num + 1);
  text_printf(
      o,
      "    .affine = %d, .row_type = %d, .lambda_slot = %d, .row_var = %d, .velocity_level = %d, .y_affine = %d, "
      ".e_num = %d, .compliance_num = %d,\n"
      "    .hidden = %d, .unit = %d, .init_velocity = %d },\n",
      c->affine, c->row_type, c->lambda_slot,
      c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT || c->kind == CLASS_FRICTION || c->compliant ||
              c->kind == CLASS_DELAY
          ? c->row_var
                                                                                                           : -1,
      c->velocity_level, c->affine, pc->e_num, pc->compliance_num, c->hidden,
      c->unit ? blob_add(e, c->unit) : 0, c->init_velocity);
}

// ---- the points of the scheme, by theta and gamma -------------------------------------------------------------------
typedef struct Weights { const System *sys; KValue theta, gamma, e; } Weights;

static KValue weight_leaf(KBuilder *b, int symbol, void *weights) {
  const Weights *w = weights;
  (void)b;
  SymKind kind = symtab_at(w->sys->sym, symbol)->kind;
  return kind == SYM_THETA ? w->theta : kind == SYM_GAMMA ? w->gamma : w->e;
}

static void emit_scheme_points(Emitter *e) {
  const Plan *p = e->plan;
  Pool *pool = p->sys->pool;
  if (!p->equations) return;
  text_add(e->out, "static void scheme_points(double theta, double gamma, double e, nsm_point *to) {\n");
  text_add(e->out, "  (void)theta; (void)gamma; (void)e;\n");
  for (int i = 0; i < PIECE_POINTS; i++) {
    const Point *y = &p->point[i];
    Ex none = ex_num(pool, 0), value[] = { y->time, y->begin, y->end, y->share, p->force[i] };
    static const char *const part[] = { "time", "begin", "end", "share", "force" };
    text_printf(e->out, "  to[%d].from = %d;\n", i, y->from);
    for (int k = 0; k < 5; k++) {
      KBuilder *b = k_begin(e->arena, "point", KT_VOID);
      Weights w = { p->sys, k_param(b, KT_DOUBLE, "theta"), k_param(b, KT_DOUBLE, "gamma"),
                    k_param(b, KT_DOUBLE, "e") };
      KValue v = k_ex_inline(b, pool, weight_leaf, &w, value[k] == EX_NONE ? none : value[k]);
      text_printf(e->out, "  to[%d].%s = ", i, part[k]);
      c_expression(e->arena, k_end(b), v, e->out);
      text_add(e->out, ";\n");
    }
  }
  text_add(e->out, "}\n");
}

static const char *points_of(const Emitter *e) {
  const Plan *p = e->plan;
  return p->equations ? arena_printf(e->arena,
                                     ",\n  .points = scheme_points, .inertia_at = %d, .along_at = %d, .law_at = %d, "
                                     ".place_at = %d, .lead = %.17g",
                                     p->inertia_at, p->along_at, p->law_at, p->place_at, p->lead)
                      : "";
}

// [nvar]: the class whose rows have this variable; -1.
static int *classes_of_row_vars(Arena *a, const Plan *p) {
  int *of = ARENA_ARRAY(a, int, p->sys->model->nvar + 1);
  for (int i = 0; i < p->sys->model->nvar; i++) of[i] = -1;
  for (int i = p->ncls; i-- > 0;) {
    const SysClass *c = p->cls[i].c;
    bool rows = c->compliant || (c->kind >= CLASS_RELATION && c->kind <= CLASS_FRICTION);
    if (rows && c->row_var >= 0) of[c->row_var] = i;
  }
  return of;
}

static void emit_variables(Emitter *e) {
  static const char *const kind[] = { "NSM_VAR_COORD", "NSM_VAR_STATE", "NSM_VAR_MULTIPLIER", "NSM_VAR_ROW",
                                      "NSM_VAR_POSITION", "NSM_VAR_DISCRETE", "NSM_VAR_INPUT", "NSM_VAR_DELAY",
                                      "NSM_VAR_GIVEN" };
  const Model *m = e->plan->sys->model;
  const int *row_class = classes_of_row_vars(e->arena, e->plan);
  text_add(e->out, "static const nsm_var vars[] = {\n");
  for (int i = 0; i < m->nvar; i++) {
    bool solved = e->plan->sys->solved[i] != EX_NONE;
    const MVar *v = &m->var[i];
    const char *of = solved ? "NSM_VAR_SOLVED" : v->by_time || v->hidden ? "NSM_VAR_INSTANT" : kind[v->kind];
    text_printf(e->out, "  { %s, %d, %d, %d, %d, %d, %d, %d, %d }, ", of, blob_add(e, v->name),
                line_of(place_of_variable(v)), m->var[i].ndim, m->var[i].kind == MV_ROW ? row_class[i] : -1,
                file_of(e, place_of_variable(v)), m->var[i].rate_name ? blob_add(e, m->var[i].rate_name) : 0,
                blob_add(e, unit_of_results(e->arena, v->unit, v->declared)),
                blob_add(e, v->kind == MV_COORD ? unit_of_rates(e->arena, v->unit, v->declared) : ""));
    c_comment(m->var[i].name, e->out);
    text_addc(e->out, '\n');
  }
  text_add(e->out, "  { 0 }\n};\nstatic const nsm_par pars[] = {\n");
  for (int i = 0; i < m->nparam; i++) {
    const MParam *p = &m->param[i];
    const char *unit = *p->unit_text ? p->unit_text : unit_of_results(e->arena, p->unit, false);
    text_printf(e->out, "  { %d, %d, %d, %d, %d, ", blob_add(e, p->name), blob_add(e, unit),
                blob_add(e, p->doc ? p->doc : ""), line_of(p->span), p->structural);
    c_number(p->structural ? p->fixed : 0, e->out);
    text_printf(e->out, ", %d, { %d, %d }, %d }, ", p->ndim, p->dim[0], p->dim[1], file_of(e, p->span));
    c_comment(p->name, e->out);
    text_addc(e->out, '\n');
  }
  text_add(e->out, "  { 0 }\n};\n");
}

static void emit_statistics(Emitter *e) {
  const Model *m = e->plan->sys->model;
  text_add(e->out, "static const nsm_stat stats[] = { ");
  for (int i = 0; i < m->nstat; i++) {
    int cls = m->stat[i].output, seen = 0;                  // negative: energies
    for (int k = 0; k < e->plan->ncls && cls >= 0; k++)
      if (e->plan->cls[k].c->kind == CLASS_OUTPUT && seen++ == m->stat[i].output) { cls = k; break; }
    text_printf(e->out, "{ %d, %d }, ", (int)m->stat[i].kind, cls);
  }
  text_add(e->out, "{ 0, 0 } };\nstatic const int expect_lines[] = { ");
  for (int i = 0; i < m->nexpect; i++) text_printf(e->out, "%d, ", line_of(m->expect[i].span));
  text_add(e->out, "0 };\nstatic const int expect_texts[] = { ");
  for (int i = 0; i < m->nexpect; i++)
    text_printf(e->out, "%d, ", blob_add(e, m->expect[i].text ? m->expect[i].text : ""));
  text_add(e->out, "0 };\nstatic const int expect_stats[] = { ");
  for (int i = 0; i < m->nexpect; i++) text_printf(e->out, "%d, ", m->expect[i].stat);
  text_printf(e->out, "%d };\n", m->nstat);
}

static void emit_text(Emitter *e) {
  Text *o = e->out;
  text_add(o, "/* names, units and labels as bytes */\nstatic const unsigned char text[] = {");
  if (!e->blob.n) blob_add(e, "");
  for (size_t i = 0; i < e->blob.n; i++)
    text_printf(o, "%s%d", i == 0 ? "\n  " : i % 32 == 0 ? ",\n  " : ",", (unsigned char)e->blob.at[i]);
  text_add(o, "\n};\n");
}

void emit_tables(Emitter *e, const Whole *w) {
  const Plan *p = e->plan;
  const Model *m = p->sys->model;
  Text *o = e->out;
  text_add(o, "\n/* --- tables --- */\n");
  Names *names = ARENA_ARRAY(e->arena, Names, p->ncls + 1);
  for (int i = 0; i < p->ncls; i++) names[i] = class_tables(e, &p->cls[i], i);
  emit_shapes(e);
  text_add(o, "static const nsm_class classes[] = {\n");
  for (int i = 0, next = 0; i < p->ncls; i++) emit_class(e, &p->cls[i], i, &names[i], &next);
  text_add(o, "  { 0 }\n};\n");
  emit_variables(e);
  emit_statistics(e);
  emit_scheme_points(e);
  int name = blob_add(e, m->name), file = blob_add(e, m->file ? m->file->path : "");
  emit_touches(e);
  emit_text(e);
  text_printf(
      o,
      "static const nsm_model model = {\n  .version = NSM_ABI_VERSION, .name = %d, .file = %d, .text = text, .scheme "
      "= %d, .affine = %d,\n"
      "  .nvar = %d, .npar = %d, .nclass = %d, .nstat = %d, .nexpect = %d, .nblock = %d,\n"
      "  .var = vars, .par = pars, .cls = classes, .stat = stats, .expect_line = expect_lines, .expect_text = "
      "expect_texts,\n  .expect_stat = expect_stats,\n"
      "  .params = params, .sizes = sizes, .experiment = experiment, .stat_time = stat_time, .expect = expect%s%s%s\n"
      "};\n"
      "const nsm_model *nsm_model_get(void) { return &model; }\n",
      name, file, (int)(p->scheme - schemes), p->one_iteration, m->nvar, m->nparam, p->ncls, m->nstat, m->nexpect,
      m->nblock,
      points_of(e),
      !w ? "" : w->records ? ", .whole = &whole_step, .whole_recorded = whole"
                           : ", .whole = &whole_step, .whole_run = whole",
      emit_touch_fields(e));
}
