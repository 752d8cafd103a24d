// The table behind diag_codes.def: name, severity and title of every code; its story, a section of docs/errors.md.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "diag_bag.h"

typedef enum { ERROR = SEV_ERROR, WARNING = SEV_WARNING, NOTE = SEV_NOTE } SeverityWord;   // as diag_codes.def says it

static const struct { const char *name; SeverityWord severity; const char *title; } codes[] = {
#define DIAG(code, severity, title) {#code, severity, title},
#include "diag_codes.def"
#undef DIAG
  {NULL, NOTE, NULL}   // so that the table is never empty
};

#ifdef NSM_WITHOUT_STORIES                                 // in a page: nobody asks for them
static const char diag_stories[] = "";
#else
extern const char diag_stories[];                          // docs/errors.md
#endif

Severity    diag_code_severity(DiagCode c) { return (Severity)codes[c].severity; }
const char *diag_code_name(DiagCode c) { return codes[c].name; }
const char *diag_code_title(DiagCode c) { return codes[c].title; }

// What stands below the heading "## E0123 title".
const char *diag_code_story(DiagCode c, size_t *n) {
  size_t length = strlen(codes[c].name);
  const char *at = diag_stories, *end;
  do {
    at = strstr(at, "\n## ");
    if (!at) { *n = 0; return ""; }
    at += 4;
  } while (strncmp(at, codes[c].name, length) != 0);
  at = strchr(at, '\n') + 2;
  end = strstr(at, "\n\n## ");
  *n = end ? (size_t)(end + 1 - at) : strlen(at);
  return at;
}

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
