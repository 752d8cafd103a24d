// Cards of a netlist and the expressions in them.
%define api.pure full
%define api.prefix {spice_y_}
%define api.location.type {Span}
%define api.token.prefix {SPICE_}
%define parse.error custom
%expect 0
%locations
%parse-param {SpiceParse *p} {void *scanner}
%lex-param {void *scanner}
%code requires {
#include "spice/netlist.h"
}
%code {
#include "base/map.h"
#define YYLLOC_DEFAULT(whole, parts, n) \
  ((whole) = (n) ? span_join((parts)[1], (parts)[n]) : (Span){(parts)[0].file, (parts)[0].hi, (parts)[0].hi})
int spice_scan_lex(union SPICE_Y_STYPE *value, Span *at, void *scanner);
#define spice_y_lex spice_scan_lex
static void spice_y_error(const Span *at, SpiceParse *p, void *scanner, const char *what);
int spice_parse_cards(SpiceParse *p, void *scanner);
static void add_item(SpiceParse *p, const char *key, const char *text, const Ex *ex, Span span);
static void end_card(SpiceParse *p, Span span);
static const Ex *binary(SpiceParse *p, const char *op, const Ex *a, const Ex *b, Span at) {
  return spice_ex_of(p, EX_BINARY, op, (const Ex *const[]){ a, b }, 2, at);
}
}
%union { const char *text; double number; const Ex *ex; struct { const Ex *at[SPICE_ARGUMENTS]; int n; } list; }
%token END 0 "the end of the file"
%token <text> ATOM "a word" NAME "a name" PROBE "a voltage or current"
%token <number> NUMBER "a number"
%token LINE "the end of the line" OPEN "'{'" CLOSE "'}'" BEGIN "'='" OTHER "a sign"
%token POWER "'**'" EQ "'=='" NE "'!='" LE "'<='" GE "'>='" AND "'&&'" OR "'||'"
%type <ex> expr
%type <list> list
%right '?' ':'
%left OR
%left AND
%left EQ NE '<' '>' LE GE
%left '+' '-'
%left '*' '/'
%precedence SIGN
%right '^' POWER
%%
file: lines card;
lines: %empty | lines card LINE;
card: %empty | items { end_card(p, @$); };
items: item | items item;
item: ATOM { add_item(p, NULL, $1, NULL, @1); }
  | ATOM '=' ATOM { add_item(p, $1, $3, NULL, @3); }
  | ATOM '=' OPEN expr CLOSE { add_item(p, $1, NULL, $4, @4); }
  | ATOM BEGIN expr CLOSE { add_item(p, $1, NULL, $3, @3); }
  | OPEN expr CLOSE { add_item(p, NULL, NULL, $2, @2); }
  | OPEN expr CLOSE '=' { add_item(p, NULL, NULL, $2, @2); };
expr: NUMBER { $$ = spice_ex(p, EX_NUMBER, NULL, $1, @$); }
  | NAME { $$ = spice_ex(p, EX_NAME, $1, 0, @$); }
  | PROBE { $$ = spice_ex(p, EX_CALL, $1, 0, @$); }
  | NAME '(' list ')' { $$ = spice_ex_of(p, EX_CALL, $1, $3.at, $3.n, @$); }
  | '(' expr ')' { $$ = $2; }
  | '-' expr %prec SIGN { $$ = spice_ex_of(p, EX_MINUS, "-", &$2, 1, @$); }
  | '+' expr %prec SIGN { $$ = $2; }
  | '!' expr %prec SIGN { $$ = spice_ex_of(p, EX_NOT, "not", &$2, 1, @$); }
  | expr '+' expr { $$ = binary(p, "+", $1, $3, @$); }
  | expr '-' expr { $$ = binary(p, "-", $1, $3, @$); }
  | expr '*' expr { $$ = binary(p, "*", $1, $3, @$); }
  | expr '/' expr { $$ = binary(p, "/", $1, $3, @$); }
  | expr '^' expr { $$ = binary(p, "^", $1, $3, @$); }
  | expr POWER expr { $$ = binary(p, "^", $1, $3, @$); }
  | expr '<' expr { $$ = binary(p, "<", $1, $3, @$); }
  | expr '>' expr { $$ = binary(p, ">", $1, $3, @$); }
  | expr LE expr { $$ = binary(p, "<=", $1, $3, @$); }
  | expr GE expr { $$ = binary(p, ">=", $1, $3, @$); }
  | expr EQ expr { $$ = binary(p, "==", $1, $3, @$); }
  | expr NE expr { $$ = binary(p, "!=", $1, $3, @$); }
  | expr AND expr { $$ = binary(p, "and", $1, $3, @$); }
  | expr OR expr { $$ = binary(p, "or", $1, $3, @$); }
  | expr '?' expr ':' expr { $$ = spice_ex_of(p, EX_IF, "if", (const Ex *const[]){ $1, $3, $5 }, 3, @$); };
list: expr { $$.at[0] = $1; $$.n = 1; }
  | list ',' expr {
      $$ = $1;
      if ($$.n < SPICE_ARGUMENTS) $$.at[$$.n++] = $3;
      else spice_y_error(&@3, p, scanner, "this call has too many arguments");
    };
%%
static void spice_y_error(const Span *at, SpiceParse *p, void *scanner, const char *what) {
  (void)scanner;
  if (p->wrong) return;
  p->wrong = what;
  p->wrong_at = *at;
}

static int yyreport_syntax_error(const yypcontext_t *context, SpiceParse *p, void *scanner) {
  enum { MOST = 4 };
  yysymbol_kind_t expected[MOST];
  int n = yypcontext_expected_tokens(context, expected, MOST);
  yysymbol_kind_t found = yypcontext_token(context);
  const char *text = arena_printf(p->a, "%s stands here", found == YYSYMBOL_YYEMPTY ? "nothing" : yysymbol_name(found));
  for (int i = 0; i < n; i++)
    text = arena_printf(p->a, "%s%s%s", text, i ? " or " : "; expected is ", yysymbol_name(expected[i]));
  if (n == 0) text = arena_printf(p->a, "%s; expected is a number, a name or a parenthesis", text);
  spice_y_error(yypcontext_location(context), p, scanner, text);
  return 0;
}

int spice_parse_cards(SpiceParse *p, void *scanner) { return yyparse(p, scanner); }

static void add_item(SpiceParse *p, const char *key, const char *text, const Ex *ex, Span span) {
  Item i = { .as = text, .ex = ex, .span = span };
  if (key) i.key = spice_lower(p->a, key);
  if (text) i.text = spice_lower(p->a, text);
  i.is_number = text && spice_number(i.text, &i.number);
  vec_push(&p->items, i);
}

static void end_card(SpiceParse *p, Span span) {
  Card c = { .n = (int)p->items.n, .span = span };
  c.item = vec_freeze(p->a, &p->items);
  vec_push(p->cards, c);
  p->items = (Items){ 0 };
}
