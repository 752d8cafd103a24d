// --check: the derivative along a random direction, against central differences of runs that have the same events.
//
// A piece that an event cuts has an error of its own, which depends on where it is cut. So the runs have their events
// in the same steps of the clock; where no such runs are found, events in the same order will do.
#include "answers.h"
#include <stdlib.h>
#include <string.h>

enum { DISTANCES = 16, LEVELS = 6, FEWEST = 2 };      // LEVELS: are looked at before more are taken
static const double SURE = 1e-7;                      // of a derivative: no more are taken

typedef struct checking {
  answers *a;
  const nsm_settings *set;
  double *at, *way;                     // [nby] values, and the direction
  double *up, *down, *largest;          // [nof]; the largest of the rows of all runs
  double *difference;                   // [DISTANCES, nof]
  const double *d;                      // what is compared with them
  int     bends;                        // differences have odd powers of the distance, too
  int     follow;                       // one parameter hangs on another one by its default
} checking;

// The value that parameter j has with these settings.
static nsm_code value_of(const checking *k, const nsm_settings *set, int j, double *value, nsm_error *e) {
  nsm_sim *s = nsm_open(k->a->m, set, e);
  if (!s) return e->code;
  *value = s->a->p[k->a->by[j].parameter];
  nsm_close(s);
  return NSM_OK;
}

// Values `far` along the direction: of a default that hangs on another parameter, from where that one takes it.
// Parameters hang on earlier ones.
static nsm_code assign(const checking *k, double far, nsm_settings *moved, nsm_assignment *all, nsm_error *e) {
  const answers *a = k->a;
  nsm_code code = NSM_OK;
  moved->set = all;
  for (int last = -1, next; code == NSM_OK; last = a->by[next].parameter) {
    next = -1;
    for (int j = 0; j < a->nby; j++)
      if (a->by[j].parameter > last && (next < 0 || a->by[j].parameter < a->by[next].parameter)) next = j;
    if (next < 0) break;
    double value = k->at[next];
    if (k->follow) code = value_of(k, moved, next, &value, e);
    all[moved->nset++] = (nsm_assignment){ a->text[next], value + far * k->way[next] };
  }
  return code;
}

// The outputs of a run that is `far` along the direction; *same: 2 with the events in the same steps, 1 in the same
// order.
static nsm_code outputs(const checking *k, double far, double *value, int *same, nsm_error *e) {
  answers own = *k->a;
  own.value = own.d = NULL;
  own.largest = k->largest;
  nsm_settings moved = *k->set;
  nsm_assignment *all = calloc((size_t)(moved.nset + own.nby) + 1, sizeof *all);
  double *start = calloc((size_t)own.nby + 1, sizeof *start);
  nsm_code code = all && start ? NSM_OK : sim_no_memory(e, "a run");
  if (code == NSM_OK) {
    if (moved.nset > 0) memcpy(all, moved.set, (size_t)moved.nset * sizeof *all);
    for (int j = 0; j < own.nby; j++) start[j] = far * k->way[j];
    code = assign(k, far, &moved, all, e);
    if (code == NSM_OK) code = answers_take(&own, &moved, start, 0, e);
    if (code == NSM_OK) memcpy(value, own.value, (size_t)own.nof * sizeof *value);
    *same = own.sequence != k->a->sequence ? 0 : own.steps == k->a->steps ? 2 : 1;
  }
  free(own.value);
  free(own.d);
  free(all);
  free(start);
  return code;
}

// Values and sizes of what is varied; the direction is the same in every run.
static nsm_code where(checking *k, nsm_error *e) {
  const answers *a = k->a;
  nsm_sim *s = nsm_open(a->m, k->set, e);
  if (!s) return e ? e->code : NSM_FAILED;
  k->bends = s->a->ndelay > 0;
  for (int j = 0; j < a->nby; j++) {
    k->at[j] = a->by[j].parameter >= 0 ? s->a->p[a->by[j].parameter] : nsm_read_column(s, a->by[j].column);
    k->way[j] = (k->at[j] != 0 ? fabs(k->at[j]) : 1) * (1 - 2 * fmod(0.6180339887498949 * (j + 1), 1));
  }
  nsm_close(s);
  return NSM_OK;
}

// Does one hang on another? Each is moved a little.
static nsm_code find_follow(checking *k, nsm_error *e) {
  const answers *a = k->a;
  nsm_settings moved = *k->set;
  nsm_assignment *all = calloc((size_t)moved.nset + 1, sizeof *all);
  if (!all) return sim_no_memory(e, "a run");
  if (moved.nset > 0) memcpy(all, moved.set, (size_t)moved.nset * sizeof *all);
  moved.set = all;
  moved.nset++;
  for (int i = 0; i < a->nby && !k->follow; i++) {
    if (a->by[i].parameter < 0) continue;
    nsm_error none = { .code = NSM_OK };
    all[moved.nset - 1] = (nsm_assignment){ a->text[i], k->at[i] + 1e-3 * k->way[i] };
    nsm_sim *s = nsm_open(a->m, &moved, &none);
    for (int j = 0; s && j < a->nby; j++)
      k->follow |= j != i && a->by[j].parameter >= 0 && a->by[j].parameter != a->by[i].parameter &&
                   s->a->p[a->by[j].parameter] != k->at[j];
    nsm_close(s);
  }
  free(all);
  return NSM_OK;
}

