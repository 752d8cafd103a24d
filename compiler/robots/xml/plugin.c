// libnsm_xml.so: XML by expat, which opens no other files and limits what entities of a document may grow to.
#include "../plugin.h"
#include <expat.h>

extern const XmlPlugin nsm_xml_plugin;

typedef struct Reading { XML_Parser parser; const XmlEvents *to; } Reading;

static size_t place(const Reading *r) {
  XML_Index at = XML_GetCurrentByteIndex(r->parser);
  return at > 0 ? (size_t)at : 0;
}

static void start(void *with, const char *name, const char **attribute) {
  const Reading *r = with;
  r->to->start(r->to->with, name, (const char *const *)attribute, place(r));
}

static void end(void *with, const char *name) {
  const Reading *r = with;
  (void)name;
  r->to->end(r->to->with, place(r));
}

static int read_text(const char *text, size_t n, const XmlEvents *to, const char **wrong, size_t *at) {
  Reading r = { XML_ParserCreate(NULL), to };
  *at = 0;
  *wrong = "there is no memory to read it";
  if (!r.parser) return 0;
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, start, end);
  int good = XML_Parse(r.parser, text, (int)n, 1) == XML_STATUS_OK;
  if (!good) {
    *wrong = XML_ErrorString(XML_GetErrorCode(r.parser));
    *at = place(&r);
  }
  XML_ParserFree(r.parser);
  return good;
}

const XmlPlugin nsm_xml_plugin = { XML_PLUGIN_VERSION, read_text };
