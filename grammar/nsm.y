// The syntax of a model. Every action is one call of an ast_* constructor (compiler/syntax/ast_build.h); what the
// grammar cannot say (which items stand where, `gap >= 0`) is checked there, with a message of its own.
//
// Recovery: a missing ';' is supplied (rule `end`); anything else skips to the next ';' or to the '}' or '{' of the
// item.
%define api.pure full
%define api.prefix {nsm_}
%define api.location.type {Span}
%define api.token.prefix {TOK_}
%define parse.error custom
%expect 0
%locations
%parse-param {Parse *p}
%lex-param {Parse *p}

%code requires {
#include "syntax/ast_build.h"
}
%code {
#include "syntax/parse_state.h"
#define nsm_lex parse_next_token
#define YYLLOC_DEFAULT(whole, parts, n) \
  ((whole) = (n) ? span_join((parts)[1], (parts)[n]) : (Span){(parts)[0].file, (parts)[0].hi, (parts)[0].hi})
static void nsm_error(const Span *at, Parse *p, const char *what);
}

%union {
  const char *text;   // names and strings: interned
  AstKind     kind;   // which word of its group
  Ast        *node;
  AstList     list;
  int         count;
}

%token END 0          "the end of the file"
%token <text> NAME    "a name"
%token <text> STRING  "a string"
%token <node> NUMBER  "a number"
%token <kind> DECLARE "a declaration"          // param state coord multiplier input discrete output var
%token <kind> ENERGY  "an energy"              // kinetic potential dissipation
%token <kind> CLAIM   "a claim"                // expect assert
%token <kind> TIMED   "'every' or 'when'"      // every when
%token <kind> ASK     "'fit' or 'analyse'"
%token <text> SIDES   "'between' or 'among'"      // as words: in_place.c
%token IMPORT "'import'" FUNCTION "'function'" MODEL "'model'" FORCE "'force'" RELATION "'relation'" CONTACT "'contact'"
%token CONSTRAINT "'constraint'" SIMULATE "'simulate'" FOR "'for'" IN "'in'" WITH "'with'" PERP "'perp'"
// where they stand as words: in_place.c
%token BODY "'body'" GRAVITY "'gravity'" MATERIAL "'material'" PAIR "'pair'" AT "'at'" FLOW "'flow'" TO "'to'"
%token DRAW "'draw'"
%token IF "'if'" THEN "'then'" ELSE "'else'" SUM "'sum'" AND "'and'" OR "'or'" NOT "'not'"
%token LE "'<='" GE "'>='" EQ "'=='" NE "'!='"

%type <node> item picture simple braced decl declared named value law with_law arg part indexer range index expr operand
%type <node> point otherwise over question term asked varied setting
%type <list> file items block decls formals dims exprs with laws args arg_list parts indexers indexer_list index_list
%type <list> names pictures points within questions terms settings
%type <text> doc
%type <count> primes

%precedence NAME          // a name that ends an expression, and (: a call, not the start of what follows
%precedence '('
%precedence ELSE
%left OR
%left AND
%precedence NOT
%nonassoc '<' LE '>' GE EQ NE
%left '+' '-'
%precedence SUM_BODY
%left '*' '/'
%precedence SIGN
%right '^'

%%

start: file                                       { ast_file(p, $1); }
     ;
file: %empty                                      { $$ = ast_list(); }
    | file item                                   { $$ = ast_file_item(p, $1, $2); }
    | file '}'                                    { $$ = ast_stray_brace(p, @2, $1); yyerrok; }
    ;
items: %empty                                     { $$ = ast_list(); }
     | items item                                 { $$ = ast_block_item(p, $1, $2); }
     ;
block: '{' items '}'                              { $$ = $2; }
     | '{' items error '}'                        { $$ = $2; yyerrok; }
     ;
item: simple end                                  { $$ = $1; }
    | braced
    | ';'                                         { $$ = NULL; }
    | error ';'                                   { $$ = NULL; yyerrok; }
    | error block                                 { $$ = NULL; yyerrok; }
    ;
end: ';'
   | error                                        { yyerrok; }
   ;

// --- items ---

