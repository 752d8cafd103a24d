// Forces of rows that depend on each other: those that the laws allow.
//
// Where a stop and dry friction hold a body along one direction, only the sum of their forces is known: all of
// lambda + N c make the same motion, N a basis of what is left free. Forces of least norm may lie beyond the bounds of
// the laws although others do not. Then c is such that the least margin is largest,
//
//   max_c min_i m_i(lambda + N c),   m = lambda_N,   mu lambda_N - |lambda_T|,   lambda - lo,   hi - lambda         (1)
//
// so what is below 0 there is below 0 for every c, and the sets end. (1) is solved by Newton's method on
// -tau log sum exp(-m_i/tau), whose largest value is nearer than tau log(rows) to that of (1), as tau falls
// [Boyd and Vandenberghe 2004, 3.1.5, 9.5].
#include "instant.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { TERMS = 3 + SIM_SLIPS, STEPS = 12, HALVINGS = 30 };
static const double dependent = 1e-9, moves = 1e-7,        // of N: columns that are others', that accelerate
                    ample = 0.1, first = 1, last = 1e-11,  // of the largest force: a margin that will do; tau
                    falls = 0.1, settled = 1e-3;           // tau from one to the next; of tau, what a step gains

// A margin, its derivative by the multipliers kept as row[k] in by[k]; of a disk, those from `slips` on turn.
typedef struct margin { double m, gauge; int n, slips, row[TERMS]; double by[TERMS], weight[SIM_SLIPS]; } margin;
typedef struct bounds { const nsm_sim *s; const sim_instant *in; const double *l; double length, tau; } bounds;

static void add(margin *at, const bounds *b, int row, double by) {
  int r = b->in->of[row];
  if (r < 0 || by == 0) return;
  at->row[at->n] = r;
  at->by[at->n++] = by;
}

// Margin of part p of block f; its length rounded off by tau, as it has no derivative at 0.
static void of_disk(const bounds *b, int f, const sim_disk *part, margin *at) {
  const sim_rows *r = &b->s->n.r;
  const sim_friction *of = &r->friction[f];
  double pressed = sim_slide_pressed(b->s, f, b->length, b->l), x[SIM_SLIPS];
  for (int q = 0; q < of->normals; q++) {
    double l = b->l[r->l[of->normal[q]]];
    add(at, b, of->normal[q], part->mu * sim_slide_share(of, l, pressed));
  }
  at->slips = at->n;
  at->gauge = b->tau;
  for (int d = 0; d < part->n; d++) {
    x[d] = part->w[d] > 0 ? b->l[r->l[of->row[part->first + d]]] / part->w[d] : 0;
    at->gauge = hypot(at->gauge, x[d]);
  }
  for (int d = 0; d < part->n; d++) {
    if (!(part->w[d] > 0) || b->in->of[of->row[part->first + d]] < 0) continue;
    at->weight[at->n - at->slips] = 1 / part->w[d];
    at->row[at->n] = b->in->of[of->row[part->first + d]];
    at->by[at->n++] = -x[d] / (part->w[d] * at->gauge);
  }
  at->m = part->mu * pressed - at->gauge;
}

// Margin number i of all: contacts, relations below and above, friction. 0: there is none; -1: it is no bound of a row
// that is kept.
static int margin_of(const bounds *b, int i, margin *at) {
  const sim_rows *r = &b->s->n.r;
  *at = (margin){ .n = 0 };
  if (i < 2 * r->n) {
    int row = i / 2, kind = b->s->a->cls[r->cls[row]].c->kind, above = i & 1;
    double l = b->l[r->l[row]], bound = above ? r->hi[row] : r->lo[row];
    if (b->in->of[row] < 0 || kind == NSM_FRICTION || kind == NSM_CONSTRAINT) return -1;
    if (kind == NSM_CONTACT) bound = above ? INFINITY : 0;
    if (!isfinite(bound)) return -1;
    at->m = above ? bound - l : l - bound;
    add(at, b, row, above ? -1 : 1);
    at->slips = at->n;
    return 1;
  }
  int f = (i - 2 * r->n) / 2, n;
  if (f >= r->nfriction) return 0;
  const sim_disk *part = sim_friction_disks(&r->friction[f], &n) + (i & 1);
  if ((i & 1) >= n || b->in->of[r->friction[f].row[part->first]] < 0) return -1;
  of_disk(b, f, part, at);
  return 1;
}

