// The residuals (2), (4), (5) of docs/numerics/consistent.md at an iterate of bodies on joints, by seats
// (consistent_near.h), and what they are measured by. As consistent_residual.c has them, but for the order of sums.
#include "consistent_near.h"
#include "held.h"
#include "runtime/la/vector.h"
#include <float.h>
#include <math.h>
#include <string.h>


static inline double larger(double a, double b) { return a > b ? a : b; }       // b where a is nan

// ---- the iterate ----------------------------------------------------------------------------------------------------
typedef struct changed { double most, pushed, way; } changed;   // sizes: of the change, of P kappa, of the way

// (9) by the P at hand, but for attitudes.
static changed put(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  changed by = { 0, 0, 0 };
  memset(near->way, 0, (size_t)near->seats * sizeof(double));
  con_near_columns(s, near->p, near->kappa, near->way);
  for (int z = 0; z < s->a->nv; z++) {
    double pushed = near->way[near->seat[z]], inc = v->h * (c->uc[z] + (c->uc_low[z] + 0.5 * c->inc_u[z])) - pushed;
    by.most = larger(fabs(inc - c->inc_q[z]), by.most);
    by.pushed = larger(fabs(pushed), by.pushed);
    by.way = larger(fabs(inc), by.way);
    c->inc_q[z] = near->way[near->seat[z]] = inc;
    s->w.q1[z] = s->now.q[z] + (s->now.q_low[z] + inc);
  }
  return by;
}

static changed place(nsm_sim *s, const nsm_view *v) {
  changed by = put(s, v);
  con_move_bodies(s);
  s->n.con->unseen += by.most;
  return by;
}

void con_near_place(nsm_sim *s, const nsm_view *v) { place(s, v); }

// P by the means of H of the iterate, and the places that it has with them, as follow_means of consistent_residual.c;
// twice where those of the step were never taken.
static int follow_means(nsm_sim *s, const nsm_view *v, changed by) {
  static const double seen = 0.01 * DBL_EPSILON;
  struct sim_consistent *c = s->n.con;
  if (c->unseen * by.pushed <= seen * by.way) return 0;
  for (int pass = isinf(c->unseen) ? 2 : 1; pass > 0; pass--) {
    con_take_means(s, v);
    con_near_means(s);
    by = put(s, v);
    if (by.most > DBL_EPSILON * by.way) con_move_bodies(s);
  }
  c->unseen = 0;
  return 1;
}

static void set_entries(double *to, const int *at, size_t n, const double *value) {
  for (size_t i = 0; i < n; i++) to[at[i]] = value[i];
}

// ---- residuals ------------------------------------------------------------------------------------------------------
// Sums over the room of a unit, in four lanes.
LA_INLINE double dot(int n, const double *x, const double *y) {
  four sum = { 0 }, a, b;
  for (int i = 0; i < n; i += NSM_BLOCK_LANES) {
    memcpy(&a, x + i, sizeof a);
    memcpy(&b, y + i, sizeof b);
    sum += a * b;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// g(q_E) - g(q_B) = Dg . (q_E - q_B), in two parts at most times
LA_INLINE void gaps(const struct con_near *near, double *gap) {
  for (int j = 0; j < near->blocks->n; j++)
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++) {
      int room = con_room(near, near->part[k]);
      const double *V = near->dg + near->by_row[k], *way = near->way + near->unit0[near->part[k]];
      for (int i = 0; i < near->blocks->size[j]; i++) gap[near->blocks->at[j] + i] += dot(room, V + i * room, way);
    }
}
static void gaps_plain(const struct con_near *near, double *gap) { gaps(near, gap); }
LA_WIDE static void gaps_wide(const struct con_near *near, double *gap) { gaps(near, gap); }

void con_near_evaluate(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  double *y = s->n.r.y;
  changed by = place(s, v);
  int means = con_by_means(s), follows = !means || follow_means(s, v, by);
  nsm_view one_sided = *v;                                // D gamma(u_E)
  one_sided.v0 = v->v;
  one_sided.dv = s->a->zero;
  memset(c->res, 0, (size_t)s->a->nv * sizeof(double));
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.smooth.of[a]];
    if (k->c->c_fn) k->c->c_fn(v, &k->tab, c->res);
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    sim_class *k = &s->a->cls[cls];
    con_class *o = &c->cls[cls];
    const nsm_class *d = k->c;
    size_t count = (size_t)k->tab.count;
    d->rate_fn(v, &k->tab, y + k->row0);
    if (d->h_stage > NSM_EVENT && !d->dg_fn) d->h_fn(v, &k->tab, k->h);
    if (d->dg_fn) d->dg_fn(v, &k->tab, o->dg);
    set_entries(near->dg, near->dg_at[cls], count * (size_t)d->h.n, d->dg_fn ? o->dg : k->h);
    if (!d->drate_fn || (o->hm && !follows)) continue;
    d->drate_fn(means || !o->hm ? v : &one_sided, &k->tab, o->dr);
    set_entries(near->dr, near->dr_at[cls], count * (size_t)d->dr.n, o->dr);
  }
  memset(near->sum, 0, (size_t)near->seats * sizeof(double));
  con_near_columns(s, near->dg, near->lambda, near->sum);
  con_near_columns(s, near->dr, near->kappa, near->sum);
  for (int z = 0; z < s->a->nv; z++) near->momentum[near->seat[z]] = c->res[z] -= near->sum[near->seat[z]];
  for (int j = 0; j < c->ns; j++) {
    near->rate[near->row_seat[j]] = y[c->row[j]];
    near->gap[near->row_seat[j]] = c->moved[c->row[j]] + c->back[j];
  }
  (la_wide() ? gaps_wide : gaps_plain)(near, near->gap);
  con_near_seats_out(s, near->rate);
  con_near_seats_out(s, near->gap);
  for (int j = 0; j < c->ns; j++) {
    c->res[s->a->nv + j] = near->rate[near->row_seat[j]];
    c->res[s->a->nv + c->ns + j] = near->gap[near->row_seat[j]];
  }
}

