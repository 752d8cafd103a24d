// The equations of a piece of `consistent(order = 2 s)`; numbers in comments are those of docs/numerics/galerkin.md.
// Unknowns are
//
//     u_E [nv];  for each polynomial j < s: a_j [nv], b_j [nv], lambda_j [m], kappa_j [m];
//     where a force ends the piece: u' [nv] and lambda [rows] of that instant
//
// with the m rows that are kept: constraints that no others imply, closed contacts, friction that sticks. Sliding
// friction is a force at Gauss' nodes.
#include "play.h"
#include "runtime/schemes/galerkin.h"
#include <stddef.h>
#include <string.h>

static const double shortly = 1e-4;      // of the piece, as galerkin_force.c has it

struct play_polynomials {
  int   m, block, *of;                  // rows that are kept; unknowns of a polynomial; [rows] number of a row, -1
  dual *q[GALERKIN_DEGREE + 1], *u[GALERKIN_DEGREE + 1];   // at the points of one N, or at Gauss' nodes
  dual *middle, *momentum, *coordinate, *turn, *f, *l, *rate0, *rate1, *still0, *still1;
  dual (*B)[9];                         // (10) of each body
};

// ---- unknowns -------------------------------------------------------------------------------------------------------
static int by_force(const tape_entry *e) {
  return e->end == TAPE_SET && (e->set == SIM_CLOSED || e->set == SIM_STICKS);
}

// NULL: of the largest piece.
int play_polynomial_unknowns(const nsm_sim *s, const tape_entry *e) {
  int nv = s->a->nv, m = e ? 0 : s->n.r.n;
  for (int row = 0; e && row < s->n.r.n; row++) m += e->law[row] == TAPE_RATE;
  return nv + 2 * s->n.galerkin->t.s * (nv + m) + (!e || by_force(e) ? nv + s->n.r.n : 0);
}

static int place(const player *p, int j, int part, int i) {
  const play_polynomials *x = p->polynomials;
  int nv = p->s->a->nv, first[] = { 0, nv, 2 * nv, 2 * nv + x->m };
  return nv + j * x->block + first[part] + i;
}

static dual unknown(const player *p, int j, int part, int i) { return p->w[place(p, j, part, i)]; }

static int instant_at(const player *p) {
  return p->s->a->nv + p->s->n.galerkin->t.s * p->polynomials->block;
}

static void take_rows(player *p, const tape_entry *e) {
  play_polynomials *x = p->polynomials;
  x->m = 0;
  for (int row = 0; row < p->s->n.r.n; row++) x->of[row] = e->law[row] == TAPE_RATE ? x->m++ : -1;
  x->block = 2 * (p->s->a->nv + x->m);
}

int play_polynomials_open(player *p) {
  nsm_sim *s = p->s;
  if (!s->n.galerkin) return 1;
  play_polynomials *x = p->polynomials = play_take(p, 1, sizeof *x);
  if (!x) return 0;
  size_t nv = (size_t)s->a->nv, nq = (size_t)s->a->nq, rows = (size_t)s->n.r.n;
  dual **by_v[] = { &x->momentum, &x->coordinate, &x->turn, &x->f };
  dual **by_row[] = { &x->rate0, &x->rate1, &x->still0, &x->still1 };
  for (int i = 0; i <= s->n.galerkin->t.s; i++) {
    x->q[i] = play_take(p, nq, sizeof(dual));
    x->u[i] = play_take(p, nv, sizeof(dual));
  }
  for (int i = 0; i < 4; i++) {
    *by_v[i] = play_take(p, nv, sizeof(dual));
    *by_row[i] = play_take(p, rows, sizeof(dual));
  }
  x->middle = play_take(p, nq, sizeof(dual));
  x->l = play_take(p, (size_t)s->a->nl + 1, sizeof(dual));
  x->of = play_take(p, rows, sizeof(int));
  x->B = play_take(p, (size_t)s->n.galerkin->nturn, sizeof *x->B);
  return !p->failed;
}

