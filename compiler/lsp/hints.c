// Units behind declarations that have none: that of the value, or the one that the uses of a parameter ask for
// (compiler/model/elab_infer.c). Of the last text without errors, as long as its names stand where they stood.
#include "server.h"
#include <string.h>

static const MNamedUnit *unit_at(const Model *m, const Named *y) {
  for (int i = 0; m && i < m->nnamed_unit; i++) {
    Span at = m->named_unit[i].span;
    if (at.file && at.lo == y->at.lo && !strcmp(at.file->path, y->at.file->path)) return &m->named_unit[i];
  }
  return NULL;
}

// [3.17, InlayHint]
void answer_hints(Server *s, Document *d, const Json *request, Text *out) {
  (void)s;
  const Compilation *c = d->now->model ? d->now : NULL;
  long first = json_whole(request, "params.range.start.line", 0);
  long last = json_whole(request, "params.range.end.line", 1L << 30);
  int reported = 0;
  text_add(out, "[");
  for (size_t i = 0; c && i < d->names->named.n; i++) {
    const Named *y = d->names->named.at[i];
    if (!y->at.file || strcmp(y->at.file->path, d->now->source->path)) continue;
    const MNamedUnit *u = unit_at(c->model, y);
    Position at = position_of(d->now->source, y->at.hi);
    if (!u || at.line < first || at.line > last) continue;
    Text t = { 0 };
    text_add(&t, ": ");
    unit_print_composed(u->unit, &t);
    text_printf(out, "%s{\"position\":{\"line\":%ld,\"character\":%ld},", reported++ ? "," : "", at.line, at.character);
    text_add(out, "\"paddingLeft\":true,\"kind\":1,\"label\":");
    text_json_string(out, text_str(&t));
    text_add(out, "}");
    text_free(&t);
  }
  text_add(out, "]");
}
