// Loops run, slots bound to concrete variables, local Jacobians scattered: finite-element assembly with symbols.
#include <math.h>
#include <string.h>
#include "../base/vec.h"
#include "expand.h"

typedef struct Job {
  Arena *arena; System *sys; Expanded *x; int clip, limit;
  double loop[8];
  int cap; int *map;             // symbol id -> number in value[] / row; -1
  int map_size;
  bool overflow;
  int turns;                     // of loops, empty ones too
  int next_row;                  // row being filled
  bool elements;                 // elements of array parameters are read by index
  ExpandParts parts;
  int *seen, seen_size, instance;  // symbol id -> the last call of concrete() that met it
  bool literal;                  // the class at hand reads its variables by numbers alone: it is as it will be
} Job;

static double number(const Job *j, Ex e) { return value_of(j->sys, e, j->loop, 8); }

static int concrete_symbol(Job *j, SymKind kind, const Slot *t) {
  Sym y = { .kind = kind, .id = t->var, .nidx = t->nidx };
  for (int k = 0; k < t->nidx; k++) y.idx[k] = ex_num(j->sys->pool, number(j, t->idx[k]));
  return symtab_id(j->sys->sym, y);
}

static void see(Job *j, int id) {
  if (id >= j->seen_size) {
    int size = 2 * id + 64, *wider = ARENA_ARRAY(j->arena, int, size);
    if (j->seen_size) memcpy(wider, j->seen, (size_t)j->seen_size * sizeof *wider);
    j->seen = wider;
    j->seen_size = size;
  }
  j->seen[id] = j->instance;
}

// What symbol `id` is in the instance at hand; EX_NONE: itself. Loops are numbers, array elements their parameter.
static Ex concrete_by(Job *j, int id) {
  Pool *p = j->sys->pool;
  Sym y = *symtab_at(j->sys->sym, id);
  if (y.kind == SYM_LOOP) return ex_num(p, j->loop[y.id]);
  if (y.kind == SYM_PARAM_AT) {
    const MParam *q = &j->sys->model->param[y.id];
    double at = 0;
    for (int k = 0; k < y.nidx; k++) {
      double index = number(j, y.idx[k]);
      at = index >= 1 && index <= q->dim[k] ? at * q->dim[k] + index - 1 : NAN;   // outside where a guard excludes it
    }
    if (isnan(at)) return EX_NONE;
    return ex_sym(p, symtab_id(j->sys->sym, (Sym){ .kind = SYM_PARAM, .id = y.id + (int)at }));
  }
  if (y.kind != SYM_VALUE && y.kind != SYM_RATE) return EX_NONE;
  Slot t = { .var = y.id, .nidx = y.nidx };
  memcpy(t.idx, y.idx, sizeof t.idx);
  return ex_sym(p, concrete_symbol(j, y.kind, &t));
}

// The expressions of an instance [n], in place, EX_NONE among them: in one go, as they have much in common.
static void concrete(Job *j, Ex *e, int n) {
  Pool *p = j->sys->pool;
  int m = 0, *from = NULL, cap = 0, used = 0;
  Ex *to = NULL, *all = ARENA_ARRAY(j->arena, Ex, n + 1);
  for (int i = 0; i < n; i++) if (e[i] != EX_NONE) all[used++] = e[i];
  for (int i = 0; i < used && !j->literal; i++) {
    const int *ids;
    int count = ex_symbols(p, all[i], &ids);
    for (int k = 0; k < count; k++) {
      if (ids[k] < j->seen_size && j->seen[ids[k]] == j->instance) continue;
      see(j, ids[k]);
      Ex by = concrete_by(j, ids[k]);
      if (by == EX_NONE) continue;
      if (m == cap) {
        cap = cap ? 2 * cap : 32;
        int *more = ARENA_ARRAY(j->arena, int, cap);
        Ex *more_to = ARENA_ARRAY(j->arena, Ex, cap);
        if (m) memcpy(more, from, (size_t)m * sizeof *more), memcpy(more_to, to, (size_t)m * sizeof *more_to);
        from = more;
        to = more_to;
      }
      from[m] = ids[k];
      to[m++] = by;
    }
  }
  j->instance++;
  if (!j->literal) ex_subst_all(p, all, used, from, to, m);
  for (int i = 0, k = 0; i < n; i++) if (e[i] != EX_NONE) e[i] = ex_open(p, all[k++]);
}

static int lookup(const Job *j, int id) { return id < j->map_size ? j->map[id] : -1; }

