// The command line of `nsm`: the command, its files and its flags (runtime/command/flags.h), and what the compiler
// takes of them.
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include "../base/arena.h"
#include "../jit/jit.h"
#include "../model/elaborate.h"
#include "../../runtime/command/flags.h"

typedef struct Options {
  nsm_command command;
  nsm_flags flags;
  int argc; char **argv;         // the words behind `nsm`, the command first
  const char **file; int nfile;  // positional arguments after the command
  Override *set; int nset;       // values of --set that can be read, and names that are asked for
  const char *scheme;            // name in --scheme, without arguments; NULL: not given
  double step;                   // of --step, in seconds; 0: not given
  int located;                   // --located on: 1, off: -1
  int order;                     // of `consistent`; 0: as the model says
  int projection;                // of `moreau`, as located
  bool analyse;                  // what is asked is what the model asks, and that decides the scheme
  bool at_rest;                  // the command line asks of what is at rest
  bool derivatives;              // of runs or of rest are asked for
  bool weights;                  // theta or gamma was given: a scheme that has them is meant
  const char *dump, *output;
  JitBackend jit;
} Options;

static inline bool given(const Options *o, nsm_flag_id flag) { return o->flags.text[flag] != NULL; }

// 0, or the exit code after a message on stderr. To be released by options_free.
int  options_parse(Arena *a, int argc, char **argv, Options *o);
// NAME=VALUE for the elaborator, into o->set, which has room. False: a message on stderr.
bool options_add_set(Arena *a, Options *o, const char *text);
// Names that --by, --vary, ... ask for as parameters, behind those values.
void options_add_asked(Arena *a, Options *o);
void options_free(Options *o);
