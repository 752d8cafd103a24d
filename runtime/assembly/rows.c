// The rows of the one-step problem: relations, contacts and constraints, and how they couple, (6) and (10) in one:
//
//   M_osns = D + C X,   X = W^{-1} B
//   relations: B = h gamma dg/dl, C = (y_v + h theta y_q | y_x), D = y_l
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
  for (int a = 0; a < s->a->on.row.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.row.of[a]];
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
    for (int a = 0; a < s->a->on.row.n; a++) {
      const sim_class *k = &s->a->cls[s->a->on.row.of[a]];
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
  for (int a = 0; a < s->a->on.row.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.row.of[a]];
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

// X has the blocks of W that B touches, each in the block's own order; for a diagonal W it has B's pattern.
static void pattern_x(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  const sim_matrix *w = &s->n.w;
  int nb = r->b0[r->n], *last = SIM_NEW(s, w->nblock, int), *seg = SIM_NEW(s, w->nblock, int);
  r->bx = SIM_NEW(s, nb, int);
  r->x0 = SIM_NEW(s, r->n + 1, int);
  for (int pass = 0; pass < 2; pass++) {
    int at = 0;
    for (int i = 0; i < w->nblock; i++) last[i] = -1;
    for (int row = 0; row < r->n; row++) {
      for (int e = r->b0[row]; r->border_of[row] < 0 && e < r->b0[row + 1]; e++) {
        int k = w->block_of[r->bz[e]];
        const sim_block *b = &w->block[k];
        if (last[k] != row) {
          last[k] = row;
          seg[k] = at;
          if (pass == 1)
            for (int i = 0; i < b->n; i++) r->xz[at + i] = w->order[b->first + i];
          at += b->n;
        }
        r->bx[e] = seg[k] + w->place[r->bz[e]] - b->first;
      }
      r->x0[row + 1] = at;
    }
    if (pass == 0) {
      r->xz = SIM_NEW(s, at, int);
      r->x = SIM_NEW(s, at, double);
    }
  }
  r->z0 = SIM_NEW(s, w->n + 1, int);
  int nx = r->x0[r->n];
  r->zs = SIM_NEW(s, nx, int);
  r->zx = SIM_NEW(s, nx, int);
  for (int i = 0; i < nx; i++) r->z0[r->xz[i] + 1]++;
  for (int i = 0; i < w->n; i++) r->z0[i + 1] += r->z0[i];
  for (int row = 0; row < r->n; row++)
    for (int i = r->x0[row]; i < r->x0[row + 1]; i++) {
      int at = r->z0[r->xz[i]]++;
      r->zs[at] = row;
      r->zx[at] = i;
    }
  rewind_starts(w->n, r->z0);
}

// Visits the rows that row `row` reads through D and C X; a row may come several times.
#define OVER_COUPLED(r, row, other, body)                                          \
  do {                                                                             \
    for (int e_ = (r)->d0[row]; e_ < (r)->d0[(row) + 1]; e_++) { int other = (r)->ds[e_]; body }                   \
    for (int e_ = (r)->c0[row]; e_ < (r)->c0[(row) + 1]; e_++)                     \
      for (int f_ = (r)->z0[(r)->cz[e_]]; f_ < (r)->z0[(r)->cz[e_] + 1]; f_++) { int other = (r)->zs[f_]; body }   \
  } while (0)

// Cuthill-McKee where that narrows the band. The rows of a block of friction are one node of the graph and stay
// neighbours, the normal first.
static void order_rows(nsm_sim *s, const int *start, const int *neighbour) {
  sim_rows *r = &s->n.r;
  int n = r->n, nodes = 0, block[4];
  int *node = SIM_NEW(s, n, int), *first = SIM_NEW(s, n + 1, int), *order = SIM_NEW(s, n, int),
      *natural = SIM_NEW(s, n, int), at = 0;
  for (int i = 0; i < n; i++) {
    int f = r->friction_of[i];
    if (f >= 0 && sim_friction_rows(s, f, block) && block[0] != i) continue;
    int m = f < 0 ? 1 : sim_friction_rows(s, f, block);
    first[nodes] = i;
    for (int k = 0; k < m; k++) node[f < 0 ? i : block[k]] = nodes;
    nodes++;
  }
  pairs g = { nodes, SIM_NEW(s, nodes + 2, int), SIM_NEW(s, start[n], int) };
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++)
      for (int e = start[i]; e < start[i + 1]; e++) {
        int a = node[i], b = node[neighbour[e]];
        if (a == b) continue;
        if (pass == 0) g.start[a + 1]++;
        else g.value[g.start[a]++] = b;
      }
    if (pass == 0) pairs_close(&g);
  }
  rewind_starts(nodes, g.start);
  unique(&g);
  sim_rcm(nodes, g.start, g.value, order, SIM_NEW(s, nodes, int), SIM_NEW(s, 2 * (size_t)nodes, int));
  for (int given = 0; given < 2; given++) {  // the order found, then the one of the model if its band is as narrow
    int *row_at = given ? natural : r->row_at;
    at = 0;
    for (int k = 0; k < nodes; k++) {
      int row = first[given ? k : order[k]], f = r->friction_of[row], m = f < 0 ? 1 : sim_friction_rows(s, f, block);
      for (int j = 0; j < m; j++) row_at[at++] = f < 0 ? row : block[j];
    }
    for (int i = 0; i < n; i++) r->at_row[row_at[i]] = i;
    int bandwidth = sim_bandwidth(n, start, neighbour, r->at_row);
    if (given && bandwidth > r->bandwidth) break;
    r->bandwidth = bandwidth;
    if (given) memcpy(r->row_at, natural, (size_t)n * sizeof(int));
  }
  for (int i = 0; i < n; i++) r->at_row[r->row_at[i]] = i;
}