// Least margin; the sum of exp((least - m)/tau).
static double least(const bounds *b, double *sum) {
  double low = INFINITY;
  margin at;
  int is;
  for (int i = 0; (is = margin_of(b, i, &at)); i++) if (is > 0) low = fmin(low, at.m);
  *sum = 0;
  for (int i = 0; sum && (is = margin_of(b, i, &at)); i++) if (is > 0) *sum += exp((low - at.m) / b->tau);
  return low;
}

static double smoothed(const bounds *b, double *low) {
  double sum;
  *low = least(b, &sum);
  return *low - b->tau * log(sum);
}

// Columns of N without accelerations: where friction slides on contacts that depend on each other, other forces are
// another motion. How many of d are left.
static int at_rest(sim_instant *in, int n, int d) {
  for (; d > 0; d--) {
    size_t m = (size_t)n, row = 0, column = 0;
    for (size_t j = 0; j < (size_t)d; j++)
      for (size_t i = 0; i < (size_t)in->first; i++)
        if (fabs(in->E[i + j * m]) > fabs(in->E[row + column * m])) { row = i; column = j; }
    double *of = in->E + column * m;
    if (!(fabs(of[row]) > moves)) return d;
    for (size_t j = 0; j < (size_t)d; j++) {
      double *v = in->E + j * m, by = v[row] / of[row];
      for (size_t i = 0; v != of && i < m; i++) v[i] -= by * of[i];
    }
    memmove(of, in->E + (size_t)(d - 1) * m, m * sizeof(double));
  }
  return d;
}

// N: what (1) leaves free of the multipliers, from I - X A, X the pseudo-inverse of A. In E [n, d]; how many columns.
static int free_of(sim_instant *in, int n) {
  size_t m = (size_t)n;
  for (size_t i = 0; i < m * m; i++) in->E[i] = 0;
  for (size_t i = 0; i < m; i++) in->E[i + i * m] = 1;
  (void)nsm_la_gemm(n, n, n, -1, in->inverse, n, in->kept, n, 1, in->E, n);
  int d = 0;
  for (int j = in->first; j < n; j++) {
    memmove(in->E + (size_t)d * m, in->E + (size_t)j * m, m * sizeof(double));
    double *v = in->E + (size_t)d * m, length = nsm_la_orthogonalise(n, d, in->E);
    if (!(length > dependent)) continue;
    for (int i = 0; i < n; i++) v[i] /= length;
    d++;
  }
  d = at_rest(in, n, d);
  for (int j = 0; j < d; j++)
    for (int i = 0; i < n; i++) in->E[(size_t)i + (size_t)j * m] *= in->unit[i];
  return d;
}

// Gradient g [d] of the smoothed margin, and the negative of its second derivative in K [d, d].
static void slopes(const bounds *b, int n, int d, double low, double sum, double *g, double *K) {
  const sim_instant *in = b->in;
  double *own = g + d;
  margin at;
  int is;
  memset(g, 0, (size_t)d * sizeof(double));
  memset(K, 0, (size_t)d * (size_t)d * sizeof(double));
  for (int i = 0; (is = margin_of(b, i, &at)); i++) {
    double w = is > 0 ? exp((low - at.m) / b->tau) / sum : 0;
    if (!(w > 0)) continue;
    memset(own, 0, (size_t)d * sizeof(double));
    for (int c = 0; c < d; c++) {
      const double *N = in->E + in->first + (size_t)c * (size_t)n;
      for (int k = 0; k < at.n; k++) own[c] += at.by[k] * N[at.row[k]];
      g[c] += w * own[c];
      for (int e = 0; e <= c; e++) {
        const double *M = in->E + in->first + (size_t)e * (size_t)n;
        double turned = 0, along[2] = { 0 };
        for (int k = at.slips; k < at.n; k++) {
          double z = at.weight[k - at.slips];
          turned += z * z * N[at.row[k]] * M[at.row[k]];
          along[0] += at.by[k] * N[at.row[k]];
          along[1] += at.by[k] * M[at.row[k]];
        }
        double bent = at.n > at.slips ? (turned - along[0] * along[1]) / at.gauge : 0;
        K[c + e * d] += w * (own[c] * own[e] / b->tau + bent);
      }
    }
  }
  for (int c = 0; c < d; c++) for (int e = 0; e <= c; e++) K[c + e * d] -= g[c] * g[e] / b->tau;
}

