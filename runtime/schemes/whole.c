// The runtime's side of whole steps: the state goes into one array, the emitted function steps, and it goes back. So
// whole steps and those of the generic step can follow each other in any order.
#include "whole.h"
#include <string.h>

enum { CHUNK = 1024 };                  // `extent` is taken at these steps; constraints are looked at in between

// The tables of the classes are those that the function was made for.
static int fits(const nsm_sim *s, const nsm_whole *w) {
  int at = 0;
  for (int i = 0; i < s->a->m->nclass; i++) {
    const sim_class *k = &s->a->cls[i];
    int taken = k->c->kind == NSM_SMOOTH || k->row0 >= 0;
    if (!taken) continue;
    size_t n = (size_t)k->tab.count * (size_t)k->c->nslot;
    if (k->tab.count != w->count[i] || at + (long)n > w->nix) return 0;
    if (n > 0 && memcmp(k->tab.ix, w->ix + at, n * sizeof(int)) != 0) return 0;
    at += (int)n;
  }
  if (at != w->nix || s->n.r.n != w->nrow) return 0;
  for (int i = 0; i < w->nrow; i++) if (s->n.r.l[i] != w->row_l[i]) return 0;
  return 1;
}

// What the functions do not know: another solver, files of problems, assertions after each step, retractions.
static int ordinary(const nsm_sim *s) {
  const char *solver = s->w.cone.solver;
  return !s->dump && !s->unique && !s->n.weights && s->a->on.assertion.n + s->a->on.kinematics.n == 0 &&
      (!solver || strcmp(solver, "auto") == 0) &&
      (s->n.con || s->a->gamma == 1 || s->a->on.relation.n == 0 || s->a->located);
}

static const sim_whole_kind *const kinds[] = {
  [NSM_WHOLE_LINEAR] = &sim_whole_linear, [NSM_WHOLE_PIECE] = &sim_whole_piece,
  [NSM_WHOLE_TWO_POINT] = &sim_whole_two_point
};

void sim_whole_analyse(nsm_sim *s, const nsm_settings *set) {
  const nsm_whole *o = s->a->m->whole;
  if (!o || s->a->projects || (set && set->step_by_step) || !fits(s, o) || !ordinary(s) || s->a->full < 1) return;
  if (s->a->located && (!o->located || !sim_whole_locates(s))) return;
  const sim_whole_kind *kind = kinds[o->kind];
  int linear = o->kind == NSM_WHOLE_LINEAR;
  if (!kind->fits(s)) return;
  size_t room = kind->room(s);
  struct sim_whole *w = sim_take(s, 1, sizeof *w + room * sizeof(double));
  *w = (struct sim_whole){ .of = o, .sim = s, .rows_at = -1, .room = room };
  if (s->a->located) {
    w->begin = SIM_NEW(s, (int)room, double);
    w->l0 = SIM_NEW(s, s->a->nl, double);
    w->rate0 = SIM_NEW(s, s->n.r.n, double);
    w->rate = SIM_NEW(s, s->n.r.n, double);
  }
  w->rows = s->a->m->whole_recorded ? SIM_NEW(s, CHUNK * (s->a->nq + s->a->nz), double) : NULL;
  w->c = SIM_NEW(s, NSM_WHOLE_SCALARS + o->nconstant + o->npattern + o->nm + o->nx, double);
  const double scalars[] = { s->a->start, s->a->step, s->a->theta, s->a->gamma, s->a->tolerance };
  memcpy(w->c, scalars, sizeof scalars);
  w->before = SIM_NEW(s, (size_t)(s->a->nq + s->a->nz + s->a->nl), double);
  for (int i = 0; i < o->nconstant; i++) {
    const int *k = o->constant + 3 * (size_t)i;
    if (k[0] >= 0) w->c[NSM_WHOLE_SCALARS + i] =
        s->a->cls[k[0]].tab.num[(size_t)k[1] * (size_t)s->a->cls[k[0]].c->nnum + (size_t)k[2]];
  }
  if (linear && !sim_whole_linear_matrix(s, o, w->c + NSM_WHOLE_SCALARS + o->nconstant)) return;
  if (linear) sim_whole_linear_open(s, w);
  s->n.whole = w;
}

