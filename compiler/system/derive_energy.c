// Lagrange's equations, element by element: every energy statement gives its own mass matrix and forces.
//
//   d/dt(dT/dv) - dT/dq = -dV/dq - dR/dv + Q          [Siconos notes, Lagrangian systems]
//   with p = dT/dv:   M v' = dT/dq - (dp/dq) v - dp/dt - dV/dq - dR/dv + Q,   M = dp/dv
#include "../base/fatal.h"
#include "../base/map.h"
#include "../model/mx.h"
#include "along.h"
#include "derive.h"

static bool is_rate(int id, void *s) { return symtab_at(((System *)s)->sym, id)->kind == SYM_RATE; }
static bool is_state_rate(int id, void *system) {
  const System *s = system;
  const Sym *y = symtab_at(s->sym, id);
  return y->kind == SYM_RATE && s->model->var[y->id].kind == MV_STATE;
}

static void all_slots_are_rows(Deriver *d, SysClass *c) {
  c->row = ARENA_ARRAY(d->arena, int, c->nslot);
  c->f = ARENA_ARRAY(d->arena, Ex, c->nslot);
  c->g = ARENA_ARRAY(d->arena, Ex, c->nslot);
  for (int i = 0; i < c->nslot; i++)
    if (c->slot[i].kind == SLOT_Q) {
      c->row[c->nrow] = i;
      c->f[c->nrow] = c->g[c->nrow] = ex_num(d->sys->pool, 0);
      c->nrow++;
    }
}

static Ex derivative(const System *s, Ex e, const Slot *t, bool by_rate) {
  return by_rate ? ex_diff(s->pool, e, t->rate) : diff_along(s, e, t);
}

// d f/d(q,v,x), d g/d lambda and d g/d(q,v,x), structural zeros left out.
void derive_smooth_jacobians(Deriver *d, SysClass *c) {
  Pool *p = d->sys->pool;
  int n = 2 * c->nslot, *ids = ARENA_ARRAY(d->arena, int, n + 1);
  bool large = false;
  for (int r = 0; r < c->nrow; r++) large |= ex_is_shared(p, c->f[r]);
  for (int k = 0; k < n; k++) {
    const Slot *t = &c->slot[k % c->nslot];
    ids[k] = k < c->nslot || t->rate < 0 ? t->value : t->rate;
  }
  Ex *slope = large ? ARENA_ARRAY(d->arena, Ex, c->nrow * n + 1) : NULL;
  if (large) ex_jacobian_dense(p, c->f, c->nrow, ids, NULL, n, slope);
  for (int r = 0; r < c->nrow; r++)
    for (int k = 0; k < c->nslot; k++) {
      const Slot *t = &c->slot[k];
      if (t->kind == SLOT_POSITION || t->kind == SLOT_D) continue;
      if (t->kind == SLOT_L) {
        Ex b = ex_diff(p, c->g[r], t->value);
        if (!ex_is_num(p, b, 0)) entries_push(d->arena, &c->b, (Entry){ c->row[r], k, WRT_L, b });
        continue;
      }
      for (int w = 0; w < (t->kind == SLOT_Q ? 2 : 1); w++) {
        Wrt wrt = w ? WRT_V : t->kind == SLOT_Q ? WRT_Q : WRT_X;
        Ex df = large && !is_turn(d->sys, t) ? slope[r * n + w * c->nslot + k] : derivative(d->sys, c->f[r], t, w);
        Ex dg = derivative(d->sys, c->g[r], t, w);
        if (!ex_is_num(p, df, 0)) entries_push(d->arena, &c->jac, (Entry){ c->row[r], k, wrt, df });
        if (!ex_is_num(p, dg, 0)) entries_push(d->arena, &c->k, (Entry){ c->row[r], k, wrt, dg });
      }
    }
}

