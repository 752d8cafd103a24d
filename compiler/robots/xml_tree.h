// A document of XML as a tree, and what is asked of it.
#pragma once
#include "robots.h"

typedef struct XmlNode {
  const char *name;
  const char **attribute;               // name, value, ..., NULL
  bool *taken;                          // [attributes] it was asked for; one more: for some that it does not have
  struct XmlNode *parent, *first, *last, *next;
  Span at;                              // of its opening tag
} XmlNode;

// NULL: *wrong is told.
XmlNode *xml_read(Arena *a, const SourceFile *f, RobotWrong *wrong);
const char *xml_text(const XmlNode *n, const char *name);  // of an attribute; NULL: it has none
void xml_take(const XmlNode *n);                           // all attributes
XmlNode *xml_child(const XmlNode *n, const char *name);    // the first; NULL; n may be NULL
XmlNode *xml_next(const XmlNode *n, const char *name);     // the next one of this name behind n
// The numbers of an attribute into to[count], 0 where there is none. False: it is written wrongly, and *wrong is told.
bool xml_numbers(Arena *a, const XmlNode *n, const char *name, int count, double *to, RobotWrong *wrong);
bool xml_wrong(Arena *a, RobotWrong *wrong, Span at, const char *format, ...) __attribute__((format(printf, 4, 5)));
