// Plug-ins of heavy libraries: modules of their own, opened where something asks for one.
#pragma once

// The symbol `symbol` of the plug-in lib<symbol>.so: near the program, near this code, in the build that made it. NULL:
// it is not there. The caller asks once.
const void *nsm_plugin_open(const char *symbol);
