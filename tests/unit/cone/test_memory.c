// Nothing is allocated after nsm_cone_workspace_size, and nothing is written beyond it.
#include "contacts.h"

// The sanitizers bring their own malloc; elsewhere every allocation of the program passes here and is counted.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long allocations;
void *malloc(size_t n) { allocations++; return __libc_malloc(n); }
void *calloc(size_t n, size_t size) { allocations++; return __libc_calloc(n, size); }
void *realloc(void *x, size_t n) { allocations++; return __libc_realloc(x, n); }
#else
static long allocations = 1;   // not counted
#endif

enum { SIZES = 40 / THIN };          // of a workspace that is too small

static void fill(bench *b, int kinds) {
  int m = b->p.m;
  if (!b->row_start) {
    fill_semidefinite(b, m, 0.5);
    for (int i = 0; i < m; i++) b->M[i + i * m] += 0.5;
  }
  fill_bounds(b, kinds);
  for (int i = 0; i < m; i++) b->q[i] = draw();
}

static void try_all(bench *b) {
  nsm_cone_options o = { 0 };
  nsm_cone_solve(&b->p, &o, b->work, b->lambda, b->u, &b->r);   // the C library takes its own buffers once
  long before = allocations;
  for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
    o.solver = *s;
    nsm_cone_solve(&b->p, &o, b->work, b->lambda, b->u, &b->r);
    b->p.matrix_id++;
  }
  assert_true(before > 0 && allocations == before);
}

static void nothing_is_allocated(void **state) {
  (void)state;
  const int sizes[] = { 1, 3, 5, 6, 20, 64, 65, 130 };
  for (int k = 0; k < (THIN > 1 ? 6 : 8); k++) {
    bench d = bench_open(sizes[k], 0, 0), c = bench_chain(sizes[k], -1, 2.1, -1);
    fill(&d, 7);
    fill(&c, 7);
    try_all(&d);
    try_all(&c);
    bench_close(&d);
    bench_close(&c);
  }
}

static void fill_blocks(bench *b) {
  int m = b->p.m;
  fill_semidefinite(b, m, 0);
  for (int i = 0; i < m; i++) { b->M[i + i * m] += 0.5; b->q[i] = draw(); }
}

// The same with blocks of every type, of one contact and of many.
static void nothing_is_allocated_for_blocks(void **state) {
  (void)state;
  for (int count = 1; count <= 40; count = 2 * count + 1) {
    nsm_cone_block *cone;
    bench b = bench_blocks(count, 31, count - 1, 7, 1, &cone);
    fill_blocks(&b);
    try_all(&b);
    bench_close(&b);
    free(cone);
  }
}

// Any smaller workspace: an answer or a failure, and the bytes behind it untouched.
static void small_workspace(void **state) {
  (void)state;
  for (int m = 2; m <= 40; m += 19) {
    bench b = bench_open(m, 0, 0);
    fill(&b, 7);
    size_t full = nsm_cone_workspace_size(m, (size_t)(m * m), m), least = nsm_cone_workspace_size(0, 0, 0);
    for (size_t bytes = full; bytes > least; bytes -= (full - least) / SIZES + 1) {
      unsigned char *work = malloc(bytes + 64);
      memset(work, 0x5a, bytes + 64);
      nsm_cone_workspace_init(work, bytes);
      nsm_cone_status s = nsm_cone_solve(&b.p, NULL, work, b.lambda, b.u, &b.r);
      assert_true(s == NSM_CONE_SOLVED || s == NSM_CONE_FAILED);
      if (s == NSM_CONE_SOLVED) assert_solved(&b);
      for (int i = 0; i < 64; i++) assert_int_equal(work[bytes + (size_t)i], 0x5a);
      free(work);
    }
    bench_close(&b);
  }
}

static void small_workspace_for_blocks(void **state) {
  (void)state;
  for (int count = 1; count <= 12; count += 5) {
    nsm_cone_block *cone;
    bench b = bench_blocks(count, 31, 3, 7, 1, &cone);
    int m = b.p.m;
    fill_blocks(&b);
    size_t full = nsm_cone_workspace_size_with(m, (size_t)(m * m), m, count), least = nsm_cone_workspace_size(0, 0, 0);
    for (size_t bytes = full; bytes > least; bytes -= (full - least) / SIZES + 1) {
      unsigned char *work = malloc(bytes + 64);
      memset(work, 0x5a, bytes + 64);
      nsm_cone_workspace_init(work, bytes);
      for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
        nsm_cone_options o = { .solver = *s };
        nsm_cone_status status = nsm_cone_solve(&b.p, &o, work, b.lambda, b.u, &b.r);
        assert_true(status == NSM_CONE_SOLVED || status == NSM_CONE_FAILED);
        if (status == NSM_CONE_SOLVED) assert_laws(&b);
        else if (bytes == full && strcmp(*s, "auto") == 0) fail_msg("the workspace that was asked for does not do");
      }
      for (int i = 0; i < 64; i++) assert_int_equal(work[bytes + (size_t)i], 0x5a);
      free(work);
    }
    bench_close(&b);
    free(cone);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_is_allocated), cmocka_unit_test(small_workspace),
                                      cmocka_unit_test(nothing_is_allocated_for_blocks),
                                      cmocka_unit_test(small_workspace_for_blocks) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
