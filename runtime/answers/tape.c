// What is recorded of a run (tape.h).
#include "play.h"
#include "tape_two_points.h"
#include "runtime/schemes/consistent.h"
#include "runtime/schemes/galerkin.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64 };
static const double near_nothing = 1e-12;       // beside the largest: a force, or a rate, that is as good as 0

// ---- memory ---------------------------------------------------------------------------------------------------------
static const double *kept(tape *t, const double *x, size_t n) {
  double *to = tape_take(t, (n + 1) * sizeof *to);
  return to && n > 0 ? memcpy(to, x, n * sizeof *to) : to;
}

static const nsm_place nowhere = { NSM_AT_NOTHING, 0, 0 };

nsm_code tape_refused(const tape *t, nsm_error *e) {
  sim_fail_at(e, NSM_USAGE, t->place, "%s", t->refused);
  return NSM_USAGE;
}

void tape_refuse(tape *t, nsm_place at, const char *format, ...) {
  va_list list;
  if (*t->refused) return;
  t->place = at;
  va_start(list, format);
  vsnprintf(t->refused, sizeof t->refused, format, list);
  va_end(list);
}

// ---- what ends a piece ----------------------------------------------------------------------------------------------
static int same_time(const nsm_sim *s, double a, double b) { return fabs(a - b) <= 2 * sim_time_round_off(s, b); }

static double instant(const nsm_sim *s, const sim_event *v, int i) {
  const sim_class *k = &s->a->cls[v->cls];
  const double *num = k->tab.num + (size_t)i * (size_t)k->c->nnum;
  return s->a->start + num[1] + s->now.instant[v->base + i] * num[0];
}

static int at_instant(const nsm_sim *s, double t1, tape_entry *e) {
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    for (int i = 0; v->timed && i < v->n; i++) {
      if (!same_time(s, instant(s, v, i), t1)) continue;
      e->end = TAPE_EVERY;
      e->cls = v->cls;
      e->instance = i;
      e->number = (long)s->now.instant[v->base + i];
      return 1;
    }
  }
  return 0;
}

// A condition whose truth changes at t1: of time alone a little behind it.
static int at_condition(nsm_sim *s, double t1, int by_time, tape_entry *e) {
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    if (v->timed || v->crossing < 0 || v->by_time != by_time) continue;
    double at = by_time && v->instant ? t1 + sim_instant_tolerance(s, t1) : t1;
    nsm_view view = sim_view(s, at, s->w.q1, s->w.z1, s->w.l1);
    const sim_class *k = &s->a->cls[v->cls];
    for (int i = 0; i < v->n; i++) {
      nsm_table one = sim_part(k, i, 1);
      double truth;
      k->c->out_fn(&view, &one, &truth);
      if (truth == 0 || s->now.was[v->base + i] != SIM_ARMED) continue;
      e->end = by_time ? TAPE_BY_TIME : TAPE_WHEN;
      e->cls = v->crossing;
      e->instance = i;
      return 1;
    }
  }
  return 0;
}

static void set_ends(tape *t, tape_entry *e) {
  nsm_sim *s = t->s;
  unsigned char *struck = NULL;
  const struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  int told = 0;                                            // else: those beyond their ends behind the last trial
  for (int row = 0; row < r->n; row++) told |= w->hit[row];
  for (int row = 0; row < r->n; row++) {
    if (!(told ? w->hit[row] : w->high[row] < 0)) continue;
    if (e->hits++ > 0) {
      if (!struck && (struck = tape_take(t, (size_t)r->n))) {
        memset(struck, 0, (size_t)r->n);
        struck[e->row] = (unsigned char)(1 + e->set);
      }
      if (struck) struck[row] = (unsigned char)(1 + s->now.set[row]);
      continue;
    }
    e->end = TAPE_SET;
    e->row = row;
    e->set = s->now.set[row];
    // sticking that ends in a trial that slides at its end has ended by its mean force
    int slides = e->set == SIM_STICKS && !(s->n.con ? tape_rests(s, row) : sim_sticks(s, row));
    e->plain = !s->n.radau && (s->now.doubt[row] || slides);
    e->ground = tape_ground(s, row);
    double l = s->w.l1[r->l[row]];
    e->side = e->set == SIM_INSIDE ? r->hi[row] - l < l - r->lo[row] : e->set == SIM_HIGH;
  }
  e->struck = struck;
}

