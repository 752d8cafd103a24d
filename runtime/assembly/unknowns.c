// Unknowns without inertia that their own equations determine (index 1), docs/numerics/circuits.md, 4.
//
// With 0 = r + C x + D a, D regular, a is a function of x at each instant. Then f is taken with the weights of theta in
// a as in x, and a of the begin of the step is that of the end of the last one; after an event, and at the start, it is
// solved for. So a family of nodes has the order that the scheme has where the compiler eliminates them. Where D is
// singular (loops of capacitors, cut sets of coils) a is an impulse that keeps x on an equation, and where a multiplier
// of a law acts, a jumps with it: both are taken at the end of the step, as their mean would change its sign from step
// to step.
//
// Checked by connected blocks of D, with its coefficients at the start and after events. Where they move (an inductance
// that depends on a place) a is solved for by Newton's method; in the steps it is what the last one ended with.
#include "assembly.h"
#include <math.h>
#include <string.h>

static const double regular = 1e-6;      // a solution that is known comes back to this
static const double settled = 1e-13;     // a correction of Newton's method beside its unknown
enum { ITERATIONS = 30 };

struct sim_unknowns {
  int n;                                 // unknowns without inertia
  int *of, *z;                           // [nz] number among them, -1; [n] inverse
  int *row, *equation;                   // [n] row of D of the equation of number i, which has an entry on the diagonal
                                         // where there is one for each; inverse, as numbers of z
  sim_matrix D;                          // its rows divided by their largest entry
  unsigned char *open;                   // [n] equations that laws act on
  int moves;                             // coefficients do
  double *scale, *known, *x, *y;         // [n]
};

// d f_row / d a_col of the equations, with the numbers of both; one call for each entry of class k.
#define EACH_ENTRY(s, u, k, i, e, row, col)                                                                           \
  for (int i = 0; i < (k)->tab.count; i++)                                                                            \
    for (int e = 0, row, col; e < (k)->c->jac.n; e++)                                                                 \
      if ((k)->c->jac.wrt[e] == NSM_WRT_X &&                                                                          \
          (row = (u)->row[(u)->of[sim_z_of(s, k, i, (k)->c->jac.row[e])]]) >= 0 &&                                    \
          (col = (u)->of[sim_z_of(s, k, i, (k)->c->jac.col[e])]) >= 0)

// Each equation finds an unknown that is in it, those with few first: augmenting paths.
typedef struct matching { const int *start, *col; int *owner, *mark, turn; } matching;

static int augment(matching *m, int row) {
  for (int e = m->start[row]; e < m->start[row + 1]; e++) {
    int c = m->col[e];
    if (m->mark[c] == m->turn) continue;
    m->mark[c] = m->turn;
    if (m->owner[c] >= 0 && !augment(m, m->owner[c])) continue;
    m->owner[c] = row;
    return 1;
  }
  return 0;
}

static void match(nsm_sim *s, struct sim_unknowns *u) {
  int *start = SIM_LEND(s, u->n + 1, int), *owner = SIM_LEND(s, u->n, int), *mark = SIM_LEND(s, u->n, int),
      *list = NULL;
  for (int i = 0; i < u->n; i++) { u->row[i] = i; owner[i] = -1; }
  for (int pass = 0; pass < 2; pass++) {
    SIM_EACH(s, smooth, k) {
      if (!k->c->at_end) continue;
      EACH_ENTRY(s, u, k, i, e, row, col) {
        if (pass == 0) start[row + 1]++;
        else list[start[row]++] = col;
      }
    }
    if (pass == 0) {
      for (int i = 0; i < u->n; i++) start[i + 1] += start[i];
      list = SIM_LEND(s, start[u->n] + 1, int);
    } else for (int i = u->n; i > 0; i--) start[i] = start[i - 1];
  }
  start[0] = 0;
  matching m = { start, list, owner, mark, 0 };
  for (int few = 1; few <= 2; few++)                       // rows of one entry, then the others
    for (int i = 0; i < u->n; i++)
      if ((start[i + 1] - start[i] == 1) == (few == 1)) { m.turn++; (void)augment(&m, i); }
  for (int i = 0; i < u->n; i++) u->row[i] = -1;
  for (int c = 0; c < u->n; c++) if (owner[c] >= 0) u->row[owner[c]] = c;
  for (int i = 0, c = 0; i < u->n; i++) {                  // what is left over: D is singular there
    if (u->row[i] >= 0) continue;
    while (owner[c] >= 0) c++;
    owner[c] = i;
    u->row[i] = c;
  }
  for (int i = 0; i < u->n; i++) u->equation[u->row[i]] = u->z[i];
  sim_give(s, start);
  sim_give(s, owner);
  sim_give(s, mark);
  sim_give(s, list);
}

