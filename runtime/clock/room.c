// Room for contacts of shapes. More of it: the simulation is opened again, takes the state over, and the place of the
// one before. Room doubles at least, so that a run does this a few times however many contacts there come to be. A
// state is restored with the room that it was saved with, and a clone has that of its original.
#include "located.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// ---- the state, with other numbers of rows --------------------------------------------------------------------------
// Contacts of a group that both have room for: a state that is restored may have been saved with less than there is.
static size_t of_group(const nsm_sim *o, const nsm_sim *s, int group) {
  int n = s->now.touches[group], room = o->touching->group[group].room;
  return (size_t)(n < room ? n : room);
}

static size_t in_use(const nsm_sim *o, const nsm_sim *s, int cls) {
  int group, direction;
  if (cls < s->a->given->nclass) return (size_t)s->a->cls[cls].tab.count;
  sim_touch_class(cls - s->a->given->nclass, &group, &direction);
  return direction <= s->touching->group[group].slips ? of_group(o, s, group) : 0;
}

static void copy(void *to, size_t at, const void *from, size_t was, size_t count, size_t size) {
  memcpy((char *)to + at * size, (const char *)from + was * size, count * size);
}

static void by_rows(nsm_sim *o, const nsm_sim *s, void *to, const void *from, size_t size) {
  for (int i = 0; i < s->a->m->nclass; i++) {
    const sim_class *a = &s->a->cls[i], *b = &o->a->cls[i];
    if (a->row0 >= 0) copy(to, (size_t)b->row0, from, (size_t)a->row0, in_use(o, s, i), size);
  }
}

static void by_multipliers(nsm_sim *o, const nsm_sim *s, void *to, const void *from, size_t size) {
  copy(to, 0, from, 0, (size_t)s->a->ndeclared, size);
  for (int i = 0; i < s->a->m->nvar; i++)
    if (s->a->m->var[i].kind == NSM_VAR_ROW)
      copy(to, (size_t)o->a->var[i].base, from, (size_t)s->a->var[i].base, in_use(o, s, s->a->m->var[i].cls), size);
}

static void take_state(nsm_sim *o, const nsm_sim *s) {
  int which = 0;
  memcpy(&o->now, &s->now, offsetof(sim_state, q));
  sim_state_kind kind;
#define SIM_STATE(type, name, count, what)                                                                             \
  kind = sim_state_kind_of(s, which++);                                                                                \
  if (kind == SIM_STATE_BY_ROW) by_rows(o, s, o->now.name, s->now.name, sizeof(type));                                 \
  else if (kind == SIM_STATE_BY_MULTIPLIER) by_multipliers(o, s, o->now.name, s->now.name, sizeof(type));              \
  else if ((void *)o->now.name == (void *)o->now.touch)                                                                \
    for (int g = 0; g < s->a->ngroup; g++)                                                                             \
      copy(o->now.touch, (size_t)o->touching->group[g].first, s->now.touch, (size_t)s->touching->group[g].first,      \
           of_group(o, s, g), sizeof(type));                                                                           \
  else memcpy(o->now.name, s->now.name, (size_t)(count) * sizeof(type));
#include "runtime/state.def"
#undef SIM_STATE
}

// ---- the exchange ---------------------------------------------------------------------------------------------------
void sim_exchange(nsm_sim *s, nsm_sim *other) {
  nsm_sim swap = *s;
  other->a->settings.any_start = s->a->settings.any_start;
  *s = *other;
  *other = swap;
  other->claims = s->claims;                               // what watches the run stays with it
  s->claims = swap.claims;
  nsm_on_event(s, other->told, other->told_with);
  if (s->touching) s->touching->s = s;
  if (other->touching) other->touching->s = other;
}

// The start of the same model with the same parameters, as the laws have moved it.
static void take_start(nsm_sim *to, const nsm_sim *from) {
  memcpy(to->a->q_start, from->a->q_start, (size_t)from->a->nq * sizeof(double));
  memcpy(to->a->z_start, from->a->z_start, (size_t)from->a->nz * sizeof(double));
  to->a->start_held = from->a->start_held;
}

nsm_code sim_open_again(nsm_sim *s, const int *room, nsm_error *e) {
  nsm_settings set = s->a->settings;
  set.any_start = 1;
  set.dump_problems = sim_dump_folder(s);
  nsm_sim *other = sim_open_with(s->a->given, &set, room, e);
  if (!other) return e ? e->code : NSM_FAILED;
  sim_work_clear(other);                                   // before the state is there, as in sim_restore
  take_state(other, s);
  take_start(other, s);
  memcpy(other->a->note, s->a->note, sizeof s->a->note);
  sim_exchange(s, other);
  nsm_close(other);
  return NSM_OK;
}

nsm_code sim_more_room(nsm_sim *s, nsm_error *e) {
  int *wanted = sim_touch_wanted(s);
  nsm_code code = wanted ? sim_open_again(s, wanted, e) : sim_no_memory(e, "contacts of shapes");
  free(wanted);
  return code;
}

nsm_code nsm_restore(nsm_sim *s, const void *from, nsm_error *e) {
  if (!sim_saved_whole(from)) {
    sim_fail(e, NSM_USAGE, "the bytes of the state were altered, or are no state");
    return NSM_USAGE;
  }
  sim_drop_claims(s);
  int *room = s->a->ngroup > 0 ? sim_touch_rooms(s) : NULL;
  nsm_code code = room && sim_saved_room(s, from, room) ? sim_open_again(s, room, e) : NSM_OK;
  free(room);
  return code == NSM_OK ? sim_restore(s, from, e) : code;
}

nsm_sim *nsm_clone(const nsm_sim *s, nsm_error *e) {
  nsm_settings set = s->a->settings;
  set.any_start = 1;                                       // its state takes their place
  int *room = sim_touch_rooms(s);
  nsm_sim *c = sim_open_with(s->a->given, &set, room, e);
  free(room);
  if (!c) return NULL;
  take_start(c, s);
  size_t bytes = nsm_state_size(s);
  void *state = sim_take(c, bytes, 1);
  nsm_save(s, state);
  if (nsm_restore(c, state, e) == NSM_OK) return c;
  nsm_close(c);
  return NULL;
}
