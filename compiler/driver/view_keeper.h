// The process behind `nsm view --serve` that keeps the model compiled. The server gives it a connection and what was
// asked; it forks, so that each run is a process of its own that has the machine code already and answers by itself: a
// run that takes long keeps nobody waiting, and whatever a value does to it, keeper and server go on. Files of the
// model are looked at before each run; a keeper that died makes the server start another one.
//
//   server -> keeper -> one process for each request, which waits for the run, and answers -> the run
//
// None of them outlives the one before it.
#pragma once
#include <sys/types.h>
#include "http.h"
#include "view.h"

// Without a process at first: { .o = the options }.
typedef struct Keeper {
  const Options *o;
  pid_t pid;                            // 0: there is none
  int to;                               // a socket
} Keeper;

// Sends the page (GET) or its data with the values of the body, NAME=VALUE in each line, to r->fd. False: nobody does.
bool keeper_ask(Keeper *k, const HttpRequest *r);
