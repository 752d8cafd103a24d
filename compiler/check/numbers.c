// Values that are not numbers (E0232): parameters and initial values such as 0/0, sqrt(-1), log(0), 1/0. Infinity is a
// value where it is written as `inf`, and where it comes from such a parameter.
#include <math.h>
#include "parts.h"

static bool says_infinite(const Check *k, const MExpr *x) {
  if (x->kind == MX_NUM) return isinf(x->num);
  if (x->kind == MX_PARAM && isinf(k->s->param_value[x->id])) return true;
  for (int i = 0; i < x->nargs; i++) if (says_infinite(k, x->arg[i])) return true;
  return false;
}

// Is every parameter in x a number?
static bool known(const Check *k, const MExpr *x) {
  if (x->kind == MX_PARAM && isnan(k->s->param_value[x->id])) return false;
  for (int i = 0; i < x->nargs; i++) if (!known(k, x->arg[i])) return false;
  return true;
}

static bool is_no_number(const Check *k, const MExpr *x, double value) {
  return known(k, x) && (isnan(value) || (isinf(value) && !says_infinite(k, x)));
}

static void refuse(const Check *k, Span at, const char *what, double value, Ex e) {
  Diag *d = diag(k->bag, DIAG_E0232, at, "%s is %s", what, isnan(value) ? "not a number" : "infinite");
  const char *with = parameters_text(k, &e, 1);
  if (with) diag_label(d, "with %s", with);
  if (isinf(value)) diag_help(d, "a bound that is infinite is written inf");
  else diag_help(d, "0/0, the root and the logarithm of a negative number have no value");
}

typedef struct Start { const MInit *m; bool reported; } Start;

static void start(Check *k, const SysClass *c, void *ctx) {
  Start *s = ctx;
  double value = value_of(k->s, c->value, k->loop, 8);
  if (s->reported || !is_no_number(k, s->m->value, value)) return;
  s->reported = true;
  refuse(k, s->m->value->span, "this initial value", value, c->value);
}

void check_numbers(Check *k) {
  const Model *m = k->s->model;
  for (int i = 0; i < m->nparam; i++) {
    const MParam *p = &m->param[i];
    double value = k->s->param_value[i];
    if (!p->value || !isnan(p->given) || !is_no_number(k, p->value, value)) continue;
    refuse(k, p->value->span.file ? p->value->span : p->span,
           arena_printf(k->arena, "the value of parameter `%s`", p->name), value, k->s->param[i]);
  }
  for (int i = 0, init = 0; i < k->s->ncls; i++)
    if (k->s->cls[i].kind == CLASS_INIT) {
      Start s = { &m->init[init++], false };
      every_instance(k, &k->s->cls[i], start, &s);
    }
}
