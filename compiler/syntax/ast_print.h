// AST -> text: `nsm fmt` (canonical layout, comments kept) and `--dump=ast`.
#pragma once
#include "ast.h"
#include "../base/text.h"

// The text of a parsed file, laid out: two-space indent, spaces around binary operators of low precedence, comments
// where they stood, blank lines kept (at most one), der(x) written x'. Line breaks and tables of the source stay where
// they are tidy (layout.c), else items stand one a line. Formatting twice gives the same text; the formatted text
// parses to the same tree.
void ast_format(const Ast *file, const SourceFile *src, Text *out);
void ast_dump(const Ast *file, Text *out);
