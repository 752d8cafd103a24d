// Bump allocation in a chain of blocks. Small requests share a block; blocks double up to a limit; a request larger
// than a block gets one of its own, so that nothing ever moves.
#include "arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/shared/apart.h"
#include "fatal.h"

typedef struct Block {
  struct Block *next;
  size_t        used, size;
  max_align_t   data[];
} Block;

struct Arena {
  Block *blocks;      // the newest first
  size_t next_size;   // of the next shared block
};

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

Arena *arena_new(void) {
  Arena *a = calloc(1, sizeof *a);
  if (!a) out_of_memory(sizeof *a);
  a->next_size = FIRST_BLOCK;
  return a;
}

void arena_free(Arena *a) {
  if (!a) return;
  for (Block *b = a->blocks, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(a);
}

static Block *block_new(size_t size) {
  Block *b = size <= SIZE_MAX - sizeof *b ? calloc(1, sizeof *b + size) : NULL;
  if (!b) out_of_memory(size);
  b->size = size;
  return b;
}

static void *room(Arena *a, size_t need) {
  Block *b = a->blocks;
  if (b && b->size - b->used >= need) {
    void *at = (char *)b->data + b->used;
    b->used += need;
    return at;
  }
  if (need > a->next_size / 4 && b) {   // a large one: its own block, behind the one that still has room
    Block *own = block_new(need);
    own->used = need;
    own->next = b->next;
    b->next = own;
    return own->data;
  }
  Block *shared = block_new(need > a->next_size ? need : a->next_size);
  if (a->next_size < LARGEST_BLOCK) a->next_size *= 2;
  shared->used = need;
  shared->next = a->blocks;
  a->blocks = shared;
  return shared->data;
}

void *arena_alloc(Arena *a, size_t bytes) {
  const size_t unit = sizeof(max_align_t);
  if (bytes > SIZE_MAX - unit - NSM_APART) out_of_memory(bytes);
  size_t need = (bytes == 0 ? unit : (bytes + unit - 1) / unit * unit) + NSM_APART;
  char *at = room(a, need);
  NSM_LOCK(at + bytes, need - bytes);
  return at;
}

char *arena_strndup(Arena *a, const char *s, size_t n) {
  char *copy = arena_alloc(a, n + 1);
  if (n) memcpy(copy, s, n);
  return copy;
}

char *arena_printf(Arena *a, const char *fmt, ...) {
  char some[120], *s;                   // formatted once where it is not longer
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(some, sizeof some, fmt, ap);
  va_end(ap);
  if (n < 0) FATAL("a message could not be formatted: %s", fmt);
  if ((size_t)n < sizeof some) s = arena_strndup(a, some, (size_t)n);
  else vsnprintf(s = arena_alloc(a, (size_t)n + 1), (size_t)n + 1, fmt, again);
  va_end(again);
  return s;
}

