// What a program has to say, as text: its diagnostics, errors of a run with their place in the model, the derivation,
// the meaning of names. Each is printed to a stream; where a text is asked for, to one in memory.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include "program.h"

// ---- streams in memory ----------------------------------------------------------------------------------------------
typedef struct Memory { FILE *f; char *at; size_t n; } Memory;

static bool memory_open(Memory *m) {
  *m = (Memory){ 0 };
  return (m->f = open_memstream(&m->at, &m->n)) != NULL;
}

static size_t give(const char *from, size_t n, char *to, size_t room) {
  if (room == 0) return n;
  size_t some = n < room ? n : room - 1;
  memcpy(to, from, some);
  to[some] = 0;
  return n;
}

static size_t memory_give(Memory *m, char *to, size_t room) {
  fclose(m->f);
  size_t n = give(m->at ? m->at : "", m->at ? m->n : 0, to, room);
  free(m->at);
  return n;
}

// ---- diagnostics ----------------------------------------------------------------------------------------------------
void nsm_print_diagnostics(const nsm_program *p, FILE *f) {
  if (*p->message) fprintf(f, "error: %s\n", p->message);
  compilation_report(p->c, f);
}

size_t nsm_diagnostics_text(const nsm_program *p, char *to, size_t room) {
  Memory m;
  if (!memory_open(&m)) return give("", 0, to, room);
  nsm_print_diagnostics(p, m.f);
  return memory_give(&m, to, room);
}

// ---- errors of a run ------------------------------------------------------------------------------------------------
// The text of one line of a file, without the blanks around it.
static Span line_of_file(const SourceFile *f, int line) {
  size_t lo = f->line_start[line - 1], hi = line < f->n_lines ? f->line_start[line] : f->len;
  while (lo < hi && strchr(" \t", f->text[lo])) lo++;
  while (hi > lo && strchr(" \t\r\n", f->text[hi - 1])) hi--;
  return (Span){ f, lo, hi };
}

Span span_of_error(const Compilation *c, nsm_place at) {
  const Places *p = &c->places;
  Span s = { 0 };
  if (at.kind == NSM_AT_CLASS && at.number < p->nclass) s = p->cls[at.number];
  if (at.kind == NSM_AT_PARAMETER && at.number < p->nparam) s = p->param[at.number];
  if (at.kind == NSM_AT_VARIABLE && at.number < p->nvar) s = p->var[at.number];
  if (at.kind == NSM_AT_CLAIM && at.number < p->nexpect) s = p->expect[at.number];
  bool inside = s.file && at.line > 0 && at.line <= s.file->n_lines;
  return inside && at.line != source_line(s.file, s.lo) ? line_of_file(s.file, at.line) : s;
}

void nsm_print_run_error(const nsm_program *p, const nsm_error *e, FILE *f) {
  diag_print_plain(e->text, span_of_error(p->c, e->at), f, wants_colour(f));
}

size_t nsm_run_error_text(const nsm_program *p, const nsm_error *e, char *to, size_t room) {
  Memory m;
  if (!memory_open(&m)) return give("", 0, to, room);
  nsm_print_run_error(p, e, m.f);
  return memory_give(&m, to, room);
}

// ---- the derivation -------------------------------------------------------------------------------------------------
size_t nsm_derivation(const nsm_program *p, const char *form, char *to, size_t room) {
  bool latex = form && !strcmp(form, "latex"), json = form && !strcmp(form, "json"),
       mathml = form && !strcmp(form, "mathml");
  if (!p->c->plan || (form && !latex && !json && !mathml)) return give("", 0, to, room);
  Arena *a = arena_new();
  SchemeFacts f = scheme_facts(p->c->plan);
  Text t = {0};
  (json     ? system_print_json
   : latex  ? system_print_latex
   : mathml ? system_print_mathml
            : system_print)(a, p->c->system, &f, &t);
  size_t n = give(text_str(&t), t.n, to, room);
  text_free(&t);
  arena_free(a);
  return n;
}

// ---- meanings -------------------------------------------------------------------------------------------------------
static const char *or_nothing(const char *doc) { return doc ? doc : ""; }

void list_meanings(nsm_program *p) {
  const Model *m = p->c->model;
  Arena *a = p->c->arena;
  if (!m) return;
  int n = 2 * m->nvar + m->noutput + m->nparam;
  p->meaning = ARENA_ARRAY(p->c->arena, Meaning, n + 1);
  for (int i = 0; i < m->nvar; i++) {
    const MVar *v = &m->var[i];
    const char *rate = v->rate_name ? v->rate_name : arena_printf(p->c->arena, "%s'", v->name);
    nsm_meaning value = { unit_of_results(a, v->unit, v->declared), or_nothing(v->doc) };
    p->meaning[p->nmeaning++] = (Meaning){ v->name, value, false };
    p->meaning[p->nmeaning++] = (Meaning){ rate, { unit_of_rates(a, v->unit, v->declared), "" }, false };
  }
  for (int i = 0; i < m->noutput; i++)
    p->meaning[p->nmeaning++] = (Meaning){ m->output[i].name, { unit_of_results(a, m->output[i].unit,
                                           m->output[i].declared), or_nothing(m->output[i].doc) }, true };
  for (int i = 0; i < m->nparam; i++) {
    const MParam *x = &m->param[i];
    const char *unit = *x->unit_text ? x->unit_text : unit_of_results(a, x->unit, false);
    p->meaning[p->nmeaning++] = (Meaning){ x->name, { unit, or_nothing(x->doc) }, false };
  }
}

static const Meaning *meaning(const nsm_program *p, const char *name) {
  for (int i = 0; i < p->nmeaning; i++) {
    const char *rest = model_element(name, p->meaning[i].pattern, NULL);
    if (rest && !*rest) return &p->meaning[i];
  }
  return NULL;
}

bool is_output(const nsm_program *p, const char *name) {
  const Meaning *m = meaning(p, name);
  return m && m->output;
}

nsm_meaning nsm_meaning_of(const nsm_program *p, const char *name) {
  const Meaning *m = meaning(p, name);
  if (m) return m->of;
  if (!strcmp(name, "time")) return (nsm_meaning){ "s", "" };
  if (!strncmp(name, "energy", 6) && (name[6] == 0 || name[6] == '.')) return (nsm_meaning){ "J", "" };
  return (nsm_meaning){ "", "" };
}
