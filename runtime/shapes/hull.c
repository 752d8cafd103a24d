// From triangles to a polyhedron: coplanar triangles become one face, corners that are none are left out.
//
// From the largest triangle on, each takes its neighbours whose corners lie within `tolerance` of its plane. The plane
// supports the hull, so what lies that near to it is one cap and its border one loop; where rounding or an earlier face
// makes another border, the triangle stays alone. A corner of two faces only lies on their common edge: it is left out
// where it is within `tolerance` of the line between the corners around it.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/shapes/hull.h"
#include "runtime/shapes/orient.h"
#include "runtime/shapes/vector.h"
#include "runtime/shapes/triangles.h"

typedef struct {
  const double *point;
  const nsm_triangle *triangle;
  int count, points;
  double size, tolerance;
  int *face;        // of each triangle, -1 not yet
  int *queue;       // triangles
  int *after;       // of a point: the next one around the border of the face at hand
  int *loop, *from; // corners of all faces, one after the other; where each face begins
  int *uses;        // of a point: in how many faces
  char *drop;
  int faces, corners;
} merger;

static void triangle_plane(const merger *m, int t, double *n, double *level, double *area) {
  const int *c = m->triangle[t].corner;
  double u[3], v[3];
  sub3(m->point + 3 * c[1], m->point + 3 * c[0], u);
  sub3(m->point + 3 * c[2], m->point + 3 * c[0], v);
  cross3(u, v, n);
  *area = norm3(n);
  for (int k = 0; k < 3 && *area > 0; k++) n[k] /= *area;
  *level = dot3(n, m->point + 3 * c[0]);
}

// The triangles around `seed` that lie in its plane, into the queue and marked with `face`; how many.
static int spread(merger *m, int seed, int face) {
  double n[3], level, area;
  int count = 0;
  triangle_plane(m, seed, n, &level, &area);
  m->queue[count++] = seed;
  m->face[seed] = face;
  for (int at = 0; at < count; at++)
    for (int k = 0; k < 3; k++) {
      int t = m->triangle[m->queue[at]].beside[k], flat = m->face[t] < 0;
      for (int j = 0; flat && j < 3; j++)
        flat = dot3(n, m->point + 3 * m->triangle[t].corner[j]) - level >= -m->tolerance;
      if (!flat) continue;
      double other[3], its_level, its_area;
      triangle_plane(m, t, other, &its_level, &its_area);
      if (its_area > m->tolerance * m->size && !(dot3(n, other) > 0)) continue;   // no sliver: a plate's far side
      m->face[t] = face;
      m->queue[count++] = t;
    }
  return count;
}

// The border of the `count` triangles of the queue as one loop appended to m->loop. 0 where it is not one.
static int walk(merger *m, int count, int face) {
  int border = 0, start = -1, length = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) m->after[m->triangle[m->queue[i]].corner[k]] = -1;
  for (int i = 0; i < count; i++) {
    const nsm_triangle *t = &m->triangle[m->queue[i]];
    for (int k = 0; k < 3; k++) {
      if (m->face[t->beside[k]] == face) continue;
      start = t->corner[k];
      if (m->after[start] >= 0) return 0;
      m->after[start] = t->corner[(k + 1) % 3];
      border++;
    }
  }
  if (start < 0) return 0;
  int p = start;
  do {
    m->loop[m->corners + length++] = p;
    p = m->after[p];
  } while (p >= 0 && p != start && length < border);
  if (p != start || length != border) return 0;
  m->corners += length;
  return 1;
}

typedef struct { double area; int triangle; } seed;

static int larger_first(const void *left, const void *right) {
  const seed *l = left, *r = right;
  return l->area != r->area ? (l->area < r->area ? 1 : -1) : l->triangle - r->triangle;
}

static int merge(merger *m) {
  seed *order = malloc((size_t)m->count * sizeof *order);
  if (!order) return 0;
  for (int t = 0; t < m->count; t++) {
    double n[3], level;
    triangle_plane(m, t, n, &level, &order[t].area);
    order[t].triangle = t;
    m->face[t] = -1;
  }
  qsort(order, (size_t)m->count, sizeof *order, larger_first);
  for (int i = 0; i < m->count; i++) {
    int t = order[i].triangle;
    if (m->face[t] >= 0) continue;
    int count = spread(m, t, m->faces);
    m->from[m->faces] = m->corners;
    if (!walk(m, count, m->faces)) {
      for (int k = 1; k < count; k++) m->face[m->queue[k]] = -1;
      walk(m, 1, m->faces);
    }
    m->faces++;
  }
  m->from[m->faces] = m->corners;
  free(order);
  return 1;
}

