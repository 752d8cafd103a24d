// Numbers are written over the spans of the declarations' values: all else of the text stays as it is, comments too.
#include "fitted.h"
#include <string.h>
#include "../../runtime/record/record.h"
#include "../../runtime/shared/unit.h"
#include "../syntax/parse.h"
#include "commands.h"

// What takes the place of text[lo, hi).
typedef struct Change { size_t lo, hi; const char *text; } Change;

static const Ast *in_list(const AstList *list, const char *name, size_t n, int primes) {
  for (int i = 0; i < list->n; i++) {
    const Ast *d = list->at[i];
    if (d->kind == AST_DECL && d->primes == primes && d->list.n == 0 && d->a && strlen(d->name) == n &&
        strncmp(d->name, name, n) == 0)
      return d;
  }
  return NULL;
}

// "part.R": the argument R of an instance, or NULL.
static const Ast *argument(const Ast *model, const char *part, const char *name) {
  size_t n = (size_t)(name - part) - 1;
  for (int i = 0; i < model->list2.n; i++) {
    const Ast *item = model->list2.at[i];
    if (item->kind != AST_INSTANCE || item->list.n || strlen(item->name) != n || strncmp(item->name, part, n)) continue;
    for (int k = 0; k < item->list2.n; k++) if (!strcmp(item->list2.at[k]->name, name)) return item->list2.at[k];
  }
  return NULL;
}

// The declaration of a parameter, or of what has an initial value; NULL: it has none in this model with a value.
static const Ast *declaration(const Ast *model, const char *name) {
  const char *dot = strchr(name, '.');
  if (dot) return argument(model, name, dot + 1);
  size_t n = strlen(name);
  int initial = n > 3 && strcmp(name + n - 3, "(0)") == 0, primes = 0;
  if (initial) n -= 3;
  while (initial && n > 0 && name[n - 1] == '\'') { n--; primes++; }
  for (int i = 0; i < model->list2.n; i++) {
    const Ast *item = model->list2.at[i];
    bool fits = initial ? item->kind == AST_STATE || item->kind == AST_COORD : item->kind == AST_PARAM;
    const Ast *d = fits ? in_list(&item->list, name, n, primes) : NULL;
    if (d) return d;
  }
  return NULL;
}

static const Ast *model_named(const Ast *file, const char *name) {
  for (int i = 0; i < file->list.n; i++)
    if (file->list.at[i]->kind == AST_MODEL && strcmp(file->list.at[i]->name, name) == 0) return file->list.at[i];
  return NULL;
}

static const char *unit_of(const nsm_model *m, const Ast *d, const char *name) {
  if (d->unit) return d->unit;
  if (d->a->unit) return d->a->unit;
  for (int i = 0; i < m->npar; i++)
    if (strcmp((const char *)m->text + m->par[i].name, name) == 0) return (const char *)m->text + m->par[i].unit;
  return "";
}

static Change change_of(Arena *a, const nsm_model *m, const Ast *d, const Fitted *f) {
  const char *unit = unit_of(m, d, f->name);
  char number[NSM_NUMBER_ROOM + 1];
  number[nsm_number(f->value / nsm_unit_scale(unit), number)] = 0;
  const char *text = *unit ? arena_printf(a, "%s [%s]", number, unit) : arena_printf(a, "%s", number);
  return (Change){ d->a->span.lo, d->a->span.hi, text };
}

static int wrong(const char *text) {
  fprintf(stderr, "error: --write: %s\n", text);
  return EXIT_USAGE;
}

static void sort(Change *of, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && of[j].lo < of[j - 1].lo; j--) {
      Change c = of[j];
      of[j] = of[j - 1];
      of[j - 1] = c;
    }
}

static int put(const SourceFile *from, const Change *of, int n, const char *to) {
  Text t = { 0 };
  size_t at = 0;
  for (int i = 0; i < n; at = of[i++].hi) {
    text_addn(&t, from->text + at, of[i].lo - at);
    text_add(&t, of[i].text);
  }
  text_addn(&t, from->text + at, from->len - at);
  int code = write_file(&t, to);
  text_free(&t);
  return code;
}

int write_fitted(Compilation *c, const nsm_model *m, const Fitted *value, int n, const char *to) {
  const Ast *tree = parse_file(c->arena, c->names, c->source, diag_bag_new(c->arena));   // that of c is given back
  const Ast *model = tree ? model_named(tree, (const char *)m->text + m->name) : NULL;
  Change *of = ARENA_ARRAY(c->arena, Change, n + 1);
  for (int i = 0; i < n; i++) {
    const Ast *d = model ? declaration(model, value[i].name) : NULL;
    if (!d)
      return wrong(arena_printf(c->arena, "`%s` has no value of its own in the main model of %s", value[i].name,
                                c->source->path));
    of[i] = change_of(c->arena, m, d, &value[i]);
  }
  sort(of, n);
  return put(c->source, of, n, to);
}
