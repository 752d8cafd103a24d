// What the blocks `fit` and `analyse` of a model ask, as words of a command line. Those of the user come behind, and
// win.
#include "asked.h"
#include <string.h>

// Does a word give this flag?
static bool gives(const char *flag, int n, char *const *words) {
  size_t length = strlen(flag);
  for (int i = 1; i < n; i++)
    if (!strncmp(words[i], "--", 2) && !strncmp(words[i] + 2, flag, length) && strchr("=", words[i][2 + length]))
      return true;
  return false;
}

const AskedEntry asked_entries[] = {
#define QUESTION(word, block, form, asks, shape) { word, ASK_##block, #form, ASKS_##asks },
#include "../syntax/questions.def"
#undef QUESTION
  { 0 }
};

static bool asks(AskedOf of, int n, char *const *words) {
  for (const AskedEntry *q = asked_entries; q->word; q++)
    if (q->block == ASK_ANALYSE && q->asks == of && gives(q->word, n, words)) return true;
  return false;
}

bool asked_at_rest(int n, char *const *words) {
  return asks(ASKS_REST, n, words) || (gives("bode", n, words) && !gives("period", n, words));
}

bool asked_itself(int n, char *const *words) { return asks(ASKS_MOTION, n, words) || asks(ASKS_REST, n, words); }

// Is what the block says of this flag left aside: for the same flag, for what is varied, for a question of the user's?
static bool left_aside(const MAsk *ask, int n, char *const *words) {
  bool of_varied = !strcmp(ask->flag, "each") || !strcmp(ask->flag, "prior") || !strcmp(ask->flag, "profile");
  return gives(ask->flag, n, words) || (of_varied && gives("vary", n, words)) ||
         (ask->block == ASK_ANALYSE && asked_itself(n, words));
}

char **asked_words(Arena *a, Asked of, MAskBlock block, int argc, char **argv, int *n) {
  char **words = ARENA_ARRAY(a, char *, of.n + argc + 1);
  *n = 0;
  words[(*n)++] = argv[0];
  for (int i = 0; i < of.n; i++) {
    const MAsk *ask = &of.at[i];
    if (ask->block == block && !left_aside(ask, argc, argv))
      words[(*n)++] = arena_printf(a, "--%s%s%s", ask->flag, *ask->text ? "=" : "", ask->text);
  }
  for (int i = 1; i < argc; i++) words[(*n)++] = argv[i];
  return words;
}

const char *asked_text(Asked of, MAskBlock block, const char *flag) {
  for (int i = 0; i < of.n; i++)
    if (of.at[i].block == block && !strcmp(of.at[i].flag, flag)) return of.at[i].text;
  return NULL;
}
