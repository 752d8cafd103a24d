// Numbers with units from the command line, into SI. Units are products and quotients of prefixed symbols with integer
// powers: "mm", "m/s^2", "kg*m^2", "N*m/rad", "1/s". Prefixes bind as in SI: the longest symbol that is one without a
// prefix wins ("min", "cd").
#include "record.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 7 };                                   // m kg s A K mol cd
typedef struct unit { double scale; int d[DIMENSIONS]; } unit;

static const struct { const char *symbol; unit u; int prefix;
} table[] = { { "m", { 1, { 1 } }, 1 },
              { "g", { 1e-3, { 0, 1 } }, 1 },
              { "s", { 1, { 0, 0, 1 } }, 1 },
              { "A", { 1, { 0, 0, 0, 1 } }, 1 },
              { "K", { 1, { 0, 0, 0, 0, 1 } }, 1 },
              { "mol", { 1, { 0, 0, 0, 0, 0, 1 } }, 1 },
              { "cd", { 1, { 0, 0, 0, 0, 0, 0, 1 } }, 1 },
              { "rad", { 1, { 0 } }, 1 },
              { "sr", { 1, { 0 } }, 1 },
              { "Hz", { 1, { 0, 0, -1 } }, 1 },
              { "N", { 1, { 1, 1, -2 } }, 1 },
              { "Pa", { 1, { -1, 1, -2 } }, 1 },
              { "J", { 1, { 2, 1, -2 } }, 1 },
              { "W", { 1, { 2, 1, -3 } }, 1 },
              { "C", { 1, { 0, 0, 1, 1 } }, 1 },
              { "V", { 1, { 2, 1, -3, -1 } }, 1 },
              { "F", { 1, { -2, -1, 4, 2 } }, 1 },
              { "ohm", { 1, { 2, 1, -3, -2 } }, 1 },
              { "\xce\xa9", { 1, { 2, 1, -3, -2 } }, 1 },
              { "S", { 1, { -2, -1, 3, 2 } }, 1 },
              { "Wb", { 1, { 2, 1, -2, -1 } }, 1 },
              { "T", { 1, { 0, 1, -2, -1 } }, 1 },
              { "H", { 1, { 2, 1, -2, -2 } }, 1 },
              { "L", { 1e-3, { 3 } }, 1 },
              { "l", { 1e-3, { 3 } }, 1 },
              { "bar", { 1e5, { -1, 1, -2 } }, 1 },
              { "min", { 60, { 0, 0, 1 } }, 0 },
              { "h", { 3600, { 0, 0, 1 } }, 0 },
              { "deg", { 0.017453292519943295, { 0 } }, 0 },
              { "rev", { 6.283185307179586, { 0 } }, 0 },
              { "rpm", { 0.10471975511965977, { 0, 0, -1 } }, 0 },
              { "d", { 86400, { 0, 0, 1 } }, 0 },
              { "%", { 0.01, { 0 } }, 0 } };

static const struct { const char *symbol; double scale;
} prefixes[] = { { "da", 1e1 },        { "d", 1e-1 },        { "c", 1e-2 }, { "m", 1e-3 },  { "u", 1e-6 },
                 { "\xc2\xb5", 1e-6 }, { "\xce\xbc", 1e-6 }, { "n", 1e-9 }, { "p", 1e-12 }, { "f", 1e-15 },
                 { "h", 1e2 },         { "k", 1e3 },         { "M", 1e6 },  { "G", 1e9 },   { "T", 1e12 } };

static int symbol(const char *t, size_t n, unit *u) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strlen(table[i].symbol) == n && strncmp(t, table[i].symbol, n) == 0) { *u = table[i].u; return 1; }
  for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
    size_t k = strlen(prefixes[p].symbol);
    if (k >= n || strncmp(t, prefixes[p].symbol, k) != 0) continue;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
      if (table[i].prefix && strlen(table[i].symbol) == n - k && strncmp(t + k, table[i].symbol, n - k) == 0) {
        *u = table[i].u;
        u->scale *= prefixes[p].scale;
        return 1;
      }
  }
  return 0;
}