static void find_end(tape *t, double t1, tape_entry *e) {
  nsm_sim *s = t->s;
  int captured = s->located && !s->n.radau && s->located->capture;
  e->end = TAPE_CLOCK;
  e->number = s->now.tick + 1;
  if (s->located && !captured && s->located->events && !s->w.at_event) set_ends(t, e);
  if (e->end == TAPE_SET) return;
  if (s->w.at_event && at_condition(s, t1, 0, e)) return;
  if (at_instant(s, t1, e) || at_condition(s, t1, 1, e)) return;
  if (s->located && s->located->shortened) { e->end = TAPE_SHORT; return; }
  double clock = nsm_time_of_step(s, s->now.tick + 1);
  if (t->asks || !same_time(s, clock, t1)) e->end = TAPE_ASKED;
}

// ---- laws of the rows -----------------------------------------------------------------------------------------------
static tape_law of_relation(const nsm_sim *s, int row, int impact) {
  const sim_rows *r = &s->n.r;
  double l = s->w.l1[r->l[row]], lo = r->lo[row], hi = r->hi[row];
  if (impact) return TAPE_KEPT;
  int watched = 0;
  for (int i = 0; s->located && !s->n.radau && i < s->located->nrelation; i++)
    watched |= s->located->relation[i] == row && !s->a->cls[r->cls[row]].lasts;
  if (watched && !s->located->capture && s->now.sets_known == 1)
    return s->now.set[row] == SIM_LOW ? TAPE_LOW : s->now.set[row] == SIM_HIGH ? TAPE_HIGH : TAPE_INSIDE;
  return l <= lo ? TAPE_LOW : l >= hi ? TAPE_HIGH : TAPE_INSIDE;
}

// What sticks when a block has moved the ground under it is let go in a piece of no length.
static int no_length(const nsm_sim *s) { return s->n.h <= 2 * sim_time_round_off(s, s->now.t); }

static tape_law of_friction(const nsm_sim *s, int row, int impact, const unsigned char *law) {
  const sim_rows *r = &s->n.r;
  const sim_friction *f = &r->friction[r->friction_of[row]];
  sim_disk part[2];
  int parts = sim_friction_parts(f, part), at = 0;
  if (!r->active[row] || (impact && f->normals == 0 && s->n.con)) return TAPE_NONE;
  if (f->normals == 1 && f->type != NSM_CONE_GRIP && law[f->normal[0]] == TAPE_NONE) return TAPE_NONE;
  while (f->row[at] != row) at++;
  int head = f->row[part[parts == 2 && at >= part[1].first].first];
  int slides = impact || no_length(s) || !s->located || s->located->capture || s->now.sets_known != 1
                   ? !sim_sticks(s, head)
                   : s->now.set[head] == SIM_SLIPS_ON;
  int e = r->e[row] != 0;
  if (!impact && e && s->located && !s->located->capture && s->now.sets_known == 1) return TAPE_SLIDES_MEAN;
  return slides ? (e ? TAPE_SLIDES_E : TAPE_SLIDES) : e ? TAPE_RATE_E : TAPE_RATE;
}

static int most_pressed(const nsm_sim *s) {
  int at = 0;
  for (int l = 1; l < s->a->nl; l++) if (fabs(s->w.l1[l]) > fabs(s->w.l1[at])) at = l;
  return at;
}

static tape_law of_contact(const nsm_sim *s, int row, const tape_entry *e) {
  const sim_rows *r = &s->n.r;
  double p = s->w.l1[r->l[row]];
  int ends = e->end == TAPE_SET && s->located && s->located->hit[row] && s->now.set[row] == SIM_CLOSED;
  int held = p < -near_nothing * fabs(s->w.l1[most_pressed(s)]);       // what would be back at once is not lifted
  if (!r->active[row] || !(p > 0 || held || r->lo[row] < 0 || (ends && e->kind == TAPE_PIECE))) return TAPE_NONE;
  return r->e[row] != 0 ? TAPE_RATE_E : TAPE_RATE;
}

