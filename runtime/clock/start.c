// Initial values that the model's own laws do not allow: one rule for all schemes (docs/language.md 16.8).
//
//   constraints, on positions and on velocities: within 1e-13 of their terms they hold; within 1e-6 the values are
//     moved onto them, with a note; further off the run is refused, or moved where --project-start asks for it
//   drives, which prescribe a rate H v + w = 0 with w of their own (a motor, a point that is led): where nothing moves
//     along them at the start, H v = 0, the velocities are moved onto them, with a note
//   relations that no multiplier reaches at once (dy/dlambda = 0) and that no multiplier of theirs can meet, as x >= 0
//     perp u where x = -1: within 1e-6 they hold; further off likewise
//   contacts that somebody holds closed (sim_analysis.held) are constraints here
//   contacts inside of their obstacle: within 1e-6 nothing is said, within 1e-3, a rounded value, the contact counts as
//     closed and stays that far in, with a note; deeper the run is refused, or moved out
//
// What is off by at most 1e-9 in its own unit is never refused: terms that are all but zero are no measure.
//
// Moved is by the smallest change in the mass metric (states: each by itself) that meets all rows together:
//
//   dq = M^-1 H^T mu,   0 <= g + H dq _|_ mu >= 0  (equations: mu free),  repeated;   velocities likewise          (14)
#include "clock.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, MOST_NUMBERS = 1 << 27 };
// Of the terms of a row: what counts as met; what is projected with a note; the aim of the projection, and what it says
// nothing about.
static const double holds = 1e-13, projected = 1e-6, met = 1e-12, tiny = 1e-9, silent = 1e-15;

typedef struct offence { double relative, value; int row; } offence;

// The rows of one level, their values, how far off and which way they may be.
typedef struct level {
  int     velocity, contacts, n;        // contacts: they are moved too
  int    *row;                          // [n]
  unsigned char *equation, *taken;      // [n] value = 0, else value >= 0; takes part in (14)
  unsigned char *drive;                 // [n] nothing moves along it yet, and its own w asks for a rate
  double *value, *size;                 // [n] gap, rate or output; of its terms
} level;

// ---- which rows -----------------------------------------------------------------------------------------------------
// Does a relation read multipliers, or velocities?
static int reads(const sim_class *k, int wrt) {
  for (int e = 0; e < k->c->h.n; e++)
    if (k->c->h.wrt[e] == wrt) return 1;
  return 0;
}

// Can the multiplier of a diode meet its law at once by an impulse of charge? A battery, a diode and an empty capacitor
// in a ring start so, as behind a switch that closes: the multiplier moves a state that is in the law, to where y >= 0.
static int meets_by_impulse(const nsm_sim *s, const sim_class *k, int i) {
  const sim_rows *r = &s->n.r;
  int row = k->row0 + i;
  double sum = 0;
  if (!sim_is_network(s) || k->c->equation || k->c->row_type != NSM_ROW_NONNEG) return 0;
  for (int e = 0; e < k->c->h.n; e++) {
    if (k->c->h.wrt[e] != NSM_WRT_X) continue;
    int z = sim_z_of(s, k, i, k->c->h.col[e]);
    for (int b = r->b0[row]; b < r->b0[row + 1]; b++)
      if (r->bz[b] == z) sum += k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e] * r->b[b];
  }
  return sum > 0;
}

// Is row i of relation k within reach of the multipliers, or of unknowns without inertia, at once?
static int reached(const nsm_sim *s, const sim_class *k, int i) {
  for (int e = 0; e < k->c->h.n; e++) {
    if (k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e] == 0) continue;
    if (k->c->h.wrt[e] == NSM_WRT_L) return 1;
    if (k->c->h.wrt[e] == NSM_WRT_X && s->a->algebraic && s->a->algebraic[sim_z_of(s, k, i, k->c->h.col[e])]) return 1;
  }
  return meets_by_impulse(s, k, i);
}

