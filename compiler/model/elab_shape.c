// Shapes of bodies: what was written (ShapeTerm) becomes a list of shapes with their sizes, places and rotations as
// expressions of parameters and indices of families; and volume, centre and inertia in closed form, so that these
// depend on the same parameters. Polyhedra and polygons are numbers.
//
// With K the inertia over the mass, in the axes of the body Q K Q^T about its centre c; of a union, with V = sum V_k:
//   c = sum V_k c_k / V,  K = sum V_k/V (K_k + |d_k|^2 1 - d_k d_k^T),  d_k = c_k - c                              (1)
#include "elab_shape.h"

#include <math.h>
#include <string.h>

#include "../../runtime/shapes/hull.h"
#include "../../runtime/shapes/mass.h"
#include "../../runtime/shapes/mesh.h"
#include "../base/suggest.h"

// least, most: arguments that are numbers or vectors
static const struct { const char *name; int kind, least, most; bool planar; const char *form; } known[] = {
  { "sphere", NSM_SPHERE, 1, 1, false, "sphere(R)" },
  { "box", NSM_BOX, 1, 1, false, "box([a, b, c]), its edges" },
  { "capsule", NSM_CAPSULE, 2, 2, false, "capsule(R, length), the length between the centres of its ends" },
  { "cylinder", NSM_CYLINDER, 2, 2, false, "cylinder(R, length), its axis along z" },
  { "halfspace", NSM_HALFSPACE, 0, 0, false, "halfspace, z <= 0 of its axes" },
  { "convex", NSM_CONVEX, 1, 1, false, "convex(\"file.obj\"), or convex([[0, 0, 0], [1, 0, 0], ...])" },
  { "disk", NSM_DISK, 1, 1, true, "disk(R)" },
  { "rectangle", NSM_RECTANGLE, 1, 1, true, "rectangle([a, b]), its edges" },
  { "polygon", NSM_POLYGON, 1, 1, true, "polygon([[0, 0], [1, 0], ...])" },
  { "halfplane", NSM_HALFPLANE, 0, 0, true, "halfplane, y <= 0 of its axes" },
  { "union", -1, 1, 1000, false, "union(box([1, 1, 1]), sphere(1) at([0, 0, 1]))" }
};
enum { KNOWN = sizeof known / sizeof *known };

static int number_of(const char *name) {
  for (int i = 0; name && i < KNOWN; i++) if (!strcmp(known[i].name, name)) return i;
  return -1;
}

bool shape_is_planar(const Ast *x) {
  while (x->kind == AST_AT || x->kind == AST_PAREN) x = x->a;
  if (x->kind != AST_CALL && x->kind != AST_NAME) return false;
  if (!strcmp(x->name, "union")) return x->list.n > 0 && shape_is_planar(x->list.at[0]);
  int i = number_of(x->name);
  return i >= 0 && known[i].planar;
}

int shape_arguments(const char *name, int *most) {
  int i = number_of(name);
  if (i < 0) return -1;
  *most = known[i].most;
  return known[i].least;
}

// --- diagnostics ---

static bool no_shape(Elab *e, Span at, const char *what, const char *help) {
  Diag *d = diag(e->bag, DIAG_E0248, at, "%s", what);
  diag_help(d, "%s", help);
  return false;
}

// What other programs call a shape.
static const struct { const char *name, *help; } meant[] = {
  { "cube", "box([a, a, a])" }, { "cuboid", "box([a, b, c]), its edges" }, { "block", "box([a, b, c]), its edges" },
  { "brick", "box([a, b, c]), its edges" }, { "ball", "sphere(R)" }, { "plane", "halfspace, z <= 0 of its axes" },
  { "ground", "halfspace, z <= 0 of its axes" }, { "floor", "halfspace, z <= 0 of its axes" },
  { "mesh", "convex(\"file.obj\"): a body of several convex parts is union(convex(...), convex(...))" },
  { "hull", "convex([[0, 0, 0], [1, 0, 0], ...])" }, { "polyhedron", "convex([[0, 0, 0], [1, 0, 0], ...])" },
  { "cone", "convex([[...], ...]) of its apex and corners around its base" }, { "circle", "disk(R)" },
  { "square", "rectangle([a, a])" }, { "compound", "union(s1, s2 at(place), ...)" },
  { "line", "halfplane, y <= 0 of its axes" }, { "rod", "cylinder(R, length), or capsule(R, length)" },
  { "ellipsoid", "spheres, boxes, capsules, cylinders, convex polyhedra and their unions are shapes; a gap of an "
                 "ellipsoid can be written as an expression" },
  { "heightmap", "union(convex(...), ...) of convex parts" }
};

