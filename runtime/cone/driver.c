// nsm_cone_solve: chooses a solver, has residual.c verify the answer, and goes on to the next solver until one is
// accepted.
//
//   1. at most five dense rows whose last basis still fits: a product and the verification, nothing else (m = 1: closed
//      form)
//   2. a look at the input and at a new matrix
//   3. no force at all; the table of solvers, in order; after each, one semismooth Newton step on (2) where its answer
//      is close but not accepted
//   4. friction: the solvers that can, again and again, each time from elsewhere or with other parameters, until the
//      budget is used up (budget.c)
// What is returned as solved has passed the verifier; everything else says that it has not.
#include "solver.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 1000, ONCE = 1, AGAIN = 2, FROM_GUESS = 12, POINTS = 50 };
static const double default_tolerance = 1e-12, default_sqrt = 1e-6,
                    aim = 1e-2,            // of the tolerance: what a solver tries to reach before it offers an answer
                    lasts = 0.1;           // likewise: a start that needs no solver

static inline void report(nsm_cone_result *r, nsm_cone_status status, const nsm_cone_check *c, const char *solver,
                          int iterations) {
  if (r) *r = (nsm_cone_result){ status, c->residual, c->floor, c->worst, solver, iterations, 0, 0 };
}

// One row, M > 0:  lambda = P(-q/M).
static inline int solve_one(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                            double *u, nsm_cone_check *c) {
  if (!(p->M[0] > 0)) return 0;
  lambda[0] = nsm_cone_project(-p->q[0] / p->M[0], p->lo[0], p->hi[0]);
  nsm_cone_check_answer(p, w, t, lambda, u, c);
  return c->accepted;
}

// One dense block and nothing else; or disks of given radii beside free rows, from a guess.
static inline int solve_contact(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                double *u, nsm_cone_check *c) {
  double warm[NSM_CONE_MOST_ROWS] = { 0 };
  int alone = p->cones == 1 && p->cone[0].size == p->m;
  for (int i = 0; i < p->m; i++) warm[i] = lambda[i];
  if (alone ? nsm_cone_local(&p->cone[0], p->M, p->q, lambda) : nsm_cone_local_given(p, lambda)) {
    nsm_cone_check_answer(p, w, t, lambda, u, c);
    if (c->accepted) return 1;
  }
  for (int i = 0; i < p->m; i++) lambda[i] = warm[i];
  return 0;
}

// An accepted answer may lie outside of an interval by less than the tolerance: inside, if it is still accepted there.
static inline int lies_in_intervals(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                    double *u, nsm_cone_check *c) {
  int outside = 0;
  for (int i = 0, k = 0; i < p->m; i++) {
    if (k < p->cones && i == p->cone[k].first) i += p->cone[k++].size - 1;
    else outside |= !(lambda[i] >= p->lo[i]) | !(lambda[i] <= p->hi[i]);
  }
  if (!outside) return 1;
  nsm_cone_clip(p, lambda);
  nsm_cone_check_answer(p, w, t, lambda, u, c);
  return c->accepted;
}

static int is_auto(const nsm_cone_options *o) { return !o || !o->solver || strcmp(o->solver, "auto") == 0; }

// A new matrix: forget everything; the analysis itself waits until a solver needs it.
static inline void notice_matrix(const nsm_cone_problem *p, nsm_cone_work *w) {
  int sparse = p->row_start != NULL;
  w->iterations = 0;
  if (p->matrix_id != 0 && p->matrix_id == w->matrix_id && p->m == w->m && sparse == w->sparse_input) return;
  w->matrix_id = p->matrix_id;
  w->m = p->m;
  w->sparse_input = sparse;
  w->analysed = 0;
  w->known = w->singular = 0;
  w->basis_known = 0;
  w->planar = w->modes_known = w->mode_count = w->mode_turn = 0;
}

typedef struct answers {
  double *lambda, *u;                    // the one that is tried
  double *best, distance;                // of the best so far, which may be NULL; nsm_cone_distance
  nsm_cone_check check;
  const char *solver;
  int any;
} answers;

static int all_finite(const nsm_cone_problem *p, const double *lambda) {
  int finite = 1;
  for (int i = 0; i < p->m; i++) finite &= fabs(lambda[i]) < HUGE_VAL;
  return finite;
}

