// Equations of rows: what each had in the run (tape_law).
#include "play.h"
#include "runtime/cone/sets.h"
#include <stddef.h>

static const dual *column(const player *p, const sim_class *k, int i, int at) {
  return p->at->num[k - p->s->a->cls] + (size_t)i * (size_t)k->c->nnum + (size_t)at;
}

// ---- friction -------------------------------------------------------------------------------------------------------
void play_coefficients(player *p, const dual_view *middle) {
  nsm_sim *s = p->s;
  SIM_EACH(s, friction, k) {
    if (k->c->direction != 0) continue;
    size_t n = (size_t)k->tab.count;
    dual *c = p->h;
    int moves = PLAY(p, k, mu, middle, c, c + n, c + 2 * n);
    const int at[] = { k->c->mu_num, k->c->mu2_num, k->c->radius_num };
    for (int i = 0; i < k->tab.count; i++)
      for (int j = 0; j < 3; j++)
        p->mu[3 * (k->friction0 + i) + j] = moves       ? c[i + j * (int)n]
                                            : at[j] < 0 ? dual_of(0)
                                                        : *column(p, k, i, at[j]);
  }
}

void play_friction_axes(player *p, int i, dual *A) {
  const sim_friction *f = &p->s->n.r.friction[i];
  const dual *c = p->mu + 3 * i;
  for (int d = 0; d < f->n; d++) {
    nsm_cone_axis axis = nsm_cone_axis_of(f->type, f->n, d);
    A[d] = axis == NSM_AXIS_ONE    ? dual_of(1)
           : axis == NSM_AXIS_MU2  ? c[1]
           : axis == NSM_AXIS_SPIN ? dual_mul(c[0], f->normals == 0 ? c[1] : c[2])
                                   : c[0];
  }
}

dual play_pressed(player *p, int i, const dual *l, dual h) {
  const sim_friction *f = &p->s->n.r.friction[i];
  const sim_rows *r = &p->s->n.r;
  dual sum = dual_of(0);
  if (f->normals == 0) return dual_mul(h, p->mu[3 * i + 2]);
  if (f->normals == 1 && f->type != NSM_CONE_GRIP) return l[r->l[f->normal[0]]];
  for (int d = 0; d < f->normals; d++) {
    dual x = l[r->l[f->normal[d]]];
    sum = dual_add(sum, dual_mul(x, x));
  }
  return dual_sqrt(sum);
}

// u of friction, of what slides by the mean slip twice that.
static dual slip_of(const player *p, const tape_entry *e, int row) {
  return e->law[row] == TAPE_SLIDES_MEAN ? dual_add(p->y[row], p->u0[row]) : p->y[row];
}

// lambda_d = -r A_d (A u)_d/|A u|, over the part of the block that the row belongs to.
dual play_slides(player *p, int row, const dual *u, dual lambda, dual limit, int negative) {
  const sim_rows *r = &p->s->n.r;
  int number = r->friction_of[row];
  const sim_friction *f = &r->friction[number];
  dual A[SIM_SLIPS], length = dual_of(0);
  int at = 0, from, n = play_part(f, row, &from);
  while (f->row[at] != row) at++;
  play_friction_axes(p, number, A);
  if (n == 1) return dual_sub(lambda, dual_scale(dual_mul(limit, A[at]), negative ? -1 : 1));
  for (int d = from; d < from + n; d++) {
    dual x = dual_mul(A[d], u[d]);
    length = dual_add(length, dual_mul(x, x));
  }
  dual along = dual_div(dual_mul(A[at], dual_mul(A[at], u[at])), dual_sqrt(length));
  return dual_add(lambda, dual_mul(limit, along));
}

// Of one direction the sign of u is that of the slip as the piece began, else that of the force: u may vanish.
static dual sliding(player *p, const tape_entry *e, int row, dual h) {
  const sim_rows *r = &p->s->n.r;
  int number = r->friction_of[row];
  const sim_friction *f = &r->friction[number];
  dual u[SIM_SLIPS], lambda = p->l1[r->l[row]];
  for (int d = 0; d < f->n; d++) u[d] = slip_of(p, e, f->row[d]);
  return play_slides(p, row, u, lambda, play_pressed(p, number, p->l1, h),
                     e->slide ? e->slide[row] > 0 : dual_above(dual_of(0), lambda));
}

