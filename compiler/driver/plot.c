// nsm plot: columns of a CSV file as a chart. SVG is written here (view/chart.c); PDF and PNG are left to gnuplot,
// where it is installed.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "../../runtime/command/outputs.h"
#include "../base/suggest.h"
#include "../base/vec.h"
#include "../view/chart.h"
#include "commands.h"

typedef struct Chosen { const Table *t; int x, z; Vec(int) y; } Chosen;

static bool column(const Table *t, const char *flag, const char *name, int *at) {
  if ((*at = table_column(t, name)) >= 0) return true;
  char meant[300];
  suggest_any(name, t->name, (size_t)t->ncolumn, meant, sizeof meant);
  fprintf(stderr, "error: %s: there is no column `%s`%s\n", flag, name, meant);
  return false;
}

static bool has_numbers(const Table *t, int column) {
  for (long row = 0; row < t->rows; row++)
    if (isfinite(t->value[column][row])) return true;
  return false;
}

// Of what was asked for; a table without rows has nothing wrong with its columns.
static bool numbers(const Table *t, const char *flag, int at) {
  if (t->rows == 0 || has_numbers(t, at)) return true;
  fprintf(stderr, "error: %s: the column `%s` has no number\n", flag, t->name[at]);
  return false;
}

static bool choose(const Options *o, Chosen *c) {
  const char *x = o->flags.text[NSM_FLAG_OVER], *y = o->flags.text[NSM_FLAG_COLUMNS], *z = o->flags.text[NSM_FLAG_MAP];
  int time = table_column(c->t, "time"), at;
  c->x = time >= 0 ? time : 0;
  c->z = -1;
  if (x && !column(c->t, "-x", x, &c->x)) return false;
  if (z && (!column(c->t, "-z", z, &c->z) || !numbers(c->t, "-z", c->z))) return false;
  if (!numbers(c->t, "-x", c->x)) return false;
  char name[512];
  int more = 0;
  while (y && (more = nsm_next_name(&y, name, sizeof name)) > 0) {
    if (!column(c->t, "-y", name, &at) || !numbers(c->t, "-y", at)) return false;
    vec_push(&c->y, at);
  }
  if (more < 0) { fputs("error: -y: a name is too long\n", stderr); return false; }
  bool all = c->y.n == 0 && !z;
  for (int i = 0; all && i < c->t->ncolumn; i++)
    if (i != c->x && (c->t->rows == 0 || has_numbers(c->t, i))) vec_push(&c->y, i);
  bool wrong = z && c->y.n != 1;
  if (wrong) fputs("error: -z: the map needs one column for each axis: -x A -y B\n", stderr);
  else if (c->y.n == 0) fprintf(stderr, "error: there is no column with numbers beside `%s`\n", c->t->name[c->x]);
  return !wrong && c->y.n > 0;
}

// ---- histograms -----------------------------------------------------------------------------------------------------
// The numbers of column c->y.at[0] counted in n equal parts of their range: a table of two columns, whose line goes up
// and down at the ends of the parts.
static void count_in_bins(Arena *a, Chosen *c, int n) {
  const Table *t = c->t;
  const double *v = t->value[c->y.at[0]];
  double lo = INFINITY, hi = -INFINITY;
  long *count = ARENA_ARRAY(a, long, n);
  for (long i = 0; i < t->rows; i++)
    if (isfinite(v[i])) { lo = fmin(lo, v[i]); hi = fmax(hi, v[i]); }
  if (!(lo < hi)) { lo -= 0.5; hi += 0.5; }                // one value, or none
  for (long i = 0; i < t->rows; i++)
    if (isfinite(v[i])) count[(int)fmin(n - 1, floor((v[i] - lo)/(hi - lo)*n))]++;
  Table *bins = ARENA_NEW(a, Table);
  enum { CORNERS = 4 };                                    // of a bar
  *bins = (Table){ 2, ARENA_ARRAY(a, const char *, 2), CORNERS*(long)n, ARENA_ARRAY(a, double *, 2) };
  bins->name[0] = t->name[c->y.at[0]];
  bins->name[1] = "rows";
  for (int k = 0; k < 2; k++) bins->value[k] = ARENA_ARRAY(a, double, CORNERS*n);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < CORNERS; k++) {
      bins->value[0][CORNERS*i + k] = lo + (hi - lo)*(i + k/2)/n;
      bins->value[1][CORNERS*i + k] = k == 1 || k == 2 ? (double)count[i] : 0;
    }
  c->t = bins;
  c->x = 0;
  c->y.at[0] = 1;
}

