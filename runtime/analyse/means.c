// Columns over one period of an orbit: mean and root of the mean square, by the rule of trapezoids over the ends of
// steps, least and largest value there.
#include "analyse.h"
#include <stdlib.h>

typedef struct column { int at; double last, sum, squares, least, most; } column;

static int take_columns(nsm_sim *s, column *c) {
  int n = 0;
  for (int i = 1; i < nsm_ncolumn(s); i++) {
    nsm_column_kind kind = nsm_kind_of_column(s, i);
    if (kind != NSM_COLUMN_STATE && kind != NSM_COLUMN_DISCRETE && kind != NSM_COLUMN_OUTPUT) continue;
    double x = nsm_read_column(s, i);
    c[n++] = (column){ i, x, 0, 0, x, x };
  }
  return n;
}

static void add_step(nsm_sim *s, column *c, int n, double h) {
  for (int i = 0; i < n; i++) {
    double x = nsm_read_column(s, c[i].at), before = c[i].last;
    c[i].sum += h / 2 * (before + x);
    c[i].squares += h / 2 * (before * before + x * x);
    c[i].least = fmin(c[i].least, x);
    c[i].most = fmax(c[i].most, x);
    c[i].last = x;
  }
}

nsm_code steady_means(const steady *w, const nsm_settings *set, steady_mean *tell, void *with, nsm_error *e) {
  nsm_settings own = steady_settings(w, set, w->period);
  nsm_sim *s = nsm_open(w->a.m, &own, e);
  if (!s) return e->code;
  column *c = calloc((size_t)nsm_ncolumn(s) + 1, sizeof *c);
  nsm_code code = c ? NSM_OK : sim_no_memory(e, "an orbit");
  for (int i = 0; code == NSM_OK && i < w->n; i++) nsm_write_column(s, w->a.by[i].column, w->y[i], NULL);
  int n = code == NSM_OK ? take_columns(s, c) : 0;
  double start = nsm_time(s);
  while (code == NSM_OK && nsm_steps_done(s) < nsm_steps_total(s)) {
    double t = nsm_time(s);
    code = nsm_step(s, e);
    if (code == NSM_OK || code == NSM_STOPPED) add_step(s, c, n, nsm_time(s) - t);
  }
  double length = nsm_time(s) - start;
  for (int i = 0; (code == NSM_OK || code == NSM_STOPPED) && i < n; i++) {
    double scale = nsm_column_scale(s, c[i].at);
    tell(with, nsm_column_name(s, c[i].at), (const double[]){ c[i].sum / length / scale,
         sqrt(c[i].squares / length) / scale, c[i].least / scale, c[i].most / scale });
  }
  free(c);
  nsm_close(s);
  return code == NSM_STOPPED ? NSM_OK : code;
}
