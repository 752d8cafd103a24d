// Signals: inputs, from files or held, and delayed quantities. Kernels read them like discrete variables; their values
// are those of the time that a view has, so they are computed when a view is made, once for each time.
//
// Delays. y(t - T) is linear between the times of the clock, where y is kept: order 2, and exact there where T is a
// multiple of the step; of order 4, by cubics, for the schemes of order 4 and above. Since T is at least one step, all
// that a step reads is known when it begins. Before the start y has its initial value. Where a step does not end at a
// time of the clock, as after an event, the value there is interpolated between both of its ends.
#include "assembly.h"
#include "runtime/shared/points.h"
#include "runtime/shared/table.h"
#include "runtime/shared/unit.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- inputs ---------------------------------------------------------------------------------------------------------
static void signal_name(const nsm_sim *s, int kind, int d, char *out, size_t size) {
  for (int i = 0; i < s->a->m->nvar; i++) {
    const sim_var *v = &s->a->var[i];
    if (s->a->m->var[i].kind == kind && d >= v->base && d < v->base + v->count) {
      sim_element_name(s, i, d - v->base, out, size);
      return;
    }
  }
  *out = 0;
}

// Number in d of the input called so, or of its flag; -1: none.
static int named(const nsm_sim *s, int kind, const char *name) {
  char own[256];
  for (int d = s->a->ndiscrete; d < s->a->nd; d++) {
    signal_name(s, kind, d, own, sizeof own);
    if (*own && strcmp(own, name) == 0) return d;
  }
  return -1;
}

static char *read_text(const char *path, size_t *n, nsm_error *e) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  size_t room = 0;
  int text_ends = 0;
  *n = 0;
  if (!f) {
    sim_fail(e, NSM_FILE, "cannot read the input %s: %s", path, strerror(errno));
    return NULL;
  }
  do {
    if (*n == room) {
      char *more = realloc(text, room = room ? 2 * room : 1 << 16);
      if (!more) { free(text); fclose(f); sim_no_memory(e, "an input"); return NULL; }
      text = more;
    }
    size_t more = fread(text + *n, 1, room - *n, f);
    text_ends = memchr(text + *n, 0, more) != NULL;        // a device may have no end
    *n += more;
  } while (!text_ends && !feof(f) && !ferror(f));
  int bad = ferror(f);
  fclose(f);
  if (!bad && !text_ends) return text;
  free(text);
  sim_fail(e, NSM_FILE, bad ? "reading the input %s failed" : "the input %s is no text", path);
  return NULL;
}

// The file has no column of this name, and one beside the time.
static void other_column(nsm_sim *s, const nsm_input *in, const char *text) {
  size_t used = strlen(s->a->note);
  snprintf(s->a->note + used, sizeof s->a->note - used,
           "%s%s has no column `%s`: the input takes its second one, as it is; the first line is: %.*s",
           used ? "; " : "", in->path, in->name, (int)strcspn(text, "\r\n"), text);
}

static void put_points(nsm_sim *s, sim_signal *to, int between, const double *x, const double *y, int count) {
  static const int kind[] = { NSM_TABLE_LINEAR, NSM_TABLE_HOLD, NSM_TABLE_CUBIC };
  double *of_x = to->points = SIM_NEW(s, NSM_TABLE_HEAD + (between == NSM_INPUT_SMOOTH ? 3 : 2) * count, double);
  *of_x = count;
  of_x[1] = kind[between];
  of_x += NSM_TABLE_HEAD;
  memcpy(of_x, x, (size_t)count * sizeof *x);
  memcpy(of_x + count, y, (size_t)count * sizeof *y);
  if (between == NSM_INPUT_SMOOTH) nsm_table_slopes(count, x, y, 0, of_x + 2 * count);
}

// Numbers of a column into SI; `wanted`: the unit of what it is for, or "". 0: it is in another one.
static int in_si(const nsm_input *in, const char *name, const char *what, const char *wanted, double *x, int count,
                 nsm_error *e) {
  int done = nsm_points_in_si(name, wanted, x, count);
  if (done < 0)
    sim_fail(e, NSM_FILE, "the input %s: `%s` has %s, and %s is in %s", in->path, name,
             done == -1 ? "a unit that is not known" : "another unit", what, *wanted ? wanted : "SI");
  return done >= 0;
}

