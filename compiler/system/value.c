// Numbers of expressions over parameters and loop indices: what is known when compiling.
#include <math.h>
#include "system.h"

typedef struct Where { const System *s; const double *loop; int nloop; } Where;

static double leaf(int id, void *where) {
  const Where *w = where;
  const Sym *y = symtab_at(w->s->sym, id);
  if (y->kind == SYM_PARAM) return w->s->param_value[y->id];
  if (y->kind == SYM_LOOP) return y->id < w->nloop ? w->loop[y->id] : NAN;
  if (y->kind == SYM_TABLE) return y->id + 1;      // as ex_points counts
  if (y->kind != SYM_PARAM_AT) return NAN;
  const MParam *p = &w->s->model->param[y->id];
  double at = 0;
  for (int k = 0; k < y->nidx; k++) {
    double i = value_of(w->s, y->idx[k], w->loop, w->nloop);
    if (!(i >= 1 && i <= p->dim[k] && i == floor(i))) return NAN;
    at = at*p->dim[k] + i - 1;
  }
  return w->s->param_value[y->id + (int)at];
}

double value_of(const System *s, Ex e, const double *loop, int nloop) {
  Where w = { s, loop, nloop };
  return ex_eval(s->pool, e, leaf, &w);
}
