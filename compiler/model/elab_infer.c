// Units of parameters that were declared without one: one name has one unit. Wherever two units meet, in sums,
// comparisons, equations, arguments, what is known of them is kept as a row: a product of powers of names and of a
// known unit that has no dimension. A row with one name left gives that name its unit [Kennedy 1997]; a row with none
// left and a dimension is a contradiction (W0803). In doubt it is silent: arrays, variables without a unit and factors
// of more than three names are no part of it.
#include <math.h>

#include "elab.h"

void unit_by_name(Symbol *y) {
  Elab *e = y->env.e;
  if (!e->has_units || y->unit.state != UNIT_UNKNOWN) return;
  Unit own = unit_of_name((int)e->unit_name.n + 1);
  if (!unit_named_by(own)) return;
  vec_push(&e->unit_name, y->id);
  (void)units_meet(e, own, y->unit, e->param.at[y->id].value ? e->param.at[y->id].value->span : y->span);
  y->unit = own;
}

bool units_meet(Elab *e, Unit a, Unit b, Span at) {
  if (!unit_compatible(a, b)) return false;
  if (!unit_named_by(a) && !unit_named_by(b)) return true;
  if ((a.state != UNIT_KNOWN && !unit_named_by(a)) || (b.state != UNIT_KNOWN && !unit_named_by(b))) return true;
  UnitRow r = { unit_div(unit_plain(a), unit_plain(b)), at };
  if (unit_named_by(r.one)) vec_push(&e->unit_row, r);
  return true;
}

// --- the solution ---

typedef struct Known { bool known, fresh, reported; Unit unit; int row; } Known;   // fresh: learnt in this pass
typedef struct Inference { Elab *e; Known *name; char *used; } Inference;

// The row with all that is known put in, but for the name `left`. Returns how many names stay; *last is one of them.
static int put_in(const Inference *f, const UnitRow *r, int left, Unit *out, UnitName *last) {
  int n = 0;
  *out = r->one;
  out->state = UNIT_KNOWN;
  for (int k = 0; k < UNIT_NAMES; k++) out->by[k] = (UnitName){ 0, 0 };
  for (int k = 0; k < UNIT_NAMES && r->one.by[k].id; k++) {
    UnitName by = r->one.by[k];
    Unit power;
    if (!f->name[by.id].known || by.id == left) {
      *last = by;
      n++;
    } else if (unit_pow(f->name[by.id].unit, by.twice/2.0, &power)) *out = unit_mul(*out, power);
    else *out = UNIT_ANY;
  }
  return n;
}

// What the row asks of its name `by`, where the rest of it is `rest`: by^p * rest = 1.
static bool asked(Unit rest, UnitName by, Unit *out) {
  return rest.state == UNIT_KNOWN && unit_pow(rest, -2.0/by.twice, out) && out->state == UNIT_KNOWN;
}

static const char *text_of(const Elab *e, Unit u) {
  Text t = {0};
  unit_print_composed(u, &t);
  const char *s = arena_strndup(e->a, text_str(&t), t.n);
  text_free(&t);
  return s;
}

static const MParam *param_of(const Elab *e, int id) { return &e->param.at[e->unit_name.at[id - 1]]; }

static void contradiction(const Inference *f, int row, UnitName by, Unit here) {
  Elab *e = f->e;
  Known *k = &f->name[by.id];
  const UnitRow *r = &e->unit_row.at[row];
  const char *name = param_of(e, by.id)->name, *one = text_of(e, here), *other = text_of(e, k->unit);
  k->reported = true;
  Diag *d = diag(e->bag, DIAG_W0803, r->at, "`%s` has no unit and is used in two: %s and %s", name, other, one);
  diag_label(d, "this asks for %s", one);
  diag_also(d, e->unit_row.at[k->row].at, "this asks for %s", other);
  diag_also(d, param_of(e, by.id)->span, "declared without a unit");
  for (int i = 0; i < UNIT_NAMES && r->one.by[i].id; i++) {
    const Known *with = &f->name[r->one.by[i].id];
    if (with != k && with->known && with->row != k->row)
      diag_also(d, e->unit_row.at[with->row].at, "this asks for `%s` in %s", param_of(e, r->one.by[i].id)->name,
                text_of(e, with->unit));
  }
  diag_help(d, "give `%s` its unit, [%s] or [%s]; at the other place another parameter is meant", name, other, one);
}

static void verify(const Inference *f, int row) {
  const UnitRow *r = &f->e->unit_row.at[row];
  for (int k = 0; k < UNIT_NAMES && r->one.by[k].id; k++) {
    UnitName by = r->one.by[k], last;
    Unit rest, here;
    if (f->name[by.id].reported || put_in(f, r, by.id, &rest, &last) != 1 || !asked(rest, by, &here)) return;
    if (unit_compatible(here, f->name[by.id].unit)) return;
    if (k + 1 < UNIT_NAMES && r->one.by[k + 1].id && f->name[by.id].row == row) continue;
    contradiction(f, row, by, here);
    return;
  }
}

// In passes, so that what one row says by itself comes before what several say together. False: it has to wait.
static bool learn(const Inference *f, int row) {
  Unit rest;
  UnitName by = {0, 0};
  const UnitRow *r = &f->e->unit_row.at[row];
  int n = put_in(f, r, 0, &rest, &by);
  if (n > 1) return false;
  Known *k = &f->name[by.id];
  if (n == 1 && k->fresh) return true;                    // checked in the next pass
  f->used[row] = 1;
  if (n == 0) return verify(f, row), true;
  k->fresh = asked(rest, by, &k->unit);
  k->unit = unit_plain(k->unit);
  k->row = row;
  return true;
}

// What editors show behind names without a unit; not where a unit stands in the value.
static void note_units(const Inference *f) {
  Elab *e = f->e;
  for (size_t i = 0; i < e->symbols.n; i++) {
    const Symbol *y = e->symbols.at[i];
    const Ast *decl = y->decl;
    bool quantity = y->kind == SY_PARAM || y->kind == SY_FORMAL || y->kind == SY_VARIABLE || y->kind == SY_VAR;
    if (!quantity || y->progress != DONE || !decl || decl->kind != AST_DECL || decl->unit) continue;
    if (decl->a && (decl->a->kind == AST_NUMBER || decl->a->kind == AST_VECTOR) && decl->a->unit) continue;
    UnitRow by_names = { y->kind == SY_VAR ? y->value.unit : y->unit, y->span };
    Unit u = by_names.one;
    UnitName last;
    if (unit_named_by(u) && put_in(f, &by_names, 0, &u, &last) > 0) continue;
    if (u.state == UNIT_KNOWN && !unit_compatible(u, UNIT_ONE)) vec_push(&e->named_unit, ((MNamedUnit){ y->span, u }));
  }
}

void infer_units(Elab *e) {
  Inference f = { e, ARENA_ARRAY(e->a, Known, e->unit_name.n + 1), ARENA_ARRAY(e->a, char, e->unit_row.n + 1) };
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < e->unit_row.n; i++)
      if (!f.used[i] && learn(&f, (int)i)) more = true;
    for (size_t i = 1; i <= e->unit_name.n; i++) {
      f.name[i].known = f.name[i].known || f.name[i].fresh;
      f.name[i].fresh = false;
    }
  }
  for (size_t i = 0; i < e->unit_name.n; i++)
    if (f.name[i + 1].known && !f.name[i + 1].reported) e->param.at[e->unit_name.at[i]].inferred = f.name[i + 1].unit;
  if (e->has_units) note_units(&f);
}
