// A problem as JSON (docs/problems.md, 2). Numbers with 17 significant digits: what is read again is the same to the
// last bit.
#include "reader.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static void put_number(FILE *f, double x) {
  if (fabs(x) < HUGE_VAL) fprintf(f, "%.17g", x);
  // a nan is no number: the reader refuses it with its place
  else fputs(x > 0 ? "\"inf\"" : x < 0 ? "\"-inf\"" : "null", f);
}

static void put_vector(FILE *f, const char *key, const double *x, int m) {
  fprintf(f, ",\n  \"%s\": [", key);
  for (int i = 0; i < m; i++) {
    if (i) fputs(", ", f);
    put_number(f, x[i]);
  }
  fputc(']', f);
}

static void put_string(FILE *f, const char *text) {
  fputc('"', f);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\') { fputc('\\', f); fputc(*c, f); }
    else if (*c < ' ') fprintf(f, "\\u%04x", *c);
    else fputc(*c, f);
  }
  fputc('"', f);
}

static void put_indices(FILE *f, const char *key, const int *x, int n) {
  fprintf(f, "\"%s\": [", key);
  for (int i = 0; i < n; i++) fprintf(f, i ? ", %d" : "%d", x[i]);
  fputc(']', f);
}

static void put_matrix(FILE *f, const nsm_cone_problem *p) {
  int m = p->m;
  fputs(",\n  \"M\": ", f);
  if (p->row_start) {
    fputc('{', f);
    put_indices(f, "row_start", p->row_start, m + 1);
    fputs(",\n    ", f);
    put_indices(f, "col", p->col, p->row_start[m]);
    fputs(",\n    \"value\": [", f);
    for (int k = 0; k < p->row_start[m]; k++) {
      if (k) fputs(", ", f);
      put_number(f, p->M[k]);
    }
    fputs("]}", f);
    return;
  }
  fputc('[', f);
  for (int i = 0; i < m; i++) {
    fputs(i ? ",\n    [" : "\n    [", f);
    for (int j = 0; j < m; j++) {
      if (j) fputs(", ", f);
      put_number(f, p->M[(size_t)i + (size_t)j * (size_t)m]);
    }
    fputc(']', f);
  }
  fputc(']', f);
}

static void put_cones(FILE *f, const nsm_cone_problem *p) {
  if (p->cones == 0) return;
  fputs(",\n  \"cones\": [", f);
  for (int k = 0; k < p->cones; k++) {
    const nsm_cone_block *b = &p->cone[k];
    const nsm_cone_kind *kind = nsm_cone_kind_of(b->type);
    fprintf(f, "%s\n    {\"type\": \"%s\", \"first\": %d, \"size\": %d", k ? "," : "", kind->word, b->first,
            b->size);
    if (kind->normals > 1) fprintf(f, ", \"normals\": %d", kind->normals);
    if (kind->mu) { fputs(", \"mu\": ", f); put_number(f, b->mu); }
    if (kind->mu2) { fputs(", \"mu2\": ", f); put_number(f, b->mu2); }
    if (kind->radius) { fputs(", \"radius\": ", f); put_number(f, b->radius); }
    fputc('}', f);
  }
  fputc(']', f);
}

static void put_text(FILE *f, const char *key, const char *text) {
  if (!text) return;
  fprintf(f, ",\n  \"%s\": ", key);
  put_string(f, text);
}

static void put_note(FILE *f, const nsm_cone_problem *p, const nsm_problem_note *n) {
  put_text(f, "model", n->model);
  put_text(f, "place", n->place);
  if (n->step >= 0) {
    fprintf(f, ",\n  \"step\": %ld,\n  \"time\": ", n->step);
    put_number(f, n->time);
  }
  if (!n->label) return;
  fputs(",\n  \"labels\": [", f);
  for (int i = 0; i < p->m; i++) {
    if (i) fputs(", ", f);
    put_string(f, n->label(n->with, i));
  }
  fputc(']', f);
}

static void put_answer(FILE *f, const nsm_cone_problem *p, const nsm_problem_note *n) {
  static const char *const status[] = { "solved", "no solution", "failed", "bad input", "accepted" };
  if (n->guess) put_vector(f, "guess", n->guess, p->m);
  if (n->lambda) put_vector(f, "lambda", n->lambda, p->m);
  if (!n->result) return;
  put_text(f, "status", status[n->result->status]);
  put_text(f, "solver", n->result->solver);
  if (fabs(n->result->residual) < HUGE_VAL) {
    fputs(",\n  \"residual\": ", f);
    put_number(f, n->result->residual);
  }
  fprintf(f, ",\n  \"iterations\": %d", n->result->iterations);
}

// Rows of cones have no bounds of their own: what stands in lo and hi there is not written.
static void put_bounds(FILE *f, const char *key, const nsm_cone_problem *p, const double *x, double none) {
  int k = 0, all = 1;
  for (int i = 0; i < p->m && all; i++) all = x[i] == none;
  if (all) return;                                         // the reader's default
  fprintf(f, ",\n  \"%s\": [", key);
  for (int i = 0; i < p->m; i++) {
    while (k < p->cones && p->cone[k].first + p->cone[k].size <= i) k++;
    if (i) fputs(", ", f);
    put_number(f, k < p->cones && i >= p->cone[k].first ? none : x[i]);
  }
  fputc(']', f);
}

int nsm_problem_write(FILE *f, const nsm_cone_problem *p, const nsm_problem_note *n) {
  errno = 0;
  fprintf(f, "{\n  \"nsm_problem\": 1,\n  \"rows\": %d", p->m);
  if (n) put_note(f, p, n);
  put_matrix(f, p);
  put_vector(f, "q", p->q, p->m);
  if (p->q_terms) put_vector(f, "q_terms", p->q_terms, p->m);
  put_bounds(f, "lo", p, p->lo, 0);
  put_bounds(f, "hi", p, p->hi, HUGE_VAL);
  put_cones(f, p);
  if (n) put_answer(f, p, n);
  fputs("\n}\n", f);
  return fflush(f) == 0 && !ferror(f);
}