// Forces and rates that are both as good as 0: either branch of the law may be the one of a neighbouring run.
static int weak_rows(const nsm_sim *s, const unsigned char *law) {
  const sim_rows *r = &s->n.r;
  double most = 0;
  int weak = 0;
  for (int row = 0; row < r->n; row++) most = fmax(most, fabs(s->w.l1[r->l[row]]));
  for (int row = 0; row < r->n; row++)
    weak += s->a->cls[r->cls[row]].c->kind == NSM_CONTACT && law[row] == TAPE_RATE && r->lo[row] == 0 &&
            s->w.l1[r->l[row]] <= near_nothing * most && s->n.h > 0;
  return weak;
}

// Laws of the impact, of the motion and of the end are not the same with friction, nor where a step is captured.
static void take_two_points(tape *t, tape_entry *e, unsigned char *law) {
  nsm_sim *s = t->s;
  size_t n = (size_t)s->n.r.n;
  double *room = malloc(2 * n * sizeof *room);
  unsigned char *struck = tape_take(t, n), *end = tape_take(t, n);
  if (!room || !struck || !end) t->failed = 1;
  else if (tape_two_points_laws(s, e->t + e->h, room, law, struck, end)) e->end_law = end;
  e->impact_law = struck;
  free(room);
}

// What a piece of a higher order keeps, and what slides in it, or before it in what sim_instant_settle does.
static void of_polynomials(tape *t, int settles, unsigned char *law) {
  nsm_sim *s = t->s;
  const struct sim_galerkin *g = s->n.galerkin;
  for (int row = 0; row < s->n.r.n; row++) law[row] = g->in.of[row] >= 0 ? TAPE_RATE : TAPE_NONE;
  SIM_EACH_PART(s, p)
    for (int d = 0; d < p.disk->n && g->slides[p.block] & (1 << p.at); d++)
      if (!settles || s->n.r.friction[p.block].normals > 0) law[p.row[d]] = settles ? TAPE_SLIDES_ON : TAPE_SLIDES;
  if (settles) SIM_EACH_PART(s, p) {
    double along[SIM_SLIPS], slip;
    if (law[p.row[0]] != TAPE_SLIDES_ON) continue;
    if (!g->in.singular && sim_slide_along(s, p.disk, p.row, g->in.rate, along, &slip)) continue;
    tape_refuse(t, sim_at_row(s, p.row[0]), "E0772: at t = %.10g s an impact lifts closed contacts, and the friction "
                "of what holds them down %s: that has no derivative", s->now.t,
                g->in.singular ? "is not unique" : "is that of a slip that begins");
  }
}

static void take_laws(tape *t, tape_entry *e) {
  nsm_sim *s = t->s;
  const sim_rows *r = &s->n.r;
  int impact = e->kind == TAPE_IMPACT;
  unsigned char *law = tape_take(t, (size_t)r->n + 1);
  if (!law) return;
  e->law = law;
  int settles = impact && s->n.con && s->n.con->settles;
  if (e->polynomials || settles) { of_polynomials(t, settles, law); return; }
  for (int row = 0; row < r->n; row++) {
    int kind = s->a->cls[r->cls[row]].c->kind;
    law[row] = (unsigned char)(kind == NSM_RELATION     ? e->let_go ? TAPE_KEPT : of_relation(s, row, impact)
                               : kind == NSM_CONSTRAINT ? (sim_is_implied(s, row) ? TAPE_NONE : TAPE_RATE)
                               : kind == NSM_CONTACT    ? of_contact(s, row, e)
                                                        : TAPE_NONE);
  }
  for (int row = 0; row < r->n; row++)
    if (s->a->cls[r->cls[row]].c->kind == NSM_FRICTION) law[row] = (unsigned char)of_friction(s, row, impact, law);
  if (s->n.con && (con_settles(s) || e->captured) && !impact) take_two_points(t, e, law);
  e->weak = weak_rows(s, law);
}

// ---- what has no derivative -----------------------------------------------------------------------------------------
static void look_at_capturing(tape *t, const tape_entry *e) {
  nsm_sim *s = t->s;
  const sim_rows *r = &s->n.r;
  char name[256];
  if (r->law) {
    tape_refuse(t, sim_at_row(s, 0), "E0772: a law of impact whose derivative is not made; newton(e) has one");
    return;
  }
  for (int row = 0; !s->a->located && row < r->n; row++) {
    const sim_class *k = &s->a->cls[r->cls[row]];
    int switches = k->c->kind == NSM_RELATION && r->d0[row] == r->d0[row + 1] && r->lo[row] < r->hi[row];
    if (k->c->kind != NSM_CONTACT && k->c->kind != NSM_FRICTION && !switches) continue;
    if (!switches && e->law[row] == TAPE_NONE) continue;
    sim_row_name(s, row, name, sizeof name);
    tape_refuse(t, sim_at_row(s, row),
                "E0771: %s acts at t = %.10g s, and its events are moved to the ends of steps: the derivative of such "
                "a run does not tend to that of the motion, however small the step; --located on", name, s->now.t);
    return;
  }
}

