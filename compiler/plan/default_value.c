#include <math.h>
#include "default_value.h"

static double leaf(int id, void *system) {
  const System *s = system;
  const Sym *y = symtab_at(s->sym, id);
  if (y->kind != SYM_PARAM) return NAN;
  const MParam *p = &s->model->param[y->id];
  if (!isnan(p->given)) return p->given;
  return p->structural ? p->fixed : s->param[y->id] == EX_NONE ? NAN : default_value(s, s->param[y->id]);
}

double default_value(const System *s, Ex e) { return ex_eval(s->pool, e, leaf, (void *)s); }
