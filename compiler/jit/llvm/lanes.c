// Kernel -> LLVM IR: a function for several runs at a time, in the lanes of vectors. Each value is a vector, and each
// block has a mask of the runs that take part in it: a block is entered where one does, a loop goes on while one does,
// and what variables and arrays hold changes for those alone. So each run computes what it computes alone, in the same
// order. Method: Karrenberg and Hack, Whole-function vectorization, CGO 2011.
//
// Functions that are not a few instructions are called for one run after another, or by the vectors of glibc's libmvec,
// whose last bits may differ (4 units in the last place) and which are taken where that was asked for.
//
//   void f(T *const *array, const double *number, const int *whole, ..., int *result)
//
// has of each parameter of the kernel those of all runs, [lanes]. result: 1 for who takes part, 0 for others, whose
// arrays can be read all the same; then what the kernel returns.
#include <stdio.h>
#include <string.h>
#include "../../base/fatal.h"
#include "printer.h"

bool lanes_take(const KKernel *k) {
  static const KCode others[] = { KN_FIELD, KN_SLOT, KN_COLUMN, KN_INSTANCES, KN_FROM, KN_LIST };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) if (k_uses(k, others[i], -1)) return false;
  for (int i = 0; i < k->n; i++) {
    const KNode *n = &k->node[i];
    bool array = n->code == KN_AT || n->code == KN_STORE || n->code == KN_ADD_TO;
    if (array && k->node[n->arg[0]].code != KN_PARAM) return false;
  }
  return k->result == KT_INT && k->nparam <= LLVM_MOST_PARAMS;
}

// --- one run of several ---
static LLVMValueRef number(const Printer *p, unsigned l) { return LLVMConstInt(p->one_whole, l, 0); }

static LLVMValueRef one(Printer *p, LLVMValueRef x, unsigned l) {
  return LLVMBuildExtractElement(p->b, x, number(p, l), "");
}

static LLVMValueRef with(Printer *p, LLVMValueRef all, LLVMValueRef x, unsigned l) {
  return LLVMBuildInsertElement(p->b, all, x, number(p, l), "");
}

static LLVMValueRef pointer_of(const Printer *p, KValue array, unsigned l) {
  INVARIANT(node(p, array)->code == KN_PARAM);
  return p->pointer[node(p, array)->index][l];
}


static KValue place_of(const Printer *p, KValue block) { return block < 0 ? p->k->n : block; }

static LLVMValueRef mask_of(Printer *p, KValue block) {
  return llvm_load(p, p->condition, p->mask[place_of(p, block)], false);
}

// The place of run l in array[index]; of one that takes no part the first one, which is always there.
static LLVMValueRef place(Printer *p, LLVMTypeRef each, const KNode *n, unsigned l) {
  LLVMValueRef index = llvm_value(p, n->arg[1]);
  if (node(p, n->arg[1])->code != KN_INTEGER)
    index = LLVMBuildSelect(p->b, mask_of(p, node(p, p->here)->block), index, LLVMConstNull(p->whole), "");
  return llvm_element(p, each, pointer_of(p, n->arg[0], l), one(p, index, l));
}

static LLVMValueRef at(Printer *p, const KNode *n) {
  LLVMTypeRef each = n->type == KT_INT ? p->one_whole : p->one_real;
  LLVMValueRef all = LLVMGetUndef(LLVMVectorType(each, p->lanes));
  bool fixed = node(p, n->arg[0])->type != KT_OUTPUT;
  for (unsigned l = 0; l < p->lanes; l++) all = with(p, all, llvm_load(p, each, place(p, each, n, l), fixed), l);
  return all;
}

// --- masks ---
static void open_mask(Printer *p, KValue block, LLVMValueRef m) {
  KValue at = place_of(p, block);
  p->mask[at] = llvm_room(p, p->condition, "mask");
  p->end[at] = llvm_block(p, "end");
  LLVMBuildStore(p->b, m, p->mask[at]);
}

static LLVMValueRef any(Printer *p, LLVMValueRef m) {
  LLVMTypeRef bits = LLVMIntTypeInContext(p->context, p->lanes);
  return LLVMBuildICmp(p->b, LLVMIntNE, LLVMBuildBitCast(p->b, m, bits, ""), LLVMConstNull(bits), "");
}

// Those at hand take no part in what is left of the block at hand and those around it, up to `to`.
static void take_out(Printer *p, KValue to) {
  KValue b = node(p, p->here)->block;
  LLVMValueRef others = LLVMBuildNot(p->b, mask_of(p, b), "");
  for (;; b = node(p, b)->block) {
    LLVMBuildStore(p->b, LLVMBuildAnd(p->b, mask_of(p, b), others, ""), p->mask[place_of(p, b)]);
    if (b == to) return;
  }
}

