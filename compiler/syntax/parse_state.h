// One parse under way: what lexer, grammar, constructors and error messages share. Private to compiler/syntax and
// grammar.
#pragma once
#include <stdbool.h>
#include "../base/diag.h"
#include "../base/vec.h"
#include "ast_build.h"

enum { DEEPEST_NESTING = 1000 };

typedef struct Token { int kind; Span at; } Token;
// owner: the token that starts the item of the bracket
typedef struct Open { char bracket; Span at; Token owner; } Open;

union NSM_STYPE;

struct Parse {
  Arena            *arena;
  Interner         *names;
  const SourceFile *file;
  DiagBag          *bag, *mute;   // mute: what is said after the parse was stopped
  void             *scanner;
  Ast              *result;

  size_t lo, hi;             // of the lexer's match
  size_t comment;            // where the open comment starts
  bool   quantity;           // 5 s and 5s are quantities (parse_expression only)
  int    start;              // the token that selects the entry point; 0 once handed out

  Token  now, before;        // the newest token and the one before it
  Token  item[3];            // the first tokens of the item under way
  int    item_n;             // how many there are; more than 3 are only counted
  bool   item_ends;          // the next token starts an item
  Vec(Open) open;            // brackets not yet closed

  bool   stopped;            // the lexer says END from now on, problems go to `mute`
  int    problems;           // reported so far
  size_t lexical;            // end of the last lexical problem: an error next to it is its echo
  size_t said;               // end of the place of the last problem: an error right behind it is its echo
  Token  broken;             // where a ';' was supplied: what follows is read as an item, without complaints about it
  Span   unread;             // the '{' of a block behind an unknown word: its contents are not judged
  size_t blamed;             // 1 + place of the '{' that was said to be unclosed
  bool   outside;            // an item outside of every model was reported
};

// One problem: as diag(), and the parse stops after DIAG_LIMIT of them.
Diag *problem(Parse *p, DiagCode code, Span at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void  parse_too_deep(Parse *p, Span at);

// parse.c: the token stream of the grammar.
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

// unit_text.c: canonical text of a unit (no blanks, u for µ, * for a raised dot), or NULL and `wrong` when it is none.
const char *unit_text(Parse *p, const char *s, size_t n, const char **wrong);
const char *unit_of(Parse *p, Span at);                              // of the text there; reports

// lex.c: the longer actions of the lexer. A token, or how many bytes to keep.
void  lex_step(Parse *p, Span *at, size_t n);
void  lex_keep(Parse *p, Span *at, size_t n);
void  lex_comment(Parse *p, Span at);
void  lex_open_comment(Parse *p);
int   lex_stray_comment(Parse *p, Span at);
int   lex_number(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);
int   lex_open_unit(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);
int   lex_bad_number(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);
size_t lex_quantity(Parse *p, const char *s, int n);
int   lex_word(Parse *p, union NSM_STYPE *v, const char *s, int n);
int   lex_string(Parse *p, union NSM_STYPE *v, const char *s, int n);
int   lex_open_string(Parse *p, union NSM_STYPE *v, Span at, const char *s, int n);
int   lex_foreign(Parse *p, Span at, const char *s, int n);
int   lex_sign(Parse *p, Span at, const char *s, int n);
int   lex_odd_byte(Parse *p, Span at, const char *s);
bool  lex_is_word(const char *s, size_t n);                          // reserved?
