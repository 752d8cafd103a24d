// Kernel -> LLVM IR. Each node is the instruction that it is called after, in the same order, without any flag that
// would let LLVM re-associate or fuse: the results are those of the C printer bit by bit.
//
// What stands alone (compiler/kernel/places.c) is made where it stands; what is written within its users is made there,
// so that a value that only one arm of a choice needs is not computed for the other one. Variables and rooms are
// allocas of the entry block, which LLVM turns into registers.
#include <string.h>
#include "../../base/fatal.h"
#include "function.h"

typedef struct Printer {
  Arena *arena; const KKernel *k; LlvmSymbols symbols;
  const KPlace *place;
  LLVMContextRef context; LLVMModuleRef module; LLVMBuilderRef b;
  LLVMValueRef function;
  LLVMBasicBlockRef entry, *after, *again, *otherwise;      // of the node that opens a block: where it goes on
  LLVMValueRef *value;                 // of what stands alone, of variables, counters and rooms
  LLVMTypeRef real, whole, wide, condition, byte;
  LLVMValueRef invariant;              // metadata: what is loaded does not change
  LLVMValueRef seldom;                 // metadata: a branch that is not often taken
} Printer;

static const KNode *node(const Printer *p, KValue v) { return &p->k->node[v]; }

// --- types ---

static LLVMTypeRef type_of(const Printer *p, KType t) {
  switch (t) {
  case KT_VOID: return LLVMVoidTypeInContext(p->context);
  case KT_DOUBLE: return p->real;
  case KT_INT: return p->whole;
  case KT_BOOL: return p->condition;
  case KT_INPUT: case KT_OUTPUT: return LLVMPointerType(p->real, 0);
  case KT_INDICES: return LLVMPointerType(p->whole, 0);
  default: return LLVMPointerType(p->byte, 0);
  }
}

static LLVMTypeRef type_of_letter(const Printer *p, char letter) {
  switch (letter) {
  case 'd': return p->real;
  case 'i': return p->whole;
  case 'l': return p->wide;
  case 'v': return type_of(p, KT_VOID);
  default: return LLVMPointerType(p->byte, 0);
  }
}

static void attribute(const Printer *p, LLVMValueRef f, LLVMAttributeIndex at, const char *name, bool of_call) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  if (!kind) return;
  LLVMAttributeRef a = LLVMCreateEnumAttribute(p->context, kind, 0);
  if (of_call) LLVMAddCallSiteAttribute(f, at, a); else LLVMAddAttributeAtIndex(f, at, a);
}

// --- loads ---

static LLVMValueRef room(Printer *p, LLVMTypeRef type, const char *name) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(p->context);
  LLVMValueRef first = LLVMGetFirstInstruction(p->entry);
  if (first) LLVMPositionBuilderBefore(b, first); else LLVMPositionBuilderAtEnd(b, p->entry);
  LLVMValueRef r = LLVMBuildAlloca(b, type, name);
  LLVMDisposeBuilder(b);
  return r;
}

static LLVMValueRef load(Printer *p, LLVMTypeRef type, LLVMValueRef from, bool fixed) {
  LLVMValueRef x = LLVMBuildLoad2(p->b, type, from, "");
  if (fixed) LLVMSetMetadata(x, LLVMGetMDKindIDInContext(p->context, "invariant.load", 14), p->invariant);
  return x;
}

static LLVMValueRef field(Printer *p, LLVMValueRef structure, KField f) {
  const KFieldInfo *info = k_field_info(f);
  LLVMTypeRef type = type_of(p, info->type);
  LLVMValueRef offset = LLVMConstInt(p->wide, (unsigned)info->offset, 0);
  LLVMValueRef at = LLVMBuildInBoundsGEP2(p->b, p->byte, structure, &offset, 1, "");
  return load(p, type, LLVMBuildBitCast(p->b, at, LLVMPointerType(type, 0), ""), true);
}

static LLVMValueRef element(Printer *p, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef index) {
  if (LLVMTypeOf(index) != p->wide) index = LLVMBuildSExt(p->b, index, p->wide, "");
  return LLVMBuildInBoundsGEP2(p->b, type, array, &index, 1, "");
}

static int instances_of(const KKernel *k) {
  for (int i = 0; i < k->n; i++) if (k->node[i].code == KN_INSTANCES) return i;
  FATAL("kernel %s has no instances", k->name);
}

