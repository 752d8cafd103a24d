// How many columns of a terminal a character takes.
#pragma once
#include <stddef.h>

// s[0, n) is one character in UTF-8. 2: East Asian wide and full-width ones, and pictures (emoji); 0: those that
// combine with the character before; 1: all others.
int char_width(const char *s, size_t n);
// Bytes of the character that begins here; 0: it is not UTF-8.
size_t utf8_length(const char *text, size_t left);
