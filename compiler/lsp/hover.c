// What a person wants to know of the name under the cursor: how it is declared, unit, value, documentation; of laws
// what the compiler derived. Words of the language tell their story.
#include "server.h"
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "../syntax/vocabulary.h"

// The declaration as it is written, with the word in front of it, on one line.
static void put_source(Text *t, const Named *y) {
  const SourceFile *f = y->at.file;
  Span all = y->item->span;
  size_t head = all.lo, end = head;
  while (end < f->len && isalpha((unsigned char)f->text[end])) end++;
  bool several = y->decl != y->item && y->kind != NAMED_FORMAL;
  Span of = y->decl->span.file ? y->decl->span : y->at;
  text_add(t, "```nsm\n");
  if (several) { text_addn(t, f->text + head, end - head); text_add(t, " "); }
  bool blank = false;
  for (size_t i = of.lo, n = 0; i < of.hi && n < 300; i++) {
    if (y->kind == NAMED_MODEL && f->text[i] == '{') break;
    bool space = isspace((unsigned char)f->text[i]) != 0;
    if (!space || !blank) text_addc(t, space ? ' ' : f->text[i]), n++;
    blank = space;
  }
  text_add(t, "\n```\n");
}

static const char *what_it_is(const Named *y) {
  switch (y->kind) {
  case NAMED_MODEL: return "model";
  case NAMED_FUNCTION: return "function";
  case NAMED_PARAM: return "parameter";
  case NAMED_FORMAL: return "formal: its value comes from who makes an instance or calls";
  case NAMED_INSTANCE: return "component";
  case NAMED_BODY: return "body";
  case NAMED_INDEX: return "index";
  case NAMED_MATERIAL: return "material";
  case NAMED_FILE: return "file";
  case NAMED_ROW: return y->item->kind == AST_RELATION ? "relation" : y->item->kind == AST_CONSTRAINT ? "constraint"
                       : "contact";
  case NAMED_VARIABLE: break;
  }
  switch (y->item->kind) {
  case AST_COORD: return "generalised coordinate";
  case AST_STATE: return "state of first order";
  case AST_MULTIPLIER: return "multiplier";
  case AST_ALGEBRAIC: return "algebraic unknown";
  case AST_NODE: return "node";
  case AST_INPUT: return "input";
  case AST_DISCRETE: return "discrete variable";
  case AST_OUTPUT: return "output";
  default: return "name of an expression";
  }
}

static bool same_place(Span a, Span b) {
  return a.file && b.file && a.lo == b.lo && !strcmp(a.file->path, b.file->path);
}

// The unit as it is written, else in SI; "" for none.
static const char *shown(const Compilation *c, Unit u) {
  if (u.state == UNIT_KNOWN && u.written) return u.written;
  return unit_shown(c->arena, unit_plain(u), "");
}

// A value in SI, in the unit as it is written.
static void put_quantity(Text *t, const Compilation *c, double x, Unit u) {
  const char *unit = shown(c, u);
  text_number(t, unit == u.written ? x / u.scale : x);
  if (*unit && strcmp(unit, "1")) text_printf(t, " %s", unit);
}

static void put_unit(Text *t, const Compilation *c, Unit u) {
  if (*shown(c, u)) text_printf(t, "- unit: %s\n", shown(c, u));
}

static void put_doc(Text *t, const char *doc) {
  if (doc && *doc) text_printf(t, "- %s\n", doc);
}

// The values of a parameter, one for each instance, up to four.
static void put_values(Text *t, const Compilation *c, const Named *y) {
  const Model *m = c->model;
  int n = 0;
  for (int i = 0; i < m->nparam; i++) {
    const MParam *p = &m->param[i];
    if (!same_place(p->span, y->at)) continue;
    if (n == 0) { put_unit(t, c, p->unit); put_doc(t, p->doc); }
    if (c->system && !isnan(c->system->param_value[i]) && n < 4) {
      text_printf(t, "- value: %s = ", p->name);
      put_quantity(t, c, c->system->param_value[i], p->unit);
      text_add(t, "\n");
    }
    n++;
  }
  if (n > 4) text_printf(t, "- and %d more\n", n - 4);
}

