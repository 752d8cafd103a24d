// The constructors that the grammar calls: one per rule. Each returns a node in the arena of the parse, or reports what
// the grammar could not see and returns a node all the same. `at` is the whole construct, `name_at` just the name.
#pragma once
#include "ast.h"

typedef struct Parse Parse;

// Lists grow in the arena; the value is the list.
AstList ast_list(void);
AstList ast_append(Parse *p, AstList list, Ast *node);       // NULL is skipped

// The outside: a file, an expression on its own, and which items may stand where.
void    ast_file(Parse *p, AstList items);
AstList ast_file_item(Parse *p, AstList items, Ast *item);
AstList ast_block_item(Parse *p, AstList items, Ast *item);
AstList ast_stray_brace(Parse *p, Span at, AstList items);

// Items.
Ast *ast_import(Parse *p, Span at, Span name_at, const char *name);
Ast *ast_function(Parse *p, Span at, Span name_at, const char *name, AstList formals, Span unit, Ast *body);
Ast *ast_model(Parse *p, Span at, Span name_at, const char *name, AstList formals, AstList items);
Ast *ast_declare(Parse *p, Span at, AstKind kind, AstList decls);
// within: nothing, or the ends of a range.
Ast *ast_decl(Parse *p, Span at, Ast *named, Span unit, Ast *value, AstList within, const char *doc);
// what a DECL, RELATION… starts as
Ast *ast_named(Parse *p, Span at, Span name_at, const char *name, int primes, AstList dims);
Ast *ast_named_over(Parse *p, Span at, Span name_at, const char *name, int primes, AstList indexers);
Ast *ast_energy(Parse *p, Span at, AstKind kind, Ast *value);
Ast *ast_force(Parse *p, Span at, Ast *coordinate, Ast *value);
Ast *ast_equation(Parse *p, Span at, Ast *left, Ast *right);
Ast *ast_lone(Parse *p, Span at, Ast *expr);                 // an expression that is no item
Ast *ast_relation(Parse *p, Span at, Ast *named, Ast *law, AstList classes);
Ast *ast_complementarity(Parse *p, Span at, Ast *left, Ast *right);
Ast *ast_inclusion(Parse *p, Span at, Ast *left, Ast *right);
Ast *ast_equality(Parse *p, Span at, Ast *left, Ast *right);
Ast *ast_no_law(Parse *p, Span at, Ast *expr);               // a relation that relates nothing
Ast *ast_contact(Parse *p, Span at, Ast *named, Ast *gap, AstList laws);
Ast *ast_contact_parts(Parse *p, Span at, Ast *named, AstList parts);
Ast *ast_constraint_parts(Parse *p, Span at, Ast *named, AstList parts);
Ast *ast_part(Parse *p, Span at, Span name_at, const char *name, Ast *value);
Ast *ast_part_sides(Parse *p, Span at, Span name_at, const char *name, AstList bodies);   // between = A, B;
Ast *ast_part_laws(Parse *p, Span at, AstList laws);
Ast *ast_constraint(Parse *p, Span at, Ast *named, Ast *left, Ast *right, AstList laws);
Ast *ast_law(Parse *p, Span at, Span name_at, const char *name, AstList args);
Ast *ast_instance(Parse *p, Span at, Ast *model, Span name_at, const char *name, AstList indexers,
                  AstList args);
// over: NULL, the time.
Ast *ast_plot(Parse *p, Span at, Span word_at, const char *word, const char *title, AstList columns, Ast *over);
Ast *ast_over(Parse *p, Span word_at, const char *word, Ast *over);
Ast *ast_draw(Parse *p, Span at, AstList pictures);
Ast *ast_picture(Parse *p, Span at, Ast *what);
AstList ast_pictures(Parse *p, AstList pictures, Ast *one);
Ast *ast_body(Parse *p, Span at, Span name_at, const char *name, AstList indexers, AstList entries);
Ast *ast_gravity(Parse *p, Span at, Ast *value);
Ast *ast_flow(Parse *p, Span at, Ast *from, Ast *to, Ast *value);
Ast *ast_materials(Parse *p, Span at, AstList names);
Ast *ast_pair(Parse *p, Span at, Span a_at, const char *a, Span b_at, const char *b, AstList entries);
Ast *ast_indexer(Parse *p, Span at, Span name_at, const char *name, Ast *range);
Ast *ast_for(Parse *p, Span at, Span name_at, const char *name, Ast *range, AstList items);
// `block` is the place of the items in braces; otherwise: NULL, ELSE or IF
Ast *ast_if(Parse *p, Span at, Ast *condition, Span block, AstList items, Ast *otherwise);
Ast *ast_else(Parse *p, Span at, AstList items);
Ast *ast_timed(Parse *p, Span at, AstKind kind, Ast *when, Ast *offset, AstList items);
// every T offset T0 { ... }
Ast *ast_offset(Parse *p, Span at, AstKind kind, Ast *when, Ast *word, Ast *offset,
                AstList items);
