// nsm view: compile, run with a trace in place of a file, write the page.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include "../../runtime/command/outputs.h"
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
                  i == NSM_FLAG_PORT || i == NSM_FLAG_QUIET;
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

int view_run(const Options *o, bool served, bool whole, FILE *err, Text *out) {
  int code, not_reached = 0;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, NULL, &code);
  if (!c) return code;
  nsm_program *p = load_program(o, c, &code);
  if (p) {
    list_diagnostics(p);
    list_meanings(p);
    Trace trace;
    nsm_watch watch;
    Text command = {0};
    Said run, model;
    trace_open(&trace, c->arena, p, &watch);
    repeat(o, &command);
    PageFacts facts = { .command = text_str(&command), .path = o->file[0], .served = served, .diagnostics = "",
                        .notes = "", .source = arena_strndup(c->arena, c->source->text, c->source->len) };
    if (said_open(&run)) {
      code = run_program(o, p, &watch, run.f, &not_reached);
      facts.notes = said(&run, c->arena, err);
    }
    if (said_open(&model)) {
      compilation_report(c, model.f);
      facts.diagnostics = said(&model, c->arena, NULL);
    }
    (whole ? page_write : page_data)(&trace, &facts, out);
    if (!trace.began && code == EXIT_OK) code = EXIT_SIMULATION;
    trace_close(&trace);
    text_free(&command);
    jit_free(p->jit);
  }
  compilation_free(c);
  return code;
}

// ---- the command ----------------------------------------------------------------------------------------------------
// The name of the model's file with .html, in the current folder.
static const char *page_path(const Options *o, Arena *a) {
  if (o->output) return o->output;
  const char *slash = strrchr(o->file[0], '/'), *base = slash ? slash + 1 : o->file[0], *dot = strrchr(base, '.');
  if (!strcmp(base, "-")) base = "model";
  return arena_printf(a, "%.*s.html", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

static bool page_is_input(const Options *o, const char *path) {
  const char *input[] = { o->file[0] };
  nsm_output output = { "--output", path };
  nsm_error e = { .code = NSM_OK };
  if (nsm_outputs_check(input, 1, &output, 1, &e) == NSM_OK) return false;
  nsm_print_error(NULL, &e, stderr);
  return true;
}

int command_view(const Options *o) {
  Arena *a = arena_new();
  const char *path = page_path(o, a);
  Text page = {0};
  int code = EXIT_USAGE;
  if (given(o, NSM_FLAG_SERVE)) code = view_serve(o);
  else if (!page_is_input(o, path)) {
    code = view_run(o, false, true, given(o, NSM_FLAG_QUIET) ? NULL : stderr, &page);
    if (page.n) {
      int written = write_file(&page, path);
      if (written != EXIT_OK) code = written;
      else if (!given(o, NSM_FLAG_QUIET) && strcmp(path, "-")) fprintf(stderr, "the page is %s\n", path);
    }
  }
  text_free(&page);
  arena_free(a);
  return code;
}
