// Arena, interned strings, vectors, maps: against simple models of themselves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"

static void arena_memory_is_zeroed_aligned_and_stays(void **state) {
  (void)state;
  Arena *a = arena_new();
  unsigned char *kept[500];
  for (int k = 0; k < 500; k++) {
    size_t n = (size_t)(k * k) % 9001;
    kept[k] = arena_alloc(a, n);
    assert_int_equal((uintptr_t)kept[k] % _Alignof(max_align_t), 0);
    for (size_t i = 0; i < n; i++) assert_int_equal(kept[k][i], 0);
    memset(kept[k], k & 255, n);
  }
  for (int k = 0; k < 500; k++)
    for (size_t i = 0; i < (size_t)(k * k) % 9001; i++) assert_int_equal(kept[k][i], k & 255);
  assert_ptr_not_equal(arena_alloc(a, 0), arena_alloc(a, 0));
  assert_non_null(arena_alloc(a, 5 << 20));
  arena_free(a);
  arena_free(NULL);
}

static void arena_strings(void **state) {
  (void)state;
  Arena *a = arena_new();
  assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
  assert_string_equal(arena_strndup(a, NULL, 0), "");
  assert_string_equal(arena_printf(a, "%d %s", 42, "x"), "42 x");
  arena_free(a);
}

static void equal_text_is_one_pointer(void **state) {
  (void)state;
  Arena *a = arena_new();
  Interner *in = intern_new(a);
  const char *names[3000];
  for (int k = 0; k < 3000; k++) names[k] = intern(in, arena_printf(a, "name%d", k));
  for (int k = 0; k < 3000; k++) {
    char *again = arena_printf(a, "name%dtail", k);
    assert_ptr_equal(intern_n(in, again, strlen(again) - 4), names[k]);
    assert_ptr_not_equal(names[k], names[(k + 1) % 3000]);
  }
  assert_ptr_equal(intern(in, ""), intern_n(in, "abc", 0));
  arena_free(a);
}

static void vectors_grow_and_freeze(void **state) {
  (void)state;
  Arena *a = arena_new();
  Vec(int) v = {0};
  for (int k = 0; k < 1000; k++) vec_push(&v, k * 3);
  assert_int_equal(v.n, 1000);
  assert_int_equal(vec_last(&v), 2997);
  int *frozen = vec_freeze(a, &v);
  for (int k = 0; k < 1000; k++) assert_int_equal(frozen[k], k * 3);
  Vec(char) empty = {0};
  vec_free(&empty);
  assert_null(empty.at);
  arena_free(a);
}

static void maps_keep_order_and_replace(void **state) {
  (void)state;
  Arena *a = arena_new();
  Map *m = map_new(a);
  static int keys[2000], values[2000];
  for (int k = 0; k < 2000; k++) map_put(m, &keys[k], &values[k]);
  for (int k = 0; k < 2000; k += 2) map_put(m, &keys[k], &values[0]);
  assert_int_equal(map_size(m), 2000);
  for (int k = 0; k < 2000; k++) {
    assert_ptr_equal(map_key_at(m, (size_t)k), &keys[k]);
    assert_ptr_equal(map_get(m, &keys[k]), k % 2 ? &values[k] : &values[0]);
    assert_ptr_equal(map_value_at(m, (size_t)k), map_get(m, &keys[k]));
  }
  assert_null(map_get(m, &values[5]));
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(arena_memory_is_zeroed_aligned_and_stays), cmocka_unit_test(arena_strings),
    cmocka_unit_test(equal_text_is_one_pointer), cmocka_unit_test(vectors_grow_and_freeze),
    cmocka_unit_test(maps_keep_order_and_replace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
