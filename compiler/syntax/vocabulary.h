// The words of the language with what a person is told about them (vocabulary.def).
#pragma once
#include <stddef.h>

typedef enum {
  WORD_FILE, WORD_ITEM, WORD_PART, WORD_LAW, WORD_ENTRY, WORD_SCHEME, WORD_ARGUMENT, WORD_BODY, WORD_SHAPE,
  WORD_PICTURE, WORD_FUNCTION, WORD_LAW_SET, WORD_STATISTIC, WORD_CONSTANT, WORD_MEMBER, WORD_OPERATOR, WORD_FIT,
  WORD_ANALYSE, WORD_CONCEPT,
  WORD_GROUPS
} WordGroup;

typedef struct WordStory {
  const char *word;
  WordGroup   group;
  const char *what, *story;            // one line; several, or NULL
} WordStory;

extern const WordStory vocabulary[];
extern const size_t nvocabulary;
const char *word_group(WordGroup g);                       // "a part of a contact"
const WordStory *word_story(const char *word, const WordStory *after);   // the next of this word; after: NULL at first