static void not_quadratic(Deriver *d, Ex m, const Slot *a, const Slot *b, Span span) {
  System *s = d->sys;
  Diag *g = diag(d->bag, DIAG_E0501, span, "the kinetic energy is not quadratic in the velocities");
  Text t = {0};
  ex_print_short(s->pool, m, &t, 200, sym_name, s);
  diag_note(g, "d2T/d%s d%s = %s still contains a velocity", sym_name(a->rate, s), sym_name(b->rate, s), text_str(&t));
  diag_help(g, "kinetic energy is a sum of terms like m*v^2/2; potentials and dissipation have their own keywords");
  text_free(&t);
}

// The same for large T (docs/numerics/algebra.md, section 9): p and dT/dq at once by reverse accumulation, (dp/dq) v +
// dp/dt as one derivative along the motion, M column by column from p; each costs a small multiple of T.
static void large_kinetic(Deriver *d, SysClass *c, Ex T, Span span) {
  System *s = d->sys;
  Pool *p = s->pool;
  int n = c->nrow, *ids = ARENA_ARRAY(d->arena, int, 2 * n + 1);
  Ex *slope = ARENA_ARRAY(d->arena, Ex, 2 * n + 1), *seed = ARENA_ARRAY(d->arena, Ex, n + 1),
     *moved = ARENA_ARRAY(d->arena, Ex, n + 1);
  for (int r = 0; r < n; r++) {
    const Slot *t = &c->slot[c->row[r]];
    ids[r] = t->value;
    ids[n + 1 + r] = t->rate;
    seed[r] = ex_sym(p, t->rate);
  }
  ids[n] = s->sym_time;
  seed[n] = ex_num(p, 1);
  ex_gradient(p, T, ids, 2 * n + 1, slope);
  const Ex *momentum = slope + n + 1;
  ex_tangent(p, momentum, n, ids, seed, n + 1, moved);
  c->kinetic = T;
  for (int r = 0; r < n; r++) c->f[r] = ex_sub(p, slope[r], moved[r]);
  Ex *mass = ARENA_ARRAY(d->arena, Ex, n * n + 1);
  ex_jacobian_dense(p, momentum, n, ids + n + 1, NULL, n, mass);
  for (int r = 0; r < n; r++)
    for (int k = 0; k < n; k++) {           // M is symmetric: one triangle is used, of a chain the shorter one
      int hi = r > k ? r : k, lo = r > k ? k : r;
      Ex m = mass[lo * n + hi];
      if (ex_is_num(p, m, 0)) continue;
      entries_push(d->arena, &c->mass, (Entry){ c->row[r], c->row[k], WRT_V, m });
      if (!ex_depends_any(p, m, is_rate, s)) continue;
      not_quadratic(d, m, &c->slot[c->row[r]], &c->slot[c->row[k]], span);
      return;
    }
}

// (spin x dT/dspin)_i: of the turn i of a body, Euler and Poincare (docs/numerics/bodies.md (3)); of others 0.
static Ex gyroscopic(Deriver *d, const SysClass *c, Ex T, const Slot *t) {
  const System *s = d->sys;
  Pool *p = s->pool;
  (void)c;
  if (!is_turn(s, t)) return ex_num(p, 0);
  int i = turn_number(s, t), j = turn_symbol(s, t, (i + 1) % 3, SYM_RATE), k = turn_symbol(s, t, (i + 2) % 3, SYM_RATE);
  return ex_sub(p, ex_mul(p, ex_sym(p, j), ex_diff(p, T, k)), ex_mul(p, ex_sym(p, k), ex_diff(p, T, j)));
}

