// The variables of a model as FMI sees them (docs/fmi.md): columns of results, parameters, inputs. The compiler writes
// them into modelDescription.xml; an instance asks how many values a reference stands for. Both make the list from an
// open simulation, so that they agree.
#ifndef NSM_FMI_VARIABLES_H
#define NSM_FMI_VARIABLES_H
#include <stdint.h>
#include "runtime/nsm_run.h"

// A value reference is the kind of a variable and its number among them: of columns, of parameters, of inputs, of
// derivatives of states (model exchange alone), whose number i is that of column 1 + i. The next element of an array
// has the next number.
enum { FMI_COLUMN = 0, FMI_PARAMETER = 1 << 24, FMI_INPUT = 2 << 24, FMI_DERIVATIVE = 3 << 24,
       FMI_NUMBER = (1 << 24) - 1 };
enum { FMI_NAME = 256 };

typedef struct fmi_variable {
  uint32_t reference;
  char     name[FMI_NAME];                                 // of an array without its indices: "bead.z"
  const char *unit, *doc;                                  // as the model shows it; "" for none
  nsm_column_kind column;                                  // of columns
  int      structural;                                     // of parameters: fixed in the code
  int      ndim, dim[NSM_MOST_INDICES];                    // 0: a number
  int      count;                                          // of elements
} fmi_variable;

// arrays: neighbours that differ by their indices alone, and fill a box of these, are one variable; else each element
// is one. To be freed; NULL: no memory. *n: how many.
int fmi_exchange_model(const nsm_model *m);                // is the FMU for model exchange?
int fmi_state_count(const nsm_sim *s);                     // columns of states: 1, 2, ...
fmi_variable *fmi_variables(const nsm_model *m, nsm_sim *s, int arrays, int *n);
#endif
