// Functions of the whole model: parameters, sizes, the experiment, times and claims of `expect`.
#include "emit_parts.h"

static void assign(Emitter *e, const char *to, Ex value, const char *indent) {
  text_printf(e->out, "%s%s = ", indent, to);
  setup_value(e, value);
  text_add(e->out, ";\n");
}

static void emit_params(Emitter *e) {
  const System *s = e->plan->sys;
  Text *o = e->out;
  text_add(o, "\n/* parameters, in order; given[i]: set from outside */\n");
  text_add(
      o,
      "static int params(double *p, const unsigned char *given) {\n  (void)p; (void)given;\n");
  for (int i = 0; i < s->model->nparam; i++) {
    if (s->model->param[i].structural) {
      text_printf(o, "  p[%d] = ", i);
      c_number(s->model->param[i].fixed, o);
      text_add(o, ";");
    } else if (s->param[i] == EX_NONE) text_printf(o, "  if (!given[%d]) return %d;", i, i);
    else {
      text_printf(o, "  if (!given[%d]) p[%d] = ", i, i);
      setup_value(e, s->param[i]);
      text_addc(o, ';');
    }
    text_addc(o, ' ');
    c_comment(s->model->param[i].name, o);
    text_addc(o, '\n');
  }
  text_add(o, "  return -1;\n}\n");
}

static void emit_sizes(Emitter *e) {
  const System *s = e->plan->sys;
  Text *o = e->out;
  text_add(o, "\n/* bounds of the dimensions of every variable: {lo, hi} each */\n");
  text_add(
      o,
      "static void sizes(const double *p, double *bound) {\n  (void)p; (void)bound;\n");
  for (int v = 0; v < s->model->nvar; v++)
    for (int k = 0; k < s->model->var[v].ndim && s->model->var[v].kind != MV_ROW; k++) {
      int at = 2 * (MAX_INDICES * v + k);
      assign(e, arena_printf(e->arena, "bound[%d]", at), s->var_lo[k][v], "  ");
      assign(e, arena_printf(e->arena, "bound[%d]", at + 1), s->var_hi[k][v], "  ");
    }
  text_add(o, "}\n");
}

static void emit_experiment(Emitter *e) {
  const Plan *p = e->plan;
  const System *s = p->sys;
  Pool *pool = s->pool;
  enum { TOLERANCES = 7 };                                 // from here on they are said where the model does
  const struct { const char *to; Ex value; double otherwise; } part[] = {
    { "e->start", s->start, 0 }, { "e->until", s->until, 0.0 / 0.0 }, { "e->step", s->step, 0.0 / 0.0 },
    { "e->theta", s->theta, p->theta }, { "e->gamma", s->gamma, p->gamma },
    { "e->tolerance", s->tolerance, 0.0 / 0.0 }, { "e->accept", s->accept, 0.0 / 0.0 },
    { "e->rtol", s->rtol, 0.0 / 0.0 }, { "e->atol", s->atol, 0.0 / 0.0 } };
  text_add(e->out, "\n/* simulate { ... }: nan where the model does not say */\n");
  text_add(e->out,
           "static void experiment(const double *p, nsm_experiment *e) {\n  (void)p;\n");
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    if (i < TOLERANCES || part[i].value != EX_NONE)
      assign(e, part[i].to, part[i].value == EX_NONE ? ex_num(pool, part[i].otherwise) : part[i].value, "  ");
  text_printf(e->out, "  e->solver = %d;\n", s->model->sim.solver ? blob_add(e, s->model->sim.solver) : 0);
  if (s->model->sim.project_start) text_add(e->out, "  e->project_start = 1;\n");
  text_printf(e->out, "  e->located = %d;\n  e->own_weights = %d;\n", s->model->sim.located > 0,
              (s->theta != EX_NONE) + 2 * (s->gamma != EX_NONE));
  if (s->model->sim.unlocated) text_printf(e->out, "  e->unlocated = %d;\n", s->model->sim.unlocated);
  if (p->projection) text_add(e->out, "  e->projection = 1;\n");
  int stages = e->plan->degree > 1 ? e->plan->degree : s->model->sim.stages;
  if (stages) text_printf(e->out, "  e->stages = %d;\n", stages);
  text_add(e->out, "}\n");
}

static void emit_claims(Emitter *e) {
  const System *s = e->plan->sys;
  Text *o = e->out;
  text_add(
      o,
      "\nstatic double stat_time(const double *p, int i) {\n  (void)p;\n  switch (i) {\n");
  for (int i = 0; i < s->model->nstat; i++) {
    if (s->stat_at[i] == EX_NONE) continue;
    text_printf(o, "  case %d: return ", i);
    setup_value(e, s->stat_at[i]);
    text_add(o, ";\n");
  }
  text_add(o, "  default: return 0;\n  }\n}\n");
  text_add(
      o,
      "\nstatic int expect(const double *p, const double *stat, int i) {\n  (void)p; (void)stat;\n  switch (i) {\n");
  for (int i = 0; i < s->model->nexpect; i++) {
    text_printf(o, "  case %d: ", i);
    emit_comment_source(e, s->model->expect[i].span, "expect");
    text_add(o, "    return (");
    setup_value(e, s->expect[i]);
    text_add(o, ") != 0;\n");
  }
  text_add(o, "  default: return 1;\n  }\n}\n");
}

void emit_setup(Emitter *e) {
  e->alone = true;
  emit_params(e);
  emit_sizes(e);
  emit_experiment(e);
  emit_claims(e);
  e->alone = false;
}
