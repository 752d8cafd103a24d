// What --period says: a time, or the parameter that holds it.
#include "analyse.h"
#include <string.h>

nsm_code analysis_period(const analysis *a, nsm_sim *s, double *period, nsm_error *e) {
  const char *text = a->f->text[NSM_FLAG_PERIOD];
  *period = NAN;
  if (!text) return NSM_OK;
  const char *wrong = nsm_read_quantity(text, "s", period);
  for (int i = 0; i < s->a->m->npar; i++)
    if (strcmp(sim_text(s, s->a->m->par[i].name), text) == 0) { *period = s->a->p[i]; wrong = NULL; }
  if (!wrong && *period > 0) return NSM_OK;
  sim_fail(e, NSM_USAGE, "--period %s: %s", text,
           wrong ? "it is neither a time above 0 nor a parameter of the model" : "it is not above 0");
  return NSM_USAGE;
}
