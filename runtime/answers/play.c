// A tape is played: pieces (piece.c) and blocks in their order; what is told of them.
#include "play.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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
    { &p->w, n }, { &p->eq, n }, { &p->q1, nq }, { &p->l1, nl }, { &p->mean, rows }, { &p->ground, rows },
    { &p->qm, nq }, { &p->zm, nz }, { &p->qg, nq }, { &p->zg, nz }, { &p->zb, nz }, { &p->inc, nz },
    { &p->way, nz }, { &p->f, nz }, { &p->g, nz }, { &p->y, rows }, { &p->gap, rows }, { &p->lo, rows },
    { &p->hi, rows }, { &p->u0, rows }, { &p->mu, 3 * rows }, { &p->h, many + 3 * rows }, { &p->m, many },
    { &p->signal, 2 * nd + nq + nz + nl } };
  for (size_t i = 0; i < sizeof room / sizeof *room; i++) *room[i].at = play_take(p, room[i].n, sizeof(dual));
  size_t lanes = (size_t)p->nc * DUAL_LANES, m = nq + nl + 2 * rows + 1;
  p->stride = (int)((size_t)p->np + n + DUAL_LANES);
  p->out = play_take(p, m, sizeof(dual));
  p->E = play_take(p, (size_t)p->stride * n, sizeof(double));
  p->O = play_take(p, (size_t)p->stride * m, sizeof(double));
  p->J = play_take(p, n * n, sizeof(double));
  p->work = play_take(p, n * n, sizeof(double));
  p->matrix = play_take(p, n * n, sizeof(double));
  p->scale = play_take(p, n, sizeof(double));
  p->factored = -1;
  p->rhs = play_take(p, n * ((size_t)p->np + 3), sizeof(double));
  p->pivot = play_take(p, 2 * n, sizeof(int));
  p->first = play_take(p, rows * (lanes + 1), sizeof(double));
  p->last = play_take(p, rows * (lanes + 1), sizeof(double));
  p->events = play_take(p, rows, sizeof(long));
}

player *player_open(nsm_sim *s, const tape *t, const play_kernels *run, int np, int phases, nsm_error *e) {
  player *p = calloc(1, sizeof *p);
  if (!p) { sim_no_memory(e, "derivatives"); return NULL; }
  p->s = s;
  p->tape = t;
  p->run = run->run;
  p->with = run->with;
  p->np = np + phases;
  p->phase = phases ? np : -1;
  p->nc = (p->np + DUAL_LANES - 1) / DUAL_LANES;
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

// The largest coordinate, and velocity or state, of the run so far; at rest a velocity that would be seen over the run.
static void look_at_size(player *p, const tape *t) {
  const nsm_sim *s = t->s;
  double length = s->a->until - s->a->start;
  for (long i = 0; i < t->n; i++) {
    const tape_entry *e = &t->at[i];
    for (int q = 0; e->begin && q < s->a->nq; q++) p->place = fmax(p->place, fabs(e->begin[q]));
    for (int z = 0; e->solution && z < s->a->nz; z++) p->size = fmax(p->size, fabs(e->solution[z]));
  }
  if (length > 0) p->size = fmax(p->size, p->place / length);
}

static void compare(player *p, const tape_entry *e, double off, double size) {
  if (size > 0 && !(off / size <= p->mismatch)) { p->mismatch = off / size; p->mismatch_at = e->t; }
}

// What is played has the rounding of its own, which grows in a chaotic motion: where it has come off the values of the
// run, these are taken. All that one piece may do is rounding: else something that the run did is not on the tape.
static void stand_as_run(player *p, const tape_entry *e) {
  static const double parted = 1e-9;     // of the largest
  const nsm_sim *s = p->s;
  const int n[] = { s->a->nq, s->a->nz, s->a->nl, s->a->nd };
  double off[2] = { 0 }, size[] = { p->place, p->size };
  if (!e->begin) return;
  dual *of[] = { p->of[0].q, p->of[0].z };
  for (int k = 0, at = 0; k < 2; at += n[k++])
    for (int i = 0; i < n[k]; i++) off[k] = fmax(off[k], fabs(of[k][i].a[0] - e->begin[at + i]));
  compare(p, e, off[0], size[0]);
  compare(p, e, off[1], size[1]);
  if (off[0] <= parted * size[0] && off[1] <= parted * size[1]) return;
  for (int c = 0; c <= p->nc; c++) {
    const double *x = e->begin;
    dual *to[] = { p->of[c].q, p->of[c].z, p->of[c].l, p->of[c].d };
    for (int k = 0; k < 4; x += n[k++]) for (int i = 0; i < n[k]; i++) to[k][i].a[0] = x[i];
  }
}

int play(player *p, nsm_error *e) {
  const tape *t = p->tape;
  look_at_size(p, t);
  for (long i = 0; i < t->n; i++) {
    const tape_entry *entry = &t->at[i];
    for (int c = 0; c <= p->nc; c++) p->of[c].t.a[0] = entry->t;      // sums of lengths have their rounding
    switch (entry->kind) {
    case TAPE_ROW: if (p->row) p->row(p, p->to); break;
    case TAPE_STOP: if (p->stop) p->stop(p, entry->number, p->to); break;
    case TAPE_BLOCK: block(p, entry); break;
    default:
      stand_as_run(p, entry);
      compare(p, entry, play_piece(p, entry), p->size);
      p->captured += entry->captured;
      p->weak += entry->weak;
      look_at_grazing(p, entry);
      play_stand(p, entry);
      if (entry->last) play_phase_ends(p);
      if (entry->end == TAPE_SET && play_takes_time(entry)) tell_event(p, entry);
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
