// The range of a parameter, param x = 1 in [0, 2]: for sliders, it restricts nothing. Where none is given, a
// coefficient of restitution goes from 0 to 1.
#include <math.h>
#include "elab.h"
#include "mx.h"

static bool no_param(int id, double *out, void *ctx) {
  (void)id;
  (void)out;
  (void)ctx;
  return false;
}

static const MxEval numbers = { no_param, NULL, NULL, 0, NULL };

// One end into SI.
static bool end_of(const Symbol *y, const Value *v, double *out) {
  Elab *e = y->env.e;
  if (!units_meet(e, v->unit, y->unit, v->span)) {
    Text unit = {0};
    unit_print(y->unit, &unit);
    Diag *d = diag(e->bag, DIAG_E0253, v->span, "the range of `%s` has another unit than its value", y->name);
    diag_help(d, "give both ends in %s", text_str(&unit));
    text_free(&unit);
    return false;
  }
  if (mx_eval(&numbers, v->at[0], out) && !isnan(*out)) return true;
  Diag *d = diag(e->bag, DIAG_E0253, v->span, "the range of `%s` has an end that is no number", y->name);
  diag_help(d, "write numbers, with units: in [0, 2]");
  return false;
}

bool param_range(const Symbol *y, const Value *v, const Value end[2]) {
  Elab *e = y->env.e;
  double lo, hi, value;
  if (!end_of(y, &end[0], &lo) || !end_of(y, &end[1], &hi)) return false;
  if (!(lo < hi)) {
    Diag *d = diag(e->bag, DIAG_E0253, y->decl->b->span, "the range of `%s` is empty", y->name);
    diag_help(d, "the first end is the smaller one");
    return false;
  }
  int n = v ? value_count(v) : 1;
  for (int i = 0; i < n; i++) {
    e->param.at[y->id + i].lo = lo;
    e->param.at[y->id + i].hi = hi;
    if (!v || !mx_eval(&numbers, v->at[i], &value) || (lo <= value && value <= hi)) continue;
    Diag *d = diag(e->bag, DIAG_E0253, v->at[i]->span.file ? v->at[i]->span : y->span,
                   "`%s` is not in its range", y->name);
    double unit = e->param.at[y->id].unit.scale;
    diag_label(d, "%.6g is not between %.6g and %.6g", value/unit, lo/unit, hi/unit);
    diag_help(d, "make the range wider, or change the value");
    return false;
  }
  return true;
}

static void restitution(const MExpr *x, int id, double *lo, double *hi) {
  if (!x || x->kind != MX_PARAM || x->id != id) return;
  *lo = 0;
  *hi = 1;
}

void model_param_range(const Model *m, int id, double *lo, double *hi) {
  *lo = m->param[id].lo;
  *hi = m->param[id].hi;
  if (!isnan(*lo)) return;
  for (int i = 0; i < m->ncontact; i++) {
    restitution(m->contact[i].e, id, lo, hi);
    restitution(m->contact[i].e_t, id, lo, hi);
  }
  for (int i = 0; i < m->ntouch; i++) {
    const MTouch *t = &m->touch[i];
    int n = t->by_material ? (m->nmaterial + 1)*(m->nmaterial + 1) : 1;
    for (int k = 0; k < n; k++) restitution(t->law[k].of[ML_E], id, lo, hi);
  }
}
