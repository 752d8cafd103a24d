// Plug-ins of the runtime: libraries of their own for what is optional, opened where it is asked for.
#pragma once

// What plug-in `file` (libnsm_hdf5.so) offers under `symbol`; NULL: it is not there. It stays open.
const void *nsm_beside(const char *file, const char *symbol);
