// Files that a command writes: none of them may be one that it reads, or one that it writes under another name. Files
// are told apart by what they are, not by their names: links, relative paths and /dev/stdin are followed.
#pragma once
#include "runtime/nsm_run.h"
#include <stdio.h>

// flag: what named it, for messages. path: "-" is standard output.
typedef struct nsm_output { const char *flag, *path; } nsm_output;

// input: paths of files that were read, "-" is standard input. NSM_OK, or NSM_USAGE with the reason in e. Only ordinary
// files, and files that do not exist yet, can be the same: terminals, pipes and /dev/null have nothing to lose.
nsm_code nsm_outputs_check(const char *const *input, int ninput, const nsm_output *output, int noutput, nsm_error *e);

// The same of a command with these flags: what -o, --residuals, --page, --write name, and the files that the model, its
// inputs and data are read from.
struct nsm_flags;
nsm_code nsm_outputs_check_flags(const char *const *input, int ninput, const struct nsm_flags *f,
                                 const nsm_input *signal, int nsignal, nsm_error *e);

// The same for a folder that files MODEL-....json are written to.
nsm_code nsm_outputs_check_folder(const char *folder, const char *model, const char *const *input, int ninput,
                                  const nsm_output *output, int noutput, nsm_error *e);
// The file at path for writing, empty, or as it is (keep: also for reading). While it is open no other run opens it so.
// NULL: with the reason.
FILE *nsm_output_open(const char *path, int keep, nsm_error *e);
// Does another run write that file? With the reason. For files that a library opens, and locks as well.
int nsm_output_taken(const char *path, nsm_error *e);
// NSM_USAGE where the name of a file of columns ends as files of another format do.
nsm_code nsm_outputs_check_table(const char *path, nsm_error *e);

// Standard input, output and error are open: one that the caller closed would be given to the next file that is opened.
// Reading or writing such a one fails. A write beyond the limit on the size of files fails and kills nobody. To be
// called first.
void nsm_guard_streams(void);
