// How symbols read: `bead[i + 1].z'` for a person, `\dot{z}_{i+1}` in LaTeX, the same in MathML. Loop positions
// print as i, j, k.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "../base/arena.h"
#include "names.h"

static const char *const loop_letter[] = { "i", "j", "k", "l" };
const char *loop_name(int position) { return position < 4 ? loop_letter[position] : "index"; }

static void add_index(const System *s, const Sym *y, int k, Text *t) {
  ex_print(s->pool, y->idx[k], t, sym_name, (void *)s);
}

void sym_text(const System *s, int id, Text *t) {
  const Sym *y = symtab_at(s->sym, id);
  switch (y->kind) {
  case SYM_LOOP: text_add(t, loop_name(y->id)); return;
  case SYM_TIME: text_add(t, "time"); return;
  case SYM_TIME0: text_add(t, "time_B"); return;
  case SYM_STEP: case SYM_H: text_add(t, "h"); return;
  case SYM_THETA: text_add(t, "theta"); return;
  case SYM_GAMMA: text_add(t, "gamma"); return;
  case SYM_RESTITUTION: text_add(t, "e"); return;
  case SYM_AT: text_printf(t, "function%g_%d", ex_value(s->pool, y->idx[0]), y->id); return;
  case SYM_LAMBDA: text_add(t, "lambda"); return;
  case SYM_KAPPA: text_add(t, "kappa"); return;
  case SYM_TABLE: text_printf(t, "points%d", y->id + 1); return;
  case SYM_ROTATION: case SYM_ROTATION0: text_printf(t, "R%d", y->id); return;
  case SYM_ROTATION_RATE: case SYM_ROTATION_RATE0: text_printf(t, "R%d'", y->id); return;
  case SYM_STAT: text_printf(t, "stat%d", y->id); return;
  case SYM_TOUCH: {
    int what = (int)ex_value(s->pool, y->idx[0]);
    text_printf(t, "%s.%s", s->model->touch[y->id].name, what == MT_COUNT     ? "count"
                                                        : what == MT_DEEPEST ? "deepest"
                                                                             : "impulse");
    if (what >= MT_IMPULSE) text_printf(t, "[%d]", what - MT_IMPULSE + 1);
    return;
  }
  case SYM_COLUMN: text_printf(t, "c%d", y->id); return;
  case SYM_PARAM: text_add(t, s->model->param[y->id].name); return;
  case SYM_PARAM_AT: {
    const char *n = s->model->param[y->id].name;           // "k[1]": the first element carries the shape
    size_t len = strcspn(n, "[");
    text_addn(t, n, len);
    text_addc(t, '[');
    for (int k = 0; k < y->nidx; k++) { if (k) text_add(t, ", "); add_index(s, y, k, t); }
    text_addc(t, ']');
    return;
  }
  case SYM_VALUE: case SYM_RATE: case SYM_VALUE0: case SYM_RATE0: case SYM_VALUE_D: case SYM_RATE_D: {
    int k = 0;
    bool rate = y->kind == SYM_RATE || y->kind == SYM_RATE0 || y->kind == SYM_RATE_D;
    const MVar *v = &s->model->var[y->id];
    for (const char *c = rate && v->rate_name ? v->rate_name : v->name; *c; c++) {
      if (*c == '%' && k < y->nidx) add_index(s, y, k++, t);
      else text_addc(t, *c);
    }
    if (v->kind == MV_GIVEN) text_add(t, "_given");        // beside the input, whose name it has
    if (rate && !v->rate_name) text_addc(t, '\'');
    if (y->kind == SYM_VALUE0 || y->kind == SYM_RATE0) text_add(t, "_B");
    if (y->kind == SYM_VALUE_D || y->kind == SYM_RATE_D) text_add(t, "_D");
    return;
  }
  }
}

// ex_print wants a string per symbol; it lives in the arena of the table.
const char *sym_name(int id, void *system) {
  const System *s = system;
  Text t = {0};
  sym_text(s, id, &t);
  char *copy = arena_strndup(symtab_arena(s->sym), text_str(&t), strlen(text_str(&t)));
  text_free(&t);
  return copy;
}

static const char *const greek[] = { "alpha", "beta",   "gamma",  "delta", "epsilon", "zeta",  "eta",   "theta",
                                     "iota",  "kappa",  "lambda", "mu",    "nu",      "xi",    "pi",    "rho",
                                     "sigma", "tau",    "phi",    "chi",   "psi",     "omega", "Gamma", "Delta",
                                     "Theta", "Lambda", "Phi",    "Psi",   "Omega",   NULL };

enum { NO_GREEK = -1 };

// How many characters of a word are its letter, and which greek one that is: "alpha2" is alpha with an index, "x1" x,
// "mM" m. Any other word, as "on" and "out", is one whole, set upright.
static size_t letter_of(const char *w, size_t n, int *which) {
  size_t letters = 0;
  while (letters < n && isalpha((unsigned char)w[letters])) letters++;
  *which = NO_GREEK;
  for (int g = 0; greek[g]; g++)
    if (strlen(greek[g]) == letters && !strncmp(greek[g], w, letters)) { *which = g; return letters; }
  return letters == 1 || (n > 1 && n <= 3 && isupper((unsigned char)w[1])) ? 1 : n;
}

