// Where a piece ends: the root of the function that crosses zero first. The piece is taken again, shorter, so what is
// found is a root of the scheme's own motion: bracketed; by secants, the ordinate of an end that stays being halved
// (Illinois: Dowell and Jarratt 1971); every fourth time by bisection.
//
// A contact that has just been left begins at zero: its gap is divided by the length of the piece, which leaves the
// rate at the begin as the other end of the bracket (docs/numerics/located.md, 5).
#include "flow_pieces.h"
#include "radau_pieces.h"
#include <math.h>
#include <string.h>

enum { MOST_TRIES = 100, MOST_SHORTER = 3 };
static const double none = 1e-9,        // of the piece: a set that ends before this has never held
                    flat = 1e-6,        // of the piece: to what the end of a slip is known where it does not go to zero
                    far = 1e3,          // times what has stopped: beyond it a function has jumped
                    beyond = 2.5;       // a mean force that falls steadily has run out behind twice the length

static nsm_code attempt(nsm_sim *s, double r, nsm_error *e) {
  nsm_code code = sim_try(s, r, s->now.t + r, e);
  if (code == NSM_OK) sim_watch(s, r, s->now.t + r);
  return code;
}

// Ordinate of a row in the bracket, for a trial of length r.
static double ordinate(const nsm_sim *s, int row, double r) {
  return s->located->f[row] / (s->now.set[row] == SIM_LEFT ? r : 1);
}

static void ordinates(const nsm_sim *s, double r, double *to) {
  SIM_EACH_LIVE(s, row) to[row] = ordinate(s, row, r);
}

static int crossed(const nsm_sim *s, int row) { return s->located->f[row] < -s->located->tolerance[row]; }

double sim_least_of_cubic(double g0, double u0, double g1, double u1, double h, double *x) {
  // g = g0 + u0 x + b x^2 + a x^3
  double d = (g1 - g0) / h, a = (u0 + u1 - 2 * d) / (h * h), b = (3 * d - 2 * u0 - u1) / h;
  double root = sqrt(fmax(b * b - 3 * a * u0, 0));
  *x = fabs(a) * h <= 1e-12 * fabs(b) ? -u0 / (2 * b) : b > 0 ? -u0 / (b + root) : (-b + root) / (3 * a);
  return g0 + *x * (u0 + *x * (b + *x * a));
}

// A gap may be negative between two ends where it is not: the place of its least value in (0, h), or 0.
static double dip(double g0, double u0, double g1, double u1, double h) {
  double x;
  if (!(u0 < 0 && u1 > 0)) return 0;
  double g = sim_least_of_cubic(g0, u0, g1, u1, h, &x);
  return x > 0 && x < h && g < 0 ? x : 0;
}

// The same of a slip, or of the y of a multiplier at its bound, of which no rate is known: by the parabola through its
// last three values, v0 a time of `before` ago.
static double dip_of_three(double v0, double v1, double v2, double before, double h) {
  if (!(before > 0 && v1 > 0 && v2 > 0)) return 0;
  // v = v1 + a x + b x^2, x in [-before, h]
  double d0 = (v1 - v0) / before, d1 = (v2 - v1) / h, b = (d1 - d0) / (before + h), a = d1 - b * h;
  double x = b > 0 ? -a / (2 * b) : 0;
  return x > 0 && x < h && v1 + 0.5 * a * x < 0 ? x : 0;
}

static int is_rate(int set) { return set == SIM_SLIPS_ON || set == SIM_LOW || set == SIM_HIGH; }

// The first place at which an open gap, a slip or a y may be negative, although it is not at the end of the trial; 0:
// none.
static double first_dip(const nsm_sim *s, double h) {
  const struct sim_located *w = s->located;
  double first = 0;
  if (!sim_has_fixed_sets(s)) SIM_EACH_LIVE(s, row) {
    if (!is_rate(s->now.set[row]) || !(w->mean[row] == s->now.watched[row])) continue;
    double x = dip_of_three(s->now.mean[row], s->now.watched[row], w->f[row], s->now.set_h, h);
    if (x > 0 && (first == 0 || x < first)) first = x;
  }
  SIM_EACH(s, contact, k) {
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (s->now.set[row] != SIM_OPEN || !(s->w.rate0[row] < 0 && w->rate[row] > 0)) continue;
      double ground = s->now.ground[row];
      double x = dip(s->w.gap0[row] - ground, s->w.rate0[row], w->gap[row] - ground, w->rate[row], h);
      if (x > 0 && (first == 0 || x < first)) first = x;
    }
  }
  return first;
}

