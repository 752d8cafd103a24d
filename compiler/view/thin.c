// Thinning what a page holds.
#include "thin.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../base/fatal.h"

// Twice the span at least, and such that `most` of them fill `all` of the time; false where that is one instant.
static bool widen(float all, float most, float *span) {
  *span = fmaxf(2**span, 2*all/most);
  return all > 0;
}

// ---- marks: those within `mark_span` of the one before are counted with it ------------------------------------------
static void merge_mark(Trace *t, TraceMark m) {
  TraceMark *last = t->mark.n ? &vec_last(&t->mark) : NULL;
  if (last && m.time - last->time < t->mark_span) {
    last->impacts += m.impacts;
    last->events += m.events;
  } else vec_push(&t->mark, m);
}

void thin_mark(Trace *t, TraceMark m) {
  while (!t->full && t->mark.n >= TRACE_MARKS) {
    bool more = widen(m.time - t->mark.at[0].time, TRACE_MARKS, &t->mark_span);
    size_t n = t->mark.n;
    t->mark.n = 0;
    for (size_t i = 0; i < n; i++) merge_mark(t, t->mark.at[i]);     // never writes beyond what it has read
    if (!more) break;
  }
  merge_mark(t, m);
}

// ---- bands: of changes of one contact within `band_span` the last one counts ----------------------------------------
// last: for each contact where its last change stands, -1 for none.
static void merge_band(Trace *t, TraceBand b) {
  int *last = &t->last_band[b.contact];
  if (*last >= 0 && b.time - t->band.at[*last].time < t->band_span) { t->band.at[*last].state = b.state; return; }
  *last = (int)t->band.n;
  vec_push(&t->band, b);
}

void thin_band(Trace *t, TraceBand b) {
  while (!t->full && t->band.n >= TRACE_BANDS) {
    bool more = widen(b.time - t->band.at[0].time, TRACE_BANDS, &t->band_span);
    size_t n = t->band.n;
    t->band.n = 0;
    for (int i = 0; i < t->ncontact; i++) t->last_band[i] = -1;
    for (size_t i = 0; i < n; i++) merge_band(t, t->band.at[i]);
    if (!more) break;
  }
  merge_band(t, b);
}

// ---- pictures -------------------------------------------------------------------------------------------------------
void thin_pictures(Trace *t) {
  enum { FEWEST = 8, TOUCH = 6 };
  while (!t->full && t->picture_time.n >= FEWEST && t->picture.n + t->touch.n > 3*TRACE_NUMBERS) {
    size_t kept = 0, read = 0, written = 0, numbers = (size_t)t->picture_numbers;
    for (size_t i = 0; i < t->picture_time.n; i++) {
      size_t n = TOUCH*(size_t)t->touches.at[i];
      if (i % 2 == 0) {
        memmove(t->picture.at + kept*numbers, t->picture.at + i*numbers, numbers*sizeof *t->picture.at);
        memmove(t->touch.at + written, t->touch.at + read, n*sizeof *t->touch.at);
        t->touches.at[kept] = t->touches.at[i];
        t->picture_time.at[kept++] = t->picture_time.at[i];
        written += n;
      }
      read += n;
    }
    t->picture.n = kept*numbers;
    t->touch.n = written;
    t->touches.n = t->picture_time.n = kept;
    t->per_picture *= 2;
  }
}

// ---- columns --------------------------------------------------------------------------------------------------------
// Rows from..to: the smallest and the largest value, one that is no number, and `also`, in the order of time.
static void keep_part(TraceColumn *c, const double *time, size_t from, size_t to, size_t also) {
  size_t least = to, most = to, none = to;
  for (size_t i = from; i < to; i++) {
    double x = c->value.at[i];
    if (isnan(x)) { if (none == to) none = i; continue; }
    if (least == to || x < c->value.at[least]) least = i;
    if (most == to || x > c->value.at[most]) most = i;
  }
  size_t row[4] = { least, most, none, also };
  for (int i = 1; i < 4; i++)
    for (int j = i; j > 0 && row[j] < row[j - 1]; j--) { size_t x = row[j]; row[j] = row[j - 1]; row[j - 1] = x; }
  for (int i = 0; i < 4; i++) {
    if (row[i] >= to || (i > 0 && row[i] == row[i - 1])) continue;
    vec_push(&c->kept_time, time[row[i]]);
    vec_push(&c->kept_value, c->value.at[row[i]]);
  }
}

static void thin_column(TraceColumn *c, const double *time, size_t parts) {
  size_t n = c->value.n;
  c->kept_time.n = c->kept_value.n = 0;
  for (size_t i = 0; i < parts; i++)
    keep_part(c, time, i*n/parts, (i + 1)*n/parts, i == 0 ? 0 : i + 1 == parts ? n - 1 : n);
}

bool column_is_constant(const TraceColumn *c) {
  bool same = c->value.n > 0 && isfinite(c->value.at[0]);
  for (size_t k = 1; k < c->value.n && same; k++) same = !memcmp(&c->value.at[k], c->value.at, sizeof(double));
  return same;
}

bool thin_columns(Trace *t, size_t parts) {
  const TraceColumn *time = NULL;
  for (int i = 0; i < t->ncolumn; i++) if (!strcmp(t->column[i].name, "time")) time = &t->column[i];
  if (!time || 2*parts >= (size_t)t->rows) return false;
  for (int i = 0; i < t->ncolumn; i++)
    if (!column_is_constant(&t->column[i])) thin_column(&t->column[i], time->value.at, parts);
  t->kept = (long)(2*parts);
  return true;
}

void thin_answer(Trace *t) {
  enum { ANSWER = 4000000, OF_A_PART = 4 };                // two numbers and their times
  size_t n = 0;
  for (int i = 0; i < t->ncolumn; i++) n += !column_is_constant(&t->column[i]);
  if (!t->full && t->began && n*(size_t)t->rows > ANSWER) thin_columns(t, ANSWER/OF_A_PART/n);
}