static int belongs(const nsm_sim *s, const sim_class *k, int velocity) {
  switch (k->c->kind) {
  case NSM_CONSTRAINT: return velocity || !k->c->velocity_level;
  case NSM_CONTACT: return !velocity || s->a->held;
  case NSM_RELATION: return reads(k, NSM_WRT_V) == velocity && k->c->row_type != NSM_ROW_BOX && !k->c->equation;
  default: return 0;
  }
}

// Values and derivatives at the present state into r->y and k->h. Returns how many rows the level has.
static int evaluate(nsm_sim *s, int velocity) {
  sim_rows *r = &s->n.r;
  nsm_view v = sim_now(s);
  int n = 0;
  sim_touch_update(s, s->n.h);                             // places may have been moved
  SIM_EACH(s, row, k) {
    if (!belongs(s, k, velocity)) continue;
    if (k->c->h_stage != NSM_NONE) k->c->h_fn(&v, &k->tab, k->h);
    if (k->c->kind == NSM_RELATION) k->c->y_fn(&v, &k->tab, r->y + k->row0);
    else {
      k->c->gap_fn(&v, &k->tab, r->gap + k->row0, r->rate0 + k->row0);
      memcpy(r->y + k->row0, (velocity ? r->rate0 : r->gap) + k->row0, (size_t)k->tab.count * sizeof(double));
    }
    if (!velocity && k->c->kind != NSM_RELATION) sim_gap_terms(s, k, &v);
    for (int i = 0; i < k->tab.count; i++) n += k->c->kind != NSM_RELATION || !reached(s, k, i);
  }
  return n;
}

// The unknown of the level that entry e is with respect to, and its value; -1 for none.
static int unknown(const nsm_sim *s, const sim_class *k, int i, int e, int velocity, double *value) {
  int wrt = k->c->h.wrt[e], z;
  if (wrt == NSM_WRT_L || (k->c->kind == NSM_RELATION && (wrt == NSM_WRT_V) != velocity)) return -1;
  z = sim_z_of(s, k, i, k->c->h.col[e]);
  *value = velocity || wrt == NSM_WRT_X ? s->now.z[z] : s->now.q[z];
          // H of contacts and constraints is d rate/d v
  return z;
}

static void fill(nsm_sim *s, level *l) {
  const sim_rows *r = &s->n.r;
  int n = 0;
  SIM_EACH(s, row, k) {
    if (!belongs(s, k, l->velocity)) continue;
    for (int i = 0; i < k->tab.count; i++) {
      int held = s->a->held && s->a->held[k->row0 + i];
      if (k->c->kind == NSM_RELATION && reached(s, k, i)) continue;
      if (k->c->kind == NSM_CONTACT && l->velocity && !held) continue;
      double size = 0, moves = 0, x = 0, value = r->y[k->row0 + i];
      for (int e = 0; e < k->c->h.n; e++) {
        if (unknown(s, k, i, e, l->velocity, &x) < 0) continue;
        double part = k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e] * x;
        size += fabs(part);
        moves += part;
      }
      l->row[n] = k->row0 + i;
      l->value[n] = value;
      if (!l->velocity && k->c->kind != NSM_RELATION && (k->c->kind == NSM_CONTACT || size < fabs(value)))
        size = r->terms[k->row0 + i];
      l->size[n] = fmax(size, fabs(value));
      l->drive[n] = l->velocity && k->c->kind == NSM_CONSTRAINT && fabs(moves) <= projected * fabs(value);
      l->equation[n] = k->c->kind == NSM_CONSTRAINT || k->c->row_type == NSM_ROW_FREE || held;
      l->taken[n] |= l->equation[n] || (value < 0 && (l->contacts || k->c->kind != NSM_CONTACT));
      n++;
    }
  }
  l->n = n;
}

