// The token stream of the grammar: from the lexer through parse_next_token, which keeps what the error messages want to
// know (previous token, open brackets, start of the item) and stops in time; and problems, which are counted.
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
    if (token == TOK_DECLARE || token == TOK_ASK) value->kind = kind;
  }
  p->now = (Token){token, *at};
  if (p->item_n == 0) memset(p->item, 0, 3 * sizeof *p->item);
  if (p->item_n < ITEM_TOKENS) p->item[p->item_n] = p->now;
  p->item_n++;
  p->item_ends = token == ';' || token == '{' || token == '}';
  return token;
}
