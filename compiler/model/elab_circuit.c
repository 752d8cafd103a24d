// Algebraic unknowns, nodes and flows (docs/numerics/circuits.md). All become multipliers of free rows, -y in N_R(x),
// which is y = 0:
//
//   an equation without derivatives     y = lhs - rhs
//   a node that is held, node g = 0;    y = g - 0
//   any other node                      y = the sum of the flows away from it (elab_balance.c)
//
// Which unknown stands with which equation makes no difference to what is solved, as long as each has one of its own:
// equations are matched with the unknowns, first with those of their own instance.
#include <string.h>

#include "elab.h"
#include "elab_balance.h"

// --- statements ---

static bool has_unknown(const Elab *e, const MExpr *x, Map *seen) {
  if (!(x->uses & MU_LAMBDA) || map_get(seen, x)) return false;
  map_put(seen, x, (void *)x);
  if (x->kind == MX_VAR && e->var.at[x->id].algebraic) return true;
  for (int i = 0; i < x->nargs; i++)
    if (has_unknown(e, x->arg[i], seen)) return true;
  return false;
}

// The derivative of a first-order state: of x, or of what contains x. Velocities are none.
static bool has_state_rate(const Elab *e, const MExpr *x, bool within, Map *seen) {
  const void *key = (const char *)x + within;
  if (!(x->uses & (within ? MU_VAR : MU_RATE)) || map_get(seen, key)) return false;
  map_put(seen, key, (void *)x);
  if (x->kind == MX_VAR && (x->derivative || within) && e->var.at[x->id].kind == MV_STATE) return true;
  for (int i = 0; i < x->nargs; i++)
    if (has_state_rate(e, x->arg[i], within || x->kind == MX_RATE, seen)) return true;
  return false;
}

static bool any_state_rate(const Elab *e, const Value *v) {
  Map *seen = map_new(e->a);
  for (int i = 0; i < value_count(v); i++) if (has_state_rate(e, v->at[i], false, seen)) return true;
  return false;
}

static MExpr *difference(Elab *e, MExpr *a, MExpr *b, Span at) {
  return mx_is_num(b, 0) ? a : mx_2(e->a, MOP_SUB, a, b, at);
}

bool algebraic_equation(const Env env, const Ast *x, const Value *a, const Value *b) {
  Elab *e = env.e;
  if (any_state_rate(e, a) || any_state_rate(e, b)) return false;
  Map *seen = map_new(e->a);
  bool any = false;
  for (int i = 0; i < value_count(a); i++)
    any = any || has_unknown(e, a->at[i], seen) || has_unknown(e, b->at[i], seen);
  for (int i = 0; any && i < value_count(a); i++) {
    Algebraic q = { .ctx = env.ctx, .scope = env.scope, .value = difference(e, a->at[i], b->at[i], x->span),
                    .span = x->span };
    vec_push(&e->algebraic, q);
  }
  return any;
}

void hold_node(Env env, const Ast *d) {
  Symbol *y = scope_find(env.scope, d->name);
  if (!d->a || !y || y->decl != d || !symbol_force(y)) return;
  Elab *e = env.e;
  Value v = y->value;
  if (v.bad) return;
  if (y->ndim) {
    not_supported(&env, DIAG_E0703, d->name_span, "an array of nodes that are held", "declare them one by one");
    return;
  }
  if (extra_uses(&v, MU_PARAM | MU_LOOP | MU_TIME | MU_INPUT | MU_DISCRETE)) {
    Diag *g = diag(e->bag, DIAG_E0249, v.span, "a node is held at a value that does not move with the model");
    diag_help(g, "node %s;  %s = %s;  and a flow that it takes: algebraic i; flow %s to gnd = i;", d->name, d->name,
              ast_text(e, d->a), d->name);
    return;
  }
  MExpr *index[MAX_LOOPS];
  for (int k = 0; k < env.ctx.n; k++) index[k] = mx_loop(e->a, k, d->span);
  MExpr *node = mx_var(e->a, &e->var.at[y->id], y->id, index, env.ctx.n, false, d->name_span);
  Algebraic q = { .ctx = env.ctx, .scope = env.scope, .value = difference(e, node, v.at[0], d->span), .held = node,
                  .span = d->span };
  vec_push(&e->algebraic, q);
}

