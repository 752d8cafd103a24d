// The equations of a model at one point (field.h): kernels of moreau in dual numbers, with steps of length 1, so that
// impulses are forces.
#include "field.h"
#include "runtime/assembly/assembly.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void *take(field *f, int n, size_t size) { return play_take(f->p, (size_t)n, size); }

int field_open(field *f, nsm_sim *s, dual_kernel *run, void *with, const field_given *by, nsm_error *e) {
  int np = by->np;
  *f = (field){ .s = s, .nv = s->a->nv, .nx = s->a->nx, .nz = s->a->nz, .rows = s->n.r.n, .t = s->now.t };
  f->n = 2 * f->nv + f->nx + f->rows + 1;
  f->m = f->nz + f->rows;
  play_kernels kernels = { run, with };
  if (!(f->p = player_open(s, NULL, &kernels, np, 0, e)) || !play_start(f->p, by->names, by->npar, e)) return 0;
  f->q = take(f, s->a->nq, sizeof(double));
  f->v = take(f, f->nv, sizeof(double));
  f->x = take(f, f->nx, sizeof(double));
  f->l = take(f, f->rows, sizeof(double));
  f->law = take(f, f->rows, 1);
  f->none = take(f, f->rows, 1);
  f->way = take(f, f->rows, sizeof(double));
  f->ones = take(f, s->a->m->nclass, sizeof(double));
  f->r = take(f, f->m, sizeof(double));
  f->J = take(f, f->m * f->n, sizeof(double));
  f->E = take(f, f->nz * f->nz, sizeof(double));
  f->B = take(f, f->m * (np + 1), sizeof(double));
  f->delta = take(f, f->nv, sizeof(dual));
  f->dq = take(f, s->a->nq, sizeof(dual));
  f->dz = take(f, f->nz, sizeof(dual));
  f->dl = take(f, s->a->nl + 1, sizeof(dual));
  f->eq = take(f, f->m, sizeof(dual));
  if (f->p->failed) return sim_no_memory(e, "an analysis"), 0;
  for (int i = 0; i < s->a->nq; i++) f->q[i] = s->now.q[i];
  for (int i = 0; i < f->nv; i++) f->v[i] = s->now.z[i];
  for (int i = 0; i < f->nx; i++) f->x[i] = s->now.z[f->nv + i];
  for (int i = 0; i < s->a->m->nclass; i++) f->ones[i] = 1;
  return 1;
}

void field_vary_input(field *f, int column, int input) {
  f->p->of[column / DUAL_LANES].d[f->s->a->nheld + input].a[1 + column % DUAL_LANES] = 1;
}

void field_close(field *f) { player_close(f->p); }

// ---- the point, with directions -------------------------------------------------------------------------------------
// Columns from, from + 1, ... are the directions; from < 0: none.
static dual stand(field *f, int from) {
  const sim_rows *r = &f->s->n.r;
  for (int i = 0; i < f->nv; i++) f->delta[i] = dual_of(0);
  for (int i = 0; i < f->nv; i++) f->dz[i] = dual_of(f->v[i]);
  for (int i = 0; i < f->nx; i++) f->dz[f->nv + i] = dual_of(f->x[i]);
  memset(f->dl, 0, (size_t)(f->s->a->nl + 1) * sizeof(dual));
  for (int i = 0; i < f->rows; i++) f->dl[r->l[i]] = dual_of(f->l[i]);
  dual t = dual_of(f->t);
  for (int k = 0; from >= 0 && k < DUAL_LANES && from + k < f->n; k++) {
    int j = from + k;
    if (j < f->nv) f->delta[j].a[1 + k] = 1;
    else if ((j -= f->nv) < f->nz) f->dz[j].a[1 + k] = 1;
    else if ((j -= f->nz) < f->rows) f->dl[r->l[j]].a[1 + k] = 1;
    else t.a[1 + k] = 1;
  }
  return t;
}

static void move(field *f, int chunk) {
  player *p = f->p;
  p->at = &p->of[chunk];
  for (int i = 0; i < f->s->a->nq; i++) p->at->q[i] = f->dq[i] = dual_of(f->q[i]);
  memset(p->zb, 0, (size_t)f->nz * sizeof(dual));
  play_move(p, p->at->q, dual_of(1), f->delta, dual_of(0), p->zb, f->dq);
}

