// solve: one problem from a file through runtime/cone, and what came out. No model, no compiler: the one-step problem
// alone.
//
// Exit codes: 0 solved; 3 not solved, or proved to have no solution; 1 the problem is malformed; 4 the file cannot be
// read; 2 usage.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../runtime/problems/reader.h"
#include "commands.h"

typedef struct SolveFlags {
  nsm_problem_kind kind;
  nsm_cone_options options;
  bool check;
} SolveFlags;

// ---- flags ----------------------------------------------------------------------------------------------------------
static SolveFlags read_flags(const Options *o) {
  const nsm_flags *f = &o->flags;
  SolveFlags s = { .check = given(o, NSM_FLAG_CHECK) };
  if (given(o, NSM_FLAG_KIND)) s.kind = nsm_problem_kind_of(f->text[NSM_FLAG_KIND]);
  s.options.solver = f->text[NSM_FLAG_SOLVER];
  if (given(o, NSM_FLAG_PROBLEM_TOLERANCE)) s.options.tolerance = f->number[NSM_FLAG_PROBLEM_TOLERANCE];
  if (given(o, NSM_FLAG_ACCEPT)) s.options.accept = f->number[NSM_FLAG_ACCEPT];
  if (given(o, NSM_FLAG_SOLVE_BUDGET)) s.options.budget = f->number[NSM_FLAG_SOLVE_BUDGET];
  if (given(o, NSM_FLAG_MAX_ITERATIONS)) s.options.max_iterations = (int)f->number[NSM_FLAG_MAX_ITERATIONS];
  return s;
}

static int say(const char *file, const nsm_problem_error *e) {
  fprintf(stderr, "error: %s", file);
  if (e->line > 0) fprintf(stderr, ":%ld:%ld", e->line, e->column);
  fprintf(stderr, ": %s\n", e->text);
  if (*e->help) fprintf(stderr, "help: %s\n", e->help);
  return e->code == NSM_PROBLEM_UNREADABLE ? EXIT_FILE : EXIT_MODEL;
}

// ---- solving --------------------------------------------------------------------------------------------------------
typedef struct Answer {
  double *lambda, *u, time_s;
  nsm_cone_result r;
  void *work;
} Answer;

static void free_answer(Answer *a) {
  free(a->lambda);
  free(a->u);
  free(a->work);
}

static double memory_of_machine(void) { return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE); }

// Dense wherever the solvers would make a dense copy of it anyway: all but narrow bands, and large problems of which
// less than a quarter is there.
static bool wants_dense(const nsm_problem *p) {
  int m = p->p.m;
  if (m > 300 && p->p.cones > 0 && 4 * p->entries < (size_t)m * (size_t)m) return false;
  return p->p.row_start && m <= 4096 && (p->p.cones > 0 || m <= 128 || 4L * p->bandwidth >= m);
}

static bool solve(nsm_problem *p, const SolveFlags *f, Answer *a) {
  size_t m = (size_t)p->p.m;
  if (wants_dense(p) && !nsm_problem_densify(p)) return false;
  size_t bytes = nsm_cone_workspace_size_with(p->p.m, p->entries, p->bandwidth, p->p.cones);
  if ((double)bytes > memory_of_machine()) return false;
  a->lambda = calloc(m + 1, sizeof(double));
  a->u = calloc(m + 1, sizeof(double));
  a->work = malloc(bytes);
  if (!a->lambda || !a->u || !a->work) return false;
  nsm_cone_workspace_init(a->work, bytes);
  nsm_cone_options o = f->options;
  o.warm = p->guess != NULL;
  if (o.warm) memcpy(a->lambda, p->guess, m * sizeof(double));
  double start = now_seconds();
  nsm_cone_solve(&p->p, &o, a->work, a->lambda, a->u, &a->r);
  a->time_s = now_seconds() - start;
  return true;
}

// ---- comparing with the file's own answer ---------------------------------------------------------------------------
// differences relative to the largest entry
typedef struct Stored { bool any, whole; double lambda, u, residual; } Stored;

static double difference(const double *x, const double *y, int n, bool *whole) {
  double d = 0, size = 0;
  for (int i = 0; i < n; i++) {
    if (isnan(y[i])) { *whole = false; continue; }
    d = fmax(d, fabs(x[i] - y[i]));
    size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
  }
  return size > 0 ? d / size : 0;
}

