// --vary NAME=a:b:n, NAME=log(a, b, n), NAME=u,v,w; --sample NAME=normal(mean, deviation), uniform(lo, hi),
// lognormal(median, deviation). Values may carry units: l=10cm:50cm:5.
#include "sweep.h"
#include "runtime/clock/clock.h"
#include "runtime/shared/nearest.h"
#include "runtime/shared/random.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const nsm_model *m, int at) { return (const char *)m->text + at; }
static const char *parameter_name(void *m, int i) { return text_of(m, ((const nsm_model *)m)->par[i].name); }

typedef struct reader {
  const nsm_model *m;
  const char      *flag, *text, *unit;  // the whole value of the flag; unit of the parameter
  nsm_error       *e;
} reader;

static nsm_code refuse(const reader *r, const char *why) {
  sim_fail(r->e, NSM_USAGE, "--%s %s: %s", r->flag, r->text, why);
  return NSM_USAGE;
}

// ---- numbers --------------------------------------------------------------------------------------------------------
// [from, to) as a number in SI; unit "" where it has none.
static nsm_code number(const reader *r, const char *from, const char *to, const char *unit, double *x) {
  char word[128], why[256];
  while (from < to && *from == ' ') from++;
  while (to > from && to[-1] == ' ') to--;
  if (from == to || (size_t)(to - from) >= sizeof word) return refuse(r, "a number is missing");
  memcpy(word, from, (size_t)(to - from));
  word[to - from] = 0;
  const char *wrong = nsm_read_quantity(word, unit, x);
  if (!wrong && isfinite(*x)) return NSM_OK;
  snprintf(why, sizeof why, "`%s`: %s", word, wrong ? wrong : "it is not finite");
  return refuse(r, why);
}

static nsm_code count(const reader *r, const char *from, const char *to, long *n) {
  double x;
  nsm_code code = number(r, from, to, "", &x);
  if (code != NSM_OK) return code;
  if (x != floor(x) || x < 1 || x > 1e9) return refuse(r, "the number of values is a whole number from 1 to 1e9");
  *n = (long)x;
  return NSM_OK;
}

// The parts of [from, to) between separators that stand outside of brackets.
enum { PARTS = 3 };
static int parts(const char *from, const char *to, char separator, const char *part[PARTS + 1]) {
  int n = 0, depth = 0;
  part[n++] = from;
  for (const char *c = from; c < to; c++) {
    depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
    if (*c == separator && depth == 0) {
      if (n > PARTS) return n;
      part[n++] = c + 1;
    }
  }
  if (n <= PARTS) part[n] = to + 1;
  return n;
}

// ---- forms ----------------------------------------------------------------------------------------------------------
static nsm_code read_list(const reader *r, const char *value, sweep_variation *v) {
  v->n = 1;
  v->form = SWEEP_LIST;
  for (const char *c = value; *c; c++) v->n += *c == ',';
  v->list = calloc((size_t)v->n, sizeof *v->list);
  if (!v->list) return sim_no_memory(r->e, "the values of a parameter");
  for (long i = 0; i < v->n; i++) {
    size_t length = strcspn(value, ",");
    nsm_code code = number(r, value, value + length, r->unit, &v->list[i]);
    if (code != NSM_OK) return code;
    value += length + (value[length] == ',');
  }
  return NSM_OK;
}

// name(a, b[, n]), or a:b:n
static const struct form { const char *name; sweep_form form; int numbers, sample; const char *takes; } forms[] = {
  { "linear", SWEEP_LINEAR, 3, 0, "linear takes (from, to, number of values)" },
  { "log", SWEEP_LOG, 3, 0, "log takes (from, to, number of values)" },
  { "normal", SWEEP_NORMAL, 2, 1, "normal takes (mean, standard deviation)" },
  { "uniform", SWEEP_UNIFORM, 2, 1, "uniform takes (lowest, highest)" },
  { "lognormal", SWEEP_LOGNORMAL, 2, 1, "lognormal takes (median, standard deviation of the logarithm)" }
};

