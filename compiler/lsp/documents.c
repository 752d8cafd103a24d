// Open texts. A change makes every open document stale that reads it; they are checked when no message waits.
#include "server.h"
#include <stdlib.h>
#include <string.h>
#include "../base/fatal.h"

static char *copied(const char *s) {
  size_t n = strlen(s) + 1;
  return memcpy(memory_for(n), s, n);
}

// ---- texts that stand for files -------------------------------------------------------------------------------------
Document *document_at(const Server *s, const char *path) {
  for (size_t i = 0; i < s->document.n; i++)
    if (!strcmp(s->document.at[i]->path, path)) return s->document.at[i];
  return NULL;
}

static bool open_text(void *with, const char *path, const char **text, size_t *n) {
  Document *d = document_at(with, path);
  if (!d) return false;
  *text = text_str(&d->text);
  *n = d->text.n;
  return true;
}

void documents_start(Server *s) { s->open = (OpenTexts){ open_text, s }; }

// ---- opening, changing, closing -------------------------------------------------------------------------------------
static bool reads(const Document *d, const char *path) {
  for (size_t i = 0; d->names && i < d->names->path.n; i++)
    if (!strcmp(d->names->path.at[i], path)) return true;
  return !d->names || !strcmp(d->path, path);
}

// The document itself changed last; others that read it come after it.
static void changed(Server *s, const char *path) {
  for (size_t i = 0; i < s->document.n; i++) {
    Document *d = s->document.at[i];
    if (!reads(d, path)) continue;
    d->fresh = false;
    if (!strcmp(d->path, path)) d->changed = s->messages;
  }
}

void document_open(Server *s, const char *uri, const char *text, size_t n, long version) {
  Arena *a = arena_new();
  const char *path = path_of_uri(a, uri);
  Document *d = document_at(s, path);
  if (!d) {
    d = memory_for(sizeof *d);
    *d = (Document){ .uri = copied(uri), .path = copied(path) };
    vec_push(&s->document, d);
  }
  text_free(&d->text);
  text_addn(&d->text, text, n);
  d->version = version;
  d->fresh = false;
  changed(s, d->path);
  arena_free(a);
}

// One change: of a range, or the whole text.
static void change_one(Document *d, const Json *c) {
  const Json *text = json_at(c, "text");
  if (!text || text->kind != JSON_STRING) return;
  Text t = { 0 };
  if (json_at(c, "range")) {
    Position from = { json_whole(c, "range.start.line", 0), json_whole(c, "range.start.character", 0) },
             to = { json_whole(c, "range.end.line", 0), json_whole(c, "range.end.character", 0) };
    const char *old = text_str(&d->text);
    size_t lo = offset_of(old, d->text.n, from), hi = offset_of(old, d->text.n, to);
    if (hi < lo) hi = lo;
    text_addn(&t, old, lo);
    text_addn(&t, text->text, text->n);
    text_addn(&t, old + hi, d->text.n - hi);
  } else text_addn(&t, text->text, text->n);
  text_free(&d->text);
  d->text = t;
}

void document_change(Server *s, Document *d, const Json *changes, long version) {
  for (const Json *c = changes ? changes->first : NULL; c; c = c->next) change_one(d, c);
  d->version = version;
  d->fresh = false;
  changed(s, d->path);
}

static void drop(Document *d, Compilation *c) {
  if (c && c != d->now && c != d->good) compilation_free(c);
}

void document_free(Document *d) {
  names_free(d->names);
  if (d->good != d->now) compilation_free(d->good);
  compilation_free(d->now);
  for (size_t i = 0; i < d->reported.n; i++) free(d->reported.at[i]);
  vec_free(&d->reported);
  text_free(&d->text);
  free(d->uri);
  free(d->path);
  free(d);
}

static void send(Server *s, const char *uri, const Document *d, const DiagText *all, int n, const SourceFile *of);

void document_close(Server *s, Document *d) {
  Arena *a = arena_new();
  send(s, d->uri, NULL, NULL, 0, NULL);
  for (size_t i = 0; i < d->reported.n; i++) send(s, uri_of_path(a, d->reported.at[i]), NULL, NULL, 0, NULL);
  for (size_t i = 0; i < s->document.n; i++)
    if (s->document.at[i] == d) s->document.at[i] = s->document.at[--s->document.n];
  changed(s, d->path);
  document_free(d);
  arena_free(a);
}

Document *document_of(const Server *s, const Json *request) {
  const char *uri = json_text(request, "params.textDocument.uri");
  if (!uri) return NULL;
  Arena *a = arena_new();
  Document *d = document_at(s, path_of_uri(a, uri));
  arena_free(a);
  return d;
}

