// Kernels run as they say: random ones by an interpreter, and by libtcc, cc and LLVM from what the printers make of
// them, bit by bit. And a few whose results are known.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "compiler/emit/c_kernel.h"
#include "compiler/jit/jit.h"
#include "tests/unit/kernel/interpreter.h"
#include "tests/unit/kernel/random_kernel.h"
#include "tests/unit/thin.h"

enum { RANDOM = THIN > 1 ? 18 : 100, BY_CC = 3 };
typedef double (*Function)(const double *, double *, int);

// The text of a model that has the kernel in place of `sizes`.
static const char *model_with(Arena *a, const KKernel *k, int part) {
  Text t = {0};
  text_add(&t, "#include \"nsm_abi.h\"\n");
  c_kernel(a, k, part, &t);
  text_printf(&t, "static const nsm_class none[] = { { 0 } };\n"
              "static const nsm_model model = { .version = NSM_ABI_VERSION, .cls = none,\n"
              "  .sizes = (void (*)(const double *, double *))%s };\n"
              "const nsm_model *nsm_model_get(void) { return &model; }\n", k->name);
  const char *r = arena_strndup(a, text_str(&t), t.n);
  text_free(&t);
  return r;
}

static Jit *compiled_model(Arena *a, JitBackend backend, const PlanKernel *of, int part) {
  PlanKernels *all = ARENA_NEW(a, PlanKernels);
  all->n = 1;
  all->at = ARENA_NEW(a, PlanKernel);
  *all->at = *of;
  JitStatus status;
  const char *why = "", *text = model_with(a, of->kernel, part);
  Jit *j = jit_compile(a, backend, text, all, &status, &why);
  if (!j) fail_msg("%s in\n%s", why, text);
  return j;
}

static Jit *compiled_in_parts(Arena *a, JitBackend backend, const KKernel *k, int part, Function *f) {
  PlanKernel one = { .cls = -1, .offset = offsetof(nsm_model, sizes), .kernel = k };
  Jit *j = compiled_model(a, backend, &one, part);
  union { void (*sizes)(const double *, double *); Function f; } u = { jit_model(j)->sizes };
  *f = u.f;
  return j;
}

static Jit *compiled(Arena *a, JitBackend backend, const KKernel *k, Function *f) {
  return compiled_in_parts(a, backend, k, backend == JIT_TCC ? FOR_LIBTCC : 0, f);
}

static void inputs(double *in, double *out, int seed) {
  static const double special[] = { 0.0, -0.0, 1, -1, 2.5, -3.75, 1e-300, 1e300 };
  for (int i = 0; i < 8; i++) {
    in[i] = seed == 0 ? special[i] : (draw(2001) - 1000) / 128.0;
    out[i] = seed == 1 ? special[7 - i] : (draw(2001) - 1000) / 256.0;
  }
}

static bool same(double x, double y) { return memcmp(&x, &y, sizeof x) == 0 || (x != x && y != y); }

static void agrees(Arena *a, JitBackend backend, const KKernel *k) {
  static const char *const name[] = { "libtcc", "cc", "LLVM" };
  Function f;
  Jit *j = compiled(a, backend, k, &f);
  for (int seed = 0; seed < 6; seed++) {
    double in[8], want_out[8], out[8];
    inputs(in, out, seed);
    memcpy(want_out, out, sizeof out);
    double want = interpret(k, in, want_out, seed % 5), got = f(in, out, seed % 5);
    bool good = same(want, got);
    for (int i = 0; i < 8; i++) good &= same(want_out[i], out[i]);
    if (!good) fail_msg("%s gives %.17g, not %.17g, or other results, for\n%s", name[backend], got, want,
                        model_with(a, k, 0));
  }
  jit_free(j);
}

static void random_kernels(void **unused) {
  (void)unused;
  bool llvm = jit_llvm_version() != NULL;
  if (!llvm) print_message("without LLVM\n");
  for (int i = 0; i < RANDOM; i++) {
    Arena *a = arena_new();
    const KKernel *k = random_kernel(a, KT_DOUBLE);
    agrees(a, JIT_TCC, k);
    if (llvm && i % 5 == 0) agrees(a, JIT_LLVM, k);
    if (i < BY_CC) agrees(a, JIT_CC, k);
    arena_free(a);
  }
}

// --- several runs at a time ---
typedef void (*Together)(const double *const *, double *const *, const int *, int *);

// By LLVM, with the functions that one run has: as a sweep takes it over between two runs.
static Jit *compiled_together(Arena *a, const KKernel *k, Together *f, int *lanes) {
  Jit *j = compiled_model(a, JIT_AUTO, &(PlanKernel){ .cls = -1, .offset = offsetof(nsm_model, sizes), .kernel = k,
                                                      .together = true }, FOR_LIBTCC);
  while (!jit_between_runs(j, 1e9, false)) usleep(1000);
  jit_between_runs(j, 1e9, true);
  union { void (*f)(double *const *, const double *const *, const double *, const int *, double *const *, int *);
          Together together; } u = { jit_model(j)->together_recorded };
  *f = u.together;
  *lanes = jit_model(j)->lanes;
  return j;
}

