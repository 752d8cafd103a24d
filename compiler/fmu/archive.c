// The archive is made beside its place and renamed, so that it is whole or not there.
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../api/installed.h"
#include "../base/ending.h"
#include "archive.h"
#include "fmu.h"

const char *fmu_platform(int version) {
#if defined(__x86_64__)
  return version == 3 ? "x86_64-linux" : "linux64";
#elif defined(__i386__)
  return version == 3 ? "x86-linux" : "linux32";
#else
  return version == 3 ? "aarch64-linux" : "linuxaarch64";
#endif
}

static const ZipPlugin *plugin(Arena *a, const char **why) {
  void *library = dlopen(arena_printf(a, "%s/libnsm_zip.so", installed(a)->lib), RTLD_NOW | RTLD_LOCAL);
  const ZipPlugin *p = library ? dlsym(library, "nsm_zip_plugin") : NULL;
  if (p && p->version == ZIP_VERSION) return p;
  *why = "this nsm was built without libzip, so it writes no FMU\nhelp: install libzip-dev and build nsm again";
  return NULL;
}

bool fmu_read(Arena *a, FmuFile *f, const char **why) {
  FILE *in = fopen(f->path, "rb");
  Text t = { 0 };
  char piece[1 << 16];
  for (size_t n; in && (n = fread(piece, 1, sizeof piece, in)) > 0;) text_addn(&t, piece, n);
  bool good = in && !ferror(in);
  if (!good) *why = arena_printf(a, "%s: %s", f->path, strerror(errno));
  if (in) fclose(in);
  Text c = { 0 };
  if (f->plain) fmu_plain_c(text_str(&t), &c);
  Text *kept = f->plain ? &c : &t;
  f->text = arena_strndup(a, text_str(kept), kept->n);
  f->n = kept->n;
  text_free(&t);
  text_free(&c);
  return good;
}

bool fmu_archive(Arena *a, const char *path, const FmuFiles *files, const char **why) {
  const ZipPlugin *zip = plugin(a, why);
  ZipEntry *entry = ARENA_ARRAY(a, ZipEntry, files->n + 1);
  for (size_t i = 0; zip && i < files->n; i++) {
    FmuFile *f = &files->at[i];
    if (f->path && !f->text && !fmu_read(a, f, why)) return false;
    entry[i] = (ZipEntry){ f->name, f->text, f->n };
  }
  char reason[512] = "";
  if (!zip) return false;
  const char *beside = arena_printf(a, "%s.%ld", path, (long)getpid());
  bool good = zip->write(beside, entry, (int)files->n, reason, sizeof reason) && rename(beside, path) == 0;
  if (!good) {
    *why = *reason ? arena_strndup(a, reason, strlen(reason)) : strerror(errno);
    unlink(beside);
  }
  return good;
}
