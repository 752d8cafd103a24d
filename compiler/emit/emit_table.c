// Tables: patterns, slots, classes, variables, parameters, and the model that holds them all. Text goes out as numbers.
#include <string.h>
#include "emit_parts.h"

static void numbers(Text *o, const char *type, const char *name, const char *part, int number, int n,
                    int (*at)(const void *, int), const void *ctx) {
  text_printf(o, "static const %s %s%s_%d[] = { ", type, name, part, number);
  for (int i = 0; i < n; i++) text_printf(o, "%s%d", i ? ", " : "", at(ctx, i));
  text_add(o, n ? " };\n" : "0 };\n");
}

static int slot_kind(const void *c, int i) { return (int)((const SysClass *)c)->slot[i].kind; }
static int entry_row(const void *e, int i) { return ((const Entries *)e)->at[i].row; }
static int entry_col(const void *e, int i) { return ((const Entries *)e)->at[i].col; }
static int entry_wrt(const void *e, int i) { return (int)((const Entries *)e)->at[i].wrt; }

static void pattern(Text *o, const char *name, int number, const Entries *e) {
  if (!e->n) return;
  numbers(o, "unsigned short", name, "_row", number, e->n, entry_row, e);
  numbers(o, "unsigned short", name, "_col", number, e->n, entry_col, e);
  numbers(o, "unsigned char", name, "_wrt", number, e->n, entry_wrt, e);
}

static const struct { KernelKind kernel; const char *stage, *fn, *name;
} field[] = { { KERNEL_MASS, "mass_stage", "mass_fn", "mass" },
              { KERNEL_MCURVE, NULL, "mcurve_fn", "mcurve" },
              { KERNEL_F, "f_stage", "f_fn", "f" },
              { KERNEL_JAC, "jac_stage", "jac_fn", "jac" },
              { KERNEL_G, "g_stage", "g_fn", "g" },
              { KERNEL_B, "b_stage", "b_fn", "b" },
              { KERNEL_K, "k_stage", "k_fn", "k" },
              { KERNEL_ENERGY, NULL, "energy_fn", "energy" },
              { KERNEL_Y, "y_stage", "y_fn", "y" },
              { KERNEL_GAP, "y_stage", "gap_fn", "gap" },
              { KERNEL_RATE, NULL, "rate_fn", "rate" },
              { KERNEL_SIZE, NULL, "size_fn", "size" },
              { KERNEL_H, "h_stage", "h_fn", "h" },
              { KERNEL_LAW, "law_stage", "law_fn", "law" },
              { KERNEL_MU, "mu_stage", "mu_fn", "mu" },
              { KERNEL_OUT, NULL, "out_fn", "out" },
              { KERNEL_C, NULL, "c_fn", "c" },
              { KERNEL_CJAC, NULL, "cjac_fn", "cjac" },
              { KERNEL_WORK, NULL, "work_fn", "work" },
              { KERNEL_DG, NULL, "dg_fn", "dg" },
              { KERNEL_RQ, "rq_stage", "rq_fn", "rq" },
              { KERNEL_GQ, NULL, "gq_fn", "gq" },
              { KERNEL_LAMBDA, NULL, "lambda_fn", "lambda" },
              { KERNEL_DRATE, NULL, "drate_fn", "drate" },
              { KERNEL_CURVE, NULL, "curve_fn", "curve" } };

enum { PATTERNS = 11 };
typedef struct Pattern { const char *name; const Entries *e; } Pattern;

static void patterns_of(const PlanClass *pc, Pattern *p) {
  const SysClass *c = pc->c;
  const Pattern all[PATTERNS] = { { "mass", &c->mass },    { "jac", &c->jac },    { "b", &c->b },    { "k", &c->k },
                                  { "h", &c->h },          { "cjac", &pc->cjac }, { "rq", &pc->rq }, { "dr", &pc->dr },
                                  { "curve", &pc->curve }, { "gq", &pc->gq },     { "mcurve", &pc->mcurve } };
  memcpy(p, all, sizeof all);
}

