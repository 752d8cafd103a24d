// The words of the laws of contacts and constraints: which law one is, of which kind, and what to say where it is none.
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
