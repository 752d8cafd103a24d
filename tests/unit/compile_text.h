// A model from a text, compiled up to a stage. Includers include the headers of cmocka, stdio, stdlib, unistd before.
#pragma once
#include "compiler/api/pipeline.h"

// Fails with the diagnostics and the text where it does not compile; to be freed with compilation_free.
static Compilation *compile_text(const char *text, PipelineStage until) {
  char path[] = "/tmp/nsm-unit-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *f = fdopen(fd, "w");
  fputs(text, f);
  fclose(f);
  Compilation *c = compilation_new();
  PipelineOptions o = { .path = path };
  bool ok = compile_to(c, &o, until, NULL);
  remove(path);
  if (!ok) {
    compilation_report(c, stderr);
    fail_msg("does not compile:\n%s", text);
  }
  return c;
}