// What a solver has left behind when it ran away is of no use: start again from there.
static void make_finite(const nsm_cone_problem *p, double *lambda) {
  if (!all_finite(p, lambda)) nsm_cone_start(p, lambda);
}

// The verifier, for reports: overflow in M lambda is an infinite residual, not a nan.
static void check(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const double *lambda, double *u,
                  nsm_cone_check *c) {
  nsm_cone_check_answer(p, w, t, lambda, u, c);
  if (!(c->residual < HUGE_VAL)) c->residual = HUGE_VAL;
  if (!(c->floor < HUGE_VAL)) c->floor = HUGE_VAL;
}

static void keep(const nsm_cone_problem *p, const char *solver, const nsm_cone_check *c, double distance, answers *a) {
  a->distance = distance;
  if (a->best) memcpy(a->best, a->lambda, (size_t)p->m * sizeof(double));
  a->check = *c;
  a->solver = solver;
  a->any = 1;
}

// Verifies lambda; keeps it if it is the best so far.
static int verify(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const char *solver, answers *a) {
  nsm_cone_check c;
  make_finite(p, a->lambda);
  check(p, w, t, a->lambda, a->u, &c);
  double distance = c.accepted ? 0 : p->cones ? nsm_cone_distance(p, w, a->lambda) : c.residual;
  if (c.accepted || !a->any || distance < a->distance) keep(p, solver, &c, distance, a);
  return c.accepted;
}

// From the active set that (2) sees at lambda, a few pivoting steps: makes a nearly right answer right to round-off.
static int sharpen(const nsm_cone_problem *p, nsm_cone_work *w, double *lambda, double *u) {
  if (w->form == NSM_FORM_SPARSE || !w->state || p->cones) return 0;
  nsm_cone_guess_state(p, lambda, u, w->state);
  int ok = nsm_cone_pivot_loop(p, w, 0.0, NULL, 5, lambda, u);
  w->state_known = ok;
  nsm_cone_project_all(p, lambda);
  return ok;
}

// The same problem in the dense copy made of a small sparse one.
static nsm_cone_problem dense_view(const nsm_cone_problem *p, const nsm_cone_work *w) {
  nsm_cone_problem d = *p;
  if (w->form == NSM_FORM_DENSE && p->row_start) { d.M = w->dense; d.row_start = NULL; d.col = NULL; }
  return d;
}

// 1 where the best answer is one to go on with, though not within the tolerance: at the second level.
static int will_do(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const answers *a) {
  nsm_cone_check c;
  nsm_cone_try level = *t;
  if (!(t->accept > t->tolerance) || !a->any || !a->best) return 0;
  level.tolerance = t->accept;
  level.sqrt_tolerance = sqrt(t->accept);
  check(p, w, &level, a->best, NULL, &c);
  return c.accepted;
}

static int takes_intervals(const nsm_cone_solver *s, int m) {
  return !(s->blocks & NSM_BLOCKS_ONLY) && (!(s->blocks & NSM_BLOCKS_OR_SMALL) || m <= NSM_SMALL);
}

static int fits(const nsm_cone_solver *s, int m, unsigned used) {
  return (!s->max_rows || m <= s->max_rows) && !(used & ~s->blocks);
}

// Rows that nothing drives have lambda = 0; a solver leaves there what round-off of the others makes, which these rows'
// own terms are no measure for. So what is tiny beside the largest is tried at 0, and stays where it is not better so.
static int vanishes(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const char *solver,
                    answers *a) {
  size_t mark = w->used, bytes = (size_t)p->m * sizeof(double);
  double largest = 0, *kept = nsm_cone_take(w, bytes);
  int any = 0;
  if (!kept) return 0;
  memcpy(kept, a->lambda, bytes);
  for (int i = 0; i < p->m; i++) largest = fmax(largest, fabs(a->lambda[i]));
  for (int i = 0; i < p->m; i++)
    if (a->lambda[i] != 0 && fabs(a->lambda[i]) <= t->tolerance * largest) { a->lambda[i] = 0; any = 1; }
  nsm_cone_clip(p, a->lambda);
  int solved = any && verify(p, w, t, solver, a);
  if (any && !solved) memcpy(a->lambda, kept, bytes);
  w->used = mark;
  return solved;
}

