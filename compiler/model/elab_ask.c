// fit { ... } and analyse { ... }: what `nsm fit` and `nsm analyse` ask where the command line does not say it. Each
// entry becomes the text of a flag of the command (runtime/command/flags.def); names are looked up here, so that a
// mistake has a place. Blocks of parts do not count: the model that is run says what is asked.
#include <math.h>
#include <string.h>
#include "../base/suggest.h"
#include "elab.h"
#include "mx.h"

typedef enum {
  AS_WORD,      // steady;
  AS_FILES,     // data = "a.csv"; data = ["a.csv", "b.csv"];
  AS_VALUE,     // starts = 20; period = 10 [us]; loss = huber(3);
  AS_LIST,      // frequencies = [10, 100] [Hz]; or a value
  AS_COLUMNS,   // outputs theta, x;
  AS_INPUTS,    // inputs F, u = 0;
  AS_NAMES,     // each z(0);
  AS_MATCH,     // match z ~ height with sigma = 1 [mm];
  AS_VARY,      // vary e in [0, 1], k log in [1, 1e4] = 10;
  AS_PRIOR,     // prior e ~ normal(0.8, 0.1);
  AS_SECTION,   // section hit(floor); section x' = 0 down; section period;
  AS_RANGE      // bifurcation w in [1, 2] with values = 100;
} Form;

typedef struct Entry { const char *word; AstKind block; Form form; const char *shape; } Entry;

static const Entry entries[] = {
#define QUESTION(word, block, form, asks, shape) { word, AST_##block, AS_##form, shape },
#include "../syntax/questions.def"
#undef QUESTION
};
enum { ENTRIES = sizeof entries / sizeof *entries };

typedef struct Asking { const Env *env; const Entry *of; Text text; } Asking;

static bool wrong_form(const Asking *w, const Ast *x) {
  Diag *d = diag(w->env->e->bag, DIAG_E0273, x->span, "`%s` is not asked like this", w->of->word);
  diag_help(d, "%s", w->of->shape);
  return false;
}

// ---- values ---------------------------------------------------------------------------------------------------------
static bool no_parameter(int id, double *out, void *with) {
  (void)id;
  (void)out;
  (void)with;
  return false;
}

// A number, in SI with its unit where it has one: "0.5", "0.001 m".
static bool put_number(Asking *w, const Ast *x) {
  static const MxEval numbers = { no_parameter, NULL, NULL, 0, NULL };
  Value v = elab_scalar(w->env, x);
  double value;
  if (v.bad) return false;
  if (!mx_eval(&numbers, v.at[0], &value) || isnan(value)) {
    Diag *d = diag(w->env->e->bag, DIAG_E0273, x->span, "here stands a number, with its unit");
    diag_help(d, "%s", w->of->shape);
    return false;
  }
  text_printf(&w->text, "%.17g", value);
  if (v.unit.state != UNIT_KNOWN) return true;
  bool one = true;
  for (int i = 0; i < 7; i++) one &= v.unit.num[i] == 0;
  if (one && (!v.unit.written || !strcmp(v.unit.written, "1"))) return true;
  text_addc(&w->text, ' ');
  if (one) text_add(&w->text, "rad");
  else unit_print(unit_plain(v.unit), &w->text);
  return true;
}

static bool put_ends(Asking *w, AstList ends, const char *between) {
  bool good = put_number(w, ends.at[0]);
  text_add(&w->text, between);
  return put_number(w, ends.at[1]) && good;
}

