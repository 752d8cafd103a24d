// The canonical text says which tokens stand beside each other and where blanks belong; the source says how its author
// laid them out. Both are the same tokens, so that only the gaps between them are chosen, and no choice changes what
// the text means:
//   no blank in the canonical text       none (but a line may break behind an open bracket or an operator)
//   a blank, and one or more in source   one; more where the next token stands below or above another one (a table);
//                                        comments behind a line stay in their column
//   a blank, and a line break in source  the line break, indented as in the source
//   a line break, and blanks in source   the blanks: items that were put on one line stay there
//   a line break in both                 that of the canonical text; within an item that of the source
// Items get their canonical layout where a line becomes longer than 120 columns, where a block goes over several lines
// and its braces do not stand at the ends of theirs, and where a line that goes on is not indented by two at least.
// Where the canonical text has other tokens than the source (x' for der(x)), its gaps count.
#include "layout.h"

#include <ctype.h>
#include <string.h>

#include "../base/vec.h"

enum { WIDEST = 120, NEAR = 3, FAR_APART = 40, ROUNDS = 20 };

typedef struct Token { size_t lo, hi; bool comment; } Token;
typedef struct Tokens { const char *text; size_t len; Vec(Token) at; } Tokens;

// --- tokens: as fine as blanks can stand ---

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

static size_t token_end(const char *s, size_t i, size_t n, bool *comment) {
  size_t k = i + 1;
  *comment = s[i] == '/' && k < n && (s[k] == '/' || s[k] == '*');
  if (*comment && s[k] == '/') {
    while (k < n && s[k] != '\n') k++;
    while (k > i && strchr(" \t\r", s[k - 1])) k--;
  } else if (*comment) {
    const char *end = strstr(s + i + 2, "*/");
    k = end ? (size_t)(end - s) + 2 : n;
  } else if (s[i] == '"') {
    while (k < n && s[k] != '"' && s[k] != '\n') k += s[k] == '\\' && k + 1 < n ? 2 : 1;
    if (k < n) k++;
  } else if (in_word(s[i])) while (k < n && in_word(s[k])) k++;
  return k;
}

static void scan(Tokens *t) {
  for (size_t i = 0; i < t->len;) {
    bool comment;
    if (isspace((unsigned char)t->text[i])) { i++; continue; }
    size_t end = token_end(t->text, i, t->len, &comment);
    vec_push(&t->at, ((Token){ i, end, comment }));
    i = end;
  }
}

static bool same(const Tokens *a, size_t i, const Tokens *b, size_t k) {
  if (i >= a->at.n || k >= b->at.n) return i >= a->at.n && k >= b->at.n;
  const Token *x = &a->at.at[i], *y = &b->at.at[k];
  return x->hi - x->lo == y->hi - y->lo && !memcmp(a->text + x->lo, b->text + y->lo, x->hi - x->lo);
}

// of[i]: the token of the source that token i of the canonical text is; -1: none.
static void match(const Tokens *c, const Tokens *s, long *of) {
  size_t i = 0, k = 0;
  for (size_t all = 0; all < c->at.n; all++) of[all] = -1;
  while (i < c->at.n && k < s->at.n) {
    if (same(c, i, s, k)) { of[i++] = (long)k++; continue; }
    size_t d = 1, a = 0;
    bool found = false;
    for (; d < FAR_APART && !found; d++)
      for (a = 0; a <= d && !found; a++)
        found = same(c, i + a, s, k + d - a) && same(c, i + a + 1, s, k + d - a + 1);
    if (!found) return;
    d--;
    a--;
    i += a;
    k += d - a;
  }
}

// --- places ---

static size_t line_start(const char *s, size_t at) {
  while (at > 0 && s[at - 1] != '\n') at--;
  return at;
}

static size_t characters(const char *s, size_t lo, size_t hi) {
  size_t n = 0;
  for (; lo < hi; lo++) n += ((unsigned char)s[lo] & 0xC0) != 0x80;
  return n;
}

static size_t column_of(const char *s, size_t at) { return characters(s, line_start(s, at), at); }

static size_t indent_of(const char *s, size_t at) {
  size_t lo = line_start(s, at), i = lo;
  while (s[i] == ' ') i++;
  return i - lo;
}

// Does a word begin in this column of the line at `lo`, behind a blank, or behind a sign that hangs out to the left;
// and one that is like c: signs of comparison and braces below their own kind.
static bool begins_at(const Tokens *t, size_t lo, size_t column, char c) {
  size_t i = lo, n = 0;
  while (i < t->len && t->text[i] != '\n' && n < column) n += ((unsigned char)t->text[++i] & 0xC0) != 0x80;
  if (n != column || i < lo + 2 || i >= t->len || isspace((unsigned char)t->text[i])) return false;
  if ((strchr("{}<>=;:,", c) || strchr("{}<>=;:,", t->text[i])) && c != t->text[i]) return false;
  return t->text[i - 1] == ' ' || (t->text[i - 1] == '-' && t->text[i - 2] == ' ');
}

