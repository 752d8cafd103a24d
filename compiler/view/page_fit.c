// How much of a run a page has room for. As long as its numbers take EXACT bytes they have all their bits; else they
// are packed (pack.h); where that is still too much, columns are thinned.
#include "page_parts.h"
#include "thin.h"
#include <string.h>

enum { EXACT = 1000000, SMALLEST = 100000, VOLATILE = 20000 };    // VOLATILE: for the command, notes and times

// Bytes of the blocks of columns, or of the others.
static size_t size(const Trace *t, bool columns) {
  enum { ELEMENT = 80 };
  PageBlock *all = page_block_room(t);
  Text text = {0};
  size_t sum = 0;
  int n = page_blocks(t, all);
  for (int i = 0; i < n; i++) {
    bool column = !strncmp(all[i].name, "column", 6) || !strncmp(all[i].name, "times", 5);
    if (column != columns) continue;
    text.n = 0;
    if (t->packed) page_block_write(t, &all[i], &text);
    sum += t->packed ? text.n : (all[i].n + 2)/3*4 + ELEMENT;
  }
  text_free(&text);
  return sum;
}

// So many parts that the columns have room: first with the bytes that a number takes today, then with fewer.
static void thin(Trace *t, size_t room, size_t now) {
  enum { FEWEST = 4 };
  size_t parts = (size_t)t->rows;
  for (bool more = true; more && parts > FEWEST && now > room;) {
    parts = (size_t)((double)parts*0.9*(double)room/(double)now);
    more = thin_columns(t, parts > FEWEST ? parts : FEWEST) || 2*parts >= (size_t)t->rows;
    if (t->kept) now = size(t, true);
  }
}

void page_fit(Trace *t, const PageFacts *f) {
  if (t->full || !t->began || !t->rows) return;
  size_t columns = size(t, true), others = size(t, false);
  if (columns + others <= EXACT || !columns) return;
  t->packed = true;
  Text facts = {0};
  page_lasting(t, f, &facts);
  others = size(t, false) + VOLATILE + nsm_derivation(t->p, "mathml", NULL, 0) + page_frame() + facts.n;
  text_free(&facts);
  thin(t, others + SMALLEST < PAGE_BYTES ? PAGE_BYTES - others : SMALLEST, size(t, true));
}
