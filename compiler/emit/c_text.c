// Numbers and comments of C.
#include <math.h>
#include <string.h>
#include "c_text.h"

void c_number(double x, Text *out) {
  if (isnan(x)) { text_add(out, "(0.0/0.0)"); return; }
  if (isinf(x)) { text_add(out, x < 0 ? "(-1.0/0.0)" : "(1.0/0.0)"); return; }
  size_t before = out->n;
  text_number(out, x);
  if (!strpbrk(out->at + before, ".e")) text_add(out, ".0");
}

// What a model's author wrote may stand in a comment, and cannot leave it: printable ASCII, '*' never before '/', nor
// '/' before '*', no backslash (line splices, \u), no "??" (trigraphs).
void c_comment(const char *text, Text *out) {
  text_add(out, "/* ");
  char last = ' ';
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    char now = *c >= 0x20 && *c < 0x7f ? (char)*c : *c == '\t' || *c == '\n' ? ' ' : '.';
    if (now == '\\') now = '|';
    if ((last == '*' && now == '/') || (last == '/' && now == '*') || (last == '?' && now == '?') ||
        (last == '/' && now == '/'))
      text_addc(out, ' ');
    text_addc(out, now);
    last = now;
  }
  text_add(out, " */");
}
