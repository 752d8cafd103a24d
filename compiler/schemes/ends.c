// Both ends of a piece in the symbols of a class (ends.h).
#include "../base/fatal.h"
#include "ends.h"

static int symbol(const System *s, SymKind kind) { return symtab_id(s->sym, (Sym){ .kind = kind }); }

static int of_kind(const System *s, int id, SymKind kind) {
  Sym y = *symtab_at(s->sym, id);
  y.kind = kind;
  return symtab_id(s->sym, y);
}

static int slot_of(const SysClass *c, int symbol) {
  for (int k = 0; k < c->nslot; k++) if (c->slot[k].value == symbol) return k;
  return -1;
}

// The attitude of turn slot k, where the class reads it; shared by the three turns of a body. What is evaluated in the
// middle has the attitude (p0 + p)/|p0 + p|, |p0 + p|^2 = 2 (1 + c).
static void turn_of(BothEnds *j, int k) {
  const System *s = j->s;
  const Slot *t = &j->c->slot[k];
  Pool *p = j->p;
  int id[4];
  attitude_of(s, t, SYM_VALUE, id);
  if (slot_of(j->c, id[0]) < 0) return;
  for (int i = 0; i < k; i++)
    if (j->turn[i] && j->turn[i]->p[0] == id[0]) {
      j->turn[k] = j->turn[i];
      return;
    }
  Turn *u = j->turn[k] = ARENA_NEW(j->arena, Turn);
  Ex square = ex_num(p, 0), one = ex_num(p, 1);
  for (int i = 0; i < 3; i++) {
    Ex xi = ex_sym(p, turn_symbol(s, t, i, SYM_VALUE_D));
    square = ex_add(p, square, ex_mul(p, xi, xi));
  }
  u->c = ex_div(p, one, ex_1(p, OP_SQRT, ex_add(p, one, ex_mul(p, ex_num(p, 0.25), square))));
  u->k = ex_div(p, ex_mul(p, ex_num(p, 2), u->c), ex_add(p, one, u->c));
  Ex scale = ex_div(p, one, ex_1(p, OP_SQRT, ex_mul(p, ex_num(p, 2), ex_add(p, one, u->c))));
  for (int i = 0; i < 4; i++) {
    u->slot[i] = slot_of(j->c, id[i]);
    u->p[i] = id[i];
    u->px[i] = ex_sym(p, u->p[i]);
    u->p0x[i] = ex_sym(p, of_kind(s, id[i], SYM_VALUE0));
    u->mean[i] = ex_mul(p, ex_num(p, 0.5), ex_add(p, u->p0x[i], u->px[i]));
    j->qm[u->slot[i]] = ex_mul(p, scale, ex_add(p, u->p0x[i], u->px[i]));
  }
  u->R = j->rotation[j->nbody] = rotation_of(s, t);
  j->body[j->nbody++] = u;
}

// A coordinate and its velocity.
static void coordinate(BothEnds *j, int k) {
  Pool *p = j->p;
  Ex half = ex_num(p, 0.5);
  j->q[k] = j->c->slot[k].value;
  j->v[k] = j->c->slot[k].rate;
  j->q0[k] = of_kind(j->s, j->q[k], SYM_VALUE0);
  j->v0[k] = of_kind(j->s, j->v[k], SYM_RATE0);
  j->qd[k] = of_kind(j->s, j->q[k], SYM_VALUE_D);
  j->vd[k] = of_kind(j->s, j->v[k], SYM_RATE_D);
  j->q0x[k] = ex_sym(p, j->q0[k]);
  j->v0x[k] = ex_sym(p, j->v0[k]);
  j->qm[k] = ex_mul(p, half, ex_add(p, j->q0x[k], ex_sym(p, j->q[k])));
  j->vm[k] = ex_mul(p, half, ex_add(p, j->v0x[k], ex_sym(p, j->v[k])));
  j->dq[k] = ex_sym(p, j->qd[k]);
  j->dv[k] = ex_sym(p, j->vd[k]);
}

// A number of an attitude, or of a vector of a body: its increment is that of the turn.
static void position(BothEnds *j, int k) {
  j->q[k] = j->c->slot[k].value;
  j->q0[k] = of_kind(j->s, j->q[k], SYM_VALUE0);
  j->qd[k] = j->v[k] = j->v0[k] = j->vd[k] = of_kind(j->s, j->q[k], SYM_VALUE_D);       // in no expression
  j->q0x[k] = ex_sym(j->p, j->q0[k]);
  j->v0x[k] = j->vm[k] = ex_sym(j->p, j->v[k]);
  j->dq[k] = j->dv[k] = ex_num(j->p, 0);
}

