// The page of a run: one HTML file with everything in it. Its own sources are page/: page.html with marks where style,
// equations, data and scripts go, page.css, and the scripts, in the order of scripts.def.
#pragma once
#include "trace.h"

typedef struct PageFacts {
  const char *command;                  // that repeats the run
  const char *diagnostics;              // of the model, as printed; "" for none
  const char *notes;                    // what the run said beside its data
  const char *path;                     // of the model, as given
  const char *source;                   // its text
  bool        served;                   // its parameters have sliders
} PageFacts;

// t may be one that did not begin: the page then has equations, text and messages.
void page_write(const Trace *t, const PageFacts *facts, Text *out);
// The part of it that a run makes anew: facts as JSON, and the blocks of numbers behind each other.
void page_data(const Trace *t, const PageFacts *facts, Text *out);
