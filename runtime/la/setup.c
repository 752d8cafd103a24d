// One thread for the BLAS: its threads cost more than they give at our sizes, and change the order of sums between
// runs.
#include "la.h"

void openblas_set_num_threads(int threads); // OpenBLAS, not part of the CBLAS header

void nsm_la_init(void) { openblas_set_num_threads(1); }