static const char *meant_shape(const char *name) {
  for (size_t i = 0; name && i < sizeof meant / sizeof *meant; i++)
    if (!strcmp(meant[i].name, name)) return meant[i].help;
  return NULL;
}

void shape_unknown(Elab *e, const Ast *x) {
  const char *names[KNOWN];
  for (int i = 0; i < KNOWN; i++) names[i] = known[i].name;
  const char *written = x->kind == AST_CALL || x->kind == AST_NAME ? x->name : NULL;
  int i = number_of(written);
  const char *near = written && i < 0 ? suggest(written, names, KNOWN) : NULL;
  Diag *d = i >= 0 ? diag(e->bag, DIAG_E0248, x->span, "`%s` takes %s", written,
                          known[i].most == 0 ? "no arguments" : "other arguments")
                   : diag(e->bag, DIAG_E0248, x->span, "this is no shape");
  const char *other = i < 0 ? meant_shape(written) : NULL;
  if (i >= 0) diag_help(d, "%s", known[i].form);
  else if (other) diag_help(d, "%s", other);
  else if (near) diag_mean(d, near);
  else
    diag_help(d, "shapes are sphere, box, capsule, cylinder, halfspace, convex, union; in the plane disk, rectangle, "
                 "polygon, halfplane");
}

static const char *form_of(Elab *e, const Value *v) {
  return v->ndim == 0 ? "a number" : v->ndim == 1 ? arena_printf(e->a, "a vector of %d", v->dim[0])
                                                  : arena_printf(e->a, "a matrix of %d x %d", v->dim[0], v->dim[1]);
}

// --- expressions ---

static MExpr *num(Elab *e, double x, Span at) { return mx_num(e->a, x, at); }
static MExpr *mul(Elab *e, MExpr *x, MExpr *y) { return mx_times(e->a, x, y); }
static MExpr *add(Elab *e, MExpr *x, MExpr *y) { return mx_plus(e->a, x, y); }
static MExpr *sub(Elab *e, MExpr *x, MExpr *y) { return mx_minus(e->a, x, y); }
static MExpr *scaled(Elab *e, double f, MExpr *x) { return mul(e, num(e, f, x->span), x); }
static MExpr *quotient(Elab *e, MExpr *x, MExpr *y) {
  if (x->kind == MX_NUM && y->kind == MX_NUM) return num(e, x->num / y->num, x->span);
  return mx_is_num(x, 0) ? x : mx_2(e->a, MOP_DIV, x, y, x->span);
}
static MExpr *squared(Elab *e, MExpr *x) { return mul(e, x, x); }

// One part: a shape in its own axes, with volume, centre, inertia about it over the mass.
typedef struct Part { MShape shape; MExpr *volume, *centre[3], *inertia[9]; } Part;

static void principal(Part *p, MExpr *x, MExpr *y, MExpr *z) {
  p->inertia[0] = x;
  p->inertia[4] = y;
  p->inertia[8] = z;
}

// --- sizes ---

static bool sizes(Elab *e, const ShapeTerm *t, const char *form, int vector, MExpr **out) {
  int n = 0;
  for (int i = 0; i < t->nvalue; i++) {
    const Value *v = &t->value[i];
    bool fits = vector ? v->ndim == 1 && v->dim[0] == vector : v->ndim == 0;
    if (!fits) return no_shape(e, v->span, arena_printf(e->a, "this size is %s", form_of(e, v)), form);
    for (int k = 0; k < (vector ? vector : 1); k++) {
      MExpr *x = v->at[k];
      if (x->uses & ~(unsigned)(MU_PARAM | MU_LOOP)) {
        Diag *d = diag(e->bag, DIAG_E0224, v->span, "a size of a shape must be constant during a run");
        diag_help(d, "use numbers, parameters and indices of the family");
        return false;
      }
      double value = t->number[i][k];
      bool capsule = !strcmp(t->name, "capsule") && i == 1;               // of no length: a sphere
      if (isnan(value)) return no_shape(e, v->span, "a size of this shape is not a number", "0/0 has no value");
      if (!(isfinite(value) && (value > 0 || (capsule && value == 0))))
        return no_shape(e, v->span, arena_printf(e->a, "this %s has no %s: a size is %g", t->name,
                                                 known[number_of(t->name)].planar ? "area" : "volume", value),
                        "sizes are positive");
      out[n++] = x;
    }
  }
  return true;
}

