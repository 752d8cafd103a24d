// The file of --record-events.
#pragma once
#include "runtime/record/record.h"

void nsm_events_header(nsm_csv *w);
void nsm_events_row(void *w, const nsm_located_event *event);   // an nsm_event_hook; w: nsm_csv