// Zero in (0, h) of the cubic with values and rates at both ends (Hermite), g0 > 0 > g1; h: none is found. left: from a
// gap of 0 that grows, of the cubic over x.
static double zero_of_cubic(double g0, double u0, double g1, double u1, double h, int left) {
  double d = (g1 - g0) / h, a = (u0 + u1 - 2 * d) / (h * h), b = (3 * d - 2 * u0 - u1) / h, lo = 0, hi = h, x = h;
  for (int k = 0; k < MOST_TRIES && lo < x; k++) {
    double g = left ? u0 + x * (b + x * a) : g0 + x * (u0 + x * (b + x * a)),
           slope = left ? b + 2 * x * a : u0 + x * (2 * b + 3 * x * a), to;
    if (g == 0) return x;
    *(g < 0 ? &hi : &lo) = x;
    to = x - g / slope;
    if (!(to > lo && to < hi)) to = lo + 0.5 * (hi - lo);
    if (fabs(to - x) <= 4 * DBL_EPSILON * h) return to;
    x = to;
  }
  return x;
}

// What is between lo and hi. `from` (`oldest` before it), `above`: the lower and the upper end before. side: 1 where
// the last trial was behind the root, -1: before; `again` more before that one were so. Trials that have not halved the
// bracket (`wide`, its width then) in four are followed by one in its middle, and the function is taken as one that
// jumps; so it is where the places before the root have `foretold` one that is behind it. flat: over the root, as it
// does not go to zero before it. looked: at the begin.
typedef struct bracket {
  double whole, oldest, from, lo, hi, above, wide;
  int side, again, jumps, flat, looked, foretold;
} bracket;

// Of a gap the zero of the cubic, as its rates are known; else of the secant.
static double next_of(const nsm_sim *s, const bracket *b, int row) {
  const struct sim_located *w = s->located;
  double f0 = w->low[row], f1 = w->high[row], h = b->hi - b->lo, u0 = w->low_rate[row], u1 = w->high_rate[row];
  int set = s->now.set[row], left = set == SIM_LEFT && b->lo == 0;
  if (sim_is_open(s, row) && f0 > 0 && isfinite(f0) && isfinite(u0 + u1)) {
    double r0 = set == SIM_LEFT ? b->lo : 1, r1 = set == SIM_LEFT ? b->hi : 1;
    return b->lo + zero_of_cubic(left ? 0 : f0 * r0, u0, f1 * r1, u1, h, left);
  }
  return b->lo + h * (f0 > 0 && isfinite(f0) ? f0 / (f0 - f1) : 0.25);
}

// The next length between lo and hi.
static double next(const nsm_sim *s, const bracket *b) {
  double r = b->hi;
  SIM_EACH_LIVE(s, row) if (s->located->high[row] < 0) r = fmin(r, next_of(s, b, row));
  return r;
}

// The rows whose sets end at the trial at hand, which is not beyond any root by more than its tolerance. Where rounding
// has all of them hold at the end of the bracket, those that had crossed there when it was found.
static void take_hits(nsm_sim *s) {
  struct sim_located *w = s->located;
  int any = 0;
  SIM_EACH_LIVE(s, row) {
    int set = s->now.set[row], gap = sim_is_open(s, row), near = w->f[row] <= w->tolerance[row];
    w->hit[row] = crossed(s, row) || (near && (gap ? (set == SIM_OPEN || w->high[row] < 0) && w->rate[row] < 0
                                                   : w->high[row] < 0));
    any |= w->hit[row];
  }
  if (!any) SIM_EACH_LIVE(s, row) w->hit[row] = w->high[row] < 0;
}

// The rows that end at the end of the bracket do so by a multiplier that jumps over the whole of a piece that is too
// long: the piece that ends before is the one that holds.
static int ends_before(nsm_sim *s, double lo) {
  struct sim_located *w = s->located;
  int jumps = 0;
  for (int i = 0; lo > 0 && i < w->nrelation; i++)
    jumps |= w->high[w->relation[i]] < 0 && sim_watch_jumps(s, w->relation[i]);
  if (jumps) SIM_EACH_LIVE(s, row) w->hit[row] = w->high[row] < 0;
  return jumps;
}