// ---- attitudes: (9), (10) -------------------------------------------------------------------------------------------
// q1 := q0 turned by x->turn; angles that are remembered stay.
static void turn(player *p, const dual *q0, dual *q1) {
  nsm_sim *s = p->s;
  dual_view view = play_view(p, p->at->t, q0, p->zero, p->zero, dual_of(0));
  for (int i = s->a->nown; i < s->a->nq; i++) q1[i] = q0[i];
  view.dq = p->polynomials->turn;
  SIM_EACH(s, kinematics, k) if (!k->c->remembers) PLAY(p, k, move, &view, q1);
}

static const int *turned(const player *p, int body) { return p->s->n.galerkin->turn[body].z; }

static void no_turn(player *p) { memset(p->polynomials->turn, 0, (size_t)p->s->a->nv * sizeof(dual)); }

static void turn_to_middle(player *p) {
  play_polynomials *x = p->polynomials;
  if (p->s->n.galerkin->nturn == 0) return;
  no_turn(p);
  for (int b = 0; b < p->s->n.galerkin->nturn; b++)
    for (int d = 0; d < 3; d++) x->turn[turned(p, b)[d]] = dual_scale(unknown(p, 0, IN_PLACES, turned(p, b)[d]), 0.5);
  turn(p, p->at->q, x->middle);
}

static void chart(const player *p, int body, const double *I, dual *xi) {
  for (int d = 0; d < 3; d++) {
    xi[d] = dual_scale(unknown(p, 0, IN_PLACES, turned(p, body)[d]), I[0] - 0.5);
    for (int j = 1; j < p->s->n.galerkin->t.s; j++)
      xi[d] = dual_add(xi[d], dual_scale(unknown(p, j, IN_PLACES, turned(p, body)[d]), I[j]));
  }
}

// B of (10) for each body.
static void between(player *p, const double *I0, const double *I1) {
  for (int b = 0; b < p->s->n.galerkin->nturn; b++) {
    dual x0[3], x1[3], m[3], one = dual_of(1), *B = p->polynomials->B[b];
    chart(p, b, I0, x0);
    chart(p, b, I1, x1);
    for (int d = 0; d < 3; d++) {
      m[d] = dual_scale(dual_add(x0[d], x1[d]), 0.25);
      one = dual_add(one, dual_scale(dual_mul(x0[d], x1[d]), 0.25));
    }
    for (int d = 0; d < 3; d++) m[d] = dual_div(m[d], one);
    dual diagonal = dual_div(dual_of(1), one), none = dual_of(0);
    const dual all[9] = { diagonal, m[2], dual_sub(none, m[1]), dual_sub(none, m[2]), diagonal, m[0],
                          m[1], dual_sub(none, m[0]), diagonal };
    memcpy(B, all, sizeof all);
  }
}

// y [nv] from the unknowns to increments of kernels, by B; transposed: from rows of kernels to those of the unknowns.
static void through(const player *p, int transposed, dual *y) {
  for (int b = 0; b < p->s->n.galerkin->nturn; b++) {
    const int *z = turned(p, b);
    const dual *B = p->polynomials->B[b], v[3] = { y[z[0]], y[z[1]], y[z[2]] };
    for (int d = 0; d < 3; d++) {
      dual sum = dual_of(0);
      for (int e = 0; e < 3; e++) sum = dual_add(sum, dual_mul(B[transposed ? 3 * e + d : 3 * d + e], v[e]));
      y[z[d]] = sum;
    }
  }
}

// ---- (1) ------------------------------------------------------------------------------------------------------------
static dual sum_of(const player *p, int part, int i, const double *by) {
  dual sum = dual_scale(unknown(p, 0, part, i), by[0]);
  for (int j = 1; j < p->s->n.galerkin->t.s; j++) sum = dual_add(sum, dual_scale(unknown(p, j, part, i), by[j]));
  return sum;
}

