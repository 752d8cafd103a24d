// What fits at a place. The text up to the cursor says where it is: in which bracket of which item, behind which word;
// names come from the trees. The text need not be a model yet.
#include "server.h"
#include "around.h"
#include "../base/library.h"
#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include "../../runtime/shared/unit.h"
#include "../syntax/vocabulary.h"

// ---- writing --------------------------------------------------------------------------------------------------------
typedef struct List {
  Text *out;
  int n;
  const char *prefix; size_t nprefix;
  Map *seen;
  Interner *in;
  const SourceFile *file;
} List;

// [3.17, CompletionItemKind]
enum { IS_FUNCTION = 3, IS_VARIABLE = 6, IS_CLASS = 7, IS_MODULE = 9, IS_PROPERTY = 10, IS_UNIT = 11, IS_VALUE = 12,
       IS_KEYWORD = 14, IS_FILE = 17, IS_CONSTANT = 21 };

static void offer_with(List *l, const char *label, int kind, const char *detail, const char *story, char rank,
                       const LibraryPart *import);

static void offer(List *l, const char *label, int kind, const char *detail, const char *story, char rank) {
  offer_with(l, label, kind, detail, story, rank, NULL);
}

static void offer_with(List *l, const char *label, int kind, const char *detail, const char *story, char rank,
                       const LibraryPart *import) {
  const char *known = intern(l->in, label);
  if (strncmp(label, l->prefix, l->nprefix) != 0 || map_get(l->seen, known)) return;
  map_put(l->seen, known, l);
  text_add(l->out, l->n++ ? ",{\"label\":" : "{\"label\":");
  text_json_string(l->out, label);
  text_printf(l->out, ",\"kind\":%d,\"detail\":", kind);
  text_json_string(l->out, detail);
  if (story) {
    text_add(l->out, ",\"documentation\":");
    text_json_string(l->out, story);
  }
  Text sort = { 0 };
  text_printf(&sort, "%c%s", rank, label);
  text_add(l->out, ",\"sortText\":");
  text_json_string(l->out, text_str(&sort));
  text_free(&sort);
  if (import) {
    text_add(l->out, ",\"additionalTextEdits\":[{\"range\":");
    put_range(l->out, import_place(l->file));
    text_printf(l->out, ",\"newText\":\"import \\\"std/%s\\\";\\n\"}]", import->page);
  }
  text_add(l->out, "}");
}

// Parts of the standard library that the file does not import yet; with them comes the import.
static void offer_library(List *l, const Document *d, bool functions, int kind, char rank) {
  Arena *a = arena_new();
  LibraryPart *part;
  const char *dir = std_dir(a);
  int n = library_parts(a, dir, &part);
  for (int i = 0; i < n; i++) {
    bool read = false;
    for (size_t k = 0; k < d->names->path.n && !read; k++) {
      const char *path = d->names->path.at[k], *name = strrchr(path, '/');
      read = !strncmp(path, dir, strlen(dir)) && name && !strcmp(name + 1, part[i].page);
    }
    if (read || part[i].function != functions) continue;
    offer_with(l, part[i].name, kind, arena_printf(a, "std/%s", part[i].page), library_comment(a, &part[i]), rank,
               &part[i]);
  }
  arena_free(a);
}

static void offer_words(List *l, WordGroup g, int kind, char rank) {
  for (size_t i = 0; i < nvocabulary; i++)
    if (vocabulary[i].group == g) offer(l, vocabulary[i].word, kind, vocabulary[i].what, vocabulary[i].story, rank);
}

static const char *detail_of(const Named *y) {
  static const char *const of[] = {
    [NAMED_MODEL] = "model", [NAMED_FUNCTION] = "function", [NAMED_PARAM] = "parameter", [NAMED_FORMAL] = "formal",
    [NAMED_VARIABLE] = "variable", [NAMED_INSTANCE] = "component", [NAMED_BODY] = "body", [NAMED_ROW] = "law",
    [NAMED_INDEX] = "index", [NAMED_MATERIAL] = "material", [NAMED_FILE] = "file"
  };
  return of[y->kind];
}

