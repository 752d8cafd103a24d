// Loops run at the values of the parameters known now; the runtime compares the tables with its own before it uses the
// result, so nothing here has to be believed.
#include <math.h>
#include <string.h>
#include "written.h"

typedef struct Job { Written *w; int *base, *size; bool failed; double loop[MAX_INDICES]; } Job;   // base [nvar]

static double number(const Job *j, Ex e) { return value_of(j->w->sys, e, j->loop, MAX_INDICES); }

// A size, which no parameter changes later: made of numbers, outer loops and parameters that are fixed now.
static double size(Job *j, Ex e) {
  const int *ids;
  int n = ex_symbols(j->w->pool, e, &ids);
  for (int i = 0; i < n; i++) {
    const Sym *y = symtab_at(j->w->sys->sym, ids[i]);
    if (y->kind != SYM_LOOP && !(y->kind == SYM_PARAM && j->w->sys->model->param[y->id].structural)) j->failed = true;
  }
  return number(j, e);
}

static bool whole_number(double x) { return x == floor(x) && fabs(x) < 1e6; }

// ---- variables: contiguous by kind, in the order of their declarations, elements row-major --------------------------
static long elements(Job *j, int var) {
  const MVar *m = &j->w->sys->model->var[var];
  double n = 1;
  for (int k = 0; k < m->ndim; k++) {
    double lo = size(j, j->w->sys->var_lo[k][var]), hi = size(j, j->w->sys->var_hi[k][var]);
    if (!whole_number(lo) || !whole_number(hi)) { j->failed = true; return 0; }
    n *= hi >= lo ? hi - lo + 1 : 0;
  }
  return (long)fmin(n, 1e6);
}

// What steps take as constants stands in one array, in this order (runtime/assembly/setup.c); 0: an unknown.
enum { HELD = 4 };
static int held_order(const MVar *v) {
  switch (v->kind) {
  case MV_DISCRETE: return v->by_time || v->hidden ? 2 : 1;
  case MV_GIVEN: return 3;
  case MV_INPUT: return HELD;
  default: return 0;
  }
}

static void place_variables(Job *j) {
  const Model *m = j->w->sys->model;
  Written *w = j->w;
  for (int order = 0; order <= HELD; order++)
    for (int v = 0; v < m->nvar && !j->failed; v++) {
      MVarKind kind = m->var[v].kind;
      if (kind == MV_ROW || w->sys->solved[v] != EX_NONE || held_order(&m->var[v]) != order) continue;
      int *count = order > 0 ? &w->nd : kind == MV_COORD ? &w->nq : kind == MV_STATE ? &w->nx : &w->nl;
      j->base[v] = *count;
      *count += (int)elements(j, v);
    }
  w->nz = w->nq + w->nx;
}

static int index_of(Job *j, const Slot *t) {
  const MVar *m = &j->w->sys->model->var[t->var];
  double at = 0;
  for (int k = 0; k < m->ndim; k++) {
    double lo = number(j, j->w->sys->var_lo[k][t->var]), hi = number(j, j->w->sys->var_hi[k][t->var]),
           i = number(j, t->idx[k]);
    if (!(i >= lo && i <= hi && whole_number(i))) { j->failed = true; return 0; }
    at = at * (hi - lo + 1) + i - lo;
  }
  return j->base[t->var] + (int)at;
}

// ---- instances ------------------------------------------------------------------------------------------------------
static void take_instance(Job *j, int cls, int n) {
  Written *w = j->w;
  const PlanClass *pc = &w->plan->cls[cls];
  const SysClass *c = pc->c;
  if (w->n >= WRITTEN_INSTANCES) { j->failed = true; return; }
  Instance *i = &w->at[w->n++];
  *i = (Instance){ .pc = pc, .cls = cls, .number = n, .row = -1, .l = -1 };
  memcpy(i->loop, j->loop, sizeof i->loop);
  i->slot = ARENA_ARRAY(w->arena, int, c->nslot + 1);
  for (int k = 0; k < c->nslot; k++) {
    const Slot *t = &c->slot[k];
    bool read = t->guard == EX_NONE || number(j, t->guard) != 0;
    i->slot[k] = read ? index_of(j, t) : -1;
    j->failed |= !read && t->kind == SLOT_L;
  }
  if (c->kind < CLASS_RELATION || c->kind == CLASS_OUTPUT || c->kind == CLASS_INIT || c->kind == CLASS_ASSERT) return;
  i->row = w->nrow++;
  i->l = c->lambda_slot >= 0 ? i->slot[c->lambda_slot] : j->base[c->row_var] + n;
}