static void put_variables(Text *t, const Compilation *c, const Named *y) {
  const Model *m = c->model;
  int n = 0;
  for (int i = 0; i < m->nvar; i++) {
    const MVar *v = &m->var[i];
    if (!same_place(v->span, y->at) || v->kind == MV_ROW) continue;
    if (n == 0) { put_unit(t, c, v->unit); put_doc(t, v->doc); }
    if (strcmp(v->name, y->name) && n < 4) text_printf(t, "- `%s`\n", v->name);
    n++;
  }
  for (int i = 0; i < m->noutput; i++)
    if (same_place(m->output[i].span, y->decl->span) || same_place(m->output[i].span, y->at)) {
      put_unit(t, c, m->output[i].unit);
      put_doc(t, m->output[i].doc);
      break;
    }
}

// Class, relative degree and levels of a relation, contact or constraint.
static void put_law(Text *t, const Compilation *c, const Named *y) {
  for (int i = 0; c->system && i < c->system->ncls; i++) {
    const SysClass *k = &c->system->cls[i];
    bool row = k->kind == CLASS_RELATION || k->kind == CLASS_CONTACT || k->kind == CLASS_CONSTRAINT;
    if (!row || !same_place(k->span, y->item->span)) continue;
    if (k->inferred && *k->inferred) text_printf(t, "- class: %s\n", k->inferred);
    if (k->reldeg >= 0) text_printf(t, "- relative degree: %d\n", k->reldeg);
    else text_add(t, "- relative degree: none, the multiplier has no influence on it\n");
    return;
  }
}

static void put_named(Text *t, const Compilation *c, const Named *y) {
  if (y->kind == NAMED_FILE) { text_printf(t, "`%s`\n", y->name); return; }
  put_source(t, y);
  text_printf(t, "%s", what_it_is(y));
  if (y->owner) text_printf(t, " of `%s`", y->owner->name);
  text_add(t, "\n\n");
  if (!c || !c->model) return;
  if (y->kind == NAMED_PARAM || y->kind == NAMED_FORMAL) put_values(t, c, y);
  if (y->kind == NAMED_VARIABLE) put_variables(t, c, y);
  if (y->kind == NAMED_ROW) put_law(t, c, y);
}

static void put_word(Text *t, const char *word) {
  for (const WordStory *w = word_story(word, NULL); w; w = word_story(word, w)) {
    text_printf(t, "**%s**: %s\n\n%s\n\n", w->word, w->what, word_group(w->group));
    const char *model = w->story ? strstr(w->story, "model ") : NULL;
    if (w->story && model && (model == w->story || model[-1] == '\n')) {
      text_addn(t, w->story, (size_t)(model - w->story));
      text_printf(t, "```nsm\n%s```\n", model);
    } else if (w->story) text_add(t, w->story);
  }
}

// [3.17, Hover]
void answer_hover(Server *s, Document *d, const Json *request, Text *out) {
  (void)s;
  size_t at = document_offset(d, request), lo = at, hi = at;
  const char *text = text_str(&d->text);
  const NameUse *u = name_at(d->names, d->now->source, at);
  Text t = { 0 };
  while (lo > 0 && (isalnum((unsigned char)text[lo - 1]) || text[lo - 1] == '_')) lo--;
  while (hi < d->text.n && (isalnum((unsigned char)text[hi]) || text[hi] == '_')) hi++;
  Span span = { d->now->source, lo, hi };
  if (u) {
    put_named(&t, d->now->model ? d->now : d->good, u->of);
    span = u->at;
  } else if (hi > lo) put_word(&t, arena_strndup(d->now->arena, text + lo, hi - lo));
  if (t.n) {
    text_add(out, "{\"contents\":{\"kind\":\"markdown\",\"value\":");
    text_json_string(out, text_str(&t));
    text_add(out, "},\"range\":");
    put_range(out, span);
    text_add(out, "}");
  }
  text_free(&t);
}