// --- calls ---
// For one run after another, of those that take part.
static LLVMValueRef one_by_one(Printer *p, const KNode *n, LLVMValueRef *arg) {
  const KSymbolInfo *info = k_symbol_info((KSymbol)n->index);
  LLVMTypeRef each = info->result == 'd' ? p->one_real : p->one_whole, all = LLVMVectorType(each, p->lanes);
  LLVMValueRef m = mask_of(p, node(p, p->here)->block), r = llvm_room(p, all, "each");
  LLVMBuildStore(p->b, LLVMConstNull(all), r);
  for (unsigned l = 0; l < p->lanes; l++) {
    LLVMBasicBlockRef call = llvm_block(p, "call"), next = llvm_block(p, "next");
    LLVMBuildCondBr(p->b, one(p, m, l), call, next);
    LLVMPositionBuilderAtEnd(p->b, call);
    LLVMValueRef x[LLVM_MOST_PARAMS];
    for (int i = 0; i < n->narg; i++) {
      bool array = k_is_array(node(p, n->arg[i])->type);
      x[i] = array ? pointer_of(p, n->arg[i], l) : one(p, arg[i], l);
    }
    LLVMValueRef y = llvm_call(p, (KSymbol)n->index, x);
    LLVMBuildStore(p->b, with(p, llvm_load(p, all, r, false), y, l), r);
    LLVMBuildBr(p->b, next);
    LLVMPositionBuilderAtEnd(p->b, next);
  }
  return llvm_load(p, all, r, false);
}