// huber(3), decades(10 [Hz], 50 [kHz], 20), a parameter, a number.
static bool put_value(Asking *w, const Ast *x) {
  bool decades = x->kind == AST_CALL && !x->a && !strcmp(x->name, "decades");
  if (x->kind == AST_NAME) {
    text_add(&w->text, x->name);
    const Symbol *y = scope_find(w->env->scope, x->name);
    return !strcmp(w->of->word, "loss") || (y && y->kind == SY_PARAM) || wrong_form(w, x);
  }
  if (x->kind == AST_STRING) return wrong_form(w, x);
  if (x->kind != AST_CALL) return put_number(w, x);
  if (decades != !strcmp(w->of->word, "frequencies") || (!decades && strcmp(w->of->word, "loss")))
    return wrong_form(w, x);
  if (!decades) text_printf(&w->text, "%s(", x->name);
  for (int i = 0; i < x->list.n; i++) {
    if (i) text_addc(&w->text, ':');
    if (!put_number(w, x->list.at[i])) return false;
  }
  if (!decades) text_addc(&w->text, ')');
  return true;
}

// ---- names ----------------------------------------------------------------------------------------------------------
static bool is_zero(const Ast *x) { return x->kind == AST_NUMBER && x->number == 0 && !x->unit; }
static bool is_initial(const Ast *x) {
  return x->kind == AST_INITIAL ? is_zero(x->b) : x->kind == AST_CALL && x->list.n == 1 && is_zero(x->list.at[0]);
}

static bool is_known(const Asking *w, const Ast *x) {
  Env in = *w->env;
  return !elab_expr(&in, x).bad;
}

static bool wrong_name(const Asking *w, const Ast *x, const char *why) {
  Diag *d = diag(w->env->e->bag, DIAG_E0274, x->span, "%s", why);
  diag_help(d, "%s", w->of->shape);
  return false;
}

// A column of results.
static bool put_column(Asking *w, const Ast *x) {
  const char *what = not_a_column(w->env, x);
  text_add(&w->text, ast_text(w->env->e, x));
  if (!what) return column_is_known(w->env, x);
  return wrong_name(w, x, arena_printf(w->env->e->a, "%s is not a column of the run%s", what,
                                       !has_column_name(x) ? "; an output gives it a name"
                                       : *what == 'a' && what[2] == '`' ? "; an output is" : ""));
}

// What has the initial value: x' of x'(0); bead.z of bead.z(0) and z of z(0), which are read as calls.
static Ast of_initial(const Ast *x) {
  if (x->kind == AST_INITIAL) return *x->a;
  Ast of = *x;
  of.kind = x->a ? AST_MEMBER : AST_NAME;
  of.list = (AstList){ 0 };
  of.span.hi = x->name_span.hi;
  return of;
}

static bool put_initial(Asking *w, const Ast *x) {
  Ast *of = ARENA_NEW(w->env->e->a, Ast);
  *of = of_initial(x);
  const Symbol *y = symbol_named(w->env, of);              // NULL: it belongs to a part, or is none
  bool found = y, good = y && y->kind == SY_VARIABLE;
  text_add(&w->text, ast_text(w->env->e, x));
  if (of->kind != AST_NAME) {
    Value v = elab_expr(w->env, of);
    if (v.bad) return false;
    if (!y) good = v.at[0]->kind == MX_VAR;
    found = true;
  }
  return good || wrong_name(w, x, found ? "only states, coordinates and velocities have initial values"
                                        : "there is no state of this name");
}

// A parameter, or an initial value.
static bool put_varied(Asking *w, const Ast *x) {
  if (is_initial(x)) return put_initial(w, x);
  if (!has_column_name(x)) return wrong_name(w, x, "here stands a parameter, or an initial value: z(0)");
  const Symbol *y = symbol_named(w->env, x);
  if (y && y->kind != SY_PARAM && y->kind != SY_FORMAL)
    return wrong_name(w, x, "this is not a parameter; its initial value has (0) behind it");
  text_add(&w->text, ast_text(w->env->e, x));
  return is_known(w, x);
}

// A parameter or an input.
static bool put_input(Asking *w, const Ast *x) {
  if (!has_column_name(x)) return wrong_name(w, x, "here stands a parameter, or an input of the model");
  text_add(&w->text, ast_text(w->env->e, x));
  return is_known(w, x);
}

