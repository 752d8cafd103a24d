// Units as exponents of the SI base units: algebra and printing. Symbols and their text are shared with the runtime
// (runtime/shared/unit.c). Exponents are whole or half numbers, kept as num[] over den (1 or 2).
#include "units.h"

#include <limits.h>
#include <math.h>
#include <string.h>

const Unit UNIT_ONE  = { .state = UNIT_KNOWN, .den = 1, .scale = 1 };
const Unit UNIT_ANY  = { .state = UNIT_UNKNOWN, .den = 1, .scale = 1 };
const Unit UNIT_BARE = { .state = UNIT_LITERAL, .den = 1, .scale = 1 };

// --- algebra ---

// From doubled exponents; an exponent that does not fit makes the unit unknown.
static Unit from_doubled(const int twice[7], double scale) {
  Unit u = UNIT_ONE;
  bool whole = true;
  for (int i = 0; i < 7; i++) whole = whole && twice[i] % 2 == 0;
  u.den = whole ? 1 : 2;
  for (int i = 0; i < 7; i++) {
    int n = whole ? twice[i] / 2 : twice[i];
    if (n < -127 || n > 127) return UNIT_ANY;
    u.num[i] = (signed char)n;
  }
  u.scale = scale;
  return u;
}

static int doubled(Unit u, int i) { return u.den == 2 ? u.num[i] : 2 * u.num[i]; }

Unit unit_of_name(int id) {
  Unit u = UNIT_ANY;
  if (id <= SHRT_MAX) u.by[0] = (UnitName){ (short)id, 2 };
  return u;
}

bool unit_named_by(Unit u) { return u.state == UNIT_UNKNOWN && u.by[0].id; }
Unit unit_nameless(Unit u) { return unit_named_by(u) ? UNIT_ANY : u; }

// Puts id^(twice/2) to the names of u; false: there are too many, or powers are too large.
static bool put_name(Unit *u, int id, int twice) {
  int k = 0;
  while (k < UNIT_NAMES && u->by[k].id && u->by[k].id != id) k++;
  if (k == UNIT_NAMES) return false;
  int sum = twice + (u->by[k].id ? u->by[k].twice : 0);
  if (sum < -16 || sum > 16) return false;
  if (sum) {
    u->by[k] = (UnitName){ (short)id, (signed char)sum };
    return true;
  }
  for (; k + 1 < UNIT_NAMES; k++) u->by[k] = u->by[k + 1];
  u->by[UNIT_NAMES - 1] = (UnitName){ 0, 0 };
  return true;
}

// a*b^sign, one of them unknown: by the names of both; UNIT_ANY where one is open, or names cancel.
static Unit combine_names(Unit a, Unit b, int sign) {
  Unit u = UNIT_ANY;
  int twice[7];
  if ((a.state == UNIT_UNKNOWN && !unit_named_by(a)) || (b.state == UNIT_UNKNOWN && !unit_named_by(b))) return u;
  for (int i = 0; i < 7; i++) twice[i] = doubled(a, i) + sign * doubled(b, i);
  Unit r = from_doubled(twice, 1);
  if (r.state != UNIT_KNOWN) return u;
  r.state = UNIT_UNKNOWN;
  for (int k = 0; k < UNIT_NAMES; k++) r.by[k] = a.state == UNIT_UNKNOWN ? a.by[k] : (UnitName){ 0, 0 };
  for (int k = 0; k < UNIT_NAMES && b.state == UNIT_UNKNOWN && b.by[k].id; k++)
    if (!put_name(&r, b.by[k].id, sign * b.by[k].twice)) return u;
  return unit_named_by(r) ? r : u;
}

static Unit combine(Unit a, Unit b, int sign) {
  double scale = sign > 0 ? a.scale * b.scale : a.scale / b.scale;
  if (a.state == UNIT_UNKNOWN || b.state == UNIT_UNKNOWN) return combine_names(a, b, sign);
  if (a.state == UNIT_LITERAL && b.state == UNIT_LITERAL) return UNIT_BARE;
  int twice[7];
  for (int i = 0; i < 7; i++) twice[i] = doubled(a, i) + sign * doubled(b, i);
  return from_doubled(twice, scale);
}

Unit unit_plain(Unit a) {
  a.scale = 1;
  a.written = NULL;
  return a;
}

bool unit_scaled(Unit a) { return a.state == UNIT_KNOWN && !(fabs(a.scale - 1) <= 1e-12); }

// A multiple of a quantity is in its unit; anything else that is computed is in SI.
static Unit of_quantities(Unit a, Unit b, int sign) {
  Unit u = combine(a, b, sign);
  if (u.state != UNIT_KNOWN) return u;
  if (b.state == UNIT_LITERAL) u.written = a.written;
  else if (a.state == UNIT_LITERAL && sign > 0) u.written = b.written;
  else u = unit_plain(u);
  return u;
}

Unit unit_mul(Unit a, Unit b) { return of_quantities(a, b, 1); }
Unit unit_div(Unit a, Unit b) { return of_quantities(a, b, -1); }

static Unit pow_names(Unit a, double exponent) {
  int twice[7];
  for (int i = 0; i < 7; i++) {
    double t = doubled(a, i) * exponent;
    if (!(fabs(t) < 100) || t != floor(t)) return UNIT_ANY;
    twice[i] = (int)t;
  }
  Unit u = from_doubled(twice, 1);
  u.state = UNIT_UNKNOWN;
  for (int k = 0; k < UNIT_NAMES; k++) {
    double t = a.by[k].twice * exponent;
    if (!(fabs(t) <= 16) || t != floor(t) || (a.by[k].id && t == 0)) return UNIT_ANY;
    u.by[k] = (UnitName){ a.by[k].id, (signed char)t };
  }
  return u;
}

