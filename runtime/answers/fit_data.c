// What --data and --match mean.
#include "fit.h"
#include "runtime/shared/points.h"
#include "runtime/shared/trimmed.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- files ----------------------------------------------------------------------------------------------------------
static char *text_of(const char *path, size_t *n, nsm_error *e) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  size_t room = 0;
  *n = 0;
  while (f && !ferror(f) && !feof(f)) {
    if (*n + 65536 > room) {
      char *more = realloc(text, room = 2 * room + 131072);
      if (!more) { free(text); fclose(f); sim_no_memory(e, "data"); return NULL; }
      text = more;
    }
    *n += fread(text + *n, 1, room - *n - 1, f);
  }
  if (!f || ferror(f)) sim_fail(e, NSM_FILE, "--data %s: %s", path, strerror(errno));
  if (f && ferror(f)) { free(text); text = NULL; }
  if (f) fclose(f);
  if (text) text[*n] = 0;
  return text;
}

static nsm_code refuse_data(nsm_error *e, const char *path, const char *why) {
  sim_fail(e, NSM_USAGE, "E0776: --data %.200s: %s", path, why);
  return NSM_USAGE;
}

// A column of a file, and the unit of what it is compared with. Times of events have no times beside them.
typedef struct column { const char *path, *name; int events; const char *unit; double scale; } column;

static void refuse_column(const column *c, const nsm_points_error *wrong, nsm_error *e) {
  if (wrong->row == 0) sim_fail(e, NSM_USAGE, "E0776: --data %s: %s (column `%s`)", c->path, wrong->what, c->name);
  else
    sim_fail(e, NSM_USAGE, "E0776: --data %s, row %d: %s (column `%s`)", c->path, wrong->row, wrong->what, c->name);
}

static void refuse_name(const column *c, const char *text, const char *name, nsm_error *e) {
  int length = (int)strcspn(text, "\r\n");
  sim_fail(e, NSM_USAGE, "E0776: --data %.200s: there is no column `%s`; its first line is %.*s", c->path, name,
           length < 300 ? length : 300, text);
}

// Units that stand behind names: times into s, values into SI and from there into the unit of what they are compared
// with.
static int in_units(const column *c, const char *time, const char *name, double *t, double *y, int count,
                    nsm_error *e) {
  const char *of[] = { time, name }, *unit[] = { "s", c->unit };
  double *x[] = { t, y };
  for (int k = c->events; k < 2; k++) {
    int done = nsm_points_in_si(of[k], unit[k], x[k], count);
    if (done < 0) {
      sim_fail(e, NSM_USAGE, "E0776: --data %.200s: `%s` has %s; it is compared with %s", c->path, of[k],
               done == -1 ? "a unit that is not known" : "another unit", *unit[k] ? unit[k] : "what has none");
      return 0;
    }
    for (int i = 0; k == 1 && done && i < count; i++) y[i] = nsm_from_si(y[i], c->scale);
  }
  return 1;
}

// *count: how many; 0 with the reason. Cells without a number are passed over.
static int column_of(const column *c, double **t, double **y, int *count, nsm_error *e) {
  size_t n;
  char *text = text_of(c->path, &n, e), time[128] = "", name[300];
  if (!text) return 0;
  nsm_points_error wrong = { 0 };
  int lines = nsm_points_lines(text, n);
  *count = 0;
  *t = calloc((size_t)lines + 1, sizeof **t);
  *y = calloc((size_t)lines + 1, sizeof **y);
  if (!*t || !*y) sim_no_memory(e, "data");
  else if (!c->events && !nsm_points_name(text, n, "time", time, sizeof time)) refuse_name(c, text, "time", e);
  else if (!nsm_points_name(text, n, c->name, name, sizeof name)) refuse_name(c, text, c->name, e);
  else {
    *count = nsm_points_measured(text, n, c->events ? NULL : time, name, *t, *y, &wrong);
    if (*count == 0) refuse_column(c, &wrong, e);
    else if (!in_units(c, time, name, *t, *y, *count, e)) *count = 0;
  }
  free(text);
  return *count > 0;
}

