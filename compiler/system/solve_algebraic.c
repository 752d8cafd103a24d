// Linear algebraic equations that are solved when compiling: an unknown x of an equation c x + r = 0 with a constant c
// is replaced by -r/c wherever it is read (docs/numerics/circuits.md, section 3). What is left after that are the free
// rows that determine something only together with other laws, and those where it would make the system denser.
//
// A pivot is taken by Markowitz' rule [Markowitz 1957]: with k variables in the row and u other places that read x,
//
//   growth = (k - 1) u - u - k
//
// is what elimination adds to the number of entries. The least growth goes first, and only what adds nothing is done.
// A complementarity 0 <= y perp l >= 0 is the same as 0 <= l perp y >= 0. Where a row without a pivot reads l, as the
// balance of a node at diodes reads their currents, and y reads an unknown x, both are exchanged: with the new
// multiplier p = y,
//
//   c l + r = 0,  y = a x + s     ->     l = -r/c,  x = (p - s)/a,  0 <= l perp p >= 0
//
// and a free row of the one-step problem is gone. Where many rows are left, or families of them, they are no rows of
// that problem: their unknowns become states without inertia, rows of the smooth system that hold at the end of the
// step. Nothing that bends is put into what bends. Equations and unknowns in loops are not solved here: families stay
// families.
#include <math.h>
#include <string.h>
#include "../base/fatal.h"
#include "../base/vec.h"
#include "derive.h"

enum { MOST_NODES = 400, LARGEST_GROWTH = 0, LARGEST_EXCHANGE = 4 };
static const double small_pivot = 1e-3;      // beside the largest coefficient of an unknown in the row
static const double cancelled = 1e-9;        // what round-off leaves of a coefficient's terms, with room

typedef Vec(int) Rows;

typedef struct Solving {
  Deriver *d;
  int   n;
  int  *relation;            // [n] of the model
  bool *law;                 // [n] a complementarity; else a free row
  Ex   *row;                 // [n] y; EX_NONE: used
  double *scale;             // [n] the largest coefficient of an unknown that it ever had
  int   nunknown;            // algebraic ones, and multipliers of the complementarities
  int  *symbol, *var;        // [nunknown]
  int  *law_of;              // [nunknown] row of its complementarity; -1: algebraic
  int  *of_symbol;           // symbol -> unknown, -1
  int   nsymbol;
  Rows *readers;             // [nunknown] all rows that read it are among them
  long *uses;                // [nunknown] statements that read it, with what is replaced by others
  int   nsolved;
  int  *order;               // [nsolved] unknowns as they were solved
  Ex   *value;               // [nunknown] EX_NONE: not solved
} Solving;

static void count_uses(const MExpr *x, long *uses, int *mark, int statement) {
  if (!x || !(x->uses & MU_LAMBDA)) return;
  if (x->kind == MX_VAR && mark[x->id] != statement) {
    mark[x->id] = statement;
    uses[x->id]++;
  }
  for (int i = 0; i < x->nargs; i++) count_uses(x->arg[i], uses, mark, statement);
}

// Free rows and complementarities without loops.
static bool followed(const MRelation *r) {
  if (r->ctx.n || r->lambda->nargs || lower_is_large(r->y)) return false;
  return r->algebraic || (r->law == ML_NONNEG && !r->asserted);
}

static void add_unknown(Solving *v, int var, long uses, int law) {
  int i = v->nunknown++;
  v->var[i] = var;
  v->uses[i] = uses;
  v->law_of[i] = law;
  v->symbol[i] = symtab_id(v->d->sys->sym, (Sym){ .kind = SYM_VALUE, .id = var });
}

static void open_unknowns(Solving *v) {
  const Model *m = v->d->sys->model;
  Arena *a = v->d->arena;
  long *uses = ARENA_ARRAY(a, long, m->nvar + 1);
  int *mark = ARENA_ARRAY(a, int, m->nvar + 1), statement = 0;
  for (int i = 0; i < m->nequation; i++) {
    statement++;
    count_uses(m->equation[i].lhs, uses, mark, statement);
    count_uses(m->equation[i].rhs, uses, mark, statement);
  }
  for (int i = 0; i < m->nrelation; i++) {
    const MRelation *r = &m->relation[i];
    statement++;
    if (followed(r)) continue;
    count_uses(r->y, uses, mark, statement);
    count_uses(r->lo, uses, mark, statement);
    count_uses(r->hi, uses, mark, statement);
  }
  v->symbol = ARENA_ARRAY(a, int, m->nvar + 1);
  v->var = ARENA_ARRAY(a, int, m->nvar + 1);
  v->law_of = ARENA_ARRAY(a, int, m->nvar + 1);
  v->uses = ARENA_ARRAY(a, long, m->nvar + 1);
  v->value = ARENA_ARRAY(a, Ex, m->nvar + 1);
  v->order = ARENA_ARRAY(a, int, m->nvar + 1);
  for (int i = 0; i < m->nvar; i++)
    if (m->var[i].algebraic && !m->var[i].ndim) add_unknown(v, i, uses[i], -1);
  if (!v->nunknown) return;
  v->relation = ARENA_ARRAY(a, int, m->nrelation + 1);
  v->law = ARENA_ARRAY(a, bool, m->nrelation + 1);
  for (int i = 0; i < m->nrelation; i++) {
    const MRelation *r = &m->relation[i];
    if (!followed(r)) continue;
    v->law[v->n] = !r->algebraic;
    if (!r->algebraic) add_unknown(v, r->lambda->id, uses[r->lambda->id], v->n);
    v->relation[v->n++] = i;
  }
}