static void offer_map(List *l, const Map *names, AstKind only, int kind, char rank) {
  for (size_t i = 0; names && i < map_size(names); i++) {
    const Named *y = map_value_at(names, i);
    if (only == AST_KINDS || y->item->kind == only) offer(l, y->name, kind, detail_of(y), NULL, rank);
  }
}

static void offer_units(List *l) {
  for (int i = 0; nsm_unit_symbol(i); i++) offer(l, nsm_unit_symbol(i), IS_UNIT, "unit", NULL, '1');
  static const char *const scaled[] = { "mm", "cm", "km", "ms", "us", "kg", "kN", "mN", "kohm", "mH", "uF", "mA", "kV",
                                        "kHz", "MPa", "m/s", "m/s^2", "N*m", "N/m", "N*s/m", "kg*m^2", "rad/s" };
  for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++) offer(l, scaled[i], IS_UNIT, "unit", NULL, '2');
}

// ---- names ----------------------------------------------------------------------------------------------------------
// The names of the model around the cursor: of the trees at hand, else of the model of that name.
static Map *names_here(const Where *w, const Document *d, size_t at) {
  const Ast *model = model_at(d->names, d->now->source, at);
  char word[WORD_ROOM];
  for (int i = 0; !model && i < w->nopen; i++) {
    where_word(w, w->open[i].item, 0, word);
    if (w->open[i].bracket != '{' || strcmp(word, "model")) continue;
    where_word(w, w->open[i].item, 1, word);
    const Named *y = map_get(d->names->model, intern(d->names->in, word));
    if (y) model = y->item;
  }
  return model ? map_get(d->names->scope, model) : NULL;
}

// Indices of the loops and sums around the cursor.
static void offer_indices(List *l, const Where *w) {
  char word[WORD_ROOM];
  for (int i = 0; i < w->nopen; i++) {
    where_word(w, w->open[i].item, 0, word);
    if (w->open[i].bracket != '{' || strcmp(word, "for")) continue;
    where_word(w, w->open[i].item, 1, word);
    if (*word) offer(l, word, IS_VARIABLE, "index", NULL, '0');
  }
  for (size_t i = w->item; i + 4 < w->word; i++)
    if (!strncmp(w->text + i, "sum(", 4) || (w->text[i] == '[' && i > w->item)) {
      size_t lo = i + (w->text[i] == '[' ? 1 : 4);
      char in[WORD_ROOM];
      where_word(w, lo, 0, word);
      where_word(w, lo, 1, in);
      if (!strcmp(in, "in")) offer(l, word, IS_VARIABLE, "index", NULL, '0');
    }
}

static void offer_expression(List *l, const Where *w, const Document *d, Map *names) {
  char word[WORD_ROOM];
  where_word(w, w->item, 0, word);
  bool claim = !strcmp(word, "expect"), relation = !strcmp(word, "relation");
  offer_indices(l, w);
  if (!strcmp(word, "force") && !memchr(w->text + w->item, '=', w->word - w->item)) {
    offer_map(l, names, AST_COORD, IS_VARIABLE, '0');
    offer_map(l, names, AST_INSTANCE, IS_MODULE, '1');
    offer_map(l, names, AST_BODY, IS_MODULE, '1');
    return;
  }
  if (!strcmp(word, "flow") && !memchr(w->text + w->item, '=', w->word - w->item))
    offer_map(l, names, AST_NODE, IS_VARIABLE, '0');
  if (relation) offer_map(l, names, AST_MULTIPLIER, IS_VARIABLE, '0');
  if (relation) offer_words(l, WORD_LAW_SET, IS_FUNCTION, '1');
  offer_map(l, names, AST_KINDS, IS_VARIABLE, '2');
  offer_map(l, d->names->global, AST_KINDS, IS_CONSTANT, '3');
  if (claim) offer_words(l, WORD_STATISTIC, IS_FUNCTION, '1');
  offer_map(l, d->names->function, AST_KINDS, IS_FUNCTION, '4');
  offer_words(l, WORD_FUNCTION, IS_FUNCTION, '5');
  offer_words(l, WORD_CONSTANT, IS_CONSTANT, '5');
  offer_words(l, WORD_OPERATOR, IS_KEYWORD, '6');
  offer_library(l, d, true, IS_FUNCTION, '7');
}