// Richardson's table; the entry that changes least beside its two neighbours, and how much: what is not sure of it
// [Ridders 1982]. Of runs that are far away `every` and `when` may have set other values: an entry rests on the
// differences from *first on alone. Where a delay is a multiple of the step, results have a kink there, whose mean the
// derivative is: curvatures of both sides differ, and central differences have all powers of the distance.
static double extrapolated(const checking *k, int i, int n, double *unsure, int *first) {
  double row[DISTANCES] = { 0 }, best = NAN;
  *unsure = INFINITY;
  for (int d = 0; d < n; d++) {
    double before = row[0];
    row[0] = k->difference[d * k->a->nof + i];
    for (int j = 1; j <= d; j++) {
      double next = row[j - 1] + (row[j - 1] - before) / (ldexp(1, k->bends ? j : 2 * j) - 1);
      double change = fmax(fabs(next - row[j - 1]), fabs(next - before));
      if (change <= *unsure) { *unsure = change; best = next; *first = d - j; }
      before = row[j];
      row[j] = next;
    }
  }
  return best;
}

// Of the output that is farthest off beside what is sure of its difference.
static answers_checked off_by(const checking *k, int n, double distance) {
  const answers *a = k->a;
  answers_checked worst = { 0, 0, 0, NULL };
  for (int i = 0; i < a->nof; i++) {
    double own = 0, terms = 0, unsure;
    int first = 0;
    for (int j = 0; j < a->nby; j++) {
      double x = k->d[i * a->nby + j] * k->way[j];
      own += x;
      terms += fabs(x);
    }
    double size = fmax(terms, 1e-3 * fmax(fabs(a->value[i]), k->largest[i]));
    if (!(size > 0)) continue;
    double off = fabs(own - extrapolated(k, i, n, &unsure, &first)) / size;
    unsure /= size;
    double over = off / fmax(1e-6, unsure), most = worst.of ? worst.off / fmax(1e-6, worst.unsure) : -1;
    if (over > most || (over == most && unsure > worst.unsure))
      worst = (answers_checked){ off, unsure, ldexp(distance, -first), a->of[i].name };
  }
  return worst;
}

// Differences over halves of a distance, until they are sure or there are no more; 0: none.
static int differences(const checking *k, int same, double *distance) {
  const answers *a = k->a;
  double far = 1.0 / 64;
  int n = 0;
  for (int d = 0; d < DISTANCES; d++, far /= 2) {
    nsm_error why = { .code = NSM_OK };
    int above = 0, below = 0;
    int good = outputs(k, far, k->up, &above, &why) == NSM_OK && outputs(k, -far, k->down, &below, &why) == NSM_OK;
    if (!good || above < same || below < same) {
      if (n >= LEVELS) break;
      n = 0;
      continue;
    }
    if (n == 0) *distance = far;
    for (int i = 0; i < a->nof; i++) k->difference[n * a->nof + i] = (k->up[i] - k->down[i]) / (2 * far);
    if (++n >= LEVELS && off_by(k, n, *distance).unsure <= SURE) break;
  }
  return n >= FEWEST ? n : 0;
}

nsm_code answers_check(answers *a, const nsm_settings *set, answers_checked *to, nsm_error *e) {
  size_t np = (size_t)a->nby + 1, nf = (size_t)a->nof + 1;
  double *room = calloc(2 * np + nf * (DISTANCES + 3), sizeof *room);
  if (!room) return sim_no_memory(e, "differences");
  checking k = { a, set, room, room + np, room + 2 * np, room + 2 * np + nf, room + 2 * np + 2 * nf,
                 room + 2 * np + 3 * nf, NULL, 0, 0 };
  double distance = 0;
  answers rows = *a;                    // differences do not see jumps that move between two rows
  rows.value = rows.d = NULL;
  rows.by_rows = 1;
  k.d = a->d;
  nsm_code code = where(&k, e);
  if (code == NSM_OK) code = find_follow(&k, e);
  if (a->jumps > 0 && code == NSM_OK) code = answers_take(&rows, set, NULL, 1, e);
  if (a->jumps > 0) k.d = rows.d;
  int n = code == NSM_OK ? differences(&k, 2, &distance) : 0;
  if (code == NSM_OK && n == 0) n = differences(&k, 1, &distance);
  if (code == NSM_OK && n == 0) {
    sim_fail(e, NSM_FAILED, "--check: runs beside this one have other events, however near they are%s",
             a->held > 0           ? "; an instant that moves stands where numbers are read"
             : isnan(a->on_step) ? "" : "; instants are at the ends of steps: try another --step");
    code = NSM_FAILED;
  }
  if (code == NSM_OK) *to = off_by(&k, n, distance);
  free(room);
  free(rows.value);
  free(rows.d);
  return code;
}
