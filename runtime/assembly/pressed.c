// Grips with normal rows that others imply, or that imply others. The forces of such rows are decided by nothing but
// a choice, and here it is that of the multipliers which are recorded: the smallest that make the same forces
// (implied.c).
// So friction on a bearing that another one makes redundant is pressed as its own reaction says.
//
//   D of a grip in an island without its normal rows: the disk of a given normal force, mu |P lambda_N|          (1)
//
// P: sharing out. (1) is found by iteration, which contracts with mu times the coupling of normal and slip.
#include "assembly.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { PRESSINGS = 100 };
static const double alike = 1e-13;       // disks, relative to the largest

int sim_pressed_row(const nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  for (int f = 0; s->now.implied_n > 0 && f < r->nfriction; f++)
    for (int d = 0; nsm_cone_is_grip(r->friction[f].type) && d < r->friction[f].normals; d++)
      if (sim_implied_shares(s, r->friction[f].normal[d])) return r->friction[f].normal[d];
  return -1;
}

void sim_pressed_grips(const nsm_sim *s, const double *l, double *disk) {
  for (int f = 0; f < s->n.r.nfriction; f++)
    disk[f] = nsm_cone_is_grip(s->n.r.friction[f].type) ? sim_friction_pressed(s, f, l) : -1;
}

// The impulse that would make the terms of a slip: what rests presses with no more than the round-off of that.
static double of_terms(const nsm_sim *s, int f) {
  const sim_rows *r = &s->n.r;
  int row = r->friction[f].row[0], at = r->at_row[row];
  double inertia = r->active[row] ? sim_rows_inertia(s, at) : 0;
  return inertia > 0 ? s->n.isl.terms[s->n.isl.index[at]] / inertia : 0;
}

// The disks of what the islands found, and by how much they are others than those that it was found with, relative to
// the largest. *worst: of which block.
static double press_anew(nsm_sim *s, sim_directions *of, double *l, double *disk, int *worst) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  double *before = disk + r->nfriction, change = 0, largest = DBL_MIN;
  for (int i = 0; i < is->nactive; i++) l[r->l[r->row_at[is->active[i]]]] = is->lambda[i];
  memcpy(before, disk, (size_t)r->nfriction * sizeof *disk);
  sim_pressed_grips(s, sim_implied_forces(s, of, l), disk);
  for (int f = 0; f < r->nfriction; f++) {
    if (fabs(disk[f] - before[f]) > change) { change = fabs(disk[f] - before[f]); *worst = f; }
    largest = fmax(largest, fmax(fabs(disk[f]), of_terms(s, f)));
  }
  return change / largest;
}

int sim_pressed_solve(nsm_sim *s, sim_directions *of, const double *others) {
  sim_islands *is = &s->n.isl;
  if (sim_pressed_row(s) < 0) return sim_islands_solve(s);
  double *disk = s->w.pressed, *l = disk + 2 * s->n.r.nfriction, change = INFINITY;
  int ok = 1, worst = 0;
  memcpy(l, others, (size_t)s->a->nl * sizeof *l);
  sim_pressed_grips(s, sim_implied_forces(s, of, l), disk);
  for (int n = 0; n < PRESSINGS && ok && change > alike; n++) {
    is->solver.disk = disk;
    ok = sim_islands_solve(s);
    is->solver.disk = NULL;
    if (ok) change = press_anew(s, of, l, disk, &worst);
  }
  if (!ok || change <= alike) return ok;
  is->solver.result = (nsm_cone_result){ .status = NSM_CONE_FAILED, .residual = change };
  is->solver.failed_row = s->n.r.friction[worst].row[0];
  return 0;
}
