// The flags of a simulation, read from a command line. Text points into argv; what is allocated is released by
// nsm_options_free.
#pragma once
#include "nsm_run.h"

typedef struct nsm_options {
  nsm_settings    run;
  nsm_assignment *set;
  char          **names;                // of the assignments
  const char     *output, *record, *summary;
  long            every, bench;         // bench: 0 none
  int             expect, quiet, help;
} nsm_options;

// NSM_OK, or NSM_USAGE with the reason in e.
nsm_code nsm_options_read(const nsm_model *m, int argc, char **argv, nsm_options *o, nsm_error *e);
void     nsm_options_free(nsm_options *o);
void     nsm_options_help(const nsm_model *m, FILE *f);
