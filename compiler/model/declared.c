// What a declaration says of a value beside its name: the unit and the shape under which it stands.
#include <string.h>

#include "../base/suggest.h"
#include "elab.h"

bool declared_unit(Elab *e, const Ast *decl, Unit *out) {
  const char *bad = NULL;
  int n = 0;
  *out = UNIT_ANY;
  if (!decl->unit) return false;
  if (unit_parse(decl->unit, out, &bad, &n)) {
    out->written = decl->unit;
    return true;
  }
  Diag *d = diag(e->bag, DIAG_E0303, decl->unit_span.file ? decl->unit_span : decl->span, "unknown unit `%.*s`", n,
                 bad ? bad : "");
  if (strlen(decl->unit) != (size_t)n) diag_label(d, "in `%s`", decl->unit);
  const char *names[64], *near;
  int known = 0;
  while (known < 64 && (names[known] = nsm_unit_symbol(known))) known++;
  const char *meant = unit_meant(e, decl->unit, bad, n);
  near = n > 2 ? suggest(arena_strndup(e->a, bad, (size_t)n), names, (size_t)known) : NULL;
  if (meant) diag_help(d, "%s", meant);
  else if (near) diag_mean(d, near);
  else diag_help(d, "units are written like m, kg, s, N, J, V, ohm, mm, N*m/rad, m/s^2, rev/min, deg");
  return false;
}

Value scaled_value(const Env *env, Value v, Unit u) {
  MExpr **at = ARENA_ARRAY(env->e->a, MExpr *, value_count(&v));
  for (int i = 0; i < value_count(&v); i++) {
    MExpr *x = v.at[i];
    at[i] = x->kind == MX_NUM ? mx_num(env->e->a, unit_to_si(x->num, u), x->span)
                              : mx_2(env->e->a, MOP_MUL, x, mx_num(env->e->a, u.scale, x->span), x->span);
  }
  v.at = at;
  return v;
}

Value adopt(const Env *env, Value v, const Ast *decl, const char *what) {
  Unit u;
  if (v.bad) return v;
  if (v.truth) {
    Diag *d = diag(env->e->bag, DIAG_E0228, v.span, "%s `%s` must be a number", what, decl->name);
    diag_label(d, "this is a condition");
    diag_help(d, "write: if ... then 1 else 0");
    return bad_value(env, v.span);
  }
  if (!declared_unit(env->e, decl, &u)) {
    if (v.unit.state == UNIT_LITERAL) v.unit = UNIT_ANY;
    return v;
  }
  if (v.unit.state == UNIT_LITERAL && u.scale != 1) v = scaled_value(env, v, u);
  if (!units_meet(env->e, v.unit, u, v.span)) {
    Text have = {0};
    unit_print(v.unit, &have);
    Diag *d = diag(env->e->bag, DIAG_E0301, v.span, "%s `%s` is declared in %s but its value is in %s", what,
                   decl->name, decl->unit, text_str(&have));
    diag_label(d, "this is in %s", text_str(&have));
    diag_also(d, decl->unit_span.file ? decl->unit_span : decl->name_span, "declared in %s", decl->unit);
    diag_help(d, "change one of the two, so that they agree");
    text_free(&have);
    return bad_value(env, v.span);
  }
  v.unit = u;
  return v;
}

Value shape_to(const Env *env, Value v, const Ast *decl, int ndim, const int *dim) {
  if (v.bad || ndim == 0) return v;
  Value want = v;
  want.ndim = ndim;
  memcpy(want.dim, dim, sizeof want.dim);
  long n = ndim == 2 ? (long)dim[0] * dim[1] : dim[0];
  if (n > MAX_ELEMENTS) {
    Diag *d = diag(env->e->bag, DIAG_E0607, decl->name_span, "`%s` is too large to be written out", decl->name);
    diag_label(d, "%ld elements, the limit is %d", n, MAX_ELEMENTS);
    return bad_value(env, v.span);
  }
  if (v.ndim == 0) {   // one number for all
    want.at = ARENA_ARRAY(env->e->a, MExpr *, n);
    for (long i = 0; i < n; i++) want.at[i] = v.at[0];
    return want;
  }
  if (v.ndim == ndim && v.dim[0] == dim[0] && (ndim == 1 || v.dim[1] == dim[1])) return v;
  Diag *d = diag(env->e->bag, DIAG_E0302, v.span, "`%s` is declared as %s but its value is %s", decl->name,
                 shape_text(env->e, &want), shape_text(env->e, &v));
  diag_label(d, "this is %s", shape_text(env->e, &v));
  diag_also(d, decl->name_span, "declared as %s", shape_text(env->e, &want));
  diag_help(d, "leave the size out, and it is taken from the value");
  return bad_value(env, v.span);
}
