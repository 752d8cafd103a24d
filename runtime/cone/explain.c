// Why there is no solution, in words: the rows of the proof (certificate.c) and by how much they miss.
#include "solver.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4, NAME = 160 };

typedef struct words { char *out; size_t size, at; } words;

static void say(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *w, const char *format, ...) {
  va_list list;
  if (w->at >= w->size) return;
  va_start(list, format);
  int n = vsnprintf(w->out + w->at, w->size - w->at, format, list);
  va_end(list);
  if (n > 0) w->at += (size_t)n;
}

// What is asked of u_i: 1 >= 0, -1 <= 0, 0 = 0.
static int side_of(const nsm_cone_problem *p, int i) {
  for (int c = 0; c < p->cones; c++)
    if (i >= p->cone[c].first && i < p->cone[c].first + p->cone[c].size) return !nsm_cone_is_grip(p->cone[c].type);
  return p->lo[i] > -HUGE_VAL ? 1 : p->hi[i] < HUGE_VAL ? -1 : 0;
}

// The rows that weigh most, by the size of y_i q_i and, where that is 0, of y_i; how many there are in all.
static int largest_rows(const nsm_cone_problem *p, const double *y, int *row) {
  int many = 0, kept = 0;
  double weight[MOST], all = 0;
  for (int i = 0; i < p->m; i++) all = fmax(all, fabs(y[i] * p->q[i]));
  for (int i = 0; i < p->m; i++) {
    double x = fabs(y[i] * p->q[i]) + 1e-9 * all * fabs(y[i]);
    if (!(x > 0) || (all > 0 && fabs(y[i]) < 1e-9 && x < 1e-9 * all)) continue;
    many++;
    int at = kept < MOST ? kept++ : x > weight[MOST - 1] ? MOST - 1 : -1;
    for (; at > 0 && weight[at - 1] < x; at--) { weight[at] = weight[at - 1]; row[at] = row[at - 1]; }
    if (at >= 0) { weight[at] = x; row[at] = i; }
  }
  return many;
}

// How far it can go: whatever the multipliers, or as long as numbers can tell. part: of its terms, what multipliers
// without bounds add (certificate.c, zeta); above round-off they could do it where the margin is nothing beside them.
static void say_reach(words *w, double part, double margin) {
  if (part > 1e-12) say(w, "unless its terms reach %.1g, beside which that is round-off", margin / part);
  else say(w, "whatever the multipliers");
}

int nsm_cone_explain(const nsm_cone_problem *p, const void *workspace, nsm_cone_name *name, void *with, char *out,
                     size_t size) {
  static const char *const must[] = { "<= 0", "0", ">= 0" };
  double margin;
  const double *y = nsm_cone_proof(workspace, &margin);
  double part = ((const nsm_cone_work *)workspace)->zeta;
  int row[MOST];
  char text[NAME];
  words w = { out, size, 0 };
  if (size > 0) *out = 0;
  if (!y) {
    say(&w, "every way to satisfy the laws was tried, and none satisfies all of them");
    return -1;
  }
  int many = largest_rows(p, y, row), shown = many < MOST ? many : MOST;
  if (many == 1) {
    name(with, row[0], text, sizeof text);
    say(&w, "%s must be %s, but cannot %s %.3g ", text, must[1 + side_of(p, row[0])],
        y[row[0]] > 0 ? "rise above" : "fall below", -margin / y[row[0]]);
    say_reach(&w, part, margin);
    return row[0];
  }
  double unit = 0;
  for (int k = 0; k < shown; k++) unit = fmax(unit, fabs(y[row[k]]));
  for (int k = 0; k < shown; k++) {
    double f = y[row[k]] / unit;
    name(with, row[k], text, sizeof text);
    say(&w, k == 0 ? f < 0 ? "-" : "" : f < 0 ? " - " : " + ");
    if (fabs(fabs(f) - 1) > 1e-9) say(&w, "%.3g * ", fabs(f));
    say(&w, "%s", text);
  }
  if (many > shown) say(&w, " + ... (%d more rows)", many - shown);
  say(&w, " cannot rise above %.3g ", -margin / unit);
  say_reach(&w, part, margin);
  say(&w, ", but ");
  int sides = 0;
  for (int k = 0; k < shown; k++) sides |= 1 << (1 + side_of(p, row[k]));
  if (sides == 1 || sides == 2 || sides == 4) say(&w, "each must be %s", must[sides >> 1]);
  else
    for (int k = 0; k < shown; k++) {
      name(with, row[k], text, sizeof text);
      say(&w, "%s%s must be %s", k == 0 ? "" : k + 1 < shown ? ", " : " and ", text, must[1 + side_of(p, row[k])]);
    }
  return row[0];
}
