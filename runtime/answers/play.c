// A tape is played: each piece is solved again on its active set, and (1) of play.h is differentiated:
//
//   | R_w    R_h   | | dw |     | R_Y dY + R_t dt + R_c dc       |
//   | phi_w  phi_h | | dh | = - | phi_Y dY + phi_t dt + phi_c dc |,    dt' = dt + dh                             (2)
//
// by columns, seven at a time: the equations in dual numbers, whose directions are unknowns for the matrix, and
// parameters for the right sides. The matrix is that of the solution itself, not of the iterate before it.
#include "play.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 4 };
static const double agrees = 1e-6;       // of the largest: what is solved again, and the run

// ---- room -----------------------------------------------------------------------------------------------------------
static int most_entries(const nsm_sim *s) {
  int most = 1, blocks = 0;
  for (int c = 0; c < s->a->m->nclass; c++) {
    const nsm_class *k = s->a->cls[c].c;
    int n = s->a->cls[c].tab.count, e = k->mass.n > k->h.n ? k->mass.n : k->h.n;
    if (n * (e + 3) > most) most = n * (e + 3);
    blocks += n;
  }
  return most + blocks;
}

static void take_state(player *p, play_state *to) {
  const nsm_sim *s = p->s;
  size_t d = sizeof(dual);
  to->q = play_take(p, (size_t)s->a->nq, d);
  to->z = play_take(p, (size_t)s->a->nz, d);
  to->l = play_take(p, (size_t)s->a->nl + 1, d);
  to->d = play_take(p, (size_t)s->a->nd, d);
  to->mean = play_take(p, (size_t)s->n.r.n, d);
  to->ground = play_take(p, (size_t)s->n.r.n, d);
  to->num = play_take(p, (size_t)s->a->m->nclass, sizeof *to->num);
  for (int c = 0; to->num && c < s->a->m->nclass; c++)
    to->num[c] = play_take(p, (size_t)s->a->cls[c].tab.count * (size_t)s->a->m->cls[c].nnum, d);
}

// Unknowns of the largest piece.
static int most_unknowns(const nsm_sim *s) {
  int points = s->a->nz + s->n.r.n, stages = s->n.radau ? s->n.radau->m.s * s->n.radau->n : 0;
  return points > stages ? points : stages;
}

static void take_room(player *p) {
  const nsm_sim *s = p->s;
  size_t rows = (size_t)s->n.r.n, nz = (size_t)s->a->nz, nl = (size_t)s->a->nl + 1, nq = (size_t)s->a->nq,
         many = (size_t)most_entries(s), nd = (size_t)s->a->nd, n = (size_t)most_unknowns(s) + 1;
  struct { dual **at; size_t n; } room[] = {
    { &p->w, n }, { &p->eq, n }, { &p->q1, nq }, { &p->l1, nl }, { &p->mean, rows }, { &p->qm, nq },
    { &p->zm, nz }, { &p->qg, nq }, { &p->zg, nz }, { &p->zb, nz }, { &p->inc, nz }, { &p->way, nz }, { &p->f, nz },
    { &p->g, nz }, { &p->y, rows }, { &p->gap, rows }, { &p->lo, rows }, { &p->hi, rows }, { &p->u0, rows },
    { &p->mu, 3 * rows }, { &p->h, many + 3 * rows }, { &p->m, many }, { &p->signal, 2 * nd + nq + nz + nl } };
  for (size_t i = 0; i < sizeof room / sizeof *room; i++) *room[i].at = play_take(p, room[i].n, sizeof(dual));
  size_t lanes = (size_t)p->nc * DUAL_LANES;
  p->J = play_take(p, n * n, sizeof(double));
  p->work = play_take(p, n * n, sizeof(double));
  p->rhs = play_take(p, n * (lanes + DUAL_WIDTH), sizeof(double));
  p->pivot = play_take(p, 2 * n, sizeof(int));
  p->first = play_take(p, rows * (lanes + 1), sizeof(double));
  p->last = play_take(p, rows * (lanes + 1), sizeof(double));
  p->events = play_take(p, rows, sizeof(long));
}