// Entry `column` of the row of the instance at hand, in a table with `width` columns.
static LLVMValueRef of_instance(Printer *p, KField table, LLVMTypeRef type, int width, int column) {
  int at = instances_of(p->k);
  LLVMValueRef k = load(p, p->wide, p->value[at], false);
  LLVMValueRef index = LLVMBuildNSWAdd(p->b, LLVMBuildNSWMul(p->b, k, LLVMConstInt(p->wide, (unsigned)width, 0), ""),
                                       LLVMConstInt(p->wide, (unsigned)column, 0), "");
  LLVMValueRef structure = p->value[node(p, at)->arg[0]];
  return load(p, type, element(p, type, field(p, structure, table), index), true);
}

// --- values ---

static LLVMValueRef value(Printer *p, KValue v);

// Calls go to the address itself.
static LLVMValueRef call(Printer *p, KSymbol s, LLVMValueRef *arg) {
  const KSymbolInfo *info = k_symbol_info(s);
  unsigned n = (unsigned)strlen(info->arguments);
  LLVMTypeRef type[8];
  INVARIANT(n <= 8);
  for (unsigned i = 0; i < n; i++) {
    type[i] = type_of_letter(p, info->arguments[i]);
    if (info->arguments[i] == 'l') arg[i] = LLVMBuildSExt(p->b, arg[i], p->wide, "");
    if (info->arguments[i] == 'p') arg[i] = LLVMBuildBitCast(p->b, arg[i], type[i], "");
  }
  LLVMTypeRef function = LLVMFunctionType(type_of_letter(p, info->result), type, n, 0);
  LLVMValueRef address = LLVMConstInt(p->wide, (unsigned long long)(uintptr_t)p->symbols[s], 0);
  LLVMValueRef called = LLVMConstIntToPtr(address, LLVMPointerType(function, 0));
  LLVMValueRef r = LLVMBuildCall2(p->b, function, called, arg, n, "");
  attribute(p, r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", true);
  if (info->pure && !strchr(info->arguments, 'p')) {
    attribute(p, r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "willreturn", true);
    attribute(p, r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "readnone", true);   // until LLVM 15
    attribute(p, r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "memory", true);     // since then; 0: none
  }
  return info->result == 'l' ? LLVMBuildTrunc(p->b, r, p->whole, "") : r;
}

static LLVMValueRef intrinsic(Printer *p, const char *name, LLVMValueRef x) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(p->module, id, &p->real, 1);
  LLVMTypeRef type = LLVMFunctionType(p->real, &p->real, 1, 0);
  return LLVMBuildCall2(p->b, type, f, &x, 1, "");
}

static LLVMValueRef negative_bit(Printer *p, LLVMValueRef x) {
  LLVMValueRef bits = LLVMBuildBitCast(p->b, x, p->wide, "");
  return LLVMBuildICmp(p->b, LLVMIntSLT, bits, LLVMConstInt(p->wide, 0, 0), "");
}

static LLVMValueRef is(Printer *p, LLVMRealPredicate how, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildFCmp(p->b, how, x, y, "");
}

// runtime/assembly/functions.c: a == b ? (signbit(a) ? a : b) : a < b || a != a ? a : b; of max the other way round.
static LLVMValueRef least(Printer *p, LLVMValueRef x, LLVMValueRef y, bool most) {
  LLVMValueRef sign = negative_bit(p, x);
  LLVMValueRef equal = LLVMBuildSelect(p->b, sign, most ? y : x, most ? x : y, "");
  LLVMValueRef first = LLVMBuildOr(p->b, is(p, most ? LLVMRealOGT : LLVMRealOLT, x, y), is(p, LLVMRealUNO, x, x), "");
  return LLVMBuildSelect(p->b, is(p, LLVMRealOEQ, x, y), equal, LLVMBuildSelect(p->b, first, x, y, ""), "");
}

static LLVMValueRef sign(Printer *p, LLVMValueRef x) {
  LLVMValueRef zero = LLVMConstReal(p->real, 0);
  LLVMValueRef below = LLVMBuildSelect(p->b, is(p, LLVMRealOLT, x, zero), LLVMConstReal(p->real, -1), x, "");
  return LLVMBuildSelect(p->b, is(p, LLVMRealOGT, x, zero), LLVMConstReal(p->real, 1), below, "");
}