// l + by N dc; the largest change.
static double move(const bounds *b, int n, int d, const double *dc, double by, double *l) {
  double most = 0;
  for (int row = 0; row < b->s->n.r.n; row++) {
    double sum = 0;
    for (int c = 0; b->in->of[row] >= 0 && c < d; c++) sum += dc[c] * b->in->E[b->in->first + b->in->of[row] + c * n];
    l[b->s->n.r.l[row]] += by * sum;
    most = fmax(most, fabs(sum));
  }
  return most;
}

// Newton's method for one tau; the least margin that is reached. Where one margin is all that counts, it has no second
// derivative: no step is longer than the largest force.
static double climb(const bounds *b, int n, int d, double size, double *l) {
  double low, enough = ample * size, value = smoothed(b, &low), *g = b->in->inverse, *K = g + 2 * d;
  for (int it = 0; it < STEPS && low <= enough; it++) {
    double sum, most = 0, by = 1, gain = 0;
    low = least(b, &sum);
    slopes(b, n, d, low, sum, g, K);
    for (int c = 0; c < d; c++) most = fmax(most, K[c + c * d]);
    for (int c = 0; c < d; c++) K[c + c * d] += 1e-9 * most + DBL_MIN;
    if (nsm_la_cholesky_factor(d, K, d).code != NSM_LA_OK) break;
    memcpy(g + d, g, (size_t)d * sizeof(double));
    (void)nsm_la_cholesky_solve(d, 1, K, d, g + d, d);
    for (int c = 0; c < d; c++) gain += g[c] * g[c + d];
    if (!(gain > settled * b->tau)) break;
    by = fmin(by, size / move(b, n, d, g + d, 0, l));
    for (int k = 0; k < HALVINGS; k++, by *= 0.5) {
      move(b, n, d, g + d, by, l);
      double now = smoothed(b, &low);
      if (now >= value + 0.1 * by * gain) { value = now; break; }
      move(b, n, d, g + d, -by, l);
    }
  }
  return low;
}

void sim_instant_allow(const nsm_sim *s, sim_instant *in, int n, double length, double *l) {
  double sum, size = 0, low = -INFINITY;
  bounds b = { s, in, l, length, DBL_MIN };
  if (!in->singular || !(least(&b, &sum) < 0)) return;
  if (in->nfree < 0) in->nfree = free_of(in, n);
  for (int row = 0; row < s->n.r.n; row++) if (in->of[row] >= 0) size = fmax(size, fabs(l[s->n.r.l[row]]));
  for (double tau = first; in->nfree > 0 && tau >= last && low <= ample * size; tau *= falls) {
    b.tau = tau * size;
    low = climb(&b, n, in->nfree, size, l);
  }
}

void sim_instant_share(const nsm_sim *s, sim_instant *in, int n, double length, double *l) {
  if (!in->singular) return;
  if (in->nfree < 0) in->nfree = free_of(in, n);
  for (int c = 0; c < in->nfree; c++) {
    const double *N = in->E + in->first + (size_t)c * (size_t)n, *unit = in->unit + in->first;
    double by = 0;
    for (int row = 0; row < s->n.r.n; row++) {
      int r = in->of[row], at = s->n.r.l[row];
      if (r >= 0) by += N[r] * (length * in->force[at] - l[at]) / (unit[r] * unit[r]);
    }
    for (int row = 0; row < s->n.r.n; row++) if (in->of[row] >= 0) l[s->n.r.l[row]] += by * N[in->of[row]];
  }
  sim_instant_allow(s, in, n, length, l);
}
