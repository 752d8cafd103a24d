// Newton's method on the equations at rest (field.h), with what holds of each law chosen anew in each iteration, as in
// Josephy's method: a contact that pulls opens, one that is overlapped closes [Josephy 1979; Hintermüller et al. 2003].
// A multiplier that leaves its bound is free. It goes on to the other bound where its output does not hang on it, or
// where it would have to go back; multipliers that go to and fro so are free together, as those of a loop of switches.
// Friction is tried without force, then sticking: where it would need more than its limit it is at its limit.
//
// Where that does not settle the motion is followed by implicit steps from rest of growing length h, which lose all
// energy: M delta/h^2 = F + H^T lambda, E (x - x_0)/h = f [Kelley and Keyes 1998, pseudo-transient continuation].
#include "equilibrium.h"
#include "runtime/assembly/assembly.h"
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 40, STEPS = 120, TRY_EVERY = 6 };
static const double settled = 1e-13, exact = 1e-10, flat = 1e-11, rest = 1e-12, balanced = 1e-9, far = 1e3;

typedef struct work {
  field *f;
  int n, friction, iterations;          // unknowns: delta, x, lambda; friction acts
  double h;                             // infinite: no motion
  double *K, *P, *b, *y, *way, *x0, *room;
  int *pivot, nroom, rank;
  unsigned char *left, *crossed;        // [rows] the bound that a multiplier has left; it went on to the other one
  unsigned char *free, *law_kept, *left_kept;  // [rows] between its bounds in the last step
  double *q_kept, *x_kept, *l_kept, *r0;  // r0: what was not balanced at the start
} work;

// ---- sets -----------------------------------------------------------------------------------------------------------
static int kind_of(const field *f, int row) { return f->s->a->cls[f->s->n.r.cls[row]].c->kind; }

// Whether the contact that the friction of a row belongs to presses; under a given force always.
static int is_pressed(const field *f, int row) {
  const sim_friction *c = &f->s->n.r.friction[f->s->n.r.friction_of[row]];
  for (int d = 0; d < c->normals; d++) if (f->law[c->normal[d]] != FIELD_OPEN) return 1;
  return c->normals == 0;
}

// Length of the slip of a block, in the measure of its force: of rates, or of displacements.
static double length_of(const sim_friction *c, const dual *y) {
  double sum = 0;
  for (int d = 0; d < c->n; d++) sum += y[c->row[d]].a[0] * y[c->row[d]].a[0];
  return sqrt(sum);
}

static field_law of_friction(work *w, int row) {
  field *f = w->f;
  player *p = f->p;
  int number = f->s->n.r.friction_of[row], at = 0;
  const sim_friction *c = &f->s->n.r.friction[number];
  if (!is_pressed(f, row)) return FIELD_OPEN;
  if (length_of(c, p->y) > rest) return FIELD_SLIDES;
  if (!w->friction) return FIELD_OPEN;
  dual A[SIM_SLIPS];
  double limit = play_pressed(p, number, f->dl, dual_of(1)).a[0], sum = 0, power = 0;
  play_friction_axes(p, number, A);
  while (c->row[at] != row) at++;
  for (int d = 0; d < c->n; d++) {
    double part = A[d].a[0] > 0 ? f->l[c->row[d]] / A[d].a[0] : 0;
    sum += part * part;
    power += f->l[c->row[d]] * w->way[c->row[d]];
  }
  if (f->law[row] == FIELD_LIMIT) return power > 0 ? FIELD_RATE : FIELD_LIMIT;
  if (!(sqrt(sum) > limit * (1 + exact))) return FIELD_RATE;
  f->way[row] = A[at].a[0] > 0 ? f->l[row] / A[at].a[0] / sqrt(sum) : 0;
  return FIELD_LIMIT;
}

static field_law of_relation(const work *w, int row, int first) {
  const field *f = w->f;
  double y = f->p->y[row].a[0], lo = f->p->lo[row].a[0], hi = f->p->hi[row].a[0], l = f->l[row];
  if (first) return y > 0 && isfinite(lo) ? FIELD_LOW : y < 0 && isfinite(hi) ? FIELD_HIGH : FIELD_ZERO;
  double near = exact * fmax(1e-300, fmax(isfinite(lo) ? fabs(lo) : 0, isfinite(hi) ? fabs(hi) : 0)) + 1e-14 * fabs(l);
  if (f->law[row] == FIELD_LOW) return y < 0 ? FIELD_ZERO : FIELD_LOW;
  if (f->law[row] == FIELD_HIGH) return y > 0 ? FIELD_ZERO : FIELD_HIGH;
  int below = l < lo - near, above = l > hi + near;
  if (below && w->left[row] == FIELD_LOW && isfinite(hi)) return FIELD_HIGH;
  if (above && w->left[row] == FIELD_HIGH && isfinite(lo)) return FIELD_LOW;
  return below ? FIELD_LOW : above ? FIELD_HIGH : FIELD_ZERO;
}