// term { (*|/) term };  term: symbol [^ integer] | 1 | ( unit )
static int product(const char **t, unit *u, int depth);

static int term(const char **t, unit *u, int depth) {
  const char *p = *t;
  *u = (unit){ 1, { 0 } };
  if (*p == '(' && depth < 8) {
    p++;
    if (!product(&p, u, depth + 1) || *p != ')') return 0;
    p++;
  } else if (*p == '1') p++;
  else {
    size_t n = strcspn(p, "*/^() .");
    if (n == 0 || !symbol(p, n, u)) return 0;
    p += n;
  }
  if (*p == '^') {
    char *end;
    long k = strtol(p + 1 + (p[1] == '('), &end, 10);
    if (p[1] == '(' && *end == ')') end++;
    if (end == p + 1 || k < -9 || k > 9) return 0;
    u->scale = pow(u->scale, (double)k);
    for (int i = 0; i < DIMENSIONS; i++) u->d[i] *= (int)k;
    p = end;
  }
  *t = p;
  return 1;
}

static int product(const char **t, unit *u, int depth) {
  if (!term(t, u, depth)) return 0;
  for (;;) {
    while (**t == ' ') (*t)++;
    char op = **t;
    if (op != '*' && op != '/') return 1;
    unit v;
    do (*t)++; while (**t == ' ');
    if (!term(t, &v, depth)) return 0;
    u->scale = op == '*' ? u->scale * v.scale : u->scale / v.scale;
    for (int i = 0; i < DIMENSIONS; i++) u->d[i] += op == '*' ? v.d[i] : -v.d[i];
  }
}

// The text between optional brackets, as a unit; an empty one is 1.
static int read_unit(const char *t, unit *u) {
  char inside[128];
  size_t n = strlen(t);
  while (n > 0 && t[n - 1] == ' ') n--;
  if (n >= 2 && t[0] == '[' && t[n - 1] == ']') { t++; n -= 2; }
  while (n > 0 && *t == ' ') { t++; n--; }
  if (n >= sizeof inside) return 0;
  memcpy(inside, t, n);
  while (n > 0 && inside[n - 1] == ' ') n--;
  inside[n] = 0;
  *u = (unit){ 1, { 0 } };
  if (n == 0) return 1;
  const char *p = inside;
  return product(&p, u, 0) && *p == 0;
}

const char *nsm_read_quantity(const char *text, const char *expected, double *value) {
  char *end;
  double x = strtod(text, &end);
  if (end == text || (strpbrk(text, "xXnN") && strpbrk(text, "xXnN") < end)) return "it is not a number";
  while (*end == ' ') end++;
  if (*end == '/' && (end[1] == ' ' || (end[1] >= '0' && end[1] <= '9'))) {          // 1/2
    char *rest;
    double y = strtod(end + 1, &rest);
    if (rest == end + 1) return "it is not a number";
    x /= y;
    end = rest;
    while (*end == ' ') end++;
  }
  if (!isfinite(x)) return "it is not finite";
  *value = x;
  if (*end == 0) return NULL;
  unit given, wanted;
  if (!read_unit(end, &given)) return "its unit is not known";
  if (!read_unit(expected, &wanted)) return "the unit of the model is not known here; give a plain number in SI";
  if (*expected == 0 && (given.scale != 1 || memcmp(given.d, wanted.d, sizeof given.d) != 0))
    return "it takes a number without a unit";
  if (memcmp(given.d, wanted.d, sizeof given.d) != 0) return "its unit has the wrong dimension";
  double inverse = rint(1 / given.scale);  // 10 us is 10/10^6, rounded once, and not 10 times a rounded 10^-6
  *value = given.scale < 1 && fabs(inverse * given.scale - 1) < 1e-12 ? x / inverse : x * given.scale;
  if (!isfinite(*value)) return "it is not finite";
  return NULL;
}
