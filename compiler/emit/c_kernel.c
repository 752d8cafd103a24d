// Kernel -> C. Values are written where compiler/kernel/places.c puts them: alone, as a constant under a name, or
// within their user.
#include <math.h>
#include "../base/fatal.h"
#include "c_kernel.h"
#include "c_text.h"

typedef struct Printer {
  Arena *arena; const KKernel *k; Text *out;
  const KPlace *place;                 // NULL: everything is written within its user
  const char **name;                   // of what stands alone
  int temps, indent;
  bool *negated;                       // products and quotients whose first number takes a sign
  bool *nested;                        // is still to be set within its first use; libtcc: and loops test at their end
  bool calls;                          // nsm_chain is a function
  Numbers *numbers;                    // constants stand there and not in the text; NULL
} Printer;

static const KNode *node(const Printer *p, KValue v) { return &p->k->node[v]; }

static void line(const Printer *p) { for (int i = 0; i < p->indent; i++) text_add(p->out, "  "); }

// --- expressions ---

// C's precedence, higher binds tighter.
static int precedence(const KNode *n) {
  switch (n->code) {
  case KN_NUMBER: return signbit(n->number) ? 7 : 9;
  case KN_INTEGER: return n->index < 0 ? 7 : 9;
  case KN_DOUBLE: return 7;
  case KN_TRUTH: return 3;
  case KN_OP: break;
  default: return 9;
  }
  switch (n->op) {
  case OP_IF: return 0;
  case OP_OR: return 1;
  case OP_AND: return 2;
  case OP_EQ: return 3;
  case OP_LT: case OP_LE: return 4;
  case OP_PLUS: case OP_MINUS: return 5;
  case OP_TIMES: case OP_OVER: return 6;
  default: return 7;                                        // the sign, `!`
  }
}

static void print(Printer *p, KValue v, int least);
static void number(const Printer *p, double x);
static void expression(Printer *p, KValue v);

static void arguments(Printer *p, const KNode *n) {
  for (int i = 0; i < n->narg; i++) {
    if (i) text_add(p->out, ", ");
    print(p, n->arg[i], 0);
  }
}

// libtcc takes what stands on the right of a sum or product from memory, and loads what stands on the left.
static bool swaps(const Printer *p, const KNode *n) {
  bool stands[2];
  if (!p->nested || n->type != KT_DOUBLE || (n->op != OP_PLUS && n->op != OP_TIMES)) return false;
  for (int i = 0; i < 2; i++) {
    KCode c = node(p, n->arg[i])->code;
    stands[i] = p->place[n->arg[i]] == KP_ALONE ? !p->nested[n->arg[i]] : c == KN_NUMBER || c == KN_GET;
  }
  return stands[0] && !stands[1];
}

// The product or quotient that begins with a number, as v within its user does, and takes the sign for libtcc: that
// would subtract the whole from -0. Others may have the same number.
static KValue with_number(const Printer *p, KValue v) {
  while (p->nested && p->place[v] == KP_INSIDE && node(p, v)->code == KN_OP &&
         (node(p, v)->op == OP_TIMES || node(p, v)->op == OP_OVER)) {
    KValue first = node(p, v)->arg[0];
    if (p->place[first] == KP_INSIDE && node(p, first)->code == KN_NUMBER) return v;
    v = first;
  }
  return K_NONE;
}

static void operand(Printer *p, const KNode *n, int i, int level) {
  if (i == 0 && p->nested && p->negated[n - p->k->node]) number(p, -node(p, n->arg[0])->number);
  else print(p, n->arg[i], level);
}

static bool is_zero(const Printer *p, KValue v, KValue x) {
  const KNode *n = node(p, v), *zero = n->narg == 2 ? node(p, n->arg[1]) : NULL;
  return n->code == KN_OP && n->op == OP_EQ && n->arg[0] == x && zero->code == KN_NUMBER && zero->number == 0;
}

