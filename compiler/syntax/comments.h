// The comments of a source text, found again for the printer: the tree does not hold them.
#pragma once
#include <stdbool.h>
#include "../base/source.h"
#include "../base/vec.h"

typedef struct Comment { size_t lo, hi; } Comment;   // without the line end of a // comment
typedef Vec(Comment) Comments;

void   comments_find(const SourceFile *f, Comments *out);
// first `wanted` at or after `at` that is in no comment or string
size_t comments_skip(const SourceFile *f, size_t at, char wanted);
bool   comments_blank_before(const SourceFile *f, size_t at);        // is there an empty line just above?
