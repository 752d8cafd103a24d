// sens, fit, analyse, run --sens and --steady: compile in memory, run, differentiate (runtime/answers).
#include <string.h>
#include "../../runtime/analyse/analyse.h"
#include "../../runtime/answers/fit.h"
#include "../../runtime/answers/sens.h"
#include "../dual/kernels_dual.h"
#include "commands.h"
#include "fit_page.h"
#include "fitted.h"
#include "motion.h"

static void show_error(void *with, const nsm_error *e, FILE *err) {
  const Compilation *c = *(Compilation *const *)with;
  diag_print_plain(e->text, span_of_error(c, e->at), err, wants_colour(err));
}

// What is collected for --write; where --page goes, and how that went.
typedef struct Answering { Compilation *c; Fitted *value; int n; const char *page; int code; } Answering;

static void keep_fitted(void *with, const char *name, double value) {
  Answering *w = with;
  Fitted *more = ARENA_ARRAY(w->c->arena, Fitted, w->n + 1);
  for (int i = 0; i < w->n; i++) more[i] = w->value[i];
  more[w->n++] = (Fitted){ arena_strndup(w->c->arena, name, strlen(name)), value };
  w->value = more;
}

static void write_page(void *with, const fit_shown *f) {
  Answering *w = with;
  Text out = { 0 };
  fit_page(f, &out);
  w->code = write_file(&out, w->page);
  text_free(&out);
}

typedef int Answer(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);

// The flags with those that the model's own block gives. They point into the arena of c.
static int flags_asked(const Options *o, Compilation *c, nsm_flags *f) {
  int argc;
  bool fits = o->command == NSM_FOR_FIT;
  char **argv = asked_words(c->arena, c->asked, fits ? ASK_FIT : ASK_ANALYSE, o->argc, o->argv, &argc);
  nsm_error e = { .code = NSM_OK };
  if (nsm_flags_read(o->command, argc, argv, f, &e) != NSM_OK) {
    nsm_print_error(NULL, &e, stderr);
    return (int)e.code;
  }
  if (!fits && asked_at_rest(argc, argv)) {                // no scheme: the equations are those of moreau's kernels
    snprintf(f->scheme, sizeof f->scheme, "moreau");
    f->text[NSM_FLAG_SCHEME] = "moreau";
  }
  return EXIT_OK;
}

static int answer(const Options *given_options, Answer *by) {
  Options with = *given_options, *o = &with;
  with.derivatives = true;
  int code = EXIT_OK, n;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, stderr, &code);
  if (!c) return code;
  compilation_release_stages(c);
  bool asks = o->command == NSM_FOR_FIT || o->command == NSM_FOR_ANALYSE;
  if (asks) code = flags_asked(o, c, &with.flags);
  const char *to = o->flags.text[NSM_FLAG_FIT_WRITE], *page = o->flags.text[NSM_FLAG_FIT_PAGE];
  if (to && code == EXIT_OK) code = check_output(c, to);
  if (page && code == EXIT_OK) code = check_output(c, page);
  nsm_program *p = code == EXIT_OK ? load_program(o, c, &code) : NULL;
  if (p) {
    Answering w = { .c = c, .page = page };
    nsm_host host = { .out = stdout, .err = stderr, .input = compilation_inputs(c, &n), .say = show_error,
                      .with = &w };
    host.ninput = n;
    if (to) host.fitted = keep_fitted;
    if (page) host.fit_shown = write_page;
    nsm_flags flags = left_to_the_run(c->arena, o);
    code = by(jit_model(p->jit), &flags, &host, dual_kernel_run, program_dual(p));
    if (code == EXIT_OK) code = w.code;
    if (to && code == EXIT_OK) code = write_fitted(c, jit_model(p->jit), w.value, w.n, to);
    program_dual_free(p);
    if (code != EXIT_INTERRUPTED) jit_free(p->jit);
  }
  if (asks) nsm_flags_free(&with.flags);
  compilation_free(c);
  return code;
}

int command_sens(const Options *o) { return answer(o, nsm_sens_flags); }

// From its orbit: the run, with derivatives before it.
static int run_motion(const Options *given_options) {
  Options o = motion_options(given_options);
  int code, not_reached;
  Compilation *c = compile_file(&o, o.file[0], STAGE_C, stderr, &code);
  if (!c) return code;
  nsm_program *p = load_program(&o, c, &code);
  if (p) {
    list_meanings(p);
    code = motion_run(&o, p, NULL, stderr, &not_reached);
    if (code != EXIT_INTERRUPTED) jit_free(p->jit);
  }
  compilation_free(c);
  return code;
}

int command_run(const Options *o) {
  if (!motion_fits(o)) return EXIT_USAGE;
  if (given(o, NSM_FLAG_STEADY)) return run_motion(o);
  return given(o, NSM_FLAG_RUN_SENS) ? answer(o, nsm_run_sens_flags) : command_plain_run(o);
}

int command_fit(const Options *o) { return answer(o, nsm_fit_flags); }

int command_analyse(const Options *o) {
  Options own = *o;
  own.analyse = !asked_itself(o->argc, o->argv);
  own.at_rest = asked_at_rest(o->argc, o->argv);
  return answer(&own, nsm_analyse_flags);
}