// Zero behind c of the parabola through the values at a < b < c, fc > 0, falling there; without fa of the line.
// Infinity: it does not go to zero.
static double zero_behind(double a, double fa, double b, double fb, double c, double fc) {
  double slope = (fc - fb) / (c - b), bend = isfinite(fa) && b > a ? (slope - (fb - fa) / (b - a)) / (c - a) : 0;
  double falls = -(slope + (c - b) * bend), root = falls * falls - 4 * bend * fc;
  if (falls > 0 && root >= 0) return c + 2 * fc / (falls + sqrt(root));
  return fb > fc ? c + (c - b) * (fc / (fb - fc)) : INFINITY;
}

// A function that jumps at its root: what is left of a slip as it stops, and the force that turns then. Secants through
// both sides hardly move; the last places before the root (w->past at `from`, w->last at lo; in a plane w->older too)
// tell it. Their zero; 0: they do not know; infinity: nothing goes to zero there. *miss: by which share of the way from
// lo the line through the last two has it elsewhere.
static double from_before(const nsm_sim *s, const bracket *b, double *miss) {
  const struct sim_located *w = s->located;
  double r = INFINITY;
  *miss = 0;
  if (!(b->lo > b->from)) return 0;
  SIM_EACH_LIVE(s, row) {
    if (!(w->high[row] < 0)) continue;
    double level = w->stops[row], last = w->last[row] - level;
    if (!(last > 0 && isfinite(w->past[row]))) return 0;
    double older = level > 0 ? w->older[row] - level : NAN;
    double past = w->past[row] - level, zero = zero_behind(b->oldest, older, b->from, past, b->lo, last);
    if (!(zero < r)) continue;
    r = zero;
    *miss = isfinite(older) ? fabs(zero_behind(0, NAN, b->from, past, b->lo, last) - r) / (r - b->lo) : 0;
  }
  return r;
}

// Has it crossed at the begin already, as the last two trials say? A force that has run out there has no sign before.
static int crossed_from_start(const nsm_sim *s, const bracket *b) {
  const struct sim_located *w = s->located;
  if (b->lo == 0 && b->above > b->hi) SIM_EACH_LIVE(s, row) {
    double f = w->high[row], slope = (w->above[row] - f) / (b->above - b->hi);
    if (!sim_is_open(s, row) && f < 0 && w->above[row] < 0 && f - slope * b->hi < 0.5 * f) return 1;
  }
  return 0;
}

// Of so short a trial forces are round-off of velocities over its length: it is asked about those rows alone.
static void only_those(nsm_sim *s, bracket *b) {
  SIM_EACH_LIVE(s, row) if (!(s->located->high[row] < 0)) s->located->f[row] = INFINITY;
  b->looked = 2;
}

static int stops_in_plane(const nsm_sim *s, int row) {
  return s->now.set[row] == SIM_SLIPS_ON && s->located->out[row];
}

// Where the last trial was behind the root: is what has crossed there nearer to zero than it is at the lower end? What
// jumps is not.
static int is_near(const nsm_sim *s, const bracket *b) {
  const struct sim_located *w = s->located;
  int behind = b->side > 0 && b->again == 0 && b->lo > 0;
  if (behind) SIM_EACH_LIVE(s, row)
    if (w->high[row] < 0 && (stops_in_plane(s, row) || !(-w->high[row] < w->last[row]))) return 0;
  return behind;
}

// Of a function that jumps. Behind the root nothing is known, so a little less is taken: by what the places before tell
// the root to, more where the last trial was there all the same.
static double before_jump(const nsm_sim *s, bracket *b) {
  static const double aside[] = { 0.03, 0.3 }, of_others = 0.4;     // what the piece before says is of other pieces
  double miss, r = from_before(s, b, &miss), width = b->hi - b->lo;
  int away = r > b->hi + width;
  b->flat = away;
  SIM_EACH_LIVE(s, row)
    if (s->located->high[row] < 0) b->flat &= s->now.set[row] == SIM_SLIPS_ON;
  if (away || b->again > 2 || (b->side > 0 && b->again > 1)) return 0;
  if (b->oldest < 0) miss = fmax(miss, of_others);
  double less = b->side > 0 ? fmax(aside[b->again], miss) : 0.5 * miss;
  return b->lo + (fmin(r, b->side > 0 ? b->hi : r) - b->lo) * (1 - fmin(less, 0.5));
}

// Was it foretold to end where the last trial has, and that has stopped a slip in a plane?
static int foretold(const nsm_sim *s, const bracket *b) {
  if (b->foretold && b->side > 0)
    SIM_EACH_LIVE(s, row) if (s->located->high[row] < 0 && stops_in_plane(s, row)) return 1;
  return 0;
}

