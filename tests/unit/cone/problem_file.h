// A small reader of LCP, MLCP and relay files in the format of the public Siconos collection, for the tests only.
#pragma once
#include "bench.h"
#include <stdio.h>
#include <dirent.h>

typedef struct numbers { double *x; int n, at; } numbers;

// Every number of the file in order; what is no number ends it.
static inline numbers read_numbers(const char *path) {
  numbers t = { 0 };
  FILE *f = fopen(path, "r");
  int room = 0;
  char word[64];
  while (f && fscanf(f, "%63s", word) == 1) {
    char *end;
    double x = strtod(word, &end);
    if (*end) break;
    if (t.n == room) { room = 2 * room + 64; t.x = realloc(t.x, (size_t)room * 8); if (!t.x) abort(); }
    t.x[t.n++] = x;
  }
  if (f) fclose(f);
  return t;
}

static inline double next_number(numbers *t) { return t->at < t->n ? t->x[t->at++] : NAN; }

// matrix := storage rows cols ..., dense column-major or sparse block, into M [m*m] column-major.
static inline int read_matrix(numbers *t, int m, double *M) {
  int storage = (int)next_number(t);
  t->at += 2;
  if (storage == 0) {
    t->at += 2;
    for (int i = 0; i < m * m; i++) M[i] = next_number(t);
    return t->at <= t->n;
  }
  if (storage != 1) return 0;
  int blocks = (int)next_number(t), R = (int)next_number(t), C = (int)next_number(t);
  const double *rows = t->x + t->at, *columns = rows + R, *fill = columns + C, *start = fill + 2;
  int filled1 = (int)fill[0], filled2 = (int)fill[1];
  const double *index = start + filled1;
  t->at += R + C + 2 + filled1 + filled2;
  if (filled2 < blocks) return 0;
  for (int r = 0; r < R; r++)
    for (int b = (int)start[r]; b < (int)start[r + 1]; b++) {
      int c = (int)index[b], i0 = r ? (int)rows[r - 1] : 0, j0 = c ? (int)columns[c - 1] : 0;
      next_number(t);
      for (int j = j0; j < (int)columns[c]; j++)
        for (int i = i0; i < (int)rows[r]; i++) M[i + j * m] = next_number(t);
    }
  return t->at <= t->n;
}

static inline int read_lcp(numbers *t, bench *b, int relay) {
  int m = (int)next_number(t);
  if (!(m > 0 && m < 5000)) return 0;
  *b = bench_open(m, 0, 0);
  if (!read_matrix(t, m, b->M)) return 0;
  for (int i = 0; i < m; i++) b->q[i] = next_number(t);
  for (int i = 0; relay && i < m; i++) b->lo[i] = next_number(t);
  for (int i = 0; relay && i < m; i++) b->hi[i] = next_number(t);
  return t->at <= t->n;
}

static inline int read_mlcp(numbers *t, bench *b) {
  int one = (int)next_number(t);
  next_number(t);
  if (one != 1) return 0;
  int n = (int)next_number(t), k = (int)next_number(t), m = n + k, blocks = 0;
  *b = bench_open(m, 0, 0);
  const double *end = t->x + t->at + 1;
  if (m > 0) do
      blocks++;
    while (next_number(t) >= 0 && t->at < t->n && (int)t->x[t->at] <= m && (int)t->x[t->at - 1] < m && blocks < m + 2);
  blocks--;
  for (int i = 0, e = 0; i < blocks; i++) {
    int complementary = (int)next_number(t);
    for (; e < (int)end[i]; e++) if (!complementary) b->lo[e] = -HUGE_VAL;
  }
  if (!read_matrix(t, m, b->M)) return 0;
  for (int i = 0; i < m; i++) b->q[i] = next_number(t);
  return t->at <= t->n;
}

// 1 where it could be read; kind is the name of its folder.
static inline int read_problem_file(const char *kind, const char *path, bench *b) {
  numbers t = read_numbers(path);
  int ok = t.n > 0 && (strcmp(kind, "mlcp") == 0 ? read_mlcp(&t, b) : read_lcp(&t, b, strcmp(kind, "relay") == 0));
  free(t.x);
  return ok;
}
