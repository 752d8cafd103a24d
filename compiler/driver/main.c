// nsm: the table of contents. Each command is one call.
#include <string.h>
#include "commands.h"

static const struct { const char *name; int (*run)(const Options *); bool needs_file, several; } table[] = {
  { "run", command_run, true, false },       { "check", command_check, true, true },     { "derive", command_derive, true, false },
  { "emit", command_emit, true, false },     { "build", command_build, true, false },    { "fmt", command_fmt, true, true },
  { "test", command_test, true, true },      { "explain", command_explain, true, true } };

int main(int argc, char **argv) {
  Arena *a = arena_new();
  Options o;
  int code = options_parse(a, argc, argv, &o);
  if (code == 0 && !strcmp(o.command, "help")) { options_usage(stdout); arena_free(a); return 0; }
  if (code == 0 && !strcmp(o.command, "version")) { puts("nsm " NSM_VERSION); arena_free(a); return 0; }
  for (size_t i = 0; code == 0 && i < sizeof table / sizeof *table; i++) {
    if (strcmp(o.command, table[i].name)) continue;
    if (o.help && strcmp(o.command, "run")) { options_usage(stdout); break; }
    if (table[i].needs_file && o.nfile == 0 && !o.help) {
      fprintf(stderr, "error: nsm %s needs a %s\n", o.command, strcmp(o.command, "explain") ? "file" : "code, e.g. E0420");
      code = 2;
    } else if (o.nfile > 1 && !table[i].several) {
      fprintf(stderr, "error: nsm %s takes one file, and '%s' is another\n", o.command, o.file[1]);
      code = 2;
    } else code = table[i].run(&o);
  }
  arena_free(a);
  return code;
}
