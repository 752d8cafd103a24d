// A piece is solved again on its active set, and (1) of play.h is differentiated:
//
//   | R_w    R_h   | | dw |     | R_Y dY + R_t dt + R_c dc       |
//   | phi_w  phi_h | | dh | = - | phi_Y dY + phi_t dt + phi_c dc |,    dt' = dt + dh                             (2)
//
// by columns, seven at a time: the equations in dual numbers, whose directions are first the parameters, for the right
// sides, then the unknowns, for the matrix. What the next piece begins with is evaluated beside the equations, so that
// its derivatives follow from dw and dh by the chain rule: one linearisation does for a piece whose solution is that of
// the run. The matrix is that of the solution itself, not of the iterate before it.
#include "play.h"
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 4, MANY = 200 };
static const double settled = 1e-12;     // of the largest unknown: a correction that changes nothing
static const double singular = 1e-12;    // of rows whose largest entry is 1: a pivot that is rounding

// ---- the linear model -----------------------------------------------------------------------------------------------
static void keep(player *p, double *to, const dual *from, int n, int lane) {
  to += lane;
  for (int i = 0; i < n; i++, to += p->stride) memcpy(to, from[i].a + 1, DUAL_LANES * sizeof *to);
}

// Of n unknowns into p->E and p->O; the values are in p->eq and p->out. Returns how many outputs there are.
static int linearise(player *p, const tape_entry *e, int n) {
  int all = p->np + n, m = 0;
  for (int i = 0; i < p->nw; i++) p->w[i] = dual_of(p->solved[i] = p->w[i].a[0]);
  p->remembers = 1;
  for (int from = 0; from == 0 || from < all; from += DUAL_LANES) {
    int c = from / DUAL_LANES, first = from > p->np ? from : p->np;
    dual h = dual_of(e->h);
    p->at = &p->of[c < p->nc ? c : p->nc];
    p->memo.used = 0;
    p->memo.again = from > 0;
    for (int i = first; i < all && i < from + DUAL_LANES; i++)
      (i - p->np < p->nw ? &p->w[i - p->np] : &h)->a[1 + i - from] = 1;
    play_equations(p, e, h, c);
    m = play_outputs(p, e, h);
    keep(p, p->E, p->eq, n, from);
    keep(p, p->O, p->out, m, from);
    for (int i = first; i < all && i < from + DUAL_LANES && i - p->np < p->nw; i++)
      p->w[i - p->np].a[1 + i - from] = 0;
  }
  p->remembers = 0;
  return m;
}

// ---- linear equations -----------------------------------------------------------------------------------------------
// The matrix of (2), scaled by rows and factored; where equations depend on each other its pseudo-inverse is taken.
// The same matrix, as of pieces of one length that are linear, has its factors already.
static int is_new(player *p, int n) {
  double *last = p->matrix;
  int same = p->factored == n;
  for (int i = 0; i < n; i++, last += n) {
    const double *row = p->E + (size_t)i * (size_t)p->stride + p->np;
    if (same && memcmp(last, row, (size_t)n * sizeof *row) == 0) continue;
    same = 0;
    memcpy(last, row, (size_t)n * sizeof *row);
  }
  p->factored = n;
  return !same;
}

static void scale_rows(player *p, int n) {
  for (int i = 0; i < n; i++) {
    const double *row = p->matrix + (size_t)i * (size_t)n;
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(row[j]));
    p->scale[i] = most > 0 ? 1 / most : 1;
    for (int j = 0; j < n; j++) p->J[i + (size_t)j * (size_t)n] = p->scale[i] * row[j];
  }
}

// An equation with one unknown alone, as the length of a piece that the clock ends: the unknown is what it says, with
// no rounding of the others, and of several the mean.
static void lone_rows(player *p, int n) {
  int *rows = p->pivot, *unknown = p->pivot + n;
  memset(rows, 0, (size_t)n * sizeof *rows);
  for (int i = 0; i < n; i++) {
    const double *row = p->matrix + (size_t)i * (size_t)n;
    int entries = 0;
    for (int j = 0; j < n; j++) if (row[j] != 0) { entries++; unknown[i] = j; }
    if (entries == 1) rows[unknown[i]]++;
    else unknown[i] = -1;
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; rows[j] > 0 && i < n; i++)
      p->J[j + (size_t)i * (size_t)n] =
        unknown[i] == j ? 1 / (rows[j] * p->scale[i] * p->matrix[(size_t)i * (size_t)n + (size_t)j]) : 0;
}

