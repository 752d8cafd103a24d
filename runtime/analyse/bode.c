// Frequency responses. At rest y/u = C (j w - A)^-1 B + D, or where an input acts by its rate, as a voltage on a
// capacitor, C (j w E - J)^-1 B + D of all unknowns. About a periodic orbit of length T an input that is held for a
// period each, u_k = eps e^(j w k T), gives
//
//     Y_k = (z - M)^-1 Gamma u_k,  z = e^(j w T),    y at t_k: C Y_k + D u_k        (samples)                    (1)
//     1/T int_0^T (dy(t)/dY Y_0 + dy(t)/du u_0) e^(-j w t) dt                      (component of y(t) at w)      (2)
//
// with M, Gamma and the derivatives of y(t) by the tangents of the run, all switches in them [Middlebrook and Cuk 1976;
// Verghese et al. 1986]. (2) is what a network analyser sees. It is integrated from event to event by Gauss's rule.
#include "write.h"
#include "rest.h"
#include "runtime/command/options.h"
#include "runtime/shared/nearest.h"
#include "runtime/shared/unit.h"
#include <stdlib.h>
#include <string.h>

enum { NODES = 12, MOST_POINTS = 100000, PIECES = 4 };
static const double two_pi = 6.283185307179586;
static const double node[NODES / 2] = { 0.1252334085114689, 0.3678314989981802, 0.5873179542866175, 0.7699026741943047,
                                        0.9041172563704749, 0.9815606342467193 };
static const double weight[NODES / 2] = { 0.2491470458134028, 0.2334925365383548, 0.2031674267230659,
                                          0.1600783285433462, 0.1069393259953184, 0.0471753363865118 };

typedef struct response { double re, im; } response;

typedef struct bode {
  const analysis *a;
  char    u[256], y[256];
  double *f; int nf;                    // Hz
  response *of, *component;             // [nf]; component: about an orbit
  double  period, settled;
  int     about_orbit;
} bode;

// ---- what is asked for ----------------------------------------------------------------------------------------------
static nsm_code wrong(nsm_error *e, const char *text, const char *why) {
  sim_fail(e, NSM_USAGE, "--frequencies %s: %s", text, why);
  return NSM_USAGE;
}

// F:G:N, N in each decade.
static nsm_code read_range(bode *b, const char *text, nsm_error *e) {
  char part[3][64] = { "", "", "20" };
  const char *at = text, *why;
  for (int i = 0; i < 3 && *at; i++) {
    size_t n = strcspn(at, ":");
    snprintf(part[i], sizeof part[i], "%.*s", (int)(n < 63 ? n : 63), at);
    at += n + (at[n] == ':');
  }
  double from, to, per = strtod(part[2], NULL);
  if ((why = nsm_read_quantity(part[0], "Hz", &from)) || (why = nsm_read_quantity(part[1], "Hz", &to)))
    return wrong(e, text, why);
  if (!(from > 0 && to > from && per >= 1)) return wrong(e, text, "0 < F < G, and N from 1 on");
  double decades = log10(to / from);
  b->nf = (int)fmin(ceil(decades * per - 1e-9) + 1, MOST_POINTS);
  if (b->nf < 2) b->nf = 2;
  b->f = calloc((size_t)b->nf, sizeof *b->f);
  if (!b->f) return sim_no_memory(e, "frequencies");
  for (int i = 0; i < b->nf; i++) b->f[i] = from * pow(10, decades * i / (b->nf - 1));
  b->f[b->nf - 1] = to;
  return NSM_OK;
}

static nsm_code read_list(bode *b, const char *text, nsm_error *e) {
  char word[64];
  const char *at = text, *why;
  b->f = calloc(strlen(text) + 1, sizeof *b->f);
  if (!b->f) return sim_no_memory(e, "frequencies");
  while (nsm_next_name(&at, word, sizeof word) > 0) {
    if (!*word) continue;
    if ((why = nsm_read_quantity(word, "Hz", &b->f[b->nf]))) return wrong(e, text, why);
    if (!(b->f[b->nf++] > 0)) return wrong(e, text, "they are above 0");
  }
  return b->nf > 0 ? NSM_OK : wrong(e, text, "there is none");
}

