// A model at rest: its equilibrium, the linear model there and its modes.
#pragma once
#include "analyse.h"
#include "equilibrium.h"
#include "linear.h"

enum { REST_NAME = 256 };
// An input of the linear model: a parameter, or number `signal` of the inputs of the model, which is held at a value
// (NaN: the one that it has).
typedef struct rest_input { char name[REST_NAME]; int parameter, signal; double scale, value; } rest_input;
typedef struct rest_output { char name[REST_NAME]; int column; double scale; } rest_output;

typedef struct rest {
  const analysis *a;
  nsm_sim     *s;
  equilibrium  q;
  rest_input  *in;  int nin;            // as they were asked for
  rest_output *out; int nout;
  int         *column, *order;          // [nout]; [nin]: columns of B, parameters first
  linear       l;
  modes        m;
} rest;

// The equilibrium alone; and the linear model, and its modes; or what a response takes (linear.h, rates).
typedef enum { REST_POINT, REST_LINEAR, REST_MODES, REST_RESPONSE } rest_more;
// inputs, outputs: lists of names, NULL: none.
nsm_code rest_open(rest *w, const char *inputs, const char *outputs, rest_more more, nsm_error *e);
void     rest_close(rest *w);
// The input u, a parameter or (by->parameter < 0) an input of the model, and the column y.
nsm_code rest_find(nsm_sim *s, const char *u, const char *y, play_name *by, int *column, nsm_error *e);
