// Wavefront .obj: the lines `v x y z` and `f i j k ...` (i, i/t, i//n, i/t/n; from 1, or from -1 backwards). All other
// lines are about looks [Wavefront 1992].
#include <stdlib.h>
#include <string.h>
#include "runtime/shapes/mesh_file.h"

static const char *skip_blanks(const char *at) {
  for (;;) {
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) at += at[1] == '\n' ? 2 : 3;
    else return at;
  }
}

static int at_end(const char *at) { return *at == '\n' || *at == '\0' || *at == '#'; }

static int read_point(nsm_mesh_maker *m, const char *at, int line) {
  double x[3];
  for (int k = 0; k < 3; k++) {
    char *end;
    at = skip_blanks(at);
    x[k] = at_end(at) ? 0 : strtod(at, &end);
    if (at_end(at) || end == at)
      return nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, line, "a point needs three numbers");
    at = end;
  }
  return nsm_mesh_add_point(m, x, line);
}

// The next corner of a face as the number of a point, from 0. 1; 0 with a fault; -1 at the end of the line.
static int next_corner(nsm_mesh_maker *m, const char **at, int line, int *corner) {
  char *end;
  *at = skip_blanks(*at);
  if (at_end(*at)) return -1;
  long number = strtol(*at, &end, 10);
  if (end == *at) return nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, line, "a face needs numbers of points");
  if (number < 0 ? number < -m->mesh->points : number == 0 || number > m->mesh->points)
    return nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, line, "there is no point %ld; %d stand above", number,
                          m->mesh->points);
  while (!at_end(end) && *end != ' ' && *end != '\t' && *end != '\r') end++;   // texture and normal
  *at = end;
  *corner = (int)(number < 0 ? m->mesh->points + number : number - 1);
  return 1;
}

static int read_face(nsm_mesh_maker *m, const char *at, int line) {
  int first = 0, last = 0, corner = 0, count = 0, more;
  while ((more = next_corner(m, &at, line, &corner)) > 0) {
    if (count == 0) first = corner;
    if (count >= 2 && !nsm_mesh_add_triangle(m, first, last, corner, line)) return 0;
    last = corner;
    count++;
  }
  if (more == 0) return 0;
  return count >= 3 || nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, line, "a face needs three points");
}

int nsm_mesh_read_obj(nsm_mesh_maker *m, const char *text) {
  int line = 1;
  for (const char *at = text; *at; ) {
    at = skip_blanks(at);
    int blank = at[0] != '\0' && (at[1] == ' ' || at[1] == '\t');
    if (*at == 'v' && blank && !read_point(m, at + 1, line)) return 0;
    if (*at == 'f' && blank && !read_face(m, at + 1, line)) return 0;
    for (; *at && *at != '\n'; at++)
      if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) { at += at[1] == '\n' ? 1 : 2; line++; }
    if (*at) { at++; line++; }
  }
  return nsm_mesh_join_points(m);   // many programs write the corners of each face anew
}
