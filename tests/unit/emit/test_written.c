// Constants are computed as written: random expressions of numbers, parameters and loop indices, in every place where
// one may stand, against a direct evaluation of the tree they were printed from. Equal bit by bit, by both backends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/compile_text.h"
#include "runtime/nsm_run.h"

enum { TREES = 30, MODELS = 40, BY_CC = 3, N = 7 };

static uint64_t state = 0xc0ffee;
static unsigned draw(unsigned n) {
  state = state*6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % n;
}

// --- a tree, its text, its value ---

typedef enum {
  NUMBER, PARAM, INDEX, ADD, SUB, MUL, DIV, NEG, POW, SQUARE, FLOOR, SIGN, ABS, SQRT, EXP, SIN, MIN, MAX, LESS, IF,
  KINDS
} Kind;
typedef struct Tree { Kind kind; double number; int which; struct Tree *a, *b, *c; } Tree;

static const char *const param_name[] = { "p", "q", "r" };
static double param_value[3];

static Tree *tree(int depth, bool index) {
  static const double numbers[] = { 0, 1, 2, 3, 0.5, 0.1, 7, 10, 1e-3, 1.0/3, 4, 0.25 };
  Tree *t = calloc(1, sizeof *t);
  t->kind = depth == 0 ? (Kind)draw(3) : (Kind)(ADD + draw(IF - ADD + 1));
  if (draw(7) == 0) t->kind = (Kind)draw(3);
  if (t->kind == LESS) t->kind = IF;
  if (t->kind == INDEX && !index) t->kind = PARAM;
  t->number = numbers[draw(12)];
  t->which = t->kind == PARAM ? (int)draw(3) : (int)draw(2);
  if (t->kind < ADD) return t;
  t->a = tree(depth - 1, index);
  bool two = t->kind <= DIV || t->kind == POW || t->kind == MIN || t->kind == MAX || t->kind == IF;
  if (two) t->b = tree(depth - 1, index);
  if (t->kind == IF) {
    t->c = calloc(1, sizeof *t);
    *t->c = (Tree){ .kind = LESS, .a = tree(depth - 1, index), .b = tree(depth - 1, index) };
  }
  return t;
}

static double value(const Tree *t, const double *at) {
  if (t->kind == IF) return value(t->c, at) != 0 ? value(t->a, at) : value(t->b, at);   // the other one may be nan
  double a = t->a ? value(t->a, at) : 0, b = t->b ? value(t->b, at) : 0;
  switch (t->kind) {
  case NUMBER: return t->number;
  case PARAM: return param_value[t->which];
  case INDEX: return at[t->which];
  case ADD: return a + b;
  case SUB: return a - b;
  case MUL: return a*b;
  case DIV: return a/b;
  case NEG: return -a;
  case POW: return pow(a, b);
  case SQUARE: return pow(a, 2);
  case FLOOR: return floor(a);
  case SIGN: return a > 0 ? 1 : a < 0 ? -1 : a;
  case ABS: return fabs(a);
  case SQRT: return sqrt(a);
  case EXP: return exp(a);
  case SIN: return sin(a);
  case MIN: return isnan(a) || isnan(b) ? NAN : a < b || (a == b && signbit(a)) ? a : b;
  case MAX: return isnan(a) || isnan(b) ? NAN : a > b || (a == b && !signbit(a)) ? a : b;
  case LESS: return a < b;
  default: return NAN;
  }
}

static void print(const Tree *t, Text *o) {
  static const char *const infix[KINDS] = { [ADD] = " + ", [SUB] = " - ", [MUL] = "*",
                                            [DIV] = "/",   [POW] = "^",   [LESS] = " < " };
  static const char *const call[KINDS] = { [FLOOR] = "floor", [SIGN] = "sign", [ABS] = "abs", [SQRT] = "sqrt",
                                           [EXP] = "exp", [SIN] = "sin", [MIN] = "min", [MAX] = "max" };
  if (t->kind == NUMBER) text_printf(o, "%.17g", t->number);
  else if (t->kind == PARAM) text_add(o, param_name[t->which]);
  else if (t->kind == INDEX) text_add(o, t->which ? "j" : "i");
  else if (t->kind == IF) {
    text_add(o, "(if "); print(t->c, o); text_add(o, " then "); print(t->a, o); text_add(o, " else "); print(t->b, o);
    text_addc(o, ')');
  } else if (infix[t->kind]) {
    text_addc(o, '('); print(t->a, o); text_add(o, infix[t->kind]); print(t->b, o); text_addc(o, ')');
  } else {
    text_add(o, call[t->kind] ? call[t->kind] : t->kind == NEG ? "(-" : "(");
    if (call[t->kind]) text_addc(o, '(');
    print(t->a, o);
    if (t->b) { text_add(o, ", "); print(t->b, o); }
    text_add(o, t->kind == SQUARE ? "^2)" : ")");
  }
}

