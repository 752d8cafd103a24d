// The emitter's table of contents.
#include "emit_parts.h"

enum { PART = 1500, PART_OF_FMU = 6000 };  // nodes of a part of a long kernel

// The functions of one class. *next: the first of its kernels, and then that of the next class.
static void class_section(Emitter *e, const PlanClass *c, int number, const PlanKernels *k, int *next) {
  text_add(e->out, "\n");
  if (e->comments) {
    Text t = {0};
    text_printf(&t, "--- class %d: %s", number, c->c->label);
    emit_comment_source(e, c->c->span, text_str(&t));
    text_free(&t);
  }
  Arena *whole = e->arena;                 // what is made to be printed only is given back
  e->arena = arena_new();
  emit_fill(e, c, number);
  for (; *next < k->n && k->at[*next].cls == number; ++*next) {
    if (k->at[*next].first == *next) c_kernel(e->arena, k->at[*next].kernel, e->part, e->out);
  }
  arena_free(e->arena);
  e->arena = whole;
}

// What `table` and `spline` read.
static void emit_points(Emitter *e) {
  const Model *m = e->plan->sys->model;
  if (!m->ntable) return;
  for (int i = 0; i < m->ntable; i++) {
    text_printf(e->out, "static const double points_%d[] = {", i);
    for (int k = 0; k < m->table[i].n; k++) {
      text_add(e->out, k % 4 ? ", " : k ? ",\n  " : "\n  ");
      c_number(m->table[i].data[k], e->out);
    }
    text_add(e->out, " };\n");
  }
  text_add(e->out, "static const double *const points[] = { ");
  for (int i = 0; i < m->ntable; i++) text_printf(e->out, "points_%d, ", i);
  text_add(e->out, "0 };\n");
}

void emit_c(Arena *a, const Plan *p, const PlanKernels *k, const Whole *w, CodeFor who, Text *out) {
  int part = who == CODE_FOR_COMPILER ? PART : who == CODE_FOR_FMU ? PART_OF_FMU :
             who == CODE_FOR_LIBTCC ? FOR_LIBTCC : 0;
  Emitter e = { .arena = a, .plan = p, .out = out, .kernels = k, .part = part,
                .comments = code_has_comments(who), .words = intern_new(a), .word_at = map_new(a),
                .table_at = map_new(a) };
  text_add(out, "#include \"nsm_abi.h\"\n\n");
  Text t = {0};
  text_printf(&t, "model %s, scheme %s", p->sys->model->name, p->scheme->name);
  c_comment(text_str(&t), out);
  text_add(out, "\n");
  text_free(&t);
  emit_points(&e);
  fills_alike(&e);
  for (int i = 0, next = 0; i < p->ncls; i++) class_section(&e, &p->cls[i], i, k, &next);
  emit_setup(&e);
  emit_touch_functions(&e);
  emit_whole(&e, w);
  emit_tables(&e, w);
  text_free(&e.blob);
}
