// Bodies: what contacts have in common. M of a graph of contacts as  M = H S H^T + E,  H with a few columns for each
// body, S = diag(+-1), E block diagonal; so that Newton systems can be solved on the bodies (bodies.c, body_graph.c,
// body_factor.c). Not for other folders.
#pragma once
#include "newton.h"

enum { NSM_BODY_COLUMNS = 24 };           // most columns of a body

// A contact, a node of the graph, at a body: H [size of the node][columns of the body], row-major, at h + at.
typedef struct nsm_body_node {
  int    node, body;
  size_t at;
} nsm_body_node;

typedef struct nsm_bodies {
  int        bodies, touches;
  nsm_body_node *touch;                        // [touches], body by body
  int       *first;                        // [bodies+1] in touch
  int      (*of)[2];                       // [nodes] its touches, or -1
  double    *h, *sign;                     // sign: S by columns
  int       *column;                       // [bodies+1] the first column of each body
  double    *rest;                         // [nodes * NSM_NODE_BLOCK] E: row-major, leading dimension NSM_NODE_ROWS
} nsm_bodies;

// body_graph.c: which nodes meet at which body: cliques that cover every coupling once, at most two for a node. Fills
// touch, first, of. 0 where the graph is not of this kind, or there is no room.
int nsm_bodies_find(const nsm_graph *g, nsm_cone_work *w, nsm_bodies *b);
// bodies.c: the same with H, S and E. 0 where M is not symmetric or does not come from bodies.
int nsm_bodies_make(const nsm_graph *g, nsm_cone_work *w, nsm_bodies *b);

// body_factor.c: K = S + H^T C H, C one block a node.
typedef struct nsm_body_factor {
  nsm_graph  k;                            // nodes: bodies; K by blocks
  nsm_fronts fronts;
  nsm_factor factor;
} nsm_body_factor;

int nsm_body_factor_take(const nsm_graph *g, const nsm_bodies *b, nsm_cone_work *w, nsm_body_factor *f);
// C [nodes * NSM_NODE_BLOCK]. 0 where a pivot vanishes.
int nsm_body_factor_make(const nsm_graph *g, const nsm_bodies *b, const double *C, nsm_body_factor *f);
// v := K^{-1} v
void nsm_body_factor_solve(nsm_body_factor *f, double *v);
// v := H^T x [rows];  x += the product of H and v.
void nsm_bodies_gather(const nsm_graph *g, const nsm_bodies *b, const double *x, double *v);
void nsm_bodies_spread(const nsm_graph *g, const nsm_bodies *b, const double *v, double *x);
