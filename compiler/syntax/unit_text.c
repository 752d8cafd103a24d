// The text of a unit: kg*m^2/s, rev/min, 1/s, m^-1. Only its form is checked here; what the names mean is the
// elaborator's.
//   unit = factor { ('*' | '/') factor }     factor = ( name | 1 | '(' unit ')' ) [ '^' ['-'] digits ]
#include <ctype.h>
#include <string.h>

#include "../base/text.h"
#include "parse_state.h"

typedef struct { const char *s; int depth; const char *wrong; } Reader;

static bool read_unit(Reader *r);

static bool fail(Reader *r, const char *what) {
  if (!r->wrong) r->wrong = what;
  return false;
}

static bool read_factor(Reader *r) {
  if (isalpha((unsigned char)*r->s)) {
    while (isalnum((unsigned char)*r->s) || *r->s == '_') r->s++;
  } else if (*r->s == '1') {
    r->s++;
    if (isdigit((unsigned char)*r->s) || *r->s == '.')
      return fail(r, "the only number in a unit is 1; exponents follow '^'");
  } else if (*r->s == '(') {
    if (++r->depth > 20) return fail(r, "it has too many parentheses");
    r->s++;
    if (!read_unit(r)) return false;
    if (*r->s != ')') return fail(r, "a ')' is missing");
    r->s++;
  } else if (isdigit((unsigned char)*r->s) || *r->s == '.') {
    return fail(r, "the only number in a unit is 1; exponents follow '^'");
  } else {
    return fail(r, *r->s ? "unit names are joined by '*', '/' and '^'" : "a unit name is missing");
  }
  if (*r->s != '^') return true;
  r->s++;
  if (*r->s == '-') r->s++;
  if (!isdigit((unsigned char)*r->s)) return fail(r, "the exponent of a unit is a whole number");
  while (isdigit((unsigned char)*r->s)) r->s++;
  if (*r->s == '.' && isdigit((unsigned char)r->s[1])) return fail(r, "the exponent of a unit is a whole number");
  return true;
}

static bool read_unit(Reader *r) {
  if (!read_factor(r)) return false;
  while (*r->s == '*' || *r->s == '/') {
    r->s++;
    if (!read_factor(r)) return false;
  }
  return true;
}

// Spellings from outside ASCII, written the plain way.
static const struct { const char *sign, *plain;
} signs[] = {
  { "µ", "u" }, { "μ", "u" }, { "Ω", "ohm" }, { "Ω", "ohm" }, { "°", "deg" },
  { "·", "*" }, { "⋅", "*" }, { "²", "^2" },  { "³", "^3" },  { "−", "-" },
};

const char *unit_text(Parse *p, const char *s, size_t n, const char **wrong) {
  Text t = {0};
  bool blank = false;
  *wrong = NULL;
  for (size_t i = 0; i < n;) {
    size_t step = 1;
    const char *add = NULL;
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
      size_t len = strlen(signs[k].sign);
      if (i + len <= n && memcmp(s + i, signs[k].sign, len) == 0) add = signs[k].plain, step = len;
    }
    if (isspace((unsigned char)s[i])) {
      blank = true;
    } else {
      if (blank && t.n && isalnum((unsigned char)s[i]) && isalnum((unsigned char)t.at[t.n - 1]))
        *wrong = "unit names are joined by '*', as in N*m";
      if (add) text_add(&t, add);
      else text_addc(&t, s[i]);
      blank = false;
    }
    i += step;
  }
  if (t.n == 0) *wrong = "it is empty";
  Reader r = {text_str(&t), 0, NULL};
  if (!*wrong && !read_unit(&r)) *wrong = r.wrong;
  if (!*wrong && *r.s) *wrong = "unit names are joined by '*', '/' and '^'";
  const char *kept = *wrong ? NULL : intern_n(p->names, t.at, t.n);
  text_free(&t);
  return kept;
}

// N.m, N m, m s-1, m**2 in the signs that are used here.
static const char *mended(Parse *p, const char *s) {
  Text t = {0};
  for (; *s; s++) {
    bool name_before = t.n && isalpha((unsigned char)t.at[t.n - 1]);
    bool inside = t.n && isdigit((unsigned char)t.at[t.n - 1]) && isdigit((unsigned char)s[1]);   // of a number: 0.5
    if (!strncmp(s, " per ", 5)) text_addc(&t, '/'), s += 4;
    else if (s[0] == '*' && s[1] == '*') text_addc(&t, '^'), s++;
    else if ((*s == '.' || *s == ' ') && inside) text_addc(&t, *s);
    else if (*s == '.' || *s == ' ' || *s == '-') {
      bool power = *s == '-' && isdigit((unsigned char)s[1]) && name_before;
      if (power) text_add(&t, "^-");
      else if (*s != '-' && t.n && (isalnum((unsigned char)t.at[t.n - 1]) || t.at[t.n - 1] == ')') &&
               isalpha((unsigned char)s[1]))
        text_addc(&t, '*');
      else if (*s == '-') text_addc(&t, '-');
    } else if (isdigit((unsigned char)*s) && name_before) text_printf(&t, "^%c", *s);
    else text_addc(&t, *s);
  }
  const char *kept = arena_strndup(p->arena, text_str(&t), t.n);
  text_free(&t);
  return kept;
}

const char *unit_of(Parse *p, Span at) {
  if (!at.file) return NULL;
  const char *wrong, *unit = unit_text(p, at.file->text + at.lo, at.hi - at.lo, &wrong);
  if (unit) return unit;
  Diag *d = at.hi > at.lo ? problem(p, DIAG_E0116, at, "'%s' is not a unit", span_text(p, at))
                          : problem(p, DIAG_E0116, at, "a unit is missing between the brackets");
  const char *text = span_text(p, at), *meant = mended(p, text), *ignored;
  diag_note(d, "%s", at.hi > at.lo ? wrong : "a pure number has no brackets");
  if (!strcmp(text, "%")) diag_help(d, "a share is a number: 30%% is 0.3");
  else if (!strcmp(text, "-")) diag_help(d, "a pure number has no brackets");
  else if (unit_text(p, meant, strlen(meant), &ignored)) {
    diag_help(d, "write %s", meant);
    diag_edit(d, at, "%s", meant);
  } else diag_help(d, "units look like m, kg*m^2, N*m/rad, rev/min");
  return NULL;
}
