// Pieces of a scheme that collocates (schemes/radau.h): their begin and their end. docs/numerics/radau.md, 4; sets:
// radau_begin.c; where a piece ends: radau_find.c.
#include "radau_pieces.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

nsm_code sim_radau_begin(nsm_sim *s, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  if (s->w.euler) return NSM_OK;
  nsm_code code = w->euler ? NSM_OK : sim_radau_sets(s, e);
  if (code != NSM_OK) return code;
  if (w->tells) {
    for (int row = 0; row < s->n.r.n; row++)                // those that went with it
      s->located->ended[row] |= s->located->was[row] != s->now.set[row];
    sim_tell_sets(s);
  }
  w->tells = 0;
  if (w->euler) s->w.euler = 1;
  return NSM_OK;
}

void sim_radau_step(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  w->pieces = w->shorts = w->euler = w->counted = 0;
  w->ended = -1;
  s->w.euler = 0;
  w->tells = 0;
}

// The rest of the step by implicit Euler; 0: it is already.
int sim_radau_give_up(nsm_sim *s) {
  if (s->w.euler) return 0;
  return s->w.euler = 1;
}

// Once a step.
static void captured(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  if (w->counted) return;
  w->counted = 1;
  s->now.count.captured++;
  if (s->now.captured_row == 0) {
    s->now.captured_t = s->now.t;
    s->now.captured_row = w->ended + 2;
  }
  sim_tell_captured(s, w->ended);
}

int sim_captured_note(const nsm_sim *s, char *out, size_t size) {
  if (!s->located || s->now.captured_row == 0) return 0;
  char name[256] = "";
  if (s->now.captured_row < 0) {
    snprintf(out, size, "%ld step%s not located to the end, the first at t = %.10g s: the switch of line %d drives "
             "back from both sides; what rests there is a set-valued law: multiplier u; relation N: u in -K*sgn(s)",
             s->now.count.captured, s->now.count.captured > 1 ? "s were" : " was", s->now.captured_t,
             s->a->m->cls[-1 - s->now.captured_row].line);
    return 1;
  }
  if (s->now.captured_row > 1) sim_row_name(s, s->now.captured_row - 2, name, sizeof name);
  long n = s->now.count.captured;
  snprintf(out, size, "%ld step%s had pieces of implicit Euler, the first at t = %.10g s%s%s: %s", n, n > 1 ? "s" : "",
           s->now.captured_t, *name ? ", after a switch of " : "", name,
           "--record-events names each (docs/numerics/radau.md, 4)");
  return 1;
}

// What stands is checked: the laws at every stage, by code that shares nothing with what found them.
static nsm_code checked(nsm_sim *s, double t1, nsm_error *e) {
  int row = 0;
  double off = radau_verify(s, &row);
  if (off <= RADAU_WRONG) {
    s->now.count.max_residual = fmax(s->now.count.max_residual, off);
    return NSM_OK;
  }
  char name[256];
  sim_row_name(s, row, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, sim_at_row(s, row), "a piece that ends at t = %.10g s breaks the law of %s by %.3g of its "
              "terms", t1, name, off);
  return NSM_FAILED;
}

nsm_code sim_radau_end(nsm_sim *s, double t1, double length, int ends, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  struct sim_located *all = s->located;
  int was_euler = s->w.euler;
  if (!was_euler && w->outcome != RADAU_GOOD) {
    s->w.astray = 1;
    return NSM_FAILED;
  }
  nsm_code code = was_euler ? NSM_OK : checked(s, t1, e);
  if (code == NSM_OK) code = sim_accept(s, t1, e);
  if (code != NSM_OK) return code;
  s->w.euler = w->euler = 0;
  if (was_euler) {
    captured(s);
    w->pieces++;
    sim_radau_stale(s);
    s->now.sets_known = 0;
    return NSM_OK;
  }
  w->euler = w->short_of;
  w->pieces += w->short_of;
  if (!ends || !all->events) return NSM_OK;
  w->pieces++;
  w->shorts = length < RADAU_SHORT * s->a->step ? w->shorts + 1 : 0;
  s->now.count.located++;
  w->euler = w->pieces >= RADAU_PIECES || w->shorts >= RADAU_SHORTS;
  if (w->euler) w->shorts = 0;
  memcpy(all->was, s->now.set, (size_t)s->n.r.n);
  memcpy(all->ended, all->hit, (size_t)s->n.r.n);
  w->tells = 1;
  sim_radau_stale(s);
  return NSM_OK;
}
