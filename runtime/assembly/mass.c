// The mass matrix by itself: is it positive definite, for the coordinates, and regular, for the states? A scheme whose
// iteration matrix has other parts would go on with a matrix that no motion can have.
//
// M is symmetric for coordinates: L D L^T by blocks. A pivot below 1e-13 of its diagonal entry, or a diagonal entry
// below 1e-20 of what it was at the start, counts as zero.
#include "assembly.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double zero = 1e-13, vanished = 1e-20;

// ---- analysis -------------------------------------------------------------------------------------------------------
// Edges among coordinates, or, without a graph, places; states have a matrix of their own at the start
// (states_are_regular).
static void over(nsm_sim *s, sim_graph *g) {
  SIM_EACH(s, mass, k) {
    const nsm_pattern *p = &k->c->mass;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
        if (row >= s->a->nv || col >= s->a->nv) continue;
        if (g) sim_graph_edge(g, row, col);
        else k->inertia_at[(size_t)i * (size_t)p->n + (size_t)e] = sim_matrix_place(&s->n.inertia, row, col);
      }
  }
}

void sim_mass_analyse(nsm_sim *s) {
  sim_graph g = sim_graph_count(s, s->a->nv);
  over(s, &g);
  sim_graph_fill(s, &g);
  over(s, &g);
  sim_graph_close(&g);
  sim_matrix_shape(s, &s->n.inertia, s->a->nv, g.start, g.neighbour, NULL);
  SIM_EACH(s, mass, k) k->inertia_at = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->mass.n, int);
  over(s, NULL);
  sim_graph_give(s, &g);
  s->n.inertia_start = SIM_NEW(s, s->a->nv, double);
}

// ---- coordinates ----------------------------------------------------------------------------------------------------
static void assemble(nsm_sim *s, int constant, double *to) {
  SIM_EACH(s, mass, k) {
    const nsm_pattern *p = &k->c->mass;
    if (sim_fixed(k->c->mass_stage) != constant) continue;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++)
        if (k->c->slot[p->row[e]] != NSM_SLOT_X && k->c->slot[p->col[e]] != NSM_SLOT_X) {
          size_t j = (size_t)i * (size_t)p->n + (size_t)e;
          to[k->inertia_at[j]] += k->mass[j];
        }
  }
}

// One block; -1, or the place within it of the first pivot that counts as zero or negative.
static int definite(nsm_sim *s, const sim_block *b) {
  sim_matrix *w = &s->n.inertia;
  const int *order = w->order + b->first;
  int banded = b->kind == BLOCK_BAND || b->kind == BLOCK_TRIDIAGONAL, reach = banded ? b->reach : b->n;
  for (int j = 0; j < b->n; j++) {
    int end = j + reach + 1 < b->n ? j + reach + 1 : b->n;
    for (int i = j; i < end; i++) {
      double *a = &w->val[sim_matrix_place(w, order[i], order[j])], sum = *a;
      for (int m = i > reach ? i - reach : 0; m < j; m++)
        sum -= w->val[sim_matrix_place(w, order[i], order[m])] * w->val[sim_matrix_place(w, order[j], order[m])] *
               w->val[sim_matrix_place(w, order[m], order[m])];
      if (i == j) {
        if (!(sum > zero * *a) || !(*a > vanished * s->n.inertia_start[order[j]])) return j;
        *a = sum;
      } else *a = sum / w->val[sim_matrix_place(w, order[j], order[j])];
    }
  }
  return -1;
}

// The same for a large dense block, by Cholesky's factors.
static int definite_dense(nsm_sim *s, const sim_block *b) {
  sim_matrix *w = &s->n.inertia;
  double *A = w->val + b->at, *diagonal = w->work;
  size_t stride = (size_t)b->n + 1;
  for (int j = 0; j < b->n; j++) {
    diagonal[j] = A[(size_t)j * stride];
    if (!(diagonal[j] > vanished * s->n.inertia_start[w->order[b->first + j]])) return j;
  }
  nsm_la_status st = nsm_la_cholesky_factor(b->n, A, b->n);
  for (int j = 0; j < (st.code == NSM_LA_OK ? b->n : st.pivot); j++)
    if (!(A[(size_t)j * stride] * A[(size_t)j * stride] > zero * diagonal[j])) return j;
  return st.code == NSM_LA_OK ? -1 : st.pivot;
}

