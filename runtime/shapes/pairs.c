// Lists of near pairs that stay valid while things move within their skins.
//
//     reach_i(now) + |x_i - x_i(built)| <= slack_i,   slack_i = reach_i(built) + skin_i     for all i        (1)
//
// Then a pair that is nearer than reach_a + reach_b now was nearer than slack_a + slack_b when the list was built, and
// is in it. The skin is a share of the radius, or six steps of the thing's own motion, so that neither a resting pile
// nor a cloud in free flight rebuilds often.
//
// Things go to levels by octaves of their radius: one grid a level; a thing meets those of its own level, and those of
// coarser levels around it. A few things of a size of their own, and what has no end, are tested against all.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/shapes/level.h"
#include "runtime/shapes/vector.h"

enum { HALVES = 128 };                 // half octaves of radii, below the largest; the last one holds all the rest
enum { SINGLE = HALVES / 2 };          // a thing of no level; levels are fewer
enum { FEW = 16, MOST_SINGLES = 64 };
static const double SKIN = 0.1;        // of the radius, or the least half edge; at most twice the mean of all
static const double STEPS_AHEAD = 6;   // of motion in the skin,
static const double MOST_SKIN = 2;     // but no more than this share of the radius
static const double FLAT = 0.5;        // a box is looked at where its least half edge is below this share of the radius

struct nsm_pairs {
  int n, built, updates;               // updates since it was built
  nsm_extent *bound;
  unsigned char *side, *boxy, *level;  // boxy: its box says more than its sphere
  double *slack, *x, *R;               // of the poses when the list was built; R of the boxy ones only, in their order
  nsm_ball *ball, *by_level, *sorted;
  int *where, *start, *seen;           // seen: n + 1
  int any_boxy;
  nsm_pair_list found, ordered;
};

static double smallest_half(const nsm_extent *b) {
  double least = INFINITY;
  for (int k = 0; k < 3; k++)
    if (b->high[k] > b->low[k]) least = fmin(least, (b->high[k] - b->low[k]) / 2);   // a planar thing has no depth
  return least;
}

nsm_pairs *nsm_pairs_new(int n, const nsm_extent *bound, const unsigned char *side) {
  nsm_pairs *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  size_t m = (size_t)n + 1;
  p->n = n;
  p->bound = malloc(m * sizeof *p->bound);
  p->side = malloc(m);
  p->boxy = calloc(m, 1);
  p->level = calloc(m, 1);
  p->slack = calloc(m, sizeof(double));
  p->x = calloc(m, 3 * sizeof(double));
  p->ball = malloc(m * sizeof *p->ball);
  p->by_level = malloc(m * sizeof *p->ball);
  p->sorted = malloc(m * sizeof *p->ball);
  p->where = malloc(m * sizeof(int));
  p->start = malloc(((size_t)nsm_level_cells(n) + 1) * sizeof(int));
  p->seen = malloc(m * sizeof(int));
  if (!p->bound || !p->side || !p->boxy || !p->level || !p->slack || !p->x || !p->ball || !p->by_level || !p->sorted
      || !p->where || !p->start || !p->seen) { nsm_pairs_free(p); return NULL; }
  memcpy(p->bound, bound, (size_t)n * sizeof *bound);
  memcpy(p->side, side, (size_t)n);
  for (int i = 0; i < n; i++) {
    p->boxy[i] = !isfinite(bound[i].radius) || smallest_half(&bound[i]) < FLAT * bound[i].radius;
    p->any_boxy += p->boxy[i];
  }
  p->R = malloc(((size_t)p->any_boxy + 1) * 9 * sizeof(double));
  if (!p->R) { nsm_pairs_free(p); return NULL; }
  return p;
}

void nsm_pairs_free(nsm_pairs *p) {
  if (!p) return;
  void *part[] = { p->bound, p->side, p->boxy, p->level, p->slack, p->x, p->R, p->ball, p->by_level, p->sorted,
                   p->where, p->start, p->seen, p->found.pair, p->ordered.pair, p };
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) free(part[i]);
}

const nsm_pair *nsm_pairs_list(const nsm_pairs *p, int *count) {
  *count = p->ordered.count;
  return p->ordered.pair;
}

// How far thing i has moved since the list was built; with a box, how far any point within its radius has:
// |R x - R' x| <= |R - R'|_F |x| / sqrt(2) for rotations.
static inline double moved(const nsm_pairs *p, int i, int box, const nsm_pose *pose) {
  const double *x = p->x + 3 * i, *now = pose->r;
  double a = now[0] - x[0], b = now[1] - x[1], c = now[2] - x[2], far = sqrt(a * a + b * b + c * c);
  if (!p->boxy[i]) return far;
  const double *R = p->R + 9 * box;
  double turned = 0;
  for (int k = 0; k < 9; k++) turned += (pose->R[k] - R[k]) * (pose->R[k] - R[k]);
  return turned > 0 ? far + p->bound[i].radius * sqrt(turned / 2) : far;
}

