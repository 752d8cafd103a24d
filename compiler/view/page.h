// The page of a run: one HTML file with everything in it. Its own sources are page/: page.html with marks where style,
// equations, data and scripts go, page.css, and the scripts, in the order of scripts.def.
#pragma once
#include "trace.h"

enum { PAGE_BYTES = 3000000 };          // of a page, unless all of the run is wanted

// A page that computes: nsm as a module of WebAssembly, compressed by gzip; the words of the command line, one a line;
// the files that the model reads beside its own text; the words that its editor colours.
typedef struct PageFile { const char *path, *text; size_t n; } PageFile;
typedef struct PageLive {
  const char *module; size_t n;
  const char *words, *vocabulary;
  const PageFile *file; int nfile;
} PageLive;

typedef struct PageFacts {
  const char *command;                  // that repeats the run
  const char *diagnostics;              // of the model, as printed; "" for none
  const char *notes;                    // what the run said beside its data
  const char *motion;                   // what is shown in place of a run, in one line; NULL
  const char *path;                     // of the model, as given
  const char *source;                   // its text
  bool        served;                   // its parameters have sliders
  const PageLive *live;                 // NULL: it does not compute
} PageFacts;

// t may be one that did not begin: the page then has equations, text and messages.
// Before page_write: packs numbers and thins columns so that the page has at most PAGE_BYTES, unless all is wanted.
void page_fit(Trace *t, const PageFacts *facts);
void page_write(const Trace *t, const PageFacts *facts, Text *out);
// What a run makes anew of a page that is served: 8 bytes, the length of the facts; the facts as JSON, whose "blocks"
// say of each block [offset behind the facts, bytes]; the blocks, each at a multiple of 8. All is little-endian.
void page_answer(const Trace *t, const PageFacts *facts, Text *out);
