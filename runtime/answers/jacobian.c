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

static void add_direction(player *p, int j, int column, int input) {
  const nsm_sim *s = p->s;
  play_state *to = &p->of[j / DUAL_LANES];
  int c = column - 1;
  dual *x = column < 0              ? &to->d[s->a->nheld + input]
            : c < s->a->nx          ? &to->z[s->a->nv + c]
            : c < s->a->nx + s->a->nshown ? &to->q[s->a->shown[c - s->a->nx]]
                                    : &to->z[c - s->a->nx - s->a->nshown];
  x->a[1 + j % DUAL_LANES] = 1;
}

// What the state is, beside what is made at the start; only parameters of the columns of constants vary yet.
static void stand(player *p, const nsm_sim *s) {
  for (int c = 0; c <= p->nc; c++) {
    play_state *to = &p->of[c];
    for (int i = 0; i < s->a->nq; i++) to->q[i] = dual_of(s->now.q[i]);
    for (int i = 0; i < s->a->nz; i++) to->z[i] = dual_of(s->now.z[i]);
    for (int i = 0; i <= s->a->nl; i++) to->l[i] = dual_of(s->now.l[i]);
    for (int i = 0; i < s->a->nd; i++) to->d[i] = dual_of(s->now.d[i]);
    for (int row = 0; row < s->n.r.n; row++) {
      to->mean[row] = dual_of(s->located && !s->n.radau ? s->now.mean[row] : 0);
      to->ground[row] = dual_of(s->located && !s->n.radau ? s->now.ground[row] : 0);
    }
    to->t = dual_of(s->now.t);
    to->history = dual_of(s->located && !s->n.radau ? s->now.set_h : 0);
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
  if (*t->refused) {
    sim_fail(e, NSM_USAGE, "%s", t->refused);
    return NSM_USAGE;
  }
  return play(p, e) ? NSM_OK : e ? e->code : NSM_FAILED;
}

nsm_code answers_jacobian(const nsm_sim *s, const play_kernels *run, const play_name *by, int n, double *d,
                          nsm_error *e) {
  int ns = answers_states(s, NULL), ni = s->a->nsignal, np = n + ns + ni;
  nsm_sim *own = nsm_clone(s, e);
  int *column = calloc((size_t)ns + 1, sizeof *column);
  tape *t = own && column ? tape_open(own, e) : NULL;
  player *p = t ? player_open(own, t, run, np, 0, e) : NULL;
  nsm_code code = p ? NSM_OK : e && e->code != NSM_OK ? e->code : NSM_FILE;
  if (code == NSM_OK && !play_start(p, by, n, e)) code = e ? e->code : NSM_FAILED;
  if (code == NSM_OK) {
    answers_states(s, column);
    stand(p, s);
    for (int j = 0; j < ns; j++) add_direction(p, n + j, column[j], 0);
    for (int j = 0; j < ni; j++) add_direction(p, n + ns + j, -1, j);
    code = step(own, t, p, e);
  }
  for (int i = 0; code == NSM_OK && i < ns; i++)
    for (int j = 0; j < np; j++) {
      int to = j < n ? ns + ni + j : j - n;
      d[(size_t)i * (size_t)np + (size_t)to] = play_column(p, j / DUAL_LANES, column[i]).a[1 + j % DUAL_LANES];
    }
  player_close(p);
  tape_close(t);
  free(column);
  nsm_close(own);
  return code;
}