static nsm_code read_form(const reader *r, const struct form *f, const char *from, const char *to, char separator,
                          sweep_variation *v) {
  const char *part[PARTS + 1];
  if (parts(from, to, separator, part) != f->numbers) return refuse(r, f->takes);
  v->form = f->form;
  v->n = 1;
  nsm_code code = number(r, part[0], part[1] - 1, r->unit, &v->a);
  if (code == NSM_OK)
    code = number(r, part[1], part[2] - 1, f->form == SWEEP_LOGNORMAL ? "" : r->unit, &v->b);
  if (code == NSM_OK && f->numbers == 3) code = count(r, part[2], part[3] - 1, &v->n);
  if (code != NSM_OK) return code;
  if (f->form == SWEEP_LOG && !(v->a > 0 && v->b > 0)) return refuse(r, "both ends of log must be positive");
  if (f->form == SWEEP_LOGNORMAL && !(v->a > 0)) return refuse(r, "the median of lognormal must be positive");
  if (f->sample && f->form != SWEEP_UNIFORM && v->b < 0) return refuse(r, "a standard deviation cannot be negative");
  if (f->form == SWEEP_UNIFORM && v->b < v->a) return refuse(r, "the lowest value is above the highest");
  return NSM_OK;
}

static nsm_code read_value(const reader *r, const char *value, int sample, sweep_variation *v) {
  const char *open = strchr(value, '('), *close = value + strlen(value);
  while (close > value && close[-1] == ' ') close--;
  for (size_t i = 0; open && close[-1] == ')' && i < sizeof forms / sizeof *forms; i++) {
    size_t n = strlen(forms[i].name);
    if (strncmp(value, forms[i].name, n) != 0 || value + n != open) continue;
    if (forms[i].sample != sample)
      return refuse(r, sample ? "this is a grid of values: use --vary" : "this is a distribution: use --sample");
    return read_form(r, &forms[i], open + 1, close - 1, ',', v);
  }
  if (sample) return refuse(r, "it takes normal(mean, deviation), uniform(lo, hi) or lognormal(median, deviation)");
  if (strchr(value, ':')) return read_form(r, &forms[0], value, close, ':', v);
  if (open) return refuse(r, "it takes from:to:number, log(from, to, number), or values separated by commas");
  return read_list(r, value, v);
}

// ---- parameters -----------------------------------------------------------------------------------------------------
static nsm_code find_parameter(reader *r, const char *name, size_t n, int *found) {
  char word[256], why[640], meant[300];
  snprintf(word, sizeof word, "%.*s", (int)n, name);
  *found = -1;
  for (int i = 0; i < r->m->npar; i++)
    if (strcmp(text_of(r->m, r->m->par[i].name), word) == 0) *found = i;
  if (*found < 0) {
    nsm_meant(word, r->m->npar, parameter_name, (void *)(uintptr_t)r->m, meant, sizeof meant);
    snprintf(why, sizeof why, "there is no parameter `%s`%s", word, meant);
    return refuse(r, why);
  }
  if (r->m->par[*found].structural) {
    snprintf(why, sizeof why, "%s is fixed when the model is compiled, since lengths depend on it; use --set %s=... in "
             "a sweep of its own for each value", word, word);
    return refuse(r, why);
  }
  r->unit = text_of(r->m, r->m->par[*found].unit);
  return NSM_OK;
}

static int is_set(const nsm_flags *f, const char *name) {
  size_t n = strlen(name);
  for (int i = 0; i < f->nset; i++)
    if (strncmp(f->set[i], name, n) == 0 && (f->set[i][n] == '=' || f->set[i][n] == ' ')) return 1;
  return 0;
}

static nsm_code read_one(const nsm_model *m, const nsm_flags *f, const char *flag, const char *text, sweep_plan *p,
                         nsm_error *e) {
  reader r = { m, flag, text, "", e };
  const char *equal = strchr(text, '=');
  if (!equal || equal == text || !equal[1]) return refuse(&r, "it takes NAME=VALUES");
  size_t n = (size_t)(equal - text);
  while (n > 0 && text[n - 1] == ' ') n--;
  int found;
  nsm_code code = find_parameter(&r, text, n, &found);
  if (code != NSM_OK) return code;
  sweep_variation *v = &p->of[p->nvary + p->nsample];
  v->name = text_of(m, m->par[found].name);
  v->scale = nsm_unit_scale(r.unit);
  for (int i = 0; i < p->nvary + p->nsample; i++)
    if (p->of[i].name == v->name || strcmp(p->of[i].name, v->name) == 0)
      return refuse(&r, "this parameter is varied twice");
  if (is_set(f, v->name)) return refuse(&r, "this parameter is given by --set, too");
  int sample = strcmp(flag, "sample") == 0;
  const char *value = equal + 1 + strspn(equal + 1, " ");
  *(sample ? &p->nsample : &p->nvary) += 1;                // from here on it is released with the plan
  return read_value(&r, value, sample, v);
}

