// Names of variables, rows and instances, and the texts of errors. Nothing here prints.
#include "assembly.h"
#include <stdarg.h>
#include <string.h>

static void fail(nsm_error *e, nsm_code code, nsm_place at, const char *format, va_list a) {
  if (!e) return;
  e->code = code;
  e->at = at;
  vsnprintf(e->text, sizeof e->text, format, a);
}

void sim_fail(nsm_error *e, nsm_code code, const char *format, ...) {
  va_list a;
  va_start(a, format);
  fail(e, code, (nsm_place){ NSM_AT_NOTHING, 0, 0 }, format, a);
  va_end(a);
}

void sim_fail_at(nsm_error *e, nsm_code code, nsm_place at, const char *format, ...) {
  va_list a;
  va_start(a, format);
  fail(e, code, at, format, a);
  va_end(a);
}

nsm_code sim_no_memory(nsm_error *e, const char *for_what) {
  sim_fail(e, NSM_FILE, "not enough memory for %s; close other programs or allow more (ulimit -v)", for_what);
  return NSM_FILE;
}

int nsm_place_line(const nsm_model *m, nsm_place at, const char **file) {
  int line = 0, from = 0;
  if (at.kind == NSM_AT_CLASS && at.number >= m->nclass) {    // of a contact of shapes (touching/extend.c)
    int contact = (at.number - m->nclass) / SIM_TOUCH_CLASSES;
    line = m->shape_contact[contact].line;
    from = m->shape_contact[contact].file;
  } else if (at.kind == NSM_AT_CLASS) { line = m->cls[at.number].line; from = m->cls[at.number].file; }
  if (at.kind == NSM_AT_PARAMETER) { line = m->par[at.number].line; from = m->par[at.number].file; }
  if (at.kind == NSM_AT_VARIABLE) { line = m->var[at.number].line; from = m->var[at.number].file; }
  if (at.kind == NSM_AT_CLAIM) line = m->expect_line[at.number];
  if (file) *file = (const char *)m->text + (from ? from : m->file);
  return at.line ? at.line : line;
}

void nsm_print_error(const nsm_model *m, const nsm_error *e, FILE *f) {
  const char *file = "";
  int line = m ? nsm_place_line(m, e->at, &file) : 0;
  int coded = strlen(e->text) > 7 && e->text[0] == 'E' && strspn(e->text + 1, "0123456789") == 4 && e->text[5] == ':';
  if (coded) fprintf(f, "error[%.5s]: %s\n", e->text, e->text + 7);
  else fprintf(f, "error: %s\n", e->text);
  if (line) fprintf(f, "  --> %s:%d\n", file, line);
}

int sim_percents(const char *pattern) {
  int n = 0;
  for (; *pattern; pattern++) n += *pattern == '%';
  return n;
}

void sim_expand(char *out, size_t size, const char *pattern, const long *index, int nindex) {
  size_t used = 0;
  int next = 0;
  if (size == 0) return;
  for (; *pattern && used + 1 < size; pattern++) {
    if (*pattern == '%' && next < nindex) {
      int n = snprintf(out + used, size - used, "%ld", index[next++]);
      used += n < 0 ? 0 : (size_t)n < size - used ? (size_t)n : size - used - 1;
    } else out[used++] = *pattern;
  }
  out[used] = 0;
}

void sim_expand_written(char *out, size_t size, const char *pattern, const double *index, int nindex) {
  size_t used = 0;
  int next = 0;
  if (size == 0) return;
  for (; *pattern && used + 1 < size; pattern++) {
    if (*pattern != '%' || next >= nindex) {
      out[used++] = *pattern;
      continue;
    }
    int n = snprintf(out + used, size - used, "%.17g", index[next++]);
    used += n < 0 ? 0 : (size_t)n < size - used ? (size_t)n : size - used - 1;
  }
  out[used] = 0;
}

