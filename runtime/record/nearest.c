// "Did you mean ...?": edit distance with transpositions (Damerau 1964), for flags, parameters and columns.
#include "record.h"
#include <string.h>

enum { LONGEST = 64 };

static int distance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  int d[3][LONGEST + 1];
  if (n > LONGEST || m > LONGEST) return LONGEST;
  for (size_t j = 0; j <= m; j++) d[0][j] = (int)j;
  int *before = d[2], *last = d[0], *now = d[1];
  for (size_t i = 1; i <= n; i++) {
    now[0] = (int)i;
    for (size_t j = 1; j <= m; j++) {
      int best = last[j - 1] + (a[i - 1] != b[j - 1]);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = best;
    }
    int *t = before;
    before = last;
    last = now;
    now = t;
  }
  return last[m];
}

int nsm_nearest(const char *wrong, int n, const char *(*name)(void *, int), void *with) {
  int best = -1, least = (int)strlen(wrong) / 3 + 1;       // a third of the letters may be wrong, and one
  for (int i = 0; i < n; i++) {
    int d = distance(wrong, name(with, i));
    if (d <= least && (best < 0 || d < least)) { best = i; least = d; }
  }
  return best;
}
