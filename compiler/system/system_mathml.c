// `nsm derive --mathml`, and the equations of `nsm view`: a fragment of HTML, headings and formulas in MathML.
// Energies, matrices, forces, gaps and slips with their laws and relative degrees, contacts of shapes and
// the scheme in words.
#include <string.h>
#include "names.h"
#include "system_print.h"
#include "view.h"

enum { SHOWN_ENTRIES = 400 };                              // of a matrix; a larger one is named with its size
enum { SMALL_ENTRIES = 24, SPARSE = 4 };                   // a larger one with a quarter of entries is folded

static void expression(const System *s, Ex e, Text *out) {
  if (e == EX_NONE) text_add(out, "<mn>0</mn>");
  else ex_print_mathml(s->pool, e, out, sym_mathml, (void *)s);
}

static void heading(Text *out, const char *what) { text_printf(out, "<h3>%s</h3>\n", what); }
static void begin(Text *out) { text_add(out, "<math display=\"block\"><mrow>"); }
static void end(Text *out) { text_add(out, "</mrow></math>\n"); }
static void sign(Text *out, const char *mo) { text_printf(out, "<mo>%s</mo>", mo); }

// A name of Matrix.latex: "K_t", "\partial F/\partial x", "\partial f/\partial \dot q".
static void matrix_name(Text *out, const char *latex) {
  if (!strncmp(latex, "\\partial ", 9)) {
    const char *below = strstr(latex, "/\\partial ") + 10;
    text_printf(out, "<mfrac><mrow><mo>\xe2\x88\x82</mo><mi>%c</mi></mrow><mrow><mo>\xe2\x88\x82</mo>", latex[9]);
    text_printf(out, !strncmp(below, "\\dot ", 5) ? "<mover><mi>%c</mi><mo>\xcb\x99</mo></mover>" : "<mi>%c</mi>",
                below[!strncmp(below, "\\dot ", 5) ? 5 : 0]);
    text_add(out, "</mrow></mfrac>");
  } else if (latex[1] == '_') text_printf(out, "<msub><mi>%c</mi><mi>%s</mi></msub>", latex[0], latex + 2);
  else text_printf(out, "<mi>%s</mi>", latex);
}

static bool is_zero(const System *s, Ex e) { return e == EX_NONE || ex_is_num(s->pool, e, 0); }

static int entries(const System *s, const Matrix *m) {
  int n = 0;
  for (int i = 0; i < m->rows*m->cols; i++) n += !is_zero(s, m->at[i]);
  return n;
}

// The entries that are not zero, one below the other.
static void sparse(const System *s, const Matrix *m, Text *out) {
  text_add(out, "<mtable columnalign=\"left\">");
  for (int i = 0; i < m->rows*m->cols; i++) {
    if (is_zero(s, m->at[i])) continue;
    text_add(out, "<mtr><mtd><msub>");
    matrix_name(out, m->latex);
    text_printf(out, "<mrow><mn>%d</mn><mo>,</mo><mn>%d</mn></mrow></msub><mo>=</mo>", i/m->cols + 1, i % m->cols + 1);
    expression(s, m->at[i], out);
    text_add(out, "</mtd></mtr>");
  }
  text_add(out, "</mtable>");
}

