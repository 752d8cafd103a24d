// States that the laws of a model leave: constraints on places, contacts that are closed and quaternions of length 1
// bind them to a manifold. What is off it stays off for a whole period, with the multiplier 1, so orbits are looked for
// on it: d of the n states are taken as its coordinates y_C, the others follow from them,
//
//     dy = T dy_C,    T = D_J (D_CJ)^-1,    D = d onto(y)/dy                                                     (1)
//
// where onto() is the start of a run from y: it moves places and velocities onto all laws (clock/start.c). D is found
// by differences of it, extrapolated [Richardson 1911]; its range is the tangent space, whichever way onto() moves.
//
// Two states are the same where all quaternions of a body have the other sign, or where an angle has gone on by whole
// turns and the model does not see it: that is tried by a run from the turned state.
#include "analyse.h"
#include "runtime/assembly/assembly.h"
#include "runtime/clock/clock.h"
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, REMEMBERED = 3, PAIRS = 3 };       // groups: places, velocities, states
// Of contacts that are closed: how far off a scheme leaves them, beside the terms of the gap, and the rate, beside the
// largest speed.
static const double above = 1e-6, still = 1e-9;
static const double small = 1e-6, holds = 1e-6;     // of D: independent; it is a projection

int manifold_follows(const steady *w, int i) { return w->on.any && !w->on.chosen[i]; }
int steady_comes_back(const steady *w, int i) { return !w->drifts[i] && !manifold_follows(w, i); }

static const int finer[] = { 7, 14, 20 };                 // as where a contact is near

// ---- what binds -----------------------------------------------------------------------------------------------------
// The number among the states of place q of the simulation; -1: it is not shown.
static int state_of_place(const steady *w, const nsm_sim *s, int q) {
  for (int i = 0; i < w->n; i++) {
    int shown = w->a.by[i].column - 1 - s->a->nx;
    if (shown >= 0 && shown < s->a->nshown && s->a->shown[shown] == q) return i;
  }
  return -1;
}

static int take_quaternion(steady *w, const nsm_sim *s, const sim_class *k, int member) {
  const int *index = k->tab.ix + (size_t)member * (size_t)k->c->nslot;
  int *to = w->on.quaternion + 4 * (size_t)w->on.quaternions, n = 0;
  for (int slot = 0; slot < k->c->nslot; slot++) {
    if (k->c->slot[slot] != NSM_SLOT_POSITION) continue;
    int i = state_of_place(w, s, index[slot]);
    if (i < 0 || n == 4) return 0;
    to[n++] = i;
  }
  return n == 4;
}

// What turned(y, x) remembers says which turn an angle is in: no coordinate.
static void take_remembered(steady *w, int i) {
  if (i < 0) return;
  w->on.group[i] = REMEMBERED;
  w->on.angle[i] = 1;
}

nsm_code manifold_open(steady *w, nsm_sim *s, nsm_error *e) {
  manifold *on = &w->on;
  size_t n = (size_t)w->n, turned = 0;
  SIM_EACH(s, constraint, k) on->bound |= !k->c->velocity_level;
  SIM_EACH(s, kinematics, k) turned += (size_t)k->tab.count;
  on->quaternion = calloc(4 * turned + 4, sizeof *on->quaternion);
  on->T = calloc(n * n + 1, sizeof *on->T);
  on->whole = calloc(n + 1, sizeof *on->whole);
  on->angle = calloc(n + 1, 1);
  on->turns = calloc(n + 1, 1);
  on->chosen = calloc(n + 1, 1);
  on->held = calloc((size_t)s->n.r.n + 1, 1);
  on->group = calloc(n + 1, 1);
  if (!on->quaternion || !on->T || !on->whole || !on->angle || !on->turns || !on->chosen || !on->held || !on->group)
    return sim_no_memory(e, "an orbit");
  on->any = on->bound |= turned > 0;
  for (int i = 0; i < w->n; i++) {
    int at = w->a.by[i].column - 1 - s->a->nx;
    const char *unit = nsm_column_unit(s, w->a.by[i].column);
    on->group[i] = at < 0 ? 2 : at >= s->a->nshown;
    on->angle[i] = on->group[i] == 0 && (strcmp(unit, "rad") == 0 || strcmp(unit, "1") == 0 || !*unit);
  }
  SIM_EACH(s, kinematics, k)
    for (int i = 0; i < k->tab.count; i++)
      if (!k->c->remembers) on->quaternions += take_quaternion(w, s, k, i);
      else take_remembered(w, state_of_place(w, s, k->tab.ix[(size_t)i * (size_t)k->c->nslot]));
  return NSM_OK;
}

