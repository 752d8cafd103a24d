// `nsm derive --json`: the same facts, matrices as arrays of strings, zero entries as "0".
#include <string.h>
#include "chains.h"
#include "system_print.h"
#include "view.h"

static void expression(const System *s, Ex e, Text *out) {
  Text t = {0};
  if (e == EX_NONE) text_add(&t, "0"); else ex_print_short(s->pool, e, &t, PRINT_MOST, sym_name, (void *)s);
  text_json_string(out, text_str(&t));
  text_free(&t);
}

static void matrix(const System *s, const Matrix *m, Text *out) {
  text_json_string(out, m->name);
  text_printf(out, ": {\"meaning\": ");
  text_json_string(out, m->meaning);
  text_printf(out, ", \"rows\": %d, \"columns\": %d, \"entries\": [", m->rows, m->cols);
  for (int i = 0; i < m->rows; i++) {
    text_add(out, i ? ", [" : "[");
    for (int j = 0; j < m->cols; j++) { if (j) text_add(out, ", "); expression(s, m->at[i * m->cols + j], out); }
    text_addc(out, ']');
  }
  text_add(out, "], \"nonzero\": [");
  bool any = false;
  for (int i = 0; i < m->rows; i++)
    for (int j = 0; j < m->cols; j++)
      if (m->at[i * m->cols + j] != EX_NONE) {
        text_printf(out, "%s[%d, %d]", any ? ", " : "", i + 1, j + 1);
        any = true;
      }
  text_add(out, "]}");
}

static void symbols(const System *s, const char *key, const int *symbol, int n, Text *out) {
  text_printf(out, ",\n  \"%s\": [", key);
  for (int i = 0; i < n; i++) { if (i) text_add(out, ", "); text_json_string(out, sym_name(symbol[i], (void *)s)); }
  text_addc(out, ']');
}

static void part(const System *s, const char *key, const char *kind, const Matrix *m, int n, Text *out) {
  if (!n && !kind) return;
  text_printf(out, ",\n  \"%s\": {", key);
  if (kind) { text_add(out, "\"class\": "); text_json_string(out, kind); if (n) text_add(out, ", "); }
  for (int i = 0; i < n; i++) { if (i) text_add(out, ",\n    "); matrix(s, &m[i], out); }
  text_addc(out, '}');
}

static void coefficients(const System *s, const SysClass *c, Text *out) {
  const Ex of[] = { c->mu, c->mu2, c->radius };
  text_add(out, ", \"coefficients\": {");
  for (int k = 0; k < 3; k++) {
    if (of[k] == EX_NONE) continue;
    if (k > 0) text_add(out, ", ");
    text_json_string(out, coefficient_name(c, k));
    text_add(out, ": ");
    expression(s, of[k], out);
  }
  text_addc(out, '}');
}

static void row(const System *s, const SysClass *c, const Chain *chain, Text *out) {
  static const char *const kind[] = { "smooth", "relation", "contact", "constraint", "friction" };
  text_printf(out, "{\"kind\": \"%s\", \"name\": ", kind[c->kind]);
  text_json_string(out, c->label);
  text_printf(out, ", \"line\": %d, \"class\": ", c->span.file ? source_line(c->span.file, c->span.lo) : 0);
  text_json_string(out, c->inferred ? c->inferred : "");
  text_add(out, ", \"law\": ");
  text_json_string(out, law_text(c));
  text_add(out, ", \"output\": ");
  expression(s, c->y, out);
  if (c->rate != EX_NONE) { text_add(out, ", \"rate\": "); expression(s, c->rate, out); }
  if (c->mu != EX_NONE) coefficients(s, c, out);
  text_add(out, ", \"jacobian\": {");
  for (int i = 0; i < c->h.n; i++) {
    const Entry *e = &c->h.at[i];
    if (i) text_add(out, ", ");
    text_json_string(out, sym_name(e->wrt == WRT_V ? c->slot[e->col].rate : c->slot[e->col].value, (void *)s));
    text_add(out, ": ");
    expression(s, e->value, out);
  }
  text_add(out, "}, \"relative_degree\": ");
  if (c->reldeg >= 0) text_printf(out, "%d", c->reldeg); else text_add(out, "null");
  text_add(out, ", \"chain\": [");
  for (int i = 0; i < chain->n; i++) { if (i) text_add(out, ", "); text_json_string(out, chain->text[i]); }
  text_printf(out, "], \"level_y\": %d, \"level_lambda\": %d}", c->level_y_max, c->level_lambda);
}

