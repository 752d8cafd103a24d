// Files of HDF5. libhdf5 is large and optional, so what calls it is a plug-in, libnsm_hdf5.so (hdf5/plugin.c), opened
// where an output ends in .h5 or .hdf5; this is what the plug-in offers.
//
// A table is a group with one data set for each column, all of one length, with the attributes `units` and
// `description`. Rows wait in memory until a piece is full or the file is flushed. Between two flushes nothing is
// written that changes what stands in the file, so that a run that is killed leaves one that can be read
// (docs/hdf5.md).
#pragma once
#include "runtime/nsm_run.h"

// unit, description: NULL or "" for none. width: of a column of text, in bytes; 0: numbers.
typedef struct nsm_h5_column { const char *name, *unit, *description; int width; } nsm_h5_column;

// Calls that return int give 1, or 0 where it failed, with the reason in errno, 0 where that is not known.
enum { NSM_H5_VERSION = 1 };
typedef struct nsm_h5 {
  int   version;
  void *(*open)(const char *path);                         // a new file; NULL: failed
  int   (*attribute)(void *file, const char *name, const char *text);          // of the file; an old one is replaced
  int   (*text)(void *file, const char *name, const char *text);               // a data set, of any length
  int   (*value)(void *file, const char *group, const nsm_h5_column *of, double value);
  void *(*table)(void *file, const char *group, const nsm_h5_column *column, int n, long expected);   // NULL: failed
  // One row: numbers value[which[0]], value[which[1]], ... (which NULL: in order) and texts, each in the order of its
  // columns.
  int   (*row)(void *table, const double *value, const int *which, const char *const *text);
  int   (*flush)(void *file);
  int   (*close)(void *file);                              // and all its tables
} nsm_h5;

int nsm_h5_is(const char *path);                           // does the path end as such files do?
const nsm_h5 *nsm_h5_plugin(nsm_error *e);                 // NULL, with the reason: this nsm was built without it