static bool has_lanes(void) {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

// Runs of which some take no part: each gives what it gives alone, and what the others have stays.
static void random_kernels_together(void **unused) {
  (void)unused;
  enum { MOST = 8 };
  if (!jit_llvm_version()) { print_message("without LLVM\n"); return; }
  for (int i = 0; i < RANDOM / 8; i++) {
    Arena *a = arena_new();
    const KKernel *k = random_kernel(a, KT_INT);
    Together f;
    int lanes;
    Jit *j = compiled_together(a, k, &f, &lanes);
    assert_true(lanes > 0 || !has_lanes());
    for (int turn = 0; turn < 4 && lanes > 0; turn++) {
      double in[MOST][8], out[MOST][8], want_out[MOST][8], *to[MOST];
      const double *from[MOST];
      int n[MOST], done[MOST], want[MOST];
      for (int l = 0; l < lanes; l++) {
        inputs(in[l], out[l], turn + l);
        memcpy(want_out[l], out[l], sizeof out[l]);
        from[l] = in[l];
        to[l] = out[l];
        n[l] = draw(5);
        done[l] = draw(4) > 0;
        want[l] = done[l] ? (int)interpret(k, in[l], want_out[l], n[l]) : 0;
      }
      f(from, to, n, done);
      for (int l = 0; l < lanes; l++) {
        bool good = done[l] == want[l];
        for (int e = 0; e < 8; e++) good &= same(want_out[l][e], out[l][e]);
        if (!good) fail_msg("run %d of %d gives %d, not %d, or other results, for\n%s", l, lanes, done[l], want[l],
                            model_with(a, k, 0));
      }
    }
    jit_free(j);
    arena_free(a);
  }
}

// --- results that are known ---

// The largest i < n with in[0] + ... + in[i - 1] < in[7], by a loop with a break; out[0]: that sum.
static const KKernel *search(Arena *a) {
  KBuilder *b = k_begin(a, "search", KT_DOUBLE);
  KValue in = k_param(b, KT_INPUT, "in"), out = k_param(b, KT_OUTPUT, "out"), n = k_param(b, KT_INT, "n");
  KValue sum = k_variable(b, "sum", k_number(b, 0)), found = k_variable(b, "found", k_integer(b, 0));
  KValue i = k_loop(b, "i", k_integer(b, 0), n);
  KValue next = k_op2(b, OP_PLUS, k_get(b, sum), k_at(b, in, i));
  k_if(b, k_op2(b, OP_LE, k_at_number(b, in, 7), next));
  k_break(b);
  k_close(b);
  k_set(b, sum, next);
  k_set(b, found, k_op2(b, OP_PLUS, k_get(b, found), k_integer(b, 1)));
  k_close(b);
  k_store(b, out, k_integer(b, 0), k_get(b, sum));
  k_return(b, k_double(b, k_get(b, found)));
  return k_end(b);
}

// What was read before a store is what stood there before: swaps two elements, and a variable.
static const KKernel *swap(Arena *a) {
  KBuilder *b = k_begin(a, "swap", KT_DOUBLE);
  k_param(b, KT_INPUT, "in");
  KValue out = k_param(b, KT_OUTPUT, "out");
  k_param(b, KT_INT, "n");
  KValue v = k_variable(b, "v", k_number(b, 1));
  KValue first = k_at_number(b, out, 0), second = k_at_number(b, out, 1), old = k_get(b, v);
  k_set(b, v, k_number(b, 2));
  k_store(b, out, k_integer(b, 0), second);
  k_store(b, out, k_integer(b, 1), first);
  k_return(b, k_op2(b, OP_MINUS, old, k_get(b, v)));
  return k_end(b);
}

static void by(JitBackend backend) {
  Arena *a = arena_new();
  Function f;
  double in[8] = { 1, 2, 3, 4, 5, 6, 7, 6.5 }, out[8] = { 10, 20 };
  Jit *j = compiled(a, backend, search(a), &f);
  assert_true(f(in, out, 7) == 3 && out[0] == 6);
  assert_true(f(in, out, 2) == 2 && out[0] == 3);
  assert_true(f(in, out, 0) == 0 && out[0] == 0);
  jit_free(j);
  out[0] = 10;
  j = compiled(a, backend, swap(a), &f);
  assert_true(f(in, out, 0) == -1 && out[0] == 20 && out[1] == 10);
  jit_free(j);
  arena_free(a);
}

static void known_results(void **unused) {
  (void)unused;
  by(JIT_TCC);
  by(JIT_CC);
  if (jit_llvm_version()) by(JIT_LLVM);
}

// --- parts ---

// Straight code: values of all that came before, sines and cosines, conditions, stores and loads of what was stored.
static const KKernel *straight(Arena *a) {
  enum { VALUES = 200 };
  static const Op two[] = { OP_PLUS, OP_MINUS, OP_TIMES, OP_MIN };
  KBuilder *b = k_begin(a, "straight", KT_VOID);
  KValue in = k_param(b, KT_INPUT, "in"), out = k_param(b, KT_OUTPUT, "out"), x[VALUES + 1], c = K_NONE;
  k_param(b, KT_INT, "n");
  for (int i = 0; i < VALUES; i++) {
    KValue u = i ? x[draw(i)] : K_NONE, v = i ? x[i - 1 - draw(i < 20 ? i : 20)] : K_NONE;
    switch (i < 8 ? 9 : draw(10)) {
    case 0: k_sincos(b, u, &x[i], &x[i + 1]); i++; break;
    case 1: c = k_op2(b, OP_LT, u, v); x[i] = k_choose(b, c, u, v); break;
    case 2: x[i] = k_at_number(b, out, draw(8)); break;
    case 5:
      c = k_op2(b, OP_OR, k_op2(b, OP_EQ, u, k_number(b, 0)), k_op2(b, OP_EQ, v, k_number(b, 0)));
      x[i] = k_choose(b, c, k_number(b, 0), k_op2(b, OP_TIMES, u, v));
      break;
    case 3: k_store(b, out, k_integer(b, draw(8)), v); x[i] = u; break;
    case 4: k_add_to(b, out, k_integer(b, draw(8)), v); x[i] = c == K_NONE ? v : k_choose(b, c, v, u); break;
    case 9: x[i] = k_at_number(b, in, draw(8)); break;
    default: x[i] = k_op2(b, two[draw(4)], u, v);
    }
  }
  return k_end(b);
}

// Long kernels in parts give the same bits as whole.
static void parts(void **unused) {
  (void)unused;
  int most = 0, chains = 0;
  for (int i = 0; i < RANDOM; i++) {
    Arena *a = arena_new();
    const KKernel *k = straight(a);
    Function f[2];
    Text t = {0};
    int part = 5 + draw(60), n = 0;
    c_kernel(a, k, part, &t);
    for (const char *at = text_str(&t); (at = strstr(at, "NSM_PART_OF_KERNEL")); at++) n++;
    chains += strstr(text_str(&t), "nsm_chain(") != NULL;
    if (n > most) most = n;
    text_free(&t);
    JitBackend backend = i < BY_CC ? JIT_CC : JIT_TCC;
    Jit *j[2] = { compiled_in_parts(a, JIT_TCC, k, 0, &f[0]), compiled_in_parts(a, backend, k, part, &f[1]) };
    for (int seed = 0; seed < 6; seed++) {
      double in[8], out[2][8];
      inputs(in, out[0], seed);
      memcpy(out[1], out[0], sizeof out[0]);
      for (int w = 0; w < 2; w++) ((void (*)(const double *, double *, int))(uintptr_t)f[w])(in, out[w], 0);
      for (int r = 0; r < 8; r++)
        if (!same(out[0][r], out[1][r]))
          fail_msg("parts of %d nodes change a result of\n%s", part, model_with(a, k, part));
    }
    jit_free(j[0]);
    jit_free(j[1]);
    arena_free(a);
  }
  assert_true(most > 20 && chains > 0);
}

// --- tiers ---

static Function function_of(const Jit *j) {
  union { void (*sizes)(const double *, double *); Function f; } u = { jit_model(j)->sizes };
  return u.f;
}

// A run that takes long gets other code between two steps, with the same results; a short one keeps what it has.
static void tiers(void **unused) {
  (void)unused;
  if (!jit_llvm_version()) { print_message("without LLVM\n"); return; }
  Arena *a = arena_new();
  Function first;
  double in[8] = { 1, 2, 3, 4, 5, 6, 7, 6.5 }, out[8] = { 0 };
  Jit *j = compiled(a, JIT_AUTO, search(a), &first);
  volatile double work = 0;
  long next = jit_between_steps(j, 0, 1000000), done = 0;
  for (; next < 1000000 && done < 1000000; done++) {        // microseconds: over before LLVM would be
    work = work + 1;
    if (done >= next) next = jit_between_steps(j, done, 1000000);
  }
  assert_true(function_of(j) == first);
  jit_free(j);
  j = compiled(a, JIT_AUTO, search(a), &first);
  for (next = jit_between_steps(j, 0, LONG_MAX / 2), done = 0; next < LONG_MAX; done++) {
    for (int i = 0; i < 2000; i++) work = work + 1;
    if (done >= next) next = jit_between_steps(j, done, LONG_MAX / 2);
  }
  assert_true(function_of(j) != first);
  assert_true(function_of(j)(in, out, 7) == 3 && out[0] == 6);
  jit_free(j);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(known_results), cmocka_unit_test(random_kernels),
                                      cmocka_unit_test(random_kernels_together),
                                      cmocka_unit_test(parts), cmocka_unit_test(tiers) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
