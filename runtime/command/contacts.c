// --contacts FILE: every contact of shapes of the recorded steps, one in a line: where it was as the step began, what
// it did in the step. Impulses act on the second body, in world axes.
#include "contacts.h"
#include "runtime/clock/clock.h"
#include <stdlib.h>
#include <string.h>

static const char *const names[] = { "time", "contact", "A", "B", "feature", "gap", "x", "y", "z", "nx", "ny", "nz",
                                     "impulse", "tx", "ty", "tz", "struck", "sx", "sy", "sz", "added" };
enum { NAMES = sizeof names / sizeof *names, NUMBERS = NAMES - 5 };

void nsm_contacts_header(nsm_csv *w) {
  for (int i = 0; i < NAMES; i++) nsm_csv_text(w, names[i], i + 1 == NAMES);
}

void nsm_contacts_row(const nsm_sim *s, nsm_csv *w) {
  static const int column[NUMBERS] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
  sim_contact c;
  for (int i = 0; sim_touch_contact(s, i, &c); i++) {
    char text[NSM_NUMBER_ROOM + 1], feature[32];
    text[nsm_number(nsm_time(s), text)] = 0;
    snprintf(feature, sizeof feature, "%lx", c.feature);
    const char *field[] = { text, c.name, c.a, c.b, feature };
    for (int k = 0; k < 5; k++) nsm_csv_text(w, field[k], 0);
    double row[NUMBERS] = { c.gap };
    memcpy(row + 1, c.at, sizeof c.at);
    memcpy(row + 4, c.normal, sizeof c.normal);
    row[7] = c.impulse;
    memcpy(row + 8, c.slip, sizeof c.slip);
    row[11] = c.struck;
    memcpy(row + 12, c.struck_slip, sizeof c.struck_slip);
    row[15] = c.added;
    nsm_csv_row(w, row, column, NUMBERS);
  }
}