static const char *unit_of(const nsm_sim *s, int d) {
  for (int i = 0; i < s->a->m->nvar; i++) {
    const sim_var *v = &s->a->var[i];
    if (s->a->m->var[i].kind == NSM_VAR_INPUT && d >= v->base && d < v->base + v->count)
      return sim_text(s, s->a->m->var[i].unit);
  }
  return "";
}

static int no_points(const nsm_input *in, const char *column, const nsm_points_error *wrong, const char *text,
                     nsm_error *e) {
  int names = (int)(wrong->hi < 200 ? wrong->hi : 200);
  if (wrong->row == 0)
    sim_fail(e, NSM_FILE, "the input %s: %s; it has a line with names, then a line of numbers for each point",
             in->path, wrong->what);
  else if (wrong->column == 0)
    sim_fail(e, NSM_FILE, "the input %s has no column `%s`; its first line is: %.*s", in->path, column, names, text);
  else
    sim_fail(e, NSM_FILE, "the input %s, row %d, column %d: %s; below the names each line has a finite number for "
             "each of them, and those of the first column rise", in->path, wrong->row, wrong->column, wrong->what);
  return 0;
}

static int points_of(nsm_sim *s, int d, const nsm_input *in, const char *text, size_t n, nsm_error *e) {
  int lines = nsm_points_lines(text, n);
  nsm_points_error wrong;
  double *x = SIM_NEW(s, lines, double), *y = SIM_NEW(s, lines, double);
  const char *column = in->column ? in->column : in->name, *unit = in->column ? in->column : "";
  char time[128], whole[128];
  int count = nsm_points_read(text, n, column, x, y, &wrong), missing = wrong.row == 1 && wrong.column == 0;
  if (!count && missing && nsm_points_name(text, n, column, whole, sizeof whole))
    count = nsm_points_read(text, n, unit = whole, x, y, &wrong);
  else if (!count && missing && !in->column && (count = nsm_points_read(text, n, NULL, x, y, &wrong)) > 0)
    other_column(s, in, text);
  if (!count) return no_points(in, column, &wrong, text, e);
  if (nsm_points_name(text, n, NULL, time, sizeof time) && !in_si(in, time, "the time", "s", x, count, e)) return 0;
  if (!in_si(in, unit, in->name, unit_of(s, d), y, count, e)) return 0;
  put_points(s, &s->a->signal[d - s->a->nheld], in->between, x, y, count);
  return 1;
}

// Points in memory. 0: they do not rise, or are not finite.
static int given_points(nsm_sim *s, sim_signal *to, const nsm_input *in, nsm_error *e) {
  for (int i = 0; i < in->n; i++) {
    const char *wrong = !isfinite(in->time[i]) || !isfinite(in->value[i])   ? "it is not finite"
                        : i > 0 && in->time[i] <= in->time[i - 1] ? "its time is not later than that of the one before"
                                                                  : NULL;
    if (!wrong) continue;
    sim_fail(e, NSM_USAGE, "the input %s, point %d (%g, %g): %s", in->name, i + 1, in->time[i], in->value[i], wrong);
    return 0;
  }
  if (in->n < 1) sim_fail(e, NSM_USAGE, "the input %s has no points", in->name);
  else put_points(s, to, in->between, in->time, in->value, in->n);
  return in->n >= 1;
}

static int no_input(nsm_sim *s, const char *name, nsm_error *e) {
  char list[400] = "", own[256];
  for (int d = s->a->nheld; d < s->a->nd && strlen(list) < 300; d++) {
    signal_name(s, NSM_VAR_INPUT, d, own, sizeof own);
    if (*own) snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.90s", *list ? ", " : "", own);
  }
  sim_fail(e, NSM_USAGE, "there is no input `%s`%s%s", name, *list ? "; there are: " : "; the model has none", list);
  return 0;
}