void manifold_free(manifold *on) {
  free(on->quaternion);
  free(on->T);
  free(on->whole);
  free(on->angle);
  free(on->turns);
  free(on->chosen);
  free(on->held);
  free(on->group);
}

// ---- onto it --------------------------------------------------------------------------------------------------------
static nsm_sim *open_at(const steady *w, const nsm_settings *set, nsm_error *e) {
  nsm_settings own = steady_settings(w, set, w->period);
  own.project_start = 1;
  nsm_sim *s = nsm_open(w->a.m, &own, e);
  if (s && w->on.any) s->a->held = w->on.held;
  return s;
}

// y is moved onto all laws.
static nsm_code onto(const steady *w, nsm_sim *s, double *y, nsm_error *e) {
  int *column = calloc((size_t)w->n + 1, sizeof *column);
  if (!column) return sim_no_memory(e, "an orbit");
  for (int k = 0; k < w->on.quaternions; k++) {
    const int *q = w->on.quaternion + 4 * (size_t)k;
    double square = 0;
    for (int i = 0; i < 4; i++) square += y[q[i]] * y[q[i]];
    for (int i = 0; i < 4; i++) y[q[i]] /= sqrt(square);
  }
  for (int i = 0; i < w->n; i++) column[i] = w->a.by[i].column;
  nsm_code code = nsm_begin(s, w->n, column, y, e);
  for (int i = 0; i < w->n && code == NSM_OK; i++) y[i] = nsm_read_column(s, column[i]);
  free(column);
  return code;
}

// Contacts that are closed at y. 1: they, or what else binds the state, make a manifold of it.
static int hold_closed(steady *w, nsm_sim *s, const double *y) {
  nsm_view v = sim_now(s);
  double gap[s->n.r.n + 1], rate[s->n.r.n + 1], speed = 0;
  for (int i = 0; i < w->n; i++) {
    nsm_write_column(s, w->a.by[i].column, y[i], NULL);
    if (w->on.group[i] == 1) speed = fmax(speed, fabs(y[i]));
  }
  w->on.any = w->on.bound;
  SIM_EACH(s, contact, k) {
    if (s->a->on.contact.of[k_at] >= s->a->given->nclass) continue;        // of shapes
    k->c->gap_fn(&v, &k->tab, gap + k->row0, rate + k->row0);
    sim_gap_terms(s, k, &v);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      double terms = fmax(s->n.r.terms[row], DBL_MIN);
      w->on.held[row] = gap[row] >= -sim_rounded_depth * terms && gap[row] <= above * terms &&
                        fabs(rate[row]) <= still * speed;
      w->on.any |= w->on.held[row];
    }
  }
  s->a->held = w->on.any ? w->on.held : NULL;
  return w->on.any;
}

nsm_code manifold_begin(steady *w, const nsm_settings *set, double *y, nsm_error *e) {
  nsm_sim *s = open_at(w, set, e);
  if (!s) return e->code;
  nsm_code code = hold_closed(w, s, y) ? onto(w, s, y, e) : NSM_OK;
  nsm_close(s);
  return code;
}

nsm_code manifold_onto(const steady *w, const nsm_settings *set, double *y, nsm_error *e) {
  if (!w->on.any) return NSM_OK;
  nsm_sim *s = open_at(w, set, e);
  if (!s) return e->code;
  nsm_code code = onto(w, s, y, e);
  nsm_close(s);
  return code;
}