static LLVMValueRef by_vectors(Printer *p, KSymbol s, LLVMValueRef x) {
  LLVMTypeRef type = LLVMFunctionType(p->real, &p->real, 1, 0);
  LLVMValueRef address = LLVMConstInt(p->wide, (unsigned long long)(uintptr_t)p->vectors[s], 0);
  LLVMValueRef f = LLVMConstIntToPtr(address, LLVMPointerType(type, 0));
  LLVMValueRef r = LLVMBuildCall2(p->b, type, f, &x, 1, "");
  llvm_attribute(p, r, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", true);
  return r;
}

static bool has_vectors(const Printer *p, KSymbol s) { return p->vectors && p->vectors[s]; }

static LLVMValueRef call(Printer *p, const KNode *n, LLVMValueRef *arg) {
  KSymbol s = (KSymbol)n->index;
  return has_vectors(p, s) ? by_vectors(p, s, arg[0]) : one_by_one(p, n, arg);
}

static void sine_and_cosine(Printer *p, KValue v) {
  LLVMValueRef x = llvm_value(p, node(p, v)->arg[0]), result[2] = { LLVMGetUndef(p->real), LLVMGetUndef(p->real) };
  if (has_vectors(p, KS_nsm_sin) && has_vectors(p, KS_nsm_cos)) {
    result[0] = by_vectors(p, KS_nsm_sin, x);
    result[1] = by_vectors(p, KS_nsm_cos, x);
  } else {
    LLVMValueRef at[2] = { llvm_room(p, p->one_real, "sine"), llvm_room(p, p->one_real, "cosine") };
    for (unsigned l = 0; l < p->lanes; l++) {
      llvm_call(p, KS_nsm_sincos, (LLVMValueRef[]){ one(p, x, l), at[0], at[1] });
      for (int i = 0; i < 2; i++) result[i] = with(p, result[i], llvm_load(p, p->one_real, at[i], false), l);
    }
  }
  for (int i = 0; i < 2; i++) p->value[v + 1 + i] = result[i];
}

// --- blocks ---
static void branch(Printer *p, LLVMValueRef m, LLVMBasicBlockRef to, LLVMBasicBlockRef otherwise) {
  LLVMBuildCondBr(p->b, any(p, m), to, otherwise);
  LLVMPositionBuilderAtEnd(p->b, to);
}

static void open_if(Printer *p, KValue v) {
  LLVMValueRef outer = mask_of(p, node(p, v)->block), condition = llvm_value(p, node(p, v)->arg[0]);
  LLVMValueRef m = LLVMBuildAnd(p->b, outer, condition, "");
  open_mask(p, v, m);
  p->other[v] = llvm_room(p, p->condition, "other");
  LLVMBuildStore(p->b, LLVMBuildAnd(p->b, outer, LLVMBuildNot(p->b, condition, ""), ""), p->other[v]);
  p->otherwise[v] = llvm_block(p, "else");
  branch(p, m, llvm_block(p, "then"), p->otherwise[v]);
}

static void open_else(Printer *p, KValue v) {
  KValue of = node(p, v)->index;
  LLVMBuildBr(p->b, p->end[of]);
  LLVMPositionBuilderAtEnd(p->b, p->end[of]);
  LLVMBuildBr(p->b, p->otherwise[of]);
  LLVMPositionBuilderAtEnd(p->b, p->otherwise[of]);
  LLVMValueRef m = llvm_load(p, p->condition, p->other[of], false);
  open_mask(p, v, m);
  p->after[v] = llvm_block(p, "after");
  branch(p, m, llvm_block(p, "then"), p->after[v]);
}

static void open_loop(Printer *p, KValue v) {
  p->value[v] = llvm_room(p, p->whole, node(p, v)->name);
  LLVMBuildStore(p->b, llvm_value(p, node(p, v)->arg[0]), p->value[v]);
  LLVMValueRef before = llvm_value(p, node(p, v)->arg[1]);
  open_mask(p, v, mask_of(p, node(p, v)->block));
  p->again[v] = llvm_block(p, "test");
  p->after[v] = llvm_block(p, "after");
  LLVMBuildBr(p->b, p->again[v]);
  LLVMPositionBuilderAtEnd(p->b, p->again[v]);
  LLVMValueRef more = LLVMBuildICmp(p->b, LLVMIntSLT, llvm_load(p, p->whole, p->value[v], false), before, "");
  LLVMValueRef m = LLVMBuildAnd(p->b, mask_of(p, v), more, "");
  LLVMBuildStore(p->b, m, p->mask[v]);
  branch(p, m, llvm_block(p, "body"), p->after[v]);
}

// Behind a block that runs may have left, what is left of the one around it is for those that are still there.
static void go_on(Printer *p, KValue opened) {
  KValue around = node(p, opened)->block;
  branch(p, mask_of(p, around), llvm_block(p, "on"), p->end[place_of(p, around)]);
}

static void close_block(Printer *p, KValue opened) {
  bool loop = node(p, opened)->code == KN_LOOP;
  LLVMBuildBr(p->b, p->end[opened]);
  LLVMPositionBuilderAtEnd(p->b, p->end[opened]);
  if (loop) {
    LLVMValueRef ones[LLVM_LANES], i = llvm_load(p, p->whole, p->value[opened], false);
    for (unsigned l = 0; l < p->lanes; l++) ones[l] = number(p, 1);
    LLVMBuildStore(p->b, LLVMBuildAdd(p->b, i, LLVMConstVector(ones, p->lanes), ""), p->value[opened]);
  }
  LLVMBasicBlockRef next = node(p, opened)->code == KN_IF ? p->otherwise[opened] : p->after[opened];
  LLVMBuildBr(p->b, loop ? p->again[opened] : next);
  LLVMPositionBuilderAtEnd(p->b, next);
  if (llvm_leaves(p, opened)) go_on(p, opened);
}

// --- statements ---
// A variable of the block at hand itself is nobody's but of those that take part.
static void set(Printer *p, const KNode *n) {
  LLVMValueRef x = llvm_value(p, n->arg[1]), at = p->value[n->arg[0]];
  if (node(p, n->arg[0])->block != n->block)
    x = LLVMBuildSelect(p->b, mask_of(p, n->block), x, llvm_load(p, LLVMTypeOf(x), at, false), "");
  LLVMBuildStore(p->b, x, at);
}

static void store(Printer *p, const KNode *n) {
  LLVMValueRef x = llvm_value(p, n->arg[2]), all = NULL;
  if (n->code == KN_ADD_TO) x = LLVMBuildFAdd(p->b, at(p, n), x, "");
  for (unsigned l = 0; l < p->lanes; l++) {
    LLVMValueRef at = place(p, p->one_real, n, l);
    if (!all) all = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(at), p->lanes));
    all = with(p, all, at, l);
  }
  LLVMTypeRef overloaded[] = { p->real, LLVMTypeOf(all) };
  LLVMValueRef m = mask_of(p, n->block);
  LLVMTypeRef types[] = { p->real, LLVMTypeOf(all), p->one_whole, LLVMTypeOf(m) };
  unsigned id = LLVMLookupIntrinsicID("llvm.masked.scatter", strlen("llvm.masked.scatter"));
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(p->context), types, 4, 0);
  LLVMValueRef arg[] = { x, all, LLVMConstInt(p->one_whole, sizeof(double), 0), m };
  LLVMBuildCall2(p->b, type, LLVMGetIntrinsicDeclaration(p->module, id, overloaded, 2), arg, 4, "");
}

static void leave(Printer *p, const KNode *n) {
  LLVMValueRef x = llvm_value(p, n->arg[0]), before = llvm_load(p, p->whole, p->result, false);
  LLVMBuildStore(p->b, LLVMBuildSelect(p->b, mask_of(p, n->block), x, before, ""), p->result);
  take_out(p, -1);
}

