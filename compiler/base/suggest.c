// Nearest name by the optimal string alignment distance (insert, delete, replace, swap of neighbours: one each).
// "Near" means: at most a third of the longer name, and one step for names of two or three letters. A name that differs
// only in the case of its letters is always near.
#include "suggest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64 };

static size_t min2(size_t a, size_t b) { return a < b ? a : b; }

static size_t distance(const char *a, size_t n, const char *b, size_t m) {
  size_t row[3][LONGEST + 1];   // rows i-2, i-1, i of the table, used in turn
  for (size_t j = 0; j <= m; j++) row[0][j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t *now = row[i % 3], *up = row[(i + 2) % 3], *upup = row[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t replace = up[j - 1] + (a[i - 1] != b[j - 1]);
      now[j] = min2(replace, min2(up[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = min2(now[j], upup[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

static int same_but_case(const char *a, const char *b) {
  for (; *a && *b; a++, b++)
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return 0;
  return *a == *b;
}

const char *suggest(const char *wrong, const char *const *names, size_t n) {
  const char *best = NULL;
  size_t best_d = 0, len = strlen(wrong);
  if (len == 0 || len > LONGEST) return NULL;
  for (size_t k = 0; k < n; k++) {
    if (!names[k]) continue;
    size_t m = strlen(names[k]);
    if (m == 0 || m > LONGEST || strcmp(wrong, names[k]) == 0) continue;
    if (same_but_case(wrong, names[k])) return names[k];
    size_t longer = len > m ? len : m;
    size_t allowed = longer < 2 ? 0 : longer < 6 ? 1 : longer / 3;
    size_t d = distance(wrong, len, names[k], m);
    if (d <= allowed && d < longer && (!best || d < best_d)) best = names[k], best_d = d;
  }
  return best;
}
