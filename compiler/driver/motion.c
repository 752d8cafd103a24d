// The motion of a run or a page. The period of an orbit is that of --period, or of the block `analyse`.
#include <stdlib.h>
#include <string.h>
#include "../../runtime/analyse/analyse.h"
#include "../dual/kernels_dual.h"
#include "commands.h"
#include "motion.h"

static bool of_orbit(const Options *o) { return given(o, NSM_FLAG_STEADY); }
static bool of_mode(const Options *o) { return given(o, NSM_FLAG_MODE); }

Options motion_options(const Options *o) {
  Options own = *o;
  own.derivatives |= of_orbit(o) || of_mode(o);
  own.at_rest |= of_mode(o);
  if (of_mode(o)) {                                        // no scheme: the equations are those of moreau's kernels
    snprintf(own.flags.scheme, sizeof own.flags.scheme, "moreau");
    own.flags.text[NSM_FLAG_SCHEME] = "moreau";
  }
  return own;
}

bool motion_fits(const Options *o) {
  const char *wrong = NULL;
  static const nsm_flag_id own[] = { NSM_FLAG_HOLD, NSM_FLAG_AMPLITUDE };
  for (int i = 0; i < 2 && o->command == NSM_FOR_VIEW && !of_mode(o); i++)
    if (given(o, own[i])) wrong = "--hold and --amplitude say nothing without --mode";
  bool served = given(o, NSM_FLAG_SERVE) || given(o, NSM_FLAG_LIVE);
  if (given(o, NSM_FLAG_PERIOD) && !of_orbit(o)) wrong = "--period says nothing without --steady";
  if (of_orbit(o) && given(o, NSM_FLAG_RUN_SENS))
    wrong = "--sens and --steady do not go together: a run differentiates from the start of its model";
  if (of_orbit(o) && of_mode(o)) wrong = "--steady and --mode are two motions: ask one at a time";
  if (served && (of_orbit(o) || of_mode(o)))
    wrong = "pages with sliders show runs from the start of the model: --steady and --mode make pages without";
  if (wrong) fprintf(stderr, "error: %s\n", wrong);
  return !wrong;
}

static void show_error(void *with, const nsm_error *e, FILE *err) {
  const Compilation *c = with;
  diag_print_plain(e->text, span_of_error(c, e->at), err, wants_colour(err));
}

static int run_from_orbit(const Options *o, nsm_program *p, nsm_host *host, const nsm_watch *watch, int *not_reached) {
  Options own = *o;
  const char *period = asked_text(p->c->asked, ASK_ANALYSE, nsm_flag_name(NSM_FLAG_PERIOD));
  if (!given(o, NSM_FLAG_PERIOD)) own.flags.text[NSM_FLAG_PERIOD] = period;
  nsm_flags flags = left_to_the_run(p->c->arena, &own);
  nsm_beginning begin = { 0 };
  int code = nsm_orbit_flags(jit_model(p->jit), &flags, host, dual_kernel_run, program_dual(p), &begin);
  program_dual_free(p);
  if (code == EXIT_OK) code = run_program(&own, p, watch, &begin, host->err, not_reached);
  free(begin.column);
  free(begin.value);
  return code;
}

int motion_run(const Options *o, nsm_program *p, const nsm_watch *watch, FILE *err, int *not_reached) {
  int n;
  nsm_host host = { .out = stdout, .err = err, .input = compilation_inputs(p->c, &n), .say = show_error, .with = p->c,
                    .watch = watch };
  *not_reached = 0;
  if (of_orbit(o)) return run_from_orbit(o, p, &host, watch, not_reached);
  if (!of_mode(o)) return run_program(o, p, watch, NULL, err, not_reached);
  nsm_flags flags = left_to_the_run(p->c->arena, o);
  int code = nsm_mode_flags(jit_model(p->jit), &flags, &host, dual_kernel_run, program_dual(p));
  program_dual_free(p);
  return code;
}
