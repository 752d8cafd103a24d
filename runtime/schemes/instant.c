// What the systems of an instant have in common: mass, friction that slides, the solution (instant.h).
//
// Friction that slides has lambda_T = -mu lambda_N s/|s|. The dense system has its rows scaled: by LU, where it is
// regular in SI units or in those of the masses, small as they may be; else by a generalised inverse, which gives the
// smallest multipliers of rows that depend on each other.
#include "flow.h"
#include "galerkin.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double dependent = 1e-11,
                    stiff = 1e6;         // roundings that a slip of round-off counts as, by which its direction turns

void sim_instant_open(nsm_sim *s, sim_instant *in, int first) {
  size_t n = (size_t)(first + s->n.r.n), most = 0;
  for (int a = 0; a < s->a->m->nclass; a++) {
    size_t size = (size_t)s->a->cls[a].tab.count * (size_t)s->a->cls[a].c->mass.n;
    most = size > most ? size : most;
  }
  double **squared[] = { &in->E, &in->lu, &in->kept, &in->inverse };
  for (size_t i = 0; i < sizeof squared / sizeof *squared; i++) *squared[i] = SIM_NEW(s, n * n, double);
  in->first = first;
  in->lwork = nsm_la_pseudo_inverse_work((int)n);
  in->e = SIM_NEW(s, n, double);
  in->scale = SIM_NEW(s, n, double);
  in->unit = SIM_NEW(s, n, double);
  in->work = SIM_NEW(s, (size_t)in->lwork + n, double);
  in->mass = SIM_NEW(s, most, double);
  in->pivot = SIM_NEW(s, n, int);
  in->jpvt = SIM_NEW(s, n, int);
  in->of = SIM_NEW(s, s->n.r.n, int);
  in->force = SIM_NEW(s, s->a->nl + 1, double);
  in->small = SIM_NEW(s, s->n.r.n, double);
  in->rate = SIM_NEW(s, s->n.r.n, double);
  in->sigma = SIM_NEW(s, s->n.r.n, double);
  in->turn = SIM_NEW(s, s->n.r.n, double);
}

void sim_instant_mass(nsm_sim *s, const nsm_view *v, sim_instant *in, size_t n) {
  SIM_EACH(s, mass, k) {
    const nsm_pattern *p = &k->c->mass;
    double *m = k->mass;
    if (k->c->mass_stage > NSM_EVENT) k->c->mass_fn(v, &k->tab, m = in->mass);
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++)
        in->E[(size_t)sim_z_of(s, k, i, p->row[e]) + (size_t)sim_z_of(s, k, i, p->col[e]) * n] +=
            m[(size_t)i * (size_t)p->n + (size_t)e];
  }
}

// ---- friction that slides -------------------------------------------------------------------------------------------
// Given normal forces are forces at an instant, whatever length was prepared last.
void sim_instant_coefficients(nsm_sim *s, const nsm_view *v) {
  double h = s->n.h;
  if (s->a->on.mu.n == 0) return;
  s->n.h = h == 0 ? 1 : h;
  sim_friction_law(s, v);
  sim_friction_guess(s, 1);
  s->n.h = h;
}

double sim_slide_pressed(const nsm_sim *s, int f, double length, const double *l) {
  const sim_friction *of = &s->n.r.friction[f];
  return of->normals == 0 ? length * of->radius : sim_friction_pressed(s, f, l);
}

// Of a slip in a plane that begins: docs/numerics/event_driven.md (6), instant_slips.c.
static void begins(const nsm_sim *s, const int *row, int n, double *along) {
  const sim_instant *w = s->n.flow ? &s->n.flow->in : s->n.galerkin ? &s->n.galerkin->in : NULL;
  double d = w ? w->small[row[0]] : 0, slip = 0, by;
  if (!(d > 0)) return;
  for (int k = 0; k < n; k++) slip = hypot(slip, along[k]);
  by = d * d / (d + slip);
  for (int k = 0; k < n; k++) along[k] += by * (w->sigma[row[k]] + (w->time - w->begun) * w->turn[row[k]]);
}

