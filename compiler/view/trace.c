// Collecting a run for its page, through include/nsm.h alone: what a page shows any program could read.
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../base/fatal.h"
#include "thin.h"

static const char *copy(Arena *a, const char *text) { return arena_strndup(a, text, strlen(text)); }

// ---- start ----------------------------------------------------------------------------------------------------------
static void take_columns(Trace *t, nsm_sim *s, const int *column, int n) {
  int *number = ARENA_ARRAY(t->a, int, n + 1);
  t->column = ARENA_ARRAY(t->a, TraceColumn, n + 1);
  t->number = number;
  t->ncolumn = n;
  for (int i = 0; i < n; i++) {
    const char *name = copy(t->a, nsm_column_name(s, column[i]));
    nsm_meaning of = nsm_meaning_of(t->p, name);
    number[i] = column[i];
    t->column[i] = (TraceColumn){ .name = name, .unit = of.unit, .doc = of.doc,
                                    .output = !strchr(name, '.') && is_output(t->p, name) };
  }
}

static void take_contacts(Trace *t, nsm_sim *s) {
  int n = nsm_ncontact(s);
  t->ncontact = n < TRACE_CONTACTS ? n : TRACE_CONTACTS;
  t->contact = ARENA_ARRAY(t->a, const char *, t->ncontact + 1);
  t->state = ARENA_ARRAY(t->a, int, t->ncontact + 1);
  t->last_band = ARENA_ARRAY(t->a, int, t->ncontact + 1);
  for (int i = 0; i < t->ncontact; i++) {
    t->contact[i] = copy(t->a, nsm_contact_name(s, i));
    t->state[i] = t->last_band[i] = -1;
  }
}

static void take_bodies(Trace *t, nsm_sim *s) {
  t->nbody = nsm_nbody(s);
  t->body = ARENA_ARRAY(t->a, TraceBody, t->nbody + 1);
  for (int i = 0; i < t->nbody; i++) {
    TraceBody *b = &t->body[i];
    b->name = copy(t->a, nsm_body_name(s, i));
    b->moves = nsm_body_moves(s, i) != 0;
    b->npart = nsm_nbody_part(s, i);
    b->part = ARENA_ARRAY(t->a, nsm_part, b->npart + 1);
    for (int k = 0; k < b->npart; k++) b->part[k] = nsm_body_part(s, i, k);
    nsm_body_pose(s, i, b->pose);
    if (b->moves) t->picture_numbers += 12;
  }
}

static void take_drawings(Trace *t, nsm_sim *s) {
  t->ndrawing = nsm_ndrawing(t->p);
  t->drawing = ARENA_ARRAY(t->a, TraceDrawing, t->ndrawing + 1);
  for (int i = 0; i < t->ndrawing; i++) {
    TraceDrawing *d = &t->drawing[i];
    d->of = nsm_drawing_at(t->p, i);
    d->members = nsm_drawing_members(t->p, s, i);
    for (int k = 0; k < d->of.nargument; k++) d->numbers += d->of.argument[k];
    t->picture_numbers += d->members * d->numbers;
  }
}

static nsm_code start(void *with, nsm_sim *s, const int *column, int ncolumn, nsm_error *e) {
  Trace *t = with;
  nsm_energy energy;
  int known = nsm_get_energy(s, &energy);
  (void)e;
  t->ledger = known == 2;
  t->lacks_ledger = known == 1;
  if (t->again) return NSM_OK;
  take_columns(t, s, column, ncolumn);
  take_contacts(t, s);
  take_bodies(t, s);
  take_drawings(t, s);
  t->steps_total = nsm_steps_total(s);
  long pictures = t->picture_numbers ? TRACE_NUMBERS / t->picture_numbers : 0;
  if (t->picture_numbers && pictures < 60) pictures = 60;
  if (pictures > TRACE_POINTS) pictures = TRACE_POINTS;
  t->per_point = 1 + (t->steps_total - 1) / TRACE_POINTS;
  t->per_picture = pictures ? 1 + (t->steps_total - 1) / pictures : 0;
  int n = nsm_nparameter(t->p);
  t->parameter = ARENA_ARRAY(t->a, double, n + 1);
  for (int i = 0; i < n; i++) t->parameter[i] = nsm_get_parameter(s, nsm_parameter_at(t->p, i).name);
  t->began = true;
  return NSM_OK;
}

// ---- rows -----------------------------------------------------------------------------------------------------------
static float number(double x) { return (float)x; }

static void take_point(Trace *t, nsm_sim *s) {
  nsm_energy g = { 0 };
  if (t->ledger) nsm_get_energy(s, &g);
  TracePoint p = { .time = number(nsm_time(s)), .kinetic = number(g.kinetic), .potential = number(g.potential),
                   .forces = number(g.forces), .dampers = number(g.dampers), .contacts = number(g.contacts),
                   .friction = number(g.friction), .residue = t->residue, .residual = t->residual,
                   .newton = number((double)(t->count.newton_iterations - t->before.newton_iterations)),
                   .solver = number((double)(t->count.solver_iterations - t->before.solver_iterations)),
                   .steps = number((double)(t->count.steps - t->before.steps)) };
  vec_push(&t->point, p);
  t->before = t->count;
  t->residue = t->residual = 0;
}

