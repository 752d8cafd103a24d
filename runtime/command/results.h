// A run as a file of HDF5 (docs/hdf5.md): trajectory, parameters, contacts of shapes, located events, summary, model.
#pragma once
#include "command.h"
#include "summary.h"

typedef struct nsm_results nsm_results;
// Its rows: columns of nsm_read, from nsm_ncolumn on the energies of that name; `every`: the steps between them.
typedef struct nsm_results_rows {
  const int         *column;            // [ncolumn]
  int                ncolumn;
  const char *const *energy;
  long               every;
} nsm_results_rows;
// NULL with the reason in e.
nsm_results *nsm_results_open(const char *path, nsm_sim *s, const nsm_host *host, nsm_results_rows rows, nsm_error *e);
// 0: it could not be written; nsm_results_close says why.
int      nsm_results_row(nsm_results *r, const double *row);
void     nsm_results_event(nsm_results *r, const nsm_located_event *event);
int      nsm_results_failed(const nsm_results *r, const char *path, nsm_error *e);   // 1 with the reason
// Writes how the run went, where m is given, and closes the file. Frees r.
nsm_code nsm_results_close(nsm_results *r, const nsm_summary *m, const char *path, nsm_error *e);
