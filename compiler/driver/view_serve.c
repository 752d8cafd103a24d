// nsm view --serve: the page with a slider for each parameter. Each change is a run of its own in a process of its own
// (view_keeper.h): whatever a value does to it, the server goes on.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "commands.h"
#include "http.h"
#include "view_keeper.h"

static bool handle(const HttpRequest *r, HttpAnswer *out, void *with) {
  Keeper *k = with;
  bool page = !strcmp(r->path, "/"), data = !strcmp(r->path, "/run");
  const char *method = page ? "GET" : "POST";
  if (!page && !data) text_add(&out->body, "there is nothing here\n");
  else if (strcmp(r->method, method)) {
    out->status = 405;
    text_printf(&out->body, "here stands %s\n", method);
  } else if (memchr(r->body, 0, r->nbody)) out->status = 400;
  else if (keeper_ask(k, r)) return false;
  else {
    out->status = 500;
    text_add(&out->body, "no process could be started for the run\n");
  }
  return true;
}

int view_serve(const Options *o) {
  HttpServer server;
  Keeper keeper = { .o = o };
  double port = given(o, NSM_FLAG_PORT) ? o->flags.number[NSM_FLAG_PORT] : 0;
  if (!strcmp(o->file[0], "-")) {
    fputs("error: --serve reads the model for every run, and standard input can be read once\n", stderr);
    return EXIT_USAGE;
  }
  int code;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, NULL, &code);      // mistakes are said here, at once
  if (!c) return code;
  compilation_free(c);
  if (!http_open(&server, (int)port)) {
    fprintf(stderr, "error: no server on port %d of this machine: %s\n", (int)port, strerror(errno));
    return EXIT_FILE;
  }
  signal(SIGPIPE, SIG_IGN);                                // a keeper that died is found by what cannot be written
  fprintf(stderr, "http://127.0.0.1:%d/ shows the page to this machine; Ctrl-C ends it\n", server.port);
  http_serve(&server, handle, &keeper);
  return EXIT_FILE;                                        // only where poll(2) fails
}
