// What the editor of the playground asks: the functions of the language server (compiler/lsp), called directly. The
// playground's module has this folder beside compiler/live; the module of other pages does not.
//
//   live_ask(method, text, line, character)   the JSON of an answer, as an editor would get it
#include <stdlib.h>
#include <string.h>
#include "../../lsp/server.h"

bool live_find(void *with, const char *path, const char **text, size_t *n);       // ../live.c

void notify(Server *s, const char *method, Text *params) {                        // diagnostics: live_open says them
  (void)s;
  (void)method;
  text_free(params);
}

typedef void Answer(Server *s, Document *d, const Json *request, Text *out);
static const struct { const char *method; Answer *answer; } methods[] = {
  { "completion", answer_completion }, { "hover", answer_hover }, { "signatureHelp", answer_signature },
  { "tokens", answer_tokens }
};
static const char path[] = "/model.nsm", uri[] = "file:///model.nsm";

static bool find(void *with, const char *wanted, const char **text, size_t *n) {
  const Document *d = document_at(with, wanted);
  if (!d) return live_find(NULL, wanted, text, n);
  *text = text_str(&d->text);
  *n = d->text.n;
  return true;
}

// method and text are given back.
const char *__attribute__((export_name("live_ask"))) live_ask(char *method, char *text, int line, int character) {
  static Server server;
  static Text out;
  Arena *a = arena_new();
  text_free(&out);
  server.open = (OpenTexts){ find, &server };
  const Document *known = document_at(&server, path);
  if (!known || strcmp(text_str(&known->text), text) != 0) document_open(&server, uri, text, strlen(text), 0);
  Document *d = document_at(&server, path);
  document_check(&server, d);
  const char *place = arena_printf(a, "{\"params\":{\"position\":{\"line\":%d,\"character\":%d}}}", line, character);
  for (size_t i = 0; i < sizeof methods/sizeof *methods; i++)
    if (!strcmp(method, methods[i].method)) methods[i].answer(&server, d, json_read(a, place, strlen(place)), &out);
  arena_free(a);
  free(method);
  free(text);
  return out.n ? text_str(&out) : "null";
}
