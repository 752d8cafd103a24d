// Weights of what is coupled, docs/numerics/circuits.md, 4 and moreau.md, 7.
//
// All that unknowns without inertia, multipliers of relations and their rows couple has one weight: theta of f, and
// gamma of its multipliers and laws. With one weight w a step is implicit Euler's of length w h to t_k + w h, continued
// along its line, so a passive network stays passive; with two it need not, and what stands in one row belongs to two
// instants.
//
//   networks      theta where it is at least 1/2 and gamma is the same or not given; else 1. Laws with cases: as long
//                 as the sets are good (weights_sets.c), else 1, step by step. Unknowns without inertia: where each
//                 block of them is regular (unknowns.c) and no law with cases acts there.
//   other models  groups of states with relations whose D has entries: likewise, and with gamma as it is given where
//                 the step resolves what two instants in one row make; gamma that is not given is theta where it does
//                 not. Where D has none (relative degree 1) the law holds at the end of the step and its multiplier is
//                 the mean of the step: moreau.md, 7.
//   velocities    theta and gamma as they are given, beside a network too, and states with them where they are not
//                 stiff; unknowns without inertia with laws that act on velocities bring all of the model to 1.
#include "weights.h"
#include "runtime/move.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED = 300 };                   // rows that D couples: of more only those without an entry are singular
enum { FEW = 8 };                        // rows whose sets are all looked at
static const double singular = 1e-12;

// Gaussian elimination with row interchanges, each row by its largest entry first.
static int is_singular(double *d, int n) {
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(d[i * n + j]));
    if (!(most > 0)) return 1;
    for (int j = 0; j < n; j++) d[i * n + j] /= most;
  }
  for (int k = 0; k < n; k++) {
    int at = k;
    for (int i = k + 1; i < n; i++) if (fabs(d[i * n + k]) > fabs(d[at * n + k])) at = i;
    if (!(fabs(d[at * n + k]) > singular)) return 1;
    for (int j = 0; j < n; j++) { double t = d[k * n + j]; d[k * n + j] = d[at * n + j]; d[at * n + j] = t; }
    for (int i = k + 1; i < n; i++) {
      double f = d[i * n + k] / d[k * n + k];
      for (int j = k; j < n && f != 0; j++) d[i * n + j] -= f * d[k * n + j];
    }
  }
  return 0;
}

// The rows of one group; 1 where D is singular on them.
static int verify(const sim_rows *r, const int *row, int n, int *local) {
  if (n > CHECKED) {
    for (int i = 0; i < n; i++) if (r->d0[row[i]] == r->d0[row[i] + 1]) return 1;
    return 0;
  }
  double *d = calloc((size_t)n * (size_t)n, sizeof *d);
  if (!d) return 1;
  for (int i = 0; i < n; i++) local[row[i]] = i;
  for (int i = 0; i < n; i++)
    for (int e = r->d0[row[i]]; e < r->d0[row[i] + 1]; e++) d[i * n + local[r->ds[e]]] += r->d[e];
  int wrong = is_singular(d, n);
  free(d);
  return wrong;
}

// Rows of relations of velocities, and of those that are not ruled here: gamma = 1 where D is singular, as
// their laws restrict states.
static void verify_rows(nsm_sim *s, unsigned char *restricts) {
  sim_rows *r = &s->n.r;
  int *of = sim_lend(s, (size_t)r->n * 4 + 4, sizeof(int)), *row = of + r->n, *local = row + r->n;
  for (int i = 0; i < r->n; i++) of[i] = i;
  for (int i = 0; i < r->n; i++)
    for (int e = r->d0[i]; e < r->d0[i + 1]; e++) of[nsm_root(of, i)] = nsm_root(of, r->ds[e]);
  for (int g = 0; g < r->n; g++) {
    int n = 0;
    if (nsm_root(of, g) != g || s->a->cls[r->cls[g]].c->kind != NSM_RELATION) continue;
    for (int i = 0; i < r->n; i++)
      if (nsm_root(of, i) == g && s->a->cls[r->cls[i]].c->kind == NSM_RELATION) row[n++] = i;
    if (n == 0 || !verify(r, row, n, local)) continue;
    for (int i = 0; i < n; i++) {
      restricts[r->cls[row[i]]] = 1;
      s->a->cls[r->cls[row[i]]].gamma = 1;
    }
  }
  sim_give(s, of);
}

