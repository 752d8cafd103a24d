// Parts of the emitter (emit.c calls them in this order).
#pragma once
#include "cvalue.h"
#include "emit.h"

// Bytes of names, labels, units: offsets go into the tables, the text itself is emitted as numbers.
typedef struct TextBlob { Text t; } TextBlob;
int  blob_add(TextBlob *b, const char *s);                // offset; equal strings share

typedef struct Emitter {
  Arena *arena; const Plan *plan; Text *out; TextBlob blob;
  const PlanClass *filling;   // the class whose tables are filled; NULL elsewhere
} Emitter;

void emit_comment_source(Emitter *e, Span span, const char *before);   // /* before, model line N: text of the line */
void emit_fill(Emitter *e, const PlanClass *c, int number);            // emit_fill.c
void emit_kernels(Emitter *e, const PlanClass *c, int number);         // emit_kernel.c
void emit_setup(Emitter *e);  // emit_setup.c: params, sizes, experiment, claims
void emit_tables(Emitter *e);                                          // emit_table.c: patterns, classes, model
int  line_of(Span s);
int  file_of(Emitter *e, Span s);                        // offset of its path; 0: the file of the model
CScope setup_scope(Emitter *e, const char *indent);                    // leaves: p[i], loop counters
