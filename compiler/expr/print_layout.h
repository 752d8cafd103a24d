// Inside of the printers: how an expression is arranged on paper, and the work list that the printers share.
//
// Printing walks the tree with a work list instead of recursion: an item is a piece of text or an expression still to
// be written; writing an expression puts its pieces in front of the rest.
#pragma once
#include "pool_impl.h"

typedef struct Item {
  const char *text;          // not NULL: write this
  Ex     e;                  // EX_NONE: write the number
  double number;
  int    level;              // binding strength that the surroundings ask for: weaker expressions get parentheses
  bool   negate;             // write -e, with the minus moved inside
} Item;

typedef struct Printer {
  Pool   *p;
  Text   *out;
  ExNamer name;
  void   *ctx;
  const char *open, *close;  // parentheses
  const struct Notation *notation;   // of a printer in two dimensions (typeset.h)
  size_t most;               // length of the text at which writing ends; 0: never
  Vec(Item) stack, next;     // `next` is filled in reading order and then put on the stack
} Printer;

// How strongly a form binds; L_IF: choices.
enum { L_IF, L_OR, L_AND, L_NOT, L_COMPARE, L_SUM, L_PRODUCT, L_POWER, L_ATOM };

typedef void (*WriteNode)(Printer *w, Ex e, int level, bool negate);
void print_run(Printer *w, Ex root, WriteNode write, void (*write_number)(Printer *w, double x));

static inline void say(Printer *w, const char *text) { vec_push(&w->next, ((Item){.text = text})); }
static inline void show(Printer *w, Ex e, int level, bool negate) {
  vec_push(&w->next, ((Item){.e = e, .level = level, .negate = negate}));
}
static inline void open_if(Printer *w, bool yes) { if (yes) say(w, w->open); }
static inline void close_if(Printer *w, bool yes) { if (yes) say(w, w->close); }
static inline void show_number(Printer *w, double x) { vec_push(&w->next, ((Item){.number = x})); }

// --- fractions ---

// A product as a fraction: (minus ? -1 : 1) * p/q * above / below, p and q positive.
typedef struct Layout {
  bool   minus;
  double p, q;
  ExFraction f;
  bool   enclose_above;      // write p*(above/below): read from the left, p*above[0] would be distributed over a sum
  bool   joins_first;        // above[0] may be a product as written: p*(a*b) is p*a*b
  bool   split_below;        // write above/below/q for the same reason
  int    flip;  // factor (counted through above, then below) whose sum is written with opposite signs; -1: none
} Layout;

// The operands of arithmetic as written, those of sums and products in the order that reads best: i + 1, 2*k, m*l*g.
typedef struct WrittenLayout { Ex left, right; } WrittenLayout;
WrittenLayout layout_written(Pool *p, Ex e);
// Two operands with a word between them, in parentheses where the surroundings bind more strongly than `own`.
void write_two(Printer *w, WrittenLayout l, int level, int own, int left, const char *word, int right);
void write_infix(Printer *w, Ex e, int level, int own, int left, const char *word, int right);

void write_not(Printer *w, Ex e, int level, const char *word);
// How a printer writes arithmetic. write_arithmetic: false where e, without the marks of what is shared, is something
// else, which is then for the printer.
typedef struct Arithmetic {
  void    (*number)(Printer *w, double x, int level);
  WriteNode product, sum, power;
  void    (*as_written)(Printer *w, Ex e, int level);
} Arithmetic;
bool write_arithmetic(Printer *w, const Arithmetic *how, Ex *e, int level, bool negate);

Layout layout_product(Pool *p, Ex e, bool negate);
bool   shows_minus(Pool *p, Ex e, bool negate);              // does -e or e start with a minus sign on paper?
void   layout_sum(Pool *p, Ex e, bool negate, PartVec *out); // terms in reading order, k = -1 where a minus is written
bool   is_sum_as_written(const Pool *p, Ex e);
void   as_ratio(double x, double *p, double *q);  // x > 0 as it reads best: 0.25 = 1/4, 0.1 = 0.1/1, 0.666... = 2/3
bool   reads_as_product(const Pool *p, Ex e);                // MUL, or a quotient 1/u
