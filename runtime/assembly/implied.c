// Constraints that others imply: the bearing that a shaft has already, the third hinge in a plane. Their rows are left
// out of a step (docs/numerics/bodies.md, "Redundant mechanisms"), and the schemes look at them once it is done.
//
//   groups   constraints that hang together by velocities, each with its rows and velocities
//   find     in each group, the rows that are independent, by a QR factorization with exchanges
//   share    the smallest multipliers that make the same forces as those of the independent rows
//
// Whether rows depend on each other is a question of H alone, whatever is light or heavy there, and in whatever units:
// rows and columns are scaled until their largest entries are 1.
#include "assembly.h"
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 400, SCALINGS = 3, LOOK = 4, LOOK_ROWS = 40 };
// Sine of the angle between a row and the others, below which it depends on them: far above the 1e-13 to which the
// constraints are met, and so are their dependences.
static const double dependent = 1e-8;
static const double as_good = 0.8;       // of rows that have a part, beside the best ones

struct sim_implied {
  int     groups, *row0, *row, *z0, *z;  // rows and velocities of a group: row[row0[g]] ... , z[z0[g]] ...
  int    *group;                         // [rows] of a row, -1: none
  int    *at;                            // [nv] place of a velocity in its group
  unsigned char *turn;                   // [nv] of a body's turn
  double *A, *work;                      // [largest group] H^T
  int    *order, *column, most;          // rows of the largest group that is looked at
  double *shared;                        // [nl]
  double **part, *gram, *other;          // share: of each group; scratch [kept, kept], [kept, implied]
  int    *of, *kept;                     // share: [rows] number of a row in its group, the kept ones first; [groups]
  double  apart;                         // as `dependent`, of constraints that are missed
  int     as_many;                       // rows are exchanged for better ones, and no more take part
};

const double *sim_row_h(const nsm_sim *s, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  return k->h + (size_t)(row - k->row0) * (size_t)k->c->h.n;
}

const double *sim_row_b(const nsm_sim *s, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  return (k->h_mid ? k->h_mid : k->h) + (size_t)(row - k->row0) * (size_t)k->c->h.n;
}

void sim_implied_within(nsm_sim *s, double apart, int as_many) {
  s->n.implied->apart = fmax(apart, dependent);
  s->n.implied->as_many = as_many;
}

// ---- groups ---------------------------------------------------------------------------------------------------------
static void unite(nsm_sim *s, int *parent, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  for (int e = 1; e < k->c->h.n; e++)
    nsm_unite(parent, sim_z_of(s, k, row - k->row0, k->c->h.col[0]), sim_z_of(s, k, row - k->row0, k->c->h.col[e]));
}

static int group_of(nsm_sim *s, int *parent, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  return k->c->h.n > 0 ? nsm_root(parent, sim_z_of(s, k, row - k->row0, k->c->h.col[0])) : -1;
}

// Numbers of things of each group, in order: start[g] ... start[g + 1].
static void by_group(int n, const int *group, int groups, int *start, int *list) {
  for (int i = 0; i < n; i++) if (group[i] >= 0) start[group[i] + 1]++;
  for (int g = 0; g < groups; g++) start[g + 1] += start[g];
  for (int i = 0; i < n; i++) if (group[i] >= 0) list[start[group[i]]++] = i;
  for (int g = groups; g > 0; g--) start[g] = start[g - 1];
  start[0] = 0;
}

