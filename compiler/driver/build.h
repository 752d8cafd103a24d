// Parts of `nsm build`.
#pragma once
#include <string.h>
#include "../jit/cc.h"
#include "commands.h"

// The exit code; a message where it is another than 0.
static inline int build_status(CcStatus status, const char *why) {
  if (status == CC_OK) return EXIT_OK;
  if (status == CC_INTERRUPTED) return EXIT_INTERRUPTED;
  const char *fault = "the emitted C does not compile, which is a fault of nsm itself:\n";
  fprintf(stderr, "error: %s%s\n", status == CC_REFUSED ? fault : "", why);
  return status == CC_REFUSED ? EXIT_COMPILER : EXIT_FILE;
}

static inline bool build_is_fmu(const char *output) {
  size_t n = output ? strlen(output) : 0;
  return n > 4 && !strcmp(output + n - 4, ".fmu");
}

// What to do where a model cannot be for model exchange.
static inline void build_without_exchange(const Options *o) {
  if (given(o, NSM_FLAG_EXCHANGE))
    fputs("help: without --exchange the FMU has the solver in it, for co-simulation\n", stderr);
}

int build_fmu(const Options *o, Compilation *c, CcFolder f, const char *output);           // build_fmu.c