// ---- along it -------------------------------------------------------------------------------------------------------
// Sizes of states [n]: its own, or a part of the largest of its unit.
static void sizes(const steady *w, nsm_sim *s, const double *y, double *size) {
  for (int i = 0; i < w->n; i++) {
    double most = 0;
    for (int j = 0; j < w->n; j++)
      if (w->on.group[j] == w->on.group[i] && strcmp(nsm_column_unit(s, w->a.by[j].column),
                                                     nsm_column_unit(s, w->a.by[i].column)) == 0)
        most = fmax(most, fabs(y[j]));
    size[i] = most > 0 ? fmax(fabs(y[i]), ldexp(most, -7)) : 1;
    if (w->on.angle[i]) size[i] = fmin(size[i], 1);        // an angle may have gone on for long
  }
}

// How (1) is found: D [n, n] beside the sizes of states, by differences of 2^-bits of these; C and J [d].
typedef struct search {
  nsm_sim *s;
  const double *y;
  double *size, *D, *room;              // [n] [n, n] [2 n n + 8 n]
  int *C, *J, *list, d, bits;           // [n] [n] [4 n]
} search;

static nsm_code column_of(const steady *w, const search *by, int j, nsm_error *e) {
  size_t n = (size_t)w->n;
  double delta = ldexp(by->size[j], -by->bits), *x = by->room, *other = x + PAIRS * n;
  nsm_code code = NSM_OK;
  for (size_t k = 0; k < PAIRS && code == NSM_OK; k++, delta *= 0.5) {
    double *at = x + k * n;
    memcpy(at, by->y, n * sizeof *at);
    memcpy(other, by->y, n * sizeof *at);
    at[j] += delta;
    other[j] -= delta;
    code = onto(w, by->s, at, e);
    if (code == NSM_OK) code = onto(w, by->s, other, e);
    for (size_t i = 0; i < n; i++) at[i] = (at[i] - other[i]) / (2 * delta);
  }
  for (size_t i = 0; i < n; i++) {
    double a = x[i], b = x[n + i], c = x[2 * n + i], ab = b + (b - a) / 3, bc = c + (c - b) / 3;
    by->D[i + (size_t)j * n] = (bc + (bc - ab) / 15) * by->size[j] / by->size[i];
  }
  return code;
}

// D D = D: not so beside a contact that is closed.
static int is_projection(const steady *w, const search *by) {
  size_t n = (size_t)w->n;
  double off = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double sum = -by->D[i + j * n];
      for (size_t k = 0; k < n; k++) sum += by->D[i + k * n] * by->D[k + j * n];
      if (w->on.group[i] != REMEMBERED) off = fmax(off, fabs(sum));
    }
  return off <= holds;
}

static nsm_code projection(steady *w, search *by, nsm_error *e) {
  nsm_code code = NSM_OK;
  sizes(w, by->s, by->y, by->size);
  for (size_t k = 0; k < sizeof finer / sizeof *finer; k++) {
    by->bits = finer[k];
    for (int j = 0; j < w->n && code == NSM_OK; j++)
      if (w->on.group[j] < GROUPS) code = column_of(w, by, j, e);
    if (code != NSM_OK || is_projection(w, by)) return code;
  }
  sim_fail(e, NSM_FAILED, "which states the laws leave was not found at t = %.10g s, as where shapes touch there; "
           "--start or other initial values move that", w->start);
  return NSM_FAILED;
}

// Of a block of D, `rows` by `columns`: which of its columns are independent, into `order`; how many.
typedef struct list { const int *of; int n; } list;

static int independent(const search *by, size_t n, list rows, list columns, int transposed, int *order) {
  double *A = by->room, *work = A + (size_t)rows.n * (size_t)columns.n;
  for (int j = 0; j < columns.n; j++)
    for (int i = 0; i < rows.n; i++) {
      size_t r = (size_t)rows.of[i], c = (size_t)columns.of[j];
      A[i + j * rows.n] = transposed ? by->D[c + r * n] : by->D[r + c * n];
    }
  return nsm_la_independent(rows.n, columns.n, A, small, order, work);
}

