// Do the relations have one solution at the start? Where multipliers act at once on the outputs, dy/dlambda not 0, the
// law 0 <= y + D lambda _|_ lambda >= 0 may have several: the first step takes one of them, and which one may surprise.
// Found surely where it is cheap: islands of up to five affine relations, by trying all their cases. A row whose output
// no multiplier reaches (dy/dlambda = 0, as where a loop has pieces of both kinds) is settled by its rate: it says
// nothing here, and neither does an island with one.
#include "clock.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 5, CASES = 243 };          // 3^MOST
static const double close_by = 1e-9;

typedef struct island { int n, row[MOST]; double D[MOST][MOST], y[MOST], lo[MOST], hi[MOST]; } island;

// A solution of one case: 0 free, 1 at lo, 2 at hi; 0 where the case has none.
static int solve(const island *p, int code, double *lambda) {
  int state[MOST], basic[MOST], n = 0;
  double A[MOST * MOST], b[MOST];
  for (int i = 0; i < p->n; i++, code /= 3) {
    state[i] = code % 3;
    lambda[i] = state[i] == 1 ? p->lo[i] : state[i] == 2 ? p->hi[i] : 0;
    if (state[i] == 0) basic[n++] = i;
    if (!isfinite(lambda[i])) return 0;
  }
  for (int i = 0; i < n; i++) {
    b[i] = -p->y[basic[i]];
    for (int j = 0; j < p->n; j++) b[i] -= state[j] ? p->D[basic[i]][j] * lambda[j] : 0;
    for (int j = 0; j < n; j++) A[i + j * n] = p->D[basic[i]][basic[j]];
  }
  if (n > 0 && nsm_la_small_solve(n, A, n, 1e-9, b, b).code != NSM_LA_OK) return 0;
  for (int i = 0; i < n; i++) lambda[basic[i]] = b[i];
  for (int i = 0; i < p->n; i++) {
    double u = p->y[i], size = fabs(u), slack = close_by * (1 + fabs(lambda[i]));
    for (int j = 0; j < p->n; j++) { u += p->D[i][j] * lambda[j]; size += fabs(p->D[i][j] * lambda[j]); }
    if (state[i] == 0 && !(lambda[i] > p->lo[i] + slack && lambda[i] < p->hi[i] - slack)) return 0;
    if (state[i] == 1 && !(u >= -close_by * size)) return 0;
    if (state[i] == 2 && !(u <= close_by * size)) return 0;
  }
  return 1;
}

static int solutions(const island *p) {
  double found[CASES][MOST];
  int n = 0, cases = 1;
  for (int i = 0; i < p->n; i++) cases *= 3;
  for (int code = 0; code < cases; code++) {
    int known = 0;
    if (!solve(p, code, found[n])) continue;
    for (int k = 0; k < n && !known; k++) {
      known = 1;
      for (int i = 0; i < p->n; i++)
        known &= fabs(found[k][i] - found[n][i]) <= 1e-6 * (fabs(found[k][i]) + fabs(found[n][i]) + 1e-12);
    }
    n += !known;
  }
  return n;
}

static int reached(const sim_rows *r, int row) {
  for (int e = r->d0[row]; e < r->d0[row + 1]; e++)
    if (r->d[e] != 0) return 1;
  return 0;
}

// Row `row` and those whose multipliers reach its output, or theirs; 0 where they are more than MOST, or not affine, or
// no multiplier reaches one of them.
static int gather(const nsm_sim *s, int row, unsigned char *seen, island *p) {
  const sim_rows *r = &s->n.r;
  p->n = 0;
  p->row[p->n++] = row;
  seen[row] = 1;
  int ok = 1;
  for (int i = 0; i < p->n; i++) {
    const sim_class *k = &s->a->cls[r->cls[p->row[i]]];
    ok &= k->c->y_affine && reached(r, p->row[i]);
    for (int e = r->d0[p->row[i]]; e < r->d0[p->row[i] + 1]; e++) {
      int other = r->ds[e];
      if (seen[other] || r->d[e] == 0) continue;
      if (p->n == MOST) { ok = 0; continue; }
      seen[other] = 1;
      p->row[p->n++] = other;
    }
  }
  return ok;
}

void sim_note_solutions(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  nsm_view v = sim_now(s);
  unsigned char *seen = SIM_NEW(s, r->n, unsigned char);
  SIM_EACH(s, relation, k) k->c->y_fn(&v, &k->tab, r->y + k->row0);
  for (int a = 0; a < s->a->on.relation.n && *s->a->note == 0; a++) {
    const sim_class *k = &s->a->cls[s->a->on.relation.of[a]];
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      island p = { 0 };
      if (seen[row] || r->d0[row] == r->d0[row + 1] || !gather(s, row, seen, &p)) continue;
      for (int i = 0; i < p.n; i++) {
        p.y[i] = r->y[p.row[i]];
        p.lo[i] = r->lo[p.row[i]];
        p.hi[i] = r->hi[p.row[i]];
        for (int e = r->d0[p.row[i]]; e < r->d0[p.row[i] + 1]; e++)
          for (int j = 0; j < p.n; j++)
            if (p.row[j] == r->ds[e]) p.D[i][j] = r->d[e];
      }
      int n = solutions(&p);
      if (n < 2) continue;
      char name[256];
      sim_row_name(s, row, name, sizeof name);
      snprintf(s->a->note, sizeof s->a->note,
               "%s%s has %d solutions at the start; the first step takes one of them", name,
               p.n > 1 ? " with the relations coupled to it" : "", n);
      break;
    }
  }
}