// How many of the n steps to come end before the next instant, of `every` or of a condition of time, or at it; discrete
// variables are constants until then. at: does the last one end at such an instant?
static long clear_of_instants(nsm_sim *s, long n, int *at) {
  struct sim_whole *w = s->n.whole;
  long tick = s->now.tick + w->ahead;
  *at = 0;
  for (int i = 0; s->a->nd > 0 && i < w->of->nconstant; i++) {
    const int *k = w->of->constant + 3 * (size_t)i;
    if (k[0] < 0) w->c[NSM_WHOLE_SCALARS + i] = s->now.d[k[1]];
  }
  if (s->a->m->nblock == 0) return n;
  double far = s->a->start + ((double)(tick + n) + 0.5) * s->a->step;
  double by_time = s->a->nwhen > 0 ? sim_next_by_time(s, far) : far;
  double first = fmin(by_time, sim_next_instant(s)), due = first - sim_instant_tolerance(s, first), most = (double)n;
  while (n > 0 && s->a->start + (double)(tick + n) * s->a->step > due) {
    double over = (s->a->start + (double)(tick + n) * s->a->step - due) / s->a->step;
    n -= over > 1 ? (long)over : 1;
  }
  n = n < 0 ? 0 : n;
  double next = sim_time_of_step(s, tick + n + 1);
  *at = !s->a->located && (double)n < most && first >= next - sim_time_round_off(s, next) &&
        first <= next + sim_instant_tolerance(s, next);
  return n + *at;
}

// Instants are looked for as far ahead as whole steps went on the last time, and twice as far where they did: what
// leaves them after a step, as a contact that rests, would search a thousand steps for each.
static int looked_ahead(const nsm_sim *s, long m) {
  long look = s->n.whole->look > 0 ? s->n.whole->look : 1;
  return (int)(s->a->m->nblock > 0 && look < m ? look : m);
}

// `extent` is a part of the state and is taken at fixed steps, so that no result hangs on where a run was interrupted.
static int chunk(nsm_sim *s, int m) {
  struct sim_whole *w = s->n.whole;
  long from = s->now.k, tick = s->now.tick + w->ahead;
  const sim_whole_kind *kind = kinds[w->of->kind];
  if (from % CHUNK == 0) sim_take_extent(s);
  w->sim = s;                                              // which a changed parameter moves (clock/change.c)
  w->steps_before = from - tick;
  kind->load(s, w);
  int done = s->a->located ? sim_whole_located(s, tick, m) : sim_whole_call(s, tick, m);
  s->now.k = from + done;
  w->ahead += done;
  tick += done;
  s->now.t = sim_time_of_step(s, tick);
  s->now.h = s->a->step;
  s->now.count.steps += done;
  s->now.count.whole_steps += done;
  kind->store(s, w, done);
  if (s->a->located && done > 0) sim_whole_kept_sets(s);
  if (s->w.misses && done > 0 && s->now.k % SIM_MISSES_EVERY == 0) sim_misses_take(s);
  return done;
}

int sim_whole_records(const nsm_sim *s) { return s->n.whole && s->n.whole->rows; }

// The first n of the last steps done, as if each were the one at hand. What is looked at is read off coordinates,
// velocities and states.
static void look(nsm_sim *s, int done, int n) {
  const struct sim_whole *w = s->n.whole;
  const size_t width = (size_t)(s->a->nq + s->a->nz);
  double *q = s->now.q, *z = s->now.z, t = s->now.t;
  long first = s->now.tick + w->ahead - done + 1;
  for (int i = 0; i < n; i++) {
    s->now.q = w->rows + (size_t)i * width;
    s->now.z = s->now.q + s->a->nq;
    s->now.t = sim_time_of_step(s, first + i);
    s->watch->step(s->watch, s);
  }
  s->now.q = q;
  s->now.z = z;
  s->now.t = t;
}

