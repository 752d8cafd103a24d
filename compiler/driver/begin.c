// nsm new: a model to start from, which runs as it is. nsm explain: the stories of codes, of words
// and of parts of the standard library.
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include "../base/suggest.h"
#include "../base/vec.h"
#include "../syntax/vocabulary.h"
#include "commands.h"

// ---- new ------------------------------------------------------------------------------------------------------------
static const char model[] =
    "// A block slides over the floor and is stopped by friction.\n"
    "// nsm run %s        nsm view %s        nsm test %s\n"
    "model %s {\n"
    "  param m = 1 [kg], g = 9.81 [m/s^2];\n"
    "  param mu = 0.3 \"coefficient of friction\", e = 0.2 \"restitution\";\n"
    "  coord x : m = 0, x' = 2 [m/s];  // where it is, and its velocity at the start\n"
    "  coord z : m = 0.1;  // the height: it falls first\n"
    "  kinetic m*(x'^2 + z'^2)/2;\n"
    "  potential m*g*z;\n"
    "  contact floor {\n    normal = z;\n    slip = x';\n    with newton(e), coulomb(mu);\n  }\n"
    "  simulate { until = 1.5 [s], step = 1 [ms] }\n"
    "  expect abs(final(x')) <= 1e-9 [m/s] \"it has come to rest\";\n"
    "}\n";

// Falling.nsm -> Falling; my-first_ball -> My_first_ball; 2d -> M2d. Words of the language begin in lower case.
static const char *name_of_model(Arena *a, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  size_t n = strlen(base);
  if (n > 4 && !strcmp(base + n - 4, ".nsm")) n -= 4;
  char *name = arena_printf(a, "%s%.*s", isalpha((unsigned char)*base) ? "" : "M", (int)n, base);
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c)) *c = '_';
  *name = (char)toupper((unsigned char)*name);
  return name;
}

// As a shell reads it as one word.
static const char *quoted(Arena *a, const char *path) {
  if (!path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-")]) return path;
  const char *all = "'";
  for (; *path; path++) all = arena_printf(a, *path == '\'' ? "%s'\\''" : "%s%c", all, *path);
  return arena_printf(a, "%s'", all);
}

int command_new(const Options *o) {
  const char *given = o->file[0];
  size_t n = strlen(given);
  Arena *a = arena_new();
  const char *path = n > 4 && !strcmp(given + n - 4, ".nsm") ? given : arena_printf(a, "%s.nsm", given);
  const char *word = quoted(a, path);
  FILE *f = fopen(path, "wx");
  int code = EXIT_OK;
  if (!f) {
    fprintf(stderr, "error: %s: %s\n", path, errno == EEXIST ? "this file is there already" : strerror(errno));
    code = errno == EEXIST ? EXIT_USAGE : EXIT_FILE;
  } else {
    bool good = fprintf(f, model, word, word, word, name_of_model(a, path)) > 0;
    if (fclose(f) != 0 || !good) {
      fprintf(stderr, "error: %s could not be written: %s\n", path, strerror(errno));
      code = EXIT_FILE;
    } else printf("%s is a model that runs: nsm run %s\n", path, word);
  }
  arena_free(a);
  return code;
}

// ---- explain --------------------------------------------------------------------------------------------------------
static bool explain_code(const char *what) {
  char name[16] = "";
  DiagCode code;
  for (size_t k = 0; what[k] && k < 15; k++) name[k] = (char)toupper((unsigned char)what[k]);
  if (!diag_code_find(name, &code)) return false;
  size_t n;
  const char *story = diag_code_story(code, &n);
  printf("%s: %s\n\n%.*s", name, diag_code_title(code), (int)n, story);
  return true;
}

// Do n characters of both agree, whatever their case and whether a blank or a hyphen stands between words?
static bool alike(const char *a, const char *b, size_t n) {
  for (size_t k = 0; k < n; k++) {
    int x = a[k] == '-' || a[k] == '_' ? ' ' : tolower((unsigned char)a[k]);
    int y = b[k] == '-' ? ' ' : tolower((unsigned char)b[k]);
    if (x != y) return false;
    if (!x) return true;
  }
  return true;
}

// The word as the table writes it: in any case, Filippov as filippov, of several as of one, and a word of the field by
// its first part.
static const char *spelled(const char *what) {
  if (word_story(what, NULL)) return what;
  size_t n = strlen(what);
  for (int how = 0; how < 3; how++)
    for (const WordStory *w = vocabulary; w < vocabulary + nvocabulary; w++) {
      bool field = w->group == WORD_CONCEPT;
      if (how == 0 && alike(what, w->word, n + 1)) return w->word;
      bool several = n > 3 && what[n - 1] == 's' && strlen(w->word) == n - 1;
      if (how == 1 && several && alike(what, w->word, n - 1)) return w->word;
      if (how == 2 && field && alike(what, w->word, n) && w->word[n] == ' ') return w->word;
    }
  return what;
}

static bool explain_word(const char *what) {
  what = spelled(what);
  const WordStory *w = word_story(what, NULL);
  for (const WordStory *first = w; w; w = word_story(what, w)) {
    printf("%s%s (%s): %s\n", w == first ? "" : "\n", w->word, word_group(w->group), w->what);
    if (w->story) printf("\n%s", w->story);
  }
  return word_story(what, NULL) != NULL;
}

static void unknown(const char *what) {
  Vec(const char *) words = { 0 };
  for (size_t i = 0; i < nvocabulary; i++) vec_push(&words, vocabulary[i].word);
  const char *near = suggest(what, words.at, words.n);
  if ((*what == 'E' || *what == 'W' || *what == 'e' || *what == 'w') && isdigit((unsigned char)what[1]))
    fprintf(stderr, "error: there is no diagnostic '%s'; codes look like E0420 and stand in every message\n", what);
  else
    fprintf(stderr, "error: '%s' is neither a word of the language, a part of std nor a code, as E0420%s%s%s\n", what,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  vec_free(&words);
}

int command_explain(const Options *o) {
  int worst = EXIT_OK;
  for (int i = 0; i < o->nfile; i++) {
    if (i) puts("");
    bool word = explain_code(o->file[i]) || explain_word(o->file[i]);
    if (explain_part(o->file[i], word) || word) continue;
    unknown(o->file[i]);
    worst = EXIT_USAGE;
  }
  return worst;
}
