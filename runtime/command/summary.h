// How a run went: lines for a person, JSON for a program.
#pragma once
#include "runtime/nsm_run.h"
#include <stdio.h>

typedef struct nsm_summary {
  const char  *status;                                     // "ok", "failed", "interrupted", "claim failed"
  const char  *message;                                    // what failed, or NULL
  int          held, failed, not_reached;                  // claims; all 0 where none was checked
  double       wall_s, compile_s, step_ns;                 // step_ns < 0: not measured
  nsm_counters count;
  long         total;                                      // steps planned
  double       began_J, ended_J;                           // energies; NAN where the model has none
} nsm_summary;
void nsm_summary_lines(nsm_sim *s, const nsm_summary *m, FILE *f);
// W0850, W0851, W0853, W0854; also where it is quiet.
void nsm_summary_warnings(const nsm_sim *s, const nsm_summary *m, FILE *f);
int  nsm_summary_json(nsm_sim *s, const nsm_summary *m, FILE *f);   // 0 where the file did not take it
