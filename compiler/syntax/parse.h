// Source text -> AST. Recovers at ';' and '}' so that one mistake does not hide the next.
#pragma once
#include "ast.h"
#include "../base/diag.h"

// Parses one file. Never NULL (an empty FILE where nothing of the input can be read); problems are in the bag. Input is
// any bytes: non-UTF-8, NUL bytes, 10 MB of '(' and deep nesting give a diagnostic, never a crash (nesting is limited
// to 1000, said so in the message).
Ast *parse_file(Arena *a, Interner *in, const SourceFile *f, DiagBag *bag);
