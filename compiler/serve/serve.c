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

// takes: its entries, besides "do" and "id".
static const struct { const char *name, *takes; bool (*does)(Serve *s); } requests[] = {
  { "hello", "", hello },
  { "compile", "path text name scheme jit set", serve_compile },
  { "derive", "model form", serve_derive },
  { "start", "model set until step from located projection solver tolerance accept theta gamma inputs", serve_start },
  { "set", "run values", serve_set },
  { "advance", "run steps to inputs every record events", serve_advance },
  { "get", "run names", serve_get },
  { "energy", "run", serve_energy },
  { "save", "run", serve_save },
  { "restore", "run state", serve_restore },
  { "clone", "run", serve_clone },
  { "reset", "run set", serve_reset },
  { "close", "run model", serve_close }
};
enum { REQUESTS = sizeof requests / sizeof *requests };

// ---- entries --------------------------------------------------------------------------------------------------------
// The forms that no reader of an entry checks.
static bool has_its_form(Serve *s, const Json *x) {
  bool number = x->kind == JSON_NUMBER;
  size_t n = strlen(x->key);
  if (list_has("path text name scheme jit form solver", x->key, n) && x->kind != JSON_STRING)
    return serve_wrong(s, NSM_USAGE, "\"%s\" is a text", x->key);
  if (list_has("located projection events", x->key, n) && x->kind != JSON_TRUE && x->kind != JSON_FALSE)
    return serve_wrong(s, NSM_USAGE, "\"%s\" is true or false", x->key);
  if (list_has("steps every model run", x->key, n)) {
    double least = x->key[0] != 's';
    if (!number || x->number < least || x->number > 1e15 || x->number != (double)(long)x->number)
      return serve_wrong(s, NSM_USAGE, "\"%s\" is a whole number, at least %g", x->key, least);
  }
  if (list_has("step tolerance accept", x->key, n) && number && !(x->number > 0))
    return serve_wrong(s, NSM_USAGE, "\"%s\" is positive", x->key);
  return true;
}

// An entry that nobody reads would change nothing, without a word.
static bool takes(Serve *s, const char *what, const char *words) {
  for (const Json *x = s->request->first; x; x = x->next) {
    if (!strcmp(x->key, "do") || !strcmp(x->key, "id")) continue;
    if (!list_has(words, x->key, strlen(x->key)))
      return serve_wrong(s, NSM_USAGE, "\"%s\" takes no \"%s\"; it takes: %s", what, x->key,
                         *words ? words : "nothing");
    if (!has_its_form(s, x)) return false;
  }
  return true;
}

// ---- the loop -------------------------------------------------------------------------------------------------------
static bool handle(Serve *s) {
  const char *what = s->request && s->request->kind == JSON_OBJECT ? json_text(s->request, "do") : NULL;
  if (!s->request) return serve_wrong(s, NSM_USAGE, "this line is no JSON");
  if (!what) return serve_wrong(s, NSM_USAGE, "a request is an object with \"do\": what is to be done");
  for (int i = 0; i < REQUESTS; i++)
    if (!strcmp(requests[i].name, what)) return takes(s, what, requests[i].takes) && requests[i].does(s);
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