static void statement(Printer *p, KValue v) {
  const KNode *n = node(p, v);
  switch (n->code) {
  case KN_VARIABLE: llvm_variable(p, v); break;
  case KN_SET: set(p, n); break;
  case KN_STORE: case KN_ADD_TO: store(p, n); break;
  case KN_SINCOS: sine_and_cosine(p, v); break;
  case KN_IF: open_if(p, v); break;
  case KN_ELSE: open_else(p, v); break;
  case KN_LOOP: open_loop(p, v); break;
  case KN_BREAK: take_out(p, n->index); break;
  case KN_CLOSE: close_block(p, n->index); break;
  case KN_RETURN: leave(p, n); break;
  default: p->value[v] = llvm_make(p, v);
  }
}

// --- the function ---
// [lanes] numbers from where they stand one after another.
static LLVMValueRef loaded(Printer *p, LLVMTypeRef all, LLVMValueRef from, unsigned alignment) {
  LLVMValueRef x = llvm_load(p, all, LLVMBuildBitCast(p->b, from, LLVMPointerType(all, 0), ""), false);
  LLVMSetAlignment(x, alignment);
  return x;
}

static void take_parameter(Printer *p, KValue v) {
  unsigned i = (unsigned)node(p, v)->index;
  LLVMValueRef given = LLVMGetParam(p->function, i);
  KType t = node(p, v)->type;
  if (t == KT_DOUBLE) p->value[v] = loaded(p, p->real, given, sizeof(double));
  else if (t == KT_INT) p->value[v] = loaded(p, p->whole, given, sizeof(int));
  else {
    LLVMTypeRef each = llvm_type(p, t);
    for (unsigned l = 0; l < p->lanes; l++)
      p->pointer[i][l] = llvm_load(p, each, llvm_element(p, each, given, LLVMConstInt(p->wide, l, 0)), false);
    p->value[v] = p->pointer[i][0];
  }
}

static void body(Printer *p) {
  for (int i = 0; i < p->k->n; i++) {
    if (p->place[i] == KP_DEAD) continue;
    p->here = i;
    if (node(p, i)->code == KN_PARAM) take_parameter(p, i);
    else if (p->place[i] == KP_ALONE) statement(p, i);
  }
}

static void take_part(Printer *p, LLVMValueRef result) {
  LLVMValueRef who = loaded(p, p->whole, result, sizeof(int));
  p->result = llvm_room(p, p->whole, "result");
  LLVMBuildStore(p->b, LLVMConstNull(p->whole), p->result);
  open_mask(p, -1, LLVMBuildICmp(p->b, LLVMIntNE, who, LLVMConstNull(p->whole), ""));
}

static void end(Printer *p, LLVMValueRef result) {
  LLVMBuildBr(p->b, p->end[p->k->n]);
  LLVMPositionBuilderAtEnd(p->b, p->end[p->k->n]);
  LLVMValueRef at = LLVMBuildBitCast(p->b, result, LLVMPointerType(p->whole, 0), "");
  LLVMSetAlignment(LLVMBuildStore(p->b, llvm_load(p, p->whole, p->result, false), at), sizeof(int));
  LLVMBuildRetVoid(p->b);
}

// Vectors of 512 bits are passed as such, whatever the compiler would like better.
static void use_width(const Printer *p) {
  static const char *const names[] = { "min-legal-vector-width", "prefer-vector-width" };
  char width[16];
  int n = snprintf(width, sizeof width, "%u", 64 * p->lanes);
  for (int i = 0; i < 2; i++)
    LLVMAddAttributeAtIndex(p->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(p->context, names[i], (unsigned)strlen(names[i]), width,
                                                      (unsigned)n));
}

void llvm_lanes(Arena *a, LLVMModuleRef module, const KKernel *k, const LlvmLanes *of) {
  Printer p = llvm_printer(a, module, k, of->symbols);
  LLVMTypeRef param[LLVM_MOST_PARAMS + 1];
  for (int i = 0; i < k->nparam; i++) param[i] = LLVMPointerType(llvm_type(&p, k->param[i].type), 0);
  param[k->nparam] = LLVMPointerType(p.one_whole, 0);
  p.function = LLVMAddFunction(module, of->name, LLVMFunctionType(LLVMVoidTypeInContext(p.context), param,
                                                                  (unsigned)k->nparam + 1, 0));
  llvm_use_lanes(&p, of->lanes);
  p.call = call;
  p.at = at;
  p.vectors = of->vectors;
  size_t n = (size_t)k->n + 1;
  p.pointer = arena_alloc(a, LLVM_MOST_PARAMS * sizeof *p.pointer);
  p.mask = ARENA_ARRAY(a, LLVMValueRef, n);
  p.other = ARENA_ARRAY(a, LLVMValueRef, n);
  p.end = ARENA_ARRAY(a, LLVMBasicBlockRef, n);
  llvm_begin(&p);
  use_width(&p);
  LLVMValueRef result = LLVMGetParam(p.function, (unsigned)k->nparam);
  take_part(&p, result);
  body(&p);
  end(&p, result);
  llvm_end(&p);
}
