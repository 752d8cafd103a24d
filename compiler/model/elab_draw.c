// draw { ... }: how a model looks. Each number of a picture becomes a hidden output, which no run evaluates; what
// shows the run asks for them (include/nsm.h, nsm_read_drawing).
#include <string.h>
#include "../base/suggest.h"
#include "elab.h"

// What stands for an argument: p a place, two or three numbers; v a vector of this kind, too; n a number; m a number
// that may be missing; r a turn, an angle or a matrix 3 x 3, that may be missing; t a string or a number; + more of the
// last.
typedef struct Picture { const char *name, *arguments, *example; } Picture;
static const Picture known[] = {
  { "line", "pp+", "line([0, 0], [x, y])" },
  { "polygon", "ppp+", "polygon([0, 0], [1, 0], [0, 1])" },
  { "disk", "pn", "disk([x, y], 0.1)" },
  { "circle", "pn", "circle([x, y], 0.1)" },
  { "sphere", "pn", "sphere([x, y, z], 0.1)" },
  { "box", "pvr", "box([x, y], [0.2, 0.1], phi)" },
  { "spring", "ppm", "spring([0, 0], [x, y])" },
  { "damper", "ppm", "damper([0, 0], [x, y])" },
  { "trail", "p", "trail([x, y])" },
  { "arrow", "pv", "arrow([x, y], [Fx, Fy])" },
  { "text", "pt", "text([x, y], \"here\")" },
};
enum { PICTURES = sizeof known / sizeof *known };

static const Picture *picture_named(const char *name) {
  for (int i = 0; i < PICTURES; i++) if (!strcmp(known[i].name, name)) return &known[i];
  return NULL;
}

// The picture that another word of drawing programs stands for, or that is spelled nearly so, or NULL.
static const Picture *picture_meant(const char *name) {
  static const char *const words[][2] = {
    { "ball", "disk" }, { "point", "disk" }, { "dot", "disk" }, { "rectangle", "box" }, { "rect", "box" },
    { "cube", "box" }, { "rope", "line" }, { "rod", "line" }, { "polyline", "line" }, { "path", "trail" },
    { "vector", "arrow" }, { "label", "text" }, { "dashpot", "damper" }, { "triangle", "polygon" },
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i][0], name)) return picture_named(words[i][1]);
  const char *names[PICTURES];
  for (int i = 0; i < PICTURES; i++) names[i] = known[i].name;
  const char *near = suggest(name, names, PICTURES);
  return near ? picture_named(near) : NULL;
}

static void no_picture(const Env *env, const Ast *x) {
  Elab *e = env->e;
  bool call = x->kind == AST_CALL && !x->a;
  Diag *d = call ? diag(e->bag, DIAG_E0270, x->span, "nothing is drawn by `%s`", x->name)
                 : diag(e->bag, DIAG_E0270, x->span, "this draws nothing");
  Text t = {0};
  for (int i = 0; i < PICTURES; i++) text_printf(&t, "%s%s", i ? ", " : "", known[i].name);
  diag_note(d, "what can be drawn: %s", text_str(&t));
  const Picture *meant = call ? picture_meant(x->name) : NULL;
  diag_help(d, "%s;", (meant ? meant : &known[0])->example);
  text_free(&t);
}

static bool wrong(const Env *env, const Picture *p, Span at, const char *what) {
  Diag *d = diag(env->e->bag, DIAG_E0271, at, "%s", what);
  diag_help(d, "%s;", p->example);
  return false;
}

// Which letter stands for argument i: behind the last one before a + come more of it. 0: none.
static char letter_of(const Picture *p, int i) {
  int n = (int)strlen(p->arguments);
  if (i < n && p->arguments[i] != '+') return p->arguments[i];
  return p->arguments[n - 1] == '+' ? p->arguments[n - 2] : 0;
}

static int least(const Picture *p) {
  int n = 0;
  while (p->arguments[n] && !strchr("mr+", p->arguments[n])) n++;
  return n;
}

static bool fits(const Env *env, const Picture *p, char letter, const Value *v) {
  int n = value_count(v);
  bool place = v->ndim == 1 && (n == 2 || n == 3), number = v->ndim == 0;
  if (v->truth) return wrong(env, p, v->span, "a condition is drawn by nothing");
  if (letter == 'p' && !place) return wrong(env, p, v->span, "a place has two or three numbers");
  if (letter == 'v' && !place) return wrong(env, p, v->span, "a vector of two or three numbers stands here");
  if (strchr("nmt", letter) && !number) return wrong(env, p, v->span, "one number stands here");
  if (letter == 'r' && !number && !(v->ndim == 2 && v->dim[0] == 3 && v->dim[1] == 3))
    return wrong(env, p, v->span, "a turn is an angle or a matrix of 3 x 3 numbers");
  return true;
}

static void picture(Env env, const Ast *x) {
  Elab *e = env.e;
  const Picture *p = x->kind == AST_CALL && !x->a ? picture_named(x->name) : NULL;
  if (!p) { no_picture(&env, x); return; }
  MDraw draw = { .shape = p->name, .first = (int)e->output.n };
  if (x->list.n < least(p) || x->list.n > MOST_ARGUMENTS || !letter_of(p, x->list.n - 1)) {
    wrong(&env, p, x->span, "the number of arguments does not fit");
    return;
  }
  Value value[MOST_ARGUMENTS];
  for (int i = 0; i < x->list.n; i++) {
    const Ast *a = x->list.at[i];
    char letter = letter_of(p, i);
    if (a->kind == AST_ARG) { wrong(&env, p, a->span, "what is drawn has no named arguments"); return; }
    value[i] = (Value){ .bad = true };
    if (letter == 't' && a->kind == AST_STRING) { draw.text = a->name; continue; }
    value[i] = elab_expr(&env, a);
    if (value[i].bad || !fits(&env, p, letter, &value[i])) return;
  }
  const char *name = family_name(&env, "draw");
  for (int i = 0; i < x->list.n; i++) {
    if (value[i].bad) continue;                            // a string
    int n = value_count(&value[i]);
    draw.argument[draw.nargument++] = n;
    for (int k = 0; k < n; k++) {
      MOutput o = { .ctx = env.ctx, .name = name, .value = value[i].at[k], .unit = value[i].unit, .hidden = true,
                    .span = x->list.at[i]->span };
      vec_push(&e->output, o);
    }
  }
  vec_push(&e->draw, draw);
}

void elab_draw(Env env, const Ast *x) {
  for (int i = 0; i < x->list2.n; i++) {
    const Ast *y = x->list2.at[i];
    Env in;
    if (y->kind == AST_PICTURE) picture(env, y->a);
    else if (y->kind == AST_FOR && loop_inside(env, y, &in)) elab_draw(in, y);
  }
}