static void stand_at(player *p, const double *I, dual *q) {
  for (int i = 0; i < p->s->a->nown; i++) q[i] = dual_add(p->at->q[i], sum_of(p, IN_PLACES, i, I));
  if (p->s->a->on.kinematics.n == 0) return;
  no_turn(p);
  for (int b = 0; b < p->s->n.galerkin->nturn; b++) {
    dual xi[3];
    chart(p, b, I, xi);
    for (int d = 0; d < 3; d++) p->polynomials->turn[turned(p, b)[d]] = xi[d];
  }
  turn(p, p->s->n.galerkin->nturn ? p->polynomials->middle : p->at->q, q);
}

static void points(player *p, int N) {
  play_polynomials *x = p->polynomials;
  for (int i = 0; i <= N; i++) {
    const double *I = p->s->n.galerkin->t.at[N][i];
    stand_at(p, I, x->q[i]);
    for (int z = 0; z < p->s->a->nv; z++) x->u[i][z] = dual_add(p->at->z[z], sum_of(p, IN_SPEEDS, z, I));
  }
}

// The two-point view of subinterval i of N, of which p->dq and p->dv are the increments.
static dual_view pair(player *p, int N, int i, dual h) {
  play_polynomials *x = p->polynomials;
  const galerkin_tables *t = &p->s->n.galerkin->t;
  dual t0 = dual_add(p->at->t, dual_scale(h, (double)(i - 1) / N)),
       t1 = dual_add(p->at->t, dual_scale(h, (double)i / N));
  double w[GALERKIN_DEGREE];
  for (int j = 0; j < t->s; j++) w[j] = galerkin_w(t, N, i, j);
  for (int z = 0; z < p->s->a->nv; z++) {
    p->dq[z] = sum_of(p, IN_PLACES, z, w);
    p->dv[z] = sum_of(p, IN_SPEEDS, z, w);
  }
  between(p, t->at[N][i - 1], t->at[N][i]);
  through(p, 0, p->dq);
  dual_view v = play_view(p, dual_scale(dual_add(t0, t1), 0.5), x->q[i], x->u[i], p->zero, dual_scale(h, 1.0 / N));
  v.t = t1;
  v.t0 = t0;
  v.q0 = x->q[i - 1];
  v.v0 = x->u[i - 1];
  v.k = p->zero;
  v.dq = p->dq;
  v.dv = p->dv;
  return v;
}

// Its begin and its end, with other velocities where they are not NULL.
static dual_view begin_of(player *p, const dual_view *v, const dual *u) {
  return play_view(p, v->t0, v->q0, u ? u : v->v0, p->zero, v->h);
}

static dual_view end_of(player *p, const dual_view *v, const dual *u) {
  return play_view(p, v->t, v->q, u ? u : v->v, p->zero, v->h);
}

// ---- rows: (3) to (6) -----------------------------------------------------------------------------------------------
static int takes_part(const player *p, const sim_class *k) {
  int any = 0;
  for (int i = 0; i < k->tab.count; i++) any |= p->polynomials->of[k->row0 + i] >= 0;
  return any;
}

// lambda or kappa of the class' rows, mean over the subinterval, into p->gap by rows.
static const dual *means(player *p, const sim_class *k, int part, int N, int at) {
  double w[GALERKIN_DEGREE];
  for (int j = 0; j < p->s->n.galerkin->t.s; j++) w[j] = N * galerkin_w(&p->s->n.galerkin->t, N, at, j);
  for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
    int r = p->polynomials->of[row];
    p->gap[row] = r < 0 ? dual_of(0) : sum_of(p, part, r, w);
  }
  return p->gap + k->row0;
}

