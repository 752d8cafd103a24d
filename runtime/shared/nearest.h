// "Did you mean ...?" for the compiler and the runtime: the one of n names that a misspelt word is nearest to.
#ifndef NSM_NEAREST_H
#define NSM_NEAREST_H

// name(with, i) is the i-th of n names, or NULL where there is none. The number of the nearest, -1 where none is near.
int nsm_nearest(const char *wrong, int n, const char *(*name)(void *with, int i), void *with);

#endif