static void find_groups(nsm_sim *s, struct sim_implied *m) {
  int n = s->n.r.n, nv = s->a->nv;
  int *parent = SIM_LEND(s, nv, int), *number = SIM_LEND(s, nv, int), *row = m->group = SIM_NEW(s, n, int);
  for (int z = 0; z < nv; z++) { parent[z] = z; number[z] = -1; }
  for (int i = 0; i < n; i++) if (s->a->cls[s->n.r.cls[i]].c->kind == NSM_CONSTRAINT) unite(s, parent, i);
  for (int i = 0; i < n; i++) {
    int root = s->a->cls[s->n.r.cls[i]].c->kind == NSM_CONSTRAINT ? group_of(s, parent, i) : -1;
    if (root >= 0 && number[root] < 0) number[root] = m->groups++;
    row[i] = root >= 0 ? number[root] : -1;
  }
  for (int z = 0; z < nv; z++) if (nsm_root(parent, z) != z) number[z] = number[nsm_root(parent, z)];
  m->row0 = SIM_NEW(s, m->groups + 1, int);
  m->z0 = SIM_NEW(s, m->groups + 1, int);
  m->row = SIM_NEW(s, n, int);
  m->z = SIM_NEW(s, nv, int);
  m->at = SIM_NEW(s, nv, int);
  by_group(n, row, m->groups, m->row0, m->row);
  by_group(nv, number, m->groups, m->z0, m->z);
  for (int g = 0; g < m->groups; g++)
    for (int i = m->z0[g]; i < m->z0[g + 1]; i++) m->at[m->z[i]] = i - m->z0[g];
  sim_give(s, parent);
  sim_give(s, number);
}

// Velocities of bodies in space: three of the turn, then three of the place (nsm_abi.h).
static void find_turns(nsm_sim *s, struct sim_implied *m) {
  m->turn = SIM_NEW(s, s->a->nv, unsigned char);
  SIM_EACH(s, kinematics, k) {
    for (int e = 0, n = 0; e < k->c->nslot && !k->c->remembers; e++) {
      if (k->c->slot[e] == NSM_SLOT_POSITION || n++ >= 3) continue;
      for (int i = 0; i < k->tab.count; i++) m->turn[sim_z_of(s, k, i, e)] = 1;
    }
  }
}

int sim_implied_turns(const nsm_sim *s, int z) { return s->n.implied->turn[z]; }

// Room for `share`.
static void open_shares(nsm_sim *s, struct sim_implied *m) {
  size_t most = (size_t)m->most;
  m->part = SIM_NEW(s, m->groups, double *);
  m->of = SIM_NEW(s, s->n.r.n, int);
  m->kept = SIM_NEW(s, m->groups, int);
  m->gram = SIM_NEW(s, most * most, double);
  m->other = SIM_NEW(s, most * most, double);
  for (int g = 0; g < m->groups; g++) {
    size_t rows = (size_t)(m->row0[g + 1] - m->row0[g]);
    if (rows > 1 && rows <= MOST_ROWS) m->part[g] = SIM_NEW(s, rows * rows, double);
  }
}

void sim_implied_analyse(nsm_sim *s) {
  if (s->a->on.constraint.n == 0) return;
  struct sim_implied *m = s->n.implied = SIM_NEW(s, 1, struct sim_implied);
  size_t room = 0, rows = 0;
  m->apart = dependent;
  m->shared = SIM_NEW(s, s->a->nl, double);
  s->w.pressed = SIM_NEW(s, 2 * s->n.r.nfriction + s->a->nl, double);
  find_groups(s, m);
  find_turns(s, m);
  for (int g = 0; g < m->groups; g++) {
    size_t r = (size_t)(m->row0[g + 1] - m->row0[g]), z = (size_t)(m->z0[g + 1] - m->z0[g]);
    rows = r > rows ? r : rows;
    if (r <= MOST_ROWS && r * z > room) room = r * z;
    if (r <= MOST_ROWS && (int)r > m->most) m->most = (int)r;
  }
  m->A = SIM_NEW(s, room, double);
  m->work = SIM_NEW(s, rows, double);
  m->order = SIM_NEW(s, rows, int);
  m->column = SIM_NEW(s, rows, int);
  open_shares(s, m);
}

