// The state of a run as a value: cleared, saved, restored (nsm_restore: room.c). All of it is listed once, in sim_state
// (numbers) and state.def (arrays); beside these only what the solvers of small problems remember of their last answers
// (nsm_cone_memory) is carried from step to step. A step thus depends on the analysis and on what is written here, and
// on nothing else: restored in the middle of a run it goes on with the same bits.
#include "radau_pieces.h"
#include "runtime/schemes/consistent.h"
#include "runtime/shared/sum.h"
#include <stddef.h>
#include <string.h>

// sum: of all behind it in the head; body: of all behind the head.
typedef struct head {
  uint64_t sum, body;
  size_t   bytes;
  long     rows, nq, nv, nz, nl;
  int      version, scheme, groups;
  double   h;
} head;

static const size_t numbers = offsetof(sim_state, q);

// ---- what solvers remember ------------------------------------------------------------------------------------------
// Workspaces whose problems have an id, in a fixed order: those of small islands, of small islands of closed contacts,
// of islands that never change. How many; `each` may be NULL.
typedef void each_work(void *work, uint64_t fixed, char *at);
enum { MEMORY = sizeof(nsm_cone_memory) };

static size_t over_works(const nsm_sim *s, each_work *each, char *at) {
  const sim_islands *a = &s->n.isl;
  size_t n = 0;
  for (int i = 1; i <= SIM_TINY_BLOCKS; i++) {
    void *work[] = { a->solver.tiny_work[i], s->n.con ? s->n.con->solver.tiny_work[i] : NULL };
    for (int k = 0; k < 2; k++) {
      if (!work[k]) continue;
      if (each) each(work[k], 0, at ? at + n * MEMORY : NULL);
      n++;
    }
  }
  for (int i = 0; i < a->nfixed; i++, n++)
    if (each) each(a->fixed[i].work, a->fixed[i].p.matrix_id, at ? at + n * MEMORY : NULL);
  return n;
}

// Of islands that never change the id is that of the simulation at hand: 1 stands for it.
static void save_work(void *work, uint64_t fixed, char *at) {
  nsm_cone_memory m;
  nsm_cone_remember(work, &m);
  if (fixed) m.matrix_id = m.matrix_id == fixed;
  memcpy(at, &m, MEMORY);
}

static void restore_work(void *work, uint64_t fixed, char *at) {
  nsm_cone_memory m;
  memcpy(&m, at, MEMORY);
  if (fixed && m.matrix_id) m.matrix_id = fixed;
  nsm_cone_recall(work, &m);
}

static void forget_work(void *work, uint64_t fixed, char *at) {
  (void)fixed; (void)at;
  nsm_cone_recall(work, &(nsm_cone_memory){ 0 });
}

// ---- clear ----------------------------------------------------------------------------------------------------------
void sim_work_clear(nsm_sim *s) {
  s->w.terms_of = -1;
  s->n.w.factored = 0;
  memset(s->w.size, 0, (size_t)s->a->nz * sizeof *s->w.size);
  memset(s->w.l1, 0, (size_t)s->a->nl * sizeof *s->w.l1);
  if (s->n.con) s->n.con->made_for = 0;                    // K belongs to another state
  if (s->n.radau) s->n.radau->fresh = 0;                   // its derivatives too; sets are part of the state
  else if (s->located) sim_located_stale(s);
  s->w.rest.steps = 0;
  if (s->touching) s->touching->stale = 1;
}

void sim_state_clear(nsm_sim *s) {
  memset(&s->now, 0, numbers);
#define SIM_STATE(type, name, count, what) memset(s->now.name, 0, (size_t)(count) * sizeof(type));
#include "runtime/state.def"
#undef SIM_STATE
  over_works(s, forget_work, NULL);
  sim_work_clear(s);
}


// ---- save, restore --------------------------------------------------------------------------------------------------
size_t nsm_state_size(const nsm_sim *s) {
  size_t bytes = sizeof(head) + numbers + (size_t)s->a->ngroup * sizeof(int);
#define SIM_STATE(type, name, count, what) bytes += (size_t)(count) * sizeof(type);
#include "runtime/state.def"
#undef SIM_STATE
  return bytes + over_works(s, NULL, NULL) * MEMORY;
}

enum {
#define SIM_STATE(type, name, count, what) STATE_##name,
#include "runtime/state.def"
#undef SIM_STATE
};