// `x == 0 || y == 0 ? 0 : x*y`, a product of derivatives (compiler/kernel/values.c), which an optimising compiler is to
// find as a function. The node of x*y, or NULL.
static const KNode *chain_product(const Printer *p, const KNode *n) {
  if (!p->calls || n->code != KN_OP || n->op != OP_IF) return NULL;
  const KNode *none = node(p, n->arg[0]), *zero = node(p, n->arg[1]), *product = node(p, n->arg[2]);
  bool like = none->code == KN_OP && none->op == OP_OR && zero->code == KN_NUMBER && zero->number == 0 &&
              product->code == KN_OP && product->op == OP_TIMES && p->place[n->arg[0]] != KP_ALONE &&
              p->place[n->arg[2]] != KP_ALONE;
  if (!like || !is_zero(p, none->arg[0], product->arg[0]) || !is_zero(p, none->arg[1], product->arg[1])) return NULL;
  return product;
}

static void operation(Printer *p, const KNode *n) {
  int level = precedence(n), first = swaps(p, n);
  const KNode *product = chain_product(p, n);
  switch (n->op) {
  case OP_IF:
    if (product) {
      text_add(p->out, "nsm_chain(");
      arguments(p, product);
      text_addc(p->out, ')');
      break;
    }
    print(p, n->arg[0], 1); text_add(p->out, " ? ");
    print(p, n->arg[1], 1); text_add(p->out, " : ");
    print(p, n->arg[2], 1);
    break;
  case OP_OPPOSITE: case OP_NOT:
    if (n->op == OP_OPPOSITE && with_number(p, n->arg[0]) != K_NONE) {
      p->negated[with_number(p, n->arg[0])] = true;
      text_addc(p->out, '(');
      print(p, n->arg[0], 0);
      text_addc(p->out, ')');
      break;
    }
    text_add(p->out, ex_op_cname(n->op));
    print(p, n->arg[0], 8);
    break;
  default:
    operand(p, n, first, level == 1 ? 3 : level);          // C compilers want parentheses around `and` within `or`
    if (level < 6) text_addc(p->out, ' ');
    text_add(p->out, ex_op_cname(n->op));
    if (level < 6) text_addc(p->out, ' ');
    operand(p, n, !first, level == 1 ? 3 : level + 1);
  }
}

static void element(Text *out, const char *array, long long at) {
  text_add(out, array);
  text_addc(out, '[');
  text_integer(out, at);
  text_addc(out, ']');
}

static void number(const Printer *p, double x) {
  if (!p->numbers) { c_number(x, p->out); return; }
  element(p->out, "d", (long long)p->numbers->n);
  vec_push(p->numbers, x);
}

// What stands in memory under its name.
static void set(Printer *p, KValue v) {
  p->nested[v] = false;
  text_printf(p->out, "%s = ", p->name[v]);
  expression(p, v);
}

// |v| of what has a name, without a copy of it.
static void size(Printer *p, KValue v) {
  bool now = p->nested[v];
  if (now) { text_addc(p->out, '('); set(p, v); text_add(p->out, ", "); }
  text_printf(p->out, "nsm_size_of(%s)%s", p->name[v], now ? ")" : "");
}

