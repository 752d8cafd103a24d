// The run behind a page: compile, run with a trace in place of a file, write page or data.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include "../api/installed.h"
#include "../view/page.h"
#include "../view/thin.h"
#include "commands.h"
#include "view.h"

// ---- the command that repeats the run -------------------------------------------------------------------------------
static void shell_word(Text *t, const char *word) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,%@^";
  if (*word && word[strspn(word, plain)] == 0) { text_add(t, word); return; }
  text_addc(t, '\'');
  for (; *word; word++) {
    if (*word == '\'') text_add(t, "'\\''");
    else text_addc(t, *word);
  }
  text_addc(t, '\'');
}

// One word of a command line: for a shell, or one a line.
typedef void Word(Text *t, const char *word);

static void shell_next(Text *t, const char *word) {
  text_addc(t, ' ');
  shell_word(t, word);
}

static void line_next(Text *t, const char *word) {
  text_add(t, word);
  text_addc(t, '\n');
}

static void flag(Arena *a, Text *t, Word *next, const char *name, const char *value) {
  next(t, arena_printf(a, "--%s", name));
  if (*value) next(t, value);
}

// The file, and the flags of `nsm run` that `nsm view` was given.
static void words(Arena *a, const Options *o, Word *next, Text *t) {
  static const char *const name[] = {
#define FLAG(id, name, other, kind, range, argument, commands, help) [NSM_FLAG_##id] = name,
#include "../../runtime/command/flags.def"
#undef FLAG
  };
  next(t, o->file[0]);
  for (int i = 0; i < o->flags.nset; i++) flag(a, t, next, "set", o->flags.set[i]);
  for (int i = 0; i < o->flags.nlist; i++) flag(a, t, next, name[o->flags.list[i].flag], o->flags.list[i].text);
  for (int i = 0; i < NSM_FLAGS; i++) {
    const char *value = o->flags.text[i];
    bool listed = i == NSM_FLAG_SET || i == NSM_FLAG_INPUT, own = i == NSM_FLAG_OUTPUT || i == NSM_FLAG_SERVE ||
                  i == NSM_FLAG_PORT || i == NSM_FLAG_QUIET || i == NSM_FLAG_FULL || i == NSM_FLAG_LIVE;
    if (value && !listed && !own) flag(a, t, next, name[i], value);
  }
}

// ---- one run --------------------------------------------------------------------------------------------------------
// What a stream in memory took, also on `copy` where that is not NULL.
typedef struct Said { FILE *f; char *at; size_t n; } Said;

static bool said_open(Said *s) {
  *s = (Said){ 0 };
  return (s->f = open_memstream(&s->at, &s->n)) != NULL;
}

static const char *said(Said *s, Arena *a, FILE *copy) {
  fclose(s->f);
  const char *text = arena_strndup(a, s->at ? s->at : "", s->at ? s->n : 0);
  free(s->at);
  if (copy) fputs(text, copy);
  return text;
}

// ---- a page that computes -------------------------------------------------------------------------------------------
// NULL: nsm was built without it, which standard error says.
static const PageLive *live_part(const Options *o, const Compilation *c, Arena *a) {
  const char *path = arena_printf(a, "%s/nsm_live.wasm.gz", installed(a)->lib);
  const SourceFile *module;
  if (source_read_ordinary(a, path, &module) != SOURCE_OK) {
    fputs("error: --live needs a part of nsm that this one was built without\n"
          "help: apt-get install clang lld wasi-libc libclang-rt-dev-wasm32, then cmake --preset release and "
          "cmake --build --preset release --target live, in the folder of nsm\n", stderr);
    return NULL;
  }
  PageLive *live = ARENA_NEW(a, PageLive);
  PageFile *file = ARENA_ARRAY(a, PageFile, c->nread + 1);
  Text line = {0};
  words(a, o, line_next, &line);
  *live = (PageLive){ .module = module->text, .n = module->len, .words = arena_strndup(a, text_str(&line), line.n),
                      .vocabulary = view_vocabulary(a), .file = file };
  text_free(&line);
  const char *std = std_dir(a);
  for (int i = 0; i < c->nread; i++) {
    const SourceFile *f;
    bool own = !strcmp(c->read[i], c->path), library = !strncmp(c->read[i], std, strlen(std));
    if (!own && !library && source_read_ordinary(a, c->read[i], &f) == SOURCE_OK)
      file[live->nfile++] = (PageFile){ c->read[i], f->text, f->len };
  }
  return live;
}