static void shape(nsm_sim *s, struct sim_unknowns *u) {
  sim_graph g = sim_graph_count(s, u->n);
  for (int pass = 0; pass < 2; pass++) {
    SIM_EACH(s, smooth, k) {
      if (!k->c->at_end) continue;
      EACH_ENTRY(s, u, k, i, e, row, col) sim_graph_edge(&g, row, col);
    }
    if (pass == 0) sim_graph_fill(s, &g);
  }
  sim_graph_close(&g);
  sim_matrix_shape(s, &u->D, u->n, g.start, g.neighbour, NULL);
  sim_graph_give(s, &g);
}

static int moves(const nsm_class *c) { return c->jac_stage != NSM_NONE && !sim_fixed(c->jac_stage); }

static void mark_open(nsm_sim *s, struct sim_unknowns *u) {
  const sim_rows *r = &s->n.r;
  for (int row = 0; row < r->n; row++)
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++)
      if (r->bz[e] < s->a->nz && u->of[r->bz[e]] >= 0) u->open[u->row[u->of[r->bz[e]]]] = 1;
  SIM_EACH(s, smooth, k) {
    if (!k->c->at_end) continue;
    u->moves |= moves(k->c);
    for (int i = 0; k->c->g_stage != NSM_NONE && i < k->tab.count; i++)
      u->open[u->row[u->of[sim_z_of(s, k, i, k->c->at_end - 1)]]] = 1;
  }
}

void sim_unknowns_analyse(nsm_sim *s) {
  if (!s->a->algebraic) return;
  struct sim_unknowns *u = s->n.unknowns = SIM_NEW(s, 1, struct sim_unknowns);
  s->n.by_theta = SIM_NEW(s, s->a->nz, unsigned char);
  u->of = SIM_NEW(s, s->a->nz, int);
  for (int z = 0; z < s->a->nz; z++) u->of[z] = s->a->algebraic[z] ? u->n++ : -1;
  u->z = SIM_NEW(s, u->n, int);
  for (int z = 0; z < s->a->nz; z++) if (u->of[z] >= 0) u->z[u->of[z]] = z;
  u->open = SIM_NEW(s, u->n, unsigned char);
  u->row = SIM_NEW(s, u->n, int);
  u->equation = SIM_NEW(s, u->n, int);
  double **room[] = { &u->scale, &u->known, &u->x, &u->y };
  for (int i = 0; i < 4; i++) *room[i] = SIM_NEW(s, u->n, double);
  match(s, u);
  shape(s, u);
  mark_open(s, u);
}

// D, and the right side y = D x of a solution x that is known; rows with entries of 1 at most.
static void fill(nsm_sim *s, struct sim_unknowns *u) {
  sim_matrix *D = &u->D;
  memset(D->val, 0, (size_t)D->nval * sizeof(double));
  for (int i = 0; i < u->n; i++) {
    u->scale[i] = u->y[i] = 0;
    u->known[i] = 1 + fmod(0.6180339887498949 * (i + 1), 1);
  }
  for (int pass = 0; pass < 2; pass++)
    SIM_EACH(s, smooth, k) {
      if (!k->c->at_end) continue;
      EACH_ENTRY(s, u, k, i, e, row, col) {
        double d = k->jac[(size_t)i * (size_t)k->c->jac.n + (size_t)e];
        if (pass == 0) u->scale[row] = fmax(u->scale[row], fabs(d));
        else if (u->scale[row] > 0) {
          D->val[sim_matrix_place(D, row, col)] += d / u->scale[row];
          u->y[row] += d / u->scale[row] * u->known[col];
        }
      }
    }
}