// ---- --match --------------------------------------------------------------------------------------------------------
// " with sigma = 1 mm", in the unit of the column where it has none.
static nsm_code read_sigma(const char *with, const char *unit, const answers *a, const char *text, double *sigma,
                           nsm_error *e) {
  char word[256];
  const char *is = strchr(with, '=');
  nsm_trimmed(word, sizeof word, is ? is + 1 : "", is ? strlen(is + 1) : 0);
  if (!is || !strstr(with, "sigma") || !*word)
    return fit_refuse(e, "--match", text, "behind `with` stands sigma = NUMBER");
  char *end;
  *sigma = strtod(word, &end);
  if (*end) {
    const char *wrong = nsm_read_quantity(word, unit, sigma);
    if (wrong) return fit_refuse_unit(e, "--match", text, wrong, unit);
    *sigma /= a->of->scale;
  }
  return *sigma > 0 && isfinite(*sigma) ? NSM_OK : fit_refuse(e, "--match", text, "sigma must be positive");
}

// What --match says: a column of the model, or impacts of a contact, a column of the data, a deviation.
typedef struct matching { char model[256], data[256], unit[128]; answers one; double sigma; int events; } matching;

static nsm_code read_match(nsm_sim *s, const char *text, matching *w, nsm_error *e) {
  const char *wave = strchr(text, '~'), *with = strstr(text, " with ");
  size_t end = with ? (size_t)(with - text) : strlen(text), from = wave ? (size_t)(wave + 1 - text) : 0;
  nsm_trimmed(w->model, sizeof w->model, text, wave ? (size_t)(wave - text) : end);
  nsm_trimmed(w->data, sizeof w->data, text + from, end > from ? end - from : 0);
  w->sigma = 1;
  w->one.of_flag = "--match";
  if (!wave && memchr(text, '=', end))
    return fit_refuse(e, "--match", text, "what is compared stands on both sides of a `~`: \"z ~ height\"");
  nsm_code code = answers_read_of(s, w->model, &w->one, e);
  if (code != NSM_OK) return code;
  const answers_of *of = w->one.of;
  w->events = of->kind == NSM_STAT_HIT;
  if (w->one.nof != 1 || (!w->events && (of->kind != NSM_STAT_FINAL || of->column < 0)))
    return fit_refuse(e, "--match", text, "before the ~ stands a column of the model, or impacts of a contact: "
                      "\"z ~ height\", \"hit(floor) ~ t_hit\"");
  if (w->events && !wave)
    return fit_refuse(e, "--match", text, "a column of the data stands behind the ~: \"hit(floor) ~ t_hit\"");
  if (w->events && !s->a->located)
    return fit_refuse(e, "--match", text, "impacts have an instant in a run that locates them: --located on");
  snprintf(w->unit, sizeof w->unit, "%s", of->column < 0 ? "s" : nsm_column_unit(s, of->column));
  return with ? read_sigma(with, w->unit, &w->one, text, &w->sigma, e) : NSM_OK;
}

// Room for so many outputs more.
static nsm_code grow(fit_file *file, int count, nsm_error *e) {
  answers *a = &file->a;
  size_t n = (size_t)(a->nof + count);
  answers_of *of = realloc(a->of, n * sizeof *of);
  if (of) a->of = of;
  double *y = realloc(file->y, n * sizeof *y);
  if (y) file->y = y;
  double *sigma = realloc(file->sigma, n * sizeof *sigma);
  if (sigma) file->sigma = sigma;
  return of && y && sigma ? NSM_OK : sim_no_memory(e, "data");
}

// Each time of the column of a file is an output of its run; of the times of impacts, the k-th impact is.
static nsm_code match(nsm_sim *s, fit_file *file, const char *text, nsm_error *e) {
  matching w = { 0 };
  double *t = NULL, *y = NULL;
  int count = 0;
  answers *a = &file->a;
  nsm_code code = read_match(s, text, &w, e);
  column of = { file->path, w.data, w.events, w.unit, w.one.of ? w.one.of->scale : 1 };
  if (code == NSM_OK && !column_of(&of, &t, &y, &count, e)) code = e->code;
  if (code == NSM_OK) code = grow(file, count, e);
  for (int i = 0; code == NSM_OK && i < count; i++) {
    if (w.events) t[i] = y[i];
    if (t[i] < s->a->start) code = refuse_data(e, file->path, "it has times before the start of the run");
    else if (i > 0 && !(t[i] > t[i - 1])) code = refuse_data(e, file->path, "its times of impacts do not rise");
    if (code != NSM_OK) break;
    answers_of *to = &a->of[a->nof];
    *to = *w.one.of;
    to->kind = w.events ? NSM_STAT_HIT : NSM_STAT_AT;
    to->time = t[i];
    to->number += i;
    if (w.events) snprintf(to->name, sizeof to->name, "hit(%.200s, %ld)", to->of, to->number);
    else snprintf(to->name, sizeof to->name, "%.200s at %.10g s", w.model, t[i]);
    file->sigma[a->nof] = w.sigma;
    file->y[a->nof++] = y[i];
    file->last = fmax(file->last, w.events ? fmax(t[i], s->a->until) : t[i]);
  }
  free(t);
  free(y);
  answers_free(&w.one);
  return code;
}