static void expression(Printer *p, KValue v) {
  const KNode *n = node(p, v);
  Text *o = p->out;
  switch (n->code) {
  case KN_NUMBER:
    number(p, n->number);
    break;
  case KN_INTEGER: text_integer(o, n->index); break;
  case KN_PARAM: text_add(o, n->name); break;
  case KN_COUNTER: text_add(o, node(p, n->index)->name); break;
  case KN_SLOT: element(o, "ix", n->index); break;
  case KN_COLUMN: element(o, "c", n->index); break;
  case KN_FIELD: print(p, n->arg[0], 9); text_add(o, "->"); text_add(o, k_field_info((KField)n->index)->name); break;
  case KN_AT: print(p, n->arg[0], 9); text_addc(o, '['); print(p, n->arg[1], 0); text_addc(o, ']'); break;
  case KN_FROM: print(p, n->arg[0], 9); text_add(o, " + "); print(p, n->arg[1], 7); break;
  case KN_GET: text_add(o, node(p, n->arg[0])->name); break;
  case KN_SINE: case KN_COSINE: text_add(o, p->name[v]); break;
  case KN_OP: operation(p, n); break;
  case KN_CALL:
    if (p->nested && n->index == KS_nsm_abs && p->place[n->arg[0]] == KP_ALONE) { size(p, n->arg[0]); break; }
    text_add(o, k_symbol_info((KSymbol)n->index)->name);
    text_addc(o, '(');
    arguments(p, n);
    text_addc(o, ')');
    break;
  case KN_DOUBLE: text_add(o, "(double)"); print(p, n->arg[0], 8); break;
  case KN_TRUTH: print(p, n->arg[0], 4); text_add(o, " != 0.0"); break;
  case KN_LIST:
    text_add(o, n->narg ? "(const double[]){ " : "0");
    arguments(p, n);
    if (n->narg) text_add(o, " }");
    break;
  default: FATAL("node %d of kernel %s is no value", v, p->k->name);
  }
}

static void print(Printer *p, KValue v, int least) {
  if (p->nested && p->nested[v]) { text_addc(p->out, '('); set(p, v); text_addc(p->out, ')'); return; }
  if (p->place && p->place[v] == KP_ALONE) { text_add(p->out, p->name[v]); return; }
  bool wrap = precedence(node(p, v)) < least && !chain_product(p, node(p, v));
  if (wrap) text_addc(p->out, '(');
  expression(p, v);
  if (wrap) text_addc(p->out, ')');
}

// A value where C converts it to a double by itself.
static void print_double(Printer *p, KValue v) {
  const KNode *n = node(p, v);
  bool within = !p->place || p->place[v] != KP_ALONE;
  print(p, n->code == KN_DOUBLE && within ? n->arg[0] : v, 0);
}

// --- statements ---

static const char *new_name(Printer *p, const KNode *n) {
  if (n->name) return n->name;
  Text t = {0};
  text_addc(&t, 't');
  text_integer(&t, p->temps++);
  const char *name = arena_strndup(p->arena, t.at, t.n);
  text_free(&t);
  return name;
}

static void constant(Printer *p, KValue v) {
  const KNode *n = node(p, v);
  p->name[v] = new_name(p, n);
  if (p->nested && p->nested[v]) { text_printf(p->out, "double %s;", p->name[v]); return; }
  bool array = n->type > KT_BOOL;                           // `const int *ix`
  if (!array) text_add(p->out, "const ");
  text_add(p->out, k_type_name(n->type));
  if (!array) text_addc(p->out, ' ');
  text_add(p->out, p->name[v]);
  text_add(p->out, " = ");
  if (n->code == KN_DOUBLE) print(p, n->arg[0], 0); else expression(p, v);
  text_addc(p->out, ';');
}

static void sine_and_cosine(Printer *p, KValue v) {
  INVARIANT(node(p, v + 1)->code == KN_SINE && node(p, v + 2)->code == KN_COSINE);
  for (int i = 1; i <= 2; i++) p->name[v + i] = new_name(p, node(p, v + i));
  text_printf(p->out, "double %s, %s;\n", p->name[v + 1], p->name[v + 2]);
  line(p);
  text_add(p->out, "nsm_sincos(");
  print(p, node(p, v)->arg[0], 0);
  text_printf(p->out, ", &%s, &%s);", p->name[v + 1], p->name[v + 2]);
}

static void store(Printer *p, const KNode *n) {
  bool add = n->code == KN_ADD_TO;
  const KNode *array = node(p, n->arg[0]), *index = node(p, n->arg[1]);
  if (add && array->code == KN_PARAM && index->code == KN_INTEGER && index->index == 0)
    text_printf(p->out, "*%s", array->name);                // a sum that the caller reads
  else { print(p, n->arg[0], 9); text_addc(p->out, '['); print(p, n->arg[1], 0); text_addc(p->out, ']'); }
  text_add(p->out, add ? " += " : " = ");
  print_double(p, n->arg[2]);
  text_addc(p->out, ';');
}