static double extent(const field *f) {
  double most = 1e-6;
  for (int i = 0; i < f->s->a->nq; i++) most = fmax(most, fabs(f->q[i]));
  return most;
}

// What holds of each row now; 1: something has changed.
static int choose(work *w, int first) {
  field *f = w->f;
  int changed = 0;
  double near = exact * extent(f);
  for (int row = 0; row < f->rows; row++) {
    int kind = kind_of(f, row);
    field_law law;
    if (kind == NSM_CONTACT) {
      double gap = f->p->gap[row].a[0];
      int closed = !first && f->law[row] == FIELD_GAP ? f->l[row] >= 0 : gap < (first ? near : -near);
      law = closed ? FIELD_GAP : FIELD_OPEN;
    } else if (kind == NSM_FRICTION) law = of_friction(w, row);
    else if (kind == NSM_CONSTRAINT)
      law = f->s->a->cls[f->s->n.r.cls[row]].c->velocity_level ? FIELD_RATE : FIELD_GAP;
    else law = of_relation(w, row, first);
    changed |= law != f->law[row];
    f->law[row] = (unsigned char)law;
    if (law == FIELD_LOW || law == FIELD_HIGH) w->left[row] = (unsigned char)law;
  }
  return changed;
}

// Multipliers that left a bound, and whose outputs the equations could not make 0 (off: by how much), go to the other.
static int cross(work *w, const double *off, double most) {
  field *f = w->f;
  int crossed = 0, again = 0;
  for (int row = 0; row < f->rows; row++) {
    if (f->law[row] != FIELD_ZERO || !w->left[row] || fabs(off[f->nz + row]) <= 1e-9 * most) continue;
    int up = w->left[row] == FIELD_LOW;
    if (!isfinite(up ? f->p->hi[row].a[0] : f->p->lo[row].a[0])) continue;
    f->law[row] = w->left[row] = up ? FIELD_HIGH : FIELD_LOW;
    again |= w->crossed[row];
    crossed = w->crossed[row] = 1;
  }
  for (int row = 0; again && row < f->rows; row++) {
    if (w->crossed[row]) f->law[row] = FIELD_ZERO;
    w->crossed[row] = 0;
  }
  return crossed;
}

// ---- one iteration --------------------------------------------------------------------------------------------------
// The matrix of (delta, x, lambda); a rate that is 0 says that nothing is displaced so.
static void assemble(work *w) {
  field *f = w->f;
  int m = f->m;
  for (int j = 0; j < w->n; j++) {
    int from = j < f->nv ? j : j + f->nv;
    for (int i = 0; i < m; i++) {
      double a = f->J[i + (size_t)from * (size_t)m];
      if (j < f->nv && i >= f->nz && f->law[i - f->nz] == FIELD_RATE) a = f->J[i + (size_t)(j + f->nv) * (size_t)m];
      if (i < f->nz && j < f->nz && isfinite(w->h))
        a += f->E[i + (size_t)j * (size_t)f->nz] / (i < f->nv ? w->h * w->h : w->h);
      w->K[i + (size_t)j * (size_t)m] = a;
    }
  }
  for (int i = 0; i < m; i++) {
    w->b[i] = -f->r[i];
    for (int j = 0; i < f->nz && j < f->nz && isfinite(w->h); j++) {
      double moved = j < f->nv ? w->y[j] : f->x[j - f->nv] - w->x0[j - f->nv];
      w->b[i] -= f->E[i + (size_t)j * (size_t)f->nz] * moved / (i < f->nv ? w->h * w->h : w->h);
    }
  }
}

