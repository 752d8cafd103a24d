// The Jacobian of one step: the derivative of the state at its end by the state now, by the inputs and by parameters,
// each event within it included. The step is taken by a copy, and played with these directions.
#include "answers.h"
#include <stdlib.h>
#include <string.h>

// Unknowns without inertia follow from the states.
static int is_state(const nsm_sim *s, int c) {
  int x = c - 1;
  return nsm_kind_of_column(s, c) == NSM_COLUMN_STATE &&
         !(s->a->algebraic && x < s->a->nx && s->a->algebraic[s->a->nv + x]);
}

int answers_states(const nsm_sim *s, int *column) {
  int n = 0;
  for (int c = 1; c < nsm_ncolumn(s); c++) {
    if (!is_state(s, c)) continue;
    if (column) column[n] = c;
    n++;
  }
  return n;
}

// Which number of a state (play_places) a column is, as play_column has them.
static int number_of(const nsm_sim *s, int column) {
  int c = column - 1, shown = c - s->a->nx, z = s->a->nq;
  return c < s->a->nx ? z + s->a->nv + c : shown < s->a->nshown ? s->a->shown[shown] : z + shown - s->a->nshown;
}

// What the state is, beside what is made at the start; only parameters of the columns of constants vary yet.
static void stand(player *p, const nsm_sim *s) {
  play_state *to = &p->of[0];
  int located = s->located && !s->n.radau;
  for (int i = 0; i < s->a->nq; i++) to->q[i] = dual_of(s->now.q[i]);
  for (int i = 0; i < s->a->nz; i++) to->z[i] = dual_of(s->now.z[i]);
  for (int i = 0; i <= s->a->nl; i++) to->l[i] = dual_of(s->now.l[i]);
  for (int i = 0; i < s->a->nd; i++) to->d[i] = dual_of(s->now.d[i]);
  for (int row = 0; row < s->n.r.n; row++) {
    to->mean[row] = dual_of(located ? s->now.mean[row] : 0);
    to->ground[row] = dual_of(located ? s->now.ground[row] : 0);
  }
  to->t = dual_of(s->now.t);
  to->history = dual_of(located ? s->now.set_h : 0);
  for (int c = 0; c <= p->nc; c++) {
    to = &p->of[c];
    to->start = dual_of(s->a->start);
    to->step = dual_of(s->a->step);
    to->until = dual_of(s->a->until);
  }
}

static nsm_code step(nsm_sim *s, tape *t, player *p, nsm_error *e) {
  nsm_code code = *t->refused ? NSM_OK : nsm_step(s, e);
  if (code == NSM_STOPPED) code = NSM_OK;
  if (code != NSM_OK) return code;
  if (t->failed) return sim_no_memory(e, "the record of a step");
  if (*t->refused) return tape_refused(t, e);
  return play(p, e) ? NSM_OK : e ? e->code : NSM_FAILED;
}

// ---- what stays from one Jacobian to the next -----------------------------------------------------------------------
// A copy of the simulation, its tape and player, by the same parameters.
typedef struct beside {
  sim_beside head;
  nsm_sim   *own;
  tape      *t;
  player    *p;
  void      *with, *state;              // kernels; room of a state
  int       *number;                    // [states + inputs] of a state (play_places)
  play_name *by;
  int        n, rows;
} beside;

static void close_beside(sim_beside *head) {
  beside *b = (beside *)head;
  player_close(b->p);
  tape_close(b->t);
  nsm_close(b->own);
  free(b->number);
  free(b->state);
  free(b->by);
  free(b);
}

static int fits(const beside *b, const nsm_sim *s, const play_kernels *run, const play_name *by, int n) {
  if (b->with != run->with || b->n != n || b->rows != s->n.r.n) return 0;
  for (int j = 0; j < n; j++) if (b->by[j].parameter != by[j].parameter || b->by[j].column != by[j].column) return 0;
  return 1;
}

static nsm_code fill(beside *b, const nsm_sim *s, const play_kernels *run, const play_name *by, int n, nsm_error *e) {
  int ns = answers_states(s, NULL);
  if (s->a->ndelay > 0) {
    sim_fail(e, NSM_USAGE, "E0772: what is delayed belongs to the state: the Jacobian of a step would be without it");
    return NSM_USAGE;
  }
  b->with = run->with;
  b->rows = s->n.r.n;
  b->n = n;
  b->number = calloc((size_t)(ns + s->a->nsignal) + 1, sizeof *b->number);
  b->by = calloc((size_t)n + 1, sizeof *b->by);
  b->own = nsm_clone(s, e);
  b->state = b->own ? malloc(nsm_state_size(s)) : NULL;
  b->t = b->own ? tape_open(b->own, NULL, e) : NULL;
  b->p = b->t ? player_open(b->own, b->t, run, n + ns + s->a->nsignal, 0, e) : NULL;
  if (!b->p || !b->number || !b->by || !b->state) return e->code != NSM_OK ? e->code : sim_no_memory(e, "a Jacobian");
  if (n > 0) memcpy(b->by, by, (size_t)n * sizeof *by);
  answers_states(s, b->number);
  for (int i = 0; i < ns; i++) b->number[i] = number_of(s, b->number[i]);
  for (int i = 0; i < s->a->nsignal; i++) b->number[ns + i] = s->a->nq + s->a->nz + s->a->nl + 1 + s->a->nheld + i;
  b->p->in_numbers = 1;
  return play_start(b->p, by, n, e) ? NSM_OK : e->code != NSM_OK ? e->code : NSM_FAILED;
}

static beside *opened(nsm_sim *s, const play_kernels *run, const play_name *by, int n, nsm_error *e) {
  beside *b = (beside *)s->beside;
  if (b && fits(b, s, run, by, n)) return b;
  if (b) close_beside(s->beside);
  b = calloc(1, sizeof *b);
  s->beside = (sim_beside *)b;
  if (!b) { sim_no_memory(e, "a Jacobian"); return NULL; }
  b->head.close = close_beside;
  if (fill(b, s, run, by, n, e) == NSM_OK) return b;
  close_beside(s->beside);
  s->beside = NULL;
  return NULL;
}

nsm_code answers_jacobian(nsm_sim *s, const play_kernels *run, const play_name *by, int n, double *d, nsm_error *e) {
  int ns = answers_states(s, NULL), ni = s->a->nsignal, np = n + ns + ni;
  *e = (nsm_error){ .code = NSM_OK };
  beside *b = opened(s, run, by, n, e);
  if (!b) return e->code;
  sim_save(s, b->state);
  nsm_code code = sim_restore(b->own, b->state, e);
  if (code != NSM_OK) return code;
  tape_again(b->t);
  player_again(b->p);
  stand(b->p, s);
  if (!play_begin_by_units(b->p, n, b->number, ns + ni)) return sim_no_memory(e, "a Jacobian");
  code = step(b->own, b->t, b->p, e);
  for (int i = 0; code == NSM_OK && i < ns; i++, d += np) {
    const double *row = play_directions(b->p, b->number[i]);
    memcpy(d, row + n, (size_t)(ns + ni) * sizeof *d);
    memcpy(d + ns + ni, row, (size_t)n * sizeof *d);
  }
  return code;
}
