// Inside of the pool: shared by the files of this folder and by nobody else.
//
// A node never changes and never moves, nor do its arguments. They have smaller ids, so an ascending walk over ids
// meets arguments before users.
#pragma once
#include "expr.h"
#include "../base/fatal.h"
#include "../base/vec.h"

typedef struct SymbolSet { int n; const int *id; } SymbolSet;   // ascending; symbols.c

typedef struct Node {
  uint8_t  op;
  bool     never_negative;  // known to be >= 0 wherever it has a value
  bool     still;           // made of numbers and symbols that are declared still: all its slopes are 0
  bool     steep;           // a slope of it may be infinite where it has a value (chain.c)
  bool     shared;          // a SHARED stands at or below it (shared.c)
  bool     chained;         // a CHAIN stands at or below it
  bool     choosing;        // an IF stands at or below it
  bool     switching;       // an IF that is not still stands at or below it
  bool     written;         // arithmetic as written stands at or below it
  int32_t  n_args;
  int32_t  top_symbol;      // largest symbol id below, -1 for constants
  const Ex *args;
  uint32_t height;
  uint64_t hash;            // of the structure: does not depend on ids or addresses
  uint64_t symbols;         // bit (id mod 64) of each symbol below: a quick "certainly not there"
  double   value;           // of a NUM; for a SYM the id
  const SymbolSet *set;     // its symbols; NULL until they are asked for
  double   whole;           // an integer with |value| <= whole wherever it has a value; 0: not known to be
} Node;

typedef struct DiffMemo { Ex e; int id; Ex d; } DiffMemo;

// Nodes stand in pages and never move.
enum { PAGE_BITS = 10, PAGE = 1 << PAGE_BITS, ARG_PAGE = 4096 };

typedef struct Cell { uint32_t key; Ex e; } Cell;       // key: hash of operation, value and arguments

struct Pool {
  Arena    *arena;
  Node    **page;  uint32_t n_nodes, cap_pages;
  Ex       *arg;   uint32_t free_args;           // the page of arguments that has room
  Cell     *table; uint32_t cap_table;           // open addressing, power of two; e is EX_NONE where free
  DiffMemo *memo;  uint32_t n_memo,  cap_memo;   // open addressing, power of two
  uint32_t *mark;  uint32_t cap_marks, epoch;    // mark[e] == epoch: seen by the current walk
  const double *const *points; int n_points; TableValue *table_value;     // ex_points
  Ex        small[16];                           // the numbers 0 ... 15, once they are made
};

typedef Vec(Ex) ExVec;

// One part of a sum (coefficient * rest) or of a product (base ^ integer).
typedef struct Part { Ex e; double k; } Part;
typedef Vec(Part) PartVec;
typedef int (*PartOrder)(const Pool *p, Part a, Part b);
void parts_sort(const Pool *p, Part *at, size_t n, PartOrder order);  // stable; sort.c

// pool.c
Ex  node_make(Pool *p, Op op, const Ex *args, int n);     // exactly this node, no simplification
int ex_compare(const Pool *p, Ex a, Ex b);                // total order by structure
static inline Node     *node_at(const Pool *p, Ex e) { return &p->page[e >> PAGE_BITS][e & (PAGE - 1)]; }
static inline const Node *node_of(const Pool *p, Ex e) { return node_at(p, e); }
static inline const Ex   *args_of(const Pool *p, Ex e) { return node_of(p, e)->args; }
static inline uint64_t    symbol_bit(int id) { return (uint64_t)1 << ((unsigned)id & 63u); }

