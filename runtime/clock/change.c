// Parameters change from outside, between two steps. The energies.
#include "located.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- parameters -----------------------------------------------------------------------------------------------------
static int parameter_named(const nsm_sim *s, const char *name) {
  for (int i = 0; i < s->a->m->npar; i++)
    if (strcmp(sim_text(s, s->a->m->par[i].name), name) == 0) return i;
  return -1;
}

double nsm_get_parameter(const nsm_sim *s, const char *name) {
  int i = parameter_named(s, name);
  return i < 0 ? NAN : s->a->p[i];
}

// Another simulation with the new value takes the state over, and the place of this one.
static nsm_code exchange(nsm_sim *s, const nsm_settings *set, void *state, nsm_error *e) {
  int *room = sim_touch_rooms(s);
  nsm_sim *other = sim_open_with(s->a->given, set, room, e);
  free(room);
  if (!other) return e ? e->code : NSM_FAILED;
  nsm_code code = NSM_OK;
  if (nsm_state_size(other) != nsm_state_size(s)) {
    sim_fail(e, code = NSM_USAGE, "the parameter changes sizes of the model; open another simulation for it");
  }
  nsm_error off;
  if (code == NSM_OK && s->a->start_held) (void)sim_start(other, other->a->project_start, &off);   // for nsm_reset
  if (code == NSM_OK) {
    nsm_save(s, state);
    code = nsm_restore(other, state, e);
    if (code == NSM_OK && (other->n.radau || other->n.flow)) sim_located_stale(other);   // other laws, other sets
  }
  if (code == NSM_OK) sim_exchange(s, other);
  if (code == NSM_OK) sim_ledger_reset(s);
  nsm_close(other);
  return code;
}

nsm_code nsm_set_parameter(nsm_sim *s, const char *name, double value, nsm_error *e) {
  if (e) *e = (nsm_error){ .code = NSM_OK };
  const nsm_settings *own = &s->a->settings;
  if (parameter_named(s, name) < 0) { sim_fail(e, NSM_USAGE, "there is no parameter `%s`", name); return NSM_USAGE; }
  if (s->dump) { sim_fail(e, NSM_USAGE, "a run that writes its problems keeps its parameters"); return NSM_USAGE; }
  nsm_assignment *set = calloc((size_t)own->nset + 1, sizeof *set);
  void *state = malloc(nsm_state_size(s));
  nsm_code code;
  if (!set || !state) { sim_no_memory(e, "a parameter"); code = NSM_FILE; }
  else {
    int n = own->nset;
    for (int i = 0; i < n; i++) set[i] = own->set[i];
    int at = 0;
    while (at < n && strcmp(set[at].name, name) != 0) at++;
    set[at] = (nsm_assignment){ name, value };
    nsm_settings with = *own;
    with.set = set;
    with.nset = at == n ? n + 1 : n;
    with.any_start = 1;
    code = exchange(s, &with, state, e);
  }
  free(set);
  free(state);
  return code;
}

// ---- energies -------------------------------------------------------------------------------------------------------
void nsm_keep_ledger(nsm_sim *s) {
  if (s->a->on.energy.n > 0) sim_ledger_start(s);
}

int nsm_get_energy(const nsm_sim *s, nsm_energy *energy) {
  *energy = (nsm_energy){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
  if (s->a->on.energy.n == 0) return 0;
  sim_energy(s, &energy->kinetic, &energy->potential);
  const sim_ledger *g = &s->now.ledger;
  if (!g->on) return 1;
  energy->initial = g->initial;
  energy->forces = g->forces;
  energy->dampers = g->dampers;
  energy->contacts = g->contacts;
  energy->friction = g->friction;
  energy->residue = g->residue;
  return 2;
}