// ---- the measure ----------------------------------------------------------------------------------------------------
// Numbers of one kind (places, turns) are known to the round-off of the largest: bodies on joints move each other.
static void raise_to_share(const struct con_near *near, int n, double *x) {
  double most[2] = { 0, 0 };
  for (int i = 0; i < n; i++) most[near->turn[i]] = larger(x[i], most[near->turn[i]]);
  for (int i = 0; i < n; i++) x[i] = larger(sim_least_share * most[near->turn[i]], x[i]) + DBL_MIN;
}

// y += |V|^T |l|, V by rows.
LA_INLINE void add_sizes(const struct con_near *near, const double *V, const double *l, double *y) {
  for (int j = 0; j < near->blocks->n; j++)
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++) {
      int room = con_room(near, near->part[k]);
      const double *value = V + near->by_row[k];
      double *to = y + near->unit0[near->part[k]];
      for (int i = 0; i < near->blocks->size[j]; i++, value += room)
        la_add_sizes(room, fabs(l[near->blocks->at[j] + i]), value, to);
    }
}

// A direction Dg is made of rotations: each of its moments is known to the round-off of the largest. `most` [held]: of
// each row. turns [seats]: 1 where a turn sits.
LA_INLINE void add_moments(const struct con_near *near, const double *turns, double *most, double *y) {
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < near->blocks->n; j++)
      for (int k = near->part0[j]; k < near->part0[j + 1]; k++) {
        int u = near->part[k], room = con_room(near, u);
        const double *value = near->dg + near->by_row[k], *turn = turns + near->unit0[u];
        for (int i = near->blocks->at[j]; i < near->blocks->at[j] + near->blocks->size[j]; i++, value += room) {
          if (pass == 0) most[i] = la_largest(room, value, turn, most[i]);
          else la_add_sizes(room, most[i] * fabs(near->lambda[i]), turn, y + near->unit0[u]);
        }
      }
}

// |H| |speed|, H by columns.
LA_INLINE void add_terms(const struct con_near *near, const double *speed, double *terms) {
  for (int j = 0; j < near->blocks->n; j++)
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++) {
      int room = nsm_block_room(near->blocks->size[j]), u = near->part[k];
      const double *H = near->h + near->by_column[k];
      for (int z = 0; z < near->velocities[u]; z++, H += room)
        la_add_sizes(room, speed[near->unit0[u] + z], H, terms + near->blocks->at[j]);
    }
}

LA_INLINE void measure(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  double *forces = near->size, *moments = near->right, *speed = near->sum;
  memset(forces, 0, (size_t)near->seats * sizeof(double));
  memset(moments, 0, (size_t)near->seats * sizeof(double));
  memset(near->terms, 0, (size_t)near->held * sizeof(double));
  add_sizes(near, near->dg, near->lambda, forces);
  add_sizes(near, near->dr, near->kappa, forces);
  add_moments(near, near->turns, near->terms, moments);
  for (int z = 0; z < s->a->nv; z++) {
    s->now.r1_size[z] = s->now.r1_most[z] + forces[near->seat[z]];
    c->size[z] = s->now.r1_size[z] + moments[near->seat[z]];
    c->speed[z] = fabs(s->w.z1[z]) + fabs(c->uc[z]) + c->size[z] * c->held_inverse[z];
  }
  raise_to_share(near, s->a->nv, c->size);
  raise_to_share(near, s->a->nv, c->speed);
  for (int z = 0; z < s->a->nv; z++) {
    near->size[near->seat[z]] = 1 / c->size[z];
    speed[near->seat[z]] = c->speed[z];
  }
  for (int i = 0; i < near->held; i++) near->terms[i] = DBL_MIN;
  add_terms(near, speed, near->terms);
  for (int i = 0; i < near->held; i++) near->terms[i] = 1 / near->terms[i];
}
static void measure_plain(nsm_sim *s) { measure(s); }
LA_WIDE static void measure_wide(nsm_sim *s) { measure(s); }
void con_near_measure(nsm_sim *s) { (la_wide() ? measure_wide : measure_plain)(s); }

static double largest_plain(int n, const double *x, const double *scale) { return la_largest(n, x, scale, 0); }
LA_WIDE static double largest_wide(int n, const double *x, const double *scale) { return la_largest(n, x, scale, 0); }
static double largest(int n, const double *x, const double *scale) {
  return (la_wide() ? largest_wide : largest_plain)(n, x, scale);
}

double con_near_residual(const nsm_sim *s) {
  const struct con_near *near = s->n.con->near;
  double momentum = largest(near->seats, near->momentum, near->size);
  double rate = largest(near->held, near->rate, near->terms);
  double gap = largest(near->held, near->gap, near->terms) / s->n.h;
  double most = rate <= momentum ? momentum : rate;
  return gap <= most ? most : gap;
}
