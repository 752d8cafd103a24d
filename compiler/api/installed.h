// Where the standard library, the headers and the libraries of this nsm are: beside the program itself, so that a tree
// that was copied or moved finds its own, else where it was built.
#pragma once
#include "../base/arena.h"

typedef struct Installed { const char *std, *include, *lib; } Installed;

const Installed *installed(Arena *a);
