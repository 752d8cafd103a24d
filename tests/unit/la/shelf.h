// For the tests of factorizations: random numbers, and memory whose ends are watched. After cmocka.h.
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 88172645463325252u;
static double draw(void) {   // in [-1, 1), xorshift
  seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
  return (double)(seed >> 11) * 0x1p-52 - 1.0;
}

// Memory that is counted and released at once. Behind each piece stand bytes that nobody may touch, numbers that are
// none. Piece number `missing`, from 1 on, is not there.
typedef struct shelf { unsigned char *block[4000]; size_t bytes[4000]; int n, given, taken, missing; } shelf;
enum { BEHIND = 64 };
static void *take(void *of, size_t bytes) {
  shelf *s = of;
  assert_true(s->n < 4000);
  if (++s->taken == s->missing) return NULL;
  s->bytes[s->n] = bytes;
  s->block[s->n] = calloc(1, bytes + BEHIND);
  memset(s->block[s->n] + bytes, 0xff, BEHIND);
  return s->block[s->n++];
}
static void release(shelf *s, int i) {
  for (int k = 0; s->block[i] && k < BEHIND; k++) assert_int_equal(s->block[i][s->bytes[i] + (size_t)k], 0xff);
  free(s->block[i]);
  s->block[i] = NULL;
}
static void give(void *of, void *memory) {
  shelf *s = of;
  for (int i = 0; i < s->n; i++) if (s->block[i] == memory) { release(s, i); s->given++; return; }
  fail();
}
static void clear(shelf *s) {
  for (int i = 0; i < s->n; i++) release(s, i);
  s->n = s->given = 0;
}