static void release(Tree *t) {
  if (!t) return;
  release(t->a); release(t->b); release(t->c);
  free(t);
}

// One that has a value of moderate size for every index.
static Tree *sound_tree(bool index, double most) {
  for (;;) {
    Tree *t = tree(4, index);
    bool ok = true;
    for (int i = 1; i <= N; i++)
      for (int j = -1; j <= 2; j++) {
        double v = value(t, (double[]){ i, j });
        ok = ok && fabs(v) < most && (v == 0 || fabs(v) > 1e-100);
      }
    if (ok) return t;
    release(t);
  }
}

// --- places: each writes items of a model and says what the recorded column must be ---

typedef struct Case { Tree *t, *limit; int place; } Case;
enum { THE_OUTPUT, NESTED, START, DEFAULT, THE_RATE, FACTOR, TERM, CONDITION, JUMP, PICKED, BOUND, PLACES };

static void place(Text *models, Text *o, const Case *c, int k) {
  Text e = {0}, l = {0};
  print(c->t, &e);
  print(c->limit, &l);
  const char *x = text_str(&e), *y = text_str(&l);
  switch (c->place) {
  case THE_OUTPUT: text_printf(o, "  for i in 1:%d {  output o%d[i] = %s; }\n", N, k, x); break;
  case NESTED: text_printf(o, "  for i in 1:%d { for j in -1:2 { output o%d[i, j] = %s; } }\n", N, k, x); break;
  case START:
    text_printf(models, "model Part%d(s) { state x = s;  x' = 0; }\n", k);
    text_printf(o, "  Part%d o%d[i in 1:%d](s = %s);\n", k, k, N, x);
    break;
  case DEFAULT: text_printf(o, "  param d%d = %s;  output o%d = d%d;\n", k, x, k, k); break;
  case THE_RATE:
    text_printf(o, "  state o%d[%d] = 0;  for i in 1:%d {  o%d[i]' = %s; }\n", k, N, N, k, x);
    break;
  case FACTOR: text_printf(o, "  for i in 1:%d {  output o%d[i] = %s*one; }\n", N, k, x); break;
  case TERM: text_printf(o, "  for i in 1:%d {  output o%d[i] = 0*one - (%s); }\n", N, k, x); break;
  case CONDITION:
    text_printf(o, "  for i in 1:%d {  output o%d[i] = if %s <= %s then 1 else one - 1; }\n", N, k, x, y);
    break;
  case JUMP: text_printf(o, "  for i in 1:%d {  output o%d[i] = floor((%s)*one/3); }\n", N, k, x); break;
  case PICKED:
    text_printf(o, "  for i in 1:%d {  output o%d[i] = table[1 + floor(min(abs(%s), 6))]; }\n", N, k, x);
    break;
  case BOUND:
    text_printf(o, "  for i in 1:%d { for j in floor(min(%s, i)):i { output o%d[i, j] = j; } }\n", N, x, k);
    break;
  default: break;
  }
  text_free(&e);
  text_free(&l);
}

static double picked_value(int at) { return 0.1*at*at - 0.7; }

// The value of column (i, j); nan where there is none.
static double expected(const Case *c, int i, int j) {
  double at[2] = { i, c->place == NESTED ? j : 1 }, v = value(c->t, at);
  switch (c->place) {
  case TERM: return 0 - v;
  case CONDITION: return v <= value(c->limit, at);
  case JUMP: return floor(v/3);
  case PICKED: return picked_value(1 + (int)floor(fmin(fabs(v), 6)));
  case BOUND: return j >= floor(fmin(v, i)) && j <= i ? j : NAN;
  default: return v;
  }
}