static void matrix(const System *s, const Matrix *m, Text *out) {
  if (!strcmp(m->name, "W")) return;                       // follows from the others by what its meaning says
  text_add(out, "<p>");
  text_xml(out, m->meaning);
  text_add(out, "</p>\n");
  int size = m->rows*m->cols, n = m->kind || size > SHOWN_ENTRIES ? size : entries(s, m);
  if (size > SMALL_ENTRIES && n > 0 && SPARSE*n <= size) {
    text_printf(out, "<details><summary>%d by %d, %d of its entries are not zero</summary>", m->rows, m->cols, n);
    begin(out);
    sparse(s, m, out);
    end(out);
    text_add(out, "</details>\n");
    return;
  }
  begin(out);
  matrix_name(out, m->latex);
  sign(out, "=");
  if (n == 0) text_add(out, "<mn>0</mn>");
  else if (m->kind) text_add(out, "<mi>I</mi>");
  else if (size > SHOWN_ENTRIES) text_printf(out, "<mtext>(%d by %d)</mtext>", m->rows, m->cols);
  else {
    text_add(out, "<mo>(</mo><mtable>");
    for (int i = 0; i < m->rows; i++) {
      text_add(out, "<mtr>");
      for (int j = 0; j < m->cols; j++) {
        text_add(out, "<mtd>");
        expression(s, m->at[i * m->cols + j], out);
        text_add(out, "</mtd>");
      }
      text_add(out, "</mtr>");
    }
    text_add(out, "</mtable><mo>)</mo>");
  }
  end(out);
}

static void vector(const System *s, const char *name, const int *symbol, int n, Text *out) {
  if (!n) return;
  begin(out);
  text_printf(out, "<mi>%s</mi><mo>=</mo><msup><mrow><mo>(</mo>", name);
  for (int i = 0; i < n; i++) text_printf(out, "%s%s", i ? "<mo>,</mo>" : "", sym_mathml(symbol[i], (void *)s));
  text_add(out, "<mo>)</mo></mrow><mi>T</mi></msup>");
  end(out);
}

// The loops of a statement, as sums in front of an energy or as words behind a row.
static void sums(const System *s, const SysClass *c, Text *out) {
  for (int i = 0; i < c->nloop; i++) {
    text_printf(out, "<munderover><mo>\xe2\x88\x91</mo><mrow><mi>%s</mi><mo>=</mo>", loop_name(i));
    expression(s, c->loop[i].lo, out);
    text_add(out, "</mrow>");
    expression(s, c->loop[i].hi, out);
    text_add(out, "</munderover>");
  }
}

static void for_all(const System *s, const SysClass *c, Text *out) {
  for (int i = 0; i < c->nloop; i++) {
    text_printf(out, "<mo>,</mo><mspace width='1em'/><mi>%s</mi><mo>=</mo>", loop_name(i));
    expression(s, c->loop[i].lo, out);
    text_add(out, "<mo>\xe2\x80\xa6</mo>");
    expression(s, c->loop[i].hi, out);
  }
}

static Ex energy_of(const SysClass *c, int kind) {
  return kind == 0 ? c->kinetic : kind == 1 ? c->potential : c->dissipation;
}

static bool energy(const System *s, int kind, const char *name, Text *out) {
  bool any = false;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    Ex e = c->kind == CLASS_SMOOTH ? energy_of(c, kind) : EX_NONE;
    if (e == EX_NONE) continue;
    if (!any) {
      begin(out);
      text_printf(out, "<mi>%s</mi><mo>=</mo>", name);
    } else sign(out, "+");
    any = true;
    sums(s, c, out);
    bool paren = c->nloop > 0 && ex_operator(s->pool, e) == OP_ADD;
    if (paren) sign(out, "(");
    expression(s, e, out);
    if (paren) sign(out, ")");
  }
  if (any) end(out);
  return any;
}

static void energies(const System *s, Text *out) {
  Text t = {0};
  bool any = energy(s, 0, "T", &t);
  any |= energy(s, 1, "V", &t);
  any |= energy(s, 2, "D", &t);
  if (any) {
    heading(out, "Energies");
    text_add(out, text_str(&t));
  }
  text_free(&t);
}

static void set_of_friction(const System *s, const SysClass *c, Text *out) {
  if (c->mu == EX_NONE) return;
  text_add(out, "<mo>,</mo><mspace width='1em'/><mi>\xce\xbc</mi><mo>=</mo>");
  expression(s, c->mu, out);
}