static int unknown_of(const Solving *v, int id) { return id < v->nsymbol ? v->of_symbol[id] : -1; }

// |dy/dx| where it is a constant, else nan.
static double slope(const Solving *v, Ex y, int symbol) {
  System *s = v->d->sys;
  Ex c = ex_diff(s->pool, y, symbol);
  return stage_of(s, c) <= STAGE_CONST ? fabs(value_of(s, c, NULL, 0)) : NAN;
}

static double largest_slope(const Solving *v, Ex y) {
  const int *ids;
  double largest = 0;
  for (int i = ex_symbols(v->d->sys->pool, y, &ids); i-- > 0;)
    if (unknown_of(v, ids[i]) >= 0) largest = fmax(largest, slope(v, y, ids[i]));
  return largest;
}

static void note_readers(Solving *v, Ex e, int row) {
  const int *ids;
  for (int n = ex_symbols(v->d->sys->pool, e, &ids); n-- > 0;) {
    int x = unknown_of(v, ids[n]);
    if (x < 0) continue;
    Rows *of = &v->readers[x];
    if (of->n == 0 || of->at[of->n - 1] != row) vec_push(of, row);
  }
}

static void open_rows(Solving *v) {
  System *s = v->d->sys;
  v->row = ARENA_ARRAY(v->d->arena, Ex, v->n + 1);
  for (int i = 0; i < v->n; i++) v->row[i] = lower_expr(s, s->model->relation[v->relation[i]].y);
  v->nsymbol = symtab_size(s->sym);
  v->of_symbol = ARENA_ARRAY(v->d->arena, int, v->nsymbol + 1);
  for (int i = 0; i < v->nsymbol; i++) v->of_symbol[i] = -1;
  for (int i = 0; i < v->nunknown; i++) v->of_symbol[v->symbol[i]] = i;
  v->scale = ARENA_ARRAY(v->d->arena, double, v->n + 1);
  for (int i = 0; i < v->n; i++) v->scale[i] = largest_slope(v, v->row[i]);
  v->readers = ARENA_ARRAY(v->d->arena, Rows, v->nunknown + 1);
  for (int i = 0; i < v->n; i++) note_readers(v, v->row[i], i);
}

static bool moving(int id, void *system) {
  const Sym *y = symtab_at(((System *)system)->sym, id);
  return y->kind == SYM_VALUE || y->kind == SYM_RATE;
}

// The coefficient of an unknown in row `at`, and its size; EX_NONE where it is not a constant other than 0, or what
// rounding has left of terms that cancelled.
static Ex coefficient(Solving *v, int at, int symbol, double *size) {
  *size = slope(v, v->row[at], symbol);
  return *size > cancelled * v->scale[at] && isfinite(*size) ? ex_diff(v->d->sys->pool, v->row[at], symbol) : EX_NONE;
}

// Does y bend along a symbol: does its coefficient move with what moves?
static bool bends_along(const Solving *v, Ex y, int symbol) {
  System *s = v->d->sys;
  return stage_of(s, ex_diff(s->pool, y, symbol)) >= STAGE_STATE;
}

static bool bends(const Solving *v, Ex y) {
  const int *ids;
  for (int n = ex_symbols(v->d->sys->pool, y, &ids); n-- > 0;)
    if (moving(ids[n], v->d->sys) && bends_along(v, y, ids[n])) return true;
  return false;
}

