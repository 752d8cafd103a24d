// Hash map from interned pointer (or any pointer) to pointer; insertion order is kept for iteration.
#pragma once
#include <stddef.h>
#include "arena.h"

typedef struct Map Map;

Map        *map_new(Arena *a);
void       *map_get(const Map *m, const void *key);              // NULL when absent
void        map_put(Map *m, const void *key, void *value);       // replaces
size_t      map_size(const Map *m);
const void *map_key_at(const Map *m, size_t i);                  // 0 <= i < map_size, in order of first insertion
void       *map_value_at(const Map *m, size_t i);
