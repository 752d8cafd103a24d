// AST -> text: `nsm fmt` (canonical layout, comments kept) and `--dump=ast`.
#pragma once
#include "ast.h"
#include "../base/text.h"

// Canonical layout of a parsed file: two-space indent, one item a line, spaces around binary operators of low
// precedence as in the acceptance models, comments kept where they stood (own line or trailing), blank lines kept (at
// most one), der(x) written x'. Formatting twice gives the same text; the formatted text parses to the same tree.
void ast_format(const Ast *file, const SourceFile *src, Text *out);
void ast_dump(const Ast *file, Text *out);