player *player_open(nsm_sim *s, const tape *t, dual_kernel *run, void *with, int np, nsm_error *e) {
  player *p = calloc(1, sizeof *p);
  if (!p) { sim_no_memory(e, "derivatives"); return NULL; }
  p->s = s;
  p->tape = t;
  p->run = run;
  p->with = with;
  p->np = np;
  p->nc = (np + DUAL_LANES - 1) / DUAL_LANES;
  p->of = play_take(p, (size_t)p->nc + 1, sizeof *p->of);
  for (int c = 0; p->of && c <= p->nc; c++) take_state(p, &p->of[c]);
  take_room(p);
  if (!p->failed) return p;
  player_close(p);
  sim_no_memory(e, "derivatives");
  return NULL;
}

void player_close(player *p) {
  if (!p) return;
  for (play_memory *m = p->memory, *next; m; m = next) { next = m->next; free(m); }
  free(p);
}

static int takes_time(const tape_entry *e) { return e->kind == TAPE_PIECE || e->kind == TAPE_STAGES; }

// ---- the equations of a piece ---------------------------------------------------------------------------------------
// At p->w and h, and what ends it behind them.
static void equations(player *p, const tape_entry *e, dual h) {
  if (e->kind == TAPE_STAGES) play_stages(p, e, h);
  else if (e->kind == TAPE_JUMP) play_jump(p, e);
  else play_points(p, e, h);
  if (takes_time(e)) p->eq[p->nw] = play_end(p, e, h);
}

static void without_directions(player *p) {
  for (int i = 0; i < p->nw; i++) p->w[i] = dual_of(p->w[i].a[0]);
}

// The matrix of (2) into J, of n unknowns; values of the equations into rhs.
static void matrix(player *p, const tape_entry *e, int n) {
  p->at = &p->of[p->nc];
  for (int from = 0; from < n; from += DUAL_LANES) {
    dual h = dual_of(e->h);
    without_directions(p);
    for (int j = 0; j < DUAL_LANES && from + j < n; j++) {
      if (from + j == p->nw) h.a[1 + j] = 1;
      else p->w[from + j].a[1 + j] = 1;
    }
    equations(p, e, h);
    for (int j = 0; j < DUAL_LANES && from + j < n; j++)
      for (int i = 0; i < n; i++) p->J[i + (size_t)(from + j) * (size_t)n] = p->eq[i].a[1 + j];
  }
  for (int i = 0; i < n; i++) p->rhs[i] = -p->eq[i].a[0];
  without_directions(p);
}

// J is scaled by rows and factored; where equations depend on each other its pseudo-inverse is taken.
typedef struct factors { int n, pseudo; double *scale; } factors;

static void factor(player *p, int n, factors *f) {
  f->n = n;
  f->scale = p->rhs + (size_t)n * ((size_t)p->nc * DUAL_LANES + 1);
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(p->J[i + (size_t)j * (size_t)n]));
    f->scale[i] = most > 0 ? 1 / most : 1;
    for (int j = 0; j < n; j++) p->J[i + (size_t)j * (size_t)n] *= f->scale[i];
  }
  memcpy(p->work, p->J, (size_t)n * (size_t)n * sizeof(double));
  f->pseudo = n > 0 && nsm_la_lu_factor(n, p->J, n, p->pivot).code != NSM_LA_OK;
  for (int i = 0; i < n && !f->pseudo; i++) f->pseudo = !(fabs(p->J[i + (size_t)i * (size_t)n]) > 1e-14);
  if (!f->pseudo) return;
  int room = nsm_la_pseudo_inverse_work(n);
  double *work = malloc((size_t)room * sizeof *work);
  if (!work) { p->failed = 1; return; }
  nsm_la_pseudo_inverse(n, p->work, 1e-12, p->J, p->pivot, work, room);
  free(work);
}

static void solve(player *p, const factors *f, int columns, double *b) {
  size_t n = (size_t)f->n;
  for (int j = 0; j < columns; j++) {
    double *x = b + (size_t)j * n;
    for (size_t i = 0; i < n; i++) x[i] *= f->scale[i];
    if (!f->pseudo) { nsm_la_lu_solve(f->n, 1, p->J, f->n, p->pivot, x, f->n); continue; }
    nsm_la_gemv(f->n, f->n, 1, p->J, f->n, x, 0, p->work);
    memcpy(x, p->work, n * sizeof *x);
  }
}

