// The run behind a page: compile, run with a trace in place of a file, write page or data.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include "../view/page.h"
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

static void flag(Text *t, const char *name, const char *value) {
  text_printf(t, " --%s", name);
  if (!*value) return;
  text_addc(t, ' ');
  shell_word(t, value);
}

// `nsm run` with the flags that `nsm view` was given.
static void repeat(const Options *o, Text *t) {
  static const char *const name[] = {
#define FLAG(id, name, other, kind, range, argument, commands, help) [NSM_FLAG_##id] = name,
#include "../../runtime/command/flags.def"
#undef FLAG
  };
  text_add(t, "nsm run ");
  shell_word(t, o->file[0]);
  for (int i = 0; i < o->flags.nset; i++) flag(t, "set", o->flags.set[i]);
  for (int i = 0; i < o->flags.nlist; i++) flag(t, name[o->flags.list[i].flag], o->flags.list[i].text);
  for (int i = 0; i < NSM_FLAGS; i++) {
    const char *value = o->flags.text[i];
    bool listed = i == NSM_FLAG_SET || i == NSM_FLAG_INPUT, own = i == NSM_FLAG_OUTPUT || i == NSM_FLAG_SERVE ||
                  i == NSM_FLAG_PORT || i == NSM_FLAG_QUIET || i == NSM_FLAG_FULL;
    if (value && !listed && !own) flag(t, name[i], value);
  }
  text_add(t, " -o run.csv");
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

int view_show(const Options *o, const ViewModel *m, const ViewWish *wish, Text *out) {
  int code = EXIT_SIMULATION, not_reached = 0;
  Arena *a = m->c->arena;
  Trace trace;
  nsm_watch watch;
  Text command = {0};
  Said run, model;
  trace_open(&trace, a, m->p, &watch);
  trace.full = given(o, NSM_FLAG_FULL);
  repeat(o, &command);
  PageFacts facts = { .command = text_str(&command), .path = o->file[0], .served = wish->served, .diagnostics = "",
                      .notes = "", .source = arena_strndup(a, m->c->source->text, m->c->source->len) };
  if (said_open(&run)) {
    code = run_program(o, m->p, &watch, run.f, &not_reached);
    facts.notes = said(&run, a, wish->err);
  }
  if (trace.lacks_ledger && code != EXIT_INTERRUPTED && said_open(&run)) {
    trace_again(&trace, &watch);
    if (run_program(o, m->p, &watch, run.f, &not_reached) == EXIT_INTERRUPTED) code = EXIT_INTERRUPTED;
    said(&run, a, NULL);
  }
  if (said_open(&model)) {
    compilation_report(wish->checked ? wish->checked : m->c, model.f);
    facts.diagnostics = said(&model, a, NULL);
  }
  page_fit(&trace, &facts);
  (wish->whole ? page_write : page_answer)(&trace, &facts, out);
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