static void emit_class(Emitter *e, const PlanClass *pc, int i) {
  static const char *const kind[] = { "NSM_SMOOTH",   "NSM_RELATION", "NSM_CONTACT", "NSM_CONSTRAINT",
                                      "NSM_FRICTION", "NSM_OUTPUT",   "NSM_INIT",    "NSM_ASSERT" };
  static const char *const law[] = { "0", "NSM_COULOMB", "NSM_ELLIPTIC", "NSM_CONTENSOU", "NSM_GRIP", "NSM_DISK",
                                     "NSM_CONTENSOU_EXACT", "NSM_GRIP2", "NSM_GRIP3" };
  const SysClass *c = pc->c;
  Text *o = e->out;
  const char *label = c->kind == CLASS_OUTPUT ? c->name : c->kind == CLASS_ASSERT && c->text ? c->text : c->label;
  text_printf(o,
              "  { .kind = %s, .line = %d, .file = %d, .label = %d, .nslot = %d, .nnum = %d, .slot = slot_%d, .fill = "
              "fill_%d,\n",
              kind[c->kind], line_of(c->span), file_of(e, c->span), blob_add(&e->blob, label), c->nslot, pc->nnum, i,
              i);
  Pattern pat[PATTERNS];
  patterns_of(pc, pat);
  for (int k = 0; k < PATTERNS; k++)
    if (pat[k].e->n)
      text_printf(o, "    .%s = { %d, %s_row_%d, %s_col_%d, %s_wrt_%d },\n", pat[k].name, pat[k].e->n, pat[k].name, i,
                  pat[k].name, i, pat[k].name, i);
  for (size_t k = 0; k < sizeof field / sizeof *field; k++) {
    const Kernel *kn = &pc->kernel[field[k].kernel];
    if (kn->stage == STAGE_NONE) continue;
    if (field[k].stage)
      text_printf(o, "    .%s = %d, .%s = %s_%d,\n", field[k].stage, (int)kn->stage, field[k].fn, field[k].name, i);
    else text_printf(o, "    .%s = %s_%d,\n", field[k].fn, field[k].name, i);
  }
  if (c->potential != EX_NONE && ex_depends(e->plan->sys->pool, c->potential, e->plan->sys->sym_time))
    text_add(o, "    .driven = 1,\n");
  if (pc->c_affine) text_add(o, "    .c_affine = 1,\n");
  if (c->kind == CLASS_SMOOTH && c->kinetic == EX_NONE && c->potential == EX_NONE && !c->is_equation)
    text_printf(o, "    .work = %s,\n", c->dissipation != EX_NONE ? "NSM_WORK_DAMPING" : "NSM_WORK_FORCE");
  if (c->kind == CLASS_FRICTION)
    text_printf(o,
                "    .friction = %s, .normal = %d, .direction = %d, .mu_num = %d, .mu2_num = %d, .radius_num = %d,\n",
                law[c->friction], c->normal, c->direction, pc->mu_num, pc->mu2_num, pc->radius_num);
  text_printf(
      o,
      "    .affine = %d, .row_type = %d, .lambda_slot = %d, .row_var = %d, .velocity_level = %d, .y_affine = %d, "
      ".e_num = %d, .compliance_num = %d,\n"
      "    .hidden = %d, .init_velocity = %d },\n",
      c->affine, c->row_type, c->lambda_slot,
      c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT || c->kind == CLASS_FRICTION || c->compliant ? c->row_var
                                                                                                           : -1,
      c->velocity_level, c->affine, pc->e_num, pc->compliance_num, c->hidden, c->init_velocity);
}

static int class_of_row_var(const Plan *p, int var) {
  for (int i = 0; i < p->ncls; i++)
    if (p->cls[i].c->row_var == var && (p->cls[i].c->compliant || (p->cls[i].c->kind >= CLASS_RELATION &&
                                                                    p->cls[i].c->kind <= CLASS_FRICTION)))
      return i;
  return -1;
}