// --- polyhedra ---

static const double *kept(Elab *e, const nsm_hull *h) {
  double *at = ARENA_ARRAY(e->a, double, 3 * h->corners + 1);
  memcpy(at, h->corner, sizeof *at * 3 * (size_t)h->corners);
  return at;
}

static int same_points(const Elab *e, const nsm_hull *h) {
  for (size_t i = 0; i < e->points.n; i++)
    if (e->points.at[i].n == h->corners &&
        !memcmp(e->points.at[i].at, h->corner, sizeof(double) * 3 * (size_t)h->corners))
      return (int)i;
  return -1;
}

// What a polyhedron has: the number of its corners in Model.points, volume, centre, inertia over the mass.
enum { OF_HULL = 14 };

static void of_hull(Elab *e, int kind, nsm_hull *h, double *out) {
  nsm_shape s = { .kind = (nsm_shape_kind)kind, .turn = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, .hull = h };
  nsm_mass m = { 0 };
  (void)nsm_mass_of(&s, 1, &m);
  int points = same_points(e, h);
  if (points < 0) {
    MPoints more = { h->corners, kept(e, h) };
    points = (int)e->points.n;
    vec_push(&e->points, more);
  }
  out[0] = points;
  out[1] = m.volume;
  for (int i = 0; i < 3; i++) out[2 + i] = m.centre[i];
  for (int i = 0; i < 9; i++) out[5 + i] = m.inertia[i] / m.volume;
  nsm_hull_free(h);
}

// Number `which` of members from .. to - 1, which agree in their first k indices: by halves.
static MExpr *choose(Elab *e, const ShapeTerm *t, const double *of, int which, int k, int from, int to) {
  const double *member = t->member;
  int depth = t->depth, middle = (from + to) / 2;
  bool same = true;
  for (int i = from + 1; i < to && same; i++) same = of[i * OF_HULL + which] == of[from * OF_HULL + which];
  if (same) return num(e, of[from * OF_HULL + which], t->span);
  if (member[from * depth + k] == member[(to - 1) * depth + k]) return choose(e, t, of, which, k + 1, from, to);
  while (middle > from && member[(middle - 1) * depth + k] == member[middle * depth + k]) middle--;
  if (middle == from) while (member[middle * depth + k] == member[from * depth + k]) middle++;
  MExpr *less = mx_2(e->a, MOP_LT, mx_loop(e->a, k, t->span), num(e, member[middle * depth + k], t->span), t->span);
  return mx_op(e->a, MOP_IF, (MExpr *[]){ less, choose(e, t, of, which, k, from, middle),
                                          choose(e, t, of, which, k, middle, to) }, 3, t->span);
}

static void of_hulls(Elab *e, const ShapeTerm *t, const double *of, int members, Part *p) {
  p->shape.size[0] = choose(e, t, of, 0, 0, 0, members);
  p->volume = choose(e, t, of, 1, 0, 0, members);
  for (int i = 0; i < 3; i++) p->centre[i] = choose(e, t, of, 2 + i, 0, 0, members);
  for (int i = 0; i < 9; i++) p->inertia[i] = choose(e, t, of, 5 + i, 0, 0, members);
}

