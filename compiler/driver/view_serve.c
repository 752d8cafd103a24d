// nsm view --serve: the page with a slider for each parameter. Each change is a run of its own, compiled anew, in a
// process of its own: whatever a value does to it, the server goes on.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../base/fatal.h"
#include "../base/write_whole.h"
#include "commands.h"
#include "http.h"
#include "view.h"

static volatile int ended;
static void end(int number) { (void)number; ended = 1; }

// ---- one run --------------------------------------------------------------------------------------------------------
typedef struct Server { const Options *o; } Server;

static bool same_name(const char *a, const char *b) {
  size_t n = strcspn(a, "=");
  return n == strcspn(b, "=") && !strncmp(a, b, n);
}

// The options with one --set for each line of the body in place of what they say of the same parameter. NULL: a line
// cannot be read, which standard error says.
static Options *with_lines(Arena *a, const Options *o, char *body) {
  Options *own = ARENA_NEW(a, Options);
  int lines = 1;
  *own = *o;
  for (const char *c = body; *c; c++) lines += *c == '\n';
  own->flags.set = ARENA_ARRAY(a, const char *, o->flags.nset + lines + 1);
  own->set = ARENA_ARRAY(a, Override, o->nset + lines + 1);
  own->flags.nset = own->nset = 0;
  char *save;
  const char **line = ARENA_ARRAY(a, const char *, lines + 1);
  int n = 0;
  for (char *l = strtok_r(body, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) line[n++] = l;
  for (int i = 0; i < o->flags.nset; i++) {
    bool replaced = false;
    for (int k = 0; k < n; k++) replaced |= same_name(o->flags.set[i], line[k]);
    if (!replaced) {
      own->flags.set[own->flags.nset++] = o->flags.set[i];
      if (!options_add_set(a, own, o->flags.set[i])) return NULL;
    }
  }
  for (int k = 0; k < n; k++) {
    own->flags.set[own->flags.nset++] = line[k];
    if (!options_add_set(a, own, line[k])) return NULL;
  }
  return own;
}

// In the process of the run: its page or data to `out`, its messages to `err`.
_Noreturn static void child(const Server *s, const HttpRequest *r, int out, int err) {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  dup2(err, STDERR_FILENO);
  bool whole = !strcmp(r->method, "GET");
  Arena *a = arena_new();
  const Options *o = with_lines(a, s->o, arena_strndup(a, r->body, r->nbody));
  Text page = {0};
  int code = o ? view_run(o, NULL, whole, NULL, &page) : EXIT_USAGE;
  fflush(NULL);
  bool sent = write_whole(out, page.n ? page.at : "", page.n);
  _exit(sent ? code : EXIT_PIPE);
}

// Reads both pipes to their ends.
static void gather(int out, int err, Text *page, Text *messages) {
  struct pollfd p[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
  Text *to[2] = { page, messages };
  char part[65536];
  while ((p[0].fd >= 0 || p[1].fd >= 0) && !ended) {
    if (poll(p, 2, 200) <= 0) continue;
    for (int i = 0; i < 2; i++) {
      if (p[i].fd < 0 || !p[i].revents) continue;
      ssize_t n = read(p[i].fd, part, sizeof part);
      if (n > 0) text_addn(to[i], part, (size_t)n);
      else if (n == 0 || errno != EINTR) p[i].fd = -1;
    }
  }
}

static void run(const Server *s, const HttpRequest *r, HttpAnswer *out) {
  int page[2], messages[2];
  Text said = {0};
  out->status = 500;
  if (pipe(page)) return;
  if (pipe(messages)) { close(page[0]); close(page[1]); return; }
  pid_t pid = fork();
  if (pid == 0) {
    close(page[0]);
    close(messages[0]);
    child(s, r, page[1], messages[1]);
  }
  close(page[1]);
  close(messages[1]);
  if (pid > 0) {
    int status = 0;
    gather(page[0], messages[0], &out->body, &said);
    if (ended) kill(pid, SIGTERM);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    bool ran = WIFEXITED(status) && out->body.n > 0;
    out->status = ran ? 200 : WIFEXITED(status) && WEXITSTATUS(status) != EXIT_COMPILER ? 422 : 500;
    out->type = ran ? "text/html" : "text/plain";
    if (!ran) {
      text_free(&out->body);
      text_add(&out->body, said.n ? said.at : "the run broke off\n");
    }
  }
  close(page[0]);
  close(messages[0]);
  text_free(&said);
}

static void handle(const HttpRequest *r, HttpAnswer *out, void *with) {
  const Server *s = with;
  bool page = !strcmp(r->path, "/"), data = !strcmp(r->path, "/run");
  const char *method = page ? "GET" : "POST";
  if (!page && !data) text_add(&out->body, "there is nothing here\n");
  else if (strcmp(r->method, method)) {
    out->status = 405;
    text_printf(&out->body, "here stands %s\n", method);
  } else if (memchr(r->body, 0, r->nbody)) out->status = 400;
  else run(s, r, out);
}

int view_serve(const Options *o) {
  HttpServer server;
  Server s = { o };
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
  fprintf(stderr, "http://127.0.0.1:%d/ shows the page to this machine; Ctrl-C ends it\n", server.port);
  http_serve(&server, handle, &s, &ended);
  return EXIT_OK;
}
