// Where a name is declared, where it stands, another name for it; the symbols of a file; the layout of nsm fmt.
#define _XOPEN_SOURCE 700
#include "server.h"
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- one document ---------------------------------------------------------------------------------------------------
static const NameUse *asked(const Document *d, const Json *request) {
  return name_at(d->names, d->now->source, document_offset(d, request));
}

static void put_location(Server *s, Arena *a, Text *out, Span at) {
  const Document *d = document_at(s, at.file->path);
  text_add(out, "{\"uri\":");
  text_json_string(out, d ? d->uri : uri_of_path(a, at.file->path));
  text_add(out, ",\"range\":");
  put_range(out, at);
  text_add(out, "}");
}

void answer_definition(Server *s, Document *d, const Json *request, Text *out) {
  const NameUse *u = asked(d, request);
  Arena *a = arena_new();
  if (u) put_location(s, a, out, u->of->at);
  arena_free(a);
}

void answer_highlight(Server *s, Document *d, const Json *request, Text *out) {
  const NameUse *u = asked(d, request);
  int n = 0;
  (void)s;
  text_add(out, "[");
  for (size_t i = 0; u && i < d->names->use.n; i++) {
    const NameUse *o = &d->names->use.at[i];
    if (o->of != u->of || strcmp(o->at.file->path, d->path) != 0) continue;
    text_printf(out, "%s{\"range\":", n++ ? "," : "");
    put_range(out, o->at);
    text_add(out, "}");
  }
  text_add(out, "]");
}

// ---- all files ------------------------------------------------------------------------------------------------------
// Every place where the declaration is used: in the document and what it imports, in other open documents, and in the
// files of the workspace. Each place once.
typedef struct Place { const char *path; Span at; } Place;
typedef struct Search {
  Server *s;
  Arena *a;
  const Named *of;
  Vec(Place) found;
  Vec(const char *) seen;              // files that were looked at
  int files;
} Search;

enum { MOST_FILES = 5000, DEEPEST_FOLDER = 12 };

static bool once(Search *q, const char *path) {
  for (size_t i = 0; i < q->seen.n; i++)
    if (!strcmp(q->seen.at[i], path)) return false;
  vec_push(&q->seen, path);
  return true;
}

// The uses of each file are complete in the names of any tree that the file belongs to.
static void search_names(Search *q, const Names *n) {
  for (size_t f = 0; f < n->file.n; f++) {
    const char *path = n->path.at[f];
    if (!once(q, arena_strndup(q->a, path, strlen(path)))) continue;
    for (size_t i = 0; i < n->use.n; i++) {
      const NameUse *u = &n->use.at[i];
      if (!u->at.file || strcmp(u->at.file->path, path) != 0 || !same_name(u->of, q->of)) continue;
      bool known = false;
      for (size_t k = 0; k < q->found.n; k++) known |= q->found.at[k].at.lo == u->at.lo && q->found.at[k].path == path;
      if (!known) vec_push(&q->found, ((Place){ path, u->at }));
    }
  }
}

static void search_file(Search *q, const char *path) {
  const SourceFile *f;
  bool known = false;
  for (size_t i = 0; i < q->seen.n; i++) known |= !strcmp(q->seen.at[i], path);
  if (known || source_read_open(q->a, path, &q->s->open, &f) != SOURCE_OK || !strstr(f->text, q->of->name)) return;
  Interner *in = intern_new(q->a);
  Names *n = names_find(q->a, in, parse_file(q->a, in, f, diag_bag_new(q->a)), std_dir(q->a), &q->s->open);
  search_names(q, n);
  names_free(n);
}

static void search_folder(Search *q, const char *folder, int depth) {
  DIR *dir = depth < DEEPEST_FOLDER ? opendir(folder) : NULL;
  for (const struct dirent *f; dir && (f = readdir(dir)) && q->files < MOST_FILES;) {
    size_t n = strlen(f->d_name);
    if (f->d_name[0] == '.') continue;
    const char *path = arena_printf(q->a, "%s/%s", folder, f->d_name);
    struct stat st;
    if (lstat(path, &st) != 0) continue;
    if (S_ISDIR(st.st_mode)) search_folder(q, path, depth + 1);
    else if (S_ISREG(st.st_mode) && n > 4 && !strcmp(f->d_name + n - 4, ".nsm")) {
      q->files++;
      search_file(q, path);
    }
  }
  if (dir) closedir(dir);
}

