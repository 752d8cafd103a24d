// SPICE netlists and the models that are made of them (docs/import.md).
//
//   netlist.l, netlist.y   text -> cards: a line with its continuations, as items `text` or `key = value`
//   cards.c                keys, models and nodes of cards
//   read.c                 files that others include; subcircuits; what a card is called
//   expression.c           expressions in braces, in the notation of nsm
//   names.c                nodes and parts get names that nsm takes
//   scope.c                what a circuit sees of those around it
//   charges.c              what a run begins with
//   sources.c              independent sources as expressions of time
//   pieces.c               of which the text of a part is made
//   elements.c             one part for each card
//   passive.c              R, C, L: values, temperature, charges at the start, what LTspice puts into them
//   coils.c                coils that are coupled
//   controlled.c           E, F, G, H, B
//   write.c                the model: nodes, parts, subcircuits, what was left out
#pragma once
#include "../base/arena.h"
#include "../base/source.h"
#include "../base/text.h"
#include "../base/vec.h"
#include "spice.h"

// ---- cards ----------------------------------------------------------------------------------------------------------
typedef enum { EX_NUMBER, EX_NAME, EX_CALL, EX_MINUS, EX_NOT, EX_BINARY, EX_IF } ExKind;
typedef struct Ex {
  ExKind kind;
  const char *text;                     // name, operator as nsm has it
  double number;
  const struct Ex *const *part;
  int n;
  Span span;
} Ex;
enum { SPICE_ARGUMENTS = 40 };          // of a call, at most

// text is lower case, `as` as it is written. number: where it is one, with its suffix. taken: the model has it, or a
// note says that it has not; what is not taken when the model is written is reported then.
typedef struct Item {
  const char *key, *text, *as;
  bool is_number, taken;
  double number;
  const Ex *ex;
  Span span;
} Item;
typedef struct Card { Item *item; int n; Span span; } Card;
typedef Vec(Item) Items;
typedef Vec(Card) Cards;

// What the scanner and the parser share.
typedef struct SpiceParse {
  Arena *a;
  const SourceFile *file;
  size_t at;                            // of the scanner
  bool raw;                             // the card's first word begins with b: behind `=` stands an expression
  bool path;                            // the card is .include or .lib: between quotes stands the name of a file
  bool param;                           // the card is .param: behind `=` stands an expression, up to the next `NAME =`
  bool first;                           // at the first word of a card
  Items items;
  Cards *cards;
  const char *wrong;                    // the first mistake
  Span wrong_at;
} SpiceParse;

bool spice_parse(Arena *a, const SourceFile *f, size_t from, Cards *out, const char **wrong, Span *at);
const Ex *spice_ex(SpiceParse *p, ExKind kind, const char *text, double number, Span span);
const Ex *spice_ex_of(SpiceParse *p, ExKind kind, const char *text, const Ex *const *part, int n, Span span);
const char *spice_lower(Arena *a, const char *text);
bool spice_number(const char *text, double *value);        // "4.7k", "10uF", "1e-3"; false: it is none

// ---- circuits -------------------------------------------------------------------------------------------------------
// The names of a circuit: nodes, parts, parameters, charges at the start.
typedef struct Named { const char *kind, *from, *to; } Named;              // kind: "node", "part", "param"
typedef struct Names { Arena *a; Vec(Named) of; } Names;

// A charge that a run begins with: "X1.C1.u" in its circuit, with its unit.
typedef struct Charge { const char *path, *unit; } Charge;

typedef struct Circuit {
  const char *name;                     // of a subcircuit, in lower case; NULL: the whole
  Card head;                            // .subckt name ports params
  Cards cards;                          // elements
  Cards params, models;                 // .param; .model
  struct Circuit *parent;
  unsigned long globals;                // bit k: it, or what stands in it, uses the global node k; 0 is ground
  const char *own;                      // its name in nsm
  Names names;
  const char *nodes;                    // those inside, "a : V, b : V"
  Vec(Charge) charges;                  // of it and of what stands in it
  Vec(const char *) inherits;           // keys of parameters that it takes from the subcircuits around it
  int counted;                          // the charges: 0 not yet, 1 now, 2 done
} Circuit;
typedef Vec(Circuit *) Circuits;

typedef struct Spice {
  Arena *a;
  const SourceFile *file;
  Circuit *whole;
  Circuits circuits;                    // subcircuits, in their order
  const Circuit *in;                    // the circuit that is written
  Cards initial, tran, shown, left_out; // .ic; .tran; .print; what is not taken
  Cards functions;                      // .func name(arguments) {expression}
  Vec(const char *) globals;            // node 0, and those of .global
  double temperature, nominal;          // of .temp and .options, in degrees Celsius
  const struct Given *given;            // the arguments of the function that is written, NULL: none
  int deep;                             // functions in functions
  const char *wrong;                    // the first mistake
  Span wrong_at;
  Text notes;                           // for standard error: what was left out, once for each kind
  unsigned parts;                       // of own parts that are used: PART_...
  const SpiceSettings *set;
  bool rests;                           // it starts from an operating point
} Spice;