void play_factor(player *p, int n) {
  p->factored_of = NULL;
  if (!is_new(p, n)) return;
  p->made++;
  scale_rows(p, n);
  memcpy(p->work, p->J, (size_t)n * (size_t)n * sizeof(double));
  p->pseudo = n > 0 && nsm_la_lu_factor(n, p->J, n, p->pivot).code != NSM_LA_OK;
  for (int i = 0; i < n && !p->pseudo; i++) p->pseudo = !(fabs(p->J[i + (size_t)i * (size_t)n]) > singular);
  if (!p->pseudo) return;
  int room = nsm_la_pseudo_inverse_work(n);
  double *work = malloc((size_t)room * sizeof *work);
  if (!work) { p->failed = 1; return; }
  nsm_la_pseudo_inverse(n, p->work, singular, p->J, p->pivot, work, room);
  free(work);
  lone_rows(p, n);
}

// Right sides b [n, columns], whose rows are scaled already.
static void solve(player *p, int n, int columns, double *b) {
  if (!p->pseudo) { nsm_la_lu_solve(n, columns, p->J, n, p->pivot, b, n); return; }
  for (int j = 0; j < columns; j++, b += n) {
    nsm_la_gemv(n, n, 1, p->J, n, b, 0, p->work);
    memcpy(b, p->work, (size_t)n * sizeof *b);
  }
}

// - R into column 0, where phi is left out; d phi = 1 into column 1; parameters behind them. Rows are scaled as the
// matrix is.
static void right_sides(player *p, int n) {
  memset(p->rhs, 0, 2 * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) {
    const double *row = p->E + (size_t)i * (size_t)p->stride;
    double by = p->scale[i];
    if (i < p->nw) p->rhs[i] = -by * p->eq[i].a[0];
    else p->rhs[i + n] = by;
    for (int j = 0; j < p->np; j++) p->rhs[i + (size_t)(j + 2) * (size_t)n] = -by * row[j];
  }
}

// ---- a piece --------------------------------------------------------------------------------------------------------
static void take_solution(player *p, const tape_entry *e) {
  nsm_sim *s = p->s;
  int jump = e->kind == TAPE_JUMP, own = s->n.radau ? s->n.radau->n : 0;
  p->nw = play_unknowns(s, e);
  for (int i = 0; i < p->nw; i++) p->w[i] = dual_of(e->solution[jump ? i % own : i]);
}

// Newton's correction of w, the length being that of the run, into column 0; how large it is beside w.
static double correct(player *p, int n) {
  double *dw = p->rhs, *by_end = p->rhs + n, size = 0, change = 0;
  if (n > p->nw && by_end[p->nw] != 0) {
    double part = dw[p->nw] / by_end[p->nw];
    for (int i = 0; i < n; i++) dw[i] -= part * by_end[i];
  }
  for (int i = 0; i < p->nw; i++) {
    p->w[i].a[0] += dw[i];
    size = fmax(size, fabs(p->w[i].a[0]));
    change = fmax(change, fabs(dw[i]));
    if (!(change < INFINITY)) change = INFINITY;
  }
  return size > 0 ? change / size : 0;
}

// How far the solution is off that of the run.
static double off_run(const player *p, const tape_entry *e) {
  double off = 0;
  for (int i = 0; i < p->s->a->nz; i++) {
    double d = fabs(p->w[i].a[0] - e->solution[i]);
    if (!(d <= off)) off = d;
  }
  return off;
}

// What follows from dw and dh: values, by the last correction, and derivatives of outputs. One hangs on few unknowns.
static void follow(player *p, int n, int m) {
  int *at = p->pivot + n;
  for (int i = 0; i < m; i++) {
    double *row = p->O + (size_t)i * (size_t)p->stride, *by = row + p->np;
    int few = 0;
    for (int k = 0; k < n; k++) if (by[k] != 0) at[few++] = k;
    for (int k = 0; k < few; k++) if (at[k] < p->nw) p->out[i].a[0] += by[at[k]] * p->rhs[at[k]];
    for (int j = 0; j < p->np; j++) {
      const double *dw = p->rhs + (size_t)(j + 2) * (size_t)n;
      double sum = row[j];
      for (int k = 0; k < few; k++) sum += by[at[k]] * dw[at[k]];
      row[j] = sum;
    }
  }
}

// Values alone, of many unknowns: those of the run, known to what its step was solved to.
static double as_run(player *p, const tape_entry *e) {
  p->at = &p->of[0];
  play_equations(p, e, dual_of(e->h), 0);
  p->nfollow = play_outputs(p, e, dual_of(e->h));
  return 0;
}