// ---- groups ---------------------------------------------------------------------------------------------------------
// Number of what slot `slot` of instance i is among velocities, states and then rows; -1: none of them.
static int node_of(const nsm_sim *s, const sim_class *k, int i, int slot) {
  int kind = k->c->slot[slot], ix = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)slot];
  if (kind == NSM_SLOT_POSITION || kind == NSM_SLOT_D) return -1;
  if (kind == NSM_SLOT_L) return ix == s->a->nl ? -1 : s->a->nz + s->n.r.of_l[ix];
  return sim_z_of(s, k, i, slot);
}

static int takes_part(const sim_class *k) {
  return k->c->kind == NSM_SMOOTH || k->c->kind == NSM_RELATION || sim_contactlike(k->c);
}

// The first node of each class, [nclass]; all of one class are united.
static void unite_classes(nsm_sim *s, int *of, int *first) {
  for (int cls = 0; cls < s->a->m->nclass; cls++) {
    const sim_class *k = &s->a->cls[cls];
    first[cls] = -1;
    for (int i = 0; takes_part(k) && i < k->tab.count; i++) {
      if (k->row0 >= 0) {
        if (first[cls] < 0) first[cls] = s->a->nz + k->row0;
        nsm_unite(of, first[cls], s->a->nz + k->row0 + i);
      }
      for (int slot = 0; slot < k->c->nslot; slot++) {
        int at = node_of(s, k, i, slot);
        if (at < 0) continue;
        if (first[cls] < 0) first[cls] = at;
        nsm_unite(of, first[cls], at);
      }
    }
  }
}

static void describe(nsm_sim *s, const struct sim_weights *w, sim_group *g) {
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < g->nz; i++) {
    g->moves |= g->z[i] < s->a->nv;
    g->states |= g->z[i] >= s->a->nv;
    g->unknowns |= s->a->algebraic && s->a->algebraic[g->z[i]];
  }
  for (int i = 0; i < g->nrow; i++) {
    const nsm_class *c = s->a->cls[r->cls[g->row[i]]].c;
    if (c->kind != NSM_RELATION) { g->moves = 1; continue; }
    g->restricted |= w->restricts[r->cls[g->row[i]]];
    g->equations |= c->equation != 0;
    g->cases |= c->row_type != NSM_ROW_FREE;
    g->couples |= r->d0[g->row[i]] < r->d0[g->row[i] + 1];
  }
}

static void make_groups(nsm_sim *s, struct sim_weights *w) {
  int n = s->a->nz + s->n.r.n, *of = SIM_LEND(s, n + 1, int), *number = SIM_LEND(s, n + 1, int);
  for (int i = 0; i < n; i++) { of[i] = i; number[i] = -1; }
  w->of_cls = SIM_NEW(s, s->a->m->nclass + 1, int);
  unite_classes(s, of, w->of_cls);
  for (int i = 0; i < n; i++) if (number[nsm_root(of, i)] < 0) number[nsm_root(of, i)] = w->n++;
  w->group = SIM_NEW(s, w->n + 1, sim_group);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) {
      sim_group *g = &w->group[number[nsm_root(of, i)]];
      if (i < s->a->nz) { if (pass) g->z[g->nz] = i; g->nz++; }
      else { if (pass) g->row[g->nrow] = i - s->a->nz; g->nrow++; }
    }
    for (int i = 0; pass == 0 && i < w->n; i++) {
      sim_group *g = &w->group[i];
      g->z = SIM_NEW(s, g->nz + 1, int);
      g->row = SIM_NEW(s, g->nrow + 1, int);
      g->nz = g->nrow = 0;
    }
  }
  for (int cls = 0; cls < s->a->m->nclass; cls++)
    if (w->of_cls[cls] >= 0) w->of_cls[cls] = number[nsm_root(of, w->of_cls[cls])];
  for (int i = 0; i < w->n; i++) describe(s, w, &w->group[i]);
  sim_give(s, of);
  sim_give(s, number);
}

// ---- rules ----------------------------------------------------------------------------------------------------------
int sim_is_network(const nsm_sim *s) {
  int yes = s->a->algebraic != NULL;
  for (int i = 0; i < s->a->m->nvar; i++) yes |= s->a->m->var[i].kind == NSM_VAR_SOLVED;
  for (int i = 0; i < s->a->m->nclass; i++) yes |= s->a->m->cls[i].kind == NSM_RELATION && s->a->m->cls[i].equation;
  return yes;
}

