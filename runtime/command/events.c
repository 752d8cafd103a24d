// --record-events FILE: every located event, one in a line. Columns of what an event has not are empty.
#include "events.h"
#include <math.h>
#include <string.h>

static const char *const names[] = { "time", "kind", "contact", "before", "after", "impulse", "energy_lost" };
enum { NAMES = sizeof names / sizeof *names, NUMBERS = 4 };

void nsm_events_header(nsm_csv *w) {
  for (int i = 0; i < NAMES; i++) nsm_csv_text(w, names[i], i + 1 == NAMES);
}

static void number(nsm_csv *w, double x, int last) {
  char text[NSM_NUMBER_ROOM + 1];
  text[isnan(x) ? 0 : nsm_number(x, text)] = 0;
  nsm_csv_text(w, text, last);
}

void nsm_events_row(void *with, const nsm_located_event *event) {
  nsm_csv *w = with;
  const double value[NUMBERS] = { event->before, event->after, event->impulse, event->loss };
  number(w, event->time, 0);
  nsm_csv_text(w, event->kind, 0);
  nsm_csv_text(w, event->name, 0);
  for (int i = 0; i < NUMBERS; i++) number(w, value[i], i + 1 == NUMBERS);
}
