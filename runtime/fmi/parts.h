// Parts of the runtime that an FMU has where its model needs them; else small/no_PART.c stands for the files of a part
// (CMakeLists.txt). For the compiler.
#ifndef NSM_FMI_PARTS_H
#define NSM_FMI_PARTS_H
#include "runtime/nsm_run.h"

// Schemes of two points, and these of a higher order than 2; schemes of one point; radau; contacts of shapes; friction;
// rows that are no constraints, contacts of schemes of two points among them, solvers of these; laws of impact but
// Newton's; events of sets that are located; the instant of event_driven, for model exchange; steps in pieces.
typedef enum {
  FMI_TWO_POINT, FMI_GALERKIN, FMI_ONE_POINT, FMI_RADAU, FMI_TOUCHING, FMI_FRICTION, FMI_SETS, FMI_CLOSED,
  FMI_SOLVERS, FMI_IMPACTS, FMI_LOCATED, FMI_FLOW, FMI_EVENTS, FMI_PARTS
} fmi_part;
int fmi_needs(const nsm_sim *s, fmi_part part);
#endif