static int moves(const nsm_sim *s) {
  return s->a->on.mass_moving.n + s->a->on.jac_moving.n + s->a->on.k_moving.n + s->a->on.b_moving.n +
         s->a->on.h_moving.n > 0;
}

// 1: all of the model has weight 1, since this group has and acts on velocities.
static int rule(nsm_sim *s, const struct sim_weights *w, sim_group *g) {
  int laws = g->cases || g->equations, small = g->nz <= WEIGHTS_STATES && g->nrow <= WEIGHTS_ROWS,
      usable = s->a->theta >= 0.5 && s->a->theta < 1 && (!s->a->gamma_given || s->a->gamma == s->a->theta),
      monotone = small && (!laws || sim_rows_monotone(s, g->row, g->nrow));
  g->theta = g->gamma = s->a->theta;
  if (!w->network) {
    g->gamma = s->a->gamma;
    g->ruled = g->by_sets = g->cases && g->couples && monotone && s->a->theta >= 0.5 &&
                            (!g->moves || (g->states && !g->restricted));
    return 0;
  }
  if (g->moves) {
    if (!g->cases || !(g->unknowns || g->equations || g->couples)) return 0;
    g->ruled = g->by_sets = usable && monotone && !g->unknowns;
    return !g->ruled;
  }
  g->ruled = 1;
  g->by_sets = laws && usable && monotone && !g->unknowns;
  g->end = g->unknowns ? laws || !usable : laws ? !g->by_sets : s->a->theta < 0.5;
  g->lasts = g->end && !g->by_sets;
  return 0;
}

static void take_scratch(nsm_sim *s, struct sim_weights *w) {
  size_t z = 0, rows = 0;
  for (int i = 0; i < w->n; i++) {
    sim_group *g = &w->group[i];
    if (!g->by_sets) continue;
    g->hash = SIM_NEW(s, WEIGHTS_KEPT, uint64_t);
    g->rate = SIM_NEW(s, WEIGHTS_KEPT, double);
    z = g->nz > (int)z ? (size_t)g->nz : z;
    rows = g->nrow > (int)rows ? (size_t)g->nrow : rows;
  }
  w->S = SIM_NEW(s, z * z + 1, double);
  w->M = SIM_NEW(s, z * z + 1, double);
  w->rates = SIM_NEW(s, 2 * z + 1, double);
  w->D = SIM_NEW(s, rows * rows + 1, double);
  w->Y = SIM_NEW(s, 2 * rows + 1, double);
  w->pivot = SIM_NEW(s, z + rows + 1, int);
  w->inside = SIM_NEW(s, rows + 1, int);
  w->local = SIM_NEW(s, s->a->nz + s->n.r.n + 1, int);
  w->set = SIM_NEW(s, s->n.r.n + 1, unsigned char);
  w->aside = SIM_NEW(s, rows + 1, unsigned char);
  w->moving = moves(s);
}

// Are all sets good for steps of this length?
static int all_good(nsm_sim *s, sim_group *g) {
  unsigned char *set = s->n.weights->set;
  int good = g->nrow <= FEW;
  for (long k = 0; good && k < 1L << g->nrow; k++) {
    for (int i = 0; i < g->nrow; i++) set[g->row[i]] = k >> i & 1 ? WEIGHTS_INSIDE : WEIGHTS_LOW;
    good = sim_sets_good(s, g);
  }
  return good;
}

// A group of a model without nodes. gamma that is not given is theta where another one mixes two instants, or may do so
// later. What neither needs its multipliers solved for once more nor can have a set that is bad has no rule.
static void settle(nsm_sim *s, sim_group *g) {
  int fixed = !s->n.weights->moving && !s->a->event_matrix, own = 0;
  if (!s->a->gamma_given && g->gamma != g->theta && !(fixed && sim_sets_unmixed(s, g))) {
    g->gamma = g->theta;
    own = 1;
  }
  g->records = g->gamma < 1 && (own || !g->moves);
  if (!g->records && fixed && all_good(s, g)) g->ruled = g->by_sets = 0;
}

static int acts_on_velocities(const sim_class *k) {
  const nsm_pattern *p[] = { &k->c->mass, &k->c->jac, &k->c->b, &k->c->k };
  int yes = 0;
  for (int a = 0; k->c->kind == NSM_SMOOTH && a < 4; a++)
    for (int e = 0; e < p[a]->n; e++) yes |= k->c->slot[p[a]->row[e]] != NSM_SLOT_X;
  return yes;
}