// Functions that are a few instructions: the same bits as those of the runtime. NULL: it is called.
static LLVMValueRef short_function(Printer *p, KSymbol s, LLVMValueRef *x) {
  switch (s) {
  case KS_nsm_sqrt: return intrinsic(p, "llvm.sqrt", x[0]);
  case KS_nsm_abs: return intrinsic(p, "llvm.fabs", x[0]);
  case KS_nsm_floor: return intrinsic(p, "llvm.floor", x[0]);
  case KS_nsm_min: return least(p, x[0], x[1], false);
  case KS_nsm_max: return least(p, x[0], x[1], true);
  case KS_nsm_sign: return sign(p, x[0]);
  default: return NULL;
  }
}

static bool is_short(KSymbol s) {
  return s == KS_nsm_sqrt || s == KS_nsm_abs || s == KS_nsm_floor || s == KS_nsm_min || s == KS_nsm_max ||
         s == KS_nsm_sign;
}

static LLVMValueRef function_call(Printer *p, const KNode *n) {
  LLVMValueRef x[8];
  INVARIANT(n->narg <= 8);
  for (int i = 0; i < n->narg; i++) x[i] = value(p, n->arg[i]);
  LLVMValueRef r = short_function(p, (KSymbol)n->index, x);
  return r ? r : call(p, (KSymbol)n->index, x);
}

// Is something worth a jump computed within v?
static bool is_costly(const Printer *p, KValue v) {
  const KNode *n = node(p, v);
  if (p->place[v] == KP_ALONE) return false;
  if (n->code == KN_CALL && !is_short((KSymbol)n->index)) return true;
  for (int i = 0; i < n->narg; i++) if (is_costly(p, n->arg[i])) return true;
  return false;
}

static LLVMBasicBlockRef block(Printer *p, const char *name) {
  return LLVMAppendBasicBlockInContext(p->context, p->function, name);
}

static LLVMValueRef choice(Printer *p, const KNode *n) {
  LLVMValueRef condition = value(p, n->arg[0]);
  if (!is_costly(p, n->arg[1]) && !is_costly(p, n->arg[2]))
    return LLVMBuildSelect(p->b, condition, value(p, n->arg[1]), value(p, n->arg[2]), "");
  LLVMBasicBlockRef arm[2] = { block(p, "yes"), block(p, "no") }, join = block(p, "join");
  LLVMValueRef x[2];
  LLVMBuildCondBr(p->b, condition, arm[0], arm[1]);
  for (int i = 0; i < 2; i++) {
    LLVMPositionBuilderAtEnd(p->b, arm[i]);
    x[i] = value(p, n->arg[1 + i]);
    arm[i] = LLVMGetInsertBlock(p->b);
    LLVMBuildBr(p->b, join);
  }
  LLVMPositionBuilderAtEnd(p->b, join);
  LLVMValueRef r = LLVMBuildPhi(p->b, type_of(p, n->type), "");
  LLVMAddIncoming(r, x, arm, 2);
  return r;
}

static LLVMValueRef operation(Printer *p, const KNode *n) {
  if (n->op == OP_IF) return choice(p, n);
  LLVMValueRef x = value(p, n->arg[0]), y = n->narg > 1 ? value(p, n->arg[1]) : NULL;
  bool whole = node(p, n->arg[0])->type == KT_INT;
  switch (n->op) {
  case OP_PLUS: return whole ? LLVMBuildNSWAdd(p->b, x, y, "") : LLVMBuildFAdd(p->b, x, y, "");
  case OP_MINUS: return whole ? LLVMBuildNSWSub(p->b, x, y, "") : LLVMBuildFSub(p->b, x, y, "");
  case OP_TIMES: return whole ? LLVMBuildNSWMul(p->b, x, y, "") : LLVMBuildFMul(p->b, x, y, "");
  case OP_OVER: return LLVMBuildFDiv(p->b, x, y, "");
  case OP_OPPOSITE: return LLVMBuildFNeg(p->b, x, "");
  case OP_LT: return whole ? LLVMBuildICmp(p->b, LLVMIntSLT, x, y, "") : is(p, LLVMRealOLT, x, y);
  case OP_LE: return whole ? LLVMBuildICmp(p->b, LLVMIntSLE, x, y, "") : is(p, LLVMRealOLE, x, y);
  case OP_EQ: return whole ? LLVMBuildICmp(p->b, LLVMIntEQ, x, y, "") : is(p, LLVMRealOEQ, x, y);
  case OP_AND: return LLVMBuildAnd(p->b, x, y, "");
  case OP_OR: return LLVMBuildOr(p->b, x, y, "");
  case OP_NOT: return LLVMBuildNot(p->b, x, "");
  default: FATAL("operation %s has no instruction", ex_op_name(n->op));
  }
}

