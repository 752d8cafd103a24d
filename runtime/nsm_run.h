// nsm_run.h: the runtime for those who have a model compiled from emitted C: what nsm.h says of simulations, and how
// one is opened from the model itself. Ownership: nsm_open allocates everything of a run; later only the room of active
// rows grows, in rare cases (docs/numerics/sparse.md, 3). One thread per nsm_sim.
#ifndef NSM_RUN_H
#define NSM_RUN_H
#include "../include/nsm.h"
#include "nsm_abi.h"

nsm_sim *nsm_open(const nsm_model *m, const nsm_settings *s, nsm_error *e);      // NULL on error

int  nsm_place_line(const nsm_model *m, nsm_place at, const char **file);  // 0: none
void nsm_print_error(const nsm_model *m, const nsm_error *e, FILE *f);     // "error: ...", and "  --> ball.nsm:9"

// The whole command line of a simulation, shared by `nsm run` and by standalone simulators: flags, CSV, summary, bench,
// Ctrl-C. argv[0] is skipped. compile_s: what the compiler spent (0 for standalone). Returns the exit code.
int nsm_run_command(const nsm_model *m, int argc, char **argv, double compile_s, FILE *out, FILE *err);
// The same as a whole program: `int main(int argc, char **argv) { return nsm_run_main(model, argc, argv); }`.
int nsm_run_main(const nsm_model *m, int argc, char **argv);
#endif
