// A page without scripts, which asks for nothing. Text on it that comes from files is escaped (text_xml).
#pragma once
#include "../base/text.h"

// Up to and with its headline "subject: what"; style: CSS beside that of all of them.
void still_begin(Text *out, const char *subject, const char *what, const char *style);
void still_end(Text *out);