void field_move(field *f, const double *delta) {
  for (int i = 0; i < f->nv; i++) f->delta[i] = dual_of(delta[i]);
  move(f, 0);
  for (int i = 0; i < f->s->a->nq; i++) f->q[i] = f->dq[i].a[0];
}

// ---- equations ------------------------------------------------------------------------------------------------------
static void forces(field *f, const dual_view *v) {
  nsm_sim *s = f->s;
  player *p = f->p;
  memset(p->f, 0, (size_t)f->nz * sizeof(dual));
  SIM_EACH(s, smooth, k) {
    PLAY(p, k, f, v, p->f, p->f + f->nv);
    PLAY(p, k, g, v, p->f, p->f + f->nv);
  }
  for (int i = 0; i < f->nz; i++) f->eq[i] = dual_scale(p->f[i], -1);
  SIM_EACH(s, row, k) {
    const nsm_pattern *h = &k->c->h;
    if (!sim_contactlike(k->c) || !PLAY(p, k, h, v, p->h)) continue;
    for (int i = 0; i < k->tab.count; i++)
      for (int j = 0; j < h->n; j++) {
        if (h->wrt[j] != NSM_WRT_V) continue;
        dual *to = &f->eq[sim_z_of(s, k, i, h->col[j])];
        *to = dual_sub(*to, dual_mul(p->h[i * h->n + j], f->dl[s->n.r.l[k->row0 + i]]));
      }
  }
}

// lambda_d = -r A_d (A u)_d/|A u|; at FIELD_LIMIT the direction is given.
static dual at_limit(field *f, int row) {
  player *p = f->p;
  const sim_rows *r = &f->s->n.r;
  int number = r->friction_of[row], at = 0;
  const sim_friction *c = &r->friction[number];
  dual A[SIM_SLIPS], length = dual_of(0), limit = play_pressed(p, number, f->dl, dual_of(1));
  while (c->row[at] != row) at++;
  play_friction_axes(p, number, A);
  dual l = f->dl[r->l[row]];
  if (f->law[row] == FIELD_LIMIT) return dual_sub(l, dual_scale(dual_mul(limit, A[at]), f->way[row]));
  if (c->n == 1) return dual_add(l, dual_scale(dual_mul(limit, A[at]), p->y[row].a[0] > 0 ? 1 : -1));
  for (int d = 0; d < c->n; d++) {
    dual x = dual_mul(A[d], p->y[c->row[d]]);
    length = dual_add(length, dual_mul(x, x));
  }
  dual along = dual_div(dual_mul(A[at], dual_mul(A[at], p->y[row])), dual_sqrt(length));
  return dual_add(l, dual_mul(limit, along));
}

static void laws(field *f, const dual_view *v) {
  nsm_sim *s = f->s;
  player *p = f->p;
  const sim_rows *r = &s->n.r;
  play_views all = { .begin = *v, .middle = *v, .law = *v, .end = *v, .h = dual_of(1) };
  tape_entry entry = { .law = f->none, .gamma = f->ones };
  play_rows(p, &entry, &all);
  SIM_EACH(s, row, k) {
    if (k->c->kind == NSM_CONTACT || (k->c->kind == NSM_CONSTRAINT && !k->c->velocity_level))
      PLAY(p, k, gap, v, p->gap + k->row0, p->u0 + k->row0);
  }
  for (int row = 0; row < f->rows; row++) {
    dual *to = &f->eq[f->nz + row], l = f->dl[r->l[row]];
    switch ((field_law)f->law[row]) {
    case FIELD_OPEN: *to = l; break;
    case FIELD_GAP: *to = p->gap[row]; break;
    case FIELD_LOW: *to = dual_sub(l, p->lo[row]); break;
    case FIELD_HIGH: *to = dual_sub(l, p->hi[row]); break;
    case FIELD_SLIDES: case FIELD_LIMIT: *to = at_limit(f, row); break;
    default: *to = p->y[row];
    }
  }
}

// chunk: whose columns of constants, with their directions, are read.
static int equations(field *f, int from, int chunk, nsm_error *e) {
  dual t = stand(f, from);
  move(f, chunk);
  f->p->at->t = t;
  dual_view v = play_view(f->p, t, f->dq, f->dz, f->dl, dual_of(1));
  if (f->s->a->ndelay > 0) {
    play_still(f->p, &v);
    v = play_view(f->p, t, f->dq, f->dz, f->dl, dual_of(1));
  }
  forces(f, &v);
  laws(f, &v);
  if (!f->p->without) return 1;
  sim_fail(e, NSM_USAGE, "line %d asks for contacts of shapes, which have no derivative yet", f->p->without);
  return 0;
}