static void remember(Job *j, int id, int number_) {
  if (id >= j->map_size) {
    int size = 2 * id + 64;
    int *map = ARENA_ARRAY(j->arena, int, size);
    for (int i = 0; i < size; i++) map[i] = i < j->map_size ? j->map[i] : -1;
    j->map = map; j->map_size = size;
  }
  j->map[id] = number_;
}

typedef void (*Visit)(Job *, const SysClass *, int cls);

enum { MOST_TURNS = 2000000 };   // of all loops: a model with more is too large, though most of its loops may be empty

static void run_loops(Job *j, const SysClass *c, int cls, int depth, Visit visit) {
  if (j->overflow) return;
  if (depth == c->nloop) { visit(j, c, cls); return; }
  double lo = number(j, c->loop[depth].lo), hi = number(j, c->loop[depth].hi);
  if (j->clip && hi > lo + j->clip - 1) { hi = lo + j->clip - 1; }
  for (double i = lo; i <= hi && !j->overflow; i++) {
    j->overflow = ++j->turns > MOST_TURNS;
    j->loop[depth] = i;
    run_loops(j, c, cls, depth + 1, visit);
  }
}

static bool is_literal(const Job *j, const SysClass *c) {
  if (c->nloop || j->elements) return false;
  for (int k = 0; k < c->nslot; k++)
    for (int i = 0; i < c->slot[k].nidx; i++)
      if (ex_operator(j->sys->pool, c->slot[k].idx[i]) != OP_NUM) return false;
  return true;
}

static void all_instances(Job *j, Visit visit) {
  for (int i = 0; i < symtab_size(j->sys->sym); i++) j->elements |= symtab_at(j->sys->sym, i)->kind == SYM_PARAM_AT;
  for (int i = 0; i < j->sys->ncls; i++) {
    const SysClass *c = &j->sys->cls[i];
    j->literal = is_literal(j, c);
    if (c->kind <= CLASS_FRICTION && c->nloop <= 8) run_loops(j, c, i, 0, visit);
  }
  j->literal = false;
}

static void add_variable(Job *j, int value, int rate) {
  if (lookup(j, value) >= 0) return;
  Expanded *x = j->x;
  if (x->nz >= j->limit) { j->overflow = true; return; }
  x->value[x->nz] = value; x->rate[x->nz] = rate;
  remember(j, value, x->nz);
  x->nz++;
}

static void add_position(Job *j, int symbol) {
  Expanded *x = j->x;
  if (x->np >= j->limit) { j->overflow = true; return; }
  x->position[x->np] = symbol;
  remember(j, symbol, x->np++);
}

static void elements(Job *j, Slot *t, int k) {
  const MVar *m = &j->sys->model->var[t->var];
  if (k == m->ndim && m->kind == MV_POSITION) {
    add_position(j, concrete_symbol(j, SYM_VALUE, t));
    return;
  }
  if (k == m->ndim) {
    add_variable(j, concrete_symbol(j, SYM_VALUE, t), concrete_symbol(j, SYM_RATE, t));
    return;
  }
  double lo = number(j, j->sys->var_lo[k][t->var]), hi = number(j, j->sys->var_hi[k][t->var]);
  if (j->clip && hi > lo + j->clip - 1) hi = lo + j->clip - 1;
  for (double i = lo; i <= hi && !j->overflow; i++) {
    t->idx[k] = ex_num(j->sys->pool, i);
    elements(j, t, k + 1);
  }
}

// All elements of all variables of one kind, cut like the loops.
static void declared_variables(Job *j, MVarKind kind) {
  for (int v = 0; v < j->sys->model->nvar; v++)
    if (j->sys->model->var[v].kind == kind) elements(j, &(Slot){ .var = v, .nidx = j->sys->model->var[v].ndim }, 0);
}

static bool read_here(Job *j, const Slot *t) { return t->guard == EX_NONE || number(j, t->guard) != 0; }

// Rows that read a neighbour outside of a cut family are left out.
static bool inside_cut(Job *j, const SysClass *c) {
  for (int k = 0; k < c->nslot; k++) {
    const Slot *t = &c->slot[k];
    if (t->kind == SLOT_L || t->kind == SLOT_D || !read_here(j, t)) continue;
    if (lookup(j, concrete_symbol(j, SYM_VALUE, t)) < 0) return false;
  }
  return true;
}