// The loop over instances walks along the rows of the tables that it reads.
static void instances(Printer *p, const KNode *n) {
  const char *table = node(p, n->arg[0])->name;
  text_printf(p->out, "const int n = %s->count;\n", table);
  if (k_uses(p->k, KN_SLOT, -1)) { line(p); text_printf(p->out, "const int *ix = %s->ix;\n", table); }
  if (k_uses(p->k, KN_COLUMN, -1)) { line(p); text_printf(p->out, "const double *c = %s->num;\n", table); }
  line(p);
  if (p->nested) text_printf(p->out, "{ int %s = 0; if (n > 0) do {", n->name);
  else text_printf(p->out, "for (int %s = 0; %s < n; %s++) {", n->name, n->name, n->name);
}

// Of a loop that tests at its end.
static void test(Printer *p, const KNode *opened) {
  text_printf(p->out, " while (++%s < ", opened->name);
  if (opened->code == KN_LOOP) print(p, opened->arg[1], 5); else text_addc(p->out, 'n');
  text_add(p->out, "); }");
}

static void close_block(Printer *p, const KNode *opened) {
  if (opened->code == KN_INSTANCES) {
    if (k_uses(p->k, KN_SLOT, -1)) { line(p); text_printf(p->out, "ix += %d;\n", opened->index); }
    if (k_uses(p->k, KN_COLUMN, -1)) { line(p); text_printf(p->out, "c += %d;\n", (int)opened->number); }
  }
  p->indent--;
  line(p);
  text_addc(p->out, '}');
  if (p->nested && (opened->code == KN_INSTANCES || opened->code == KN_LOOP)) test(p, opened);
}

static void loop(Printer *p, const KNode *n) {
  text_printf(p->out, p->nested ? "{ int %s = " : "for (int %s = ", n->name);
  print(p, n->arg[0], 0);
  text_printf(p->out, p->nested ? "; if (%s < " : "; %s < ", n->name);
  print(p, n->arg[1], 5);
  if (p->nested) text_add(p->out, ") do {");
  else text_printf(p->out, "; %s++) {", n->name);
}

static void statement(Printer *p, KValue v) {
  const KNode *n = node(p, v);
  Text *o = p->out;
  if (n->code == KN_ELSE) p->indent--;
  if (n->code != KN_CLOSE) line(p);
  switch (n->code) {
  case KN_VARIABLE:
    text_printf(o, "%s %s = ", k_type_name(node(p, n->arg[0])->type), n->name);
    print_double(p, n->arg[0]);
    text_addc(o, ';');
    break;
  case KN_SET: text_printf(o, "%s = ", node(p, n->arg[0])->name); print_double(p, n->arg[1]); text_addc(o, ';'); break;
  case KN_STORE: case KN_ADD_TO: store(p, n); break;
  case KN_SINCOS: sine_and_cosine(p, v); break;
  case KN_IF: text_add(o, "if ("); print(p, n->arg[0], 0); text_add(o, ") {"); break;
  case KN_ELSE: text_add(o, "} else {"); break;
  case KN_LOOP: loop(p, n); break;
  case KN_INSTANCES: instances(p, n); break;
  case KN_BREAK: text_add(o, "break;"); break;
  case KN_CLOSE: close_block(p, node(p, n->index)); break;
  case KN_RETURN:
    text_add(o, n->arg[0] == K_NONE ? "return" : "return ");
    if (n->arg[0] != K_NONE) print_double(p, n->arg[0]);
    text_addc(o, ';');
    break;
  default:
    if (n->type == KT_VOID) { expression(p, v); text_addc(o, ';'); } else constant(p, v);
  }
  if (n->code == KN_IF || n->code == KN_ELSE || n->code == KN_LOOP || n->code == KN_INSTANCES) p->indent++;
  if (n->text) { text_addc(o, ' '); c_comment(n->text, o); }
  text_addc(o, '\n');
}

