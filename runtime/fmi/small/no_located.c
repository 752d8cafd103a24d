// In place of clock/located*.c and schemes/whole_located.c in an FMU whose run locates no events of sets: what these do
// where sim.located is NULL.
#include "runtime/clock/located.h"
#include "runtime/clock/radau_pieces.h"
#include "runtime/schemes/whole.h"

static nsm_code none(nsm_error *e) {
  sim_fail(e, NSM_FAILED, "this FMU does not locate events");
  return NSM_FAILED;
}
int      sim_located_analyse(nsm_sim *s, nsm_error *e) { (void)s; return none(e) == NSM_OK; }
int      sim_located_fits(const nsm_sim *s, nsm_error *e) { (void)s; return none(e) == NSM_OK; }
void     sim_located_relations(nsm_sim *s) { (void)s; }
void     sim_located_stale(nsm_sim *s) { if (s->n.radau) sim_radau_stale(s); }
void     sim_located_step(nsm_sim *s, double t1) { (void)s; (void)t1; }
int      sim_located_give_up(nsm_sim *s) { (void)s; return 0; }
nsm_code sim_located_begin(nsm_sim *s, double h, nsm_error *e) { (void)s; (void)h; return none(e); }
int      sim_located_further(nsm_sim *s, double h, double t1, nsm_error *e) {
  (void)s; (void)h; (void)t1; (void)e;
  return 0;
}
int      sim_watch(nsm_sim *s, double h, double t1) { (void)s; (void)h; (void)t1; return 0; }
nsm_code sim_located_find(nsm_sim *s, double *length, nsm_error *e) { (void)s; (void)length; return none(e); }
nsm_code sim_located_end(nsm_sim *s, double t1, double length, int ends, nsm_error *e) {
  (void)s; (void)t1; (void)length; (void)ends;
  return none(e);
}
int      sim_whole_locates(const nsm_sim *s) { (void)s; return 0; }
int      sim_whole_keeps_sets(const nsm_sim *s) { (void)s; return 0; }
int      sim_whole_located(nsm_sim *s, long tick, int m) { (void)s; (void)tick; (void)m; return 0; }
void     sim_whole_kept_sets(nsm_sim *s) { (void)s; }
int      sim_whole_is_closed(const nsm_sim *s, int row) { return s->now.held[row] > 0; }
unsigned sim_whole_act_by_sets(nsm_sim *s) { (void)s; return 0; }
void     sim_located_kept(nsm_sim *s) { (void)s; }