static void row(const System *s, const SysClass *c, Text *out) {
  static const char *const letter[] = { [CLASS_RELATION] = "y", [CLASS_CONTACT] = "g", [CLASS_CONSTRAINT] = "g",
                                        [CLASS_FRICTION] = "\xce\xb3" };
  text_add(out, "<div class=\"row\"><p><b>");
  text_xml(out, c->label);
  text_add(out, "</b> ");
  text_xml(out, c->inferred ? c->inferred : "");
  text_add(out, "</p>\n");
  begin(out);
  text_printf(out, "<mi>%s</mi><mo>=</mo>", letter[c->kind]);
  expression(s, c->y, out);
  for_all(s, c, out);
  end(out);
  begin(out);
  if (c->kind == CLASS_CONSTRAINT || (c->kind == CLASS_RELATION && c->row_type == 2))
    text_printf(out, "<mi>%s</mi><mo>=</mo><mn>0</mn>", letter[c->kind]);
  else if (c->kind == CLASS_FRICTION) {
    text_add(out, "<mo>\xe2\x88\x92</mo><mi>\xce\xb3</mi><mo>\xe2\x88\x88</mo><msub><mi>N</mi><mi>D</mi></msub>"
                  "<mo>(</mo><msub><mi>\xce\xbb</mi><mi>T</mi></msub><mo>)</mo>");
    set_of_friction(s, c, out);
  } else if (c->row_type == 0) {
    text_printf(out, "<mn>0</mn><mo>\xe2\x89\xa4</mo><mi>%s</mi><mo>\xe2\x8a\xa5</mo><mi>\xce\xbb</mi>"
                     "<mo>\xe2\x89\xa5</mo><mn>0</mn>", letter[c->kind]);
    if (c->kind == CLASS_CONTACT && c->e != EX_NONE) {
      text_add(out, "<mo>,</mo><mspace width='1em'/><msup><mover><mi>g</mi><mo>\xcb\x99</mo></mover><mo>+</mo></msup>"
                    "<mo>=</mo><mo>\xe2\x88\x92</mo><mi>e</mi><msup><mover><mi>g</mi><mo>\xcb\x99</mo></mover>"
                    "<mo>\xe2\x88\x92</mo></msup><mo>,</mo><mspace width='0.5em'/><mi>e</mi><mo>=</mo>");
      expression(s, c->e, out);
    }
  } else {
    text_add(out, "<mo>\xe2\x88\x92</mo><mi>y</mi><mo>\xe2\x88\x88</mo><msub><mi>N</mi><mrow><mo>[</mo>");
    expression(s, c->lo, out);
    sign(out, ",");
    expression(s, c->hi, out);
    text_add(out, "<mo>]</mo></mrow></msub><mo>(</mo><mi>\xce\xbb</mi><mo>)</mo>");
  }
  end(out);
  if (c->kind == CLASS_FRICTION) {
    text_add(out, "<p>");
    text_xml(out, law_text(c));
    text_add(out, "</p>\n");
  }
  if (c->reldeg >= 0) text_printf(out, "<p class=\"degree\">relative degree %d</p>", c->reldeg);
  else text_add(out, "<p class=\"degree\">relative degree: none, no multiplier appears</p>");
  text_add(out, "</div>\n");
}

static void forces_along(const System *s, Text *out) {
  bool any = false;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->along == EX_NONE) continue;
    if (!any) heading(out, "Forces along expressions");
    any = true;
    begin(out);
    text_add(out, c->along_rate ? "<mover><mi>s</mi><mo>\xcb\x99</mo></mover><mo>=</mo>" : "<mi>s</mi><mo>=</mo>");
    expression(s, c->along, out);
    text_add(out, "<mo>,</mo><mspace width='1em'/><mi>F</mi><mo>=</mo>");
    expression(s, c->push, out);
    for_all(s, c, out);
    end(out);
  }
}

