// What is known before (--prior), and how numbers that are far off count (--loss).
#include "fit.h"
#include <stdlib.h>
#include <string.h>

// ---- priors ---------------------------------------------------------------------------------------------------------
// Is text[0, to - text) the name of value j? What each file has of its own goes by the name that they share.
static int is_named(const fit *f, const char *text, const char *to, int j) {
  while (*text == ' ') text++;
  while (to > text && to[-1] == ' ') to--;
  size_t n = (size_t)(to - text);
  const char *name = f->vary[j].name;
  return strncmp(name, text, n) == 0 && (!name[n] || (f->vary[j].own && strncmp(name + n, " in ", 4) == 0));
}

// "e ~ normal(0.8, 0.1)"; numbers as in --vary.
static nsm_code prior(fit *f, const char *text, nsm_error *e) {
  const char *wave = strchr(text, '~'), *law = wave ? strstr(wave, "normal(") : NULL;
  const char *comma = law ? strchr(law, ',') : NULL;
  size_t n = strlen(text);
  while (n > 0 && text[n - 1] == ' ') n--;
  if (!comma || text[n - 1] != ')') return fit_refuse(e, "--prior", text, "it is NAME ~ normal(mean, deviation)");
  int found = 0;
  for (int j = 0; j < f->np; j++) {
    if (!is_named(f, text, wave, j)) continue;
    const fit_vary *v = &f->vary[j];
    fit_prior *to = &f->prior[f->nprior++];
    to->which = j;
    const char *wrong = fit_number(v, law + 7, (size_t)(comma - law) - 7, &to->mean);
    if (!wrong) wrong = fit_number(v, comma + 1, (size_t)(text + n - comma) - 2, &to->sd);
    if (!wrong && !(to->sd > 0)) wrong = "it is NAME ~ normal(mean, deviation), deviation > 0";
    if (wrong) return fit_refuse(e, "--prior", text, wrong);
    found = 1;
  }
  return found ? NSM_OK : fit_refuse(e, "--prior", text, "what stands before the ~ is not varied");
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
  return fit_refuse(e, "--loss", text, "there are squares, huber(c), soft(c) and cauchy(c), c > 0");
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
  f->prior = calloc((size_t)flags->nlist * (size_t)f->nfile + 1, sizeof *f->prior);
  if (!f->prior) return sim_no_memory(e, "a fit");
  for (int i = 0; i < flags->nlist && code == NSM_OK; i++)
    if (flags->list[i].flag == NSM_FLAG_PRIOR)
      code = prior(f, flags->list[i].text, e);
  f->n += f->nprior;
  return code;
}
