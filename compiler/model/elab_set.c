// Values from the command line (--set) for parameters of parts. What a compiled model stores under the name written
// (`m`, `bead.g`, `k[2]`) it takes when it starts; the rest is written into the model here:
//   bead[2].g=3     one member of a family:   if i == 2 then 3 else bead.g
//   a.z0=3          an argument of an instance, where it is constant
// A path names each part with all of its indices or with none, which means all its members. What is asked for as a
// parameter (--by, --vary, fit { vary ... }) becomes one of this name in the same places, with the value of the model.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/suggest.h"
#include "elab.h"

static const char computed[] = "changes during the run, the model computes it";

// --- reading a path ---

// "[2]", "[1, 3]" at *at: numbers into index[], their count; 0 where there is no bracket, -1 where it cannot be read.
static int read_indices(const char **at, double *index, int most) {
  const char *s = *at;
  int n = 0;
  if (*s != '[') return 0;
  do {
    char *end;
    s++;
    if (n == most) return -1;
    index[n++] = strtod(s, &end);
    if (end == s) return -1;
    for (s = end; *s == ' '; s++) {}
  } while (*s == ',');
  if (*s != ']') return -1;
  *at = s + 1;
  return n;
}

// "bead" or "bead[2]" of an instance with `ndim` loops: the numbers, nan for all members.
static bool read_part(const char **at, const char *name, int ndim, double *index) {
  size_t len = strlen(name);
  if (strncmp(*at, name, len) != 0 || (isalnum((unsigned char)(*at)[len]) || (*at)[len] == '_')) return false;
  *at += len;
  int n = read_indices(at, index, MAX_LOOPS);
  for (int k = 0; n == 0 && k < ndim; k++) index[k] = NAN;
  return n == 0 || n == ndim;
}

// The instances around a scope, outermost first: their names and numbers of loops.
static bool read_scope(const Scope *s, const char **at, double *index, int *n) {
  if (!s->instance) return true;
  if (!read_scope(s->parent, at, index, n) || *n + s->instance->list.n > MAX_LOOPS) return false;
  if (!read_part(at, s->instance->name, s->instance->list.n, index + *n) || **at != '.') return false;
  *n += s->instance->list.n;
  ++*at;
  return true;
}

// --- what is set of a symbol ---

// The loops of a family are 1..n there; of some member that is not there nothing can be set.
static void check_members(const Symbol *y, const double *index, int n, Override *o) {
  const MContext *ctx = &y->env.scope->ctx;
  for (int k = 0; k < n; k++) {
    double lo, hi;
    if (isnan(index[k]) || !try_eval(y->env.e, ctx->loop[k].lo, false, NULL, 0, &lo) ||
        !try_eval(y->env.e, ctx->loop[k].hi, false, NULL, 0, &hi))
      continue;
    if (index[k] == floor(index[k]) && index[k] >= lo && index[k] <= hi) continue;
    o->use = SET_NO_MEMBER;
    o->what = arena_printf(y->env.e->a, "its indices run from %.17g to %.17g", lo, hi);
  }
}

void find_sets(Symbol *y) {
  const Scope *s = y->env.scope;
  Elab *e = y->env.e;
  Vec(SetAt) found = {0};
  for (size_t i = 0; i < e->sets.n; i++) {
    Override *o = e->sets.at[i];
    SetAt a = {.from = o};
    const char *at = o->name;
    if (!read_scope(s, &at, a.member, &a.nmember) || !read_part(&at, y->name, 0, a.element) || *at == '.') {
      size_t len = strlen(y->name);                // an array: its own indices behind its name
      a = (SetAt){.from = o};
      at = o->name;
      if (!read_scope(s, &at, a.member, &a.nmember) || strncmp(at, y->name, len) != 0) continue;
      at += len;
      a.nelement = read_indices(&at, a.element, MAX_DIMS);
      if (a.nelement <= 0) continue;
    }
    if (*at || (o->asked && is_node_formal(y->decl))) continue;
    for (int k = 0; k < a.nmember; k++) a.one = a.one || !isnan(a.member[k]);
    if (o->use == SET_UNKNOWN) o->use = SET_COMPILED;   // unless it turns out to be stored under this name
    check_members(y, a.member, a.nmember, o);
    vec_push(&found, a);
  }
  y->nset = (int)found.n;
  y->set = vec_freeze(e->a, &found);
}