static int level_open(nsm_sim *s, level *l, int velocity, int contacts) {
  *l = (level){ .velocity = velocity, .contacts = contacts, .n = evaluate(s, velocity) };
  size_t n = (size_t)l->n + 1;
  l->row = calloc(n, sizeof *l->row);
  l->equation = calloc(n, 1);
  l->taken = calloc(n, 1);
  l->drive = calloc(n, 1);
  l->value = calloc(n, sizeof *l->value);
  l->size = calloc(n, sizeof *l->size);
  if (!l->row || !l->equation || !l->taken || !l->drive || !l->value || !l->size) return 0;
  fill(s, l);
  return 1;
}

static void level_close(level *l) {
  free(l->row);
  free(l->equation);
  free(l->taken);
  free(l->drive);
  free(l->value);
  free(l->size);
}

enum { OTHERS, CONTACTS, NO_DRIVES };                      // kinds of rows: all but contacts; of these no drives
// The worst row of those of a kind, relative to its terms.
static offence worst(const nsm_sim *s, const level *l, int kind) {
  offence o = { 0, 0, -1 };
  for (int i = 0; i < l->n; i++) {
    if (kind == NO_DRIVES && l->drive[i]) continue;
    double v = l->value[i], off = l->equation[i] ? fabs(v) : v < 0 ? -v : isnan(v) ? v : 0,
           x = off == 0 ? 0 : off / l->size[i];
    if (off <= tiny) x = fmin(x, projected);
    int contact = s->a->cls[s->n.r.cls[l->row[i]]].c->kind == NSM_CONTACT && !l->equation[i];
    if (contact != (kind == CONTACTS)) continue;
    if (!(x <= o.relative)) o = (offence){ x, v, l->row[i] };
  }
  return o;
}

// ---- (14) -----------------------------------------------------------------------------------------------------------
// Row i of H over all z.
static void derivative(const nsm_sim *s, const level *l, int i, double *h) {
  const sim_class *k = &s->a->cls[s->n.r.cls[l->row[i]]];
  int instance = l->row[i] - k->row0;
  double x;
  for (int e = 0; e < k->c->h.n; e++) {
    int z = unknown(s, k, instance, e, l->velocity, &x);
    if (z >= 0) h[z] += k->h[(size_t)instance * (size_t)k->c->h.n + (size_t)e];
  }
}

// mu of (14) for the n rows of H, values q; X = M^-1 H^T by rows. 0 where the rows cannot be met.
static int forces(nsm_sim *s, const level *l, const int *of, size_t n, const double *H, double *X, double *mu) {
  size_t nz = (size_t)s->a->nz, bytes = nsm_cone_workspace_size((int)n, n * n, (int)n);
  double *G = calloc(n * n, sizeof *G), *vector = calloc(4 * n, sizeof *vector);
  void *work = malloc(bytes);
  int ok = G && vector && work;
  double *q = vector, *lo = vector + n, *hi = vector + 2 * n, *u = vector + 3 * n;
  for (size_t i = 0; ok && i < n; i++) {
    memcpy(X + i * nz, H + i * nz, nz * sizeof *X);
    sim_mass_solve(s, X + i * nz);
    for (size_t j = 0; j < n; j++)
      for (size_t z = 0; z < nz; z++) G[j + i * n] += H[j * nz + z] * X[i * nz + z];
    q[i] = l->value[of[i]];
    lo[i] = l->equation[of[i]] ? -INFINITY : 0;
    hi[i] = INFINITY;
  }
  if (ok) {
    nsm_cone_workspace_init(work, bytes);
    nsm_cone_problem p = { .m = (int)n, .M = G, .q = q, .lo = lo, .hi = hi };
    nsm_cone_options o = { .tolerance = 0 };
    nsm_cone_result result;
    ok = nsm_cone_solve(&p, &o, work, mu, u, &result) == NSM_CONE_SOLVED;
  }
  free(G);
  free(vector);
  free(work);
  return ok;
}