// ---- find -----------------------------------------------------------------------------------------------------------
// Largest entries of columns [n, columns], then of rows, towards 1; of columns last, whose length is then 1.
static void scale(int n, int columns, double *A) {
  for (int pass = 0; pass < SCALINGS; pass++) {
    for (int i = 0; i < n; i++) {
      double most = 0;
      for (int j = 0; j < columns; j++) most = fmax(most, fabs(A[i + (size_t)j * (size_t)n]));
      for (int j = 0; most > 0 && j < columns; j++) A[i + (size_t)j * (size_t)n] /= most;
    }
    for (int j = 0; j < columns; j++) {
      double most = 0, sum = 0, *a = A + (size_t)j * (size_t)n;
      for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
      for (int i = 0; most > 0 && i < n; i++) a[i] /= most;
      for (int i = 0; i < n; i++) sum += a[i] * a[i];
      for (int i = 0; most > 0 && pass == SCALINGS - 1 && i < n; i++) a[i] /= sqrt(sum);
    }
  }
}

// Columns of A: the scaled rows of the group, all of them or those that are not implied; their numbers into m->column.
static int take_rows(nsm_sim *s, int g, int all) {
  struct sim_implied *m = s->n.implied;
  int n = m->z0[g + 1] - m->z0[g], columns = 0;
  for (int j = m->row0[g]; j < m->row0[g + 1]; j++) {
    const sim_class *k = &s->a->cls[s->n.r.cls[m->row[j]]];
    const double *h = sim_row_h(s, m->row[j]);
    double *a = m->A + (size_t)columns * (size_t)n;
    if (!all && sim_is_implied(s, m->row[j])) continue;
    memset(a, 0, (size_t)n * sizeof(double));
    for (int e = 0; e < k->c->h.n; e++) a[m->at[sim_z_of(s, k, m->row[j] - k->row0, k->c->h.col[e])]] += h[e];
    m->column[columns++] = m->row[j];
  }
  scale(n, columns, m->A);
  return columns;
}

// How far the row that depends on the others most is away from them; *rank: how many do not.
static double farthest(nsm_sim *s, int g, int all, int *columns, int *rank) {
  struct sim_implied *m = s->n.implied;
  int n = m->z0[g + 1] - m->z0[g];
  *columns = take_rows(s, g, all);
  *rank = nsm_la_independent(n, *columns, m->A, m->apart, m->order, m->work);
  return *rank > 0 ? fabs(m->A[(size_t)(*rank - 1) * (size_t)(n + 1)]) : 0;
}

// The rows that have a part keep it as long as they are hardly worse than the best.
static int find(nsm_sim *s, int g) {
  struct sim_implied *m = s->n.implied;
  int kept, rank_of_kept, rows, rank, changed = 0;
  if (m->row0[g + 1] - m->row0[g] > MOST_ROWS) return 0;
  double now = farthest(s, g, 0, &kept, &rank_of_kept), best = farthest(s, g, 1, &rows, &rank);
  if (m->as_many && rank_of_kept == kept && rank > kept && kept > 0) {
    rank = kept;
    best = fabs(m->A[(size_t)(rank - 1) * (size_t)(m->z0[g + 1] - m->z0[g] + 1)]);
  }
  if (kept == rank && rank_of_kept == rank && now >= as_good * best) return 0;
  for (int j = 0; j < rows; j++) {
    unsigned char *is = &s->now.implied[s->n.r.l[m->column[m->order[j]]]], implied = j >= rank;
    changed += *is != implied;
    s->now.implied_n += implied - *is;
    *is = implied;
  }
  return changed;
}

int sim_implied_find(nsm_sim *s) {
  int changed = 0;
  for (int g = 0; s->n.implied && g < s->n.implied->groups; g++) changed += find(s, g);
  return changed;
}

// QR takes as long as some steps: every 16 steps of up to 40 rows, and the less often the more there are.
int sim_implied_is_time(const nsm_sim *s) {
  long rows = s->n.implied ? s->n.implied->most : 0;
  return s->now.implied_n > 0 && s->now.k % (LOOK * (1 + rows * rows / (LOOK_ROWS * LOOK_ROWS))) == LOOK - 1;
}

int sim_implied_forget(nsm_sim *s) {
  int changed = s->now.implied_n;
  if (changed) memset(s->now.implied, 0, (size_t)s->a->nl);
  s->now.implied_n = 0;
  return changed;
}