// Direction of the slip of a part, in the frame in which it is a disk, and its length. 0: the slip is round-off, and
// goes along `slide`. By consistent(order = 4) a trial may end behind the instant at which the slip stops: its force
// goes on as it was, as in one direction, and the length is negative. A force that turned round would leave the trial
// without a solution.
int sim_slide_along(const nsm_sim *s, const sim_disk *part, const int *row, const double *rate, double *along,
                    double *length) {
  double slip = 0, ahead = 0, known = DBL_MIN;
  for (int d = 0; d < part->n; d++) along[d] = part->w[d] * rate[row[d]];
  if (part->n > 1) begins(s, row, part->n, along);
  for (int d = 0; d < part->n; d++) {
    slip = hypot(slip, along[d]);
    ahead += along[d] * s->now.slide[row[d]];
    double terms = sim_velocity_terms(s, row[d], s->now.z) + (s->n.push ? sim_velocity_terms(s, row[d], s->n.push) : 0);
    known = fmax(known, 4 * DBL_EPSILON * part->w[d] * terms);
  }
  if (s->n.galerkin && ahead < 0) slip = -slip;
  int is = fabs(slip) > known;
  *length = is ? slip : stiff * known;
  for (int d = 0; d < part->n; d++) along[d] = part->n == 1 || !is ? s->now.slide[row[d]] : along[d] / slip;
  return is;
}

void sim_slide_force(const nsm_sim *s, int f, int parts, double pressed, const double *rate, double *l) {
  const sim_friction *of = &s->n.r.friction[f];
  sim_disk part[2];
  int n = sim_friction_parts(of, part);
  for (int p = 0; p < n; p++) {
    const int *row = of->row + part[p].first;
    double along[SIM_SLIPS], slip;
    sim_slide_along(s, &part[p], row, rate, along, &slip);
    for (int d = 0; d < part[p].n; d++)
      l[part[p].first + d] = parts & (1 << p) ? -part[p].w[d] * part[p].mu * pressed * along[d] : 0;
  }
}

// Column by column: H_T^T l of a block where what presses it is 1, by how much the force of a kept row presses.
static void push_by(const nsm_sim *s, int f, const double *l, int at, double by, sim_instant *in, size_t n) {
  const sim_friction *of = &s->n.r.friction[f];
  for (int d = 0; d < of->n; d++) {
    const sim_class *k = &s->a->cls[s->n.r.cls[of->row[d]]];
    int i = of->row[d] - k->row0;
    const double *h = k->h + (size_t)i * (size_t)k->c->h.n;
    for (int e = 0; e < k->c->h.n; e++) {
      size_t z = (size_t)sim_z_of(s, k, i, k->c->h.col[e]);
      if (at < 0) in->e[z] += h[e] * l[d];
      else in->E[z + (size_t)(in->first + at) * n] -= h[e] * l[d] * by;
    }
  }
}

// Its force is that of its normal rows times a direction; a given one stands on the right. How several normal forces
// share in their length is taken from the last solution. Constraints that others imply have their share of the forces
// of those.
void sim_instant_slide(const nsm_sim *s, int f, int parts, const double *rate, sim_instant *in, size_t n) {
  const sim_friction *of = &s->n.r.friction[f];
  const double *force = sim_implied_placed(s, in->force);
  double l[SIM_SLIPS], pressed = sim_slide_pressed(s, f, 1, force);
  sim_slide_force(s, f, parts, of->normals == 0 ? pressed : 1, rate, l);
  if (of->normals == 0) push_by(s, f, l, -1, 0, in, n);
  for (int q = 0; q < of->normals; q++) {
    double by = sim_slide_share(of, force[s->n.r.l[of->normal[q]]], pressed);
    double share;
    for (int k = 0, row; sim_implied_by(s, of->normal[q], k, &row, &share); k++)
      if (in->of[row] >= 0) push_by(s, f, l, in->of[row], by * share, in, n);
  }
}

