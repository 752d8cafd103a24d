// `nsm derive --latex`: equations to paste into a paper (amsmath).
#include <string.h>
#include "system_print.h"
#include "view.h"

static void expression(const System *s, Ex e, Text *out) {
  if (e == EX_NONE) text_addc(out, '0'); else ex_print_latex(s->pool, e, out, sym_latex, (void *)s);
}

static void matrix(const System *s, const Matrix *m, Text *out) {
  text_printf(out, "\\[\n  %s = ", m->latex);
  if (m->kind) { text_add(out, "I\n\\]\n"); return; }
  text_add(out, "\\begin{pmatrix}\n");
  for (int i = 0; i < m->rows; i++) {
    text_add(out, "    ");
    for (int j = 0; j < m->cols; j++) { if (j) text_add(out, " & "); expression(s, m->at[i * m->cols + j], out); }
    text_add(out, i < m->rows - 1 ? " \\\\\n" : "\n");
  }
  text_add(out, "  \\end{pmatrix}\n\\]\n");
}

static void vector(const System *s, const char *name, const int *symbol, int n, Text *out) {
  if (!n) return;
  text_printf(out, "\\[\n  %s = (", name);
  for (int i = 0; i < n; i++) text_printf(out, "%s%s", i ? ",\\; " : "", sym_latex(symbol[i], (void *)s));
  text_add(out, ")^T\n\\]\n");
}

static void row(const System *s, const SysClass *c, Text *out) {
  text_add(out, "\\[\n  ");
  if (c->kind == CLASS_CONSTRAINT) { expression(s, c->y, out); text_add(out, " = 0");
  } else if (c->kind == CLASS_FRICTION) {
    text_add(out, "-\\left(");
    expression(s, c->y, out);
    text_add(out, "\\right) \\in N_{D}(\\lambda_T)");
  } else if (c->row_type == 0) {
    text_add(out, "0 \\le ");
    expression(s, c->y, out);
    text_add(out, " \\perp \\lambda \\ge 0");
  } else {
    text_add(out, "-\\left(");
    expression(s, c->y, out);
    text_add(out, "\\right) \\in N_{[");
    expression(s, c->lo, out);
    text_add(out, ", ");
    expression(s, c->hi, out);
    text_add(out, "]}(\\lambda)");
  }
  if (c->reldeg >= 0) text_printf(out, " \\qquad r = %d", c->reldeg);
  text_add(out, "\n\\]\n");
}

void system_print_latex(Arena *a, const System *s, const SchemeFacts *f, Text *out) {
  View v = make_view(a, s);
  (void)f;
  text_printf(out, "%% model %s, derived by nsm; needs amsmath\n", s->model->name);
  if (v.x) {
    if (v.x->clipped) text_add(out, "% families are shown by their first instances\n");
    vector(s, "q", v.q, v.nq, out);
    if (v.u) {
      vector(s, "u", v.u, v.x->nq, out);
      text_add(out, "% of each body: p its attitude, a unit quaternion; \\omega its spin in body axes\n"
                    "\\[\n  \\dot{p} = \\tfrac{1}{2} \\begin{pmatrix} -p_v^T \\\\ p_0 I + \\hat{p}_v \\end{pmatrix} "
                    "\\omega, \\qquad M \\dot{u} + N(q, u) = F\n\\]\n");
    }
    for (int i = 0; i < v.nsecond; i++) matrix(s, &v.second[i], out);
    vector(s, "x", v.x->value + v.x->nq, v.x->nx, out);
    for (int i = 0; i < v.nfirst; i++) matrix(s, &v.first[i], out);
    for (int i = 0; i < v.ncoupling; i++) matrix(s, &v.coupling[i], out);
  }
  for (int i = 0; i < s->ncls; i++)
    if (s->cls[i].kind >= CLASS_RELATION && s->cls[i].kind <= CLASS_FRICTION) row(s, &s->cls[i], out);
  for (int i = 0; i < s->model->ntouch; i++)
    text_printf(out, "%% contact %s: %s\n", s->model->touch[i].name, s->model->touch[i].text);
}