static void solve_block(struct sim_unknowns *u, int block, const double *right, double *x) {
  const sim_block *b = &u->D.block[block];
  const int *order = u->D.order + b->first;
  double *y = u->D.work;
  for (int i = 0; i < b->n; i++) y[i] = right[order[i]];
  sim_block_solve(&u->D, block, y);
  for (int i = 0; i < b->n; i++) x[order[i]] = y[i];
}

void sim_unknowns_check(nsm_sim *s) {
  struct sim_unknowns *u = s->n.unknowns;
  if (!u) return;
  fill(s, u);
  for (int block = 0; block < u->D.nblock; block++) {
    const sim_block *b = &u->D.block[block];
    const int *order = u->D.order + b->first;
    int good = 1;
    for (int i = 0; i < b->n; i++) good = good && !u->open[order[i]] && u->scale[order[i]] > 0;
    good = good && sim_block_factor(s, &u->D, block) < 0;
    if (good) solve_block(u, block, u->y, u->x);
    for (int i = 0; good && i < b->n; i++) good = fabs(u->x[order[i]] - u->known[order[i]]) <= regular;
    for (int i = 0; i < b->n; i++) s->n.by_theta[u->z[order[i]]] = (unsigned char)good;
  }
}

int sim_unknowns_follow(const nsm_sim *s) {
  const struct sim_unknowns *u = s->n.unknowns;
  for (int i = 0; u && i < u->n; i++) if (!s->n.by_theta[u->z[i]]) return 0;
  return u != NULL;
}

// One step of Newton's method for 0 = r + C x + D a in the blocks that follow the states; the largest correction beside
// its unknown.
static double correct(nsm_sim *s, struct sim_unknowns *u) {
  nsm_view v = sim_now(s);
  double worst = 0;
  memcpy(s->w.f, s->n.f_constant, (size_t)s->a->nz * sizeof(double));
  SIM_EACH(s, f_moving, k) if (k->c->at_end) k->c->f_fn(&v, &k->tab, s->w.f, s->w.f + s->a->nv);
  for (int i = 0; i < u->n; i++) u->y[i] = u->scale[i] > 0 ? -s->w.f[u->equation[i]] / u->scale[i] : 0;
  for (int block = 0; block < u->D.nblock; block++) {
    const sim_block *b = &u->D.block[block];
    const int *order = u->D.order + b->first;
    if (!s->n.by_theta[u->z[order[0]]]) continue;
    solve_block(u, block, u->y, u->x);
    double size = 0, change = 0;
    for (int i = 0; i < b->n; i++) {
      double *a = &s->now.z[u->z[order[i]]], dx = u->x[order[i]];
      *a += dx;
      size = fmax(size, fabs(*a));
      change = isfinite(dx) ? fmax(change, fabs(dx)) : INFINITY;
    }
    if (change > 0) worst = fmax(worst, change / size);
  }
  return worst;
}

// Factors of D at the state of now. 0: one is singular.
static int coefficients_of_now(nsm_sim *s, struct sim_unknowns *u) {
  nsm_view v = sim_now(s);
  SIM_EACH(s, jac_moving, k) if (k->c->at_end) k->c->jac_fn(&v, &k->tab, k->jac);
  fill(s, u);
  for (int block = 0; block < u->D.nblock; block++)
    if (s->n.by_theta[u->z[u->D.order[u->D.block[block].first]]] && sim_block_factor(s, &u->D, block) >= 0) return 0;
  return 1;
}

void sim_unknowns_solve(nsm_sim *s) {
  struct sim_unknowns *u = s->n.unknowns;
  if (!u) return;
  if (!u->moves) {
    (void)correct(s, u);
    return;
  }
  double *before = SIM_LEND(s, u->n, double), last = INFINITY;
  int good = 1;
  for (int i = 0; i < u->n; i++) before[i] = s->now.z[u->z[i]];
  for (int i = 0; i < ITERATIONS && good && last > settled; i++) {
    good = coefficients_of_now(s, u);
    if (good) last = correct(s, u);
  }
  if (!good || last > settled) {                           // then at the end of the step, as where D is singular
    for (int i = 0; i < u->n; i++) {
      s->now.z[u->z[i]] = before[i];
      s->n.by_theta[u->z[i]] = 0;
    }
    (void)sim_matrix_update(s, 1);
  }
  sim_give(s, before);
}
