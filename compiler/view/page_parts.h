// What page.c and page_write.c share.
#pragma once
#include "page.h"

// A string of JSON that may stand inside of <script>; a comma and a key.
void page_string(Text *out, const char *s);
void page_key(Text *out, const char *name);
void page_lasting(const Trace *t, const PageFacts *f, Text *out);         // what is the same in each run of the same
void page_facts(const Trace *t, const PageFacts *f, Text *out);           // without its last brace

// series: of how many the block consists, one number of each in turn, where it may be packed; else 0. single: they are
// floats. near: of pack.h.
typedef struct PageBlock {
  char name[24];
  const void *bytes;
  size_t n;
  int series;
  bool single;
  double near;
} PageBlock;
enum { PAGE_OTHER_BLOCKS = 7 };
// All blocks that are not empty, at most 2 t->ncolumn + PAGE_OTHER_BLOCKS; how many. Where columns were thinned,
// "times%d" are the times of the values of "column%d".
int page_blocks(const Trace *t, PageBlock *out);
PageBlock *page_block_room(const Trace *t);

// Bytes as letters: four for three of them; two for thirteen bits.
void page_base64(Text *out, const void *bytes, size_t n);
void page_base91(Text *out, const void *bytes, size_t n);
// A block as the page has it: by pack.h where t->packed, as letters, with its element.
void page_block_write(const Trace *t, const PageBlock *b, Text *out);

size_t page_frame(void);                                                  // bytes of frame, style and scripts
