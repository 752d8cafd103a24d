// Kernel -> LLVM IR: values. Each node is the instruction that it is called after, in the same order, without any flag
// that would let LLVM re-associate or fuse: the results are those of the C printer bit by bit.
//
// What stands alone (compiler/kernel/places.c) is made where it stands; what is written within its users is made there,
// so that a value that only one arm of a choice needs is not computed for the other one.
#include <string.h>
#include "../../base/fatal.h"
#include "printer.h"

// --- types ---

static LLVMTypeRef type_of_value(const Printer *p, KType t) {
  return t == KT_DOUBLE ? p->real : t == KT_INT ? p->whole : p->condition;
}

LLVMTypeRef llvm_type(const Printer *p, KType t) {
  switch (t) {
  case KT_VOID: return LLVMVoidTypeInContext(p->context);
  case KT_DOUBLE: return p->one_real;
  case KT_INT: return p->one_whole;
  case KT_BOOL: return p->one_condition;
  case KT_INPUT: case KT_OUTPUT: return LLVMPointerType(p->one_real, 0);
  case KT_INDICES: return LLVMPointerType(p->one_whole, 0);
  default: return LLVMPointerType(p->byte, 0);
  }
}

static LLVMTypeRef type_of_letter(const Printer *p, char letter) {
  switch (letter) {
  case 'd': return p->one_real;
  case 'i': return p->one_whole;
  case 'l': return p->wide;
  case 'v': return llvm_type(p, KT_VOID);
  default: return LLVMPointerType(p->byte, 0);
  }
}

void llvm_attribute(const Printer *p, LLVMValueRef f, LLVMAttributeIndex at, const char *name, bool of_call) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  if (!kind) return;
  LLVMAttributeRef a = LLVMCreateEnumAttribute(p->context, kind, 0);
  if (of_call) LLVMAddCallSiteAttribute(f, at, a); else LLVMAddAttributeAtIndex(f, at, a);
}

// --- loads ---

LLVMValueRef llvm_room(Printer *p, LLVMTypeRef type, const char *name) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(p->context);
  LLVMValueRef first = LLVMGetFirstInstruction(p->entry);
  if (first) LLVMPositionBuilderBefore(b, first); else LLVMPositionBuilderAtEnd(b, p->entry);
  LLVMValueRef r = LLVMBuildAlloca(b, type, name);
  LLVMDisposeBuilder(b);
  return r;
}

LLVMValueRef llvm_load(Printer *p, LLVMTypeRef type, LLVMValueRef from, bool fixed) {
  LLVMValueRef x = LLVMBuildLoad2(p->b, type, from, "");
  if (fixed) LLVMSetMetadata(x, LLVMGetMDKindIDInContext(p->context, "invariant.load", 14), p->invariant);
  return x;
}

LLVMValueRef llvm_field(Printer *p, LLVMValueRef structure, KField f) {
  const KFieldInfo *info = k_field_info(f);
  LLVMTypeRef type = llvm_type(p, info->type);
  LLVMValueRef offset = LLVMConstInt(p->wide, (unsigned)info->offset, 0);
  LLVMValueRef at = LLVMBuildInBoundsGEP2(p->b, p->byte, structure, &offset, 1, "");
  return llvm_load(p, type, LLVMBuildBitCast(p->b, at, LLVMPointerType(type, 0), ""), true);
}

LLVMValueRef llvm_element(Printer *p, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef index) {
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
  LLVMValueRef k = llvm_load(p, p->wide, p->value[at], false);
  LLVMValueRef index = LLVMBuildNSWAdd(p->b, LLVMBuildNSWMul(p->b, k, LLVMConstInt(p->wide, (unsigned)width, 0), ""),
                                       LLVMConstInt(p->wide, (unsigned)column, 0), "");
  LLVMValueRef structure = p->value[node(p, at)->arg[0]];
  return llvm_load(p, type, llvm_element(p, type, llvm_field(p, structure, table), index), true);
}

// --- values ---

// Calls go to the address itself.
LLVMValueRef llvm_call(Printer *p, KSymbol s, LLVMValueRef *arg) {
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
  llvm_attribute(p, r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", true);
  if (info->pure && !strchr(info->arguments, 'p')) {
    llvm_attribute(p, r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "willreturn", true);
    llvm_attribute(p, r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "readnone", true);   // until LLVM 15
    llvm_attribute(p, r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "memory", true);     // since then; 0: none
  }
  return info->result == 'l' ? LLVMBuildTrunc(p->b, r, p->one_whole, "") : r;
}

static LLVMValueRef intrinsic(Printer *p, const char *name, LLVMValueRef x) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(p->module, id, &p->real, 1);
  LLVMTypeRef type = LLVMFunctionType(p->real, &p->real, 1, 0);
  return LLVMBuildCall2(p->b, type, f, &x, 1, "");
}

