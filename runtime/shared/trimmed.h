// Words of flags: text[0, n) without the blanks at its ends, cut to room.
#pragma once
#include <stddef.h>
#include <stdio.h>

static inline void nsm_trimmed(char *to, size_t room, const char *text, size_t n) {
  while (n > 0 && *text == ' ') { text++; n--; }
  while (n > 0 && text[n - 1] == ' ') n--;
  snprintf(to, room, "%.*s", (int)n, text);
}