// Is a token of the source part of a table: does one begin in its column on a line near it?
static bool in_table(const Tokens *s, const Token *t) {
  size_t column = column_of(s->text, t->lo), lo = line_start(s->text, t->lo), at = lo;
  for (int k = 0; k < NEAR && at > 0; k++)
    if (begins_at(s, at = line_start(s->text, at - 1), column, s->text[t->lo])) return true;
  at = lo;
  for (int k = 0; k < NEAR; k++) {
    const char *end = memchr(s->text + at, '\n', s->len - at);
    if (!end) return false;
    at = (size_t)(end - s->text) + 1;
    if (begins_at(s, at, column, s->text[t->lo])) return true;
  }
  return false;
}

// --- gaps ---

typedef struct Layout {
  Tokens c, s;                   // canonical, source
  long *of;                      // match
  char *forced, *bad;            // [c.at.n] the gap in front of it is canonical; is to be, with those of its item
  Text *out;
  size_t indent;                 // of the item under way
  long shift;                    // by how much its line moved to the right
  int depth;                     // open braces
} Layout;

typedef struct Gap { const char *at; size_t n; int lines; bool tab; } Gap;

static Gap gap_before(const Tokens *t, size_t i) {
  size_t lo = i ? t->at.at[i - 1].hi : 0, hi = t->at.at[i].lo;
  Gap g = { t->text + lo, hi - lo, 0, false };
  for (size_t k = lo; k < hi; k++) {
    g.lines += t->text[k] == '\n';
    g.tab |= t->text[k] == '\t';
  }
  return g;
}

static size_t out_column(Layout *w) { return column_of(text_str(w->out), w->out->n); }

static void blanks(Layout *w, long n) { while (n-- > 0) text_addc(w->out, ' '); }

// A line break with this many blanks behind it.
static void break_line(Layout *w, long n) {
  text_addc(w->out, '\n');
  blanks(w, n);
}

static void canonical_gap(Layout *w, size_t i, const Gap *c, long k) {
  text_addn(w->out, c->at, c->n);
  if (!c->lines) return;
  w->indent = out_column(w);
  w->shift = k < 0 ? 0 : (long)w->indent - (long)indent_of(w->s.text, w->s.at.at[k].lo);
  (void)i;
}

static bool is(const Tokens *t, size_t i, const char *set) {
  const Token *x = &t->at.at[i];
  return x->hi == x->lo + 1 && strchr(set, t->text[x->lo]);
}

// On one line in both, or in the source alone.
static void same_line(Layout *w, size_t i, const Gap *c, const Gap *s) {
  const Token *next = &w->s.at.at[w->of[i]];
  bool behind = next->comment && w->s.text[next->lo + 1] == '/', broken = c->lines > 0;
  long to = (long)column_of(w->s.text, next->lo) + w->shift - (long)out_column(w), least = behind ? 2 : 1;
  bool kept = s->n >= 2 && (behind || in_table(&w->s, next));
  if (c->n == 0) return;
  if (kept) blanks(w, to > least ? to : least);
  else if (!broken && (!next->comment || s->n < 2)) text_addn(w->out, c->at, c->n);
  else blanks(w, behind || (is(&w->c, i - 1, ";") && s->n >= 2) ? 2 : 1);
}

// On two lines in the source.
static void other_line(Layout *w, size_t i, const Gap *c) {
  const Token *next = &w->s.at.at[w->of[i]];
  long to = (long)column_of(w->s.text, next->lo) + w->shift;
  bool closes = is(&w->c, i, "}");
  if (c->lines) {                                          // between elements of a list
    const char *end = c->at + c->n;
    while (end > c->at && end[-1] == ' ') end--;
    if (to <= (long)w->indent) to = c->at + c->n - end;
  } else if (!closes) w->bad[i] = to < (long)w->indent + 2;
  if (closes) to = (long)w->indent;
  if (c->n == 0 && !is(&w->c, i - 1, "([+-*/^")) return;
  break_line(w, to);
}