static void inertia(field *f) {
  nsm_sim *s = f->s;
  player *p = f->p;
  memset(f->E, 0, (size_t)f->nz * (size_t)f->nz * sizeof(double));
  dual_view v = play_view(p, dual_of(f->t), f->dq, f->dz, f->dl, dual_of(1));
  SIM_EACH(s, smooth, k) {
    const nsm_pattern *m = &k->c->mass;
    if (m->n == 0 || !PLAY(p, k, mass, &v, p->m)) continue;
    for (int i = 0; i < k->tab.count; i++)
      for (int j = 0; j < m->n; j++)
        f->E[sim_z_of(s, k, i, m->row[j]) + (size_t)sim_z_of(s, k, i, m->col[j]) * (size_t)f->nz] +=
          p->m[i * m->n + j].a[0];
  }
}

int field_evaluate(field *f, nsm_error *e) {
  int last = f->p->nc;
  for (int from = 0; from < f->n; from += DUAL_LANES) {
    if (!equations(f, from, last, e)) return 0;
    for (int k = 0; k < DUAL_LANES && from + k < f->n; k++)
      for (int i = 0; i < f->m; i++) f->J[i + (size_t)(from + k) * (size_t)f->m] = f->eq[i].a[1 + k];
  }
  for (int i = 0; i < f->m; i++) f->r[i] = f->eq[i].a[0];
  inertia(f);
  return 1;
}

int field_values(field *f, double *r, nsm_error *e) {
  if (!equations(f, -1, f->p->nc, e)) return 0;
  for (int i = 0; i < f->m; i++) r[i] = f->eq[i].a[0];
  return 1;
}

int field_inputs(field *f, nsm_error *e) {
  for (int c = 0; c < f->p->nc; c++) {
    if (!equations(f, -1, c, e)) return 0;
    for (int k = 0; k < DUAL_LANES && c * DUAL_LANES + k < f->p->np; k++)
      for (int i = 0; i < f->m; i++) f->B[i + (size_t)(c * DUAL_LANES + k) * (size_t)f->m] = f->eq[i].a[1 + k];
  }
  return 1;
}

// ---- columns of results ---------------------------------------------------------------------------------------------
static dual column(field *f, int which, int from, int chunk) {
  play_state *at = &f->p->of[chunk];
  dual t = stand(f, from);
  double h = f->s->n.h;
  move(f, chunk);
  at->t = t;
  memcpy(at->q, f->dq, (size_t)f->s->a->nq * sizeof(dual));
  memcpy(at->z, f->dz, (size_t)f->nz * sizeof(dual));
  memcpy(at->l, f->dl, (size_t)(f->s->a->nl + 1) * sizeof(dual));
  f->s->n.h = 1;
  dual y = play_column(f->p, chunk, which);
  f->s->n.h = h;
  return y;
}

double field_column(field *f, int which, double *d, double *by) {
  for (int from = 0; d && from < f->n; from += DUAL_LANES) {
    dual y = column(f, which, from, f->p->nc);
    for (int k = 0; k < DUAL_LANES && from + k < f->n; k++) d[from + k] = y.a[1 + k];
  }
  for (int c = 0; by && c < f->p->nc; c++) {
    dual y = column(f, which, -1, c);
    for (int k = 0; k < DUAL_LANES && c * DUAL_LANES + k < f->p->np; k++) by[c * DUAL_LANES + k] = y.a[1 + k];
  }
  return column(f, which, -1, f->p->nc).a[0];
}

void field_name(const field *f, int j, char *to, size_t size) {
  nsm_sim *s = f->s;
  int velocities = 1 + f->nx + s->a->nshown;
  if (j < f->nv) {
    for (int i = 0; i < s->a->nshown; i++)
      if (j < s->a->nown && s->a->shown[i] == j) {
        snprintf(to, size, "%s", nsm_column_name(s, 1 + f->nx + i));
        return;
      }
    snprintf(to, size, "turn by %s", nsm_column_name(s, velocities + j));
  } else if ((j -= f->nv) < f->nv) snprintf(to, size, "%s", nsm_column_name(s, velocities + j));
  else if ((j -= f->nv) < f->nx) snprintf(to, size, "%s", nsm_column_name(s, 1 + j));
  else sim_row_name(s, j - f->nx, to, size);
}
