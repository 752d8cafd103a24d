// The loop over lines, and the table of requests.
#define _POSIX_C_SOURCE 200809L
#include "serve.h"
#include <stdlib.h>
#include <string.h>
#include "server.h"

enum { PROTOCOL = 1 };

static bool hello(Serve *s) {
  serve_put_text(s, "nsm", nsm_version());
  text_printf(&s->out, ",\"protocol\":%d", PROTOCOL);
  return true;
}

static const struct { const char *name; bool (*does)(Serve *s); } requests[] = {
  { "hello", hello },       { "compile", serve_compile }, { "derive", serve_derive }, { "start", serve_start },
  { "set", serve_set },     { "advance", serve_advance }, { "get", serve_get },       { "energy", serve_energy },
  { "save", serve_save },   { "restore", serve_restore }, { "clone", serve_clone },   { "reset", serve_reset },
  { "close", serve_close }
};
enum { REQUESTS = sizeof requests / sizeof *requests };

// ---- the loop -------------------------------------------------------------------------------------------------------
static bool handle(Serve *s) {
  const char *what = s->request && s->request->kind == JSON_OBJECT ? json_text(s->request, "do") : NULL;
  if (!s->request) return serve_wrong(s, NSM_USAGE, "this line is no JSON");
  if (!what) return serve_wrong(s, NSM_USAGE, "a request is an object with \"do\": what is to be done");
  for (int i = 0; i < REQUESTS; i++)
    if (!strcmp(requests[i].name, what)) return requests[i].does(s);
  Text known = { 0 };
  for (int i = 0; i < REQUESTS; i++) text_printf(&known, "%s%s", i ? ", " : "", requests[i].name);
  serve_wrong(s, NSM_USAGE, "there is no request \"%s\"; there are: %s", what, text_str(&known));
  text_free(&known);
  return false;
}

// The answer: {"id": as in the request, "ok": true, ...}, or {"id": ..., "ok": false, "error": {...}}.
static bool answer(Serve *s, bool good, FILE *out) {
  const Json *id = s->request ? json_at(s->request, "id") : NULL;
  Text t = { 0 };
  text_add(&t, "{\"id\":");
  if (id) text_addn(&t, id->raw, id->nraw);
  else text_add(&t, "null");
  text_add(&t, good ? ",\"ok\":true" : ",\"ok\":false,\"error\":{");
  text_addn(&t, good ? text_str(&s->out) : text_str(&s->wrong), good ? s->out.n : s->wrong.n);
  text_add(&t, good ? "}\n" : "}}\n");
  bool written = fwrite(text_str(&t), 1, t.n, out) == t.n && fflush(out) == 0;
  text_free(&t);
  return written;
}

static void close_all(Serve *s) {
  for (size_t i = 0; i < s->run.n; i++) nsm_close(s->run.at[i].sim);
  for (size_t i = 0; i < s->model.n; i++)
    if (!s->model.at[i].closed) nsm_program_free(s->model.at[i].program);
  vec_free(&s->run);
  vec_free(&s->model);
  text_free(&s->out);
  text_free(&s->wrong);
}

int serve_lines(FILE *in, FILE *out) {
  Serve s = { .request = NULL };
  char *line = NULL;
  size_t room = 0;
  bool open = true;
  for (ssize_t n; open && (n = getline(&line, &room, in)) >= 0;) {
    if (strspn(line, " \t\r\n") == (size_t)n) continue;
    s.arena = arena_new();
    s.request = json_read(s.arena, line, (size_t)n);
    s.out.n = s.wrong.n = 0;
    open = answer(&s, handle(&s), out);
    arena_free(s.arena);
  }
  free(line);
  close_all(&s);
  return open ? NSM_OK : NSM_PIPE;
}
