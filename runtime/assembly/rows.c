// The rows of the one-step problem: relations, contacts and constraints, and how they couple, (6) and (10) in one:
//
//   M_osns = D + C X,   X = W^{-1} B
//   relations: B = h dg/dl, C = gamma (y_v + h theta y_q | y_x), D = y_l
//   contacts, constraints: B = H^T, C = (H + h theta d rate/d q | 0), D = 0
//
// Rows of the border (assembly.c) have B and C only.
//
// The impulse of a constraint with moving H acts along H(q~)^T, q~ = (1-theta) q_k + theta q: with C = H(q) at the end
// that is symmetric in time for theta = 1/2, so that a perfect constraint does no work to second order (H(q)^T
// dissipates to first order).
//
// Patterns once; values as often as they change, and then of the active rows only.
#include "assembly.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- patterns -------------------------------------------------------------------------------------------------------
// Sorts out pairs (key, value) into lists by key, without repetition. start [n+1].
typedef struct pairs { int n; int *start, *value; } pairs;

static void pairs_close(pairs *p) {                  // counts -> starts
  for (int i = 0; i < p->n; i++) p->start[i + 1] += p->start[i];
}

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// Place of x in the ascending value[from .. to).
static int find(const int *value, int from, int to, int x) {
  while (to - from > 1) {
    int half = from + (to - from) / 2;
    if (value[half] <= x) from = half;
    else to = half;
  }
  return from;
}

// Sorts each list and removes repetitions; starts are updated.
static void unique(pairs *p) {
  int out = 0;
  for (int i = 0, from = 0; i < p->n; i++) {
    int to = p->start[i + 1], first = out;
    if (to - from > 1) qsort(p->value + from, (size_t)(to - from), sizeof(int), ascending);
    for (int j = from; j < to; j++)
      if (out == first || p->value[out - 1] != p->value[j]) p->value[out++] = p->value[j];
    from = to;
    p->start[i + 1] = out;
  }
}

// Calls for every entry of B: which row of the one-step problem (column of B), which z, and where its place is kept.
typedef int each_b(nsm_sim *s, int row, int z, int *at, void *to);

static int over_b(nsm_sim *s, each_b *f, void *to) {
  for (int a = 0; a < s->a->on.b.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.b.of[a]];
    const nsm_pattern *p = &k->c->b;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        size_t j = (size_t)i * (size_t)p->n + (size_t)e;
        int l = k->tab.ix[(size_t)i * (size_t)k->c->nslot + p->col[e]];
        if (l == s->a->nl) continue;                            // none: behind a guard, and its entry is 0
        if (!f(s, s->n.r.of_l[l], sim_z_of(s, k, i, p->row[e]), &k->b_at[j], to)) return k->c->line;
      }
  }
  SIM_EACH(s, row, k) {
    if (!sim_contactlike(k->c)) continue;
    const nsm_pattern *p = &k->c->h;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        size_t j = (size_t)i * (size_t)p->n + (size_t)e;
        k->h_b_at[j] = -1;
        if (p->wrt[e] == NSM_WRT_V) f(s, k->row0 + i, sim_z_of(s, k, i, p->col[e]), &k->h_b_at[j], to);
      }
  }
  return 0;
}

static int count_b(nsm_sim *s, int row, int z, int *at, void *to) {
  (void)s; (void)z;
  *at = 0;
  ((pairs *)to)->start[row + 1]++;
  return 1;
}
static int put_b(nsm_sim *s, int row, int z, int *at, void *to) {
  (void)s; (void)at;
  pairs *p = to;
  p->value[p->start[row]++] = z;
  return 1;
}
static int place_b(nsm_sim *s, int row, int z, int *at, void *to) {
  (void)to;
  *at = find(s->n.r.bz, s->n.r.b0[row], s->n.r.b0[row + 1], z);
  return 1;
}