static void kinetic(Deriver *d, SysClass *c, Ex T, Span span) {
  System *s = d->sys;
  Pool *p = s->pool;
  for (int r = 0; r < c->nrow; r++) {
    const Slot *a = &c->slot[c->row[r]];
    Ex momentum = ex_diff(p, T, a->rate);
    Ex force = ex_sub(p, diff_along(s, T, a), gyroscopic(d, c, T, a));
    for (int k = 0; k < c->nslot; k++) {
      const Slot *b = &c->slot[k];
      if (b->kind == SLOT_D && b->rate >= 0)               // a mass that a signal moves
        force = ex_sub(p, force, ex_mul(p, ex_diff(p, momentum, b->value), ex_sym(p, b->rate)));
      if (b->kind != SLOT_Q) continue;
      Ex m = ex_trig(p, ex_diff(p, momentum, b->rate));
      if (!ex_is_num(p, m, 0)) entries_push(d->arena, &c->mass, (Entry){ c->row[r], k, WRT_V, m });
      if (ex_depends_any(p, m, is_rate, s)) {
        not_quadratic(d, m, a, b, span);
        return;
      }
      force = ex_sub(p, force, ex_mul(p, diff_along(s, momentum, b), ex_sym(p, b->rate)));
    }
    force = ex_sub(p, force, ex_diff(p, momentum, s->sym_time));
    c->f[r] = ex_trig(p, force);
  }
  c->kinetic = T;
}

// f = -dV/dq, or -dR/dv.
static void downhill(Deriver *d, SysClass *c, Ex value, bool by_rate) {
  Pool *p = d->sys->pool;
  int *ids = ARENA_ARRAY(d->arena, int, c->nrow + 1);
  Ex *along = ARENA_ARRAY(d->arena, Ex, c->nslot + 1);
  for (int r = 0; r < c->nrow; r++) ids[r] = c->slot[c->row[r]].rate;
  if (by_rate) ex_gradient(p, value, ids, c->nrow, c->f);
  else gradient_along(d->arena, d->sys, c, value, along);
  for (int r = 0; r < c->nrow && !by_rate; r++) c->f[r] = along[c->row[r]];
  for (int r = 0; r < c->nrow; r++) c->f[r] = ex_neg(p, c->f[r]);
}

static void energy_class(Deriver *d, const MEnergy *e) {
  static const char *const label[] = { "kinetic energy", "potential", "dissipation" };
  System *s = d->sys;
  Pool *p = s->pool;
  Ex value = lower_expr(s, e->value);
  if (e->kind == ME_KINETIC) value = ex_trig(p, value);   // from Cartesian velocities, as one would by hand
  SysClass *c = derive_new_class(d, CLASS_SMOOTH, label[e->kind], e->span, &e->ctx);
  SlotList l = slots_of(d->arena, s, c);
  slots_collect(&l, value);
  if (e->kind == ME_KINETIC) slots_whole_turns(&l);
  all_slots_are_rows(d, c);
  switch (e->kind) {
  case ME_KINETIC:
    // A large T of coordinates alone has its own way; one of bodies is derived term by term.
    (ex_is_shared(p, value) && !reads_turns(s, c) ? large_kinetic : kinetic)(d, c, value, e->value->span);
    break;
  case ME_POTENTIAL:
    downhill(d, c, value, false);
    c->potential = value;
    break;
  case ME_DISSIPATION:
    downhill(d, c, value, true);
    c->dissipation = value;
    break;
  }
  derive_smooth_jacobians(d, c);
}

// --- large energies of one kind with variables in common are one element: they share what they are made of ---

// The numbers of the variables that e reads, into `found`.
static void variables_of(const MExpr *e, Map *seen, Map *found) {
  if (!(e->uses & MU_VAR) || map_get(seen, e)) return;
  map_put(seen, e, (void *)e);
  if (e->kind == MX_VAR) map_put(found, (void *)(uintptr_t)(e->id + 1), (void *)e);
  for (int i = 0; i < e->nargs; i++) variables_of(e->arg[i], seen, found);
}

static size_t how_many_in(Map *a, Map *b) {
  size_t n = 0;
  for (size_t i = 0; i < map_size(a); i++) n += map_get(b, map_key_at(a, i)) != NULL;
  return n;
}

