// Parts of `nsm build`.
#pragma once
#include "../jit/cc.h"
#include "commands.h"

int build_status(CcStatus status, const char *why);        // the exit code; a message where it is another than 0
int build_fmu(const Options *o, Compilation *c, CcFolder f, const char *output);           // build_fmu.c
