// Pieces of event_driven: what located.c, located_find.c and events.c hand over to it (schemes/flow.h).
#pragma once
#include "located.h"
#include "runtime/schemes/flow.h"

// Pieces of a step; a step is so many times as long as one that shows the sets; what has not shown them is made so many
// times as short. REST: a contact comes to rest where its flights end within this part of a step.
enum { FLOW_PIECES = 1000, FLOW_PROBE = 4096, FLOW_SHORTER = 16 };
static const double FLOW_REST = 1e-9;

void     sim_flow_open(nsm_sim *s);                        // what ends a piece
// Sets that the short step at hand has shown, by the state of now. 1: one was not that of now, the step was too long.
// shortest: there is none that is shorter, its begin and its end are one instant
int      sim_flow_mend_sets(nsm_sim *s, int shortest);
void     sim_flow_other_set(nsm_sim *s, int row);          // of a row that ended and was read as it was
// The trial of *length is at hand; where it ended at a root, *length is that. 1: what is at hand is settled
int      sim_flow_found(nsm_sim *s, double *length);
int      sim_flow_is_at(const nsm_sim *s, int when);       // did the trial end where this condition changed? -1: any

// Is the gap of an open contact, or a slip, held at 0 by what is closed and sticks?
static inline int sim_flow_holds_row(const nsm_sim *s, int row) {
  return s->n.flow && s->now.flow_holds[s->a->nwhen + row] == FLOW_HOLDS;
}
int      sim_flow_touches(nsm_sim *s);   // contacts that touch: sets by accelerations and forces; 1: others than before
int      sim_flow_off(nsm_sim *s);       // does a relation inside whose y is kept by its derivative not hold?
void     sim_flow_jump(nsm_sim *s);      // then states jump by the relations inside, so that they do
void     sim_flow_rests(nsm_sim *s);     // slips that others hold at 0 stick

// A switch of an `if` that has changed so often within the step goes on to, at the ends of pieces alone.
enum { SWITCHES = 20 };                                    // as pieces (located.c)
static inline int sim_given_up(const nsm_sim *s, const sim_event *v, int i) {
  return s->a->cls[v->cls].c->switches && s->w.fired[v->base + i] >= SWITCHES;
}
