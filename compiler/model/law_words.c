// The words of the laws of contacts and constraints: which law one is, of which kind, how many arguments it has, what
// is said where there is no such law; and the units of its forces.
#include <string.h>

#include "../base/suggest.h"
#include "elab.h"

bool is_friction(const Ast *law) {
  for (int k = MF_NONE + 1; k < MF_LAWS; k++) if (is_law(law, friction_law((MFrictionLaw)k)->word)) return true;
  return false;
}

bool is_rolling(const Ast *x) {
  for (int i = 0; i < x->list2.n; i++)
    if (is_law(x->list2.at[i], "rolling")) return true;
  return false;
}

bool is_slip_in_space(const Ast *x) {
  for (int i = 0; i < x->list2.n; i++)
    if (is_law(x->list2.at[i], "coulomb")) return true;
  return false;
}

bool has_friction(const Ast *x) {
  for (int i = 0; i < x->list2.n; i++)
    if (is_friction(x->list2.at[i])) return true;
  return false;
}

unsigned asserted_class(const Ast *law) {
  static const struct { const char *name; unsigned bit; } classes[] = {
    {"scleronomous", MA_SCLERONOMOUS}, {"rheonomous", MA_RHEONOMOUS}, {"type1", MA_TYPE1}, {"type2", MA_TYPE2}};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strcmp(law->name, classes[i].name) == 0) return classes[i].bit;
  return 0;
}

static const char *const law_names[] = { "inelastic", "elastic", "scleronomous", "rheonomous",
#define BLOCK(...)
#define LAW(name, block, word, ...) word,
#define IMPACT(name, word, ...) word,
#include "runtime/shared/laws.def"
};
enum { NLAWS = sizeof law_names / sizeof *law_names };

// The laws of friction, as they are written.
static const char *friction_forms(const Env *env) {
  const char *all = "";
  for (int k = MF_NONE + 1; k < MF_LAWS; k++) {
    const char *form = friction_law((MFrictionLaw)k)->written;
    if (*form) all = *all ? arena_printf(env->e->a, "%s, %s", all, form) : form;
  }
  return all;
}

bool known_law(const Ast *law) {
  for (int i = 0; i < NLAWS; i++) if (strcmp(law->name, law_names[i]) == 0) return true;
  return asserted_class(law) != 0;
}

bool is_law(const Ast *law, const char *name) { return strcmp(law->name, name) == 0; }

bool is_impact(const Ast *law) {
  return impact_law_named(law->name) != MI_ANY || is_law(law, "inelastic") || is_law(law, "elastic");
}

// The laws of impact, as they are written.
const char *impact_forms(const Env *env) {
  const char *all = "inelastic, elastic";
  for (int k = MI_ANY; k-- > 0;) all = arena_printf(env->e->a, "%s, %s", impact_law_row((MImpactLaw)k)->written, all);
  return all;
}

void unknown_law(const Env *env, const Ast *law) {
  Diag *d =
      diag(env->e->bag, DIAG_E0212, law->name_span.file ? law->name_span : law->span, "unknown law `%s`", law->name);
  diag_label(d, "not a law of contacts");
  const char *near = suggest(law->name, law_names, NLAWS);
  const char *meant = law_meant(law->name);
  if (meant) diag_help(d, "%s", meant);
  else if (near) diag_mean(d, near);
  else
    diag_help(d, "the laws are %s, %s", impact_forms(env), friction_forms(env));
}

static const char *law_forms(const Ast *law) {
  MImpactLaw kind = impact_law_named(law->name);
  return kind != MI_ANY                ? impact_law_row(kind)->written
         : is_law(law, "coulomb")      ? "coulomb(mu), coulomb(mu1, mu2)"
         : is_law(law, "contensou")    ? "contensou(mu, radius), contensou(mu, radius, exact)"
         : is_law(law, "rolling")      ? friction_law(MF_ROLLING)->written
                                       : "";
}

// Is `name` the argument number k of one of the forms of a law: e, then e_t of "newton(e), newton(e, e_t)"?
static bool is_argument(const char *forms, const char *name, int k) {
  for (const char *at = strchr(forms, '('); at; at = strchr(at, '(')) {
    for (int i = 0; i <= k && at && *at != ')'; i++) {
      at += 1 + strspn(at + 1, " ");
      size_t n = strcspn(at, ",)");
      if (i == k && n == strlen(name) && !strncmp(at, name, n)) return true;
      at += n;
    }
  }
  return false;
}

// Arguments may have their names, in the order of the law: newton(e = 0.5).
bool law_names_fit(const Env *env, const Ast *law) {
  for (int i = 0; i < law->list.n; i++) {
    const Ast *x = law->list.at[i];
    if (x->kind != AST_ARG || is_argument(law_forms(law), x->name, i)) continue;
    Diag *d = diag(env->e->bag, DIAG_E0209, x->span, "`%s` has no argument `%s` here", law->name, x->name);
    bool slip = !strcmp(x->name, "slip");
    diag_label(d, slip ? "a part of the contact" : "argument %d", i + 1);
    if (slip) diag_help(d, "contact NAME { normal = ...; slip = %s; with ...; }", ast_text(env->e, x->a));
    else if (!*law_forms(law)) diag_help(d, "leave the parentheses out");
    else diag_help(d, "%s", law_forms(law));
    return false;
  }
  return true;
}

bool law_arguments(const Env *env, const Ast *law, int least, int most) {
  if (!law_names_fit(env, law)) return false;
  if (law->list.n >= least && law->list.n <= most) return true;
  Diag *d = diag(env->e->bag, DIAG_E0209, law->span, "`%s` takes %d%s argument%s, not %d", law->name, least,
                 most > least ? arena_printf(env->e->a, " or %d", most) : "", most == 1 ? "" : "s", law->list.n);
  diag_label(d, "%d given", law->list.n);
  if (is_law(law, "newton")) diag_help(d, "newton(e), or newton(e, e_t)");
  else if (impact_law_named(law->name) != MI_ANY)
    diag_help(d, "%s", impact_law_row(impact_law_named(law->name))->written);
  else if (most == 0 && law->list.n == 1)
    diag_help(d, "leave the parentheses out, or write newton(%s)", ast_text(env->e, law->list.at[0]));
  else if (most == 0) diag_help(d, "leave the parentheses out");
  else diag_help(d, "coulomb(mu), contensou(mu, radius), rolling(mu, mu_r)");
  return false;
}

// The force that does work along y, J per unit of y; its impulse, in J s per unit of y, and where y contains velocities
// in J per unit of y.
Unit force_along(Unit y) { return y.state == UNIT_KNOWN ? unit_div(unit_named("J"), y) : UNIT_ANY; }
Unit impulse_along(Unit y, bool velocities) {
  Unit force = force_along(y);
  return velocities || force.state != UNIT_KNOWN ? force : unit_mul(force, unit_named("s"));
}