// b := K^-1 b; where equations depend on each other the shortest solution, if there is one. 0: there is none; *crossed:
// another one of other sets may be.
static int solve(work *w, int *crossed) {
  size_t n = (size_t)w->n;
  double *scaled = w->P + n * n, most = 0;
  *crossed = 0;
  for (size_t i = 0; i < n; i++) {
    double size = 0;
    for (size_t j = 0; j < n; j++) size = fmax(size, fabs(w->K[i + j * n]));
    scaled[i] = size > 0 ? 1 / size : 1;
    for (size_t j = 0; j < n; j++) w->K[i + j * n] *= scaled[i];
    w->b[i] *= scaled[i];
    most = fmax(most, fabs(w->b[i]));
    if (size == 0 && fabs(w->b[i]) > 0) return 0;
  }
  memcpy(w->P, w->K, n * n * sizeof *w->P);
  int regular = nsm_la_lu_factor(w->n, w->P, w->n, w->pivot).code == NSM_LA_OK;
  for (size_t i = 0; i < n && regular; i++) regular = fabs(w->P[i * (n + 1)]) > flat;
  w->rank = w->n;
  if (regular) return nsm_la_lu_solve(w->n, 1, w->P, w->n, w->pivot, w->b, w->n).code == NSM_LA_OK;
  double *X = w->P + n * (n + 1), *answer = X + n * n;
  memcpy(w->P, w->K, n * n * sizeof *w->P);
  w->rank = nsm_la_pseudo_inverse(w->n, w->P, flat, X, w->pivot, w->room, w->nroom);
  nsm_la_gemv(w->n, w->n, 1, X, w->n, w->b, 0, answer);
  nsm_la_gemv(w->n, w->n, 1, w->K, w->n, answer, -1, w->b);
  double off = 0;
  for (size_t i = 0; i < n; i++) off = fmax(off, fabs(w->b[i]));
  int solved = off <= 1e-9 * most + 1e-300;
  if (!solved) *crossed = cross(w, w->b, most);
  memcpy(w->b, answer, n * sizeof *answer);
  return solved;
}

// The step in b is taken; its size beside that of the unknowns.
static double take_step(work *w) {
  field *f = w->f;
  double change = 0, size = extent(f);
  field_move(f, w->b);
  for (int i = 0; i < f->nv; i++) {
    w->y[i] += w->b[i];
    change = fmax(change, fabs(w->b[i]) / size);
  }
  double most = 1e-6, moved = 0;
  for (int i = 0; i < f->nx; i++) {
    most = fmax(most, fabs(f->x[i]));                      // before and afterwards: it may be 0 at one end
    f->x[i] += w->b[f->nv + i];
    moved = fmax(moved, fabs(w->b[f->nv + i]));
    most = fmax(most, fabs(f->x[i]));
  }
  change = fmax(change, moved / most);
  most = 1e-300;
  moved = 0;
  for (int i = 0; i < f->rows; i++) {
    most = fmax(most, fabs(f->l[i]));
    f->l[i] += w->b[f->nz + i];
    if (w->free[i]) w->left[i] = 0;
    w->free[i] = f->law[i] == FIELD_ZERO;
    moved = fmax(moved, fabs(w->b[f->nz + i]));
    most = fmax(most, fabs(f->l[i]));
  }
  return fmax(change, moved / most);
}

// Displacements of friction rows in this step, for the sign of their power.
static void displace(work *w) {
  field *f = w->f;
  for (int row = 0; row < f->rows; row++) {
    double sum = 0;
    for (int j = 0; j < f->nv; j++) sum += f->J[f->nz + row + (size_t)(f->nv + j) * (size_t)f->m] * w->y[j];
    w->way[row] = kind_of(f, row) == NSM_FRICTION && f->law[row] == FIELD_RATE ? 0 : sum;
  }
}

// What an equation balances at the start and now: of all forces, of all rates of states, and of its own.
static double terms(const work *w, int i) {
  const field *f = w->f;
  double size = w->r0[i];
  for (int j = 0; j < f->rows; j++)
    size = fmax(size, fabs(f->J[i + (size_t)(2 * f->nv + f->nx + j) * (size_t)f->m] * f->l[j]));
  for (int j = 0; j < f->nx; j++)
    size = fmax(size, fabs(f->J[i + (size_t)(2 * f->nv + j) * (size_t)f->m] * f->x[j]));
  return size;
}

// The largest of (1) beside the terms of its equation, or a thousandth of the largest of its kind.
static double residual(const work *w) {
  const field *f = w->f;
  double most = 0, largest[2] = { 1e-300, 1e-300 };
  for (int i = 0; i < f->nz; i++) largest[i >= f->nv] = fmax(largest[i >= f->nv], terms(w, i));
  for (int i = 0; i < f->nz; i++)
    most = fmax(most, fabs(f->r[i]) / fmax(terms(w, i), 1e-3 * largest[i >= f->nv]));
  return most;
}

