// Which models have a whole step, and of which kind. What is discrete is a constant of the steps between two instants
// of `every` or of time (model/instants.c); an input is one as long as it is held.
#include <stddef.h>
#include <string.h>
#include "../../runtime/nsm_abi.h"
#include "step.h"

PlanKernels with_whole(Arena *a, PlanKernels k, const Whole *w, bool together) {
  if (!w) return k;
  PlanKernels all = { k.n + 1, ARENA_ARRAY(a, PlanKernel, k.n + 1) };
  memcpy(all.at, k.at, (size_t)k.n * sizeof *k.at);
  size_t offset = w->records ? offsetof(nsm_model, whole_recorded) : offsetof(nsm_model, whole_run);
  all.at[k.n] = (PlanKernel){ .cls = -1, .offset = (int)offset, .kernel = w->kernel, .first = k.n,
                                .together = together };
  return all;
}

// Fused steps by Newton's method have forces that the unknowns move.
static bool moves_forces(Arena *a, const Plan *p) {
  if (!p->equations || p->scheme->explicit_step) return true;
  Piece any = { a, p->sys, p->sys->pool, NULL };
  for (int k = 0; k < PIECE_POINTS; k++) {
    bool moves = p->point[k].time != EX_NONE && (point_moves(&any, p->point, k) || point_shares(&any, p->point, k));
    if (moves && !ex_is_num(p->sys->pool, p->force[k], 0)) return !ex_is_num(p->sys->pool, p->point[END].end, 0);
  }
  return false;
}

// Large energies (docs/numerics/algebra.md, section 9) fill their matrices: written out once more, with derivatives of
// their own and an unrolled elimination, they are larger and slower than their kernels.
const Whole *whole_of_plan(Arena *a, const Plan *p, bool located, bool records) {
  for (int i = 0; i < p->ncls; i++) {
    const SysClass *c = p->cls[i].c;
    if (c->kinetic != EX_NONE && ex_is_shared(p->sys->pool, c->kinetic)) return NULL;
  }
  const Model *m = p->sys->model;
  if (p->projection || p->place_at || p->scheme->kicks || !moves_forces(a, p)) return NULL;
  if (m->nbody > 0 || m->ntouch > 0 || m->nangle > 0) return NULL;
  if (p->sys->algebraic_states || model_impact(m) != MI_NEWTON) return NULL;
  for (int i = 0; i < p->ncls; i++) if (p->cls[i].c->compliant || p->cls[i].c->of_compliant) return NULL;
  for (int i = 0; i < m->nblock; i++)                      // other events are for the generic step
    if (!m->block[i].by_time && !m->block[i].timed) return NULL;
  for (int i = 0; i < m->nvar; i++) if (m->var[i].kind == MV_DELAY) return NULL;
  Written *w = write_out(a, p);
  if (!w) return NULL;
  w->located = located;
  w->records = records;
  const Whole *o = NULL;
  if (p->equations && p->scheme->equations && !p->scheme->explicit_step) {
    o = whole_linear(a, w, true);
    if (!o) o = whole_linear(a, w, false);
  }
  if (p->scheme->two_point && !p->scheme->mass_at_begin) o = whole_two_point(a, w);
  if (!o && p->equations && p->scheme->equations) o = whole_piece(a, w);
  return o;
}