// The weights of the groups into the classes, and into s->n.theta by z.
static void apply(nsm_sim *s) {
  const struct sim_weights *w = s->n.weights;
  s->n.weighed++;
  for (int cls = 0; cls < s->a->m->nclass; cls++) {
    sim_class *k = &s->a->cls[cls];
    const sim_group *g = w->of_cls[cls] < 0 ? NULL : &w->group[w->of_cls[cls]];
    if (!g || !g->ruled || (k->c->kind != NSM_SMOOTH && k->c->kind != NSM_RELATION) || acts_on_velocities(k)) continue;
    int end = g->end || k->c->at_end;
    k->theta = end ? 1 : g->theta;
    k->gamma = end ? 1 : g->gamma;
    k->recorded = g->by_sets && g->records;
    k->lasts = g->end && g->lasts;
  }
  for (int i = 0; i < w->n; i++)
    for (int j = 0; w->group[i].ruled && j < w->group[i].nz; j++) {
      int z = w->group[i].z[j];
      if (z < s->a->nv) continue;
      s->n.theta[z] = w->group[i].end || (s->a->algebraic && s->a->algebraic[z]) ? 1 : w->group[i].theta;
    }
}

static void as_given(nsm_sim *s) {
  sim_take_points(s, s->a->theta, s->a->instant);
  for (int i = 0; i < s->a->m->nclass; i++) {
    sim_class *k = &s->a->cls[i];
    k->theta = k->c->at_end ? 1 : s->a->theta;
    k->gamma = k->c->kind == NSM_RELATION || (k->c->kind == NSM_SMOOTH && !k->c->at_end) ? s->a->gamma : 1;
  }
  for (int z = 0; z < s->a->nz; z++) s->n.theta[z] = s->a->algebraic && s->a->algebraic[z] ? 1 : s->a->theta;
}

void sim_rows_weights(nsm_sim *s) {
  s->n.theta = SIM_NEW(s, s->a->nz + 1, double);
  s->a->instant = s->a->gamma;
  as_given(s);
  if (!s->a->scheme->weights || (s->a->theta == 1 && s->a->gamma == 1)) return;
  nsm_view v = sim_now(s);
  SIM_EACH(s, relation, k) if (k->c->h_stage != NSM_NONE) k->c->h_fn(&v, &k->tab, k->h);
  if (s->a->on.relation.n > 0) sim_rows_outer(s, 1);
  struct sim_weights *w = SIM_NEW(s, 1, struct sim_weights);
  w->restricts = SIM_NEW(s, s->a->m->nclass + 1, unsigned char);
  int both = s->a->nv > 0 && s->a->nz > s->a->nv;
  if (s->a->on.relation.n > 0 && (s->a->gamma < 1 || both)) verify_rows(s, w->restricts);
  int all = 0, any = 0, sets;
  w->network = sim_is_network(s);
  make_groups(s, w);
  for (int i = 0; i < w->n; i++) {
    all |= rule(s, w, &w->group[i]);
    any |= w->group[i].ruled && (w->group[i].end || w->group[i].by_sets || w->group[i].unknowns);
  }
  if (all) {
    snprintf(s->a->note, sizeof s->a->note, "a network acts on velocities: theta and gamma are 1, and the order is 1");
    s->a->theta = s->a->gamma = s->a->instant = 1;
    as_given(s);
    return;
  }
  if (!any) return;
  take_scratch(s, w);
  s->n.weights = w;
  any = sets = 0;
  for (int i = 0; i < w->n; i++) {
    sim_group *g = &w->group[i];
    g->records = g->by_sets && g->gamma < 1;
    if (g->by_sets && !w->network) settle(s, g);
    any |= g->ruled;
    sets |= g->by_sets && g->gamma < s->a->gamma;
  }
  if (sets) s->a->instant = s->a->theta;
  sim_take_points(s, s->a->theta, s->a->instant);
  if (any) apply(s);
  else s->n.weights = NULL;
}

// Unknowns without inertia of a group follow the states all together, or none of them.
void sim_weights_check(nsm_sim *s) {
  struct sim_weights *w = s->n.weights;
  for (int i = 0; w && i < w->n; i++) {
    sim_group *g = &w->group[i];
    g->kept = g->next = 0;
    if (!g->unknowns || !g->ruled) continue;
    int good = !g->cases && !g->equations && s->a->theta >= 0.5 && s->a->theta < 1;
    for (int j = 0; j < g->nz; j++) good &= !s->a->algebraic[g->z[j]] || s->n.by_theta[g->z[j]];
    g->end = !good;
    for (int j = 0; !good && j < g->nz; j++) s->n.by_theta[g->z[j]] = 0;
  }
  if (w) apply(s);
}