// Coordinates C of the manifold, once, and columns J of D that T is made of. 0: none are found.
static int choose(steady *w, search *by) {
  size_t n = (size_t)w->n;
  manifold *on = &w->on;
  int *all = by->list, *order = all + n, *own = order + n, first = on->d == 0;
  if (first) memset(on->chosen, 0, n);
  by->d = 0;
  for (int g = 0; g < GROUPS; g++) {
    list of = { all, 0 }, mine = { own, 0 };
    for (int i = 0; i < w->n; i++) if (on->group[i] == g) all[of.n++] = i;
    int k = first ? independent(by, n, of, of, 1, order) : 0;
    for (int i = 0; i < k; i++) on->chosen[all[order[i]]] = 1;
    for (int i = 0; i < of.n; i++) if (on->chosen[all[i]]) own[mine.n++] = all[i];
    if (mine.n > 0 && independent(by, n, mine, of, 0, order) < mine.n) return 0;
    for (int i = 0; i < mine.n; i++, by->d++) { by->C[by->d] = own[i]; by->J[by->d] = all[order[i]]; }
  }
  return 1;
}

// T: rows of (D_CJ)^-T D_J^T. 0: D_CJ has no inverse.
static int tangent(steady *w, const search *by) {
  size_t n = (size_t)w->n, d = (size_t)by->d;
  double *A = by->room, *X = A + d * d, *T = w->on.T;
  for (size_t j = 0; j < d; j++) {
    const double *column = by->D + (size_t)by->J[j] * n;
    for (size_t i = 0; i < d; i++) A[j + i * d] = column[by->C[i]];
    for (size_t i = 0; i < n; i++) X[j + i * d] = w->on.group[i] == REMEMBERED ? 0 : column[i];
  }
  if (d > 0 && nsm_la_lu_factor((int)d, A, (int)d, by->list).code != NSM_LA_OK) return 0;
  nsm_la_lu_solve((int)d, (int)n, A, (int)d, by->list, X, (int)d);
  memset(T, 0, n * n * sizeof *T);
  for (size_t j = 0; j < d; j++) {
    double *t = T + (size_t)by->C[j] * n;
    for (size_t i = 0; i < n; i++) t[i] = X[j + i * d] * by->size[i] / by->size[by->C[j]];
    for (size_t i = 0; i < d; i++) t[by->C[i]] = i == j;
  }
  return 1;
}

// Opens what a search needs, at y; closed by its own function.
static nsm_code search_open(const steady *w, const nsm_settings *set, const double *y, search *by, nsm_error *e) {
  size_t n = (size_t)w->n;
  *by = (search){ .s = open_at(w, set, e), .y = y };
  if (!by->s) return e->code;
  by->size = calloc(3 * n * n + 9 * n + 8, sizeof *by->size);
  by->C = calloc(6 * n + 6, sizeof *by->C);
  if (!by->size || !by->C) return sim_no_memory(e, "an orbit");
  by->D = by->size + n;
  by->room = by->D + n * n;
  by->J = by->C + n;
  by->list = by->J + n;
  return NSM_OK;
}

static void search_close(search *by) {
  nsm_close(by->s);
  free(by->size);
  free(by->C);
}

nsm_code manifold_tangent(steady *w, const nsm_settings *set, const double *y, nsm_error *e) {
  search by;
  nsm_code code = search_open(w, set, y, &by, e);
  if (code != NSM_OK || !hold_closed(w, by.s, y)) { search_close(&by); return code; }
  code = projection(w, &by, e);
  if (code == NSM_OK && !(choose(w, &by) && tangent(w, &by))) {
    sim_fail(e, NSM_FAILED, "no periodic orbit was found: the coordinates that were taken at its first begin are none "
             "here; other initial values may lead to it");
    code = NSM_FAILED;
  }
  if (code == NSM_OK) w->on.d = by.d;
  search_close(&by);
  return code;
}

