// How large a model is, with the values of parameters that are known when compiling.
#include <math.h>
#include <stdint.h>
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

static double instances(const Model *m, const MContext *ctx) {
  const MxEval e = { number_of, m->param, NULL, 0, (void *)(uintptr_t)m };
  double size = 1, lo, hi;
  for (int k = 0; k < ctx->n; k++) {
    if (!mx_eval(&e, ctx->loop[k].lo, &lo) || !mx_eval(&e, ctx->loop[k].hi, &hi)) return NAN;
    size *= fmax(hi - lo + 1, 0);
  }
  return size;
}

double model_laws(const Model *m) {
  double size = 0;
  for (int i = 0; i < m->ncontact; i++) size += instances(m, &m->contact[i].ctx);
  for (int i = 0; i < m->nrelation; i++) if (m->relation[i].law != ML_FREE) size += instances(m, &m->relation[i].ctx);
  return size;
}

double model_unknowns(const Model *m) {
  double size = 0;
  for (int i = 0; i < m->nvar; i++)
    if (m->var[i].kind == MV_STATE || m->var[i].kind == MV_MULTIPLIER) size += size_of(m, &m->var[i]);
  return size;
}