// Would a curve be put into a curve, the exponential of one diode into that of the next? Newton's method finds no way
// there, and rounding of the one is what the other acts on.
static bool nests(const Solving *v, int at, int x) {
  if (!bends(v, v->row[at])) return false;
  for (size_t k = 0; k < v->readers[x].n; k++) {
    int i = v->readers[x].at[k];
    if (i != at && v->row[i] != EX_NONE && ex_depends(v->d->sys->pool, v->row[i], v->symbol[x]) &&
        bends_along(v, v->row[i], v->symbol[x])) return true;
  }
  return false;
}

// The best unknown of a row; its growth, or a large number where there is none.
static long best_of_row(Solving *v, int at, const long *rows_with, int *best) {
  System *s = v->d->sys;
  const int *ids;
  int n = ex_symbols(s->pool, v->row[at], &ids), k = 0;
  double largest = 0, size;
  for (int i = 0; i < n; i++) {
    k += moving(ids[i], s);
    if (unknown_of(v, ids[i]) < 0 || v->law_of[unknown_of(v, ids[i])] >= 0) continue;
    largest = fmax(largest, slope(v, v->row[at], ids[i]));
  }
  long least = LARGEST_GROWTH + 1;
  for (int i = 0; i < n; i++) {
    int x = unknown_of(v, ids[i]);
    if (x < 0 || v->law_of[x] >= 0 || coefficient(v, at, ids[i], &size) == EX_NONE) continue;
    if (size != 1 && !(size >= small_pivot * largest)) continue;
    long u = rows_with[x] - 1 + v->uses[x], growth = (k - 1) * u - u - k;
    if (growth >= least || nests(v, at, x)) continue;
    least = growth;
    *best = x;
  }
  return least;
}

// Unknown x stands for this value from now on. reach: the largest coefficient that its terms had.
static void replace(Solving *v, int x, Ex value, double reach) {
  Pool *p = v->d->sys->pool;
  int id = v->symbol[x];
  v->value[x] = value;
  v->order[v->nsolved++] = x;
  for (size_t k = 0; k < v->readers[x].n; k++) {
    int i = v->readers[x].at[k];
    if (v->row[i] == EX_NONE || !ex_depends(p, v->row[i], id)) continue;
    v->scale[i] = fmax(v->scale[i], slope(v, v->row[i], id) * reach);
    v->row[i] = ex_subst(p, v->row[i], &id, &value, 1);
    note_readers(v, value, i);
  }
  const int *ids;
  int n = ex_symbols(p, value, &ids);
  for (int i = 0; i < n; i++)
    if (unknown_of(v, ids[i]) >= 0) v->uses[unknown_of(v, ids[i])] += v->uses[x];
}

// x from row `at` = equal, where its coefficient is a constant.
static Ex solved_for(Solving *v, int at, int x, Ex equal, double *reach) {
  Pool *p = v->d->sys->pool;
  double size;
  int id = v->symbol[x];
  Ex c = coefficient(v, at, id, &size), zero = ex_num(p, 0);
  *reach = v->scale[at] / size;
  return ex_div(p, ex_sub(p, equal, ex_subst(p, v->row[at], &id, &zero, 1)), c);
}

static void solve_row(Solving *v, int at, int x) {
  double reach;
  v->d->sys->solved_by[v->var[x]] = v->relation[at];
  Ex value = solved_for(v, at, x, ex_num(v->d->sys->pool, 0), &reach);
  v->row[at] = EX_NONE;
  replace(v, x, value, reach);
}

static void count_rows(const Solving *v, long *rows_with) {
  const int *ids;
  for (int i = 0; i < v->n; i++) {
    int n = v->row[i] == EX_NONE ? 0 : ex_symbols(v->d->sys->pool, v->row[i], &ids);
    for (int k = 0; k < n; k++)
      if (unknown_of(v, ids[k]) >= 0) rows_with[unknown_of(v, ids[k])]++;
  }
}

// Rows that read an unknown are counted anew in each round; several that do not touch each other are solved in one.
static bool round_of_pivots(Solving *v) {
  System *s = v->d->sys;
  Arena *scratch = arena_new();
  long *rows_with = ARENA_ARRAY(scratch, long, v->nunknown + 1), least = LARGEST_GROWTH + 1;
  long *growth = ARENA_ARRAY(scratch, long, v->n + 1);
  int *best = ARENA_ARRAY(scratch, int, v->n + 1);
  const int *ids;
  double size;
  count_rows(v, rows_with);
  for (int i = 0; i < v->n; i++) {
    growth[i] = v->row[i] == EX_NONE || v->law[i] || ex_tree_size(s->pool, v->row[i]) > MOST_NODES
                    ? LARGEST_GROWTH + 1 : best_of_row(v, i, rows_with, &best[i]);
    if (growth[i] < least) least = growth[i];
  }
  bool any = false;
  char *touched = ARENA_ARRAY(scratch, char, v->nunknown + 1);
  for (int i = 0; i < v->n && least <= LARGEST_GROWTH; i++) {
    if (growth[i] != least || !ex_depends(s->pool, v->row[i], v->symbol[best[i]]) ||
        coefficient(v, i, v->symbol[best[i]], &size) == EX_NONE) continue;       // of what was solved in this round
    int n = ex_symbols(s->pool, v->row[i], &ids);
    bool free = true;
    for (int k = 0; k < n; k++) free = free && (unknown_of(v, ids[k]) < 0 || !touched[unknown_of(v, ids[k])]);
    if (!free) continue;
    for (int k = 0; k < n; k++)
      if (unknown_of(v, ids[k]) >= 0) touched[unknown_of(v, ids[k])] = 1;
    solve_row(v, i, best[i]);
    any = true;
  }
  arena_free(scratch);
  return any;
}

