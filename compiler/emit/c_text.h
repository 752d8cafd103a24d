// The smallest parts of C: numbers and comments.
#pragma once
#include "../base/text.h"

void c_number(double x, Text *out);  // a double constant that reads back bit by bit; inf and nan as divisions
void c_comment(const char *text, Text *out);  // printable ASCII without comment marks, backslashes and trigraphs