// What stands behind a.b[i]. : the path is read backwards.
static void offer_members(List *l, const Where *w, const Document *d, Map *names) {
  char part[16][WORD_ROOM];
  int n = 0;
  size_t i = w->word;
  while (i > w->item && isspace((unsigned char)w->text[i - 1])) i--;
  for (; i > w->item && w->text[i - 1] == '.' && n < 16; n++) {
    i--;
    while (i > w->item && w->text[i - 1] == '\'') i--;
    if (i > w->item && w->text[i - 1] == ']') {
      int depth = 0;
      do {
        i--;
        depth += w->text[i] == ']' ? 1 : w->text[i] == '[' ? -1 : 0;
      } while (depth > 0 && i > w->item);
    }
    size_t hi = i;
    while (i > w->item && in_name(w->text[i - 1])) i--;
    size_t k = hi - i < WORD_ROOM - 1 ? hi - i : WORD_ROOM - 1;
    memcpy(part[n], w->text + i, k);
    part[n][k] = 0;
  }
  const Named *y = NULL;
  bool of_energy = n == 1 && !strcmp(part[0], "energy");
  for (int k = n - 1; k >= 0; k--) {
    const char *name = intern(d->names->in, part[k]);
    if (k == n - 1) y = names ? map_get(names, name) : NULL;
    else {
      Map *in = names_of_instance(d->names, y);
      y = in ? map_get(in, name) : NULL;
    }
  }
  if (of_energy)
    for (int k = 0; k < 3; k++)
      offer(l, (const char *[]){ "kinetic", "potential", "residue" }[k], IS_PROPERTY, "energy", NULL, '1');
  if (!y) return;
  if (y->kind == NAMED_INSTANCE) offer_map(l, names_of_instance(d->names, y), AST_KINDS, IS_PROPERTY, '1');
  static const char *const body[] = { "r", "R", "spin", "point", "vector", "velocity" },
                          *const row[] = { "lambda", "lambda_t", "force" },
                          *const touch[] = { "count", "deepest", "impulse" };
  bool planes = y->kind == NAMED_BODY, touches = y->kind == NAMED_ROW && y->item->kind == AST_TOUCH;
  for (size_t k = 0; planes && k < sizeof body / sizeof *body; k++)
    offer(l, body[k], IS_PROPERTY, "of a body", NULL, '1');
  for (size_t k = 0; touches && k < 3; k++) offer(l, touch[k], IS_PROPERTY, "of contacts", NULL, '1');
  for (size_t k = 0; y->kind == NAMED_ROW && !touches && k < 3; k++)
    offer(l, row[k], IS_PROPERTY, "of a law", NULL, '1');
}

// ---- places ---------------------------------------------------------------------------------------------------------
static void offer_items(List *l, const Where *w, const Document *d) {
  bool in_model = w->nopen > 0;
  offer_words(l, in_model ? WORD_ITEM : WORD_FILE, IS_KEYWORD, '1');
  if (in_model) offer_map(l, d->names->model, AST_KINDS, IS_CLASS, '2');
  if (in_model) offer_library(l, d, false, IS_CLASS, '3');
}

static void offer_files(List *l, const Where *w, const Document *d) {
  Arena *a = d->now->arena;
  const char *dir = std_dir(a);
  (void)w;
  DIR *folder = opendir(dir);
  for (const struct dirent *f; folder && (f = readdir(folder));) {
    size_t n = strlen(f->d_name);
    if (n > 4 && !strcmp(f->d_name + n - 4, ".nsm"))
      offer(l, arena_printf(a, "std/%s", f->d_name), IS_FILE, "standard library", NULL, '1');
  }
  if (folder) closedir(folder);
}

