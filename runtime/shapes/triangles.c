// Quickhull [Barber et al. 1996] with exact orientation.
//
// Each triangle keeps the points outside of its plane, each point with one triangle. The farthest point of a triangle
// becomes a corner: the triangles that see it go, the edges around them and the point make new ones, which inherit the
// points. What a point sees is decided exactly, a point in the plane is not seen: so the triangles seen are one patch
// with one simple border, and no new triangle is degenerate.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/shapes/orient.h"
#include "runtime/shapes/vector.h"
#include "runtime/shapes/triangles.h"

typedef struct {
  nsm_triangle is;
  int outside;      // first of the points outside, -1 none
  int seen_from;    // the last point it was asked about
  int alive, sees;
} facet;

typedef struct { int facet, edge; } border;

typedef struct {
  const double *point;
  facet *facet;
  int facets, room;
  int *next;        // the next point of the same facet, -1
  int *by_corner;   // of new facets: the one that begins at a corner of the border
  border *border;
  int *stack, borders, border_room, stack_room;
} builder;

static int grow(void **memory, int *room, int need, size_t each) {
  if (need <= *room) return 1;
  int more = *room ? *room : 64;
  while (more < need) more *= 2;
  void *bigger = realloc(*memory, (size_t)more * each);
  if (!bigger) return 0;
  *memory = bigger;
  *room = more;
  return 1;
}

static int new_facet(builder *b, int i, int j, int k) {
  if (!grow((void **)&b->facet, &b->room, b->facets + 1, sizeof *b->facet)) return -1;
  b->facet[b->facets] = (facet){ { { i, j, k }, { -1, -1, -1 } }, -1, -1, 1, 0 };
  return b->facets++;
}

static int sees(const builder *b, const facet *f, int p) {
  const int *c = f->is.corner;
  return nsm_orient3(b->point + 3 * c[0], b->point + 3 * c[1], b->point + 3 * c[2], b->point + 3 * p) > 0;
}

// Six times the volume of the triangle with the point, or twice the area with it: what is farthest.
static double volume_with(const double *a, const double *b, const double *c, const double *p) {
  double u[3], v[3], w[3], n[3];
  sub3(b, a, u);
  sub3(c, a, v);
  sub3(p, a, w);
  cross3(u, v, n);
  return dot3(n, w);
}
static double area_with(const double *a, const double *b, const double *p) {
  double u[3], v[3], n[3];
  sub3(b, a, u);
  sub3(p, a, v);
  cross3(u, v, n);
  return norm3(n);
}

// Four points that span a volume, the farthest of each kind.
static nsm_hull_error first_four(int n, const double *point, double flat, double *size, int *four) {
  double far = 0, area = 0, volume = 0;
  four[0] = four[1] = four[2] = four[3] = 0;
  for (int i = 1; i < n; i++) if (point[3 * i] < point[3 * four[0]]) four[0] = i;
  const double *a = point + 3 * four[0];
  for (int i = 0; i < n; i++) {
    double d[3];
    sub3(point + 3 * i, a, d);
    if (norm3(d) > far) { far = norm3(d); four[1] = i; }
  }
  *size = far;
  if (!(far > 0)) return NSM_HULL_POINT;
  const double *b = point + 3 * four[1];
  for (int i = 0; i < n; i++) {
    double s = area_with(a, b, point + 3 * i);
    if (s > area) { area = s; four[2] = i; }
  }
  if (!(area > fmax(flat, 1e-14) * far * far)) return NSM_HULL_LINE;
  const double *c = point + 3 * four[2];
  for (int i = 0; i < n; i++) {
    double s = fabs(volume_with(a, b, c, point + 3 * i));
    if (s > volume) { volume = s; four[3] = i; }
  }
  if (!(volume > fmax(flat, 1e-14) * far * area)) return NSM_HULL_FLAT;
  int side = nsm_orient3(a, b, c, point + 3 * four[3]);
  if (side == 0) return NSM_HULL_FLAT;
  if (side > 0) { int swap = four[1]; four[1] = four[2]; four[2] = swap; }   // the fourth lies behind the first three
  return NSM_HULL_MADE;
}

static void hand_to(builder *b, int p, int from, int to) {
  for (int f = from; f < to; f++)
    if (sees(b, &b->facet[f], p)) {
      b->next[p] = b->facet[f].outside;
      b->facet[f].outside = p;
      return;
    }
}

static int first_facets(builder *b, int n, const int *four) {
  static const int face[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 1, 3, 2 }, { 2, 3, 0 } };
  for (int f = 0; f < 4; f++)
    if (new_facet(b, four[face[f][0]], four[face[f][1]], four[face[f][2]]) < 0) return 0;
  for (int f = 0; f < 4; f++)
    for (int g = 0; g < 4; g++)
      for (int i = 0; i < 3 && f != g; i++)
        for (int j = 0; j < 3; j++)
          if (face[f][i] == face[g][(j + 1) % 3] && face[f][(i + 1) % 3] == face[g][j]) b->facet[f].is.beside[i] = g;
  for (int p = 0; p < n; p++) hand_to(b, p, 0, 4);
  return 1;
}

