// Model expressions -> DAG.
#pragma once
#include "system.h"

Ex lower_expr(System *s, const MExpr *e);            // EX_NONE for NULL
Ex lower_written(System *s, const MExpr *e);         // each operation as it is written; EX_NONE for NULL
bool lower_is_large(const MExpr *e);                 // its tree is: it keeps intermediate quantities (lower.c)
int lower_var_symbol(System *s, const MExpr *var, bool rate);  // symbol of an MX_VAR