// ---- the solution ---------------------------------------------------------------------------------------------------
// Units of the unknowns: 1/sqrt(M) of accelerations; of multipliers the one that makes 1 of their largest share in
// sqrt(M) times these.
static void units(const sim_instant *in, size_t m) {
  size_t first = (size_t)in->first;
  double most = 0;
  for (size_t j = 0; j < first; j++) {
    double mass = 0;
    for (size_t i = 0; i < first; i++) mass = fmax(mass, fabs(in->E[i + j * m]));
    in->unit[j] = mass > 0 ? 1 / sqrt(mass) : 1;
  }
  for (size_t i = 0; i < first; i++) {
    double inertia = 0, force = 0;
    for (size_t j = 0; j < first; j++) inertia = fmax(inertia, fabs(in->E[i + j * m]) * in->unit[j]);
    for (size_t j = first; j < m; j++) force = fmax(force, fabs(in->E[i + j * m]));
    if (inertia > 0) most = fmax(most, force / inertia);
  }
  for (size_t j = first; j < m; j++) in->unit[j] = most > 0 ? 1 / most : 1;
}

// By LU in place; 0: a pivot is no more than rounding.
static int factored(int n, double *A, int *pivot) {
  const size_t m = (size_t)n;
  double most = 0;
  int good = nsm_la_lu_factor(n, A, n, pivot).code == NSM_LA_OK;
  for (size_t i = 0; i < m; i++) most = fmax(most, fabs(A[i + i * m]));
  for (size_t i = 0; i < m; i++) good &= fabs(A[i + i * m]) > dependent * most;
  return good;
}

// Are the factors of E in these units good? Its scaled copy goes into kept.
static int regular(sim_instant *in, size_t m) {
  double *A = in->lu;
  memcpy(A, in->E, m * m * sizeof(double));
  for (size_t i = 0; i < m; i++) in->scale[i] = 0;
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++) {
      double size = fabs(A[i + j * m] *= in->unit[j]);
      if (size > in->scale[i]) in->scale[i] = size;
    }
  for (size_t i = 0; i < m; i++) in->scale[i] = in->scale[i] > 0 ? 1 / in->scale[i] : 1;
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++) A[i + j * m] *= in->scale[i];
  memcpy(in->kept, A, m * m * sizeof(double));
  return factored((int)m, A, in->pivot);
}

