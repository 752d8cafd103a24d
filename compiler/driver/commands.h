// The commands, one function each; the return value is the exit code.
#pragma once
#include "options.h"
#include "pipeline.h"

enum {
  EXIT_OK = 0,
  EXIT_MODEL = 1,
  EXIT_USAGE = 2,
  EXIT_SIMULATION = 3,
  EXIT_FILE = 4,
  EXIT_CLAIM = 5,
  EXIT_COMPILER = 125
};

int command_run(const Options *o);
int command_check(const Options *o);
int command_derive(const Options *o);
int command_emit(const Options *o);
int command_build(const Options *o);      // build.c
int command_fmt(const Options *o);
int command_test(const Options *o);
int command_solve(const Options *o);      // solve.c
int command_explain(const Options *o);

// Shared: compile one file up to `last`; *code is the exit code when it fails. Diagnostics are printed.
Compilation *compile_file(const Options *o, const char *path, PipelineStage last, FILE *dump, int *code);
int write_text(const Text *t, FILE *f, const char *what); // EXIT_OK or EXIT_FILE with a message
