// The system's C compiler: $CC with its arguments, or cc. Run without a shell, in a private temporary folder.
#pragma once
#include <stdbool.h>
#include "../base/arena.h"

typedef struct CcFolder { const char *path; } CcFolder;

// A new folder in $TMPDIR or /tmp. NULL path: it could not be made, and *why says so and what to do.
CcFolder cc_folder(Arena *a, const char **why);
void cc_folder_remove(CcFolder f);                       // with all that is in it
const char *cc_path(Arena *a, CcFolder f, const char *name);
bool cc_write(Arena *a, CcFolder f, const char *name, const char *text, const char **why);

// CC_SYSTEM: there is no such compiler, it was killed, or it does not even compile an empty file; CC_INTERRUPTED: by
// Ctrl-C; CC_REFUSED: it works, and does not take this text. *why says what it said and what to do.
typedef enum { CC_OK, CC_SYSTEM, CC_INTERRUPTED, CC_REFUSED } CcStatus;
// Runs the compiler with the arguments (NULL at the end) and then those of `last`, words separated by blanks. The files
// of the folder that it reads are called model.c and main.c; `result` is the one that it must make.
CcStatus cc_run(Arena *a, CcFolder f, const char *const *arguments, const char *last, const char *result,
                const char **why);