static void refuse(const Symbol *y, SetAt *a, const char *what) {
  a->from->use = SET_NO_MEMBER;
  a->from->what = arena_strndup(y->env.e->a, what, strlen(what));
}

// Elements that are there, of arrays only.
static void check_elements(const Symbol *y, int ndim, const int *dim) {
  for (int i = 0; i < y->nset; i++) {
    SetAt *a = &y->set[i];
    if (a->from->use != SET_COMPILED) continue;
    if (a->nelement == 0 && ndim > 0) refuse(y, a, "it is an array, its elements are set one by one");
    else if (a->nelement != ndim)
      refuse(y, a, ndim ? "it has another number of indices" : "it is a number and has no index");
    for (int k = 0; k < a->nelement && a->nelement == ndim; k++)
      if (!(a->element[k] >= 1 && a->element[k] <= dim[k] && a->element[k] == floor(a->element[k])))
        refuse(y, a, arena_printf(y->env.e->a, "its indices run from 1 to %d", dim[k]));
  }
}

// --- writing it into values ---

static bool unit_fits(const Symbol *y, const SetAt *a) {
  Override *o = a->from;
  if (o->asked) return true;
  bool fits = !o->has_unit || (y->unit.state == UNIT_KNOWN ? unit_compatible(y->unit, o->unit)
                                                           : unit_compatible(o->unit, UNIT_ONE) && o->unit.scale == 1);
  if (!fits) o->use = SET_UNIT;
  else if (!o->has_unit && unit_scaled(y->unit)) o->what = y->unit.written;
  return fits;
}

static void refuse_asked(const Symbol *y, const SetAt *a, const char *why, const char *help) {
  Span at = y->given ? y->given->a->span : y->span;
  Diag *d = diag(y->env.e->bag, DIAG_E0274, at, "`%s` is asked for as a parameter, and %s", a->from->name, why);
  diag_help(d, "%s", help);
  a->from->use = SET_VARIES;
}

// The parameter that is asked for, x of the member that it names; NULL after a message.
static MExpr *own_parameter(const Symbol *y, SetAt *a, MExpr *x) {
  Elab *e = y->env.e;
  if (a->own == 0) {
    MExpr *member[MAX_LOOPS];
    for (int k = 0; k < a->nmember; k++) {
      if ((x->uses & MU_LOOP) && isnan(a->member[k])) {
        const char *plain = prefixed(e, y->env.scope->plain, y->name);
        refuse_asked(y, a, "differs from member to member",
                     arena_printf(e->a, "name one of them, by its number: %s", plain));
        return NULL;
      }
      member[k] = mx_num(e->a, a->member[k], x->span);
    }
    Unit u = y->unit, written;
    (void)declared_unit(e, y->decl, &written);
    if (written.state == UNIT_KNOWN) u.scale = written.scale;
    a->own = 1 + push_param(e, a->from->name, mx_subst(e->a, x, member, a->nmember), u, y);
  }
  return mx_param(e->a, a->own - 1, NULL, 0, x->span);
}

// if the loops are those of the member then what is set else x; by: what stands for the loops, of: x of the member
static MExpr *chosen(const Symbol *y, SetAt *a, MExpr *const *by, MExpr *x, MExpr *of) {
  Arena *m = y->env.e->a;
  MExpr *number = a->from->asked ? own_parameter(y, a, of) : mx_num(m, a->from->value, x->span), *all = NULL;
  if (!number) return x;
  for (int k = 0; k < a->nmember; k++) {
    if (isnan(a->member[k])) continue;
    MExpr *here = mx_2(m, MOP_EQ, by[k], mx_num(m, a->member[k], x->span), x->span);
    all = all ? mx_2(m, MOP_AND, all, here, x->span) : here;
  }
  return all ? mx_op(m, MOP_IF, (MExpr *[]){all, number, x}, 3, x->span) : number;
}