// Where an array begins among those of a saved state.
static size_t place_of(const nsm_sim *s, int array) {
  size_t at = 0;
  int k = 0;
#define SIM_STATE(type, name, count, what) \
  if (k++ == array) return at; \
  at += (size_t)(count) * sizeof(type);
#include "runtime/state.def"
#undef SIM_STATE
  return at;
}

static head head_of(const nsm_sim *s) {
  head h;
  memset(&h, 0, sizeof h);
  h.bytes = nsm_state_size(s);
  h.rows = s->n.r.n;
  h.nq = s->a->nq;
  h.nv = s->a->nv;
  h.nz = s->a->nz;
  h.nl = s->a->nl;
  h.version = s->a->m->version;
  h.scheme = s->a->m->scheme;
  h.groups = s->a->ngroup;
  h.h = s->n.h;
  return h;
}

static uint64_t sum_of_head(const head *h) { return nsm_sum(&h->body, sizeof *h - offsetof(head, body)); }

void sim_save(const nsm_sim *s, void *to) {
  head h = head_of(s);
  char *at = (char *)to + sizeof h;
  for (int i = 0; i < s->a->ngroup; i++, at += sizeof(int)) memcpy(at, &s->touching->group[i].room, sizeof(int));
  memcpy(at, &s->now, numbers);
  at += numbers;
#define SIM_STATE(type, name, count, what) \
  memcpy(at, s->now.name, (size_t)(count) * sizeof(type)); \
  at += (size_t)(count) * sizeof(type);
#include "runtime/state.def"
#undef SIM_STATE
  over_works(s, save_work, at);
  memcpy(to, &h, sizeof h);
}

void nsm_save(const nsm_sim *s, void *to) {
  head h;
  sim_save(s, to);
  memcpy(&h, to, sizeof h);
  h.body = nsm_sum((char *)to + sizeof h, h.bytes - sizeof h);
  h.sum = sum_of_head(&h);
  memcpy(to, &h, sizeof h);
}

int sim_saved_whole(const void *from) {
  head h;
  memcpy(&h, from, sizeof h);
  return h.sum == sum_of_head(&h) && h.body == nsm_sum((const char *)from + sizeof h, h.bytes - sizeof h);
}

int sim_saved_room(const nsm_sim *s, const void *from, int *room) {
  head h;
  memcpy(&h, from, sizeof h);
  if (h.groups != s->a->ngroup || h.groups == 0) return 0;
  memcpy(room, (const char *)from + sizeof h, (size_t)h.groups * sizeof *room);
  return h.rows != s->n.r.n;
}

nsm_code sim_restore(nsm_sim *s, const void *from, nsm_error *e) {
  const char *at = from;
  head h, own = head_of(s);
  memcpy(&h, at, sizeof h);
  at += sizeof h;
  at += (size_t)own.groups * sizeof(int);
  double step = h.h;
  h.h = own.h;
  h.sum = own.sum;
  h.body = own.body;
  if (memcmp(&h, &own, sizeof h) != 0) {
    sim_fail(e, NSM_USAGE, "the state is one of another model, or of other sizes");
    return NSM_USAGE;
  }
  const size_t kept = SIM_KEEPS(s) * (size_t)s->n.w.nval * sizeof(double);
  const char *made = at + numbers + place_of(s, STATE_made);
  int factored = kept > 0 && s->n.w.factored && memcmp(made, s->now.made, kept) == 0;     // of the same W: they go on
  sim_work_clear(s);                                       // before the state is there: it forgets parts of the old one
  s->n.w.factored = factored;
  memcpy(&s->now, at, numbers);
  at += numbers;
#define SIM_STATE(type, name, count, what) \
  memcpy(s->now.name, at, (size_t)(count) * sizeof(type)); \
  at += (size_t)(count) * sizeof(type);
#include "runtime/state.def"
#undef SIM_STATE
  s->a->start_error.code = NSM_OK;
  s->n.stale = s->a->event_matrix ? 2 : s->a->event_values;
  sim_signals_forget(s);
  if (s->n.flow) sim_flow_restored(s);
  if (step != s->n.h && !sim_prepare(s, step, e)) return e ? e->code = NSM_FAILED : NSM_FAILED;
  over_works(s, restore_work, (char *)(uintptr_t)at);
  return NSM_OK;
}
