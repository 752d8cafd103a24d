// `nsm derive` for a person: variables, matrices, relations with their classes, degrees and levels.
#include <string.h>
#include "chains.h"
#include "system_print.h"
#include "view.h"

static const char *entry_text(const View *v, Ex e) {
  if (e == EX_NONE) return "0";
  Text t = {0};
  ex_print_short(v->sys->pool, e, &t, PRINT_MOST, sym_name, (void *)v->sys);
  const char *r = arena_strndup(symtab_arena(v->sys->sym), text_str(&t), t.n);
  text_free(&t);
  return r;
}

static int width(const char *s) { return (int)strlen(s); }

// A matrix of long entries is hard to see through: where its rows are wider than this, long ones stand below it.
enum { WIDE_ROW = 400, LONG_ENTRY = 40 };

static const char *cell_text(const View *v, const Matrix *m, int i, int j, bool wide) {
  const char *e = entry_text(v, m->at[i * m->cols + j]);
  return wide && width(e) > LONG_ENTRY ? arena_printf(symtab_arena(v->sys->sym), "(%d,%d)", i + 1, j + 1) : e;
}

static int row_width(const View *v, const Matrix *m, bool wide, int *w) {
  int sum = 0;
  for (int j = 0; j < m->cols; j++) {
    w[j] = 0;
    for (int i = 0; i < m->rows; i++) { int n = width(cell_text(v, m, i, j, wide)); if (n > w[j]) w[j] = n; }
    sum += w[j] + 3;
  }
  return sum;
}

static void print_matrix(const View *v, const Matrix *m, Text *out) {
  int nonzero = 0;
  for (int i = 0; i < m->rows * m->cols; i++) nonzero += m->at[i] != EX_NONE;
  text_printf(out, "\n  %s: %s", m->name, m->meaning);
  if (m->cols > 1 || m->rows > 1) text_printf(out, "   (%d of %d entries)", nonzero, m->rows * m->cols);
  text_addc(out, '\n');
  if (m->kind) { text_printf(out, "    %s = %s\n", m->name, m->kind); return; }
  int *w = ARENA_ARRAY(symtab_arena(v->sys->sym), int, m->cols + 1);
  bool wide = row_width(v, m, false, w) > WIDE_ROW && m->rows > 1;
  if (wide) (void)row_width(v, m, true, w);
  for (int i = 0; i < m->rows; i++) {
    text_printf(out, "    %*s%s [ ", width(m->name), i ? "" : m->name, i ? "  " : " =");
    for (int j = 0; j < m->cols; j++) {
      const char *e = cell_text(v, m, i, j, wide);
      text_printf(out, "%s%s%*s", j ? "   " : "", e, j < m->cols - 1 || m->rows > 1 ? w[j] - width(e) : 0, "");
    }
    text_add(out, " ]\n");
  }
  for (int i = 0; i < m->rows * m->cols && wide; i++) {
    const char *e = entry_text(v, m->at[i]);
    if (width(e) > LONG_ENTRY) text_printf(out, "    (%d,%d) = %s\n", i / m->cols + 1, i % m->cols + 1, e);
  }
}

static void name_list(const View *v, const char *what, const int *symbol, int n, Text *out) {
  text_printf(out, "  %s = (", what);
  for (int i = 0; i < n; i++) text_printf(out, "%s%s", i ? ", " : "", sym_name(symbol[i], (void *)v->sys));
  text_add(out, ")\n");
}

static const char *friction_text(MFrictionLaw law, bool given) {
  return given ? friction_law(law)->given : friction_law(law)->pressed;
}

const char *coefficient_name(const SysClass *c, int k) {
  bool given = c->normal < 0;
  if (k == 0) return friction_law(c->friction)->elliptic ? "mu1" : "mu";
  if (k == 1) return given || !friction_law(c->friction)->drills ? friction_law(c->friction)->second : "mu2";
  return c->friction == MF_GIVEN ? "mu times force" : given ? "force" : "radius";
}

// In the order of nsm_shape_kind.
const char *shape_word(int kind) {
  static const char *const word[] = { "a sphere", "a box", "a capsule", "a cylinder", "a half-space", "a polyhedron",
                                      "a disk", "a rectangle", "a polygon", "a half-plane" };
  return word[kind];
}

const char *law_text(const SysClass *c) {
  if (c->kind == CLASS_CONTACT) return "0 <= y perp lambda >= 0 with an impact law";
  if (c->kind == CLASS_CONSTRAINT) return "y = 0";
  if (c->kind == CLASS_FRICTION) return friction_text(c->friction, c->normal < 0);
  return c->row_type == 0 ? "0 <= y perp lambda >= 0" : c->row_type == 1 ? "-y in N_[lo, hi](lambda)" : "y = 0";
}

static void print_loops(const System *s, const SysClass *c, Text *out) {
  for (int i = 0; i < c->nloop; i++) {
    text_printf(out, "%s%s in ", i ? ", " : "   for ", c->loop[i].name);
    ex_print_short(s->pool, c->loop[i].lo, out, PRINT_MOST, sym_name, (void *)s);
    text_addc(out, ':');
    ex_print_short(s->pool, c->loop[i].hi, out, PRINT_MOST, sym_name, (void *)s);
  }
}