static int offset_of(const SetAt *a, const int *dim) {
  int at = 0;
  for (int k = 0; k < a->nelement; k++) at = at * dim[k] + (int)a->element[k] - 1;
  return at;
}

static bool is_element(const SetAt *a, const int *dim, int ndim, int offset) {
  return a->nelement == 0 || (a->nelement == ndim && offset_of(a, dim) == offset);
}

Value set_value(const Symbol *y, Value v) {
  Arena *m = y->env.e->a;
  MExpr *own[MAX_LOOPS];
  for (int k = 0; k < MAX_LOOPS; k++) own[k] = mx_loop(m, k, v.span);
  check_elements(y, v.ndim, v.dim);
  for (int i = 0; i < y->nset; i++) {
    SetAt *a = &y->set[i];
    if (extra_uses(&v, MU_PARAM | MU_LOOP)) {
      a->from->use = SET_VARIES;
      a->from->what = computed;
      if (a->from->asked)
        refuse_asked(y, a, "changes during the run",
                     "give the model a parameter that stands in it: param U = 1; part(V = U*sin(w*time))");
      continue;
    }
    if (a->from->use != SET_COMPILED || !unit_fits(y, a)) continue;
    Value changed = v;
    changed.at = ARENA_ARRAY(m, MExpr *, value_count(&v));
    for (int k = 0; k < value_count(&v); k++)
      changed.at[k] = is_element(a, v.dim, v.ndim, k) ? chosen(y, a, own, v.at[k], v.at[k]) : v.at[k];
    v = changed;
  }
  return v;
}

// The element of a stored array that x reads, as a condition; NULL: it is always that one, or never (*never).
static MExpr *element_is(const Symbol *y, const SetAt *a, const MExpr *x, bool *never) {
  Arena *m = y->env.e->a;
  *never = false;
  if (a->nelement == 0) return NULL;
  if (x->nargs == 0) {
    *never = !is_element(a, y->dim, y->ndim, x->id - y->id);
    return NULL;
  }
  MExpr *all = NULL;
  for (int k = 0; k < x->nargs && k < a->nelement; k++) {
    MExpr *here = mx_2(m, MOP_EQ, x->arg[k], mx_num(m, a->element[k], x->span), x->span);
    all = all ? mx_2(m, MOP_AND, all, here, x->span) : here;
  }
  return all;
}

void check_sets(const Symbol *y) { check_elements(y, y->ndim, y->dim); }

Value set_stored(const Symbol *y, const Place *p, Value v) {
  if (v.bad || p->n != y->env.scope->ctx.n) return v;   // bead.g: what the whole family shares
  Arena *m = y->env.e->a;
  for (int i = 0; i < y->nset; i++) {
    SetAt *a = &y->set[i];
    if (!a->one || a->from->use != SET_COMPILED || !unit_fits(y, a)) continue;
    for (int k = 0; k < value_count(&v); k++) {
      bool never;
      MExpr *x = v.at[k], *read = x;
      while (read->kind == MX_OP && read->op == MOP_IF) read = read->arg[2];   // set before
      MExpr *element = element_is(y, a, read, &never);
      if (never) continue;
      MExpr *of = mx_param(m, y->id + offset_of(a, y->dim), NULL, 0, x->span), *member = chosen(y, a, p->by, x, of);
      v.at[k] = element ? mx_op(m, MOP_IF, (MExpr *[]){element, member, x}, 3, x->span) : member;
    }
  }
  return v;
}

// --- the verdict ---

