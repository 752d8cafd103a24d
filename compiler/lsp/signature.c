// What a call takes: the formals of a component or function as they are declared, the form of a function or law of the
// language as the vocabulary has it.
#include "server.h"
#include <ctype.h>
#include <string.h>
#include "around.h"
#include "../base/library.h"
#include "../syntax/vocabulary.h"

// Where name(...) stands in the line, from `from` on; its length, 0: nowhere.
static size_t form_in(const char *line, const char *name, const char *from, const char **at) {
  size_t n = strlen(name);
  for (*at = from; (*at = strstr(*at, name)); ++*at) {
    if ((*at)[n] != '(' || (*at > line && in_name((*at)[-1]))) continue;
    int open = 0;
    for (size_t i = n; (*at)[i]; i++) {
      open += ((*at)[i] == '(') - ((*at)[i] == ')');
      if (!open) return i + 1;
    }
  }
  return 0;
}

// The longest form in its story, "newton(e, e_t)", else "name(x)".
static void form_of(const WordStory *w, Text *out) {
  const char *best = NULL, *at;
  size_t length = 0, n;
  for (const char *from = w->what; (n = form_in(w->what, w->word, from, &at)) > 0; from = at + n)
    if (n > length) { best = at; length = n; }
  if (best) text_addn(out, best, length);
  else text_printf(out, "%s(x)", w->word);
}

static void put_parts(Text *out, const char *label);

static void put_signature(Text *out, const char *label, const char *doc, int active) {
  text_add(out, "{\"signatures\":[{\"label\":");
  text_json_string(out, label);
  text_add(out, ",\"documentation\":");
  text_json_string(out, doc);
  text_add(out, ",\"parameters\":[");
  put_parts(out, label);
  text_printf(out, "]}],\"activeSignature\":0,\"activeParameter\":%d}", active);
}

// The arguments of a label f(a, [1, 2], b = 3), without the blanks around them. Returns how many there are; of: each,
// up to `most`.
typedef struct Argument { size_t lo, hi; } Argument;
static int arguments(const char *label, Argument *of, int most) {
  int open = 0, n = 0;
  size_t lo = 0;
  for (size_t i = 0; label[i]; i++) {
    char c = label[i];
    if (c && strchr("([{", c) && open++ == 0) { lo = i + 1; continue; }
    bool end = c && strchr(")]}", c) && --open == 0;
    if (!end && !(c == ',' && open == 1)) continue;
    while (lo < i && label[lo] == ' ') lo++;
    if (i > lo && n < most) of[n++] = (Argument){ lo, i };
    lo = i + 1;
    if (end) break;
  }
  return n;
}

enum { MOST_SHOWN = 64 };

// As places in the label, in UTF-16 units; labels that are no ASCII have names of arguments only.
static void put_parts(Text *out, const char *label) {
  Argument a[MOST_SHOWN];
  int n = arguments(label, a, MOST_SHOWN);
  for (int i = 0; i < n; i++) text_printf(out, "%s{\"label\":[%zu,%zu]}", i ? "," : "", a[i].lo, a[i].hi);
}

// Which argument the cursor is in: by its name where it has one, else by the commas before it.
static int active(const Where *w, size_t open, const char *label) {
  int depth = 0, commas = 0;
  size_t lo = open + 1;
  for (size_t i = open + 1; i < w->at; i++) {
    char c = w->text[i];
    depth += (c && strchr("([{", c)) ? 1 : (c && strchr(")]}", c)) ? -1 : 0;
    if (c == ',' && depth == 0) { commas++; lo = i + 1; }
  }
  char name[WORD_ROOM];
  where_word(w, lo, 0, name);
  size_t n = strlen(name), i = lo;
  while (i < w->at && isspace((unsigned char)w->text[i])) i++;
  for (i += n; i < w->at && w->text[i] == ' ';) i++;
  if (!n || i >= w->at || w->text[i] != '=') return commas;
  Argument a[MOST_SHOWN];
  int count = arguments(label, a, MOST_SHOWN);
  for (int k = 0; k < count; k++) if (!strncmp(label + a[k].lo, name, n) && !in_name(label[a[k].lo + n])) return k;
  return commas;
}

// Its head on one line, and where the word of the declaration ends.
static void head_of(const Named *y, Text *out) {
  LibraryPart p = { .file = y->item->span.file, .line = y->item->span.lo };
  Span head = library_head(&p);
  bool blank = false;
  size_t lo = y->at.lo;
  for (size_t i = lo; i < head.hi; i++) {
    bool space = isspace((unsigned char)head.file->text[i]) != 0;
    if (!space || !blank) text_addc(out, space ? ' ' : head.file->text[i]);
    blank = space;
  }
}

// [3.17, SignatureHelp]
void answer_signature(Server *s, Document *d, const Json *request, Text *out) {
  (void)s;
  static Where w;                      // one request at a time
  where_look(&w, text_str(&d->text), document_offset(d, request));
  int k = w.nopen;
  while (k > 0 && w.open[k - 1].bracket == '[') k--;
  if (w.comment || w.string || !k || w.open[k - 1].bracket != '(') return;
  size_t open = w.open[k - 1].at, hi = open, lo;
  while (hi > 0 && w.text[hi - 1] == ' ') hi--;
  if (hi > 0 && w.text[hi - 1] == ']') while (hi > w.open[k - 1].item && w.text[hi] != '[') hi--;   // bead[i in 1:n](
  for (lo = hi; lo > 0 && in_name(w.text[lo - 1]);) lo--;
  if (lo == hi) return;
  Interner *in = d->names->in;
  const char *name = intern_n(in, w.text + lo, hi - lo);
  char first[WORD_ROOM];
  where_word(&w, w.open[k - 1].item, 0, first);
  const Named *y = map_get(d->names->function, name);
  bool outer = k < 2 || w.open[k - 2].bracket == '{';      // R r(R = sqrt(...)): the outer one is of the component
  if (!y && outer) y = map_get(d->names->model, intern(in, first));
  Text label = { 0 };
  if (y) {
    head_of(y, &label);
    put_signature(out, text_str(&label), y->kind == NAMED_MODEL ? "component" : "function",
                  active(&w, open, text_str(&label)));
  }
  for (const WordStory *v = y ? NULL : word_story(name, NULL); v; v = word_story(name, v)) {
    if (v->group != WORD_FUNCTION && v->group != WORD_LAW && v->group != WORD_SHAPE && v->group != WORD_STATISTIC &&
        v->group != WORD_LAW_SET && v->group != WORD_PICTURE && v->group != WORD_SCHEME)
      continue;
    form_of(v, &label);
    put_signature(out, text_str(&label), v->what, active(&w, open, text_str(&label)));
    break;
  }
  text_free(&label);
}
