// The touches of a pair while they are gathered, in the axes of the pair's A.
#ifndef NSM_SHAPES_LIST_H
#define NSM_SHAPES_LIST_H
#include "core.h"

typedef struct {
  const nsm_core_pair *pair;
  nsm_touch *out;
  int n, room;
  double margin;  // no gap above it
  double least;   // no gap below it but for round-off: the signed distance of the shapes
} nsm_touch_list;

// Adds a touch; when the list is full the one of the largest gap goes. Returns whether the touch was within
// [least, margin).
int nsm_list_add(nsm_touch_list *list, const nsm_touch *touch);

// Measures features a and b of the pair and adds them where the normal is within 60 degrees of n, or n is NULL.
int nsm_list_measure(nsm_touch_list *list, uint64_t a, uint64_t b, uint64_t mark, const double *n);

// The form of a feature of B in A's axes.
int nsm_pair_form_b(const nsm_core_pair *pair, uint64_t feature, nsm_form *form);

// Whether a touch stands within `close` of a place on B with nearly this normal.
int nsm_list_covers(const nsm_touch_list *list, const double *on_b, const double *normal, double close);

// The smallest gap of the list, INFINITY where it is empty.
double nsm_list_least(const nsm_touch_list *list);

#endif
