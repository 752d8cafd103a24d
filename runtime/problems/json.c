// nsm's own problem format (docs/problems.md, 2): one object whose keys may come in any order, each at most once;
// unknown keys are refused.
#include "json_scan.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cones { nsm_cone_block *at; const char **where; size_t n, room; } cones;

typedef struct draft {
  json_matrix M;
  numbers q, q_terms, lo, hi, guess, lambda;
  cones   cone;
  char  **label;
  size_t  labels, label_room;
  double  rows;                            // -1: not said
  const char *rows_at, *q_at, *q_terms_at, *lo_at, *hi_at, *guess_at, *lambda_at, *label_at;
  int     version;
} draft;

// ---- cones ----------------------------------------------------------------------------------------------------------
// The size of a kind where it leaves no choice, else 0.
static int only_size(const nsm_cone_kind *k) {
  int only = 0;
  for (int n = 1; n <= NSM_CONE_MOST_ROWS; n++)
    if (k->sizes >> n & 1) { if (only) return 0; only = n; }
  return only;
}

// Of the kinds that have this word, the one with so many normal rows; of the first of them where `normals` is 0.
static const nsm_cone_kind *kind_named(const char *word, int normals) {
  const nsm_cone_kind *k;
  for (int i = 0; (k = nsm_cone_kind_at(i)); i++)
    if (strcmp(k->word, word) == 0 && (!normals || k->normals == normals)) return k;
  return NULL;
}

static int add_cone(scan *s, cones *c, const nsm_cone_block *b, const char *at) {
  if (c->n == c->room) {
    size_t room = c->room ? 2 * c->room : 16;
    void *a = realloc(c->at, room * sizeof *c->at);
    if (a) c->at = a;
    void *w = a ? realloc(c->where, room * sizeof *c->where) : NULL;
    if (w) c->where = w;
    if (!a || !w) return scan_no_memory(s);
    c->room = room;
  }
  c->at[c->n] = *b;
  c->where[c->n++] = at;
  return 1;
}

static int coefficient(scan *s, double *x, const char *what) {
  js_next(s);
  const char *at = s->at;
  if (!js_number(s, x, 0, what)) return 0;
  return *x >= 0 || scan_fail(s, at, NULL, "%s must not be negative, and is %.9g", what, *x);
}

static int cone_type(scan *s, const char *at, const nsm_cone_kind **kind) {
  char *name, help[300] = "the types are";
  const nsm_cone_kind *k;
  if (!js_string(s, &name, "the type of a cone")) return 0;
  *kind = kind_named(name, 0);
  free(name);
  for (int i = 0; (k = nsm_cone_kind_at(i)); i++) {
    size_t used = strlen(help);
    if (kind_named(k->word, 0) == k) snprintf(help + used, sizeof help - used, "%s %s", i ? "," : "", k->word);
  }
  return *kind || scan_fail(s, at, help, "there is no cone of this type");
}

static int read_cone(scan *s, cones *c) {
  static const char help[] =
      "a cone is {\"type\", \"first\"} with \"size\" (coulomb, grip, disk, rolling, ellipse), \"mu\", \"mu2\" "
      "(elliptic, rolling, ellipse), \"radius\" (contensou, disk, ellipse), \"normals\" (grip)";
  nsm_cone_block b = { 0 };
  js_list l;
  char key[16];
  const nsm_cone_kind *k = NULL;
  int first = 0, size = 0, mu = 0, mu2 = 0, radius = 0, normals = 0, many = 1;
  js_next(s);
  const char *start = s->at;
  js_open(s, &l, '{', "a cone");
  while (js_more(s, &l, "a part of a cone")) {
    js_next(s);
    const char *at = s->at;
    if (!js_key(s, key, sizeof key)) return 0;
    int good;
    if (!strcmp(key, "type") && !k) { js_next(s); good = cone_type(s, s->at, &k); }
    else if (!strcmp(key, "first") && !first++) good = js_index(s, INT_MAX, &b.first, "the first row of a cone");
    else if (!strcmp(key, "size") && !size++) good = js_index(s, 8, &b.size, "the size of a cone");
    else if (!strcmp(key, "normals") && !normals++) good = js_index(s, 3, &many, "how many normal rows a grip has");
    else if (!strcmp(key, "mu") && !mu++) good = coefficient(s, &b.mu, "mu");
    else if (!strcmp(key, "mu2") && !mu2++) good = coefficient(s, &b.mu2, "mu2");
    else if (!strcmp(key, "radius") && !radius++) good = coefficient(s, &b.radius, "radius");
    else good = scan_fail(s, at, help, "this key is not expected here, or a second time");
    if (!good) return 0;
  }
  if (s->failed) return 0;
  if (!k || !first) return scan_fail(s, start, help, "this cone has no %s", k ? "first row" : "type");
  if (mu != k->mu || mu2 != k->mu2 || radius != k->radius)
    return scan_fail(s, start, help, "the coefficients of a cone of type %s are%s%s%s", k->word, k->mu ? " mu" : "",
                     k->mu2 ? " mu2" : "", k->radius ? " radius" : "");
  if (!size) b.size = only_size(k);
  if (!b.size) return scan_fail(s, start, help, "a cone of type %s needs its size", k->word);
  const nsm_cone_kind *grips = normals && nsm_cone_is_grip(k->type) ? kind_named(k->word, many) : NULL;
  if (normals && (!grips || many < 1))
    return scan_fail(s, start, help, "a cone of type %s has no %d normal rows", k->word, many);
  b.type = grips ? grips->type : k->type;
  return add_cone(s, c, &b, start);
}

