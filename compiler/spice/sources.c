// Independent sources as expressions of time: dc, sin, pulse, pwl, exp, sffm.
#include <math.h>
#include <string.h>
#include "netlist.h"

enum { MOST = 8 };
static const char *const kinds[] = { "sin", "pulse", "pwl", "exp", "sffm" };

static int kind_of(const Item *i) {
  for (int k = 0; k < 5; k++)
    if (i->text && !i->key && (!strcmp(i->text, kinds[k]) || (k == 0 && !strcmp(i->text, "sine")))) return k;
  return -1;
}

// Argument i behind the word, in this unit; NULL: it is not there.
static const char *argument(Spice *s, Names *n, const Card *c, int at, int i, const char *unit) {
  if (at + 1 + i >= c->n || c->item[at + 1 + i].key) return NULL;
  return spice_value(s, n, &c->item[at + 1 + i], unit);
}

static bool is_zero(const char *text) { return !text || !strncmp(text, "0 [", 3) || !strcmp(text, "0"); }

static const char *delayed(Spice *s, const char *by) {
  return is_zero(by) ? "time" : arena_printf(s->a, "(time - %s)", by);
}

static const char *sine(Spice *s, Names *n, const Card *c, int at, const char *unit) {
  const char *offset = argument(s, n, c, at, 0, unit), *wide = argument(s, n, c, at, 1, unit),
             *often = argument(s, n, c, at, 2, "Hz"), *late = argument(s, n, c, at, 3, "s"),
             *damped = argument(s, n, c, at, 4, "1/s"), *phase = argument(s, n, c, at, 5, "");
  if (!often) {
    spice_fail(s, c->span, "a sine needs its frequency: SIN(offset amplitude frequency)");
    return "0 [V]";
  }
  const char *t = delayed(s, late), *turn = arena_printf(s->a, "2*pi*%s*%s", often, t);
  if (!is_zero(phase)) turn = arena_printf(s->a, "%s + (%s)*pi/180", turn, phase);
  const char *wave = arena_printf(s->a, "%s*sin(%s)", wide, turn);
  if (!is_zero(damped)) wave = arena_printf(s->a, "%s*exp(-%s*%s)", wave, damped, t);
  const char *whole = is_zero(offset) ? wave : arena_printf(s->a, "%s + %s", offset, wave);
  const char *before = is_zero(phase) ? offset : arena_printf(s->a, "%s + %s*sin((%s)*pi/180)", offset, wide, phase);
  return is_zero(late) ? whole : arena_printf(s->a, "if time < %s then %s else %s", late, before, whole);
}

// The points of a period; a rise that takes no time takes a step of the listing, as in SPICE. Without a width the pulse
// does not fall.
static const char *pulse(Spice *s, Names *n, const Card *c, int at, const char *unit) {
  const char *low = argument(s, n, c, at, 0, unit), *high = argument(s, n, c, at, 1, unit),
             *late = argument(s, n, c, at, 2, "s"), *rise = argument(s, n, c, at, 3, "s"),
             *fall = argument(s, n, c, at, 4, "s"), *wide = argument(s, n, c, at, 5, "s"),
             *period = argument(s, n, c, at, 6, "s");
  const char *step = "1 [ns]";
  if (s->tran.n && s->tran.at[0].n > 1) step = spice_value(s, n, &s->tran.at[0].item[1], "s");
  if (!high) {
    spice_fail(s, c->span, "a pulse needs two values: PULSE(low high delay rise fall width period)");
    return "0 [V]";
  }
  if (is_zero(rise)) rise = step;
  if (is_zero(fall)) fall = step;
  const char *t = delayed(s, late), *wave;
  if (!wide) {
    wave = arena_printf(s->a, "table(%s, [0 [s], %s], [%s, %s])", t, rise, low, high);
    return is_zero(late) ? wave : arena_printf(s->a, "if time < %s then %s else %s", late, low, wave);
  }
  const char *points = arena_printf(s->a, "[0 [s], %s, %s + %s, %s + %s + %s", rise, rise, wide, rise, wide, fall);
  double ends = 0, whole = 0;
  for (int i = 3; i < 6; i++) ends += at + 1 + i < c->n ? c->item[at + 1 + i].number : 0;
  if (at + 7 < c->n) whole = c->item[at + 7].number;
  if (whole > 0 && ends > whole * (1 + 1e-9))
    spice_fail(s, c->span, "rise, width and fall of this pulse take %g s, longer than its period", ends);
  if (is_zero(period)) wave = arena_printf(s->a, "table(%s, %s], [%s, %s, %s, %s])", t, points, low, high, high, low);
  else if (whole > 0 && ends > whole * (1 - 1e-9))
    wave = arena_printf(s->a, "table(%s, %s], [%s, %s, %s, %s], periodic)", t, points, low, high, high, low);
  else
    wave = arena_printf(s->a, "table(%s, %s, %s], [%s, %s, %s, %s, %s], periodic)", t, points, period, low, high, high,
                        low, low);
  return is_zero(late) ? wave : arena_printf(s->a, "if time < %s then %s else %s", late, low, wave);
}

