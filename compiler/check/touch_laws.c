// Laws of contacts between shapes, by the values of their parameters: coefficients of friction are not negative
// (E0404), restitutions lie in [0, 1] (W0810).
#include <math.h>
#include "parts.h"

static void outside(Check *k, const MTouch *t, const MExpr *written, Ex law, int which, double v) {
  bool restitution = which == ML_E || which == ML_ET;
  const char *what = which == ML_E    ? "restitution"
                     : which == ML_ET ? "tangential restitution"
                     : which == ML_MU ? "coefficient of friction"
                     : which == ML_RADIUS ? "radius" : "coefficient of rolling friction";
  Span at = written && written->span.file ? written->span : t->span;
  Diag *d = restitution ? diag(k->bag, DIAG_W0810, at, "%s %g is outside of [0, 1]: impacts would %s", what, v,
                               v < 0 ? "penetrate" : "create energy")
                        : diag(k->bag, DIAG_E0404, at, "a %s is not negative, this one is %g", what, v);
  const char *with = parameters_text(k, &law, 1);
  if (with) diag_label(d, "with %s", with);
  diag_help(d, restitution ? "a restitution lies between 0 (inelastic) and 1 (elastic)"
                           : "friction acts against the motion by itself");
}

void check_touch_laws(Check *k) {
  const Model *m = k->s->model;
  for (int i = 0; i < m->ntouch; i++) {
    const SysTouch *t = &k->s->touch[i];
    int pairs = t->of->by_material ? (m->nmaterial + 1)*(m->nmaterial + 1) : 1;
    bool reported[ML_NUMBERS] = {0};
    for (int p = 0; p < pairs; p++)
      for (int n = 0; n < ML_NUMBERS; n++) {
        if (reported[n] || t->law[p][n] == EX_NONE) continue;
        double v = value_of(k->s, t->law[p][n], NULL, 0);
        if (!(v < 0 || ((n == ML_E || n == ML_ET) && v > 1))) continue;
        reported[n] = true;
        outside(k, t->of, t->of->law[p].of[n], t->law[p][n], n, v);
      }
  }
}