// Directions into p->h: of slip at the middle, else over the subinterval.
static void directions(player *p, const sim_class *k, const dual_view *v) {
  nsm_sim *s = p->s;
  if (k->c->dg_fn) { PLAY(p, k, dg, v, p->h); return; }
  if (k->c->kind != NSM_FRICTION) { PLAY(p, k, h, v, p->h); return; }
  for (int i = 0; i < s->a->nown; i++) p->qm[i] = dual_scale(dual_add(v->q0[i], v->q[i]), 0.5);
  for (int i = 0; i < s->a->nv; i++) p->zm[i] = dual_div(v->dq[i], v->h);
  memcpy(p->polynomials->turn, v->dq, (size_t)s->a->nv * sizeof(dual));
  for (int b = 0; b < s->n.galerkin->nturn; b++) {         // half of an increment: cay(half) o cay(half) = cay(xi)
    dual *turn = p->polynomials->turn, square = dual_of(0);
    for (int d = 0; d < 3; d++) square = dual_add(square, dual_mul(turn[turned(p, b)[d]], turn[turned(p, b)[d]]));
    dual root = dual_sqrt(dual_add(dual_of(1), dual_scale(square, 0.25))), one = dual_of(1);
    dual by = dual_div(one, dual_add(root, one));
    for (int d = 0; d < 3; d++) turn[turned(p, b)[d]] = dual_mul(by, turn[turned(p, b)[d]]);
  }
  if (s->a->on.kinematics.n > 0) turn(p, v->q0, p->qm);
  dual_view middle = play_view(p, dual_scale(dual_add(v->t0, v->t), 0.5), p->qm, p->zm, p->zero, v->h);
  PLAY(p, k, h, &middle, p->h);
}

// H_S^T kappa into the bracket of (4): the mean of H, or that of both ends.
static void add_pushes(player *p, const sim_class *k, const dual_view *v, const dual *kappa) {
  nsm_sim *s = p->s;
  dual *to = p->polynomials->coordinate;
  if (k->c->hm_fn && PLAY(p, k, hm, v, p->h)) {
    play_add_along(s, k, &k->c->h, p->h, kappa, 1, to);
    return;
  }
  dual_view end[] = { begin_of(p, v, NULL), end_of(p, v, NULL) };
  for (int e = 0; e < 2; e++)
    if (PLAY(p, k, h, &end[e], p->h)) play_add_along(s, k, &k->c->h, p->h, kappa, 0.5, to);
}

// (D gamma)^T kappa into that of (3): by the rates at both ends.
static void add_turns_of_rates(player *p, const sim_class *k, const dual_view *v, const dual *kappa, int N) {
  for (int e = 0; k->c->drate_fn && e < 2; e++) {
    dual_view by = *v;
    if (!k->c->hm_fn) {
      by.v = by.v0 = e ? v->v : v->v0;
      by.dv = p->zero;
    }
    PLAY(p, k, drate, &by, p->h);
    play_add_along(p->s, k, &k->c->dr, p->h, kappa, -0.5 / N, p->polynomials->momentum);
  }
}

static void rates(player *p, const sim_class *k, const dual_view *v) {
  play_polynomials *x = p->polynomials;
  const dual *still = p->zero;
  dual_view b = begin_of(p, v, NULL), e = end_of(p, v, NULL);
  PLAY(p, k, rate, &b, x->rate0 + k->row0);
  PLAY(p, k, rate, &e, x->rate1 + k->row0);
  if (!galerkin_on_velocities(k->c)) return;
  b = begin_of(p, v, still);
  e = end_of(p, v, still);
  PLAY(p, k, rate, &b, x->still0 + k->row0);
  PLAY(p, k, rate, &e, x->still1 + k->row0);
}

static void add(player *p, int at, double by, dual y) { p->eq[at] = dual_add(p->eq[at], dual_scale(y, by)); }

