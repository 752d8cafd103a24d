// An allocator that fails at the k-th call, for LD_PRELOAD: FAIL_AT=k, from there on or, with FAIL_ONCE, there alone.
// FAIL_COUNT=file: how many calls there were, written at exit. Programs that the process starts are left alone.
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
            *__libc_memalign(size_t, size_t);

static atomic_long calls;
static long at;
static int once;
static pid_t self;
static char count[4096];

__attribute__((constructor)) static void begin(void) {
  const char *k = getenv("FAIL_AT"), *file = getenv("FAIL_COUNT");
  at = k ? atol(k) : 0;
  once = getenv("FAIL_ONCE") != NULL;
  if (file) snprintf(count, sizeof count, "%s", file);
  self = getpid();
  unsetenv("LD_PRELOAD");
  atomic_store(&calls, 0);
}

__attribute__((destructor)) static void end(void) {
  FILE *f = *count && getpid() == self ? fopen(count, "w") : NULL;
  if (!f) return;
  fprintf(f, "%ld\n", (long)calls);
  fclose(f);
}

static int fails(void) {
  long n = atomic_fetch_add(&calls, 1) + 1;
  if (at == 0 || (once ? n != at : n < at)) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t each) { return fails() ? NULL : __libc_calloc(n, each); }
void *realloc(void *old, size_t n) { return fails() ? NULL : __libc_realloc(old, n); }
void *aligned_alloc(size_t a, size_t n) { return fails() ? NULL : __libc_memalign(a, n); }

int posix_memalign(void **p, size_t a, size_t n) {
  void *got = fails() ? NULL : __libc_memalign(a, n);
  if (!got) return ENOMEM;
  *p = got;
  return 0;
}