bool view_load(const Options *o, const char *path, ViewModel *m, int *code) {
  *m = (ViewModel){ .c = compile_file(o, o->file[0], STAGE_C, NULL, code) };
  if (!m->c) return false;
  if (path && (*code = check_output(m->c, path)) != EXIT_OK) return false;
  m->p = load_program(o, m->c, code);
  if (!m->p) return false;
  list_diagnostics(m->p);
  list_meanings(m->p);
  return true;
}

void view_unload(ViewModel *m) {
  if (m->p) jit_free(m->p->jit);
  compilation_free(m->c);
  *m = (ViewModel){ 0 };
}

static int plain_run(const Options *o, nsm_program *p, const nsm_watch *watch, FILE *err, int *not_reached) {
  return run_program(o, p, watch, NULL, err, not_reached);
}

int view_show(const Options *o, const ViewModel *m, const ViewWish *wish, Text *out) {
  int (*show_run)(const Options *, nsm_program *, const nsm_watch *, FILE *, int *) = wish->run ? wish->run : plain_run;
  int code = EXIT_SIMULATION, not_reached = 0;
  Arena *a = m->c->arena;
  Trace trace;
  nsm_watch watch;
  Text command = {0};
  Said run, model;
  trace_open(&trace, a, m->p, &watch);
  trace.full = given(o, NSM_FLAG_FULL);
  text_add(&command, given(o, NSM_FLAG_MODE) ? "nsm view" : "nsm run");
  words(a, o, shell_next, &command);
  if (!given(o, NSM_FLAG_MODE)) text_add(&command, " -o run.csv");
  PageFacts facts = { .command = text_str(&command), .path = o->file[0], .served = wish->served, .diagnostics = "",
                      .notes = "", .source = arena_strndup(a, m->c->source->text, m->c->source->len) };
  if (wish->live && !(facts.live = live_part(o, m->c, a))) return EXIT_FILE;
  if (said_open(&run)) {
    code = show_run(o, m->p, &watch, run.f, &not_reached);
    facts.notes = said(&run, a, wish->err);
  }
  if (given(o, NSM_FLAG_MODE)) facts.motion = arena_strndup(a, facts.notes, strcspn(facts.notes, "\n"));
  if (trace.lacks_ledger && !facts.motion && code != EXIT_INTERRUPTED && said_open(&run)) {
    trace_again(&trace, &watch);
    if (show_run(o, m->p, &watch, run.f, &not_reached) == EXIT_INTERRUPTED) code = EXIT_INTERRUPTED;
    said(&run, a, NULL);
  }
  if (said_open(&model)) {
    compilation_report(wish->checked ? wish->checked : m->c, model.f);
    facts.diagnostics = said(&model, a, NULL);
  }
  bool found = trace.began || !(given(o, NSM_FLAG_MODE) || given(o, NSM_FLAG_STEADY));
  if (found && wish->whole) {
    page_fit(&trace, &facts);
    page_write(&trace, &facts, out);
  } else if (found) {
    thin_answer(&trace);
    page_answer(&trace, &facts, out);
  }
  if (!trace.began && code == EXIT_OK) code = EXIT_SIMULATION;
  trace_close(&trace);
  text_free(&command);
  return code;
}

int view_run(const Options *o, const char *path, const ViewWish *wish, Text *out) {
  int code;
  ViewModel m;
  if (view_load(o, path, &m, &code)) code = view_show(o, &m, wish, out);
  if (code != EXIT_INTERRUPTED) view_unload(&m);           // it waits for LLVM
  return code;
}
