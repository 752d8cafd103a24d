// For the tests of the readers: a text read, an entry of M, a fault with its place.
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/problems/reader.h"
#include "seeds.h"

static inline nsm_problem *read_text(const char *text, const char *name, nsm_problem_kind kind) {
  nsm_problem_error e;
  nsm_problem *p = nsm_problem_parse(text, strlen(text), name, kind, &e);
  if (!p) fail_msg("%s: %ld:%ld: %s", name, e.line, e.column, e.text);
  return p;
}

static inline double entry(const nsm_problem *p, int i, int j) {
  if (!p->p.row_start) return p->p.M[i + j * p->p.m];
  for (int k = p->p.row_start[i]; k < p->p.row_start[i + 1]; k++)
    if (p->p.col[k] == j) return p->p.M[k];
  return 0;
}

// M row by row.
static inline void assert_matrix(const nsm_problem *p, const double *rows) {
  for (int i = 0; i < p->p.m; i++)
    for (int j = 0; j < p->p.m; j++)
      if (entry(p, i, j) != rows[i * p->p.m + j])
        fail_msg("M[%d][%d] is %g, not %g", i, j, entry(p, i, j), rows[i * p->p.m + j]);
}

static inline void assert_vector(const double *x, const double *want, int n) {
  for (int i = 0; i < n; i++)
    if (!(x[i] == want[i] || (isnan(x[i]) && isnan(want[i])))) fail_msg("entry %d is %g, not %g", i, x[i], want[i]);
}

// The text is refused where its mark '@' stands (which is taken out; without a mark: no place), with `says` in the
// message.
static inline void assert_fault(const char *marked, nsm_problem_kind kind, const char *says) {
  char text[2000];
  nsm_problem_error e;
  const char *mark = strchr(marked, '@');
  size_t before = mark ? (size_t)(mark - marked) : 0;
  long line = 0, column = 0;
  assert_true(strlen(marked) < sizeof text);
  memcpy(text, marked, before);
  strcpy(text + before, marked + before + (mark != NULL));
  if (mark)
    for (size_t k = line = column = 1; k <= before; k++) {
      column++;
      if (text[k - 1] == '\n') {
        line++;
        column = 1;
      }
    }
  nsm_problem *p = nsm_problem_parse(text, strlen(text), "", kind, &e);
  if (p) fail_msg("this was read: %s", text);
  if (e.line != line || e.column != column || !strstr(e.text, says) || e.code != NSM_PROBLEM_WRONG)
    fail_msg("%s\n%ld:%ld: %s\nexpected %ld:%ld: ... %s", text, e.line, e.column, e.text, line, column, says);
}
