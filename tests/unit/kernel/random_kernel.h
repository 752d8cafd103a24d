// Random kernels double f(const double *in, double *out, int n), in[8], out[8], n from 0 to 4: values of each kind,
// variables, branches, loops with breaks, early returns. For several runs at a time: int f(the same).
#pragma once
#include "compiler/kernel/kernel.h"

typedef struct Generator {
  KBuilder *b;
  KValue in, out, n, x[64], variable[3], whole, number; int nx;
  KValue counter; int loops;
  KType result;
} Generator;

static unsigned long long state_of_random = 0xfeed;
static int draw(int n) {
  state_of_random = state_of_random * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((state_of_random >> 33) % (unsigned)n);
}

static KValue some(Generator *g) { return g->x[draw(g->nx)]; }

static KValue returned(Generator *g) { return g->result == KT_INT ? k_get(g->b, g->whole) : some(g); }

static KValue some_index(Generator *g, int most) {
  if (g->counter != K_NONE && draw(2)) return g->counter;   // below 4
  if (draw(4) == 0) return k_op2(g->b, OP_PLUS, k_get(g->b, g->whole), k_integer(g->b, draw(2)));
  return k_integer(g->b, draw(most));
}

static KValue array(Generator *g) { return draw(3) ? g->out : g->in; }

static void new_value(Generator *g) {
  static const Op two[] = { OP_PLUS, OP_MINUS, OP_TIMES, OP_OVER, OP_MIN, OP_MAX, OP_ATAN2 };
  static const Op compare[] = { OP_LT, OP_LE, OP_EQ };
  static const Op function[] = { OP_SQRT, OP_ABS, OP_FLOOR, OP_SIGN, OP_TANH, OP_OPPOSITE };
  KBuilder *b = g->b;
  KValue v;
  switch (draw(9)) {
  case 0: v = k_number(b, draw(9) - 4.5); break;
  case 1: v = k_at(b, array(g), some_index(g, 4)); break;
  case 2: v = k_get(b, g->variable[draw(3)]); break;
  case 3:                                                  // a number that others have, too, begins a product
    v = draw(3) ? k_op1(b, function[draw(6)], some(g))
                : k_op1(b, OP_OPPOSITE, k_op2(b, OP_TIMES, g->number, some(g)));
    break;
  case 4: {
    KValue c = k_op2(b, compare[draw(3)], some(g), some(g));
    if (draw(2)) c = k_op2(b, draw(2) ? OP_AND : OP_OR, c, draw(2) ? some(g) : k_op1(b, OP_NOT, some(g)));
    v = draw(4) ? k_choose(b, c, k_op1(b, OP_EXP, k_op1(b, OP_TANH, some(g))), some(g)) : k_double(b, c);
    break;
  }
  case 5: { KValue s, c; k_sincos(b, some(g), &s, &c); v = draw(2) ? k_op2(b, OP_TIMES, s, c) : c; break; }
  default: v = k_op2(b, two[draw(7)], some(g), some(g));
  }
  if (draw(12) == 0) k_mark(b, v);
  if (g->nx < 60) g->x[g->nx++] = v; else g->x[draw(60)] = v;
}

static void block(Generator *g, int depth, int length);

static void inner(Generator *g, int depth, int length) {    // values of the block go out of scope
  Generator save = *g;
  block(g, depth, length);
  save.loops = g->loops;
  *g = save;
}

static void new_statement(Generator *g, int depth) {
  KBuilder *b = g->b;
  KValue before = g->counter;
  char name[8];
  switch (draw(depth > 0 ? 8 : 4)) {
  case 0: k_set(b, g->variable[draw(3)], some(g)); break;
  case 1: k_store(b, g->out, some_index(g, 4), some(g)); break;
  case 2: k_add_to(b, g->out, some_index(g, 4), some(g)); break;
  case 3: k_set(b, g->whole, k_integer(b, draw(3))); break;
  case 4: case 5:
    k_if(b, k_op2(b, OP_LT, some(g), some(g)));
    inner(g, depth - 1, 5);
    if (g->counter != K_NONE && draw(6) == 0) k_break(b);
    if (draw(2)) { k_else(b); inner(g, depth - 1, 5); }
    k_close(b);
    break;
  case 6:
    if (draw(8) == 0) { k_if(b, k_op2(b, OP_EQ, some(g), some(g))); k_return(b, returned(g)); k_close(b); }
    break;
  default:
    snprintf(name, sizeof name, "i%d", g->loops++);
    g->counter = k_loop(b, name, k_integer(b, draw(2)), draw(2) ? g->n : k_op2(b, OP_PLUS, k_get(b, g->whole),
                                                                               k_integer(b, 1)));
    inner(g, depth - 1, 6);
    g->counter = before;
    k_close(b);
  }
}

static void block(Generator *g, int depth, int length) {
  for (int i = 0; i < length; i++) { new_value(g); if (draw(2)) new_value(g); new_statement(g, depth); }
}

static const KKernel *random_kernel(Arena *a, KType result) {
  Generator g = { .b = k_begin(a, "f", result), .result = result, .counter = K_NONE };
  g.in = k_param(g.b, KT_INPUT, "in");
  g.out = k_param(g.b, KT_OUTPUT, "out");
  g.n = k_param(g.b, KT_INT, "n");
  g.x[g.nx++] = k_at_number(g.b, g.in, 0);
  g.x[g.nx++] = g.number = k_number(g.b, 0.75);
  for (int i = 0; i < 3; i++) g.variable[i] = k_variable(g.b, (const char *[]){ "a", "b", "c" }[i], some(&g));
  g.whole = k_variable(g.b, "m", k_integer(g.b, 1));
  block(&g, 3, 12);
  k_return(g.b, returned(&g));
  return k_end(g.b);
}
