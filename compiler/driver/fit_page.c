// Values with their intervals, what the data do not tell; for each file and column the data with the best run, and what
// is left between them; profiles; where the starts end.
#include "fit_page.h"
#include <math.h>
#include <stdlib.h>
#include "../base/fatal.h"
#include "../view/chart.h"
#include "../view/still.h"

static void cell(Text *out, double x, const char *format) {
  text_add(out, "<td>");
  if (isfinite(x)) text_printf(out, format, x);
  text_add(out, "</td>");
}

static void name_cell(Text *out, const char *name) {
  text_add(out, "<tr><td>");
  text_xml(out, name);
  text_add(out, "</td>");
}

// ---- values ---------------------------------------------------------------------------------------------------------
static void values(const fit_shown *f, Text *out) {
  text_add(out, "<table>\n<tr><th>what was fitted</th><th>value</th><th>deviation</th><th>from (95 %)</th><th>to</th>"
                "<th>unit</th></tr>\n");
  for (int j = 0; j < f->nvalue; j++) {
    const fit_shown_value *v = &f->value[j];
    name_cell(out, v->name);
    cell(out, v->value, "%.10g");
    if (v->held) text_add(out, "<td colspan=\"3\" class=\"why\">at its bound</td>");
    else {
      cell(out, v->sd, "%.4g");
      cell(out, v->lo, "%.6g");
      cell(out, v->hi, "%.6g");
    }
    text_add(out, "<td>");
    text_xml(out, v->unit);
    text_add(out, "</td></tr>\n");
  }
  text_add(out, "</table>\n");
}

// C_ij / (s_i s_j)
static void correlations(const fit_shown *f, Text *out) {
  int n = f->nvalue;
  if (n < 2) return;
  text_add(out, "<details><summary>Correlations</summary>\n<table>\n<tr><th></th>");
  for (int j = 0; j < n; j++) {
    text_add(out, "<th>");
    text_xml(out, f->value[j].name);
    text_add(out, "</th>");
  }
  text_add(out, "</tr>\n");
  for (int i = 0; i < n; i++) {
    name_cell(out, f->value[i].name);
    for (int j = 0; j < n; j++)
      cell(out, f->covariance[i + j * n] / (f->value[i].sd * f->value[j].sd), "%.3f");
    text_add(out, "</tr>\n");
  }
  text_add(out, "</table></details>\n");
}

// ---- data -----------------------------------------------------------------------------------------------------------
static const char *with_unit(const char *what, const char *name, const char *unit, Text *to) {
  to->n = 0;
  text_add(to, what);
  text_add(to, name);
  if (*unit) text_printf(to, " [%s]", unit);
  return text_str(to);
}

// A chart, which is named for those that do not see it.
static void chart(const char *x, const char *y, const ChartSeries *s, int n, Text *out) {
  text_add(out, "<figure role=\"img\" aria-label=\"");
  text_xml(out, y);
  text_add(out, " over ");
  text_xml(out, x);
  text_add(out, "\">\n");
  chart_series(x, y, s, n, out);
  text_add(out, "</figure>\n");
}

static void data(const fit_shown_column *c, Text *out) {
  Text name = { 0 };
  double *left = memory_for(((size_t)c->n + 1) * sizeof *left), most = 0, lo = INFINITY, hi = -INFINITY;
  for (int i = 0; i < c->n; i++) {
    left[i] = c->model[i] - c->data[i];
    most += pow(left[i] / c->sigma[i], 2);
    lo = fmin(lo, c->x[i]);
    hi = fmax(hi, c->x[i]);
  }
  text_add(out, "<h2>");
  text_xml(out, c->name);
  text_add(out, " in ");
  text_xml(out, c->path);
  text_printf(out, "</h2>\n<p>%d numbers; rms of what is left, in sigma: %.4g.</p>\n", c->n, sqrt(most / c->n));
  const char *over = c->events ? "number of the impact" : "time [s]";
  const double *t = c->events ? c->x : c->t, *line = c->events ? c->model : c->line;
  const ChartSeries both[] = { { "the best run", t, line, c->events ? c->n : c->nline, false },
                               { "data", c->x, c->data, c->n, true } };
  chart(over, with_unit("", c->name, c->unit, &name), both, 2, out);
  const double ends[] = { lo, hi }, zero[] = { 0, 0 };
  const ChartSeries rest[] = { { "", ends, zero, 2, false }, { "", c->x, left, c->n, true } };
  chart(over, with_unit("run less data, ", c->name, c->unit, &name), rest, 2, out);
  text_free(&name);
  free(left);
}

// ---- the search -----------------------------------------------------------------------------------------------------
static void profile(const fit_shown_profile *p, Text *out) {
  const ChartSeries all[] = { { "", p->value, p->rss, p->n, false }, { "", &p->best, &p->least, 1, true } };
  text_add(out, "<h2>Profile of ");
  text_xml(out, p->name);
  text_printf(out, "</h2>\n<p>Its interval by that (95 %%): [%.6g, %.6g].</p>\n", p->lo, p->hi);
  chart(p->name, "least sum of squares", all, 2, out);
}

static int by_sum(const void *a, const void *b) {
  double x = ((const fit_shown_start *)a)->rss, y = ((const fit_shown_start *)b)->rss;
  return (x > y) - (x < y);
}

static void starts(const fit_shown *f, Text *out) {
  enum { MOST = 50 };
  if (f->nstart < 2) return;
  qsort(f->start, (size_t)f->nstart, sizeof *f->start, by_sum);
  text_printf(out, "<h2>Starts</h2>\n<p>%d of %d end at the best sum%s.</p>\n<table>\n<tr><th>sum of squares</th>"
                   "<th>iterations</th><th></th></tr>\n", f->agree, f->nstart,
              f->nstart > MOST ? "; the first fifty" : "");
  for (int i = 0; i < f->nstart && i < MOST; i++) {
    text_add(out, "<tr>");
    cell(out, f->start[i].rss, "%.8g");
    text_printf(out, "<td>%d</td><td>%s</td></tr>\n", f->start[i].iterations,
                f->start[i].converged ? "" : "not converged");
  }
  text_add(out, "</table>\n");
}

void fit_page(const fit_shown *f, Text *out) {
  still_begin(out, f->model, "fitted to data", "figure{display:inline-block;width:49%;min-width:320px;margin:0;"
              "vertical-align:top}svg{width:100%;height:auto}");
  text_printf(out, "<p>%d numbers tell %d values: %d degrees of freedom. Sum of squares %.8g, rms %.6g; %d iterations."
                   "</p>\n", f->points, f->nvalue, f->freedom, f->rss, sqrt(f->rss / f->points), f->iterations);
  if (*f->note) {
    text_add(out, "<p><b>Note:</b> ");
    text_xml(out, f->note);
    text_add(out, ".</p>\n");
  }
  values(f, out);
  correlations(f, out);
  for (int k = 0; k < f->ncolumn; k++) data(&f->column[k], out);
  for (int k = 0; k < f->nprofile; k++) profile(&f->profile[k], out);
  starts(f, out);
  still_end(out);
}
