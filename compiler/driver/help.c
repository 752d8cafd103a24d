// help, version, and the page of each command: what it does, its flags, an example.
#include <string.h>
#include <unistd.h>
#include "../base/suggest.h"
#include "../lsp/lsp.h"
#include "../serve/serve.h"
#include "../syntax/vocabulary.h"
#include "commands.h"

enum { MANY = 1 << 30 };

const Command commands[COMMANDS] = {
#define COMMAND(id, name, run, least, most, files, what, story) \
  { NSM_FOR_##id, name, run, least, most, files, what, story },
#include "commands.def"
#undef COMMAND
};

const Command *command_named(const char *name) {
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
  if (!strcmp(name, "--version") || !strcmp(name, "-V")) name = "version";
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(name, commands[i].name)) return &commands[i];
  return NULL;
}

void print_commands(FILE *f) {
  fputs("usage: nsm COMMAND FILE... [flags]      - as a file is standard input, -- ends the flags\n\n", f);
  for (int i = 0; i < COMMANDS; i++) {
    char usage[40];
    snprintf(usage, sizeof usage, "%s %s", commands[i].name, commands[i].files);
    fprintf(f, "  %-18s %s\n", usage, commands[i].what);
  }
  fputs("\nnsm help COMMAND lists the flags of a command. Exit codes: 0 ok, 1 model wrong, 2 usage, 3 simulation "
        "failed,\n4 file, memory or C compiler missing, 5 claim failed, 125 fault of nsm, 130 interrupted.\n", f);
}

void print_command(const Command *c, FILE *f) {
  fprintf(f, "usage: nsm %s %s [flags]\n\n%s\nFlags:\n", c->name, c->files, c->story);
  nsm_flags_help(c->id, f);
}

// What other programs call a command of nsm: `simulate` is nsm run.
static const char *command_meant(const char *name) {
  static const char *const words[][2] = {
    { "simulate", "run" },    { "sim", "run" },        { "execute", "run" },   { "export", "build F.nsm -o F.fmu" },
    { "fmu", "build F.nsm -o F.fmu" }, { "compile", "build" }, { "codegen", "emit" },  { "format", "fmt" },
    { "lint", "check" },      { "verify", "test" },    { "validate", "check" }, { "info", "derive" },
    { "optimize", "fit" },    { "optimise", "fit" },   { "calibrate", "fit" }, { "sensitivity", "sens" },
    { "gradient", "sens" },   { "analyze", "analyse" }, { "linearize", "analyse F.nsm --linear" },
    { "convert", "import" },  { "show", "view" },      { "init", "new" },      { "create", "new" },
    { "scan", "sweep" },      { "bench", "run F.nsm --bench 7" },
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i][0], name)) return words[i][1];
  const char *names[COMMANDS];
  for (int i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
  return suggest(name, names, COMMANDS);
}

void say_no_command(const char *name) {
  const char *near = command_meant(name);
  fprintf(stderr, "error: nsm has no command '%s'%s%s%s\n", name, near ? "; did you mean '" : "",
          near ? near : "", near ? "'?" : "");
}

int command_help(const Options *o) {
  if (o->nfile == 0) { print_commands(stdout); return EXIT_OK; }
  const Command *c = command_named(o->file[0]);
  if (c) { print_command(c, stdout); return EXIT_OK; }
  DiagCode code;
  if (diag_code_find(o->file[0], &code) || word_story(o->file[0], NULL)) return command_explain(o);
  say_no_command(o->file[0]);
  return EXIT_USAGE;
}

int command_lsp(const Options *o) {
  (void)o;
  return lsp_serve(STDIN_FILENO, STDOUT_FILENO);
}

int command_serve(const Options *o) {
  if (given(o, NSM_FLAG_STDIO)) return serve_lines(stdin, stdout);
  fprintf(stderr, "error: nsm serve speaks on standard input and output: say --stdio\n");
  return EXIT_USAGE;
}

int command_version(const Options *o) {
  (void)o;
  const char *llvm = jit_llvm_version();
  puts("nsm " NSM_VERSION);
  if (llvm) printf("LLVM %s (--jit=llvm, --jit=auto)\n", llvm);
  else puts("without LLVM (no --jit=llvm)");
  return EXIT_OK;
}
