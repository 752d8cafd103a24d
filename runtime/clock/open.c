// A run is opened: analysis, initial values, the numbers of the first step. Close. Nothing is allocated
// between nsm_open and nsm_close but the room of active rows (rows_couple.c), which grows in rare cases.
#include "flow_pieces.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int known_solver(const char *name, nsm_error *e) {
  char list[600] = "";
  if (!name) return 1;
  for (const char *const *n = nsm_cone_solver_names(); *n; n++) {
    if (strcmp(*n, name) == 0) return 1;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *n);
  }
  const char *instead = nsm_cone_solver_instead(name);
  if (instead) sim_fail(e, NSM_USAGE, "the solver `%s` is gone; `%s` solves what it solved", name, instead);
  else sim_fail(e, NSM_USAGE, "there is no solver `%s`; there are: %s", name, list);
  return 0;
}

static const char *copied(nsm_sim *s, const char *text) {
  size_t bytes = text ? strlen(text) + 1 : 0;
  return text ? memcpy(sim_take(s, bytes, 1), text, bytes) : NULL;
}

static const double *numbers(nsm_sim *s, const double *x, int n) {
  return n > 0 ? memcpy(SIM_NEW(s, n, double), x, (size_t)n * sizeof *x) : NULL;
}

nsm_settings nsm_default_settings(void) {
  return (nsm_settings){ .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };
}

// The caller's settings may go away; nsm_clone opens with them again.
static void keep_settings(nsm_sim *s, const nsm_settings *set) {
  nsm_settings *own = &s->a->settings;
  *own = set ? *set : nsm_default_settings();
  nsm_assignment *list = SIM_NEW(s, own->nset, nsm_assignment);
  for (int i = 0; i < own->nset; i++) list[i] = (nsm_assignment){ copied(s, set->set[i].name), set->set[i].value };
  own->set = list;
  nsm_input *input = SIM_NEW(s, own->ninput, nsm_input);
  for (int i = 0; i < own->ninput; i++) {
    const nsm_input *from = &set->input[i];
    int n = from->path ? 0 : from->n;
    input[i] = (nsm_input){ copied(s, from->name), copied(s, from->path), copied(s, from->column), from->between, n,
                            numbers(s, from->time, n), numbers(s, from->value, n) };
  }
  own->input = input;
  own->solver = copied(s, own->solver);
  own->dump_problems = NULL;                               // two runs would write the same files
}

// Spins are what moves attitudes, and has no length in its unit.
static void room_of_misses(nsm_sim *s) {
  s->w.misses = SIM_NEW(s, 3 * s->n.r.n, double);
  s->w.turns = SIM_NEW(s, s->a->nv, unsigned char);
  SIM_EACH(s, kinematics, k)
    for (int i = 0; i < k->tab.count; i++)
      for (int slot = 0; slot < k->c->nslot; slot++) {
        if (k->c->slot[slot] != NSM_SLOT_Q && k->c->slot[slot] != NSM_SLOT_VELOCITY) continue;
        int z = sim_z_of(s, k, i, slot);
        s->w.turns[z] = strcmp(nsm_column_unit(s, 1 + s->a->nx + s->a->nshown + z), "1/s") == 0;
      }
}