static void print_row(const System *s, const SysClass *c, const Chain *chain, const SchemeFacts *f, Text *out) {
  text_printf(out, "\n  %s", c->label);
  print_loops(s, c, out);
  text_printf(out, "\n    class            %s\n", c->inferred ? c->inferred : "");
  text_printf(out, "    law              %s\n", law_text(c));
  text_printf(out, "    %-16s ", c->kind == CLASS_CONTACT ? "gap" : c->kind == CLASS_FRICTION ? "slip" : "output");
  ex_print_short(s->pool, c->y, out, PRINT_MOST, sym_name, (void *)s);
  text_addc(out, '\n');
  if (c->rate != EX_NONE && !c->velocity_level) {
    text_add(out, "    rate             ");
    ex_print_short(s->pool, c->rate, out, PRINT_MOST, sym_name, (void *)s);
    text_addc(out, '\n');
  }
  if (c->lo != EX_NONE) {
    text_add(out, "    bounds           ");
    ex_print_short(s->pool, c->lo, out, PRINT_MOST, sym_name, (void *)s);
    text_add(out, " .. ");
    ex_print_short(s->pool, c->hi, out, PRINT_MOST, sym_name, (void *)s);
    text_addc(out, '\n');
  }
  const Ex coefficient[] = { c->mu, c->mu2, c->radius };
  for (int k = 0; k < 3; k++) {
    if (coefficient[k] == EX_NONE) continue;
    text_printf(out, "    %-16s ", coefficient_name(c, k));
    ex_print_short(s->pool, coefficient[k], out, PRINT_MOST, sym_name, (void *)s);
    text_addc(out, '\n');
  }
  for (int i = 0; i < c->h.n; i++) {
    const Entry *e = &c->h.at[i];
    const Slot *t = &c->slot[e->col];
    text_printf(out, "    d%s/d%s = ", c->kind == CLASS_RELATION || c->velocity_level ? "y" : "y'",
                sym_name(e->wrt == WRT_V ? t->rate : t->value, (void *)s));
    ex_print_short(s->pool, e->value, out, PRINT_MOST, sym_name, (void *)s);
    text_addc(out, '\n');
  }
  if (c->reldeg >= 0) text_printf(out, "    relative degree  %d\n", c->reldeg);
  else text_add(out, "    relative degree  none: no multiplier appears\n");
  for (int i = 0; i < chain->n; i++) text_printf(out, "      %s\n", chain->text[i]);
  text_printf(out, "    levels           y[0]%s, lambda[%d]\n", c->level_y_max ? " .. y[1]" : "", c->level_lambda);
  if (c->kind == CLASS_FRICTION && c->normal >= 0 && s->cls[c->normal].kind == CLASS_CONTACT)
    text_add(out, "    index sets       those of its contact\n");
  else if (c->kind == CLASS_CONTACT)
    text_printf(out, "    index sets       I_0: all; I_1: %s\n",
                !f ? "those closed, by the scheme" : f->located ? "those that have closed, where their gap is 0"
                                                                : f->closed);
  else text_add(out, "    index sets       I_0: all\n");
}

static void print_value(const System *s, const char *what, Ex e, Text *out) {
  text_printf(out, "    %-16s ", what);
  ex_print_short(s->pool, e, out, PRINT_MOST, sym_name, (void *)s);
  text_addc(out, '\n');
}

// Forces on expressions: what they act along, and what that makes on each coordinate.
static void print_forces(const System *s, Text *out) {
  bool any = false;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->along == EX_NONE) continue;
    if (!any) text_add(out, "\nforces along expressions: Q = (ds/dq)^T F, power F s'\n");
    any = true;
    text_printf(out, "\n  %s", c->shown);
    print_loops(s, c, out);
    text_addc(out, '\n');
    print_value(s, c->along_rate ? "s'" : "s", c->along, out);
    print_value(s, "F", c->push, out);
    for (int r = 0; r < c->nrow; r++) {
      const char *on = sym_name(c->slot[c->row[r]].value, (void *)s);
      print_value(s, arena_printf(symtab_arena(s->sym), "on %s", on), ex_add(s->pool, c->f[r], c->g[r]), out);
    }
  }
}

