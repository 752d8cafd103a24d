// Impulses in networks: where a switch cuts off a coil, or closes a loop of capacitors and sources, states jump, and
// what makes them jump is an impulse of volt-seconds or of charge (docs/numerics/circuits.md, 6). A step has it as a
// value of order 1/h. So at the start and after events two steps are tried, of r = 2^-20 h and r/2, and taken back:
//
//   an impulse is where a state jumps by the same in both, and the value times the length is the same:
//   p = lim r v(r).                                                                                            (8)
//
// A part that is faster than 1e-6 h counts as an impulse too; a jump below 1e-9 of the largest state is rounding.
//
// Where nothing jumps, unknowns without inertia and multipliers of laws have a limit for r -> 0: what holds behind the
// event, with the states as they are. It is what a row at this instant shows.
#include "clock.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double share = 0x1p-20, jumps = 1e-6, least = 1e-9, same = 0.01,
                    nothing = 1e-40;     // in SI units: rounding of states that have decayed

// One kind: volt-seconds, charge.
typedef struct sim_impulse { long count; double most, time; int column; } sim_impulse;
static const char *const units[] = { "V", "A" }, *const of[] = { "V s", "C" };
enum { KINDS = 2 };

struct sim_impulses {
  sim_impulse kind[KINDS];
  void   *state;
  double *z, *l, *v[2];                 // [nz] [nl] those of the long step; [columns] of both
};

void sim_impulses_open(nsm_sim *s) {
  if (!sim_is_network(s) || !s->a->scheme->implicit) return;
  struct sim_impulses *w = s->impulses = SIM_NEW(s, 1, struct sim_impulses);
  w->state = sim_take(s, nsm_state_size(s), 1);
  w->z = SIM_NEW(s, s->a->nz, double);
  w->l = SIM_NEW(s, s->a->nl, double);
  for (int k = 0; k < 2; k++) w->v[k] = SIM_NEW(s, s->a->ncolumn, double);
}

// All columns at the end of a step of length r.
static int columns_after(nsm_sim *s, double r, double *v) {
  nsm_error why;
  if (sim_try_implicit(s, r, &why) != NSM_OK) return 0;
  for (int k = 0; k < 2; k++) {                            // there, and back
    SIM_SWAP(s->now.q, s->w.q1);
    SIM_SWAP(s->now.z, s->w.z1);
    SIM_SWAP(s->now.l, s->w.l1);
    if (k == 0) nsm_read(s, v);
  }
  return 1;
}

static int is_algebraic(const nsm_sim *s, int z) { return s->a->algebraic && s->a->algebraic[z]; }

// Do states jump? By the same in the step of z, which was twice as long. Voltages by charge, currents by volt-seconds.
static int states_jump(nsm_sim *s, const double *z, int *by_kind) {
  double most = 0;
  int any = 0;
  for (int i = s->a->nv; i < s->a->nz; i++)
    if (!is_algebraic(s, i)) most = fmax(most, fmax(fabs(s->w.z1[i]), fabs(s->now.z[i])));
  for (int i = s->a->nv; i < s->a->nz; i++) {
    double by = s->w.z1[i] - s->now.z[i], was = z[i] - s->now.z[i], size = fabs(s->w.z1[i]) + fabs(s->now.z[i]);
    if (is_algebraic(s, i) || !(fabs(by) > jumps * size) || !(fabs(by) > least * most) ||
        !(fabs(by - was) <= same * fabs(by))) continue;
    for (int k = 0; k < KINDS; k++)
      if (strcmp(nsm_column_unit(s, 1 + i - s->a->nv), units[k]) == 0) any = by_kind[!k] = 1;
  }
  return any;
}