static void take_marks(Trace *t, nsm_sim *s, const nsm_counters *now) {
  long impacts = now->impacts - t->count.impacts, events = now->events - t->count.events;
  if (impacts > 0 || events > 0) thin_mark(t, (TraceMark){ number(nsm_time(s)), (int)impacts, (int)events });
  for (int i = 0; i < t->ncontact; i++) {
    int state = (int)nsm_contact_state_at(s, i);
    if (state == t->state[i]) continue;
    t->state[i] = state;
    thin_band(t, (TraceBand){ i, number(nsm_time(s)), state });
  }
}

static void take_picture(Trace *t, nsm_sim *s) {
  double pose[12];
  for (int i = 0; i < t->nbody; i++) {
    if (!t->body[i].moves) continue;
    nsm_body_pose(s, i, pose);
    for (int k = 0; k < 12; k++) vec_push(&t->picture, number(pose[k]));
  }
  for (int i = 0; i < t->ndrawing; i++) {
    const TraceDrawing *d = &t->drawing[i];
    int n = d->members * d->numbers;
    double *value = memory_for(((size_t)n + 1) * sizeof *value);
    nsm_read_drawing(t->p, s, i, value);
    for (int k = 0; k < n; k++) vec_push(&t->picture, number(value[k]));
    free(value);
  }
  nsm_touch_point c;
  int touches = 0;
  for (; nsm_touch_point_at(s, touches, &c); touches++) {
    for (int k = 0; k < 3; k++) vec_push(&t->touch, number(c.at[k]));
    for (int k = 0; k < 3; k++) vec_push(&t->touch, number(c.impulse[k]));
  }
  vec_push(&t->touches, touches);
  vec_push(&t->picture_time, nsm_time(s));
  thin_pictures(t);
}

static nsm_code row(void *with, nsm_sim *s, const double *values, nsm_error *e) {
  Trace *t = with;
  (void)e;
  nsm_counters now;
  nsm_get_counters(s, &now);
  if (!t->again) {
    for (int i = 0; i < t->ncolumn; i++) vec_push(&t->column[i].value, values[t->number[i]]);
    take_marks(t, s, &now);
  }
  long before = t->count.steps, last = now.steps == t->steps_total;
  t->count = now;
  t->residual = fmaxf(t->residual, number(nsm_take_residual(s)));
  if (t->ledger) {
    double residue = nsm_read_column(s, nsm_ncolumn(s) + NSM_ENERGIES - 1);
    if (fabs(residue) > fabs((double)t->residue)) t->residue = number(residue);
  }
  bool first = t->point.n == 0;
  if (first || last || now.steps / t->per_point > before / t->per_point) take_point(t, s);
  if (t->again) return NSM_OK;
  if (t->per_picture && (first || last || now.steps / t->per_picture > before / t->per_picture)) take_picture(t, s);
  t->rows++;
  return NSM_OK;
}

// ---- end ------------------------------------------------------------------------------------------------------------
static void claim(void *with, int i, nsm_outcome how) {
  Trace *t = with;
  if (i >= t->nclaim || t->again) return;
  t->claim[i] = how;
  t->claims_known = true;
}

static void end(void *with, nsm_sim *s, nsm_code code, const char *message, double seconds) {
  Trace *t = with;
  nsm_get_energy(s, &t->energy);
  bool behind = t->point.n && t->point.at[t->point.n - 1].time < number(nsm_time(s));
  if (behind && t->count.steps > t->before.steps) take_point(t, s);      // events make more steps than were planned
  if (t->again) { t->count = t->counted; return; }
  nsm_get_counters(s, &t->count);
  t->time = nsm_time(s);
  if (t->picture_time.n && t->picture_time.at[t->picture_time.n - 1] < t->time) take_picture(t, s);
  t->code = code;
  t->message = message ? copy(t->a, message) : "";
  t->seconds = seconds;
}

void trace_open(Trace *t, Arena *a, const nsm_program *p, nsm_watch *watch) {
  *t = (Trace){ .p = p, .a = a, .message = "" };
  t->nclaim = p->c->model->nexpect;
  t->claim = ARENA_ARRAY(a, nsm_outcome, t->nclaim + 1);
  *watch = (nsm_watch){ t, 0, start, row, claim, end };
}

void trace_again(Trace *t, nsm_watch *watch) {
  t->again = true;
  t->counted = t->count;
  t->count = t->before = (nsm_counters){ 0 };
  t->residue = t->residual = 0;
  t->point.n = 0;
  watch->ledger = 1;
}

void trace_close(Trace *t) {
  for (int i = 0; i < t->ncolumn; i++) {
    vec_free(&t->column[i].value);
    vec_free(&t->column[i].kept_time);
    vec_free(&t->column[i].kept_value);
  }
  vec_free(&t->point);
  vec_free(&t->mark);
  vec_free(&t->band);
  vec_free(&t->picture);
  vec_free(&t->touch);
  vec_free(&t->touches);
  vec_free(&t->picture_time);
}