// In the braces of simulate, of a body, of a contact; false: elsewhere.
static bool offer_in_braces(List *l, const Where *w, const Document *d, const char *head, char sign) {
  bool starts = !sign || sign == ',';
  char word[WORD_ROOM];
  size_t entry = w->word;
  while (entry > w->item && w->text[entry - 1] != ',' && w->text[entry - 1] != '{') entry--;
  where_word(w, entry, 0, word);
  if (!strcmp(head, "simulate")) {
    if (starts) offer_words(l, WORD_ENTRY, IS_PROPERTY, '1');
    else if (!strcmp(word, "scheme")) offer_words(l, WORD_SCHEME, IS_VALUE, '1');
    else return false;
  } else if (!strcmp(head, "body")) {
    if (starts) offer_words(l, WORD_BODY, IS_PROPERTY, '1');
    else if (!strcmp(word, "shape")) offer_words(l, WORD_SHAPE, IS_FUNCTION, '1');
    else if (!strcmp(word, "material")) offer_map(l, d->names->material, AST_KINDS, IS_VALUE, '1');
    else return false;
  } else if (!strcmp(head, "fit") && !sign) {
    offer_words(l, WORD_FIT, IS_PROPERTY, '1');
  } else if ((!strcmp(head, "analyse") || !strcmp(head, "analyze")) && !sign) {
    offer_words(l, WORD_ANALYSE, IS_PROPERTY, '1');
  } else if (!strcmp(head, "draw") && !sign) {
    offer_words(l, WORD_PICTURE, IS_FUNCTION, '1');
  } else if ((!strcmp(head, "contact") || !strcmp(head, "constraint")) && !sign) {
    offer_words(l, WORD_PART, IS_PROPERTY, '1');
  } else return false;
  return true;
}

// The formals of the component whose arguments these are; names of the model fit there as well.
static void offer_formals(List *l, const Where *w, const Document *d) {
  char first[WORD_ROOM];
  where_word(w, w->item, 0, first);
  const Named *model = map_get(d->names->model, intern(d->names->in, first));
  Map *in = model ? map_get(d->names->scope, model->item) : NULL;
  for (size_t i = 0; in && i < map_size(in); i++) {
    const Named *y = map_value_at(in, i);
    if (y->kind == NAMED_FORMAL) offer(l, y->name, IS_PROPERTY, "formal", NULL, '0');
  }
}

static void complete(List *l, const Where *w, const Document *d) {
  char head[WORD_ROOM] = "", first[WORD_ROOM];
  const Open *in = w->nopen ? &w->open[w->nopen - 1] : NULL;
  Map *names = names_here(w, d, w->at);
  char sign = where_sign(w);
  where_word(w, w->item, 0, first);
  if (w->comment) return;
  if (w->string) { if (!strcmp(first, "import")) offer_files(l, w, d); return; }
  if (sign == '.') { offer_members(l, w, d, names); return; }
  if (in && in->bracket == '[' && where_of_unit(w, in->at)) { offer_units(l); return; }
  bool declares = word_story(first, NULL) && strchr("pscmnaidov", *first) && strcmp(first, "constraint") &&
                  strcmp(first, "contact") && strcmp(first, "when");
  if (declares && sign == ':' && (!in || in->bracket == '{')) { offer_units(l); return; }
  if (in && in->bracket == '{') {
    where_word(w, in->item, 0, head);
    if (offer_in_braces(l, w, d, head, sign)) return;
  }
  if (!sign && (!in || in->bracket == '{')) { offer_items(l, w, d); return; }
  if (where_behind(w, "with") && (!in || in->bracket == '{')) { offer_words(l, WORD_LAW, IS_FUNCTION, '1'); return; }
  if (in && in->bracket == '(' && in->item == w->item && (sign == '(' || sign == ',')) offer_formals(l, w, d);
  offer_expression(l, w, d, names);
}

// [3.17, CompletionList]
void answer_completion(Server *s, Document *d, const Json *request, Text *out) {
  (void)s;
  static Where w;                      // one request at a time
  const char *text = text_str(&d->text);
  where_look(&w, text, document_offset(d, request));
  List l = { out, 0, text + w.word, w.at - w.word, map_new(d->now->arena), d->names->in, d->now->source };
  text_add(out, "{\"isIncomplete\":false,\"items\":[");
  complete(&l, &w, d);
  text_add(out, "]}");
}