// The index that follows a letter: "max" of "v_max".
static size_t skip_bar(const char *w, size_t at, size_t n) { return at + 1 < n && w[at] == '_' ? at + 1 : at; }

static void latex_plain(const char *w, size_t n, Text *t) {
  for (size_t i = 0; i < n; i++) { if (w[i] == '_') text_add(t, "\\_"); else text_addc(t, w[i]); }
}

static void latex_word(const char *w, size_t n, Text *t) {
  int g;
  size_t letter = letter_of(w, n, &g), below = skip_bar(w, letter, n);
  if (g != NO_GREEK) text_printf(t, "\\%s", greek[g]);
  else {
    if (letter > 1) text_add(t, "\\mathrm{");
    latex_plain(w, letter, t);
    if (letter > 1) text_addc(t, '}');
  }
  if (letter == n) return;
  text_add(t, "_{");
  latex_plain(w + below, n - below, t);
  text_addc(t, '}');
}

const char *sym_latex(int id, void *system) {
  const System *s = system;
  const Sym *y = symtab_at(s->sym, id);
  Text plain = {0}, t = {0};
  sym_text(s, id, &plain);
  const char *name = text_str(&plain);
  if (y->kind == SYM_TIME) name = "t";
  size_t n = strlen(name);
  bool rate = y->kind == SYM_RATE && !s->model->var[y->id].rate_name;
  if (rate) { n--; text_add(&t, "\\dot{"); }
  // "bead[i + 1].z" -> z_{bead,i+1}: the last word is the letter, all before it an index
  size_t last = n;
  while (last > 0 && name[last - 1] != '.') last--;
  size_t word = strcspn(name + last, "['");
  if (last + word > n) word = n - last;
  latex_word(name + last, word, &t);
  if (rate) text_addc(&t, '}');
  if (last > 0 || last + word < n) {
    text_add(&t, "^{(");
    for (size_t i = 0; i < n; i++) {
      if (i >= last && i < last + word) continue;
      if (name[i] == '.' ) continue;
      if (name[i] == '[' || name[i] == ']') {
        if (name[i] == '[' && i > 0 && i != last + word) text_addc(&t, ' ');
        continue;
      }
      if (name[i] == '_') text_addc(&t, '\\');
      text_addc(&t, name[i]);
    }
    text_add(&t, ")}");
  }
  char *copy = arena_strndup(symtab_arena(s->sym), text_str(&t), strlen(text_str(&t)));
  text_free(&plain); text_free(&t);
  return copy;
}

// ---- MathML: the last word of a name with the rest as its index ----
static const char *const greek_letter[] = {
  "\xce\xb1", "\xce\xb2", "\xce\xb3", "\xce\xb4", "\xce\xb5", "\xce\xb6", "\xce\xb7",
  "\xce\xb8", "\xce\xb9", "\xce\xba", "\xce\xbb", "\xce\xbc", "\xce\xbd", "\xce\xbe",
  "\xcf\x80", "\xcf\x81", "\xcf\x83", "\xcf\x84", "\xcf\x86", "\xcf\x87", "\xcf\x88",
  "\xcf\x89", "\xce\x93", "\xce\x94", "\xce\x98", "\xce\x9b", "\xce\xa6", "\xce\xa8",
  "\xce\xa9",
};

static void plain_text(Text *t, const char *s, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '<') text_add(t, "&lt;");
    else if (s[i] == '&') text_add(t, "&amp;");
    else if (s[i] == '.' || s[i] == ']') continue;
    else if (s[i] == '[') { if (t->n && t->at[t->n - 1] != '>') text_addc(t, ' '); }
    else text_addc(t, s[i]);
  }
}

const char *sym_mathml(int id, void *system) {
  const System *s = system;
  const Sym *y = symtab_at(s->sym, id);
  Text plain = {0}, t = {0};
  sym_text(s, id, &plain);
  const char *name = y->kind == SYM_TIME ? "t" : text_str(&plain);
  size_t n = strlen(name);
  bool rate = n > 0 && name[n - 1] == '\'';
  if (rate) n--;
  size_t last = n;
  while (last > 0 && name[last - 1] != '.') last--;
  size_t word = strcspn(name + last, "['");
  if (last + word > n) word = n - last;
  int letter;
  size_t shown = letter_of(name + last, word, &letter), index = skip_bar(name + last, shown, word);
  bool below = shown < word || last > 0 || last + word < n;
  if (below) text_add(&t, "<msub>");
  if (rate) text_add(&t, "<mover>");
  text_add(&t, "<mi>");
  if (letter != NO_GREEK) text_add(&t, greek_letter[letter]);
  else plain_text(&t, name + last, shown);
  text_add(&t, rate ? "</mi><mo>\xcb\x99</mo></mover>" : "</mi>");
  if (below) {
    text_add(&t, "<mtext>");
    plain_text(&t, name + last + index, word - index);
    if (shown < word && (last > 0 || last + word < n)) text_addc(&t, ' ');
    plain_text(&t, name, last);
    if (last > 0 && last + word < n) text_addc(&t, ' ');
    plain_text(&t, name + last + word, n - last - word);
    text_add(&t, "</mtext></msub>");
  }
  char *copy = arena_strndup(symtab_arena(s->sym), text_str(&t), t.n);
  text_free(&plain);
  text_free(&t);
  return copy;
}