static nsm_hull *hull_of_mesh(Elab *e, const ShapeTerm *t) {
  nsm_mesh_fault fault = { 0 };
  const char *path = source_beside(e->a, t->span.file, t->path);
  nsm_mesh *mesh = nsm_mesh_read(path, &fault);
  if (!mesh || !nsm_mesh_check(mesh, &fault)) {
    Diag *d = diag(e->bag, DIAG_E0248, t->span, "the mesh `%s` %s", t->path, mesh ? "is no solid" : "cannot be read");
    if (fault.line > 0) diag_label(d, "line %d: %s", fault.line, fault.text);
    else diag_label(d, "%s", fault.text);
    diag_help(d, !mesh ? "paths are relative to the file of the model; .obj and .stl are read"
                       : "a closed surface, each edge in two triangles, seen counter-clockwise from outside");
    nsm_mesh_free(mesh);
    return NULL;
  }
  int convex = 1;
  nsm_hull_error error = NSM_HULL_MADE;
  nsm_hull *h = nsm_mesh_hull(mesh, &convex, &error);
  if (!h) (void)no_shape(e, t->span, arena_printf(e->a, "the mesh `%s` has no volume", t->path),
                         nsm_hull_error_text(error));
  else if (!convex) {
    Diag *d = diag(e->bag, DIAG_W0833, t->span, "the mesh `%s` is not convex: its convex hull is used", t->path);
    diag_help(d, "a body of several convex parts is union(convex(...), convex(...))");
  }
  nsm_mesh_free(mesh);
  return h;
}

static const char *member_text(Elab *e, const ShapeTerm *t, int member) {
  const char *text = "";
  for (int k = 0; k < t->depth; k++)
    text = arena_printf(e->a, "%s%s%g", text, k ? ", " : "", t->member[member * t->depth + k]);
  return text;
}

// Of a polygon, positive where its corners go round counter-clockwise: half the sum of x_i y_(i+1) - x_(i+1) y_i.
static double area_within(int n, const double *p) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double *a = p + 2 * i, *b = p + 2 * ((i + 1) % n);
    sum += (a[0] - p[0]) * (b[1] - p[1]) - (b[0] - p[0]) * (a[1] - p[1]);
  }
  return sum / 2;
}

static double area_of(nsm_hull *h) {
  nsm_shape s = { .kind = NSM_POLYGON, .turn = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, .hull = h };
  nsm_mass m = { 0 };
  (void)nsm_mass_of(&s, 1, &m);
  return m.volume;
}

static nsm_hull *hull_of_corners(Elab *e, const ShapeTerm *t, bool plane, int member) {
  nsm_hull_error error = NSM_HULL_MADE;
  const double *point = t->point + member * t->npoint * t->dim;
  nsm_hull *h = (plane ? nsm_polygon_of_points : nsm_hull_of_points)(t->npoint, point, NSM_FLAT, &error);
  if (!h) {
    Diag *d = diag(e->bag, DIAG_E0248, t->span, "this %s has no %s: %s", plane ? "polygon" : "polyhedron",
                   plane ? "area" : "volume", nsm_hull_error_text(error));
    if (t->depth > 0) diag_label(d, "of member [%s]", member_text(e, t, member));
    diag_help(d, error == NSM_HULL_NO_NUMBER ? "0/0 has no value"
                 : plane ? "three corners or more, not on a line" : "four corners or more, not in a plane");
  } else if (plane && fabs(area_within(t->npoint, point)) < area_of(h) * (1 - 1e-9)) {
    Diag *d = diag(e->bag, DIAG_W0833, t->span, "this polygon is not convex: its convex hull is used");
    if (t->depth > 0) diag_label(d, "of member [%s]", member_text(e, t, member));
    diag_help(d, h->corners == t->npoint ? "its sides cross: write the corners in their order around it"
                                         : "a body of several convex parts is union(polygon(...), polygon(...))");
  }
  return h;
}

static bool polyhedron(Elab *e, const ShapeTerm *t, Part *p) {
  bool plane = p->shape.kind == NSM_POLYGON;
  int members = t->path ? 1 : t->nmember;
  double *of = ARENA_ARRAY(e->a, double, OF_HULL * members + 1);
  if (t->path && plane)
    return no_shape(e, t->span, "a polygon is given by its corners", "polygon([[0, 0], [1, 0], ...])");
  for (int i = 0; i < members; i++) {
    nsm_hull *h = t->path ? hull_of_mesh(e, t) : hull_of_corners(e, t, plane, i);
    if (!h) return false;
    of_hull(e, p->shape.kind, h, of + OF_HULL * i);
  }
  if (members == 0) return no_shape(e, t->span, "this family has no members", "n of body b[i in 1:n] is at least 1");
  of_hulls(e, t, of, members, p);
  return true;
}

