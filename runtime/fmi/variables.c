// The list of variables. "bead[2].z" has the pattern "bead[%].z" and the index 2: an array is a run of names of one
// pattern whose indices count through a box, the last one fastest, as arrays of FMI 3 are laid out.
#include "variables.h"
#include "runtime/sim.h"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

typedef struct indexed { char pattern[FMI_NAME], plain[FMI_NAME]; int n, at[NSM_MOST_INDICES]; } indexed;

static indexed take_apart(const char *name) {
  indexed x = { .n = 0 };
  char *to = x.pattern, *plain = x.plain;
  while (*name) {
    char *end = NULL;
    long i = *name == '[' ? strtol(name + 1, &end, 10) : 0;
    int is_index = end && end > name + 1 && (*end == ']' || *end == ',') && x.n < NSM_MOST_INDICES;
    while (is_index) {                                     // k[1,2] has two
      x.at[x.n++] = (int)i;
      *to++ = '%';
      name = end + 1;
      if (*end == ']') break;
      i = strtol(name, &end, 10);
      is_index = end > name && (*end == ']' || *end == ',') && x.n < NSM_MOST_INDICES;
    }
    if (!is_index) *to++ = *plain++ = *name++;
  }
  *to = *plain = 0;
  return x;
}

static fmi_variable variable_at(const nsm_model *m, nsm_sim *s, uint32_t reference) {
  int i = (int)(reference & FMI_NUMBER);
  const char *text = (const char *)m->text;
  fmi_variable v = { .reference = reference, .count = 1, .unit = "", .doc = "" };
  if (reference < FMI_PARAMETER) {
    v.column = nsm_kind_of_column(s, i);
    v.unit = nsm_column_unit(s, i);
    strncpy(v.name, nsm_column_name(s, i), FMI_NAME - 1);
  } else if (reference < FMI_INPUT) {
    const nsm_par *p = &m->par[i];
    v.unit = text + p->unit;
    v.doc = text + p->doc;
    v.structural = p->structural;
    strncpy(v.name, text + p->name, FMI_NAME - 1);
  } else if (reference < FMI_DERIVATIVE) {
    v.unit = nsm_input_unit(s, i);
    strncpy(v.name, nsm_input_name(s, i), FMI_NAME - 1);
  } else {
    v.column = NSM_COLUMN_ENERGY;                          // computed, and never set
    snprintf(v.name, FMI_NAME, "der(%.240s)", nsm_column_name(s, 1 + i));
  }
  return v;
}

// Do the first n of these names count through a box? Its sides.
static int is_box(const indexed *x, int n, int *dim) {
  int d = x->n, at[NSM_MOST_INDICES];
  size_t product = 1;
  for (int k = 0; k < d; k++) dim[k] = x[n - 1].at[k] - x->at[k] + 1;
  for (int k = 0; k < d; k++) {
    if (dim[k] < 1) return 0;
    product *= (size_t)dim[k];
  }
  if (product != (size_t)n) return 0;
  memcpy(at, x->at, sizeof at);
  for (int i = 0; i < n; i++) {
    if (memcmp(at, x[i].at, (size_t)d * sizeof *at) != 0) return 0;
    for (int k = d - 1; k >= 0 && ++at[k] >= x->at[k] + dim[k]; k--) at[k] = x->at[k];
  }
  return 1;
}

// A model for it is compiled with the kernels of event_driven, which an FMU for co-simulation never is.
int fmi_exchange_model(const nsm_model *m) { return m->scheme == NSM_SCHEME_EVENT_DRIVEN; }

int fmi_state_count(const nsm_sim *s) {
  int n = 0;
  while (1 + n < nsm_ncolumn(s) && nsm_kind_of_column(s, 1 + n) == NSM_COLUMN_STATE) n++;
  return n;
}

static int same_kind(const fmi_variable *a, const fmi_variable *b) {
  return a->column == b->column && a->structural == b->structural && strcmp(a->unit, b->unit) == 0;
}

// Variables first, first + 1, ... of a kind, behind the n that are listed; x: room for their names.
static int list_kind(fmi_variable *list, int n, int count, int arrays, indexed *x) {
  fmi_variable *of = list + n;
  for (int i = 0; i < count; i++) x[i] = take_apart(of[i].name);
  int made = 0;
  for (int i = 0, run; i < count; i += run) {
    fmi_variable v = of[i];
    int dim[NSM_MOST_INDICES];
    for (run = 1; arrays && x[i].n > 0 && i + run < count; run++)
      if (strcmp(x[i].pattern, x[i + run].pattern) != 0 || !same_kind(&v, &of[i + run])) break;
    if (arrays && x[i].n > 0 && is_box(x + i, run, dim)) {
      v.ndim = x[i].n;
      memcpy(v.dim, dim, sizeof dim);
      v.count = run;
      memcpy(v.name, x[i].plain, FMI_NAME);
    } else run = 1;
    of[made++] = v;
  }
  return n + made;
}

fmi_variable *fmi_variables(const nsm_model *m, nsm_sim *s, int arrays, int *n) {
  const int count[] = { nsm_ncolumn(s), m->npar, nsm_ninput(s), fmi_exchange_model(m) ? fmi_state_count(s) : 0 };
  const uint32_t kind[] = { FMI_COLUMN, FMI_PARAMETER, FMI_INPUT, FMI_DERIVATIVE };
  int all = count[0] + count[1] + count[2] + count[3];
  fmi_variable *list = calloc((size_t)all + 1, sizeof *list);
  indexed *x = calloc((size_t)all + 1, sizeof *x);
  *n = 0;
  for (int k = 0; list && x && k < 4; k++) {
    for (int i = 0; i < count[k]; i++) list[*n + i] = variable_at(m, s, kind[k] + (uint32_t)i);
    *n = list_kind(list, *n, count[k], arrays, x);
  }
  free(x);
  if (x) return list;
  free(list);
  return NULL;
}