// A time that begins with + counts from the one before it, as in LTspice.
static const char *points(Spice *s, Names *n, const Card *c, int at, const char *unit) {
  const char *x = "", *y = "", *when = "";
  double last = -INFINITY;
  int many = 0, i = at + 1;
  for (; i + 1 < c->n && !c->item[i].key && spice_is_value(n, &c->item[i]); i += 2, many++) {
    const char *next = spice_value(s, n, &c->item[i], "s");
    bool later = many && c->item[i].as && *c->item[i].as == '+';
    double now = !c->item[i].is_number ? NAN : later ? last + c->item[i].number : c->item[i].number;
    if (now <= last)
      spice_fail(s, c->item[i].span, "the times of PWL rise: %g s stands behind %g s; a jump takes some time", now,
                 last);
    last = now;
    when = later ? arena_printf(s->a, "%s + %s", when, next) : next;
    x = arena_printf(s->a, "%s%s%s", x, many ? ", " : "", when);
    y = arena_printf(s->a, "%s%s%s", y, many ? ", " : "", spice_value(s, n, &c->item[i + 1], unit));
  }
  if (many < 1) spice_fail(s, c->span, "PWL needs points: PWL(t1 v1 t2 v2)");
  else if (i < c->n && !c->item[i].key && (spice_is_value(n, &c->item[i]) || strspn(c->item[i].text, "+-.0123456789")))
    spice_fail(s, c->item[i].span, "PWL has a time and a value for each point: PWL(t1 v1 t2 v2)");
  return many == 1 ? y : arena_printf(s->a, "table(time, [%s], [%s])", x, y);
}

static const char *exponential(Spice *s, Names *n, const Card *c, int at, const char *unit) {
  const char *v1 = argument(s, n, c, at, 0, unit), *v2 = argument(s, n, c, at, 1, unit),
             *d1 = argument(s, n, c, at, 2, "s"), *t1 = argument(s, n, c, at, 3, "s"),
             *d2 = argument(s, n, c, at, 4, "s"), *t2 = argument(s, n, c, at, 5, "s");
  if (!t2) {
    spice_fail(s, c->span, "six numbers are needed here: EXP(v1 v2 delay1 tau1 delay2 tau2)");
    return "0 [V]";
  }
  const char *up = arena_printf(s->a, "(%s - %s)*(1 - exp(-max(time - %s, 0 [s])/(%s)))", v2, v1, d1, t1);
  const char *down = arena_printf(s->a, "(%s - %s)*(1 - exp(-max(time - %s, 0 [s])/(%s)))", v1, v2, d2, t2);
  return arena_printf(s->a, "%s + %s + %s", v1, up, down);
}

static const char *modulated(Spice *s, Names *n, const Card *c, int at, const char *unit) {
  const char *offset = argument(s, n, c, at, 0, unit), *wide = argument(s, n, c, at, 1, unit),
             *carrier = argument(s, n, c, at, 2, "Hz"), *index = argument(s, n, c, at, 3, ""),
             *signal = argument(s, n, c, at, 4, "Hz");
  if (!signal) {
    spice_fail(s, c->span, "five numbers are needed here: SFFM(offset amplitude carrier index signal)");
    return "0 [V]";
  }
  return arena_printf(s->a, "%s + %s*sin(2*pi*%s*time + %s*sin(2*pi*%s*time))", offset, wide, carrier, index, signal);
}

// AC and its two numbers are of another analysis; the value at direct current is that of the operating point.
static void quiet(const Card *c, int from) {
  bool wave = false;
  for (int i = from; i < c->n; i++) wave |= kind_of(&c->item[i]) >= 0;
  for (int i = from; i < c->n; i++) {
    Item *x = &c->item[i];
    bool ac = (x->text && !x->key && !strcmp(x->text, "ac")) || (x->key && !strcmp(x->key, "ac"));
    bool dc = wave && ((x->text && !x->key && !strcmp(x->text, "dc")) || (x->key && !strcmp(x->key, "dc")));
    if (!ac && !dc && !(wave && i == from && !x->key && x->is_number)) continue;
    x->taken = true;
    for (int k = i + 1; k < c->n && k < i + 3 && (ac || k < i + 2) && !c->item[k].key && c->item[k].is_number; k++)
      c->item[k].taken = true;
  }
  for (int i = from; i < c->n; i++)
    if (c->item[i].text && !c->item[i].key && !strcmp(c->item[i].text, "dc")) c->item[i].taken = true;
}

// from: the first item behind the nodes. A value at direct current counts where there is no wave.
const char *spice_source(Spice *s, Names *n, const Card *c, int from, const char *unit) {
  static const char *(*const of[])(Spice *, Names *, const Card *, int, const char *) = {
    sine, pulse, points, exponential, modulated };
  quiet(c, from);
  for (int i = from; i < c->n; i++)
    if (kind_of(&c->item[i]) >= 0) {
      c->item[i].taken = true;
      return of[kind_of(&c->item[i])](s, n, c, i, unit);
    }
  for (int i = from; i < c->n; i++) {
    Item *x = &c->item[i];
    if (x->text && !x->key && !x->is_number && strcmp(x->text, "dc") && strcmp(x->text, "ac") &&
        !spice_known(n, "param", x->text)) {
      spice_fail(s, x->span, "the wave `%s` is not taken: dc, sin, pulse, pwl, exp and sffm are", x->as);
      return spice_quantity(s->a, 0, unit);
    }
    if (x->key && !strcmp(x->key, "dc")) return spice_value(s, n, x, unit);
    if (x->text && !strcmp(x->text, "dc") && i + 1 < c->n) return spice_value(s, n, &c->item[i + 1], unit);
    if (x->text && !strcmp(x->text, "ac")) {               // and its two numbers
      for (int k = 0; k < 2 && i + 1 < c->n && !c->item[i + 1].key && c->item[i + 1].is_number; k++) i++;
      continue;
    }
    if (spice_is_value(n, x)) return spice_value(s, n, x, unit);
  }
  return spice_quantity(s->a, 0, unit);
}
