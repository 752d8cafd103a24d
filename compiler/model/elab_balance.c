// The balance of a node: the flows away from it add up to zero.
//
// A family of nodes n[j] has one balance over j. A flow in the loops i away from n[f(i)] contributes to it where
// f(i) = j: an index f_k(i) = i_m + c gives i_m = j_k - c, where that lies in the range of the loop; other indices are
// compared, and a loop that no index gives is summed over, written out. So a chain of n stages has a balance of as many
// terms as a stage has flows.
#include <math.h>

#include "elab_balance.h"
#include "../../runtime/shared/joined.h"

typedef Vec(MExpr *) Terms;

static MExpr *both(Elab *e, MExpr *a, MExpr *b, Span at) { return a ? mx_2(e->a, MOP_AND, a, b, at) : b; }

// x = sign*loop + rest, for one loop m; NULL: of another form.
static MExpr *offset_of(Elab *e, MExpr *x, int m) {
  MExpr *zero = mx_num(e->a, 0, x->span);
  if (x->kind == MX_LOOP) return x->id == m ? zero : NULL;
  if (x->kind != MX_OP || x->nargs != 2 || (x->op != MOP_ADD && x->op != MOP_SUB)) return NULL;
  MExpr *a = x->arg[0], *b = x->arg[1];
  if (!(b->uses & MU_LOOP)) {
    MExpr *in = offset_of(e, a, m);
    if (in && mx_is_num(in, 0)) return x->op == MOP_ADD ? b : mx_neg(e->a, b, x->span);
    return in ? mx_2(e->a, x->op, in, b, x->span) : NULL;
  }
  if (x->op == MOP_SUB || (a->uses & MU_LOOP)) return NULL;
  MExpr *in = offset_of(e, b, m);
  return !in ? NULL : mx_is_num(in, 0) ? a : mx_2(e->a, MOP_ADD, a, in, x->span);
}

static MExpr *minus(Elab *e, MExpr *a, MExpr *b, Span at) {
  if (mx_is_num(b, 0)) return a;
  if (a->kind == MX_NUM && b->kind == MX_NUM) return mx_num(e->a, a->num - b->num, at);
  if (b->kind == MX_NUM && b->num < 0) return mx_2(e->a, MOP_ADD, a, mx_num(e->a, -b->num, at), at);
  return mx_2(e->a, MOP_SUB, a, b, at);
}

// What stands in the place of the loops of a flow, within the balance of node `id`.
typedef struct Inverse {
  Elab *e;
  const Flow *f;
  const MVar *node;
  MExpr *by[MAX_LOOPS];      // of loop m; NULL: not known yet
  MExpr *where;              // condition; NULL: everywhere
  MExpr *const *index;       // of the node, over the loops of the flow
  MExpr *chosen;             // condition under which the flow goes there, over its loops; NULL: always
  MExpr *value;              // with its sign
  Terms *out;
} Inverse;

static void add_term(Inverse *v) {
  Elab *e = v->e;
  Arena *a = e->a;
  const MContext *c = &v->f->env.ctx;
  Span at = v->f->span;
  MExpr *where = v->where;
  for (int k = 0; k < v->node->ndim; k++) {
    MExpr *f = mx_subst(a, v->index[k], v->by, c->n), *j = mx_loop(a, k, at);
    bool given = false;
    for (int m = 0; m < c->n; m++) {
      MExpr *off = offset_of(e, v->index[k], m);
      given = given || (off && mx_same(v->by[m], minus(e, j, off, at)));
    }
    if (!given) where = both(e, where, mx_2(a, MOP_EQ, f, j, at), at);
  }
  if (v->chosen) where = both(e, where, mx_subst(a, v->chosen, v->by, c->n), at);
  MExpr *x = mx_subst(a, v->value, v->by, c->n);
  double known;
  if (where && try_eval(e, where, false, NULL, 0, &known)) {
    if (known == 0) return;
    where = NULL;
  }
  vec_push(v->out, where ? mx_op(a, MOP_IF, (MExpr *[]){ where, x, mx_num(a, 0, at) }, 3, at) : x);
}

static bool sum_over(Inverse *v, int m);

// Loop m in the place `by`, within its range: then the loops inside of it.
static bool bind(Inverse *v, int m, MExpr *by, bool checked) {
  Elab *e = v->e;
  Span at = v->f->span;
  const MLoop *l = &v->f->env.ctx.loop[m];
  MExpr *before = v->where;
  v->by[m] = by;
  if (checked) {
    MExpr *lo = mx_subst(e->a, l->lo, v->by, m), *hi = mx_subst(e->a, l->hi, v->by, m);
    bool whole = by->kind == MX_LOOP && mx_same(v->node->lo[by->id], lo) && mx_same(v->node->hi[by->id], hi);
    if (!whole) {
      v->where = both(e, v->where, mx_2(e->a, MOP_LE, lo, by, at), at);
      v->where = both(e, v->where, mx_2(e->a, MOP_LE, by, hi, at), at);
    }
  }
  bool ok = sum_over(v, m + 1);
  v->where = before;
  v->by[m] = NULL;
  return ok;
}

