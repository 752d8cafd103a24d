// The plug-in of smooth motions, looked for once.
#include "flow_solver.h"
#include <pthread.h>
#include <stdio.h>
#include "runtime/record/beside.h"

static const nsm_flow_solver *found;

static void look(void) {
  const nsm_flow_solver *plugin = nsm_beside("libnsm_sundials.so", "nsm_sundials");
  if (plugin && plugin->version == NSM_FLOW_VERSION) found = plugin;
}

const nsm_flow_solver *nsm_flow_plugin(nsm_error *e) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  if (found) return found;
  e->code = NSM_USAGE;
  e->at = (nsm_place){ 0 };
  snprintf(e->text, sizeof e->text,
           "this nsm was built without SUNDIALS, which event_driven steps by: install libsundials-dev and build again, "
           "or take `consistent(order = 4)`, `radau` or `moreau(located = true)`");
  return NULL;
}
