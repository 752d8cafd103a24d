// `nsm sens`.
#pragma once
#include "answers.h"
#include "runtime/command/command.h"

int nsm_sens_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);
// `nsm run --sens` (run_sens.c): rows of a run with derivatives of its columns.
int nsm_run_sens_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);
