// The commands, one function each; the return value is the exit code.
#pragma once
#include "options.h"
#include "../../runtime/command/command.h"
#include "../api/program.h"

enum {
  EXIT_OK = 0,
  EXIT_MODEL = 1,
  EXIT_USAGE = 2,
  EXIT_SIMULATION = 3,
  EXIT_FILE = 4,
  EXIT_CLAIM = 5,
  EXIT_COMPILER = 125,
  EXIT_INTERRUPTED = 130,
  EXIT_PIPE = 141
};

#define COMMAND(id, name, run, least, most, files, what, story) int run(const Options *o);
#include "commands.def"
#undef COMMAND

typedef struct Command {
  nsm_command id;
  const char *name;
  int (*run)(const Options *o);
  int least, most;               // how many files it takes
  const char *files, *what, *story;
} Command;

enum { COMMANDS = 0
#define COMMAND(id, name, run, least, most, files, what, story) + 1
#include "commands.def"
#undef COMMAND
};
extern const Command commands[COMMANDS];                  // help.c
const Command *command_named(const char *name);           // NULL: there is none
void say_no_command(const char *name);                      // with the one that is meant, on stderr
void print_commands(FILE *f);
void print_command(const Command *c, FILE *f);

// Shared: compile one file up to `last`; *code is the exit code when it fails. Diagnostics are printed.
Compilation *compile_file(const Options *o, const char *path, PipelineStage last, FILE *dump, int *code);
// A compilation as a program with machine code, NULL: *code says why; one run of it, as the flags say, the exit code.
// watch: NULL, or who looks at it in place of a file; begin: NULL, or where it begins (runtime/command/command.h).
nsm_program *load_program(const Options *o, Compilation *c, int *code);
int command_plain_run(const Options *o);                 // run.c: rows without derivatives
int run_program(const Options *o, nsm_program *p, const nsm_watch *watch, const nsm_beginning *begin, FILE *err,
                int *not_reached);
nsm_flags left_to_the_run(Arena *a, const Options *o);     // without what was written into the model
int exit_code_of(const Compilation *c, bool good);
bool explain_part(const char *name, bool more);           // explain_part.c; more: there is something above it
int write_text(const Text *t, FILE *f, const char *what); // EXIT_OK, EXIT_PIPE, or EXIT_FILE with a message
int write_file(const Text *t, const char *path);          // the same to a file, "-": stdout
const char **compilation_inputs(const Compilation *c, int *n);   // paths of the files that were read
// EXIT_USAGE with a message where `path` is one of them.
int output_refused(const nsm_error *e);                   // of nsm_outputs_check, said; the exit code
int check_output(const Compilation *c, const char *path);
