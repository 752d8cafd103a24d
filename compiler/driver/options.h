// The command line of `nsm`: command, file, the compiler's own flags; the rest goes to the simulation.
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include "../base/arena.h"
#include "../jit/jit.h"
#include "../model/elaborate.h"

typedef struct Options {
  const char *command;           // "run", "check", ...
  const char **file; int nfile;  // positional arguments after the command
  Override *set; int nset;       // numeric --set, for structural parameters
  const char *scheme;            // name in --scheme, without arguments
  double step;                   // of --step, in seconds; 0: not given
  bool weights;                  // --theta or --gamma was given: a scheme that has them is meant
  const char *dump, *output;
  JitBackend jit;
  bool json, latex, help, write;
  char **rest; int nrest;        // argv of the simulation: rest[0] is a name
} Options;

// 0, or the exit code after a message on stderr.
int options_parse(Arena *a, int argc, char **argv, Options *o);
void options_usage(FILE *f);
