// The table behind diag_codes.def: name, severity, title and story of every code.
#include <ctype.h>
#include <stddef.h>

#include "diag_bag.h"

typedef enum { ERROR = SEV_ERROR, WARNING = SEV_WARNING, NOTE = SEV_NOTE } SeverityWord;   // as diag_codes.def says it

static const struct { const char *name; SeverityWord severity; const char *title, *story; } codes[] = {
#ifdef NSM_WITHOUT_STORIES                                 // in a page: nobody asks for them
#define DIAG(code, severity, title, story) {#code, severity, title, ""},
#else
#define DIAG(code, severity, title, story) {#code, severity, title, story},
#endif
#include "diag_codes.def"
#undef DIAG
  {NULL, NOTE, NULL, NULL}   // so that the table is never empty
};

Severity    diag_code_severity(DiagCode c) { return (Severity)codes[c].severity; }
const char *diag_code_name(DiagCode c) { return codes[c].name; }
const char *diag_code_title(DiagCode c) { return codes[c].title; }
const char *diag_code_story(DiagCode c) { return codes[c].story; }

// Forgiving in what `nsm explain` gets: e0420 and 420 both mean E0420.
bool diag_code_find(const char *name, DiagCode *out) {
  for (int c = 0; c < DIAG_COUNT; c++) {
    const char *full = codes[c].name, *asked = name;
    if (isdigit((unsigned char)*asked)) {
      full++;
      while (*full == '0') full++;
      while (*asked == '0') asked++;
    }
    while (*full && toupper((unsigned char)*full) == toupper((unsigned char)*asked)) full++, asked++;
    if (!*full && !*asked) {
      *out = (DiagCode)c;
      return true;
    }
  }
  return false;
}