// One step whose books the runtime keeps, as those of the generic step.
static int booked(nsm_sim *s) {
  struct sim_whole *w = s->n.whole;
  size_t nq = (size_t)s->a->nq, nz = (size_t)s->a->nz;
  double *before = w->before, t = s->now.t;
  memcpy(before, s->now.q, nq * sizeof *before);
  memcpy(before + nq, s->now.z, nz * sizeof *before);
  memcpy(before + nq + nz, s->now.l, (size_t)s->a->nl * sizeof *before);
  if (chunk(s, 1) == 0) return 0;
  double t1 = s->now.t;
  SIM_SWAP(s->now.q, s->w.q1);
  SIM_SWAP(s->now.z, s->w.z1);
  SIM_SWAP(s->now.l, s->w.l1);
  memcpy(s->now.q, before, nq * sizeof *before);
  memcpy(s->now.z, before + nq, nz * sizeof *before);
  memcpy(s->now.l, before + nq + nz, (size_t)s->a->nl * sizeof *before);
  s->now.t = t;
  s->w.length = s->n.h;
  sim_ledger_whole_step(s);
  if (sim_from_nothing(s, t1) != 0) {                      // the generic step takes it, and says so
    s->now.k--;
    s->now.count.steps--;
    s->now.count.whole_steps--;
    w->ahead--;
    return 0;
  }
  SIM_SWAP(s->now.q, s->w.q1);
  SIM_SWAP(s->now.z, s->w.z1);
  SIM_SWAP(s->now.l, s->w.l1);
  s->now.t = t1;
  sim_ledger_step(s);
  return 1;
}

// One by one, with the books of each; where events are located one alone.
static long with_books(nsm_sim *s, long n, int *ends) {
  struct sim_whole *w = s->n.whole;
  int at = 0, located = s->a->located;
  for (long m = 1; m > 0 && w->ahead < n && !at && !(located && w->ahead > 0);) {
    m = clear_of_instants(s, located ? 1 : n - w->ahead < CHUNK ? n - w->ahead : CHUNK, &at);
    for (long to = w->ahead + m; m > 0 && w->ahead < to;) m = booked(s);
    *ends = m == 0 ? SIM_WHOLE_STOPS : at ? SIM_WHOLE_INSTANT : SIM_WHOLE_GOES_ON;
  }
  return w->ahead;
}

// The last step may be a shorter one: the generic step takes it.
long sim_whole_run(nsm_sim *s, long n, int *ends) {
  struct sim_whole *w = s->n.whole;
  const sim_whole_kind *kind = kinds[w->of->kind];
  long left = s->a->full - s->now.tick;
  int at = 0;
  *ends = SIM_WHOLE_STOPS;
  w->ahead = 0;
  if (s->now.between || s->n.h != s->a->step || (s->a->located && !sim_whole_keeps_sets(s))) return 0;
  if (s->now.ledger.on && kind->books && !kind->books(s)) return 0;
  if (s->a->nsignal > 0 && (s->now.k == 0 || !sim_inputs_held(s))) return 0;     // the first step asks for values
  if (!s->a->scheme->two_point && !sim_independent_first(s)) return 0;
  if (n > left) n = left;
  if (s->now.ledger.on && !kind->books) return with_books(s, n, ends);
  while (w->ahead < n) {
    long most = s->w.misses ? SIM_MISSES_EVERY : CHUNK, room = most - s->now.k % most;
    int m = looked_ahead(s, n - w->ahead < room ? n - w->ahead : room), clear = (int)clear_of_instants(s, m, &at);
    int done = clear > 0 ? chunk(s, clear) : 0;
    if (s->watch) look(s, done, done - (at && done == clear));
    w->look = done < clear || done == 0 ? done : 2L * m;
    if (done < m || at || (s->now.ledger.on && sim_was_from_nothing(s))) {
      *ends = at && done == clear ? SIM_WHOLE_INSTANT : SIM_WHOLE_STOPS;
      break;
    }
    if (s->a->located) { *ends = SIM_WHOLE_GOES_ON; break; }
  }
  return w->ahead;
}
