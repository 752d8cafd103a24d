// A run and its derivatives: forwards by tangents, or backwards by the adjoint.
#include "aligned.h"
#include "take.h"
#include <stdlib.h>
#include <string.h>

static nsm_code begin_to_play(taking *k, nsm_error *e) {
  const answers *a = k->a;
  player *p = k->p;
  char why[300];
  for (int i = 0; i < a->nof; i++)
    if (a->of[i].column >= 0 && play_column_refused(p, a->of[i].column, why, sizeof why)) {
      sim_fail(e, NSM_USAGE, "E0773: --of %s: %s", a->of[i].name, why);
      return NSM_USAGE;
    }
  if (!play_start(p, a->by, p->np > 0 ? a->nby : 0, e)) return e ? e->code : NSM_FAILED;
  take_start(p, k);
  p->row = take_row;
  p->rows_count = a->rows != NULL;
  for (int i = 0; i < a->nof; i++)
    p->rows_count |= a->of[i].kind == NSM_STAT_MIN || a->of[i].kind == NSM_STAT_MAX || a->of[i].kind == NSM_STAT_MEAN;
  p->stop = take_stop;
  p->event = take_event;
  for (int i = 0; i < a->nof; i++) if (a->of[i].kind == NSM_STAT_MEAN && !a->by_rows) p->jump = take_jump;
  p->to = k;
  k->done = -INFINITY;
  return NSM_OK;
}

static void tell_places(answers *a, const nsm_sim *s, const player *p) {
  a->captured = p->captured;
  a->weak = p->weak;
  a->grazing = p->grazing;
  a->joint = p->joint;
  a->unique = p->unique;
  a->held = p->helds;
  a->held_at = p->held_at;
  a->grazed = p->grazed;
  if (p->grazing > 0) sim_row_name(s, p->grazer, a->grazer, sizeof a->grazer);
}

static nsm_code look_at_numbers(const answers *a, nsm_error *e) {
  for (int i = 0; i < a->nof; i++)
    for (int j = 0; j < a->nby; j++) {
      double d = a->d[(size_t)i * (size_t)a->nby + (size_t)j];
      if (isfinite(d)) continue;
      sim_fail(e, NSM_FAILED, "E0774: the derivative of %s by %s is not finite", a->of[i].name,
               a->text ? a->text[j] : "a state");
      return NSM_FAILED;
    }
  return NSM_OK;
}

static nsm_code differentiate(answers *a, nsm_sim *s, tape *t, nsm_sim *begin, int derivatives, nsm_error *e) {
  play_kernels run = { a->run, a->with };
  int pays = a->nby >= 8 + 8 * a->nof;                     // measured: docs/measurements.md
  int back = derivatives && (a->back || (pays && a->room > 0)) && !a->phases && !a->rows;
  player *p = player_open(begin, t, &run, derivatives && !back ? a->nby : 0, derivatives && a->phases, e);
  taking k = { a, s, t, p, .before = calloc(((size_t)a->nof + 1) * (size_t)(a->nby + 1), sizeof(double)),
               .edge = calloc((size_t)a->nof + 1, sizeof(double)), .jump = calloc((size_t)a->nof + 1, sizeof(double)),
               .stood = calloc((size_t)a->nof + 1, sizeof(double)), .stood_at = NAN,
               .chosen = calloc((size_t)a->nof + 1, sizeof(long)), .seen = calloc((size_t)a->nof + 1, sizeof(long)),
               .until = -1 };
  nsm_code code = p && k.before && k.edge && k.jump && k.stood && k.chosen && k.seen ? begin_to_play(&k, e) : NSM_FILE;
  if (code == NSM_OK && back) code = adjoint_open(&k, a->with, a->room, e);
  if (code == NSM_OK) code = a->phases ? aligned_record(a->phases, s, t, take_play_on, &k, e) : take_record(&k, e);
  if (code == NSM_OK) code = take_end(p, &k, e);
  if (code == NSM_OK) tell_places(a, begin, p);
  if (code == NSM_OK && back) code = adjoint_back(&k, e);
  if (code == NSM_OK && derivatives) code = look_at_numbers(a, e);
  adjoint_close(k.back);
  free(k.before);
  free(k.edge);
  free(k.jump);
  free(k.stood);
  free(k.chosen);
  free(k.seen);
  player_close(p);
  return code;
}

static nsm_code set_start(const answers *a, nsm_sim *s, const double *start, nsm_error *e) {
  nsm_code code = NSM_OK;
  for (int j = 0; start && j < a->nby && code == NSM_OK; j++)
    if (a->by[j].column >= 0) {
      double value = nsm_read_column(s, a->by[j].column) + start[j];
      code = nsm_write_column(s, a->by[j].column, value, e);
    }
  return code;
}

nsm_code answers_take(answers *a, const nsm_settings *set, const double *start, int derivatives, nsm_error *e) {
  nsm_settings own = *set;
  own.step_by_step = 1;
  if (!a->value) {
    a->value = calloc((size_t)a->nof + 1, sizeof(double));
    a->d = calloc((size_t)a->nof * (size_t)a->nby + 1, sizeof(double));
    if (!a->value || !a->d) return sim_no_memory(e, "derivatives");
  }
  memset(a->value, 0, (size_t)a->nof * sizeof(double));
  memset(a->d, 0, (size_t)a->nof * (size_t)a->nby * sizeof(double));
  nsm_sim *s = nsm_open(a->m, &own, e), *begin = s ? nsm_open(a->m, &own, e) : NULL;
  tape *t = NULL;
  if (begin && s->located) s->located->flies_on = a->note || a->phases;     // an accumulation has no step of its own
  nsm_code code = begin ? set_start(a, s, start, e) : e ? e->code : NSM_FAILED;
  if (code == NSM_OK) code = set_start(a, begin, start, e);
  if (code == NSM_OK) code = (t = tape_open(s, ((const dual_with *)a->with)->jumps, e)) ? NSM_OK : NSM_FILE;
  if (code == NSM_OK && *t->refused) code = tape_refused(t, e);
  a->sequence = a->steps = 0;
  a->events = a->pieces = a->jumps = 0;
  a->on_step = NAN;
  if (code == NSM_OK) code = differentiate(a, s, t, begin, derivatives, e);
  tape_close(t);
  nsm_close(begin);
  nsm_close(s);
  return code;
}
