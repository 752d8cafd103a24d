// What the files of this room share.
//
//   serve.c       messages: read, answered; what the server can do
//   write.c       messages to the editor
//   documents.c   texts that are open, their changes, their compilation; diagnostics
//   navigate.c    definition, references, rename, symbols
//   hover.c       what a name is: its declaration, unit, value, class, relative degree
//   complete.c    what fits at a place; parts of std/ bring their import
//   actions.c     what mends a mistake     signature.c   what a call takes
//   tokens.c      colours by meaning       hints.c       units that are not written
//   around.c      in which brackets of which item a place is
//   names.c       which name means what        json.c  place.c   messages and places
//
// Nothing is remembered of a document but its text and two compilations: that of the text as it is, and the last one
// that was without errors.
#pragma once
#include "../api/pipeline.h"
#include "../base/json.h"
#include "lsp.h"
#include "names.h"
#include "place.h"

typedef struct Document {
  char *uri, *path;
  Text  text;
  long  version;
  bool  fresh;                         // `now` is of this text, and of the texts that it imports
  long  changed;                       // when, in messages
  Compilation *now, *good;             // of the text; the last without errors, which may be the same. NULL: none yet
  Names *names;                        // of `now`
  Vec(char *) reported;                    // paths of files that are not open of which diagnostics were sent
} Document;

typedef struct Server {
  int in, out;
  Vec(char) input;                     // bytes that were read
  size_t used;                         // of them done with
  bool ended, initialized, shutdown;
  Vec(Document *) document;
  OpenTexts open;
  long messages;
  char *root;                          // the folder of the workspace; NULL
} Server;

// --- write.c ---
void reply(Server *s, const Json *request, const char *result);
void refuse(Server *s, const Json *request, int code, const char *why);
void notify(Server *s, const char *method, Text *params);           // frees params

// --- documents.c ---
void documents_start(Server *s);
void document_open(Server *s, const char *uri, const char *text, size_t n, long version);
void document_change(Server *s, Document *d, const Json *changes, long version);
void document_close(Server *s, Document *d);
void document_free(Document *d);
Document *document_of(const Server *s, const Json *request);         // of params.textDocument.uri; NULL
Document *document_at(const Server *s, const char *path);           // NULL: it is not open
void put_diagnostic(Text *t, const DiagText *d);                    // as JSON
void document_check(Server *s, Document *d);                        // compiles what changed; sends diagnostics
Document *document_stale(const Server *s);                          // that changed last and was not checked; NULL
size_t document_offset(const Document *d, const Json *request);      // of params.position

// tokens.c: kinds of names, then marks, as bits.
#define TOKEN_LEGEND "{\"tokenTypes\":[\"class\",\"function\",\"parameter\",\"variable\",\"property\",\"event\"," \
                     "\"enumMember\"],\"tokenModifiers\":[\"declaration\",\"readonly\"]}"

// --- requests: each writes the JSON of its result, "null" where there is none ---
void answer_definition(Server *s, Document *d, const Json *request, Text *out);
void answer_references(Server *s, Document *d, const Json *request, Text *out);
void answer_highlight(Server *s, Document *d, const Json *request, Text *out);
void answer_prepare_rename(Server *s, Document *d, const Json *request, Text *out);
void answer_rename(Server *s, Document *d, const Json *request, Text *out, const char **refused);
void answer_symbols(Server *s, Document *d, const Json *request, Text *out);
void answer_hover(Server *s, Document *d, const Json *request, Text *out);
void answer_completion(Server *s, Document *d, const Json *request, Text *out);
void answer_actions(Server *s, Document *d, const Json *request, Text *out);
void answer_signature(Server *s, Document *d, const Json *request, Text *out);
void answer_tokens(Server *s, Document *d, const Json *request, Text *out);
void answer_hints(Server *s, Document *d, const Json *request, Text *out);
void answer_formatting(Server *s, Document *d, const Json *request, Text *out);
