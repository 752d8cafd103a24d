// Which contacts are closed at the begin of a step, and what is exactly at rest at its end.
//
// A scheme closes a contact where a number a, made of the gap and its rate, is not positive: moreau.md (10),
// midpoint.md (6), consistent.md (6). Numbers are rounded, so the test must know what rounding does:
//
//   closed where  a <= 8 eps (size of the terms of g + h sum_j |H_j| |v_j|)                                         (a)
//
// the round-off of the terms of a: of the gap and of the way of a step. And where a contact was pressed, p > 0, with a
// rate that its law makes 0 exactly, the rate is 0 and not what rounding left of it, and the gap is what it was, up to
// the quadrature error of the step, which is no reason to let go: it stays closed while
//
//   a <= (h/2) M_ii p                                                                                               (b)
//
// the way that the pressing force would close within a step. Its law then decides as always, 0 <= u _|_ p >= 0: nothing
// that opens is held.
//
// Where places are projected, or rows are gaps (projection.c, places.c), the contacts act that were pressed so, and
// those that the step reaches.
//
// Velocities that are nothing but what rounding left of the terms that cancelled in them are set to 0, |v_i| <= 16 eps
// (|v_i at the begin| + sum of |terms|), where impulses act: so what rests keeps its place to the last bit. With very
// different masses the one-step problem knows its impulses less well than the velocities that they leave: rates that
// the laws make 0 are then taken away by corrective impulses, found from the rates as they are (iterative refinement).
#include "schemes.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const double rounds = 8 * DBL_EPSILON, near = 1e-9,
                    refines = 4 * DBL_EPSILON,
                    corrects = 1e-6,  // of the forces: where M is singular a solution of the rates can be anything
                    inside = 1 - 1e-6;  // of its disk: a force of friction that sticks
enum { REFINEMENTS = 3, EXTENT = 64, AT_ONCE = 256, TESTED = 32, NEIGHBOURS = 8, FEW = 8 };

// Without a kernel for them, as in models written by hand: sum_j |H_j q_j|.
void sim_gap_terms(nsm_sim *s, const sim_class *k, const nsm_view *v) {
  double *terms = s->n.r.terms + k->row0;
  if (k->c->size_fn) { k->c->size_fn(v, &k->tab, terms); return; }
  for (int i = 0; i < k->tab.count; i++) {
    terms[i] = 0;
    for (int e = 0; e < k->c->h.n; e++)
      terms[i] += fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e] * v->q[sim_z_of(s, k, i, k->c->h.col[e])]);
  }
}

// ---- round-off of a gap ---------------------------------------------------------------------------------------------
void sim_closed_start(nsm_sim *s) {
  nsm_view now = sim_now(s);
  s->n.reach = 0;
  s->w.terms_of = -1;
  SIM_EACH(s, contact, k) {
    sim_gap_terms(s, k, &now);
    for (int i = 0; i < k->tab.count; i++) {
      double sum = 0;
      for (int e = 0; e < k->c->h.n; e++) sum += fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e]);
      s->n.reach = fmax(s->n.reach, sum);
      s->n.terms = fmax(s->n.terms, s->n.r.terms[k->row0 + i]);
    }
  }
}

// The extent of q changes by h v in a step; it is taken anew now and then, with room in between.
__attribute__((noinline)) void sim_take_extent(nsm_sim *s) {
  double most = 0;
  for (int i = 0; i < s->a->nown; i++) most = fmax(most, fabs(s->now.q[i]) + s->n.h * fabs(s->now.z[i]));
  for (int i = s->a->nown; i < s->a->nq; i++) most = fmax(most, fabs(s->now.q[i]));
  for (int i = s->a->nown; i < s->a->nv; i++) most = fmax(most, s->n.h * fabs(s->now.z[i]));
  s->now.extent = most;
}

static inline double nearly_closed(nsm_sim *s) {
  if ((s->now.k & (EXTENT - 1)) == 0) sim_take_extent(s);
  return near * (s->n.terms + s->n.reach * s->now.extent);
}

double sim_nearly_closed(nsm_sim *s) { return nearly_closed(s); }

