// The kinds of problem files by their names.
#include "reader.h"
#include <string.h>

static const char *const kinds[NSM_PROBLEM_KINDS] = { "guess", "json", "lcp", "mlcp", "relay", "fc2d", "fc3d" };

const char *nsm_problem_kind_name(nsm_problem_kind k) { return k >= 0 && k < NSM_PROBLEM_KINDS ? kinds[k] : "?"; }

nsm_problem_kind nsm_problem_kind_of(const char *name) {
  int k = NSM_PROBLEM_JSON;
  while (k < NSM_PROBLEM_KINDS && strcmp(kinds[k], name) != 0) k++;
  return (nsm_problem_kind)k;
}