void sim_family_name(char *out, size_t size, const char *pattern) {
  size_t used = 0;
  if (size == 0) return;
  for (const char *c = pattern; *c && used + 4 < size; c++) {
    if (*c == '%') for (int i = 0; i < 3; i++) out[used++] = '.';
    else if (*c != ',' || c == pattern || c[-1] != '%') out[used++] = *c;
    if (*c == ',' && c > pattern && c[-1] == '%') while (c[1] == '%' || c[1] == ',') c++;
  }
  out[used] = 0;
}

void sim_instance_name(const nsm_sim *s, int cls, int i, char *out, size_t size) {
  if (cls >= s->a->given->nclass) { s->a->touch_name(s, cls, i, out, size); return; }
  const sim_class *k = &s->a->cls[cls];
  const char *label = sim_text(s, k->c->label);
  enum { MOST = 8 };
  long index[MOST];
  int n = sim_percents(label);
  if (n > k->c->nnum) n = k->c->nnum;
  if (n > MOST) n = MOST;
  for (int j = 0; j < n; j++)
    index[j] = (long)k->tab.num[(size_t)i * (size_t)k->c->nnum + (size_t)(k->c->nnum - n + j)];
  sim_expand(out, size, label, index, n);
}

// Storage is row-major over the rectangular loops of the variable. Multipliers of contacts and constraints take the
// loop indices of their instance, which stand in the last columns of num.
static void element_name(const nsm_sim *s, int var, int element, const char *pattern, char *out, size_t size) {
  const nsm_var *d = &s->a->m->var[var];
  const sim_var *v = &s->a->var[var];
  long index[8] = { 0 };
  int n = sim_percents(pattern);
  if (d->kind == NSM_VAR_ROW && d->cls >= s->a->given->nclass) {
    s->a->touch_name(s, d->cls, element, out, size);
    return;
  }
  if (d->kind == NSM_VAR_ROW && d->cls >= 0) {
    const sim_class *k = &s->a->cls[d->cls];
    if (n > 8) n = 8;
    if (n <= k->c->nnum) {
      for (int j = 0; j < n; j++)
        index[j] = (long)k->tab.num[(size_t)element * (size_t)k->c->nnum + (size_t)(k->c->nnum - n + j)];
      sim_expand(out, size, pattern, index, n);
      return;
    }
  }
  for (int j = d->ndim; j-- > 0 && v->n[j] > 0; element /= (int)v->n[j]) index[j] = v->lo[j] + element % v->n[j];
  sim_expand(out, size, pattern, index, d->ndim > 0 ? d->ndim : 0);
}

void sim_element_name(const nsm_sim *s, int var, int element, char *out, size_t size) {
  element_name(s, var, element, sim_text(s, s->a->m->var[var].name), out, size);
}

int sim_variable_of(const nsm_sim *s, int row_kinds, int kind, int element) {
  for (int i = 0; i < s->a->m->nvar; i++) {
    int k = s->a->m->var[i].kind;
    const sim_var *v = &s->a->var[i];
    if ((k == kind || (row_kinds && k == NSM_VAR_ROW)) && element >= v->base && element < v->base + v->count) return i;
  }
  return -1;
}

static void name_in(const nsm_sim *s, int row_kinds, int kind, int element, char *out, size_t size) {
  int i = sim_variable_of(s, row_kinds, kind, element);
  if (i >= 0) sim_element_name(s, i, element - s->a->var[i].base, out, size);
  else snprintf(out, size, "?");
}

static nsm_place place_of(int variable) {
  return variable >= 0 ? sim_at_variable(variable) : (nsm_place){ NSM_AT_NOTHING, 0, 0 };
}

nsm_place sim_at_z(const nsm_sim *s, int z) {
  return place_of(z < s->a->nown ? sim_variable_of(s, 0, NSM_VAR_COORD, z)
                  : z < s->a->nv ? sim_variable_of(s, 0, NSM_VAR_VELOCITY, z)
                                 : sim_variable_of(s, 0, NSM_VAR_STATE, z - s->a->nv));
}