static int read_cones(scan *s, cones *c) {
  js_list l;
  js_open(s, &l, '[', "the cones");
  while (js_more(s, &l, "a cone")) if (!read_cone(s, c)) return 0;
  return !s->failed;
}

// ---- the other keys -------------------------------------------------------------------------------------------------
static int read_labels(scan *s, draft *d) {
  js_list l;
  char *text;
  js_open(s, &l, '[', "the labels");
  while (js_more(s, &l, "a label")) {
    if (!js_string(s, &text, "a label in quotes")) return 0;
    if (d->labels == d->label_room) {
      size_t room = d->label_room ? 2 * d->label_room : 16;
      char **more = realloc(d->label, room * sizeof *more);
      if (!more) { free(text); return scan_no_memory(s); }
      d->label = more;
      d->label_room = room;
    }
    d->label[d->labels++] = text;
  }
  return !s->failed;
}

static int skip_string(scan *s) {
  char *text;
  int good = js_string(s, &text, "text in quotes");
  free(text);
  return good;
}

static int skip_number(scan *s) { double x; return js_number(s, &x, 0, "a number"); }

static int read_version(scan *s, draft *d) {
  double v;
  js_next(s);
  const char *at = s->at;
  if (!js_number(s, &v, 0, "the version of the format")) return 0;
  if (v != 1) return scan_fail(s, at, NULL, "this is version %.9g of the format, and version 1 is the only one", v);
  d->version = 1;
  return 1;
}

static int read_row_count(scan *s, draft *d) {
  int n;
  js_next(s);
  d->rows_at = s->at;
  if (!js_index(s, NSM_PROBLEM_MAX_ROWS, &n, "the number of rows")) return 0;
  d->rows = n;
  return 1;
}

static int vector(scan *s, numbers *v, const char **at, int infinite, const char *what) {
  js_next(s);
  *at = s->at;
  return js_numbers(s, v, infinite, what);
}

enum { VERSION, ROWS, MATRIX, Q, Q_TERMS, LO, HI, CONES, GUESS, LAMBDA, LABELS,
       MODEL, PLACE, COMMENT, STATUS, SOLVER, STEP, TIME, RESIDUAL, ITERATIONS, KEYS };
static const char *const keys[KEYS] = { "nsm_problem", "rows",   "M",       "q",     "q_terms", "lo",
                                        "hi",          "cones",  "guess",   "lambda", "labels", "model",
                                        "place",       "comment", "status", "solver", "step",   "time",
                                        "residual",    "iterations" };

static int read_value(scan *s, draft *d, int key) {
  switch (key) {
    case VERSION: return read_version(s, d);
    case ROWS:    return read_row_count(s, d);
    case MATRIX:  return json_read_matrix(s, &d->M);
    case Q:       return vector(s, &d->q, &d->q_at, 0, "an entry of q");
    case Q_TERMS: return vector(s, &d->q_terms, &d->q_terms_at, 0, "an entry of q_terms");
    case LO:      return vector(s, &d->lo, &d->lo_at, 1, "a lower bound");
    case HI:      return vector(s, &d->hi, &d->hi_at, 1, "an upper bound");
    case CONES:   return read_cones(s, &d->cone);
    case GUESS:   return vector(s, &d->guess, &d->guess_at, 0, "an entry of guess");
    case LAMBDA:  return vector(s, &d->lambda, &d->lambda_at, 0, "an entry of lambda");
    case LABELS:  js_next(s); d->label_at = s->at; return read_labels(s, d);
    case MODEL: case PLACE: case COMMENT: case STATUS: case SOLVER: return skip_string(s);
    default:      return skip_number(s);
  }
}

