// How much of a run a page has room for.
#include "page_parts.h"
#include "thin.h"
#include <string.h>

// In base64, with its element.
static size_t size_of_block(size_t n) {
  enum { ELEMENT = 80 };
  return (n + 2)/3*4 + ELEMENT;
}

void page_fit(Trace *t, const PageFacts *f) {
  enum { SMALLEST = 100000, VOLATILE = 20000 };            // for columns; for the command, notes and times
  if (t->full || !t->began) return;
  PageBlock *all = ARENA_ARRAY(t->a, PageBlock, t->ncolumn + PAGE_OTHER_BLOCKS);
  Text facts = {0};
  int n = page_blocks(t, all), ncolumn = 0;
  size_t columns = 0, others = VOLATILE + nsm_derivation(t->p, "mathml", NULL, 0) + page_frame();
  page_lasting(t, f, &facts);
  others += facts.n;
  text_free(&facts);
  for (int i = 0; i < n; i++) {
    bool column = !strncmp(all[i].name, "column", 6);
    ncolumn += column;
    *(column ? &columns : &others) += size_of_block(all[i].n);
  }
  if (columns + others <= PAGE_BYTES || !ncolumn) return;
  size_t room = others + SMALLEST < PAGE_BYTES ? PAGE_BYTES - others : SMALLEST, each = room/(size_t)ncolumn;
  size_t element = size_of_block(0);
  thin_columns(t, each > element ? (each - element)/4*3 : 0);
}
