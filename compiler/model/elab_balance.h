// The balance of a node (elab_balance.c), for elab_circuit.c.
#pragma once
#include "elab.h"

// The sum of the flows away from the nodes of variable `id`, over their own indices; `held` is the node. False:
// reported.
bool node_balance(Elab *e, int id, Algebraic *out);
// Nodes that no path of flows connects with a node that is held: reported.
void check_ground(Elab *e);