// ---- the hooks ------------------------------------------------------------------------------------------------------
static void take_weights(tape *t, tape_entry *e) {
  nsm_sim *s = t->s;
  int n = s->a->m->nclass;
  if (!t->gamma || t->weighed != s->n.weighed) {
    double *gamma = tape_take(t, ((size_t)n + 1) * sizeof *gamma);
    for (int c = 0; c < n && gamma; c++) gamma[c] = s->a->cls[c].gamma;
    t->gamma = gamma;
    t->theta = s->n.theta ? kept(t, s->n.theta, (size_t)s->a->nz) : NULL;
    t->weighed = s->n.weighed;
  }
  e->gamma = t->gamma;
  e->theta = t->theta;
  e->weighed = t->weighed;
}

static void of_two_points(const nsm_sim *s, double *x) {
  const struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  int n = s->a->nv;
  double *uc = x + n + r->n, *impulse = uc + n, *kappa = impulse + r->n, *pi = kappa + r->n;
  double *ue = s->a->on.constraint.n > 0 ? pi + n : kappa, *force = ue + n;
  for (int i = 0; i < n; i++) {
    uc[i] = c->uc[i] + c->uc_low[i];
    pi[i] = s->n.h * (uc[i] + 0.5 * c->inc_u[i]) - c->inc_q[i];
  }
  for (int row = 0; row < r->n; row++) {
    impulse[row] = s->now.impulse[r->l[row]];
    kappa[row] = c->of[row] >= 0 ? c->kappa1[r->l[row]] : 0;
  }
  if (!con_settles(s)) return;
  for (int i = 0; i < n; i++) ue[i] = uc[i] + c->inc_u[i];
  for (int row = 0; row < r->n; row++) force[row] = s->now.force[r->l[row]];
}

// Those of polynomials.c; unknowns of an instant are there where a force ends the piece.
static const double *polynomials(tape *t, const tape_entry *e) {
  nsm_sim *s = t->s;
  const struct sim_galerkin *g = s->n.galerkin;
  int nv = s->a->nv, rows = s->n.r.n;
  double *x = tape_take(t, (size_t)play_polynomial_unknowns(s, NULL) * sizeof *x), *to = x;
  if (!x || t->failed) return NULL;
  memcpy(to, s->w.z1, (size_t)nv * sizeof *to);
  to += nv;
  for (int j = 0; j < g->t.s; j++)
    for (int part = IN_PLACES; part <= IN_KAPPAS; part++) {
      int places = part == IN_PLACES || part == IN_SPEEDS;
      for (int i = 0; places && i < nv; i++) *to++ = g->x[galerkin_at(s, j, part, i)];
      for (int row = 0; !places && row < rows; row++)
        if (e->law[row] == TAPE_RATE) *to++ = g->x[galerkin_at(s, j, part, g->in.of[row])];
    }
  if (nv > 0) memcpy(to, g->in.e, (size_t)nv * sizeof *to);
  for (int row = 0; row < rows; row++) to[nv + row] = g->in.force[s->n.r.l[row]];
  return x;
}

// Multipliers behind z.
static const double *solution(tape *t, int impact) {
  nsm_sim *s = t->s;
  const sim_rows *r = &s->n.r;
  double *x = tape_take(t, tape_solved(s) * sizeof *x);
  if (!x) return NULL;
  if (s->n.con && !impact) of_two_points(s, x);
  memcpy(x, s->w.z1, (size_t)s->a->nz * sizeof *x);
  for (int row = 0; row < r->n; row++) x[s->a->nz + row] = s->w.l1[r->l[row]];
  return x;
}

// The state at the begin, in the order of play.c.
static void take_begin(tape *t, tape_entry *e) {
  const nsm_sim *s = t->s;
  const double *from[] = { s->now.q, s->now.z, s->now.l, s->now.d };
  const int n[] = { s->a->nq, s->a->nz, s->a->nl, s->a->nd };
  double *to = tape_take(t, (size_t)(n[0] + n[1] + n[2] + n[3] + 1) * sizeof *to);
  e->begin = to;
  for (int i = 0; to && i < 4; to += n[i++]) if (n[i] > 0) memcpy(to, from[i], (size_t)n[i] * sizeof *to);
}

