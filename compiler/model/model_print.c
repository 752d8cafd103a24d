// The printer of the typed model: one line for each statement, families with their loops, expressions as they would be
// written.
#include "model_print.h"

#include "mx.h"

typedef struct Printer { const Model *m; const MContext *ctx; Text *out; } Printer;

// --- expressions ---

static int precedence(const MExpr *x) {
  if (x->kind == MX_NUM) return x->num < 0 ? 4 : 9;
  if (x->kind != MX_OP) return 9;
  switch (x->op) {
  case MOP_IF: return 0;
  case MOP_OR: return 1;
  case MOP_AND: return 1;
  case MOP_NOT: return 2;
  case MOP_LT:
  case MOP_LE:
  case MOP_GT:
  case MOP_GE:
  case MOP_EQ:
  case MOP_NE: return 2;
  case MOP_ADD:
  case MOP_SUB: return 3;
  case MOP_NEG: return 4;
  case MOP_MUL:
  case MOP_DIV: return 5;
  case MOP_POW: return 6;
  default: return 9;
  }
}

static void expr(const Printer *p, const MExpr *x);

static void at_least(const Printer *p, const MExpr *x, int level) {
  bool parens = precedence(x) < level;
  if (parens) text_addc(p->out, '(');
  expr(p, x);
  if (parens) text_addc(p->out, ')');
}

static void list(const Printer *p, MExpr *const *x, int n) {
  for (int i = 0; i < n; i++) {
    if (i) text_add(p->out, ", ");
    expr(p, x[i]);
  }
}

// The name with each % replaced by the next index; indices beyond them in brackets of their own.
static void indexed(const Printer *p, const char *name, MExpr *const *index, int n) {
  int k = 0;
  for (const char *s = name; *s; s++) {
    if (*s != '%' || k >= n) text_addc(p->out, *s);
    else expr(p, index[k++]);
  }
  if (k == n) return;
  text_addc(p->out, '[');
  list(p, index + k, n - k);
  text_addc(p->out, ']');
}

static void operation(const Printer *p, const MExpr *x) {
  int level = precedence(x);
  const char *op = mop_text(x->op);
  if (x->op == MOP_IF) {
    text_add(p->out, "if ");
    expr(p, x->arg[0]);
    text_add(p->out, " then ");
    at_least(p, x->arg[1], 1);
    text_add(p->out, " else ");
    expr(p, x->arg[2]);
  } else if (level == 9) {
    text_printf(p->out, "%s(", op);
    list(p, x->arg, x->nargs);
    text_addc(p->out, ')');
  } else if (x->nargs == 1) {
    text_printf(p->out, "%s%s", op, x->op == MOP_NOT ? " " : "");
    at_least(p, x->arg[0], level + 1);
  } else {
    bool tight = level >= 5;
    at_least(p, x->arg[0], x->op == MOP_POW ? level + 1 : level);
    text_printf(p->out, tight ? "%s" : " %s ", op);
    at_least(p, x->arg[1], x->op == MOP_POW ? level : level + 1);
  }
}

static void statistic(const Printer *p, const MExpr *x) {
  static const char *const names[] = {"final", "initial", "min", "max", "mean", "drift", "at", "gain",
                                      "events", "first", "last"};
  const MStat *s = &p->m->stat[x->id];
  text_printf(p->out, "%s(", names[s->kind]);
  if (s->output == MSTAT_ENERGY) text_add(p->out, "energy");
  else if (s->output == MSTAT_KINETIC) text_add(p->out, "energy.kinetic");
  else if (s->output == MSTAT_POTENTIAL) text_add(p->out, "energy.potential");
  else if (s->output < 0)
    text_add(p->out, s->output == MSTAT_RESIDUE   ? "energy.residue"
                     : s->output == MSTAT_FORCES  ? "energy.forces"
                     : s->output == MSTAT_DAMPERS ? "energy.dampers"
                     : s->output == MSTAT_CONTACTS ? "energy.contacts"
                     : s->output == MSTAT_ACCEPTED ? "problems.accepted"
                                                   : "problems.residual");
  else expr(p, p->m->output[s->output].value);
  if (s->at) {
    text_add(p->out, ", ");
    expr(p, s->at);
  }
  text_addc(p->out, ')');
}

static void param(const Printer *p, const MExpr *x) {
  const char *name = p->m->param[x->id].name;
  if (!x->nargs) {
    text_add(p->out, name);
    return;
  }
  for (; *name && *name != '['; name++) text_addc(p->out, *name);   // k[1] is the first of k
  text_addc(p->out, '[');
  list(p, x->arg, x->nargs);
  text_addc(p->out, ']');
}