size_t document_offset(const Document *d, const Json *request) {
  Position at = { json_whole(request, "params.position.line", 0), json_whole(request, "params.position.character", 0) };
  const Text *t = &d->text;
  return offset_of(t->at ? t->at : "", t->n, at);
}

Document *document_stale(const Server *s) {
  Document *last = NULL;
  for (size_t i = 0; i < s->document.n; i++) {
    Document *d = s->document.at[i];
    if (!d->fresh && (!last || d->changed > last->changed)) last = d;
  }
  return last;
}

// ---- diagnostics ----------------------------------------------------------------------------------------------------
static void put_message(Text *t, const DiagText *d) {
  Text m = { 0 };
  text_add(&m, d->headline);
  if (*d->label) text_printf(&m, "\n%s", d->label);
  if (*d->help) text_printf(&m, "\nhelp: %s", d->help);
  text_json_string(t, text_str(&m));
  text_free(&m);
}

void put_diagnostic(Text *t, const DiagText *d) {
  static const int severity[] = { [SEV_ERROR] = 1, [SEV_WARNING] = 2, [SEV_NOTE] = 3 };
  Arena *a = arena_new();
  text_add(t, "{\"range\":");
  put_range(t, d->at);
  text_printf(t, ",\"severity\":%d,\"code\":\"%s\",\"source\":\"nsm\",\"message\":", severity[d->severity],
              diag_code_name(d->code));
  put_message(t, d);
  for (int i = 0; i < d->nalso; i++) {
    text_printf(t, "%s{\"location\":{\"uri\":", i ? "," : ",\"relatedInformation\":[");
    text_json_string(t, uri_of_path(a, d->also[i].at.file->path));
    text_add(t, ",\"range\":");
    put_range(t, d->also[i].at);
    text_add(t, "},\"message\":");
    text_json_string(t, d->also[i].text);
    text_add(t, i + 1 == d->nalso ? "}]" : "}");
  }
  text_add(t, "}");
  arena_free(a);
}

// Those of one file; of the document itself (d) also those without a place.
static void send(Server *s, const char *uri, const Document *d, const DiagText *all, int n, const SourceFile *of) {
  Text t = { 0 };
  bool any = false;
  text_add(&t, "{\"uri\":");
  text_json_string(&t, uri);
  if (d) text_printf(&t, ",\"version\":%ld", d->version);
  text_add(&t, ",\"diagnostics\":[");
  for (int i = 0; i < n; i++) {
    const SourceFile *f = all[i].at.file;
    if (f ? !of || strcmp(f->path, of->path) != 0 : !d) continue;
    if (any) text_add(&t, ",");
    put_diagnostic(&t, &all[i]);
    any = true;
  }
  text_add(&t, "]}");
  notify(s, "textDocument/publishDiagnostics", &t);
}

// Files that are read and not open show their mistakes as well; what is mended is taken back.
static void send_others(Server *s, Document *d, const DiagText *all, int n) {
  Arena *a = arena_new();
  Vec(char *) reported = { 0 };
  for (int i = 0; i < n; i++) {
    const SourceFile *f = all[i].at.file;
    bool done = !f || document_at(s, f->path);
    for (size_t k = 0; k < reported.n && !done; k++) done = !strcmp(reported.at[k], f->path);
    if (done) continue;
    vec_push(&reported, copied(f->path));
    send(s, uri_of_path(a, f->path), NULL, all, n, f);
  }
  for (size_t i = 0; i < d->reported.n; i++) {
    bool still = document_at(s, d->reported.at[i]) != NULL;
    for (size_t k = 0; k < reported.n; k++) still |= !strcmp(reported.at[k], d->reported.at[i]);
    if (!still) send(s, uri_of_path(a, d->reported.at[i]), NULL, NULL, 0, NULL);
    free(d->reported.at[i]);
  }
  vec_free(&d->reported);
  d->reported.at = reported.at;
  d->reported.n = reported.n;
  d->reported.cap = reported.cap;
  arena_free(a);
}

void document_check(Server *s, Document *d) {
  if (d->fresh) return;
  Compilation *c = compilation_new(), *before = d->now, *good = d->good;
  PipelineOptions o = { .path = d->path, .open = &s->open, .library = true };
  (void)compile_to(c, &o, STAGE_PLAN, NULL);
  names_free(d->names);
  const Ast *tree = parse_file(c->arena, c->names, c->source, diag_bag_new(c->arena));   // that of c is given back
  d->names = names_find(c->arena, c->names, tree, std_dir(c->arena), &s->open);
  d->now = c;
  if (c->system && diag_errors(c->bag) == 0) d->good = c;
  drop(d, before);
  if (good != before) drop(d, good);
  d->fresh = true;
  DiagText *all;
  int n = diag_list(c->bag, &all);
  send_others(s, d, all, n);
  send(s, d->uri, d, all, n, c->source);                   // last: who waits for it has them all
}