static int farthest_outside(const builder *b, const facet *f) {
  int best = f->outside;
  double most = -1;
  const int *c = f->is.corner;
  for (int p = f->outside; p >= 0; p = b->next[p]) {
    double v = volume_with(b->point + 3 * c[0], b->point + 3 * c[1], b->point + 3 * c[2], b->point + 3 * p);
    if (v > most || (v == most && p < best)) { most = v; best = p; }
  }
  return best;
}

// The facets that see p, all reached from `start`, become dead and stand on the stack; the edges around them in border.
static int find_border(builder *b, int start, int p, int *dead) {
  int from = 0, count = 0;
  b->borders = 0;
  if (!grow((void **)&b->stack, &b->stack_room, 1, sizeof(int))) return 0;
  b->stack[count++] = start;
  b->facet[start].seen_from = p;
  b->facet[start].sees = 1;
  for (; from < count; from++) {
    int f = b->stack[from];
    b->facet[f].alive = 0;
    for (int k = 0; k < 3; k++) {
      int g = b->facet[f].is.beside[k];
      if (b->facet[g].seen_from != p) {
        b->facet[g].seen_from = p;
        b->facet[g].sees = sees(b, &b->facet[g], p);
        if (b->facet[g].sees) {
          if (!grow((void **)&b->stack, &b->stack_room, count + 1, sizeof(int))) return 0;
          b->stack[count++] = g;
        }
      }
      if (b->facet[g].sees) continue;
      if (!grow((void **)&b->border, &b->border_room, b->borders + 1, sizeof *b->border)) return 0;
      b->border[b->borders++] = (border){ f, k };
    }
  }
  *dead = count;
  return 1;
}

static int add_corner(builder *b, int start, int p) {
  int dead, first = b->facets;
  if (!find_border(b, start, p, &dead)) return 0;
  for (int i = 0; i < b->borders; i++) {
    int f = b->border[i].facet, k = b->border[i].edge;
    int from = b->facet[f].is.corner[k], to = b->facet[f].is.corner[(k + 1) % 3], beyond = b->facet[f].is.beside[k];
    int made = new_facet(b, from, to, p);
    if (made < 0) return 0;
    b->facet[made].is.beside[0] = beyond;
    for (int j = 0; j < 3; j++)
      if (b->facet[beyond].is.corner[j] == to && b->facet[beyond].is.corner[(j + 1) % 3] == from)
        b->facet[beyond].is.beside[j] = made;
    b->by_corner[from] = made;
  }
  for (int f = first; f < b->facets; f++) {
    int after = b->by_corner[b->facet[f].is.corner[1]];
    b->facet[f].is.beside[1] = after;
    b->facet[after].is.beside[2] = f;
  }
  for (int i = 0; i < dead; i++)
    for (int q = b->facet[b->stack[i]].outside, next; q >= 0; q = next) {
      next = b->next[q];
      if (q != p) hand_to(b, q, first, b->facets);
    }
  return 1;
}

static nsm_triangle *living(const builder *b, int *count) {
  int *number = malloc((size_t)b->facets * sizeof(int));
  nsm_triangle *out = malloc((size_t)b->facets * sizeof *out);
  *count = 0;
  if (number && out) {
    for (int f = 0; f < b->facets; f++) number[f] = b->facet[f].alive ? (*count)++ : -1;
    for (int f = 0; f < b->facets; f++)
      if (b->facet[f].alive) {
        out[number[f]] = b->facet[f].is;
        for (int k = 0; k < 3; k++) out[number[f]].beside[k] = number[b->facet[f].is.beside[k]];
      }
  } else {
    free(out);
    out = NULL;
  }
  free(number);
  return out;
}

nsm_triangle *nsm_hull_triangles(int n, const double *point, double flat, double *size, int *count,
                                 nsm_hull_error *error) {
  int four[4];
  *error = n < 4 ? NSM_HULL_FEW : NSM_HULL_MADE;
  for (int i = 0; i < 3 * n; i++) if (!isfinite(point[i])) *error = NSM_HULL_NO_NUMBER;
  if (*error == NSM_HULL_MADE) *error = first_four(n, point, flat, size, four);
  if (*error != NSM_HULL_MADE) return NULL;
  builder b = { .point = point, .next = malloc((size_t)n * sizeof(int)), .by_corner = malloc((size_t)n * sizeof(int)) };
  nsm_triangle *out = NULL;
  int fine = b.next && b.by_corner && first_facets(&b, n, four);
  for (int f = 0; fine && f < b.facets; f++)   // new facets come after all others
    if (b.facet[f].alive && b.facet[f].outside >= 0)
      fine = add_corner(&b, f, farthest_outside(&b, &b.facet[f]));
  if (fine) out = living(&b, count);
  if (!out) *error = NSM_HULL_NO_MEMORY;
  free(b.facet);
  free(b.next);
  free(b.by_corner);
  free(b.border);
  free(b.stack);
  return out;
}