// One correction; 0 where the rows cannot be met, or are too many.
static int correct(nsm_sim *s, const level *l) {
  size_t n = 0, nz = (size_t)s->a->nz;
  int *of = calloc((size_t)l->n + 1, sizeof *of);
  for (int i = 0; of && i < l->n; i++)
    if (l->taken[i]) of[n++] = i;
  int ok = of && n > 0 && n * (n + 2 * nz) < MOST_NUMBERS;
  double *H = ok ? calloc(n * nz, sizeof *H) : NULL, *X = ok ? calloc(n * nz, sizeof *X) : NULL,
         *mu = ok ? calloc(n, sizeof *mu) : NULL;
  ok = ok && H && X && mu;
  for (size_t i = 0; ok && i < n; i++) derivative(s, l, of[i], H + i * nz);
  ok = ok && forces(s, l, of, n, H, X, mu);
  int others = s->a->on.kinematics.n > 0;
  if (others) memset(s->w.way, 0, (size_t)s->a->nv * sizeof(double));
  for (size_t i = 0; ok && i < n; i++)
    for (size_t z = 0; z < nz; z++) {
      int speed = l->velocity || (int)z >= s->a->nv;
      double d = X[i * nz + z] * mu[i];
      if (speed) s->now.z[z] += d;
      else if ((int)z < s->a->nown) s->now.q[z] += d;
      if (!speed && others) s->w.way[z] += d;
    }
  if (others) {
    memcpy(s->w.qm, s->now.q, (size_t)s->a->nq * sizeof(double));
    sim_move_positions(s, s->w.qm, s->w.way, s->now.q);
  }
  free(of);
  free(H);
  free(X);
  free(mu);
  return ok;
}

// ---- the rule -------------------------------------------------------------------------------------------------------
static const char *what(const nsm_sim *s, int row, int velocity) {
  int kind = s->a->cls[s->n.r.cls[row]].c->kind;
  return kind == NSM_RELATION ? "output" : velocity ? "rate" : "gap";
}

static int refuse(nsm_sim *s, offence o, int velocity, int project, nsm_error *e) {
  char name[256];
  int kind = s->a->cls[s->n.r.cls[o.row]].c->kind;
  sim_row_name(s, o.row, name, sizeof name);
  char loop[512];
  const sim_rows *r = &s->n.r;
  int own = kind == NSM_RELATION && r->b0[o.row] == r->b0[o.row + 1] && r->d0[o.row] == r->d0[o.row + 1];
  int unlimited = own ? sim_unlimited_loop(s, &o.row, (double[]){ 1 }, 1, loop, sizeof loop) : 0;
  if (unlimited) {
    sim_fail_at(e, NSM_FAILED, sim_at_row(s, o.row),
                unlimited == SIM_NO_WAY
                    ? "%s: %s would carry %.6g A at the start, which it blocks; put a resistor or a capacitor across it"
                    : "%s: %s has %.6g V against it at the start, and its current would be infinite; put a resistor or "
                      "a coil into the loop", loop, name, o.value);
    return 0;
  }
  sim_fail_at(e, NSM_FAILED, sim_at_row(s, o.row),
              "line %d: the initial %s violate %s: the %s is %.6g, relative %.3g; %s",
                  s->a->cls[s->n.r.cls[o.row]].c->line,
              velocity                ? "velocities"
              : kind == NSM_RELATION  ? "values"
                                      : "positions",
              name, what(s, o.row, velocity), o.value, o.relative,
              project || o.relative <= projected ? "it cannot be met together with the others"
              : kind == NSM_CONTACT
                ? "a gap is positive where the contact is open; at most 1e-03 counts as rounded; --project-start moves "
                  "it out, or project_start in `simulate`"
                : "at most 1e-06 is mended; --project-start moves them there, or project_start in `simulate`");
  return 0;
}

static void note_of(nsm_sim *s, const char *format, const char *name, offence o) {
  size_t used = strlen(s->a->note);
  if (used > 0) used += (size_t)snprintf(s->a->note + used, sizeof s->a->note - used, "; ");
  if (used < sizeof s->a->note) snprintf(s->a->note + used, sizeof s->a->note - used, format, name, o.relative,
                                         o.value);
}

static void note(nsm_sim *s, const char *format, offence o) {
  char name[256];
  sim_row_name(s, o.row, name, sizeof name);
  note_of(s, format, name, o);
}