// Of a loop: the next place whose corner bounds more than two faces, from `at` on, at most `length` further; -1.
static int next_sharp(const merger *m, const int *loop, int length, int at) {
  for (int k = 0; k < length; k++, at++) if (m->uses[loop[at % length]] > 2) return at;
  return -1;
}

static double off_line(const double *a, const double *b, const double *p) {
  double u[3], v[3], n[3];
  sub3(b, a, u);
  sub3(p, a, v);
  cross3(u, v, n);
  return norm3(n) / norm3(u);
}

// Marks the corners that lie on an edge between two faces.
static void find_false_corners(merger *m) {
  for (int i = 0; i < m->corners; i++) m->uses[m->loop[i]]++;
  for (int f = 0; f < m->faces; f++) {
    const int *loop = m->loop + m->from[f];
    int length = m->from[f + 1] - m->from[f], first = next_sharp(m, loop, length, 0);
    if (first < 0) continue;
    for (int a = first, b; a < first + length; a = b) {
      b = next_sharp(m, loop, length, a + 1);
      int flat = loop[a % length] != loop[b % length];
      for (int k = a + 1; k < b && flat; k++)
        flat = off_line(m->point + 3 * loop[a % length], m->point + 3 * loop[b % length],
                        m->point + 3 * loop[k % length]) <= m->tolerance;
      for (int k = a + 1; k < b && flat; k++) m->drop[loop[k % length]] = 1;
    }
  }
  for (int f = 0; f < m->faces; f++) {   // never less than a triangle
    int left = 0;
    for (int i = m->from[f]; i < m->from[f + 1]; i++) left += !m->drop[m->loop[i]];
    for (int i = m->from[f]; left < 3 && i < m->from[f + 1]; i++) m->drop[m->loop[i]] = 0;
  }
}

// One block: the hull, then its arrays.
static nsm_hull *room_for(int corners, int faces, int edges, int face_corners) {
  size_t doubles = 3 * (size_t)corners + 4 * (size_t)faces, ints = (size_t)faces + 1 + (size_t)face_corners
                 + 4 * (size_t)edges;
  char *block = calloc(1, sizeof(nsm_hull) + doubles * sizeof(double) + ints * sizeof(int));
  if (!block) return NULL;
  nsm_hull *h = (nsm_hull *)block;
  double *number = (double *)(block + sizeof *h);
  int *whole = (int *)(number + doubles);
  *h = (nsm_hull){ corners, faces, edges, number, number + 3 * corners, number + 3 * corners + 3 * faces,
                   whole, whole + faces + 1, whole + faces + 1 + face_corners,
                   whole + faces + 1 + face_corners + 2 * edges };
  return h;
}

void nsm_hull_free(nsm_hull *hull) { free(hull); }

typedef struct { int low, high, face; } half_edge;

static int by_corners(const void *left, const void *right) {
  const half_edge *l = left, *r = right;
  if (l->low != r->low) return l->low < r->low ? -1 : 1;
  return l->high != r->high ? (l->high < r->high ? -1 : 1) : 0;
}

// The edges of a hull whose faces are there. half: two an edge. A face that runs along from low to high is the first.
static void find_edges(nsm_hull *h, half_edge *half) {
  int *edge = (int *)h->edge_corner, *beside = (int *)h->edge_face, count = 0;
  for (int f = 0; f < h->faces; f++)
    for (int i = h->face_from[f]; i < h->face_from[f + 1]; i++) {
      int a = h->face_corner[i], b = h->face_corner[i + 1 < h->face_from[f + 1] ? i + 1 : h->face_from[f]];
      half[count++] = (half_edge){ a < b ? a : b, a < b ? b : a, a < b ? f : -1 - f };
    }
  qsort(half, (size_t)count, sizeof *half, by_corners);
  for (int e = 0; e < h->edges; e++)
    for (int k = 0; k < 2; k++) {
      const half_edge *one = &half[2 * e + k];
      edge[2 * e] = one->low;
      edge[2 * e + 1] = one->high;
      beside[2 * e + (one->face < 0)] = one->face < 0 ? -1 - one->face : one->face;
    }
}

