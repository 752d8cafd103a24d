// Showing diagnostics: sorted by place; each with the user's line, the marks under it, its notes and its hints.
//
//   error[E0420]: headline
//     --> ball.nsm:10:20
//      |
//   10 |   relation r: 0 <= z - R perp f >= 0;
//      |                    ^^^^^      - acts on z''
//      = note: ...
//
// A line is first turned into cells, one per column of a terminal (char_width.c: a wide character takes two, a
// combining one joins the cell before; a tab fills up to the next multiple of 4; what a terminal cannot show is
// replaced), so that marks and long-line clipping only count cells.
#include <string.h>

#include "char_width.h"
#include "diag.h"
#include "diag_bag.h"
#include "text.h"

enum { TAB = 4, WIDEST = 120, LEAD = 40, LONGEST = 8192 };

typedef struct { bool on; const char *error, *warning, *note, *frame, *strong, *off; } Paint;

static const Paint painted = {true, "\033[1;31m", "\033[1;33m", "\033[1;32m", "\033[1;34m", "\033[1m", "\033[0m"};
static const Paint plain = {false, "", "", "", "", "", ""};

// --- text that is safe on a terminal ---

// Length of the UTF-8 sequence at s, 0 if it is broken or a control character.
static size_t printable(const char *s, size_t left) {
  const unsigned char *u = (const unsigned char *)s;
  if (u[0] < 0x20 || u[0] == 0x7f) return 0;
  if (u[0] < 0x80) return 1;
  size_t n = u[0] >= 0xF0 && u[0] < 0xF5 ? 4 : u[0] >= 0xE0 && u[0] < 0xF0 ? 3 : u[0] >= 0xC2 && u[0] < 0xE0 ? 2 : 0;
  if (n == 0 || n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if ((u[i] & 0xC0) != 0x80) return 0;
  return n == 2 && u[0] == 0xC2 && u[1] < 0xA0 ? 0 : n;   // the second block of control characters
}

static void add_safe(Text *out, const char *s, const char *after_newline) {
  for (size_t left = strlen(s); left;) {
    size_t n = printable(s, left);
    if (*s == '\n') text_add(out, "\n"), text_add(out, after_newline), n = 1;
    else if (n) text_addn(out, s, n);
    else text_add(out, "\xEF\xBF\xBD"), n = 1;
    s += n;
    left -= n;
  }
}

// --- a source line as cells ---

// Bytes [lo, hi) of the file, shown as glyph; the second column of a wide character has no bytes.
typedef struct { size_t lo, hi; const char *glyph; size_t bytes; } Cell;
typedef struct { Cell *at; size_t n, cap; bool cut_left, cut_right; } Cells;

// The cells of a line; of a very long one only those around byte `want`.
static void cells_of_line(const SourceFile *f, int line, size_t want, Cells *cells) {
  size_t lo = f->line_start[line - 1], hi = line < f->n_lines ? f->line_start[line] - 1 : f->len;
  if (hi > lo && f->text[hi - 1] == '\r') hi--;
  if (want > lo + LONGEST / 4 && hi - lo > LONGEST) {
    lo = want - LONGEST / 4;
    while (lo < want && ((unsigned char)f->text[lo] & 0xC0) == 0x80) lo++;
    cells->cut_left = true;
  }
  if (hi - lo > LONGEST) {
    hi = lo + LONGEST;
    while (hi > lo && ((unsigned char)f->text[hi] & 0xC0) == 0x80) hi--;
    cells->cut_right = true;
  }
  while (lo < hi) {
    size_t n = printable(f->text + lo, hi - lo);
    if (f->text[lo] == '\t') {
      do vec_push(cells, ((Cell){lo, lo + 1, " ", 1}));
      while (cells->n % TAB);
      n = 1;
    } else if (n && char_width(f->text + lo, n) == 0 && cells->n && vec_last(cells).glyph + vec_last(cells).bytes ==
                                                                         f->text + lo) {
      vec_last(cells).bytes += n;
      vec_last(cells).hi += n;
    } else if (n) {
      vec_push(cells, ((Cell){lo, lo + n, f->text + lo, n}));
      if (char_width(f->text + lo, n) == 2) vec_push(cells, ((Cell){lo, lo + n, "", 0}));
    } else {
      vec_push(cells, ((Cell){lo, lo + 1, "\xEF\xBF\xBD", 3}));
      n = 1;
    }
    lo += n;
  }
}

// Cells [*from, *to) that the bytes [lo, hi) cover on this line; at least one, which may stand just behind the text.
static void cell_range(const Cells *cells, size_t lo, size_t hi, size_t *from, size_t *to) {
  size_t k = 0;
  while (k < cells->n && cells->at[k].hi <= lo) k++;
  *from = k;
  while (k < cells->n && cells->at[k].lo < hi) k++;
  *to = k > *from ? k : *from + 1;
}

// --- one line of source with its marks ---

typedef struct { size_t from, to; const char *text; bool primary; } Mark;
typedef Vec(Mark) Marks;

static void gutter(Text *out, const Paint *p, int width, int line) {
  text_add(out, p->frame);
  if (line) text_printf(out, "%*d |", width, line);
  else text_printf(out, "%*s |", width, "");
  text_add(out, p->off);
}

static void spaces(Text *out, size_t n) {
  while (n-- > 0) text_addc(out, ' ');
}

static void mark_label(Text *out, const Paint *p, const Paint *tone, const Mark *m) {
  text_add(out, m->primary ? tone->error : p->frame);
  add_safe(out, m->text, " ");
  text_add(out, p->off);
}

// Marks under the text; the label of the rightmost one follows it, the others hang below on lines of their own.
static void show_marks(Text *out, const Paint *p, const Paint *tone, int width, const Marks *marks, size_t first) {
  size_t end = 0;
  for (size_t k = 0; k < marks->n; k++)
    if (marks->at[k].to > end) end = marks->at[k].to;
  gutter(out, p, width, 0);
  text_addc(out, ' ');
  for (size_t c = first; c < end; c++) {
    const Mark *m = NULL;
    for (size_t k = 0; k < marks->n; k++)
      if (marks->at[k].from <= c && c < marks->at[k].to && (!m || marks->at[k].primary)) m = &marks->at[k];
    if (!m) {
      text_addc(out, ' ');
      continue;
    }
    text_add(out, m->primary ? tone->error : p->frame);
    text_addc(out, m->primary ? '^' : '-');
    text_add(out, p->off);
  }
  const Mark *right = &marks->at[marks->n - 1];
  bool inlined = right->text && right->to == end;
  if (inlined) {
    text_addc(out, ' ');
    mark_label(out, p, tone, right);
  }
  text_addc(out, '\n');
  for (size_t k = marks->n - (inlined ? 1 : 0); k-- > 0;) {
    const Mark *m = &marks->at[k];
    if (!m->text) continue;
    gutter(out, p, width, 0);
    spaces(out, m->from - first + 1);
    mark_label(out, p, tone, m);
    text_addc(out, '\n');
  }
}

// The marks of all places on a line; the first one is the primary.
static void show_line(Text *out, const Paint *p, const Paint *tone, int width, const SourceFile *f, int line,
                      const Place *places) {
  Cells cells = {0};
  Marks marks = {0};
  size_t about = 0;   // the place to keep in sight: the primary one, else the first
  for (const Place *q = places; q; q = q->next)
    if (q->at.file == f && source_line(f, q->at.lo) == line && (about == 0 || q == places)) about = q->at.lo;
  cells_of_line(f, line, about, &cells);
  for (const Place *q = places; q; q = q->next) {
    if (q->at.file != f || source_line(f, q->at.lo) != line) continue;
    Mark m = {0, 0, q->text && *q->text ? q->text : NULL, q == places};
    cell_range(&cells, q->at.lo, q->at.hi, &m.from, &m.to);
    vec_push(&marks, m);
    for (size_t k = marks.n - 1; k > 0 && marks.at[k - 1].from > marks.at[k].from; k--) {   // sorted by place
      Mark swap = marks.at[k];
      marks.at[k] = marks.at[k - 1];
      marks.at[k - 1] = swap;
    }
  }

  // A window [first, last) of the cells, around the first mark.
  size_t first = 0, last = cells.n;
  if (cells.n > WIDEST + 2) {
    size_t want, unused;
    cell_range(&cells, about, about, &want, &unused);
    first = want > WIDEST - LEAD ? want - LEAD : 0;
    if (first + WIDEST > cells.n) first = cells.n - WIDEST;
    last = first + WIDEST;
    size_t kept = 0;
    for (size_t k = 0; k < marks.n; k++) {   // marks outside the window lose their place
      Mark m = marks.at[k];
      if (m.from < first || m.from > last) continue;
      if (m.to > last) m.to = last > m.from ? last : m.from + 1;
      marks.at[kept++] = m;
    }
    marks.n = kept;
  }

  gutter(out, p, width, line);
  if (last > first) text_addc(out, ' ');
  size_t shift = first;
  if (first > 0 || cells.cut_left) {
    text_add(out, "… ");
    shift = first - 2;   // two more cells stand before the window
  }
  if (first < last && cells.at[first].bytes == 0) text_addc(out, ' ');   // half of a wide character
  for (size_t c = first; c < last; c++) text_addn(out, cells.at[c].glyph, cells.at[c].bytes);
  while (out->n && out->at[out->n - 1] == ' ') out->at[--out->n] = 0;
  if (last < cells.n || cells.cut_right) text_add(out, " …");
  text_addc(out, '\n');
  show_marks(out, p, tone, width, &marks, shift);
  vec_free(&cells);
  vec_free(&marks);
}

// --- one diagnostic ---

static int digits(int n) {
  int d = 1;
  while (n >= 10) n /= 10, d++;
  return d;
}

// The line of the earliest place of file f after line `after`, 0 if there is none.
static int next_line(const Place *places, const SourceFile *f, int after) {
  int best = 0;
  for (const Place *q = places; q; q = q->next) {
    if (q->at.file != f) continue;
    int line = source_line(f, q->at.lo);
    if (line > after && (!best || line < best)) best = line;
  }
  return best;
}

static void show_file(Text *out, const Paint *p, const Paint *tone, int width, const Diag *d, const Place *head) {
  const SourceFile *f = head->at.file;
  text_add(out, p->frame);
  spaces(out, (size_t)width);
  text_add(out, head == &d->primary ? "--> " : "::: ");
  text_add(out, p->off);
  add_safe(out, f->path, "");
  text_printf(out, ":%d:%d\n", source_line(f, head->at.lo), source_column(f, head->at.lo));
  gutter(out, p, width, 0);
  text_addc(out, '\n');
  int before = 0;
  for (int line = next_line(&d->primary, f, 0); line; line = next_line(&d->primary, f, line)) {
    if (before && line > before + 1) {
      text_add(out, p->frame);
      text_add(out, "...\n");
      text_add(out, p->off);
    }
    show_line(out, p, tone, width, f, line, &d->primary);
    before = line;
  }
}

static void show_lines(Text *out, const Paint *p, int width, const Lines *lines, const char *word) {
  char indent[32];
  snprintf(indent, sizeof indent, "%*s", (int)(width + 5 + (int)strlen(word)), "");
  for (const struct Line *l = lines->first; l; l = l->next) {
    text_printf(out, "%s%*s = %s%s%s:%s ", p->frame, width, "", p->off, p->strong, word, p->off);
    add_safe(out, l->text, indent);
    text_addc(out, '\n');
  }
}

static void show(Text *out, const Paint *p, const Diag *d) {
  static const char *const words[] = {"error", "warning", "note"};
  Paint tone = *p;   // its `error` is the colour of this diagnostic
  tone.error = d->severity == SEV_ERROR ? p->error : d->severity == SEV_WARNING ? p->warning : p->note;
  text_printf(out, "%s%s", tone.error, words[d->severity]);
  if (d->code < DIAG_COUNT) text_printf(out, "[%s]", diag_code_name(d->code));
  text_printf(out, "%s%s: ", p->off, p->strong);
  add_safe(out, d->headline, "  ");
  text_printf(out, "%s\n", p->off);

  int width = 1;
  for (const Place *q = &d->primary; q; q = q->next) {
    int w = q->at.file ? digits(source_line(q->at.file, q->at.lo)) : 1;
    if (w > width) width = w;
  }
  for (const Place *q = &d->primary; q; q = q->next) {   // each file once, in order of first mention
    bool seen = !q->at.file;
    for (const Place *e = &d->primary; e != q && !seen; e = e->next) seen = e->at.file == q->at.file;
    if (!seen) show_file(out, p, &tone, width, d, q);
  }
  show_lines(out, p, width, &d->notes, "note");
  show_lines(out, p, width, &d->helps, "help");
}

// --- the bag ---

// Places without a file first, then files in order of their first diagnostic, then by offset, then by arrival.
static bool comes_before(const DiagBag *b, const Diag *x, const Diag *y) {
  const SourceFile *fx = x->primary.at.file, *fy = y->primary.at.file;
  if (fx != fy) {
    if (!fx || !fy) return !fx;
    for (size_t i = 0; i < b->all.n; i++) {
      if (b->all.at[i]->primary.at.file == fx) return true;
      if (b->all.at[i]->primary.at.file == fy) return false;
    }
  }
  if (x->primary.at.lo != y->primary.at.lo) return x->primary.at.lo < y->primary.at.lo;
  return x->order < y->order;
}

// In the arena of the bag.
static const Diag **sorted(const DiagBag *b) {
  const Diag **all = ARENA_ARRAY(b->arena, const Diag *, b->all.n + 1);
  for (size_t i = 0; i < b->all.n; i++) {
    all[i] = b->all.at[i];
    for (size_t k = i; k > 0 && comes_before(b, all[k], all[k - 1]); k--) {
      const Diag *swap = all[k];
      all[k] = all[k - 1];
      all[k - 1] = swap;
    }
  }
  return all;
}

// The places behind the primary one.
static int further_places(Arena *a, const Diag *d, const DiagPlace **out) {
  int n = 0;
  for (const Place *p = d->primary.next; p; p = p->next) n++;
  DiagPlace *at = ARENA_ARRAY(a, DiagPlace, n + 1);
  n = 0;
  for (const Place *p = d->primary.next; p; p = p->next) at[n++] = (DiagPlace){ p->at, p->text };
  *out = at;
  return n;
}

int diag_list(const DiagBag *b, DiagText **out) {
  const Diag **all = sorted(b);
  *out = ARENA_ARRAY(b->arena, DiagText, b->all.n + 1);
  for (size_t i = 0; i < b->all.n; i++) {
    const Diag *d = all[i];
    (*out)[i] = (DiagText){ d->code, d->severity, d->headline, d->primary.at, d->primary.text ? d->primary.text : "",
                            d->helps.first ? d->helps.first->text : "", NULL, 0, d->edit.at, d->edit.n };
    (*out)[i].nalso = further_places(b->arena, d, &(*out)[i].also);
  }
  return (int)b->all.n;
}

void diag_print(const DiagBag *b, FILE *f, bool colour) {
  const Paint *p = colour ? &painted : &plain;
  const Diag **all = sorted(b);
  Text out = {0};
  for (size_t i = 0; i < b->all.n; i++) show(&out, p, all[i]);
  if (b->more_errors) text_printf(&out, "… and more: only the first %d errors are shown\n", DIAG_LIMIT);
  if (b->more_warnings) text_printf(&out, "… and more: only the first %d warnings are shown\n", DIAG_LIMIT);
  fwrite(text_str(&out), 1, out.n, f);
  text_free(&out);
}

// What a run says may begin with a code, "E0772: ".
static const char *without_code(const char *headline, DiagCode *code) {
  char name[6] = "";
  if (strlen(headline) < 8 || strncmp(headline + 5, ": ", 2) != 0) return headline;
  memcpy(name, headline, 5);
  return diag_code_find(name, code) ? headline + 7 : headline;
}

void diag_print_plain(const char *headline, Span at, FILE *f, bool colour) {
  Diag d = { .code = DIAG_COUNT, .severity = SEV_ERROR, .headline = headline, .primary = { at, NULL, NULL } };
  d.headline = without_code(headline, &d.code);
  Text out = {0};
  show(&out, colour ? &painted : &plain, &d);
  fwrite(text_str(&out), 1, out.n, f);
  text_free(&out);
}
