// The table of words, and a search in it.
#include "vocabulary.h"
#include <string.h>

const WordStory vocabulary[] = {
#define SAY(word, group, what, story) { word, WORD_##group, what, story },
#include "vocabulary.def"
#undef SAY
};
const size_t nvocabulary = sizeof vocabulary / sizeof *vocabulary;

const char *word_group(WordGroup g) {
  static const char *const names[WORD_GROUPS] = {
    [WORD_FILE] = "at file level", [WORD_ITEM] = "an item of a model",
    [WORD_PART] = "a part of a contact or constraint",
    [WORD_LAW] = "a law, behind `with`", [WORD_ENTRY] = "an entry of simulate", [WORD_SCHEME] = "a scheme",
    [WORD_ARGUMENT] = "an argument",
    [WORD_BODY] = "an entry of a body", [WORD_SHAPE] = "a shape", [WORD_PICTURE] = "a picture, in draw",
    [WORD_FUNCTION] = "a function",
    [WORD_LAW_SET] = "a set-valued law, in relations", [WORD_STATISTIC] = "of a run, in claims",
    [WORD_CONSTANT] = "a given name", [WORD_MEMBER] = "behind a dot", [WORD_OPERATOR] = "within expressions",
    [WORD_FIT] = "an entry of fit", [WORD_ANALYSE] = "an entry of analyse",
    [WORD_CONCEPT] = "a word of the field"
  };
  return names[g];
}

const WordStory *word_story(const char *word, const WordStory *after) {
  for (const WordStory *w = after ? after + 1 : vocabulary; w < vocabulary + nvocabulary; w++)
    if (!strcmp(w->word, word)) return w;
  return NULL;
}