static int is_balanced(const work *w) {
  return isfinite(w->h) || residual(w) <= balanced;
}

// Newton's method at step h from the point at hand. 1: settled.
static int newton(work *w, double h, int first, nsm_error *e) {
  field *f = w->f;
  double change = INFINITY;
  w->h = h;
  memset(w->y, 0, (size_t)f->nv * sizeof *w->y);
  memcpy(w->x0, f->x, (size_t)f->nx * sizeof *w->x0);
  memset(w->way, 0, (size_t)f->rows * sizeof *w->way);
  memset(w->crossed, 0, (size_t)f->rows);
  memset(w->free, 0, (size_t)f->rows);
  for (int k = 0; k < ITERATIONS; k++) {
    if (!field_evaluate(f, e)) return 0;
    displace(w);
    int changed = choose(w, first && k == 0);
    for (int again = 0; changed && again < 3; again++) {    // friction hangs on what presses
      if (!field_evaluate(f, e)) return 0;
      if (!choose(w, 0)) break;
    }
    if (changed && !field_evaluate(f, e)) return 0;
    if (!changed && change <= settled) return is_balanced(w);
    int crossed;
    assemble(w);
    if (!solve(w, &crossed) && !crossed) return 0;
    if (crossed) { change = INFINITY; continue; }
    change = take_step(w);
    w->iterations++;
    if (!(change < far)) return 0;
  }
  return change <= exact && is_balanced(w);
}

// ---- the motion -----------------------------------------------------------------------------------------------------
static void keep(work *w, int back) {
  field *f = w->f;
  double *of[] = { f->q, f->x, f->l }, *kept[] = { w->q_kept, w->x_kept, w->l_kept };
  int n[] = { f->s->a->nq, f->nx, f->rows };
  for (int i = 0; i < 3; i++)
    if (back) memcpy(of[i], kept[i], (size_t)n[i] * sizeof(double));
    else memcpy(kept[i], of[i], (size_t)n[i] * sizeof(double));
  unsigned char *sets[] = { f->law, w->left }, *sets_kept[] = { w->law_kept, w->left_kept };
  for (int i = 0; i < 2; i++) memcpy(back ? sets[i] : sets_kept[i], back ? sets_kept[i] : sets[i], (size_t)f->rows);
}

static int follow(work *w, int *steps, nsm_error *e) {
  double h = w->f->s->a->step;
  w->friction = 1;
  for (*steps = 0; *steps < STEPS; ++*steps) {
    keep(w, 0);
    if (*steps % TRY_EVERY == TRY_EVERY - 1) {
      if (newton(w, INFINITY, 0, e)) return 1;
      keep(w, 1);
    }
    if (e->code != NSM_OK) return 0;
    if (newton(w, h, *steps == 0, e)) { h *= 3; continue; }
    keep(w, 1);
    h *= 0.2;
  }
  return newton(w, INFINITY, 0, e);
}

// ---- what was found -------------------------------------------------------------------------------------------------
// Before and afterwards the values of the rows are those of the time at hand.
static int depends_on_time(field *f, double *r, nsm_error *e) {
  static const double later[] = { 0.1234567, 7.654321 };
  double t = f->t;
  int depends = 0;
  if (!field_values(f, f->r, e)) return -1;                // a search that failed has moved on from them
  for (int k = 0; k < 2; k++) {
    f->t = t + later[k];
    if (!field_values(f, r, e)) return -1;
    for (int i = 0; i < f->m; i++) depends |= fabs(r[i] - f->r[i]) > 1e-12 * fmax(fabs(r[i]), fabs(f->r[i]));
  }
  f->t = t;
  return field_values(f, r, e) ? depends : -1;
}

static nsm_code refuse(nsm_error *e, const char *why) {
  sim_fail(e, NSM_FAILED, "no equilibrium was found: %s", why);
  return NSM_FAILED;
}