// Free rows that nothing drives, beside others that something does: right as far as they are known (held.c).
static int holds(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const char *solver, answers *a) {
  nsm_cone_check c;
  if (!nsm_cone_held(p, w, t, a->lambda, a->u, &c)) return 0;
  keep(p, solver, &c, 0, a);
  return 1;
}

// From `guess` (NULL: from nsm_cone_start).
static nsm_cone_status try_solver(const nsm_cone_solver *s, const nsm_cone_problem *p, nsm_cone_work *w,
                                  const nsm_cone_try *t, const double *guess, answers *a) {
  nsm_cone_problem view = dense_view(p, w);
  nsm_cone_try attempt = *t;
  attempt.warm = guess != NULL;
  attempt.asked = t->tolerance;
  attempt.tolerance *= aim;
  if (guess) memcpy(a->lambda, guess, (size_t)p->m * sizeof(double));
  else nsm_cone_start(p, a->lambda);
  nsm_cone_outcome outcome = s->solve(&view, w, &attempt, a->lambda, a->u);
  nsm_cone_clip(p, a->lambda);
  if (verify(p, w, t, s->name, a)) return NSM_CONE_SOLVED;
  if (outcome == NSM_CONE_PROVED_NONE) { a->solver = s->name; return NSM_CONE_NO_SOLUTION; }
  if (vanishes(p, w, t, s->name, a) || holds(p, w, t, s->name, a)) return NSM_CONE_SOLVED;
  return s->solve != nsm_cone_bases && sharpen(&view, w, a->lambda, a->u) && verify(p, w, t, s->name, a)
             ? NSM_CONE_SOLVED
             : NSM_CONE_FAILED;
}

static int is_tried(const nsm_cone_solver *s, const nsm_cone_problem *p, const nsm_cone_work *w, unsigned used) {
  if (s->start & NSM_BY_NAME || (s->start & NSM_LARGE && (w->form != NSM_FORM_SPARSE || p->m <= NSM_SMALL))) return 0;
  if (s->start & NSM_PILES && p->cones < NSM_PILE) return 0;
  return fits(s, p->m, used) && (used || takes_intervals(s, p->m)) && !(w->left_out >> (s - nsm_cone_solvers) & 1);
}

// In a pile whose forces of the last step are known: the loop that is quickest from there. Where bodies touch in many
// more points than hold them it can creep for long; then interior points, which have no such trouble, are sooner near
// the answer. Where these jam, at the corner of a fold, the loop goes on from the best of both, in as many steps as it
// takes; then the path of the smoothed problems. Beyond NSM_SMALL blocks the loop and the points are tried, where a
// factorization is quick.
static nsm_cone_status try_from_guess(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                      const double *guess, answers *a) {
  static const char *const then[] = { "proximal_newton", "sigma", NULL };
  nsm_cone_try first = *t;
  first.max_iterations = FROM_GUESS;
  nsm_cone_status status = try_solver(nsm_cone_solver_find("proximal_newton"), p, w, &first, guess, a);
  if (status != NSM_CONE_FAILED || p->cones > NSM_POINTS || w->brief > 1) return status;
  if (p->cones <= NSM_SMALL && will_do(p, w, t, a)) return status;
  first.max_iterations = POINTS;
  status = try_solver(nsm_cone_solver_find("interior"), p, w, &first, NULL, a);
  for (int i = 0; then[i] && status == NSM_CONE_FAILED && p->cones <= NSM_SMALL; i++) {
    const nsm_cone_solver *s = nsm_cone_solver_find(then[i]);
    if (w->brief || will_do(p, w, t, a)) return status;
    if (fits(s, p->m, nsm_cone_blocks_used(p))) status = try_solver(s, p, w, t, a->best, a);
  }
  return status;
}

// Did try_from_guess try it?
static int tried_from_guess(const nsm_cone_solver *s, const nsm_cone_problem *p) {
  return p->cones >= NSM_WARM_FEW && p->cones <= NSM_SMALL && s->start & NSM_AGAIN && s->solve != nsm_cone_rest;
}