static void take_sets(tape *t, tape_entry *e) {
  struct sim_radau *w = t->s->n.radau;
  unsigned char *law = tape_take(t, (size_t)t->s->n.r.n + 1);
  for (int row = 0; law && row < t->s->n.r.n; row++) {
    int set = t->s->now.set[row];
    law[row] = set == SIM_LOW ? TAPE_LOW : set == SIM_HIGH ? TAPE_HIGH : TAPE_INSIDE;
  }
  e->law = law;
  e->free = w->now ? w->now->free : 0;
  if (e->free == 0) return;
  e->U = kept(t, w->now->U, (size_t)w->n * (size_t)e->free);
  e->X = kept(t, w->now->X, (size_t)w->n * (size_t)e->free);
}

static void stages(tape *t, tape_entry *e) {
  struct sim_radau *w = t->s->n.radau;
  size_t n = (size_t)w->n;
  double *x = tape_take(t, (size_t)w->m.s * n * sizeof *x);
  if (!x) return;
  for (int i = 0; i < w->m.s; i++) memcpy(x + (size_t)i * n, w->Z[i], n * sizeof *x);
  e->solution = x;
  take_sets(t, e);
}

// The begin of the piece at hand is one that its sets have moved the states to, or, at an event, unknowns and
// multipliers.
static void jump(tape *t, int unknowns) {
  struct sim_radau *w = t->s->n.radau;
  tape_entry *e = w->now && (w->now->index2 == 1 || unknowns) ? tape_add(t, TAPE_JUMP) : NULL;
  double *x = e ? tape_take(t, (size_t)w->n * sizeof *x) : NULL;
  if (!x) return;
  memcpy(x, t->s->now.z, (size_t)w->nz * sizeof *x);
  memcpy(x + w->nz, t->s->now.l, (size_t)w->nl * sizeof *x);
  e->solution = x;
  take_sets(t, e);
}

// A multiplier that has gone to a bound, or left it, within a step: where it jumps the derivative is not that of the
// motion.
static void look_at_switches(tape *t, const tape_entry *e) {
  nsm_sim *s = t->s;
  const sim_rows *r = &s->n.r;
  char name[256];
  for (int row = 0; t->before && !e->captured && row < r->n; row++) {
    if (s->a->cls[r->cls[row]].c->kind != NSM_RELATION || e->law[row] == t->laws[row]) continue;
    sim_row_name(s, row, name, sizeof name);
    tape_refuse(t, sim_at_row(s, row), "E0771: %s switches within the step that begins at t = %.10g s, and moreau "
                "does not locate it: the derivative would not be that of the motion; --scheme radau locates it where "
                "there are no velocities", name, s->now.t);
  }
  t->before = e->end == TAPE_CLOCK || e->end == TAPE_ASKED || e->end == TAPE_SHORT;
  if (t->before) memcpy(t->laws, e->law, (size_t)r->n);
}

// What presses friction there hangs on how constraints depend on each other, and that on the place.
static void look_at_shares(tape *t) {
  const nsm_sim *s = t->s;
  char name[256];
  int row = sim_pressed_row(s);
  if (row < 0) return;
  sim_row_name(s, row, name, sizeof name);
  tape_refuse(t, sim_at_row(s, row), "E0772: friction on %s, whose force other constraints share, has no derivative "
              "yet; a model without the constraints that others imply has", name);
}

// Is nothing but rows of the output between entry i and a block? What that has moved has not come there by itself.
static int behind_block(const tape *t, long i) {
  while (i >= 0 && (t->at[i].kind == TAPE_ROW || t->at[i].kind == TAPE_STOP)) i--;
  return i >= 0 && t->at[i].kind == TAPE_BLOCK;
}

