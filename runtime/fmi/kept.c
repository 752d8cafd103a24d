// States that a master holds: those of state.c in memory of their own, for the calls of both versions of the standard
// (FMI 2.0, 2.1.8; FMI 3.0, 2.2.10).
#include "component.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kept { size_t size; char bytes[]; } kept;

static int refuse(fmi_component *c, const char *call, const char *why) {
  c->error = (nsm_error){ .code = NSM_USAGE };
  snprintf(c->error.text, sizeof c->error.text, "%s: %s", call, why);
  return 0;
}

int fmi_keep(fmi_component *c, void **state, const char *call) {
  if (!state) return refuse(c, call, "no place for the state");
  size_t size = fmi_state_size(c);
  kept *k = *state;
  if (!k || k->size != size) k = malloc(sizeof *k + size);
  if (!k) return refuse(c, call, "not enough memory for a state");
  k->size = size;
  int ok = fmi_save(c, k->bytes);
  if (k != *state) free(ok ? *state : k);
  if (ok) *state = k;
  return ok;
}

int fmi_take_back(fmi_component *c, const void *state, const char *call) {
  const kept *k = state;
  return k ? fmi_restore(c, k->bytes, k->size) : refuse(c, call, "there is no state");
}

void fmi_forget(void **state) {
  if (!state) return;
  free(*state);
  *state = NULL;
}

int fmi_kept_size(fmi_component *c, const void *state, size_t *size, const char *call) {
  if (!state || !size) return refuse(c, call, "there is no state");
  *size = ((const kept *)state)->size;
  return 1;
}

int fmi_kept_bytes(fmi_component *c, const void *state, void *to, size_t size, const char *call) {
  const kept *k = state;
  if (!k || size < k->size) return refuse(c, call, "there is no state, or too little room");
  memcpy(to, k->bytes, k->size);
  return 1;
}

int fmi_keep_bytes(fmi_component *c, const void *from, size_t size, void **state, const char *call) {
  if (!from || !state) return refuse(c, call, "there is no state");
  kept *k = malloc(sizeof *k + size);
  if (!k) return refuse(c, call, "not enough memory for a state");
  k->size = size;
  memcpy(k->bytes, from, size);
  free(*state);
  *state = k;
  return 1;
}