static bool sum_over(Inverse *v, int m) {
  Elab *e = v->e;
  const MContext *c = &v->f->env.ctx;
  if (m == c->n) {
    add_term(v);
    return true;
  }
  for (int k = 0; k < v->node->ndim; k++) {
    MExpr *off = offset_of(e, v->index[k], m);
    if (off) return bind(v, m, minus(e, mx_loop(e->a, k, v->f->span), off, v->f->span), true);
  }
  double lo, hi;
  Env env = v->f->env;
  if (!fixed_number(&env, mx_subst(e->a, c->loop[m].lo, v->by, m), "the number of flows into one node", &lo) ||
      !fixed_number(&env, mx_subst(e->a, c->loop[m].hi, v->by, m), "the number of flows into one node", &hi))
    return false;
  if (hi - lo > MAX_SUM) {
    not_supported(&env, DIAG_E0607, v->f->span, "more than 10000 flows into one node", "put a family of nodes between");
    return false;
  }
  for (double i = lo; i <= hi; i++)
    if (!bind(v, m, mx_num(e->a, i, v->f->span), false)) return false;
  return true;
}

// The part of one end of a flow that can be node `id`.
static bool end_of_flow(Inverse *v, MExpr *end, int id, MExpr *chosen) {
  Elab *e = v->e;
  if (end->kind == MX_VAR) {
    if (end->id != id) return true;
    v->index = end->arg;
    v->chosen = chosen;
    return sum_over(v, 0);
  }
  MExpr *c = end->arg[0];
  return end_of_flow(v, end->arg[1], id, both(e, chosen, c, c->span)) &&
         end_of_flow(v, end->arg[2], id, both(e, chosen, mx_1(e->a, MOP_NOT, c, c->span), c->span));
}

// All flows of a node are of one kind.
static bool same_kind(Elab *e, const MVar *node, const Flow *first, const Flow *f) {
  if (units_meet(e, first->unit, f->unit, f->span)) return true;
  Text a = {0}, b = {0};
  unit_print(first->unit, &a);
  unit_print(f->unit, &b);
  Span at = part_of_library(f->env.scope), other = part_of_library(first->env.scope);
  Diag *d = diag(e->bag, DIAG_E0301, at.file ? at : f->span, "the flows of the node `%s` are in %s and %s", node->plain,
                 text_str(&a), text_str(&b));
  diag_label(d, "in %s", text_str(&b));
  diag_also(d, other.file ? other : first->span, "in %s", text_str(&a));
  diag_help(d, "flows that add up to zero have one unit");
  text_free(&a);
  text_free(&b);
  return false;
}

static void no_flow(Elab *e, const MVar *v) {
  Diag *d = diag(e->bag, DIAG_E0251, v->span, "no flow reaches the node `%s`", v->plain);
  diag_label(d, "nothing determines it");
  diag_help(d, "connect it: an argument of a part, flow a to b = ...; or hold it: node %s = 0;", v->plain);
}

// The flow i has an end at the nodes of this variable: noted once.
static void note_end(FlowsOfNodes *of, const MExpr *end, int i) {
  if (end->kind != MX_VAR) {
    note_end(of, end->arg[1], i);
    note_end(of, end->arg[2], i);
    return;
  }
  FlowNumbers *at = &of->at[end->id];
  if (at->n == 0 || at->at[at->n - 1] != i) vec_push(at, i);
}

FlowsOfNodes flows_of_nodes(Elab *e) {
  FlowsOfNodes of = { (int)e->var.n, ARENA_ARRAY(e->a, FlowNumbers, e->var.n + 1) };
  for (size_t i = 0; i < e->flow.n; i++) {
    note_end(&of, e->flow.at[i].from, (int)i);
    note_end(&of, e->flow.at[i].to, (int)i);
  }
  return of;
}

void flows_of_nodes_free(FlowsOfNodes *of) {
  for (int i = 0; i < of->n; i++) vec_free(&of->at[i]);
}