static void run_loops(Job *j, int cls, int depth, int *n) {
  const SysClass *c = j->w->plan->cls[cls].c;
  if (j->failed) return;
  if (depth == c->nloop) { take_instance(j, cls, (*n)++); return; }
  double lo = size(j, c->loop[depth].lo), hi = size(j, c->loop[depth].hi);
  if (!whole_number(lo) || !whole_number(hi)) { j->failed = true; return; }
  for (double i = lo; i <= hi && !j->failed; i++) { j->loop[depth] = i; run_loops(j, cls, depth + 1, n); }
}

// A multiplier of its own for each instance of a class of rows: first all that are declared, then these, in the order
// of the variables.
static void place_rows(Job *j) {
  const Model *m = j->w->sys->model;
  for (int v = 0; v < m->nvar; v++) {
    if (m->var[v].kind != MV_ROW) continue;
    j->base[v] = j->w->nl;
    int n = 0;
    for (int k = 0; k < j->w->n; k++) {
      const SysClass *c = j->w->at[k].pc->c;
      n += c->row_var == v && (c->compliant || (c->kind >= CLASS_CONTACT && c->kind <= CLASS_FRICTION));
    }
    j->w->nl += n;
  }
  for (int k = 0; k < j->w->n; k++) {
    Instance *i = &j->w->at[k];
    if (i->row >= 0 && i->pc->c->lambda_slot < 0) i->l = j->base[i->pc->c->row_var] + i->number;
  }
}

Written *write_out(Arena *a, const Plan *p) {
  Written *w = ARENA_NEW(a, Written);
  *w = (Written){ .arena = a, .plan = p, .sys = p->sys, .pool = p->sys->pool };
  w->at = ARENA_ARRAY(a, Instance, WRITTEN_INSTANCES);
  Job j = { .w = w, .base = ARENA_ARRAY(a, int, p->sys->model->nvar + 1) };
  place_variables(&j);
  if (j.failed || w->nz == 0 || w->nz > WRITTEN_UNKNOWNS) return NULL;
  for (int c = 0; c < p->ncls && !j.failed; c++) {
    int n = 0;
    if (p->cls[c].c->kind <= CLASS_FRICTION && p->cls[c].c->kind != CLASS_OUTPUT) run_loops(&j, c, 0, &n);
  }
  if (j.failed || w->nrow > WRITTEN_ROWS) return NULL;
  place_rows(&j);
  return w;
}

// ---- expressions ----------------------------------------------------------------------------------------------------
static void set_role(Written *w, int symbol, Role r) {
  if (symbol >= w->nrole) {
    int n = 2 * symbol + 64;
    Role *more = ARENA_ARRAY(w->arena, Role, n);
    if (w->nrole) memcpy(more, w->role, (size_t)w->nrole * sizeof *more);
    w->role = more;
    w->nrole = n;
  }
  w->role[symbol] = r;
}

Role written_role(const Written *w, int symbol) {
  const Sym *y = symtab_at(w->sys->sym, symbol);
  if (y->kind == SYM_TIME) return (Role){ ROLE_TIME, AT_END, 0 };
  if (y->kind == SYM_TIME0) return (Role){ ROLE_TIME0, AT_BEGIN, 0 };
  if (y->kind == SYM_H) return (Role){ ROLE_H, AT_END, 0 };
  return symbol < w->nrole ? w->role[symbol] : (Role){ ROLE_NONE, AT_END, 0 };
}