static const char *without_indices(Elab *e, const char *name) {
  Text t = {0};
  int depth = 0;
  for (const char *s = name; *s; s++) {
    depth += *s == '[';
    if (!depth) text_addc(&t, *s);
    depth -= *s == ']';
  }
  const char *plain = arena_strndup(e->a, text_str(&t), strlen(text_str(&t)));
  text_free(&t);
  return plain;
}

// Is it a quantity that the run computes? what: that it starts somewhere.
static bool is_computed(Elab *e, Override *o, const char *plain) {
  size_t n = strcspn(plain, "'");                          // x' is computed, as x is
  for (size_t i = 0; i < e->symbols.n; i++) {
    const Symbol *y = e->symbols.at[i];
    if (y->kind != SY_VARIABLE && y->kind != SY_VAR && y->kind != SY_OUTPUT) continue;
    const char *name = prefixed(e, y->env.scope->param_path, y->name);
    if (strlen(name) != n || strncmp(name, plain, n) != 0) continue;
    o->use = SET_VARIES;
    o->what = y->var_kind == MV_INPUT    ? "is an input: --input NAME=FILE, or a number in the model"
              : y->kind == SY_VARIABLE ? "changes during the run, the model computes it; where it starts can be a "
                                         "parameter"
                                       : computed;
    return true;
  }
  return false;
}

// Entries of a body, numbers of the laws of a contact: what gives them a name. NULL: it is none of them.
static const char *name_for(const Elab *e, const char *plain) {
  for (size_t i = 0; i < e->symbols.n; i++) {
    const Symbol *y = e->symbols.at[i];
    bool body = y->kind == SY_INSTANCE && y->decl->kind == AST_BODY, row = y->kind == SY_ROW || y->kind == SY_TOUCH;
    if (!body && !row) continue;
    const char *name = prefixed(y->env.e, y->env.scope->param_path, y->name);
    size_t n = strlen(name);
    if (strncmp(plain, name, n) != 0 || plain[n] != '.') continue;
    return body ? "; what a body has is set by a parameter: param m = 2; body b { mass = m }"
                : "; what a contact has is set by a parameter: param e = 0.5; contact c: x >= 0 with newton(e)";
  }
  return NULL;
}

// Of names that nothing has: what may be meant.
static const char *near_name(Elab *e, const Override *o, const char *plain, const char *const *names, size_t n) {
  char meant[200];
  const char *of_part = name_for(e, plain);
  if (of_part) return of_part;
  for (size_t k = 0; k < n && strcmp(plain, o->name); k++)   // only the indices are wrong
    if (strcmp(names[k], plain) == 0) return arena_printf(e->a, "; did you mean `%s`?", plain);
  suggest_any(plain, names, n, meant, sizeof meant);
  return arena_strndup(e->a, meant, strlen(meant));
}

// A name that the model stores is taken when the run starts; one that nothing matched gets a suggestion.
void classify_sets(Elab *e) {
  Vec(const char *) names = {0};
  for (size_t i = 0; i < e->symbols.n; i++) {
    const Symbol *y = e->symbols.at[i];
    if ((y->kind == SY_PARAM || y->kind == SY_FORMAL) && !is_node_formal(y->decl))
      vec_push(&names, prefixed(e, y->env.scope->param_path, y->name));
  }
  for (size_t i = 0; i < e->sets.n; i++) {
    Override *o = e->sets.at[i];
    for (size_t k = 0; k < e->param.n; k++)
      if (strcmp(e->param.at[k].name, o->name) == 0) {
        o->use = o->asked ? SET_COMPILED : SET_STORED;
        o->what = unit_shown(e->a, e->param.at[k].unit, e->param.at[k].unit_text);
      }
    const char *plain = without_indices(e, o->name);
    if (o->use == SET_UNKNOWN && !is_computed(e, o, plain)) o->what = near_name(e, o, plain, names.at, names.n);
  }
  vec_free(&names);
}
