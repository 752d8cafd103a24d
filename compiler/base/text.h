// Text builder: an append-only string.
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Text { char *at; size_t n, cap; } Text;           // at is NUL-terminated once anything was added

void text_add(Text *t, const char *s);
void text_addn(Text *t, const char *s, size_t n);
void text_addc(Text *t, char c);
void text_printf(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(Text *t, const char *fmt, va_list ap);
void text_integer(Text *t, long long x);
void text_number(Text *t, double x);  // shortest decimal that reads back as x; inf, nan as such
void text_json_string(Text *t, const char *s);                   // quoted and escaped
void text_xml(Text *t, const char *s);    // with <, >, & and " as HTML and XML have them; control characters are blanks
const char *text_str(Text *t);                                   // "" when empty
void text_free(Text *t);

// Is word[0, n) one of the words of a list, which are separated by blanks?
bool list_has(const char *list, const char *word, size_t n);
