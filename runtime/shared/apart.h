#pragma once
// Pieces that share a block of memory, with the address sanitizer: room between two of them that nobody may read or
// write. Without it a piece that is written beyond its end spoils the next one, and nothing says so.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define NSM_APART 64
#define NSM_LOCK(at, bytes) __asan_poison_memory_region(at, bytes)
#define NSM_UNLOCK(at, bytes) __asan_unpoison_memory_region(at, bytes)
#else
#define NSM_APART 0
#define NSM_LOCK(at, bytes) (void)(at), (void)(bytes)
#define NSM_UNLOCK(at, bytes) (void)(at), (void)(bytes)
#endif
