// Lines and maps. A line over an ascending column is reduced to the smallest and largest values of each pixel column.
#include "chart.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../base/fatal.h"

enum {
  WIDTH = 720, HEIGHT = 440, LEFT = 76, RIGHT = 20, TOP = 16, BOTTOM = 52, MAP_SCALE = 84, LEGEND = 18, IN_ROW = 4
};
static const char *const colour[] = { "#1f6feb", "#d1570a", "#1a7f37", "#a333c8", "#c2185b", "#00838f", "#795548",
                                      "#6b7280" };

typedef struct Range { double lo, hi; } Range;
typedef struct Frame { Range x, y; double left, top, width, height; } Frame;

static void escaped(Text *out, const char *s) {
  for (; *s; s++) {
    if (*s == '<') text_add(out, "&lt;");
    else if (*s == '&') text_add(out, "&amp;");
    else text_addc(out, *s);
  }
}

static Range range_of(const double *v, long n, Range r) {
  for (long i = 0; i < n; i++) {
    if (!isfinite(v[i])) continue;
    r.lo = fmin(r.lo, v[i]);
    r.hi = fmax(r.hi, v[i]);
  }
  return r;
}

static const Range nothing = { INFINITY, -INFINITY };

static Range widened(Range r, double share) {
  if (!(r.lo <= r.hi)) return (Range){ 0, 1 };
  double room = r.hi > r.lo ? 2 * share * (r.hi / 2 - r.lo / 2) : r.hi != 0 ? 0.05 * fabs(r.hi) : 0.5;
  return (Range){ fmax(r.lo - room, -DBL_MAX), fmin(r.hi + room, DBL_MAX) };
}

// Where x is in r, as a share; the halves of numbers, as their difference may be beyond the largest one.
static double share_of(Range r, double x) { return (x / 2 - r.lo / 2) / (r.hi / 2 - r.lo / 2); }
static double across(const Frame *f, double x) { return f->left + share_of(f->x, x) * f->width; }
static double down(const Frame *f, double y) {
  return f->top + f->height - share_of(f->y, y) * f->height;
}

// 1, 2 or 5 times a power of ten, so that about `most` of them fit.
static double step_of(Range r, double most) {
  double rough = (r.hi / 2 - r.lo / 2) / most * 2, power = pow(10, floor(log10(rough)));
  return power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
}

static void label(Text *out, double x, double y, const char *anchor, double value, double step) {
  text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%.6g</text>\n", x, y, anchor,
              fabs(value) < 1e-9 * step ? 0 : value);
}

static void axes(const Frame *f, const char *xname, const char *yname, Text *out) {
  double sx = step_of(f->x, f->width / 90), sy = step_of(f->y, f->height / 44);
  double bottom = f->top + f->height;
  text_add(out, "<g fill=\"#444\" stroke=\"none\">\n");
  for (double k = ceil(f->x.lo / sx); k * sx <= f->x.hi + 1e-9 * sx; k++) {
    text_printf(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", across(f, k * sx), f->top, bottom);
    label(out, across(f, k * sx), bottom + 16, "middle", k * sx, sx);
  }
  for (double k = ceil(f->y.lo / sy); k * sy <= f->y.hi + 1e-9 * sy; k++) {
    text_printf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", f->left, down(f, k * sy), f->left + f->width);
    label(out, f->left - 6, down(f, k * sy) + 4, "end", k * sy, sy);
  }
  text_printf(out, "<path d=\"M%.1f %.1fV%.1fH%.1f\" stroke=\"#444\" fill=\"none\"/>\n", f->left, f->top, bottom,
              f->left + f->width);
  text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", f->left + f->width / 2, bottom + 36);
  escaped(out, xname);
  text_printf(out, "</text>\n<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">",
              f->top + f->height / 2);
  escaped(out, yname);
  text_add(out, "</text>\n</g>\n");
}

static void begin(Text *out, int height) {
  text_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                   "font-family=\"sans-serif\" font-size=\"12\">\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", WIDTH, height, WIDTH, height);
}