static void expr(const Printer *p, const MExpr *x) {
  switch (x->kind) {
  case MX_NUM: text_number(p->out, x->num); break;
  case MX_PARAM: param(p, x); break;
  case MX_TOUCH:
    text_printf(p->out, "%s.%s", p->m->touch[x->id].name, x->num == MT_COUNT     ? "count"
                                                          : x->num == MT_DEEPEST ? "deepest"
                                                                                 : "impulse(");
    if (x->nargs) {
      text_printf(p->out, "%s number ", p->m->solid[(int)x->arg[0]->num].name);
      expr(p, x->arg[1]);
      text_printf(p->out, ")[%d]", (int)x->num - MT_IMPULSE + 1);
    }
    break;
  case MX_LOOP:
    if (p->ctx && x->id < p->ctx->n) text_add(p->out, p->ctx->loop[x->id].name);
    else text_printf(p->out, "#%d", x->id);
    break;
  case MX_TIME: text_add(p->out, x->id ? "step" : "time"); break;
  case MX_VAR:
    indexed(p, p->m->var[x->id].name, x->arg, x->nargs);
    if (x->derivative) text_addc(p->out, '\'');
    break;
  case MX_STAT: statistic(p, x); break;
  case MX_RATE:
    text_addc(p->out, '(');
    expr(p, x->arg[0]);
    text_add(p->out, ")'");
    break;
  case MX_OP: operation(p, x); break;
  }
}

// --- statements ---

static void ranges(Printer *p, const MContext *ctx) {
  p->ctx = ctx;
  for (int i = 0; i < ctx->n; i++) {
    text_printf(p->out, "%s%s in ", i ? ", " : "  for ", ctx->loop[i].name);
    at_least(p, ctx->loop[i].lo, 3);
    text_addc(p->out, ':');
    at_least(p, ctx->loop[i].hi, 3);
  }
}

// "  KEYWORD ... ;  for i in 1:n"
static void end(Printer *p, const MContext *ctx) {
  ranges(p, ctx);
  text_addc(p->out, '\n');
}

static void unit(Printer *p, Unit u) {
  if (u.state != UNIT_KNOWN) return;
  text_add(p->out, " : ");
  unit_print(u, p->out);
}

static void with_indices(Text *out, const char *name, const MContext *ctx) {
  int k = 0;
  for (const char *s = name; *s; s++) {
    if (*s == '%' && k < ctx->n) text_add(out, ctx->loop[k++].name);
    else text_addc(out, *s);
  }
}

static void params(Printer *p) {
  for (int i = 0; i < p->m->nparam; i++) {
    const MParam *q = &p->m->param[i];
    text_printf(p->out, "  param %s", q->name);
    unit(p, q->unit);
    if (q->value) {
      text_add(p->out, " = ");
      expr(p, q->value);
    } else {
      text_add(p->out, " must be set");
    }
    if (q->structural) {
      text_add(p->out, "  fixed at ");
      text_number(p->out, q->fixed);
    }
    text_addc(p->out, '\n');
  }
}

static void variables(Printer *p) {
  static const char *const kinds[] = {"coord", "state", "multiplier", "row", "attitude", "discrete", "input", "delay",
                                      "given"};
  for (int i = 0; i < p->m->nvar; i++) {
    const MVar *v = &p->m->var[i];
    text_printf(p->out, "  %s %s", kinds[v->kind], v->name);
    unit(p, v->unit);
    for (int k = 0; k < v->ndim; k++) {
      text_add(p->out, k ? ", " : "  over ");
      at_least(p, v->lo[k], 3);
      text_addc(p->out, ':');
      at_least(p, v->hi[k], 3);
    }
    text_addc(p->out, '\n');
  }
}