// hit(floor): a contact or relation.
static bool put_hit(Asking *w, const Ast *x) {
  bool one = x->kind == AST_CALL && !x->a && !strcmp(x->name, "hit") && x->list.n == 1 &&
             has_column_name(x->list.at[0]);
  if (!one) return wrong_form(w, x);
  const Ast *row = x->list.at[0];
  const Symbol *y = symbol_named(w->env, row);
  text_add(&w->text, ast_text(w->env->e, x));
  bool is_row = y ? y->kind == SY_ROW || y->kind == SY_RELATION || y->kind == SY_TOUCH : row->kind == AST_MEMBER;
  return is_row || wrong_name(w, row, "there is no contact of this name");
}

// ---- terms ----------------------------------------------------------------------------------------------------------
static bool put_match(Asking *w, const Ast *t) {
  const Ast *of = t->b;
  if (t->c || t->name || t->list.n || (of && of->kind != AST_NAME && of->kind != AST_STRING)) return wrong_form(w, t);
  bool hit = t->a->kind == AST_CALL && !t->a->a && !strcmp(t->a->name, "hit");
  if (hit && !of) return wrong_form(w, t);
  if (!(hit ? put_hit(w, t->a) : put_column(w, t->a))) return false;
  if (of) text_printf(&w->text, " ~ %s", of->name);
  if (!t->list2.n) return true;
  const Ast *sigma = t->list2.at[0];
  if (strcmp(sigma->name, "sigma")) return wrong_form(w, sigma);
  text_add(&w->text, " with sigma = ");
  return put_number(w, sigma->a);
}

static bool put_vary(Asking *w, const Ast *t) {
  bool by_log = t->name && !strcmp(t->name, "log");
  if (t->b || t->list2.n || (t->name && !by_log) || (by_log && !t->list.n)) return wrong_form(w, t);
  if (!put_varied(w, t->a)) return false;
  if (t->list.n) {
    text_add(&w->text, by_log ? "=log(" : "=");
    if (!put_ends(w, t->list, by_log ? ", " : ":")) return false;
    if (by_log) text_addc(&w->text, ')');
  }
  if (!t->c) return true;
  text_add(&w->text, " from ");
  return put_number(w, t->c);
}

static bool put_prior(Asking *w, const Ast *t) {
  const Ast *law = t->b;
  bool good = law && law->kind == AST_CALL && !law->a && !strcmp(law->name, "normal") && law->list.n == 2;
  if (!good || t->c || t->name || t->list.n || t->list2.n) return wrong_form(w, t);
  if (!put_varied(w, t->a)) return false;
  text_add(&w->text, " ~ normal(");
  if (!put_ends(w, law->list, ", ")) return false;
  text_addc(&w->text, ')');
  return true;
}

static bool put_section(Asking *w, const Ast *t) {
  bool hit = t->a->kind == AST_CALL, up = t->name && !strcmp(t->name, "up"), down = t->name && !strcmp(t->name, "down");
  if (t->b || t->list.n || t->list2.n || (t->name && !up && !down) || (hit && t->c)) return wrong_form(w, t);
  if (hit) return put_hit(w, t->a);
  if (!t->c && t->a->kind == AST_NAME && !strcmp(t->a->name, "period")) {
    text_add(&w->text, "period");
    return true;
  }
  if (!t->c) return wrong_form(w, t);
  if (!put_column(w, t->a)) return false;
  text_add(&w->text, " = ");
  if (!put_number(w, t->c)) return false;
  if (t->name) text_printf(&w->text, " %s", t->name);
  return true;
}

static bool put_range(Asking *w, const Ast *t) {
  bool many = t->list2.n > 0, follows = !strcmp(w->of->word, "follow");
  if (t->b || t->c || t->name || t->list.n != 2 || many == follows) return wrong_form(w, t);
  if (!put_varied(w, t->a)) return false;
  text_addc(&w->text, '=');
  if (!put_ends(w, t->list, ":")) return false;
  if (!many) return true;
  if (strcmp(t->list2.at[0]->name, "values")) return wrong_form(w, t->list2.at[0]);
  text_addc(&w->text, ':');
  return put_number(w, t->list2.at[0]->a);
}