static int still_valid(const nsm_pairs *p, const nsm_pose *pose, const double *reach) {
  int box = 0;
  for (int i = 0; i < p->n; i++) {
    if (!(moved(p, i, box, &pose[i]) + reach[i] <= p->slack[i])) return 0;
    box += p->boxy[i];
  }
  return 1;
}

// Equation (1): what thing i looks at beyond its surface, by its size and by its motion since the last list.
static void choose_slack(nsm_pairs *p, const nsm_pose *pose, const double *reach) {
  double all = 0;
  int box = 0, finite = 0;
  for (int i = 0; i < p->n; i++) {
    p->slack[i] = SKIN * (p->boxy[i] ? smallest_half(&p->bound[i]) : p->bound[i].radius);
    if (isfinite(p->bound[i].radius)) { all += p->slack[i]; finite++; }
  }
  double mean = finite ? all / finite : 0;
  for (int i = 0; i < p->n; i++) {
    double skin = p->side[i] & NSM_SIDE_FIXED ? 0 : fmin(p->slack[i], 2 * mean);
    if (p->built) {
      double ahead = STEPS_AHEAD * moved(p, i, box, &pose[i]) / p->updates;
      if (isfinite(ahead)) skin = fmax(skin, fmin(ahead, MOST_SKIN * p->bound[i].radius));   // not what has no end
    }
    p->slack[i] = skin + reach[i];
    memcpy(p->x + 3 * i, pose[i].r, sizeof pose[i].r);
    if (p->boxy[i]) memcpy(p->R + 9 * box++, pose[i].R, sizeof pose[i].R);
  }
}

// Is the ball (x, radius) further than `radius` from the box of `bound` placed at `pose`?
static int beyond_box(const nsm_extent *bound, const nsm_pose *pose, const double *x, double radius) {
  double arm[3], in_body[3], own[3], square = 0;
  sub3(x, pose->r, arm);
  back3(pose->R, arm, in_body);
  sub3(in_body, bound->at, arm);
  back3(bound->turn, arm, own);
  for (int k = 0; k < 3; k++) {
    double out = fmax(fmax(bound->low[k] - own[k], own[k] - bound->high[k]), 0);
    square += out * out;
  }
  return square > radius * radius;
}

static int within(const nsm_pairs *p, int a, int b, const nsm_pose *pose, double reach) {
  double ra = p->bound[a].radius, rb = p->bound[b].radius, d[3], all = ra + rb + reach;
  sub3(pose[a].r, pose[b].r, d);
  if (dot3(d, d) > all * all) return 0;
  if (p->boxy[a] && isfinite(rb) && beyond_box(&p->bound[a], &pose[a], pose[b].r, rb + reach)) return 0;
  return !(p->boxy[b] && isfinite(ra) && beyond_box(&p->bound[b], &pose[b], pose[a].r, ra + reach));
}

int nsm_pairs_near(const nsm_pairs *p, nsm_pair pair, const nsm_pose *pose, const double *reach) {
  return within(p, pair.a, pair.b, pose, reach[pair.a] + reach[pair.b]);
}

// A pair is one of side A with one of side B, and one of both moves: bits of what a thing is and of what it wants.
enum { MOVING_A = 1, FIXED_A = 2, MOVING_B = 4, FIXED_B = 8 };
static short is_of(int side) {
  int fixed = side & NSM_SIDE_FIXED;
  return (short)((side & NSM_SIDE_A ? (fixed ? FIXED_A : MOVING_A) : 0)
                 | (side & NSM_SIDE_B ? (fixed ? FIXED_B : MOVING_B) : 0));
}
static short wants_of(int side) {
  int fixed = side & NSM_SIDE_FIXED;
  return (short)((side & NSM_SIDE_A ? MOVING_B | (fixed ? 0 : FIXED_B) : 0)
                 | (side & NSM_SIDE_B ? MOVING_A | (fixed ? 0 : FIXED_A) : 0));
}

static void make_balls(nsm_pairs *p, const nsm_pose *pose) {
  for (int i = 0; i < p->n; i++) {
    nsm_ball *b = &p->ball[i];
    memcpy(b->x, pose[i].r, sizeof b->x);
    b->radius = p->bound[i].radius + p->slack[i];
    b->id = i;
    b->is = is_of(p->side[i]);
    b->wants = wants_of(p->side[i]);
  }
}

// Which level each half octave below the largest radius belongs to, coarsest first: two make a level. What has few
// things, as one that is fast among many, is tested against all, so that it does not widen the cells of the others.
static void choose_levels(const int *count, unsigned char *level) {
  int next = 0, singles = 0;
  for (int h = 0; h < HALVES; h++) {
    level[h] = SINGLE;
    if (count[h] <= FEW && singles + count[h] <= MOST_SINGLES) { singles += count[h]; continue; }
    level[h] = (unsigned char)next;
    if (h + 1 < HALVES) level[++h] = (unsigned char)next;
    next++;
  }
}

