// The kernel representation: functions as data, between the plan and the printers (emit/: C; jit/: LLVM).
//
// The tour. A *kernel* is a function with typed parameters and a list of nodes in program order. A node is a value
// (a number, a load, one IEEE operation, a call) or a statement (a store, the begin and end of a block, a return). A
// value is computed where its node stands, once; a printer may write it later, at its one use, where nothing between
// can change it. Nothing is re-associated, fused or dropped by a printer, so that all of them give the same bits.
//
// A kernel is made with a builder, top down:
//
//   KBuilder *b = k_begin(arena, "twice", KT_VOID);
//   KValue in = k_param(b, KT_INPUT, "in"), out = k_param(b, KT_OUTPUT, "out"), n = k_param(b, KT_INT, "n");
//   KValue i = k_loop(b, "i", k_integer(b, 0), n);
//     k_store(b, out, i, k_op2(b, OP_PLUS, k_at(b, in, i), k_at(b, in, i)));
//   k_close(b);
//   KKernel *k = k_end(b);
//
// What a kernel uses (fields, tables, parameters) is asked of its nodes: k_uses. A mistake of the caller (wrong type, a
// value used outside of its block) is a broken invariant of the compiler: exit code 125, never code that runs.
#pragma once
#include <stdbool.h>
#include "../base/arena.h"
#include "../expr/expr.h"

// --- types ---
// types.def: TYPE(name, C spelling). VOID, DOUBLE, INT (32 bits), BOOL (a condition); arrays: INPUT `const double *`,
// OUTPUT `double *`, INDICES `const int *`; pointers to what runtime/nsm_abi.h declares: VIEW, TABLE, SETUP.
// What an INPUT or INDICES array holds does not change while the kernel runs. An OUTPUT array overlaps no other one.
typedef enum {
#define TYPE(name, c) KT_##name,
#include "types.def"
#undef TYPE
  KT_COUNT
} KType;

// fields.def: FIELD(struct type, name, type of the field): VIEW_q, VIEW_t0, TABLE_count, ... A field read through a
// pointer does not change while the kernel runs.
typedef enum {
#define FIELD(type, structure, name, result) KF_##type##_##name,
#include "fields.def"
#undef FIELD
  KF_COUNT
} KField;

// symbols.def: every function that emitted code may call, with its type and whether it is pure: it writes no array, and
// may be called once for several uses, later, or not at all.
typedef enum {
#define SYMBOL(name, result, arguments, pure) KS_##name,
#include "symbols.def"
#undef SYMBOL
  KS_COUNT
} KSymbol;

typedef int KValue;                    // number of its node; only the builder makes one
enum { K_NONE = -1 };

// --- nodes ---
typedef enum {
  // values without arguments
  KN_NUMBER,      // number
  KN_INTEGER,     // index
  KN_PARAM,       // parameter `index`
  KN_COUNTER,     // int: the counter of the loop that is node `index`
  KN_SLOT,        // int: ix[index] of the instance at hand
  KN_COLUMN,      // double: num[index] of the instance at hand
  // values
  KN_FIELD,       // field `index` of the structure arg[0]
  KN_AT,          // arg[0][arg[1]]: what the array holds now
  KN_FROM,        // INPUT: the array arg[0] from its place arg[1] on
  KN_GET,         // what variable arg[0] (a KN_VARIABLE) holds now
  KN_OP,          // operation `op` of expr_ops.def on doubles, ints or conditions; comparisons and logic give BOOL
  KN_SINCOS,      // no value of its own: sine and cosine of arg[0], one call
  KN_SINE, KN_COSINE,  // its results, arg[0]
  KN_CALL,        // function `index` of symbols.def; a statement where it gives VOID or is not pure
  KN_DOUBLE,      // arg[0], an int or a condition, as a double
  KN_TRUTH,       // arg[0], a double, as a condition: not 0 (nan is true)
  KN_LIST,        // INPUT: an array of the doubles arg[], for one call; of none: the null pointer
  // statements
  KN_VARIABLE,    // declares a variable that can change; arg[0]: its first value
  KN_SET,         // variable arg[0] = arg[1]
  KN_STORE,       // arg[0][arg[1]] = arg[2]
  KN_ADD_TO,      // arg[0][arg[1]] += arg[2]
  KN_IF, KN_ELSE, // arg[0]: the condition
  KN_LOOP,        // counter from arg[0] up to, not including, arg[1]
  KN_INSTANCES,   // the loop over the instances of the table arg[0]
  KN_BREAK,       // leaves the innermost loop
  KN_CLOSE,       // ends the block that node `index` opened
  KN_RETURN,      // arg[0], or K_NONE
} KCode;

typedef struct KNode {
  KCode       code;
  KType       type;                    // of the value; KT_VOID: a statement
  Op          op;
  int         index;
  double      number;
  int         narg; KValue *arg;
  const char *name;                    // of a variable, or what the value is to be called; NULL: the printer's choice
  const char *text;                    // a comment; NULL
  bool        named;                   // is written as a constant of its own, whatever its uses
  int         depth;                   // height of the expression above named values and leaves
  int         block;                   // the node that opens the block it stands in; -1: the function
} KNode;

typedef struct KParam { KType type; const char *name; } KParam;

typedef struct KKernel {
  const char *name, *about;            // about: a comment; NULL
  KType       result;
  int         nparam; KParam *param;
  int         n;      KNode  *node;
} KKernel;