// --- one shape ---

// capsule: shaft of volume A = pi R^2 l and two half balls, together B = 4/3 pi R^3, A/B = 3 l/(4 R); of the shares
// a = 3 l/(3 l + 4 R), b = 1 - a:  K_z = a R^2/2 + b 2/5 R^2,  K_x = a (R^2/4 + l^2/12) + b (2/5 R^2 + l^2/4 + 3/8 R l)
static void capsule(Elab *e, Part *p, MExpr *R, MExpr *l) {
  MExpr *r2 = squared(e, R), *l2 = squared(e, l), *three = scaled(e, 3, l), *four = scaled(e, 4, R);
  MExpr *both = add(e, three, four), *shaft = quotient(e, three, both), *caps = quotient(e, four, both);
  MExpr *of_shaft = add(e, scaled(e, 0.25, r2), scaled(e, 1.0 / 12, l2));
  MExpr *of_caps = add(e, add(e, scaled(e, 0.4, r2), scaled(e, 0.25, l2)), scaled(e, 0.375, mul(e, R, l)));
  MExpr *across = add(e, mul(e, shaft, of_shaft), mul(e, caps, of_caps));
  p->volume = mul(e, scaled(e, M_PI / 3, r2), both);
  principal(p, across, across, add(e, mul(e, shaft, scaled(e, 0.5, r2)), mul(e, caps, scaled(e, 0.4, r2))));
}

static void round_ones(Elab *e, Part *p, MExpr *R, MExpr *l) {
  MExpr *r2 = squared(e, R), *x;
  if (p->shape.kind == NSM_SPHERE) {
    p->volume = mul(e, scaled(e, 4 * M_PI / 3, r2), R);
    x = scaled(e, 0.4, r2);
    principal(p, x, x, x);
  } else if (p->shape.kind == NSM_CYLINDER) {
    p->volume = mul(e, scaled(e, M_PI, r2), l);
    x = add(e, scaled(e, 0.25, r2), scaled(e, 1.0 / 12, squared(e, l)));
    principal(p, x, x, scaled(e, 0.5, r2));
  } else {
    p->volume = scaled(e, M_PI, r2);                                       // disk
    p->inertia[8] = scaled(e, 0.5, r2);
  }
}

static void edged(Elab *e, Part *p, MExpr *const *edge) {
  MExpr *s[3];
  bool box = p->shape.kind == NSM_BOX;
  p->volume = mul(e, edge[0], edge[1]);
  if (box) p->volume = mul(e, p->volume, edge[2]);
  for (int i = 0; i < (box ? 3 : 2); i++) s[i] = squared(e, edge[i]);
  p->inertia[8] = scaled(e, 1.0 / 12, add(e, s[0], s[1]));
  if (!box) return;
  p->inertia[0] = scaled(e, 1.0 / 12, add(e, s[1], s[2]));
  p->inertia[4] = scaled(e, 1.0 / 12, add(e, s[0], s[2]));
}

static bool one_shape(Elab *e, const ShapeTerm *t, Part *p) {
  int k = number_of(t->name);
  MExpr *zero = num(e, 0, t->span), *size[3] = { zero, zero, zero };
  p->shape = (MShape){ .kind = known[k].kind };
  p->volume = zero;
  for (int i = 0; i < 3; i++) p->centre[i] = zero;
  for (int i = 0; i < 9; i++) p->inertia[i] = zero;
  bool vector = known[k].kind == NSM_BOX || known[k].kind == NSM_RECTANGLE;
  int n = known[k].kind == NSM_BOX ? 3 : 2;
  bool corners = known[k].kind == NSM_CONVEX || known[k].kind == NSM_POLYGON;
  if (!corners && !sizes(e, t, known[k].form, vector ? n : 0, size)) return false;
  for (int i = 0; i < 3; i++) {
    bool half = vector || (i == 1 && (known[k].kind == NSM_CAPSULE || known[k].kind == NSM_CYLINDER));
    p->shape.size[i] = half ? scaled(e, 0.5, size[i]) : size[i];
  }
  switch (known[k].kind) {
  case NSM_SPHERE: case NSM_CYLINDER: case NSM_DISK: round_ones(e, p, size[0], size[1]); break;
  case NSM_CAPSULE: capsule(e, p, size[0], size[1]); break;
  case NSM_BOX: case NSM_RECTANGLE: edged(e, p, size); break;
  case NSM_CONVEX: case NSM_POLYGON: if (!polyhedron(e, t, p)) return false; break;
  default: break;
  }
  return true;
}

