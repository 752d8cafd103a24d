// `nsm sens`.
#pragma once
#include "answers.h"
#include "runtime/command/command.h"

int nsm_sens_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);
