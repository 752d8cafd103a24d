// Parts of `nsm build`.
#pragma once
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

int build_fmu(const Options *o, Compilation *c, CcFolder f, const char *output);           // build_fmu.c