static void add_rows(player *p, const sim_class *k, const dual_view *v, int N, int at) {
  play_polynomials *x = p->polynomials;
  const galerkin_tables *t = &p->s->n.galerkin->t;
  rates(p, k, v);
  directions(p, k, v);
  play_add_along(p->s, k, &k->c->h, p->h, means(p, k, IN_FORCES, N, at), -1.0 / N, x->momentum);
  for (int i = 0; i < k->tab.count; i++) {
    int row = k->row0 + i, r = x->of[row];
    if (r < 0) continue;
    dual moved = play_along(p->s, k, i, p->h, p->dq), change = dual_sub(x->rate1[row], x->rate0[row]);
    if (galerkin_on_velocities(k->c))
      moved = dual_add(moved, dual_scale(dual_mul(v->h, dual_add(x->still0[row], x->still1[row])), 0.5));
    for (int j = 0; j < t->s; j++) {
      double w = t->share[N] * N * galerkin_w(t, N, at, j);
      add(p, place(p, j, IN_FORCES, r), w, moved);
      if (j > 0) add(p, place(p, j, IN_KAPPAS, r), w, change);
      else if (N == t->s && at == N) p->eq[place(p, 0, IN_KAPPAS, r)] = x->rate1[row];
    }
  }
  const dual *kappa = means(p, k, IN_KAPPAS, N, at);
  add_pushes(p, k, v, kappa);
  add_turns_of_rates(p, k, v, kappa, N);
}

// ---- a subinterval --------------------------------------------------------------------------------------------------
// M (N dq - h (u_B + u_E)/2), M the mean of both ends, into the bracket of (4).
static void add_masses(player *p, const dual_view *v, int N, dual h) {
  dual *to = p->polynomials->coordinate;
  dual_view b = begin_of(p, v, NULL), e = end_of(p, v, NULL);
  for (int z = 0; z < p->s->a->nv; z++)
    p->way[z] = dual_sub(dual_scale(p->dq[z], N), dual_scale(dual_mul(h, dual_add(v->v0[z], v->v[z])), 0.5));
  play_add_mass(p, &b, p->way, 0.5, to);
  play_add_mass(p, &e, p->way, 0.5, to);
}

static void subinterval(player *p, int N, int i, dual h) {
  nsm_sim *s = p->s;
  play_polynomials *x = p->polynomials;
  const galerkin_tables *t = &s->n.galerkin->t;
  size_t bytes = (size_t)s->a->nv * sizeof(dual);
  memset(x->momentum, 0, bytes);
  memset(x->coordinate, 0, bytes);
  dual_view v = pair(p, N, i, h);
  SIM_EACH(s, smooth, k) if (k->c->c_fn && !galerkin_at_nodes(k->c)) PLAY(p, k, c, &v, x->momentum);
  add_masses(p, &v, N, h);
  SIM_EACH(s, row, k) if (takes_part(p, k)) add_rows(p, k, &v, N, i);
  through(p, 1, x->momentum);
  for (int j = 0; j < t->s; j++) {
    double w = t->share[N] * galerkin_w(t, N, i, j);
    for (int z = 0; z < s->a->nv; z++) {
      add(p, place(p, j, IN_PLACES, z), N * w, x->momentum[z]);
      add(p, place(p, j, IN_SPEEDS, z), w, x->coordinate[z]);
    }
  }
}

// ---- forces at Gauss' nodes -----------------------------------------------------------------------------------------
static int slides(const tape_entry *e, int row) { return e->law[row] == TAPE_SLIDES; }

// Has the slip of a part in several directions turned back? Its force goes on as it was (galerkin.md, 2).
static int is_back(player *p, const tape_entry *e, int row) {
  const sim_friction *f = &p->s->n.r.friction[p->s->n.r.friction_of[row]];
  dual A[SIM_SLIPS], ahead = dual_of(0);
  int from, n = play_part(f, row, &from);
  if (n == 1 || !e->slide) return 0;
  play_friction_axes(p, p->s->n.r.friction_of[row], A);
  for (int d = from; d < from + n; d++)
    ahead = dual_add(ahead, dual_scale(dual_mul(A[d], p->polynomials->rate1[f->row[d]]), e->slide[f->row[d]]));
  return dual_above(dual_of(0), ahead);
}

