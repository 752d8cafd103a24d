// Growable arrays: `Vec(int) v = {0}; vec_push(&v, 3); v.at[0]; v.n; vec_free(&v);`
// Memory is malloc'd; vec_freeze copies it into an arena and frees the growable one.
#pragma once
#include <stddef.h>
#include "arena.h"

#define Vec(T) struct { T *at; size_t n, cap; }

void *vec_grow_(void *at, size_t *cap, size_t need, size_t size);

#define vec_push(v, x)                                                                            \
  ((v)->n == (v)->cap                                                                             \
     ? (void)((v)->at = vec_grow_((v)->at, &(v)->cap, (v)->n + 1, sizeof *(v)->at)) : (void)0,    \
   (v)->at[(v)->n++] = (x))
#define vec_last(v) ((v)->at[(v)->n - 1])
#define vec_free(v) (vec_release_((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

void  vec_release_(void *at);
void *vec_freeze_(Arena *a, void *at, size_t bytes);  // copy of `bytes` into a, then free(at)
#define vec_freeze(a, v) vec_freeze_((a), (v)->at, (v)->n * sizeof *(v)->at)
