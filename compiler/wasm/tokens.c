// Text -> tokens. Lines of the preprocessor are skipped, but for `#define NAME NUMBER`.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"

void fail(Unit *u, const char *what) {
  if (!u->wrong) u->wrong = arena_printf(u->a, "%s at \"%.40s\"", what, u->now.at ? u->now.at : "");
  u->at = "";
  u->now = (Token){ .kind = TOKEN_END, .at = "", .name = "" };
}

// #define NAME NUMBER: as a constant. Gives the begin of the next line.
static const char *directive(Unit *u, const char *c) {
  char name[80];
  long value;
  if (sscanf(c, "#define %79s %ld", name, &value) == 2) declare(u, intern(u->words, name), NAME_CONSTANT, &type_int,
                                                                value);
  while (*c && *c != '\n') c += c[0] == '\\' && c[1] ? 2 : 1;
  return c;
}

static const char *spaces(Unit *u, const char *c) {
  for (;;) {
    while (isspace((unsigned char)*c)) c++;
    if (c[0] == '/' && c[1] == '/') c += strcspn(c, "\n");
    else if (c[0] == '/' && c[1] == '*') {
      const char *end = strstr(c + 2, "*/");
      c = end ? end + 2 : c + strlen(c);
    } else if (*c == '#') c = directive(u, c);
    else return c;
  }
}

static void read_number(Unit *u, const char *c) {
  Token *t = &u->now;
  size_t n = strspn(c, "0123456789");
  char *end;
  if (c[n] == '.' || c[n] == 'e' || c[n] == 'E') {
    t->kind = TOKEN_NUMBER;
    t->number = strtod(c, &end);
  } else {
    t->kind = TOKEN_INTEGER;
    t->integer = strtoll(c, &end, 10);
  }
  u->at = end;
  t->name = "";
}

void next(Unit *u) {
  static const char *const pair[] = { "->", "++", "--", "+=", "-=", "<=", ">=", "==", "!=", "&&", "||" };
  const char *c = spaces(u, u->at);
  u->now = (Token){ .at = c, .name = "" };
  size_t n = 0;
  while (isalnum((unsigned char)c[n]) || c[n] == '_') n++;
  if (!*c) { u->at = c; return; }
  if (isdigit((unsigned char)*c)) { read_number(u, c); return; }
  u->now.kind = n ? TOKEN_NAME : TOKEN_SIGN;
  for (size_t i = 0; !n && i < sizeof pair / sizeof *pair; i++) if (!strncmp(c, pair[i], 2)) n = 2;
  if (!n) n = 1;
  u->now.name = intern_n(u->words, c, n);
  u->at = c + n;
}

bool is(const Unit *u, const char *what) { return !strcmp(u->now.name, what); }

bool take(Unit *u, const char *what) {
  if (!is(u, what)) return false;
  next(u);
  return true;
}

void want(Unit *u, const char *what) {
  if (!take(u, what)) fail(u, arena_printf(u->a, "`%s` was expected", what));
}