static nsm_code read(bode *b, nsm_error *e) {
  const char *pair = b->a->f->text[NSM_FLAG_BODE], *text = b->a->f->text[NSM_FLAG_FREQUENCIES];
  if (nsm_next_name(&pair, b->u, sizeof b->u) <= 0 || nsm_next_name(&pair, b->y, sizeof b->y) <= 0 || !*b->y) {
    sim_fail(e, NSM_USAGE, "--bode U,Y: an input, which is a parameter or an input of the model, and a column");
    return NSM_USAGE;
  }
  if (!text) {
    sim_fail(e, NSM_USAGE, "--bode asks for --frequencies, as 10Hz:1MHz:20 or 100Hz,1kHz");
    return NSM_USAGE;
  }
  nsm_code code = strchr(text, ':') ? read_range(b, text, e) : read_list(b, text, e);
  if (code != NSM_OK) return code;
  b->of = calloc((size_t)b->nf, sizeof *b->of);
  b->component = calloc((size_t)b->nf, sizeof *b->component);
  return b->of && b->component ? NSM_OK : sim_no_memory(e, "a response");
}

// ---- c (z E - A)^-1 b -----------------------------------------------------------------------------------------------
typedef struct resolvent { int n; double *K, *x; int *pivot; } resolvent;      // [2 n, 2 n] [2 n]

// x = (z E - A)^-1 b, as 2 n real equations: x, then its imaginary part; E NULL: identity. 0: z is an eigenvalue.
static int resolve(resolvent *r, const double *E, const double *A, const double *b, response z) {
  size_t n = (size_t)r->n, N = 2 * n;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double a = -A[i + j * n], by = E ? E[i + j * n] : i == j;
      r->K[i + j * N] = r->K[n + i + (n + j) * N] = a + by * z.re;
      r->K[i + (n + j) * N] = -by * z.im;
      r->K[n + i + j * N] = by * z.im;
    }
  for (size_t i = 0; i < n; i++) { r->x[i] = b[i]; r->x[n + i] = 0; }
  if (n == 0) return 1;
  if (nsm_la_lu_factor((int)N, r->K, (int)N, r->pivot).code != NSM_LA_OK) return 0;
  nsm_la_lu_solve((int)N, 1, r->K, (int)N, r->pivot, r->x, (int)N);
  return 1;
}

static int resolvent_open(resolvent *r, int n) {
  size_t N = 2 * (size_t)n;
  *r = (resolvent){ n, calloc(N * N + 1, sizeof(double)), calloc(N + 1, sizeof(double)), calloc(N + 1, sizeof(int)) };
  return r->K && r->x && r->pivot;
}

static void resolvent_close(resolvent *r) { free(r->K); free(r->x); free(r->pivot); }

static response dot(const double *c, int stride, const resolvent *r, double d) {
  response y = { d, 0 };
  for (int i = 0; i < r->n; i++) {
    y.re += c[(size_t)i * (size_t)stride] * r->x[i];
    y.im += c[(size_t)i * (size_t)stride] * r->x[r->n + i];
  }
  return y;
}

// ---- at rest --------------------------------------------------------------------------------------------------------
static nsm_code at_rest(bode *b, nsm_error *e) {
  rest w = { .a = b->a };
  resolvent r = { 0 };
  nsm_code code = rest_open(&w, b->u, b->y, REST_RESPONSE, e);
  const linear *l = &w.l;
  if (code == NSM_OK && !resolvent_open(&r, l->n)) code = sim_no_memory(e, "a response");
  for (int i = 0; code == NSM_OK && i < b->nf; i++) {
    response z = { 0, two_pi * b->f[i] };
    if (resolve(&r, l->rates ? l->E : NULL, l->A, l->B, z)) b->of[i] = dot(l->C, l->ny, &r, l->D[0]);
    else b->of[i] = (response){ INFINITY, 0 };
  }
  resolvent_close(&r);
  rest_close(&w);
  return code;
}

// ---- about an orbit -------------------------------------------------------------------------------------------------
// Times at which something happens on the orbit, ascending, from 0 to T.
typedef struct instants { double *t; long n, room; double start; int failed; } instants;

static void add_instant(instants *k, double t) {
  if (k->n == k->room) {
    long room = k->room ? 2 * k->room : 64;
    double *more = realloc(k->t, (size_t)room * sizeof *more);
    if (!more) { k->failed = 1; return; }
    k->t = more;
    k->room = room;
  }
  k->t[k->n++] = t;
}

