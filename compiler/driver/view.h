// The run that a page shows, and the page of one that is served.
#pragma once
#include "../base/text.h"
#include "options.h"

// Compiles and runs the model; whole: the page goes to `out`, else only its data (view/page.h). err: what the run says
// goes there too, NULL: nowhere. path: where the page will go, refused where that is a file that the model reads; NULL:
// it is served. The exit code; out stays empty where there is nothing to show.
int view_run(const Options *o, const char *path, bool whole, FILE *err, Text *out);
// The page on the loopback address until Ctrl-C.
int view_serve(const Options *o);