static void count_instance(Job *j, const SysClass *c, int cls) {
  Expanded *x = j->x;
  if (c->kind == CLASS_SMOOTH || !inside_cut(j, c)) return;
  if (x->nr >= j->limit) { j->overflow = true; return; }
  XRow *r = &x->row[x->nr];
  r->cls = cls;
  if (c->lambda_slot >= 0) r->lambda = concrete_symbol(j, SYM_VALUE, &c->slot[c->lambda_slot]);
  else {
    Slot t = { .var = c->row_var, .nidx = c->nloop };
    for (int k = 0; k < t.nidx; k++) t.idx[k] = ex_num(j->sys->pool, j->loop[k]);
    r->lambda = concrete_symbol(j, SYM_VALUE, &t);
  }
  remember(j, r->lambda, x->nr);
  Ex v[] = { c->y, c->rate, c->lo, c->hi, c->e, c->mu, c->mu2, c->radius };
  concrete(j, v, sizeof v / sizeof *v);
  r->y = v[0]; r->rate = v[1]; r->lo = v[2]; r->hi = v[3]; r->e = v[4]; r->mu = v[5]; r->mu2 = v[6]; r->radius = v[7];
  x->nr++;
}

static void scatter(Job *j, Ex *m, int cols, int row, int col, Ex value) {
  if (row < 0 || col < 0 || ex_is_num(j->sys->pool, value, 0)) return;
  Ex *at = &m[row * cols + col];
  *at = *at == EX_NONE ? value : ex_add(j->sys->pool, *at, value);
}

static int place(Job *j, const SysClass *c, int slot) {
  const Slot *t = &c->slot[slot];
  return read_here(j, t) ? lookup(j, concrete_symbol(j, SYM_VALUE, t)) : -1;
}

// Initial values stand in classes of their own.
static void start_instance(Job *j, const SysClass *c, int cls) {
  (void)cls;
  int at = place(j, c, 0);
  if (at >= 0 && c->slot[0].kind == SLOT_POSITION) j->x->position_start[at] = number(j, c->value);
  else if (at >= 0) (c->init_velocity ? j->x->start_rate : j->x->start)[at] = number(j, c->value);
}

static void starts(Job *j) {
  for (int i = 0; i < j->sys->ncls; i++) {
    const SysClass *c = &j->sys->cls[i];
    if (c->kind == CLASS_INIT && c->nloop <= 8) run_loops(j, c, i, 0, start_instance);
  }
}

static bool is_wanted(const Job *j, const Entry *e) {
  return (e->wrt != WRT_Q && e->wrt != WRT_V) || j->parts & EXPAND_SLOPES;
}

static void fill_smooth(Job *j, const SysClass *c, int cls) {
  Expanded *x = j->x;
  bool forces = j->parts & EXPAND_FORCES;
  if (c->is_equation && place(j, c, c->row[0]) >= 0) x->equation[place(j, c, c->row[0])] = cls;
  const struct { const Entries *e; Ex *q, *v, *s, *l; } part[] = {
    { &c->mass, NULL, x->M, x->M, NULL }, { &c->jac, x->Jq, x->Jv, x->Jx, NULL },
    { &c->k, x->Kq, x->Kv, x->Kx, NULL }, { &c->b, NULL, NULL, NULL, x->B } };
  int n = 0;
  Ex *all = ARENA_ARRAY(j->arena, Ex, 2 * c->nrow + c->mass.n + c->jac.n + c->k.n + c->b.n + 1), *v = all;
  for (int r = 0; r < c->nrow && forces; r++) { all[n++] = c->f[r]; all[n++] = c->g[r]; }
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < part[k].e->n; i++)
      if (k == 0 || is_wanted(j, &part[k].e->at[i])) all[n++] = part[k].e->at[i].value;
  concrete(j, all, n);
  for (int r = 0; r < c->nrow && forces; r++, v += 2) {
    int row = place(j, c, c->row[r]);
    if (row < 0) continue;
    scatter(j, x->f, 1, row, 0, v[0]);
    if (c->kinetic != EX_NONE) scatter(j, x->inertia, 1, row, 0, ex_neg(j->sys->pool, v[0]));
    scatter(j, x->g, 1, row, 0, v[1]);
  }
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < part[k].e->n; i++) {
      const Entry *e = &part[k].e->at[i];
      if (k > 0 && !is_wanted(j, e)) continue;
      int row = place(j, c, e->row), col = place(j, c, e->col);
      if (k == 0) scatter(j, x->M, x->nz, row, col, *v);
      else if (e->wrt == WRT_Q) scatter(j, part[k].q, x->nq, row, col, *v);
      else if (e->wrt == WRT_V) scatter(j, part[k].v, x->nq, row, col, *v);
      else if (e->wrt == WRT_X) scatter(j, part[k].s, x->nx, row, col < 0 ? -1 : col - x->nq, *v);
      else scatter(j, x->B, x->nr, row, col, *v);
      v++;
    }
}

