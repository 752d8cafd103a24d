// A simulation as a command, for the program around it: `nsm run`, `nsm test`, or a built simulator.
#pragma once
#include "flags.h"

// What that program gives, and what it gets back.
typedef struct nsm_host {
  FILE              *out, *err;
  double             compile_s;         // spent in the compiler
  const char *const *input; int ninput; // files that were read: no output may overwrite them
  void             (*say)(void *with, const nsm_error *e, FILE *err);   // shows an error; NULL: nsm_print_error
  void              *with;
  // Called before the first step of a run and then when as many steps were done as it said last; NULL. total: steps of
  // all runs to come (--bench), and done counts on over them.
  long             (*between_steps)(void *steps, long done, long total);
  // nsm sweep: now and then, with the seconds of processor time that are left. Not 0: it wants to be called with quiet
  // not 0, while no run is under way. NULL: never.
  int              (*between_runs)(void *steps, double left, int quiet);
  void              *steps;
  int                not_reached;       // out: claims about times that the run did not reach
} nsm_host;

double nsm_seconds(void);                                  // of a clock that only goes on
int nsm_run_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host);       // the exit code
// The end of a program: what standard output did not take is an error, and a reader that went away ends it as SIGPIPE
// does. Returns the exit code.
int nsm_exit(int code);