static void model_text(Text *t, const Case *c) {
  Text models = {0}, items = {0};
  for (int k = 0; k < TREES; k++) place(&models, &items, &c[k], k);
  text_add(t, text_str(&models));
  text_printf(t, "model M {\n  param p = %.17g, q = %.17g, r = %.17g;\n", param_value[0], param_value[1],
              param_value[2]);
  text_add(t, "  param table = [");
  for (int i = 1; i <= 7; i++) text_printf(t, "%s%.17g", i > 1 ? ", " : "", picked_value(i));
  text_add(t, "];\n  var j = 1;  state one = 1;  one' = 0;\n");
  text_add(t, text_str(&items));
  text_add(t, "  simulate { until = 1, step = 1, scheme = moreau(theta = 1) }\n}\n");
  text_free(&models);
  text_free(&items);
}

// --- running it ---

static void column(nsm_sim *sim, const double *row, const Case *c, int k, int i, int j, const char *text) {
  char name[40];
  double want = expected(c, i, j);
  if (c->place == DEFAULT) snprintf(name, sizeof name, "o%d", k);
  else if (c->place == START) snprintf(name, sizeof name, "o%d[%d].x", k, i);
  else if (c->place == NESTED || c->place == BOUND) snprintf(name, sizeof name, "o%d[%d,%d]", k, i, j);
  else snprintf(name, sizeof name, "o%d[%d]", k, i);
  int at = nsm_find_column(sim, name);
  if (c->place == BOUND && isnan(want)) { assert_true(at < 0); return; }
  if (at < 0) fail_msg("no column %s in\n%s", name, text);
  bool algebra = c->place == START || c->place == TERM || c->place == THE_RATE || c->place == FACTOR;  // one zero
  bool same = algebra ? row[at] == want : memcmp(&row[at], &want, sizeof want) == 0;
  if (same) return;
  Text e = {0};
  print(c->t, &e);
  fail_msg("place %d, %s: %.17g (%a), as written %.17g (%a): %s", c->place, name, row[at], row[at], want, want,
           text_str(&e));
}

static void run(Compilation *c, JitBackend backend, const Case *cases, const char *text) {
  const char *why = "";
  JitStatus status;
  Jit *j = jit_compile(c->arena, backend, text_str(&c->c), &c->kernels, &status, &why);
  if (!j) fail_msg("%s in\n%s", why, text);
  nsm_settings set = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };
  nsm_error e;
  nsm_sim *sim = nsm_open(jit_model(j), &set, &e);
  if (!sim) fail_msg("%s in\n%s", e.text, text);
  assert_int_equal(nsm_step(sim, &e), NSM_OK);
  double *row = calloc((size_t)nsm_ncolumn(sim), sizeof *row);
  nsm_read(sim, row);
  for (int k = 0; k < TREES; k++)
    for (int i = 1; i <= (cases[k].place == DEFAULT ? 1 : N); i++)
      for (int n = -1; n <= (cases[k].place == NESTED ? 2 : cases[k].place == BOUND ? N : -1); n++)
        column(sim, row, &cases[k], k, i, n, text);
  free(row);
  nsm_close(sim);
  jit_free(j);
}

static void as_written(void **unused) {
  (void)unused;
  for (int m = 0; m < MODELS; m++) {
    static const double params[] = { 0.1, 7, 3, -0.3, 1.7, 12, 1e3, 0.05 };
    for (int i = 0; i < 3; i++) param_value[i] = params[draw(8)];
    Case c[TREES];
    for (int k = 0; k < TREES; k++) {
      c[k].place = (int)draw(PLACES);
      // sizes of tables stay small; only the loops of NESTED and BOUND bind j
      c[k].t = sound_tree(c[k].place != DEFAULT, 1e12);
      while (c[k].place == BOUND && !(value(c[k].t, (double[]){ 1, 1 }) > -1)) {
        release(c[k].t);
        c[k].t = sound_tree(true, 1e12);
      }
      c[k].limit = sound_tree(c[k].place != DEFAULT, 1e12);
    }
    for (int k = 0; k < TREES; k++)                     // a lower bound below -1 would make columns that nobody reads
      for (int i = 1; c[k].place == BOUND && i <= N; i++)
        if (!(value(c[k].t, (double[]){ i, 1 }) >= -1)) c[k].place = THE_OUTPUT;
    Text t = {0};
    model_text(&t, c);
    Compilation *compiled = compile_text(text_str(&t), STAGE_C);
    run(compiled, JIT_TCC, c, text_str(&t));
    if (m < BY_CC) run(compiled, JIT_CC, c, text_str(&t));
    compilation_free(compiled);
    text_free(&t);
    for (int k = 0; k < TREES; k++) {
      release(c[k].t);
      release(c[k].limit);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(as_written) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
