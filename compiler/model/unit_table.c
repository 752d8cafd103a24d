// The table of unit symbols and SI prefixes. When adding a symbol: docs/language.md (units).
#include "unit_table.h"

#include <math.h>
#include <string.h>

typedef struct Symbol {
  const char *name;
  signed char dim[7];   // m, kg, s, A, K, mol, cd
  double scale;
  bool prefixed;        // takes SI prefixes
  bool shown;           // messages use it for its dimension
} Symbol;

#define PI 3.14159265358979323846

static const Symbol symbols[] = {
  {"m",   {1, 0, 0, 0, 0, 0, 0},   1, true, true},
  {"g",   {0, 1, 0, 0, 0, 0, 0},   1e-3, true, false},
  {"s",   {0, 0, 1, 0, 0, 0, 0},   1, true, true},
  {"A",   {0, 0, 0, 1, 0, 0, 0},   1, true, true},
  {"K",   {0, 0, 0, 0, 1, 0, 0},   1, true, true},
  {"mol", {0, 0, 0, 0, 0, 1, 0},   1, true, true},
  {"cd",  {0, 0, 0, 0, 0, 0, 1},   1, true, true},
  {"rad", {0},                     1, true, false},
  {"sr",  {0},                     1, false, false},
  {"deg", {0},                     PI / 180, false, false},
  {"°",   {0},                     PI / 180, false, false},
  {"rev", {0},                     2 * PI, false, false},
  {"%",   {0},                     0.01, false, false},
  {"Hz",  {0, 0, -1, 0, 0, 0, 0},  1, true, false},
  {"N",   {1, 1, -2, 0, 0, 0, 0},  1, true, true},
  {"Pa",  {-1, 1, -2, 0, 0, 0, 0}, 1, true, true},
  {"J",   {2, 1, -2, 0, 0, 0, 0},  1, true, true},
  {"W",   {2, 1, -3, 0, 0, 0, 0},  1, true, true},
  {"C",   {0, 0, 1, 1, 0, 0, 0},   1, true, true},
  {"V",   {2, 1, -3, -1, 0, 0, 0}, 1, true, true},
  {"F",   {-2, -1, 4, 2, 0, 0, 0}, 1, true, true},
  {"ohm", {2, 1, -3, -2, 0, 0, 0}, 1, true, true},
  {"Ω",   {2, 1, -3, -2, 0, 0, 0}, 1, true, false},   // Greek capital omega
  {"Ω",   {2, 1, -3, -2, 0, 0, 0}, 1, true, false},   // the ohm sign
  {"S",   {-2, -1, 3, 2, 0, 0, 0}, 1, true, true},
  {"Wb",  {2, 1, -2, -1, 0, 0, 0}, 1, true, true},
  {"T",   {0, 1, -2, -1, 0, 0, 0}, 1, true, true},
  {"H",   {2, 1, -2, -2, 0, 0, 0}, 1, true, true},
  {"eV",  {2, 1, -2, 0, 0, 0, 0},  1.602176634e-19, true, false},
  {"bar", {-1, 1, -2, 0, 0, 0, 0}, 1e5, true, false},
  {"l",   {3, 0, 0, 0, 0, 0, 0},   1e-3, true, false},
  {"L",   {3, 0, 0, 0, 0, 0, 0},   1e-3, true, false},
  {"t",   {0, 1, 0, 0, 0, 0, 0},   1e3, false, false},
  {"min", {0, 0, 1, 0, 0, 0, 0},   60, false, false},
  {"h",   {0, 0, 1, 0, 0, 0, 0},   3600, false, false},
};
enum { NSYMBOLS = sizeof symbols / sizeof *symbols };

static const struct { const char *name; double scale; } prefixes[] = {
  {"da", 1e1}, {"Y", 1e24}, {"Z", 1e21}, {"E", 1e18}, {"P", 1e15}, {"T", 1e12}, {"G", 1e9},  {"M", 1e6},
  {"k", 1e3},  {"h", 1e2},  {"d", 1e-1}, {"c", 1e-2}, {"m", 1e-3}, {"u", 1e-6}, {"µ", 1e-6}, {"μ", 1e-6},
  {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}, {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24},
};
enum { NPREFIXES = sizeof prefixes / sizeof *prefixes };

static const Symbol *find(const char *s, size_t n) {
  for (int i = 0; i < NSYMBOLS; i++)
    if (strlen(symbols[i].name) == n && memcmp(symbols[i].name, s, n) == 0) return &symbols[i];
  return NULL;
}

static Unit unit_of(const Symbol *y, double scale) {
  Unit u = UNIT_ONE;
  memcpy(u.num, y->dim, sizeof u.num);
  u.scale = scale;
  return u;
}

bool unit_symbol(const char *s, size_t n, Unit *out) {
  const Symbol *y = find(s, n);
  if (y) {
    *out = unit_of(y, y->scale);
    return true;
  }
  for (int i = 0; i < NPREFIXES; i++) {
    size_t k = strlen(prefixes[i].name);
    if (k >= n || memcmp(prefixes[i].name, s, k) != 0) continue;
    y = find(s + k, n - k);
    if (!y || !y->prefixed) continue;
    *out = unit_of(y, strcmp(y->name, "g") == 0 && prefixes[i].scale == 1e3 ? 1 : prefixes[i].scale * y->scale);
    return true;
  }
  return false;
}

const char *unit_common_name(Unit u) {
  if (u.den != 1) return NULL;
  for (int i = 0; i < NSYMBOLS; i++)
    if (symbols[i].shown && memcmp(symbols[i].dim, u.num, sizeof u.num) == 0) return symbols[i].name;
  return NULL;
}

const char *unit_symbol_at(int i) { return i >= 0 && i < NSYMBOLS ? symbols[i].name : NULL; }

// 5.8 [mm] is 5.8/1000, the double nearest to 0.0058; 5.8*1e-3 rounds twice.
double unit_to_si(double x, Unit u) {
  double inverse = floor(1 / u.scale + 0.5);   // 1/1e-9 is one ulp below 1e9
  return u.scale < 1 && 1 / inverse == u.scale ? x / inverse : x * u.scale;
}