// ---- lines ----------------------------------------------------------------------------------------------------------
static bool ascends(const double *x, long n) {
  for (long i = 1; i < n; i++) if (!(x[i] >= x[i - 1])) return false;
  return true;
}

static void point(const Frame *f, double x, double y, bool *pen, Text *out) {
  bool there = isfinite(x) && isfinite(y);
  if (there) text_printf(out, "%c%.2f %.2f", *pen ? 'L' : 'M', across(f, x), down(f, y));
  *pen = there;
}

static void line(const Frame *f, const double *x, const double *y, long n, const char *stroke, Text *out) {
  bool pen = false, reduce = n > 4 * (long)f->width && ascends(x, n);
  text_printf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" stroke-linejoin=\"round\" d=\"", stroke);
  for (long i = 0; i < n;) {
    long first = i, least = i, most = i;
    double pixel = floor(across(f, x[i]));
    for (i++; reduce && i < n && floor(across(f, x[i])) == pixel; i++) {
      if (y[i] < y[least]) least = i;
      if (y[i] > y[most]) most = i;
    }
    long order[] = { first, least < most ? least : most, least < most ? most : least, i - 1 };
    for (int k = 0; k < 4; k++) if (k == 0 || order[k] > order[k - 1]) point(f, x[order[k]], y[order[k]], &pen, out);
  }
  text_add(out, "\"/>\n");
}

static void points(const Frame *f, const ChartSeries *s, const char *fill, Text *out) {
  for (long i = 0; i < s->n; i++)
    if (isfinite(s->x[i]) && isfinite(s->y[i]))
      text_printf(out, "<circle r=\"2.4\" fill=\"%s\" cx=\"%.2f\" cy=\"%.2f\"/>\n", fill, across(f, s->x[i]),
                  down(f, s->y[i]));
}

void chart_series(const char *xname, const char *yname, const ChartSeries *s, int n, Text *out) {
  Range x = nothing, y = nothing;
  int named = 0;
  bool scattered = false;
  for (int i = 0; i < n; i++) {
    x = range_of(s[i].x, s[i].n, x);
    y = range_of(s[i].y, s[i].n, y);
    scattered |= s[i].points;
    named += *s[i].name != 0;
  }
  int rows = named > 1 ? (named + IN_ROW - 1) / IN_ROW : 0;
  Frame f = { widened(x, scattered ? 0.02 : 0), widened(y, 0.05), LEFT, TOP, WIDTH - LEFT - RIGHT,
              HEIGHT - TOP - BOTTOM };
  begin(out, HEIGHT + LEGEND * rows);
  axes(&f, xname, yname, out);
  for (int i = 0; i < n; i++) {
    if (s[i].points) points(&f, &s[i], colour[i % 8], out);
    else line(&f, s[i].x, s[i].y, s[i].n, colour[i % 8], out);
  }
  for (int i = 0, k = 0; rows && i < n; i++) {
    if (!*s[i].name) continue;
    double at = LEFT + (double)(k % IN_ROW) * 160, level = HEIGHT + LEGEND * (k / IN_ROW) + 2.0;
    k++;
    text_printf(out, "<path d=\"M%.1f %.1fh20\" stroke=\"%s\" stroke-width=\"2\"/>", at, level, colour[i % 8]);
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\">", at + 26, level + 4);
    escaped(out, s[i].name);
    text_add(out, "</text>\n");
  }
  text_add(out, "</svg>\n");
}

void chart_lines(const Table *t, int x, const int *y, int ny, Text *out) {
  ChartSeries *s = memory_for(((size_t)ny + 1) * sizeof *s);
  for (int i = 0; i < ny; i++) s[i] = (ChartSeries){ t->name[y[i]], t->value[x], t->value[y[i]], t->rows, false };
  chart_series(t->name[x], ny == 1 ? t->name[y[0]] : "", s, ny, out);
  free(s);
}