static int mend(nsm_sim *s, level *l, int project, nsm_error *e) {
  offence row = worst(s, l, OTHERS), contact = worst(s, l, CONTACTS), first = row, said = worst(s, l, NO_DRIVES);
  if (!(said.relative <= projected) && !project) return refuse(s, said, l->velocity, project, e);
  int driven = !project && said.row != row.row && row.relative > projected;
  if (!(contact.relative <= sim_rounded_depth) && !project) return refuse(s, contact, l->velocity, project, e);
  if (contact.relative > projected && !project)
    note(s, "%s starts inside of the obstacle, %.2g of its terms, at gap %.6g: it counts as closed and stays that far "
         "in",
         contact);
  if (project && contact.relative > projected && contact.relative > row.relative) first = contact;
  if (row.relative <= holds && !(project && contact.relative > projected)) return 1;
  double before = INFINITY, was = INFINITY, off = fmax(row.relative, project ? contact.relative : 0);
  for (int it = 0; it < ROUNDS && off > 0 && (off < 0.5 * before || fabs(row.value) < 0.5 * was); it++) {
    before = off;
    was = fabs(row.value);              // where its terms are all but zero, as of a crank that lies flat
    if (!correct(s, l)) break;
    evaluate(s, l->velocity);
    fill(s, l);
    row = worst(s, l, OTHERS);
    contact = worst(s, l, CONTACTS);
    off = fmax(row.relative, project ? contact.relative : 0);
  }
  if (row.relative > met && fabs(row.value) > tiny) return refuse(s, row, l->velocity, 1, e);
  if (project && contact.relative > projected) return refuse(s, contact, l->velocity, 1, e);
  if (driven) note(s, "%s drives from the first instant on: the velocities of the start were moved to fit it", first);
  else if (fabs(first.value) > silent)
    note(s, "the initial values were moved onto the constraints; %s was off by %.2g (relative)", first);
  return 1;
}

// The length of a quaternion that is given: brought to 1 where it was rounded, else refused.
static int turn_holds(nsm_sim *s, const sim_class *k, int i, nsm_error *e) {
  const int *index = k->tab.ix + (size_t)i * (size_t)k->c->nslot;
  double square = 0;
  int at = -1, c = 0;
  for (int slot = 0; slot < k->c->nslot; slot++)
    if (k->c->slot[slot] == NSM_SLOT_POSITION) {
      at = index[slot];
      square += s->now.q[at] * s->now.q[at];
    }
  double off = fabs(sqrt(square) - 1);
  for (int slot = 0; off > holds && off <= projected && slot < k->c->nslot; slot++)
    if (k->c->slot[slot] == NSM_SLOT_POSITION) s->now.q[index[slot]] /= sqrt(square);
  if (off <= projected) return 1;
  while (c < s->a->nshown - 1 && s->a->shown[c] != at) c++;
  sim_fail(e, NSM_FAILED,
           "the initial attitude with %s = %.6g is no rotation: its quaternion has the length %.6g, not 1",
           nsm_column_name(s, 1 + s->a->nx + c), s->now.q[at], sqrt(square));
  return 0;
}

int sim_turns_hold(nsm_sim *s, nsm_error *e) {
  SIM_EACH(s, kinematics, k)
    for (int i = 0; i < k->tab.count && !k->c->remembers; i++)
      if (!turn_holds(s, k, i, e)) return 0;
  return 1;
}

int sim_mend(nsm_sim *s, int project, nsm_error *e) {
  for (int velocity = 0; velocity < 2; velocity++) {
    level l;
    int ok = level_open(s, &l, velocity, project);
    if (!ok) sim_no_memory(e, "the initial values");
    else if (l.n > 0) ok = mend(s, &l, project, e);
    level_close(&l);
    if (!ok) return 0;
  }
  return 1;
}

