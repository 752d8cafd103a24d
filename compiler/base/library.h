// The parts of a library of models, from the text of its pages alone: what `import "std/..."` would bring.
#pragma once
#include "source.h"

typedef struct LibraryPart {
  const char *name, *page;             // "Hinge", "joints.nsm"
  bool function;
  const SourceFile *file;
  size_t line;                         // where its line starts: "model Hinge(A : body, ..."
} LibraryPart;

int  library_parts(Arena *a, const char *dir, LibraryPart **out);   // by pages, in the order of their lines
Span library_head(const LibraryPart *p);                    // from the word to the body: model Hinge(A : body, ...)
// The comment that ends above it, without its marks.
const char *library_comment(Arena *a, const LibraryPart *p);
// Where a file takes one more import: behind its last one, else behind the comment at its head.
Span import_place(const SourceFile *f);