// What nothing balances at the start, by name.
static nsm_code refuse_by_name(work *w, nsm_error *e) {
  field *f = w->f;
  char name[256] = "";
  keep(w, 1);
  if (!field_evaluate(f, e)) return e->code;
  int at = 0;
  for (int i = 0; i < f->nz; i++) if (fabs(f->r[i]) > fabs(f->r[at])) at = i;
  if (f->nz > 0) field_name(f, f->nv + at, name, sizeof name);
  sim_fail(e, NSM_FAILED, "no equilibrium was found: neither Newton's method nor the motion without inertia comes to "
           "rest; where it ends, %s changes the most. Is there one, and does the model start near to it?", name);
  return NSM_FAILED;
}

// Every law once more, from values alone.
static const char *broken(work *w) {
  field *f = w->f;
  double most = 0, near = 1e-9 * extent(f);
  for (int i = 0; i < f->rows; i++) most = fmax(most, fabs(f->l[i]));
  for (int row = 0; row < f->rows; row++) {
    int kind = kind_of(f, row);
    if (kind == NSM_CONTACT && (f->p->gap[row].a[0] < -near || f->l[row] < -1e-9 * most)) return "a contact overlaps";
    if (kind == NSM_RELATION && f->law[row] == FIELD_LOW && f->p->y[row].a[0] < 0) return "a switch is not settled";
    if (kind == NSM_RELATION && f->law[row] == FIELD_HIGH && f->p->y[row].a[0] > 0) return "a switch is not settled";
  }
  return NULL;
}

static int take(work *w) {
  field *f = w->f;
  int n = w->n = f->m;
  size_t N = (size_t)n;
  w->nroom = nsm_la_pseudo_inverse_work(n);
  w->K = play_take(f->p, N * N, sizeof(double));
  w->P = play_take(f->p, 2 * N * N + 3 * N, sizeof(double));
  w->room = play_take(f->p, (size_t)w->nroom, sizeof(double));
  double **vectors[] = { &w->b, &w->y, &w->way, &w->x0, &w->x_kept, &w->l_kept, &w->r0 };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = play_take(f->p, N, sizeof(double));
  w->q_kept = play_take(f->p, (size_t)f->s->a->nq, sizeof(double));
  w->pivot = play_take(f->p, 2 * N, sizeof(int));
  unsigned char **sets[] = { &w->left, &w->crossed, &w->free, &w->law_kept, &w->left_kept };
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) *sets[i] = play_take(f->p, N, 1);
  return !f->p->failed;
}

nsm_code equilibrium_find(equilibrium *q, nsm_sim *s, int held, nsm_error *e) {
  field *f = &q->f;
  work w = { .f = f };
  if (!take(&w)) return sim_no_memory(e, "an equilibrium");
  (void)s;
  memset(f->v, 0, (size_t)f->nv * sizeof *f->v);
  keep(&w, 0);
  e->code = NSM_OK;
  if (!field_evaluate(f, e)) return e->code;
  for (int i = 0; i < f->m; i++) w.r0[i] = fabs(f->r[i]);
  int found = newton(&w, INFINITY, 1, e);
  for (int friction = 1; !found && friction < 2 && f->s->n.r.nfriction > 0 && e->code == NSM_OK; friction++) {
    keep(&w, 1);
    w.friction = 1;
    found = newton(&w, INFINITY, 1, e);
  }
  if (!found && e->code == NSM_OK) {
    keep(&w, 1);
    found = follow(&w, &q->steps, e);
  }
  if (e->code != NSM_OK) return e->code;
  q->iterations = w.iterations;
  q->indifferent = w.n - w.rank;
  q->depends = depends_on_time(f, w.b, e);
  if (q->depends < 0) return e->code;
  if (q->depends && !held)
    return refuse(e, "the model depends on time; --hold T holds it at T, --steady finds a periodic orbit");
  if (!found) return refuse_by_name(&w, e);
  q->residual = residual(&w);
  const char *why = broken(&w);
  return why ? refuse(e, why) : NSM_OK;
}

const char *equilibrium_word(const field *f, int row) {
  int kind = kind_of(f, row);
  switch ((field_law)f->law[row]) {
  case FIELD_OPEN: return kind == NSM_FRICTION ? "without force" : "open";
  case FIELD_GAP: return kind == NSM_CONTACT ? "closed" : "holds";
  case FIELD_RATE: return kind == NSM_FRICTION ? "sticks" : "holds";
  case FIELD_SLIDES: return "slides";
  case FIELD_LIMIT: return "at its limit";
  case FIELD_LOW: return "at the lower bound";
  case FIELD_HIGH: return "at the upper bound";
  default: return "inside";
  }
}
