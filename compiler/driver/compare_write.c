// The table of nsm compare: as text, as CSV, as one page without scripts (text on it comes from the model's file and
// from messages: escaped).
#include <math.h>
#include <string.h>
#include "../view/still.h"
#include "compare.h"

static const char *number(const Compare *c, double x, const char *format) {
  return isnan(x) ? "-" : arena_printf(c->arena, format, x);
}

static bool any_captured(const Compare *c) {
  bool any = false;
  for (int i = 0; i < c->nrun; i++) any |= c->run[i].captured > 0;
  return any;
}

void compare_text(const Compare *c, Text *out) {
  size_t widest = strlen("scheme");
  for (int i = 0; i < c->nscheme; i++) widest = strlen(c->scheme[i].text) > widest ? strlen(c->scheme[i].text) : widest;
  text_printf(out, "%s to %.6g s, %d column%s; reference: %s\n\n", c->model, c->until, c->ncolumn,
              c->ncolumn == 1 ? "" : "s", c->reference);
  bool captured = any_captured(c);
  text_printf(out, "%-*s  %10s  %9s  %9s  %5s  %10s  %9s  %9s%s\n", (int)widest, "scheme", "step [s]", "error", "mean",
              "order", "energy [J]", "residue", "time [s]", captured ? "  captured" : "");
  for (int i = 0; i < c->nrun; i++) {
    const CompareRun *r = &c->run[i];
    if (r->failed) {
      text_printf(out, "%-*s  ", (int)widest, r->scheme->text);
      if (!r->scheme->refused) text_printf(out, "%10.4g  ", r->step);
      text_printf(out, "%s\n", r->failed);
      continue;
    }
    text_printf(out, "%-*s  %10.4g  %9.2e  %9.2e  %5s  %10s  %9s  %9.2e", (int)widest, r->scheme->text, r->step,
                r->error, r->mean, number(c, r->order, "%.2f"), number(c, r->energy, "%.2e"),
                number(c, r->residue, "%.1e"), r->seconds);
    if (captured) text_printf(out, "  %8ld", r->captured);
    text_add(out, "\n");
  }
}

static void field(Text *out, const char *s) {
  text_addc(out, '"');
  for (; *s; s++) {
    if (*s == '"') text_addc(out, '"');
    text_addc(out, *s == '\n' ? ' ' : *s);
  }
  text_addc(out, '"');
}

static void value(Text *out, double x) {
  text_addc(out, ',');
  if (!isnan(x)) text_printf(out, "%.17g", x);
}

void compare_csv(const Compare *c, Text *out) {
  text_add(out, "scheme,step,steps,error,mean,order,energy,residue,seconds,captured,failed\n");
  for (int i = 0; i < c->nrun; i++) {
    const CompareRun *r = &c->run[i];
    field(out, r->scheme->text);
    value(out, r->scheme->refused ? NAN : r->step);
    if (r->failed) text_addc(out, ',');
    else text_printf(out, ",%ld", r->steps);
    const double all[] = { r->error, r->mean, r->order, r->energy, r->residue, r->seconds };
    for (int k = 0; k < 6; k++) value(out, all[k]);
    if (r->failed) text_add(out, ",,");
    else text_printf(out, ",%ld,", r->captured);
    if (r->failed) field(out, r->failed);
    text_addc(out, '\n');
  }
}

// ---- the page -------------------------------------------------------------------------------------------------------
enum { WIDTH = 460, HEIGHT = 320, MARGIN = 56 };
static const char *const colour[] = { "#1f6fb4", "#c8511b", "#2f8f4e", "#8a4fbf", "#a8842c", "#4a4a4a" };

static double across(const CompareRun *r, bool work) { return log10(work ? fmax(r->seconds, 1e-6) : r->step); }
static double up(const CompareRun *r) { return log10(fmax(r->error, 1e-17)); }
static bool drawn(const CompareRun *r) { return !r->failed && r->error > 0; }