static void assignments(Printer *p) {
  const Model *m = p->m;
  for (int i = 0; i < m->ninit; i++) {
    p->ctx = &m->init[i].ctx;
    text_add(p->out, "  init ");
    expr(p, m->init[i].on);
    text_add(p->out, m->init[i].velocity ? "' = " : " = ");
    expr(p, m->init[i].value);
    end(p, &m->init[i].ctx);
  }
  for (int i = 0; i < m->nenergy; i++) {
    static const char *const kinds[] = {"kinetic", "potential", "dissipation"};
    p->ctx = &m->energy[i].ctx;
    text_printf(p->out, "  %s ", kinds[m->energy[i].kind]);
    expr(p, m->energy[i].value);
    end(p, &m->energy[i].ctx);
  }
  for (int i = 0; i < m->nforce; i++) {
    p->ctx = &m->force[i].ctx;
    text_add(p->out, "  force ");
    expr(p, m->force[i].on);
    text_add(p->out, " = ");
    expr(p, m->force[i].value);
    end(p, &m->force[i].ctx);
  }
  for (int i = 0; i < m->nequation; i++) {
    p->ctx = &m->equation[i].ctx;
    text_add(p->out, "  equation ");
    expr(p, m->equation[i].lhs);
    text_add(p->out, " = ");
    expr(p, m->equation[i].rhs);
    end(p, &m->equation[i].ctx);
  }
}

static void asserted(Printer *p, unsigned bits) {
  static const char *const names[] = {"scleronomous", "rheonomous", "type1", "type2"};
  for (int i = 0; i < 4; i++)
    if (bits & 1u << i) text_printf(p->out, ", %s", names[i]);
}

static void relations(Printer *p, const MRelation *at, int n) {
  for (int i = 0; i < n; i++) {
    const MRelation *r = &at[i];
    p->ctx = &r->ctx;
    if (r->block) text_printf(p->out, "  block %d: relation ", r->block);
    else text_add(p->out, "  relation ");
    with_indices(p->out, r->name, &r->ctx);
    text_add(p->out, r->law == ML_NONNEG ? ": 0 <= " : r->law == ML_FREE ? ": 0 = " : ": -(");
    expr(p, r->y);
    text_add(p->out, r->law == ML_NONNEG ? " perp " : r->law == ML_FREE ? " by " : ") in normal_cone([");
    if (r->law == ML_BOX) {
      list(p, (MExpr *[]){r->lo, r->hi}, 2);
      text_add(p->out, "], ");
    }
    expr(p, r->lambda);
    text_add(p->out, r->law == ML_NONNEG ? " >= 0" : r->law == ML_BOX ? ")" : "");
    asserted(p, r->asserted);
    end(p, &r->ctx);
  }
}

static void friction(Printer *p, const MFriction *f) {
  if (f->law == MF_NONE) return;
  text_add(p->out, f->nslip > 1 ? " slip [" : " slip ");
  list(p, f->slip, f->nslip);
  if (f->nslip > 1) text_addc(p->out, ']');
  text_printf(p->out, " with %s(", friction_law(f->law)->word);
  list(p, (MExpr *[]){f->mu, f->radius ? f->radius : f->mu2}, f->mu2 || f->radius ? 2 : 1);
  if (f->law == MF_CONTENSOU_EXACT) text_add(p->out, ", exact");
  text_addc(p->out, ')');
}

static void rows(Printer *p) {
  for (int i = 0; i < p->m->ncontact; i++) {
    const MContact *c = &p->m->contact[i];
    p->ctx = &c->ctx;
    text_add(p->out, "  contact ");
    with_indices(p->out, c->name, &c->ctx);
    text_add(p->out, c->gap ? ": " : ": under ");
    expr(p, c->gap ? c->gap : c->friction.force);
    if (c->gap) text_add(p->out, " >= 0");
    if (c->has_impact_law) {
      const ImpactLaw *law = impact_law_row(c->impact);
      MExpr *second = c->e_t ? c->e_t : c->ratio;
      text_printf(p->out, " with %s(", law ? law->word : "newton");
      list(p, (MExpr *[]){ c->e, second, c->exponent }, c->exponent ? 3 : second ? 2 : 1);
      text_addc(p->out, ')');
    }
    friction(p, &c->friction);
    asserted(p, c->asserted);
    end(p, &c->ctx);
  }
  for (int i = 0; i < p->m->nconstraint; i++) {
    const MConstraint *c = &p->m->constraint[i];
    p->ctx = &c->ctx;
    text_add(p->out, "  constraint ");
    with_indices(p->out, c->name, &c->ctx);
    text_add(p->out, ": ");
    expr(p, c->value);
    text_add(p->out, " = 0");
    friction(p, &c->friction);
    end(p, &c->ctx);
  }
}

static void touches(Printer *p) {
  for (int i = 0; i < p->m->nsolid; i++) {
    const MSolid *s = &p->m->solid[i];
    p->ctx = &s->ctx;
    text_add(p->out, "  shape of ");
    with_indices(p->out, s->name, &s->ctx);
    text_printf(p->out, ": %d %s", s->nshape, s->nshape > 1 ? "parts" : "part");
    if (s->material >= 0) text_printf(p->out, ", of %s", p->m->material[s->material]);
    end(p, &s->ctx);
  }
  for (int i = 0; i < p->m->ntouch; i++)
    text_printf(p->out, "  contact %s: %s\n", p->m->touch[i].name, p->m->touch[i].text);
}