static void take_event(void *with, const nsm_located_event *event) {
  instants *k = with;
  add_instant(k, event->time - k->start);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Located events, and instants of `every`; phases are cut in PIECES, for Gauss's rule.
static nsm_code find_instants(const steady *w, const nsm_settings *set, instants *k, nsm_error *e) {
  nsm_settings own = steady_settings(w, set, w->period);
  nsm_sim *s = nsm_open(w->a.m, &own, e);
  if (!s) return e->code;
  k->start = w->start;
  nsm_code code = steady_run(w, set, take_event, k, e);
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    const sim_class *c = &s->a->cls[v->cls];
    for (int i = 0; v->timed && i < v->n; i++) {
      const double *num = c->tab.num + (size_t)i * (size_t)c->c->nnum;
      for (double t = num[1]; t < w->period && k->n < MOST_POINTS; t += num[0]) if (t > 0) add_instant(k, t);
    }
  }
  nsm_close(s);
  add_instant(k, 0);
  add_instant(k, w->period);
  if (k->failed) return sim_no_memory(e, "events");
  qsort(k->t, (size_t)k->n, sizeof *k->t, ascending);
  long n = 1;
  for (long i = 1; i < k->n; i++) if (k->t[i] - k->t[n - 1] > 1e-9 * w->period) k->t[n++] = k->t[i];
  k->n = n;
  k->t[n - 1] = w->period;
  return code;
}

// What is differentiated: states at the end, y at the begin, y at the nodes, states at the begin; by states at the
// begin and u. Initial values that hang on u follow it, which is taken off again.
typedef struct about { steady w; answers a; instants k; int nodes; double *at, *weight; } about;

static nsm_code take_answers(bode *b, about *o, nsm_error *e) {
  long phases = (o->k.n - 1) * PIECES;
  o->nodes = (int)(phases * NODES);
  int n = o->w.n, nof = 2 * n + 1 + o->nodes;
  answers *a = &o->a;
  *a = (answers){ .m = b->a->m, .run = b->a->run, .with = b->a->with };
  a->of = calloc((size_t)nof + 1, sizeof *a->of);
  a->by = calloc((size_t)n + 2, sizeof *a->by);
  a->text = calloc((size_t)n + 3, sizeof *a->text);
  o->at = calloc((size_t)o->nodes + 1, sizeof *o->at);
  o->weight = calloc((size_t)o->nodes + 1, sizeof *o->weight);
  if (!a->of || !a->by || !a->text || !o->at || !o->weight) return sim_no_memory(e, "a response");
  for (int i = 0; i < n; i++) {
    a->of[i] = o->w.a.of[i];
    a->by[i] = o->w.a.by[i];
    if (!(a->text[i] = strdup(a->by[i].text))) return sim_no_memory(e, "a response");
    a->by[i].text = a->text[i];
  }
  a->nby = n;
  a->nof = nof;
  for (long i = 0; i < phases; i++) {
    double t0 = o->k.t[i / PIECES], t1 = o->k.t[i / PIECES + 1], part = (t1 - t0) / PIECES;
    double middle = t0 + part * ((double)(i % PIECES) + 0.5);
    for (int k = 0; k < NODES; k++) {
      int half = k < NODES / 2 ? NODES / 2 - 1 - k : k - NODES / 2;
      double x = k < NODES / 2 ? -node[half] : node[half];
      o->at[i * NODES + k] = middle + 0.5 * part * x;
      o->weight[i * NODES + k] = 0.5 * part * weight[half] / o->w.period;
    }
  }
  return NSM_OK;
}

static nsm_code name_answers(bode *b, about *o, const nsm_settings *set, nsm_error *e) {
  nsm_sim *s = nsm_open(b->a->m, set, e);
  if (!s) return e->code;
  int n = o->w.n, column = -1;
  answers *a = &o->a;
  double input = 1, output = 1;
  nsm_code code = rest_find(s, b->u, b->y, &a->by[n], &column, e);
  if (code == NSM_OK && a->by[n].parameter < 0) {
    sim_fail(e, NSM_USAGE, "--bode %s: about a periodic orbit the input is a parameter, which is held for a period",
             b->u);
    code = NSM_USAGE;
  }
  if (code == NSM_OK) {
    a->text[n] = strdup(b->u);
    if (!a->text[n]) code = sim_no_memory(e, "a response");
    a->by[n].text = a->text[n];
    a->nby = n + 1;
    output = nsm_column_scale(s, column);
    input = a->by[n].scale;
  }
  for (int i = a->nof - n; i < a->nof; i++) {
    a->of[i] = a->of[i - (a->nof - n)];
    a->of[i].kind = NSM_STAT_INITIAL;
  }
  for (int i = n; code == NSM_OK && i < a->nof - n; i++) {
    a->of[i] = (answers_of){ .kind = i == n ? NSM_STAT_INITIAL : NSM_STAT_AT, .column = column, .row = -1,
                             .scale = output / input };
    if (i > n) a->of[i].time = o->w.start + o->at[i - n - 1];
    snprintf(a->of[i].name, sizeof a->of[i].name, "%.250s", b->y);
  }
  nsm_close(s);
  return code;
}

