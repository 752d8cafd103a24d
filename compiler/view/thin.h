// What a page leaves out so that it stays small: marks, bands and pictures while the run goes on, as often as their
// lists are full; rows of columns at its end. Nothing here depends on the clock, so that two runs leave out the same.
#pragma once
#include "trace.h"

// A mark, a change of a band: a new entry, or a part of one that stands close before it.
void thin_mark(Trace *t, TraceMark mark);
void thin_band(Trace *t, TraceBand band);
// Every second picture, where they are too many.
void thin_pictures(Trace *t);
// Of each column that changes, its smallest and its largest value within each of so many equal parts of the rows, one
// that is no number, and the first and the last row, with their times. False: there are no more rows than that.
bool thin_columns(Trace *t, size_t parts);
void thin_answer(Trace *t);             // columns of an answer (page.h), to four million numbers
bool column_is_constant(const TraceColumn *c);  // does one number, finite, stand for all rows? Such a one stays