// -H_T^T lambda_T of what slides by l [nl] at a view, times `by`, into `to`; its impulses into p->l1 where it is told.
static void add_sliding(player *p, const tape_entry *e, const dual_view *v, dual length, double share, dual *to) {
  nsm_sim *s = p->s;
  const sim_rows *r = &s->n.r;
  play_polynomials *x = p->polynomials;
  play_coefficients(p, v);
  SIM_EACH(s, friction, k) PLAY(p, k, rate, v, x->rate1 + k->row0);
  SIM_EACH(s, friction, k) {
    int any = 0;
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i, number = r->friction_of[row];
      p->gap[row] = dual_of(0);
      if (!slides(e, row)) continue;
      const sim_friction *f = &r->friction[number];
      dual u[SIM_SLIPS];
      for (int d = 0; d < f->n; d++) u[d] = x->rate1[f->row[d]];
      p->gap[row] = play_slides(p, row, u, dual_of(0), play_pressed(p, number, x->l, length),
                                e->slide && e->slide[row] > 0);
      if (is_back(p, e, row)) p->gap[row] = dual_scale(p->gap[row], -1);
      if (share != 0) p->l1[r->l[row]] = dual_sub(p->l1[r->l[row]], dual_scale(p->gap[row], share));
      any = 1;
    }
    if (any && PLAY(p, k, h, v, p->h)) play_add_along(s, k, &k->c->h, p->h, p->gap + k->row0, 1, to);
  }
}

static void node(player *p, const tape_entry *e, int n, dual h) {
  nsm_sim *s = p->s;
  play_polynomials *x = p->polynomials;
  const galerkin_tables *t = &s->n.galerkin->t;
  stand_at(p, t->I[n], x->q[0]);
  for (int z = 0; z < s->a->nv; z++) x->u[0][z] = dual_div(sum_of(p, IN_PLACES, z, t->P[n]), h);
  between(p, t->I[n], t->I[n]);
  through(p, 0, x->u[0]);
  dual_view v = play_view(p, dual_add(p->at->t, dual_scale(h, t->node[n])), x->q[0], x->u[0], p->zero, h);
  memset(x->f, 0, (size_t)s->a->nv * sizeof(dual));
  SIM_EACH(s, smooth, k)
    if (galerkin_at_nodes(k->c) && k->c->f_fn) PLAY(p, k, f, &v, x->f, x->f + s->a->nv);
  for (int z = 0; z < s->a->nv; z++) x->f[z] = dual_scale(dual_mul(h, x->f[z]), -1);
  if (s->n.r.nfriction > 0) {
    memset(x->l, 0, ((size_t)s->a->nl + 1) * sizeof(dual));
    for (int row = 0; row < s->n.r.n; row++)
      if (x->of[row] >= 0) x->l[s->n.r.l[row]] = sum_of(p, IN_FORCES, x->of[row], t->P[n]);
    add_sliding(p, e, &v, h, t->weight[n], x->f);
  }
  through(p, 1, x->f);
  for (int j = 0; j < t->s; j++)
    for (int z = 0; z < s->a->nv; z++) add(p, place(p, j, IN_PLACES, z), t->weight[n] * t->P[n][j], x->f[z]);
}

// ---- the end --------------------------------------------------------------------------------------------------------
static void end(player *p, dual h) {
  nsm_sim *s = p->s;
  const galerkin_tables *t = &s->n.galerkin->t;
  for (int z = 0; z < s->a->nv; z++) {
    p->dq[z] = unknown(p, 0, IN_PLACES, z);
    p->eq[z] = dual_sub(p->w[z], dual_add(p->at->z[z], unknown(p, 0, IN_SPEEDS, z)));
  }
  between(p, t->at[1][0], t->at[1][1]);
  through(p, 0, p->dq);
  play_move(p, p->at->q, dual_of(1), p->dq, dual_of(0), p->dq, p->q1);
  p->now.h = h;
  p->now.begin = play_view(p, p->at->t, p->at->q, p->at->z, p->at->l, h);
  p->now.end = play_view(p, dual_add(p->at->t, h), p->q1, p->w, p->l1, h);
  SIM_EACH(s, compliant, k) PLAY(p, k, lambda, &p->now.end, p->l1 + s->a->var[k->c->row_var].base);
}

