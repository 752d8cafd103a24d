// Running the parser: what is no text at all is refused first; then tokens flow from the lexer through
// parse_next_token, which keeps what the error messages want to know (previous token, open brackets, start of the item)
// and stops in time.
#include "parse.h"

#include <stdarg.h>
#include <string.h>

#include "../base/fatal.h"
#include "../base/text.h"
#include "nsm.tab.h"
#include "parse_state.h"

enum { TEXT_LIMIT = 60 };

// --- problems ---

Diag *problem(Parse *p, DiagCode code, Span at, const char *fmt, ...) {
  va_list ap;
  Text t = {0};
  va_start(ap, fmt);
  text_vprintf(&t, fmt, ap);
  va_end(ap);
  bool unread = p->unread.file && at.lo >= p->unread.lo && at.lo < p->unread.hi,
       silent = p->stopped || at.lo < p->unheard || unread;
  if (silent && !p->mute) p->mute = diag_bag_new(p->arena);
  Diag *d = diag(silent ? p->mute : p->bag, code, at, "%s", text_str(&t));
  text_free(&t);
  if (silent || diag_code_severity(code) != SEV_ERROR) return d;
  p->said = at.hi;
  if (++p->problems > DIAG_LIMIT) p->stopped = true;
  return d;
}

void parse_too_deep(Parse *p, Span at) {
  if (p->stopped) return;
  Diag *d = problem(p, DIAG_E0110, at, "this is nested too deeply");
  diag_note(d, "at most %d brackets may be open at a time, and an expression is at most %d operations deep",
            DEEPEST_NESTING, AST_DEEPEST);
  diag_help(d, "name parts of it with var, or use sum(i in 1:n)");
  p->stopped = true;
}