// One symbol for each number, whatever the model calls it.
int written_symbol(Written *w, RoleKind kind, Moment m, int index) {
  static const SymKind of_value[] = { SYM_VALUE, SYM_VALUE0, SYM_VALUE_D }, of_rate[] = { SYM_RATE, SYM_RATE0,
      SYM_RATE_D };
  enum { OWN = 1 << 20 };                                        // beyond the numbers of variables
  Moment of = m < AT_OTHER ? m : AT_END;
  int other = m < AT_OTHER ? 0 : m - AT_OTHER + 1, which = kind == ROLE_TIME ? 0 : kind == ROLE_X ? 2
      : kind == ROLE_L ? 3 : 1;
  Sym y = { .kind = kind == ROLE_CONSTANT ? SYM_COLUMN : kind == ROLE_V ? of_rate[of] : of_value[of],
            .id = OWN * (4 * other + which) + index };
  int id = symtab_id(w->sys->sym, y);
  set_role(w, id, (Role){ kind, m, index });
  return id;
}

Ex written_local(Written *w) {
  enum { LOCALS = 1 << 24 };
  int id = symtab_id(w->sys->sym, (Sym){ .kind = SYM_COLUMN, .id = LOCALS + w->nlocal });
  set_role(w, id, (Role){ ROLE_LOCAL, AT_END, w->nlocal++ });
  return ex_sym(w->pool, id);
}

Ex written_at(Written *w, Ex e, Moment q, Moment z) {
  const int *ids;
  int n = ex_symbols(w->pool, e, &ids), k = 0, *from = ARENA_ARRAY(w->arena, int, n + 1);
  Ex *to = ARENA_ARRAY(w->arena, Ex, n + 1);
  for (int i = 0; i < n; i++) {
    Role r = written_role(w, ids[i]);
    int by = -1;
    if (r.moment != AT_END) continue;
    if (r.kind == ROLE_TIME && q == AT_BEGIN) by = symtab_id(w->sys->sym, (Sym){ .kind = SYM_TIME0 });
    else if ((r.kind == ROLE_Q || r.kind == ROLE_TIME) && q != AT_END) by = written_symbol(w, r.kind, q, r.index);
    else if ((r.kind == ROLE_V || r.kind == ROLE_X) && z != AT_END) by = written_symbol(w, r.kind, z, r.index);
    if (by >= 0) { from[k] = ids[i]; to[k++] = ex_sym(w->pool, by); }
  }
  return k ? ex_subst(w->pool, e, from, to, k) : e;
}

static int constant(Written *w, int cls, int instance, int column) {
  for (int k = 0; k < w->nconstant; k++) {
    const WholeConstant *c = &w->constant[k];
    if (c->cls == cls && c->instance == instance && c->column == column) return k;
  }
  if (w->nconstant == w->cap_constant) {
    int n = w->cap_constant ? 2 * w->cap_constant : 32;
    WholeConstant *more = ARENA_ARRAY(w->arena, WholeConstant, n);
    if (w->nconstant) memcpy(more, w->constant, (size_t)w->nconstant * sizeof *more);
    w->constant = more;
    w->cap_constant = n;
  }
  w->constant[w->nconstant] = (WholeConstant){ cls, instance, column };
  return w->nconstant++;
}

int written_constant(Written *w, const Instance *i, int column) { return constant(w, i->cls, i->number, column); }

// The variable of the class that a symbol is, at which moment, its rate or not; -1: none.
static int slot_of(const Written *w, const SysClass *c, int symbol, Moment *m, bool *rate) {
  static const SymKind value[] = { SYM_VALUE, SYM_VALUE0, SYM_VALUE_D }, of_rate[] = { SYM_RATE, SYM_RATE0,
      SYM_RATE_D };
  Sym y = *symtab_at(w->sys->sym, symbol);
  for (Moment k = AT_END; k <= INCREMENT; k++) {
    if (y.kind != value[k] && y.kind != of_rate[k]) continue;
    *m = k;
    *rate = y.kind == of_rate[k];
    y.kind = *rate ? SYM_RATE : SYM_VALUE;
    int now = symtab_id(w->sys->sym, y);
    for (int s = 0; s < c->nslot; s++) if ((*rate ? c->slot[s].rate : c->slot[s].value) == now) return s;
  }
  return -1;
}

