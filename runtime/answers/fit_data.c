// What --data and --match mean.
#include "fit.h"
#include "runtime/shared/points.h"
#include "runtime/shared/trimmed.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static nsm_code refuse(nsm_error *e, const char *flag, const char *word, const char *why) {
  sim_fail(e, NSM_USAGE, "%s %.200s: %s", flag, word, why);
  return NSM_USAGE;
}

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

// The times and one column; *count of them. 0 with the reason.
static int column_of(const char *path, const char *name, double **t, double **y, int *count, nsm_error *e) {
  size_t n;
  char *text = text_of(path, &n, e);
  if (!text) return 0;
  nsm_points_error wrong = { 0 };
  int lines = nsm_points_lines(text, n);
  *t = calloc((size_t)lines + 1, sizeof **t);
  *y = calloc((size_t)lines + 1, sizeof **y);
  int timed = strncmp(text, "time", 4) == 0 && strchr(",;\t \r\n", text[4]);
  if (!*t || !*y) sim_no_memory(e, "data");
  else if (!timed) refuse(e, "--data", path, "its first column must be `time`");
  else if ((*count = nsm_points_read(text, n, name, *t, *y, &wrong)) == 0)
    sim_fail(e, NSM_USAGE, "--data %s, row %d: %s (column `%s`)", path, wrong.row, wrong.what, name);
  free(text);
  return *t && *y && timed && *count > 0;
}

// ---- --match --------------------------------------------------------------------------------------------------------
// " with sigma = 1 mm", in the unit of the column where it has none.
static nsm_code read_sigma(nsm_sim *s, const char *with, const answers *a, const char *text, double *sigma,
                           nsm_error *e) {
  char word[256], unit[128];
  const char *is = strchr(with, '=');
  nsm_trimmed(word, sizeof word, is ? is + 1 : "", is ? strlen(is + 1) : 0);
  if (!is || !strstr(with, "sigma") || !*word) return refuse(e, "--match", text, "behind `with` stands sigma = NUMBER");
  snprintf(unit, sizeof unit, "%s", nsm_column_unit(s, a->of->column));
  char *end;
  *sigma = strtod(word, &end);
  if (*end) {
    const char *wrong = nsm_read_quantity(word, unit, sigma);
    if (wrong) return refuse(e, "--match", text, wrong);
    *sigma /= a->of->scale;
  }
  return *sigma > 0 && isfinite(*sigma) ? NSM_OK : refuse(e, "--match", text, "sigma must be positive");
}

// Each time of the column of a file is an output of its run.
static nsm_code match(nsm_sim *s, fit_file *file, const char *text, nsm_error *e) {
  char column[256], data[256];
  const char *wave = strchr(text, '~'), *with = strstr(text, " with ");
  double *t = NULL, *y = NULL, sigma = 1;
  int count = 0;
  size_t end = with ? (size_t)(with - text) : strlen(text), from = wave ? (size_t)(wave + 1 - text) : 0;
  nsm_trimmed(column, sizeof column, text, wave ? (size_t)(wave - text) : end);
  nsm_trimmed(data, sizeof data, text + from, end > from ? end - from : 0);
  answers one = { 0 };
  nsm_code code = answers_read_of(s, column, &one, e);
  if (code == NSM_OK && with && one.nof == 1 && one.of->column >= 0) code = read_sigma(s, with, &one, text, &sigma, e);
  if (code == NSM_OK && (one.nof != 1 || one.of->kind != NSM_STAT_FINAL || one.of->column < 0))
    code = refuse(e, "--match", text, "a column of the model stands before the ~: \"z ~ height\"");
  if (code == NSM_OK && !column_of(file->path, data, &t, &y, &count, e)) code = e->code;
  answers *a = &file->a;
  answers_of *of = code == NSM_OK ? realloc(a->of, (size_t)(a->nof + count) * sizeof *of) : NULL;
  if (of) a->of = of;
  double *all = of ? realloc(file->y, (size_t)(a->nof + count) * sizeof *all) : NULL;
  if (all) file->y = all;
  all = all ? realloc(file->sigma, (size_t)(a->nof + count) * sizeof *all) : NULL;
  if (all) file->sigma = all;
  if (code == NSM_OK && (!of || !all)) code = sim_no_memory(e, "data");
  for (int i = 0; code == NSM_OK && i < count; i++) {
    if (t[i] < s->a->start) {
      code = refuse(e, "--data", file->path, "it has times before the start of the run");
      break;
    }
    answers_of *to = &a->of[a->nof];
    *to = *one.of;
    to->kind = NSM_STAT_AT;
    to->time = t[i];
    snprintf(to->name, sizeof to->name, "%.200s at %.10g s", column, t[i]);
    file->sigma[a->nof] = sigma;
    file->y[a->nof++] = y[i];
    file->last = fmax(file->last, t[i]);
  }
  free(t);
  free(y);
  answers_free(&one);
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
    for (int k = 0; k < flags->nlist && code == NSM_OK; k++)
      if (flags->list[k].flag == NSM_FLAG_MATCH) code = match(s, file, flags->list[k].text, e);
    if (code == NSM_OK) code = answers_read_by(s, names, &file->a, e);
    if (code == NSM_OK && !(file->last > s->a->start))
      code = refuse(e, "--data", file->path, "it has no time to run to");
    f->n += file->a.nof;
  }
  return code;
}

nsm_code fit_read(fit *f, const nsm_flags *flags, nsm_error *e) {
  char names[2048] = "";
  int files = listed(flags, NSM_FLAG_DATA), matches = listed(flags, NSM_FLAG_MATCH),
      many = listed(flags, NSM_FLAG_FIT_VARY);
  if (files == 0 || matches == 0 || many == 0) {
    sim_fail(e, NSM_USAGE, "nsm fit asks for --data FILE, --match \"z ~ height\" and --vary \"e=0:1\", or for a block "
             "fit { } of the model");
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
    sim_fail(e, NSM_USAGE, "%d numbers do not tell %d parameters: there must be more data than parameters", f->n,
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
