// sens, fit, analyse: compile in memory, run, differentiate (runtime/answers).
#include "../../runtime/analyse/analyse.h"
#include "../../runtime/answers/fit.h"
#include "../../runtime/answers/sens.h"
#include "../dual/kernels_dual.h"
#include "commands.h"

static void show_error(void *with, const nsm_error *e, FILE *err) {
  const Compilation *c = with;
  diag_print_plain(e->text, span_of_error(c, e->at), err, wants_colour(err));
}

typedef int Answer(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);

static int answer(const Options *o, Answer *by) {
  int code = EXIT_OK, n;
  Compilation *c = compile_file(o, o->file[0], STAGE_C, stderr, &code);
  if (!c) return code;
  compilation_release_stages(c);
  nsm_program *p = load_program(o, c, &code);
  if (p) {
    nsm_host host = { .out = stdout, .err = stderr, .input = compilation_inputs(c, &n), .say = show_error, .with = c };
    host.ninput = n;
    nsm_flags flags = left_to_the_run(c->arena, o);
    code = by(jit_model(p->jit), &flags, &host, dual_kernel_run, dual_kernels(c->arena, &c->kernels));
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
