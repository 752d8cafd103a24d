// One step of length h: what depends on h where that changed, contacts of shapes, the scheme, the books, assertions.
#include "radau_pieces.h"
#include <math.h>
#include <string.h>

static nsm_code assertions(nsm_sim *s, nsm_error *e) {
  for (int a = 0; a < s->a->on.assertion.n; a++) {
    int cls = s->a->on.assertion.of[a];
    sim_evaluate_class(s, cls, s->w.out);
    for (int i = 0; i < s->a->cls[cls].tab.count; i++)
      if (!(s->w.out[i] != 0)) {
        char name[256];
        sim_instance_name(s, cls, i, name, sizeof name);
        sim_fail_at(e, NSM_CLAIM, sim_at_class(cls), "line %d: %s does not hold at t = %.10g s, step %ld",
                    s->a->m->cls[cls].line, name, s->now.t, s->now.k > 0 ? sim_step_number(s) : 0);
        return NSM_CLAIM;
      }
  }
  return NSM_OK;
}

// The step of the scheme; where weights hang on sets, until they fit those that it ends with.
static nsm_code step(nsm_sim *s, double h, double t1, nsm_error *e) {
  if (s->w.euler) return s->a->scheme->euler(s, t1, e);
  if (s->n.radau && !s->located) return sim_radau_checked(s, h, t1, e);
  if (!s->n.weights) return s->a->scheme->step(s, t1, e);
  if (sim_weights_begin(s) && !sim_prepare(s, h, e)) return NSM_FAILED;
  for (;;) {
    nsm_code c = s->a->scheme->step(s, t1, e);
    if (sim_interrupted(s) || !sim_weights_end(s, c != NSM_OK, t1)) return c;
    if (e) *e = (nsm_error){ .code = NSM_OK };
    if (!sim_prepare(s, h, e)) return NSM_FAILED;
  }
}

// What is tried then are parts of it, sim_take_part, and nothing that the step has left is known to them.
static nsm_code unreasonable(nsm_sim *s, double t1, double made, nsm_error *e) {
  const sim_ledger *g = &s->now.ledger;
  s->w.astray = SIM_UNREASONABLE;
  sim_forget_last_step(s);
  sim_fail(e, NSM_FAILED,
           "the step is not accepted at t = %.10g s, step %ld, nor a part of it down to 1/%d: its energy %s by %.3g J "
           "where %.3g J are there, and no force, drive or impact explains it; constraints that all but depend on each "
           "other there? a smaller step may help",
           t1, sim_step_number(s), 1 << SIM_HALVES, made > 0 ? "rises" : "falls", fabs(made),
           g->kinetic + fabs(g->potential));
  return NSM_FAILED;
}

static inline nsm_code attempt(nsm_sim *s, double h, double t1, nsm_error *e) {
  if (s->now.k == 0 && s->a->nsignal > 0 && !sim_inputs_given(s, e)) return NSM_USAGE;
  if (s->now.k == 0 && s->a->on.assertion.n > 0) {
    nsm_code c = assertions(s, e);
    if (c != NSM_OK) return c;
  }
  if (s->n.stale && !sim_refresh(s, e)) return e ? e->code = NSM_FAILED : NSM_FAILED;
  int fixed = (s->n.radau || s->n.flow) && !s->w.euler && s->now.sets_known == 1;  // it has factors of its own
  int made = h == s->n.h || fixed;
  if (!made && !sim_prepare(s, h, e)) return e ? e->code = NSM_FAILED : NSM_FAILED;
  if (s->touching && !s->located && !sim_touch_update(s, h))
    return sim_no_memory(e, "contacts of shapes");                           // or no room: clock.c
  s->w.work = 0;
  s->w.late = 0;
  s->w.length = h;
  nsm_code c = step(s, h, t1, e);
  if (__builtin_expect(c != NSM_OK && sim_interrupted(s), 0)) {              // whatever the step has made of it
    if (e) *e = (nsm_error){ .code = NSM_INTERRUPTED };
    return NSM_INTERRUPTED;
  }
  if (s->dump && sim_dump_failed(s, e)) return NSM_FILE;
  double risen = c == NSM_OK && s->now.ledger.on && h > 0 ? sim_from_nothing(s, t1) : 0;
  return risen != 0 ? unreasonable(s, t1, risen, e) : c;
}

// l_parts by the impulses of a part of a step.
static void add_part(nsm_sim *s) {
  double *sum = s->now.l_parts;
  if (s->now.parts++ == 0) memset(sum, 0, (size_t)s->a->nl * sizeof *sum);
  for (int l = 0; l < s->a->nl; l++) sum[l] += s->w.l1[l];
}