// A condition that jumps where it becomes true does not say how the instant moves.
static void look_at_end(player *p, const tape_entry *e, int n) {
  const double *row = p->E + (size_t)p->nw * (size_t)p->stride;
  int flat = n > p->nw && (e->end == TAPE_WHEN || e->end == TAPE_BY_TIME);
  for (int i = 0; flat && i < p->np + n; i++) flat = row[i] == 0;
  if (flat) p->flat = p->s->a->m->cls[e->cls].line;
}

double play_piece(player *p, const tape_entry *e) {
  take_solution(p, e);
  int n = p->nw + play_takes_time(e), m = 0;
  if (p->np == 0 && !p->keep && p->nw > MANY) return as_run(p, e);
  for (int k = 0; k < CORRECTIONS; k++) {
    m = linearise(p, e, n);
    play_factor(p, n);
    right_sides(p, n);
    solve(p, n, p->np + 2, p->rhs);
    if (correct(p, n) <= settled) break;
  }
  look_at_end(p, e, n);
  p->nfollow = m;
  p->unique += p->pseudo;
  follow(p, n, m);
  return off_run(p, e);
}

// ---- its end --------------------------------------------------------------------------------------------------------
// Chunk c of outputs from `first`.
static void put(const player *p, int c, dual *to, int first, int n) {
  const double *row = p->O + (size_t)first * (size_t)p->stride + (size_t)c * DUAL_LANES;
  int lanes = p->np - c * DUAL_LANES;
  for (int i = 0; i < n; i++, row += p->stride) {
    to[i].a[0] = p->out[first + i].a[0];
    for (int j = 0; j < DUAL_LANES; j++) to[i].a[1 + j] = j < lanes ? row[j] : 0;
  }
}

// Unknown k of the piece, and its length behind the last.
static dual unknown(const player *p, int c, int k, double value, int n) {
  dual x = dual_of(value);
  for (int j = 0; j < DUAL_LANES && c * DUAL_LANES + j < p->np; j++)
    x.a[1 + j] = p->rhs[(size_t)k + (size_t)(c * DUAL_LANES + j + 2) * (size_t)n];
  return x;
}

void play_stand(player *p, const tape_entry *e) {
  const nsm_sim *s = p->s;
  int nq = play_at_points(e) ? s->a->nq : 0, nl = s->a->nl + 1, rows = s->n.r.n, n = p->nw + play_takes_time(e);
  int last = e->kind == TAPE_STAGES ? (s->n.radau->m.s - 1) * s->n.radau->n : 0;
  int nz = play_at_points(e) ? s->a->nz : s->n.radau->nz;
  for (int c = 0; c <= p->nc; c++) {
    play_state *to = &p->of[c];
    dual h = dual_of(e->h);
    if (n > p->nw) h = unknown(p, c, p->nw, e->h, n);
    put(p, c, to->q, 0, nq);
    put(p, c, to->l, nq, nl);
    if (play_has_forces(e)) {
      put(p, c, to->mean, nq + nl, rows);
      put(p, c, to->ground, nq + nl + rows, rows);
    }
    if (play_has_forces(e)) to->history = h;
    for (int i = 0; i < nz; i++) to->z[i] = unknown(p, c, last + i, p->w[last + i].a[0], n);
    to->t = dual_add(to->t, h);
  }
}

// x becomes what it is with the length of the phase that its end asks for: dT = - d phi / phi_T.
static void fold(player *p, dual **chunks, int n, const double *dT) {
  int lane = p->phase;
  for (int i = 0; i < n; i++) {
    double by = chunks[lane / DUAL_LANES][i].a[1 + lane % DUAL_LANES];
    for (int j = 0; by != 0 && j < p->np; j++) chunks[j / DUAL_LANES][i].a[1 + j % DUAL_LANES] += by * dT[j];
    chunks[lane / DUAL_LANES][i].a[1 + lane % DUAL_LANES] = 0;
  }
}

void play_phase_ends(player *p) {
  const nsm_sim *s = p->s;
  const double *phi = p->O + (size_t)(p->nfollow - 1) * (size_t)p->stride;
  double *dT = p->rhs;
  dual *at[1 + p->nc];
  for (int j = 0; j < p->np; j++) dT[j] = j == p->phase ? 0 : -phi[j] / phi[p->phase];
#define FOLD(of, n) \
  do { \
    for (int c = 0; c < p->nc; c++) at[c] = of; \
    fold(p, at, (n), dT); \
  } while (0)
  FOLD(p->of[c].q, s->a->nq);
  FOLD(p->of[c].z, s->a->nz);
  FOLD(p->of[c].l, s->a->nl + 1);
  FOLD(p->of[c].mean, s->n.r.n);
  FOLD(p->of[c].ground, s->n.r.n);
  FOLD(&p->of[c].t, 1);
  FOLD(&p->of[c].history, 1);
#undef FOLD
}