// ---- a piece --------------------------------------------------------------------------------------------------------
static void take_solution(player *p, const tape_entry *e) {
  nsm_sim *s = p->s;
  int jump = e->kind == TAPE_JUMP, own = s->n.radau ? s->n.radau->n : 0;
  p->nw = e->kind == TAPE_STAGES ? s->n.radau->m.s * own : jump ? 2 * own : s->a->nz + s->n.r.n;
  for (int i = 0; i < p->nw; i++) p->w[i] = dual_of(e->solution[jump ? i % own : i]);
}

// The solution with what ends the piece left out: its length is that of the run. Then how far it is off the run.
static void correct(player *p, const tape_entry *e) {
  for (int k = 0; k < CORRECTIONS; k++) {
    factors f;
    double size = 0, change = 0;
    matrix(p, e, p->nw);
    factor(p, p->nw, &f);
    solve(p, &f, 1, p->rhs);
    for (int i = 0; i < p->nw; i++) {
      p->w[i].a[0] += p->rhs[i];
      size = fmax(size, fabs(p->w[i].a[0]));
      change = fmax(change, fabs(p->rhs[i]));
    }
    if (change <= 1e-13 * size) break;
  }
  double off = 0;
  for (int i = 0; i < p->s->a->nz; i++) off = fmax(off, fabs(p->w[i].a[0] - e->solution[i]));
  if (p->size > 0 && !(off / p->size <= p->mismatch)) { p->mismatch = off / p->size; p->mismatch_at = e->t; }
}

// The state at the end, from p->w with its directions.
static void stand(player *p, const tape_entry *e, dual h) {
  const nsm_sim *s = p->s;
  play_state *to = p->at;
  if (takes_time(e) && !e->at_once) {
    play_means(p, e, h);
    memcpy(to->mean, p->mean, (size_t)s->n.r.n * sizeof(dual));
    to->history = h;
  }
  if (e->kind == TAPE_STAGES || e->kind == TAPE_JUMP) {
    const struct sim_radau *w = s->n.radau;
    int last = e->kind == TAPE_STAGES ? w->m.s - 1 : 0;
    memcpy(to->z, p->w + (size_t)last * (size_t)w->n, (size_t)w->nz * sizeof(dual));
  } else {
    memcpy(to->q, p->q1, (size_t)s->a->nq * sizeof(dual));
    memcpy(to->z, p->w, (size_t)s->a->nz * sizeof(dual));
  }
  memcpy(to->l, p->l1, (size_t)(s->a->nl + 1) * sizeof(dual));
  to->t = dual_add(to->t, h);
}

static void one_piece(player *p, const tape_entry *e) {
  factors f;
  take_solution(p, e);
  correct(p, e);
  int n = p->nw + takes_time(e);
  matrix(p, e, n);
  factor(p, n, &f);
  p->unique += f.pseudo;
  int nw = p->nw;
  for (int c = 0; c <= p->nc; c++) {
    dual h = dual_of(e->h);
    p->at = &p->of[c];
    without_directions(p);
    if (c < p->nc) {
      equations(p, e, h);
      for (int j = 0; j < DUAL_LANES; j++)
        for (int i = 0; i < n; i++) p->rhs[i + j * n] = -p->eq[i].a[1 + j];
      solve(p, &f, DUAL_LANES, p->rhs);
      for (int j = 0; j < DUAL_LANES; j++) {
        for (int i = 0; i < nw; i++) p->w[i].a[1 + j] = p->rhs[i + j * n];
        if (n > nw) h.a[1 + j] = p->rhs[nw + j * n];
      }
    }
    equations(p, e, h);
    stand(p, e, h);
  }
}

