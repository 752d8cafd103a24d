// The tree is made from the events of the plug-in; spans are those of the opening tags.
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "../api/installed.h"
#include "plugin.h"
#include "xml_tree.h"

typedef struct Building { Arena *a; const SourceFile *f; XmlNode *root, *at; } Building;

bool xml_wrong(Arena *a, RobotWrong *wrong, Span at, const char *format, ...) {
  if (wrong->what) return false;
  Text t = { 0 };
  va_list list;
  va_start(list, format);
  text_vprintf(&t, format, list);
  va_end(list);
  *wrong = (RobotWrong){ arena_strndup(a, text_str(&t), t.n), at };
  text_free(&t);
  return false;
}

static const char *copied(Arena *a, const char *text) { return arena_strndup(a, text, strlen(text)); }

static void start(void *with, const char *name, const char *const *attribute, size_t at) {
  Building *b = with;
  XmlNode *n = ARENA_NEW(b->a, XmlNode);
  int count = 0;
  while (attribute[count]) count++;
  size_t end = at;
  while (end < b->f->len && b->f->text[end] != '>' && b->f->text[end] != '\n') end++;
  *n = (XmlNode){ .name = copied(b->a, name), .parent = b->at, .at = { b->f, at, end < b->f->len ? end + 1 : end } };
  n->attribute = ARENA_ARRAY(b->a, const char *, count + 1);
  for (int i = 0; i < count; i++) n->attribute[i] = copied(b->a, attribute[i]);
  n->attribute[count] = NULL;
  n->taken = ARENA_ARRAY(b->a, bool, count / 2 + 1);
  if (!b->at) b->root = n;
  else if (b->at->last) b->at->last = b->at->last->next = n;
  else b->at->first = b->at->last = n;
  b->at = n;
}

static void end(void *with, size_t at) {
  Building *b = with;
  (void)at;
  b->at = b->at->parent;
}

XmlNode *xml_read(Arena *a, const SourceFile *f, RobotWrong *wrong) {
  void *library = dlopen(arena_printf(a, "%s/libnsm_xml.so", installed(a)->lib), RTLD_NOW | RTLD_LOCAL);
  const XmlPlugin *plugin = library ? dlsym(library, "nsm_xml_plugin") : NULL;
  if (!plugin || plugin->version != XML_PLUGIN_VERSION) {
    xml_wrong(a, wrong, (Span){ 0 }, "this nsm was built without expat, so it reads no XML\n"
              "help: install libexpat1-dev and build nsm again");
    return NULL;
  }
  Building b = { .a = a, .f = f };
  const XmlEvents events = { &b, start, end };
  const char *what;
  size_t at;
  if (plugin->read(f->text, f->len, &events, &what, &at)) return b.root;
  if (at >= f->len) at = f->len ? f->len - 1 : 0;
  xml_wrong(a, wrong, (Span){ f, at, at + 1 }, "this is no XML: %s", what);
  return NULL;
}

const char *xml_text(const XmlNode *n, const char *name) {
  int i = 0;
  for (; n && n->attribute[2 * i]; i++)
    if (!strcmp(n->attribute[2 * i], name)) {
      n->taken[i] = true;
      return n->attribute[2 * i + 1];
    }
  if (n) n->taken[i] = true;
  return NULL;
}

void xml_take(const XmlNode *n) {
  for (int i = 0; n->attribute[2 * i]; i++) n->taken[i] = true;
}

XmlNode *xml_next(const XmlNode *n, const char *name) {
  XmlNode *at = n->next;
  while (at && strcmp(at->name, name) != 0) at = at->next;
  return at;
}

XmlNode *xml_child(const XmlNode *n, const char *name) {
  XmlNode *at = n ? n->first : NULL;
  while (at && strcmp(at->name, name) != 0) at = at->next;
  return at;
}

bool xml_numbers(Arena *a, const XmlNode *n, const char *name, int count, double *to, RobotWrong *wrong) {
  const char *text = xml_text(n, name);
  for (int i = 0; i < count; i++) to[i] = 0;
  for (int i = 0; text && i < count; i++) {
    char *rest;
    to[i] = strtod(text, &rest);
    if (rest == text || !isfinite(to[i]))
      return xml_wrong(a, wrong, n->at, "`%s` of `%s` has %d finite number%s", name, n->name, count,
                       count == 1 ? "" : "s");
    text = rest;
  }
  return true;
}
