// Making nodes: private to the two files of constructors.
#pragma once
#include "ast_build.h"

Ast *ast_new(Parse *p, AstKind kind, Span at);
Ast *ast_new_named(Parse *p, AstKind kind, Span at, Span name_at, const char *name);
Ast *ast_done(Parse *p, Ast *n);  // after its children are set: finds its depth, reports when it is too deep; returns n
