// The state of an instance as bytes: what was set, where it is, and the state of the simulation. One walk over parts
// measures, writes and reads them.
#include "component.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/shared/sum.h"

typedef struct head {
  uint64_t sum;                                            // of all behind it
  uint64_t model;                                          // of the names of the model
  uint64_t bytes;
  int      phase, at_event, stopped, none;
  double   start, until, time;
} head;

typedef enum { MEASURE, WRITE, READ } direction;

static size_t part(char *at, void *value, size_t bytes, direction d) {
  if (d == WRITE) memcpy(at, value, bytes);
  if (d == READ) memcpy(value, at, bytes);
  return bytes;
}

// What was set, behind the head; how many bytes.
static size_t values(const fmi_component *c, char *at, direction d) {
  size_t columns = (size_t)c->ncolumn, n = 0;
  n += part(at + n, c->parameter, (size_t)c->m->npar * sizeof(double), d);
  n += part(at + n, c->initial, columns * sizeof(double), d);
  n += part(at + n, c->before, columns * sizeof(double), d);
  n += part(at + n, c->input, (size_t)c->ninput * sizeof(double), d);
  n += part(at + n, c->given, (size_t)c->m->npar + columns + (size_t)c->ninput, d);
  return n;
}

static uint64_t name_of(const fmi_component *c) {
  uint64_t sum = nsm_sum(&c->m->version, sizeof c->m->version);
  for (int i = 0; i < c->nvariable; i++) sum ^= nsm_sum(c->variable[i].name, strlen(c->variable[i].name)) + (sum << 7);
  return sum;
}

size_t fmi_state_size(const fmi_component *c) {
  return sizeof(head) + values(c, NULL, MEASURE) + nsm_state_size(c->s);
}

int fmi_save(fmi_component *c, void *to) {
  if (!fmi_fresh(c)) return 0;
  char *at = to;
  head h = { .model = name_of(c), .bytes = fmi_state_size(c), .phase = (int)c->phase, .at_event = c->at_event,
             .stopped = c->stopped, .start = c->start, .until = c->until, .time = c->time };
  size_t n = sizeof h + values(c, at + sizeof h, WRITE);
  nsm_save(c->s, at + n);
  memcpy(at, &h, sizeof h);
  h.sum = nsm_sum(at + sizeof h.sum, h.bytes - sizeof h.sum);
  memcpy(at, &h, sizeof h);
  return 1;
}

static int refuse(fmi_component *c, const char *why) {
  c->error = (nsm_error){ .code = NSM_USAGE };
  snprintf(c->error.text, sizeof c->error.text, "this is no state of an instance of this FMU: %s", why);
  return 0;
}

static int other_simulation(const fmi_component *c, const head *h, const char *values_at) {
  size_t n = (size_t)c->m->npar;
  const char *given = values_at + n * sizeof(double) + (2 * (size_t)c->ncolumn + (size_t)c->ninput) * sizeof(double);
  return memcmp(&h->start, &c->start, sizeof h->start) != 0 || memcmp(&h->until, &c->until, sizeof h->until) != 0 ||
         memcmp(values_at, c->parameter, n * sizeof(double)) != 0 ||
         memcmp(given, c->given, n) != 0;
}

int fmi_restore(fmi_component *c, const void *from, size_t size) {
  const char *at = from;
  head h;
  if (size < sizeof h) return refuse(c, "it is too short");
  memcpy(&h, at, sizeof h);
  if (h.bytes != size) return refuse(c, "its length is another one");
  if (h.sum != nsm_sum(at + sizeof h.sum, size - sizeof h.sum)) return refuse(c, "bytes of it were altered");
  if (h.model != name_of(c)) return refuse(c, "it is of another model");
  char *own = malloc(fmi_state_size(c));
  if (!own) return refuse(c, "there is no memory to take it");
  if (!fmi_save(c, own)) { free(own); return 0; }
  int anew = other_simulation(c, &h, at + sizeof h);
  c->start = h.start;
  c->until = h.until;
  size_t n = sizeof h + values(c, (char *)(uintptr_t)at + sizeof h, READ);
  int ok = !anew || fmi_reopen(c);
  // Its size may be another one than that of the simulation at hand, which has room for fewer contacts of shapes.
  ok = ok && n < size && nsm_restore(c->s, at + n, &c->error) == NSM_OK;
  if (ok) {
    c->phase = (fmi_phase)h.phase;
    c->at_event = h.at_event;
    c->stopped = h.stopped;
    c->time = h.time;
    c->known = 0;
  } else {
    nsm_error why = c->error;
    head back;
    memcpy(&back, own, sizeof back);
    c->start = back.start;
    c->until = back.until;
    n = sizeof back + values(c, own + sizeof back, READ);
    if (anew && !fmi_reopen(c)) ok = 0;
    else nsm_restore(c->s, own + n, &c->error);
    c->error = why;
  }
  free(own);
  return ok;
}
