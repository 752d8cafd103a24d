// What stands in a file of HDF5, and when it is brought to the disk: every second of the clock at the latest.
#define _POSIX_C_SOURCE 200809L
#include "results.h"
#include "outputs.h"
#include "runtime/clock/clock.h"
#include "runtime/record/hdf5.h"
#include "runtime/shared/seconds.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct nsm_results {
  const nsm_h5 *h5;
  nsm_sim *s;
  void *file, *trajectory, *contacts, *events;
  const int *column;
  int    failed, why;                   // why: errno of the first call that failed
  long   rows, look, stride;            // rows written; at which of them the clock is looked at next, and then
  double looked, flushed;
};

static int keep(nsm_results *r, int good) {
  if (!good && !r->failed) { r->failed = 1; r->why = errno; }
  return !r->failed;
}

// ---- what the columns are -------------------------------------------------------------------------------------------
static nsm_meaning meaning_of(const nsm_host *host, const char *name) {
  if (host->meaning) return host->meaning(host->program, name);
  return (nsm_meaning){ "", "" };
}

static int open_trajectory(nsm_results *r, const nsm_host *host, const int *which, int n, const char *const *energy,
                           long expected) {
  nsm_h5_column *c = calloc((size_t)n + 1, sizeof *c);
  int all = nsm_ncolumn(r->s), done = 0, good = c != NULL;
  for (; good && done < n; done++) {
    const char *name = which[done] < all ? nsm_column_name(r->s, which[done]) : energy[which[done] - all];
    nsm_meaning m = meaning_of(host, name);
    c[done] = (nsm_h5_column){ strdup(name), nsm_column_unit(r->s, which[done]), m.doc, 0 };
    good = c[done].name != NULL;
  }
  r->trajectory = good ? r->h5->table(r->file, "trajectory", c, n, expected) : NULL;
  for (int i = 0; i < done; i++) free((char *)c[i].name);
  free(c);
  return r->trajectory != NULL;
}

static int write_parameters(nsm_results *r) {
  const nsm_model *m = r->s->a->m;
  int good = 1;
  for (int i = 0; i < m->npar && good; i++) {
    nsm_h5_column c = { sim_text(r->s, m->par[i].name), sim_text(r->s, m->par[i].unit), sim_text(r->s, m->par[i].doc),
                        0 };
    good = r->h5->value(r->file, "parameters", &c, nsm_from_si(r->s->a->p[i], nsm_unit_scale(c.unit)));
  }
  return good;
}

enum { NAME = 100, KIND = 16, FEATURE = 32 };
static const nsm_h5_column contact_columns[] = {
  { "time", "s", "end of the step", 0 }, { "contact", "", "name of the statement", NAME }, { "A", "", "body", NAME },
  { "B", "", "body on which the impulses act", NAME }, { "feature", "", "what of the shapes touches", FEATURE },
  { "gap", "m", "as the step began", 0 }, { "x", "m", "where", 0 }, { "y", "m", "", 0 }, { "z", "m", "", 0 },
  { "nx", "", "normal, from A to B", 0 }, { "ny", "", "", 0 }, { "nz", "", "", 0 },
  { "impulse", "N*s", "along the normal, of the step", 0 }, { "tx", "N*s", "of friction", 0 }, { "ty", "N*s", "", 0 },
  { "tz", "N*s", "", 0 }, { "struck", "N*s", "of that, by the impact at the begin of the step", 0 },
  { "sx", "N*s", "its friction", 0 }, { "sy", "N*s", "", 0 }, { "sz", "N*s", "", 0 },
  { "added", "N*s", "of `impulse`, added where friction ended in the step", 0 }
};
static const nsm_h5_column event_columns[] = {
  { "time", "s", "", 0 }, { "kind", "", "impact, opens, slips, sticks, switches", KIND },
  { "contact", "", "the row by name", NAME }, { "before", "m/s", "rate before", 0 },
  { "after", "m/s", "rate behind", 0 }, { "impulse", "N*s", "", 0 }, { "energy_lost", "J", "", 0 }
};
#define COUNT(list) (int)(sizeof list / sizeof *list)