// Newell's normal of a face, the sum of its cross products; its level is that of its outermost corner.
static void find_plane(nsm_hull *h, int f) {
  double n[3] = { 0 }, c[3], u[3], v[3];
  const int *corner = h->face_corner + h->face_from[f];
  int count = h->face_from[f + 1] - h->face_from[f];
  const double *base = h->corner + 3 * corner[0];
  for (int i = 1; i + 1 < count; i++) {
    sub3(h->corner + 3 * corner[i], base, u);
    sub3(h->corner + 3 * corner[i + 1], base, v);
    cross3(u, v, c);
    for (int k = 0; k < 3; k++) n[k] += c[k];
  }
  double size = norm3(n), *normal = (double *)h->normal + 3 * f, *level = (double *)h->level + f;
  for (int k = 0; k < 3; k++) normal[k] = n[k] / size;
  *level = -INFINITY;
  for (int i = 0; i < count; i++) *level = fmax(*level, dot3(normal, h->corner + 3 * corner[i]));
}

static nsm_hull *pack(merger *m) {
  int corners = 0, face_corners = 0, *number = m->after;
  for (int p = 0; p < m->points; p++) number[p] = m->uses[p] && !m->drop[p] ? corners++ : -1;
  for (int i = 0; i < m->corners; i++) face_corners += !m->drop[m->loop[i]];
  nsm_hull *h = room_for(corners, m->faces, face_corners / 2, face_corners);
  half_edge *half = malloc((size_t)face_corners * sizeof *half);
  if (!h || !half) { free(h); free(half); return NULL; }
  int *from = (int *)h->face_from, *corner = (int *)h->face_corner, at = 0;
  for (int p = 0; p < m->points; p++)
    if (number[p] >= 0) memcpy((double *)h->corner + 3 * number[p], m->point + 3 * p, 3 * sizeof(double));
  for (int f = 0; f < m->faces; f++) {
    from[f] = at;
    for (int i = m->from[f]; i < m->from[f + 1]; i++)
      if (!m->drop[m->loop[i]]) corner[at++] = number[m->loop[i]];
  }
  from[m->faces] = at;
  for (int f = 0; f < m->faces; f++) find_plane(h, f);
  find_edges(h, half);
  free(half);
  return h;
}

nsm_hull *nsm_hull_of_points(int n, const double *point, double flat, nsm_hull_error *error) {
  double size;
  int count;
  nsm_triangle *triangle = nsm_hull_triangles(n, point, flat, &size, &count, error);
  if (!triangle) return NULL;
  size_t points = (size_t)n, triangles = (size_t)count;
  merger m = { .point = point, .triangle = triangle, .count = count, .points = n,
               .size = size, .tolerance = flat * size,
               .face = malloc(triangles * sizeof(int)), .queue = malloc(triangles * sizeof(int)),
               .after = malloc(points * sizeof(int)), .loop = malloc(3 * triangles * sizeof(int)),
               .from = malloc((triangles + 1) * sizeof(int)), .uses = calloc(points, sizeof(int)),
               .drop = calloc(points, 1) };
  nsm_hull *h = NULL;
  if (m.face && m.queue && m.after && m.loop && m.from && m.uses && m.drop && merge(&m)) {
    find_false_corners(&m);
    h = pack(&m);
  }
  if (!h) *error = NSM_HULL_NO_MEMORY;
  void *part[] = { triangle, m.face, m.queue, m.after, m.loop, m.from, m.uses, m.drop };
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) free(part[i]);
  return h;
}

static int left_to_right(const void *left, const void *right) {
  const double *l = left, *r = right;
  if (l[0] != r[0]) return l[0] < r[0] ? -1 : 1;
  return l[1] != r[1] ? (l[1] < r[1] ? -1 : 1) : 0;
}

// The corners of the hull in the plane, in place, by monotone chains [Andrew 1979] of exact turns.
static int chains(int n, double *point, double *out) {
  int count = 0;
  qsort(point, (size_t)n, 2 * sizeof *point, left_to_right);
  for (int pass = 0; pass < 2; pass++) {
    int first = count;
    for (int i = 0; i < n; i++) {
      const double *p = point + 2 * (pass ? n - 1 - i : i);
      while (count - first >= 2 && nsm_orient2(out + 2 * count - 4, out + 2 * count - 2, p) <= 0) count--;
      memcpy(out + 2 * count++, p, 2 * sizeof *p);
    }
    count--;   // the last point begins the other chain
  }
  return count;
}