// Each thing's level. from[k] .. from[k + 1]: the things of level k in by_level; SINGLE comes last.
static void sort_by_level(nsm_pairs *p, int *from) {
  double largest = 0, octave[HALVES / 2];
  int count[HALVES] = { 0 };
  unsigned char level[HALVES];
  for (int i = 0; i < p->n; i++)
    if (isfinite(p->ball[i].radius) && p->ball[i].radius > largest) largest = p->ball[i].radius;
  for (int k = 0; k < HALVES / 2; k++) octave[k] = largest * ldexp(sqrt(0.5), -k);   // the middle of octave k
  for (int i = 0; i < p->n; i++) {
    double radius = p->ball[i].radius;
    int k = radius > octave[HALVES / 2 - 1] ? ilogb(largest / radius) : HALVES / 2 - 1;
    p->level[i] = (unsigned char)(isfinite(radius) ? 2 * k + (radius <= octave[k]) : HALVES);
    if (p->level[i] < HALVES) count[p->level[i]]++;
  }
  choose_levels(count, level);
  memset(from, 0, (SINGLE + 2) * sizeof *from);
  for (int i = 0; i < p->n; i++) {
    p->level[i] = p->level[i] < HALVES ? level[p->level[i]] : SINGLE;
    from[p->level[i] + 1]++;
  }
  for (int k = 0; k <= SINGLE; k++) from[k + 1] += from[k];
  int next[SINGLE + 1];
  memcpy(next, from, sizeof next);
  for (int i = 0; i < p->n; i++) p->by_level[next[p->level[i]]++] = p->ball[i];
}

// Everything against one thing; of two that are both tested against all, once.
static int pairs_of_single(nsm_pairs *p, const nsm_ball *one) {
  if (!nsm_pair_list_reserve(&p->found, p->n)) return 0;
  for (int i = 0; i < p->n; i++)
    if (p->level[i] != SINGLE || i > one->id) nsm_pair_list_test(&p->found, one, &p->ball[i]);
  return 1;
}

// Level by level, coarsest first: the grid of a level gives the pairs within it and those with all finer things.
static int find_pairs(nsm_pairs *p, const nsm_pose *pose) {
  int from[SINGLE + 2];
  make_balls(p, pose);
  sort_by_level(p, from);
  p->found.count = 0;
  for (int k = 0; k < SINGLE; k++) {
    int count = from[k + 1] - from[k];
    if (count == 0) continue;
    nsm_level level;
    nsm_level_fill(&level, count, p->by_level + from[k], p->sorted, p->start, p->where);
    if (!nsm_level_pairs(&level, &p->found)) return 0;
    for (int i = from[k + 1]; i < from[SINGLE]; i++)
      if (!nsm_level_pairs_with(&level, &p->by_level[i], &p->found)) return 0;
  }
  for (int i = from[SINGLE]; i < p->n; i++)
    if (!pairs_of_single(p, &p->by_level[i])) return 0;
  return 1;
}

static int by_second(const void *left, const void *right) {
  const nsm_pair *l = left, *r = right;
  return (l->b > r->b) - (l->b < r->b);
}

// By b, the pairs of one a: mostly a few.
static void sort_run(nsm_pair *run, int count) {
  if (count > 24) { qsort(run, (size_t)count, sizeof *run, by_second); return; }
  for (int i = 1; i < count; i++) {
    nsm_pair one = run[i];
    int j = i;
    for (; j > 0 && run[j - 1].b > one.b; j--) run[j] = run[j - 1];
    run[j] = one;
  }
}

// Keeps the pairs whose boxes are near, too.
static void keep_near_boxes(nsm_pairs *p, const nsm_pose *pose) {
  int kept = 0;
  for (int i = 0; i < p->found.count; i++) {
    nsm_pair one = p->found.pair[i];
    if ((p->boxy[one.a] || p->boxy[one.b])
        && !within(p, one.a, one.b, pose, p->slack[one.a] + p->slack[one.b])) continue;
    p->found.pair[kept++] = one;
  }
  p->found.count = kept;
}

// The pairs found, in order: a counting sort by a, then each run by b.
static int put_in_order(nsm_pairs *p) {
  const nsm_pair_list *in = &p->found;
  nsm_pair_list *out = &p->ordered;
  out->count = 0;
  if (!nsm_pair_list_reserve(out, in->count)) return 0;
  memset(p->seen, 0, ((size_t)p->n + 1) * sizeof *p->seen);
  int sum = 0, begin = 0;
  for (int i = 0; i < in->count; i++) p->seen[in->pair[i].a]++;
  for (int i = 0; i < p->n; i++) { int c = p->seen[i]; p->seen[i] = sum; sum += c; }
  for (int i = 0; i < in->count; i++) out->pair[p->seen[in->pair[i].a]++] = in->pair[i];
  for (int i = 0; i < p->n; begin = p->seen[i++]) sort_run(out->pair + begin, p->seen[i] - begin);
  out->count = in->count;
  return 1;
}

int nsm_pairs_update(nsm_pairs *p, const nsm_pose *pose, const double *reach) {
  p->updates++;
  if (p->built && still_valid(p, pose, reach)) return 0;
  choose_slack(p, pose, reach);
  p->built = p->updates = 0;
  if (!find_pairs(p, pose)) return -1;
  if (p->any_boxy) keep_near_boxes(p, pose);
  if (!put_in_order(p)) return -1;
  p->built = 1;
  return 1;
}