nsm_code manifold_project(steady *w, const nsm_settings *set, const double *y, int m, double *Q, nsm_error *e) {
  size_t n = (size_t)w->n;
  search by;
  nsm_code code = search_open(w, set, y, &by, e);
  if (code != NSM_OK || !hold_closed(w, by.s, y)) { search_close(&by); return code; }
  code = projection(w, &by, e);
  for (int k = 0; k < m && code == NSM_OK; k++) {
    double *q = Q + (size_t)k * n;
    for (size_t i = 0; i < n; i++) {
      by.room[i] = 0;
      for (size_t j = 0; j < n; j++) by.room[i] += by.D[i + j * n] * q[j] / by.size[j];
    }
    for (size_t i = 0; i < n; i++) q[i] = w->on.group[i] == REMEMBERED ? 0 : by.room[i] * by.size[i];
  }
  search_close(&by);
  return code;
}

void manifold_way(const steady *w, double *step) {
  size_t n = (size_t)w->n;
  for (size_t i = 0; i < n; i++) {
    if (!manifold_follows(w, (int)i)) continue;
    step[i] = 0;
    for (size_t j = 0; j < n; j++) if (w->on.chosen[j]) step[i] += w->on.T[i + j * n] * step[j];
  }
}

void manifold_along(const steady *w, double *d) {
  size_t n = (size_t)w->n;
  if (!w->on.any) return;
  for (size_t j = 0; j < n; j++) {
    if (!w->on.chosen[j]) continue;
    for (size_t i = 0; i < n; i++) if (!w->on.chosen[i]) d[j] += d[i] * w->on.T[i + j * n];
  }
  for (size_t j = 0; j < n; j++) if (!w->on.chosen[j]) d[j] = 0;
}

// By the parameter that is followed, with the coordinates as they are: v - T v_C of v = d onto(y)/dp.
nsm_code manifold_by_parameter(steady *w, const nsm_settings *set, const double *y, double *v, nsm_error *e) {
  size_t n = (size_t)w->n;
  double kept = w->p, delta = ldexp(kept != 0 ? fabs(kept) : 1, -10);
  double *x = calloc(4 * n + 1, sizeof *x);
  nsm_code code = x ? NSM_OK : sim_no_memory(e, "an orbit");
  for (int k = 0; k < 4 && code == NSM_OK; k++) {
    w->p = kept + (k % 2 ? -1 : 1) * (k < 2 ? delta : delta / 2);
    nsm_sim *s = open_at(w, set, e);
    memcpy(x + (size_t)k * n, y, n * sizeof *y);
    code = s ? onto(w, s, x + (size_t)k * n, e) : e->code;
    nsm_close(s);
  }
  w->p = kept;
  for (size_t i = 0; i < n && code == NSM_OK; i++) {
    double wide = (x[i] - x[n + i]) / (2 * delta), near = (x[2 * n + i] - x[3 * n + i]) / delta;
    v[i] = near + (near - wide) / 3;
  }
  for (size_t j = 0; j < n && code == NSM_OK; j++)
    for (size_t i = 0; i < n && w->on.chosen[j]; i++) if (!w->on.chosen[i]) v[i] -= w->on.T[i + j * n] * v[j];
  for (size_t j = 0; j < n; j++) if (w->on.chosen[j]) v[j] = 0;
  free(x);
  return code;
}

// ---- the same state -------------------------------------------------------------------------------------------------
int manifold_turned(const steady *w, int k, const double *from, const double *to) {
  const int *q = w->on.quaternion + 4 * (size_t)k;
  double along = 0;
  for (int i = 0; i < 4; i++) along += from[q[i]] * to[q[i]];
  return along < 0;
}

void manifold_near(const steady *w, const double *from, double *to) {
  for (int k = 0; k < w->on.quaternions; k++) {
    const int *q = w->on.quaternion + 4 * (size_t)k;
    int turned = manifold_turned(w, k, from, to);
    for (int i = 0; i < 4 && turned; i++) to[q[i]] = -to[q[i]];
  }
  for (int i = 0; i < w->n; i++)
    if (w->on.turns[i]) to[i] -= MANIFOLD_TURN * round((to[i] - from[i]) / MANIFOLD_TURN);
}
