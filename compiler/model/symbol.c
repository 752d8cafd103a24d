// A declared name on first use. Its value is found by the elaborator's `resolve` (elab_decl.c), which reads other names
// by way of this file alone: so expressions need nothing of the declarations, and a name that needs itself is found.
#include "elab.h"

Span part_of_library(const Scope *s) {
  for (; s; s = s->parent) {
    const Ast *x = s->instance;
    if (x && x->kind == AST_INSTANCE && s->model && x->span.file != s->model->span.file) return x->name_span;
  }
  return (Span){0};
}

bool symbol_force(Symbol *y) {
  if (y->progress == DONE) return true;
  if (y->progress == FAILED) return false;
  if (y->progress == BUSY && y->kind == SY_FORMAL && !y->given && y->env.scope->instance) {
    const Ast *part = y->env.scope->instance;              // defaults that stand for each other
    Diag *d = diag(y->env.e->bag, DIAG_E0217, part->span, "instance `%s` needs a value for `%s`", part->name, y->name);
    diag_label(d, "argument missing");
    diag_also(d, y->span, "its default is made of others that are not given either");
    diag_help(d, "give `%s`, or what it follows from", y->name);
    y->progress = FAILED;
    return false;
  }
  if (y->progress == BUSY && y->kind == SY_INSTANCE && y->child && y->child->placing) return true;   // elab_body.c
  if (y->progress == BUSY) {
    Diag *d = diag(y->env.e->bag, DIAG_E0211, y->span, "`%s` is defined by itself", y->name);
    diag_label(d, "its value needs `%s` again", y->name);
    diag_help(d, "break the circle: one of the values must be given without the others");
    y->progress = FAILED;
    return false;
  }
  y->progress = BUSY;
  Span outside = diag_within(y->env.e->bag, part_of_library(y->env.scope));
  bool ok = y->env.e->resolve(y);
  (void)diag_within(y->env.e->bag, outside);
  if (y->progress == BUSY) y->progress = ok ? DONE : FAILED;
  return y->progress == DONE;
}