// ---- share ---------------------------------------------------------------------------------------------------------
static int any_left_out(const nsm_sim *s, int g) {
  const struct sim_implied *m = s->n.implied;
  for (int j = m->row0[g]; j < m->row0[g + 1]; j++) if (sim_is_implied(s, m->row[j])) return 1;
  return 0;
}

int sim_implied_shares(const nsm_sim *s, int row) {
  return s->now.implied_n > 0 && s->n.implied->group[row] >= 0 && any_left_out(s, s->n.implied->group[row]);
}

// Where constraints are missed rows depend on each other only nearly, and the smallest multipliers of all would jump to
// those of independent rows. Which rows imply which others is known: with C the least squares of D_i in D_k, implied
// and kept rows, and mu the multipliers that the kept rows alone have,
//
//   D_i = C D_k:   lambda_k + C^T lambda_i = mu,   |lambda| least:   lambda = (1, C) y,   (1 + C^T C) y = mu.

// Rows of the group as columns of length 1, the kept ones first; how many those are. length [rows]: as they were.
static int columns_of(const nsm_sim *s, int g, sim_directions *of, double *length) {
  const struct sim_implied *m = s->n.implied;
  size_t n = (size_t)(m->z0[g + 1] - m->z0[g]);
  int kept = 0, next = 0;
  for (int j = m->row0[g]; j < m->row0[g + 1]; j++) kept += !sim_is_implied(s, m->row[j]);
  for (int j = m->row0[g], left = kept; j < m->row0[g + 1]; j++) {
    int row = m->row[j], at = m->of[row] = sim_is_implied(s, row) ? left++ : next++;
    const sim_class *k = &s->a->cls[s->n.r.cls[row]];
    const double *h = of(s, row);
    double *a = m->A + (size_t)at * n, sum = 0;
    memset(a, 0, n * sizeof(double));
    for (int e = 0; e < k->c->h.n; e++) a[m->at[sim_z_of(s, k, row - k->row0, k->c->h.col[e])]] += h[e];
    for (size_t i = 0; i < n; i++) sum += a[i] * a[i];
    length[at] = sum > 0 ? sqrt(sum) : 1;
    for (size_t i = 0; i < n; i++) a[i] /= length[at];
  }
  return kept;
}

// C^T into other [kept, implied]; 0: the kept rows depend on each other here.
static int implied_by(const nsm_sim *s, int g, int kept, int rows, const double *length) {
  const struct sim_implied *m = s->n.implied;
  int n = m->z0[g + 1] - m->z0[g];
  for (int a = 0; a < kept; a++)
    for (int b = 0; b < rows; b++) {
      const double *x = m->A + (size_t)a * (size_t)n, *y = m->A + (size_t)b * (size_t)n;
      double sum = 0;
      for (int i = 0; i < n; i++) sum += x[i] * y[i];
      (b < kept ? m->gram : m->other)[(size_t)a + (size_t)(b < kept ? b : b - kept) * (size_t)kept] = sum;
    }
  if (nsm_la_cholesky_factor(kept, m->gram, kept).code != NSM_LA_OK ||
      nsm_la_cholesky_solve(kept, rows - kept, m->gram, kept, m->other, kept).code != NSM_LA_OK) return 0;
  for (int b = kept; b < rows; b++)
    for (int a = 0; a < kept; a++) m->other[(size_t)a + (size_t)(b - kept) * (size_t)kept] *= length[b] / length[a];
  return 1;
}

// 1/(1 + C^T C) (1, C)^T into part [kept, rows], and C^T behind it. Where the kept rows depend on each other, they have
// what they have.
static void place_group(const nsm_sim *s, int g, sim_directions *of) {
  const struct sim_implied *m = s->n.implied;
  int rows = m->row0[g + 1] - m->row0[g], kept = m->kept[g] = columns_of(s, g, of, m->work), left = rows - kept;
  size_t k = (size_t)kept;
  double *part = m->part[g];
  memset(part, 0, (size_t)rows * (size_t)rows * sizeof(double));
  for (size_t a = 0; a < k; a++) part[a + a * k] = 1;
  if (!implied_by(s, g, kept, rows, m->work)) return;
  memcpy(part + k * k, m->other, k * (size_t)left * sizeof(double));
  memcpy(part + k * (size_t)rows, m->other, k * (size_t)left * sizeof(double));
  for (size_t a = 0; a < k; a++)
    for (size_t b = 0; b < k; b++) {
      double sum = a == b;
      for (size_t i = 0; i < (size_t)left; i++) sum += m->other[a + i * k] * m->other[b + i * k];
      m->gram[a + b * k] = sum;
    }
  (void)nsm_la_cholesky_factor(kept, m->gram, kept);       // no eigenvalue is below 1
  (void)nsm_la_cholesky_solve(kept, rows, m->gram, kept, part, kept);
}

