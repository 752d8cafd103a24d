// nsm: the table of contents. Each command is one call.
#include <string.h>
#include "commands.h"

static const struct { const char *name; int (*run)(const Options *); bool needs_file, several;
} table[] = { { "run", command_run, true, false },       { "check", command_check, true, true },
              { "derive", command_derive, true, false }, { "emit", command_emit, true, false },
              { "build", command_build, true, false },   { "fmt", command_fmt, true, true },
              { "test", command_test, true, true },      { "solve", command_solve, true, false },
              { "explain", command_explain, true, true } };

// Text on stdout that could not be written is file trouble, like any other output.
static int said(void) {
  if (fflush(stdout) == 0) return EXIT_OK;
  perror("error: standard output");
  return EXIT_FILE;
}

static int command(const Options *o) {
  const char *near;
  if (o->scheme && !scheme_known(o->scheme, &near)) {
    fprintf(stderr, "error: --scheme %s: there is no such scheme%s%s%s\n", o->scheme, near ? "; did you mean " : "",
            near ? near : "", near ? "?" : "");
    return EXIT_USAGE;
  }
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(o->command, table[i].name)) continue;
    if (o->help && strcmp(o->command, "run")) { options_usage(stdout); return said(); }
    if (table[i].needs_file && o->nfile == 0 && !o->help) {
      fprintf(stderr, "error: nsm %s needs a %s\n", o->command,
              strcmp(o->command, "explain") ? "file" : "code, e.g. E0420");
      return EXIT_USAGE;
    }
    if (o->nfile > 1 && !table[i].several) {
      fprintf(stderr, "error: nsm %s takes one file, and '%s' is another\n", o->command, o->file[1]);
      return EXIT_USAGE;
    }
    int code = table[i].run(o), out = said();
    return code ? code : out;
  }
  return EXIT_COMPILER;
}

int main(int argc, char **argv) {
  Arena *a = arena_new();
  Options o;
  int code = options_parse(a, argc, argv, &o);
  if (code == 0 && !strcmp(o.command, "help")) { options_usage(stdout); code = said(); }
  else if (code == 0 && !strcmp(o.command, "version")) { puts("nsm " NSM_VERSION); code = said(); }
  else if (code == 0) code = command(&o);
  arena_free(a);
  return code;
}
