// The syntax tree: what the user wrote, nothing resolved. One node type with a kind; children by role.
// Every node has the span of its text. Names are interned. Built only by the ast_* constructors that the grammar calls.
// Ownership: everything lives in the arena of the parse.
#pragma once
#include <stdbool.h>
#include "../base/arena.h"
#include "../base/intern.h"
#include "../base/source.h"

typedef struct Ast Ast;
typedef struct AstList { Ast **at; int n; } AstList;

typedef enum {
#define NODE(kind, text) AST_##kind,
#include "ast_nodes.def"
#undef NODE
  AST_KINDS
} AstKind;

// Operators of AST_UNARY and AST_BINARY, also spelled this way by the printer.
typedef enum {
  AO_ADD,
  AO_SUB,
  AO_MUL,
  AO_DIV,
  AO_POW,
  AO_NEG,
  AO_LT,
  AO_LE,
  AO_GT,
  AO_GE,
  AO_EQ,
  AO_NE,
  AO_AND,
  AO_OR,
  AO_NOT
} AstOp;

enum { AST_DEEPEST = 4000 };

struct Ast {
  AstKind     kind;
  AstOp       op;        // UNARY, BINARY
  Span        span;      // the whole construct
  Span        name_span; // just the name, where there is one
  const char *name;      // interned
  const char *unit;      // interned unit text as written between [ ] of a literal or behind a list of them (which gives
                         // it to each number), or after ':' in a declaration; NULL if none
  Span        unit_span;
  const char *doc;       // doc string after a declaration; NULL if none
  double      number;    // NUMBER
  int         primes;    // NAME/DECL: how many ' follow
  Ast        *a, *b, *c; // by role, see ast_nodes.def
  AstList     list, list2; // by role
  int         depth;     // 1 + the deepest child: at most AST_DEEPEST, so that walks over the tree may recurse
};
