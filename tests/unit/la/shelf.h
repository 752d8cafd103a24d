// For the tests of factorizations: random numbers, and memory that is counted and released at once. After cmocka.h.
#pragma once
#include <stdint.h>
#include <stdlib.h>

static uint64_t seed = 88172645463325252u;
static double draw(void) {   // in [-1, 1), xorshift
  seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
  return (double)(seed >> 11) * 0x1p-52 - 1.0;
}

// Memory that is counted and released at once.
typedef struct shelf { void *block[4000]; int n, given; } shelf;
static void *take(void *of, size_t bytes) {
  shelf *s = of;
  assert_true(s->n < 4000);
  return s->block[s->n++] = calloc(1, bytes);
}
static void give(void *of, void *memory) {
  shelf *s = of;
  for (int i = 0; i < s->n; i++)
    if (s->block[i] == memory) { free(memory); s->block[i] = NULL; s->given++; return; }
  fail();
}
static void clear(shelf *s) {
  for (int i = 0; i < s->n; i++) free(s->block[i]);
  s->n = s->given = 0;
}
