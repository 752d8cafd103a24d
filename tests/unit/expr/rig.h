// Shared by the expr tests: a pool with named symbols, short spellings, and printing into a static buffer.
#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../../../compiler/expr/expr.h"

static Arena *rig_arena;
static Pool  *P;

__attribute__((unused)) static int rig_open(void **state) {
  (void)state;
  rig_arena = arena_new();
  P = pool_new(rig_arena);
  return 0;
}

__attribute__((unused)) static int rig_close(void **state) {
  (void)state;
  arena_free(rig_arena);
  return 0;
}

static double rig_at(int id, void *values) { return ((const double *)values)[id]; }

// The value of an expression; value of symbol id is values[id].
__attribute__((unused)) static double ex_eval_array(Pool *p, Ex e, const double *values) {
  return ex_eval(p, e, rig_at, (void *)(uintptr_t)values);
}

#define RIG_TEST(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)

// Symbols 0..25 are a..z; later ones x26, x27, ...
__attribute__((unused)) static const char *rig_name(int id, void *ctx) {
  static char name[16];
  (void)ctx;
  if (id < 26) snprintf(name, sizeof name, "%c", 'a' + id);
  else snprintf(name, sizeof name, "x%d", id);
  return name;
}

__attribute__((unused)) static const char *shown_by(void (*print)(Pool *, Ex, Text *, ExNamer, void *), Ex e) {
  static char ring[4][1 << 16];
  static int at;
  char *buffer = ring[at = (at + 1) % 4];
  Text t = {0};
  print(P, e, &t, rig_name, NULL);
  snprintf(buffer, sizeof ring[0], "%s", text_str(&t));
  text_free(&t);
  return buffer;
}

__attribute__((unused)) static const char *shown(Ex e) { return shown_by(ex_print, e); }
__attribute__((unused)) static const char *latex(Ex e) { return shown_by(ex_print_latex, e); }

__attribute__((unused)) static Ex num(double x) { return ex_num(P, x); }
__attribute__((unused)) static Ex sym(char c) { return ex_sym(P, c - 'a'); }