simple: IMPORT STRING                                    { $$ = ast_import(p, @$, @2, $2); }
      | FUNCTION NAME '(' formals ')' '=' expr           { $$ = ast_function(p, @$, @2, $2, $4, (Span){0}, $7); }
      | FUNCTION NAME '(' formals ')' ':' unit '=' expr  { $$ = ast_function(p, @$, @2, $2, $4, @7, $9); }
      | DECLARE decls                                    { $$ = ast_declare(p, @$, $1, $2); }
      | ENERGY expr                                      { $$ = ast_energy(p, @$, $1, $2); }
      | FORCE expr '=' expr                              { $$ = ast_force(p, @$, $2, $4); }
      | expr '=' expr                                    { $$ = ast_equation(p, @$, $1, $3); }
      | expr                                             { $$ = ast_lone(p, @$, $1); }
      | RELATION named ':' law with                      { $$ = ast_relation(p, @$, $2, $4, $5); }
      | CONTACT named ':' expr with                      { $$ = ast_contact(p, @$, $2, $4, $5); }
      | CONSTRAINT named ':' expr '=' expr with          { $$ = ast_constraint(p, @$, $2, $4, $6, $7); }
      | NAME NAME indexers '(' args ')'                  { Ast *of = ast_name(p, @1, $1);
                                                           $$ = ast_instance(p, @$, of, @2, $2, $3, $5); }
      | NAME STRING                                      { $$ = ast_ending(p, @$, @1, $1, $2); }
      | NAME STRING ':' exprs over                       { $$ = ast_plot(p, @$, @1, $1, $2, $4, $5); }
      | GRAVITY expr                                     { $$ = ast_gravity(p, @$, $2); }
      | FLOW expr TO expr '=' expr                       { $$ = ast_flow(p, @$, $2, $4, $6); }
      | MATERIAL names                                   { $$ = ast_materials(p, @$, $2); }
      | CLAIM expr doc                                   { $$ = ast_claim(p, @$, $1, $2, $3); }
      ;
over: %empty                                             { $$ = NULL; }
    | NAME expr                                          { $$ = ast_over(p, @1, $1, $2); }
    ;
braced: MODEL NAME block                                 { $$ = ast_model(p, @$, @2, $2, ast_list(), $3); }
      | MODEL NAME '(' formals ')' block                 { $$ = ast_model(p, @$, @2, $2, $4, $6); }
      | CONTACT named '{' parts '}'                      { $$ = ast_contact_parts(p, @$, $2, $4); }
      | CONTACT named '{' parts error '}'                { $$ = NULL; yyerrok; }
      | CONSTRAINT named '{' parts '}'                   { $$ = ast_constraint_parts(p, @$, $2, $4); }
      | CONSTRAINT named '{' parts error '}'             { $$ = NULL; yyerrok; }
      | FOR NAME IN range block                          { $$ = ast_for(p, @$, @2, $2, $4, $5); }
      | IF expr block                                    { $$ = ast_if(p, @$, $2, @3, $3, NULL); }
      | IF expr block ELSE otherwise                     { $$ = ast_if(p, @$, $2, @3, $3, $5); }
      | TIMED expr block                                 { $$ = ast_timed(p, @$, $1, $2, NULL, $3); }
      | TIMED expr NAME expr block                       { Ast *word = ast_name(p, @3, $3);
                                                           $$ = ast_offset(p, @$, $1, $2, word, $4, $5); }
      | BODY NAME indexers '{' args '}'                  { $$ = ast_body(p, @$, @2, $2, $3, $5); }
      | BODY NAME indexers '{' arg_list ',' '}'          { $$ = ast_body(p, @$, @2, $2, $3, $5); }
      | BODY NAME indexers '{' error '}'                 { $$ = NULL; yyerrok; }
      | BODY NAME indexers '{' arg_list error '}'        { $$ = NULL; yyerrok; }
      | BODY NAME indexers '{' arg_list ',' error '}'    { $$ = NULL; yyerrok; }
      | DRAW '{' pictures '}'                            { $$ = ast_draw(p, @$, $3); }
      | DRAW '{' pictures error '}'                      { $$ = NULL; yyerrok; }
      | PAIR NAME ',' NAME '{' args '}'                  { $$ = ast_pair(p, @$, @2, $2, @4, $4, $6); }
      | PAIR NAME ',' NAME '{' error '}'                 { $$ = NULL; yyerrok; }
      | ASK '{' questions '}'                            { $$ = ast_ask(p, @$, $1, $3); }
      | ASK '{' questions error '}'                      { $$ = NULL; yyerrok; }
      | SIMULATE '{' args '}'                            { $$ = ast_simulate(p, @$, $3); }
      | SIMULATE '{' arg_list ',' '}'                    { $$ = ast_simulate(p, @$, $3); }
      | SIMULATE '{' error '}'                           { $$ = NULL; yyerrok; }
      | SIMULATE '{' arg_list error '}'                  { $$ = NULL; yyerrok; }
      | SIMULATE '{' arg_list ',' error '}'              { $$ = NULL; yyerrok; }
      ;
