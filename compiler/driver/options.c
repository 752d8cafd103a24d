// Options: the command is found by its name, its flags by the table of runtime/command/flags.def.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../../runtime/record/record.h"
#include "commands.h"

static int refuse(const char *what, const char *name, const char *then) {
  fprintf(stderr, "error: %s%s%s\n", what, name, then);
  return EXIT_USAGE;
}

static int unknown_command(const char *name) {
  const char *dot = strrchr(name, '.');
  if (dot && !strcmp(dot, ".nsm")) return refuse("a command stands before the file: nsm run ", name, "");
  say_no_command(name);
  fputs("       nsm help lists them\n", stderr);
  return EXIT_USAGE;
}

static int check_files(const Command *c, const Options *o) {
  const char *what = c->id == NSM_FOR_EXPLAIN ? "a code, e.g. E0420, or a word" : c->id == NSM_FOR_NEW ? "a name"
                   : c->id == NSM_FOR_COMPLETION ? "a shell" : "a file";
  if (given(o, NSM_FLAG_HELP)) return EXIT_OK;
  if (o->nfile < c->least) {
    fprintf(stderr, "error: nsm %s needs %s: nsm %s %s\n", c->name, what, c->name, c->files);
    return EXIT_USAGE;
  }
  if (o->nfile > c->most) {
    const char *more = o->file[c->most];
    nsm_unit unit;
    fprintf(stderr, "error: nsm %s takes %s, and '%s' is one more%s\n", c->name,
            c->most == 0 ? "no argument" : c->id == NSM_FOR_HELP ? "one command" : "one file", more,
            nsm_unit_parse(more, &unit, NULL, NULL) ? "; a number and its unit are one word: 5ms" : "");
    return EXIT_USAGE;
  }
  int streams = 0;
  for (int i = 0; i < o->nfile; i++) {
    if (!*o->file[i]) return refuse("the name of a file is empty", "", "");
    streams += !strcmp(o->file[i], "-");
  }
  return streams > 1 ? refuse("standard input, '-', can be read once", "", "") : EXIT_OK;
}

static JitBackend backend_named(const char *name) {
  static const char *const names[] = { [JIT_TCC] = "tcc", [JIT_CC] = "cc", [JIT_LLVM] = "llvm", [JIT_AUTO] = "auto" };
  int i = JIT_AUTO;
  while (i > JIT_TCC && strcmp(names[i], name)) i--;
  return (JitBackend)i;
}

int options_parse(Arena *a, int argc, char **argv, Options *o) {
  *o = (Options){ .jit = JIT_AUTO, .argc = argc - 1, .argv = argv + 1 };
  if (argc < 2) { print_commands(stderr); return EXIT_USAGE; }
  const Command *c = command_named(argv[1]);
  if (!c) return unknown_command(argv[1]);
  nsm_error e = { .code = NSM_OK };
  o->command = c->id;
  if (nsm_flags_read(c->id, argc - 1, argv + 1, &o->flags, &e) != NSM_OK) {
    nsm_print_error(NULL, &e, stderr);
    return (int)e.code;
  }
  const nsm_flags *f = &o->flags;
  o->file = f->file;
  o->nfile = f->nfile;
  o->set = ARENA_ARRAY(a, Override, f->nset + 1);
  for (int i = 0; i < f->nset; i++)
    if (!options_add_set(a, o, f->set[i])) return EXIT_USAGE;
  options_add_asked(a, o);
  o->scheme = *f->scheme ? f->scheme : NULL;
  o->step = isnan(f->number[NSM_FLAG_STEP]) ? 0 : f->number[NSM_FLAG_STEP];
  o->weights = !isnan(f->number[NSM_FLAG_THETA]) || !isnan(f->number[NSM_FLAG_GAMMA]);
  const char *located = f->text[NSM_FLAG_LOCATED];
  o->located = !located ? 0 : !strcmp(located, "on") ? 1 : -1;
  const char *projection = f->text[NSM_FLAG_PROJECTION];
  o->projection = !projection ? 0 : !strcmp(projection, "on") ? 1 : -1;
  o->order = isnan(f->number[NSM_FLAG_ORDER]) ? 0 : (int)f->number[NSM_FLAG_ORDER];
  o->dump = f->text[NSM_FLAG_DUMP];
  o->output = f->text[NSM_FLAG_OUTPUT];
  if (given(o, NSM_FLAG_JIT)) o->jit = backend_named(f->text[NSM_FLAG_JIT]);
  if (given(o, NSM_FLAG_JSON) + given(o, NSM_FLAG_LATEX) + given(o, NSM_FLAG_MATHML) > 1)
    return refuse("--json, --latex and --mathml exclude each other", "", "");
  if (given(o, NSM_FLAG_PORT) && !given(o, NSM_FLAG_SERVE))
    return refuse("--port is that of --serve, which is not given", "", "");
  if (given(o, NSM_FLAG_LIVE) && given(o, NSM_FLAG_SERVE))
    return refuse("--live is a page that needs no server, and --serve is one", "", "");
  if (given(o, NSM_FLAG_LIVE) && f->nlist > 0)
    return refuse("--live with --input: a page reads no files; write the input as a table of the model", "", "");
  return check_files(c, o);
}

void options_free(Options *o) { nsm_flags_free(&o->flags); }