static Stored compare(const nsm_problem *p, const Answer *a) {
  Stored s = { .any = p->stored_lambda != NULL, .whole = true };
  if (!s.any) return s;
  bool ignored = true;
  s.lambda = difference(a->lambda, p->stored_lambda, p->unknowns, &s.whole);
  s.u = p->stored_u ? difference(a->u, p->stored_u, p->unknowns, &ignored) : 0;
  if (p->unknowns == p->p.m && s.whole) s.residual = nsm_cone_residual(&p->p, p->stored_lambda, NULL, NULL);
  else s.whole = false;
  return s;
}

// ---- printing -------------------------------------------------------------------------------------------------------
static const char *const statuses[] = { "solved", "no solution", "failed", "bad input", "accepted" };

static void number(Text *t, double x) {
  if (fabs(x) < HUGE_VAL) text_printf(t, "%.17g", x);
  else text_printf(t, "null");
}

static void vector(Text *t, const char *key, const double *x, int n) {
  text_printf(t, ",\n  \"%s\": [", key);
  for (int i = 0; i < n; i++) {
    if (i) text_printf(t, ", ");
    number(t, x[i]);
  }
  text_printf(t, "]");
}

static void row_name(void *with, int row, char *out, size_t size) {
  const nsm_problem *p = with;
  if (p->label) snprintf(out, size, "u of %s", p->label[row]);
  else snprintf(out, size, "u[%d]", row);
}

// Why there is no solution, "" where there may be one; the worst row.
static int explain(nsm_problem *p, const Answer *a, char *why, size_t size) {
  int row = -1;
  *why = 0;
  if (a->r.status == NSM_CONE_NO_SOLUTION) row = nsm_cone_explain(&p->p, a->work, row_name, p, why, size);
  return row >= 0 ? row : a->r.worst;
}

static void print_json(Text *t, nsm_problem *p, const Answer *a, const SolveFlags *f) {
  char why[1024];
  int worst = explain(p, a, why, sizeof why);
  text_printf(t, "{\n  \"status\": \"%s\",\n  \"residual\": ", statuses[a->r.status]);
  number(t, a->r.residual);
  text_printf(t, ",\n  \"floor\": ");
  number(t, a->r.floor);
  text_printf(t, a->r.solver ? ",\n  \"solver\": \"%s\"" : ",\n  \"solver\": null", a->r.solver);
  text_printf(t, ",\n  \"iterations\": %d,\n  \"operations\": %.9g,\n  \"time_s\": %.9g", a->r.iterations,
              a->r.work, a->time_s);
  text_printf(t, ",\n  \"kind\": \"%s\",\n  \"rows\": %d,\n  \"cones\": %d", nsm_problem_kind_name(p->kind), p->p.m,
              p->p.cones);
  text_printf(t, ",\n  \"worst\": %d", worst);
  text_printf(t, ",\n  \"late\": %s", a->r.late ? "true" : "false");
  if (*why) { text_printf(t, ",\n  \"why\": "); text_json_string(t, why); }
  if (f->check) {
    Stored s = compare(p, a);
    text_printf(t, ",\n  \"stored\": ");
    if (!s.any) text_printf(t, "null");
    else {
      text_printf(t, "{\"difference_lambda\": %.9g, \"difference_u\": %.9g, \"residual\": ", s.lambda, s.u);
      number(t, s.whole ? s.residual : NAN);
      text_printf(t, "}");
    }
  }
  vector(t, "lambda", a->lambda, p->unknowns);
  vector(t, "u", a->u, p->p.m);
  text_printf(t, "\n}\n");
}

