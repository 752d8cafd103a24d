// The allocator of the command: whoever asks for memory and gets none ends the program with a message and exit code 4,
// be it nsm, libtcc, LLVM, HDF5 or the C library. Of these some answer with an exit code of their own, some abort, and
// some read what is not there. It stands in front of whatever allocator the program is given (dlsym, RTLD_NEXT).
// The libraries that others use (libnsm.so, those of built simulators) answer with an error and end nobody's program;
// a sanitizer has an allocator of its own.
#define _GNU_SOURCE
#include "memory.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include "../base/fatal.h"

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && defined __GLIBC__
#include <malloc.h>
#include <sys/mman.h>

typedef void *Malloc(size_t);
typedef void *Calloc(size_t, size_t);
typedef void *Realloc(void *, size_t);
typedef void *Aligned(size_t, size_t);
typedef int Posix(void **, size_t, size_t);

extern void *__libc_malloc(size_t);                        // while the loader looks for the next one
extern void *__libc_calloc(size_t, size_t);

static struct { Malloc *malloc; Calloc *calloc; Realloc *realloc; Aligned *aligned; Posix *posix; } next;
static _Thread_local bool looking, ending;

static void look(void) {
  looking = true;
  union { void *at; Malloc *f; } m = { dlsym(RTLD_NEXT, "malloc") };
  union { void *at; Calloc *f; } c = { dlsym(RTLD_NEXT, "calloc") };
  union { void *at; Realloc *f; } r = { dlsym(RTLD_NEXT, "realloc") };
  union { void *at; Aligned *f; } a = { dlsym(RTLD_NEXT, "aligned_alloc") };
  union { void *at; Posix *f; } p = { dlsym(RTLD_NEXT, "posix_memalign") };
  next.calloc = c.f;
  next.realloc = r.f;
  next.aligned = a.f;
  next.posix = p.f;
  next.malloc = m.f;
  looking = false;
}

// What is done at the end may ask for memory, too.
static void none(size_t bytes) {
  if (ending) _exit(4);
  ending = true;
  out_of_memory(bytes);
}

static void *had(void *at, size_t bytes) {
  if (!at && bytes > 0) none(bytes);
  return at;
}

void *malloc(size_t n) {
  if (!next.malloc) {
    if (looking) return __libc_malloc(n);
    look();
  }
  return had(next.malloc(n), n);
}

void *calloc(size_t n, size_t each) {
  size_t bytes;
  if (!next.malloc) {
    if (looking) return __libc_calloc(n, each);
    look();
  }
  if (__builtin_mul_overflow(n, each, &bytes)) none((size_t)-1);
  return had(next.calloc(n, each), bytes);
}

void *realloc(void *old, size_t n) {
  if (!next.malloc) look();
  return had(next.realloc(old, n), n);
}

void *aligned_alloc(size_t alignment, size_t n) {
  if (!next.malloc) look();
  return had(next.aligned(alignment, n), n);
}

int posix_memalign(void **at, size_t alignment, size_t n) {
  if (!next.malloc) look();
  int code = next.posix(at, alignment, n);
  if (code == ENOMEM) none(n);
  return code;
}

enum { MIB = 1 << 20, LARGE_PAGE = 2 * MIB, ROOM = 64 * MIB, OWN = 4 * MIB };

// Of the time until the first step of a robot a third were page faults of 4 KiB. So the heap gets room at once, of
// which nothing is touched, and the system may back it by large pages. Blocks of less than OWN come from it and go back
// to it. Where there is no such room, nothing happens.
void use_large_pages(void) {
  mallopt(M_TRIM_THRESHOLD, ROOM);
  mallopt(M_MMAP_THRESHOLD, OWN);
  mallopt(M_TOP_PAD, ROOM);
  free(__libc_malloc(MIB));
  mallopt(M_TOP_PAD, MIB);
  uintptr_t end = (uintptr_t)sbrk(0), from = (end - ROOM + LARGE_PAGE - 1)/LARGE_PAGE*LARGE_PAGE;
  if (end != UINTPTR_MAX && from < end) madvise((void *)from, end - from, MADV_HUGEPAGE);
}
#else
void use_large_pages(void) {}
#endif
