// Lemke's method on a tableau for intervals (lemke.c, lemke_free.c).
#pragma once
#include "tableau.h"

typedef struct nsm_lemke {
  nsm_tableau    t;
  int           *start; // [m] the basic variables that the path starts with: those that the perturbation belongs to
  double        *sign;  // [m] its sign
  unsigned char *at;    // [m] NSM_LOW or NSM_HIGH: the bound of lambda_i while it is not basic
  unsigned char *inert; // [m] u_i is a redundant free row: it never blocks
} nsm_lemke;

// Makes every free lambda_i basic (u_i = 0). PROPOSED: done. PROVED_NONE: y [m] holds a certificate, to be checked.
nsm_cone_outcome nsm_lemke_eliminate_free(nsm_lemke *k, double *y);