typedef struct Joining { Arena *arena; MEnergy *energy; int n; Map **of; bool *large, *taken; } Joining;   // by energy

// Large ones behind `first` that have a variable in common with it, then all that read nothing else.
static void join(Joining *j, int first) {
  Map *all = map_new(j->arena);
  MExpr **term = ARENA_ARRAY(j->arena, MExpr *, j->n);
  bool *member = ARENA_ARRAY(j->arena, bool, j->n);
  int count = 0, place = first;
  for (int round = 0; round < 2; round++)
    for (int k = 0; k < j->n; k++) {
      bool first_round = round == 0;
      if (j->taken[k] || member[k] || !j->of[k] || j->energy[k].kind != j->energy[first].kind) continue;
      if (first_round && !j->large[k]) continue;
      size_t common = how_many_in(j->of[k], all);
      if (k != first && (first_round ? k < first || common == 0 : common < map_size(j->of[k]))) continue;
      member[k] = true;
      for (size_t i = 0; first_round && i < map_size(j->of[k]); i++) map_put(all, map_key_at(j->of[k], i), term);
    }
  for (int k = j->n; k-- > 0;)
    if (member[k]) place = k;
  for (int k = 0; k < j->n; k++)
    if (member[k]) {
      j->taken[k] = true;
      term[count++] = j->energy[k].value;
    }
  if (count > 1) {
    j->energy[place] = j->energy[first];
    j->energy[place].value = mx_sum(j->arena, term, count, j->energy[first].value->span);
  }
  j->of[place] = NULL;
  j->taken[place] = false;
}

void derive_energies(Deriver *d) {
  const Model *m = d->sys->model;
  int n = m->nenergy;
  Joining j = { d->arena, ARENA_ARRAY(d->arena, MEnergy, n + 1), n, ARENA_ARRAY(d->arena, Map *, n + 1),
                ARENA_ARRAY(d->arena, bool, n + 1), ARENA_ARRAY(d->arena, bool, n + 1) };
  bool any = false;
  for (int i = 0; i < n; i++) {
    j.energy[i] = m->energy[i];
    j.large[i] = m->energy[i].ctx.n == 0 && lower_is_large(m->energy[i].value);
    any |= j.large[i];
  }
  for (int i = 0; any && i < n; i++) {
    if (j.energy[i].ctx.n) continue;
    j.of[i] = map_new(d->arena);
    variables_of(j.energy[i].value, map_new(d->arena), j.of[i]);
  }
  for (int i = 0; i < n; i++)
    if (j.large[i] && !j.taken[i] && j.of[i]) join(&j, i);
  for (int i = 0; i < n; i++)
    if (!j.taken[i]) energy_class(d, &j.energy[i]);
}

// Splits F into f = F at lambda = 0 and g = F - f (docs/numerics/moreau.md (2): r = g(t,x,lambda)).
static void split_multipliers(Deriver *d, SysClass *c, Ex F, int r) {
  System *s = d->sys;
  Pool *p = s->pool;
  int *ids = ARENA_ARRAY(d->arena, int, c->nslot);
  Ex *zero = ARENA_ARRAY(d->arena, Ex, c->nslot);
  int n = 0;
  for (int k = 0; k < c->nslot; k++)
    if (c->slot[k].kind == SLOT_L) { ids[n] = c->slot[k].value; zero[n++] = ex_num(p, 0); }
  if (!n) { c->f[r] = F; c->g[r] = ex_num(p, 0); return; }
  c->f[r] = ex_subst(p, F, ids, zero, n);
  if (ex_affine(p, F, ids, n)) {
    Ex g = ex_num(p, 0);
    for (int i = 0; i < n; i++) g = ex_add(p, g, ex_mul(p, ex_diff(p, F, ids[i]), ex_sym(p, ids[i])));
    c->g[r] = g;
  } else c->g[r] = ex_sub(p, F, c->f[r]);
}