// The same by fronts, whose pivots are those of the order of elimination.
static int definite_sparse(nsm_sim *s, const sim_block *b) {
  sim_matrix *w = &s->n.inertia;
  for (int j = 0; j < b->n; j++) {
    int z = w->order[b->first + j];
    if (!(w->val[sim_matrix_place(w, z, z)] > vanished * s->n.inertia_start[z])) return j;
  }
  return nsm_sparse_factor(b->sparse, w->val + b->at, NSM_SPARSE_DIAGONAL, zero, 0, NULL);
}

int sim_mass_indefinite(nsm_sim *s) {
  sim_matrix *w = &s->n.inertia;
  memcpy(w->val, w->base, (size_t)w->nval * sizeof(double));
  assemble(s, 0, w->val);
  for (int b = 0; b < w->nblock; b++) {
    const sim_block *k = &w->block[b];
    int j = k->kind == BLOCK_DENSE    ? definite_dense(s, k)
            : k->kind == BLOCK_SPARSE ? definite_sparse(s, k)
                                      : definite(s, k);
    if (j >= 0) return w->order[k->first + j];
  }
  return -1;
}

void sim_mass_solve(nsm_sim *s, double *x) {
  sim_matrix *w = &s->n.inertia;
  if (!s->n.inertia_factored) {
    memcpy(w->val, w->base, (size_t)w->nval * sizeof(double));
    assemble(s, 0, w->val);
    for (int b = 0; b < w->nblock; b++) sim_block_factor(s, w, b);
    s->n.inertia_factored = 1;
  }
  sim_matrix_solve_in(w, x);
}

nsm_code sim_mass_failed(nsm_sim *s, double t, int z, nsm_error *e) {
  char name[256];
  sim_z_name(s, z, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, sim_at_z(s, z),
              "the mass matrix is not positive definite at t = %.10g s, step %ld: the pivot of %s vanishes or is "
              "negative",
              t, sim_step_number(s), name);
  return NSM_FAILED;
}

// ---- the start ------------------------------------------------------------------------------------------------------
// The first statement that gives row z of M an entry.
static int class_of(const nsm_sim *s, int z) {
  for (int a = 0; a < s->a->on.mass.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < k->c->mass.n; e++)
        if (sim_z_of(s, k, i, k->c->mass.row[e]) == z) return s->a->on.mass.of[a];
  }
  return 0;
}

static int coordinates(nsm_sim *s, nsm_error *e) {
  sim_matrix *w = &s->n.inertia;
  memset(w->base, 0, (size_t)w->nval * sizeof(double));
  assemble(s, 1, w->base);
  memcpy(w->val, w->base, (size_t)w->nval * sizeof(double));
  assemble(s, 0, w->val);
  for (int z = 0; z < s->a->nv; z++) s->n.inertia_start[z] = fabs(w->val[sim_matrix_place(w, z, z)]);
  int z = sim_mass_indefinite(s);
  if (z < 0) return 1;
  char name[256];
  sim_z_name(s, z, name, sizeof name);
  int cls = class_of(s, z);
  sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(cls),
              "line %d: the mass matrix is not positive definite at the start: the pivot of %s vanishes or is "
              "negative, so that some motion would have no kinetic energy, or a negative one",
              s->a->m->cls[cls].line, name);
  return 0;
}

// Names of the states of a component, for a message.
static void list_states(const nsm_sim *s, const int *order, int n, char *out, size_t size) {
  size_t used = 0;
  for (int i = 0; i < n && i < 4 && used + 1 < size; i++) {
    char name[128];
    sim_z_name(s, s->a->nv + order[i], name, sizeof name);
    int k = snprintf(out + used, size - used, "%s%s", i == 0 ? "" : i + 1 == n ? " and " : ", ", name);
    used += k > 0 ? (size_t)k : 0;
  }
  if (n > 4 && used + 1 < size) snprintf(out + used, size - used, ", ... (%d states)", n);
}

