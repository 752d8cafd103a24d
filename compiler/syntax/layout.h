// What `nsm fmt` leaves as it stands: line breaks, comments in columns, tables. See layout.c.
#pragma once
#include "../base/source.h"
#include "../base/text.h"

// The canonical text of src, with the layout of src where that is tidy.
void layout_keep(const SourceFile *src, const Text *canonical, Text *out);