nsm_place sim_at_l(const nsm_sim *s, int l) { return place_of(sim_variable_of(s, 1, NSM_VAR_MULTIPLIER, l)); }

void sim_q_name(const nsm_sim *s, int q, char *out, size_t size) {
  name_in(s, 0, q < s->a->nown ? NSM_VAR_COORD : NSM_VAR_POSITION, q, out, size);
}

void sim_v_name(const nsm_sim *s, int v, char *out, size_t size) {
  name_in(s, 0, v < s->a->nown ? NSM_VAR_COORD : NSM_VAR_VELOCITY, v, out, size);
}

void sim_l_name(const nsm_sim *s, int l, char *out, size_t size) { name_in(s, 1, NSM_VAR_MULTIPLIER, l, out, size); }

void sim_d_name(const nsm_sim *s, int d, char *out, size_t size) { name_in(s, 0, NSM_VAR_DISCRETE, d, out, size); }

void sim_z_name(const nsm_sim *s, int z, char *out, size_t size) {
  if (z >= s->a->nv) { name_in(s, 0, NSM_VAR_STATE, z - s->a->nv, out, size); return; }
  name_in(s, 0, z < s->a->nown ? NSM_VAR_COORD : NSM_VAR_VELOCITY, z, out, size);
  if (z >= s->a->nown) return;
  int i = sim_variable_of(s, 0, NSM_VAR_COORD, z);
  if (i >= 0 && s->a->m->var[i].rate) {
    element_name(s, i, z - s->a->var[i].base, sim_text(s, s->a->m->var[i].rate), out, size);
    return;
  }
  size_t n = strlen(out);
  if (n + 1 < size) { out[n] = '\''; out[n + 1] = 0; }
}

void sim_row_name(const nsm_sim *s, int row, char *out, size_t size) {
  int cls = s->n.r.cls[row];
  sim_instance_name(s, cls, row - s->a->cls[cls].row0, out, size);
}

const char *sim_counted(const nsm_sim *s) { return s->now.tick < s->now.count.steps ? "pieces" : "steps"; }

int sim_tolerance_note(const nsm_sim *s, char *out, size_t size) {
  const nsm_counters *c = &s->now.count;
  char name[256];
  if (c->stagnations == 0) return 0;
  if (s->now.worst_at >= 0) sim_z_name(s, s->now.worst_at, name, sizeof name);
  else sim_row_name(s, ~s->now.worst_at, name, sizeof name);
  snprintf(out, size,
           "in %ld of %ld %s Newton's method stopped above the tolerance %.3g, where its residual fell no more; the "
           "worst was %.2g, relative, of %s at t = %.10g s",
           c->stagnations, c->steps, sim_counted(s), s->a->tolerance, c->worst_residual, name, s->now.worst_time);
  return 1;
}

int sim_pile_note(const nsm_sim *s, char *out, size_t size) {
  const nsm_counters *c = &s->now.count;
  if (c->piles == 0) return 0;
  int n = snprintf(out, size, "in %ld of %ld %s problems of more than 300 contacts were solved to %.2g "
                   "(--tolerance)", c->piles, c->steps, sim_counted(s), c->pile_tolerance);
  if (c->missed > 0 && n > 0 && (size_t)n < size)
    snprintf(out + n, size - (size_t)n,
             "; %ld of them went on with the best answer, the last in step %ld: largest residual %.2g, bodies closed "
             "at %.2g m/s at most, %.2g m a step (--strict ends the run there)",
             c->missed, c->missed_step, c->worst_missed, c->closing, c->closing * s->a->step);
  return 1;
}

int sim_accepted_note(const nsm_sim *s, char *out, size_t size) {
  const nsm_counters *c = &s->now.count;
  if (c->accepted == 0) return 0;
  snprintf(out, size,
           "in %ld of %ld %s a problem of contacts missed the tolerance and was accepted as it was, the last in "
           "step %ld; the largest residual was %.2g (--accept)",
           c->accepted, c->steps, sim_counted(s), c->accepted_step, c->worst_accepted);
  return 1;
}