// LU of a block; is a pivot below 1e-13 of the largest entry of its column?
static int dependent(sim_matrix *w, const sim_block *k) {
  double *A = w->val + k->at;
  int banded = k->kind == BLOCK_BAND || k->kind == BLOCK_TRIDIAGONAL, singular = 0;
  for (int j = 0; j < k->n; j++) {
    w->work[j] = 0;
    for (int i = banded && j > k->reach ? j - k->reach : 0; i < k->n && (!banded || i <= j + k->reach); i++) {
      long at = banded ? nsm_la_band_index(k->reach, k->reach, k->ld, i, j) : i + (long)j * k->ld;
      w->work[j] = fmax(w->work[j], fabs(A[at]));
    }
  }
  if (banded) nsm_la_band_factor(k->n, k->reach, k->reach, A, k->ld, w->pivot + k->first);
  else nsm_la_lu_factor(k->n, A, k->ld, w->pivot + k->first);
  for (int j = 0; j < k->n; j++) {
    long at = banded ? nsm_la_band_index(k->reach, k->reach, k->ld, j, j) : j + (long)j * k->ld;
    singular |= !(fabs(A[at]) > zero * w->work[j]);
  }
  return singular;
}

// The coefficients of x' by components, each by LU: a pivot below 1e-13 of the largest entry of its column means that
// the equations do not determine the derivatives.
static int states(nsm_sim *s, nsm_error *e) {
  sim_graph g = sim_graph_count(s, s->a->nx);
  for (int pass = 0; pass < 2; pass++) {
    SIM_EACH(s, mass, k) {
      for (int i = 0; i < k->tab.count; i++)
        for (int m = 0; m < k->c->mass.n; m++) {
          int row = sim_z_of(s, k, i, k->c->mass.row[m]) - s->a->nv, col = sim_z_of(s, k, i, k->c->mass.col[m]) -
              s->a->nv;
          if (row >= 0 && col >= 0) sim_graph_edge(&g, row, col);
        }
    }
    if (pass == 0) sim_graph_fill(s, &g);
  }
  sim_graph_close(&g);
  sim_matrix w;
  memset(&w, 0, sizeof w);
  sim_matrix_shape(s, &w, s->a->nx, g.start, g.neighbour, NULL);
  sim_graph_give(s, &g);
  SIM_EACH(s, mass, k) {
    for (int i = 0; i < k->tab.count; i++)
      for (int m = 0; m < k->c->mass.n; m++) {
        int row = sim_z_of(s, k, i, k->c->mass.row[m]) - s->a->nv, col = sim_z_of(s, k, i, k->c->mass.col[m]) -
            s->a->nv;
        if (row >= 0 && col >= 0)
          w.val[sim_matrix_place(&w, row, col)] += k->mass[(size_t)i * (size_t)k->c->mass.n + (size_t)m];
      }
  }
  for (int z = s->a->nv; z < s->a->nz && s->a->algebraic; z++)
    if (s->a->algebraic[z])                                // no derivative to determine
      w.val[sim_matrix_place(&w, z - s->a->nv, z - s->a->nv)] = 1;
  for (int b = 0; b < w.nblock; b++) {
    const sim_block *k = &w.block[b];
    if (!(k->kind == BLOCK_SPARSE ? nsm_sparse_factor(k->sparse, w.val + k->at, NSM_SPARSE_PIVOTS, zero, 0, NULL) >= 0
                                  : dependent(&w, k)))
      continue;
    char names[400];
    list_states(s, w.order + k->first, k->n, names, sizeof names);
    int cls = class_of(s, s->a->nv + w.order[k->first]);
    sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(cls),
                "line %d: the equations do not determine the derivatives of %s: their coefficients are a singular "
                "matrix at the start",
                s->a->m->cls[cls].line, names);
    return 0;
  }
  return 1;
}

int sim_mass_start(nsm_sim *s, nsm_error *e) { return coordinates(s, e) && (s->a->nx == 0 || states(s, e)); }