static int read_inputs(nsm_sim *s, const nsm_settings *set, nsm_error *e) {
  for (int i = 0; set && i < set->ninput; i++) {
    const nsm_input *in = &set->input[i];
    int d = named(s, NSM_VAR_INPUT, in->name), flag = named(s, NSM_VAR_GIVEN, in->name);
    size_t n;
    if (d < 0) return no_input(s, in->name, e);
    for (int k = 0; k < i; k++)
      if (strcmp(set->input[k].name, in->name) == 0) {
        sim_fail(e, NSM_USAGE, "the input %s is given twice: --input %s=FILE stands once", in->name, in->name);
        return 0;
      }
    if (in->between < NSM_INPUT_LINEAR || in->between > NSM_INPUT_SMOOTH) {
      sim_fail(e, NSM_USAGE, "the input %s: between = %d is none of NSM_INPUT_LINEAR, HOLD, SMOOTH", in->name,
               in->between);
      return 0;
    }
    sim_signal *to = &s->a->signal[d - s->a->nheld];
    char *text = in->path ? read_text(in->path, &n, e) : NULL;
    int ok = text ? points_of(s, d, in, text, n, e) : !in->path && given_points(s, to, in, e);
    free(text);
    if (!ok) return 0;
    s->a->rows_jump |= in->between == NSM_INPUT_HOLD;
    if (flag >= 0) s->a->d_start[flag] = 1;
  }
  return 1;
}

int sim_inputs_given(const nsm_sim *s, nsm_error *e) {
  char name[256];
  for (int i = 0; i < s->a->nsignal - s->a->ndelay; i++) {
    if (nsm_input_has_value(s, i)) continue;
    signal_name(s, NSM_VAR_INPUT, s->a->nheld + i, name, sizeof name);
    sim_fail(e, NSM_USAGE, "the input %s has no value; give it a file: --input %s=FILE", name, name);
    return 0;
  }
  return 1;
}

int sim_inputs_held(const nsm_sim *s) {
  for (int i = 0; i < s->a->nsignal - s->a->ndelay; i++)
    if (s->a->signal[i].points && !s->now.held_input[i]) return 0;
  return 1;
}

// flag: its number, or -1.
static nsm_code hold(nsm_sim *s, int d, int flag, double value, nsm_error *e) {
  if (!isfinite(value)) { sim_fail(e, NSM_USAGE, "the value of an input must be finite"); return NSM_USAGE; }
  if (value != s->now.d[d] || !s->now.held_input[d - s->a->nheld]) s->now.flow.runs = 0;       // another motion
  s->now.d[d] = value;
  s->now.held_input[d - s->a->nheld] = 1;
  if (flag >= 0 && s->now.d[flag] == 0) {
    s->now.d[flag] = 1;
    s->n.stale = s->a->event_matrix ? 2 : s->a->event_values;
  }
  sim_signals_forget(s);
  return NSM_OK;
}

nsm_code nsm_set_input(nsm_sim *s, const char *name, double value, nsm_error *e) {
  int d = named(s, NSM_VAR_INPUT, name);
  if (e) *e = (nsm_error){ .code = NSM_OK };
  if (d < 0) { no_input(s, name, e); return NSM_USAGE; }
  return hold(s, d, named(s, NSM_VAR_GIVEN, name), value, e);
}

nsm_code nsm_set_input_at(nsm_sim *s, int i, double value, nsm_error *e) {
  if (i < 0 || i >= nsm_ninput(s)) {
    sim_fail(e, NSM_USAGE, "there is no input %d: the model has %d", i, nsm_ninput(s));
    return NSM_USAGE;
  }
  if (!s->now.held_input[i]) return nsm_set_input(s, nsm_input_name(s, i), value, e);
  if (e) e->code = NSM_OK;
  return hold(s, s->a->nheld + i, -1, value, e);           // it is held, so its flag is set
}

int nsm_ninput(const nsm_sim *s) { return s->a->nsignal - s->a->ndelay; }

const char *nsm_input_name(nsm_sim *s, int i) {
  s->w.name[0] = 0;
  if (i >= 0 && i < nsm_ninput(s)) signal_name(s, NSM_VAR_INPUT, s->a->nheld + i, s->w.name, sizeof s->w.name);
  return s->w.name;
}

const char *nsm_input_unit(nsm_sim *s, int i) {
  const nsm_model *m = s->a->m;
  for (int v = 0; v < m->nvar; v++) {
    int at = s->a->nheld + i - s->a->var[v].base;
    if (m->var[v].kind == NSM_VAR_INPUT && at >= 0 && at < s->a->var[v].count) return sim_text(s, m->var[v].unit);
  }
  return "";
}

int nsm_input_has_value(const nsm_sim *s, int i) {
  char name[256];
  signal_name(s, NSM_VAR_INPUT, s->a->nheld + i, name, sizeof name);
  return s->a->signal[i].points || s->now.held_input[i] || named(s, NSM_VAR_GIVEN, name) >= 0;
}