static inline nsm_code accept(nsm_sim *s, double t1, nsm_error *e) {
  if (__builtin_expect(t1 < s->w.until && s->w.keep, 0)) s->w.keep(s);
  if (__builtin_expect(s->tape != NULL, 0)) s->tape->piece(s->tape, s, t1);
  if (__builtin_expect(t1 < s->w.until || s->located || s->now.parts, 0)) add_part(s);
  s->a->scheme->accept(s);
  SIM_SWAP(s->now.q, s->w.q1);
  SIM_SWAP(s->now.z, s->w.z1);
  SIM_SWAP(s->now.l, s->w.l1);
  s->now.t = t1;
  s->now.k++;
  s->now.count.steps++;
  if (s->n.weights) sim_weights_accept(s);
  if (s->a->ndelay > 0) sim_signals_keep(s, 0);
  if (s->now.ledger.on) sim_ledger_step(s);
  if (s->w.misses && s->now.k % SIM_MISSES_EVERY == 0) sim_misses_take(s);
  if (s->unique) sim_unique_taken(s);
  return s->a->on.assertion.n > 0 ? assertions(s, e) : NSM_OK;
}

// ---- what rests -----------------------------------------------------------------------------------------------------
// Where no velocity is left, and SAME steps have left positions, states and multipliers as they were, the problem of
// the next step is the one that was solved and checked: as long as it does not hang on the time, its answer is known
// (docs/numerics/touching.md, 4). A scheme that collocates, or flows, keeps a past of its own.
enum { SAME = 3 };

static int is_same(const double *a, const double *b, int n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

static int may_rest(const nsm_sim *s) {
  return s->a->m->timeless && s->a->nsignal + s->a->m->nblock == 0 && !s->n.radau &&
         !s->n.flow && !s->n.weights && !s->tape && !s->w.misses && !s->dump && !s->unique;
}

static int is_as_before(const nsm_sim *s) {
  return is_same(s->now.q, s->w.q1, s->a->nq) && is_same(s->now.z, s->w.z1, s->a->nz) &&
         is_same(s->now.l, s->w.l1, s->a->nl);
}

void sim_see_rest(nsm_sim *s, long newton, long solver) {
  int rests = may_rest(s) && is_as_before(s);
  if (rests && s->a->scheme->two_point)
    rests = is_same(s->now.q_low, s->w.q1_low, s->a->nq) && is_same(s->now.z_low, s->w.z1_low, s->a->nz);
  for (int i = 0; rests && i < s->a->nv; i++) rests = s->now.z[i] == 0;
  s->w.rest.steps = rests ? s->w.rest.steps + 1 : 0;
  s->w.rest.newton = s->now.count.newton_iterations - newton;
  s->w.rest.solver = s->now.count.solver_iterations - solver;
}

int sim_rests_on(const nsm_sim *s, double h) {
  int stale = s->n.stale || (s->touching && s->touching->stale);
  return s->w.rest.steps >= SAME && !stale && h == s->n.h && may_rest(s) && is_as_before(s);
}

nsm_code sim_rest(nsm_sim *s, double t1, nsm_error *e) {
  s->now.count.newton_iterations += s->w.rest.newton;
  s->now.count.solver_iterations += s->w.rest.solver;
  return accept(s, t1, e);
}

// ---- a step ---------------------------------------------------------------------------------------------------------
nsm_code sim_try(nsm_sim *s, double h, double t1, nsm_error *e) { return attempt(s, h, t1, e); }

nsm_code sim_try_implicit(nsm_sim *s, double h, nsm_error *e) {
  int before = s->w.euler;
  s->w.euler = s->n.radau || sim_has_fixed_sets(s);
  nsm_code code = attempt(s, h, s->now.t + h, e);
  s->w.euler = before;
  return code;
}

nsm_code sim_accept(nsm_sim *s, double t1, nsm_error *e) { return accept(s, t1, e); }

nsm_code sim_advance(nsm_sim *s, double h, double t1, nsm_error *e) {
  if (sim_rests_on(s, h)) return sim_rest(s, t1, e);
  long newton = s->now.count.newton_iterations, solver = s->now.count.solver_iterations;
  nsm_code c = attempt(s, h, t1, e);
  if (c == NSM_OK) c = accept(s, t1, e);
  if (c == NSM_OK) sim_see_rest(s, newton, solver);
  return c;
}

// A step that is not solved, or that makes energy, is taken in halves, quarters ..., and what is left of it whole
// again: one part of it. What was said of the whole step is said where none of them is solved.
nsm_code sim_take_halves(nsm_sim *s, double from, double t1, sim_taking *take, nsm_error *e) {
  nsm_error other;
  nsm_code c = NSM_FAILED;
  double to = t1;
  for (int k = 0; c == NSM_FAILED && s->w.astray && k < SIM_HALVES && s->now.t == from; k++) {
    if (s->w.late || (s->touching && sim_touch_lacks(s))) return c;        // more time, or room, is what it needs
    to = from + 0.5 * (to - from);
    if (to <= from) return c;
    c = take(s, to, &other);
    s->now.count.halved += c == NSM_OK;
    if (e && c == NSM_OK) *e = (nsm_error){ .code = NSM_OK };
    else if (e && c != NSM_FAILED) *e = other;
  }
  return c;
}

nsm_code sim_take_part(nsm_sim *s, double t1, sim_taking *take, nsm_error *e) {
  double from = s->now.t;
  s->w.astray = 0;
  nsm_code c = take(s, t1, e);
  return c == NSM_FAILED ? sim_take_halves(s, from, t1, take, e) : c;
}