static void rewind_starts(int n, int *start) {
  for (int i = n; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

static void pattern_b(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  pairs p = { r->n, SIM_NEW(s, r->n + 1, int), NULL };
  over_b(s, count_b, &p);
  pairs_close(&p);
  p.value = SIM_NEW(s, p.start[r->n], int);
  over_b(s, put_b, &p);
  rewind_starts(r->n, p.start);
  unique(&p);
  r->b0 = p.start;
  r->bz = p.value;
  r->b = SIM_NEW(s, p.start[r->n], double);
  over_b(s, place_b, NULL);
}

// C and D: the entries of row classes by z and by multiplier.
static void pattern_cd(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  pairs c = { r->n, SIM_NEW(s, r->n + 1, int), NULL }, d = { r->n, SIM_NEW(s, r->n + 1, int), NULL };
  for (int pass = 0; pass < 2; pass++) {
    SIM_EACH(s, row, k) {
      const nsm_pattern *h = &k->c->h;
      for (int i = 0; i < k->tab.count; i++)
        for (int e = 0; e < h->n; e++) {
          int to_l = h->wrt[e] == NSM_WRT_L;
          pairs *p = to_l ? &d : &c;
          int l = to_l ? k->tab.ix[(size_t)i * (size_t)k->c->nslot + h->col[e]] : -1;
          if (l == s->a->nl) continue;
          int x = to_l ? r->of_l[l] : sim_z_of(s, k, i, h->col[e]);
          if (pass == 0) p->start[k->row0 + i + 1]++;
          else p->value[p->start[k->row0 + i]++] = x;
        }
      for (int i = 0; k->rq && i < k->tab.count; i++)
        for (int e = 0; e < k->c->rq.n; e++)
          if (pass == 0) c.start[k->row0 + i + 1]++;
          else c.value[c.start[k->row0 + i]++] = sim_z_of(s, k, i, k->c->rq.col[e]);
    }
    if (pass == 0) {
      pairs_close(&c);
      pairs_close(&d);
      c.value = SIM_NEW(s, c.start[r->n], int);
      d.value = SIM_NEW(s, d.start[r->n], int);
    }
  }
  rewind_starts(r->n, c.start);
  rewind_starts(r->n, d.start);
  unique(&c);
  unique(&d);
  r->c0 = c.start; r->cz = c.value; r->c = SIM_NEW(s, c.start[r->n], double);
  r->d0 = d.start; r->ds = d.value; r->d = SIM_NEW(s, d.start[r->n], double);
  SIM_EACH(s, row, k) {
    const nsm_pattern *h = &k->c->h;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < h->n; e++) {
        int row = k->row0 + i;
        size_t j = (size_t)i * (size_t)h->n + (size_t)e;
        int to_l = h->wrt[e] == NSM_WRT_L, l = to_l ? k->tab.ix[(size_t)i * (size_t)k->c->nslot + h->col[e]] : -1;
        k->h_at[j] = l == s->a->nl ? ~0                         // none: its entry is 0
                     : to_l     ? ~find(r->ds, r->d0[row], r->d0[row + 1], r->of_l[l])
                                : find(r->cz, r->c0[row], r->c0[row + 1], sim_z_of(s, k, i, h->col[e]));
      }
    for (int i = 0; k->rq && i < k->tab.count; i++)
      for (int e = 0; e < k->c->rq.n; e++)
        k->rq_at[(size_t)i * (size_t)k->c->rq.n + (size_t)e] =
            find(r->cz, r->c0[k->row0 + i], r->c0[k->row0 + i + 1], sim_z_of(s, k, i, k->c->rq.col[e]));
  }
}

// The multiplier of a compliant contact is a force, not an impulse: its row is a relation.
static int owned_by_relation(const nsm_sim *s, int l) {
  return s->a->cls[s->n.r.cls[s->n.r.of_l[l]]].c->kind == NSM_RELATION;
}

// Constraints go to the border of W where Newton's method runs, unless friction hangs on their force.
static void choose_border(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  r->border = SIM_NEW(s, r->n, int);
  r->border_of = SIM_NEW(s, r->n, int);
  for (int row = 0; row < r->n; row++) {
    int eliminated = s->a->scheme->implicit && !s->a->linear && r->friction_of[row] < 0 &&
                     s->a->cls[r->cls[row]].c->kind == NSM_CONSTRAINT;
    r->border_of[row] = eliminated ? r->nborder : -1;
    if (eliminated) r->border[r->nborder++] = row;
  }
  r->gives = SIM_NEW(s, r->nborder, double);
  r->blocked = SIM_NEW(s, r->n, unsigned char);
}

int sim_rows_patterns(nsm_sim *s, nsm_error *e) {
  sim_rows *r = &s->n.r;
  double **sized[] = { &r->lo, &r->hi, &r->e, &r->rate0, &r->y, &r->gap, &r->terms, &s->now.held, &r->drift,
      &s->now.loss, &r->rebound, &r->struck, &r->ratio, &r->exponent };
  r->law = s->a->m->impact;
  for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) *sized[i] = SIM_NEW(s, r->n, double);
  r->active = SIM_NEW(s, r->n, unsigned char);
  SIM_EACH(s, smooth, k) k->b_at = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->b.n, int);
  SIM_EACH(s, row, k) {
    k->h_at = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->h.n, int);
    k->h_b_at = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->h.n, int);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      r->lo[row] = k->c->row_type == NSM_ROW_NONNEG ? 0 : -INFINITY;
      r->hi[row] = INFINITY;
      const double *num = k->tab.num + (size_t)i * (size_t)k->c->nnum;
      if (sim_opens(k->c) && k->c->e_num >= 0) r->e[row] = num[k->c->e_num];
      r->ratio[row] = k->c->ratio_num > 0 ? num[k->c->ratio_num - 1] : 1;
      r->exponent[row] = k->c->exponent_num > 0 ? num[k->c->exponent_num - 1] : NSM_IMPACT_HERTZ;
      r->active[row] = k->c->kind != NSM_CONTACT;
    }
  }
  SIM_EACH(s, rq, k) {
    k->rq = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->rq.n, double);
    k->rq_at = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->rq.n, int);
  }
  if (!sim_friction_analyse(s, e)) return 0;
  // An impulse acts at an instant; a rate of change cannot contain it.
  for (int a = 0; a < s->a->on.b.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.b.of[a]];
    for (int i = 0; i < k->tab.count; i++)
      for (int n = 0; n < k->c->b.n; n++) {
        int l = k->tab.ix[(size_t)i * (size_t)k->c->nslot + k->c->b.col[n]];
        if (l == s->a->nl || l < s->a->ndeclared || owned_by_relation(s, l)) continue;
        char name[256];
        sim_l_name(s, l, name, sizeof name);
        sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class((int)(k - s->a->cls)),
                    "line %d: %s is an impulse and cannot act in an equation or a force", k->c->line, name);
        return 0;
      }
  }
  choose_border(s);
  for (int j = 0; j < r->nborder; j++) r->active[r->border[j]] = 0;
  pattern_b(s);
  pattern_cd(s);
  return 1;
}