// --- exchanges ---

typedef struct Exchange { int row, law, l, x; long growth; } Exchange;

static long variables_in(const Solving *v, Ex e) {
  const int *ids;
  long k = 0;
  for (int n = ex_symbols(v->d->sys->pool, e, &ids); n-- > 0;) k += moving(ids[n], v->d->sys);
  return k;
}

// The unknowns of the complementarity of l that can take its place in row `at`.
static void exchanges_with(Solving *v, int at, int l, const long *rows_with, Exchange *best) {
  Pool *p = v->d->sys->pool;
  int law = v->law_of[l];
  double size;
  if (v->row[law] == EX_NONE || v->value[l] != EX_NONE || ex_depends(p, v->row[law], v->symbol[l])) return;
  if (coefficient(v, at, v->symbol[l], &size) == EX_NONE) return;
  const int *ids;
  int n = ex_symbols(p, v->row[law], &ids);
  for (int i = 0; i < n; i++) {
    int x = unknown_of(v, ids[i]);
    if (x < 0 || v->law_of[x] >= 0 || ex_depends(p, v->row[at], ids[i])) continue;
    if (coefficient(v, law, ids[i], &size) == EX_NONE) continue;
    long k = variables_in(v, v->row[at]), m = variables_in(v, v->row[law]), growth =
        (k - 1) * (rows_with[l] - 1 + v->uses[l]) + (m - 1) * (rows_with[x] - 1 + v->uses[x]) - k - m;
    if (growth < best->growth) *best = (Exchange){ at, law, l, x, growth };
  }
}

// The multiplier p = y of a complementarity that was exchanged: a variable of its own.
static int new_multiplier(Solving *v, int law) {
  System *s = v->d->sys;
  Model *m = ARENA_NEW(v->d->arena, Model);
  const MRelation *r = &s->model->relation[v->relation[law]];
  *m = *s->model;
  m->var = ARENA_ARRAY(v->d->arena, MVar, m->nvar + 1);
  memcpy(m->var, s->model->var, (size_t)m->nvar * sizeof *m->var);
  const char *name = arena_printf(v->d->arena, "%s.y", r->name);
  m->var[m->nvar] = (MVar){ .kind = MV_MULTIPLIER, .name = name, .plain = name, .unit = UNIT_ANY, .span = r->y_span };
  s->model = m;
  return m->nvar++;
}

static bool exchange(Solving *v) {
  System *s = v->d->sys;
  Exchange best = { .growth = LARGEST_EXCHANGE + 1 };
  Arena *scratch = arena_new();
  long *rows_with = ARENA_ARRAY(scratch, long, v->nunknown + 1);
  count_rows(v, rows_with);
  for (int i = 0; i < v->n; i++) {
    if (v->law[i] || v->row[i] == EX_NONE || ex_tree_size(s->pool, v->row[i]) > MOST_NODES) continue;
    const int *ids;
    int n = ex_symbols(s->pool, v->row[i], &ids);
    for (int k = 0; k < n; k++) {
      int l = unknown_of(v, ids[k]);
      if (l >= 0 && v->law_of[l] >= 0) exchanges_with(v, i, l, rows_with, &best);
    }
  }
  arena_free(scratch);
  if (best.growth > LARGEST_EXCHANGE) return false;
  int number = new_multiplier(v, best.law);
  Ex p = ex_sym(s->pool, symtab_id(s->sym, (Sym){ .kind = SYM_VALUE, .id = number }));
  double reach_l, reach_x;
  Ex l = solved_for(v, best.row, best.l, ex_num(s->pool, 0), &reach_l);
  Ex x = solved_for(v, best.law, best.x, p, &reach_x);
  v->row[best.row] = EX_NONE;
  v->row[best.law] = l;
  note_readers(v, l, best.law);
  v->scale[best.law] = reach_l;
  s->row_unknown[v->relation[best.law]] = number;
  replace(v, best.l, l, reach_l);
  replace(v, best.x, x, reach_x);
  v->law_of[best.l] = best.law;
  return true;
}

