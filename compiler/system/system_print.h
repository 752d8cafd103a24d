// The derived system for people (`nsm derive`), programs (--json), papers (--latex) and pages
// (--mathml).
#pragma once
#include "system.h"

// weights: theta and gamma mean something. explicit_step: nothing is iterated. closed: which contacts a step closes.
typedef struct SchemeFacts {
  const char *name, *closed;
  double theta, gamma;
  bool located, weights, explicit_step, constant_w, constant_problem, one_iteration;
} SchemeFacts;

void system_print(Arena *a, const System *s, const SchemeFacts *f, Text *out);       // f may be NULL
void system_print_json(Arena *a, const System *s, const SchemeFacts *f, Text *out);
void system_print_latex(Arena *a, const System *s, const SchemeFacts *f, Text *out);
void system_print_mathml(Arena *a, const System *s, const SchemeFacts *f, Text *out);    // a fragment of HTML
const char *shape_word(int kind);                       // of an MShape: "a sphere"
const char *law_text(const SysClass *c);
const char *coefficient_name(const SysClass *c, int k);          // of friction: 0 mu, 1 mu2, 2 radius
