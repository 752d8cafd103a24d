// The room of a player.
#include "play.h"
#include "runtime/schemes/consistent.h"
#include <stdlib.h>
#include <string.h>

static int most_entries(const nsm_sim *s) {
  int most = 1, blocks = 0;
  for (int c = 0; c < s->a->m->nclass; c++) {
    const nsm_class *k = s->a->cls[c].c;
    int n = s->a->cls[c].tab.count, e = k->mass.n > k->h.n ? k->mass.n : k->h.n;
    e = k->dr.n > e ? k->dr.n : e;
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
  to->ring = play_take(p, (size_t)s->a->nring, d);
  to->last = play_take(p, (size_t)s->a->ndelay, d);
  to->num = play_take(p, (size_t)s->a->m->nclass, sizeof *to->num);
  for (int c = 0; to->num && c < s->a->m->nclass; c++)
    to->num[c] = play_take(p, (size_t)s->a->cls[c].tab.count * (size_t)s->a->m->cls[c].nnum, d);
}

void play_places(const nsm_sim *s, play_state *y, play_place *at) {
  const play_place all[PLAY_PLACES] = {
    { y->q, s->a->nq }, { y->z, s->a->nz }, { y->l, s->a->nl + 1 }, { y->d, s->a->nd }, { y->mean, s->n.r.n },
    { y->ground, s->n.r.n }, { y->ring, s->a->nring }, { y->last, s->a->ndelay }, { &y->kept, 1 }, { &y->last_t, 1 },
    { &y->t, 1 }, { &y->history, 1 } };
  memcpy(at, all, sizeof all);
}

static void take_room(player *p) {
  const nsm_sim *s = p->s;
  size_t rows = (size_t)s->n.r.n, nz = (size_t)s->a->nz, nl = (size_t)s->a->nl + 1, nq = (size_t)s->a->nq,
         many = (size_t)most_entries(s), nd = (size_t)s->a->nd, n = (size_t)play_unknowns(s, NULL) + 1;
  struct { dual **at; size_t n; } room[] = {
    { &p->w, n }, { &p->eq, n }, { &p->q1, nq }, { &p->l1, nl }, { &p->mean, rows }, { &p->ground, rows },
    { &p->qm, nq }, { &p->zm, nz }, { &p->qg, nq }, { &p->zg, nz }, { &p->zb, nz }, { &p->inc, nz },
    { &p->dq, nz }, { &p->dv, nz }, { &p->kappa, nl }, { &p->way, nz }, { &p->f, nz }, { &p->g, nz },
    { &p->y, rows }, { &p->gap, rows }, { &p->lo, rows },
    { &p->hi, rows }, { &p->u0, rows }, { &p->slip, rows },
    { &p->mu, 3 * rows }, { &p->h, many + 3 * rows }, { &p->m, many },
    { &p->zero, nq + nz + nl + nd }, { &p->signal, s->a->nsignal > 0 ? 2 * nd * PLAY_VIEWS : 0 } };
  for (size_t i = 0; i < sizeof room / sizeof *room; i++) *room[i].at = play_take(p, room[i].n, sizeof(dual));
  int apart = s->n.con && con_settles(s);
  p->press = apart ? play_take(p, nl, sizeof(dual)) : p->l1;
  p->pull = apart ? play_take(p, nl, sizeof(dual)) : p->l1;
  size_t m = nq + nl + 2 * rows + 1;
  p->stride = (int)((size_t)p->np + n + DUAL_LANES);
  p->out = play_take(p, m, sizeof(dual));
  p->E = play_take(p, (size_t)p->stride * n, sizeof(double));
  p->O = play_take(p, (size_t)p->stride * m, sizeof(double));
  p->J = play_take(p, n * n, sizeof(double));
  p->work = play_take(p, n * n, sizeof(double));
  p->matrix = play_take(p, n * n, sizeof(double));
  p->scale = play_take(p, n, sizeof(double));
  p->solved = play_take(p, n, sizeof(double));
  p->slope = play_take(p, nq + nz + nl, sizeof(double));
  p->slope_at = play_take(p, nq + nz, sizeof(double));
  p->held = play_take(p, (size_t)p->nc * (nq + nz + nl + 1), sizeof(dual));
  p->factored = -1;
  p->rhs = play_take(p, n * ((size_t)p->np + 4), sizeof(double));
  p->pivot = play_take(p, 2 * n, sizeof(int));
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
  play_polynomials_open(p);
  const int length[] = { s->a->nq, s->a->nv, s->a->nz - s->a->nv, s->a->nl + 1, s->a->nd };
  memcpy(p->length, length, sizeof length);
  if (!p->failed) return p;
  player_close(p);
  sim_no_memory(e, "derivatives");
  return NULL;
}

void player_again(player *p) {
  p->index = p->dropped = 0;
  p->captured = p->weak = p->grazing = p->joint = p->unique = 0;
  p->mismatch = p->size = p->place = 0;
  p->factored = -1;
  p->failed = p->without = 0;
  p->numbers = NULL;
  p->helds = 0;
}

void player_close(player *p) {
  if (!p) return;
  for (play_memory *m = p->memory, *next; m; m = next) { next = m->next; free(m); }
  if (p->close_traces) p->close_traces(p->traces);
  free(p->memo.at);
  free(p);
}
