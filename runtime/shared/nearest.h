// "Did you mean ...?" for the compiler and the runtime: the one of n names that a misspelt word is nearest to.
#ifndef NSM_NEAREST_H
#define NSM_NEAREST_H
#include <stddef.h>

// name(with, i) is the i-th of n names, or NULL where there is none. The number of the nearest, -1 where none is near.
int nsm_nearest(const char *wrong, int n, const char *(*name)(void *with, int i), void *with);

// What is said behind "there is no ... `wrong`": "; did you mean `near`?", else all of them, as far as there is room,
// "; there are a, b, c".
void nsm_meant(const char *wrong, int n, const char *(*name)(void *with, int i), void *with, char *out, size_t size);

#endif