static bool is_written(const Printer *p, KValue v) {
  return p->place[v] == KP_ALONE && node(p, v)->code != KN_PARAM;
}

static void statements(Printer *p) {
  for (int i = 0; i < p->k->n; i++) if (is_written(p, i)) statement(p, i);
}

// --- functions ---

static Printer printer(Arena *a, const KKernel *k, int indent, Text *out) {
  return (Printer){ .arena = a, .k = k, .out = out, .place = k_places(a, k),
                    .name = ARENA_ARRAY(a, const char *, k->n + 1), .indent = indent };
}

// attribute: "" or "NSM_PART_OF_KERNEL "; number 0: the kernel itself; more: what stands behind its parameters.
static void head(const KKernel *k, const char *attribute, int number, const char *more, Text *out) {
  text_printf(out, "%sstatic %s %s", attribute, k_type_name(k->result), k->name);
  if (number) text_printf(out, "_part_%d", number);
  text_addc(out, '(');
  for (int i = 0; i < k->nparam; i++)
    text_printf(out, "%s%s%s%s", i ? ", " : "", k_type_name(k->param[i].type), k->param[i].type <= KT_BOOL ? " " : "",
                k->param[i].name);
  text_printf(out, "%s) {\n", k->nparam ? more : "void");
}

// --- long kernels ---
//
// Straight code of many statements is written in parts, functions of their own that are called one after the other.
// Values that a later part needs go through the array w. The same operations in the same order: the same bits.

typedef struct Parts {
  Printer p;
  int *of, *last, *seen;                 // [n] part that writes a value; the last that needs it; the last that has it
  int *slot;                             // [n] its place in w
  int *spare, nspare, nw, n;             // places of w that are free again; places; parts
} Parts;

// What a value stands under a name in: itself, or of sine and cosine the call.
static int writer(KCode c, KValue v, const KNode *n) {
  return c == KN_SINE || c == KN_COSINE ? n->arg[0] : v;
}

// Calls `note` for each named value that node v is written with.
static void named_in(Parts *q, KValue v, int part, void (*note)(Parts *, KValue, int)) {
  const KNode *n = node(&q->p, v);
  for (int i = 0; i < n->narg; i++) {
    KValue a = n->arg[i];
    if (a == K_NONE) continue;
    const KNode *x = node(&q->p, a);
    if (x->code == KN_SINE || x->code == KN_COSINE || (q->p.place[a] == KP_ALONE && x->code != KN_PARAM))
      note(q, a, part);
    else named_in(q, a, part, note);
  }
}

static void note_use(Parts *q, KValue v, int part) {
  if (k_is_array(node(&q->p, v)->type)) named_in(q, v, part, note_use);     // written anew
  if (q->last[v] < part) q->last[v] = part;
}

// Only straight code of values and stores; arrays are fields of structures, and can be written again.
static bool splits(const Printer *p, int part) {
  if (part <= 0 || p->k->n <= FEWEST_PARTS * part || p->k->result != KT_VOID) return false;
  for (int i = 0; i < p->k->n; i++) {
    const KNode *n = node(p, i);
    if (!is_written(p, i)) continue;
    if (n->code > KN_LIST && n->code != KN_STORE && n->code != KN_ADD_TO) return false;
    if (n->code == KN_GET || n->code == KN_COUNTER) return false;
    if (k_is_array(n->type) && n->code != KN_FIELD) return false;
  }
  return true;
}