// ---- in the step ----------------------------------------------------------------------------------------------------
int sim_weights_begin(nsm_sim *s) {
  struct sim_weights *w = s->n.weights;
  int changed = 0, turned = 0;
  for (int i = 0; i < w->n; i++) {
    sim_group *g = &w->group[i];
    if (!g->by_sets) continue;
    sim_sets_of(s, g, s->now.l);
    int lasts = s->now.euler[g->row[0]] >= WEIGHTS_LASTS, end = lasts || !sim_sets_good(s, g);
    turned |= lasts != g->lasts;
    g->lasts = (unsigned char)lasts;
    changed |= end != g->end;
    g->end = (unsigned char)end;
  }
  if (changed || turned) apply(s);
  return changed;
}

int sim_weights_end(nsm_sim *s, int failed, double t1) {
  struct sim_weights *w = s->n.weights;
  int changed = 0;
  for (int i = 0; i < w->n; i++) {
    sim_group *g = &w->group[i];
    if (!g->by_sets || g->end) continue;
    if (!failed) {
      sim_sets_of(s, g, s->w.l1);
      if (sim_sets_good(s, g) && (!g->records || sim_sets_record(s, g, t1))) continue;
    }
    changed = g->end = 1;
  }
  if (changed) apply(s);
  return changed;
}

void sim_weights_accept(nsm_sim *s) {
  struct sim_weights *w = s->n.weights;
  for (int i = 0; i < w->n; i++) {
    sim_group *g = &w->group[i];
    if (!g->by_sets) continue;
    unsigned char *n = &s->now.euler[g->row[0]];
    if (g->end && *n == 0) g->since = s->now.t - s->n.h;
    *n = g->end ? (unsigned char)(*n + (*n < WEIGHTS_LASTS)) : 0;
  }
}

static const char *why(const nsm_sim *s, const sim_group *g) {
  if (!s->n.weights->network && g->gamma != g->theta)
    return "its laws would read a faster part at another instant than theta does; theta = gamma resolves more";
  if (s->a->theta < 0.5 || (s->a->gamma_given && s->a->gamma != s->a->theta))
    return "a network takes theta = gamma of at least 1/2";
  if (g->by_sets) return "its diodes and switches make it of index 2, or faster than the step resolves";
  if (!g->unknowns) return "its laws have several solutions, or are too many to check";
  return g->cases || g->equations ? "its laws act on unknowns without a derivative"
                                  : "capacitors and sources form a loop, or coils a cut set";
}

int sim_weights_note(const nsm_sim *s, char *out, size_t size) {
  const struct sim_weights *w = s->n.weights;
  int euler = s->a->theta == 1 && !s->a->gamma_given;      // as it is asked for
  for (int i = 0; w && !euler && i < w->n; i++) {
    const sim_group *g = &w->group[i];
    if (!g->ruled || !g->end || !(g->lasts || g->unknowns)) continue;
    char name[256];
    if (g->nrow > 0) sim_row_name(s, g->row[0], name, sizeof name);
    else sim_z_name(s, g->z[0], name, sizeof name);
    snprintf(out, size,
             "%s = %.4g is not to be had of %s and what is coupled with it: %s. From t = %.6g s on that is implicit "
             "Euler, of order 1", s->a->theta == 1 ? "gamma" : "theta", s->a->theta == 1 ? s->a->gamma : s->a->theta,
             name, why(s, g), g->by_sets ? g->since : s->a->start);
    return 1;
  }
  return 0;
}

nsm_view sim_between(nsm_sim *s, double t1, const double *q1, const double *z1, const double *l) {
  const nsm_point *law = &s->a->point[s->a->m->law_at];
  if (s->a->instant == 1) return sim_view(s, t1, q1, z1, l);
  double t = sim_at_point(s, law, t1, z1, s->w.qg, s->w.zg);
  for (int i = 0; s->a->algebraic && i < s->a->nz; i++) if (sim_is_at_end(s, i)) s->w.zg[i] = z1[i];
  return sim_view(s, t, s->w.qg, s->w.zg, l);
}