// ---- values ---------------------------------------------------------------------------------------------------------
static int asks_begin(const tape_entry *e, const sim_class *k) {
  for (int i = 0; i < k->tab.count; i++)
    switch ((tape_law)e->law[k->row0 + i]) {
    case TAPE_RATE_E: case TAPE_SLIDES_E: case TAPE_SLIDES_MEAN: return 1;
    default: break;
    }
  return 0;
}

void play_rows(player *p, const tape_entry *e, const play_views *v) {
  nsm_sim *s = p->s;
  if (s->n.r.nfriction > 0) play_coefficients(p, &v->middle);
  SIM_EACH(s, row, k) {
    int cls = (int)(k - s->a->cls), relation = k->c->kind == NSM_RELATION;
    const dual_view *at = relation && e->gamma[cls] < 1 ? &v->law : &v->end;
    if (relation) PLAY(p, k, y, at, p->y + k->row0);
    else PLAY(p, k, rate, at, p->y + k->row0);
    if (!relation && asks_begin(e, k)) PLAY(p, k, rate, &v->begin, p->u0 + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      p->lo[row] = dual_of(s->n.r.lo[row]);
      p->hi[row] = dual_of(s->n.r.hi[row]);
    }
    if (relation) PLAY(p, k, law, at, p->lo + k->row0, p->hi + k->row0);
  }
}

// u + e u_0 of the rows with restitution, into y.
static void with_restitution(player *p, const tape_entry *e) {
  nsm_sim *s = p->s;
  SIM_EACH(s, row, k)
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      if (e->law[row] != TAPE_RATE_E && e->law[row] != TAPE_SLIDES_E) continue;
      dual by = k->c->e_num >= 0 ? *column(p, k, i, k->c->e_num) : dual_of(0);
      p->y[row] = dual_add(p->y[row], dual_mul(by, p->u0[row]));
    }
}

int play_part(const sim_friction *f, int row, int *first) {
  int at = 0, n = f->n / nsm_cone_set_of(f->type).parts;
  while (f->row[at] != row) at++;
  *first = at >= n ? n : 0;
  return n;
}

int play_stops(const player *p, const tape_entry *e) {
  static const double stands = 1e-6;     // of the largest velocity
  const sim_rows *r = &p->s->n.r;
  if (e->end != TAPE_SET || e->kind != TAPE_PIECE || e->set != SIM_SLIPS_ON || !(e->h > 0)) return 0;
  const sim_friction *f = &r->friction[r->friction_of[e->row]];
  int first, n = play_part(f, e->row, &first);
  double sum = 0;
  for (int d = first; d < first + n; d++) sum += p->y[f->row[d]].a[0] * p->y[f->row[d]].a[0];
  return n > 1 && sqrt(sum) <= stands * p->size;
}

// Is a row of friction in the part of its block that stops?
static int is_stopped(const player *p, const tape_entry *e, int row) {
  const sim_rows *r = &p->s->n.r;
  int number = r->friction_of[e->row], of, first;
  if (r->friction_of[row] != number) return 0;
  play_part(&r->friction[number], e->row, &of);
  play_part(&r->friction[number], row, &first);
  return first == of;
}

void play_row_laws(player *p, const tape_entry *e, const play_views *v, dual *eq) {
  const sim_rows *r = &p->s->n.r;
  int stops = play_stops(p, e);
  with_restitution(p, e);
  for (int row = 0; row < r->n; row++) {
    dual l = p->l1[r->l[row]];
    switch ((tape_law)e->law[row]) {
    case TAPE_NONE: eq[row] = l; break;
    case TAPE_LOW: eq[row] = dual_sub(l, p->lo[row]); break;
    case TAPE_HIGH: eq[row] = dual_sub(l, p->hi[row]); break;
    case TAPE_KEPT: eq[row] = dual_sub(l, p->at->l[r->l[row]]); break;
    case TAPE_SLIDES: case TAPE_SLIDES_E: case TAPE_SLIDES_MEAN:
      eq[row] = stops && is_stopped(p, e, row) ? p->y[row] : sliding(p, e, row, v->h);
      break;
    default: eq[row] = p->y[row];
    }
  }
}