static LLVMValueRef negative_bit(Printer *p, LLVMValueRef x) {
  LLVMValueRef bits = LLVMBuildBitCast(p->b, x, p->bits, "");
  return LLVMBuildICmp(p->b, LLVMIntSLT, bits, LLVMConstNull(p->bits), "");
}

// The same in each run.
static LLVMValueRef alike(const Printer *p, LLVMValueRef x) {
  LLVMValueRef each[LLVM_LANES];
  for (unsigned l = 0; l < p->lanes; l++) each[l] = x;
  return p->lanes ? LLVMConstVector(each, p->lanes) : x;
}

static LLVMValueRef real(const Printer *p, double x) { return alike(p, LLVMConstReal(p->one_real, x)); }

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
  LLVMValueRef zero = real(p, 0);
  LLVMValueRef below = LLVMBuildSelect(p->b, is(p, LLVMRealOLT, x, zero), real(p, -1), x, "");
  return LLVMBuildSelect(p->b, is(p, LLVMRealOGT, x, zero), real(p, 1), below, "");
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
  for (int i = 0; i < n->narg; i++) x[i] = llvm_value(p, n->arg[i]);
  LLVMValueRef r = short_function(p, (KSymbol)n->index, x);
  return r ? r : p->call ? p->call(p, n, x) : llvm_call(p, (KSymbol)n->index, x);
}

// Is something worth a jump computed within v?
static bool is_costly(const Printer *p, KValue v) {
  const KNode *n = node(p, v);
  if (p->place[v] == KP_ALONE) return false;
  if (n->code == KN_CALL && !is_short((KSymbol)n->index)) return true;
  for (int i = 0; i < n->narg; i++) if (is_costly(p, n->arg[i])) return true;
  return false;
}

LLVMBasicBlockRef llvm_block(Printer *p, const char *name) {
  return LLVMAppendBasicBlockInContext(p->context, p->function, name);
}

static LLVMValueRef choice(Printer *p, const KNode *n) {
  LLVMValueRef condition = llvm_value(p, n->arg[0]);
  if (p->lanes || (!is_costly(p, n->arg[1]) && !is_costly(p, n->arg[2])))
    return LLVMBuildSelect(p->b, condition, llvm_value(p, n->arg[1]), llvm_value(p, n->arg[2]), "");
  LLVMBasicBlockRef arm[2] = { llvm_block(p, "yes"), llvm_block(p, "no") }, join = llvm_block(p, "join");
  LLVMValueRef x[2];
  LLVMBuildCondBr(p->b, condition, arm[0], arm[1]);
  for (int i = 0; i < 2; i++) {
    LLVMPositionBuilderAtEnd(p->b, arm[i]);
    x[i] = llvm_value(p, n->arg[1 + i]);
    arm[i] = LLVMGetInsertBlock(p->b);
    LLVMBuildBr(p->b, join);
  }
  LLVMPositionBuilderAtEnd(p->b, join);
  LLVMValueRef r = LLVMBuildPhi(p->b, type_of_value(p, n->type), "");
  LLVMAddIncoming(r, x, arm, 2);
  return r;
}

static LLVMValueRef operation(Printer *p, const KNode *n) {
  if (n->op == OP_IF) return choice(p, n);
  LLVMValueRef x = llvm_value(p, n->arg[0]), y = n->narg > 1 ? llvm_value(p, n->arg[1]) : NULL;
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
  LLVMValueRef x = llvm_value(p, n->arg[0]);
  return node(p, n->arg[0])->type == KT_BOOL ? LLVMBuildUIToFP(p->b, x, p->real, "")
                                             : LLVMBuildSIToFP(p->b, x, p->real, "");
}

static LLVMValueRef list(Printer *p, const KNode *n) {
  if (!n->narg) return LLVMConstNull(llvm_type(p, KT_INPUT));
  LLVMTypeRef array = LLVMArrayType(p->real, (unsigned)n->narg);
  LLVMValueRef r = LLVMBuildBitCast(p->b, llvm_room(p, array, ""), llvm_type(p, KT_INPUT), "");
  for (int i = 0; i < n->narg; i++)
    LLVMBuildStore(p->b, llvm_value(p, n->arg[i]), llvm_element(p, p->real, r, LLVMConstInt(p->wide, (unsigned)i, 0)));
  return r;
}