// --- the builder: everything is in the arena; kernels are const after k_end ---
typedef struct KBuilder KBuilder;
KBuilder *k_begin(Arena *a, const char *name, KType result);
void      k_about(KBuilder *b, const char *comment);              // a comment above the function
void      k_remark(KBuilder *b, const char *comment);             // behind the last statement
KValue    k_param(KBuilder *b, KType type, const char *name);     // parameters come first
const KKernel *k_end(KBuilder *b);                                // all blocks are closed
Arena    *k_arena(const KBuilder *b);
const KNode *k_node(const KBuilder *b, KValue v);

// Values. Operations are those of expr_ops.def with a fixed number of arguments, each one IEEE operation or call:
// PLUS, MINUS, TIMES, OVER, OPPOSITE for doubles (PLUS, MINUS, TIMES also for two ints); LT, LE, EQ of two doubles or
// two ints give a condition; AND, OR, NOT take conditions, or doubles (not 0 is true); the functions take doubles.
KValue k_number(KBuilder *b, double x);
KValue k_integer(KBuilder *b, int i);
KValue k_op1(KBuilder *b, Op op, KValue x);
KValue k_op2(KBuilder *b, Op op, KValue x, KValue y);
KValue k_op(KBuilder *b, Op op, const KValue *arg, int n);
KValue k_choose(KBuilder *b, KValue condition, KValue yes, KValue no);     // doubles; OP_IF
void   k_sincos(KBuilder *b, KValue x, KValue *sine, KValue *cosine);
KValue k_double(KBuilder *b, KValue x);                           // of an int or a condition; a double is itself
KValue k_truth(KBuilder *b, KValue x);                            // a double as a condition: not 0
KValue k_call(KBuilder *b, KSymbol function, const KValue *arg, int n);
KValue k_list(KBuilder *b, const KValue *x, int n);

// Loads. An array is a parameter or a field.
KValue k_field(KBuilder *b, KValue structure, KField field);      // s->q
KValue k_at(KBuilder *b, KValue array, KValue index);             // array[index], as it is now
KValue k_at_number(KBuilder *b, KValue array, int index);
KValue k_from(KBuilder *b, KValue array, KValue index);           // an INPUT array from there on; it gets a name

// Names. A value that has one is written as `const double name = ...;  /* comment */` where it stands. Names are C
// identifiers, different within a kernel, and not of the form t<number>.
KValue k_name(KBuilder *b, KValue v, const char *name, const char *comment);   // comment NULL: none. Returns v
void   k_mark(KBuilder *b, KValue v);                   // a name of the printer's choice: t0, t1, ...

// Statements.
KValue k_variable(KBuilder *b, const char *name, KValue first);   // double or int, for k_get and k_set only
KValue k_get(KBuilder *b, KValue variable);                       // as it is now
void   k_set(KBuilder *b, KValue variable, KValue x);
void   k_store(KBuilder *b, KValue array, KValue index, KValue x);
void   k_add_to(KBuilder *b, KValue array, KValue index, KValue x);
void   k_if(KBuilder *b, KValue condition);
void   k_else(KBuilder *b);
KValue k_loop(KBuilder *b, const char *counter, KValue from, KValue before);   // gives the counter, an int
void   k_break(KBuilder *b);
void   k_close(KBuilder *b);                                      // ends k_if, k_else, k_loop, k_instances
void   k_return(KBuilder *b, KValue x);                           // K_NONE where the result is VOID

// The loop over the instances of a class: `slots` and `columns` are the widths of the rows of its tables. Gives the
// number of the instance, an int. In it k_slot(b, s) is ix[s] of the instance, k_column(b, c) num[c].
KValue k_instances(KBuilder *b, KValue table, int slots, int columns);
KValue k_slot(KBuilder *b, int slot);
KValue k_column(KBuilder *b, int column);

// The DAG. `leaf` gives the value of a symbol. Shared subexpressions become one value, integer powers of names are
// multiplied out, negative powers go below a line, sine and cosine of one angle are one call. A root EX_NONE gives
// K_NONE. What was computed once is not used again by a later call: leaves may have changed.
typedef KValue (*KLeaf)(KBuilder *b, int symbol, void *ctx);
void   k_values(KBuilder *b, Pool *p, KLeaf leaf, void *ctx, const Ex *root, int n, KValue *value);
// One value for a place where no statement can stand before it: nothing gets a name, and powers of sums are calls.
KValue k_ex_inline(KBuilder *b, Pool *p, KLeaf leaf, void *ctx, Ex e);

// --- questions ---
bool k_uses(const KKernel *k, KCode code, int index);   // is there a node with this code and index? index -1: any
// Where a printer writes each node. KP_ALONE: where it stands, a value under a name of its own. KP_INSIDE: within its
// users, which are near enough that it still means the same; one user, or a leaf. KP_DEAD: nowhere, nothing needs it.
typedef enum { KP_DEAD, KP_ALONE, KP_INSIDE } KPlace;
KPlace *k_places(Arena *a, const KKernel *k);           // [k->n]
bool *k_nested(Arena *a, const KKernel *k, const KPlace *place);  // [k->n] can be set within its first use (nested.c)

const char *k_type_name(KType t);                       // as C writes it: "const double *"
bool k_is_array(KType t);
typedef struct KFieldInfo { const char *name; KType structure, type; int offset; } KFieldInfo;   // offset in bytes
const KFieldInfo *k_field_info(KField f);
// arguments: one letter each, d double, i int, l long, p a pointer
typedef struct KSymbolInfo { const char *name; char result; const char *arguments; bool pure; } KSymbolInfo;
const KSymbolInfo *k_symbol_info(KSymbol s);
bool k_symbol_of_op(Op op, KSymbol *s);                 // the function that an operation is; false: it is none