static double choose(const nsm_sim *s, bracket *b, int tries, double least) {
  double width = b->hi - b->lo, r;
  int slow = tries % 4 == 0 && width > 0.5 * b->wide, twice = b->side < 0 && b->again > 0;
  if (tries % 4 == 0) b->wide = width;
  if (!b->looked && crossed_from_start(s, b)) {
    b->looked = 1;
    return 0.5 * none * b->whole;
  }
  b->jumps |= (slow || foretold(s, b)) && !s->n.galerkin;  // where a slip stops, its pieces have several solutions
  if (b->jumps && is_near(s, b)) {
    b->jumps = b->flat = slow = 0;
    b->wide = width;
  }
  double miss, before = twice && !slow ? from_before(s, b, &miss) : 0;
  b->jumps |= before >= b->hi && !s->n.galerkin;
  b->foretold = !b->jumps && !slow && before > 0;
  r = b->jumps ? before_jump(s, b) : slow ? 0 : before > 0 ? before : next(s, b);
  if (!(r > b->lo && r < b->hi)) r = b->lo + 0.5 * width;
  return fmin(fmax(r, b->lo + 0.5 * least), b->hi - 0.5 * least);
}

static void narrow(nsm_sim *s, bracket *b, double r, int up) {
  struct sim_located *w = s->located;
  int side = up ? 1 : -1;
  size_t n = (size_t)s->n.r.n * sizeof(double);
  memcpy(up ? w->high_rate : w->low_rate, w->rate, n);
  if (up) {
    b->above = b->hi;
    b->hi = r;
    SIM_SWAP(w->above, w->high);
    SIM_EACH_LIVE(s, row) w->high[row] = crossed(s, row) ? ordinate(s, row, r) : INFINITY;
  } else {
    b->oldest = b->from;
    b->from = b->lo;
    b->lo = r;
    SIM_SWAP(w->older, w->past);
    SIM_SWAP(w->past, w->last);
    ordinates(s, r, w->last);
    memcpy(w->low, w->last, n);
  }
  double *stays = up ? w->low : w->high;
  if (b->side == side) SIM_EACH_LIVE(s, row) if (!sim_is_open(s, row)) stays[row] *= 0.5;
  b->again = b->side == side ? b->again + 1 : 0;
  b->side = side;
}

// A slip in a plane that has stopped in the trial: the line through its values at the begin of this piece and of the
// one before says when.
static void begin_of_jump(nsm_sim *s, bracket *b) {
  struct sim_located *w = s->located;
  int any = 0, all = s->now.set_h > 0;
  SIM_EACH_LIVE(s, row) {
    if (!(w->high[row] < 0)) continue;
    int stops = stops_in_plane(s, row);
    any |= stops;
    all &= stops && w->mean[row] == s->now.watched[row];
    w->past[row] = s->now.mean[row];
  }
  b->jumps = any && all;
  if (b->jumps) b->from = -s->now.set_h;
}

static nsm_code locate(nsm_sim *s, double *length, nsm_error *e) {
  struct sim_located *w = s->located;
  bracket b = { .whole = *length, .hi = *length, .wide = *length };
  double tried = b.hi,
         least = fmax(4 * DBL_EPSILON * s->a->step, sim_time_round_off(s, s->now.t + b.hi));
  sim_watch_tolerances(s, b.hi);
  SIM_EACH_LIVE(s, row) {
    w->low[row] = w->last[row] = sim_watch_start(s, row);
    w->past[row] = w->older[row] = NAN;
    w->high[row] = crossed(s, row) ? ordinate(s, row, b.hi) : INFINITY;
  }
  begin_of_jump(s, &b);
  memcpy(w->low_rate, s->w.rate0, (size_t)s->n.r.n * sizeof(double));
  memcpy(w->high_rate, w->rate, (size_t)s->n.r.n * sizeof(double));
  for (int tries = 1; b.hi - b.lo > (b.flat ? fmax(least, flat * b.whole) : least) && tries < MOST_TRIES; tries++) {
    double r = choose(s, &b, tries, least);
    if (b.lo == 0 && b.hi < none * b.whole) { *length = 0; break; }
    nsm_code code = attempt(s, r, e);
    if (code != NSM_OK) return code;
    tried = r;
    if (b.looked == 1) only_those(s, &b);
    int up = 0, at = 0;
    SIM_EACH_LIVE(s, row) {
      up |= crossed(s, row);
      int meets = s->now.set[row] != SIM_LEFT || w->rate[row] < 0;
      int jumps = -w->high[row] > far * w->stops[row];
      double known = fmax(w->tolerance[row], jumps ? (b.hi - b.lo <= flat * b.whole ? 2 : 1) * w->stops[row] : 0);
      at |= w->high[row] < 0 && fabs(w->f[row]) <= known && meets;
    }
    if (at && !up) { *length = r; take_hits(s); return NSM_OK; }
    narrow(s, &b, r, up);
  }
  if (*length == 0) { take_hits(s); return NSM_OK; }
  int before = ends_before(s, b.lo);
  *length = before ? b.lo : b.hi;
  nsm_code code = tried == *length ? NSM_OK : attempt(s, *length, e);
  if (code == NSM_OK && !before) take_hits(s);
  if (code == NSM_OK && !before && b.lo > 0 && sim_watch_turned(s)) code = attempt(s, *length = b.lo, e);
  return code;
}