static void touches(const System *s, Text *out) {
  const Model *m = s->model;
  if (m->ntouch == 0) return;
  text_add(out, ",\n  \"shape_contacts\": [");
  for (int i = 0; i < m->ntouch; i++) {
    const MTouch *t = &m->touch[i];
    text_add(out, i ? ",\n    {\"name\": " : "{\"name\": ");
    text_json_string(out, t->name);
    text_printf(out, ", \"line\": %d, \"text\": ", t->span.file ? source_line(t->span.file, t->span.lo) : 0);
    text_json_string(out, t->text);
    text_add(out, ", \"bodies\": [");
    for (int side = 0; side < t->nside; side++) {
      text_add(out, side ? ", [" : "[");
      for (int k = 0; k < t->nmember[side]; k++) {
        if (k) text_add(out, ", ");
        text_json_string(out, m->solid[t->member[side][k].solid].plain);
      }
      text_addc(out, ']');
    }
    text_add(out, "]}");
  }
  text_add(out, "],\n  \"shapes\": {");
  for (int i = 0; i < m->nsolid; i++) {
    if (i) text_add(out, ", ");
    text_json_string(out, m->solid[i].plain);
    text_add(out, ": [");
    for (int k = 0; k < m->solid[i].nshape; k++) {
      if (k) text_add(out, ", ");
      text_json_string(out, shape_word(m->solid[i].shape[k].kind));
    }
    text_addc(out, ']');
  }
  text_addc(out, '}');
}

void system_print_json(Arena *a, const System *s, const SchemeFacts *f, Text *out) {
  View v = make_view(a, s);
  text_add(out, "{\n  \"model\": ");
  text_json_string(out, s->model->name);
  if (v.x) {
    text_printf(out, ",\n  \"families_cut\": %s", v.x->clipped ? "true" : "false");
    symbols(s, "coordinates", v.q, v.nq, out);
    if (v.u) symbols(s, "velocities", v.u, v.x->nq, out);
    symbols(s, "states", v.x->value + v.x->nq, v.x->nx, out);
    int *lambda = ARENA_ARRAY(a, int, v.x->nr + 1);
    for (int r = 0; r < v.x->nr; r++) lambda[r] = v.x->row[r].lambda;
    symbols(s, "multipliers", lambda, v.x->nr, out);
  }
  part(s, "second_order", s->second_order, v.second, v.nsecond, out);
  part(s, "first_order", s->first_order, v.first, v.nfirst, out);
  part(s, "coupling", NULL, v.coupling, v.ncoupling, out);
  text_add(out, ",\n  \"rows\": [");
  bool any = false;
  const Chain *chain = derivative_chains(a, s);
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind < CLASS_RELATION || c->kind > CLASS_FRICTION) continue;
    if (any) text_add(out, ",\n    ");
    any = true;
    row(s, c, &chain[i], out);
  }
  text_addc(out, ']');
  touches(s, out);
  if (s->uniform_reldeg) {
    text_add(out, ",\n  \"uniform_relative_degree\": ");
    text_json_string(out, s->uniform_reldeg);
  }
  if (f) {
    text_printf(out, ",\n  \"scheme\": {\"name\": \"%s\"", f->name);
    if (f->weights) {
      text_add(out, ", \"theta\": ");
      text_number(out, f->theta);
      text_add(out, ", \"gamma\": ");
      text_number(out, f->gamma);
    }
    text_printf(out, ", \"constant_iteration_matrix\": %s, \"constant_problem_matrix\": %s, \"one_iteration\": %s}",
                f->constant_w ? "true" : "false", f->constant_problem ? "true" : "false",
                f->one_iteration ? "true" : "false");
  }
  text_add(out, "\n}\n");
}