questions: %empty                                        { $$ = ast_list(); }
         | questions question                            { $$ = ast_append(p, $1, $2); }
         ;
question: NAME end                                       { $$ = ast_question(p, @$, @1, $1, ast_list()); }
        | NAME terms end                                 { $$ = ast_question(p, @$, @1, $1, $2); }
        | settings end                                   { $$ = ast_question(p, @$, (Span){0}, NULL, $1); }
        | ';'                                            { $$ = NULL; }
        ;
settings: setting                                        { $$ = ast_append(p, ast_list(), $1); }
        | settings ',' setting                           { $$ = ast_append(p, $1, $3); }
        ;
setting: NAME '=' expr                                   { $$ = ast_arg(p, @$, @1, $1, $3); }
       ;
terms: term                                              { $$ = ast_append(p, ast_list(), $1); }
     | terms ',' term                                    { $$ = ast_append(p, $1, $3); }
     ;
term: asked within                                       { $$ = ast_term(p, @$, $1, $2, NULL); }
    | asked within '=' expr                              { $$ = ast_term(p, @$, $1, $2, $4); }
    | asked within '=' expr NAME                         { $$ = ast_worded(p, ast_term(p, @$, $1, $2, $4), @5, $5); }
    | asked within WITH setting                          { $$ = ast_with(p, ast_term(p, @$, $1, $2, NULL), $4); }
    ;
asked: varied                                            { $$ = ast_asked(p, @$, $1, NULL); }
     | varied '~' expr                                   { $$ = ast_asked(p, @$, $1, $3); }
     | varied NAME                                       { $$ = ast_worded(p, ast_asked(p, @$, $1, NULL), @2, $2); }
     ;
varied: expr
      | expr '(' NUMBER ')'                              { $$ = ast_initial(p, @$, $1, $3); }
      ;
otherwise: block                                         { $$ = ast_else(p, @$, $1); }
         | IF expr block                                 { $$ = ast_if(p, @$, $2, @3, $3, NULL); }
         | IF expr block ELSE otherwise                  { $$ = ast_if(p, @$, $2, @3, $3, $5); }
         ;
picture: expr end                                        { $$ = ast_picture(p, @1, $1); }
       | FOR NAME IN range '{' pictures '}'              { $$ = ast_for(p, @$, @2, $2, $4, $6); }
       | FOR NAME IN range '{' pictures error '}'        { $$ = NULL; yyerrok; }
       | ';'                                             { $$ = NULL; }
       ;
pictures: %empty                                         { $$ = ast_list(); }
        | pictures picture                               { $$ = ast_pictures(p, $1, $2); }
        ;
part: NAME '=' expr end                                  { $$ = ast_part(p, @$, @1, $1, $3); }
    | SIDES '=' exprs end                                { $$ = ast_part_sides(p, @$, @1, $1, $3); }
    | WITH laws end                                      { $$ = ast_part_laws(p, @$, $2); }
    ;
parts: %empty                                            { $$ = ast_list(); }
     | parts part                                        { $$ = ast_append(p, $1, $2); }
     ;

// --- declarations ---

decls: decl                                              { $$ = ast_append(p, ast_list(), $1); }
     | decls ',' decl                                    { $$ = ast_append(p, $1, $3); }
     ;
formals: %empty                                          { $$ = ast_list(); }
       | decls
       ;
decl: declared value within doc                          { $$ = ast_decl(p, @$, $1, (Span){0}, $2, $3, $4); }
    | declared ':' unit value within doc                 { $$ = ast_decl(p, @$, $1, @3, $4, $5, $6); }
    ;
