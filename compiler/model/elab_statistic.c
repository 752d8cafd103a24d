// Statistics of a finished run in claims: final(x), max(x), at(x, t), events(contact), energies and the ledger.
#include <string.h>

#include "../base/suggest.h"
#include "elab.h"

static const struct { const char *name; MStatKind kind; bool ordinary; } statistics[] = {
  {"final", MS_FINAL, false}, {"initial", MS_INITIAL, false}, {"min", MS_MIN, true}, {"max", MS_MAX, true},
  {"mean", MS_MEAN, false},   {"drift", MS_DRIFT, false},     {"at", MS_AT, false},     {"gain", MS_GAIN, false},
  {"events", MS_EVENTS, false}, {"first", MS_FIRST, false}, {"last", MS_LAST, false},
};
enum { NSTATISTICS = sizeof statistics / sizeof *statistics };

const char *statistic_name(int i) { return i < NSTATISTICS ? statistics[i].name : NULL; }

// What a run tells of itself: energies and the ledger, problems of steps that missed their tolerance. A model may have
// a variable of that name, which then wins. `alone`: the name without a part; 0: it has none.
typedef struct Told { const char *name, *part[7]; int output[7], alone; const char *unit, *help; } Told;
static const Told reported[] = {
  { "energy", { "kinetic", "potential", "residue", "forces", "dampers", "contacts" },
    { MSTAT_KINETIC, MSTAT_POTENTIAL, MSTAT_RESIDUE, MSTAT_FORCES, MSTAT_DAMPERS, MSTAT_CONTACTS }, MSTAT_ENERGY, "J",
    "it has kinetic, potential, residue, forces, dampers, contacts" },
  { "problems", { "accepted", "residual" }, { MSTAT_ACCEPTED, MSTAT_RESIDUAL }, 0, "1",
    "it has accepted, how many steps so far, and residual, the largest one" } };
enum { TOLD = sizeof reported / sizeof *reported };

// Its number and *unit; 0: none of them. *known is false where a part does not exist, reported.
static int output_of(const Env *env, const Ast *x, bool *known, const char **unit) {
  const Elab *e = env->e;
  const Ast *base = x->kind == AST_MEMBER ? x->a : x;
  *known = true;
  for (int t = 0; t < TOLD; t++) {
    if (base->kind != AST_NAME || strcmp(base->name, reported[t].name) || scope_find(env->scope, base->name)) continue;
    *unit = reported[t].unit;
    if (x->kind == AST_NAME && reported[t].alone) return reported[t].alone;
    const char *part = x->kind == AST_NAME ? "" : x->name;
    size_t n = 0;
    for (; reported[t].part[n]; n++)
      if (!strcmp(part, reported[t].part[n])) return reported[t].output[n];
    Diag *d = *part ? diag(e->bag, DIAG_E0201, x->span, "`%s` has no part `%s`", reported[t].name, part)
                    : diag(e->bag, DIAG_E0201, x->span, "`%s` stands with one of its parts", reported[t].name);
    const char *near = suggest(part, reported[t].part, n);
    if (near) {
      diag_help(d, "did you mean `%s.%s`?", reported[t].name, near);
      diag_edit(d, x->span, "%s.%s", reported[t].name, near);
    }
    else diag_help(d, "%s", reported[t].help);
    *known = false;
  }
  return 0;
}

// Of located events at a row: how many, or a time.
static Value make_event_statistic(const Env *env, const Ast *x, MStatKind kind) {
  Elab *e = env->e;
  Env in = *env;
  if (!arity_ok(env, x, 1)) return bad_value(env, x->span);
  in.in_stat = true;
  in.in_claim = false;
  const char *of = ast_text(e, x->list.at[0]),
             *help = kind == MS_FIRST  ? arena_printf(e->a, "the value at the start is initial(%s)", of)
                     : kind == MS_LAST ? arena_printf(e->a, "the value at the end is final(%s)", of)
                                       : "name a contact: events(floor), events(pair[3])";
  Value v = elab_row_of(&in, x->list.at[0], help);
  if (v.bad) return bad_value(env, x->span);
  MOutput o = {
    .ctx = env->ctx, .name = ast_text(e, x->list.at[0]), .value = v.at[0], .unit = v.unit, .hidden = true,
    .span = v.span
  };
  vec_push(&e->output, o);
  vec_push(&e->stat, ((MStat){ .kind = kind, .output = (int)e->output.n - 1 }));
  Unit u = kind == MS_EVENTS ? UNIT_ONE : e->has_units ? unit_named("s") : UNIT_ANY;
  return scalar_value(mx_stat(e->a, (int)e->stat.n - 1, x->span), u, x->span, env);
}

static Value make_statistic(const Env *env, const Ast *x, MStatKind kind) {
  Elab *e = env->e;
  MStat s = {.kind = kind};
  Unit u;
  if (!arity_ok(env, x, kind == MS_AT ? 2 : 1)) return bad_value(env, x->span);
  Env in = *env;
  in.in_stat = true;
  bool known;
  const char *unit;
  s.output = output_of(env, x->list.at[0], &known, &unit);
  if (!known) return bad_value(env, x->span);
  if (s.output < 0) {
    u = unit_named(unit);
    if (!e->has_units) u = UNIT_ANY;
  } else {
    in.in_claim = false;
    Value v = elab_scalar(&in, x->list.at[0]);
    if (!unit_check(env, v, UNIT_ANY, "a statistic")) return bad_value(env, x->span);
    u = v.unit;
    MOutput o = {
      .ctx = env->ctx, .name = ast_text(e, x->list.at[0]), .value = v.at[0], .unit = u, .hidden = true, .span = v.span,
      .declared = unit_scaled(u) && u.written
    };
    vec_push(&e->output, o);
    s.output = (int)e->output.n - 1;
  }
  if (kind == MS_AT) {
    Value t = elab_scalar(env, x->list.at[1]);
    if (!unit_check(env, t, unit_named("s"), "a time")) return bad_value(env, x->span);
    if (extra_uses(&t, MU_PARAM)) {
      not_constant(env, &t, "a time", "use numbers and parameters");
      return bad_value(env, x->span);
    }
    s.at = t.at[0];
  }
  vec_push(&e->stat, s);
  return scalar_value(mx_stat(e->a, (int)e->stat.n - 1, x->span), u, x->span, env);
}

Value elab_statistic(const Env *env, const Ast *x, bool *is_one) {
  *is_one = false;
  for (int i = 0; i < NSTATISTICS; i++) {
    if (strcmp(statistics[i].name, x->name) != 0) continue;
    if (statistics[i].ordinary && (x->list.n != 1 || !env->in_claim)) return bad_value(env, x->span);   // min(a, b)
    *is_one = true;
    if (env->in_claim && statistics[i].kind >= MS_EVENTS) return make_event_statistic(env, x, statistics[i].kind);
    if (env->in_claim) return make_statistic(env, x, statistics[i].kind);
    Diag *d = diag(env->e->bag, DIAG_E0226, x->span, "`%s` looks back on a finished run", x->name);
    diag_label(d, env->in_stat ? "inside another statistic" : "not known during the run");
    diag_help(
        d, env->in_stat ? "combine them outside: final(x) - initial(x)" : "statistics stand in claims: expect %s <= 1;",
        ast_text(env->e, x));
    return bad_value(env, x->span);
  }
  return bad_value(env, x->span);
}