// A multiplier, a state in a force, a remembered angle: one value for the step.
static void kept(BothEnds *j, int k) {
  j->q[k] = j->v[k] = j->q0[k] = j->v0[k] = j->c->slot[k].value;
  j->qd[k] = j->vd[k] = of_kind(j->s, j->q[k], SYM_VALUE_D);                            // in no expression
  j->q0x[k] = j->v0x[k] = j->qm[k] = j->vm[k] = ex_sym(j->p, j->c->slot[k].value);
  j->dq[k] = j->dv[k] = ex_num(j->p, 0);
}

BothEnds ends_of_piece(Arena *a, const System *s, const SysClass *c, const Equations *q) {
  int n = c->nslot;
  BothEnds j = { .arena = a, .p = s->pool, .s = s, .c = c, .n = n };
  int **ids[] = { &j.q, &j.v, &j.q0, &j.v0, &j.qd, &j.vd };
  Ex **exs[] = { &j.q0x, &j.v0x, &j.qm, &j.vm, &j.dq, &j.dv };
  for (int i = 0; i < 6; i++) *ids[i] = ARENA_ARRAY(a, int, n + 1);
  for (int i = 0; i < 6; i++) *exs[i] = ARENA_ARRAY(a, Ex, n + 1);
  j.turn = ARENA_ARRAY(a, Turn *, n + 1);
  j.body = ARENA_ARRAY(a, Turn *, n + 1);
  j.rotation = ARENA_ARRAY(a, Rotation, n + 1);
  for (int k = 0; k < n; k++) {
    if (c->slot[k].kind == SLOT_POSITION && !is_memory(s, c->slot[k].value)) position(&j, k);
    else if (c->slot[k].kind == SLOT_Q) coordinate(&j, k);
    else kept(&j, k);
  }
  for (int k = 0; k < n; k++) if (is_turn(s, &c->slot[k])) turn_of(&j, k);
  j.h = ex_sym(j.p, symbol(s, SYM_H));
  j.tm = ex_add(j.p, ex_sym(j.p, symbol(s, SYM_TIME0)), ex_mul(j.p, ex_num(j.p, 0.5), j.h));
  Piece piece = { a, s, s->pool, c };
  q->points(&piece, j.point);
  return j;
}

// ---- values at a point ----------------------------------------------------------------------------------------------
void ends_at_middle_all(const BothEnds *j, Ex *e, int n, const Ex *by) {
  int *from = ARENA_ARRAY(j->arena, int, 2 * j->n + 1);
  Ex *to = ARENA_ARRAY(j->arena, Ex, 2 * j->n + 1);
  for (int k = 0; k < j->n; k++) {
    from[2 * k] = j->q[k]; to[2 * k] = j->qm[k];
    from[2 * k + 1] = j->v[k]; to[2 * k + 1] = by[k];
  }
  from[2 * j->n] = j->s->sym_time; to[2 * j->n] = j->tm;
  ex_subst_all(j->p, e, n, from, to, 2 * j->n + 1);
}

Ex ends_at_middle(const BothEnds *j, Ex e, const Ex *by) {
  ends_at_middle_all(j, &e, 1, by);
  return e;
}

static void at_begin_all(const BothEnds *j, Ex *e, int n) {
  ex_subst_all(j->p, e, n, j->q, j->q0x, j->n);
  ex_subst_all(j->p, e, n, j->v, j->v0x, j->n);
}

// A point that is no end is the middle.
static bool is_middle(const BothEnds *j, int point) {
  if (point == BEGIN || point == END) return false;
  const Point *m = &j->point[point];
  INVARIANT(m->from == BEGIN && ex_is_num(j->p, m->time, 0.5) && ex_is_num(j->p, m->share, 0.5) &&
            ex_is_num(j->p, m->begin, 0.25) && ex_is_num(j->p, m->end, 0.25));
  return true;
}

void ends_at_all(const BothEnds *j, Ex *e, int n, int point) {
  if (is_middle(j, point)) ends_at_middle_all(j, e, n, j->vm);
  else if (point == BEGIN) at_begin_all(j, e, n);
}

Ex ends_at(const BothEnds *j, Ex e, int point) {
  ends_at_all(j, &e, 1, point);
  return e;
}

Ex ends_at_time(const BothEnds *j, Ex e, int point) {
  INVARIANT(is_middle(j, point));
  return ex_subst(j->p, e, &j->s->sym_time, &j->tm, 1);
}

Ex ends_at_velocities(const BothEnds *j, Ex e, int point) {
  INVARIANT(!is_middle(j, point));
  return point == BEGIN ? ex_subst(j->p, e, j->v, j->v0x, j->n) : e;
}

void add_to(const BothEnds *j, Ex *to, Ex e) { *to = ex_add(j->p, *to, e); }

void entry_push(const BothEnds *j, Entries *to, int row, int col, Wrt wrt, Ex value) {
  if (!ex_is_num(j->p, value, 0)) entries_push(j->arena, to, (Entry){ row, col, wrt, value });
}