static LLVMValueRef as_double(Printer *p, const KNode *n) {
  LLVMValueRef x = value(p, n->arg[0]);
  return node(p, n->arg[0])->type == KT_BOOL ? LLVMBuildUIToFP(p->b, x, p->real, "")
                                             : LLVMBuildSIToFP(p->b, x, p->real, "");
}

static LLVMValueRef list(Printer *p, const KNode *n) {
  if (!n->narg) return LLVMConstNull(type_of(p, KT_INPUT));
  LLVMTypeRef array = LLVMArrayType(p->real, (unsigned)n->narg);
  LLVMValueRef r = LLVMBuildBitCast(p->b, room(p, array, ""), type_of(p, KT_INPUT), "");
  for (int i = 0; i < n->narg; i++)
    LLVMBuildStore(p->b, value(p, n->arg[i]), element(p, p->real, r, LLVMConstInt(p->wide, (unsigned)i, 0)));
  return r;
}

static LLVMValueRef make(Printer *p, KValue v) {
  const KNode *n = node(p, v);
  switch (n->code) {
  case KN_NUMBER: return LLVMConstReal(p->real, n->number);
  case KN_INTEGER: return LLVMConstInt(p->whole, (unsigned long long)(long long)n->index, 1);
  case KN_COUNTER: {
    bool instances = node(p, n->index)->code == KN_INSTANCES;
    LLVMValueRef x = load(p, instances ? p->wide : p->whole, p->value[n->index], false);
    return instances ? LLVMBuildTrunc(p->b, x, p->whole, "") : x;
  }
  case KN_SLOT: return of_instance(p, KF_TABLE_ix, p->whole, node(p, instances_of(p->k))->index, n->index);
  case KN_COLUMN: return of_instance(p, KF_TABLE_num, p->real, (int)node(p, instances_of(p->k))->number, n->index);
  case KN_FIELD: return field(p, value(p, n->arg[0]), (KField)n->index);
  case KN_AT: {
    LLVMTypeRef type = type_of(p, n->type);
    LLVMValueRef array = value(p, n->arg[0]);
    return load(p, type, element(p, type, array, value(p, n->arg[1])), node(p, n->arg[0])->type != KT_OUTPUT);
  }
  case KN_FROM: return element(p, p->real, value(p, n->arg[0]), value(p, n->arg[1]));
  case KN_GET: return load(p, type_of(p, n->type), p->value[n->arg[0]], false);
  case KN_OP: return operation(p, n);
  case KN_CALL: return function_call(p, n);
  case KN_DOUBLE: return as_double(p, n);
  case KN_TRUTH: return is(p, LLVMRealUNE, value(p, n->arg[0]), LLVMConstReal(p->real, 0));
  case KN_LIST: return list(p, n);
  default: FATAL("node %d of kernel %s is no value", v, p->k->name);
  }
}

static LLVMValueRef value(Printer *p, KValue v) { return p->value[v] ? p->value[v] : make(p, v); }

// --- statements ---

static void sine_and_cosine(Printer *p, KValue v) {
  LLVMValueRef at[2] = { room(p, p->real, "sine"), room(p, p->real, "cosine") };
  call(p, KS_nsm_sincos, (LLVMValueRef[]){ value(p, node(p, v)->arg[0]), at[0], at[1] });
  for (int i = 0; i < 2; i++) p->value[v + 1 + i] = load(p, p->real, at[i], false);
}

static void store(Printer *p, const KNode *n) {
  LLVMValueRef x = value(p, n->arg[2]), at = element(p, p->real, value(p, n->arg[0]), value(p, n->arg[1]));
  if (n->code == KN_ADD_TO) x = LLVMBuildFAdd(p->b, load(p, p->real, at, false), x, "");
  LLVMBuildStore(p->b, x, at);
}