static bool put_term(Asking *w, const Ast *t) {
  switch (w->of->form) {
  case AS_MATCH: return put_match(w, t);
  case AS_VARY: return put_vary(w, t);
  case AS_PRIOR: return put_prior(w, t);
  case AS_SECTION: return put_section(w, t);
  case AS_RANGE: return put_range(w, t);
  default: break;
  }
  bool held = w->of->form == AS_INPUTS && t->c && strcmp(w->of->word, "bode");
  if (t->b || t->name || t->list.n || t->list2.n || (t->c && !held)) return wrong_form(w, t);
  if (w->of->form == AS_NAMES) return put_varied(w, t->a);
  if (w->of->form == AS_COLUMNS) return put_column(w, t->a);
  if (w->of->form != AS_INPUTS) return wrong_form(w, t);
  if (!put_input(w, t->a)) return false;
  if (!t->c) return true;
  text_addc(&w->text, '=');
  return put_number(w, t->c);
}

// ---- entries --------------------------------------------------------------------------------------------------------
static void done(Asking *w, const Ast *at) {
  Elab *e = w->env->e;
  MAsk ask = { .block = w->of->block == AST_FIT ? ASK_FIT : ASK_ANALYSE, .flag = w->of->word,
               .text = arena_strndup(e->a, text_str(&w->text), w->text.n), .span = at->span };
  vec_push(&e->ask, ask);
}

static bool given_twice(const Asking *w, Span at) {
  for (size_t i = 0; i < w->env->e->ask.n; i++) {
    const MAsk *a = &w->env->e->ask.at[i];
    bool several = w->of->form == AS_FILES || w->of->form == AS_MATCH || w->of->form == AS_VARY ||
                   w->of->form == AS_PRIOR || w->of->form == AS_NAMES;
    if (several || strcmp(a->flag, w->of->word)) continue;
    Diag *d = diag(w->env->e->bag, DIAG_E0202, at, "`%s` is given twice", w->of->word);
    diag_also(d, a->span, "first given here");
    return true;
  }
  return false;
}

// A name that stands before `=`, with what stands behind it.
static void setting(Asking *w, const Ast *arg) {
  Elab *e = w->env->e;
  bool list = arg->a->kind == AST_VECTOR, files = w->of->form == AS_FILES;
  if (given_twice(w, arg->name_span)) return;
  if (!files && w->of->form != AS_VALUE && w->of->form != AS_LIST) { wrong_form(w, arg); return; }
  if (list && w->of->form == AS_VALUE) { wrong_form(w, arg); return; }
  int n = list ? arg->a->list.n : 1;
  for (int i = 0; i < n; i++) {
    const Ast *x = list ? arg->a->list.at[i] : arg->a;
    if (files && x->kind != AST_STRING) { wrong_form(w, x); return; }
    if (files) text_add(&w->text, source_beside(e->a, x->span.file, x->name));
    else if (!put_value(w, x)) return;
    if (files) done(w, arg), w->text.n = 0;
    else if (i + 1 < n) text_addc(&w->text, ',');
  }
  if (!files) done(w, arg);
}

// A word with what stands behind it: one flag, or one for each of its terms.
static void worded(Asking *w, const Ast *x) {
  bool together = w->of->form == AS_COLUMNS || w->of->form == AS_INPUTS;
  if (given_twice(w, x->name_span)) return;
  bool pair = !strcmp(w->of->word, "bode"), good = true;
  if ((w->of->form == AS_WORD) != (x->list.n == 0) || (pair && x->list.n != 2)) { wrong_form(w, x); return; }
  for (int i = 0; i < x->list.n; i++) {
    bool one = put_term(w, x->list.at[i]);
    good &= one;
    if (together && i + 1 < x->list.n) text_addc(&w->text, ',');
    else if (!together && one) done(w, x->list.at[i]);
    if (!together) w->text.n = 0;
  }
  if ((together && good) || w->of->form == AS_WORD) done(w, x);
}