// ---- the file -------------------------------------------------------------------------------------------------------
static int fill(nsm_results *r, const nsm_host *host, const nsm_results_rows *w) {
  const nsm_h5 *h5 = r->h5;
  const nsm_sim *s = r->s;
  long expected = nsm_steps_total(s) / (w->every > 0 ? w->every : 1) + 2;
  int good = h5->attribute(r->file, "format", "nsm 1") &&
             h5->attribute(r->file, "model", sim_text(s, s->a->m->name)) &&
             h5->attribute(r->file, "scheme", s->a->scheme->name) && h5->attribute(r->file, "status", "running") &&
             (!host->text || h5->text(r->file, "model", host->text)) && write_parameters(r) &&
             open_trajectory(r, host, w->column, w->ncolumn, w->energy, expected);
  if (good && s->touching)
    good = (r->contacts = h5->table(r->file, "contacts", contact_columns, COUNT(contact_columns), expected)) != NULL;
  if (good && s->a->located)
    good = (r->events = h5->table(r->file, "events", event_columns, COUNT(event_columns), 1000)) != NULL;
  return good && h5->flush(r->file);                       // from now on there is a file that can be read
}

nsm_results *nsm_results_open(const char *path, nsm_sim *s, const nsm_host *host, nsm_results_rows rows, nsm_error *e) {
  const nsm_h5 *h5 = nsm_h5_plugin(e);
  nsm_results *r = h5 ? calloc(1, sizeof *r) : NULL;
  if (!r) { if (h5) sim_no_memory(e, "the trajectory"); return NULL; }
  if (nsm_output_taken(path, e)) { free(r); return NULL; }
  *r = (nsm_results){ .h5 = h5, .s = s, .column = rows.column, .stride = 1, .look = 1 };
  errno = 0;
  if ((r->file = h5->open(path)) && fill(r, host, &rows)) {
    r->flushed = r->looked = nsm_seconds();
    return r;
  }
  sim_fail(e, NSM_FILE, "cannot write to %s: %s", path, errno ? strerror(errno) : "HDF5 does not say why");
  if (r->file) h5->close(r->file);
  free(r);
  return NULL;
}

// ---- rows -----------------------------------------------------------------------------------------------------------
static void write_contacts(nsm_results *r) {
  sim_contact c;
  char feature[FEATURE];
  for (int i = 0; sim_touch_contact(r->s, i, &c); i++) {
    const double value[] = { nsm_time(r->s), c.gap, c.at[0], c.at[1], c.at[2], c.normal[0], c.normal[1], c.normal[2],
                             c.impulse, c.slip[0], c.slip[1], c.slip[2], c.struck, c.struck_slip[0],
                             c.struck_slip[1], c.struck_slip[2], c.added };
    snprintf(feature, sizeof feature, "%lx", c.feature);
    keep(r, r->h5->row(r->contacts, value, NULL, (const char *const[]){ c.name, c.a, c.b, feature }));
  }
}

// The clock is looked at about a hundred times a second.
static void look(nsm_results *r) {
  double now = nsm_seconds();
  if (now - r->looked < 0.005) r->stride *= 2;
  else if (now - r->looked > 0.02 && r->stride > 1) r->stride /= 2;
  r->looked = now;
  r->look = r->rows + r->stride;
  if (now - r->flushed < 1) return;
  keep(r, r->h5->flush(r->file));
  r->flushed = nsm_seconds();
}

int nsm_results_row(nsm_results *r, const double *row) {
  keep(r, r->h5->row(r->trajectory, row, r->column, NULL));
  if (r->contacts) write_contacts(r);
  if (++r->rows >= r->look) look(r);
  return !r->failed;
}

void nsm_results_event(nsm_results *r, const nsm_located_event *event) {
  const double value[] = { event->time, event->before, event->after, event->impulse, event->loss };
  keep(r, r->h5->row(r->events, value, NULL, (const char *const[]){ event->kind, event->name }));
}

// ---- the end --------------------------------------------------------------------------------------------------------
static int write_summary(nsm_results *r, const nsm_summary *m) {
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  int good = f && nsm_summary_json(r->s, m, f);
  if (f) fclose(f);
  good = good && r->h5->text(r->file, "summary", text) && r->h5->attribute(r->file, "status", m->status);
  free(text);
  return good;
}

int nsm_results_failed(const nsm_results *r, const char *path, nsm_error *e) {
  if (r->failed)
    sim_fail(e, NSM_FILE, "writing to %s failed at row %ld: %s", path, r->rows,
             r->why ? strerror(r->why) : "HDF5 does not say why");
  return r->failed;
}

nsm_code nsm_results_close(nsm_results *r, const nsm_summary *m, const char *path, nsm_error *e) {
  if (m && !r->failed) keep(r, write_summary(r, m));
  errno = 0;
  keep(r, r->h5->close(r->file));
  int failed = nsm_results_failed(r, path, e);
  free(r);
  return failed ? NSM_FILE : NSM_OK;
}
