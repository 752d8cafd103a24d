// Laws of impact that are more than a coefficient of a rate (docs/numerics/impacts.md). A library that knows nothing of
// a simulation: rates before, the Delassus matrix D = H M^-1 H^T of the contacts that take part, and their friction in;
// impulses P and rates after = before + D P out.
//
//   impact.c, parts.c  room, which law; what they share
//   poisson.c          compression and expansion                     [Glocker and Pfeiffer 1995]
//   binary.c           a sequence of single impacts
//   lzb.c              compliant contacts, one time for all          [Liu, Zhao and Brogliato 2008]
//   lzb_friction.c     the same with friction
//   verifier.c         is it an answer? Shares nothing with the others
#pragma once
#include <math.h>
#include <stddef.h>
#include "runtime/cone/problem.h"

// As NSM_IMPACT_... of nsm_abi.h, and in the order of laws.def.
enum { IMPACT_NEWTON, IMPACT_POISSON, IMPACT_BINARY, IMPACT_LZB };

// Rows stand contact by contact, the normal row first. Rates and impulses in the units of the rows.
typedef struct nsm_impact {
  int                   law, m, contacts;
  const double         *D;              // [m*m] column-major
  const double         *before;         // [m]
  const nsm_cone_block *contact;        // [contacts] its rows and coefficients; size 1: no friction, `type` is not read
  const double         *e, *ratio, *exponent;              // [contacts]; the last two of lzb
} nsm_impact;

typedef struct nsm_impact_answer {
  double *impulse, *after;              // [m] out
  double *compression;                  // [m] out: poisson, impulses of its first phase
  double  loss;                         // of energy, by the law's own account; NAN: it keeps none
  double  share;                        // of what comes back: below 1 where a contact gave back less than its law says
} nsm_impact_answer;

// Bytes of work for an impact of m rows; `work` must be aligned as by malloc.
size_t nsm_impact_room(int m, int contacts);
// 0: no answer was found.
int    nsm_impact_solve(const nsm_impact *p, void *work, nsm_impact_answer *a);
// How wrong is an answer? Largest violation of balance, cones, unilaterality and energy, and of what its law says,
// relative to the largest rate, impulse and energy of the problem. Finite numbers only.
double nsm_impact_verify(const nsm_impact *p, const nsm_impact_answer *a);

// ---- for the files of this folder -----------------------------------------------------------------------------------
typedef struct impact_work {
  double *next; int *whole; nsm_cone_block *blocks;        // what is free of each
  void   *cone; size_t cone_bytes;
} impact_work;
static inline double *impact_take(impact_work *w, size_t n) {
  double *at = w->next;
  w->next += n;
  return at;
}
// u += D P
void   impact_apply(const nsm_impact *p, const double *P, double *u);
// Sum of P (from + to)/2: what the impulses do to the energy.
double impact_gain(int m, const double *P, const double *from, const double *to);
static inline double impact_power(double d, double exponent) {      // 1 and 3/2 without the library
  return exponent == 1 ? d : exponent == 1.5 ? d * sqrt(d) : pow(d, exponent);
}
double impact_fastest(const nsm_impact *p);                // largest |rate before|
// Both phases of Poisson's law over some contacts.
typedef struct impact_blow {
  int          *which, n;               // they
  const double *from;                   // [p->m] rates before
  double        scale;                  // of e
  double       *first, *P;              // [p->m] out: impulses of the first phase or NULL, of both; 0 at others
  double        share;                  // as of nsm_impact_answer
} impact_blow;
impact_blow impact_of_all(const nsm_impact *p, const double *from, impact_work *w);        // without scale and results
int    impact_phases(const nsm_impact *p, impact_blow *b, impact_work w);                  // 0: failed
// What a sequence that has no end leaves, from rates u: all contacts with e = 0. Adds to the impulses; *loss: what it
// takes. 0: failed, but where nothing approaches by more than 1e-9 of the fastest rate.
int    impact_rest(const nsm_impact *p, const double *u, impact_work w, nsm_impact_answer *a, double *loss);
int    impact_binary(const nsm_impact *p, impact_work w, nsm_impact_answer *a);
int    impact_lzb(const nsm_impact *p, impact_work w, nsm_impact_answer *a);
int    impact_lzb_friction(const nsm_impact *p, impact_work w, nsm_impact_answer *a);
