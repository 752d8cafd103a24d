// What a piece of a higher order hands to the next: the factors of its derivative, and its unknowns, of which the next
// ones are told. Both are part of the state (state.def), so that a run goes on with the same bits from where it was
// saved.
//
// Factors are kept as long as the rows are the same and the length is nearly so. They contract by O(h) an iteration;
// where the iterations that this costs have added up to what new factors cost, these are made.
//
// Unknowns of pieces of one length are extrapolated: 2 x - x', 3 x - 3 x' + x'', ..., of up to eight pieces. Which of
// these starts, or the motion with the accelerations of the begin, was best in the last piece is taken. Where rows
// depend on each other it is always the latter: what their forces have of no motion stays what the instant decides, and
// extrapolated it would grow from piece to piece, until closed contacts pull.
#include "galerkin.h"

enum { DEAR = 16,                        // iterations that take as long as a matrix
       ENOUGH = 4 };                     // pieces for order 8, where more give no fewer iterations
static const double same = 1e-9,         // lengths of pieces whose unknowns are extrapolated
                    alike = 0.5;         // and of those whose factors do for each other

static int same_rows(const nsm_sim *s) {
  const struct sim_galerkin *g = s->n.galerkin;
  return s->now.piece.m == g->m && memcmp(s->now.piece_row, g->row, (size_t)g->m * sizeof(int)) == 0 &&
         memcmp(s->now.piece_slides, g->slides, (size_t)s->n.r.nfriction) == 0;
}

int galerkin_handed(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  if (!same_rows(s)) {
    s->now.piece.made_h = 0;
    s->now.piece.known = 0;
    s->now.piece.m = g->m;
    memcpy(s->now.piece_row, g->row, (size_t)g->m * sizeof(int));
    memcpy(s->now.piece_slides, g->slides, (size_t)s->n.r.nfriction);
  }
  if (!(fabs(s->now.piece.h - s->n.h) <= same * s->n.h)) s->now.piece.known = 0;
  s->now.piece.h = s->n.h;
  if (s->now.piece.rest > 0) return s->now.piece.rest--, 0;
  return s->now.piece.made_h > 0 && fabs(s->now.piece.made_h - s->n.h) <= alike * s->n.h && s->now.piece.spent < DEAR;
}

// Does a slip of several directions begin? It goes along `slide` from 0, and what rounding makes of its acceleration
// has any direction.
static int slip_begins(nsm_sim *s) {
  const struct sim_galerkin *g = s->n.galerkin;
  sim_disk part[2];
  double along[SIM_SLIPS], slip;
  int begins = 0;
  for (int f = 0; f < s->n.r.nfriction; f++) {
    int n = sim_friction_parts(&s->n.r.friction[f], part);
    for (int p = 0; p < n; p++) {
      const int *row = s->n.r.friction[f].row + part[p].first;
      int several = part[p].n > 1 && g->slides[f] & (1 << p);
      begins |= several && !sim_slide_along(s, &part[p], row, g->still1, along, &slip);
    }
  }
  return begins;
}

// A motion with the accelerations and the forces of the begin.
static void from_begin(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  double h = s->n.h;
  if (slip_begins(s)) memset(g->in.e, 0, (size_t)s->a->nv * sizeof(double));
  memset(g->x, 0, (size_t)g->n * sizeof(double));
  for (int i = 0; i < s->a->nv; i++) {
    g->x[galerkin_at(s, 0, IN_PLACES, i)] = h * (s->now.z[i] + 0.5 * h * g->in.e[i]);
    g->x[galerkin_at(s, 1, IN_PLACES, i)] = h * h * g->in.e[i] / (2 * sqrt(3));
    g->x[galerkin_at(s, 0, IN_SPEEDS, i)] = h * g->in.e[i];
  }
  for (int r = 0; r < g->m; r++) g->x[galerkin_at(s, 0, IN_FORCES, r)] = h * g->in.force[s->n.r.l[g->row[r]]];
}

// Of the last k pieces, k >= 2: by the polynomial through them.
static double told(const nsm_sim *s, int k, int i) {
  const struct sim_galerkin *g = s->n.galerkin;
  double x = 0, weight = k;
  for (int p = 0; p < k; p++, weight *= -(double)(k - p) / (p + 1))
    x += weight * s->now.piece_past[(size_t)p * (size_t)g->most + (size_t)i];
  return x;
}