// M_osns: symmetrised pattern, diagonal included, in Cuthill-McKee order where that narrows the band.
static int pattern_m(nsm_sim *s, nsm_error *e) {
  sim_rows *r = &s->n.r;
  int n = r->n, *mark = r->mark = SIM_NEW(s, n, int), block[4];
  double total = 0;
  int *start = SIM_NEW(s, n + 2, int);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) mark[i] = -1;
    for (int i = 0; i < n; i++) {
      mark[i] = i;
      // the rows of a block stay together
      for (int k = r->friction_of[i] < 0 ? 0 : sim_friction_rows(s, r->friction_of[i], block); k-- > 0;) {
        int o = block[k];
        if (mark[o] == i) continue;
        mark[o] = i;
        if (pass == 0) { start[i + 1]++; start[o + 1]++; total += 2; }
        else { r->mc[start[i]++] = o; r->mc[start[o]++] = i; }
      }
      OVER_COUPLED(r, i, o, {
        if (mark[o] != i && r->border_of[i] < 0) {
          mark[o] = i;
          if (pass == 0) { start[i + 1]++; start[o + 1]++; total += 2; }
          else { r->mc[start[i]++] = o; r->mc[start[o]++] = i; }
        }
      });
      if (total > 2.0e8) {
        sim_fail(
            e, NSM_MODEL_WRONG,
            "the %d rows of contacts and relations are all coupled with each other: their matrix would need more than "
            "4 GiB",
            n);
        return 0;
      }
    }
    if (pass == 0) {
      for (int i = 0; i < n; i++) start[i + 1] += start[i];
      r->mc = SIM_NEW(s, start[n], int);
    }
  }
  rewind_starts(n, start);
  pairs p = { n, start, r->mc };
  unique(&p);
  r->row_at = SIM_NEW(s, n, int);
  r->at_row = SIM_NEW(s, n, int);
  order_rows(s, start, p.value);
  r->m0 = SIM_NEW(s, n + 1, int);
  int *final = SIM_NEW(s, start[n] + n, int), out = 0;
  for (int i = 0; i < n; i++) {
    int row = r->row_at[i], from = out;
    final[out++] = i;
    for (int j = start[row]; j < start[row + 1]; j++) final[out++] = r->at_row[p.value[j]];
    qsort(final + from, (size_t)(out - from), sizeof(int), ascending);
    r->m0[i + 1] = out;
  }
  r->mc = final;
  r->m = SIM_NEW(s, out, double);
  r->diagonal = SIM_NEW(s, n, int);
  for (int i = 0; i < n; i++) r->diagonal[i] = find(r->mc, r->m0[i], r->m0[i + 1], i);
  return 1;
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
    int eliminated = s->a->scheme->weights && !s->a->linear && r->friction_of[row] < 0 &&
                     s->a->cls[r->cls[row]].c->kind == NSM_CONSTRAINT;
    r->border_of[row] = eliminated ? r->nborder : -1;
    if (eliminated) r->border[r->nborder++] = row;
  }
}

int sim_rows_patterns(nsm_sim *s, nsm_error *e) {
  sim_rows *r = &s->n.r;
  double **sized[] = { &r->lo, &r->hi, &r->e, &r->rate0, &r->y, &r->gap, &r->terms, &s->now.held, &r->drift,
      &s->now.loss };
  for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) *sized[i] = SIM_NEW(s, r->n, double);
  r->active = SIM_NEW(s, r->n, unsigned char);
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.smooth.of[a]];
    k->b_at = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->b.n, int);
  }
  for (int a = 0; a < s->a->on.row.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.row.of[a]];
    k->h_at = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->h.n, int);
    k->h_b_at = SIM_NEW(s, (size_t)k->tab.count * (size_t)k->c->h.n, int);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      r->lo[row] = k->c->row_type == NSM_ROW_NONNEG ? 0 : -INFINITY;
      r->hi[row] = INFINITY;
      if (sim_opens(k->c) && k->c->e_num >= 0)
        r->e[row] = k->tab.num[(size_t)i * (size_t)k->c->nnum + (size_t)k->c->e_num];
      r->active[row] = k->c->kind != NSM_CONTACT;
    }
  }
  for (int a = 0; a < s->a->on.rq.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.rq.of[a]];
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

