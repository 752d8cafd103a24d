// Names by what they mean, for colours that a grammar of words cannot give: a parameter and a coordinate look alike in
// the text.
#include "server.h"
#include <stdlib.h>
#include <string.h>

enum { T_CLASS, T_FUNCTION, T_PARAMETER, T_VARIABLE, T_PROPERTY, T_EVENT, T_MEMBER, M_DECLARATION = 1, M_READONLY = 2 };

// The number in TOKEN_LEGEND; -1: it has no colour.
static int kind_of(const Named *y) {
  switch (y->kind) {
  case NAMED_MODEL: return T_CLASS;
  case NAMED_FUNCTION: return T_FUNCTION;
  case NAMED_FORMAL:
  case NAMED_INDEX: return T_PARAMETER;
  case NAMED_PARAM:
  case NAMED_VARIABLE: return T_VARIABLE;
  case NAMED_INSTANCE:
  case NAMED_BODY: return T_PROPERTY;
  case NAMED_ROW: return T_EVENT;
  case NAMED_MATERIAL: return T_MEMBER;
  case NAMED_FILE: break;
  }
  return -1;
}

static int by_place(const void *a, const void *b) {
  const NameUse *x = a, *y = b;
  return x->at.lo < y->at.lo ? -1 : x->at.lo > y->at.lo;
}

// [3.17, Semantic Tokens]: line and character from the one before, length, kind, marks.
void answer_tokens(Server *s, Document *d, const Json *request, Text *out) {
  (void)s;
  (void)request;
  const SourceFile *f = d->now->source;
  Vec(NameUse) use = { 0 };
  for (size_t i = 0; i < d->names->use.n; i++) {
    const NameUse *u = &d->names->use.at[i];
    if (!u->at.file || strcmp(u->at.file->path, f->path) || u->at.hi <= u->at.lo || kind_of(u->of) < 0) continue;
    vec_push(&use, *u);
  }
  if (use.n) qsort(use.at, use.n, sizeof *use.at, by_place);
  Position last = { 0, 0 };
  size_t end = 0;
  text_add(out, "{\"data\":[");
  for (size_t i = 0, reported = 0; i < use.n; i++) {
    const NameUse *u = &use.at[i];
    if (u->at.lo < end) continue;                          // said already
    end = u->at.hi;
    Position lo = position_of(f, u->at.lo), hi = position_of(f, u->at.hi);
    if (hi.line != lo.line) continue;
    bool same = lo.line == last.line;
    bool declares = u->of->at.lo == u->at.lo && !strcmp(u->of->at.file->path, f->path);
    int marks = (declares ? M_DECLARATION : 0) | (u->of->kind == NAMED_PARAM ? M_READONLY : 0);
    text_printf(out, "%s%ld,%ld,%ld,%d,%d", reported++ ? "," : "", lo.line - last.line,
                same ? lo.character - last.character : lo.character, hi.character - lo.character, kind_of(u->of),
                marks);
    last = lo;
  }
  text_add(out, "]}");
  vec_free(&use);
}