LLVMValueRef llvm_make(Printer *p, KValue v) {
  const KNode *n = node(p, v);
  switch (n->code) {
  case KN_NUMBER: return real(p, n->number);
  case KN_INTEGER: return alike(p, LLVMConstInt(p->one_whole, (unsigned long long)(long long)n->index, 1));
  case KN_COUNTER: {
    bool instances = node(p, n->index)->code == KN_INSTANCES;
    LLVMValueRef x = llvm_load(p, instances ? p->wide : p->whole, p->value[n->index], false);
    return instances ? LLVMBuildTrunc(p->b, x, p->whole, "") : x;
  }
  case KN_SLOT: return of_instance(p, KF_TABLE_ix, p->whole, node(p, instances_of(p->k))->index, n->index);
  case KN_COLUMN: return of_instance(p, KF_TABLE_num, p->real, (int)node(p, instances_of(p->k))->number, n->index);
  case KN_FIELD: return llvm_field(p, llvm_value(p, n->arg[0]), (KField)n->index);
  case KN_AT: {
    if (p->at) return p->at(p, n);
    LLVMTypeRef type = llvm_type(p, n->type);
    LLVMValueRef array = llvm_value(p, n->arg[0]);
    LLVMValueRef at = llvm_element(p, type, array, llvm_value(p, n->arg[1]));
    return llvm_load(p, type, at, node(p, n->arg[0])->type != KT_OUTPUT);
  }
  case KN_FROM: return llvm_element(p, p->real, llvm_value(p, n->arg[0]), llvm_value(p, n->arg[1]));
  case KN_GET: return llvm_load(p, type_of_value(p, n->type), p->value[n->arg[0]], false);
  case KN_OP: return operation(p, n);
  case KN_CALL: return function_call(p, n);
  case KN_DOUBLE: return as_double(p, n);
  case KN_TRUTH: return is(p, LLVMRealUNE, llvm_value(p, n->arg[0]), real(p, 0));
  case KN_LIST: return list(p, n);
  default: FATAL("node %d of kernel %s is no value", v, p->k->name);
  }
}

LLVMValueRef llvm_value(Printer *p, KValue v) { return p->value[v] ? p->value[v] : llvm_make(p, v); }

void llvm_variable(Printer *p, KValue v) {
  LLVMValueRef first = llvm_value(p, node(p, v)->arg[0]);
  p->value[v] = llvm_room(p, LLVMTypeOf(first), node(p, v)->name);
  LLVMBuildStore(p->b, first, p->value[v]);
}

bool llvm_leaves(const Printer *p, KValue v) {
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

// --- the printer ---
Printer llvm_printer(Arena *a, LLVMModuleRef module, const KKernel *k, LlvmSymbols symbols) {
  LLVMContextRef c = LLVMGetModuleContext(module);
  Printer p = { .arena = a, .k = k, .symbols = symbols, .place = k_places(a, k), .context = c, .module = module,
                .b = LLVMCreateBuilderInContext(c), .one_real = LLVMDoubleTypeInContext(c),
                .one_whole = LLVMInt32TypeInContext(c), .one_condition = LLVMInt1TypeInContext(c),
                .wide = LLVMInt64TypeInContext(c), .byte = LLVMInt8TypeInContext(c) };
  p.real = p.one_real;
  p.whole = p.one_whole;
  p.condition = p.one_condition;
  p.bits = p.wide;
  p.invariant = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0));
  LLVMMetadataRef weights[] = { LLVMMDStringInContext2(c, "branch_weights", 14),
      LLVMValueAsMetadata(LLVMConstInt(p.whole, 1, 0)), LLVMValueAsMetadata(LLVMConstInt(p.whole, 2000, 0)) };
  p.seldom = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, weights, 3));
  size_t n = (size_t)k->n + 1;
  p.value = ARENA_ARRAY(a, LLVMValueRef, n);
  p.after = ARENA_ARRAY(a, LLVMBasicBlockRef, n);
  p.again = ARENA_ARRAY(a, LLVMBasicBlockRef, n);
  p.otherwise = ARENA_ARRAY(a, LLVMBasicBlockRef, n);
  return p;
}

void llvm_use_lanes(Printer *p, unsigned lanes) {
  p->lanes = lanes;
  p->real = LLVMVectorType(p->one_real, lanes);
  p->whole = LLVMVectorType(p->one_whole, lanes);
  p->condition = LLVMVectorType(p->one_condition, lanes);
  p->bits = LLVMVectorType(p->wide, lanes);
}

// Rooms are made in the entry, which leads to the first block once all are known.
void llvm_begin(Printer *p) {
  llvm_attribute(p, p->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", false);
  p->entry = llvm_block(p, "entry");
  p->start = llvm_block(p, "start");
  LLVMPositionBuilderAtEnd(p->b, p->start);
}

void llvm_end(Printer *p) {
  LLVMPositionBuilderAtEnd(p->b, p->entry);
  LLVMBuildBr(p->b, p->start);
  LLVMDisposeBuilder(p->b);
}
