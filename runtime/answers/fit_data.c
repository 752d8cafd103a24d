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

// A column with its times; of times of events without: cells without a number are passed over. *count: how many; 0
// with the reason.
static int column_of(const char *path, const char *name, int events, double **t, double **y, int *count, nsm_error *e) {
  size_t n;
  char *text = text_of(path, &n, e);
  if (!text) return 0;
  nsm_points_error wrong = { 0 };
  int lines = nsm_points_lines(text, n);
  *count = 0;
  *t = calloc((size_t)lines + 1, sizeof **t);
  *y = calloc((size_t)lines + 1, sizeof **y);
  int timed = events || (strncmp(text, "time", 4) == 0 && strchr(",;\t \r\n", text[4]));
  if (!*t || !*y) sim_no_memory(e, "data");
  else if (!timed)
    sim_fail(e, NSM_USAGE, "E0776: --data %.200s: its first column must be `time`; its first line is %.*s", path,
             (int)strcspn(text, "\r\n") < 200 ? (int)strcspn(text, "\r\n") : 200, text);
  else {
    *count = events ? nsm_points_numbers(text, n, name, *y, &wrong) : nsm_points_read(text, n, name, *t, *y, &wrong);
    size_t wide = wrong.hi - wrong.lo;
    int head = wrong.row == 1 && wrong.column == 0, length = wide < 300 ? (int)wide : 300;
    if (*count == 0 && head)
      sim_fail(e, NSM_USAGE, "E0776: --data %s: there is no column `%s`; its first line is %.*s", path, name, length,
               text + wrong.lo);
    else if (*count == 0 && wrong.row == 0)
      sim_fail(e, NSM_USAGE, "E0776: --data %s: %s (column `%s`)", path, wrong.what, name);
    else if (*count == 0)
      sim_fail(e, NSM_USAGE, "E0776: --data %s, row %d: %s (column `%s`)", path, wrong.row, wrong.what, name);
  }
  free(text);
  return *count > 0;
}

// ---- --match --------------------------------------------------------------------------------------------------------
// " with sigma = 1 mm", in the unit of the column where it has none.
static nsm_code read_sigma(nsm_sim *s, const char *with, const answers *a, const char *text, double *sigma,
                           nsm_error *e) {
  char word[256], unit[128];
  const char *is = strchr(with, '=');
  nsm_trimmed(word, sizeof word, is ? is + 1 : "", is ? strlen(is + 1) : 0);
  if (!is || !strstr(with, "sigma") || !*word)
    return fit_refuse(e, "--match", text, "behind `with` stands sigma = NUMBER");
  snprintf(unit, sizeof unit, "%s", a->of->column < 0 ? "s" : nsm_column_unit(s, a->of->column));
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
typedef struct matching { char model[256], data[256]; answers one; double sigma; int events; } matching;

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
  return with ? read_sigma(s, with, &w->one, text, &w->sigma, e) : NSM_OK;
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
  if (code == NSM_OK && !column_of(file->path, w.data, w.events, &t, &y, &count, e)) code = e->code;
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
    sim_fail(e, NSM_USAGE, "E0776: %d numbers do not tell %d parameters: there must be more data than parameters", f->n,
             f->np);
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
