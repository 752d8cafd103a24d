// Where all directions are units, one for each number of the state, there are more of them than unknowns that the state
// at the end hangs on. So rows of the inverse are found of these unknowns, and multiplied by the right sides,
//
//   dw_c = - sum over equations i, and numbers s that they hang on, of (A^-1)_ci R_is
//
#include "trace.h"
#include "runtime/schemes/schemes.h"
#include <stdlib.h>
#include <string.h>

// n unknowns, of the places in the factors; wide: n rounded up; inverse [nw, wide], to [wide, lanes]. start, entry: of
// each given seed the entries that equations have of it. seed_of [lanes]; laned: seeds that have lanes of their own.
typedef struct units_entry { int eq, entry; } units_entry;
typedef struct units_part { double by; const double *row; } units_part;
struct trace_units {
  int n, wide, nlaned, *unknown, *place, *start, *seed_of, *laned;
  units_entry *entry;
  units_part *part;
  double *inverse, *by, *to;
};
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

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

static void take_entries(const trace *t, trace_units *u) {
  const trace_rows *r = &t->rows;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < t->nw; i++)
      for (int e = r->eq[i].first; e < r->eq[i].first + r->eq[i].given; e++) {
        if (pass == 0) u->start[r->of[e] + 2]++;
        else u->entry[u->start[r->of[e] + 1]++] = (units_entry){ i, e };
      }
    for (int s = 0; pass == 0 && s < r->ngiven; s++) u->start[s + 2] += u->start[s + 1];
  }
}

static trace_units *opened(const trace *t, const int *unit, int lanes) {
  const trace_rows *r = &t->rows;
  unsigned char *is = calloc((size_t)t->nw + 1, 1);
  if (!is) return NULL;
  const int n = unknowns(t, unit, is), wide = (n + 15) / 16 * 16;
  size_t entries = 0, doubles = (size_t)wide * (size_t)(t->nw + lanes + 4);
  for (int i = 0; i < t->nw; i++) entries += (size_t)r->eq[i].given;
  size_t ints = 2 * (size_t)n + 2 * (size_t)r->ngiven + 2 + (size_t)lanes;
  trace_units *u = calloc(1, sizeof *u + doubles * sizeof(double) + entries * (sizeof *u->entry + sizeof *u->part) +
                                 ints * sizeof(int));
  if (u) {
    u->n = n;
    u->wide = wide;
    u->inverse = (double *)(u + 1);
    u->by = u->inverse + wide * t->nw;
    u->to = u->by + 4 * wide;
    u->part = (units_part *)(u->to + wide * lanes);
    u->entry = (units_entry *)(u->part + entries);
    u->unknown = (int *)(u->entry + entries);
    u->place = u->unknown + n;
    u->seed_of = u->place + n;
    u->laned = u->seed_of + lanes;
    u->start = u->laned + r->ngiven;
    trace_matrix_places(t, is, u->unknown, u->place);
    take_entries(t, u);
  }
  free(is);
  return u;
}

// ---- products -------------------------------------------------------------------------------------------------------
static int add_parts(const trace *t, const trace_units *u, const double *scale, int seed, double times, int n) {
  for (const units_entry *e = u->entry + u->start[seed], *end = u->entry + u->start[seed + 1]; e < end; e++) {
    const double x = -scale[e->eq] * t->rows.value[e->entry] * times;
    if (x != 0) u->part[n++] = (units_part){ x, u->inverse + (size_t)e->eq * (size_t)u->wide };
  }
  return n;
}

// All unknowns along direction j: sums of rows of the inverse, sixteen numbers in registers.
static inline __attribute__((always_inline)) void along(const trace *t, const trace_units *u, const trace_along *a,
                                                        const double *scale, int j, double *to) {
  int n = u->seed_of[j] >= 0 ? add_parts(t, u, scale, u->seed_of[j], 1, 0) : 0;
  for (int i = 0; i < u->nlaned; i++)
    if (a->seed[u->laned[i]][j] != 0) n = add_parts(t, u, scale, u->laned[i], a->seed[u->laned[i]][j], n);
  for (int c = 0; c < u->wide; c += 16) {
    four x[4] = { { 0 } };
    for (const units_part *k = u->part, *end = k + n; k < end; k++)
      for (int i = 0; i < 4; i++) x[i] += k->by * *(const four *)(k->row + c + 4 * i);
    for (int i = 0; i < 4; i++) *(four *)(to + c + 4 * i) = x[i];
  }
}

// Four directions at a time, turned: to [wide, lanes].
static NSM_WIDE void products(const trace *t, const trace_units *u, const trace_along *a, const double *scale) {
  typedef long index __attribute__((vector_size(32)));
  const index even = { 0, 4, 2, 6 }, odd = { 1, 5, 3, 7 }, low = { 0, 1, 4, 5 }, high = { 2, 3, 6, 7 };
  const int wide = u->wide;
  for (int j = 0; j < a->lanes; j += 4) {
    double *to = u->to + j;
    for (int k = 0; k < 4; k++) along(t, u, a, scale, j + k, u->by + k * wide);
    for (int i = 0; i < wide; i += 4) {
      const double *from = u->by + i;
      const four x = *(const four *)from, y = *(const four *)(from + wide), z = *(const four *)(from + 2 * wide),
                 w = *(const four *)(from + 3 * wide);
      const four xy = __builtin_shuffle(x, y, even), yx = __builtin_shuffle(x, y, odd),
                 zw = __builtin_shuffle(z, w, even), wz = __builtin_shuffle(z, w, odd);
      const four turned[4] = { __builtin_shuffle(xy, zw, low), __builtin_shuffle(yx, wz, low),
                               __builtin_shuffle(xy, zw, high), __builtin_shuffle(yx, wz, high) };
      for (int k = 0; k < 4; k++, to += a->lanes) *(four *)to = turned[k];
    }
  }
}

static void look_at_seeds(const trace *t, trace_units *u, const trace_along *a) {
  u->nlaned = 0;
  for (int j = 0; j < a->lanes; j++) u->seed_of[j] = -1;
  for (int s = 0; s < t->rows.ngiven; s++) {
    if (a->unit[s] >= 0) u->seed_of[a->unit[s]] = s;
    if (a->unit[s] == TRACE_HAS_LANES) u->laned[u->nlaned++] = s;
  }
}

int trace_units_push(trace *t, const trace_along *a, const int *unit, const double *scale) {
  if (!t->units) t->units = opened(t, unit, a->lanes);
  trace_units *u = t->units;
  if (!u) return 0;
  trace_matrix_inverse(t, u->place, u->n, u->inverse, u->wide);
  look_at_seeds(t, u, a);
  products(t, u, a, scale);
  for (int i = 0; i < u->n; i++) {
    a->seed[t->rows.ngiven + u->unknown[i]] = u->to + (size_t)i * (size_t)a->lanes;
    a->unit[t->rows.ngiven + u->unknown[i]] = TRACE_HAS_LANES;
  }
  return 1;
}
