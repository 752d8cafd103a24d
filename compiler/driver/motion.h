// The motion that `nsm run` and `nsm view` have: from the start of the model, from its periodic orbit, or a mode.
#pragma once
#include "../api/program.h"
#include "../../runtime/command/command.h"
#include "options.h"

// What the flags need of a compilation: derivatives; the equations at rest.
Options motion_options(const Options *o);
// The flags do not go together: 0 with the reason on standard error.
bool motion_fits(const Options *o);
// p with machine code; watch: NULL, or who looks at it in place of a file. The exit code; *not_reached: how many claims
// were about times that were not reached.
int motion_run(const Options *o, nsm_program *p, const nsm_watch *watch, FILE *err, int *not_reached);