bool spice_read(Spice *s);
bool spice_fail(Spice *s, Span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
int  spice_line(Span at);

// ---- scopes ---------------------------------------------------------------------------------------------------------
Circuit *spice_circuit_of(const Spice *s, const Circuit *in, const Card *x);  // of an X; NULL: there is none
bool spice_declares(const Circuit *c, const char *key);    // has it a parameter of this name?
void spice_inherit(Spice *s);

// ---- charges at the start -------------------------------------------------------------------------------------------
void spice_count_charges(Spice *s, Circuit *c);
// Of a path in the circuit that is written: its value in the whole, its argument in a subcircuit. NULL: none is given.
const char *spice_charge(Spice *s, const Circuit *in, const char *path, const char *unit);
Item *spice_initial(Spice *s, const char *kind, const char *name);         // of .ic: v or i; NULL: none
void spice_hold(Spice *s, Names *n, Text *out);            // nodes of .ic, while the operating point is looked for

// ---- names ----------------------------------------------------------------------------------------------------------
// spice_name: it is given one where it has none; spice_known: NULL, it has none.
const char *spice_name(Names *n, const char *kind, const char *from, const char *as);
const char *spice_known(const Names *n, const char *kind, const char *from);
bool spice_is_value(const Names *n, const Item *i);        // without a key: a number, an expression, a parameter
bool spice_is_ground(const char *node);
const char *spice_global_name(Spice *s, size_t k);         // of the global node k as an argument of subcircuits
void spice_name_models(Names *n);       // those that are there without the netlist

// ---- text -----------------------------------------------------------------------------------------------------------
const char *spice_quantity(Arena *a, double x, const char *unit);          // "4.7 [kohm]"
// What an argument of a function stands for.
typedef struct Given { const char *name, *as; const struct Given *next; } Given;
// A value of an item in this unit: a number, a parameter, an expression.
const char *spice_value(Spice *s, Names *n, Item *i, const char *unit);
const char *spice_source(Spice *s, Names *n, const Card *c, int from, const char *unit);   // sources.c

// ---- elements -------------------------------------------------------------------------------------------------------
enum { PART_SWITCH = 1, PART_JUNCTION = 2, PART_LINE = 4, PART_MOS = 8, PART_BJT = 16, PART_WINDING = 32 };
const char *spice_parts(unsigned parts);                   // the text of the own parts that are used
// The part of a card as text, NULL where it is left out (a note was made) or wrong.
const char *spice_element(Spice *s, Circuit *c, Names *n, const Card *card);
bool spice_couples(const Card *k, const char *coil);       // is it a coupling that names this coil?
bool spice_is_one(const Card *k);                          // a coupling with a factor of 1
bool spice_is_tight(const Circuit *c, const Card *l);      // does a coil share all flux with another?
// coils.c: is a coupling complete and of this kind; its parts; what the others induce in a coil, NULL: nothing.
bool spice_coupling(Spice *s, const Circuit *c, const Card *k);
const char *spice_tight(Spice *s, const Circuit *c, Names *n, const Card *k);
const char *spice_induced(Spice *s, const Circuit *c, Names *n, const Card *l);
const Card *spice_model(const Spice *s, const char *name); // as the circuit that is written sees it
Item *spice_key(const Card *c, const char *key);           // NULL: the card has none; else it is taken
void spice_take(const Card *c, int from);                  // the items from there on
void spice_report(Spice *s);                               // what was not taken of all cards that were written
void spice_left_out(Spice *s, Span at, const char *what);
const char *spice_elements(Spice *s, const Card *c);        // "elements `J`"
bool spice_is_word(const Item *i, const char *text);       // this word, without a key
bool spice_is_mark(const Item *i);                         // PARAMS: and its like, which stand before keys
bool spice_is_node(const Card *c, int i);                  // does item i name a node?
bool spice_uses(const Card *c, const char *node);          // does a card name this node, or read its voltage?
int  spice_ports(const Card *c);                           // how many items behind the name are nodes
// Pieces of parts: a node; "Part NAME(a = A, b = B"; the value of item i, or of a key, or else `other`.
const char *spice_node(Spice *s, Names *n, const Card *c, int i);
const char *spice_two(Spice *s, Names *n, const Card *c, const char *part);
const char *spice_value_at(Spice *s, Names *n, const Card *c, int i, const char *unit);
const char *spice_key_or(Spice *s, Names *n, const Card *c, const char *key, const char *unit, const char *other);
const char *spice_part_with(Spice *s, Names *n, const Card *c, bool voltage, const char *value);
const char *spice_passive(Spice *s, const Circuit *in, Names *n, const Card *c);   // passive.c: R, C, L
const char *spice_inside(Spice *s, Names *n, const Card *c, Text *before); // passive.c: RSER, RPAR, CPAR
const char *spice_controlled(Spice *s, Names *n, const Card *c);           // controlled.c: E, F, G, H, B
