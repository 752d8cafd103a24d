// Nearest name by the optimal string alignment distance (insert, delete, replace, swap of neighbours: one each).
// "Near" means: at most a third of the longer name, and one step for names of two to five letters. A name that differs
// only in the case of its letters is always near.
#include "nearest.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

static int least(int a, int b) { return a < b ? a : b; }

// Source: the recurrence of Damerau (1964) in the restricted form, row by row.
static int distance(const char *a, int n, const char *b, int m) {
  int row[3][LONGEST + 1];                                 // rows i-2, i-1, i of the table, used in turn
  for (int j = 0; j <= m; j++) row[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = row[i % 3], *up = row[(i + 2) % 3], *upup = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      int replaced = up[j - 1] + (a[i - 1] != b[j - 1]);
      now[j] = least(replaced, least(up[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = least(now[j], upup[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

static int same_but_case(const char *a, const char *b) {
  for (; *a && *b; a++, b++)
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return 0;
  return *a == *b;
}

int nsm_nearest(const char *wrong, int n, const char *(*name)(void *, int), void *with) {
  int best = -1, best_d = 0;
  size_t length = strlen(wrong);
  if (length == 0 || length > LONGEST) return -1;
  for (int k = 0; k < n; k++) {
    const char *candidate = name(with, k);
    size_t m = candidate ? strlen(candidate) : 0;
    if (m == 0 || m > LONGEST || strcmp(wrong, candidate) == 0) continue;
    if (same_but_case(wrong, candidate)) return k;
    int longer = (int)(length > m ? length : m), allowed = longer < 2 ? 0 : longer < 6 ? 1 : longer / 3;
    int d = distance(wrong, (int)length, candidate, (int)m);
    if (d <= allowed && d < longer && (best < 0 || d < best_d)) { best = k; best_d = d; }
  }
  return best;
}

void nsm_meant(const char *wrong, int n, const char *(*name)(void *, int), void *with, char *out, size_t size) {
  int near = nsm_nearest(wrong, n, name, with);
  if (near >= 0) {
    snprintf(out, size, "; did you mean `%s`?", name(with, near));
    return;
  }
  size_t used = (size_t)snprintf(out, size, "; there are ");
  int i = 0, told = 0;
  for (; i < n; i++) {
    const char *one = name(with, i);
    if (!one || !*one) continue;
    if (used + strlen(one) + 8 > size) break;
    used += (size_t)snprintf(out + used, size - used, "%s%s", told++ ? ", " : "", one);
  }
  if (i < n) snprintf(out + used, size - used, ", ...");
  else if (!told) *out = 0;
}