declared: NAME primes                                    { $$ = ast_named(p, @$, @1, $1, $2, ast_list()); }
        | NAME primes '[' exprs ']' primes               { $$ = ast_named(p, @$, @1, $1, $2 + $6, $4); }
        | NAME primes '[' indexer_list ']' primes        { $$ = ast_named_over(p, @$, @1, $1, $2 + $6, $4); }
        ;
primes: %empty                                           { $$ = 0; }
      | primes '\''                                      { $$ = $1 + 1; }
      ;
dims: %empty                                             { $$ = ast_list(); }
    | '[' exprs ']'                                      { $$ = $2; }
    ;
value: %empty                                            { $$ = NULL; }
     | '=' expr                                          { $$ = $2; }
     ;
within: %empty                                           { $$ = ast_list(); }
      | IN '[' expr ',' expr ']'                         { $$ = ast_within(p, $3, $5, ast_list()); }
      | IN '[' expr ',' expr ']' '[' index_list ']'      { $$ = ast_within(p, $3, $5, $8); }
      ;
names: NAME                                              { $$ = ast_append(p, ast_list(), ast_name(p, @1, $1)); }
     | names ',' NAME                                    { $$ = ast_append(p, $1, ast_name(p, @3, $3)); }
     ;
doc: %empty                                              { $$ = NULL; }
   | STRING
   ;
unit: NAME                                               // only its place matters: ast_unit reads the text
    | NUMBER
    | '(' unit ')'
    | unit '*' unit
    | unit '/' unit
    | unit '^' NUMBER
    | unit '^' '-' NUMBER
    ;

// --- laws ---

named: NAME dims                                         { $$ = ast_named(p, @$, @1, $1, 0, $2); }
     ;
law: expr PERP expr                                      { $$ = ast_complementarity(p, @$, $1, $3); }
   | expr IN expr                                        { $$ = ast_inclusion(p, @$, $1, $3); }
   | expr '=' expr                                       { $$ = ast_equality(p, @$, $1, $3); }
   | expr                                                { $$ = ast_no_law(p, @$, $1); }
   ;
with: %empty                                             { $$ = ast_list(); }
    | WITH laws                                          { $$ = $2; }
    ;
laws: with_law                                           { $$ = ast_append(p, ast_list(), $1); }
    | laws ',' with_law                                  { $$ = ast_append(p, $1, $3); }
    ;
with_law: NAME                                           { $$ = ast_law(p, @$, @1, $1, ast_list()); }
        | NAME '(' args ')'                              { $$ = ast_law(p, @$, @1, $1, $3); }
        ;

// --- families ---

indexers: %empty                                         { $$ = ast_list(); }
        | '[' indexer_list ']'                           { $$ = $2; }
        ;
indexer_list: indexer                                    { $$ = ast_append(p, ast_list(), $1); }
            | indexer_list ',' indexer                   { $$ = ast_append(p, $1, $3); }
            ;
indexer: NAME IN range                                   { $$ = ast_indexer(p, @$, @1, $1, $3); }
       ;
range: expr ':' expr                                     { $$ = ast_range(p, @$, $1, $3); }
     ;

// --- expressions ---

expr: operand
    | '-' expr %prec SIGN                                { $$ = ast_unary(p, @$, AO_NEG, $2); }
    | '+' expr %prec SIGN                                { $$ = $2; }
    | NOT expr                                           { $$ = ast_unary(p, @$, AO_NOT, $2); }
    | expr '+' expr                                      { $$ = ast_binary(p, @$, AO_ADD, $1, $3); }
    | expr '-' expr                                      { $$ = ast_binary(p, @$, AO_SUB, $1, $3); }
    | expr '*' expr                                      { $$ = ast_binary(p, @$, AO_MUL, $1, $3); }
    | expr '/' expr                                      { $$ = ast_binary(p, @$, AO_DIV, $1, $3); }
    | expr '^' expr                                      { $$ = ast_binary(p, @$, AO_POW, $1, $3); }
    | expr '<' expr                                      { $$ = ast_binary(p, @$, AO_LT, $1, $3); }
    | expr LE expr                                       { $$ = ast_binary(p, @$, AO_LE, $1, $3); }
    | expr '>' expr                                      { $$ = ast_binary(p, @$, AO_GT, $1, $3); }
    | expr GE expr                                       { $$ = ast_binary(p, @$, AO_GE, $1, $3); }
    | expr EQ expr                                       { $$ = ast_binary(p, @$, AO_EQ, $1, $3); }
    | expr NE expr                                       { $$ = ast_binary(p, @$, AO_NE, $1, $3); }
    | expr AND expr                                      { $$ = ast_binary(p, @$, AO_AND, $1, $3); }
    | expr OR expr                                       { $$ = ast_binary(p, @$, AO_OR, $1, $3); }
    | IF expr THEN expr ELSE expr                        { $$ = ast_cond(p, @$, $2, $4, $6); }
    | SUM '(' NAME IN range ')' expr %prec SUM_BODY      { $$ = ast_sum(p, @$, @3, $3, $5, $7); }
    ;
