// A mode as a motion, for a page: from the equilibrium y_0 with the shape r, enlarged by a,
//
//     y(t) = y_0 + a Re(r e^(i w t)),    w = Im lambda
//
// for two periods; without decay, so that it can be seen again and again. A mode that does not oscillate is shown for
// three of its times 1/|lambda|, y_0 + a r e^(lambda t). Places move as the kinematics has it, q_0 moved by a Re(...),
// so attitudes stay attitudes. Constraints are met to the first order in a.
#include "rest.h"
#include "runtime/assembly/assembly.h"
#include "runtime/command/options.h"
#include "runtime/move.h"
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 96, PERIODS = 2, TIMES = 3 };
static const double two_pi = 6.283185307179586, turned = 0.3, part = 0.1;

typedef struct shown { rest w; int mode; double re, im, amplitude, length; } shown;

// Which mode, and how long it is shown: the second one of a pair is the first.
static nsm_code choose(shown *k, nsm_error *e) {
  const modes *m = &k->w.m;
  int mode = (int)k->w.a->f->number[NSM_FLAG_MODE];
  if (mode > m->n) {
    sim_fail(e, NSM_USAGE, "--mode %d: the model has %d; nsm analyse --modes lists them", mode, m->n);
    return NSM_USAGE;
  }
  k->mode = mode - 1 - (m->im[mode - 1] < 0);
  k->re = m->re[k->mode];
  k->im = m->im[k->mode];
  if (k->im == 0 && k->re == 0) {
    sim_fail(e, NSM_FAILED, "--mode %d: nothing holds the model there, it does not move by itself", mode);
    return NSM_FAILED;
  }
  k->length = k->im != 0 ? PERIODS * two_pi / k->im : TIMES / fabs(k->re);
  return NSM_OK;
}

// The coordinate that moves most has 1 in the shape: how far it is to move.
static double amplitude(const shown *k) {
  const field *f = &k->w.q.f;
  const double *shape = k->w.m.V + (size_t)k->mode * (size_t)(f->n - 1);
  double given = k->w.a->f->number[NSM_FLAG_AMPLITUDE], size = 0;
  char name[REST_NAME];
  if (!isnan(given)) return given;
  int most = 0;
  for (int j = 0; j < 2 * f->nv + f->nx; j++)
    if ((j < f->nv || j >= 2 * f->nv) && fabs(shape[j]) > fabs(shape[most])) most = j;
  field_name(f, most, name, sizeof name);
  int column = nsm_find_column(k->w.s, name);
  const char *unit = column < 0 ? "rad" : nsm_column_unit(k->w.s, column);
  if (most < f->nv && (strcmp(unit, "rad") == 0 || strcmp(unit, "1") == 0 || !*unit)) return turned;
  for (int i = 0; i < k->w.s->a->nown && most < f->nv; i++) size = fmax(size, fabs(f->q[i]));
  return size > 0 ? part * size : 1;
}

static void put(const shown *k, nsm_sim *s, int frame, double h, double *way) {
  const field *f = &k->w.q.f;
  size_t N = (size_t)(f->n - 1), nv = (size_t)f->nv;
  const double *re = k->w.m.V + (size_t)k->mode * N, *im = re + N;
  double t = frame * h, grows = k->im != 0 ? 1 : exp(k->re * t), c = cos(k->im * t) * grows, z = sin(k->im * t);
  double of[N + 1];
  for (size_t j = 0; j < N; j++) of[j] = k->amplitude * (c * re[j] - (k->im != 0 ? z * im[j] : 0));
  memcpy(way, of, nv * sizeof *way);
  memcpy(s->now.q, f->q, (size_t)s->a->nq * sizeof(double));
  for (int i = 0; i < s->a->nown; i++) s->now.q[i] += way[i];
  memcpy(s->w.qm, s->now.q, (size_t)s->a->nq * sizeof(double));
  sim_move_bodies(s, s->w.qm, way, s->now.q);
  for (int i = 0; i < f->nv; i++) s->now.z[i] = f->v[i] + of[f->nv + i];
  for (int i = 0; i < f->nx; i++) s->now.z[f->nv + i] = f->x[i] + of[2 * f->nv + i];
  s->now.t = s->a->start + t;
  s->now.count.steps = frame;
}

static nsm_code show(const shown *k, nsm_sim *s, const nsm_watch *watch, nsm_error *e) {
  int n = nsm_ncolumn(s), *column = calloc((size_t)n + 1, sizeof *column);
  double *row = calloc((size_t)n + NSM_ENERGIES + 1, sizeof *row), *way = calloc((size_t)s->a->nz + 1, sizeof *way);
  nsm_code code = column && row && way ? NSM_OK : sim_no_memory(e, "a mode");
  for (int i = 0; code == NSM_OK && i < n; i++) column[i] = i;
  if (code == NSM_OK) code = watch->start(watch->with, s, column, n, e);
  for (int frame = 0; frame <= FRAMES && code == NSM_OK; frame++) {
    put(k, s, frame, k->length / FRAMES, way);
    nsm_read(s, row);
    nsm_in_units(s, row);
    code = watch->row(watch->with, s, row, e);
  }
  watch->end(watch->with, s, code, code == NSM_OK ? NULL : e->text, 0);
  free(column);
  free(row);
  free(way);
  return code;
}

static void say(const shown *k, FILE *err) {
  double w = hypot(k->re, k->im);
  if (k->im != 0)
    fprintf(err, "mode %d: %.9g Hz, damping %.6g: shown without decay, enlarged by %.3g, for %d periods\n", k->mode + 1,
            w / two_pi, -k->re / w + 0.0, k->amplitude, PERIODS);
  else fprintf(err, "mode %d: %.9g 1/s: enlarged by %.3g\n", k->mode + 1, k->re, k->amplitude);
}

static nsm_code mode_motion(const analysis *a, nsm_error *e) {
  shown k = { .w = { .a = a } };
  nsm_code code = rest_open(&k.w, NULL, NULL, REST_MODES, e);
  if (code == NSM_OK) code = choose(&k, e);
  nsm_sim *s = NULL;
  if (code == NSM_OK) {
    k.amplitude = amplitude(&k);
    nsm_settings set = a->o->run;
    set.step = k.length / FRAMES;
    set.until = k.w.s->a->start + k.length;
    if (!(s = nsm_open(a->m, &set, e))) code = e->code;
  }
  if (code == NSM_OK) code = show(&k, s, a->host->watch, e);
  if (code == NSM_OK && !a->o->quiet) say(&k, a->host->err);
  nsm_close(s);
  rest_close(&k.w);
  return code;
}

int nsm_mode_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with) {
  nsm_options o;
  nsm_error e = { .code = NSM_OK };
  nsm_code code = nsm_options_read(m, f, &o, &e);
  analysis a = { m, f, &o, host, run, with };
  if (code == NSM_OK) code = mode_motion(&a, &e);
  if (code != NSM_OK && *e.text) nsm_host_say(host, m, &e, host->err);
  nsm_options_free(&o);
  return (int)code;
}
