// Collecting diagnostics. The same code at the same place is kept once: families and retries may find it again. A name
// that nobody declared is named once.
#include "diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "diag_bag.h"
#include "text.h"

DiagBag *diag_bag_new(Arena *a) {
  DiagBag *b = ARENA_NEW(a, DiagBag);
  b->arena = a;
  return b;
}

static const char *formatted(Arena *a, const char *fmt, va_list ap) {
  Text t = {0};
  text_vprintf(&t, fmt, ap);
  const char *kept = arena_strndup(a, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

static bool is_repeated(const DiagBag *b, DiagCode code, Span at, const char *headline) {
  for (size_t i = 0; i < b->all.n; i++) {
    const Diag *d = b->all.at[i];
    if (d->code != code || (!b->one_each && strcmp(d->headline, headline) != 0)) continue;
    if (code == DIAG_E0201 || code == DIAG_E0210) return d->primary.at.file == at.file;   // an unknown name: once
    if (d->primary.at.file == at.file && d->primary.at.lo == at.lo && d->primary.at.hi == at.hi) return true;
  }
  return false;
}

void diag_one_each(DiagBag *b, bool on) { b->one_each = on; }

Span diag_within(DiagBag *b, Span part) {
  Span before = b->part;
  b->part = part;
  return before;
}

// Where labels of a diagnostic go that nobody will see.
static Diag *drop(DiagBag *b, DiagCode code) {
  memset(&b->dropped, 0, sizeof b->dropped);
  b->dropped.bag = b;
  b->dropped.code = code;
  b->dropped.last = &b->dropped.primary;
  b->dropped.notes.end = &b->dropped.notes.first;
  b->dropped.helps.end = &b->dropped.helps.first;
  return &b->dropped;
}

Diag *diag(DiagBag *b, DiagCode code, Span at, const char *fmt, ...) {
  Severity severity = diag_code_severity(code);
  int *kept = severity == SEV_ERROR ? &b->errors : severity == SEV_WARNING ? &b->warnings : &b->notes;
  if (*kept >= DIAG_LIMIT) {
    if (severity != SEV_NOTE) ++*(severity == SEV_ERROR ? &b->more_errors : &b->more_warnings);
    return drop(b, code);
  }
  va_list ap;
  va_start(ap, fmt);
  const char *headline = formatted(b->arena, fmt, ap);
  va_end(ap);
  if (is_repeated(b, code, at, headline)) return drop(b, code);

  if (b->all.n == b->all.cap) {
    size_t cap = b->all.cap ? 2 * b->all.cap : 8;
    Diag **wider = ARENA_ARRAY(b->arena, Diag *, cap);
    if (b->all.n) memcpy(wider, b->all.at, b->all.n * sizeof *wider);
    b->all.at = wider;
    b->all.cap = cap;
  }
  Diag *d = ARENA_NEW(b->arena, Diag);
  d->bag = b;
  d->code = code;
  d->severity = severity;
  d->order = (int)b->all.n;
  d->headline = headline;
  d->primary.at = at;
  d->last = &d->primary;
  d->notes.end = &d->notes.first;
  d->helps.end = &d->helps.first;
  b->all.at[b->all.n++] = d;
  ++*kept;
  if (b->part.file && at.file && at.file != b->part.file) diag_also(d, b->part, "of this part");
  return d;
}

void diag_label(Diag *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  d->primary.text = formatted(d->bag->arena, fmt, ap);
  va_end(ap);
}

void diag_also(Diag *d, Span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  Place *p = ARENA_NEW(d->bag->arena, Place);
  p->at = at;
  p->text = formatted(d->bag->arena, fmt, ap);
  va_end(ap);
  if (!at.file) return;
  d->last->next = p;
  d->last = p;
}

static void add_line(Diag *d, Lines *lines, const char *fmt, va_list ap) {
  struct Line *line = ARENA_NEW(d->bag->arena, struct Line);
  line->text = formatted(d->bag->arena, fmt, ap);
  *lines->end = line;
  lines->end = &line->next;
}

void diag_note(Diag *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  add_line(d, &d->notes, fmt, ap);
  va_end(ap);
}

void diag_help(Diag *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  add_line(d, &d->helps, fmt, ap);
  va_end(ap);
}

static void add_edit(Diag *d, Span at, const char *text) {
  if (!at.file) return;
  if (d->edit.n == d->edit.cap) {
    int cap = d->edit.cap ? 2 * d->edit.cap : 2;
    DiagEdit *wider = ARENA_ARRAY(d->bag->arena, DiagEdit, cap);
    if (d->edit.n) memcpy(wider, d->edit.at, (size_t)d->edit.n * sizeof *wider);
    d->edit.at = wider;
    d->edit.cap = cap;
  }
  d->edit.at[d->edit.n++] = (DiagEdit){ at, arena_strndup(d->bag->arena, text, strlen(text)) };
}

void diag_edit(Diag *d, Span at, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  add_edit(d, at, formatted(d->bag->arena, fmt, ap));
  va_end(ap);
}

void diag_mean(Diag *d, const char *name) {
  Span at = d->primary.at, word = at;
  diag_help(d, "did you mean `%s`?", name);
  if (!at.file) return;
  word.hi = word.lo;
  for (const char *s = at.file->text; word.hi < at.hi && (isalnum((unsigned char)s[word.hi]) || s[word.hi] == '_');)
    word.hi++;
  add_edit(d, word.hi > word.lo ? word : at, name);
}

void diag_replace(Diag *d, const char *text) {
  diag_help(d, "replace it by %s", text);
  add_edit(d, d->primary.at, text);
}

int diag_errors(const DiagBag *b) { return b->errors; }
int diag_warnings(const DiagBag *b) { return b->warnings; }
int diag_notes(const DiagBag *b) { return b->notes; }

bool diag_has(const DiagBag *b, DiagCode code) {
  bool any = false;
  for (size_t i = 0; i < b->all.n; i++) any |= b->all.at[i]->code == code;
  return any;
}

void diag_without_notes(DiagBag *b) {
  size_t n = 0;
  for (size_t i = 0; i < b->all.n; i++) if (b->all.at[i]->severity != SEV_NOTE) b->all.at[n++] = b->all.at[i];
  b->all.n = n;
  b->notes = 0;
}