// ---- maps -----------------------------------------------------------------------------------------------------------
static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The different values of a column, ascending; *n of them. To be freed.
static double *different(const double *v, long rows, int *n) {
  double *out = memory_for(((size_t)rows + 1) * sizeof *out);
  long m = 0;
  for (long i = 0; i < rows; i++) if (isfinite(v[i])) out[m++] = v[i];
  qsort(out, (size_t)m, sizeof *out, by_value);
  *n = 0;
  for (long i = 0; i < m; i++) if (*n == 0 || out[i] != out[*n - 1]) out[(*n)++] = out[i];
  return out;
}

// Where the cell of value k ends: half way to the next, as far outside as inside.
static double edge(const double *v, int n, int k) {
  if (n == 1) return v[0] + (k ? 0.5 : -0.5);
  if (k == 0) return v[0] - 0.5 * (v[1] - v[0]);
  return k == n ? v[n - 1] + 0.5 * (v[n - 1] - v[n - 2]) : 0.5 * (v[k - 1] + v[k]);
}

static int place_of(const double *v, int n, double x) {
  const double *at = bsearch(&x, v, (size_t)n, sizeof *v, by_value);
  return at ? (int)(at - v) : -1;
}

// From dark blue over green to yellow, lightness ascending, so that it reads in grey, too.
static void shade(double s, Text *out) {
  static const double stop[5][3] = {
    { 48, 18, 92 }, { 49, 90, 150 }, { 33, 145, 140 }, { 120, 190, 80 }, { 250, 230, 60 } };
  double at = fmin(fmax(s, 0), 1) * 4;
  int k = at >= 4 ? 3 : (int)at;
  text_addc(out, '#');
  for (int c = 0; c < 3; c++)
    text_printf(out, "%02x", (int)lrint(stop[k][c] + (at - k) * (stop[k + 1][c] - stop[k][c])));
}

static void scale(const Frame *f, Range z, const char *name, Text *out) {
  double at = f->left + f->width + 16, h = f->height / 64;
  for (int k = 0; k < 64; k++) {
    text_printf(out, "<rect x=\"%.1f\" y=\"%.2f\" width=\"14\" height=\"%.2f\" fill=\"", at,
                f->top + f->height - (k + 1) * h, h + 0.4);
    shade((k + 0.5) / 64, out);
    text_add(out, "\"/>\n");
  }
  for (int k = 0; k <= 4; k++)
    label(out, at + 18, f->top + f->height * (1 - k / 4.0) + 4, "start", z.lo + k / 4.0 * (z.hi - z.lo), z.hi - z.lo);
  text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", (double)WIDTH - 4, f->top + f->height + 36);
  escaped(out, name);
  text_add(out, "</text>\n");
}

void chart_map(const Table *t, int x, int y, int z, Text *out) {
  int nx, ny;
  double *xs = different(t->value[x], t->rows, &nx), *ys = different(t->value[y], t->rows, &ny);
  Range range = range_of(t->value[z], t->rows, nothing), colours = range.lo < range.hi ? range : widened(range, 0);
  begin(out, HEIGHT);
  if (nx > 0 && ny > 0) {
    Frame f = { { edge(xs, nx, 0), edge(xs, nx, nx) }, { edge(ys, ny, 0), edge(ys, ny, ny) }, LEFT, TOP,
                WIDTH - LEFT - MAP_SCALE - 10, HEIGHT - TOP - BOTTOM };
    axes(&f, t->name[x], t->name[y], out);
    for (long i = 0; i < t->rows; i++) {
      int a = place_of(xs, nx, t->value[x][i]), b = place_of(ys, ny, t->value[y][i]);
      if (a < 0 || b < 0 || !isfinite(t->value[z][i])) continue;
      double left = across(&f, edge(xs, nx, a)), top = down(&f, edge(ys, ny, b + 1));
      text_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"", left, top,
                  across(&f, edge(xs, nx, a + 1)) - left + 0.3, down(&f, edge(ys, ny, b)) - top + 0.3);
      shade((t->value[z][i] - colours.lo) / (colours.hi - colours.lo), out);
      text_add(out, "\"/>\n");
    }
    scale(&f, colours, t->name[z], out);
  }
  text_add(out, "</svg>\n");
  free(xs);
  free(ys);
}