static void results(Printer *p) {
  const Model *m = p->m;
  for (int i = 0; i < m->noutput; i++) {
    if (m->output[i].hidden) continue;
    p->ctx = &m->output[i].ctx;
    text_add(p->out, "  output ");
    with_indices(p->out, m->output[i].name, p->ctx);
    unit(p, m->output[i].unit);
    text_add(p->out, " = ");
    expr(p, m->output[i].value);
    end(p, p->ctx);
  }
  for (int i = 0; i < m->ndraw; i++) {
    const MDraw *d = &m->draw[i];
    p->ctx = &m->output[d->first].ctx;
    text_printf(p->out, "  draw %s(", d->shape);
    for (int k = 0, n = d->first; k < d->nargument; k++)
      for (int j = 0; j < d->argument[k]; j++, n++) {
        text_add(p->out, j ? ", " : k ? "; " : "");
        expr(p, m->output[n].value);
      }
    if (d->text) text_printf(p->out, "; \"%s\"", d->text);
    text_add(p->out, ")");
    end(p, p->ctx);
  }
  for (int i = 0; i < m->nask; i++)
    text_printf(p->out, "  %s --%s%s%s;\n", m->ask[i].block == ASK_FIT ? "fit" : "analyse", m->ask[i].flag,
                *m->ask[i].text ? " " : "", m->ask[i].text);
  for (int i = 0; i < m->nplot; i++) {
    const MPlot *plot = &m->plot[i];
    text_printf(p->out, "  plot \"%s\":", plot->title);
    for (int k = 0; k < plot->ncolumn; k++) text_printf(p->out, "%s %s", k ? "," : "", plot->column[k]);
    text_printf(p->out, "%s%s;\n", plot->over ? " vs " : "", plot->over ? plot->over : "");
  }
  for (int i = 0; i < m->nassertion; i++) {
    p->ctx = &m->assertion[i].ctx;
    text_add(p->out, "  assert ");
    expr(p, m->assertion[i].cond);
    end(p, p->ctx);
  }
  p->ctx = NULL;
  for (int i = 0; i < m->nexpect; i++) {
    text_add(p->out, "  expect ");
    expr(p, m->expect[i].cond);
    text_addc(p->out, '\n');
  }
}

static void entry(Printer *p, const char *name, const MExpr *x) {
  if (!x) return;
  text_printf(p->out, " %s = ", name);
  expr(p, x);
}

static void experiment(Printer *p) {
  const MExperiment *s = &p->m->sim;
  if (!s->until && !s->start && !s->step && !s->scheme && !s->solver && !s->tolerance && !s->accept &&
      !s->project_start)
    return;
  text_add(p->out, "  simulate");
  entry(p, "start", s->start);
  entry(p, "until", s->until);
  entry(p, "step", s->step);
  if (s->scheme) text_printf(p->out, " scheme = %s", s->scheme);
  entry(p, "theta", s->theta);
  entry(p, "gamma", s->gamma);
  if (s->located) text_printf(p->out, " located = %s", s->located > 0 ? "true" : "false");
  if (s->stages) text_printf(p->out, " stages = %d", s->stages);
  if (s->order) text_printf(p->out, " order = %d", s->order);
  if (s->projection) text_add(p->out, " projection = true");
  if (s->solver) text_printf(p->out, " solver = %s", s->solver);
  entry(p, "tolerance", s->tolerance);
  entry(p, "accept", s->accept);
  entry(p, "rtol", s->rtol);
  entry(p, "atol", s->atol);
  if (s->project_start) text_add(p->out, " project_start");
  text_addc(p->out, '\n');
}

void model_print(const Model *m, Text *out) {
  Printer p = {.m = m, .out = out};
  text_printf(out, "model %s\n", m->name);
  params(&p);
  variables(&p);
  assignments(&p);
  relations(&p, m->relation, m->nrelation);
  relations(&p, m->law, m->nlaw);
  rows(&p);
  touches(&p);
  results(&p);
  experiment(&p);
}

const char *name_shown(Arena *a, const char *name, const MContext *ctx) {
  Text t = {0};
  with_indices(&t, name, ctx);
  const char *shown = arena_printf(a, "%s", text_str(&t));
  text_free(&t);
  return shown;
}