// A jump of y moves with what switches it, and (2) has not that part: y at the end of a phase and at the begin of the
// next, by the nodes beside them.
static nsm_code is_continuous(const bode *b, const about *o, nsm_error *e) {
  const double *y = o->a.value + o->w.n + 1;
  double lo = INFINITY, hi = -INFINITY;
  for (int i = 0; i < o->nodes; i++) { lo = fmin(lo, y[i]); hi = fmax(hi, y[i]); }
  for (int i = NODES; i < o->nodes; i += NODES) {
    double gap = fabs(y[i] - y[i - 1]), near = fabs(y[i + 1] - y[i]) + fabs(y[i - 1] - y[i - 2]);
    if (!(gap > 0.2 * (hi - lo) && gap > 4 * near)) continue;
    sim_fail(e, NSM_FAILED, "%s jumps at %.9g s of the orbit: its component at a frequency has a part of that, which "
             "is not computed; take what is continuous", b->y, o->at[i]);
    return NSM_FAILED;
  }
  return NSM_OK;
}

// How u moves what follows from the coordinates of a state that laws bind, into v [n].
static nsm_code moved_by_input(const bode *b, about *o, double *v, nsm_error *e) {
  steady *w = &o->w;
  if (!w->on.any) return NSM_OK;
  nsm_sim *s = nsm_open(b->a->m, &b->a->o->run, e);
  w->with_p = calloc((size_t)b->a->o->run.nset + 2, sizeof *w->with_p);
  if (!s || !w->with_p) { nsm_close(s); return s ? sim_no_memory(e, "a response") : e->code; }
  w->vary = b->u;
  w->p = s->a->p[o->a.by[w->n].parameter];
  nsm_close(s);
  nsm_code code = manifold_by_parameter(w, &b->a->o->run, w->y, v, e);
  w->vary = NULL;
  return code;
}

// d/du with the coordinates of the begin as they are: what the begin has moved by is taken off. v [n]: what it has to.
static void hold_begin(about *o, const double *v) {
  answers *a = &o->a;
  int n = o->w.n, by = n + 1, rows = a->nof - n;
  const double *begin = a->d + (size_t)rows * (size_t)by + n;
  for (int i = 0; i < rows; i++) {
    double *d = a->d + (size_t)i * (size_t)by;
    for (int j = 0; j < n; j++) d[n] += d[j] * (v[j] - begin[j * by]);
    manifold_along(&o->w, d);
  }
}

static nsm_code respond(bode *b, about *o, nsm_error *e) {
  const steady *w = &o->w;
  const answers *a = &o->a;
  size_t n = (size_t)w->n, by = n + 1;
  double *M = calloc(n * n + 1, sizeof *M), *G = calloc(n + 1, sizeof *G);
  resolvent r = { 0 };
  nsm_code code = M && G && resolvent_open(&r, w->n) ? NSM_OK : sim_no_memory(e, "a response");
  for (size_t i = 0; code == NSM_OK && i < n; i++) {
    if (!steady_comes_back(w, (int)i)) continue;
    for (size_t j = 0; j < n; j++) M[i + j * n] = steady_comes_back(w, (int)j) ? a->d[i * by + j] : 0;
    G[i] = a->d[i * by + n];
  }
  double scale = code == NSM_OK ? 1 / a->of[n].scale : 1;
  for (int k = 0; code == NSM_OK && k < b->nf; k++) {
    double omega = two_pi * b->f[k];
    response z = { cos(omega * w->period), sin(omega * w->period) }, sum = { 0, 0 };
    if (!resolve(&r, NULL, M, G, z)) { b->of[k] = b->component[k] = (response){ INFINITY, 0 }; continue; }
    response y = dot(a->d + n * by, 1, &r, a->d[n * by + n]);
    b->of[k] = (response){ y.re * scale, y.im * scale };
    for (int i = 0; i < o->nodes; i++) {
      const double *d = a->d + (n + 1 + (size_t)i) * by;
      double c = o->weight[i] * cos(omega * o->at[i]) * scale, s = o->weight[i] * sin(omega * o->at[i]) * scale;
      y = dot(d, 1, &r, d[n]);
      sum.re += y.re * c + y.im * s;
      sum.im += y.im * c - y.re * s;
    }
    b->component[k] = sum;
  }
  resolvent_close(&r);
  free(M);
  free(G);
  return code;
}

