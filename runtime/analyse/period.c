// What --period says, a time or the parameter that holds it; and P=A:B:N, a parameter over its values.
#include "analyse.h"
#include "runtime/assembly/assembly.h"
#include "runtime/shared/nearest.h"
#include "runtime/shared/trimmed.h"
#include "runtime/shared/unit.h"
#include <stdlib.h>
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
           wrong ? "it is neither a time nor a parameter of the model (param T = 2*pi/w may be one)"
                 : "it is not above 0");
  return NSM_USAGE;
}

static const char *name_of_parameter(void *s, int i) { return sim_text(s, ((nsm_sim *)s)->a->m->par[i].name); }

static nsm_code wrong(const char *flag, const char *text, const char *why, nsm_error *e) {
  sim_fail(e, NSM_USAGE, "--%s %s: %s", flag, text, why);
  return NSM_USAGE;
}

nsm_code analysis_range_read(analysis_range *r, const char *flag, const char *text, nsm_sim *s, nsm_error *e) {
  const nsm_model *m = s->a->m;
  const char *equals = strchr(text, '='), *unit = "1", *why;
  char meant[700], part[3][128] = { "", "", "" };
  int at = -1;
  *r = (analysis_range){ .n = 0 };
  if (!equals || !strchr(equals, ':')) return wrong(flag, text, "it is P=A:B or P=A:B:N, a parameter from A to B", e);
  nsm_trimmed(r->name, sizeof r->name, text, (size_t)(equals - text));
  for (int i = 0; i < m->npar; i++) if (strcmp(name_of_parameter(s, i), r->name) == 0) at = i;
  if (at < 0 || m->par[at].structural) {
    char near[400] = "";
    if (at < 0 && m->npar > 0) nsm_meant(r->name, m->npar, name_of_parameter, s, near, sizeof near);
    snprintf(meant, sizeof meant, at < 0 ? "there is no parameter of this name%s" : "it is a length%s", near);
    return wrong(flag, text, meant, e);
  }
  if (*sim_text(s, m->par[at].unit)) unit = sim_text(s, m->par[at].unit);
  r->scale = nsm_unit_scale(unit);
  const char *from = equals + 1;
  for (int i = 0; i < 3; i++) {
    size_t n = strcspn(from, ":");
    nsm_trimmed(part[i], sizeof part[i], from, n);
    from += n + (from[n] == ':');
  }
  if ((why = nsm_read_quantity(part[0], unit, &r->from)) || (why = nsm_read_quantity(part[1], unit, &r->to)))
    return wrong(flag, text, why, e);
  r->parameter = at;
  if (r->from == r->to) return wrong(flag, text, "A and B are the same", e);
  if (!*part[2]) return NSM_OK;
  char *end;
  double n = strtod(part[2], &end);
  if (*end || !(n >= 2 && n <= 1e7) || n != floor(n)) return wrong(flag, text, "N is a whole number from 2 on", e);
  r->n = (long)n;
  return NSM_OK;
}
