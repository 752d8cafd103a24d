// Impacts by other laws than Newton's (runtime/impacts, docs/numerics/impacts.md). A step has a law of rates, with
// restitution e: 0 <= rate + e rate_B _|_ p >= 0. Another law of impact is put in its place as the rates that it
// leaves,
//
//   0 <= rate - rate+ _|_ p >= 0,   -(slip - slip+) in N_D(p_T),   rate+ by the law, from rate_B and D
// (1)
//
// with the D of the step's own one-step problem, so that p is the impulse P of the law where nothing else acts in the
// step, and more or less than that by what forces do. It is asked island by island, where a contact approaches; in all
// other islands rate+ is 0. Constraints and contacts that are held take what impulses they need: their rows are
// eliminated. Forces of given size and relations give no impulse at an instant.
#include "schemes.h"
#include "runtime/impacts/impact.h"
#include <math.h>
#include <string.h>

static const double approaches = 1e-9,  // of the terms of a rate: less is what a lasting contact has left
                    dependent = 1e-12,  // of its diagonal: what is left of a row that others imply
                    right = 1e-8;       // the verifier

typedef struct island {
  int     n, m, bilateral, contacts;    // rows; of contacts; of constraints, which stand first in `place`
  int    *place;                        // [n] in the list of active rows
  double *all, *D, *before, *e, *ratio, *exponent, *impulse, *after, *compression;
  nsm_cone_block *contact;
} island;

// ---- which rows -----------------------------------------------------------------------------------------------------
static int is_contact(const nsm_sim *s, int row) {
  return s->a->cls[s->n.r.cls[row]].c->kind == NSM_CONTACT && s->n.r.lo[row] > -INFINITY;
}

// Held, whatever the sign of its impulse.
static int is_bilateral(const nsm_sim *s, int row) {
  int kind = s->a->cls[s->n.r.cls[row]].c->kind;
  return kind == NSM_CONSTRAINT || (kind == NSM_CONTACT && !is_contact(s, row));
}

// Beside the terms of its rate, and beside what its last impulse made of that: what lies on its ground has no other
// velocities than those that solvers leave.
static int approaches_fast(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  double terms = fabs(s->now.l[r->l[row]] * sim_rows_inertia(s, r->at_row[row]));
  for (int x = r->c0[row]; x < r->c0[row + 1]; x++) terms += fabs(r->c[x] * s->now.z[r->cz[x]]);
  return is_contact(s, row) && r->rate0[row] < -approaches * fmax(terms, DBL_MIN);
}

static int strikes(const nsm_sim *s, int first, int end) {
  const sim_islands *is = &s->n.isl;
  for (int i = first; i < end; i++) if (approaches_fast(s, s->n.r.row_at[is->active[i]])) return 1;
  return 0;
}

// Constraints first, then contact by contact.
static void choose(const nsm_sim *s, int first, int end, island *k) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  for (int i = first; i < end; i++) if (is_bilateral(s, r->row_at[is->active[i]])) k->place[k->bilateral++] = i;
  k->n = k->bilateral;
  for (int i = first; i < end; i++) {
    int row = r->row_at[is->active[i]], f = r->friction_of[row];
    if (!is_contact(s, row)) continue;
    nsm_cone_block *b = &k->contact[k->contacts];
    *b = (nsm_cone_block){ .size = 1 };
    if (f >= 0) *b = sim_friction_block(s, f, 0);
    b->first = k->n - k->bilateral;
    k->e[k->contacts] = fmin(fmax(r->e[row], 0), 1);
    k->ratio[k->contacts] = r->ratio[row];
    k->exponent[k->contacts++] = r->exponent[row];
    k->place[k->n++] = i;
    for (int d = 0; d + 1 < b->size; d++) k->place[k->n++] = is->index[r->at_row[r->friction[f].row[d]]];
  }
  k->m = k->n - k->bilateral;
}

// ---- D of the contacts ----------------------------------------------------------------------------------------------
static void take_matrix(const nsm_sim *s, island *k, int *of) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  size_t n = (size_t)k->n;
  for (int i = 0; i < is->nactive; i++) of[i] = -1;
  for (int i = 0; i < k->n; i++) of[k->place[i]] = i;
  memset(k->all, 0, n * n * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    int at = is->active[k->place[i]];
    for (int x = r->m0[at]; x < r->m0[at + 1]; x++) {
      if (!r->active[r->row_at[r->mc[x]]]) continue;
      int j = of[is->index[r->mc[x]]];
      if (j >= 0) k->all[i + (size_t)j * n] = r->m[x];
    }
  }
}

static void exchange(double *a, double *b) {
  double c = *a;
  *a = *b;
  *b = c;
}

// Rates of constraints stay 0: their rows are eliminated, the largest pivot first; what others imply is left out.
// With forces in W that depend on velocities, or directions that turn within the step, it is symmetric but for terms of
// the order of its length; a law about energies is asked of the symmetric part.
static void eliminate(island *k) {
  size_t n = (size_t)k->n, bilateral = (size_t)k->bilateral, m = (size_t)k->m;
  double *A = k->all, largest = 0;
  for (size_t i = 0; i < bilateral; i++) largest = fmax(largest, fabs(A[i + i * n]));
  for (size_t done = 0; done < bilateral; done++) {
    size_t best = done;
    for (size_t i = done; i < bilateral; i++) if (fabs(A[i + i * n]) > fabs(A[best + best * n])) best = i;
    for (size_t i = 0; i < n; i++) exchange(&A[i + done * n], &A[i + best * n]);
    for (size_t i = 0; i < n; i++) exchange(&A[done + i * n], &A[best + i * n]);
    double pivot = A[done + done * n];
    if (!(fabs(pivot) > dependent * largest)) break;
    for (size_t j = done + 1; j < n; j++)
      for (size_t i = done + 1; i < n; i++) A[i + j * n] -= A[i + done * n] * A[done + j * n] / pivot;
  }
  A += bilateral + bilateral * n;
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++) k->D[i + j * m] = 0.5 * (A[i + j * n] + A[j + i * n]);
}

