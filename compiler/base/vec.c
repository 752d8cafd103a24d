// The growing half of Vec: doubling, with the overflow checks in one place.
#include "vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fatal.h"

void *vec_grow_(void *at, size_t *cap, size_t need, size_t size) {
  size_t room = *cap ? *cap : 8;
  while (room < need) {
    if (room > SIZE_MAX / 2) out_of_memory(SIZE_MAX);
    room *= 2;
  }
  if (room > SIZE_MAX / size) out_of_memory(SIZE_MAX);
  void *grown = realloc(at, room * size);
  if (!grown) out_of_memory(room * size);
  *cap = room;
  return grown;
}

void vec_release_(void *at) { free(at); }

void *vec_freeze_(Arena *a, void *at, size_t bytes) {
  void *copy = arena_alloc(a, bytes);
  if (bytes) memcpy(copy, at, bytes);
  free(at);
  return copy;
}