bool unit_pow(Unit a, double exponent, Unit *out) {
  *out = a;
  if (unit_named_by(a)) *out = pow_names(a, exponent);
  if (a.state != UNIT_KNOWN) return true;
  int twice[7];
  for (int i = 0; i < 7; i++) {
    double t = doubled(a, i) * exponent;
    if (!(fabs(t) < 1000) || t != floor(t)) return *out = UNIT_ANY, false;
    twice[i] = (int)t;
  }
  *out = from_doubled(twice, pow(a.scale, exponent));   // written is lost: (mm)^2 is not said
  return true;
}

bool unit_compatible(Unit a, Unit b) {
  if (a.state != UNIT_KNOWN || b.state != UNIT_KNOWN) return true;
  for (int i = 0; i < 7; i++)
    if (doubled(a, i) != doubled(b, i)) return false;
  return true;
}

Unit unit_merge(Unit a, Unit b) {
  if (a.state == UNIT_KNOWN && b.state == UNIT_KNOWN && a.scale != b.scale) return unit_plain(a);
  if (a.state == UNIT_KNOWN) return a;
  if (b.state == UNIT_KNOWN) return b;
  return unit_named_by(a) || (a.state == UNIT_UNKNOWN && !unit_named_by(b)) ? a : b;
}

Unit unit_of_elements(Unit a, Unit b) { return unit_merge(unit_nameless(a), unit_nameless(b)); }

// --- text ---

Unit unit_of_shared(const nsm_unit *u) { return from_doubled(u->twice, u->scale); }

bool unit_parse(const char *text, Unit *out, const char **bad, int *bad_len) {
  nsm_unit u;
  *out = UNIT_ANY;
  if (!nsm_unit_parse(text, &u, bad, bad_len)) return false;
  *out = unit_of_shared(&u);
  if (out->state == UNIT_KNOWN) return true;
  if (bad) *bad = text;                              // exponents out of range
  if (bad_len) *bad_len = (int)strlen(text);
  return false;
}

double unit_to_si(double x, Unit u) { return nsm_to_si(x, u.scale); }

// --- printing ---

static void print_power(Text *out, const char *symbol, int twice) {
  text_add(out, symbol);
  if (twice == 2) return;
  if (twice % 2 == 0) text_printf(out, "^%d", twice / 2);
  else text_printf(out, "^(%d/2)", twice);
}

void unit_print(Unit u, Text *out) {
  static const char *const base[7] = {"m", "kg", "s", "A", "K", "mol", "cd"};
  static const int order[7] = {1, 0, 2, 3, 4, 5, 6};   // kg*m^2/s, as in textbooks
  if (u.state != UNIT_KNOWN) {
    text_add(out, u.state == UNIT_LITERAL ? "a bare number" : "no unit");
    return;
  }
  nsm_unit plain = { .scale = 1 };
  for (int i = 0; i < 7; i++) plain.twice[i] = doubled(u, i);
  const char *known = nsm_unit_common(&plain);
  if (known) {
    text_add(out, known);
    return;
  }
  bool any = false;
  int below = 0;
  for (int k = 0; k < 7; k++) {
    int t = doubled(u, order[k]);
    if (t < 0) below++;
    if (t <= 0) continue;
    if (any) text_addc(out, '*');
    print_power(out, base[order[k]], t);
    any = true;
  }
  if (!any) text_addc(out, '1');
  if (!below) return;
  text_add(out, below > 1 ? "/(" : "/");
  any = false;
  for (int k = 0; k < 7; k++) {
    int t = doubled(u, order[k]);
    if (t >= 0) continue;
    if (any) text_addc(out, '*');
    print_power(out, base[order[k]], -t);
    any = true;
  }
  if (below > 1) text_addc(out, ')');
}

void unit_print_composed(Unit u, Text *out) {
  static const char *const said[] = { "N/m", "N*s/m", "N*s^2/m^2", "V*s/m", "A/V", "V/s", "A/s" };
  for (size_t i = 0; u.state == UNIT_KNOWN && i < sizeof said / sizeof *said; i++) {
    Unit v = UNIT_ANY;
    if (unit_parse(said[i], &v, NULL, NULL) && unit_compatible(u, v)) {
      text_add(out, said[i]);
      return;
    }
  }
  unit_print(u, out);
}

const char *unit_shown(Arena *a, Unit u, const char *written) {
  if (*written || u.state != UNIT_KNOWN) return written;
  Text t = {0};
  unit_print(u, &t);
  const char *shown = strcmp(text_str(&t), "1") ? arena_strndup(a, text_str(&t), t.n) : "";
  text_free(&t);
  return shown;
}

// As the model writes it where that is an SI unit or the one that was declared: N*m and not J, rad and not 1.
static const char *written_for_results(Unit u, bool declared) {
  return u.state == UNIT_KNOWN && (declared || !unit_scaled(u)) && u.written && *u.written ? u.written : NULL;
}

const char *unit_of_results(Arena *a, Unit u, bool declared) {
  if (u.state != UNIT_KNOWN) return "";
  const char *written = written_for_results(u, declared);
  return written ? written : unit_shown(a, unit_plain(u), "");
}

const char *unit_of_rates(Arena *a, Unit u, bool declared) {
  static const Unit second = { .state = UNIT_KNOWN, .num = { 0, 0, 1 }, .den = 1, .scale = 1 };
  const char *written = written_for_results(u, declared);
  if (written && unit_scaled(u)) return arena_printf(a, strpbrk(written, "/*") ? "(%s)/s" : "%s/s", written);
  if (written && !strpbrk(written, "/*") && strcmp(written, "s")) return arena_printf(a, "%s/s", written);
  return u.state == UNIT_KNOWN ? unit_of_results(a, unit_div(u, second), false) : "";
}
