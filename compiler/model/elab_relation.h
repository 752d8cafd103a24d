// What the files of relations share: elab_law.c; elab_relation.c uses elab_graph.c and elab_polyhedron.c.
#pragma once
#include "elab.h"

// -y in N_[lo, hi](u): values of one shape. lo, hi: ML_BOX only.
typedef struct Sides { MLawKind law; Value y, u, lo, hi; Span law_span; unsigned asserted; } Sides;

const Ast *without_parentheses(const Ast *x);
bool is_multiplier(const Env *env, const Value *v);                      // inside of `every`: a discrete variable
void push_relation(const Env *env, MRelation r);
bool relation_fits(const Env *env, const Value *v, const Value *like);   // false: reported
void needs_multiplier(const Env *env, Span at, const char *what, const char *help);
// One number of `v`, a scalar or a vector: element i.
static inline MExpr *relation_element(const Value *v, int i) { return v->ndim ? v->at[i] : v->at[0]; }

// A multiplier that no declaration names, with `count` numbers for each element `of` of one that is declared. Its
// columns are NAME.WHAT[k].
typedef struct Hidden { int id, n; MExpr *index[MAX_INDICES]; } Hidden;
typedef struct HiddenName { const char *name, *what; int count; Unit unit; } HiddenName;
bool   hidden_multiplier(const Env *env, const MExpr *of, HiddenName is, Span at, Hidden *out);      // false: reported
MExpr *hidden_number(const Env *env, const Hidden *h, int k, Span at);   // k = 1 ... count

void graph_law(const Env *env, const Ast *x, const Ast *call, Sides *s);         // u in graph(v, [(0, 0), ...])
void polyhedron_law(const Env *env, const Ast *x, const Ast *cone, Sides *s);    // -y in normal_cone({l : ...}, l)
