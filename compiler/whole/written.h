// The model written out: every instance of every class, its variables by number, its constants by place.
#pragma once
#include "whole.h"

enum { WRITTEN_INSTANCES = 96, WRITTEN_UNKNOWNS = 24, WRITTEN_ROWS = 16 };

// At the end of the step, at its begin, the increment between them; at other points of a scheme.
typedef enum { AT_END, AT_BEGIN, INCREMENT, AT_OTHER, MOMENTS = AT_OTHER + 2 } Moment;
typedef enum { ROLE_NONE, ROLE_Q, ROLE_V, ROLE_X, ROLE_L, ROLE_CONSTANT, ROLE_TIME, ROLE_TIME0, ROLE_H,
               ROLE_LOCAL } RoleKind;   // LOCAL: a value of the emitted code
typedef struct Role { RoleKind kind; Moment moment; int index; } Role;   // what a symbol of a written expression means

typedef struct Instance {
  const PlanClass *pc;
  int cls, number;              // of the class; of the instance in it
  double loop[MAX_INDICES];
  int *slot;                    // [nslot] index of the variable within its kind; -1: not read here
  int row, l;                   // of a row: its number, its multiplier; -1
} Instance;

typedef struct Written {
  Arena *arena; const Plan *plan; const System *sys; Pool *pool;
  int nq, nx, nz, nl, nd, nrow;
  int n; Instance *at;
  int nconstant, cap_constant; WholeConstant *constant;
  int nrole; Role *role;        // by symbol id
  int nlocal;
  bool located, records;        // for runs that locate their events; that look at each step
} Written;

Written *write_out(Arena *a, const Plan *p);                     // NULL: too large, or not known when compiling
Ex   written(Written *w, const Instance *i, Ex e);               // e of its class, as it reads in this instance
Role written_role(const Written *w, int symbol);
int  written_symbol(Written *w, RoleKind kind, Moment m, int index);       // the symbol of a variable; -1: read nowhere
Ex   written_local(Written *w);                                  // a new one; the symbol's role has its number
Ex   written_at(Written *w, Ex e, Moment q, Moment z);   // at the end -> positions and time, velocities and states then
int  written_z(const Written *w, const Instance *i, int slot);   // its number among z = (v, x); -1
Ex  *written_zeros(Written *w, int n);
int  written_list(const Written *w, ClassKind kind, const Instance ***list);            // the instances of that kind
void written_row(Written *w, const Instance *at, Ex *rate, Ex *H);            // of a row: rate, and H [nz] added
// Rows act by impulses of constraints, contacts and their friction alone: no relations, no rolling, no friction under
// given forces or on constraints, no multipliers in forces.
bool written_by_impulses(const Written *w);
bool written_rebounds(const Written *w, const Instance *contact);          // without friction, with a restitution
int  written_constant(Written *w, const Instance *i, int column);          // place in Written.constant
