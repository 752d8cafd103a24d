// Random pairs of every combination of shapes against the oracle of tests/unit/shapes: one line each, with the bars.
// Usage: distances [pairs of each = 100000] [first combination] [last]
#include "tests/unit/shapes/pairs.h"
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **word) {
  long pairs = count > 1 ? atol(word[1]) : 100000;
  int from = count > 2 ? atoi(word[2]) : 0, to = count > 3 ? atoi(word[3]) : PAIR_KINDS - 1;
  printf("%-22s %8s %8s %8s %8s %8s %8s %8s %5s %6s %7s %7s\n", "pair", "gap", "attained", "normal", "least", "below",
         "points", "row", "lost", "better", "normals", "worst");
  printf("%-22s %8s %8s %8s %8s %8s %8s %8s %5s\n", "bar", "1e-10", "1e-10", "1e-8", "1e-12", "1e-12", "1e-12",
         "5e-15", "0");
  for (int i = from; i <= to && i < PAIR_KINDS; i++) {
    char name[64];
    verdict v = verify_pairs(pair_kinds[i][0], pair_kinds[i][1], pairs, (unsigned long long)i + 1);
    snprintf(name, sizeof name, "%s, %s", kind_name(pair_kinds[i][0]), kind_name(pair_kinds[i][1]));
    printf("%-22s %8.1e %8.1e %8.1e %8.1e %8.1e %8.1e %8.1e %5ld %6ld %7ld %7ld\n", name, v.gap, v.attained, v.normal,
           v.least, v.below, v.points, v.row, v.lost, v.better, v.normals, v.worst_pair);
    fflush(stdout);
  }
  return 0;
}
