// What mends a mistake: the edits that diagnostics bring (diag_edit) become quick fixes of the place that is asked for.
#include "server.h"
#include <string.h>

// What the edit does, as a menu shows it.
static void put_title(Text *out, const DiagEdit *e) {
  enum { MOST = 60 };
  Text t = { 0 };
  size_t n = e->at.hi - e->at.lo;
  const char *old = e->at.file->text + e->at.lo;
  int shown = n > MOST ? MOST : (int)n;
  int text = (int)strcspn(e->text, "\n");
  if (!n) text_printf(&t, "Insert `%.*s`", text, e->text);
  else if (!*e->text) text_printf(&t, "Remove `%.*s`", shown, old);
  else text_printf(&t, "Replace `%.*s` by `%.*s`", shown, old, text > MOST ? MOST : text, e->text);
  text_json_string(out, text_str(&t));
  text_free(&t);
}

static void put_action(Text *out, const Document *d, const DiagText *of, const DiagEdit *e, bool preferred) {
  text_add(out, "{\"title\":");
  put_title(out, e);
  text_printf(out, ",\"kind\":\"quickfix\",\"isPreferred\":%s,\"diagnostics\":[", preferred ? "true" : "false");
  put_diagnostic(out, of);
  text_add(out, "],\"edit\":{\"changes\":{");
  text_json_string(out, d->uri);
  text_add(out, ":[{\"range\":");
  put_range(out, e->at);
  text_add(out, ",\"newText\":");
  text_json_string(out, e->text);
  text_add(out, "}]}}}");
}

static size_t offset_at(const Document *d, const Json *place) {
  Position at = { json_whole(place, "line", 0), json_whole(place, "character", 0) };
  return offset_of(d->text.at ? d->text.at : "", d->text.n, at);
}

// [3.17, CodeAction]
void answer_actions(Server *s, Document *d, const Json *request, Text *out) {
  (void)s;
  const Json *range = json_at(request, "params.range");
  size_t lo = offset_at(d, json_at(range, "start")), hi = offset_at(d, json_at(range, "end"));
  DiagText *all;
  int n = diag_list(d->now->bag, &all), reported = 0;
  text_add(out, "[");
  for (int i = 0; i < n; i++) {
    if (!all[i].at.file || strcmp(all[i].at.file->path, d->now->source->path)) continue;
    if (all[i].at.lo > hi || all[i].at.hi < lo) continue;
    for (int k = 0; k < all[i].nedit; k++) {
      if (strcmp(all[i].edit[k].at.file->path, d->now->source->path)) continue;
      if (reported++) text_add(out, ",");
      put_action(out, d, &all[i], &all[i].edit[k], k == 0);
    }
  }
  text_add(out, "]");
}
