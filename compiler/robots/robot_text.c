// Numbers have 16 digits: a model has the masses of the file to round-off.
#include "robot_text.h"
#include "../../runtime/shapes/mass.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The shortest of 12 to 17 digits that reads back as x.
const char *robot_number(Arena *a, double x) {
  if (fabs(x) < 1e-16) return "0";
  for (int digits = 12; digits < 17; digits++) {
    const char *text = arena_printf(a, "%.*g", digits, x);
    double back = 0;
    if (sscanf(text, "%lf", &back) == 1 && back == x) return text;
  }
  return arena_printf(a, "%.17g", x);
}

const char *robot_vector(Arena *a, const double x[3]) {
  return arena_printf(a, "[%s, %s, %s]", robot_number(a, x[0]), robot_number(a, x[1]), robot_number(a, x[2]));
}

const char *robot_turn(Arena *a, const Frame *f) {
  double axis[3], angle = frame_turn(f, axis);
  return fabs(angle) < 1e-14 ? NULL
                             : arena_printf(a, "rotation(%s, %s)", robot_vector(a, axis), robot_number(a, angle));
}

const char *robot_inertia(Arena *a, const double I[3][3]) {
  bool principal = true;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) principal &= i == k || fabs(I[i][k]) <= 1e-14 * (fabs(I[i][i]) + fabs(I[k][k]));
  const double diagonal[3] = { I[0][0], I[1][1], I[2][2] };
  return principal ? robot_vector(a, diagonal)
                   : arena_printf(a, "[%s, %s, %s]", robot_vector(a, I[0]), robot_vector(a, I[1]),
                                  robot_vector(a, I[2]));
}

void robot_doubt_inertia(RobotText *t, const XmlNode *at, const char *what, const double I[3][3]) {
  double J[9], w[3], axes[9];                               // w: descending
  int line = source_line(at->at.file, at->at.lo);
  for (int i = 0; i < 9; i++) J[i] = I[i / 3][i % 3];
  nsm_principal(J, w, axes);
  if (!(w[2] > 0))
    text_printf(t->notes, "warning: a principal moment of inertia of %s is %.6g, not positive, line %d\n", what, w[2],
                line);
  else if (w[2] + w[1] < w[0] * (1 - 1e-9))
    text_printf(t->notes, "warning: no body has the moments of inertia of %s: %.6g + %.6g < %.6g, line %d\n", what,
                w[2], w[1], w[0], line);
  else return;
  text_add(t->notes, "  the model is refused (E0241) until they are mended\n");
}

// ---- names ----------------------------------------------------------------------------------------------------------
static bool is_taken(const RobotText *t, const char *name) {
  static const char *const taken[] = {
#define WORD(text, token, kind) text,
#include "../syntax/words.def"
#undef WORD
    "time", "pi", "energy", "body", "gravity", "ground", "material", "pair", "at", "floor", "draw", "fixed", "e" };
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(taken[i], name)) return true;
  for (size_t i = 0; i < t->names.n; i++)
    if (!strcmp(t->names.at[i], name)) return true;
  return false;
}

const char *robot_name(RobotText *t, const char *from, const char *behind) {
  char *name = arena_printf(t->a, "%s%s", isalpha((unsigned char)*from) ? "" : "n", from);
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c)) *c = '_';
  while (is_taken(t, name)) name = arena_printf(t->a, "%s%s", name, behind);
  vec_push(&t->names, name);
  return name;
}

const char *robot_model_name(RobotText *t, const char *from) {
  static const char *const joints[] = {
    "JointActions", "Ball", "Pin", "PlanarFixed", "PlanarSlider", "PinInSlot", "JointAxes", "Hinge", "Fixed", "Slider",
    "Cylindrical", "Universal", "ConstantVelocity", "Planar", "Screw", "Gear", "Rod", "Rope" };
  char *name = arena_printf(t->a, "%s", robot_name(t, from ? from : "robot", "_"));
  *name = (char)toupper((unsigned char)*name);
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
    if (!strcmp(name, joints[i])) return arena_printf(t->a, "%s_", name);
  return name;
}

void robot_left_out(RobotText *t, const XmlNode *at, const char *what) {
  for (size_t i = 0; i < t->left.n; i++)
    if (!strncmp(t->left.at[i], what, strlen(what))) return;
  const char *line = arena_printf(t->a, "%s, line %d", what, source_line(at->at.file, at->at.lo));
  vec_push(&t->left, line);
  text_printf(t->notes, "note: left out: %s\n", line);
}

void robot_left_whole(RobotText *t, const XmlNode *at, const char *what) {
  xml_take(at);
  robot_left_out(t, at, what);
}

static bool is_in(const char *name, const char *const *list) {
  for (; *list; list++)
    if (!strcmp(name, *list)) return true;
  return false;
}

void robot_report(RobotText *t, const XmlNode *n, const char *const *quiet) {
  bool any = n->taken[0];
  for (int i = 0; n->attribute[2 * i]; i++) any |= n->taken[i + 1];
  for (int i = 0; any && n->attribute[2 * i]; i++)
    if (!n->taken[i] && !is_in(n->attribute[2 * i], quiet))
      robot_left_out(t, n, arena_printf(t->a, "`%s` of `%s`", n->attribute[2 * i], n->name));
  for (const XmlNode *x = n->first; x; x = x->next) robot_report(t, x, quiet);
}

void robot_text_free(RobotText *t) {
  vec_free(&t->names);
  vec_free(&t->left);
}