static int read_keys(scan *s, draft *d) {
  js_list l;
  char name[24];
  unsigned seen = 0;
  js_open(s, &l, '{', "a JSON object, '{'");
  while (js_more(s, &l, "a key")) {
    js_next(s);
    const char *at = s->at;
    if (!js_key(s, name, sizeof name)) return 0;
    int k = 0;
    while (k < KEYS && strcmp(keys[k], name) != 0) k++;
    if (k == KEYS)
      return scan_fail(
          s, at,
          "the keys are nsm_problem, rows, M, q, q_terms, lo, hi, cones, guess, lambda, labels and the notes in "
          "docs/problems.md",
          "there is no key of this name");
    if (seen >> k & 1) return scan_fail(s, at, NULL, "the key \"%s\" stands here a second time", keys[k]);
    seen |= 1u << k;
    if (!read_value(s, d, k)) return 0;
  }
  if (s->failed) return 0;
  if (js_next(s)) return scan_fail(s, s->at, NULL, "nothing may follow the object");
  if (!d->version)
    return scan_fail(s, NULL, "a problem file begins with {\"nsm_problem\": 1, ...",
                     "the key \"nsm_problem\" is missing");
  if (!d->M.form || !d->q_at) return scan_fail(s, NULL, NULL, "the key \"%s\" is missing", d->M.form ? "q" : "M");
  return 1;
}

// ---- putting it together --------------------------------------------------------------------------------------------
static int length(scan *s, const char *at, const char *name, size_t n, int m) {
  return !at || n == (size_t)m || scan_fail(s, at, NULL, "%s has %zu entries, and q has %d", name, n, m);
}

static double *copied(scan *s, const numbers *v, int m) {
  double *x = scan_new(s, (size_t)m, sizeof *x);
  if (x && v->n) memcpy(x, v->at, v->n * sizeof *x);
  return x;
}

static int put_cones(scan *s, nsm_problem *p, draft *d) {
  p->own_cone = scan_new(s, d->cone.n, sizeof *p->own_cone);
  if (!p->own_cone) return 0;
  int end = 0;
  for (size_t k = 0; k < d->cone.n; k++) {
    const nsm_cone_block *b = &d->cone.at[k];
    if (b->first < end || b->first > p->p.m - b->size)
      return scan_fail(s, d->cone.where[k], "cones are listed in the order of their rows and do not overlap",
                       "this cone has the rows %d to %lld: %s", b->first, (long long)b->first + b->size - 1,
                       b->first < end ? "the one before ends later" : "q is shorter");
    end = b->first + b->size;
    p->own_cone[k] = *b;
  }
  p->p.cone = p->own_cone;
  p->p.cones = (int)d->cone.n;
  return 1;
}

static int put(scan *s, nsm_problem *p, draft *d) {
  if (d->q.n > NSM_PROBLEM_MAX_ROWS)
    return scan_fail(s, d->q_at, NULL, "a problem may have at most %d rows", NSM_PROBLEM_MAX_ROWS);
  int m = (int)d->q.n;
  if (d->rows_at && d->rows != m)
    return scan_fail(s, d->rows_at, NULL, "rows is %.0f, and q has %d entries", d->rows, m);
  if (!length(s, d->lo_at, "lo", d->lo.n, m) || !length(s, d->hi_at, "hi", d->hi.n, m) ||
      !length(s, d->q_terms_at, "q_terms", d->q_terms.n, m) || !length(s, d->guess_at, "guess", d->guess.n, m) ||
          !length(s, d->lambda_at, "lambda", d->lambda.n, m) ||
      !length(s, d->label_at, "labels", d->labels, m))
    return 0;
  if (!prob_vectors(s, p, m) || !json_put_matrix(s, p, &d->M, m)) return 0;
  for (int i = 0; i < m; i++) {
    p->own_q[i] = d->q.at[i];
    if (d->lo_at) p->own_lo[i] = d->lo.at[i];
    if (d->hi_at) p->own_hi[i] = d->hi.at[i];
  }
  if (!put_cones(s, p, d)) return 0;
  if (d->q_terms_at && !(p->own_terms = copied(s, &d->q_terms, m))) return 0;
  if (d->guess_at && !(p->guess = copied(s, &d->guess, m))) return 0;
  if (d->lambda_at && !(p->stored_lambda = copied(s, &d->lambda, m))) return 0;
  if (d->label_at) { p->label = d->label; d->label = NULL; }
  p->unknowns = m;
  prob_finish_matrix(p);
  return 1;
}

int prob_read_json(scan *s, nsm_problem *p) {
  draft d = { .rows = -1 };
  p->kind = NSM_PROBLEM_JSON;
  int good = read_keys(s, &d) && put(s, p, &d);
  json_free_matrix(&d.M);
  numbers *const own[] = { &d.q, &d.q_terms, &d.lo, &d.hi, &d.guess, &d.lambda };
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) free(own[i]->at);
  free(d.cone.at);
  free(d.cone.where);
  for (size_t i = 0; d.label && i < d.labels; i++) free(d.label[i]);
  free(d.label);
  return good;
}