static void search(Search *q, Document *d) {
  search_names(q, d->names);
  for (size_t i = 0; i < q->s->document.n; i++) {
    document_check(q->s, q->s->document.at[i]);
    search_names(q, q->s->document.at[i]->names);
  }
  bool outside = q->of->kind != NAMED_INDEX && q->of->kind != NAMED_FILE;   // may other files see it?
  if (q->s->root && outside) search_folder(q, q->s->root, 0);
}

static void search_end(Search *q) {
  vec_free(&q->found);
  vec_free(&q->seen);
  arena_free(q->a);
}

void answer_references(Server *s, Document *d, const Json *request, Text *out) {
  const NameUse *u = asked(d, request);
  const Json *with = json_at(request, "params.context.includeDeclaration");
  bool declaration = !with || with->kind != JSON_FALSE;
  int n = 0;
  text_add(out, "[");
  if (u) {
    Search q = { .s = s, .a = arena_new(), .of = u->of };
    search(&q, d);
    for (size_t i = 0; i < q.found.n; i++) {
      Span at = q.found.at[i].at;
      if (!declaration && at.lo == u->of->at.lo && !strcmp(at.file->path, u->of->at.file->path)) continue;
      if (n++) text_add(out, ",");
      put_location(s, q.a, out, at);
    }
    search_end(&q);
  }
  text_add(out, "]");
}

// ---- renaming -------------------------------------------------------------------------------------------------------
void answer_prepare_rename(Server *s, Document *d, const Json *request, Text *out) {
  const NameUse *u = asked(d, request);
  (void)s;
  if (u && u->of->kind != NAMED_FILE) put_range(out, u->at);
}

static bool is_name(const char *s) {
  if (!isalpha((unsigned char)*s) && *s != '_') return false;
  while (isalnum((unsigned char)*s) || *s == '_') s++;
  return *s == 0;
}

static bool reserved(const char *name) {
  static const char *const words[] = {
#define WORD(text, token, kind) text,
#include "../syntax/words.def"
#undef WORD
    "time", "pi", "inf"
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i], name)) return true;
  return false;
}

// Is the new name declared where it would meet the old one: in the same model or file, or inside of the model.
static const Named *meets(const Names *n, const Named *of, const char *name) {
  for (size_t i = 0; i < n->named.n; i++) {
    const Named *y = n->named.at[i];
    if (strcmp(y->name, name) != 0 || y->kind == NAMED_FILE) continue;
    bool apart = (y->kind == NAMED_MODEL || y->kind == NAMED_FUNCTION || y->kind == NAMED_MATERIAL ||
                  of->kind == NAMED_MODEL || of->kind == NAMED_FUNCTION || of->kind == NAMED_MATERIAL) &&
                 y->kind != of->kind;
    if (!apart && (!y->owner || !of->owner || y->owner == of->owner)) return y;
  }
  return NULL;
}

static const char *why_not(const Document *d, const NameUse *u, const char *name, Arena *a) {
  if (!u || u->of->kind == NAMED_FILE) return "there is no name here that could be changed";
  if (!name || !is_name(name)) return "a name is a letter or _ followed by letters, digits and _";
  if (reserved(name)) return "this is a word of the language";
  size_t n = strlen(std_dir(a));
  if (strncmp(u->of->at.file->path, std_dir(a), n) == 0 && u->of->at.file->path[n] == '/')
    return "this name is declared in the standard library";
  const Named *other = strcmp(name, u->of->name) ? meets(d->names, u->of, name) : NULL;
  return other ? arena_printf(a, "`%s` is declared already, in line %d", name,
                              source_line(other->at.file, other->at.lo)) : NULL;
}