// One end of a flow: a node, or a choice between nodes that parameters and indices make.
static bool is_node(const Env *env, const Ast *x, const MExpr *v) {
  if (v->kind == MX_VAR && !v->derivative && env->e->var.at[v->id].algebraic >= MALG_NODE) return true;
  if (v->kind == MX_OP && v->op == MOP_IF && mx_constant(v->arg[0]))
    return is_node(env, x, v->arg[1]) && is_node(env, x, v->arg[2]);
  bool given = v->kind != MX_VAR && v->span.file && v->span.file != x->span.file;        // to a part of a library
  Diag *d = diag(env->e->bag, DIAG_E0249, given ? v->span : x->span, "a flow goes from a node to a node");
  diag_label(d, "this is none");
  if (v->kind == MX_VAR) diag_also(d, env->e->var.at[v->id].span, "declared here");
  else if (given) diag_also(d, x->span, "the flow");
  diag_help(d, "declare it: node %s; or, held at a value, node gnd = 0;",
            x->kind == AST_NAME && !given ? x->name : "n");
  return false;
}

// A part whose two ends are at one node; the caret stands where the model says so.
static void short_cut(Elab *e, const Ast *x, const Value *from, const Value *to) {
  if (!mx_same(from->at[0], to->at[0])) return;
  Span end = to->at[0]->span;
  bool given = end.file && end.file != x->span.file;                                     // to a part of a library
  Diag *d = diag(e->bag, DIAG_W0826, given ? end : x->b->span, "a flow from a node to itself does nothing");
  if (given) diag_also(d, x->span, "the flow");
  diag_help(d, "name two nodes");
}

void elab_flow(Env env, const Ast *x) {
  Env at_node = env;
  at_node.declare = "node";
  Value from = elab_scalar(&at_node, x->a), to = elab_scalar(&at_node, x->b), v = elab_scalar(&env, x->c);
  if (from.bad || to.bad || v.bad || !unit_check(&env, v, UNIT_ANY, "a flow")) return;
  if (!is_node(&env, x->a, from.at[0]) || !is_node(&env, x->b, to.at[0])) return;
  short_cut(env.e, x, &from, &to);
  if (any_state_rate(env.e, &v)) {
    Diag *d = diag(env.e->bag, DIAG_E0249, v.span, "a flow contains no derivative of a state");
    diag_help(d, "algebraic i; C*u' = i; flow %s to %s = i;", ast_text(env.e, x->a), ast_text(env.e, x->b));
    return;
  }
  Flow f = { .env = env, .from = from.at[0], .to = to.at[0], .value = v.at[0], .unit = v.unit, .span = x->span,
             .from_span = x->a->span, .to_span = x->b->span };
  vec_push(&env.e->flow, f);
}

// --- matching of equations and unknowns ---

typedef struct Matching {
  Elab *e;
  int  *owner;               // [nvar] equation, -1
  MExpr **by;                // [nvar] as which element
  char *visited;             // [nvar]
  const Scope **home;        // [nvar] the instance that declares it
} Matching;

static bool same_loops(const MContext *c, const MVar *v) {
  if (c->n != v->ndim) return false;
  for (int k = 0; k < c->n; k++)
    if (!mx_same(c->loop[k].lo, v->lo[k]) || !mx_same(c->loop[k].hi, v->hi[k])) return false;
  return true;
}