static void piece(struct sim_tape *hook, nsm_sim *s, double t1) {
  tape *t = (tape *)hook;
  int impact = t1 == s->now.t && !s->n.radau, of_stages = s->n.radau && !s->w.euler;
  if (of_stages && t->news && !t->failed) jump(t, 0);
  look_at_shares(t);
  tape_entry *e = t->failed ? NULL : tape_add(t, impact ? TAPE_IMPACT : of_stages ? TAPE_STAGES : TAPE_PIECE);
  if (!e) return;
  e->h = impact ? 0 : of_stages ? s->n.radau->r : s->n.h;
  if (!impact) find_end(t, t1, e);
  if (!impact && e->h > 4 * sim_time_round_off(s, s->now.t)) {             // else it is what comes at once
    e->parts = t->parts;
    e->last = t->last;
  }
  int moved = e->set == SIM_STICKS || behind_block(t, t->n - 2);
  e->let_go = e->end == TAPE_SET && !of_stages && !impact && no_length(s) && moved;
  e->history = s->located && !s->n.radau ? s->now.set_h : 0;
  e->captured = s->w.euler || (s->located && s->located->capture);
  t->news = e->captured || e->end == TAPE_SET;
  take_begin(t, e);
  if (of_stages) {
    stages(t, e);
    return;
  }
  int known = !s->located || s->now.sets_known == 1;
  e->polynomials = s->n.galerkin && !impact && known && !s->w.euler ? s->a->stages : 0;
  take_laws(t, e);
  take_weights(t, e);
  e->solution = e->polynomials ? polynomials(t, e) : solution(t, impact);
  e->means = s->n.con && con_by_means(s);
  if (t->failed) return;
  if (s->n.r.nfriction > 0 && !impact && s->located && !s->located->capture && s->now.sets_known == 1)
    e->slide = kept(t, s->now.slide, (size_t)s->n.r.n);
  look_at_capturing(t, e);
  if (impact) t->before = 0;
  else look_at_switches(t, e);
  if (impact) tape_part_impacts(t);
}

// Sets end where the piece before has ended already: its end moves with them, by a piece of length 0. Of radau those
// after an event are found at its instant.
static void at_once(struct sim_tape *hook, nsm_sim *s) {
  tape *t = (tape *)hook;
  if (s->n.radau && !t->failed) {
    jump(t, s->a->algebraic || s->n.radau->nl > 0);
    t->news = 0;
  }
  tape_entry *e = t->failed || s->n.radau ? NULL : tape_add(t, TAPE_PIECE);
  if (!e) return;
  int moved = behind_block(t, t->n - 2);
  take_begin(t, e);
  double *x = tape_take(t, tape_solved(s) * sizeof *x);
  unsigned char *law = tape_take(t, (size_t)s->n.r.n + 1);
  if (!x || !law) return;
  memset(x, 0, tape_solved(s) * sizeof *x);
  memcpy(x, s->now.z, (size_t)s->a->nz * sizeof *x);
  if (s->n.con) memcpy(x + s->a->nz + s->n.r.n, s->now.z, (size_t)s->a->nv * sizeof *x);
  set_ends(t, e);
  e->let_go = moved || e->set == SIM_STICKS || e->set == SIM_CLOSED;       // what a force ends, which a moment has not
  for (int row = 0; row < s->n.r.n; row++)
    law[row] = s->a->cls[s->n.r.cls[row]].c->kind == NSM_RELATION ? TAPE_KEPT : TAPE_NONE;
  for (int row = 0; row < s->n.r.n; row++)
    if (law[row] == TAPE_KEPT) x[s->a->nz + row] = s->now.l[s->n.r.l[row]];
  e->law = law;
  e->solution = x;
  take_weights(t, e);
  e->at_once = 1;
  t->before = 0;
}

static void block(struct sim_tape *hook, nsm_sim *s, int number, int first, int n, double at) {
  tape *t = (tape *)hook;
  tape_entry *e = t->failed ? NULL : tape_add(t, TAPE_BLOCK);
  if (!e) return;
  e->block = number;
  e->instance = first;
  e->count = n;
  e->h = at - s->now.t;                                   // what time alone changes is looked at a little later
  t->before = 0;
  t->news = 1;
  if (s->a->event[number].laws)
    tape_refuse(t, sim_at_class(s->a->event[number].cls),
                "E0772: a block with relations of its own: its derivative is not made yet");
}

static void mended(struct sim_tape *hook, nsm_sim *s) {
  tape_refuse((tape *)hook, nowhere, "E0772: a reset at t = %.10g s beside constraints: its derivative is not made yet",
              s->now.t);
}

void tape_row(tape *t) { if (!t->failed) (void)tape_add(t, TAPE_ROW); }

