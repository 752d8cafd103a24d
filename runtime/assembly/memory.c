// Memory of a simulation: a list of blocks, each zeroed and aligned to a cache line, released together. Small pieces
// share blocks; large ones stand alone, and pages that are never written cost nothing. Room for scratch is taken as it
// is: zeroing it would be a tenth of a short run of a sweep. What an analysis needs only for
// itself is lent and given back.
// There is one place to go when memory is short: back to nsm_open. Hence longjmp, here and nowhere else.
#include "assembly.h"
#include <stdlib.h>
#include <string.h>
#include "../shared/apart.h"

enum { ALIGN = 64, CHUNK = 1 << 16 };
// No piece has more: a terabyte, or a gigabyte where an address has 32 bits.
#define MOST_BYTES ((size_t)1 << (sizeof(size_t) > 4 ? 40 : 30))

struct sim_memory {
  struct sim_memory *next, *before;
  void  *raw;                                    // as calloc gave it
  size_t used, size;
};

static size_t aligned(size_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

static void link_in(nsm_sim *s, struct sim_memory *m, struct sim_memory *before) {
  m->before = before;
  m->next = before ? before->next : s->memory;
  if (m->next) m->next->before = m;
  if (before) before->next = m;
  else s->memory = m;
}

static struct sim_memory *block(nsm_sim *s, size_t bytes, int zeroed) {
  size_t size = ALIGN + aligned(bytes);
  void *raw = zeroed ? calloc(1, size + ALIGN) : malloc(size + ALIGN);
  if (!raw) return NULL;
  struct sim_memory *m = (struct sim_memory *)(((uintptr_t)raw + ALIGN - 1) / ALIGN * ALIGN);
  m->raw = raw;
  m->size = size;
  m->used = ALIGN;
  s->taken += size;
  return m;
}

// A block of its own, behind the chunk in use; NULL where there is none.
static void *own_block(nsm_sim *s, size_t bytes, int zeroed) {
  struct sim_memory *m = block(s, bytes + NSM_APART, zeroed);
  if (!m) return NULL;
  m->used = m->size;
  link_in(s, m, s->memory);
  NSM_LOCK((char *)m + ALIGN + bytes, m->size - ALIGN - bytes);
  return (char *)m + ALIGN;
}

void *sim_take(nsm_sim *s, size_t count, size_t size) {
  if (count == 0) count = 1;
  if (count > MOST_BYTES / size) longjmp(s->no_memory, 1);
  size_t bytes = aligned(count * size) + NSM_APART;
  struct sim_memory *m = s->memory;
  if (bytes > CHUNK / 4) {
    void *own = own_block(s, count * size, 1);
    if (!own) longjmp(s->no_memory, 1);
    return own;
  }
  if (!m || m->size - m->used < bytes) {
    m = block(s, CHUNK, 1);
    if (!m) longjmp(s->no_memory, 1);
    link_in(s, m, NULL);
  }
  void *p = (char *)m + m->used;
  m->used += bytes;
  NSM_LOCK((char *)p + count * size, bytes - count * size);
  return p;
}

void *sim_take_scratch(nsm_sim *s, size_t bytes) {
  void *own = own_block(s, bytes, 0);
  if (!own) longjmp(s->no_memory, 1);
  return own;
}

void *sim_lend(nsm_sim *s, size_t count, size_t size) {
  if (count > MOST_BYTES / size) longjmp(s->no_memory, 1);
  void *own = own_block(s, count * size, 1);
  if (!own) longjmp(s->no_memory, 1);
  return own;
}

void sim_give(nsm_sim *s, void *lent) {
  if (!lent) return;
  struct sim_memory *m = (struct sim_memory *)((char *)lent - ALIGN);
  if (m->next) m->next->before = m->before;
  if (m->before) m->before->next = m->next;
  else s->memory = m->next;
  s->taken -= m->size;
  free(m->raw);
}

void *sim_pool_room(nsm_sim *s, sim_pool *p, size_t count, size_t size) {
  if (count > MOST_BYTES / size) return NULL;
  if (count * size <= p->bytes) return p->at;
  size_t bytes = p->bytes + p->bytes / 2 > count * size ? p->bytes + p->bytes / 2 : count * size;
  sim_pool_empty(s, p);
  if (!(p->at = own_block(s, bytes, 1))) return NULL;
  p->bytes = bytes;
  return p->at;
}

void *sim_pool_more(nsm_sim *s, sim_pool *p, size_t count, size_t size) {
  sim_pool before = *p;
  if (count > MOST_BYTES / size) return NULL;
  if (count * size <= p->bytes) return p->at;
  *p = (sim_pool){ NULL, before.bytes };
  if (sim_pool_room(s, p, count, size) && before.at) memcpy(p->at, before.at, before.bytes);
  sim_give(s, before.at);
  return p->at;
}

void sim_pool_empty(nsm_sim *s, sim_pool *p) {
  sim_give(s, p->at);
  *p = (sim_pool){ NULL, 0 };
}

static void *take_fixed(void *of, size_t bytes) { return sim_take(of, bytes, 1); }
static void give_nothing(void *of, void *memory) { (void)of; (void)memory; }
static void *take_for_la(void *of, size_t bytes) { return own_block(of, bytes, 1); }
static void give_from_la(void *of, void *memory) { sim_give(of, memory); }

nsm_la_memory sim_la_memory(nsm_sim *s) { return (nsm_la_memory){ take_for_la, give_from_la, s }; }

nsm_la_memory sim_la_fixed(nsm_sim *s) { return (nsm_la_memory){ take_fixed, give_nothing, s }; }

void sim_no_room(nsm_sim *s) { longjmp(s->no_memory, 1); }

void sim_release(nsm_sim *s) {
  for (struct sim_memory *m = s->memory, *next; m; m = next) {
    next = m->next;
    free(m->raw);
  }
  s->memory = NULL;
}
