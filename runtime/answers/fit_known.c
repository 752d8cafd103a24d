// What is known before (--prior), and how numbers that are far off count (--loss).
#include "fit.h"
#include <stdlib.h>
#include <string.h>

static nsm_code refuse(nsm_error *e, const char *flag, const char *word, const char *why) {
  sim_fail(e, NSM_USAGE, "%s %.200s: %s", flag, word, why);
  return NSM_USAGE;
}

// ---- priors ---------------------------------------------------------------------------------------------------------
static int named(const fit *f, const char *text, const char *to) {
  while (*text == ' ') text++;
  while (to > text && to[-1] == ' ') to--;
  for (int j = 0; j < f->np; j++) {
    const char *name = f->file[0].a.text[j];
    if (strlen(name) == (size_t)(to - text) && strncmp(name, text, (size_t)(to - text)) == 0) return j;
  }
  return -1;
}

// "e ~ normal(0.8, 0.1)", in the unit that is shown.
static nsm_code prior(const fit *f, const char *text, fit_prior *to, nsm_error *e) {
  const char *wave = strchr(text, '~'), *law = wave ? strstr(wave, "normal(") : NULL;
  char *end, close = 0;
  if (!law) return refuse(e, "--prior", text, "it is NAME ~ normal(mean, deviation)");
  to->which = named(f, text, wave);
  if (to->which < 0) return refuse(e, "--prior", text, "what stands before the ~ is not varied");
  to->mean = strtod(law + 7, &end);
  int good = *end == ',';
  if (good) to->sd = strtod(end + 1, &end);
  good = good && sscanf(end, " %c", &close) == 1 && close == ')';
  if (!good || !(to->sd > 0)) return refuse(e, "--prior", text, "it is NAME ~ normal(mean, deviation), deviation > 0");
  return NSM_OK;
}

// ---- losses ---------------------------------------------------------------------------------------------------------
static nsm_code loss(const char *text, fit_loss *to, nsm_error *e) {
  static const char *const name[] = { "squares", "huber(", "soft(", "cauchy(" };
  *to = (fit_loss){ LOSS_SQUARES, 1 };
  if (!text || strcmp(text, name[0]) == 0) return NSM_OK;
  for (int k = LOSS_HUBER; k <= LOSS_CAUCHY; k++) {
    char *end;
    if (strncmp(text, name[k], strlen(name[k])) != 0) continue;
    *to = (fit_loss){ (fit_loss_kind)k, strtod(text + strlen(name[k]), &end) };
    if (to->scale > 0 && strcmp(end, ")") == 0) return NSM_OK;
  }
  return refuse(e, "--loss", text, "there are squares, huber(c), soft(c) and cauchy(c), c > 0");
}

// Losses of z = (r/c)^2: z, beyond 1 2 sqrt(z) - 1; 2 (sqrt(1 + z) - 1); log(1 + z) [Huber 1964].
double fit_lessened(const fit_loss *l, double r, double *slope) {
  double c = l->scale, z = r / c * (r / c), to, by;        // by: the derivative of the loss, r at 0
  *slope = 1;
  switch (l->kind) {
  case LOSS_HUBER:
    if (z <= 1) return r;
    to = c * sqrt(2 * sqrt(z) - 1);
    by = c;
    break;
  case LOSS_SOFT:
    to = c * sqrt(2 * (z / (1 + sqrt(1 + z))));
    by = fabs(r) / sqrt(1 + z);
    break;
  case LOSS_CAUCHY:
    to = c * sqrt(log1p(z));
    by = fabs(r) / (1 + z);
    break;
  default: return r;
  }
  if (!(to > 0)) return r;
  *slope = by / to;
  return r < 0 ? -to : to;
}

nsm_code fit_read_known(fit *f, const nsm_flags *flags, nsm_error *e) {
  nsm_code code = loss(flags->text[NSM_FLAG_LOSS], &f->loss, e);
  f->prior = calloc((size_t)flags->nlist + 1, sizeof *f->prior);
  if (!f->prior) return sim_no_memory(e, "a fit");
  for (int i = 0; i < flags->nlist && code == NSM_OK; i++)
    if (flags->list[i].flag == NSM_FLAG_PRIOR)
      code = prior(f, flags->list[i].text, &f->prior[f->nprior++], e);
  f->n += f->nprior;
  return code;
}