// The same of equations that hold for unknowns without inertia, where none of these is in them: instance i of class
// `cls`, -1: all hold. *off: by how much, of their terms.
static int jump_of_unknowns(nsm_sim *s, int *cls, double *off, double *by) {
  nsm_view v = sim_now(s);
  double *f = s->w.f;
  int at = -1;
  if (s->a->algebraic) SIM_EACH(s, smooth, k) {
    const nsm_pattern *p = &k->c->jac;
    if (!k->c->at_end || k->c->g_stage != NSM_NONE) continue;
    memcpy(f, s->n.f_constant, (size_t)s->a->nz * sizeof(double));
    if (k->c->f_stage > NSM_EVENT) k->c->f_fn(&v, &k->tab, f, f + s->a->nv);
    if (k->c->jac_stage > NSM_EVENT) k->c->jac_fn(&v, &k->tab, k->jac);
    for (int i = 0; i < k->tab.count; i++) {
      int z = sim_z_of(s, k, i, k->c->at_end - 1), open = 0;
      double size = fabs(f[z]);
      for (int e = 0; e < p->n; e++) {
        double d = k->jac[(size_t)i * (size_t)p->n + (size_t)e];
        int col = sim_z_of(s, k, i, p->col[e]);
        open |= d != 0 && (p->wrt[e] != NSM_WRT_X || s->a->algebraic[col]);
        size = fmax(size, fabs(d * s->now.z[col]));
      }
      if (open || !(fabs(f[z]) > tiny && fabs(f[z]) > *off * size)) continue;
      *off = fabs(f[z]) / size;
      *by = f[z];
      *cls = (int)(k - s->a->cls);
      at = i;
    }
  }
  return at;
}

// Loops of capacitors and sources, cut sets of coils: equations between states alone, which the first step meets by a
// jump (docs/numerics/circuits.md, section 4). The one that is off most is told of.
static void note_jumps(nsm_sim *s) {
  nsm_view v = sim_now(s);
  offence most = { projected, 0, -1 };
  SIM_EACH(s, relation, k) {
    if (!k->c->equation) continue;
    if (k->c->h_stage != NSM_NONE) k->c->h_fn(&v, &k->tab, k->h);
    k->c->y_fn(&v, &k->tab, s->n.r.y + k->row0);
    for (int i = 0; i < k->tab.count; i++) {
      double value = s->n.r.y[k->row0 + i], size = fabs(value);
      if (reached(s, k, i)) continue;
      for (int e = 0; e < k->c->h.n; e++) {
        double x;
        for (int velocity = 0; velocity < 2; velocity++)
          if (unknown(s, k, i, e, velocity, &x) >= 0)
            size = fmax(size, fabs(k->h[(size_t)i*(size_t)k->c->h.n + (size_t)e]*x));
      }
      if (fabs(value) > tiny && fabs(value) > most.relative*size)
        most = (offence){ fabs(value)/size, value, k->row0 + i };
    }
  }
  char name[256];
  int cls = -1, i = jump_of_unknowns(s, &cls, &most.relative, &most.value);
  if (i >= 0) sim_instance_name(s, cls, i, name, sizeof name);
  else if (most.row >= 0) sim_row_name(s, most.row, name, sizeof name);
  if ((i >= 0 || most.row >= 0) && strncmp(name, "node ", 5) == 0)
    note_of(s, "the flows at %s do not add up to zero at the start (%.2g of them, %.6g, has no way on): the first step "
               "jumps there, and what flowed is lost", name, most);
  else if (i >= 0 || most.row >= 0)
    note_of(s, "%s does not hold at the start (%.2g of its terms, by %.6g): the first step jumps there", name, most);
}

int sim_start(nsm_sim *s, int project, nsm_error *e) {
  if (s->a->on.relation.n > 0 && sim_is_network(s)) sim_rows_outer(s, 1);
  if (!sim_mend(s, project, e)) return 0;
  note_jumps(s);
  memcpy(s->a->q_start, s->now.q, (size_t)s->a->nq * sizeof(double));
  memcpy(s->a->z_start, s->now.z, (size_t)s->a->nz * sizeof(double));
  s->a->start_held = 1;
  return 1;
}
