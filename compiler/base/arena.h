// Arena: bump allocation with one release for everything in it.
// Ownership: who makes an arena frees it; everything allocated from it lives exactly as long.
#pragma once
#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);                              // never NULL: out of memory stops the program (base/fatal.h)
void   arena_free(Arena *a);                         // NULL is fine
void  *arena_alloc(Arena *a, size_t bytes);          // zeroed, aligned for any type; bytes = 0 gives a unique pointer
char  *arena_strndup(Arena *a, const char *s, size_t n);
char  *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

// A list of `count` elements becomes a copy with room for two more.
#define ARENA_MORE(arena, list, count, type)                                                                           \
  do {                                                                                                                 \
    type *more_ = ARENA_ARRAY(arena, type, (count) + 2);                                                               \
    if ((count) > 0) memcpy(more_, (list), (size_t)(count) * sizeof *more_);                                           \
    (list) = more_;                                                                                                    \
  } while (0)
