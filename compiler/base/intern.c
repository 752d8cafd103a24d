// Interned strings: an open hash table of pointers into the arena (FNV-1a, linear probing, at most half full).
#include "intern.h"

#include <stdint.h>
#include <string.h>

typedef struct { const char *text; size_t n; uint64_t hash; } Slot;

struct Interner {
  Arena *arena;
  Slot  *slots;
  size_t size, used;   // size is a power of two
};

Interner *intern_new(Arena *a) {
  Interner *in = ARENA_NEW(a, Interner);
  in->arena = a;
  in->size = 256;
  in->slots = ARENA_ARRAY(a, Slot, in->size);
  return in;
}

static uint64_t hash_of(const char *s, size_t n) {
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 1099511628211u;
  return h ^ h >> 32;
}

static void grow(Interner *in) {
  Slot *old = in->slots;
  size_t old_size = in->size;
  in->size *= 2;
  in->slots = ARENA_ARRAY(in->arena, Slot, in->size);
  for (size_t k = 0; k < old_size; k++) {
    if (!old[k].text) continue;
    size_t at = old[k].hash & (in->size - 1);
    while (in->slots[at].text) at = (at + 1) & (in->size - 1);
    in->slots[at] = old[k];
  }
}

const char *intern_n(Interner *in, const char *s, size_t n) {
  uint64_t h = hash_of(s, n);
  size_t at = h & (in->size - 1);
  for (; in->slots[at].text; at = (at + 1) & (in->size - 1)) {
    const Slot *found = &in->slots[at];
    if (found->hash == h && found->n == n && memcmp(found->text, s, n) == 0) return found->text;
  }
  const char *text = arena_strndup(in->arena, s, n);
  in->slots[at] = (Slot){text, n, h};
  if (++in->used > in->size / 2) grow(in);
  return text;
}

const char *intern(Interner *in, const char *s) { return intern_n(in, s, strlen(s)); }