// A counter in memory; again: the test, otherwise: the body's end, after: behind the loop.
static void open_loop(Printer *p, KValue v, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef before) {
  p->value[v] = room(p, type, node(p, v)->name);
  LLVMBuildStore(p->b, from, p->value[v]);
  p->again[v] = block(p, "test");
  p->after[v] = block(p, "after");
  LLVMBasicBlockRef body = block(p, "body");
  LLVMBuildBr(p->b, p->again[v]);
  LLVMPositionBuilderAtEnd(p->b, p->again[v]);
  LLVMValueRef more = LLVMBuildICmp(p->b, LLVMIntSLT, load(p, type, p->value[v], false), before, "");
  LLVMBuildCondBr(p->b, more, body, p->after[v]);
  LLVMPositionBuilderAtEnd(p->b, body);
}

static void open_instances(Printer *p, KValue v) {
  LLVMValueRef table = value(p, node(p, v)->arg[0]);
  LLVMValueRef count = LLVMBuildSExt(p->b, field(p, table, KF_TABLE_count), p->wide, "");
  open_loop(p, v, p->wide, LLVMConstInt(p->wide, 0, 0), count);
}

// Does the block that v opens end its loop or the function?
static bool leaves(const Printer *p, KValue v) {
  int depth = 0;
  for (KValue i = v + 1; i < p->k->n; i++) {
    KCode c = node(p, i)->code;
    if (depth == 0 && (c == KN_BREAK || c == KN_RETURN)) return true;
    if (c == KN_IF || c == KN_LOOP || c == KN_INSTANCES) depth++;
    if ((c == KN_CLOSE || c == KN_ELSE) && depth-- == 0) return false;
    if (c == KN_ELSE) depth++;
  }
  return false;
}

// An instruction of no bytes that is not moved and not executed too early: a branch around it stays a branch. What
// follows then does not wait for the condition, nor for the arm that is not taken; LLVM would compute both and select.
static void stay(Printer *p) {
  LLVMTypeRef type = LLVMFunctionType(type_of(p, KT_VOID), NULL, 0, 0);
  LLVMBuildCall2(p->b, type, LLVMGetInlineAsm(type, "", 0, "", 0, 1, 0, LLVMInlineAsmDialectATT, 0), NULL, 0, "");
}

static void open_if(Printer *p, KValue v) {
  LLVMBasicBlockRef yes = block(p, "then");
  p->otherwise[v] = block(p, "else");
  LLVMValueRef branch = LLVMBuildCondBr(p->b, value(p, node(p, v)->arg[0]), yes, p->otherwise[v]);
  LLVMPositionBuilderAtEnd(p->b, yes);
  if (leaves(p, v)) LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(p->context, "prof", 4), p->seldom);
  else if (!k_uses(p->k, KN_INSTANCES, -1)) stay(p);
}

static void open_else(Printer *p, KValue v) {
  p->after[v] = block(p, "after");
  LLVMBuildBr(p->b, p->after[v]);
  LLVMPositionBuilderAtEnd(p->b, p->otherwise[node(p, v)->index]);
}

static void close_block(Printer *p, KValue opened) {
  LLVMBasicBlockRef next;
  switch (node(p, opened)->code) {
  case KN_IF: next = p->otherwise[opened]; LLVMBuildBr(p->b, next); break;
  case KN_ELSE: next = p->after[opened]; LLVMBuildBr(p->b, next); break;
  default: {
    LLVMTypeRef type = node(p, opened)->code == KN_INSTANCES ? p->wide : p->whole;
    LLVMValueRef i = load(p, type, p->value[opened], false);
    LLVMBuildStore(p->b, LLVMBuildNSWAdd(p->b, i, LLVMConstInt(type, 1, 0), ""), p->value[opened]);
    LLVMBuildBr(p->b, p->again[opened]);
    next = p->after[opened];
  }
  }
  LLVMPositionBuilderAtEnd(p->b, next);
}

static void leave(Printer *p) { LLVMPositionBuilderAtEnd(p->b, block(p, "never")); }   // what follows is not reached

