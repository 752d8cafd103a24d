// The plug-in of lapack.h, opened once.
#include "lapack.h"
#include "runtime/record/beside.h"
#include "runtime/sim.h"
#include "runtime/assembly/assembly.h"

const nsm_lapack *nsm_lapack_plugin(nsm_error *e) {
  static const nsm_lapack *found;
  if (!found) {
    const nsm_lapack *plugin = nsm_beside("libnsm_lapack.so", "nsm_lapack_");
    if (plugin && plugin->version == NSM_LAPACK_VERSION) found = plugin;
  }
  if (!found) sim_fail(e, NSM_FILE, "this nsm was built without LAPACKE: install liblapacke-dev and build again");
  return found;
}
