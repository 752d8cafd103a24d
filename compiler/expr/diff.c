// Partial derivatives: the chain rule on the DAG, every node once per symbol, remembered for the life of the pool.
#include "pool_impl.h"

static uint32_t memo_slot(const Pool *p, Ex e, int id) {
  uint64_t h = ((uint64_t)e << 32 | (uint32_t)id)*UINT64_C(0x9e3779b97f4a7c15);
  uint32_t at = (uint32_t)(h >> 32) & (p->cap_memo - 1);
  while (p->memo[at].e != EX_NONE && (p->memo[at].e != e || p->memo[at].id != id)) at = (at + 1) & (p->cap_memo - 1);
  return at;
}

static void memo_put(Pool *p, Ex e, int id, Ex d) {
  if (p->n_memo*2 >= p->cap_memo) {
    DiffMemo *old = p->memo;
    uint32_t old_cap = p->cap_memo;
    p->cap_memo = old_cap ? old_cap*2 : 256;
    p->memo = ARENA_ARRAY(p->arena, DiffMemo, p->cap_memo);
    for (uint32_t i = 0; i < old_cap; i++)
      if (old[i].e != EX_NONE) p->memo[memo_slot(p, old[i].e, old[i].id)] = old[i];
  }
  p->memo[memo_slot(p, e, id)] = (DiffMemo){e, id, d};
  p->n_memo++;
}

// One symbol, or two that move together; key: its name in the memo.
typedef struct Direction { int id, also, key; } Direction;

// The derivative of e if it is known already: 0 for what cannot contain the symbol, else from the memo, else EX_NONE.
static Ex known(Pool *p, Ex e, Direction d) {
  uint64_t bits = symbol_bit(d.id) | (d.also >= 0 ? symbol_bit(d.also) : 0);
  if (!(node_of(p, e)->symbols & bits) || node_of(p, e)->top_symbol < (d.also >= 0 && d.also < d.id ? d.also : d.id))
    return ex_num(p, 0);
  return p->cap_memo ? p->memo[memo_slot(p, e, d.key)].d : EX_NONE;
}

// The derivative of what is tall is a quantity of its own: the products of a long chain would grow with its square.
enum { TALL = 40 };

static Ex diff_along(Pool *p, Ex e, Direction way);

static Ex derive_one(Pool *p, Ex e, Direction way, const Ex *d, int n) {
  if (node_of(p, e)->op == OP_SYM) return ex_num(p, ex_symbol(p, e) == way.id || ex_symbol(p, e) == way.also ? 1 : 0);
  bool constant = true;
  for (int i = 0; i < n; i++) constant = constant && ex_is_num(p, d[i], 0);
  if (constant) return ex_num(p, 0);
  Ex inner = power_of_power_base(p, e);
  Ex r = op_derivative(p, e, d, inner ? diff_along(p, inner, way) : EX_NONE);
  return node_of(p, e)->height > TALL ? build_shared(p, r) : r;
}

Ex ex_diff(Pool *p, Ex e, int id) { return diff_along(p, e, (Direction){id, -1, id}); }

enum { TWO = 1 << 30 };                               // symbols have smaller numbers

Ex ex_diff_two(Pool *p, Ex e, int id, int also) {
  INVARIANT(id < TWO && also >= 0);
  return diff_along(p, e, (Direction){id, also, id | TWO});
}

static Ex diff_along(Pool *p, Ex e, Direction id) {
  INVARIANT(e != EX_NONE && e < p->n_nodes && id.id >= 0);
  Ex result = known(p, e, id);
  if (result) return result;

  typedef struct { Ex e; int next; } Frame;           // depth first, arguments before users
  Vec(Frame) stack = {0};
  ExVec d = {0};
  vec_push(&stack, ((Frame){e, 0}));
  while (stack.n) {
    Frame *top = &vec_last(&stack);
    Ex at = top->e;
    int n = node_of(p, at)->n_args;
    if (top->next < n) {
      Ex child = args_of(p, at)[top->next++];
      if (!known(p, child, id)) vec_push(&stack, ((Frame){child, 0}));
      continue;
    }
    stack.n--;
    d.n = 0;
    for (int i = 0; i < n; i++) vec_push(&d, known(p, args_of(p, at)[i], id));
    result = derive_one(p, at, id, d.at, n);
    memo_put(p, at, id.key, result);
  }
  vec_free(&stack);
  vec_free(&d);
  return result;
}
