// What page.c and page_write.c share.
#pragma once
#include "page.h"

// A string of JSON that may stand inside of <script>; a comma and a key.
void page_string(Text *out, const char *s);
void page_key(Text *out, const char *name);
void page_lasting(const Trace *t, const PageFacts *f, Text *out);         // what is the same in each run of the same
void page_facts(const Trace *t, const PageFacts *f, Text *out);           // without its last brace

typedef struct PageBlock { char name[24]; const void *bytes; size_t n; } PageBlock;
enum { PAGE_OTHER_BLOCKS = 7 };
// All blocks that are not empty, at most t->ncolumn + PAGE_OTHER_BLOCKS; how many.
int page_blocks(const Trace *t, PageBlock *out);

size_t page_frame(void);                                                  // bytes of frame, style and scripts
