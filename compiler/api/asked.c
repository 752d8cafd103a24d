// What the blocks `fit` and `analyse` of a model ask, as words of a command line. Those of the user come behind, and
// win.
#include "asked.h"
#include <string.h>

// Does a word of the user's give this flag, or that of which it speaks, or, of analyse, a question of its own?
static bool says(MAskBlock block, const char *flag, int argc, char **argv) {
  static const char *const question[] = { "equilibrium", "linear", "modes", "steady", "bode", "section", "bifurcation",
                                          "follow", "lyapunov" };
  bool of_varied = !strcmp(flag, "each") || !strcmp(flag, "prior") || !strcmp(flag, "profile");
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--", 2)) continue;
    const char *name = argv[i] + 2;
    size_t n = strcspn(name, "=");
    if (strlen(flag) == n && !strncmp(name, flag, n)) return true;
    if (of_varied && n == 4 && !strncmp(name, "vary", 4)) return true;
    for (size_t k = 0; block == ASK_ANALYSE && k < sizeof question / sizeof *question; k++)
      if (strlen(question[k]) == n && !strncmp(name, question[k], n)) return true;
  }
  return false;
}

char **asked_words(Arena *a, Asked of, MAskBlock block, int argc, char **argv, int *n) {
  char **words = ARENA_ARRAY(a, char *, of.n + argc + 1);
  *n = 0;
  words[(*n)++] = argv[0];
  for (int i = 0; i < of.n; i++) {
    const MAsk *ask = &of.at[i];
    if (ask->block != block || says(block, ask->flag, argc, argv)) continue;
    words[(*n)++] = arena_printf(a, "--%s%s%s", ask->flag, *ask->text ? "=" : "", ask->text);
  }
  for (int i = 1; i < argc; i++) words[(*n)++] = argv[i];
  return words;
}

bool asked_at_rest(Asked of) {
  bool bode = false, period = false, rest = false;
  for (int i = 0; i < of.n; i++) {
    const char *flag = of.at[i].flag;
    if (of.at[i].block != ASK_ANALYSE) continue;
    bode |= !strcmp(flag, "bode");
    period |= !strcmp(flag, "period");
    rest |= !strcmp(flag, "equilibrium") || !strcmp(flag, "linear") || !strcmp(flag, "modes");
  }
  return rest || (bode && !period);
}
