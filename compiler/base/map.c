// Pointer to pointer: entries stand in order of insertion, a table of positions (0 = free, k+1 = entry k) finds them.
#include "map.h"

#include <stdint.h>
#include <string.h>

typedef struct { const void *key; void *value; } Entry;

struct Map {
  Arena    *arena;
  Entry    *entries;
  size_t    n, cap;
  uint32_t *table;
  size_t    size;      // of the table, a power of two
};

Map *map_new(Arena *a) {
  Map *m = ARENA_NEW(a, Map);
  m->arena = a;
  m->cap = 8;
  m->size = 16;
  m->entries = ARENA_ARRAY(a, Entry, m->cap);
  m->table = ARENA_ARRAY(a, uint32_t, m->size);
  return m;
}

// The slot of the key, or the free slot where it would go.
static size_t slot_of(const Map *m, const void *key) {
  uint64_t h = (uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u;
  size_t at = (size_t)(h >> 20) & (m->size - 1);
  while (m->table[at] && m->entries[m->table[at] - 1].key != key) at = (at + 1) & (m->size - 1);
  return at;
}

static void grow(Map *m) {
  Entry *wider = ARENA_ARRAY(m->arena, Entry, m->cap * 2);
  memcpy(wider, m->entries, m->n * sizeof *wider);
  m->entries = wider;
  m->cap *= 2;
  m->size *= 2;
  m->table = ARENA_ARRAY(m->arena, uint32_t, m->size);
  for (size_t k = 0; k < m->n; k++) m->table[slot_of(m, m->entries[k].key)] = (uint32_t)(k + 1);
}

void *map_get(const Map *m, const void *key) {
  size_t at = slot_of(m, key);
  return m->table[at] ? m->entries[m->table[at] - 1].value : NULL;
}

void map_put(Map *m, const void *key, void *value) {
  size_t at = slot_of(m, key);
  if (m->table[at]) {
    m->entries[m->table[at] - 1].value = value;
    return;
  }
  if (m->n == m->cap) {
    grow(m);
    at = slot_of(m, key);
  }
  m->entries[m->n++] = (Entry){key, value};
  m->table[at] = (uint32_t)m->n;
}

size_t      map_size(const Map *m) { return m->n; }
const void *map_key_at(const Map *m, size_t i) { return m->entries[i].key; }
void       *map_value_at(const Map *m, size_t i) { return m->entries[i].value; }