// ---- an impact ------------------------------------------------------------------------------------------------------
// Room for an island of n rows: one block for its numbers, one for the law. 0: no memory.
static int take_room(nsm_sim *s, int n, island *k, int **of) {
  sim_rebounds *b = &s->n.rebounds;
  size_t rows = (size_t)n, all = (size_t)s->n.r.n + rows;
  double *at = sim_pool_room(s, &b->numbers, 2 * rows * rows + 7 * rows, sizeof *at);
  int *list = sim_pool_room(s, &b->places, all, sizeof *list);
  k->contact = sim_pool_room(s, &b->contacts, rows, sizeof *k->contact);
  b->work = sim_pool_room(s, &b->room, nsm_impact_room(n, n), 1);
  if (!at || !list || !k->contact || !b->work) return 0;
  k->place = list;
  *of = list + rows;
  k->all = at;
  k->D = at + rows * rows;
  double **by_row[] = { &k->before, &k->e, &k->ratio, &k->exponent, &k->impulse, &k->after, &k->compression };
  for (size_t i = 0; i < 7; i++) *by_row[i] = k->D + rows * rows + i * rows;
  return 1;
}

static int failed(nsm_sim *s, const island *k, double wrong) {
  s->n.isl.solver.result = (nsm_cone_result){ .status = NSM_CONE_FAILED, .residual = wrong };
  s->n.isl.solver.failed_row = s->n.r.row_at[s->n.isl.active[k->place[k->bilateral]]];
  return 0;
}

static int strike(nsm_sim *s, int first, int end) {
  sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  island k = { 0 };
  int *of;
  if (!take_room(s, end - first, &k, &of)) { r->no_room = 1; return 0; }
  choose(s, first, end, &k);
  take_matrix(s, &k, of);
  eliminate(&k);
  for (int i = 0; i < k.m; i++) k.before[i] = r->rate0[r->row_at[is->active[k.place[k.bilateral + i]]]];
  nsm_impact p = { r->law, k.m, k.contacts, k.D, k.before, k.contact, k.e, k.ratio, k.exponent };
  nsm_impact_answer a = { .impulse = k.impulse, .after = k.after, .compression = k.compression };
  if (!nsm_impact_solve(&p, s->n.rebounds.work, &a)) return failed(s, &k, INFINITY);
  double wrong = nsm_impact_verify(&p, &a);
  if (!(wrong <= right)) return failed(s, &k, wrong);
  if (wrong > s->now.count.max_residual && wrong <= s->a->tolerance) s->now.count.max_residual = wrong;
  s->now.count.softened += a.share < 1;
  for (int i = 0; i < k.m; i++) {
    int at = k.place[k.bilateral + i], row = r->row_at[is->active[at]];
    r->rebound[row] = -k.after[i];
    r->struck[row] = k.impulse[i];
  }
  return 1;
}

// Friction that a piece of a located step takes against the mean slip has a restitution of 1, whatever the law of
// impact.
static void by_restitution(sim_rows *r) {
  for (int f = 0; f < r->nfriction; f++)
    for (int d = 0; d < r->friction[f].n; d++) {
      int row = r->friction[f].row[d];
      r->rebound[row] = r->e[row] * r->rate0[row];
    }
}

int sim_rebound(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  if (!r->law) return 1;
  memset(r->rebound, 0, (size_t)r->n * sizeof(double));
  memset(r->struck, 0, (size_t)r->n * sizeof(double));
  by_restitution(r);
  // a piece between located impacts has none: what lasts would be asked for another slip than 0
  int between = s->located && s->now.sets_known == 1 && s->n.h != 0 && !s->n.con;
  for (int first = 0, end; !between && first < is->nactive; first = end) {
    end = sim_island_end(s, first);
    if (strikes(s, first, end) && !strike(s, first, end)) return 0;
  }
  return 1;
}

int sim_rebound_fits(const nsm_sim *s, nsm_error *e) {
  const sim_rows *r = &s->n.r;
  for (int row = 0; r->law && row < r->n; row++) {
    double ratio = r->ratio[row], exponent = r->exponent[row];
    if (s->a->cls[r->cls[row]].c->kind != NSM_CONTACT || s->touching) continue;
    if (r->e[row] >= 0 && r->e[row] <= 1 && ratio >= 1e-6 && ratio <= 1e6 && exponent >= 1 && exponent <= 10) continue;
    char name[256];
    sim_row_name(s, row, name, sizeof name);
    sim_fail_at(e, NSM_MODEL_WRONG, sim_at_row(s, row),
                "%s: a restitution lies between 0 and 1 (%g), a ratio of stiffnesses between 1e-6 and 1e6 (%g), an "
                "exponent between 1 and 10 (%g)", name, r->e[row], ratio, exponent);
    return 0;
  }
  return 1;
}