static int open_into(nsm_sim *s, const nsm_settings *set, const int *room, nsm_error *e) {
  keep_settings(s, set);
  s->w.cone.warm = 1;
  s->a->touch_name = sim_touch_name;
  s->a->touch_there = sim_touch_there;
  s->a->m = sim_touch_extend(s, s->a->given, room);
  if (!sim_setup(s, set, e) || !sim_touch_open(s, e)) return 0;
  if (!known_solver(s->w.cone.solver, e) || !sim_cover(s, e)) return 0;
  if (s->a->scheme->fits && !s->a->scheme->fits(s, e)) return 0;
  s->n.h = sim_clock_first(s);
  sim_mass_analyse(s);
  if (!sim_mass_start(s, e)) return 0;
  if (!sim_rows_patterns(s, e)) return 0;
  sim_assembly_analyse(s);
  sim_rows_analyse(s);
  sim_unknowns_analyse(s);
  sim_islands_analyse(s);
  if (!sim_events_analyse(s, e)) return 0;
  sim_unique_open(s, set && set->check_unique);
  if (s->a->located && !sim_located_analyse(s, e)) return 0;
  for (int i = 0; i < s->a->m->nstat; i++)
    if (s->a->m->stat[i].kind >= NSM_STAT_EVENTS && !s->a->located) {
      sim_fail(e, NSM_USAGE, "a claim is about events, and they are located by `moreau(located = true)`, "
               "`consistent(located = true)` or --located on alone");
      return 0;
    }
  if (!sim_dump_open(s, set ? set->dump_problems : NULL, e)) return 0;
  sim_implied_analyse(s);
  if (s->a->scheme->analyse) s->a->scheme->analyse(s);
  sim_evaluate_constants(s);
  sim_rows_weights(s);
  sim_touch_begin(s);
  if (!sim_touch_update(s, s->n.h)) { sim_no_memory(e, "contacts of shapes"); return 0; }
  if (!(set && set->any_start) && !sim_start(s, s->a->project_start, e)) return 0;
  sim_matrix_keep(s);
  if (!sim_prepare(s, s->n.h, e)) return 0;
  if (!sim_rebound_fits(s, e)) return 0;
  if (s->located && !sim_located_fits(s, e)) return 0;
  if (s->located) sim_located_relations(s);
  if (s->n.flow) sim_flow_open(s);
  sim_closed_start(s);
  if (sim_misses_any(s)) room_of_misses(s);
  sim_touch_scale(s);
  if (s->a->on.relation.n > 0) sim_note_solutions(s);
  sim_whole_analyse(s, set);
  sim_impulses_open(s);
  return 1;
}

static int open_guarded(nsm_sim *s, const nsm_settings *set, const int *room, nsm_error *e) {
  if (setjmp(s->no_memory) == 0) return open_into(s, set, room, e);
  sim_fail(e, NSM_FILE,
           "not enough memory for this model (%.3g GiB were already taken); try a smaller one, or allow more "
             "(ulimit -v)",
           (double)s->taken / (1024.0 * 1024 * 1024));
  return 0;
}

// One attempt, with room for so many contacts of shapes; *wanted: what there should be room for, by groups, where
// that was too little; to be freed.
static nsm_sim *attempt(const nsm_model *m, const nsm_settings *set, const int *room, int **wanted, nsm_error *e) {
  nsm_sim *s = calloc(1, sizeof *s);
  if (s) s->a = calloc(1, sizeof *s->a);
  if (!s || !s->a) { free(s); sim_no_memory(e, "this model"); return NULL; }
  s->a->m = s->a->given = m;
  s->a->scheme = sim_scheme_at(m->scheme);
  if (!open_guarded(s, set, room, e)) {
    *wanted = sim_touch_wanted(s);
    nsm_close(s);
    return NULL;
  }
  nsm_reset(s);
  return s;
}

nsm_sim *sim_open_with(const nsm_model *m, const nsm_settings *set, const int *room, nsm_error *e) {
  int *wanted = NULL;
  nsm_sim *s = attempt(m, set, room, &wanted, e);
  while (!s && wanted) {
    int *now = wanted;
    wanted = NULL;
    if (e) *e = (nsm_error){ .code = NSM_OK };
    s = attempt(m, set, now, &wanted, e);
    free(now);
  }
  return s;
}

nsm_sim *nsm_open(const nsm_model *m, const nsm_settings *set, nsm_error *e) {
  if (e) *e = (nsm_error){ .code = NSM_OK };
  if (m->version != NSM_ABI_VERSION) {
    sim_fail(e, NSM_MODEL_WRONG, "the model was compiled for version %d of the interface, this runtime has version %d",
             m->version, NSM_ABI_VERSION);
    return NULL;
  }
  if (!sim_scheme_at(m->scheme)) {
    sim_fail(e, NSM_MODEL_WRONG, "this runtime does not know the scheme of the model");
    return NULL;
  }
  return sim_open_with(m, set, NULL, e);
}

void nsm_close(nsm_sim *s) {
  if (!s) return;
  sim_touch_close(s);
  sim_flow_close(s);
  sim_drop_claims(s);
  if (s->beside) s->beside->close(s->beside);
  sim_release(s);
  free(s->a);
  free(s);
}

double nsm_time(const nsm_sim *s) { return s->now.t; }
void nsm_get_counters(const nsm_sim *s, nsm_counters *c) {
  *c = s->now.count;
  c->max_residual = sim_max_residual(s);
  int at = 0;
  c->max_miss = fmax(c->max_miss, sim_miss_now(s, &at));
}
