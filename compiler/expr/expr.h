// expr: pure scalar algebra on a hash-consed DAG.
//
// A node is an Ex, an index into its Pool; structurally equal expressions are the same Ex (== compares). Constructors
// simplify while building and keep meaning: where the written expression has a value, the simplified one has the same
// value (up to the round-off of re-association; docs/numerics/algebra.md has the rules). Sums and products are n-ary,
// flattened and sorted, with numeric coefficients collected (x + x -> 2*x, x*x -> x^2, 3*x - 3*x -> 0). Not done:
// cancelling that changes the domain (x/x -> 1, log(exp(x)) stays).
// Ownership: a Pool lives in the arena it was made in; Ex are valid as long as the pool.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "../base/arena.h"
#include "../base/text.h"

typedef uint32_t Ex;
typedef struct Pool Pool;

typedef enum {
#define OP(name, arity, cname, notation) OP_##name,
#include "expr_ops.def"
#undef OP
  OP_COUNT
} Op;

enum { EX_NONE = 0 };                                   // never a valid expression

Pool *pool_new(Arena *a);
// What TABLE is where it is evaluated here: `value` of points[k - 1] and its other arguments, for k, the value of its
// first. [n], kept by the client.
typedef double TableValue(const double *points, double a, double b, double times);
void ex_points(Pool *p, const double *const *points, int n, TableValue *value);

// --- constructors (simplifying) ---
Ex ex_num(Pool *p, double x);                           // inf and nan allowed
Ex ex_sym(Pool *p, int id);                             // id >= 0, chosen by the client; its meaning is the client's
Ex ex_op(Pool *p, Op op, const Ex *args, int n);        // any op, n-ary ADD/MUL included
Ex ex_add(Pool *p, Ex a, Ex b);
Ex ex_sub(Pool *p, Ex a, Ex b);
Ex ex_mul(Pool *p, Ex a, Ex b);
Ex ex_div(Pool *p, Ex a, Ex b);
Ex ex_neg(Pool *p, Ex a);
Ex ex_pow(Pool *p, Ex a, Ex b);
Ex ex_1(Pool *p, Op op, Ex a);
Ex ex_2(Pool *p, Op op, Ex a, Ex b);
Ex ex_if(Pool *p, Ex cond, Ex then, Ex otherwise);  // conditions are 0 or 1: OP_LT, OP_LE, OP_EQ, OP_AND, OP_OR, OP_NOT

// --- arithmetic as written: OP_PLUS, MINUS, OPPOSITE, TIMES, OVER, RAISED ---
// By ex_op they are one IEEE operation each and keep their value bit by bit, the sign of zero included. For constants,
// and for what functions with jumps see (docs/numerics/algebra.md, section 8).
Ex   ex_exact_num(Pool *p, double x);                   // a number that keeps the sign of zero
bool ex_is_written(const Pool *p, Ex e);                // is the node one of these?
void ex_declare_whole(Pool *p, int id, double most);    // symbol id: a whole number, |value| <= most. Sums and products
                                                        // of such are exact in any order, so they may be rearranged.
void ex_declare_still(Pool *p, int id);                 // symbol id: nothing is differentiated with respect to it, as a
                                                        // parameter. To be said before anything is made of it.
Ex   ex_open(Pool *p, Ex e);                            // e as algebra sees it, all its arithmetic free: for reading

// --- intermediate quantities: OP_SHARED ---
// By ex_op(OP_SHARED): e itself as a node that no rule looks into. An expression that holds such nodes is *large*: it
// is differentiated by reverse accumulation, nothing in it is multiplied out (docs/numerics/algebra.md, section 9).
Ex   ex_keep_shared(Pool *p, Ex e);                     // only those quantities stay that are read in several places
void ex_open_products(Pool *p, Ex *e, int n);           // in place: a product that one product alone reads joins it
bool ex_is_shared(const Pool *p, Ex e);                 // is it large?
void ex_share_factors(Pool *p, Ex *e, int n);           // of large ones: common factors of products become quantities

// --- the table of operations (expr_ops.def) ---
int         ex_op_arity(Op op);                         // -1: any number
const char *ex_op_name(Op op);                          // "SIN"
const char *ex_op_cname(Op op);                         // "nsm_sin", its spelling in emitted code
const char *ex_op_notation(Op op);                      // "sin(a)"

// --- looking inside ---
Op        ex_operator(const Pool *p, Ex e);             // OP_NUM, OP_SYM, ...
int       ex_nargs(const Pool *p, Ex e);
Ex        ex_arg(const Pool *p, Ex e, int i);
double    ex_value(const Pool *p, Ex e);                // of an OP_NUM
int       ex_symbol(const Pool *p, Ex e);               // id of an OP_SYM
bool      ex_is_num(const Pool *p, Ex e, double x);
bool      ex_depends(Pool *p, Ex e, int id);            // structurally
bool      ex_depends_any(Pool *p, Ex e, bool (*member)(int id, void *ctx), void *ctx);
// All symbols in e in ascending order; *ids in the arena of the pool; returns their number.
int       ex_symbols(Pool *p, Ex e, const int **ids);
// Is there a node `op` below which a member symbol stands? (member NULL: any node `op`)
bool      ex_uses_op(Pool *p, Ex e, Op op, bool (*member)(int id, void *ctx), void *ctx);
// All nodes reachable from the roots, arguments before users, each once; in the pool's arena; returns their number.
int       ex_topological(Pool *p, const Ex *roots, int n, const Ex **order);

