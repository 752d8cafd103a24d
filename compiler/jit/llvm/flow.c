// Kernel -> LLVM IR: statements of one run. Variables and rooms are allocas of the entry block, which LLVM turns into
// registers.
#include "printer.h"

static void sine_and_cosine(Printer *p, KValue v) {
  LLVMValueRef at[2] = { llvm_room(p, p->real, "sine"), llvm_room(p, p->real, "cosine") };
  llvm_call(p, KS_nsm_sincos, (LLVMValueRef[]){ llvm_value(p, node(p, v)->arg[0]), at[0], at[1] });
  for (int i = 0; i < 2; i++) p->value[v + 1 + i] = llvm_load(p, p->real, at[i], false);
}

static void store(Printer *p, const KNode *n) {
  LLVMValueRef array = llvm_value(p, n->arg[0]), index = llvm_value(p, n->arg[1]);
  LLVMValueRef x = llvm_value(p, n->arg[2]), at = llvm_element(p, p->real, array, index);
  if (n->code == KN_ADD_TO) x = LLVMBuildFAdd(p->b, llvm_load(p, p->real, at, false), x, "");
  LLVMBuildStore(p->b, x, at);
}

// A counter in memory; again: the test, otherwise: the body's end, after: behind the loop.
static void open_loop(Printer *p, KValue v, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef before) {
  p->value[v] = llvm_room(p, type, node(p, v)->name);
  LLVMBuildStore(p->b, from, p->value[v]);
  p->again[v] = llvm_block(p, "test");
  p->after[v] = llvm_block(p, "after");
  LLVMBasicBlockRef body = llvm_block(p, "body");
  LLVMBuildBr(p->b, p->again[v]);
  LLVMPositionBuilderAtEnd(p->b, p->again[v]);
  LLVMValueRef more = LLVMBuildICmp(p->b, LLVMIntSLT, llvm_load(p, type, p->value[v], false), before, "");
  LLVMBuildCondBr(p->b, more, body, p->after[v]);
  LLVMPositionBuilderAtEnd(p->b, body);
}

static void open_instances(Printer *p, KValue v) {
  LLVMValueRef table = llvm_value(p, node(p, v)->arg[0]);
  LLVMValueRef count = LLVMBuildSExt(p->b, llvm_field(p, table, KF_TABLE_count), p->wide, "");
  open_loop(p, v, p->wide, LLVMConstInt(p->wide, 0, 0), count);
}

// An instruction of no bytes that is not moved and not executed too early: a branch around it stays a branch. What
// follows then does not wait for the condition, nor for the arm that is not taken; LLVM would compute both and select.
static void stay(Printer *p) {
  LLVMTypeRef type = LLVMFunctionType(llvm_type(p, KT_VOID), NULL, 0, 0);
  LLVMBuildCall2(p->b, type, LLVMGetInlineAsm(type, "", 0, "", 0, 1, 0, LLVMInlineAsmDialectATT, 0), NULL, 0, "");
}

static void open_if(Printer *p, KValue v) {
  LLVMBasicBlockRef yes = llvm_block(p, "then");
  p->otherwise[v] = llvm_block(p, "else");
  LLVMValueRef branch = LLVMBuildCondBr(p->b, llvm_value(p, node(p, v)->arg[0]), yes, p->otherwise[v]);
  LLVMPositionBuilderAtEnd(p->b, yes);
  if (llvm_leaves(p, v)) LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(p->context, "prof", 4), p->seldom);
  else if (!k_uses(p->k, KN_INSTANCES, -1)) stay(p);
}

static void open_else(Printer *p, KValue v) {
  p->after[v] = llvm_block(p, "after");
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
    LLVMValueRef i = llvm_load(p, type, p->value[opened], false);
    LLVMBuildStore(p->b, LLVMBuildNSWAdd(p->b, i, LLVMConstInt(type, 1, 0), ""), p->value[opened]);
    LLVMBuildBr(p->b, p->again[opened]);
    next = p->after[opened];
  }
  }
  LLVMPositionBuilderAtEnd(p->b, next);
}

// What follows is not reached.
static void leave(Printer *p) { LLVMPositionBuilderAtEnd(p->b, llvm_block(p, "never")); }

static void statement(Printer *p, KValue v) {
  const KNode *n = node(p, v);
  switch (n->code) {
  case KN_VARIABLE: llvm_variable(p, v); break;
  case KN_SET: LLVMBuildStore(p->b, llvm_value(p, n->arg[1]), p->value[n->arg[0]]); break;
  case KN_STORE: case KN_ADD_TO: store(p, n); break;
  case KN_SINCOS: sine_and_cosine(p, v); break;
  case KN_IF: open_if(p, v); break;
  case KN_ELSE: open_else(p, v); break;
  case KN_LOOP: open_loop(p, v, p->whole, llvm_value(p, n->arg[0]), llvm_value(p, n->arg[1])); break;
  case KN_INSTANCES: open_instances(p, v); break;
  case KN_BREAK: LLVMBuildBr(p->b, p->after[n->index]); leave(p); break;
  case KN_CLOSE: close_block(p, n->index); break;
  case KN_RETURN:
    if (n->arg[0] == K_NONE) LLVMBuildRetVoid(p->b); else LLVMBuildRet(p->b, llvm_value(p, n->arg[0]));
    leave(p);
    break;
  default: p->value[v] = llvm_make(p, v);
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
  Printer p = llvm_printer(a, module, k, symbols);
  LLVMTypeRef *param = ARENA_ARRAY(a, LLVMTypeRef, k->nparam + 1);
  for (int i = 0; i < k->nparam; i++) param[i] = llvm_type(&p, k->param[i].type);
  p.function = LLVMAddFunction(module, k->name,
                               LLVMFunctionType(llvm_type(&p, k->result), param, (unsigned)k->nparam, 0));
  llvm_begin(&p);
  // A step that the next one waits for: values are not paired in vectors, which must be permuted on the way. Nor in
  // long kernels, where pairs are looked for in a time that grows with the square.
  if (k->result == KT_INT || k->n > LLVM_WIDE)
    llvm_attribute(&p, p.function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noimplicitfloat", false);
  for (int i = 0; i < k->nparam; i++)
    if (k->param[i].type == KT_OUTPUT) llvm_attribute(&p, p.function, (LLVMAttributeIndex)i + 1, "noalias", false);
  body(&p);
  llvm_end(&p);
  return p.function;
}
