// Types, fields and functions that kernels know.
#include <stddef.h>
#include <string.h>
#include "../base/fatal.h"
#include "../../runtime/nsm_abi.h"
#include "kernel.h"

const char *k_type_name(KType t) {
  static const char *const name[] = {
#define TYPE(name, c) c,
#include "types.def"
#undef TYPE
  };
  INVARIANT(t < KT_COUNT);
  return name[t];
}

bool k_is_array(KType t) { return t == KT_INPUT || t == KT_OUTPUT || t == KT_INDICES; }

const KFieldInfo *k_field_info(KField f) {
  static const KFieldInfo info[] = {
#define FIELD(type, structure, name, result) { #name, KT_##type, KT_##result, (int)offsetof(structure, name) },
#include "fields.def"
#undef FIELD
  };
  INVARIANT(f < KF_COUNT);
  return &info[f];
}

const KSymbolInfo *k_symbol_info(KSymbol s) {
  static const KSymbolInfo info[] = {
#define SYMBOL(name, result, arguments, pure) { #name, result, arguments, pure },
#include "symbols.def"
#undef SYMBOL
  };
  INVARIANT(s < KS_COUNT);
  return &info[s];
}

bool k_symbol_of_op(Op op, KSymbol *s) {
  const char *name = ex_op_cname(op);
  for (*s = 0; *s < KS_COUNT; (*s)++) if (!strcmp(name, k_symbol_info(*s)->name)) return true;
  return false;
}
