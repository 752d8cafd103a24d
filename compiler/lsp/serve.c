// The loop over messages. While messages wait they are answered; then what changed is
// compiled. A request about a document compiles it first, so that the answer is about the text as it is.
#define _POSIX_C_SOURCE 200809L
#include "server.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600, METHOD_NOT_FOUND = -32601, INVALID_PARAMS = -32602,
       NOT_INITIALIZED = -32002, REQUEST_FAILED = -32803, LARGEST_MESSAGE = 256 << 20 };

// ---- reading --------------------------------------------------------------------------------------------------------
// More bytes, waiting for them or not; false: there are none now.
static bool read_more(Server *s, bool wait) {
  struct pollfd p = { .fd = s->in, .events = POLLIN };
  int ready;
  while ((ready = poll(&p, 1, wait ? -1 : 0)) < 0 && errno == EINTR) {}
  if (ready <= 0) return false;
  if (s->used > 0) {                                       // what is done with makes room
    memmove(s->input.at, s->input.at + s->used, s->input.n - s->used);
    s->input.n -= s->used;
    s->used = 0;
  }
  char bytes[1 << 16];
  ssize_t n;
  while ((n = read(s->in, bytes, sizeof bytes)) < 0 && errno == EINTR) {}
  if (n <= 0) { s->ended = true; return false; }
  for (ssize_t i = 0; i < n; i++) vec_push(&s->input, bytes[i]);
  return true;
}

// The next message among the bytes that were read; false: it is not complete. Lines that are no header are passed over.
static bool next_message(Server *s, const char **body, size_t *n) {
  const char *at = s->input.at + s->used, *end = s->input.at + s->input.n;
  long length = -1;
  while (at < end) {
    const char *line = at, *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) return false;
    at = stop + 1;
    bool empty = stop == line || (stop == line + 1 && *line == '\r');
    if (stop - line > 15 && strncasecmp(line, "Content-Length:", 15) == 0) {
      length = 0;
      for (const char *c = line + 15; c < stop && length < LARGEST_MESSAGE; c++)
        if (*c >= '0' && *c <= '9') length = 10 * length + (*c - '0');
    }
    if (!empty) continue;
    if (length < 0 || length >= LARGEST_MESSAGE) { s->used = (size_t)(at - s->input.at); length = -1; continue; }
    if (end - at < length) return false;
    *body = at;
    *n = (size_t)length;
    s->used = (size_t)(at - s->input.at) + (size_t)length;
    return true;
  }
  return false;
}

// ---- what it can do -------------------------------------------------------------------------------------------------
static void initialize(Server *s, const Json *r) {
  const char *uri = json_text(r, "params.rootUri"), *path = json_text(r, "params.rootPath");
  Arena *a = arena_new();
  const Json *folders = json_at(r, "params.workspaceFolders");
  if (folders && folders->kind == JSON_ARRAY && folders->first && json_text(folders->first, "uri"))
    uri = json_text(folders->first, "uri");
  if (uri) path = path_of_uri(a, uri);
  free(s->root);
  s->root = path ? strdup(path) : NULL;
  arena_free(a);
  s->initialized = true;
  reply(s, r,
        "{\"capabilities\":{\"positionEncoding\":\"utf-16\",\"textDocumentSync\":{\"openClose\":true,\"change\":2,"
        "\"save\":false},\"hoverProvider\":true,\"definitionProvider\":true,\"referencesProvider\":true,"
        "\"documentHighlightProvider\":true,\"renameProvider\":{\"prepareProvider\":true},"
        "\"documentSymbolProvider\":true,\"documentFormattingProvider\":true,"
        "\"codeActionProvider\":{\"codeActionKinds\":[\"quickfix\"]},\"inlayHintProvider\":true,"
        "\"signatureHelpProvider\":{\"triggerCharacters\":[\"(\",\",\"]},"
        "\"semanticTokensProvider\":{\"legend\":" TOKEN_LEGEND ",\"full\":true},"
        "\"completionProvider\":{\"triggerCharacters\":[\".\",\"[\",\"/\"]}},"
        "\"serverInfo\":{\"name\":\"nsm\",\"version\":\"" NSM_VERSION "\"}}");
}

static void exit_now(Server *s, const Json *r) { (void)r; s->ended = true; }

static void shutdown_asked(Server *s, const Json *r) { s->shutdown = true; reply(s, r, "null"); }