// Once through the table, behind what is quickest in a pile whose forces of the last step are known: from the guess, or
// from the best answer so far.
static nsm_cone_status try_solvers(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                   const double *guess, answers *a) {
  nsm_cone_status status = NSM_CONE_FAILED;
  unsigned used = nsm_cone_blocks_used(p);
  if (guess && p->cones >= NSM_WARM_FEW && p->cones <= NSM_NEAR) {
    status = try_from_guess(p, w, t, guess, a);
    if (status == NSM_CONE_FAILED && p->cones <= NSM_SMALL && (w->brief || will_do(p, w, t, a))) return status;
  }
  for (const nsm_cone_solver *s = nsm_cone_solvers; s->name && status == NSM_CONE_FAILED; s++)
    if (is_tried(s, p, w, used) && !(guess && tried_from_guess(s, p)) && !(a->any && nsm_cone_late(w))) {
      status = try_solver(s, p, w, t, s->start & NSM_FROM_BEST && a->any ? a->best : guess, a);
      if (status == NSM_CONE_FAILED && s->start & (NSM_PILES | NSM_AGAIN) && (w->brief || will_do(p, w, t, a)))
        break;
    }
  return status;
}

// Those that can, again and again, with the best answer so far at hand.
static nsm_cone_status try_again(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *guess,
                                 answers *a) {
  nsm_cone_status status = NSM_CONE_FAILED;
  unsigned used = nsm_cone_blocks_used(p);
  for (int k = 1; k <= ROUNDS; k++) {
    nsm_cone_try attempt = *t;
    attempt.attempt = k;
    for (const nsm_cone_solver *s = nsm_cone_solvers; s->name; s++) {
      if (!(s->start & NSM_AGAIN) || !is_tried(s, p, w, used)) continue;
      if (nsm_cone_late(w)) return NSM_CONE_FAILED;
      memcpy(guess, a->best, (size_t)p->m * sizeof(double));
      status = try_solver(s, p, w, &attempt, guess, a);
      if (status != NSM_CONE_FAILED) return status;
    }
  }
  return status;
}

// Some contact would go on closing where there is no force.
static int needs_force(const nsm_cone_problem *p) {
  for (int c = 0; c < p->cones; c++) {
    const nsm_cone_block *b = p->cone + c;
    double size = 0;
    for (int i = b->first; i < b->first + b->size; i++)
      size = fmax(size, fmax(fabs(p->q[i]), p->q_terms ? p->q_terms[i] : 0));
    if (nsm_cone_normals(b->type) == 1 && !nsm_cone_is_grip(b->type) && p->q[b->first] < -1e-3 * size) return 1;
  }
  return 0;
}

// No force at all, or the bounds nearest to none: closed contacts that only touch.
static nsm_cone_status try_nothing(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, answers *a) {
  if (t->tolerance <= 1e-6 && needs_force(p)) return NSM_CONE_FAILED;
  memset(a->lambda, 0, (size_t)p->m * sizeof(double));
  nsm_cone_clip(p, a->lambda);
  return verify(p, w, t, "nothing", a) ? NSM_CONE_SOLVED : NSM_CONE_FAILED;
}

// The forces of the last step, where they are right up to a part of the tolerance: what rests goes on resting.
static nsm_cone_status try_guess(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                 const double *guess, answers *a) {
  nsm_cone_try closer = *t;
  nsm_cone_check c;
  closer.tolerance *= lasts;
  closer.brief = 1;
  memcpy(a->lambda, guess, (size_t)p->m * sizeof(double));
  nsm_cone_clip(p, a->lambda);
  check(p, w, &closer, a->lambda, a->u, &c);
  if (!c.accepted) return NSM_CONE_FAILED;
  keep(p, "start", &c, 0, a);
  return NSM_CONE_SOLVED;
}

// The analysis of a new matrix, and vectors without nan; 0 where the input is no problem.
static int is_problem(const nsm_cone_problem *p, nsm_cone_work *w) {
  if (!w->analysed && !nsm_cone_analyse(p, w)) {
    w->analysed = 0;
    w->matrix_id = 0;
    w->m = 0;
    return 0;
  }
  return nsm_cone_vectors_ok(p);
}

// Memory for the best answer, for a proof that there is none, and for scales.
static answers open_answers(const nsm_cone_problem *p, nsm_cone_work *w, double *lambda, double *u) {
  size_t bytes = (size_t)p->m * sizeof(double);
  answers a = { .lambda = lambda, .u = u, .best = nsm_cone_take(w, bytes), .distance = HUGE_VAL,
                .check = { HUGE_VAL, 0, 0, 0 } };
  w->proof = nsm_cone_take(w, bytes);
  w->margin = 0;
  w->scales = nsm_cone_take(w, 2 * bytes);
  w->scales_of = p->M;
  w->scales_of_cone = p->cone;
  w->scales_known = 0;
  return a;
}