// ---- all of it ------------------------------------------------------------------------------------------------------
static int listed(const nsm_flags *flags, nsm_flag_id id) {
  int n = 0;
  for (int i = 0; i < flags->nlist; i++) n += flags->list[i].flag == id;
  return n;
}

static nsm_code read_files(fit *f, nsm_sim *s, const nsm_flags *flags, const char *names, nsm_error *e) {
  nsm_code code = NSM_OK;
  for (int i = 0; i < flags->nlist && code == NSM_OK; i++) {
    if (flags->list[i].flag != NSM_FLAG_DATA) continue;
    fit_file *file = &f->file[f->nfile++];
    *file = (fit_file){ .path = flags->list[i].text, .a = { .m = f->m, .run = f->run, .with = f->with },
                        .last = -INFINITY };
    file->a.by_flag = "--vary";
    for (int k = 0; k < flags->nlist && code == NSM_OK; k++)
      if (flags->list[k].flag == NSM_FLAG_MATCH) code = match(s, file, flags->list[k].text, e);
    if (code == NSM_OK) code = answers_read_by(s, names, &file->a, e);
    if (code == NSM_OK && !(file->last > s->a->start))
      code = refuse_data(e, file->path, "it has no time to run to");
    f->n += file->a.nof;
  }
  return code;
}

nsm_code fit_read(fit *f, const nsm_flags *flags, nsm_error *e) {
  char names[2048] = "";
  int files = listed(flags, NSM_FLAG_DATA), matches = listed(flags, NSM_FLAG_MATCH),
      many = listed(flags, NSM_FLAG_FIT_VARY);
  if (files == 0 || matches == 0 || many == 0) {
    const char *missing = files + matches + many == 0 ? "asks for" : "lacks";
    sim_fail(e, NSM_USAGE, "E0777: nsm fit %s%s%s%s; they stand in flags or in a block fit { } of the model", missing,
             files ? "" : " --data FILE", matches ? "" : " --match \"z ~ height\"", many ? "" : " --vary \"e=0:1\"");
    return NSM_USAGE;
  }
  f->file = calloc((size_t)files, sizeof *f->file);
  f->vary = calloc((size_t)many * (size_t)files, sizeof *f->vary);
  f->at = calloc((size_t)many * (size_t)files, sizeof *f->at);
  if (!f->file || !f->vary || !f->at) return sim_no_memory(e, "a fit");
  nsm_code code = fit_read_names(f, flags, names, sizeof names, e);
  nsm_settings set = f->set;
  nsm_sim *s = code == NSM_OK ? nsm_open(f->m, &set, e) : NULL;
  if (code == NSM_OK && !s) return e->code;
  if (code == NSM_OK) code = read_files(f, s, flags, names, e);
  if (code == NSM_OK) code = fit_read_vary(f, flags, s, e);
  nsm_close(s);
  if (code == NSM_OK) code = fit_read_known(f, flags, e);
  if (code == NSM_OK && f->n <= f->np) {
    sim_fail(e, NSM_USAGE, "E0776: %d number%s for %d parameter%s: there must be more data than parameters", f->n,
             f->n == 1 ? "" : "s", f->np, f->np == 1 ? "" : "s");
    return NSM_USAGE;
  }
  return code;
}

void fit_free(fit *f) {
  for (int k = 0; k < f->nfile; k++) { answers_free(&f->file[k].a); free(f->file[k].y); free(f->file[k].sigma); }
  free(f->prior);
  free(f->file);
  free(f->vary);
  free(f->at);
}