// A reference to an element of variable `id` in x, or NULL.
static MExpr *reference(MExpr *x, int id, Map *seen) {
  if (!(x->uses & MU_LAMBDA) || map_get(seen, x)) return NULL;
  map_put(seen, x, x);
  if (x->kind == MX_VAR && x->id == id) return x;
  for (int i = 0; i < x->nargs; i++) {
    MExpr *r = reference(x->arg[i], id, seen);
    if (r) return r;
  }
  return NULL;
}

static MExpr *element_for(Matching *m, const Algebraic *q, int id) {
  Elab *e = m->e;
  const MVar *v = &e->var.at[id];
  if (same_loops(&q->ctx, v)) {
    MExpr *index[MAX_INDICES];
    for (int k = 0; k < v->ndim; k++) index[k] = mx_loop(e->a, k, q->span);
    return mx_var(e->a, v, id, index, v->ndim, false, q->span);
  }
  return v->ndim ? reference(q->value, id, map_new(e->a)) : NULL;
}

static bool augment(Matching *m, int at, bool abroad) {
  Elab *e = m->e;
  const Algebraic *q = &e->algebraic.at[at];
  for (int id = 0; id < (int)e->var.n; id++) {
    if (e->var.at[id].algebraic != MALG_UNKNOWN || m->visited[id] || (!abroad && m->home[id] != q->scope)) continue;
    MExpr *x = element_for(m, q, id);
    if (!x) continue;
    m->visited[id] = 1;
    if (m->owner[id] >= 0 && !augment(m, m->owner[id], abroad)) continue;
    m->owner[id] = at;
    m->by[id] = x;
    return true;
  }
  return false;
}

// One element of an array more: x[1] = ..., for i in 2:n { x[i] = ...; }. Each is counted in system/cover.c.
static MExpr *another_element(Matching *m, const Algebraic *q) {
  for (int id = 0; id < (int)m->e->var.n; id++) {
    const MVar *v = &m->e->var.at[id];
    if (v->algebraic != MALG_UNKNOWN || !v->ndim || same_loops(&q->ctx, v)) continue;
    MExpr *x = reference(q->value, id, map_new(m->e->a));
    if (x) return x;
  }
  return NULL;
}

static const char *own_name(const MVar *v) { return v->plain; }

// Is this the equation of a potential alone, a = 5?
static const MVar *lone_node(const Elab *e, const MExpr *y) {
  if (y->kind == MX_OP && y->op == MOP_SUB && !(y->arg[1]->uses & MU_LAMBDA)) y = y->arg[0];
  return y->kind == MX_VAR && e->var.at[y->id].algebraic == MALG_NODE ? &e->var.at[y->id] : NULL;
}

static void too_many(Matching *m, const Algebraic *q) {
  Elab *e = m->e;
  const MVar *node = lone_node(e, q->value);
  Diag *d = diag(e->bag, DIAG_E0250, q->span, "one equation too many: no algebraic unknown is left for it");
  diag_label(d, "nothing that it could determine");
  for (int id = 0, n = 0; id < (int)e->var.n && n < 2; id++) {
    if (m->owner[id] < 0 || !reference(q->value, id, map_new(e->a))) continue;
    diag_also(d, e->algebraic.at[m->owner[id]].span, "`%s` has this equation", own_name(&e->var.at[id]));
    n++;
  }
  diag_also(d, part_of_library(q->scope), "of this part");
  if (node) diag_help(d, "a node that is held has its value where it is declared: node %s = ...;", own_name(node));
  else diag_help(d, "declare what it determines, as the flow of a source: algebraic i; flow a to b = i;");
}

static void too_few(Elab *e, const MVar *v, const Scope *home) {
  Diag *d = diag(e->bag, DIAG_E0250, v->span, "the algebraic unknown `%s` has no equation", own_name(v));
  int n = 0, m = (int)e->algebraic.n;
  for (size_t i = 0; i < e->var.n; i++) n += e->var.at[i].algebraic == MALG_UNKNOWN;
  for (int i = 0; i < m; i++) n += e->algebraic.at[i].held != NULL;
  diag_label(d, "of %d unknown%s and %d equation%s without derivatives", n, n == 1 ? "" : "s", m, m == 1 ? "" : "s");
  diag_also(d, part_of_library(home), "of this part");
  diag_help(d, "write one more equation without derivatives");
}

