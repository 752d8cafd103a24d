// C as a compiler needs it: without comments, empty lines and blanks that part nothing, which are two fifths of what
// the sources of an FMU would be in the archive. Text in quotes and lines of the preprocessor keep their blanks.
#include <ctype.h>
#include <string.h>
#include "fmu.h"

// Behind the comment that begins at s, or s where none does.
static const char *behind_comment(const char *s) {
  const char *end = s;
  if (s[0] == '/' && s[1] == '/') end = s + strcspn(s, "\n");
  if (s[0] == '/' && s[1] == '*') end = strstr(s + 2, "*/");
  return !end ? s + strlen(s) : end > s && *s == '/' && s[1] == '*' ? end + 2 : end;
}

// Behind the text in quotes that begins at s.
static const char *behind_quotes(const char *s) {
  char quote = *s++;
  while (*s && *s != quote && *s != '\n') s += *s == '\\' && s[1] ? 2 : 1;
  return *s == quote ? s + 1 : s;
}

static bool of_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Does a blank between these two characters part them? "a - -b" and "a / *b" are other text without.
static bool parts(char before, char behind) {
  return (of_word(before) && of_word(behind)) || before == behind || (before == '/' && behind == '*');
}

static void end_line(Text *out, size_t *line) {
  while (out->n > *line && out->at[out->n - 1] == ' ') out->n--;
  if (out->n > *line) text_addc(out, '\n');
  *line = out->n;
}

void fmu_plain_c(const char *s, Text *out) {
  size_t line = out->n;                                    // where the line begins
  bool blank = false;                                      // one stands between what is written and s
  while (*s) {
    const char *next = behind_comment(s);
    if (next > s || *s == ' ' || *s == '\t') {
      blank = true;
      s = next > s ? next : s + 1;
      continue;
    }
    if (*s == '\n') {
      end_line(out, &line);
      blank = false;
      s++;
      continue;
    }
    next = *s == '"' || *s == '\'' ? behind_quotes(s) : s + 1;
    if (blank && out->n > line && (out->at[line] == '#' || parts(out->at[out->n - 1], *s))) text_addc(out, ' ');
    text_addn(out, s, (size_t)(next - s));
    blank = false;
    s = next;
  }
}
