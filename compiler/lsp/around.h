// Where a place is: the text up to it says in which bracket of which item, behind which word. It need not be a model.
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { DEEPEST = 200, WORD_ROOM = 64 };

typedef struct Open { char bracket; size_t at, item; } Open;       // item: where its item starts
typedef struct Where {
  const char *text;
  size_t at, word;                     // the cursor, and where the word before it starts
  size_t item;                         // where the item under way starts
  Open open[DEEPEST];
  int nopen;
  bool comment, string;
} Where;

bool in_name(char c);
void where_look(Where *w, const char *text, size_t at);
void where_word(const Where *w, size_t lo, int k, char *out);   // the k-th word from lo on, WORD_ROOM bytes; "": none
char where_sign(const Where *w);                                // the last sign before the word, in the item; 0
bool where_behind(const Where *w, const char *word);            // does the item have this word behind its last bracket?
bool where_of_unit(const Where *w, size_t at);                  // is this bracket that of a unit: 3 [, or [1, 2] [ ?
