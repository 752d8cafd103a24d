// The verifier of problems in factors, M = C X + D (problem.h): large piles, which want a few digits. It has its own
// products with C and X and the projections of residual_rows.h; nothing is shared with the solvers. O(entries).
//
//   v = X lambda,  u = C v + D lambda + q,  U_c = sum of the sizes of the terms of u_c, V = sum |X lambda|       (1)
//   e_c = |lambda_c - P_c(lambda_c - (u_c + s_c) / m_c)|,   m_c = the mean of M_ii over its rows: what is off in
//         forces; m_c e_c in rates
//
//   r = max( |e|_m / |lambda|_m,  max_c (m_c e_c / U_c)^2,  max_c (m_c e_c / (5 Q))^2 ),
//       |x|_m^2 = sum m_c |x_c|^2,   Q = max_c |q_c|                                                               (2)
//
// So r <= 1e-4 asks for four digits of the forces as a whole, for two of the rate of each contact beside its own terms,
// and that no rate is off by more than a twentieth of the largest that there would be without forces. The last holds
// forces apart from those that are huge and leave the rates wrong, as where there is no solution: there the rates stay
// wrong by the size of q, or are lost in the round-off of their terms, which a rate is off by at least.
#include "residual_rows.h"

static const double least_of_terms = 1e-3, of_free = 5;

typedef struct measure { double off, size, own, rate; int worst; } measure;

// v, V of (1), each [n].
static void motion(const nsm_cone_factors *f, const double *lambda, double *v, double *V) {
  memset(v, 0, (size_t)f->n * sizeof *v);
  memset(V, 0, (size_t)f->n * sizeof *V);
  for (int k = 0; k < f->nodes; k++) {
    int e = f->start[k + 1] - f->start[k];
    const int *z = f->z + f->start[k];
    const double *x = f->x + f->at[k];
    for (int r = f->first[k]; r < f->first[k + 1]; r++, x += e) {
      if (lambda[r] == 0) continue;
      for (int j = 0; j < e; j++) {
        double t = x[j] * lambda[r];
        v[z[j]] += t;
        V[z[j]] += fabs(t);
      }
    }
  }
}

// u, the sizes of its terms, and M_ii of the rows of node k.
static void rows_of(const nsm_cone_problem *p, int k, const double *lambda, const double *v, const double *V,
                    verify_sum *row) {
  const nsm_cone_factors *f = p->factors;
  int e = f->start[k + 1] - f->start[k], first = f->first[k];
  const int *z = f->z + f->start[k];
  const double *c = f->c + f->at[k], *x = f->x + f->at[k];
  for (int i = 0; i < f->first[k + 1] - first; i++, c += e, x += e) {
    double d = f->d ? f->d[first + i] : 0, u = p->q[first + i] + d * lambda[first + i],
           terms = fabs(d * lambda[first + i]);
    for (int j = 0; j < e; j++) {
      u += c[j] * v[z[j]];
      terms += fabs(c[j]) * V[z[j]];
      d += c[j] * x[j];
    }
    row[i] = verify_terms(p, first + i, u, terms, d);
  }
}

// A node: its block, NULL for one interval, and the sums of its rows; lengths [m]: scratch.
typedef struct node {
  const nsm_cone_problem *p;
  const nsm_cone_block   *b;
  int                     first, size;
  const double           *lambda;
  const verify_sum       *row;
  double                 *lengths;
} node;

// e_c / L of one node, with u in units of m_c L; L: a length of its forces. By the first look of verify_any_block,
// whose step is L / U: with terms of the size m_c L.
static double off_of(const node *n, double metric, double L) {
  const nsm_cone_problem *p = n->p;
  const nsm_cone_block *b = n->b;
  const double *lambda = n->lambda;
  const verify_sum *row = n->row;
  int first = n->first;
  verifier j = verify_open(1, 1);
  verify_sum own[NSM_CONE_MOST_ROWS];
  for (int i = 0; i < (b ? b->size : 1); i++) own[i] = (verify_sum){ row[i].u, 0, 0, 0, row[i].diagonal };
  own[0].terms = metric * L;
  n->lengths[first] = L;
  j.L = n->lengths;
  if (b) verify_any_block(&j, b, lambda, own);
  else {
    double x = lambda[first] - row[0].u / metric, to = x < p->lo[first] ? p->lo[first] : x > p->hi[first] ? p->hi[first]
                                                                                                            : x;
    return fabs(lambda[first] - to) / L;
  }
  return j.worst;
}

static void feed(const node *n, measure *m) {
  const double *lambda = n->lambda;
  const verify_sum *row = n->row;
  int first = n->first, size = n->size;
  double metric = 0, length = 0, rate = 0, terms = 0, known = 0, squares = 0;
  for (int i = 0; i < size; i++) {
    metric += row[i].diagonal / size;
    length += fabs(lambda[first + i]);
    rate += fabs(row[i].u);
    terms += row[i].terms + row[i].q;
    known += row[i].known;
    squares += lambda[first + i] * lambda[first + i];
  }
  if (!(metric > 0)) metric = DBL_MIN;
  double L = length + rate / metric, off = L > 0 ? L * off_of(n, metric, L) : 0;
  m->off += metric * off * off;
  m->size += metric * squares;
  if (!(verify_round_off * terms <= m->rate)) m->rate = verify_round_off * terms;
  if (metric * off <= verify_round_off * (terms + known)) return;
  double own = metric * off / terms;
  if (!(own <= m->own)) { m->own = own; m->worst = first; }
  if (!(metric * off <= m->rate)) m->rate = metric * off;
}

// Q of (2); where nothing is known of the rates, by what they are made of.
static double free_rate(const nsm_cone_problem *p) {
  double most = 0, terms = 0;
  for (int i = 0; i < p->m; i++) {
    most = fmax(most, fabs(p->q[i]));
    if (p->q_terms) terms = fmax(terms, p->q_terms[i]);
  }
  return fmax(most, least_of_terms * terms);
}

double nsm_cone_factors_distance(const nsm_cone_problem *p, nsm_cone_work *w, const double *lambda, double *u,
                                 int *worst) {
  const nsm_cone_factors *f = p->factors;
  size_t mark = w->used;
  double *v = nsm_cone_take_doubles(w, (size_t)f->n), *V = nsm_cone_take_doubles(w, (size_t)f->n),
         *lengths = nsm_cone_take_doubles(w, (size_t)p->m);
  measure m = { .worst = 0 };
  nsm_cone_charge(w, 4 * nsm_cone_entries(p));
  if (worst) *worst = 0;
  if (!v || !V || !lengths) { w->used = mark; return HUGE_VAL; }
  motion(f, lambda, v, V);
  for (int k = 0, c = 0; k < f->nodes; k++) {
    verify_sum row[NSM_CONE_MOST_ROWS];
    int first = f->first[k];
    const nsm_cone_block *b = nsm_cone_block_at(p, first, &c);
    rows_of(p, k, lambda, v, V, row);
    for (int i = 0; u && i < f->first[k + 1] - first; i++) u[first + i] = row[i].u;
    feed(&(node){ p, b, first, f->first[k + 1] - first, lambda, row, lengths }, &m);
  }
  w->used = mark;
  if (worst) *worst = m.worst;
  double whole = m.size > 0 ? sqrt(m.off / m.size) : m.off > 0 ? HUGE_VAL : 0,
         beside = m.rate / (of_free * free_rate(p)), r = fmax(whole, m.own * m.own);
  if (m.rate > 0) r = fmax(r, beside * beside);
  return m.off < HUGE_VAL && m.size < HUGE_VAL && r < HUGE_VAL ? r : HUGE_VAL;
}
