// The words that the editor of a page colours.
#include <stdlib.h>
#include "../syntax/vocabulary.h"
#include "view.h"

const char *view_vocabulary(Arena *a) {
  static const bool name[WORD_GROUPS] = { [WORD_ARGUMENT] = true, [WORD_CONSTANT] = true, [WORD_MEMBER] = true,
                                          [WORD_CONCEPT] = true };
  Text t = {0};
  for (size_t i = 0; i < nvocabulary; i++)
    if (!name[vocabulary[i].group]) text_printf(&t, "%s ", vocabulary[i].word);
  const char *kept = arena_strndup(a, text_str(&t), t.n);
  text_free(&t);
  return kept;
}