void tape_stop(tape *t, long number) {
  tape_entry *e = t->failed ? NULL : tape_add(t, TAPE_STOP);
  if (e) e->number = number;
}

// ---- open, close ----------------------------------------------------------------------------------------------------
static void look_at_model(tape *t) {
  const nsm_sim *s = t->s;
  const char *scheme = s->a->scheme->name;
  int two = s->n.con && strcmp(scheme, "consistent") == 0;
  if (strcmp(scheme, "moreau") != 0 && strcmp(scheme, "radau") != 0 && !two)
    tape_refuse(t, nowhere, "E0772: runs of %s have no derivative yet: those of moreau, radau and consistent have; "
                "--scheme moreau", scheme);
  if (s->a->projects)
    tape_refuse(t, nowhere, "E0772: projections of places have no derivative yet; leave `projection` out");
  if (s->touching)
    tape_refuse(t, sim_at_class(s->a->given->nclass), "E0772: the gaps of these contacts of shapes are not "
                "written as formulas (docs/numerics/touching.md, 8), and so have no derivative");
  for (int c = 0; c < s->a->m->nclass; c++)
    for (int i = 0; s->a->cls[c].c->kind == NSM_DELAY && i < s->a->cls[c].tab.count; i++)
      if (play_reads_impulse(s, &s->a->cls[c], i))
        tape_refuse(t, sim_at_class(c), "E0772: what is delayed reads the impulse of a contact or constraint, which "
                    "has no derivative yet");
  if (t->jumps)
    tape_refuse(t, nowhere, "E0771: %s, and no step ends there: the derivative of such a run does not tend to that of "
                "the motion, however small the step; write it as an `if` of conditions with < or >, and --located on",
                t->jumps);
  if (s->n.radau && !s->a->located)
    tape_refuse(t, nowhere, "E0771: events are moved to the ends of steps: the derivative of such a run does not "
                "tend to that of the motion; --located on");
  for (int c = 0; c < s->a->m->nclass; c++)
    if (s->a->cls[c].recorded && s->a->cls[c].c->kind == NSM_RELATION && s->a->cls[c].tab.count > 0)
      tape_refuse(t, sim_at_class(c), "E0771: moreau does not locate the switches of this law, whose derivative would "
                  "be of first order alone; --scheme radau does where there are no velocities");
  for (int i = 0; i < s->n.r.nfriction; i++)
    if (s->n.r.friction[i].type == NSM_CONE_CONTENSOU_EXACT)
      tape_refuse(t, sim_at_row(s, s->n.r.friction[i].row[0]),
                  "E0772: Contensou's exact law has no derivative yet; contensou(mu, R) has");
}

tape *tape_open(nsm_sim *s, const char *jumps, nsm_error *e) {
  tape *t = calloc(1, sizeof *t);
  if (!t) { sim_no_memory(e, "a tape"); return NULL; }
  t->hook = (struct sim_tape){ piece, at_once, block, mended };
  t->s = s;
  t->jumps = jumps;
  t->news = 1;
  t->laws = calloc((size_t)s->n.r.n + 1, 1);
  if (!t->laws) { free(t); sim_no_memory(e, "a tape"); return NULL; }
  look_at_model(t);
  s->tape = &t->hook;
  return t;
}

void tape_close(tape *t) {
  if (!t) return;
  t->s->tape = NULL;
  for (tape_block *b = t->memory, *next; b; b = next) { next = b->next; free(b); }
  free(t->at);
  free(t->laws);
  free(t);
}

// What the next piece does not look back to.
int tape_full(const tape *t) { return t->n >= AT_ONCE && !behind_block(t, t->n - 1); }

double tape_bytes_of(const tape *t) { return t->bytes; }

void tape_again(tape *t) {
  tape_empty(t);
  t->before = t->asks = t->last = 0;
  t->parts = 0;
  t->news = 1;
  t->refused[0] = 0;
  look_at_model(t);
}

// The youngest block of memory is kept.
void tape_empty(tape *t) {
  for (tape_block *b = t->memory ? t->memory->next : NULL, *next; b; b = next) { next = b->next; free(b); }
  if (t->memory) { t->memory->next = NULL; t->memory->used = 0; }
  t->bytes = t->memory ? (double)t->memory->room : 0;
  t->theta = t->gamma = NULL;
  t->n = 0;
}
