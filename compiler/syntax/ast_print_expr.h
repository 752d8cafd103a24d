// Expressions as text; shared by the files of the printer.
#pragma once
#include "ast.h"
#include "../base/text.h"

void print_expr(const Ast *n, Text *out);
void print_list(AstList list, Text *out);          // a, b, c
void print_tight_list(AstList list, Text *out);    // as in an index
void print_args(AstList list, Text *out);          // (a, b, c)
void print_decl(const Ast *n, Text *out);
void print_string(const char *s, Text *out);
