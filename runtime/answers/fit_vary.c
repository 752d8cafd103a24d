// What --vary and --each mean: "e", "e=0:1", "k=log(1, 1e4)", "z(0)=0.5m:2m from 1m": a name, bounds, where the first
// start is. Numbers without a unit are in the unit that is shown.
#include "fit.h"
#include "runtime/command/flags.h"
#include "runtime/shared/trimmed.h"
#include <stdlib.h>
#include <string.h>

// The name that text begins with; behind it "=" or " from ".
static size_t name_of(const char *text, char *name, size_t room) {
  const char *from = strstr(text, " from ");
  size_t n = strcspn(text, "=");
  if (from && (size_t)(from - text) < n) n = (size_t)(from - text);
  nsm_trimmed(name, room, text, n);
  return n;
}

nsm_code fit_read_names(fit *f, const nsm_flags *flags, char *names, size_t room, nsm_error *e) {
  char name[256];
  for (int i = 0; i < flags->nlist; i++) {
    const nsm_listed *given = &flags->list[i];
    if (given->flag != NSM_FLAG_FIT_VARY) continue;
    name_of(given->text, name, sizeof name);
    if (!*name || strlen(names) + strlen(name) + 3 > room)
      return fit_refuse(e, "--vary", given->text, "a name is missing or too long");
    const char *list = name;
    char one[256];
    if (nsm_next_name(&list, one, sizeof one) > 0 && *list)
      return fit_refuse(e, "--vary", given->text, "each name has a flag of its own: --vary a --vary b=0:1");
    if (strstr(name, " in ["))
      return fit_refuse(e, "--vary", given->text, "here bounds stand behind `=`: \"e=0:1\", \"k=log(1, 1e4)\"");
    if (*names) strcat(names, ", ");
    strcat(names, name);
    f->nname++;
  }
  return NSM_OK;
}

const char *fit_number(const fit_vary *v, const char *text, size_t n, double *x) {
  char word[128], *end;
  nsm_trimmed(word, sizeof word, text, n);
  *x = strtod(word, &end);
  if (*word && !*end) return NULL;
  const char *wrong = nsm_read_quantity(word, v->unit, x);
  *x /= v->scale;
  return wrong;
}

static const char *read_bounds(const char *text, size_t n, fit_vary *v) {
  v->log = n > 5 && strncmp(text, "log(", 4) == 0 && text[n - 1] == ')';
  if (v->log) { text += 4; n -= 5; }
  const char *between = memchr(text, v->log ? ',' : ':', n), *wrong;
  if (!between) return "bounds are lo:hi, as 0.1:2, or log(lo, hi)";
  size_t first = (size_t)(between - text);
  if ((wrong = fit_number(v, text, first, &v->lo))) return wrong;
  if ((wrong = fit_number(v, between + 1, n - first - 1, &v->hi))) return wrong;
  if (v->log && !(v->lo > 0)) return "log(lo, hi) has lo > 0";
  return v->lo < v->hi ? NULL : "its first bound is not below its second";
}

static nsm_code vary(const char *text, fit_vary *v, nsm_error *e) {
  char name[256];
  const char *is = text + name_of(text, name, sizeof name), *from = strstr(is, " from "), *wrong = NULL;
  v->lo = -INFINITY;
  v->hi = INFINITY;
  v->from = NAN;
  snprintf(v->name, sizeof v->name, "%s", name);
  if (*is == '=') {
    is++;
    is += strspn(is, " ");
    size_t n = from ? (size_t)(from - is) : strlen(is);
    while (n > 0 && is[n - 1] == ' ') n--;
    wrong = read_bounds(is, n, v);
  }
  if (!wrong && from) wrong = fit_number(v, from + 6, strlen(from + 6), &v->from);
  char why[400];
  if (!wrong && from && !(v->lo <= v->from && v->from <= v->hi)) {
    const char *gap = *v->unit ? " " : "", *tells = *v->unit ? "; what has no unit is in " : "";
    snprintf(why, sizeof why, "its start, %.6g%s%s, is not within its bounds, %.6g to %.6g%s%s%s%s", v->from, gap,
             v->unit, v->lo, v->hi, gap, v->unit, tells, v->unit);
    wrong = why;
  }
  return wrong == why ? fit_refuse(e, "--vary", text, why) : wrong ? fit_refuse_unit(e, "--vary", text, wrong, v->unit)
                                                                   : NSM_OK;
}

static nsm_code each(fit *f, fit_vary *name, const char *text, nsm_error *e) {
  for (int j = 0; j < f->nname; j++)
    if (strcmp(name[j].name, text) == 0) { name[j].own = 1; return NSM_OK; }
  return fit_refuse(e, "--each", text, "it is not varied");
}

// Which value a name of a file has: that of all files, or its own.
static void share(fit *f, const fit_vary *name) {
  for (int j = 0; j < f->nname; j++) {
    int own = name[j].own && f->nfile > 1;
    for (int k = 0; k < f->nfile; k++) {
      f->at[(long)k * f->nname + j] = own || k == 0 ? f->np : f->at[j];
      if (k > 0 && !own) continue;
      fit_vary *v = &f->vary[f->np++];
      *v = name[j];
      v->own = own;
      int again = 1;                                       // a file that is given once more
      for (int i = 0; i < k; i++) again += strcmp(f->file[i].path, f->file[k].path) == 0;
      if (own) snprintf(v->name, sizeof v->name, "%.120s in %.160s", name[j].name, f->file[k].path);
      if (own && again > 1) snprintf(v->name + strlen(v->name), sizeof v->name - strlen(v->name), " (%d)", again);
      for (char *c = v->name; *c; c++) if (*c == '"' || *c == '\\' || *(unsigned char *)c < 32) *c = '_';
    }
  }
}

nsm_code fit_read_vary(fit *f, const nsm_flags *flags, nsm_sim *s, nsm_error *e) {
  fit_vary *name = calloc((size_t)f->nname + 1, sizeof *name);
  nsm_code code = name ? NSM_OK : sim_no_memory(e, "a fit");
  for (int i = 0, j = 0; i < flags->nlist && code == NSM_OK; i++) {
    if (flags->list[i].flag != NSM_FLAG_FIT_VARY) continue;
    const play_name *by = &f->file[0].a.by[j];
    const char *unit = by->parameter >= 0 ? sim_text(s, f->m->par[by->parameter].unit) : nsm_column_unit(s, by->column);
    name[j].scale = by->scale;
    snprintf(name[j].unit, sizeof name[j].unit, "%s", unit);
    code = vary(flags->list[i].text, &name[j++], e);
  }
  for (int i = 0; i < flags->nlist && code == NSM_OK; i++)
    if (flags->list[i].flag == NSM_FLAG_EACH) code = each(f, name, flags->list[i].text, e);
  if (code == NSM_OK) share(f, name);
  free(name);
  return code;
}