int sim_rows_analyse(nsm_sim *s, nsm_error *e) {
  sim_rows *r = &s->n.r;
  r->always = s->a->on.contact.n == 0;
  r->constant = s->n.w.constant && s->a->on.b_moving.n + s->a->on.h_moving.n + s->a->on.rq_moving.n == 0;
  pattern_x(s);
  return pattern_m(s, e);
}

// ---- values ---------------------------------------------------------------------------------------------------------
static void values_b(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  for (int a = 0; a < s->a->on.relation.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.relation.of[a]];
    int from = r->b0[k->row0], to = r->b0[k->row0 + k->tab.count];
    memset(r->b + from, 0, (size_t)(to - from) * sizeof(double));
  }
  double factor = s->n.h * s->a->gamma;
  for (int a = 0; a < s->a->on.b.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.b.of[a]];
    size_t n = (size_t)k->tab.count * (size_t)k->c->b.n;
    for (size_t i = 0; i < n; i++) r->b[k->b_at[i]] += factor * k->b[i];
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
  memset(r->c + r->c0[from], 0, (size_t)(r->c0[to] - r->c0[from]) * sizeof(double));
  memset(r->d + r->d0[from], 0, (size_t)(r->d0[to] - r->d0[from]) * sizeof(double));
  int impulse = sim_contactlike(k->c);
  const double *direction = k->h_mid ? k->h_mid : k->h;
  if (impulse) memset(r->b + r->b0[from], 0, (size_t)(r->b0[to] - r->b0[from]) * sizeof(double));
  for (int e = 0; e < p->n; e++) {
    double chain = sim_chain(s, p->wrt[e]);
    for (size_t i = 0, j = (size_t)e; i < (size_t)k->tab.count; i++, j += (size_t)p->n) {
      int at = k->h_at[j];
      if (at < 0) r->d[~at] += k->h[j];
      else r->c[at] += chain * k->h[j];
      if (impulse && k->h_b_at[j] >= 0) r->b[k->h_b_at[j]] += direction[j];
    }
  }
  if (k->rq && k->c->rq_stage == NSM_CONST) add_rates(s, k);
}

void sim_rows_outer(nsm_sim *s, int with_constants) {
  if (with_constants || s->a->on.b_moving.n > 0) values_b(s);
  const sim_list *rows = with_constants ? &s->a->on.row : &s->a->on.h_moving;
  for (int a = 0; a < rows->n; a++) values_h(s, &s->a->cls[rows->of[a]]);
  for (int a = 0; !with_constants && a < s->a->on.rq_moving.n; a++) {         // moving rates over a constant H
    const sim_class *k = &s->a->cls[s->a->on.rq_moving.of[a]];
    if (k->c->h_stage == NSM_CONST) values_h(s, k);
  }
}

void sim_rows_column(nsm_sim *s, int row) {
  sim_rows *r = &s->n.r;
  int from = r->x0[row], to = r->x0[row + 1];
  if (s->n.w.diagonal) {
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) r->x[r->bx[e]] = r->b[e] * s->n.w.inverse[r->bz[e]];
    return;
  }
  memset(r->x + from, 0, (size_t)(to - from) * sizeof(double));
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) r->x[r->bx[e]] += r->b[e];
  for (int at = from; at < to;) {
    int block = s->n.w.block_of[r->xz[at]];
    sim_block_solve(&s->n.w, block, r->x + at);
    at += s->n.w.block[block].n;
  }
}

static void row_of_m(nsm_sim *s, int i) {
  sim_rows *r = &s->n.r;
  int row = r->row_at[i];
  for (int e = r->m0[i]; e < r->m0[i + 1]; e++) {
    r->mark[r->mc[e]] = e;
    r->m[e] = 0;
  }
  for (int e = r->d0[row]; e < r->d0[row + 1]; e++) r->m[r->mark[r->at_row[r->ds[e]]]] += r->d[e];
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
    double c = r->c[e];
    if (c == 0) continue;
    for (int f = r->z0[r->cz[e]]; f < r->z0[r->cz[e] + 1]; f++)
      if (r->active[r->zs[f]]) r->m[r->mark[r->at_row[r->zs[f]]]] += c * r->x[r->zx[f]];
  }
}

void sim_rows_couple(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  for (int row = 0; row < r->n; row++)
    if (r->active[row]) sim_rows_column(s, row);
  for (int i = 0; i < r->n; i++)
    if (r->active[r->row_at[i]]) row_of_m(s, i);
}