static bool histogram(const Options *o, Arena *a, Chosen *c) {
  if (!given(o, NSM_FLAG_BINS)) return true;
  if (c->y.n != 1 || c->z >= 0) {
    fputs("error: --bins: a histogram is of one column: -y A\n", stderr);
    return false;
  }
  count_in_bins(a, c, (int)o->flags.number[NSM_FLAG_BINS]);
  return true;
}

// ---- gnuplot --------------------------------------------------------------------------------------------------------
static void quoted(FILE *f, const char *s) {
  fputc('\'', f);
  for (; *s; s++) fputs(*s == '\'' ? "''" : (char[2]){ *s, 0 }, f);
  fputc('\'', f);
}

static void script(FILE *f, const Chosen *c, const char *kind, const char *path) {
  const Table *t = c->t;
  fprintf(f, "set terminal %s noenhanced\nset output ", !strcmp(kind, "pdf") ? "pdfcairo" : "pngcairo size 960,600");
  quoted(f, path);
  fputs("\nset xlabel ", f);
  quoted(f, t->name[c->x]);
  fputs("\nset key outside below\nset grid\n$data << END_OF_DATA\n", f);
  for (long r = 0; r < t->rows; r++) {
    fprintf(f, "%.17g", t->value[c->x][r]);
    for (size_t i = 0; i < c->y.n; i++) fprintf(f, " %.17g", t->value[c->y.at[i]][r]);
    if (c->z >= 0) fprintf(f, " %.17g", t->value[c->z][r]);
    fputc('\n', f);
  }
  fputs("END_OF_DATA\n", f);
  if (c->z >= 0) {
    fputs("set ylabel ", f);
    quoted(f, t->name[c->y.at[0]]);
    fputs("\nset cblabel ", f);
    quoted(f, t->name[c->z]);
    fputs("\nunset key\nplot $data using 1:2:3 with points pointtype 5 pointsize 2 palette\n", f);
    return;
  }
  fputs("plot ", f);
  for (size_t i = 0; i < c->y.n; i++) {
    fprintf(f, "%s$data using 1:%zu with lines title ", i ? ", " : "", i + 2);
    quoted(f, t->name[c->y.at[i]]);
  }
  fputc('\n', f);
}

static int by_gnuplot(const Chosen *c, const char *kind, const char *path) {
  fflush(NULL);
  signal(SIGPIPE, SIG_IGN);                                // where it is missing, its end of the pipe is closed
  FILE *f = popen("exec gnuplot", "w");
  if (!f) { fprintf(stderr, "error: gnuplot: %s\n", strerror(errno)); return EXIT_FILE; }
  script(f, c, kind, path);
  int status = pclose(f);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return EXIT_OK;
  fprintf(stderr, "error: %s could not be written by gnuplot; .svg needs no other program (gnuplot is the package "
                  "gnuplot-nox)\n", path);
  return EXIT_FILE;
}

// ---- the command ----------------------------------------------------------------------------------------------------
static int draw(const Options *o, Chosen *c, const char *path) {
  const char *dot = strrchr(path, '.'), *kind = dot ? dot + 1 : "svg";
  if (!strcmp(kind, "pdf") || !strcmp(kind, "png")) return by_gnuplot(c, kind, path);
  if (strcmp(path, "-") && strcmp(kind, "svg")) {
    fprintf(stderr, "error: -o %s: the name ends with .svg, .pdf or .png\n", o->output);
    return EXIT_USAGE;
  }
  Text out = {0};
  if (c->z >= 0) chart_map(c->t, c->x, c->y.at[0], c->z, &out);
  else chart_lines(c->t, c->x, c->y.at, (int)c->y.n, &out);
  int code = write_file(&out, path);
  text_free(&out);
  return code;
}

int command_plot(const Options *o) {
  Arena *a = arena_new();
  const char *why, *path = o->output ? o->output : "-", *input[] = { o->file[0] };
  Chosen c = { .t = table_read(a, o->file[0], &why) };
  nsm_output output = { "--output", path };
  nsm_error e = { .code = NSM_OK };
  int code = EXIT_USAGE;
  if (!c.t) {
    fprintf(stderr, "error: %s\n", why);
    code = EXIT_FILE;
  } else if (nsm_outputs_check(input, 1, &output, 1, &e) != NSM_OK) nsm_print_error(NULL, &e, stderr);
  else if (choose(o, &c) && histogram(o, a, &c)) code = draw(o, &c, path);
  vec_free(&c.y);
  arena_free(a);
  return code;
}