// ---- what is told ---------------------------------------------------------------------------------------------------
static void tell_event(player *p, const tape_entry *e) {
  const nsm_sim *s = p->s;
  int f = s->n.r.friction_of[e->row], row = e->row, lanes = p->nc * DUAL_LANES;
  if (f >= 0 && s->n.r.friction[f].normals > 0) row = s->n.r.friction[f].normal[0];
  double *last = p->last + (size_t)row * (size_t)(lanes + 1), *first = p->first + (size_t)row * (size_t)(lanes + 1);
  last[0] = p->of[0].t.a[0];
  for (int j = 0; j < lanes; j++) last[1 + j] = p->of[j / DUAL_LANES].t.a[1 + j % DUAL_LANES];
  if (p->events[row]++ == 0) memcpy(first, last, (size_t)(lanes + 1) * sizeof *last);
  p->joint += e->hits > 1;
}

// A gap that is hit so slowly that rounding decides whether it is: u^2 < 2 |a| 10^3 eps q, with the acceleration a of a
// parabola from the begin of the piece.
static void look_at_grazing(player *p, const tape_entry *e) {
  nsm_sim *s = p->s;
  if (e->end != TAPE_SET || e->kind != TAPE_PIECE || (e->set != SIM_OPEN && e->set != SIM_LEFT) || !(e->h > 0)) return;
  const sim_class *k = &s->a->cls[s->n.r.cls[e->row]];
  double u = p->u0[e->row].a[0], size = 0;
  PLAY(p, k, gap, &p->now.begin, p->gap + k->row0, p->u0 + k->row0);
  double a = fabs(u - p->u0[e->row].a[0]) / e->h;
  for (int i = 0; i < s->a->nq; i++) size = fmax(size, fabs(p->q1[i].a[0]));
  if (!(u * u < 2 * a * 1e3 * DBL_EPSILON * size)) return;
  if (p->grazing++ > 0) return;
  p->grazed = e->t + e->h;
  p->grazer = e->row;
}

// ---- blocks ---------------------------------------------------------------------------------------------------------
static void block(player *p, const tape_entry *e) {
  nsm_sim *s = p->s;
  const sim_event *v = &s->a->event[e->block];
  for (int c = 0; c <= p->nc; c++) {
    play_state *to = p->at = &p->of[c];
    dual_view view = play_view(p, dual_add(to->t, dual_of(e->h)), to->q, to->z, to->l, dual_of(s->n.h));
    size_t at = 0;
    for (int a = 0; a < v->naction; a++) {
      const sim_class *k = &s->a->cls[v->action[a]];
      PLAY(p, k, out, &view, p->m + at);
      at += (size_t)k->tab.count;
    }
    at = 0;
    for (int a = 0; a < v->naction; a++) {
      const sim_class *k = &s->a->cls[v->action[a]];
      for (int i = e->instance; k->c->action == NSM_ACT_ASSIGN && i < e->instance + e->count; i++) {
        int to_of = k->tab.ix[(size_t)i * (size_t)k->c->nslot], kind = k->c->slot[0];
        dual value = p->m[at + (size_t)i];
        if (kind == NSM_SLOT_D) to->d[to_of] = value;
        else if (kind == NSM_SLOT_X) to->z[s->a->nv + to_of] = value;
        else if (k->c->init_velocity || kind == NSM_SLOT_VELOCITY) to->z[to_of] = value;
        else to->q[to_of] = value;
      }
      at += (size_t)k->tab.count;
    }
  }
}

// ---- the tape -------------------------------------------------------------------------------------------------------
static int refuse(nsm_error *e, const char *what, double t) {
  sim_fail(e, NSM_FAILED, "%s, t = %.10g s", what, t);
  return 0;
}

// The largest velocity or state of the run.
static double size_of(const tape *t) {
  double size = 0;
  for (long i = 0; i < t->n; i++)
    for (int z = 0; t->at[i].solution && z < t->s->a->nz; z++) size = fmax(size, fabs(t->at[i].solution[z]));
  return size;
}