// A piece so short that no force ends its set in it: from then on it is known how forces change. The trial of length h
// is at hand otherwise.
static nsm_code begin_short(nsm_sim *s, double h, double *length, nsm_error *e) {
  double r = h;
  for (int tries = 0; tries < MOST_SHORTER; tries++) {
    r *= 0.25;
    nsm_code code = attempt(s, r, e);
    if (code != NSM_OK) return code;
    int any = 0;
    SIM_EACH_LIVE(s, row) any |= crossed(s, row);
    if (any || sim_watch_ends(s, r) || first_dip(s, r) > 0) continue;
    s->located->shortened = 1;
    *length = r;
    return NSM_OK;
  }
  return attempt(s, h, e);
}

// Rows that end by a force that was extrapolated.
static int by_force(const nsm_sim *s, int row) {
  int set = s->now.set[row];
  return s->located->hit[row] && (set == SIM_CLOSED || set == SIM_STICKS) && s->now.set_h > 0 && !s->now.doubt[row];
}

// Do the sets that end by their forces at `length` really end? Then a trial that is more than twice as long ends with
// the contact open, or in slip: its mean force has run out too. Where bodies touch in more points than hold them forces
// are not unique, what they were says nothing, and no such trial does. *doubted: one of them.
static nsm_code confirm(nsm_sim *s, double h, double length, int *doubted, nsm_error *e) {
  struct sim_located *w = s->located;
  int asked = 0;
  *doubted = 0;
  SIM_EACH_LIVE(s, row) asked |= by_force(s, row);
  if (!asked || length == 0) return NSM_OK;
  nsm_error lost;
  if (attempt(s, beyond * length, &lost) == NSM_OK)
    SIM_EACH_LIVE(s, row) {
      if (!by_force(s, row) || w->out[row]) continue;
      s->now.doubt[row] = 1;
      *doubted = 1;
    }
  return attempt(s, *doubted ? h : length, e);
}

static nsm_code find(nsm_sim *s, double *length, nsm_error *e);

nsm_code sim_located_find(nsm_sim *s, double *length, nsm_error *e) {
  double h = *length;
  int doubted = 1;
  nsm_code code = NSM_OK;
  while (code == NSM_OK && doubted) {
    *length = h;
    doubted = 0;
    code = find(s, length, e);
    if (code == NSM_OK && !s->n.radau && !s->n.flow && !s->n.galerkin && s->located->events)
      code = confirm(s, h, *length, &doubted, e);
  }
  return code;
}

static nsm_code find(nsm_sim *s, double *length, nsm_error *e) {
  struct sim_located *w = s->located;
  if (s->n.radau) return sim_radau_find(s, length, e);
  double h = *length;
  w->events = w->shortened = 0;
  if (w->capture) return NSM_OK;
  if (s->n.flow && sim_flow_found(s, length)) return NSM_OK;
  h = *length;
  int any = sim_watch(s, h, s->now.t + h);
  if (sim_located_stops(s)) {
    nsm_code code = attempt(s, h, e);
    if (code != NSM_OK) return code;
    any = 0;
    SIM_EACH_LIVE(s, row) any |= crossed(s, row);
  }
  if (sim_watch_ends(s, h)) {
    nsm_code code = begin_short(s, h, length, e);
    if (code != NSM_OK || w->shortened) return code;
  }
  double x = any ? 0 : first_dip(s, h);
  if (x > 0) {
    nsm_code code = attempt(s, x, e);
    if (code != NSM_OK) return code;
    SIM_EACH_LIVE(s, row) any |= crossed(s, row);
    if (any) *length = x;
    else if ((code = attempt(s, h, e)) != NSM_OK) return code;
  }
  if (!any) return NSM_OK;
  w->events = 1;
  memset(w->hit, 0, (size_t)s->n.r.n);
  return locate(s, length, e);
}