static void put_gap(Layout *w, size_t i) {
  long k = w->of[i];
  Gap c = gap_before(&w->c, i);
  if (i == 0 || k < 1 || w->of[i - 1] != k - 1 || w->forced[i]) { canonical_gap(w, i, &c, k); return; }
  Gap s = gap_before(&w->s, (size_t)k);
  bool comment = w->c.at.at[i].comment || w->c.at.at[i - 1].comment;
  bool item = is(&w->c, i - 1, ";{}") || is(&w->c, i, "}") || comment;
  bool between = w->depth == 0 && is(&w->c, i - 1, ";}") && !comment;       // two items of the file on one line
  if (s.tab || (s.n == 0 && c.lines) || (!s.lines && c.lines && between)) canonical_gap(w, i, &c, k);
  else if (!s.lines) same_line(w, i, &c, &s);
  else if (!c.lines && (is(&w->c, i, "{") || comment)) canonical_gap(w, i, &c, k);
  else if (!c.lines) other_line(w, i, &c);
  else if (item) canonical_gap(w, i, &c, k);
  else other_line(w, i, &c);
}

static void put_all(Layout *w, size_t *line) {
  size_t at = 0;
  w->out->n = 0;
  w->indent = 0;
  w->shift = 0;
  w->depth = 0;
  for (size_t i = 0; i < w->c.at.n; i++) {
    const Token *t = &w->c.at.at[i];
    put_gap(w, i);
    line[i] = line_start(text_str(w->out), w->out->n);
    text_addn(w->out, w->c.text + t->lo, t->hi - t->lo);
    w->depth += is(&w->c, i, "{") - is(&w->c, i, "}");
    at = t->hi;
  }
  text_addn(w->out, w->c.text + at, w->c.len - at);
}

// The item of token i, or what of it stands outside of its braces.
static void force_item(Layout *w, size_t i) {
  size_t lo = i, hi = i;
  while (lo > 0 && !is(&w->c, lo - 1, ";{}") && !w->c.at.at[lo - 1].comment) lo--;
  while (hi + 1 < w->c.at.n && !is(&w->c, hi, ";{}")) hi++;
  for (size_t k = lo; k <= hi; k++) w->forced[k] = 1;
}

// Does the source break the line behind token k, a comment aside?
static bool breaks_behind(const Tokens *s, size_t k) {
  if (k + 1 >= s->at.n || gap_before(s, k + 1).lines) return true;
  return s->at.at[k + 1].comment && (k + 2 >= s->at.n || gap_before(s, k + 2).lines);
}

// Blocks over several lines whose braces do not stand at the ends of lines.
static void force_blocks(Layout *w) {
  Vec(size_t) open = {0};
  for (size_t i = 0; i < w->c.at.n; i++) {
    if (is(&w->c, i, "{")) vec_push(&open, i);
    if (!is(&w->c, i, "}") || !open.n) continue;
    size_t from = open.at[--open.n];
    long lo = w->of[from], hi = w->of[i];
    if (lo < 0 || hi <= lo) continue;
    const char *s = w->s.text;
    size_t start = w->s.at.at[lo].lo, end = w->s.at.at[hi].lo;
    if (!memchr(s + start, '\n', end - start)) continue;
    if (breaks_behind(&w->s, (size_t)lo) && gap_before(&w->s, (size_t)hi).lines) continue;
    force_item(w, from);
    for (size_t k = from; k <= i; k++) w->forced[k] = 1;
  }
  vec_free(&open);
}

// Items with a line that is too long, or that does not go on as it should. False: there are none that are not canonical
// already.
static bool force_untidy(Layout *w, const size_t *line) {
  bool any = false;
  const char *text = text_str(w->out);
  for (size_t i = 0; i < w->c.at.n; i++) {
    const char *end = memchr(text + line[i], '\n', w->out->n - line[i]);
    bool wide = characters(text, line[i], end ? (size_t)(end - text) : w->out->n) > WIDEST;
    if (w->forced[i] || (!wide && !w->bad[i])) continue;
    force_item(w, i);
    any = true;
  }
  return any;
}

void layout_keep(const SourceFile *src, const Text *canonical, Text *out) {
  Layout w = { .c = { .text = canonical->at ? canonical->at : "", .len = canonical->n },
               .s = { .text = src->text, .len = src->len }, .out = out };
  scan(&w.c);
  scan(&w.s);
  Arena *a = arena_new();
  w.of = ARENA_ARRAY(a, long, w.c.at.n + 1);
  w.forced = ARENA_ARRAY(a, char, w.c.at.n + 1);
  w.bad = ARENA_ARRAY(a, char, w.c.at.n + 1);
  size_t *line = ARENA_ARRAY(a, size_t, w.c.at.n + 1);
  match(&w.c, &w.s, w.of);
  force_blocks(&w);
  put_all(&w, line);
  for (int round = 0; round < ROUNDS && force_untidy(&w, line); round++) put_all(&w, line);
  vec_free(&w.c.at);
  vec_free(&w.s.at);
  arena_free(a);
}