const char *span_text(Parse *p, Span at) {
  size_t n = at.hi - at.lo;
  const char *s = at.file->text + at.lo;
  Text t = {0};
  bool cut = n > TEXT_LIMIT;
  if (cut) n = TEXT_LIMIT;
  while (cut && n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80) n--;
  for (size_t i = 0; i < n; i++) {   // blanks and line ends as one blank
    bool blank = strchr(" \t\r\n", s[i]) != NULL;
    if (!blank) text_addc(&t, s[i]);
    else if (t.n && t.at[t.n - 1] != ' ') text_addc(&t, ' ');
  }
  if (cut) text_add(&t, "...");
  const char *kept = arena_strndup(p->arena, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

bool was_seen(const Parse *p, const char *text) {
  for (int k = 0; k < p->nseen; k++)
    if (!strcmp(p->seen[k], text)) return true;
  return false;
}

bool seen_before(Parse *p, const char *text) {
  if (p->lo < p->unheard || was_seen(p, text)) return true;
  if (p->nseen < SEEN) p->seen[p->nseen++] = intern(p->names, text);
  return false;
}

// --- tokens ---

// Where a line is indented to; -1: something stands in front of `at` on it.
static int indentation(const Parse *p, size_t at, bool first) {
  const char *s = p->file->text;
  size_t line = at, n = 0;
  while (line > 0 && s[line - 1] != '\n') line--;
  while (s[line + n] == ' ' || s[line + n] == '\t') n++;
  return first && line + n != at ? -1 : (int)n;
}

// Remembers the first '{' that is closed further out than its line begins: there a '}' may be missing.
static void suspect(Parse *p, const Open *open, Span close) {
  int in = indentation(p, open->at.lo, false), out = indentation(p, close.lo, true);
  bool own_line = source_line(p->file, open->at.lo) < source_line(p->file, close.lo);
  if (p->suspect.at.file || !own_line || out < 0 || out >= in) return;
  p->suspect = *open;
  p->suspect.before = (Token){'}', close};
}

static void note_bracket(Parse *p, int token, Span at) {
  if (token == '(' || token == '[' || token == '{') {
    if (p->open.n >= DEEPEST_NESTING) {
      parse_too_deep(p, at);
      return;
    }
    vec_push(&p->open, ((Open){(char)token, at, p->item[0], p->before2}));
  } else if (token == ')' || token == ']' || token == '}') {
    char wanted = token == ')' ? '(' : token == ']' ? '[' : '{';
    if (token == '}')   // whatever is still open inside of the braces ends with them
      for (size_t k = p->open.n; k-- > 0;)
        if (p->open.at[k].bracket == '{') {
          p->open.n = k + 1;
          break;
        }
    if (p->open.n && vec_last(&p->open).bracket == wanted) {
      if (token == '}') suspect(p, &vec_last(&p->open), at);
      p->open.n--;
      if (token == '}' && p->open.n == 0) p->model_end = at;
    }
  }
}

// The next token of the lexer; in place of text that is not read, a ';'.
static int next(union NSM_STYPE *value, Span *at, Parse *p) {
  if (p->holding) {                            // its value is still where the lexer put it
    p->holding = false;
    *at = p->held.at;
    *value = *p->held_value;
    return p->held.kind;
  }
  p->unheard = p->skip_to;                     // of a token in text that is not read nothing is said
  int token = nsm_scan_lex(value, at, p->scanner);
  if (!p->skip_to) return token;
  bool bare = p->skip_bare;
  size_t upto = p->unheard = p->skip_to;
  while (token != TOK_END && token != 0 && at->lo < upto) {
    p->skip_to = 0;
    token = nsm_scan_lex(value, at, p->scanner);
    if (p->skip_to > upto) {                   // what is found behind is to be skipped as well
      upto = p->unheard = p->skip_to;
      bare = p->skip_bare;
    }
  }
  p->skip_to = p->unheard = 0;
  p->skip_bare = false;
  if (bare) return token;
  p->holding = true;
  p->held = (Token){token, *at};
  p->held_value = ARENA_NEW(p->arena, union NSM_STYPE);
  *p->held_value = *value;
  *at = (Span){p->file, upto, upto};
  return ';';
}

int parse_next_token(union NSM_STYPE *value, Span *at, Parse *p) {
  if (p->start) {
    int start = p->start;
    *at = (Span){p->file, 0, 0};
    p->start = 0;
    return start;
  }
  // The brackets of the token before: late, so that a message about it still sees them.
  p->before2 = p->before;
  p->before = p->now;
  note_bracket(p, p->before.kind, p->before.at);
  if (p->before.kind == ';')
    while (p->open.n && vec_last(&p->open).bracket != '{') p->open.n--;
  if (p->item_ends) p->item_n = 0;

  int token = p->stopped ? TOK_END : next(value, at, p);
  if (p->stopped) token = TOK_END;
  if (token == TOK_END) *at = (Span){p->file, p->file->len, p->file->len};
  if (token == TOK_NAME) {
    AstKind kind = AST_KINDS;
    token = word_in_place(p, value->text, *at, p->item_n == 0, &kind);
    if (token == TOK_DECLARE) value->kind = kind;
  }
  p->now = (Token){token, *at};
  if (p->item_n == 0) memset(p->item, 0, 3 * sizeof *p->item);
  if (p->item_n < ITEM_TOKENS) p->item[p->item_n] = p->now;
  p->item_n++;
  p->item_ends = token == ';' || token == '{' || token == '}';
  return token;
}

// --- the text as a whole ---

static size_t utf8_length(const char *text, size_t left) {
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x80) return 1;
  size_t n = s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : s[0] >= 0xE0 && s[0] <= 0xEF ? 3 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
  if (n == 0 || n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  return n;
}

static bool is_text(Parse *p) {
  const SourceFile *f = p->file;
  const char *nul = memchr(f->text, 0, f->len);
  if (nul) {
    size_t at = (size_t)(nul - f->text);
    Diag *d = problem(p, DIAG_E0108, (Span){f, at, at + 1}, "this is not a text file: byte %zu is zero", at + 1);
    if (f->len >= 2 && (memcmp(f->text, "\xFF\xFE", 2) == 0 || memcmp(f->text, "\xFE\xFF", 2) == 0))
      diag_help(d, "it looks like UTF-16; save it as UTF-8");
    return false;
  }
  size_t bad = 0, first = 0;
  for (size_t i = 0; i < f->len;) {
    size_t n = utf8_length(f->text + i, f->len - i);
    if (n == 0 && bad++ == 0) first = i;
    i += n ? n : 1;
  }
  if (bad == 0) return true;
  Diag *d = problem(p, DIAG_E0107, (Span){ f, first, first + 1 }, "the byte 0x%02X is not valid UTF-8",
                    (unsigned char)f->text[first]);
  if (bad > 1) diag_note(d, "%zu more such %s", bad - 1, bad == 2 ? "byte follows" : "bytes follow");
  diag_help(d, "save the file as UTF-8");
  return true;
}

static Ast *run(Arena *a, Interner *in, const SourceFile *f, DiagBag *bag, int start) {
  Parse p = { .arena = a,
              .names = in,
              .file = f,
              .bag = bag,
              .start = start,
              .quantity = start == TOK_START_EXPR,
              .item_ends = true };
  if (!is_text(&p)) return NULL;
  if (nsm_scan_lex_init_extra(&p, &p.scanner) != 0) out_of_memory(1 << 14);
  nsm_scan__scan_bytes(f->text, (int)f->len, p.scanner);   // at most 64 MiB, see source.h
  int failed = nsm_parse(&p);
  nsm_scan_lex_destroy(p.scanner);
  vec_free(&p.open);
  INVARIANT(!failed || p.problems);
  return failed || (start == TOK_START_EXPR && p.problems) ? NULL : p.result;
}

Ast *parse_file(Arena *a, Interner *in, const SourceFile *f, DiagBag *bag) {
  Ast *file = run(a, in, f, bag, TOK_START_FILE);
  if (file) return file;
  file = ARENA_NEW(a, Ast);
  file->kind = AST_FILE;
  file->span = (Span){f, 0, f->len};
  file->depth = 1;
  return file;
}

Ast *parse_expression(Arena *a, Interner *in, const SourceFile *f, DiagBag *bag) {
  return run(a, in, f, bag, TOK_START_EXPR);
}
