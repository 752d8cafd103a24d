// The balance of a node (elab_balance.c), for elab_circuit.c.
#pragma once
#include "elab.h"

// Which flows have an end at the nodes of each variable, ascending.
typedef Vec(int) FlowNumbers;
typedef struct FlowsOfNodes { int n; FlowNumbers *at; } FlowsOfNodes;
FlowsOfNodes flows_of_nodes(Elab *e);
void flows_of_nodes_free(FlowsOfNodes *of);

// The sum of the flows away from the nodes of variable `id`, over their own indices; `held` is the node. False:
// reported.
bool node_balance(Elab *e, int id, const FlowsOfNodes *of, Algebraic *out);
// Nodes that no path of flows connects with a node that is held: reported.
void check_ground(Elab *e);