// sum.c, product.c: the two n-ary operations
Ex   build_sum(Pool *p, const Ex *args, int n);
Ex   build_product(Pool *p, const Ex *args, int n, double divisor);
Ex   build_quotient(Pool *p, Ex a, Ex b);
Ex   build_power(Pool *p, Ex base, Ex exponent);
Ex   split_coefficient(Pool *p, Ex e, double *c);         // e = c * result, result without numeric coefficient
Ex   with_coefficient(Pool *p, double c, Ex rest);        // the raw inverse of split_coefficient
Ex   scale_sum(Pool *p, Ex sum, double c, double divisor);// every term times c/divisor
double sum_content(Pool *p, Ex sum);                      // number to factor out of a sum that stands in a product
bool is_integer(const Pool *p, Ex e, long *k);            // a NUM with an integer value of moderate size
double integer_power(double x, long k);

// written.c
Ex  build_written(Pool *p, Op op, const Ex *args);
Ex  written_coefficient(Pool *p, Ex e, double *c);        // e = c*result exactly, c = 0 or +-2^j: what algebra may take
                                                          // out of arithmetic as written
Ex  written_in_algebra(Pool *p, Ex e);                    // c*result, as a product of algebra; any other node: itself
Ex  open_written(Pool *p, Op op, const Ex *args);         // the same operation in algebra
double whole_bound(const Pool *p, Op op, double value, const Ex *args, int n);

// shared.c: intermediate quantities
Ex   build_shared(Pool *p, Ex a);

// chain.c: the chain rule where the outer slope may be infinite and the inner one zero
Ex   build_chain(Pool *p, Ex a, Ex b);
Ex   chain_rule(Pool *p, Ex e, Ex outer, Ex inner);       // a term of the derivative of e: outer slope times inner one
bool is_steep(const Pool *p, Op op, const Ex *args, int n);
bool never_zero(const Pool *p, Ex e);                     // known to be > 0 or < 0 wherever it has a value
Ex   without_chains(Pool *p, Ex e);                       // CHAIN as products: for reading

// powers.c
double divided_difference_of_power(double a, double b, double r, double times);

// fold.c
Ex build_function(Pool *p, Op op, const Ex *args);

// rules.c: value and derivative of every operation
double op_value(Op op, const double *a, int n);
// d: derivatives of the arguments, not all zero; d_inner: that of power_of_power_base, where e has one
Ex     op_derivative(Pool *p, Ex e, const Ex *d, Ex d_inner);
Ex     op_partial(Pool *p, Ex e, int k);                  // by argument k; e is not steep
Ex     power_of_power_base(const Pool *p, Ex e);          // u of (u^r)^k with k whole and r not, else EX_NONE

// gradient.c: adjoints of the nodes of one expression, while they are collected
typedef struct AdjointTerm { Ex e; size_t next; } AdjointTerm;   // next: of the same node; 0: none
typedef struct Reverse { Pool *p; size_t *first; Vec(AdjointTerm) term; ExVec sum; } Reverse;
bool    only_forward(const Pool *p, Ex f);                // derivatives of f are not taken in reverse
Reverse reverse_open(Pool *p, const ExVec *order, Ex f);  // order: the nodes of f; of several the largest
void    reverse_add(Reverse *r, Ex to, Ex what);
Ex      reverse_adjoint(Reverse *r, Ex e);                // the sum, as a quantity; EX_NONE where it is 0
void    reverse_close(Reverse *r);

// eval.c
void eval_nodes(const Pool *p, const ExVec *order, double *value);

// cardinal.c
double cardinal(double x, double order, int sign);        // derivative of sin(x)/x (sign -1) or sinh(x)/x (sign 1)

// walk.c
// post-order; only != 0: nodes sharing a bit
void walk_collect(Pool *p, const Ex *roots, int n, uint64_t only, ExVec *order);
typedef Ex (*Rebuild)(Pool *p, Ex e, const Ex *new_args, int n, void *ctx);      // for leaves n = 0
Ex   walk_rewrite(Pool *p, Ex root, uint64_t only, Rebuild rebuild, void *ctx);
void walk_rewrite_all(Pool *p, Ex *root, int n, uint64_t only, Rebuild rebuild, void *ctx);    // in place
