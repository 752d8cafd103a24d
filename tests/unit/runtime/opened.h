// A model from a text, compiled and opened. Includers include the headers of cmocka, math, stdio, stdlib and unistd
// before.
#pragma once
#include "tests/unit/compile_text.h"
#include "runtime/clock/clock.h"

static const nsm_settings as_said = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };

typedef struct opened { Compilation *c; Jit *j; nsm_sim *s; } opened;

static opened open_text(const char *text) {
  nsm_error e;
  const char *why = "";
  JitStatus status;
  opened o = { .c = compile_text(text, STAGE_C) };
  o.j = jit_compile(o.c->arena, JIT_TCC, text_str(&o.c->c), &o.c->kernels, &status, &why);
  if (!o.j) fail_msg("%s", why);
  o.s = nsm_open(jit_model(o.j), &as_said, &e);
  if (!o.s) fail_msg("%s", e.text);
  return o;
}

static void close_all(opened o) {
  nsm_close(o.s);
  jit_free(o.j);
  compilation_free(o.c);
}