int play(player *p, nsm_error *e) {
  const tape *t = p->tape;
  p->size = size_of(t);
  for (long i = 0; i < t->n; i++) {
    const tape_entry *entry = &t->at[i];
    for (int c = 0; c <= p->nc; c++) p->of[c].t.a[0] = entry->t;      // sums of lengths have their rounding
    switch (entry->kind) {
    case TAPE_ROW: if (p->row) p->row(p, p->to); break;
    case TAPE_STOP: if (p->stop) p->stop(p, entry->number, p->to); break;
    case TAPE_BLOCK: block(p, entry); break;
    default:
      one_piece(p, entry);
      p->captured += entry->captured;
      p->weak += entry->weak;
      look_at_grazing(p, entry);
      if (entry->end == TAPE_SET && takes_time(entry)) tell_event(p, entry);
    }
    if (p->failed) return sim_no_memory(e, "derivatives"), 0;
    if (p->without) {
      sim_fail(e, NSM_USAGE, "line %d asks for contacts of shapes, which have no derivative yet", p->without);
      return 0;
    }
    if (!(p->mismatch <= agrees))
      return refuse(e, p->mismatch > 0 ? "the piece that is differentiated is not the one of the run, a fault of nsm"
                                       : "a piece has no finite derivative", p->mismatch_at);
  }
  return 1;
}

// ---- columns --------------------------------------------------------------------------------------------------------
static int output_of(const nsm_sim *s, int *c) {
  for (int a = 0; a < s->a->on.output.n; a++) {
    int n = s->a->cls[s->a->on.output.of[a]].tab.count;
    if (*c < n) return s->a->on.output.of[a];
    *c -= n;
  }
  return -1;
}

static dual energy(player *p, int which) {
  nsm_sim *s = p->s;
  play_state *of = p->at;
  dual sum[2] = { dual_of(0), dual_of(0) };
  dual_view v = play_view(p, of->t, of->q, of->z, of->l, dual_of(s->n.h));
  SIM_EACH(s, energy, k) PLAY(p, k, energy, &v, &sum[0], &sum[1]);
  return which == 0 ? dual_add(sum[0], sum[1]) : sum[which - 1];
}

dual play_column(player *p, int chunk, int c) {
  nsm_sim *s = p->s;
  play_state *of = p->at = &p->of[chunk];
  if (c >= s->a->ncolumn) return energy(p, c - s->a->ncolumn);
  if (c-- == 0) return of->t;
  if (c < s->a->nx) return of->z[s->a->nv + c];
  if ((c -= s->a->nx) < s->a->nshown) return of->q[s->a->shown[c]];
  if ((c -= s->a->nshown) < s->a->nv) return of->z[c];
  if ((c -= s->a->nv) < s->a->nl_shown) return of->l[c];
  if ((c -= s->a->nl_shown) < s->a->ndiscrete) return of->d[c];
  c -= s->a->ndiscrete;
  int cls = output_of(s, &c);
  dual_view v = play_view(p, of->t, of->q, of->z, of->l, dual_of(s->n.h));
  PLAY(p, &s->a->cls[cls], out, &v, p->m);
  return p->m[c];
}

// Impulses of contacts are sums over the pieces of a step, which are not kept.
static int is_impulse(const nsm_sim *s, int l) {
  return l < s->a->nl && s->n.r.n > 0 && sim_contactlike(s->a->cls[s->n.r.cls[s->n.r.of_l[l]]].c);
}

int play_column_refused(player *p, int c, char *why, size_t size) {
  const nsm_sim *s = p->s;
  int impulse = 0, first = 1 + s->a->nx + s->a->nshown + s->a->nv;
  if (c >= s->a->ncolumn + 3) { snprintf(why, size, "the residue of the energy has no derivative"); return 1; }
  if (c >= first && c < first + s->a->nl_shown) impulse = is_impulse(s, c - first);
  else if (c >= first + s->a->nl_shown + s->a->ndiscrete && c < s->a->ncolumn) {
    int at = c - first - s->a->nl_shown - s->a->ndiscrete, cls = output_of(s, &at);
    const sim_class *k = &s->a->cls[cls];
    for (int slot = 0; slot < k->c->nslot; slot++)
      if (k->c->slot[slot] == NSM_SLOT_L) impulse |= is_impulse(s, k->tab.ix[at * k->c->nslot + slot]);
  }
  if (impulse) snprintf(why, size, "impulses of contacts and constraints have no derivative yet");
  return impulse;
}