// Contacts between shapes: their rows follow from where the bodies are, so they stand in words.
static void print_touches(const System *s, Text *out) {
  const Model *m = s->model;
  if (m->ntouch == 0) return;
  text_add(out, "\ncontacts between shapes\n");
  for (int i = 0; i < m->ntouch; i++) {
    const MTouch *t = &m->touch[i];
    text_printf(out, "\n  contact %s: %s\n", t->name, t->text);
    text_printf(out, "    gap              signed distance of each pair of features that face each other\n");
    text_add(out, "    rate             n . (v_B - v_A) of the material points, n from A to B\n");
    text_add(out, "    law              0 <= gap perp lambda >= 0 with an impact law\n");
    if (t->friction == MF_COULOMB) text_add(out, "    slip             two directions at right angles to n\n");
    if (t->friction == MF_CONTENSOU) text_add(out, "    slip             two directions, and turning about n\n");
    if (t->friction == MF_ROLLING) text_add(out, "    slip             two directions, and rolling about them\n");
    if (t->friction != MF_NONE) text_printf(out, "    friction         %s\n", friction_text(t->friction, false));
  }
  for (int i = 0; i < m->nsolid; i++) {
    text_printf(out, "%s  %s has", i ? "" : "\n", m->solid[i].plain);
    for (int k = 0; k < m->solid[i].nshape && k < 4; k++)
      text_printf(out, "%s %s", k ? "," : "", shape_word(m->solid[i].shape[k].kind));
    if (m->solid[i].nshape > 4) text_printf(out, " and %d more", m->solid[i].nshape - 4);
    if (m->solid[i].material >= 0) text_printf(out, ", of %s", m->material[m->solid[i].material]);
    text_addc(out, '\n');
  }
}

static void print_scheme(const SchemeFacts *f, Text *out) {
  text_printf(out, "\nscheme %s", f->name);
  if (f->weights) {
    text_add(out, "(theta = ");
    text_number(out, f->theta);
    text_add(out, ", gamma = ");
    text_number(out, f->gamma);
    text_add(out, f->located ? ", located = true)" : ")");
  } else if (f->located) text_add(out, "(located = true)");
  const char *each = f->explicit_step ? "step" : "iteration";
  text_printf(out, "\n  %s ", f->weights ? "W" : f->explicit_step ? "M" : "iteration matrix");
  if (f->constant_w) text_add(out, "constant, factored once"); else text_printf(out, "assembled in each %s", each);
  if (f->constant_problem) text_add(out, "; one-step matrix constant, computed once; ");
  else text_printf(out, "; one-step matrix computed in each %s; ", each);
  text_printf(out, "%s\n",
              f->explicit_step   ? "explicit, no iteration"
              : f->one_iteration ? "one iteration is exact"
                                 : "Newton until the residual is at round-off");
}

void system_print(Arena *a, const System *s, const SchemeFacts *f, Text *out) {
  View v = make_view(a, s);
  text_printf(out, "model %s\n", s->model->name);
  if (s->second_order) text_printf(out, "  second order: %s\n", s->second_order);
  if (s->first_order)
    text_printf(out, "  first order: %s\n", s->first_order + (strncmp(s->first_order, "first order, ", 13) ? 0 : 13));
  if (!v.x) text_add(out, "\n  (too large to write its matrices out; the classes below stand for all instances)\n");
  else {
    if (v.x->clipped) text_add(out, "\n  (families are shown by their first instances; the pattern repeats)\n");
    if (v.x->nq) { text_addc(out, '\n'); name_list(&v, "q", v.q, v.nq, out); }
    if (v.u) {
      name_list(&v, "u", v.u, v.x->nq, out);
      for (int i = 0; i < s->model->nbody; i++) {
        const MVar *p = &s->model->var[s->model->body[i].attitude], *w = &s->model->var[s->model->body[i].turn];
        text_printf(out, "  %s' = 1/2 G(%s) %s   (unit quaternion, scalar first; spin in body axes)\n", p->plain,
                    p->plain, w->plain);
      }
      if (s->model->nbody)
        text_add(out, "  m r'' = f,  J spin' + spin x (J spin) = R^T tau of each body   (J about its centre of mass, "
                      "body axes)\n");
    }
    for (int i = 0; i < v.nsecond; i++) print_matrix(&v, &v.second[i], out);
    if (v.x->nx) { text_addc(out, '\n'); name_list(&v, "x", v.x->value + v.x->nq, v.x->nx, out); }
    int *lambda = ARENA_ARRAY(a, int, v.x->nr + 1), n = 0;
    for (int r = 0; r < v.x->nr; r++)
      if (s->cls[v.x->row[r].cls].kind == CLASS_RELATION) lambda[n++] = v.x->row[r].lambda;
    if (n && !v.x->nx) text_addc(out, '\n');
    if (n) name_list(&v, "lambda", lambda, n, out);
    for (int i = 0; i < v.nfirst; i++) print_matrix(&v, &v.first[i], out);
    for (int i = 0; i < v.ncoupling; i++) print_matrix(&v, &v.coupling[i], out);
  }
  print_forces(s, out);
  bool any = false;
  const Chain *chain = derivative_chains(a, s);
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind < CLASS_RELATION || c->kind > CLASS_FRICTION) continue;
    if (!any) text_add(out, "\nrelations, contacts, constraints\n");
    any = true;
    print_row(s, c, &chain[i], f, out);
  }
  print_touches(s, out);
  if (s->uniform_reldeg) text_printf(out, "\n  %s\n", s->uniform_reldeg);
  if (f) print_scheme(f, out);
}