// An array is written again, anything else is read from w; once in each part.
static void take_part(Parts *q, KValue v, int part) {
  Printer *p = &q->p;
  const KNode *n = node(p, v);
  if (q->seen[v] == part || q->of[writer(n->code, v, n)] == part) return;
  q->seen[v] = part;
  line(p);
  if (k_is_array(n->type)) {
    const char *name = p->name[v];
    text_printf(p->out, "%s%s = ", k_type_name(n->type), name);
    expression(p, v);
    text_add(p->out, ";\n");
  } else text_printf(p->out, "const %s %s = w[%d];\n", k_type_name(n->type), p->name[v], q->slot[v]);
}

static void keep_for_later(Parts *q, KValue v, int part) {
  if (q->last[v] <= part || k_is_array(node(&q->p, v)->type)) return;
  q->slot[v] = q->nspare ? q->spare[--q->nspare] : q->nw++;
  line(&q->p);
  text_printf(q->p.out, "w[%d] = %s;\n", q->slot[v], q->p.name[v]);
}

static void write_part(Parts *q, int part, int from, int to) {
  for (int i = from; i < to; i++) if (is_written(&q->p, i)) named_in(q, i, part, take_part);
  for (int i = from; i < to; i++) {
    if (!is_written(&q->p, i)) continue;
    statement(&q->p, i);
    KCode c = node(&q->p, i)->code;
    for (int k = c == KN_SINCOS; k <= 2*(c == KN_SINCOS); k++) keep_for_later(q, i + k, part);
  }
  for (int v = 0; v < to; v++)
    if (q->slot[v] >= 0 && q->last[v] == part) q->spare[q->nspare++] = q->slot[v];
}

static void long_kernel(Arena *a, Printer *p, int part, Text *out) {
  int n = p->k->n, *first = ARENA_ARRAY(a, int, n / part + 3);
  Parts q = { .p = *p, .of = ARENA_ARRAY(a, int, n), .last = ARENA_ARRAY(a, int, n), .seen = ARENA_ARRAY(a, int, n),
              .slot = ARENA_ARRAY(a, int, n), .spare = ARENA_ARRAY(a, int, n) };
  for (int i = 0; i < n; i++) {
    q.slot[i] = -1;
    if (is_written(p, i) && (q.n == 0 || i - first[q.n - 1] >= part)) first[q.n++] = i;
    q.of[i] = q.n;                                      // parts count from 1
    if (is_written(p, i)) named_in(&q, i, q.n, note_use);
  }
  first[q.n] = n;
  for (int k = 1; k <= q.n; k++) {
    head(p->k, "NSM_PART_OF_KERNEL ", k, ", double *w", out);
    write_part(&q, k, first[k - 1], first[k]);
    text_add(out, "}\n");
  }
  head(p->k, "", 0, "", out);
  text_printf(out, "  double w[%d];\n", q.nw + 1);
  for (int k = 1; k <= q.n; k++) {
    text_printf(out, "  %s_part_%d(", p->k->name, k);
    for (int i = 0; i < p->k->nparam; i++) text_printf(out, "%s, ", p->k->param[i].name);
    text_add(out, "w);\n");
  }
  text_add(out, "}\n");
}

void c_kernel(Arena *a, const KKernel *k, int part, Text *out) {
  if (k->about) { c_comment(k->about, out); text_addc(out, '\n'); }
  Printer p = printer(a, k, 1, out);
  p.calls = part > 0;
  if (part == FOR_LIBTCC) {
    p.nested = k_nested(a, k, p.place);
    p.negated = ARENA_ARRAY(a, bool, k->n + 1);
  }
  if (splits(&p, part)) { long_kernel(a, &p, part, out); return; }
  head(k, "", 0, "", out);
  statements(&p);
  text_add(out, "}\n");
}

void c_body(Arena *a, const KKernel *k, int indent, Numbers *numbers, Text *out) {
  Printer p = printer(a, k, indent, out);
  p.numbers = numbers;
  statements(&p);
}

void c_expression(Arena *a, const KKernel *k, KValue v, Text *out) {
  Printer p = { .arena = a, .k = k, .out = out };
  print_double(&p, v);
}
