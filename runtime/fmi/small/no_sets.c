// In place of relations in blocks `every`, of a note on relations with several solutions, and of piles in an FMU of a
// model whose rows are all constraints.
#include "runtime/assembly/assembly.h"
#include "runtime/clock/clock.h"

int      sim_laws_analyse(nsm_sim *s, int block, sim_event *v, nsm_error *e) {
  (void)s; (void)block; (void)v; (void)e;
  return 1;
}
nsm_code sim_laws_solve(nsm_sim *s, const sim_event *v, int first, int n, double t, nsm_error *e) {
  (void)s; (void)v; (void)first; (void)n; (void)t;
  sim_fail(e, NSM_FAILED, "this FMU has no relations");
  return NSM_FAILED;
}
void     sim_note_solutions(nsm_sim *s) { (void)s; }
int      sim_piles_are_asked(const nsm_sim *s) { (void)s; return 0; }
int      sim_piles_find(nsm_sim *s, int *rows, int count, const int **behind) {
  (void)s; (void)rows; (void)behind;
  return count;
}
int      sim_pile_end(const sim_rows *r, int place) { (void)r; (void)place; return 0; }
int      sim_pile_pose(nsm_sim *s, int first, nsm_cone_problem *p, nsm_cone_factors *f) {
  (void)s; (void)first; (void)p; (void)f;
  return 0;
}
