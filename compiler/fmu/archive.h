// What libnsm_zip.so offers: archives are written by libzip, which is opened where one is asked for.
#pragma once
#include <stddef.h>

typedef struct ZipEntry { const char *name; const void *bytes; size_t n; } ZipEntry;
enum { ZIP_VERSION = 1 };
typedef struct ZipPlugin {
  int version;
  // Writes these entries, deflated, dated 1980-01-01, so that the same contents give the same bytes. 1, or 0 with the
  // reason in why[room].
  int (*write)(const char *path, const ZipEntry *entry, int n, char *why, size_t room);
} ZipPlugin;