// --- places ---

typedef struct Frame { MExpr *at[3], *turn[9]; } Frame;

static bool frame_of(Elab *e, const ShapeTerm *t, bool planar, Frame *f) {
  MExpr *zero = num(e, 0, t->span), *one = num(e, 1, t->span);
  int n = planar ? 2 : 3;
  for (int i = 0; i < 3; i++) f->at[i] = zero;
  for (int i = 0; i < 9; i++) f->turn[i] = i % 4 ? zero : one;
  if (!t->placed) return true;
  if (t->at.bad || t->turn.bad) return false;
  if (t->at.ndim != 1 || t->at.dim[0] != n)
    return no_shape(e, t->at.span, arena_printf(e->a, "the place of this shape is %s", form_of(e, &t->at)),
                    planar ? "in the plane: disk(1) at([0, 1])" : "in space: sphere(1) at([0, 0, 1])");
  for (int i = 0; i < n; i++) f->at[i] = t->at.at[i];
  const Value *r = &t->turn;
  if (!r->at) return true;
  bool angle = planar && r->ndim == 0, matrix = r->ndim == 2 && r->dim[0] == n && r->dim[1] == n;
  if (!angle && !matrix)
    return no_shape(e, r->span, "a shape is turned by a rotation",
                    planar ? "rectangle([1, 2]) at([0, 0], 30 [deg])"
                           : "box([1, 2, 3]) at([0, 0, 0], rotation([0, 0, 1], 30 [deg]))");
  if (matrix) {
    for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) f->turn[3 * i + k] = r->at[n * i + k];
    return true;
  }
  f->turn[0] = f->turn[4] = mx_1(e->a, MOP_COS, r->at[0], r->span);
  f->turn[3] = mx_1(e->a, MOP_SIN, r->at[0], r->span);
  f->turn[1] = mx_neg(e->a, f->turn[3], r->span);
  return true;
}

// C = A B, A B^T
static void product(Elab *e, MExpr *const *A, MExpr *const *B, bool transposed, MExpr **C) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      MExpr *s = num(e, 0, A[0]->span);
      for (int j = 0; j < 3; j++) s = add(e, s, mul(e, A[3 * i + j], transposed ? B[3 * k + j] : B[3 * j + k]));
      C[3 * i + k] = s;
    }
}

static void moved(Elab *e, const Frame *f, MExpr *const *x, MExpr **out) {
  for (int i = 0; i < 3; i++) {
    MExpr *s = f->at[i];
    for (int k = 0; k < 3; k++) s = add(e, s, mul(e, f->turn[3 * i + k], x[k]));
    out[i] = s;
  }
}

// --- all of them ---

// Q K Q^T, the same in all directions where K is; symmetric to the last bit.
static void turned_inertia(Elab *e, MExpr *const *Q, MExpr **K) {
  MExpr *half[9], *out[9];
  if (K[0] == K[4] && K[4] == K[8]) return;
  product(e, Q, K, false, half);
  product(e, half, Q, true, out);
  for (int i = 0; i < 9; i++) K[i] = out[i % 3 < i / 3 ? 3 * (i % 3) + i / 3 : i];
}

typedef struct Parts { Part *at; int n, cap; bool planar; } Parts;