void sim_implied_place(const nsm_sim *s, sim_directions *of) {
  for (int g = 0; s->now.implied_n > 0 && g < s->n.implied->groups; g++) if (any_left_out(s, g)) place_group(s, g, of);
}

int sim_implied_by(const nsm_sim *s, int row, int i, int *of, double *share) {
  const struct sim_implied *m = s->n.implied;
  int g = s->now.implied_n > 0 ? m->group[row] : -1;
  *of = row;
  *share = 1;
  if (g < 0 || !any_left_out(s, g)) return i == 0;
  if (i >= m->row0[g + 1] - m->row0[g]) return 0;
  *of = m->row[m->row0[g] + i];
  *share = sim_is_implied(s, *of) ? 0 : m->part[g][m->of[*of] + m->of[row] * m->kept[g]];
  return 1;
}

// lambda of a group, of any that make the same forces.
static void share_placed(const nsm_sim *s, int g, const double *l, double *shared) {
  const struct sim_implied *m = s->n.implied;
  int rows = m->row0[g + 1] - m->row0[g], kept = m->kept[g];
  const double *part = m->part[g], *C = part + (size_t)kept * (size_t)rows;
  double *mu = m->work;
  for (int pass = 0; pass < 2; pass++)
    for (int j = m->row0[g]; j < m->row0[g + 1]; j++) {
      int at = m->of[m->row[j]];
      double force = l[s->n.r.l[m->row[j]]];
      if (pass == 0 && at < kept) mu[at] = force;
      for (int a = 0; pass == 1 && at >= kept && a < kept; a++) mu[a] += C[a + (at - kept) * kept] * force;
    }
  for (int j = m->row0[g]; j < m->row0[g + 1]; j++) {
    double sum = 0;
    for (int a = 0; a < kept; a++) sum += part[a + m->of[m->row[j]] * kept] * mu[a];
    shared[s->n.r.l[m->row[j]]] = sum;
  }
}

const double *sim_implied_placed(const nsm_sim *s, const double *l) {
  const struct sim_implied *m = s->n.implied;
  if (s->now.implied_n == 0) return l;
  double *shared = memcpy(m->shared, l, (size_t)s->a->nl * sizeof *shared);
  for (int g = 0; g < m->groups; g++) if (any_left_out(s, g)) share_placed(s, g, l, shared);
  return shared;
}

const double *sim_implied_forces(const nsm_sim *s, sim_directions *of, const double *l) {
  if (s->n.r.nfriction == 0) return l;                     // nobody asks
  sim_implied_place(s, of);
  return sim_implied_placed(s, l);
}

void sim_implied_spread(const nsm_sim *s, double *l) {
  if (s->now.implied_n > 0) memcpy(l, sim_implied_placed(s, l), (size_t)s->a->nl * sizeof *l);
}

void sim_implied_share(const nsm_sim *s, sim_directions *of, double *l) {
  sim_implied_place(s, of);
  sim_implied_spread(s, l);
}

void sim_implied_leave(const nsm_sim *s, double *l) {
  const struct sim_implied *m = s->n.implied;
  for (int g = 0; s->now.implied_n > 0 && g < m->groups; g++)
    for (int j = m->row0[g]; j < m->row0[g + 1]; j++)
      if (sim_is_implied(s, m->row[j])) l[s->n.r.l[m->row[j]]] = 0;
}