// What the file of an input says. A held one jumps at its rows: what ends there has the value before, what begins there
// that behind it.
static double input_at(const nsm_sim *s, const sim_signal *g, double t, int ends, int times) {
  double aside = g->points[1] == NSM_TABLE_HOLD ? 2 * sim_time_round_off(s, t) : 0, at = ends ? t - aside : t + aside;
  return nsm_table_value(g->points, at, at, times);
}

double nsm_get_input(const nsm_sim *s, int i) {
  if (i < 0 || i >= nsm_ninput(s)) return NAN;
  if (s->now.held_input[i]) return s->now.d[s->a->nheld + i];
  return s->a->signal[i].points ? input_at(s, &s->a->signal[i], s->now.t, 0, 0) : NAN;
}

int sim_inputs_jump(const nsm_sim *s) {
  for (int i = 0; s->a->rows_jump && i < s->a->nsignal - s->a->ndelay; i++) {
    const sim_signal *g = &s->a->signal[i];
    if (g->points && !s->now.held_input[i] && input_at(s, g, s->now.t, 0, 0) != input_at(s, g, s->now.t, 1, 0))
      return 1;
  }
  return 0;
}

// ---- delays ---------------------------------------------------------------------------------------------------------
static int open_delays(nsm_sim *s, nsm_error *e) {
  for (int i = 0; i < s->a->m->nclass; i++) {
    const sim_class *k = &s->a->cls[i];
    if (k->c->kind != NSM_DELAY) continue;
    const sim_var *v = &s->a->var[k->c->row_var];
    for (int j = 0; j < k->tab.count; j++) {
      double T = k->tab.num[(size_t)j * (size_t)k->c->nnum];
      if (!(T >= s->a->step * (1 - 1e-12)) || !(T / s->a->step < 1e8)) {
        sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(i),
                    "line %d: a delay is at least one step of %g s, and at most 1e8 of them; it is %g s; choose the "
                    "step to fit", k->c->line, s->a->step, T);
        return 0;
      }
      sim_signal *g = &s->a->signal[v->base - s->a->nheld + j];
      g->cls = i;
      g->instance = j;
      g->delay = T;
      g->room = (int)(T / s->a->step) + 4;
      g->ring = s->a->nring;
      if ((double)s->a->nring + g->room > 1e9) {
        sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(i), "line %d: the delays keep too many values", k->c->line);
        return 0;
      }
      s->a->nring += 2 * g->room;
      s->a->ndelay++;
    }
  }
  return 1;
}

int sim_signals_open(nsm_sim *s, const nsm_settings *set, nsm_error *e) {
  s->a->signal = SIM_NEW(s, s->a->nsignal, sim_signal);
  for (int i = 0; i < s->a->nsignal; i++) s->a->signal[i].cls = -1;
  s->w.moments = SIM_NEW(s, 1, sim_moments);
  for (int k = 0; k < SIM_MOMENTS; k++) {
    s->w.moments->t[k] = NAN;
    s->w.moments->d[k] = SIM_NEW(s, s->a->nd, double);
    s->w.moments->rate[k] = SIM_NEW(s, s->a->nd, double);
  }
  if (!read_inputs(s, set, e)) return 0;
  if (!open_delays(s, e)) return 0;
  s->w.present = SIM_NEW(s, s->a->ndelay, double);
  return 1;
}

// What y was at time k of the clock: before its events, and behind them.
enum { BEFORE, BEHIND };
static double kept(const nsm_sim *s, const sim_signal *g, long k, int side) {
  if (k < 0) side = BEFORE;
  k = k < 0 ? 0 : k > s->now.kept ? s->now.kept : k;
  return s->now.ring[g->ring + 2 * (k % g->room) + side];
}

static int jumps(const nsm_sim *s, const sim_signal *g, long k) {
  return kept(s, g, k, BEFORE) != kept(s, g, k, BEHIND);
}

// By the polynomial through up to four values around k and k + 1, none of them before the start or beyond a jump: an
// error of h^4.
static void past_cubic(const nsm_sim *s, const sim_signal *g, double at, long k, double *value, double *rate) {
  long n = s->now.kept + 1 < 4 ? s->now.kept + 1 : 4, first = k - 1, last;
  if (first > s->now.kept + 1 - n) first = s->now.kept + 1 - n;
  if (first < 0) first = 0;
  last = first + n - 1;
  for (long i = k; i > first; i--) if (jumps(s, g, i)) first = i;
  for (long i = k + 1; i < last; i++) if (jumps(s, g, i)) last = i;
  *value = *rate = 0;
  for (long i = first; i <= last; i++) {                   // Lagrange's polynomials and their derivatives
    double y = kept(s, g, i, i > k ? BEFORE : BEHIND), product = 1, slope = 0;
    for (long j = first; j <= last; j++) {
      if (j == i) continue;
      double under = (double)(i - j), x = at - (double)j;
      slope = (slope * x + product) / under;
      product *= x / under;
    }
    *value += y * product;
    *rate += y * slope / s->a->step;
  }
}