void galerkin_start(nsm_sim *s, int plain) {
  struct sim_galerkin *g = s->n.galerkin;
  galerkin_instant(s, s->now.t, s->now.q, s->now.z);
  from_begin(s);
  memcpy(g->plain, g->x, (size_t)g->n * sizeof(double));
  int depend = s->now.piece.made_h > 0 && s->now.piece.inverted;
  if (plain || depend || s->now.piece.by < 2 || s->now.piece.known < s->now.piece.by) return;
  for (int i = 0; i < g->n; i++) g->x[i] = told(s, s->now.piece.by, i);
}

// Newton's step beside the velocities, in the mass metric of the start: sqrt(sum m du^2)/sqrt(sum m u^2), u with what
// was gained in the piece. g.places: the places, over the length, beside the same; at rest that is what rounding is
// measured by.
double galerkin_measure(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  double off = 0, all = DBL_MIN, places = 0, far = 0, pushed = 0;
  for (int i = s->a->nown; i < s->a->nq; i++) far = fmax(far, fabs(s->now.q[i]));
  for (int i = 0; i < s->a->nv; i++) {
    double m = s->n.con->mass_inverse[i] > 0 ? 1 / s->n.con->mass_inverse[i] : 1;
    double place = (i < s->a->nown ? s->now.q[i] : far) / s->n.h;
    places += m * place * place;
    all += m * s->now.z[i] * s->now.z[i];
    pushed += m * s->n.push[i] * s->n.push[i];
    for (int j = 0; j < g->t.s; j++) {
      int at[] = { galerkin_at(s, j, IN_PLACES, i), galerkin_at(s, j, IN_SPEEDS, i) };
      double h[] = { s->n.h, 1 };
      for (int k = 0; k < 2; k++) {
        off += m * (g->dx[at[k]] / h[k]) * (g->dx[at[k]] / h[k]);
        all += m * (g->x[at[k]] / h[k]) * (g->x[at[k]] / h[k]);
      }
    }
  }
  g->places = sqrt(places / all);
  g->pushes = sqrt(1 + pushed / all);
  g->speeds = all;
  return sqrt(off / all);
}

double galerkin_momentum_off(const nsm_sim *s) {
  const struct sim_galerkin *g = s->n.galerkin;
  double off = 0, forces = 0;
  for (int i = 0; i < s->a->nv; i++) {
    forces += s->n.con->mass_inverse[i] * g->f[i] * g->f[i];
    for (int j = 0; j < g->t.s; j++) {
      double left = g->res[galerkin_at(s, j, IN_PLACES, i)];
      off += s->n.con->mass_inverse[i] * left * left;
    }
  }
  return sqrt(off / (g->speeds + forces));
}

void galerkin_hand_on(nsm_sim *s, int iterations) {
  struct sim_galerkin *g = s->n.galerkin;
  size_t most = (size_t)g->most, n = (size_t)g->n;
  double least = INFINITY;
  s->now.piece.spent += iterations > 3 ? iterations - 3 : 0;           // new factors take three
  for (int k = 1; k <= s->now.piece.known; k++) {                      // 1: the motion from the begin
    for (size_t i = 0; i < n; i++) g->dx[i] = g->x[i] - (k > 1 ? told(s, k, (int)i) : g->plain[i]);
    double off = galerkin_measure(s);
    if (!(off < least)) continue;
    least = off;
    s->now.piece.by = k;
  }
  if (s->now.piece.known == 0) s->now.piece.by = 1;
  memmove(s->now.piece_past + most, s->now.piece_past, (GALERKIN_PAST - 1) * most * sizeof(double));
  memcpy(s->now.piece_past, g->x, n * sizeof(double));
  if (s->now.piece.known < (g->t.s < GALERKIN_DEGREE ? GALERKIN_PAST : ENOUGH)) s->now.piece.known++;
}

void galerkin_lost(nsm_sim *s) {
  s->now.piece.made_h = 0;
  s->now.piece.known = 0;
}