Ex written(Written *w, const Instance *i, Ex e) {
  if (e == EX_NONE) return EX_NONE;
  const int *ids;
  const SysClass *c = i->pc->c;
  int n = ex_symbols(w->pool, e, &ids), *from = ARENA_ARRAY(w->arena, int, n + 1), m = 0;
  Ex *to = ARENA_ARRAY(w->arena, Ex, n + 1);
  for (int k = 0; k < n; k++) {
    const Sym *y = symtab_at(w->sys->sym, ids[k]);
    Moment when = AT_END;
    bool rate = false;
    int by = -1, slot = slot_of(w, c, ids[k], &when, &rate);
    if (y->kind == SYM_COLUMN) by = written_symbol(w, ROLE_CONSTANT, AT_END, written_constant(w, i, y->id));
    else if (slot >= 0 && c->slot[slot].kind == SLOT_D && (rate || when == INCREMENT)) {   // it is held
      from[m] = ids[k];
      to[m++] = ex_num(w->pool, 0);
    } else if (slot >= 0 && c->slot[slot].kind == SLOT_D)
      by = written_symbol(w, ROLE_CONSTANT, AT_END, constant(w, -1, i->slot[slot] < 0 ? 0 : i->slot[slot], 0));
    else if (slot >= 0) {
      static const RoleKind of_slot[] = { [SLOT_Q] = ROLE_Q, [SLOT_X] = ROLE_X, [SLOT_L] = ROLE_L };
      RoleKind kind = c->slot[slot].kind == SLOT_Q && rate ? ROLE_V : of_slot[c->slot[slot].kind];
      by = written_symbol(w, kind, when, i->slot[slot] < 0 ? 0 : i->slot[slot]);
    }
    if (by >= 0) { from[m] = ids[k]; to[m++] = ex_sym(w->pool, by); }
  }
  return m ? ex_subst(w->pool, e, from, to, m) : e;
}

Ex *written_zeros(Written *w, int n) {
  Ex *e = ARENA_ARRAY(w->arena, Ex, n + 1);
  for (int i = 0; i < n; i++) e[i] = ex_num(w->pool, 0);
  return e;
}

int written_list(const Written *w, ClassKind kind, const Instance ***list) {
  int n = 0;
  *list = ARENA_ARRAY(w->arena, const Instance *, w->n + 1);
  for (int i = 0; i < w->n; i++) if (w->at[i].pc->c->kind == kind) (*list)[n++] = &w->at[i];
  return n;
}

void written_row(Written *w, const Instance *at, Ex *rate, Ex *H) {
  const Kernel *h = &at->pc->kernel[KERNEL_H];
  *rate = written(w, at, at->pc->kernel[KERNEL_RATE].value[0]);
  for (int e = 0; e < h->n; e++) {
    int col = written_z(w, at, at->pc->c->h.at[e].col);
    if (col >= 0) H[col] = ex_add(w->pool, H[col], written(w, at, h->value[e]));
  }
}

bool written_by_impulses(const Written *w) {
  for (int i = 0; i < w->n; i++) {
    const SysClass *c = w->at[i].pc->c;
    if (c->kind == CLASS_RELATION || c->friction == MF_ROLLING) return false;
    if (c->kind == CLASS_FRICTION && (c->normal < 0 || w->plan->cls[c->normal].c->kind != CLASS_CONTACT)) return false;
    for (int r = 0; c->kind == CLASS_SMOOTH && r < c->nrow; r++)
      if (c->g && c->g[r] != EX_NONE && !ex_is_num(w->pool, c->g[r], 0)) return false;
  }
  return true;
}

bool written_rebounds(const Written *w, const Instance *contact) {
  for (int i = 0; i < w->n; i++)
    if (w->at[i].pc->c->kind == CLASS_FRICTION && w->at[i].pc->c->normal == contact->cls) return false;
  return contact->pc->e_num >= 0;
}

int written_z(const Written *w, const Instance *i, int slot) {
  int at = i->slot[slot];
  if (i->pc->c->slot[slot].kind == SLOT_D) return -1;
  return at < 0 || i->pc->c->slot[slot].kind == SLOT_L ? -1 : i->pc->c->slot[slot].kind == SLOT_X ? w->nq + at : at;
}
