// import of a netlist, with its operating point: where SPICE begins unless `.tran` says UIC. It is the equilibrium of
// the imported model with its sources as they are at the start, capacitors open and coils short (runtime/analyse).
// What it gives stands in the model as numbers. A switch may turn by it: the model is put at rest again, until it
// stays.
#include <math.h>
#include <string.h>
#include "../../include/nsm.h"
#include "../base/diag.h"
#include "../base/json.h"
#include "commands.h"
#include "import.h"

enum { ROUNDS = 8 };
// Of the largest charge, and of 1: a rest that stays; what is 0 but for rounding.
static const double same = 1e-7, rounded = 1e-14;

// The equilibrium of this model: all states. NULL: *reason says why there is none.
static const Json *rest_of(Arena *a, Text *model, const char *path, const char **reason) {
  static const char *const asked[] = { "--equilibrium", "--hold", "0" };
  nsm_compile_settings settings = { .scheme = "moreau" };
  nsm_program *p = nsm_compile_text(text_str(model), path, &settings);
  nsm_error e = { .code = NSM_OK };
  char *found = nsm_program_status(p) == NSM_OK ? nsm_analyse(p, NULL, asked, 3, &e) : NULL;
  const Json *all = found ? json_read(a, arena_strndup(a, found, strlen(found)), strlen(found)) : NULL;
  const Json *state = all ? json_at(all, "equilibrium.state") : NULL;
  if (!found && nsm_program_status(p) != NSM_OK) *reason = "a model at rest cannot be made of it";
  else if (!found) *reason = arena_strndup(a, e.text, strcspn(e.text, ";\n"));
  else if (state && state->first && json_whole(all, "equilibrium.indifferent", 0) > 0) *reason = "it is not determined";
  nsm_analysis_free(found);
  nsm_program_free(p);
  return *reason ? NULL : state;
}

// The states as starts. *moved: is one of them another than before?
static void take(Arena *a, const Json *state, SpiceSettings *set, bool *moved) {
  int n = 0;
  for (const Json *x = state->first; x; x = x->next) n++;
  SpiceStart *to = ARENA_ARRAY(a, SpiceStart, n + 1);
  double largest = 1;
  *moved = !set->nstart;
  n = 0;
  for (const Json *x = state->first; x; x = x->next) {
    double before = 0;
    for (int i = 0; i < set->nstart; i++)
      if (!strcmp(set->start[i].name, x->key)) before = set->start[i].value;
    largest = fmax(largest, fabs(x->number));
    *moved |= fabs(x->number - before) > same * largest;
    to[n++] = (SpiceStart){ x->key, x->number };
  }
  *moved &= n > 0;
  for (int i = 0; i < n; i++)
    if (fabs(to[i].value) < rounded * largest) to[i].value = 0;
  set->start = to;
  set->nstart = n;
}

static void release(SpiceModel *m) {
  text_free(&m->text);
  text_free(&m->notes);
}

// The model with its operating point into *m, which has it without.
static bool at_rest(Arena *a, const SourceFile *f, SpiceSettings set, SpiceModel *m) {
  const char *reason = NULL;
  bool moved = true, good = true;
  for (int round = 0; round < ROUNDS && moved && good && !reason; round++) {
    release(m);
    set.hold = true;
    good = spice_import(a, f, &set, m);
    const Json *state = good ? rest_of(a, &m->text, f->path, &reason) : NULL;
    if (state) take(a, state, &set, &moved);
  }
  if (!reason && moved) reason = "switches turn from one to the next";
  if (reason) set.nstart = 0;
  set.no_rest = reason;
  set.hold = false;
  release(m);
  return spice_import(a, f, &set, m);
}

int import_netlist(const Options *o, Arena *a, const SourceFile *f, Text *out) {
  SpiceSettings set = { .exponential = given(o, NSM_FLAG_DIODE) && !strcmp(o->flags.text[NSM_FLAG_DIODE],
                                                                           "exponential") };
  SpiceModel m;
  bool good = spice_import(a, f, &set, &m);
  if (good && m.rests) good = at_rest(a, f, set, &m);
  if (!good) diag_print_plain(m.wrong.what, m.wrong.at, stderr, wants_colour(stderr));
  else if (m.notes.n && !given(o, NSM_FLAG_QUIET)) fputs(text_str(&m.notes), stderr);
  text_free(&m.notes);
  *out = m.text;
  return good ? EXIT_OK : EXIT_MODEL;
}
