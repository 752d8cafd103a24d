// Source files and spans. A Span is half-open [lo, hi) in bytes of one file.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "arena.h"

typedef struct SourceFile {
  const char *path;        // as the user gave it (for messages)
  const char *text;        // NUL-terminated copy; `len` bytes before the NUL
  size_t      len;
  size_t     *line_start;  // [n_lines] byte offset of each line
  int         n_lines;
  char        failure[200];// after a NULL from source_read: what was wrong
} SourceFile;

typedef struct Span { const SourceFile *file; size_t lo, hi; } Span;

typedef enum {
  SOURCE_OK, SOURCE_MISSING, SOURCE_IS_DIR, SOURCE_UNREADABLE, SOURCE_TOO_LARGE, SOURCE_IS_SPECIAL
} SourceStatus;

// Reads the whole file (limit 64 MiB); "-" is standard input, called <stdin>. On success *out is set. Nothing is
// printed.
SourceStatus source_read(Arena *a, const char *path, const SourceFile **out);
// The same for a file that another one names: pipes and devices, which may never end, are refused unread.
SourceStatus source_read_ordinary(Arena *a, const char *path, const SourceFile **out);
// Texts that are open in an editor: they stand for the files of these paths. find: false, it is not open.
typedef struct OpenTexts {
  bool (*find)(void *with, const char *path, const char **text, size_t *n);
  void  *with;
} OpenTexts;
// The same where `open` does not have it; NULL: none is open.
SourceStatus source_read_open(Arena *a, const char *path, const OpenTexts *open, const SourceFile **out);
// The path of `name` as the file `from` writes it: relative to the folder of `from`. In the arena, or name itself.
const char  *source_beside(Arena *a, const SourceFile *from, const char *name);
const char  *source_status_text(SourceStatus s, int saved_errno);
const SourceFile *source_from_text(Arena *a, const char *path, const char *text, size_t len);

int  source_line(const SourceFile *f, size_t offset);            // 1-based
int  source_column(const SourceFile *f, size_t offset);          // 1-based, in code points
Span span_join(Span a, Span b);
