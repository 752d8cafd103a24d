// Attributes of MJCF and their default classes: an element's own, else those of its class or of the `childclass` around
// it, else of the classes that hold that one.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "mjcf.h"

// The outermost defaults are the class `main`.
static const XmlNode *class_in(const XmlNode *n, const char *name) {
  for (const XmlNode *c = xml_child(n, "default"); c; c = xml_next(c, "default")) {
    const char *own = xml_text(c, "class");
    bool outermost = !own && !strcmp(n->name, "mujoco") && !strcmp(name, "main");
    const XmlNode *inner = outermost || (own && !strcmp(own, name)) ? c : class_in(c, name);
    if (inner) return inner;
  }
  return NULL;
}

static bool is_actuator(const char *tag) {
  return !strcmp(tag, "motor") || !strcmp(tag, "position") || !strcmp(tag, "velocity") || !strcmp(tag, "general");
}

// Defaults of actuators are shared by all of their kinds.
static const char *in_class(const XmlNode *c, const char *tag, const char *name) {
  for (; c && !strcmp(c->name, "default"); c = c->parent)
    for (const XmlNode *n = c->first; n; n = n->next)
      if (!strcmp(n->name, tag) || (is_actuator(tag) && is_actuator(n->name)))
        if (xml_text(n, name)) return xml_text(n, name);
  return NULL;
}

const char *mjcf_text(const Mjcf *m, const XmlNode *n, const char *tag, const char *name, const char *childclass) {
  const char *own = xml_text(n, name), *class = xml_text(n, "class");
  if (own) return own;
  if (!class) class = childclass;
  const XmlNode *c = class ? class_in(m->root, class) : NULL;
  if (c) return in_class(c, tag, name);
  for (c = xml_child(m->root, "default"); c; c = xml_next(c, "default"))
    if (in_class(c, tag, name)) return in_class(c, tag, name);
  return NULL;
}

int mjcf_numbers(Mjcf *m, const XmlNode *n, const char *tag, const char *name, const char *childclass, int count,
                 double *to) {
  const char *text = mjcf_text(m, n, tag, name, childclass);
  int i = 0;
  for (; text && i < count; i++) {
    char *rest;
    text += strspn(text, " \t\r\n");
    if (!*text) break;
    double x = strtod(text, &rest);
    if (rest == text || !isfinite(x)) {
      xml_wrong(m->a, m->wrong, n->at, "`%s` of `%s` has finite numbers, at most %d", name, n->name, count);
      return -1;
    }
    to[i] = x;
    text = rest;
  }
  return i;
}

bool mjcf_known_class(Mjcf *m, const XmlNode *n, const char *attribute) {
  const char *name = xml_text(n, attribute);
  if (!name || !strcmp(name, "main") || class_in(m->root, name)) return true;
  return xml_wrong(m->a, m->wrong, n->at, "there is no default class `%s`", name);
}
