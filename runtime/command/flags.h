// The flags of a command line, read by one table (flags.def) for `nsm` and for the simulators that it builds: spelling,
// value, range, and which command takes which. What a value means is said where it is used (options.c,
// compiler/driver/). Text points into argv; nsm_flags_free releases the lists.
#pragma once
#include "runtime/nsm_run.h"

// SIMULATOR: a program made by `nsm build`; its argv[0] stands where the command stands else.
typedef enum {
  NSM_FOR_RUN, NSM_FOR_VIEW, NSM_FOR_PLOT, NSM_FOR_TEST, NSM_FOR_SIMULATOR, NSM_FOR_CHECK, NSM_FOR_DERIVE, NSM_FOR_EMIT,
  NSM_FOR_BUILD, NSM_FOR_IMPORT, NSM_FOR_DOCTOR, NSM_FOR_FMT, NSM_FOR_SOLVE, NSM_FOR_SWEEP, NSM_FOR_SENS, NSM_FOR_FIT,
  NSM_FOR_ANALYSE, NSM_FOR_COMPARE, NSM_FOR_NEW, NSM_FOR_PLAYGROUND,
  NSM_FOR_EXPLAIN, NSM_FOR_LSP, NSM_FOR_SERVE, NSM_FOR_COMPLETION, NSM_FOR_MAN, NSM_FOR_HELP, NSM_FOR_VERSION
} nsm_command;

typedef enum {
#define FLAG(id, name, other, kind, range, argument, commands, help) NSM_FLAG_##id,
#include "flags.def"
#undef FLAG
  NSM_FLAGS
} nsm_flag_id;

// A flag that may be given several times.
typedef struct nsm_listed { nsm_flag_id flag; const char *text; } nsm_listed;

typedef struct nsm_flags {
  nsm_command  command;
  const char  *text[NSM_FLAGS];         // the value as given, "" of a switch; NULL where the flag was not given
  double       number[NSM_FLAGS];       // of times and numbers; NaN where not given
  char         scheme[32];              // the name in --scheme; its theta and gamma are in `number`
  const char **set; int nset;           // the values of --set, in order
  nsm_listed  *list; int nlist;         // those of kind LIST, in order
  const char **file; int nfile;         // what is no flag, in order
} nsm_flags;

// argv[0] is skipped; `--` ends the flags. NSM_OK, or NSM_USAGE with the reason in e.
nsm_code nsm_flags_read(nsm_command command, int argc, char **argv, nsm_flags *f, nsm_error *e);
void     nsm_flags_free(nsm_flags *f);
// A scheme with its arguments, "moreau(theta = 0.5)", as the only flag; NULL: none. Nothing of f is to be freed.
nsm_code nsm_flags_scheme(const char *text, nsm_flags *f, nsm_error *e);
// The next name of a list "a, b[1,2], max(c)" into name, without the blanks around it; *list goes behind it. 1; 0 at
// the end; -1 where it is longer than room. An empty name is "".
int      nsm_next_name(const char **list, char *name, size_t room);
int      nsm_selects(const char *what, const char *name);  // --record what: this column? (command.c)
// The table: does the command take flag i, how is it called, ...; argument, choices: "" where there are none.
int         nsm_flag_taken(nsm_command command, int i);
const char *nsm_flag_name(int i), *nsm_flag_argument(int i), *nsm_flag_help(int i);
const char *nsm_flag_choices(int i);                       // "tcc|cc"
void     nsm_flags_help(nsm_command command, FILE *f);     // one line for each flag that the command takes
