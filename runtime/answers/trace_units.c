// Where all directions are units, one for each number of the state, there are more of them than unknowns that the state
// at the end hangs on. So rows of the inverse are found of these unknowns, and multiplied by the right sides,
//
//   dw_c = - sum over equations i, and numbers s that they hang on, of (A^-1)_ci R_is
//
#include "trace.h"
#include "runtime/schemes/schemes.h"
#include <stdlib.h>
#include <string.h>

// n unknowns, of the places in the factors; wide: n rounded up; inverse [nw, wide], by [lanes, wide], to [wide, lanes].
struct trace_units { int n, wide, *unknown, *place; double *inverse, *by, *to; };

static int unknowns(const trace *t, const int *unit, unsigned char *is) {
  const trace_rows *r = &t->rows;
  int n = 0;
  for (const trace_stand *x = t->stands, *end = x + t->nstands; x < end; x++) {
    if (unit[x->number] < 0) continue;
    for (int e = x->row.first + x->row.given; e < x->row.first + x->row.n; e++) {
      unsigned char *of = &is[r->of[e] - r->ngiven];
      n += !*of;
      *of = 1;
    }
  }
  return n;
}

static trace_units *opened(const trace *t, const int *unit, int lanes) {
  unsigned char *is = calloc((size_t)t->nw + 1, 1);
  if (!is) return NULL;
  const int n = unknowns(t, unit, is), wide = (n + 15) / 16 * 16;
  size_t doubles = (size_t)wide * (size_t)(t->nw + 2 * lanes);
  trace_units *u = malloc(sizeof *u + doubles * sizeof(double) + 2 * (size_t)n * sizeof(int));
  if (u) {
    double *at = (double *)(u + 1);
    *u = (trace_units){ n, wide, (int *)(at + doubles), (int *)(at + doubles) + n, at, at + wide * t->nw,
                        at + wide * (t->nw + lanes) };
    trace_matrix_places(t, is, u->unknown, u->place);
  }
  free(is);
  return u;
}

static void add(int n, double by, const double *restrict x, double *restrict to) {
  for (int j = 0; j < n; j++) to[j] += by * x[j];
}

static SIM_WIDE void products(const trace *t, const trace_units *u, const trace_along *a, const double *scale) {
  const trace_rows *r = &t->rows;
  const size_t wide = (size_t)u->wide;
  memset(u->by, 0, (size_t)a->lanes * wide * sizeof *u->by);
  for (int i = 0; i < t->nw; i++) {
    const double *row = u->inverse + (size_t)i * wide;
    for (int e = r->eq[i].first; e < r->eq[i].first + r->eq[i].given; e++) {
      const double x = -scale[i] * r->value[e], *seed = a->seed[r->of[e]];
      const int unit = x != 0 ? a->unit[r->of[e]] : TRACE_NO_DIRECTION;
      if (unit >= 0) add(u->wide, x, row, u->by + (size_t)unit * wide);
      for (int j = 0; unit == TRACE_HAS_LANES && j < a->lanes; j++)
        if (seed[j] != 0) add(u->wide, x * seed[j], row, u->by + (size_t)j * wide);
    }
  }
}

// [lanes, wide] to [wide, lanes], four numbers at a time.
static SIM_WIDE void turn(const trace_units *u, int lanes) {
  typedef double four __attribute__((vector_size(32), aligned(8)));
  const double *from = u->by;
  for (int j = 0; j < lanes; j++)
    for (int i = 0; i < u->wide; i += 4, from += 4) {
      const four x = *(const four *)from;
      double *to = u->to + (size_t)i * (size_t)lanes + j;
      for (int k = 0; k < 4; k++, to += lanes) *to = x[k];
    }
}

int trace_units_push(trace *t, const trace_along *a, const int *unit, const double *scale) {
  if (!t->units) t->units = opened(t, unit, a->lanes);
  const trace_units *u = t->units;
  if (!u) return 0;
  trace_matrix_inverse(t, u->place, u->n, u->inverse, u->wide);
  products(t, u, a, scale);
  turn(u, a->lanes);
  for (int i = 0; i < u->n; i++) {
    a->seed[t->rows.ngiven + u->unknown[i]] = u->to + (size_t)i * (size_t)a->lanes;
    a->unit[t->rows.ngiven + u->unknown[i]] = TRACE_HAS_LANES;
  }
  return 1;
}