// Error over step, or over time: both axes by powers of ten.
static void chart(const Compare *c, bool work, Text *out) {
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
  for (int i = 0; i < c->nrun; i++) {
    if (!drawn(&c->run[i])) continue;
    x0 = fmin(x0, across(&c->run[i], work)), x1 = fmax(x1, across(&c->run[i], work));
    y0 = fmin(y0, up(&c->run[i])), y1 = fmax(y1, up(&c->run[i]));
  }
  if (!(x1 >= x0)) return;
  x0 = floor(x0), y0 = floor(y0), x1 = fmax(ceil(x1), x0 + 1), y1 = fmax(ceil(y1), y0 + 1);
  double sx = (WIDTH - 1.5 * MARGIN) / (x1 - x0), sy = (HEIGHT - 1.5 * MARGIN) / (y1 - y0);
  text_printf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"error over %s\">\n", WIDTH, HEIGHT,
              work ? "time" : "step");
  for (double x = x0; x <= x1; x++)
    text_printf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" class=\"grid\"/><text x=\"%.1f\" y=\"%d\" "
                     "text-anchor=\"middle\">1e%g</text>\n", MARGIN + sx * (x - x0), MARGIN / 2,
                MARGIN + sx * (x - x0), HEIGHT - MARGIN, MARGIN + sx * (x - x0), HEIGHT - MARGIN + 16, x);
  double each = ceil((y1 - y0) / 8);
  for (double y = y0; y <= y1; y += each)
    text_printf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"grid\"/><text x=\"%d\" y=\"%.1f\" "
                     "text-anchor=\"end\">1e%g</text>\n", MARGIN, HEIGHT - MARGIN - sy * (y - y0),
                WIDTH - MARGIN / 2, HEIGHT - MARGIN - sy * (y - y0), MARGIN - 6,
                HEIGHT - MARGIN - sy * (y - y0) + 4, y);
  text_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", WIDTH / 2, HEIGHT - 12,
              work ? "time [s]" : "step [s]");
  for (int s = 0; s < c->nscheme; s++) {
    const char *col = colour[s % (int)(sizeof colour / sizeof *colour)];
    text_printf(out, "<polyline fill=\"none\" stroke=\"%s\" points=\"", col);
    for (int i = 0; i < c->nrun; i++)
      if (c->run[i].scheme == &c->scheme[s] && drawn(&c->run[i]))
        text_printf(out, "%.1f,%.1f ", MARGIN + sx * (across(&c->run[i], work) - x0),
                    HEIGHT - MARGIN - sy * (up(&c->run[i]) - y0));
    text_add(out, "\"/>\n");
    for (int i = 0; i < c->nrun; i++)
      if (c->run[i].scheme == &c->scheme[s] && drawn(&c->run[i]))
        text_printf(out, "<circle r=\"3\" fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\"/>\n", col,
                    MARGIN + sx * (across(&c->run[i], work) - x0), HEIGHT - MARGIN - sy * (up(&c->run[i]) - y0));
  }
  text_add(out, "</svg>\n");
}

void compare_page(const Compare *c, Text *out) {
  still_begin(out, c->model, "schemes compared", "svg{width:49%;min-width:320px;font-size:11px}.grid{stroke:#ddd}");
  text_printf(out, "<p>To %.6g s, %d column%s. Reference: ", c->until, c->ncolumn,
              c->ncolumn == 1 ? "" : "s");
  text_xml(out, c->reference);
  text_add(out, ". Errors are those at the end, and their mean, of the columns in units of the largest value of their "
                "kind.</p>\n");
  chart(c, false, out);
  chart(c, true, out);
  bool captured = any_captured(c);
  text_add(out, "<table>\n<tr><th>scheme</th><th>step [s]</th><th>error</th><th>mean</th><th>order</th><th>energy [J]"
                "</th><th>residue [J]</th><th>time [s]</th>");
  text_add(out, captured ? "<th>captured</th></tr>\n" : "</tr>\n");
  for (int i = 0; i < c->nrun; i++) {
    const CompareRun *r = &c->run[i];
    int s = (int)(r->scheme - c->scheme);
    text_printf(out, "<tr><td style=\"color:%s\">", colour[s % (int)(sizeof colour / sizeof *colour)]);
    text_xml(out, r->scheme->text);
    text_printf(out, "</td><td>%s</td>", r->scheme->refused ? "" : number(c, r->step, "%.4g"));
    if (r->failed) {
      text_printf(out, "<td colspan=\"%d\" class=\"why\">", captured ? 7 : 6);
      text_xml(out, r->failed);
      text_add(out, "</td></tr>\n");
      continue;
    }
    text_printf(out, "<td>%.2e</td><td>%.2e</td><td>%s</td><td>%s</td><td>%s</td><td>%.2e</td>", r->error,
                r->mean, number(c, r->order, "%.2f"), number(c, r->energy, "%.2e"), number(c, r->residue, "%.1e"),
                r->seconds);
    if (captured) text_printf(out, "<td>%ld</td>", r->captured);
    text_add(out, "</tr>\n");
  }
  text_add(out, "</table>\n");
  still_end(out);
}
