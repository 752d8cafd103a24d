// One parse under way: what lexer, grammar, constructors and error messages share. Private to compiler/syntax and
// grammar.
#pragma once
#include <stdbool.h>
#include "../base/diag.h"
#include "../base/vec.h"
#include "ast_build.h"

enum { DEEPEST_NESTING = 1000, ITEM_TOKENS = 64, SEEN = 32 };

typedef struct Token { int kind; Span at; } Token;
// owner: the token that starts the item of the bracket; before: the one in front of it
typedef struct Open { char bracket; Span at; Token owner, before; } Open;

union NSM_STYPE;

struct Parse {
  Arena            *arena;
  Interner         *names;
  const SourceFile *file;
  DiagBag          *bag, *mute;   // mute: what is said after the parse was stopped
  void             *scanner;
  bool            (*foreign)(Parse *);   // is it a form of another language, of which all is said?
  Ast              *result;

  size_t lo, hi;             // of the lexer's match
  size_t comment;            // where the open comment starts

  Token  now, before, before2;   // the newest token and the two before it
  Token  item[ITEM_TOKENS];  // the first tokens of the item under way
  int    item_n;             // how many there are; more are only counted
  bool   item_ends;          // the next token starts an item
  Vec(Open) open;            // brackets not yet closed

  bool   stopped;            // the lexer says END from now on, problems go to `mute`
  int    problems;           // reported so far
  size_t lexical;            // end of the last lexical problem: an error next to it is its echo
  size_t said;               // end of the place of the last problem: an error right behind it is its echo
  Token  broken;             // where a ';' was supplied: what follows is read as an item, without complaints about it
  Span   unread;             // a block behind an unknown word or form: its contents are not checked
  size_t skip_to;            // the text up to here is not read, and a ';' stands in its place; 0: all is read
  bool   skip_bare;          // without that ';'
  size_t unheard;            // what the lexer says of the text up to here is not heard
  Token  held;               // the first token behind
  union NSM_STYPE *held_value;
  bool   holding;
  const char *seen[SEEN];    // words and characters that were refused once; later uses are taken silently
  int    nseen;
  size_t blamed;             // 1 + place of the '{' that was said to be unclosed
  Span   model_end;          // the last '}' that closed a model
  Open   suspect;            // a '{' whose '}', in `before`, is indented as if it closed one further out
  bool   outside;            // an item outside of every model was reported
};

// One problem: as diag(), and the parse stops after DIAG_LIMIT of them.
bool names_part(const char *name);       // R1, C12: as parts of a netlist
#define NETLIST_HELP                                                                                                   \
  "nsm import FILE.cir -o FILE.nsm makes a model of a netlist; by hand: import \"std/circuit.nsm\"; "                  \
  "model M { node a, g = 0; VoltageSource v(a = a, b = g, V = 10 [V]); ... }"
Diag *problem(Parse *p, DiagCode code, Span at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void  parse_too_deep(Parse *p, Span at);

// Was this word or character refused before? Else it counts as refused from now on.
bool  seen_before(Parse *p, const char *text);
bool  was_seen(const Parse *p, const char *text);                    // the same without counting

// tokens.c: the token stream of the grammar.
int   parse_next_token(union NSM_STYPE *value, Span *at, Parse *p);

// The scanner that flex makes of grammar/nsm.l.
typedef struct yy_buffer_state *ScanBuffer;
int   nsm_scan_lex_init_extra(Parse *p, void **scanner);
ScanBuffer nsm_scan__scan_bytes(const char *bytes, int n, void *scanner);
int   nsm_scan_lex(union NSM_STYPE *value, Span *at, void *scanner);
int   nsm_scan_lex_destroy(void *scanner);

// syntax_error.c: the message for an unexpected p->now, of which the names of the expected tokens are known.
void  syntax_error(Parse *p, const char *const *expected, int n);
const char *word_near(Parse *p, Span name);  // the reserved word that was perhaps meant, or NULL
const char *span_text(Parse *p, Span at);                            // a copy, shortened for a message

// foreign.c: the forms of other languages; true where one was found and said.
bool  foreign_form(Parse *p);

// given_up.c: what these two share.
void  give_up(Parse *p, size_t upto);                                // the text up to there is not read
bool  extra_brace(const Parse *p, size_t at);                        // does a '}' behind `at` close nothing?
bool  find_model(Parse *p, const char *name);                        // does the text have `model NAME`?
bool  starts_item(int kind);                                         // does the token?

// skip.c: places in the text, with brackets matched and comments and strings left alone.
// TOK_BODY, TOK_GRAVITY, ..., or TOK_NAME; first: of its item; kind of what TOK_DECLARE declares
int    word_in_place(const Parse *p, const char *name, Span at, bool first, AstKind *kind);
size_t skip_blanks(const SourceFile *f, size_t at);                  // behind blanks and comments
size_t skip_bracket(const SourceFile *f, size_t at);                 // behind the bracket that closes the one at `at`
size_t skip_item(const SourceFile *f, size_t at);                    // the ';' of the item, or behind its block
size_t skip_line(const SourceFile *f, size_t at);                    // the end of the line
size_t find_word(const SourceFile *f, size_t from, size_t to, const char *word);   // `to`: it is not there
bool   follows(const SourceFile *f, size_t at, const char *text);
bool   is_name_char(char c);

// unit_text.c: canonical text of a unit (no blanks, u for µ, * for a raised dot), or NULL and `wrong` when it is none.
const char *unit_text(Parse *p, const char *s, size_t n, const char **wrong);
const char *unit_of(Parse *p, Span at);                              // of the text there; reports

// lex.c: the longer actions of the lexer. A token, or how many bytes to keep.
void  lex_step(Parse *p, Span *at, size_t n);
void  lex_keep(Parse *p, Span *at, size_t n);
void  lex_comment(Parse *p, Span at);
void  lex_open_comment(Parse *p);
void  lex_close_comment(Parse *p, Span at);
int   lex_stray_comment(Parse *p, Span at);
int   lex_number(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);
int   lex_open_unit(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);
size_t lex_doubled(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);   // 1 [[mH]
int   lex_bad_number(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);
int   lex_word(Parse *p, union NSM_STYPE *v, const char *s, int n);
int   lex_string(Parse *p, union NSM_STYPE *v, const char *s, int n);
int   lex_open_string(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);
int   lex_foreign(Parse *p, Span at, const char *s, int n);
int   lex_sign(Parse *p, Span at, const char *s, int n);
bool lex_in_question(const Parse *p);                      // within the braces of fit or analyse
int   lex_odd_byte(Parse *p, Span at, const char *s);
size_t lex_range(const char *s, int n);                              // 1..n: length of its start; 0: no range
int   lex_letters(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);
int   lex_triple(Parse *p, Span at);
bool  lex_is_quoted(const Parse *p, Span at, const char *s, int n);  // 'text', and not two derivatives
int   lex_quoted(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n, size_t quote);
int   lex_bar(Parse *p, Span at, const char *s, int n);
int   lex_dots(Parse *p, Span at, const char *s, int n);
int   lex_update(Parse *p, Span at, const char *s);
int   lex_pascal(Parse *p, Span at);
bool  lex_line(Parse *p, Span at, const char *s);                    // a comment or directive: the line is skipped
bool  lex_is_word(const char *s, size_t n);                          // reserved?
