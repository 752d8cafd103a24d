// --record final(x),max(energy),at(z, 2.5): statistics of columns and of the energy, the same as in claims.
#include "sweep.h"
#include "runtime/clock/clock.h"
#include "runtime/shared/nearest.h"
#include "runtime/shared/trimmed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct kind { const char *name; int kind; } kinds[] = {
  { "final", NSM_STAT_FINAL }, { "initial", NSM_STAT_INITIAL }, { "min", NSM_STAT_MIN }, { "max", NSM_STAT_MAX },
  { "mean", NSM_STAT_MEAN }, { "drift", NSM_STAT_DRIFT }, { "at", NSM_STAT_AT }, { "gain", NSM_STAT_GAIN }
};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const energies[] = { "energy", "energy.kinetic", "energy.potential" };
enum { ENERGIES = 3 };

static const char *kind_name(void *with, int i) { (void)with; return kinds[i].name; }
static const char *column_name(void *s, int i) {
  int n = nsm_ncolumn(s);
  return i < n ? nsm_column_name(s, i) : energies[i - n];
}

static nsm_code refuse(const sweep_measure *k, const char *why, const char *near, nsm_error *e) {
  sim_fail(e, NSM_USAGE, "--record %s: %s%s%s%s", k->name, why, near ? "; did you mean `" : "", near ? near : "",
           near ? "`?" : "");
  return NSM_USAGE;
}

// name: "max(x)"; a name alone is its final value.
static nsm_code read_measure(nsm_sim *s, sweep_measure *k, nsm_error *e) {
  char word[256], meant[400], why[700];
  const char *open = strchr(k->name, '('), *end = k->name + strlen(k->name);
  k->kind = NSM_STAT_FINAL;
  nsm_trimmed(k->of, sizeof k->of, k->name, strlen(k->name));
  if (open && end[-1] == ')') {
    nsm_trimmed(word, sizeof word, k->name, (size_t)(open - k->name));
    int found = -1;
    for (int i = 0; i < KINDS; i++)
      if (strcmp(kinds[i].name, word) == 0) found = i;
    if (!strcmp(word, "events") || !strcmp(word, "first") || !strcmp(word, "last"))
      return refuse(k, "located events are counted in claims only, and a sweep keeps which claims hold: expect "
                    "events(floor) == 3;", NULL, e);
    if (found < 0) {
      int near = nsm_nearest(word, KINDS, kind_name, NULL);
      return refuse(k, "there are final, initial, min, max, mean, drift, gain and at",
                    near >= 0 ? kinds[near].name : NULL, e);
    }
    k->kind = kinds[found].kind;
    const char *inside = open + 1, *last = end - 1;
    if (k->kind == NSM_STAT_AT) {
      const char *comma = strrchr(inside, ',');
      if (!comma) return refuse(k, "`at` takes a column and a time: at(x, 2.5)", NULL, e);
      nsm_trimmed(word, sizeof word, comma + 1, (size_t)(last - comma - 1));
      const char *wrong = nsm_read_quantity(word, "s", &k->time);
      if (wrong) return refuse(k, wrong, NULL, e);
      last = comma;
    }
    nsm_trimmed(k->of, sizeof k->of, inside, (size_t)(last - inside));
  }
  int n = nsm_ncolumn(s);
  for (int i = 0; i < ENERGIES; i++)
    if (strcmp(k->of, energies[i]) == 0) { k->column = -1 - i; return NSM_OK; }
  k->column = nsm_find_column(s, k->of);
  if (k->column >= 0) return NSM_OK;
  nsm_meant(k->of, n + ENERGIES, column_name, s, meant, sizeof meant);
  snprintf(why, sizeof why, "there is no column `%.200s`%s", k->of, meant);
  return refuse(k, why, NULL, e);
}

nsm_code sweep_measures_read(nsm_sim *s, const char *text, sweep_measure **of, int *n, nsm_error *e) {
  *n = 0;
  int room = 1;
  for (const char *c = text ? text : ""; *c; c++) room += *c == ',';
  *of = calloc((size_t)room, sizeof **of);
  if (!*of) return sim_no_memory(e, "what is recorded");
  const char *list = text ? text : "";
  int more;
  while ((more = nsm_next_name(&list, (*of)[*n].name, sizeof (*of)->name)) > 0) {
    if (!*(*of)[*n].name) continue;
    nsm_code code = read_measure(s, &(*of)[*n], e);
    if (code != NSM_OK) return code;
    ++*n;
  }
  if (more < 0) { sim_fail(e, NSM_USAGE, "--record: a name is too long"); return NSM_USAGE; }
  return NSM_OK;
}

int sweep_measures_find(nsm_sim *s, sweep_measure *of, int n, nsm_error *e) {
  for (int i = 0; i < n; i++) {
    if (of[i].column < 0) continue;
    of[i].column = nsm_find_column(s, of[i].of);
    if (of[i].column >= 0) continue;
    sim_fail(e, NSM_USAGE, "there is no column `%s` in this run", of[i].of);
    return 0;
  }
  return 1;
}

// ---- in a run -------------------------------------------------------------------------------------------------------
static double value_of(nsm_sim *s, const sweep_measure *k) {
  if (k->column >= 0) return nsm_read_column(s, k->column);
  double kinetic, potential;
  sim_energy(s, &kinetic, &potential);
  return k->column == -1 ? kinetic + potential : k->column == -2 ? kinetic : potential;
}

void sweep_measures_start(nsm_sim *s, const sweep_measure *of, int n, nsm_statistic *a) {
  for (int i = 0; i < n; i++)
    nsm_statistic_start(&a[i], of[i].kind, of[i].time, value_of(s, &of[i]), nsm_time(s), 0);
}

void sweep_measures_step(nsm_sim *s, const sweep_measure *of, int n, nsm_statistic *a) {
  for (int i = 0; i < n; i++)
    if (nsm_statistic_follows(&a[i], of[i].kind))
      nsm_statistic_step(&a[i], of[i].kind, value_of(s, &of[i]), nsm_time(s));
}

void sweep_measures_end(nsm_sim *s, const sweep_measure *of, int n, nsm_statistic *a, double *value) {
  for (int i = 0; i < n; i++) {
    if (of[i].kind == NSM_STAT_FINAL) nsm_statistic_step(&a[i], of[i].kind, value_of(s, &of[i]), nsm_time(s));
    value[i] = nsm_from_si(nsm_statistic_end(&a[i], of[i].kind), nsm_column_scale(s, of[i].column));
  }
}

double sweep_measures_idle(const sweep_measure *of, int n, const nsm_statistic *a) {
  double idle = INFINITY;
  for (int i = 0; i < n; i++) idle = fmin(idle, nsm_statistic_idle(&a[i], of[i].kind));
  return idle;
}