Ast *ast_ending(Parse *p, Span at, Span word_at, const char *word, const char *text);   // stop "...", fail "..."
Ast *ast_simulate(Parse *p, Span at, AstList entries);
// fit { ... }, analyse { ... }: their entries; terms behind a word, or settings without one.
Ast *ast_ask(Parse *p, Span at, AstKind kind, AstList questions);
Ast *ast_question(Parse *p, Span at, Span word_at, const char *word, AstList terms);
Ast *ast_asked(Parse *p, Span at, Ast *what, Ast *of_data);
Ast *ast_initial(Parse *p, Span at, Ast *what, Ast *zero);   // x'(0)
// The ends of a range, in [0, 2]; behind it stands their unit, or nothing (no elements): in [5, 50] [N/m].
AstList ast_within(Parse *p, Ast *lo, Ast *hi, AstList behind);
Ast *ast_term(Parse *p, Span at, Ast *asked, AstList within, Ast *value);
Ast *ast_worded(Parse *p, Ast *term, Span word_at, const char *word);
Ast *ast_with(Parse *p, Ast *term, Ast *setting);
Ast *ast_claim(Parse *p, Span at, AstKind kind, Ast *condition, const char *doc);

// Expressions.
Ast *ast_number(Parse *p, Span at, double number, const char *unit, Span unit_at);
Ast *ast_string(Parse *p, Span at, const char *text);
Ast *ast_name(Parse *p, Span at, const char *name);
Ast *ast_prime(Parse *p, Span at, Ast *of);
Ast *ast_index(Parse *p, Span at, Ast *of, AstList index);
Ast *ast_member(Parse *p, Span at, Ast *of, Span name_at, const char *name);
// energy.kinetic: a reserved word as a part
Ast *ast_member_energy(Parse *p, Span at, Ast *of, Span name_at, AstKind word);
Ast *ast_call(Parse *p, Span at, Span name_at, const char *name, AstList args);
Ast *ast_call_of(Parse *p, Span at, Ast *of, Span name_at, const char *name, AstList args);   // b.point(a)
Ast *ast_at(Parse *p, Span at, Span word_at, Ast *shape, AstList args);                       // box(...) at(place)
Ast *ast_call_sum(Parse *p, Span at, Span name_at, Ast *arg);   // sum(v): an ordinary call
Ast *ast_arg(Parse *p, Span at, Span name_at, const char *name, Ast *value);
Ast *ast_arg_word(Parse *p, Span at, Span name_at, AstKind word, Ast *value);   // every = 10: a reserved word as a name
Ast *ast_unary(Parse *p, Span at, AstOp op, Ast *a);
Ast *ast_binary(Parse *p, Span at, AstOp op, Ast *a, Ast *b);
Ast *ast_cond(Parse *p, Span at, Ast *condition, Ast *yes, Ast *no);
Ast *ast_vector(Parse *p, Span at, AstList elements);
Ast *ast_sum(Parse *p, Span at, Span name_at, const char *name, Ast *range, Ast *summand);
Ast *ast_range(Parse *p, Span at, Ast *from, Ast *to);
Ast *ast_paren(Parse *p, Span at, Ast *a);
Ast *ast_point(Parse *p, Span at, Ast *first, AstList rest);
Ast *ast_set(Parse *p, Span at, Span name_at, const char *name, AstList inequalities);