// --- all ---

// An equation whose unknown may have been solved from another one: without loops, followed or too large for that.
static bool is_scalar_equation(const MRelation *r) { return r->algebraic && !r->ctx.n && !r->lambda->nargs; }

// What is left: each remaining equation with one of the remaining unknowns, its own one where that is still there.
static void remaining(Solving *v) {
  System *s = v->d->sys;
  const Model *m = s->model;
  char *taken = ARENA_ARRAY(v->d->arena, char, m->nvar + 1), *used = ARENA_ARRAY(v->d->arena, char, m->nrelation + 1);
  for (int i = 0; i < v->n; i++) {
    s->row_left[v->relation[i]] = v->row[i];
    used[v->relation[i]] = v->row[i] == EX_NONE;
  }
  for (int i = 0; i < m->nrelation; i++) {
    if (!is_scalar_equation(&m->relation[i])) continue;
    int own = s->row_unknown[i];
    if (used[i] || s->solved[own] != EX_NONE) s->row_unknown[i] = -1;
    else taken[own] = 1;
  }
  for (int i = 0, next = 0; i < m->nrelation; i++) {
    if (!is_scalar_equation(&m->relation[i]) || used[i] || s->row_unknown[i] >= 0) continue;
    while (next < v->nunknown &&
           (v->law_of[next] >= 0 || s->solved[v->var[next]] != EX_NONE || taken[v->var[next]])) next++;
    INVARIANT(next < v->nunknown);
    s->row_unknown[i] = v->var[next++];
  }
}

// Unknowns of rows that are left become states, unless they must stay rows (derive_system).
static void into_motion(Deriver *d) {
  System *s = d->sys;
  bool left = false;
  for (int i = 0; i < s->model->nrelation; i++)
    left = left || (s->model->relation[i].algebraic && s->row_unknown[i] >= 0);
  if (d->stay_rows || !left) return;
  Model *m = ARENA_NEW(d->arena, Model);
  *m = *s->model;
  m->var = ARENA_ARRAY(d->arena, MVar, m->nvar + 1);
  memcpy(m->var, s->model->var, (size_t)m->nvar * sizeof *m->var);
  for (int i = 0; i < m->nvar; i++)
    if (m->var[i].algebraic && s->solved[i] == EX_NONE) m->var[i].kind = MV_STATE;
  s->model = m;
  s->algebraic_states = true;
}

void derive_algebraic(Deriver *d) {
  System *s = d->sys;
  const Model *m = s->model;
  Solving v = { .d = d };
  s->solved = ARENA_ARRAY(d->arena, Ex, 2 * m->nvar + 1);   // exchanges add variables, less than there are
  s->solved_by = ARENA_ARRAY(d->arena, int, 2 * m->nvar + 1);
  for (int i = 0; i < m->nvar; i++) s->solved_by[i] = -1;
  s->row_unknown = ARENA_ARRAY(d->arena, int, m->nrelation + 1);
  s->row_left = ARENA_ARRAY(d->arena, Ex, m->nrelation + 1);
  for (int i = 0; i < m->nrelation; i++) s->row_unknown[i] = m->relation[i].lambda->id;
  open_unknowns(&v);
  if (!v.nunknown) return;
  open_rows(&v);
  do {
    while (round_of_pivots(&v)) { }
  } while (exchange(&v));
  // the last one solved reads no other; backwards each is written without those that came later
  int *ids = ARENA_ARRAY(d->arena, int, v.nsolved + 1);
  Ex *by = ARENA_ARRAY(d->arena, Ex, v.nsolved + 1);
  for (int i = v.nsolved; i-- > 0;) {
    int x = v.order[i], n = 0;
    const int *read;
    for (int k = ex_symbols(s->pool, v.value[x], &read); k-- > 0;) {
      int y = unknown_of(&v, read[k]);
      if (y < 0 || s->solved[v.var[y]] == EX_NONE) continue;
      ids[n] = read[k];
      by[n++] = s->solved[v.var[y]];
    }
    s->solved[v.var[x]] = ex_subst(s->pool, v.value[x], ids, by, n);
  }
  for (int i = 0; i < v.nunknown; i++) vec_free(&v.readers[i]);
  remaining(&v);
  into_motion(d);
  for (int i = 0; i < 3; i++) s->lowered[i] = map_new(d->arena);     // made with the unknowns as they were
  s->lowered_whole = map_new(d->arena);
}
