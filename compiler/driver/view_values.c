// A run with other values, of a model that is compiled.
//
// It needs no new machine code where the values that differ from the command line's are parameters of the compiled
// model that no length depends on, and the scheme is the same. The checks of the model are made anew for every run:
// they cost a tenth of a compilation, and a value may be wrong.
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include "commands.h"
#include "view.h"

static bool same_name(const char *a, const char *b) {
  size_t n = strcspn(a, "=");
  return n == strcspn(b, "=") && !strncmp(a, b, n);
}

// The options with one --set for each line in place of what they say of the same parameter. NULL: a line cannot be
// read, which standard error says.
static Options *with_lines(Arena *a, const Options *o, char *text) {
  Options *own = ARENA_NEW(a, Options);
  int lines = 1;
  *own = *o;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  own->flags.set = ARENA_ARRAY(a, const char *, o->flags.nset + lines + 1);
  own->set = ARENA_ARRAY(a, Override, o->nset + lines + 1);
  own->flags.nset = own->nset = 0;
  char *save;
  const char **line = ARENA_ARRAY(a, const char *, lines + 1);
  int n = 0;
  for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) line[n++] = l;
  for (int i = 0; i < o->flags.nset; i++) {
    bool replaced = false;
    for (int k = 0; k < n; k++) replaced |= same_name(o->flags.set[i], line[k]);
    if (!replaced) {
      own->flags.set[own->flags.nset++] = o->flags.set[i];
      if (!options_add_set(a, own, o->flags.set[i])) return NULL;
    }
  }
  for (int k = 0; k < n; k++) {
    own->flags.set[own->flags.nset++] = line[k];
    if (!options_add_set(a, own, line[k])) return NULL;
  }
  return own;
}

// Is every value one that the compiled model takes when it runs? checked: the model with these values, checked.
static bool takes(const ViewModel *m, const Options *base, const Options *own, const Compilation *checked) {
  if (checked->plan->scheme != m->c->plan->scheme) return false;
  for (int i = 0; i < own->nset; i++) {
    bool as_compiled = false, stored = own->set[i].use == SET_STORED;
    for (int k = 0; k < base->nset; k++) as_compiled |= !strcmp(base->set[k].text, own->set[i].text);
    for (int k = 0; k < nsm_nparameter(m->p); k++) {
      nsm_parameter p = nsm_parameter_at(m->p, k);
      if (!strcmp(p.name, own->set[i].name) && p.fixed) stored = false;
    }
    if (!as_compiled && !stored) return false;
  }
  return own->nset >= base->nset;
}

// The model as it is with these values, whose diagnostics are those of the page. NULL: *code says why.
static Compilation *check_with(const Options *own, const ViewModel *m, int *code) {
  Compilation *c = compile_file(own, own->file[0], STAGE_PLAN, NULL, code);
  if (!c) return NULL;
  nsm_program *p = program_of(c);
  list_diagnostics(p);
  m->p->diagnostic = p->diagnostic;
  m->p->ndiagnostic = p->ndiagnostic;
  return c;
}

static int run_with(const Options *base, const Options *own, const ViewModel *m, ViewWish *wish, Text *page) {
  int code;
  if (!m->p) return view_run(own, NULL, wish, page);
  wish->checked = check_with(own, m, &code);
  if (!wish->checked) return code;
  Compilation *checked = wish->checked;
  if (takes(m, base, own, checked)) code = view_show(own, m, wish, page);
  else {
    wish->checked = NULL;
    code = view_run(own, NULL, wish, page);
  }
  m->p->ndiagnostic = 0;                                   // they go with what they were found in
  compilation_free(checked);
  return code;
}

int view_with_values(const Options *o, const ViewModel *m, bool whole, char *lines, Text *out) {
  Arena *a = arena_new();
  const Options *own = with_lines(a, o, lines);
  ViewWish wish = { .whole = whole, .served = true };
  int code = own ? run_with(o, own, m, &wish, out) : EXIT_USAGE;
  arena_free(a);
  return code;
}
