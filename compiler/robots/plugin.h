// What libnsm_xml.so offers: XML is read by expat, which is opened where a file of it is imported.
#pragma once
#include <stddef.h>

typedef struct XmlEvents {
  void *with;
  void (*start)(void *with, const char *name, const char *const *attribute, size_t at);    // name, value, ..., NULL
  void (*end)(void *with, size_t at);
} XmlEvents;
enum { XML_PLUGIN_VERSION = 1 };
typedef struct XmlPlugin {
  int version;
  // 1; or 0, with what is wrong and its place in the text.
  int (*read)(const char *text, size_t n, const XmlEvents *to, const char **wrong, size_t *at);
} XmlPlugin;