static void statement(Printer *p, KValue v) {
  const KNode *n = node(p, v);
  switch (n->code) {
  case KN_VARIABLE: {
    LLVMValueRef first = value(p, n->arg[0]);
    p->value[v] = room(p, LLVMTypeOf(first), n->name);
    LLVMBuildStore(p->b, first, p->value[v]);
    break;
  }
  case KN_SET: LLVMBuildStore(p->b, value(p, n->arg[1]), p->value[n->arg[0]]); break;
  case KN_STORE: case KN_ADD_TO: store(p, n); break;
  case KN_SINCOS: sine_and_cosine(p, v); break;
  case KN_IF: open_if(p, v); break;
  case KN_ELSE: open_else(p, v); break;
  case KN_LOOP: open_loop(p, v, p->whole, value(p, n->arg[0]), value(p, n->arg[1])); break;
  case KN_INSTANCES: open_instances(p, v); break;
  case KN_BREAK: LLVMBuildBr(p->b, p->after[n->index]); leave(p); break;
  case KN_CLOSE: close_block(p, n->index); break;
  case KN_RETURN:
    if (n->arg[0] == K_NONE) LLVMBuildRetVoid(p->b); else LLVMBuildRet(p->b, value(p, n->arg[0]));
    leave(p);
    break;
  default: p->value[v] = make(p, v);
  }
}

static void body(Printer *p) {
  for (int i = 0; i < p->k->n; i++) {
    const KNode *n = node(p, i);
    if (p->place[i] == KP_DEAD) continue;
    if (n->code == KN_PARAM) p->value[i] = LLVMGetParam(p->function, (unsigned)n->index);
    else if (p->place[i] == KP_ALONE) statement(p, i);
  }
  if (p->k->result == KT_VOID) LLVMBuildRetVoid(p->b); else LLVMBuildUnreachable(p->b);
}

LLVMValueRef llvm_function(Arena *a, LLVMModuleRef module, const KKernel *k, LlvmSymbols symbols) {
  LLVMContextRef c = LLVMGetModuleContext(module);
  Printer p = { .arena = a, .k = k, .symbols = symbols, .place = k_places(a, k), .context = c, .module = module,
                .b = LLVMCreateBuilderInContext(c), .real = LLVMDoubleTypeInContext(c),
                .whole = LLVMInt32TypeInContext(c), .wide = LLVMInt64TypeInContext(c),
                .condition = LLVMInt1TypeInContext(c), .byte = LLVMInt8TypeInContext(c) };
  p.invariant = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0));
  LLVMMetadataRef weights[] = { LLVMMDStringInContext2(c, "branch_weights", 14),
      LLVMValueAsMetadata(LLVMConstInt(p.whole, 1, 0)), LLVMValueAsMetadata(LLVMConstInt(p.whole, 2000, 0)) };
  p.seldom = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, weights, 3));
  size_t n = (size_t)k->n + 1;
  p.value = ARENA_ARRAY(a, LLVMValueRef, n);
  p.after = ARENA_ARRAY(a, LLVMBasicBlockRef, n);
  p.again = ARENA_ARRAY(a, LLVMBasicBlockRef, n);
  p.otherwise = ARENA_ARRAY(a, LLVMBasicBlockRef, n);
  LLVMTypeRef *param = ARENA_ARRAY(a, LLVMTypeRef, k->nparam + 1);
  for (int i = 0; i < k->nparam; i++) param[i] = type_of(&p, k->param[i].type);
  p.function = LLVMAddFunction(module, k->name,
                               LLVMFunctionType(type_of(&p, k->result), param, (unsigned)k->nparam, 0));
  attribute(&p, p.function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", false);
  // A step that the next one waits for: values are not paired in vectors, which must be permuted on the way. Nor in
  // long kernels, where pairs are looked for in a time that grows with the square.
  if (k->result == KT_INT || k->n > LLVM_WIDE)
    attribute(&p, p.function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noimplicitfloat", false);
  for (int i = 0; i < k->nparam; i++)
    if (k->param[i].type == KT_OUTPUT) attribute(&p, p.function, (LLVMAttributeIndex)i + 1, "noalias", false);
  p.entry = LLVMAppendBasicBlockInContext(c, p.function, "entry");
  LLVMBasicBlockRef start = block(&p, "start");
  LLVMPositionBuilderAtEnd(p.b, start);
  body(&p);
  LLVMPositionBuilderAtEnd(p.b, p.entry);
  LLVMBuildBr(p.b, start);
  LLVMDisposeBuilder(p.b);
  return p.function;
}
