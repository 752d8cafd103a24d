// Messages to the editor: a header with their length, then JSON-RPC 2.0.
#include "server.h"
#include <stdio.h>
#include "../base/write_whole.h"

static void put(Server *s, const char *bytes, size_t n) {
  if (!s->ended && !write_whole(s->out, bytes, n)) s->ended = true;     // the editor went away
}

static void send(Server *s, Text *body) {
  char head[64];
  put(s, head, (size_t)snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", body->n));
  put(s, text_str(body), body->n);
  text_free(body);
}

static void begin_reply(const Json *request, Text *t) {
  const Json *id = json_at(request, "id");
  text_add(t, "{\"jsonrpc\":\"2.0\",\"id\":");
  if (id) text_addn(t, id->raw, id->nraw);
  else text_add(t, "null");
}

void reply(Server *s, const Json *request, const char *result) {
  Text t = { 0 };
  begin_reply(request, &t);
  text_printf(&t, ",\"result\":");
  text_add(&t, result);
  text_add(&t, "}");
  send(s, &t);
}

void refuse(Server *s, const Json *request, int code, const char *why) {
  Text t = { 0 };
  begin_reply(request, &t);
  text_printf(&t, ",\"error\":{\"code\":%d,\"message\":", code);
  text_json_string(&t, why);
  text_add(&t, "}}");
  send(s, &t);
}

void notify(Server *s, const char *method, Text *params) {
  Text t = { 0 };
  text_printf(&t, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":", method);
  text_addn(&t, text_str(params), params->n);
  text_add(&t, "}");
  text_free(params);
  send(s, &t);
}