static void emit_variables(Emitter *e) {
  static const char *const kind[] = { "NSM_VAR_COORD", "NSM_VAR_STATE", "NSM_VAR_MULTIPLIER", "NSM_VAR_ROW" };
  const Model *m = e->plan->sys->model;
  text_add(e->out, "static const nsm_var vars[] = {\n");
  for (int i = 0; i < m->nvar; i++) {
    text_printf(e->out, "  { %s, %d, %d, %d, %d, %d }, ", kind[m->var[i].kind], blob_add(&e->blob, m->var[i].name),
                line_of(m->var[i].span), m->var[i].ndim, m->var[i].kind == MV_ROW ? class_of_row_var(e->plan, i) : -1,
                file_of(e, m->var[i].span));
    c_comment(m->var[i].name, e->out);
    text_addc(e->out, '\n');
  }
  text_add(e->out, "  { 0 }\n};\nstatic const nsm_par pars[] = {\n");
  for (int i = 0; i < m->nparam; i++) {
    const MParam *p = &m->param[i];
    text_printf(e->out, "  { %d, %d, %d, %d, %d, ", blob_add(&e->blob, p->name), blob_add(&e->blob, 
                unit_shown(e->arena, p->unit, p->unit_text)),
                blob_add(&e->blob, p->doc ? p->doc : ""), line_of(p->span), p->structural);
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
    text_printf(e->out, "%d, ", blob_add(&e->blob, m->expect[i].text ? m->expect[i].text : ""));
  text_add(e->out, "0 };\nstatic const int expect_stats[] = { ");
  for (int i = 0; i < m->nexpect; i++) text_printf(e->out, "%d, ", m->expect[i].stat);
  text_printf(e->out, "%d };\n", m->nstat);
}

static void emit_text(Emitter *e) {
  Text *o = e->out;
  text_add(o, "/* names, units and labels as bytes */\nstatic const unsigned char text[] = {");
  if (!e->blob.n) blob_add(&e->blob, "");
  for (size_t i = 0; i < e->blob.n; i++)
    text_printf(o, "%s%d", i == 0 ? "\n  " : i % 32 == 0 ? ",\n  " : ",", (unsigned char)e->blob.at[i]);
  text_add(o, "\n};\n");
}

static const char *scheme_number(const Plan *p) {
  static const char *const number[][2] = { { "moreau", "NSM_SCHEME_MOREAU" },
                                           { "consistent", "NSM_SCHEME_CONSISTENT" },
                                           { "consistent1", "NSM_SCHEME_CONSISTENT1" },
                                           { "midpoint", "NSM_SCHEME_MIDPOINT" },
                                           { "consistent_explicit_mass", "NSM_SCHEME_CONSISTENT_EXPLICIT_MASS" } };
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) if (!strcmp(number[i][0], p->scheme)) return number[i][1];
  return "-1";
}

void emit_tables(Emitter *e) {
  const Plan *p = e->plan;
  const Model *m = p->sys->model;
  Text *o = e->out;
  text_add(o, "\n/* --- tables --- */\n");
  for (int i = 0; i < p->ncls; i++) {
    const SysClass *c = p->cls[i].c;
    numbers(o, "unsigned char", "slot", "", i, c->nslot, slot_kind, c);
    Pattern pat[PATTERNS];
    patterns_of(&p->cls[i], pat);
    for (int k = 0; k < PATTERNS; k++) pattern(o, pat[k].name, i, pat[k].e);
  }
  text_add(o, "static const nsm_class classes[] = {\n");
  for (int i = 0; i < p->ncls; i++) emit_class(e, &p->cls[i], i);
  text_add(o, "  { 0 }\n};\n");
  emit_variables(e);
  emit_statistics(e);
  int name = blob_add(&e->blob, m->name), file = blob_add(&e->blob, m->file ? m->file->path : "");
  emit_text(e);
  text_printf(
      o,
      "static const nsm_model model = {\n  .version = NSM_ABI_VERSION, .name = %d, .file = %d, .text = text, .scheme "
      "= %s, .affine = %d,\n"
      "  .nvar = %d, .npar = %d, .nclass = %d, .nstat = %d, .nexpect = %d,\n"
      "  .var = vars, .par = pars, .cls = classes, .stat = stats, .expect_line = expect_lines, .expect_text = "
      "expect_texts,\n  .expect_stat = expect_stats,\n"
      "  .params = params, .sizes = sizes, .experiment = experiment, .stat_time = stat_time, .expect = expect\n};\n"
      "const nsm_model *nsm_model_get(void) { return &model; }\n",
      name, file, scheme_number(p), p->one_iteration, m->nvar, m->nparam, p->ncls, m->nstat, m->nexpect);
}