static nsm_code about_orbit(bode *b, nsm_error *e) {
  about o = { .w = { .a = { .m = b->a->m, .run = b->a->run, .with = b->a->with }, .period = b->period } };
  double levels = b->a->f->number[NSM_FLAG_REFINE];
  o.w.levels = isnan(levels) ? 0 : (int)levels;
  nsm_code code = steady_find(&o.w, &b->a->o->run, e);
  nsm_settings own = steady_settings(&o.w, &b->a->o->run, b->period);
  if (code == NSM_OK) code = find_instants(&o.w, &b->a->o->run, &o.k, e);
  if (code == NSM_OK) code = take_answers(b, &o, e);
  if (code == NSM_OK) code = name_answers(b, &o, &own, e);
  double *start = calloc((size_t)o.w.n + 2, sizeof *start), *v = calloc((size_t)o.w.n + 2, sizeof *v);
  if (code == NSM_OK && !(start && v)) code = sim_no_memory(e, "a response");
  for (int i = 0; code == NSM_OK && i < o.w.n; i++) start[i] = o.w.y[i] - o.w.begin[i];
  if (code == NSM_OK) code = answers_take(&o.a, &own, start, 1, e);
  if (code == NSM_OK) steady_same_signs(&o.w, &o.a, o.w.y);
  if (code == NSM_OK) code = moved_by_input(b, &o, v, e);
  if (code == NSM_OK) hold_begin(&o, v);
  if (code == NSM_OK) code = is_continuous(b, &o, e);
  if (code == NSM_OK) code = respond(b, &o, e);
  b->settled = o.w.residual;
  free(start);
  free(v);
  free(o.k.t);
  free(o.at);
  free(o.weight);
  answers_free(&o.a);
  steady_free(&o.w);
  return code;
}

// ---- what is written ------------------------------------------------------------------------------------------------
static double decibel(response x) { return 20 * log10(hypot(x.re, x.im)); }
static double degrees(response x) { return atan2(x.im, x.re) * 360 / two_pi; }

static void write_csv(const bode *b, FILE *out) {
  fprintf(out, "frequency,decade,re,im,dB,deg%s\n",
          b->about_orbit ? ",component.re,component.im,component.dB,component.deg" : "");
  for (int i = 0; i < b->nf; i++) {
    double x[] = { b->f[i], log10(b->f[i]), b->of[i].re, b->of[i].im, decibel(b->of[i]), degrees(b->of[i]),
                   b->component[i].re, b->component[i].im, decibel(b->component[i]), degrees(b->component[i]) };
    for (int k = 0; k < (b->about_orbit ? 10 : 6); k++) {
      if (k) fputc(',', out);
      if (isfinite(x[k])) analysis_number(out, x[k]);
    }
    fputc('\n', out);
  }
}

static void write_response(FILE *out, response x) {
  const char *name[] = { "\"re\": ", ", \"im\": ", ", \"dB\": ", ", \"deg\": " };
  double value[] = { x.re, x.im, decibel(x), degrees(x) };
  for (int i = 0; i < 4; i++) { fputs(name[i], out); analysis_number(out, value[i]); }
}

static void write_json(const bode *b, FILE *out) {
  fputs("{\n  \"input\": ", out);
  analysis_text(out, b->u);
  fputs(", \"output\": ", out);
  analysis_text(out, b->y);
  if (b->about_orbit) {
    fputs(", \"period\": ", out);
    analysis_number(out, b->period);
    fputs(", \"residual\": ", out);
    analysis_number(out, b->settled);
  }
  fputs(",\n  \"response\": [", out);
  for (int i = 0; i < b->nf; i++) {
    fputs(i ? ",\n    {\"frequency\": " : "\n    {\"frequency\": ", out);
    analysis_number(out, b->f[i]);
    fputs(", ", out);
    write_response(out, b->of[i]);
    if (b->about_orbit) {
      fputs(", \"component\": {", out);
      write_response(out, b->component[i]);
      fputc('}', out);
    }
    fputc('}', out);
  }
  fputs("\n  ]\n}\n", out);
}

nsm_code bode_report(const analysis *a, nsm_error *e) {
  bode b = { .a = a };
  nsm_sim *s = nsm_open(a->m, &a->o->run, e);
  if (!s) return e->code;
  nsm_code code = analysis_period(a, s, &b.period, e);
  nsm_close(s);
  b.about_orbit = !isnan(b.period);
  if (code == NSM_OK) code = read(&b, e);
  if (code == NSM_OK) code = b.about_orbit ? about_orbit(&b, e) : at_rest(&b, e);
  FILE *out = code == NSM_OK ? analysis_open(a, e) : NULL;
  if (code == NSM_OK && !out) code = NSM_FILE;
  if (out) {
    if (analysis_is_csv(a)) write_csv(&b, out);
    else write_json(&b, out);
    code = analysis_close(a, out, code, e);
  }
  free(b.f);
  free(b.of);
  free(b.component);
  return code;
}