static void touches(const System *s, Text *out) {
  const Model *m = s->model;
  if (m->ntouch == 0) return;
  heading(out, "Contacts of shapes");
  for (int i = 0; i < m->ntouch; i++) {
    text_add(out, "<p><b>contact ");
    text_xml(out, m->touch[i].name);
    text_add(out, "</b> ");
    text_xml(out, m->touch[i].text);
    text_add(out, ": of each pair of features that face each other the signed distance "
                  "<math><mn>0</mn><mo>\xe2\x89\xa4</mo><mi>g</mi><mo>\xe2\x8a\xa5</mo><mi>\xce\xbb</mi>"
                  "<mo>\xe2\x89\xa5</mo><mn>0</mn></math></p>\n");
  }
}

static bool has(const View *v, const char *name) {
  for (int i = 0; i < v->nsecond; i++) if (!strcmp(v->second[i].name, name)) return true;
  return false;
}

// + H^T lambda, where there are such rows.
static void reaction(const View *v, const char *name, const char *above, Text *out) {
  if (!has(v, name)) return;
  text_add(out, "<mo>+</mo><msup>");
  if (name[1]) text_printf(out, "<msub><mi>%c</mi><mi>%s</mi></msub>", name[0], name + 2);
  else text_printf(out, "<mi>%s</mi>", name);
  text_printf(out, "<mi>%s</mi></msup>", above);
  text_add(out, name[1] ? "<msub><mi>\xce\xbb</mi><mi>T</mi></msub>" : "<mi>\xce\xbb</mi>");
}

static void matrices(const System *s, const Matrix *m, int n, Text *out) {
  for (int i = 0; i < n; i++) matrix(s, &m[i], out);
}

void system_print_mathml(Arena *a, const System *s, const SchemeFacts *f, Text *out) {
  View v = make_view(a, s);
  energies(s, out);
  if (!v.x) {
    text_add(out, "<p>The matrices are too large to be written out; what follows stands for all instances.</p>\n");
  } else {
    if (v.x->clipped) text_add(out, "<p>Families are shown by their first instances; the pattern repeats.</p>\n");
    if (v.nsecond) {
      heading(out, "Motion");
      text_add(out, "<p class=\"class\">");
      text_xml(out, s->second_order ? s->second_order : "");
      text_add(out, "</p>\n");
      vector(s, "q", v.q, v.nq, out);
      if (v.u) vector(s, "u", v.u, v.x->nq, out);
      begin(out);
      text_add(out, v.u ? "<mi>M</mi><mover><mi>u</mi><mo>\xcb\x99</mo></mover>"
                        : "<mi>M</mi><mover><mi>q</mi><mo>\xc2\xa8</mo></mover>");
      if (has(&v, "N")) text_add(out, "<mo>+</mo><mi>N</mi>");
      text_add(out, "<mo>=</mo><mi>F</mi>");
      reaction(&v, "B", "", out);
      reaction(&v, "H", "T", out);
      reaction(&v, "H_T", "T", out);
      end(out);
      matrices(s, v.second, v.nsecond, out);
    }
    if (v.nfirst) {
      heading(out, "States");
      vector(s, "x", v.x->value + v.x->nq, v.x->nx, out);
      matrices(s, v.first, v.nfirst, out);
    }
    matrices(s, v.coupling, v.ncoupling, out);
  }
  forces_along(s, out);
  bool any = false;
  for (int i = 0; i < s->ncls; i++)
    if (s->cls[i].kind >= CLASS_RELATION && s->cls[i].kind <= CLASS_FRICTION) {
      if (!any) heading(out, "Gaps, slips and laws");
      any = true;
      row(s, &s->cls[i], out);
    }
  touches(s, out);
  if (s->uniform_reldeg) {
    text_add(out, "<p>");
    text_xml(out, s->uniform_reldeg);
    text_add(out, "</p>\n");
  }
  if (f) text_printf(out, "<h3>Scheme</h3>\n<p>%s</p>\n", f->name);
}