// Leaves out corners within `tolerance` of the line between those around them, the flattest first.
static int leave_out_flat(int n, double *corner, double tolerance) {
  while (n > 2) {
    double least = INFINITY;
    int flattest = 0;
    for (int i = 0; i < n; i++) {
      const double *a = corner + 2 * ((i + n - 1) % n), *p = corner + 2 * i, *b = corner + 2 * ((i + 1) % n);
      double x = b[0] - a[0], y = b[1] - a[1];
      double off = fabs((p[0] - a[0]) * y - (p[1] - a[1]) * x) / hypot(x, y);
      if (off < least) { least = off; flattest = i; }
    }
    if (!(least <= tolerance)) break;
    memmove(corner + 2 * flattest, corner + 2 * flattest + 2, 2 * (size_t)(n - flattest - 1) * sizeof *corner);
    n--;
  }
  return n;
}

static nsm_hull *polygon_of(int n, const double *corner) {
  nsm_hull *h = room_for(n, n, 0, 2 * n);
  if (!h) return NULL;
  for (int i = 0; i < n; i++) {
    const double *a = corner + 2 * i, *b = corner + 2 * ((i + 1) % n);
    double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
    double *place = (double *)h->corner + 3 * i, *normal = (double *)h->normal + 3 * i;
    place[0] = a[0];
    place[1] = a[1];
    normal[0] = y / length;
    normal[1] = -x / length;
    ((double *)h->level)[i] = fmax(normal[0] * a[0] + normal[1] * a[1], normal[0] * b[0] + normal[1] * b[1]);
    ((int *)h->face_from)[i] = 2 * i;
    ((int *)h->face_corner)[2 * i] = i;
    ((int *)h->face_corner)[2 * i + 1] = (i + 1) % n;
  }
  ((int *)h->face_from)[n] = 2 * n;
  return h;
}

nsm_hull *nsm_polygon_of_points(int n, const double *point, double flat, nsm_hull_error *error) {
  *error = n < 3 ? NSM_HULL_FEW : NSM_HULL_MADE;
  for (int i = 0; i < 2 * n; i++) if (!isfinite(point[i])) *error = NSM_HULL_NO_NUMBER;
  if (*error != NSM_HULL_MADE) return NULL;
  double *sorted = malloc(2 * (size_t)n * sizeof *sorted), *corner = malloc(4 * ((size_t)n + 1) * sizeof *corner);
  nsm_hull *h = NULL;
  if (sorted && corner) {
    memcpy(sorted, point, 2 * (size_t)n * sizeof *sorted);
    int count = chains(n, sorted, corner);
    double wide = hypot(sorted[2 * n - 2] - sorted[0], sorted[2 * n - 1] - sorted[1]), size = wide;
    for (int i = 0; i < count; i++) size = fmax(size, hypot(corner[2 * i] - sorted[0], corner[2 * i + 1] - sorted[1]));
    if (!(size > 0)) *error = NSM_HULL_POINT;
    else if ((count = leave_out_flat(count, corner, fmax(flat, 1e-14) * size)) < 3) *error = NSM_HULL_LINE;
    else if (!(h = polygon_of(count, corner))) *error = NSM_HULL_NO_MEMORY;
  } else {
    *error = NSM_HULL_NO_MEMORY;
  }
  free(sorted);
  free(corner);
  return h;
}

nsm_hull *nsm_hull_of_corners(nsm_shape_kind kind, int n, const double *corner, nsm_hull_error *error) {
  if (kind != NSM_POLYGON) return nsm_hull_of_points(n, corner, NSM_FLAT, error);
  double *flat = malloc(2 * (size_t)n * sizeof *flat + 1);
  *error = NSM_HULL_NO_MEMORY;
  if (!flat) return NULL;
  for (int i = 0; i < n; i++) for (int k = 0; k < 2; k++) flat[2 * i + k] = corner[3 * i + k];
  nsm_hull *h = nsm_polygon_of_points(n, flat, NSM_FLAT, error);
  free(flat);
  return h;
}

const char *nsm_hull_error_text(nsm_hull_error error) {
  static const char *const text[] = {
    "a hull", "memory is out", "a coordinate is not a finite number", "a solid needs at least 4 points, a polygon 3",
    "all points are one", "all points lie on a line", "all points lie in a plane",
  };
  return text[error];
}