static void print_rows(Text *t, const nsm_problem *p) {
  int many[3] = { 0 };                                     // free, on one side, on both
  for (int i = 0, k = 0; i < p->p.m; i++) {
    while (k < p->p.cones && p->p.cone[k].first + p->p.cone[k].size <= i) k++;
    if (k < p->p.cones && i >= p->p.cone[k].first) continue;
    many[isfinite(p->p.lo[i]) + isfinite(p->p.hi[i])]++;
  }
  bool guessed = p->guessed && p->kind != NSM_PROBLEM_JSON;
  text_printf(t, "problem     %s%s, %d row%s:", nsm_problem_kind_name(p->kind), guessed ? " (guessed)" : "", p->p.m,
              p->p.m == 1 ? "" : "s");
  static const char *const what[] = { "free", "one-sided", "boxed" };
  const char *comma = "";
  for (int i = 0; i < 3; i++) if (many[i]) { text_printf(t, "%s %d %s", comma, many[i], what[i]); comma = ","; }
  if (p->p.cones) { text_printf(t, "%s %d cone%s", comma, p->p.cones, p->p.cones == 1 ? "" : "s"); comma = ","; }
  if (p->unknowns < p->p.m) text_printf(t, "; %d of them for redundant equations", p->p.m - p->unknowns);
  text_printf(t, "\n");
}

static void print_lines(Text *t, nsm_problem *p, const Answer *a, const SolveFlags *f) {
  char why[1024];
  int worst = explain(p, a, why, sizeof why);
  print_rows(t, p);
  text_printf(t, "status      %s\n", statuses[a->r.status]);
  if (*why) text_printf(t, "because     %s\n", why);
  if (a->r.late)
    text_printf(t, "because     the budget of %.4g billion operations is used up (--solve-budget)\n",
                f->options.budget > 0 ? f->options.budget : NSM_CONE_BUDGET);
  if (a->r.status == NSM_CONE_FAILED && f->options.solver && !a->r.solver && !a->r.late)
    text_printf(t, "because     `%s` gives no answer: it is for other kinds or sizes; --solver auto\n",
                f->options.solver);
  if (a->r.status == NSM_CONE_ACCEPTED) text_printf(t, "because     it is within %.3g (--accept)\n", f->options.accept);
  text_printf(t, "residual    %.3g (tolerance %.3g%s)\nfloor       %.3g\n", a->r.residual,
              f->options.tolerance > 0 ? f->options.tolerance : 1e-12,
              a->r.status == NSM_CONE_SOLVED ? "" : "; of the best answer", a->r.floor);
  bool closest = a->r.status == NSM_CONE_FAILED && a->r.solver;
  text_printf(t, "solver      %s%s\niterations  %d\ntime        %.3g ms\n", a->r.solver ? a->r.solver : "none",
              closest ? " came closest" : "", a->r.iterations, 1e3 * a->time_s);
  if (a->r.status != NSM_CONE_SOLVED && worst >= 0 && worst < p->p.m)
    text_printf(t, "worst row   %d%s%s\n", worst, p->label ? " " : "", p->label ? p->label[worst] : "");
  if (!f->check) return;
  Stored s = compare(p, a);
  if (!s.any) { text_printf(t, "stored      the file has no answer of its own\n"); return; }
  text_printf(t, "stored      lambda differs by %.3g", s.lambda);
  if (p->stored_u) text_printf(t, ", u by %.3g", s.u);
  if (s.whole) text_printf(t, "; its own residual is %.3g", s.residual);
  text_printf(t, "\n");
}

int command_solve(const Options *o) {
  SolveFlags f = read_flags(o);
  int code = EXIT_OK;
  nsm_problem_error e;
  nsm_problem *p = nsm_problem_read(o->file[0], f.kind, &e);
  if (!p) return say(o->file[0], &e);
  if (*p->note) fprintf(stderr, "note: %s: %s\n", o->file[0], p->note);
  Answer a = { 0 };
  if (!solve(p, &f, &a)) {
    fprintf(stderr, "error: %s: there is not enough memory for a problem of %d rows\n", o->file[0], p->p.m);
    code = EXIT_FILE;
  } else {
    Text t = { 0 };
    (given(o, NSM_FLAG_JSON) ? print_json : print_lines)(&t, p, &a, &f);
    code = write_text(&t, stdout, "the answer");
    text_free(&t);
    if (code == EXIT_OK && a.r.status != NSM_CONE_SOLVED && a.r.status != NSM_CONE_ACCEPTED)
      code = a.r.status == NSM_CONE_BAD_INPUT ? EXIT_MODEL : EXIT_SIMULATION;
  }
  free_answer(&a);
  nsm_problem_free(p);
  return code;
}
