// What the flags of a simulation mean. Text points into the flags; what is allocated is released by nsm_options_free.
#pragma once
#include "flags.h"

typedef struct nsm_options {
  nsm_settings    run;
  nsm_assignment *set;
  char          **names;                // of the assignments
  nsm_input      *input;                // with texts of their own: run.ninput
  double         *held;                 // [ninput] of those that are numbers
  const char     *output, *record, *summary, *contacts, *events;
  long            every, bench;         // bench: 0 none
  int             expect, quiet;
  char            note[256];            // what a value of --set was taken for, where that may surprise; "" else
} nsm_options;

// NSM_OK, or NSM_USAGE with the reason in e.
nsm_code nsm_options_read(const nsm_model *m, const nsm_flags *f, nsm_options *o, nsm_error *e);
// What the arguments of the scheme, and the flags that mean them, say of a run.
void     nsm_options_scheme(const nsm_flags *f, nsm_settings *to);
void     nsm_options_free(nsm_options *o);
void     nsm_options_help(const nsm_model *m, FILE *f);    // of a built simulator
