// sens, fit, analyse: compile in memory, run, differentiate (runtime/answers).
#include <string.h>
#include "../../runtime/analyse/analyse.h"
#include "../../runtime/answers/fit.h"
#include "../../runtime/answers/sens.h"
#include "../dual/kernels_dual.h"
#include "commands.h"
#include "fitted.h"

static void show_error(void *with, const nsm_error *e, FILE *err) {
  const Compilation *c = *(Compilation *const *)with;
  diag_print_plain(e->text, span_of_error(c, e->at), err, wants_colour(err));
}

// What is collected for --write.
typedef struct Answering { Compilation *c; Fitted *value; int n; } Answering;

static void keep_fitted(void *with, const char *name, double value) {
  Answering *w = with;
  Fitted *more = ARENA_ARRAY(w->c->arena, Fitted, w->n + 1);
  for (int i = 0; i < w->n; i++) more[i] = w->value[i];
  more[w->n++] = (Fitted){ arena_strndup(w->c->arena, name, strlen(name)), value };
  w->value = more;
}

typedef int Answer(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);

static int answer(const Options *o, Answer *by) {
  int code = EXIT_OK, n;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, stderr, &code);
  if (!c) return code;
  compilation_release_stages(c);
  const char *to = o->flags.text[NSM_FLAG_FIT_WRITE];
  if (to) code = check_output(c, to);
  nsm_program *p = code == EXIT_OK ? load_program(o, c, &code) : NULL;
  if (p) {
    Answering w = { .c = c };
    nsm_host host = { .out = stdout, .err = stderr, .input = compilation_inputs(c, &n), .say = show_error,
                      .with = &w };
    host.ninput = n;
    if (to) host.fitted = keep_fitted;
    nsm_flags flags = left_to_the_run(c->arena, o);
    code = by(jit_model(p->jit), &flags, &host, dual_kernel_run, dual_kernels(c->arena, &c->kernels));
    if (to && code == EXIT_OK) code = write_fitted(c, jit_model(p->jit), w.value, w.n, to);
    if (code != EXIT_INTERRUPTED) jit_free(p->jit);
  }
  compilation_free(c);
  return code;
}

int command_sens(const Options *o) { return answer(o, nsm_sens_flags); }
int command_fit(const Options *o) { return answer(o, nsm_fit_flags); }

// A point at rest has no scheme: its equations are those that moreau has the kernels of.
int command_analyse(const Options *o) {
  Options own = *o;
  bool rests = given(o, NSM_FLAG_EQUILIBRIUM) || given(o, NSM_FLAG_LINEAR) || given(o, NSM_FLAG_MODES) ||
               (given(o, NSM_FLAG_BODE) && !given(o, NSM_FLAG_PERIOD));
  if (rests) {
    own.scheme = "moreau";
    snprintf(own.flags.scheme, sizeof own.flags.scheme, "moreau");
    own.flags.text[NSM_FLAG_SCHEME] = "moreau";
  }
  return answer(&own, nsm_analyse_flags);
}