static void fill_row(Job *j, const SysClass *c) {
  Expanded *x = j->x;
  int row = j->next_row++;
  Ex *v = ARENA_ARRAY(j->arena, Ex, c->h.n + 1);
  for (int i = 0; i < c->h.n; i++) v[i] = c->h.at[i].value;
  concrete(j, v, c->h.n);
  for (int i = 0; i < c->h.n; i++) {
    const Entry *e = &c->h.at[i];
    int col = place(j, c, e->col);
    if (c->kind != CLASS_RELATION) scatter(j, x->H, x->nq, row, col, v[i]);
    else if (e->wrt == WRT_Q) scatter(j, x->Cq, x->nq, row, col, v[i]);
    else if (e->wrt == WRT_V) scatter(j, x->Cv, x->nq, row, col, v[i]);
    else if (e->wrt == WRT_X) scatter(j, x->Cx, x->nx, row, col < 0 ? -1 : col - x->nq, v[i]);
    else scatter(j, x->D, x->nr, row, col, v[i]);
  }
}

static void fill_instance(Job *j, const SysClass *c, int cls) {
  if (c->kind == CLASS_SMOOTH) fill_smooth(j, c, cls);
  else if (inside_cut(j, c)) fill_row(j, c);
}

static Expanded *attempt(Arena *a, System *s, int limit, int clip, ExpandParts parts) {
  Expanded *x = ARENA_NEW(a, Expanded);
  Job job = { .arena = a, .sys = s, .x = x, .clip = clip, .limit = limit, .parts = parts,
              .instance = 1 }, *j = &job;
  x->sys = s; x->clipped = clip > 0;
  x->value = ARENA_ARRAY(a, int, limit); x->rate = ARENA_ARRAY(a, int, limit);
  x->row = ARENA_ARRAY(a, XRow, limit);
  x->position = ARENA_ARRAY(a, int, limit);
  declared_variables(j, MV_COORD);
  x->nq = x->nz;
  declared_variables(j, MV_STATE);
  x->nx = x->nz - x->nq;
  declared_variables(j, MV_POSITION);
  if (!j->overflow) all_instances(j, count_instance);
  if (j->overflow) return NULL;
  int nz = x->nz, nq = x->nq, nx = x->nx, nr = x->nr;
  x->M = ARENA_ARRAY(a, Ex, nz * nz + 1);
  x->f = ARENA_ARRAY(a, Ex, nz + 1);
  x->g = ARENA_ARRAY(a, Ex, nz + 1);
  x->inertia = ARENA_ARRAY(a, Ex, nq + 1);
  x->Jq = ARENA_ARRAY(a, Ex, nz * nq + 1);
  x->Jv = ARENA_ARRAY(a, Ex, nz * nq + 1);
  x->Jx = ARENA_ARRAY(a, Ex, nz * nx + 1);
  x->Kq = ARENA_ARRAY(a, Ex, nz * nq + 1);
  x->Kv = ARENA_ARRAY(a, Ex, nz * nq + 1);
  x->Kx = ARENA_ARRAY(a, Ex, nz * nx + 1);
  x->B = ARENA_ARRAY(a, Ex, nz * nr + 1);
  x->Cq = ARENA_ARRAY(a, Ex, nr * nq + 1);
  x->Cv = ARENA_ARRAY(a, Ex, nr * nq + 1);
  x->Cx = ARENA_ARRAY(a, Ex, nr * nx + 1);
  x->D = ARENA_ARRAY(a, Ex, nr * nr + 1); x->H = ARENA_ARRAY(a, Ex, nr * nq + 1);
  x->start = ARENA_ARRAY(a, double, nz + 1); x->start_rate = ARENA_ARRAY(a, double, nz + 1);
  x->position_start = ARENA_ARRAY(a, double, x->np + 1);
  for (int i = 0; i < x->np; i++) x->position_start[i] = NAN;
  x->equation = ARENA_ARRAY(a, int, nz + 1);
  for (int i = 0; i < nz; i++) { x->start[i] = NAN; x->equation[i] = -1; }
  j->next_row = 0;
  all_instances(j, fill_instance);
  starts(j);
  return x;
}

Expanded *expand_system(Arena *a, const System *s, int limit, int clip, ExpandParts parts) {
  Expanded *x = attempt(a, (System *)s, limit, 0, parts);
  return x ? x : attempt(a, (System *)s, limit, clip, parts);
}