// z and l for r -> 0 into those of the long step. 0: something jumps, and there is no limit.
static int limit(const nsm_sim *s) {
  struct sim_impulses *w = s->impulses;
  double most = 0;
  for (int i = 0; i < s->a->nz; i++)
    if (!is_algebraic(s, i)) most = fmax(most, fabs(s->now.z[i]));
  for (int i = 0; i < s->a->nz; i++)
    if (!is_algebraic(s, i) && fabs(s->w.z1[i] - s->now.z[i]) > fmax(jumps * fabs(s->now.z[i]), least * most)) return 0;
  for (int i = 0; i < s->a->nz; i++) w->z[i] = is_algebraic(s, i) ? 2 * s->w.z1[i] - w->z[i] : s->now.z[i];
  for (int l = 0; l < s->a->nl; l++) w->l[l] = 2 * s->w.l1[l] - w->l[l];
  return 1;
}

static void take_limit(nsm_sim *s) {
  const struct sim_impulses *w = s->impulses;
  memcpy(s->now.z, w->z, (size_t)s->a->nz * sizeof(double));
  SIM_EACH(s, relation, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) s->now.l[s->n.r.l[row]] = w->l[s->n.r.l[row]];
}

static void take(nsm_sim *s, double r, const int *by_kind) {
  struct sim_impulses *w = s->impulses;
  int found[KINDS] = { 0 };
  for (int c = 1; c < s->a->ncolumn; c++) {
    double p = r * w->v[0][c], q = r / 2 * w->v[1][c];
    if (!(fabs(p - q) <= same * fabs(q)) || !(fabs(q) > nothing)) continue;
    for (int k = 0; k < KINDS; k++) {
      sim_impulse *i = &w->kind[k];
      if (!by_kind[k] || strcmp(nsm_column_unit(s, c), units[k]) != 0) continue;
      i->count += !found[k];
      found[k] = 1;
      if (fabs(q) > fabs(i->most) * (1 + same)) *i = (sim_impulse){ i->count, q, s->now.t, c };
    }
  }
}

void sim_impulses_look(nsm_sim *s, double h) {
  struct sim_impulses *w = s->impulses;
  if (!w || s->now.stopped || !(h > 0)) return;
  struct sim_dump *dump = s->dump;                         // these steps are none of the run
  struct sim_unique *unique = s->unique;
  s->dump = NULL;
  s->unique = NULL;
  nsm_save(s, w->state);
  double r = share * h;
  int by_kind[KINDS] = { 0 }, known = 0;
  if (columns_after(s, r, w->v[0])) {
    memcpy(w->z, s->w.z1, (size_t)s->a->nz * sizeof(double));
    memcpy(w->l, s->w.l1, (size_t)s->a->nl * sizeof(double));
    if (columns_after(s, r / 2, w->v[1])) {
      if (states_jump(s, w->z, by_kind)) take(s, r, by_kind);
      else known = !s->n.radau && !s->n.flow && s->now.k > 0 && limit(s);
    }
  }
  (void)sim_restore(s, w->state, NULL);
  if (known) take_limit(s);
  s->dump = dump;
  s->unique = unique;
}

void sim_impulses_reset(nsm_sim *s) {
  if (s->impulses) memset(s->impulses->kind, 0, sizeof s->impulses->kind);
}

int sim_impulses_note(nsm_sim *s, char *out, size_t size) {
  struct sim_impulses *w = s->impulses;
  size_t used = 0;
  for (int k = 0; w && k < KINDS; k++) {
    const sim_impulse *i = &w->kind[k];
    if (i->count == 0 || used >= size) continue;
    used += (size_t)snprintf(out + used, size - used, "%s%ld impulse%s of %s, the largest %.8g %s at %s, t = %.10g s",
                             used ? "; " : "", i->count, i->count > 1 ? "s" : "", k ? "charge" : "voltage", i->most,
                             of[k], nsm_column_name(s, i->column), i->time);
  }
  if (used > 0 && used < size)
    snprintf(out + used, size - used, ". A switch or the start makes states jump there: the values of that step are "
             "the impulse divided by its length");
  return used > 0;
}
