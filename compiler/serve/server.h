// What the files of this folder share. A request is one object; what it asks for is looked up in the table of serve.c,
// and writes members of the answer to s->out, or says with serve_wrong why it cannot.
#pragma once
#include <stdbool.h>
#include "include/nsm.h"
#include "../base/json.h"
#include "../base/vec.h"

typedef struct ServedModel { nsm_program *program; int runs; bool closed; } ServedModel;
typedef struct ServedRun { nsm_sim *sim; long model; bool stopped; } ServedRun;       // sim: NULL when closed

typedef struct Serve {
  Vec(ServedModel) model;               // handles are numbers from 1
  Vec(ServedRun) run;
  const Json *request;
  Arena *arena;                         // of the request
  Text out;                             // members of the answer, each with a comma before it
  Text wrong;                           // members of "error"; empty: it went well
} Serve;

// ---- reading --------------------------------------------------------------------------------------------------------
nsm_program *serve_model(Serve *s, long *handle);          // NULL: serve_wrong was called; so below
ServedRun   *serve_run(Serve *s);
// A number, or a text with a unit, which must agree with `unit` ("": none, NULL: any).
bool serve_number(Serve *s, const char *what, const Json *value, const char *unit, double *to);
bool serve_object(Serve *s, const char *name, const Json **first);                // its first member; NULL where absent
// Numbers of the columns named in a list; NULL in *column: there is no such list, and n is the number of all.
bool serve_columns(Serve *s, nsm_sim *sim, const char *list, const int **column, int *n);

// ---- writing --------------------------------------------------------------------------------------------------------
void serve_put_number(Text *t, double x);                  // null where it is not finite
void serve_put_text(Serve *s, const char *name, const char *text);
// False; with the names that are near, columns and, where p is given, its parameters.
bool serve_no_column(Serve *s, const nsm_program *p, nsm_sim *sim, const char *what, const char *name);
bool serve_wrong(Serve *s, nsm_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));   // false
bool serve_failed(Serve *s, const ServedRun *r, const nsm_error *e);              // false
void serve_diagnostics(Serve *s, Text *t, const nsm_program *p);                  // ,"diagnostics":[...]

// ---- what is asked for ----------------------------------------------------------------------------------------------
bool serve_compile(Serve *s);
bool serve_derive(Serve *s);
bool serve_start(Serve *s);
bool serve_set(Serve *s);
bool serve_advance(Serve *s);
bool serve_get(Serve *s);
bool serve_energy(Serve *s);
bool serve_save(Serve *s);
bool serve_restore(Serve *s);
bool serve_clone(Serve *s);
bool serve_reset(Serve *s);
bool serve_close(Serve *s);
