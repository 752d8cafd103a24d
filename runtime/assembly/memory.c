// Memory of a simulation: a list of blocks, each zeroed and aligned to a cache line, released together.
// There is one place to go when memory is short: back to nsm_open. Hence longjmp, here and nowhere else.
#include "assembly.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, CHUNK = 1 << 16 };

struct sim_memory {
  struct sim_memory *next;
  size_t used, size;
};

static size_t aligned(size_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

static struct sim_memory *block(nsm_sim *s, size_t bytes) {
  size_t head = aligned(sizeof(struct sim_memory));
  struct sim_memory *m = aligned_alloc(ALIGN, head + aligned(bytes));
  if (!m) longjmp(s->no_memory, 1);
  memset(m, 0, head + aligned(bytes));
  m->size = head + aligned(bytes);
  m->used = head;
  s->taken += m->size;
  return m;
}

void *sim_take(nsm_sim *s, size_t count, size_t size) {
  if (count == 0) count = 1;
  if (count > ((size_t)1 << 40) / size) longjmp(s->no_memory, 1);
  size_t bytes = aligned(count * size);
  struct sim_memory *m = s->memory;
  if (bytes > CHUNK / 4) {                       // large ones alone, behind the current chunk
    struct sim_memory *own = block(s, bytes);
    own->used = own->size;
    if (m) { own->next = m->next; m->next = own; }
    else s->memory = own;
    return (char *)own + (own->size - bytes);
  }
  if (!m || m->size - m->used < bytes) {
    struct sim_memory *fresh = block(s, CHUNK);
    fresh->next = m;
    s->memory = m = fresh;
  }
  void *p = (char *)m + m->used;
  m->used += bytes;
  return p;
}

void sim_release(nsm_sim *s) {
  for (struct sim_memory *m = s->memory, *next; m; m = next) {
    next = m->next;
    free(m);
  }
  s->memory = NULL;
}
