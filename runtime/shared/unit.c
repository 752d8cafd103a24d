// The text of units, by the table of units.def.
//   product = factor { ("*" | "/" | "·" | blank) factor }
//   factor  = (symbol | "1" | "(" product ")") [ "²" | "³" | "^" exponent ]
#include "unit.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct symbol { const char *name; double scale; int prefixed, shown; signed char dim[NSM_DIMENSIONS]; } symbol;

static const symbol symbols[] = {
#define UNIT(name, scale, prefixed, shown, m, kg, s, A, K, mol, cd)                                                    \
  { name, scale, prefixed, shown, { m, kg, s, A, K, mol, cd } },
#include "units.def"
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

static const struct { const char *text; double scale; } prefixes[] = {
#define PREFIX(text, scale) { text, scale },
#include "units.def"
};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

// --- symbols ---

static const symbol *find(const char *s, size_t n) {
  for (int i = 0; i < SYMBOLS; i++)
    if (strlen(symbols[i].name) == n && memcmp(symbols[i].name, s, n) == 0) return &symbols[i];
  return NULL;
}

static void set(nsm_unit *u, const symbol *y, double scale) {
  u->scale = scale;
  for (int i = 0; i < NSM_DIMENSIONS; i++) u->twice[i] = 2*y->dim[i];
}

static int read_symbol(const char *s, size_t n, nsm_unit *out) {
  const symbol *y = find(s, n);
  if (y) {
    set(out, y, y->scale);
    return 1;
  }
  for (int i = 0; i < PREFIXES; i++) {
    size_t k = strlen(prefixes[i].text);
    if (k >= n || memcmp(prefixes[i].text, s, k) != 0) continue;
    y = find(s + k, n - k);
    if (!y || !y->prefixed) continue;
    int kilogram = strcmp(y->name, "g") == 0 && prefixes[i].scale == 1e3;   // exactly 1, and not 1e3*1e-3
    set(out, y, kilogram ? 1 : prefixes[i].scale*y->scale);
    return 1;
  }
  return 0;
}

// --- reading ---

typedef struct reader { const char *at, *bad; int length, depth; } reader;

static int fail(reader *r, const char *from, const char *to) {
  if (!r->bad) {
    r->bad = from;
    r->length = (int)(to - from);
  }
  return 0;
}

static void skip_blanks(reader *r) {
  while (isspace((unsigned char)*r->at)) r->at++;
}

static int eat(reader *r, const char *s) {
  size_t n = strlen(s);
  if (strncmp(r->at, s, n) != 0) return 0;
  r->at += n;
  return 1;
}

static int read_exponent(reader *r, double *x) {
  const char *from = r->at;
  char *end;
  int parens = eat(r, "(");
  if (!(isdigit((unsigned char)*r->at) || ((*r->at == '-' || *r->at == '+') && isdigit((unsigned char)r->at[1]))))
    return fail(r, from, r->at + (*r->at != '\0'));
  *x = strtod(r->at, &end);
  r->at = end;
  if (parens && eat(r, "/")) {
    double d = strtod(r->at, &end);
    if (end == r->at || d == 0) return fail(r, from, end);
    *x /= d;
    r->at = end;
  }
  return !parens || eat(r, ")") || fail(r, from, r->at);
}

enum { LARGEST = 254 };                                    // doubled exponent

// 0 where an exponent is no half number, or too large.
static int raise(nsm_unit *u, double x) {
  for (int i = 0; i < NSM_DIMENSIONS; i++) {
    double t = u->twice[i]*x;
    if (!(fabs(t) <= LARGEST) || t != floor(t)) return 0;
    u->twice[i] = (int)t;
  }
  u->scale = pow(u->scale, x);
  return 1;
}

static int join(nsm_unit *u, const nsm_unit *v, int sign) {
  for (int i = 0; i < NSM_DIMENSIONS; i++) {
    u->twice[i] += sign*v->twice[i];
    if (u->twice[i] > LARGEST || u->twice[i] < -LARGEST) return 0;
  }
  u->scale = sign > 0 ? u->scale*v->scale : u->scale/v->scale;
  return 1;
}

static int read_product(reader *r, nsm_unit *out);

static int read_factor(reader *r, nsm_unit *out) {
  skip_blanks(r);
  const char *from = r->at;
  if (eat(r, "(")) {
    if (++r->depth > 50) return fail(r, from, r->at);
    if (!read_product(r, out)) return 0;
    r->depth--;
    skip_blanks(r);
    if (!eat(r, ")")) return fail(r, from, r->at);
  } else if (eat(r, "1")) {
    *out = (nsm_unit){ .scale = 1 };
  } else {
    while (*r->at && !strchr("*/^()[] \t\r\n0123456789+-", *r->at) && strncmp(r->at, "·", 2) &&
           strncmp(r->at, "²", 2) && strncmp(r->at, "³", 2))
      r->at++;
    if (r->at == from) return fail(r, from, from + (*from != '\0'));
    if (!read_symbol(from, (size_t)(r->at - from), out)) return fail(r, from, r->at);
  }
  double x = 1;
  if (eat(r, "²")) x = 2;
  else if (eat(r, "³")) x = 3;
  else if (eat(r, "^") && !read_exponent(r, &x)) return 0;
  return raise(out, x) || fail(r, from, r->at);
}

static int read_product(reader *r, nsm_unit *out) {
  if (!read_factor(r, out)) return 0;
  for (;;) {
    nsm_unit next;
    skip_blanks(r);
    if (!*r->at || *r->at == ')') return 1;
    int over = eat(r, "/");
    if (!over && !eat(r, "*")) (void)eat(r, "·");
    if (!read_factor(r, &next)) return 0;
    if (!join(out, &next, over ? -1 : 1)) return fail(r, r->at, r->at);
  }
}

int nsm_unit_parse(const char *text, nsm_unit *out, const char **bad, int *length) {
  reader r = { .at = text };
  if (read_product(&r, out) && (*r.at == '\0' || fail(&r, r.at, r.at + 1))) return 1;
  if (bad) *bad = r.bad;
  if (length) *length = r.length;
  return 0;
}

// --- questions ---

int nsm_unit_same(const nsm_unit *a, const nsm_unit *b) { return memcmp(a->twice, b->twice, sizeof a->twice) == 0; }

const char *nsm_unit_common(const nsm_unit *u) {
  for (int i = 0; i < SYMBOLS; i++) {
    nsm_unit v;
    set(&v, &symbols[i], 1);
    if (symbols[i].shown && nsm_unit_same(u, &v)) return symbols[i].name;
  }
  return NULL;
}

const char *nsm_unit_symbol(int i) { return i >= 0 && i < SYMBOLS ? symbols[i].name : NULL; }

// The whole number that a scale is the inverse of, 0: none; 1/1e-9 is one ulp below 1e9.
static double whole_inverse(double scale) {
  double inverse = rint(1/scale);
  return scale < 1 && fabs(inverse*scale - 1) < 1e-12 ? inverse : 0;
}

double nsm_to_si(double x, double scale) {
  double inverse = whole_inverse(scale);
  return inverse > 0 ? x/inverse : x*scale;
}

double nsm_unit_scale(const char *text) {
  nsm_unit u;
  return *text && nsm_unit_parse(text, &u, NULL, NULL) ? u.scale : 1;
}

double nsm_from_si(double x, double scale) {
  double inverse = whole_inverse(scale);
  return inverse > 0 ? x*inverse : x/scale;
}