// At a jump a step that ends there has what was before it, and what begins there what is behind it.
static void past(const nsm_sim *s, const sim_signal *g, double t, int ends, double *value, double *rate) {
  double at = (t - g->delay - s->a->start) / s->a->step, near = nearbyint(at);
  if (fabs(at - near) <= 8 * DBL_EPSILON * (fabs(at) + g->delay / s->a->step)) at = near;
  long k = (long)floor(at) - (ends && at == floor(at));
  if (s->n.galerkin && at > 0) { past_cubic(s, g, at, k, value, rate); return; }
  double y0 = kept(s, g, k, BEHIND), y1 = kept(s, g, k + 1, BEFORE), part = at - (double)k;
  *value = part == 0 ? y0 : part == 1 ? y1 : y0 + part * (y1 - y0);
  *rate = at < 0 ? 0 : (y1 - y0) / s->a->step;
}

// All delayed quantities, now, into y [ndelay].
static void present(nsm_sim *s, double *y) {
  int first = s->a->nd - s->a->ndelay;                     // they are the last ones of d
  for (int i = 0; i < s->a->m->nclass; i++) {
    const sim_class *k = &s->a->cls[i];
    if (k->c->kind == NSM_DELAY && k->tab.count > 0)
      sim_evaluate_class(s, i, y + s->a->var[k->c->row_var].base - first);
  }
}

// Those between the last values and y, at the times of the clock, into their rings; t: of y.
static void keep_until(nsm_sim *s, double t, const double *y) {
  double near = sim_time_round_off(s, t);
  for (;;) {
    double next = s->a->start + (double)(s->now.kept + 1) * s->a->step, way = t - s->now.last_t;
    if (next > t + near) return;
    double part = way > 0 ? fmin((next - s->now.last_t) / way, 1) : 1;
    s->now.kept++;
    int n = 0;
    for (int i = 0; i < s->a->nsignal; i++) {
      const sim_signal *g = &s->a->signal[i];
      if (g->cls < 0) continue;
      double from = s->now.last[n], to = y[n];
      double *here = s->now.ring + g->ring + 2 * (s->now.kept % g->room);
      here[BEFORE] = here[BEHIND] = part == 1 ? to : from + part * (to - from);
      n++;
    }
  }
}

// y is what it is behind the events of a time of the clock; within a step a jump of y is kept as a line over the step.
static void keep_behind(nsm_sim *s, const double *y) {
  double clock = s->a->start + (double)s->now.kept * s->a->step;
  if (fabs(s->now.t - clock) > sim_time_round_off(s, clock)) return;
  for (int i = s->a->nsignal - s->a->ndelay, n = 0; i < s->a->nsignal; i++) {
    const sim_signal *g = &s->a->signal[i];
    if (y[n] != s->now.last[n]) s->now.ring[g->ring + 2 * (s->now.kept % g->room) + BEHIND] = y[n];
    n++;
  }
}

void sim_signals_keep(nsm_sim *s, int jump) {
  if (!jump) {                                             // what is late may itself read what is late, and jump
    s->w.moments->left = 1;
    sim_signals_forget(s);
    present(s, s->w.present);
    s->w.moments->left = 0;
    keep_until(s, s->now.t, s->w.present);
    memcpy(s->now.last, s->w.present, (size_t)s->a->ndelay * sizeof(double));
    sim_signals_forget(s);
  }
  present(s, s->w.present);
  keep_behind(s, s->w.present);
  memcpy(s->now.last, s->w.present, (size_t)s->a->ndelay * sizeof(double));
  s->now.last_t = s->now.t;
  sim_signals_forget(s);
}

void sim_signals_start(nsm_sim *s) {
  s->now.kept = 0;
  s->now.last_t = s->now.t;
  sim_signals_forget(s);
  for (int round = 0; round < 2 && s->a->ndelay > 0; round++) {  // delayed quantities may read others
    present(s, s->now.last);
    for (int i = 0, n = 0; i < s->a->nsignal; i++) {
      const sim_signal *g = &s->a->signal[i];
      if (g->cls < 0) continue;
      for (int k = 0; k < 2 * g->room; k++) s->now.ring[g->ring + k] = s->now.last[n];
      n++;
    }
    sim_signals_forget(s);
  }
}

