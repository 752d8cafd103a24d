// Runs whose steps are aligned to events: each phase between two of them, or times that were asked for, is taken in
// equal steps, their number kept. Errors are then smooth in the length of steps, and are extrapolated.
// docs/answers.md, 2.1
#pragma once
#include "answers.h"

// What ends a phase: by itself, or at a known time.
typedef struct aligned_stop { double t; int known; long parts; } aligned_stop;
// stop[n] of a run on the clock's times; then a run at each level takes parts 2^level.
struct aligned { aligned_stop *stop; long n, room; int level, captured; long missed; };

void     aligned_note(struct aligned *w, const nsm_sim *s, const tape *t);       // what ends pieces on the tape
int      aligned_phases(struct aligned *w, const nsm_sim *s);                    // all that is noted; 0: no memory
// From the start to the end; `played` is called after each phase. NSM_FAILED: events do not come in equal steps.
typedef nsm_code aligned_played(void *with, int last, nsm_error *e);
nsm_code aligned_record(struct aligned *w, nsm_sim *s, tape *t, aligned_played *played, void *with, nsm_error *e);

// refine.c: `levels` runs of a, each with twice the steps; a->value and a->d are extrapolated, error [nof, nby] is what
// the last level has changed in d.
nsm_code aligned_refine(answers *a, const nsm_settings *set, const double *start, int levels,
                        double *error, nsm_error *e);
