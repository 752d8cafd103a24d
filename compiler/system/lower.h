// Model expressions -> DAG.
#pragma once
#include "system.h"

Ex lower_expr(System *s, const MExpr *e);            // EX_NONE for NULL
int lower_var_symbol(System *s, const MExpr *var, bool rate);  // symbol of an MX_VAR