// ---- values ---------------------------------------------------------------------------------------------------------
static void values_b(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  SIM_EACH(s, relation, k) {
    int from = r->b0[k->row0], to = r->b0[k->row0 + k->tab.count];
    memset(r->b + from, 0, (size_t)(to - from) * sizeof(double));
  }
  SIM_EACH(s, b, k) {
    size_t n = (size_t)k->tab.count * (size_t)k->c->b.n;
    for (size_t i = 0; i < n; i++) r->b[k->b_at[i]] += s->n.h * k->b[i];
  }
}

static void add_rates(nsm_sim *s, const sim_class *k) {
  double chain = sim_chain(s, NSM_WRT_Q);
  size_t n = (size_t)k->tab.count * (size_t)k->c->rq.n;
  for (size_t i = 0; i < n; i++) s->n.r.c[k->rq_at[i]] += chain * k->rq[i];
}

void sim_rows_rates(nsm_sim *s) {
  for (int a = 0; a < s->a->on.rq_moving.n; a++) add_rates(s, &s->a->cls[s->a->on.rq_moving.of[a]]);
}

static void values_h(nsm_sim *s, const sim_class *k) {
  sim_rows *r = &s->n.r;
  const nsm_pattern *p = &k->c->h;
  int from = k->row0, to = k->row0 + k->tab.count;
  double *b = r->b, *c = r->c, *d = r->d, chain[NSM_WRT_D + 1];
  const double *h = k->h, *direction = k->h_mid ? k->h_mid : h;
  const int *h_at = k->h_at, *b_at = sim_contactlike(k->c) ? k->h_b_at : NULL;
  for (int e = r->c0[from]; e < r->c0[to]; e++) c[e] = 0;
  for (int e = r->d0[from]; e < r->d0[to]; e++) d[e] = 0;
  for (int e = r->b0[from]; b_at && e < r->b0[to]; e++) b[e] = 0;
  for (int w = 0; w <= NSM_WRT_D; w++) chain[w] = k->gamma * sim_chain(s, w);
  for (size_t i = 0, j = 0; i < (size_t)k->tab.count; i++)
    for (int e = 0; e < p->n; e++, j++) {
      int at = h_at[j];
      if (at < 0) d[~at] += h[j];
      else c[at] += chain[p->wrt[e]] * h[j];
      if (b_at && b_at[j] >= 0) b[b_at[j]] += direction[j];
    }
  if (k->rq && sim_fixed(k->c->rq_stage)) add_rates(s, k);
}

void sim_rows_outer(nsm_sim *s, int with_constants) {
  if (with_constants || s->a->on.b_moving.n > 0) values_b(s);
  const sim_list *rows = with_constants ? &s->a->on.row : &s->a->on.h_moving;
  for (int a = 0; a < rows->n; a++) values_h(s, &s->a->cls[rows->of[a]]);
  for (int a = 0; !with_constants && a < s->a->on.rq_moving.n; a++) {         // moving rates over a constant H
    const sim_class *k = &s->a->cls[s->a->on.rq_moving.of[a]];
    if (sim_fixed(k->c->h_stage)) values_h(s, k);
  }
}

double sim_velocity_terms(const nsm_sim *s, int row, const double *z) {
  const sim_rows *r = &s->n.r;
  double size = 0;
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) size += fabs(r->c[e]) * fabs(z[r->cz[e]]);
  return size;
}