static nsm_cone_status try_once(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                const double *guess, answers *a) {
  if (t->only && !fits(t->only, p->m, nsm_cone_blocks_used(p))) return NSM_CONE_FAILED;
  if (t->only) return try_solver(t->only, p, w, t, guess, a);
  if (p->cones > 0 && try_nothing(p, w, t, a) == NSM_CONE_SOLVED) return NSM_CONE_SOLVED;
  if (p->cones > 0 && guess && try_guess(p, w, t, guess, a) == NSM_CONE_SOLVED) return NSM_CONE_SOLVED;
  nsm_cone_status status = try_solvers(p, w, t, guess, a);
  // at rest, from forces of which nothing is left: solvers leave their round-off, which nothing here is a measure for
  return status == NSM_CONE_FAILED && p->cones == 0 ? try_nothing(p, w, t, a) : status;
}

// Why there is none, in a few rows; also where every case was tried, or nobody knew. Not where one solver was to try
// once, as for corrections of rounding.
static nsm_cone_status explain_none(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                    nsm_cone_status status, answers *a) {
  if ((t->only && w->once) || !w->proof || w->margin != 0) return status;
  if (status != NSM_CONE_NO_SOLUTION && p->cones > 0) return status;
  if (nsm_cone_farkas(p, w, t, a->lambda, a->u) != NSM_CONE_PROVED_NONE || status != NSM_CONE_FAILED) return status;
  a->solver = "farkas";
  return NSM_CONE_NO_SOLUTION;
}

// how: ONCE through the table, or a solver alone; AGAIN where that has failed, from what is in lambda if nothing else.
static nsm_cone_status solve_slowly(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, int how,
                                    double *lambda, double *u, nsm_cone_result *r) {
  if (!is_problem(p, w)) {
    report(r, NSM_CONE_BAD_INPUT, &(nsm_cone_check){ HUGE_VAL, 0, 0, 0 }, NULL, 0);
    return NSM_CONE_BAD_INPUT;
  }
  if (w->form == NSM_FORM_DENSE && !w->dense_is_copy) w->dense = p->M;
  size_t mark = w->used, bytes = (size_t)p->m * sizeof(double);
  answers a = open_answers(p, w, lambda, u);
  double *guess = nsm_cone_take(w, bytes);
  int warm = t->warm && guess && all_finite(p, lambda);
  if (warm) memcpy(guess, lambda, bytes);
  nsm_cone_status status = NSM_CONE_FAILED;
  if (how & ONCE) status = try_once(p, w, t, warm ? guess : NULL, &a);
  else verify(p, w, t, NULL, &a);
  if (how & AGAIN && !t->only && status == NSM_CONE_FAILED && p->cones > 0 && a.best && guess && a.any)
    status = try_again(p, w, t, guess, &a);
  if (status == NSM_CONE_FAILED && a.any && a.best && nsm_cone_held(p, w, t, a.best, u, &a.check)) {
    memcpy(lambda, a.best, bytes);
    status = NSM_CONE_SOLVED;
  }
  if (!a.any) {                        // no solver takes this problem
    nsm_cone_start(p, lambda);
    verify(p, w, t, NULL, &a);
  }
  if (status != NSM_CONE_SOLVED) status = explain_none(p, w, t, status, &a);
  if (status != NSM_CONE_SOLVED && a.best && a.any) {
    memcpy(lambda, a.best, bytes);
    check(p, w, t, lambda, u, &a.check);
  }
  w->scales = NULL;
  w->used = mark;
  report(r, status, &a.check, a.solver, w->iterations);
  if (r) r->late = status == NSM_CONE_FAILED && w->late;
  if (status != NSM_CONE_NO_SOLUTION) w->margin = 0;
  return status;
}

// The workspace belongs to another matrix of m rows, of which nothing is known.
static void forget(nsm_cone_work *w, int m) {
  w->matrix_id = 0;
  w->m = m;
  w->analysed = w->basis_known = w->planar = w->modes_known = w->mode_count = w->mode_turn = 0;
  w->known = w->singular = 0;
}