// (8): accelerations and forces at the end.
static void instant(player *p, const tape_entry *e, dual h) {
  nsm_sim *s = p->s;
  play_polynomials *x = p->polynomials;
  int nv = s->a->nv, first = instant_at(p);
  const dual *force = p->w + first + nv;
  dual *to = p->eq + first;
  dual_view v = play_view(p, p->now.end.t, p->q1, p->w, p->zero, h);
  memset(x->f, 0, (size_t)nv * sizeof(dual));
  SIM_EACH(s, smooth, k) if (k->c->f_fn) PLAY(p, k, f, &v, x->f, x->f + nv);
  for (int z = 0; z < nv; z++) to[z] = dual_scale(x->f[z], -1);
  play_add_mass(p, &v, p->w + first, 1, to);
  for (int row = 0; s->n.r.nfriction > 0 && row < s->n.r.n; row++) {
    int l = s->n.r.l[row];
    p->press[l] = p->pull[l] = x->l[l] = force[row];
  }
  if (s->n.r.nfriction > 0) add_sliding(p, e, &v, dual_of(1), 0, to);
  dual_view around[2] = { v, v };
  for (int side = 0; side < 2; side++)
    around[side] = play_view(p, dual_add(v.t, dual_scale(h, (2 * side - 1) * shortly)), p->q1, p->w, p->zero, h);
  SIM_EACH(s, row, k) {
    PLAY(p, k, rate, &around[0], x->rate0 + k->row0);
    PLAY(p, k, rate, &around[1], x->rate1 + k->row0);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      dual by_time = dual_div(dual_sub(x->rate1[row], x->rate0[row]), dual_scale(h, 2 * shortly));
      to[nv + row] = x->of[row] >= 0 ? by_time : force[row];
    }
    if (!takes_part(p, k)) continue;
    PLAY(p, k, h, &v, p->h);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      p->gap[row] = x->of[row] >= 0 ? force[row] : dual_of(0);
      if (x->of[row] >= 0) to[nv + row] = dual_add(to[nv + row], play_along(s, k, i, p->h, p->w + first));
    }
    play_add_along(s, k, &k->c->h, p->h, p->gap + k->row0, -1, to);
    if (!k->c->rq_fn) continue;
    PLAY(p, k, rq, &v, p->h);
    for (int i = 0; i < k->tab.count; i++)
      for (int j = 0; x->of[k->row0 + i] >= 0 && j < k->c->rq.n; j++) {
        dual *sum = &to[nv + k->row0 + i];
        *sum = dual_add(*sum, dual_mul(p->h[i * k->c->rq.n + j], p->w[sim_z_of(s, k, i, k->c->rq.col[j])]));
      }
  }
}

dual play_instant_force(const player *p, int row) { return p->w[instant_at(p) + p->s->a->nv + row]; }

void play_polynomials_of(player *p, const tape_entry *e, dual h) {
  nsm_sim *s = p->s;
  take_rows(p, e);
  const galerkin_tables *t = &s->n.galerkin->t;
  memset(p->eq, 0, (size_t)p->nw * sizeof *p->eq);
  memset(p->l1, 0, (size_t)(s->a->nl + 1) * sizeof *p->l1);
  for (int row = 0; row < s->n.r.n; row++)
    if (p->polynomials->of[row] >= 0) p->l1[s->n.r.l[row]] = unknown(p, 0, IN_FORCES, p->polynomials->of[row]);
  turn_to_middle(p);
  for (int N = 1; N <= t->s; N++) {
    points(p, N);
    for (int i = 1; i <= N; i++) subinterval(p, N, i, h);
  }
  for (int n = 0; n < t->s; n++) node(p, e, n, h);
  end(p, h);
  if (by_force(e)) instant(p, e, h);
  if (e->end != TAPE_SET) return;
  if (s->n.r.nfriction > 0) play_coefficients(p, &p->now.end);
  SIM_EACH(s, row, k) {
    PLAY(p, k, rate, &p->now.begin, p->u0 + k->row0);
    PLAY(p, k, rate, &p->now.end, p->y + k->row0);
  }
}
