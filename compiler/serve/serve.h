// nsm serve --stdio: models and runs for other programs, by lines of JSON (docs/serve.md).
#pragma once
#include <stdio.h>

// Answers each line of `in` with one line on `out`, until `in` ends or `out` is closed. Returns the exit code.
int serve_lines(FILE *in, FILE *out);