// Rows of given targets with right-hand sides F: shared by forces and state equations.
void derive_right_hand_side(Deriver *d, SysClass *c, int target_symbol, Ex F) {
  SlotList l = slots_of(d->arena, d->sys, c);
  int row = slots_add(&l, target_symbol);
  slots_collect(&l, F);
  c->nrow = 1;
  c->row = ARENA_ARRAY(d->arena, int, 1);
  c->f = ARENA_ARRAY(d->arena, Ex, 1);
  c->g = ARENA_ARRAY(d->arena, Ex, 1);
  c->row[0] = row;
  split_multipliers(d, c, F, 0);
  derive_smooth_jacobians(d, c);
}

// force s = F: the rows (ds/dq)^T F, or (ds/dq')^T F where s contains velocities, in which it is linear. What is meant
// is the virtual work F ds; discrete schemes take it from `along` and `push`.
static bool force_along(Deriver *d, SysClass *c, const MForce *m, Ex F) {
  System *s = d->sys;
  Pool *p = s->pool;
  Ex along = lower_expr(s, m->on);
  SlotList l = slots_of(d->arena, s, c);
  slots_collect(&l, along);
  slots_collect(&l, F);
  c->along = along;
  c->push = F;
  c->along_rate = ex_depends_any(p, along, is_rate, s);
  int n = c->nslot;
  Ex *slope = ARENA_ARRAY(d->arena, Ex, n + 1);
  gradient_along(d->arena, s, c, along, slope);
  for (int k = 0; k < n && c->along_rate; k++) {
    slope[k] = ex_num(p, 0);
    if (c->slot[k].kind == SLOT_Q) ex_gradient(p, along, &c->slot[k].rate, 1, &slope[k]);
  }
  for (int k = 0; k < n && !ex_is_shared(p, along); k++) slope[k] = ex_trig(p, slope[k]);
  all_slots_are_rows(d, c);
  int rows = 0;
  for (int r = 0; r < c->nrow; r++) {
    Ex of = slope[c->row[r]];
    if (ex_is_num(p, of, 0)) continue;
    if (c->along_rate && ex_depends_any(p, of, is_rate, s)) {
      Diag *g = diag(d->bag, DIAG_E0223, m->on_span, "a force acts along what is linear in the velocities");
      diag_label(g, "not linear in %s", sym_name(c->slot[c->row[r]].rate, s));
      diag_help(g, "its power is the force times this: force x' = ...; or on positions, force x = ...;");
      return false;
    }
    c->row[rows] = c->row[r];
    split_multipliers(d, c, ex_mul(p, of, F), rows++);
  }
  c->nrow = rows;
  if (rows) return true;
  Diag *g = diag(d->bag, DIAG_E0223, m->on_span, "nothing that moves changes this expression, so no force acts on it");
  diag_label(g, "its derivatives with respect to all coordinates are 0");
  diag_help(g, "an expression of coordinates that changes with them: force x - y = ...;");
  return false;
}

static bool is_coordinate(const System *s, const MExpr *x) {
  return x->kind == MX_VAR && !x->derivative && s->model->var[x->id].kind == MV_COORD;
}

void derive_forces(Deriver *d) {
  System *s = d->sys;
  for (int i = 0; i < s->model->nforce; i++) {
    const MForce *m = &s->model->force[i];
    Ex F = lower_expr(s, m->value);
    if (ex_depends_any(s->pool, F, is_state_rate, s)) {
      diag(d->bag, DIAG_E0502, m->value->span, "a force cannot depend on the derivative of a state");
      continue;
    }
    SysClass *c = derive_new_class(d, CLASS_SMOOTH, "force", m->span, &m->ctx);
    if (is_coordinate(s, m->on)) derive_right_hand_side(d, c, lower_var_symbol(s, m->on, false), F);
    else if (force_along(d, c, m, F)) derive_smooth_jacobians(d, c);
  }
}