int sim_closed_by_round_off(nsm_sim *s, const sim_class *k, int i, double a) {
  nsm_view now = sim_now(s);
  int row = k->row0 + i;
  double way = 0;
  if (s->w.terms_of != s->now.k || s->w.terms_class != s->n.r.cls[row]) {
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(&now, &k->tab, k->h);
    sim_gap_terms(s, k, &now);
    s->w.terms_of = s->now.k;
    s->w.terms_class = s->n.r.cls[row];
  }
  for (int e = 0; e < k->c->h.n; e++)
    way += fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e] * s->now.z[sim_z_of(s, k, i, k->c->h.col[e])]);
  return a <= rounds * (s->n.r.terms[row] + s->n.h * way);
}

// ---- moreau and midpoint --------------------------------------------------------------------------------------------
// Is any of n contacts near enough that (a) or (b) must be looked at?
NSM_WIDE static int any_near(const double *gap, const double *rate, const double *held, int n, double lead,
                             double nearly) {
  long any = 0;
  for (int i = 0; i < n; i++) any |= !(gap[i] + lead * rate[i] > nearly);
  for (int i = 0; held && i < n; i++) any |= !(held[i] <= 0);
  return any != 0;
}

// (a), (b), a = gap + lead rate, of contacts first ... first + n - 1 of a class; rates of pressed contacts become 0.
static void close_some(nsm_sim *s, const sim_class *k, int first, int n, double lead, double nearly) {
  sim_rows *r = &s->n.r;
  int row = k->row0 + first;
  const double *gap = r->gap + row, *held = s->now.held + row;
  double *rate = r->rate0 + row;
  unsigned char *active = r->active + row;
  int reaches = sim_reaches(s), still = s->a->m->place_at;
  for (int i = 0; i < n; i++) {
    if (held[i] > 0 || still) rate[i] = 0;
    double a = gap[i] + lead * rate[i];
    if (reaches) active[i] = s->w.reached[row + i] || (held[i] > 0 && !(gap[i] > held[i]));
    else active[i] = !(a > held[i]) || (a <= nearly && sim_closed_by_round_off(s, k, first + i, a));
  }
}

void sim_close(nsm_sim *s) {
  double lead = s->a->m->lead * s->n.h, nearly = nearly_closed(s);
  SIM_EACH(s, contact, k) close_some(s, k, 0, k->tab.count, lead, nearly);
}

// Multipliers that are 0 are not written again: where a family is large, few have ever been anything else.
NSM_WIDE static int any_set(const double *l, int n) {
  uint64_t any = 0, bits;
  for (int i = 0; i < n; i++) {
    memcpy(&bits, l + i, sizeof bits);
    any |= bits;
  }
  return any != 0;
}

// Contacts first ... first + n - 1 of a class, n <= AT_ONCE. Gaps and rates of those that are all far apart are not
// kept, as nobody asks for them.
static void active_some(nsm_sim *s, const sim_class *k, int first, int n, const nsm_view *v, double nearly) {
  sim_rows *r = &s->n.r;
  double gap[AT_ONCE], rate[AT_ONCE], *l = s->w.l1 + r->l[k->row0] + first,      // a class' multipliers are contiguous
         lead = s->a->m->lead * s->n.h;
  int row = k->row0 + first;
  nsm_table some = sim_part(k, first, n);
  k->c->gap_fn(v, &some, gap, rate);
  if (any_set(l, n)) memset(l, 0, (size_t)n * sizeof *l);
  memset(r->active + row, 0, (size_t)n);
  for (int i = 0; i < n; i += TESTED) {
    int m = n - i < TESTED ? n - i : TESTED;
    const double *held = s->now.holds ? s->now.held + row + i : NULL;
    if (!sim_reaches(s) && !any_near(gap + i, rate + i, held, m, lead, nearly)) continue;
    memcpy(r->gap + row + i, gap + i, (size_t)m * sizeof *gap);
    memcpy(r->rate0 + row + i, rate + i, (size_t)m * sizeof *rate);
    close_some(s, k, first + i, m, lead, nearly);
  }
}

// Where events are located: the contacts that are closed are remembered.
static void remembered_set(nsm_sim *s, const nsm_view *v) {
  sim_rows *r = &s->n.r;
  SIM_EACH(s, contact, k) {
    sim_gaps_at_begin(s, k, v);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      r->active[row] = s->now.set[row] == SIM_CLOSED ||
                       (s->now.sets_known == SIM_CAPTURES && r->gap[row] + s->a->m->lead * s->n.h * r->rate0[row] <= 0);
      s->w.l1[r->l[row]] = 0;
    }
  }
  if (s->a->on.friction.n > 0) sim_friction_active(s);
}

