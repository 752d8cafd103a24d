// Derivatives of runs, of include/nsm.h: runtime/answers with the kernels of a program in dual numbers.
#include <stdlib.h>
#include <string.h>
#include "../../runtime/answers/aligned.h"
#include "../dual/kernels_dual.h"
#include "program.h"

struct nsm_sens {
  answers      a;
  answers_rows rows;
  double      *error;                   // NULL without refinement
};

static nsm_code wrong(nsm_error *e, const char *text) {
  if (e) {
    *e = (nsm_error){ .code = NSM_USAGE };
    snprintf(e->text, sizeof e->text, "%s", text);
  }
  return NSM_USAGE;
}

static nsm_code read_names(nsm_sens *w, const nsm_settings *set, const nsm_sens_asked *asked, nsm_error *e) {
  if (!asked->by || (!asked->of && asked->every < 1)) return wrong(e, "nsm_differentiate: `by`, and `of` or `every`");
  if (asked->refine > 1 && asked->every > 0) return wrong(e, "nsm_differentiate: refined runs have no rows");
  if (asked->refine > 8) return wrong(e, "nsm_differentiate: at most 8 runs refine");
  nsm_sim *s = nsm_open(w->a.m, set, e);
  nsm_code code = !s ? e ? e->code : NSM_FAILED : asked->of ? answers_read_of(s, asked->of, &w->a, e) : NSM_OK;
  if (code == NSM_OK) code = answers_read_by(s, asked->by, &w->a, e);
  if (s && asked->every > 0) {
    w->rows = (answers_rows){ .ncolumn = nsm_ncolumn(s), .every = asked->every };
    w->a.rows = &w->rows;
  }
  nsm_close(s);
  return code;
}

static nsm_code take(nsm_sens *w, const nsm_settings *set, const nsm_sens_asked *asked, nsm_error *e) {
  nsm_code code = read_names(w, set, asked, e);
  if (code != NSM_OK) return code;
  if (asked->refine < 2) return answers_take(&w->a, set, NULL, 1, e);
  w->error = calloc((size_t)w->a.nof * (size_t)w->a.nby + 1, sizeof *w->error);
  if (!w->error) return sim_no_memory(e, "errors");
  return aligned_refine(&w->a, set, NULL, asked->refine, w->error, e);
}

nsm_sens *nsm_differentiate(const nsm_program *p, const nsm_settings *set, const nsm_sens_asked *asked, nsm_error *e) {
  nsm_settings own;
  nsm_error spare = { .code = NSM_OK };
  if (!e) e = &spare;
  *e = spare;
  nsm_assignment *all = program_settings(p, set, &own, e);
  nsm_sens *w = all ? calloc(1, sizeof *w) : NULL;
  if (all && !w) sim_no_memory(e, "derivatives");
  if (w) {
    w->a = (answers){ .m = jit_model(p->jit), .run = dual_kernel_run, .with = program_dual(p), .room = ANSWERS_ROOM };
    if (take(w, &own, asked, e) != NSM_OK) { nsm_sens_free(w); w = NULL; }
  }
  free(all);
  return w;
}

void nsm_sens_free(nsm_sens *w) {
  if (!w) return;
  answers_free(&w->a);
  free(w->rows.x);
  free(w->error);
  free(w);
}

int nsm_sens_nof(const nsm_sens *w) { return w->a.nof; }
int nsm_sens_nby(const nsm_sens *w) { return w->a.nby; }
const char *nsm_sens_of(const nsm_sens *w, int i) { return i >= 0 && i < w->a.nof ? w->a.of[i].name : ""; }
const char *nsm_sens_by(const nsm_sens *w, int j) { return j >= 0 && j < w->a.nby ? w->a.text[j] : ""; }
const double *nsm_sens_value(const nsm_sens *w) { return w->a.value; }
const double *nsm_sens_d(const nsm_sens *w) { return w->a.d; }
const double *nsm_sens_error(const nsm_sens *w) { return w->error; }
const double *nsm_sens_rows(const nsm_sens *w, long *n) { *n = w->rows.n; return w->rows.x; }

nsm_sens_counts nsm_sens_counted(const nsm_sens *w) {
  const answers *a = &w->a;
  return (nsm_sens_counts){ .pieces = a->pieces, .events = a->events, .grazing = a->grazing, .captured = a->captured,
                            .weak = a->weak, .joint = a->joint, .not_unique = a->unique };
}

// ---- one step -------------------------------------------------------------------------------------------------------
int nsm_nstate(const nsm_sim *s, int *column) { return answers_states(s, column); }

nsm_code nsm_jacobian(const nsm_program *p, nsm_sim *s, const char *by, double *d, nsm_error *e) {
  nsm_error spare = { .code = NSM_OK };
  if (!e) e = &spare;
  *e = spare;
  answers a = { .m = jit_model(p->jit) };
  nsm_code code = by && *by ? answers_read_by(s, by, &a, e) : NSM_OK;
  for (int j = 0; code == NSM_OK && j < a.nby; j++)
    if (a.by[j].parameter < 0) code = wrong(e, "nsm_jacobian: `by` takes parameters; states are there already");
  play_kernels run = { dual_kernel_run, program_dual(p) };
  if (code == NSM_OK) code = answers_jacobian(s, &run, a.by, a.nby, d, e);
  answers_free(&a);
  return code;
}