nsm_code sweep_plan_read(const nsm_model *m, const nsm_flags *f, sweep_plan *p, nsm_error *e) {
  memset(p, 0, sizeof *p);
  p->of = calloc((size_t)f->nlist + 1, sizeof *p->of);
  if (!p->of) return sim_no_memory(e, "the values of the parameters");
  nsm_code code = NSM_OK;
  for (int pass = 0; pass < 2; pass++)                     // grids first
    for (int i = 0; i < f->nlist && code == NSM_OK; i++) {
      int sample = f->list[i].flag == NSM_FLAG_SAMPLE;
      if (f->list[i].flag == NSM_FLAG_INPUT) continue;
      if (sample == pass) code = read_one(m, f, sample ? "sample" : "vary", f->list[i].text, p, e);
    }
  if (code != NSM_OK) return code;
  if (p->nvary + p->nsample == 0) {
    sim_fail(e, NSM_USAGE, "a sweep varies something: --vary NAME=from:to:number, or "
             "--sample NAME=normal(m, s) --runs N");
    return NSM_USAGE;
  }
  if (p->nsample == 0 && f->text[NSM_FLAG_RUNS]) {
    sim_fail(e, NSM_USAGE, "--runs is the number of random draws, and nothing is drawn: add --sample, or leave it out");
    return NSM_USAGE;
  }
  p->seed = f->text[NSM_FLAG_SEED] ? (uint64_t)f->number[NSM_FLAG_SEED] : 0;
  p->each = f->text[NSM_FLAG_RUNS] ? (long)f->number[NSM_FLAG_RUNS] : 1;
  double total = (double)p->each;
  for (int i = 0; i < p->nvary; i++) total *= (double)p->of[i].n;
  if (total > 1e9) {
    sim_fail(e, NSM_USAGE, "these are %.3g runs; a sweep has at most 1e9", total);
    return NSM_USAGE;
  }
  p->total = (long)total;
  return NSM_OK;
}

void sweep_plan_free(sweep_plan *p) {
  for (int i = 0; p->of && i < p->nvary + p->nsample; i++) free(p->of[i].list);
  free(p->of);
}

// ---- values ---------------------------------------------------------------------------------------------------------
// Both ends are met exactly; in between a value is rounded to 15 digits, so that 0.1 to 0.9 in steps of 0.1 has 0.3 and
// not 0.30000000000000004.
static double rounded(double x) {
  char digits[40];
  snprintf(digits, sizeof digits, "%.15g", x);
  return strtod(digits, NULL);
}

static double point(const sweep_variation *v, long i) {
  if (v->form == SWEEP_LIST) return v->list[i];
  if (i == 0) return v->a;
  if (i == v->n - 1) return v->b;
  double last = (double)(v->n - 1), at = (double)i;
  if (v->form == SWEEP_LOG) return v->a * pow(v->b / v->a, at / last);
  return rounded(v->a + (v->b - v->a) * at / last);
}

static double drawn(const sweep_plan *p, const sweep_variation *v, long run, int which) {
  uint64_t r = (uint64_t)run, w = (uint64_t)which;
  if (v->form == SWEEP_UNIFORM) return v->a + (v->b - v->a) * nsm_uniform(p->seed, r, w, 0);
  double x = nsm_normal(p->seed, r, w);
  return v->form == SWEEP_NORMAL ? v->a + v->b * x : v->a * exp(v->b * x);
}

void sweep_values(const sweep_plan *p, long i, double *value) {
  long at = i / p->each;
  for (int k = p->nvary; k-- > 0; at /= p->of[k].n) value[k] = point(&p->of[k], at % p->of[k].n);
  for (int k = 0; k < p->nsample; k++) value[p->nvary + k] = drawn(p, &p->of[p->nvary + k], i, k);
}