bool node_balance(Elab *e, int id, const FlowsOfNodes *of, Algebraic *out) {
  const MVar *node = &e->var.at[id];
  MLoop *loop = ARENA_ARRAY(e->a, MLoop, node->ndim + 1);
  MExpr *index[MAX_INDICES];
  for (int k = 0; k < node->ndim; k++) {
    static const char *const names[] = { "i", "j", "k", "l", "m", "n", "o", "p" };
    loop[k] = (MLoop){ .name = intern(e->in, names[k]), .lo = node->lo[k], .hi = node->hi[k], .span = node->span };
    index[k] = mx_loop(e->a, k, node->span);
  }
  Terms terms = {0};
  const Flow *known = NULL;                            // the first with a unit
  bool ok = true;
  for (size_t i = 0; ok && i < of->at[id].n; i++) {
    const Flow *f = &e->flow.at[of->at[id].at[i]];
    size_t before = terms.n;
    Inverse v = { .e = e, .f = f, .node = node, .out = &terms, .value = f->value };
    ok = end_of_flow(&v, f->from, id, NULL);
    v.value = mx_neg(e->a, f->value, f->span);
    ok = ok && end_of_flow(&v, f->to, id, NULL);
    if (!ok || terms.n == before || f->unit.state != UNIT_KNOWN) continue;
    ok = !known || same_kind(e, node, known, f);
    known = known ? known : f;
  }
  if (ok && !terms.n) no_flow(e, node);
  ok = ok && terms.n;
  *out = (Algebraic){ .ctx = { node->ndim, loop }, .value = mx_sum(e->a, terms.at, (int)terms.n, node->span),
                      .held = mx_var(e->a, node, id, index, node->ndim, false, node->span), .span = node->span };
  vec_free(&terms);
  return ok;
}

// --- is every node connected with one that is held? Families as a whole: in doubt silent ---

static void connect(int *parent, const MExpr *a, const MExpr *b) {
  if (a->kind == MX_OP) {
    connect(parent, a->arg[1], b);
    connect(parent, a->arg[2], b);
  } else if (b->kind == MX_OP) {
    connect(parent, a, b->arg[1]);
    connect(parent, a, b->arg[2]);
  } else nsm_unite(parent, a->id, b->id);
}

// Does any equation but a difference of nodes fix the potential? Where one names a single node of the part, it may.
static void fixed_by(const Elab *e, const MExpr *x, int *parent, int *first, bool *several, Map *seen) {
  if (!(x->uses & MU_LAMBDA) || map_get(seen, x)) return;
  map_put(seen, x, (void *)x);
  if (x->kind == MX_VAR && e->var.at[x->id].algebraic >= MALG_NODE) {
    if (*first < 0) *first = x->id;
    else if (*first != x->id) *several = true;
  }
  for (int i = 0; i < x->nargs; i++) fixed_by(e, x->arg[i], parent, first, several, seen);
}

void check_ground(Elab *e) {
  int n = (int)e->var.n, held = 0;
  int *parent = ARENA_ARRAY(e->a, int, n + 1);
  char *grounded = ARENA_ARRAY(e->a, char, n + 1);
  for (int i = 0; i < n; i++) parent[i] = i;
  for (size_t i = 0; i < e->flow.n; i++) connect(parent, e->flow.at[i].from, e->flow.at[i].to);
  for (int i = 0; i < n; i++)
    if (e->var.at[i].algebraic == MALG_HELD) grounded[nsm_root(parent, i)] = 1, held++;
  for (size_t i = 0; i < e->algebraic.n; i++) {           // n = 5;
    int first = -1;
    bool several = false;
    fixed_by(e, e->algebraic.at[i].value, parent, &first, &several, map_new(e->a));
    if (first >= 0 && !several && !e->var.at[first].ndim) grounded[nsm_root(parent, first)] = 1;
  }
  for (size_t i = 0; i < e->flow.n; i++) {                // a flow that a single potential drives
    int first = -1;
    bool several = false;
    fixed_by(e, e->flow.at[i].value, parent, &first, &several, map_new(e->a));
    if (first >= 0 && !several) grounded[nsm_root(parent, first)] = 1;
  }
  for (int i = 0; i < n; i++) {
    int r = nsm_root(parent, i);
    if (e->var.at[i].algebraic != MALG_NODE || grounded[r]) continue;
    grounded[r] = 1;                                      // said once for what is connected
    Diag *d = diag(e->bag, DIAG_E0251, e->var.at[i].span, held ? "the node `%s` is not connected with the ground"
                                                               : "no node is held: only differences of potentials are "
                                                                 "determined, not that of `%s`", e->var.at[i].plain);
    diag_label(d, held ? "floats: nothing says at which potential" : "at which potential?");
    for (int k = 0, more = 0; k < n && more < 2; k++)
      if (k != i && e->var.at[k].algebraic == MALG_NODE && nsm_root(parent, k) == r) {
        diag_also(d, e->var.at[k].span, "connected with it");
        more++;
      }
    diag_help(d, held ? "connect one node of this part with the ground, if only through a large resistance"
                      : "declare one: node gnd = 0;");
  }
}
