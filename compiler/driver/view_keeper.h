// The process behind `nsm view --serve` that keeps the model compiled. The server asks it for a run; it forks, so that
// each run is a process of its own that has the machine code already, and whatever a value does, keeper and server go
// on. A file of the model that changed, or a keeper that died, makes the server start another keeper.
#pragma once
#include <sys/types.h>
#include "view.h"

// Closed and without a process at first: { .o = the options, .ended = not 0 once everything is to end }.
typedef struct Keeper {
  const Options *o;
  const volatile int *ended;
  pid_t pid;                            // 0: there is none
  int to, from;                         // pipes
} Keeper;

// The page (whole) or its data with the values of `lines`, NAME=VALUE each, n bytes. The exit code of the run, -1 where
// it broke off; page stays empty where there is nothing to show, and `said` is what standard error got.
int keeper_ask(Keeper *k, bool whole, const char *lines, size_t n, Text *page, Text *said);
void keeper_close(Keeper *k);
