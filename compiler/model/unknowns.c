// What is said of a model with the values of parameters that are known when compiling: how large it is, and at which
// values it holds its inputs.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "mx.h"

static bool number_of(int id, double *out, void *model) {
  const Model *m = model;
  const MParam *p = &m->param[id];
  const MxEval e = { number_of, m->param, NULL, 0, model };
  *out = !isnan(p->given) ? p->given : p->fixed;
  return !isnan(p->given) || p->structural || (p->value && mx_eval(&e, p->value, out));
}

static double size_of(const Model *m, const MVar *v) {
  const MxEval e = { number_of, m->param, NULL, 0, (void *)(uintptr_t)m };
  double size = 1, lo, hi;
  for (int k = 0; k < v->ndim; k++) {
    if (!mx_eval(&e, v->lo[k], &lo) || !mx_eval(&e, v->hi[k], &hi)) return NAN;
    size *= fmax(hi - lo + 1, 0);
  }
  return size;
}

// Of loop k and those inside of it; where the bounds of these depend on it (triangular families), one by one.
static double instances_from(const MxEval *given, const MContext *ctx, int k, double *loop) {
  enum { MOST = 100000 };
  MxEval e = *given;
  double lo, hi, sum = 0;
  unsigned inner = 0;
  e.nloop = k;
  if (k == ctx->n) return 1;
  if (!mx_eval(&e, ctx->loop[k].lo, &lo) || !mx_eval(&e, ctx->loop[k].hi, &hi)) return NAN;
  for (int i = k + 1; i < ctx->n; i++) inner |= ctx->loop[i].lo->uses | ctx->loop[i].hi->uses;
  if (!(inner & MU_LOOP)) {
    loop[k] = lo;
    return fmax(hi - lo + 1, 0) * instances_from(given, ctx, k + 1, loop);
  }
  if (hi - lo > MOST) return NAN;
  for (loop[k] = lo; loop[k] <= hi; loop[k]++) sum += instances_from(given, ctx, k + 1, loop);
  return sum;
}

static double instances(const Model *m, const MContext *ctx) {
  double loop[MAX_INDICES] = { 0 };
  const MxEval e = { number_of, m->param, loop, 0, (void *)(uintptr_t)m };
  return ctx->n <= MAX_INDICES ? instances_from(&e, ctx, 0, loop) : NAN;
}

double model_laws(const Model *m) {
  double size = 0;
  for (int i = 0; i < m->ncontact; i++) size += instances(m, &m->contact[i].ctx);
  for (int i = 0; i < m->nrelation; i++) if (m->relation[i].law != ML_FREE) size += instances(m, &m->relation[i].ctx);
  for (int i = 0; i < m->nconstraint; i++)
    if (m->constraint[i].friction.law != MF_NONE) size += instances(m, &m->constraint[i].ctx);
  return size;
}

double model_unknowns(const Model *m) {
  double size = 0;
  for (int i = 0; i < m->nvar; i++)
    if (m->var[i].kind == MV_STATE || m->var[i].kind == MV_MULTIPLIER) size += size_of(m, &m->var[i]);
  return size;
}

// ---- inputs ---------------------------------------------------------------------------------------------------------
const char *model_element(const char *name, const char *pattern, double *index) {
  for (; *pattern; pattern++)
    if (*pattern == '%') {
      size_t n = strspn(name, "-0123456789");
      if (n == 0) return NULL;
      if (index) *index++ = strtod(name, NULL);
      name += n;
    } else if (*name++ != *pattern) return NULL;
  return name;
}

double model_input_value(const Model *m, const char *name) {
  double loop[MAX_INDICES], value;
  for (int i = 0; i < m->nvar; i++) {
    const MVar *v = &m->var[i];
    if (v->kind != MV_INPUT || !v->otherwise) continue;
    const char *behind = model_element(name, v->name, loop);
    if (!behind || *behind) continue;
    const MxEval e = { number_of, m->param, loop, v->ndim, (void *)(uintptr_t)m };
    return mx_eval(&e, v->otherwise, &value) ? value : NAN;
  }
  return NAN;
}
