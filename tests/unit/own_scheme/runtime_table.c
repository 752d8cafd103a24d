// The runtime's table of schemes with a scheme more, in the place of the one of its library.
#define NSM_OWN_SCHEMES "tests/unit/own_scheme/own.def"
#include "runtime/schemes/schemes.c"
