// What the parts of this room share: the text under way, its names, the function under construction.
#pragma once
#include "../base/intern.h"
#include "../base/map.h"
#include "../base/vec.h"
#include "wasm.h"

// ---- tokens.c -------------------------------------------------------------------------------------------------------
typedef enum { TOKEN_END, TOKEN_NAME, TOKEN_INTEGER, TOKEN_NUMBER, TOKEN_SIGN } TokenKind;

typedef struct Token {
  TokenKind   kind;
  const char *at;                       // where it begins
  const char *name;                     // interned; of a sign: its characters
  double      number;
  long long   integer;
} Token;

// ---- types.c --------------------------------------------------------------------------------------------------------
typedef enum { TYPE_VOID, TYPE_INT, TYPE_BYTE, TYPE_SHORT, TYPE_DOUBLE, TYPE_POINTER, TYPE_ARRAY, TYPE_STRUCT,
               TYPE_FUNCTION } TypeKind;

typedef struct Type Type;
typedef struct Field { const char *name; const Type *type; int at; } Field;
struct Type {
  TypeKind     kind;
  int          size, align;             // in bytes
  const Type  *of;                      // what a pointer points to; elements; the result of a function
  int          n;                       // elements, -1: not said; fields; parameters
  Field       *field;                   // of a structure; a function: its parameters
};

typedef enum { NAME_TYPE, NAME_CONSTANT, NAME_FUNCTION, NAME_OBJECT, NAME_LOCAL, NAME_ROOM } NameKind;

// value: a constant; the number of a function, -1: not known; the address of an object; a local; a place in the frame.
typedef struct Name {
  const char  *name;
  NameKind     kind;
  const Type  *type;
  long long    value;
  struct Name *outer;                   // what the name means outside of the block
} Name;

// ---- the unit -------------------------------------------------------------------------------------------------------
typedef struct Function { int signature; Text body; } Function;

typedef struct Unit {
  Arena      *a;
  Interner   *words;
  Map        *name;                     // interned -> Name
  Vec(Name *) open;                     // names of the blocks that are open, to be taken back
  const char *at;                       // behind `now`
  Token       now;
  const char *wrong;                    // what was not understood; NULL
  const WasmImports *imports;
  uint32_t    table;
  Map        *signature; Text signatures; int nsignature;
  Vec(Function) function;
  // The function under construction.
  Text        code;
  Vec(char)   local;                    // types of its locals behind the parameters
  int         nparam, frame, most, depth, leave;           // frame: bytes in use; leave: depth of the block of `break`
  const Type *result;
} Unit;

enum { LOCAL_FRAME, LOCAL_SPARE, LOCALS_OF_OUR_OWN };      // behind the parameters: begin of the frame; an address

// tokens.c
void next(Unit *u);
bool is(const Unit *u, const char *sign_or_word);
bool take(Unit *u, const char *sign_or_word);              // and goes on, if it is there
void want(Unit *u, const char *sign_or_word);
void fail(Unit *u, const char *what);                      // the first counts; the text ends there
// names.c
extern const Type type_void, type_int, type_double;
Name *declare(Unit *u, const char *name, NameKind kind, const Type *t, long long value);
Name *named(const Unit *u, const char *name);              // NULL: unknown
void blocks_end(Unit *u, size_t open);                     // names declared since then mean what they did before
// types.c
const Type *pointer_to(Unit *u, const Type *t);
bool begins_type(const Unit *u);
const Type *specifiers(Unit *u, bool *is_static, bool *is_typedef);
const Type *declarator(Unit *u, const Type *t, const char **name);
const Field *field_named(Unit *u, const Type *t, const char *name);
int  signature_of(Unit *u, const Type *function);
char type_code(const Type *t);                             // of WebAssembly
// objects.c
void object(Unit *u, const char *name, const Type *t);     // behind its declarator: `= { ... }` or nothing

// ---- code -----------------------------------------------------------------------------------------------------------
typedef enum { AT_STACK, AT_NUMBER, AT_LOCAL, AT_MEMORY } Where;

// Where a value is. STACK: plus n, for pointers; NUMBER: n, not written yet; LOCAL n; MEMORY: the address on the stack
// plus n.
typedef struct Value { const Type *type; Where where; long long n; } Value;

// bytes.c
void leb_unsigned(Text *t, uint64_t x);
void leb_signed(Text *t, int64_t x);
// expressions.c
void byte(Unit *u, int b);
void instruction(Unit *u, int code, uint64_t immediate);
void insert(Unit *u, size_t at, int b);
Value expression(Unit *u);
Value unary(Unit *u);
const Type *push(Unit *u, Value v);                        // onto the stack; arrays become pointers
void push_as(Unit *u, Value v, const Type *t);
void push_truth(Unit *u, Value v);
void store(Unit *u, const Type *t, long long offset);
int  new_local(Unit *u, const Type *t);
// statements.c
void function(Unit *u, Name *f);                           // from its `{` on
