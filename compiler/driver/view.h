// The run that a page shows, and the page of one that is served.
#pragma once
#include "../../runtime/command/command.h"
#include "../api/program.h"
#include "../base/text.h"
#include "options.h"

// A model that is compiled, with its machine code.
typedef struct ViewModel { Compilation *c; nsm_program *p; } ViewModel;

typedef struct ViewWish {
  bool whole;                           // the page; else its data alone (view/page.h)
  bool served;                          // its parameters have sliders
  bool live;                            // the page computes by itself
  int (*run)(const Options *o, nsm_program *p, const nsm_watch *watch, FILE *err, int *not_reached);   // NULL: plain
  FILE *err;                            // what the run says goes there too; NULL: nowhere
  Compilation *checked;                  // whose diagnostics are printed; NULL: of the model itself
} ViewWish;

// path: where the page will go, refused where that is a file that the model reads; NULL: nowhere. False: *code says
// why, and standard error. The model is to be unloaded in both cases.
bool view_load(const Options *o, const char *path, ViewModel *m, int *code);
void view_unload(ViewModel *m);
// Runs it with the flags of o. The exit code; out stays empty where there is nothing to show.
int view_show(const Options *o, const ViewModel *m, const ViewWish *wish, Text *out);
// Both: a run of its own.
int view_run(const Options *o, const char *path, const ViewWish *wish, Text *out);
// The same, or its data alone, with NAME=VALUE in each of the lines in place of what the options say of the same name.
// lines is taken apart. m is the model with the options alone, m->p NULL: it does not compile.
int view_with_values(const Options *o, const ViewModel *m, bool whole, char *lines, Text *out);
// The page on the loopback address until Ctrl-C.
int view_serve(const Options *o);
// Words of the language, each with a space behind it (view_words.c).
const char *view_vocabulary(Arena *a);
