// Numbers that are known when compiling: parameters as --set and their defaults give them, expressions of those.
#include <math.h>
#include <string.h>

#include "elab.h"

int push_param(Elab *e, const char *name, MExpr *value, Unit u, const Symbol *y) {
  MParam p = { .name = name,
               .value = value,
               .unit = u,
               .inferred = UNIT_ANY,
               .unit_text = y->decl->unit ? y->decl->unit : "",
               .doc = y->decl->doc,
               .span = y->span,
               .lo = NAN,
               .hi = NAN };
  vec_push(&e->param, p);
  return (int)e->param.n - 1;
}

static bool override_of(const Elab *e, const char *name, double *out) {
  for (size_t i = 0; i < e->sets.n; i++)
    if (!e->sets.at[i]->asked && strcmp(e->sets.at[i]->name, name) == 0) {
      *out = e->sets.at[i]->value;
      return true;
    }
  return false;
}

void note_given(Elab *e) {
  for (size_t i = 0; i < e->param.n; i++)
    if (!override_of(e, e->param.at[i].name, &e->param.at[i].given)) e->param.at[i].given = NAN;
}

static bool plain_value(int id, double *out, void *ctx) { return param_value(ctx, id, false, out); }
static bool fixing_value(int id, double *out, void *ctx) { return param_value(ctx, id, true, out); }

bool try_eval(Elab *e, const MExpr *x, bool fix, const double *loop, int nloop, double *out) {
  MxEval how = {
    .param = fix ? fixing_value : plain_value, .params = e->param.at, .loop = loop, .nloop = nloop, .ctx = e
  };
  return mx_eval(&how, x, out);
}

bool param_value(Elab *e, int id, bool fix, double *out) {
  while (e->known.n < e->param.n) {
    vec_push(&e->known, 0.0);
    vec_push(&e->known_state, 0);
  }
  MParam *p = &e->param.at[id];
  bool overridden = override_of(e, p->name, &e->known.at[id]);
  if (fix && !p->structural) {
    p->structural = true;
    // what it is computed from is fixed as well
    if (!overridden && p->value) (void)try_eval(e, p->value, true, NULL, 0, out);
  }
  p = &e->param.at[id];
  if (e->known_state.at[id] == 0) {
    double v = 0;
    e->known_state.at[id] = overridden ? 2 : 3;
    if (!overridden && p->value && try_eval(e, p->value, false, NULL, 0, &v)) {
      e->known.at[id] = v;
      e->known_state.at[id] = 2;
    }
  }
  if (e->known_state.at[id] != 2) return false;
  *out = e->known.at[id];
  if (p->structural) p->fixed = *out;
  return true;
}
