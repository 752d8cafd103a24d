// nsm view --serve: the page with a slider for each parameter. Each change is a run of its own in a process of its own
// (view_keeper.h): whatever a value does to it, the server goes on.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "commands.h"
#include "http.h"
#include "view_keeper.h"

static volatile int ended;
static void end(int number) { (void)number; ended = 1; }

// ---- one run --------------------------------------------------------------------------------------------------------
static void run(Keeper *k, const HttpRequest *r, HttpAnswer *out) {
  Text said = {0};
  int code = keeper_ask(k, !strcmp(r->method, "GET"), r->body, r->nbody, &out->body, &said);
  bool ran = code >= 0 && out->body.n > 0;
  out->status = ran ? 200 : code >= 0 && code != EXIT_COMPILER ? 422 : 500;
  out->type = !ran ? "text/plain" : *r->method == 'G' ? "text/html" : "application/octet-stream";
  if (!ran) {
    text_free(&out->body);
    text_add(&out->body, said.n ? said.at : "the run broke off\n");
  }
  text_free(&said);
}

static void handle(const HttpRequest *r, HttpAnswer *out, void *with) {
  Keeper *k = with;
  bool page = !strcmp(r->path, "/"), data = !strcmp(r->path, "/run");
  const char *method = page ? "GET" : "POST";
  if (!page && !data) text_add(&out->body, "there is nothing here\n");
  else if (strcmp(r->method, method)) {
    out->status = 405;
    text_printf(&out->body, "here stands %s\n", method);
  } else if (memchr(r->body, 0, r->nbody)) out->status = 400;
  else run(k, r, out);
}

int view_serve(const Options *o) {
  HttpServer server;
  Keeper keeper = { .o = o, .ended = &ended };
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
  struct sigaction stop = { .sa_handler = end };
  sigaction(SIGINT, &stop, NULL);
  sigaction(SIGTERM, &stop, NULL);
  signal(SIGPIPE, SIG_IGN);                                // a keeper that died is found by what cannot be written
  fprintf(stderr, "http://127.0.0.1:%d/ shows the page to this machine; Ctrl-C ends it\n", server.port);
  http_serve(&server, handle, &keeper, &ended);
  keeper_close(&keeper);
  return EXIT_OK;
}