static void opened(Server *s, const Json *r) {
  const Json *text = json_at(r, "params.textDocument.text");
  const char *uri = json_text(r, "params.textDocument.uri");
  if (!uri || !text || text->kind != JSON_STRING) return;
  document_open(s, uri, text->text, text->n, json_whole(r, "params.textDocument.version", 0));
}

static void changed(Server *s, const Json *r) {
  Document *d = document_of(s, r);
  if (d) document_change(s, d, json_at(r, "params.contentChanges"), json_whole(r, "params.textDocument.version", 0));
}

static void closed(Server *s, const Json *r) {
  Document *d = document_of(s, r);
  if (d) document_close(s, d);
}

typedef void Answer(Server *s, Document *d, const Json *request, Text *out);
static const struct { const char *method; void (*does)(Server *s, const Json *r); Answer *answer; } methods[] = {
  { "initialize", initialize, NULL },
  { "shutdown", shutdown_asked, NULL },
  { "exit", exit_now, NULL },
  { "textDocument/didOpen", opened, NULL },
  { "textDocument/didChange", changed, NULL },
  { "textDocument/didClose", closed, NULL },
  { "textDocument/hover", NULL, answer_hover },
  { "textDocument/definition", NULL, answer_definition },
  { "textDocument/references", NULL, answer_references },
  { "textDocument/documentHighlight", NULL, answer_highlight },
  { "textDocument/prepareRename", NULL, answer_prepare_rename },
  { "textDocument/documentSymbol", NULL, answer_symbols },
  { "textDocument/completion", NULL, answer_completion },
  { "textDocument/codeAction", NULL, answer_actions },
  { "textDocument/signatureHelp", NULL, answer_signature },
  { "textDocument/semanticTokens/full", NULL, answer_tokens },
  { "textDocument/inlayHint", NULL, answer_hints },
  { "textDocument/formatting", NULL, answer_formatting }
};

static void answer(Server *s, const Json *r, Answer *with) {
  Document *d = document_of(s, r);
  if (!d) { refuse(s, r, INVALID_PARAMS, "this document is not open"); return; }
  Text out = { 0 };
  document_check(s, d);
  with(s, d, r, &out);
  reply(s, r, out.n ? text_str(&out) : "null");
  text_free(&out);
}

static void rename_asked(Server *s, const Json *r) {
  Document *d = document_of(s, r);
  const char *refused = NULL;
  Text out = { 0 };
  if (!d) { refuse(s, r, INVALID_PARAMS, "this document is not open"); return; }
  document_check(s, d);
  answer_rename(s, d, r, &out, &refused);
  if (refused) refuse(s, r, REQUEST_FAILED, refused);
  else reply(s, r, out.n ? text_str(&out) : "null");
  text_free(&out);
}

static void handle(Server *s, const Json *r) {
  const char *method = json_text(r, "method");
  bool request = json_at(r, "id") != NULL;
  if (!method) {
    if (request && !json_at(r, "result") && !json_at(r, "error")) refuse(s, r, INVALID_REQUEST, "there is no method");
    return;
  }
  if (!s->initialized && strcmp(method, "initialize") && strcmp(method, "exit")) {
    if (request) refuse(s, r, NOT_INITIALIZED, "the first request is initialize");
    return;
  }
  if (s->shutdown && strcmp(method, "exit")) {
    if (request) refuse(s, r, INVALID_REQUEST, "the server was shut down");
    return;
  }
  if (!strcmp(method, "textDocument/rename") && request) { rename_asked(s, r); return; }
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (strcmp(methods[i].method, method)) continue;
    if (methods[i].does) methods[i].does(s, r);
    else if (request) answer(s, r, methods[i].answer);
    return;
  }
  if (request) refuse(s, r, METHOD_NOT_FOUND, method);
}

int lsp_serve(int in, int out) {
  Server s = { .in = in, .out = out };
  documents_start(&s);
  while (!s.ended) {
    const char *body;
    size_t n;
    if (next_message(&s, &body, &n)) {
      Arena *a = arena_new();
      const Json *message = json_read(a, body, n);
      s.messages++;
      if (message) handle(&s, message);
      else refuse(&s, NULL, PARSE_ERROR, "this is no JSON");
      arena_free(a);
      continue;
    }
    if (read_more(&s, false) || s.ended) continue;
    Document *stale = document_stale(&s);
    if (stale) document_check(&s, stale);
    else read_more(&s, true);
  }
  for (size_t i = 0; i < s.document.n; i++) document_free(s.document.at[i]);
  vec_free(&s.document);
  vec_free(&s.input);
  free(s.root);
  return s.shutdown ? 0 : 1;
}
