// A run begins: with the values of the model, or with others. Values of the state from outside.
#include "located.h"
#include <math.h>
#include <string.h>

// ---- values of the state --------------------------------------------------------------------------------------------
nsm_code nsm_write_column(nsm_sim *s, int c, double value, nsm_error *e) {
  const sim_analysis *a = s->a;
  nsm_column_kind kind = nsm_kind_of_column(s, c);
  int at = c - 1;
  if (e) *e = (nsm_error){ .code = NSM_OK };
  if (!isfinite(value)) { sim_fail(e, NSM_USAGE, "a value of the state must be finite"); return NSM_USAGE; }
  if (kind != NSM_COLUMN_STATE && kind != NSM_COLUMN_DISCRETE) {
    const char *name = nsm_column_name(s, c);
    sim_fail(e, NSM_USAGE, "%s is no state, coordinate, velocity or discrete variable", *name ? name : "this column");
    return NSM_USAGE;
  }
  if (kind == NSM_COLUMN_DISCRETE) {
    s->now.d[at - a->nx - a->nshown - a->nv - a->nl_shown] = value;
    sim_signals_forget(s);
    s->n.stale = a->event_matrix ? 2 : a->event_values;
    sim_ledger_reset(s);
    if (s->located || s->n.radau) sim_located_stale(s);
    return NSM_OK;
  }
  if (at < a->nx) s->now.z[a->nv + at] = value;
  else if ((at -= a->nx) < a->nshown) s->now.q[a->shown[at]] = value;
  else s->now.z[at - a->nshown] = value;
  sim_forget_last_step(s);
  sim_ledger_reset(s);
  if (a->ndelay > 0) sim_signals_changed(s);
  return NSM_OK;
}

// ---- the start ------------------------------------------------------------------------------------------------------
static void to_start(nsm_sim *s) {
  sim_drop_claims(s);
  sim_state_clear(s);
  memcpy(s->now.q, s->a->q_start, (size_t)s->a->nq * sizeof(double));
  memcpy(s->now.z, s->a->z_start, (size_t)s->a->nz * sizeof(double));
  if (s->a->nd > 0) memcpy(s->now.d, s->a->d_start, (size_t)s->a->nd * sizeof(double));
  s->now.t = s->a->start;
  s->n.stale = s->a->event_matrix ? 2 : s->a->event_values;
}

static void values_at_start(nsm_sim *s, int ledger) {
  if (ledger) sim_ledger_start(s);
  s->a->start_error.code = NSM_OK;
  sim_start_values(s);
  if (s->a->m->nblock > 0) {
    (void)sim_events_start(s, &s->a->start_error);
    sim_start_values(s);                                   // of what the events have changed
  }
  sim_unknowns_solve(s);
  sim_impulses_reset(s);
  if (s->a->start_error.code == NSM_OK) sim_impulses_look(s, sim_clock_first(s));
}

static void first_step_begins(nsm_sim *s) {
  sim_signals_start(s);
  double h = sim_clock_first(s);
  if (h != s->n.h) sim_prepare(s, h, NULL);
  sim_touch_update(s, s->n.h);                             // outputs at the start; the step has it again
}

void nsm_reset(nsm_sim *s) {
  int ledger = s->now.ledger.on;
  to_start(s);
  first_step_begins(s);
  values_at_start(s, ledger);
}

static int laws_hold(nsm_sim *s, nsm_error *e) {
  return (!s->n.stale || sim_refresh(s, e)) && sim_turns_hold(s, e) && sim_mend(s, s->a->project_start, e);
}

nsm_code nsm_begin(nsm_sim *s, int n, const int *column, const double *value, nsm_error *e) {
  nsm_code code = NSM_OK;
  int ledger = s->now.ledger.on;
  nsm_error why = { .code = NSM_OK };
  to_start(s);
  for (int i = 0; i < n && code == NSM_OK; i++) code = nsm_write_column(s, column[i], value[i], &why);
  if (code == NSM_OK) {
    first_step_begins(s);
    if ((n > 0 || !s->a->start_held) && !laws_hold(s, &why)) code = why.code = NSM_FAILED;
  }
  if (code != NSM_OK) to_start(s), first_step_begins(s);
  values_at_start(s, ledger);
  if (e) *e = why;
  return code;
}