void nsm_cone_remember(const void *workspace, nsm_cone_memory *to) {
  const nsm_cone_work *w = workspace;
  memset(to, 0, sizeof *to);                               // field by field: it is saved, with the bytes between them
  to->matrix_id = w->matrix_id;
  to->m = w->m;
  to->sparse = w->sparse_input;
  if (w->basis_known) { to->basis_known = 1; to->basic = w->basic; to->high = w->high; }
  if (w->modes_known) { to->modes_known = 1; to->modes = w->mode_set[w->mode_slot]; }
}

void nsm_cone_recall(void *workspace, const nsm_cone_memory *from) {
  nsm_cone_work *w = workspace;
  forget(w, from->m);
  w->matrix_id = from->matrix_id;
  w->sparse_input = from->sparse;
  w->basis_known = from->basis_known ? NSM_WITHOUT_INVERSE : 0;
  w->basic = from->basic;
  w->high = from->high;
  w->modes_known = from->modes_known ? NSM_WITHOUT_INVERSE : 0;
  w->mode_slot = 0;
  w->mode_set[0] = (unsigned short)from->modes;
}

// What could not be solved in its own units, or was only tried in all ways, is looked at once more where they are far
// apart: balanced (scale.c). The verifier has the last word in the problem's own units.
static nsm_cone_status solve_balanced(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                      nsm_cone_status status, double *lambda, double *u, nsm_cone_result *r) {
  size_t bytes = w->bytes;
  int iterations = w->iterations;
  nsm_cone_balanced b;
  if (nsm_cone_balanced_make(p, w, &b)) {
    nsm_cone_result inner;
    nsm_cone_check c;
    nsm_cone_try again = *t;
    again.warm = 1;
    nsm_cone_balanced_lambda(&b, 1, lambda);
    forget(w, p->m);
    nsm_cone_status found = solve_slowly(&b.p, w, &again, w->once ? ONCE : ONCE | AGAIN, b.lambda, b.u, &inner);
    if (r) r->iterations = iterations + w->iterations;
    if (found == NSM_CONE_SOLVED) {
      nsm_cone_balanced_lambda(&b, 0, b.lambda);
      check(p, w, t, b.lambda, b.u, &c);
      if (!c.accepted) found = NSM_CONE_FAILED;
      else {
        memcpy(lambda, b.lambda, (size_t)p->m * sizeof(double));
        memcpy(u, b.u, (size_t)p->m * sizeof(double));
        report(r, found, &c, inner.solver, iterations + w->iterations);
      }
    }
    if (found == NSM_CONE_NO_SOLUTION) {
      int proved = w->margin > 0;
      for (int i = 0; proved && i < p->m; i++) b.u[i] = ldexp(w->proof[i], (int)b.e[i]);
      w->proof = b.proof;
      w->margin = 0;
      if (proved) nsm_cone_proves(p, w, b.u);
      if (r) r->solver = inner.solver;
    }
    status = found;
    if (r) { r->status = status; r->late = status == NSM_CONE_FAILED && w->late; }
    forget(w, -1);
  } else if (status == NSM_CONE_FAILED && !t->only && !w->once) {
    nsm_cone_try again = *t;
    again.warm = 1;
    status = solve_slowly(p, w, &again, AGAIN, lambda, u, r);
  }
  w->bytes = bytes;
  return status;
}

// Where all solvers have failed: is the best answer good enough to go on with? It is checked as one within the
// tolerance, at the second level.
static nsm_cone_status accepted(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                const double *lambda, double *u, nsm_cone_result *r) {
  nsm_cone_try level = *t;
  nsm_cone_check c;
  if (!(t->accept > t->tolerance)) return NSM_CONE_FAILED;
  level.tolerance = t->accept;
  level.sqrt_tolerance = sqrt(t->accept);
  check(p, w, &level, lambda, u, &c);
  if (!c.accepted) return NSM_CONE_FAILED;
  if (r) { r->status = NSM_CONE_ACCEPTED; r->residual = c.residual; r->worst = c.worst; r->late = 0; }
  return NSM_CONE_ACCEPTED;
}