static const Entry *entry_of(const Env *env, AstKind block, const char *word, Span at) {
  const char *names[ENTRIES], *other = NULL;
  int n = 0;
  for (int i = 0; i < ENTRIES; i++) {
    if (!strcmp(entries[i].word, word) && entries[i].block == block) return &entries[i];
    if (!strcmp(entries[i].word, word)) other = block == AST_FIT ? "analyse" : "fit";
    if (entries[i].block == block) names[n++] = entries[i].word;
  }
  Diag *d = diag(env->e->bag, DIAG_E0273, at, "`%s` has no entry `%s`", block == AST_FIT ? "fit" : "analyse", word);
  const char *near = suggest(word, names, (size_t)n);
  if (other) diag_help(d, "it is one of `%s`", other);
  else if (near) diag_mean(d, near);
  else if (block == AST_FIT) diag_help(d, "there are data, match, vary, each, prior, loss, starts, seed, profile");
  else diag_help(d, "there are equilibrium, linear, modes, steady, bode, section, bifurcation, follow, lyapunov, and "
                    "what these take: period, refine, stable, inputs, outputs, frequencies, settle, points, from, "
                    "hold");
  return NULL;
}

static void question(const Env *env, AstKind block, const Ast *x) {
  for (int i = 0; i < (x->name ? 1 : x->list.n); i++) {
    const Ast *of = x->name ? x : x->list.at[i];
    Asking w = { .env = env, .of = entry_of(env, block, of->name, of->name_span) };
    if (!w.of) return;
    if (x->name) worded(&w, x);
    else setting(&w, of);
    text_free(&w.text);
  }
}

// Does term k of this entry stand for a parameter? Of `bode U, Y` the first.
static bool names_parameter(AstKind block, const char *word, int k) {
  for (int i = 0; i < ENTRIES; i++) {
    if (entries[i].block != block || strcmp(entries[i].word, word)) continue;
    Form form = entries[i].form;
    return form == AS_VARY || form == AS_PRIOR || form == AS_RANGE || form == AS_NAMES ||
           (form == AS_INPUTS && (k == 0 || strcmp(word, "bode")));
  }
  return false;
}

void ask_parameters(Elab *e, const Ast *block) {
  if (block->kind != AST_FIT && block->kind != AST_ANALYSE) return;
  for (int i = 0; i < block->list2.n; i++) {
    const Ast *x = block->list2.at[i];
    for (int k = 0; x->kind == AST_ASKED && x->name && k < x->list.n; k++) {
      const Ast *of = x->list.at[k]->a;
      bool part = of && (of->kind == AST_MEMBER || (of->kind == AST_INDEX && of->a->kind == AST_MEMBER));
      if (!part || !has_column_name(of) || !names_parameter(block->kind, x->name, k)) continue;
      Override *o = ARENA_NEW(e->a, Override);
      *o = (Override){ .name = ast_text(e, of), .asked = true };
      vec_push(&e->sets, o);
    }
  }
}

void elab_ask(Env env, const Ast *x) {
  if (env.scope->parent) return;
  const char *word = x->kind == AST_FIT ? "fit" : "analyse";
  const Ast **before = &env.e->asked[x->kind == AST_FIT];
  if (*before) {
    Diag *d = diag(env.e->bag, DIAG_E0202, (Span){ x->span.file, x->span.lo, x->span.lo + strlen(word) },
                   "`%s` is given twice", word);
    diag_also(d, (Span){ (*before)->span.file, (*before)->span.lo, (*before)->span.lo + strlen(word) },
              "first given here");
    diag_help(d, "a model has one of them; the command line asks for more: nsm %s --help", word);
    return;
  }
  *before = x;
  for (int i = 0; i < x->list2.n; i++)
    if (x->list2.at[i]->kind == AST_ASKED) question(&env, x->kind, x->list2.at[i]);
}