static void free_row(Elab *e, const Algebraic *q, MExpr *unknown, MAlgebraicKind kind) {
  MRelation r = { .ctx = q->ctx, .name = e->var.at[unknown->id].name, .law = ML_FREE, .y = q->value, .lambda = unknown,
                  .algebraic = kind, .span = q->span, .y_span = q->span, .lambda_span = unknown->span,
                  .law_span = q->span, .made = part_of_library(q->scope) };
  vec_push(&e->relation, r);
}

static void match_equations(Elab *e) {
  size_t nvar = e->var.n;
  Matching m = { e, ARENA_ARRAY(e->a, int, nvar + 1), ARENA_ARRAY(e->a, MExpr *, nvar + 1),
                 ARENA_ARRAY(e->a, char, nvar + 1), ARENA_ARRAY(e->a, const Scope *, nvar + 1) };
  for (size_t i = 0; i < nvar; i++) m.owner[i] = -1;
  for (size_t i = 0; i < e->symbols.n; i++) {
    const Symbol *y = e->symbols.at[i];
    if (y->kind == SY_VARIABLE && y->progress == DONE && y->algebraic) m.home[y->id] = y->env.scope;
  }
  int n = (int)e->algebraic.n;
  char *done = ARENA_ARRAY(e->a, char, n + 1);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < n; i++) {
      if (done[i] || e->algebraic.at[i].held) continue;
      memset(m.visited, 0, nvar);
      done[i] = (char)augment(&m, i, pass > 0);
    }
  char *reached = ARENA_ARRAY(e->a, char, nvar + 1);
  for (int i = 0; i < n; i++) {
    const Algebraic *q = &e->algebraic.at[i];
    MExpr *more = done[i] || q->held ? q->held : another_element(&m, q);
    if (more) {
      free_row(e, q, more, q->held ? MALG_HELD : MALG_UNKNOWN);
      reached[more->id] = 1;
    } else if (!done[i]) too_many(&m, q);
  }
  for (size_t id = 0; id < nvar; id++) {
    if (e->var.at[id].algebraic != MALG_UNKNOWN) continue;
    if (m.owner[id] >= 0) free_row(e, &e->algebraic.at[m.owner[id]], m.by[id], MALG_UNKNOWN);
    else if (!reached[id]) too_few(e, &e->var.at[id], m.home[id]);
  }
}

// A graph of several pieces gives u = p1 + p2 + ... (elab_graph.c): such an u is an unknown of an equation, as far as
// no other relation has an element of it.
static void unknowns_of_graphs(Elab *e) {
  for (size_t i = 0; i < e->relation.n; i++) {
    MRelation *r = &e->relation.at[i];
    MVar *v = &e->var.at[r->lambda->id];
    if (r->algebraic != MALG_UNKNOWN || v->algebraic) continue;
    bool other = false;
    for (size_t k = 0; k < e->relation.n; k++)
      other = other || (e->relation.at[k].lambda->id == r->lambda->id && e->relation.at[k].algebraic != MALG_UNKNOWN);
    if (other) r->algebraic = MALG_NONE;
    else v->algebraic = MALG_UNKNOWN;
  }
}

void elab_circuits(Elab *e) {
  match_equations(e);
  unknowns_of_graphs(e);
  FlowsOfNodes of = flows_of_nodes(e);
  for (size_t id = 0; id < e->var.n; id++) {
    if (e->var.at[id].algebraic != MALG_NODE) continue;
    Algebraic q;
    if (node_balance(e, (int)id, &of, &q)) free_row(e, &q, q.held, MALG_NODE);
  }
  flows_of_nodes_free(&of);
  if (e->flow.n && diag_errors(e->bag) == 0) check_ground(e);
}