static nsm_cone_status solve_in_any_units(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                          double *lambda, double *u, nsm_cone_result *r) {
  nsm_cone_status status = solve_slowly(p, w, t, ONCE, lambda, u, r);
  if (status == NSM_CONE_SOLVED || status == NSM_CONE_BAD_INPUT || w->margin > 0) return status;
  if (status == NSM_CONE_FAILED && accepted(p, w, t, lambda, u, r) == NSM_CONE_ACCEPTED) return NSM_CONE_ACCEPTED;
  if ((t->only && w->once) || w->brief) return status;     // a correction of rounding
  status = solve_balanced(p, w, t, status, lambda, u, r);
  return status == NSM_CONE_FAILED ? accepted(p, w, t, lambda, u, r) : status;
}

// The short ways of small problems, by default options: closed forms, bases and modes whose inverses are kept. Who
// solved it, with the iterations in *count, or NULL.
static inline const char *solve_shortly(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                        double *lambda, double *u, nsm_cone_check *c, int *count) {
  *count = 1;
  if (p->cones == 0 && p->m == 1 && !p->row_start && solve_one(p, w, t, lambda, u, c)) return "bases";
  int few = p->m <= NSM_CONE_MOST_ROWS && !p->row_start && p->cones > 0;
  if (few && ((p->cones == 1 && p->cone[0].size == p->m) || t->warm) && solve_contact(p, w, t, lambda, u, c))
    return "contact";
  notice_matrix(p, w);
  if (p->row_start) return NULL;
  if (p->cones == 0) {
    if (p->m > NSM_BASES_MAX) return NULL;
    if (!(w->basis_known && nsm_cone_bases_again(p, w, t, lambda, u, c)) &&
        !nsm_cone_bases_checked(p, w, t, lambda, u, c)) return NULL;
  } else {
    if (p->m > NSM_MODES_MAX) return NULL;
    if (w->planar == 0) w->planar = nsm_cone_is_planar(p) ? 1 : -1;
    if (w->planar < 0) return NULL;
    if (!(w->modes_known && nsm_cone_modes_again(p, w, t, lambda, u, c)) &&
        !nsm_cone_modes_checked(p, w, t, lambda, u, c)) return NULL;
    if (!lies_in_intervals(p, w, t, lambda, u, c)) return NULL;
  }
  if (w->iterations > 0) *count = w->iterations;
  return p->cones == 0 ? "bases" : "modes";
}

static nsm_cone_try try_of(const nsm_cone_options *o) {
  nsm_cone_try t = { .tolerance = default_tolerance, .sqrt_tolerance = default_sqrt };
  if (!o) return t;
  if (o->tolerance > 0 && o->tolerance < HUGE_VAL && o->tolerance != default_tolerance) {
    t.tolerance = o->tolerance;
    t.sqrt_tolerance = sqrt(o->tolerance);
  }
  t.warm = o->warm;
  t.max_iterations = o->max_iterations;
  t.accept = o->accept;
  t.only = is_auto(o) ? NULL : nsm_cone_solver_find(o->solver);
  return t;
}

nsm_cone_status nsm_cone_solve(const nsm_cone_problem *p, const nsm_cone_options *o, void *workspace,
                               double *lambda, double *u, nsm_cone_result *r) {
  nsm_cone_work *w = workspace;
  nsm_cone_check c = { 0, 0, 0, 1 };
  nsm_cone_try t = try_of(o);
  int count;
  w->work = 0;
  if (p->m < 0 || (p->cones != 0 && !nsm_cone_blocks_ok(p)) || (!is_auto(o) && !t.only)) {
    c.residual = HUGE_VAL;
    report(r, NSM_CONE_BAD_INPUT, &c, NULL, 0);
    return NSM_CONE_BAD_INPUT;
  }
  if (p->m == 0) { report(r, NSM_CONE_SOLVED, &c, "bases", 0); return NSM_CONE_SOLVED; }
  w->once = o && o->once;
  w->stop = o ? o->stop : NULL;
  w->brief = o && p->cones >= NSM_WARM_FEW ? o->brief : 0;
  nsm_cone_start_budget(w, o && o->budget > 0 ? o->budget : NSM_CONE_BUDGET);
  if (p->factors) return nsm_cone_solve_factors(p, w, &t, lambda, u, r);
  if (t.only) notice_matrix(p, w);
  const char *who = t.only ? NULL : solve_shortly(p, w, &t, lambda, u, &c, &count);
  if (who) { report(r, NSM_CONE_SOLVED, &c, who, count); return NSM_CONE_SOLVED; }
  nsm_cone_status status = solve_in_any_units(p, w, &t, lambda, u, r);
  if (r) r->work = w->work;
  return status;
}