void sim_signals_changed(nsm_sim *s) {
  if (s->now.k == 0) sim_signals_start(s);
  else sim_signals_keep(s, 1);
}

// ---- values ---------------------------------------------------------------------------------------------------------
void sim_signals_forget(nsm_sim *s) {
  for (int k = 0; k < SIM_MOMENTS; k++) s->w.moments->t[k] = NAN;
}

const double *sim_signals(const nsm_sim *s, double t) { return sim_signals_from(s, s->now.t, t); }

const double *sim_signals_from(const nsm_sim *s, double begin, double t) {
  sim_moments *m = s->w.moments;
  int ends = m->left || t > begin + 4 * sim_time_round_off(s, t);
  for (int k = 0; k < SIM_MOMENTS; k++)
    if (m->t[k] == t && m->ends[k] == ends) { m->last = k; return m->d[k]; }
  int k = m->last = (m->last + 1) % SIM_MOMENTS, held = s->a->nheld;
  double *d = m->d[k], *rate = m->rate[k];
  m->t[k] = t;
  m->ends[k] = ends;
  memcpy(d, s->now.d, (size_t)s->a->nd * sizeof *d);
  for (int i = 0; i < s->a->nsignal; i++) {
    const sim_signal *g = &s->a->signal[i];
    rate[held + i] = 0;
    if (g->cls >= 0) past(s, g, t, ends, &d[held + i], &rate[held + i]);
    else if (g->points && !s->now.held_input[i]) {
      d[held + i] = input_at(s, g, t, ends, 0);
      rate[held + i] = input_at(s, g, t, ends, 1);
    }
  }
  return d;
}

// Where what was before the start, at rest, is over for a delayed quantity there is a kink; a delay later a smaller
// one.
enum { KINKS = 3 };
static double next_kink(const nsm_sim *s, double from, double to) {
  double first = to;
  for (int i = s->a->nsignal - s->a->ndelay; i < s->a->nsignal; i++)
    for (int m = 1; m <= KINKS; m++) {
      double t = s->a->start + m * s->a->signal[i].delay;
      if (t > from && t < first) first = t;
    }
  return first;
}

double sim_next_arrival(const nsm_sim *s, double t1) {
  double from = s->now.t + sim_time_round_off(s, s->now.t), to = t1 - sim_time_round_off(s, t1), first = t1;
  for (int i = s->a->nsignal - s->a->ndelay; i < s->a->nsignal; i++) {
    const sim_signal *g = &s->a->signal[i];
    for (long k = (long)fmax(0, floor((from - g->delay - s->a->start) / s->a->step)); k <= s->now.kept; k++) {
      double t = s->a->start + (double)k * s->a->step + g->delay;
      if (t >= to) break;
      if (t > from && jumps(s, g, k)) first = fmin(first, t);
    }
  }
  return first;
}

// The first row of an input's file that lies in (t, t1), t the present: a jump of what is held, or, above order 2, a
// kink; of order 4 and above also those of delays.
double sim_next_row(const nsm_sim *s, double t1) {
  int kinks = s->located && (s->n.radau || s->n.galerkin || s->n.flow);
  double from = s->now.t + sim_time_round_off(s, s->now.t), to = t1 - sim_time_round_off(s, t1), first = t1;
  for (int i = 0; i < s->a->nsignal - s->a->ndelay; i++) {
    const double *p = s->a->signal[i].points;
    if (!p || s->now.held_input[i] || (p[1] != NSM_TABLE_HOLD && !(kinks && p[1] == NSM_TABLE_LINEAR))) continue;
    const double *x = p + NSM_TABLE_HEAD;
    int lo = 0, hi = (int)p[0];                            // x[0 .. lo) are up to `from`, x[hi ..) behind it
    while (lo < hi) {
      int middle = lo + (hi - lo) / 2;
      if (x[middle] <= from) lo = middle + 1;
      else hi = middle;
    }
    if (lo < (int)p[0] && x[lo] < to) first = fmin(first, x[lo]);
  }
  return s->n.galerkin && next_kink(s, from, to) < to ? fmin(first, next_kink(s, from, to)) : first;
}