static bool collect(Elab *e, const ShapeTerm *t, const Frame *outer, Parts *all) {
  Frame own, f;
  if (!frame_of(e, t, all->planar, &own)) return false;
  moved(e, outer, own.at, f.at);
  product(e, outer->turn, own.turn, false, f.turn);
  bool ok = true;
  for (int i = 0; i < t->nparts; i++) ok = collect(e, t->part[i], &f, all) && ok;
  if (!strcmp(t->name, "union")) return ok;
  if (known[number_of(t->name)].planar != all->planar)
    return no_shape(e, t->span, arena_printf(e->a, "`%s` is a shape %s", t->name,
                                             all->planar ? "in space, and this body is planar"
                                                         : "of the plane, and this body is in space"),
                    all->planar ? "in the plane: disk, rectangle, polygon, halfplane"
                                : "in space: sphere, box, capsule, cylinder, convex, halfspace; a body is planar where "
                                  "its position has two numbers");
  if (all->n == all->cap) {
    Part *more = ARENA_ARRAY(e->a, Part, all->cap = all->cap ? 2 * all->cap : 4);
    if (all->n) memcpy(more, all->at, sizeof *more * (size_t)all->n);
    all->at = more;
  }
  Part *p = &all->at[all->n];
  if (!one_shape(e, t, p)) return false;
  MExpr *centre[3];
  moved(e, &f, p->centre, centre);
  memcpy(p->centre, centre, sizeof centre);
  turned_inertia(e, f.turn, p->inertia);
  memcpy(p->shape.at, f.at, sizeof f.at);
  memcpy(p->shape.turn, f.turn, sizeof f.turn);
  all->n++;
  return true;
}

static void sums(Elab *e, const Parts *all, Shapes *out) {                                                    // (1)
  MExpr *zero = out->volume;
  if (all->n == 1) {
    out->volume = all->at[0].volume;
    memcpy(out->centre, all->at[0].centre, sizeof out->centre);
    memcpy(out->inertia, all->at[0].inertia, sizeof out->inertia);
    return;
  }
  for (int k = 0; k < all->n; k++) out->volume = add(e, out->volume, all->at[k].volume);
  for (int i = 0; i < 3; i++) {
    MExpr *s = zero;
    for (int k = 0; k < all->n; k++) s = add(e, s, mul(e, all->at[k].volume, all->at[k].centre[i]));
    out->centre[i] = quotient(e, s, out->volume);
  }
  for (int k = 0; k < all->n; k++) {
    const Part *p = &all->at[k];
    MExpr *d[3], *square = zero, *share = quotient(e, p->volume, out->volume);
    for (int i = 0; i < 3; i++) {
      d[i] = sub(e, p->centre[i], out->centre[i]);
      square = add(e, square, squared(e, d[i]));
    }
    for (int i = 0; i < 9; i++) {
      int row = i / 3 < i % 3 ? i / 3 : i % 3, col = i / 3 + i % 3 - row;
      MExpr *of = mul(e, d[row], d[col]), *far = i % 4 ? mx_neg(e->a, of, of->span) : sub(e, square, of);
      out->inertia[i] = add(e, out->inertia[i], mul(e, share, add(e, p->inertia[i], far)));
    }
  }
}

bool shapes_of(Elab *e, const ShapeTerm *t, Shapes *out) {
  Parts all = { .planar = out->planar };
  Frame f;
  MExpr *zero = num(e, 0, t->span), *one = num(e, 1, t->span);
  for (int i = 0; i < 3; i++) f.at[i] = zero;
  for (int i = 0; i < 9; i++) f.turn[i] = i % 4 ? zero : one;
  if (!collect(e, t, &f, &all)) return false;
  out->n = all.n;
  out->at = ARENA_ARRAY(e->a, MShape, all.n + 1);
  for (int i = 0; i < all.n; i++) {
    out->at[i] = all.at[i].shape;
    out->endless |= out->at[i].kind == NSM_HALFSPACE || out->at[i].kind == NSM_HALFPLANE;
  }
  out->volume = zero;
  for (int i = 0; i < 9; i++) out->inertia[i] = zero;
  for (int i = 0; i < 3; i++) out->centre[i] = zero;
  out->has_volume = !out->endless;
  if (out->has_volume) sums(e, &all, out);
  return true;
}

void shapes_moved(Elab *e, Shapes *s, MExpr *const *by) {
  for (int k = 0; k < s->n; k++)
    for (int i = 0; i < 3; i++) s->at[k].at[i] = sub(e, s->at[k].at[i], by[i]);
}