// e = number * above[0] * ... / (below[0] * ...), for any e: how a canonical product is written with one division. No
// factor is a power with a negative integer exponent, nor an OP_MUL unless it has over 128 factors. The arrays live in
// the arena of the pool.
typedef struct ExFraction { double number; int n_above, n_below; const Ex *above, *below; } ExFraction;
ExFraction ex_fraction(Pool *p, Ex e);
double     ex_tree_size(Pool *p, Ex e);                 // nodes that printing would write: may be astronomical

// --- calculus ---
Ex   ex_diff(Pool *p, Ex e, int id);                    // partial derivative with respect to symbol id, memoised
// By two symbols that move together, each `id` always with the same `also`: the sum of both derivatives.
Ex   ex_diff_two(Pool *p, Ex e, int id, int also);
// out[i] = d f/d ids[i]: by reverse accumulation where f is large (holds quantities), else as ex_diff.
void ex_gradient(Pool *p, Ex f, const int *ids, int n, Ex *out);
// out[i] = sum over k of d f[i]/d ids[k]*seed[k], i < m, k < n: the derivatives along one direction.
void ex_tangent(Pool *p, const Ex *f, int m, const int *ids, const Ex *seed, int n, Ex *out);
Ex   ex_subst(Pool *p, Ex e, const int *ids, const Ex *by, int n); // simultaneous substitution
void ex_subst_all(Pool *p, Ex *e, int m, const int *ids, const Ex *by, int n);       // the same in e[0..m), in place
// The discrete derivative: out[i] over the symbols at_a[i] (ids[i] at the begin), at_b[i] (at the end) and those not
// listed, with sum of out[i]*(b_i - a_i) = f(b) - f(a), symmetric in (a,b), the gradient at a = b, and second order. n
// symbols, each once.
void ex_discrete(Pool *p, Ex f, const int *ids, const int *at_a, const int *at_b, int n, Ex *out);
// The same, but an angle of atan2 changes by what it turns, in (-pi, pi], also where its value jumps over the cut.
void ex_discrete_turning(Pool *p, Ex f, const int *ids, const int *at_a, const int *at_b, int n, Ex *out);
bool ex_affine(Pool *p, Ex e, const int *ids, int n);   // is e affine in these symbols jointly (derivatives free of all
                                                        // of them)?
// Products distributed over sums, small integer powers of sums multiplied out: for printing and structural comparison.
Ex   ex_expand(Pool *p, Ex e);
Ex   ex_trig(Pool *p, Ex e);                             // sines and cosines collected, sin(u)^2 + cos(u)^2 -> 1 and
                                                         // sums of angles; e itself unless that is smaller

// --- evaluation: the reference evaluator, plain IEEE double over the DAG, shares no code with the emitter ---
double ex_eval(Pool *p, Ex e, double (*value)(int id, void *ctx), void *ctx);

// --- bounds and breaks (range.c, continuity.c): what an expression can and cannot be ---
typedef struct ExRange { double lo, hi; } ExRange;
// Every value that e has while its symbols are in their ranges lies in the range returned (round-off apart).
ExRange ex_range(Pool *p, Ex e, ExRange (*symbol)(int id, void *ctx), void *ctx);

// A symbol that moves: a typical value, and the range it can be in. `crosses`: breaks are looked for along it.
typedef struct ExAxis { int symbol; double at, lo, hi; bool crosses; } ExAxis;
// Where symbol `symbol` passes `where`, the value changes from `before` to `after` at once; `node` has the jump or kink
// that causes it (its operation is SIGN, FLOOR, ABS, MIN, MAX or a comparison).
typedef struct ExBreak { Ex node; int symbol; double where, before, after; } ExBreak;
// Does e jump? Looked for by numbers, at generic places of all surfaces on which e can switch; `others` gives the
// values of the symbols that do not move. *out: one place. A kink of e is a jump of one of its derivatives.
bool ex_jumps(Pool *p, Ex e, const ExAxis *axis, int n, double (*others)(int id, void *ctx), void *ctx, ExBreak *out);
bool ex_kinks(Pool *p, Ex e, const ExAxis *axis, int n, double (*others)(int id, void *ctx), void *ctx, ExBreak *out);

// --- printing: as on paper, minimal parentheses; round-trips through the .nsm grammar for the operations it has ---
typedef const char *(*ExNamer)(int id, void *ctx);
void ex_print(Pool *p, Ex e, Text *out, ExNamer name, void *ctx);
enum { PRINT_MOST = 20000 };                            // what a reader is shown of one expression
// The beginning of it, about `most` characters, with dots behind it.
void ex_print_short(Pool *p, Ex e, Text *out, size_t most, ExNamer name, void *ctx);
void ex_print_latex(Pool *p, Ex e, Text *out, ExNamer name, void *ctx); // name gives LaTeX for the symbol
// One <mrow>, or a word in place of what nobody would read; name gives MathML for the symbol.
void ex_print_mathml(Pool *p, Ex e, Text *out, ExNamer name, void *ctx);

// --- Jacobians ---
// out [m, n] := df/d(symbols). Of large f (algebra.md, section 9) through the quantities that are linear in the
// symbols; of others ex_diff of each. also: NULL, or [n] symbols that move along, as in ex_diff_two.
void ex_jacobian_dense(Pool *p, const Ex *f, int m, const int *ids, const int *also, int n, Ex *out);