operand: NUMBER
       | STRING                                          { $$ = ast_string(p, @$, $1); }
       | '[' exprs ']'                                   { $$ = ast_vector(p, @$, $2); }
       | '[' points ']'                                  { $$ = ast_vector(p, @$, $2); }
       | '(' expr ')'                                    { $$ = ast_paren(p, @$, $2); }
       | NAME                                            { $$ = ast_name(p, @$, $1); }
       | NAME '(' args ')'                               { $$ = ast_call(p, @$, @1, $1, $3); }
       | SUM '(' expr ')'                                { $$ = ast_call_sum(p, @$, @1, $3); }
       | operand '[' index_list ']'                      { $$ = ast_index(p, @$, $1, $3); }
       | operand '.' NAME                                { $$ = ast_member(p, @$, $1, @3, $3); }
       | operand AT '(' args ')'                         { $$ = ast_at(p, @$, @2, $1, $4); }
       | operand '.' NAME '(' args ')'                     { $$ = ast_call_of(p, @$, $1, @3, $3, $5); }
       | operand '.' ENERGY                              { $$ = ast_member_energy(p, @$, $1, @3, $3); }
       | operand '.' FORCE                               { $$ = ast_member(p, @$, $1, @3, intern(p->names, "force")); }
       | operand '\''                                    { $$ = ast_prime(p, @$, $1); }
       ;
exprs: expr                                              { $$ = ast_append(p, ast_list(), $1); }
     | exprs ',' expr                                    { $$ = ast_append(p, $1, $3); }
     ;
points: point                                            { $$ = ast_append(p, ast_list(), $1); }
      | points ',' point                                 { $$ = ast_append(p, $1, $3); }
      ;
point: '(' expr ',' exprs ')'                            { $$ = ast_point(p, @$, $2, $4); }
     ;
index: expr
     | range
     ;
index_list: index                                        { $$ = ast_append(p, ast_list(), $1); }
          | index_list ',' index                         { $$ = ast_append(p, $1, $3); }
          ;
arg: expr
   | NAME '=' expr                                       { $$ = ast_arg(p, @$, @1, $1, $3); }
   | TIMED '=' expr                                      { $$ = ast_arg_word(p, @$, @1, $1, $3); }
   | '{' NAME ':' exprs '}'                              { $$ = ast_set(p, @$, @2, $2, $4); }
   ;
arg_list: arg                                            { $$ = ast_append(p, ast_list(), $1); }
        | arg_list ',' arg                               { $$ = ast_append(p, $1, $3); }
        ;
args: %empty                                             { $$ = ast_list(); }
    | arg_list
    ;

%%

// Hands the names of the tokens that could have come to syntax_error, which finds the words.
static int yyreport_syntax_error(const yypcontext_t *seen, Parse *p) {
  yysymbol_kind_t kinds[YYNTOKENS];
  const char *names[YYNTOKENS];
  int n = yypcontext_expected_tokens(seen, kinds, YYNTOKENS);
  for (int i = 0; i < n; i++) names[i] = yysymbol_name(kinds[i]);
  syntax_error(p, names, n);
  return 0;
}

// Only the exhausted parser stack comes here.
static void nsm_error(const Span *at, Parse *p, const char *what) {
  (void)what;
  parse_too_deep(p, *at);
}