// Gaps and rates at the start of the step; active where g_k + h lead rate_k <= 0. The impulses of the others are
// 0. Contacts are looked at by so many that their numbers stay in the cache.
void sim_active_set(nsm_sim *s) {
  nsm_view v = sim_now(s);
  if (s->located && s->now.sets_known) {
    remembered_set(s, &v);
    return;
  }
  double nearly = nearly_closed(s);
  SIM_EACH(s, contact, k) {
    for (int first = 0, count = k->tab.count; first < count; first += AT_ONCE)
      active_some(s, k, first, count - first < AT_ONCE ? count - first : AT_ONCE, &v, nearly);
  }
  if (s->a->on.friction.n > 0) sim_friction_active(s);
}

// Of a class without cases all rows; else those that are active, with what lies between neighbours.
void sim_rates(nsm_sim *s, const sim_class *k, const nsm_view *v) {
  const unsigned char *active = s->n.r.active + k->row0;
  double *y = s->n.r.y + k->row0;
  int n = k->tab.count;
  if (!sim_opens(k->c)) { k->c->rate_fn(v, &k->tab, y); return; }
  for (int first = 0; first < n;) {
    const unsigned char *next = memchr(active + first, 1, (size_t)(n - first));
    if (!next) return;
    int last = first = (int)(next - active);
    for (int i = first + 1; i < n && i - last <= NEIGHBOURS; i++) if (active[i]) last = i;
    nsm_table some = sim_part(k, first, last + 1 - first);
    k->c->rate_fn(v, &some, y + first);
    first = last + 1;
  }
}

static int pressed(const nsm_sim *s, int at, int row) {
  const sim_rows *r = &s->n.r;
  return (r->contacts || s->a->cls[r->cls[row]].c->kind == NSM_CONTACT) &&
         sim_is_pressed(s, at, row, s->w.l1[r->l[row]]);
}

void sim_hold(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  if (s->now.holds) memset(s->now.held, 0, (size_t)r->n * sizeof(double));
  s->now.holds = 0;
  if (is->zeros == 0) return;
  for (int i = 0; i < is->nactive; i++) {
    int at = is->active[i], row = r->row_at[at];
    if (!pressed(s, at, row)) continue;
    s->now.held[row] = 0.5 * s->n.h * sim_rows_inertia(s, at) * s->w.l1[r->l[row]];
    s->now.holds = 1;
  }
}

// The start of a one-step problem: the multipliers of the last step. Impulses of located pieces are as their lengths,
// and an impact says nothing of those after it. Where bodies touch in more points than hold them, forces are not
// unique: those that are found are near those from which they start. A start of the wrong size had two of eight points
// carry a crate that the others let slip.
double sim_start_of(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  double l = s->now.l[r->l[row]];
  if (!s->located || s->now.sets_known != 1 || s->n.h == 0 || !sim_contactlike(s->a->cls[r->cls[row]].c)) return l;
  return s->now.set_h > 0 ? l * (s->n.h / s->now.set_h) : 0;
}

// ---- at rest --------------------------------------------------------------------------------------------------------
int sim_is_correction(double change, double force) { return change <= corrects * force; }

int sim_is_inside_disk(double force, double radius) { return force < inside * radius; }

// Does friction stick, by its force? Of rolling friction the part that the row belongs to.
int sim_sticks(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  const sim_friction *f = &r->friction[r->friction_of[row]];
  double l[SIM_SLIPS], radius = sim_friction_pressed(s, r->friction_of[row], s->w.l1);
  sim_disk part[2];
  int at = 0, parts = sim_friction_parts(f, part);
  while (f->row[at] != row) at++;
  const sim_disk *own = &part[parts == 2 && at >= part[1].first];
  for (int d = 0; d < own->n; d++) l[d] = s->w.l1[r->l[f->row[own->first + d]]];
  return sim_is_inside_disk(sim_disk_gauge(own, l), own->mu * radius);
}

int sim_rates_of_zero(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  int zero = 0;
  for (int i = 0; i < is->nactive; i++) {
    int at = is->active[i], row = r->row_at[at], kind = s->a->cls[r->cls[row]].c->kind;
    is->zero[i] = kind == NSM_CONSTRAINT || (kind == NSM_FRICTION ? sim_has_no_bounce(r, row) && sim_sticks(s, row)
                                                                  : pressed(s, at, row));
    zero += is->zero[i];
  }
  return zero;
}

