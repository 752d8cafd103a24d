// run, test and sweep: compile in memory, then the run of the runtime. Its errors are shown with the line of the model.
#include <string.h>
#include "../../runtime/command/command.h"
#include "../../runtime/record/hdf5.h"
#include "../../runtime/shared/sum.h"
#include "../../runtime/sweep/sweep.h"
#include "commands.h"

// --- errors of the run ---

static void show_error(void *with, const nsm_error *e, FILE *err) {
  const Compilation *c = with;
  diag_print_plain(e->text, span_of_error(c, e->at), err, wants_colour(err));
}

// --- the run ---

// What was written into the model is not set again.
nsm_flags left_to_the_run(Arena *a, const Options *o) {
  nsm_flags f = o->flags;
  f.nset = 0;
  f.set = ARENA_ARRAY(a, const char *, o->flags.nset + 1);
  for (int i = 0; i < o->flags.nset; i++) {
    bool done = false;
    for (int k = 0; k < o->nset; k++) done |= o->set[k].text == o->flags.set[i] && o->set[k].use == SET_COMPILED;
    if (!done) f.set[f.nset++] = o->flags.set[i];
  }
  return f;
}

static int between_runs(void *jit, double left, int quiet) { return jit_between_runs(jit, left, quiet != 0); }

nsm_program *load_program(const Options *o, Compilation *c, int *code) {
  JitStatus status;
  nsm_program *p = program_of(c);
  *code = EXIT_OK;
  if (program_load(p, o->jit, &status)) return p;
  *code = EXIT_INTERRUPTED;
  if (status == JIT_INTERRUPTED) return NULL;
  fprintf(stderr, "error: %s\n", nsm_program_message(p));
  *code = status == JIT_REFUSED ? EXIT_COMPILER : EXIT_FILE;
  return NULL;
}

int run_program(const Options *o, nsm_program *p, const nsm_watch *watch, const nsm_beginning *begin, FILE *err,
                int *not_reached) {
  Compilation *c = p->c;
  int n;
  nsm_host host = { .out = stdout, .err = err, .input = compilation_inputs(c, &n),
                    .compile_s = c->seconds + p->seconds, .say = show_error, .with = c, .watch = watch, .begin = begin,
                    .meaning = nsm_meaning_of, .program = p, .text = c->source->text,
                    .gains = diag_has(c->bag, DIAG_W0821) };
  host.ninput = n;
  host.key = nsm_sum(text_str(&c->c), c->c.n);
  if (o->jit == JIT_AUTO) {
    host.between_steps = jit_between_steps;
    host.between_runs = between_runs;
    host.steps = p->jit;
  }
  nsm_flags flags = left_to_the_run(c->arena, o);
  if (watch) flags.text[NSM_FLAG_OUTPUT] = NULL;           // it is the page's
  int code = o->command == NSM_FOR_SWEEP ? nsm_sweep_flags(jit_model(p->jit), &flags, &host)
                                         : nsm_run_flags(jit_model(p->jit), &flags, &host);
  *not_reached = host.not_reached;
  return code;
}

// *not_reached: how many claims were about times that the run did not reach.
static int run_compiled(const Options *o, Compilation *c, int *not_reached) {
  int code;
  bool meanings = nsm_h5_is(o->output);                    // asks for units and descriptions
  if (!meanings) compilation_release_stages(c);
  nsm_program *p = load_program(o, c, &code);
  if (!p) return code;
  if (meanings) list_meanings(p);
  code = run_program(o, p, NULL, NULL, stderr, not_reached);
  if (code != EXIT_INTERRUPTED) jit_free(p->jit);          // it waits for LLVM
  return code;
}

int command_plain_run(const Options *o) {
  int code, not_reached;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, stderr, &code);
  if (!c) return code;
  code = run_compiled(o, c, &not_reached);
  compilation_free(c);
  return code;
}

int command_sweep(const Options *o) { return command_plain_run(o); }

// Claims of every file; a failing one does not hide the next.
int command_test(const Options *o) {
  int worst = EXIT_OK, failed = 0;
  for (int i = 0; i < o->nfile; i++) {
    int code, not_reached = 0;
    Compilation *c = compile_file(o, o->file[i], STAGE_C, NULL, &code);
    if (c) {
      code = run_compiled(o, c, &not_reached);
      int claims = c->places.nexpect;
      if (code == EXIT_OK) {
        fprintf(stderr, "ok    %s (%d claim%s", c->source->path, claims, claims == 1 ? "" : "s");
        if (not_reached) fprintf(stderr, ", %d not reached", not_reached);
        fputs(")\n", stderr);
      }
      compilation_free(c);
    }
    if (code != EXIT_OK) { fprintf(stderr, "FAIL  %s\n", o->file[i]); failed++; }
    if (code > worst) worst = code;
    if (code == EXIT_INTERRUPTED) break;
  }
  fprintf(stderr, "%d passed, %d failed\n", o->nfile - failed, failed);
  return worst;
}