// The inverse of a singular system whose masses M are regular, with the smallest multipliers and not the smallest
// accelerations, which a pseudo-inverse of all of it would mix where friction slides:
//
//   | M D | | a |   | e |       lambda = G^+ (W M^-1 e - d),  G = W M^-1 D - S,   a = M^-1 (e - D lambda)
//   | W S | | l | = | d |
//
// Rows of G are scaled. 0: M is singular.
static int by_schur(sim_instant *in, int n) {
  const int f = in->first, k = n - f;
  const size_t m = (size_t)n, F = (size_t)f, K = (size_t)k;
  const double *A = in->kept;
  double *E = in->E, *plus = E + F * m, *G = in->lu, *X = in->inverse;
  if (f == 0 || k == 0) return 0;
  for (size_t j = 0; j < F; j++) memcpy(G + j * F, A + j * m, F * sizeof(double));
  if (!factored(f, G, in->pivot)) return 0;
  memset(E, 0, F * m * sizeof(double));                    // M^-1, M^-1 D
  for (size_t j = 0; j < F; j++) E[j * (F + 1)] = 1;
  for (size_t j = F; j < m; j++) memcpy(E + j * F, A + j * m, F * sizeof(double));
  nsm_la_lu_solve(f, n, G, f, in->pivot, E, f);
  for (size_t j = 0; j < K; j++)
    for (size_t i = 0; i < K; i++) G[i + j * K] = -A[F + i + (F + j) * m];
  nsm_la_gemm(k, k, f, 1, A + f, n, E + F * F, f, 1, G, k);
  for (size_t i = 0; i < K; i++) {
    double size = 0;
    for (size_t j = 0; j < K; j++) size = fmax(size, fabs(G[i + j * K]));
    in->work[i] = size > 0 ? 1 / size : 1;
    for (size_t j = 0; j < K; j++) G[i + j * K] *= in->work[i];
  }
  (void)nsm_la_pseudo_inverse(k, G, dependent, plus, in->jpvt, in->work + k, in->lwork);
  for (size_t j = 0; j < K; j++)
    for (size_t i = 0; i < K; i++) plus[i + j * K] *= in->work[j];
  nsm_la_gemm(k, f, f, 1, A + f, n, E, f, 0, G, k);        // W M^-1
  memset(X, 0, m * m * sizeof(double));
  for (size_t j = 0; j < F; j++) memcpy(X + j * m, E + j * F, F * sizeof(double));
  nsm_la_gemm(k, f, k, 1, plus, k, G, k, 0, X + f, n);
  for (size_t j = 0; j < K; j++)
    for (size_t i = 0; i < K; i++) X[F + i + (F + j) * m] = -plus[i + j * K];
  nsm_la_gemm(f, n, k, -1, E + F * F, f, X + f, n, 1, X, n);
  return 1;
}

// In SI units, then, where that is singular, in those of the masses; what is singular there too, in SI units again. Of
// a regular matrix the factors stay while it does: those of linear models with the same rows.
void sim_instant_factor(sim_instant *in, int n) {
  size_t m = (size_t)n, bytes = m * m * sizeof(double);
  in->nfree = -1;
  if (!in->singular && in->n == n && memcmp(in->inverse, in->E, bytes) == 0) return;
  in->n = n;
  for (int attempt = 0; attempt < 3; attempt++) {
    for (size_t j = 0; j < m; j++) in->unit[j] = 1;
    if (attempt == 1) units(in, m);
    in->singular = !regular(in, m);
    if (!in->singular) {
      memcpy(in->inverse, in->E, bytes);
      return;
    }
  }
  if (by_schur(in, n)) return;
  memcpy(in->E, in->kept, bytes);
  (void)nsm_la_pseudo_inverse(n, in->E, dependent, in->inverse, in->jpvt, in->work, in->lwork);
}

void sim_instant_solve(const sim_instant *in, int n, const double *e, double *x) {
  double *right = in->singular ? in->work : x;
  for (int i = 0; i < n; i++) right[i] = in->scale[i] * e[i];
  if (!in->singular) nsm_la_lu_solve(n, 1, in->lu, n, in->pivot, x, n);
  else nsm_la_gemv(n, n, 1, in->inverse, n, right, 0, x);
  for (int j = 0; j < n; j++) x[j] *= in->unit[j];
}

// Where the matrix is singular the equations may contradict each other. known: to what accelerations are, for where all
// terms have vanished with the motion, and what is left of them is round-off of what it was.
double sim_instant_off(const sim_instant *in, int n, const double *e, const double *x, const double *known) {
  double off = 0, most = DBL_MIN;
  for (int i = 0; in->singular && i < n; i++) {
    double sum = -in->scale[i] * e[i], size = fabs(sum), nothing = 0;
    for (int j = 0; j < n; j++) {
      double entry = in->kept[(size_t)i + (size_t)j * (size_t)n] / in->unit[j], term = entry * x[j];
      sum += term;
      size += fabs(term);
      if (j < in->first) nothing += fabs(entry) * known[j];
    }
    if (!(fabs(sum) <= nothing)) off = fmax(off, fabs(sum));
    most = fmax(most, size);
  }
  return off / most;
}