// Rates of the velocities at the end, into y, of the rows whose law makes them 0: how many are more than what rounding
// left of the terms of the velocities that are not at rest.
static int rates_left(nsm_sim *s, double t, const double *q) {
  sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  nsm_view v = sim_view(s, t, q, s->w.z1, s->w.l1);
  int left = 0, zero = sim_rates_of_zero(s);
  if (zero == 0) return 0;
  SIM_EACH(s, row, k) if (sim_contactlike(k->c)) sim_rates(s, k, &v);
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double size = 0;
    for (int e = r->c0[row]; is->zero[i] && e < r->c0[row + 1]; e++) {
      int z = r->cz[e];
      if (s->w.z1[z] != 0) size += fabs(r->c[e]) * (fabs(s->w.z1[z]) + s->w.size[z]);
    }
    left += is->zero[i] && size > 0 && fabs(r->y[row]) > refines * size;
  }
  return left;
}

// One correction, of rows with a rate to take away; share: of v at the end in the way of the step. 0 where it failed.
static int correct(nsm_sim *s, double share) {
  sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double l = s->w.l1[r->l[row]];
    is->kept[i] = is->u[i];
    is->q[i] = is->zero[i] ? r->y[row] : 0;
    is->terms[i] = fabs(is->q[i]);
    is->lo[i] = !is->zero[i] ? 0 : s->a->cls[r->cls[row]].c->kind == NSM_CONTACT ? -l : -INFINITY;
    is->hi[i] = is->zero[i] ? INFINITY : 0;
    is->lambda[i] = 0;
  }
  is->solver.kind = SIM_CORRECTION;
  int ok = sim_islands_solve(s);
  is->solver.kind = SIM_BY_LAW;
  double change = 0, force = 0;
  for (int i = 0; i < is->nactive; i++) {
    change = fmax(change, fabs(is->lambda[i]));
    force = fmax(force, fabs(s->w.l1[r->l[r->row_at[is->active[i]]]]));
  }
  ok = ok && sim_is_correction(change, force);
  for (int i = 0; ok && i < is->nactive; i++) s->w.l1[r->l[r->row_at[is->active[i]]]] += is->lambda[i];
  memset(s->w.rhs, 0, (size_t)s->n.w.n * sizeof(double));
  memset(s->w.size, 0, (size_t)s->n.w.n * sizeof(double));
  if (ok) sim_rows_motion(s, is->lambda, s->w.rhs);
  for (int z = 0; ok && z < s->a->nz; z++) s->w.z1[z] += s->w.rhs[z];
  for (int i = 0; i < is->nactive; i++) {
    is->lambda[i] = s->w.l1[r->l[r->row_at[is->active[i]]]];
    is->u[i] = is->kept[i];
  }
  if (ok) sim_rows_sizes(s, is->lambda, s->w.size);
  for (int z = 0; z < s->a->nz; z++) {
    if (s->w.size[z] == 0) continue;
    s->w.size[z] += fabs(s->now.z[z]);
    if (sim_is_at_rest(s->w.z1[z], s->w.size[z])) s->w.z1[z] = 0;
    if (z < s->a->nown) s->w.q1[z] = s->now.q[z] + (share * s->w.z1[z] + (s->n.h - share) * s->now.z[z]);
  }
  if (s->a->on.kinematics.n > 0) sim_move_mean(s, s->now.q, share, s->w.z1, s->n.h - share, s->now.z, s->w.q1);
  return ok;
}

// t, q: where the laws hold. size [nz]: of the terms of the velocities that impulses act on, 0 for the others; it is 0
// afterwards. Contacts of shapes press on each other in more points than bodies have freedoms: no correction is found,
// and touching/rest.c keeps at rest what rests.
void sim_refine(nsm_sim *s, double t, const double *q, double share) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  int rows = s->touching || s->a->m->place_at ? 0 : s->a->on.contact.n + s->a->on.constraint.n + s->a->on.friction.n;
  for (int i = 0; rows > 0 && i < REFINEMENTS && rates_left(s, t, q) > 0 && correct(s, share); i++) continue;
  long touched = 0;
  for (int i = 0; !r->whole && i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    touched += r->x0[row + 1] - r->x0[row];
  }
  if (s->a->iterates || r->whole || touched > s->a->nz / FEW) {
    memset(s->w.size, 0, (size_t)s->a->nz * sizeof(double));
    return;
  }
  for (int i = 0; i < is->nactive; i++) {                 // only there impulses acted
    int row = r->row_at[is->active[i]];
    for (int e = r->x0[row]; e < r->x0[row + 1]; e++) s->w.size[r->xz[e]] = 0;
  }
}
