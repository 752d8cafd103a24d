// Points of a Poincaré map: where a run returns to a section.
#pragma once
#include "analyse.h"

typedef enum { SECTION_PERIOD, SECTION_HIT, SECTION_CROSS } section_kind;

// A section, and a run that returns to it.
typedef struct section {
  section_kind kind;
  char    name[256];                    // of the contact
  int     column, up, down;             // of what crosses; which ways count
  double  value, scale;                 // SI
  double  period;
  long    steps;                        // of a period
  int    *shown; int nshown;            // columns that are written
  // the run
  nsm_sim *s;
  nsm_settings set;
  double  before;                       // value of what crosses, less that of the section
  double  near;                         // behind a crossing: what is no more than rounding of it
  int     hit;
  void   *kept; size_t room;            // the state before the step at hand; the row before an impact
} section;

// What --section says, with the columns of --outputs or all states; s: for its names. NSM_USAGE with the reason.
nsm_code section_read(section *w, const analysis *a, nsm_sim *s, nsm_error *e);
// A run from the start with these settings; set is copied.
nsm_code section_start(section *w, const analysis *a, const nsm_settings *set, nsm_error *e);
// The next point is the state of w->s now. NSM_STOPPED: the run has ended.
nsm_code section_next(section *w, nsm_error *e);
void     section_stop(section *w);
void     section_free(section *w);
void     section_head(const section *w, FILE *out);         // ",x,x'"
void     section_row(const section *w, FILE *out);          // ",1,2"