// [3.17, WorkspaceEdit]
void answer_rename(Server *s, Document *d, const Json *request, Text *out, const char **refused) {
  const NameUse *u = asked(d, request);
  const char *name = json_text(request, "params.newName");
  if ((*refused = why_not(d, u, name, d->now->arena))) return;
  Search q = { .s = s, .a = arena_new(), .of = u->of };
  search(&q, d);
  text_add(out, "{\"changes\":{");
  for (size_t i = 0; i < q.found.n; i++) {
    bool first = true;
    for (size_t k = 0; k < i; k++) first = first && strcmp(q.found.at[k].path, q.found.at[i].path) != 0;
    if (!first) continue;
    const Document *open = document_at(s, q.found.at[i].path);
    if (i) text_add(out, ",");
    text_json_string(out, open ? open->uri : uri_of_path(q.a, q.found.at[i].path));
    text_add(out, ":[");
    for (size_t k = i; k < q.found.n; k++) {
      if (strcmp(q.found.at[k].path, q.found.at[i].path)) continue;
      text_printf(out, "%s{\"range\":", k > i ? "," : "");
      put_range(out, q.found.at[k].at);
      text_add(out, ",\"newText\":");
      text_json_string(out, name);
      text_add(out, "}");
    }
    text_add(out, "]");
  }
  text_add(out, "}}");
  search_end(&q);
}

// ---- symbols --------------------------------------------------------------------------------------------------------
// [3.17, SymbolKind]
static int symbol_kind(const Named *y) {
  static const int kind[] = { [NAMED_MODEL] = 5, [NAMED_FUNCTION] = 12, [NAMED_PARAM] = 14, [NAMED_FORMAL] = 14,
                              [NAMED_VARIABLE] = 13, [NAMED_INSTANCE] = 19, [NAMED_BODY] = 19, [NAMED_ROW] = 11,
                              [NAMED_INDEX] = 13, [NAMED_MATERIAL] = 20, [NAMED_FILE] = 1 };
  return kind[y->kind];
}

static bool is_symbol(const Document *d, const Named *y, const Ast *owner) {
  return y->kind != NAMED_INDEX && y->kind != NAMED_FILE && y->owner == owner && y->at.file &&
         !strcmp(y->at.file->path, d->path);
}

static void put_symbols(const Document *d, const Ast *owner, Text *out) {
  int n = 0;
  text_add(out, "[");
  for (size_t i = 0; i < d->names->named.n; i++) {
    const Named *y = d->names->named.at[i];
    if (!is_symbol(d, y, owner)) continue;
    text_printf(out, "%s{\"name\":", n++ ? "," : "");
    text_json_string(out, y->name);
    text_printf(out, ",\"kind\":%d,\"range\":", symbol_kind(y));
    Span whole = y->decl->span.file ? span_join(y->decl->span, y->at) : y->at;
    put_range(out, whole);
    text_add(out, ",\"selectionRange\":");
    put_range(out, y->at);
    if (y->kind == NAMED_MODEL) {
      text_add(out, ",\"children\":");
      put_symbols(d, y->item, out);
    }
    text_add(out, "}");
  }
  text_add(out, "]");
}

void answer_symbols(Server *s, Document *d, const Json *request, Text *out) {
  (void)s;
  (void)request;
  put_symbols(d, NULL, out);
}

// ---- layout ---------------------------------------------------------------------------------------------------------
// One edit of the whole text; nothing where it stands so already, or where it cannot be read.
void answer_formatting(Server *s, Document *d, const Json *request, Text *out) {
  (void)s;
  (void)request;
  Compilation *c = compilation_new();
  PipelineOptions o = { .path = d->path, .open = &s->open };
  if (compile_to(c, &o, STAGE_AST, NULL)) {
    Text t = { 0 };
    ast_format(c->ast, c->source, &t);
    if (t.n == d->text.n && (t.n == 0 || !memcmp(t.at, d->text.at, t.n))) text_add(out, "[]");
    else {
      text_add(out, "[{\"range\":");
      put_range(out, (Span){ c->source, 0, c->source->len });
      text_add(out, ",\"newText\":");
      text_json_string(out, text_str(&t));
      text_add(out, "}]");
    }
    text_free(&t);
  }
  compilation_free(c);
}
