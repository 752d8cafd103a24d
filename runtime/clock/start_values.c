// Multipliers of relations and unknowns without inertia at the start: those that the first instant of the motion has,
// so that the first row of the results belongs to the laws. They are the limit of what a step gives as it gets shorter:
//
//   v_0 = lim v(r), r -> 0,    v(r) = v_0 + c_1 r + c_2 r^2 + ...                                                   (1)
//
// by Richardson's extrapolation from r = h/4, h/8, ..., h/256. Where a step that moves nothing, h/2^60, agrees with
// it, as it does where the values follow from the state at once, that is taken, which has no error but rounding. What
// grows as 1/r is an impulse: initial values contradict each other, and the first step jumps. Such a value stays 0, as
// multipliers of contacts and constraints do, which are impulses of a step, and none was made.
//
// Everything else of the state is as it was.
#include "clock.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 7, FIRST = 4, MOVES_NOTHING = 60, LARGE = 400 };
static const double agrees = 1e-9, settles = 1e-6;         // of a value

// What is sought stands in a row: unknowns of z, then multipliers.
typedef struct sought { int n, nz; int *at; double *value[LEVELS + 1]; } sought;

static void list(const nsm_sim *s, sought *w) {
  w->n = w->nz = 0;
  for (int i = 0; s->a->algebraic && i < s->a->nz; i++)
    if (s->a->algebraic[i]) w->at[w->n++] = i;
  w->nz = w->n;
  SIM_EACH(s, relation, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) w->at[w->n++] = s->n.r.l[row];
}

static double *place(const nsm_sim *s, const sought *w, int i) {
  return i < w->nz ? &s->now.z[w->at[i]] : &s->now.l[w->at[i]];
}

// The values of a step of length r; 0 where it fails.
static int step_of(nsm_sim *s, const sought *w, double r, double *value) {
  nsm_error why;
  if (sim_try_implicit(s, r, &why) != NSM_OK) return 0;
  for (int i = 0; i < w->n; i++) value[i] = (i < w->nz ? s->w.z1 : s->w.l1)[w->at[i]];
  for (int i = 0; i < w->n; i++) if (!isfinite(value[i])) return 0;
  return 1;
}

// (1): of Neville's table the entry that differs least from both that it is made of (Ridders, Adv. Eng. Software 4,
// 1982): long steps have the error of what is left out, short ones that of rounding. *size: of the values.
static double limit(const double *from, double *size) {
  double v[LEVELS], best = 0, least = INFINITY;
  *size = 0;
  for (int j = 0; j < LEVELS; j++) *size = fmax(*size, fabs(from[j]));
  for (int j = 0; j < LEVELS; j++) {                       // v[k]: made of the last k + 1 values
    double above = j > 0 ? v[0] : 0;
    v[0] = from[j];
    for (int k = 1; k <= j; k++) {
      double better = v[k - 1] + (v[k - 1] - above) / (ldexp(1, k) - 1),
             off = fmax(fabs(better - v[k - 1]), fabs(better - above));
      above = k < j ? v[k] : 0;
      v[k] = better;
      if (off < least) { least = off; best = better; }
    }
  }
  if (least <= settles * *size) return best;
  return fabs(from[LEVELS - 1]) <= 1.5 * fabs(from[LEVELS - 2]) ? from[LEVELS - 1] : 0;
}

static void seek(nsm_sim *s, sought *w, void *state) {
  double h = sim_clock_first(s);
  int levels = 0, at_once;
  struct sim_dump *dump = s->dump;                         // these steps are none of the run
  struct sim_unique *unique = s->unique;
  s->dump = NULL;
  s->unique = NULL;
  nsm_save(s, state);
  for (; levels < LEVELS; levels++)
    if (!step_of(s, w, ldexp(h / FIRST, -levels), w->value[levels])) break;
  // large sparse matrices find no pivots at such lengths, and are factored as bands then
  at_once = s->a->nz <= LARGE && step_of(s, w, ldexp(h, -MOVES_NOTHING), w->value[LEVELS]);
  (void)sim_restore(s, state, NULL);
  s->dump = dump;
  s->unique = unique;
  if (levels < LEVELS && !at_once) return;
  for (int i = 0; i < w->n; i++) {
    double v[LEVELS], exact = w->value[LEVELS][i], x = exact, size = 0;
    for (int k = 0; k < LEVELS; k++) v[k] = w->value[k][i];
    if (levels == LEVELS) x = limit(v, &size);
    *place(s, w, i) = at_once && fabs(exact - x) <= agrees * size ? exact : x;
  }
}

void sim_start_values(nsm_sim *s) {
  if (s->now.stopped || s->a->start_error.code != NSM_OK) return;
  int follow = s->a->on.relation.n == 0 && sim_unknowns_follow(s);
  if (follow) {
    sim_unknowns_solve(s);
    if (sim_unknowns_follow(s)) return;                    // else a step finds them: its corrections are smaller
  }
  size_t n = s->a->on.relation.n > 0 || s->a->algebraic ? (size_t)(s->a->nz + s->n.r.n) : 0;
  if (n == 0) return;
  sought w = { .at = malloc(n * sizeof(int)) };
  double *value = malloc(n * (LEVELS + 1) * sizeof(double));
  void *state = malloc(nsm_state_size(s));
  for (int k = 0; value && k <= LEVELS; k++) w.value[k] = value + (size_t)k * n;
  if (w.at && value && state) {
    list(s, &w);
    seek(s, &w, state);
    if (follow) {                                          // near them they follow from the state again
      s->n.checked = 0;
      sim_prepare(s, s->n.h, NULL);
    }
  }
  free(w.at);
  free(value);
  free(state);
}
