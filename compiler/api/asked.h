// What the blocks `fit` and `analyse` of a model ask (model.h, MAsk).
#pragma once
#include "../base/arena.h"
#include "../model/model.h"

typedef struct Asked { const MAsk *at; int n; } Asked;

// An entry of such a block (syntax/questions.def); word: NULL behind the last. form: WORD, it takes no value.
typedef enum { ASKS_WITH, ASKS_REST, ASKS_MOTION } AskedOf;
typedef struct AskedEntry { const char *word; MAskBlock block; const char *form; AskedOf asks; } AskedEntry;
extern const AskedEntry asked_entries[];

// The words of a command line, argv[0] first, with those of the block in front of the user's argv[1, argc); a flag that
// the user gives is the user's alone, and where the user asks analyse a question the block is silent. *n of them.
char **asked_words(Arena *a, Asked of, MAskBlock block, int argc, char **argv, int *n);
// Of words of `nsm analyse`, the command first: do they ask of what is at rest (equilibrium, linear, modes, bode
// without a period); do they ask anything?
bool asked_at_rest(int n, char *const *words);
bool asked_itself(int n, char *const *words);
// What the block gives a flag; NULL: nothing.
const char *asked_text(Asked of, MAskBlock block, const char *flag);
