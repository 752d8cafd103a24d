// Stereolithography .stl, text and binary [3D Systems 1989]. A binary file has 80 bytes, a count, and 50 bytes a
// triangle: normal, three points (single precision, least byte first), two bytes more. Many binary files begin with
// "solid", as text does: a length that fits the count decides.
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/shapes/mesh_file.h"

static uint32_t whole_at(const unsigned char *b) {
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int read_binary(nsm_mesh_maker *m, const unsigned char *bytes, uint32_t triangles) {
  m->mesh->single = 1;
  for (uint32_t t = 0; t < triangles; t++) {
    int from = m->mesh->points;
    for (int corner = 0; corner < 3; corner++) {
      double x[3];
      for (int k = 0; k < 3; k++) {
        uint32_t bits = whole_at(bytes + 84 + 50 * (size_t)t + 12 + 12 * (size_t)corner + 4 * (size_t)k);
        float value;
        memcpy(&value, &bits, sizeof value);
        x[k] = value;
      }
      if (!nsm_mesh_add_point(m, x, (int)t + 1)) return 0;
    }
    if (!nsm_mesh_add_triangle(m, from, from + 1, from + 2, (int)t + 1)) return 0;
  }
  return 1;
}

// Is the word at *at? Then past it.
static int word(const char **at, const char *what) {
  size_t n = strlen(what);
  for (size_t i = 0; i < n; i++) if (tolower((unsigned char)(*at)[i]) != what[i]) return 0;
  if ((*at)[n] && !isspace((unsigned char)(*at)[n])) return 0;
  *at += n;
  return 1;
}

static int read_vertex(nsm_mesh_maker *m, const char **at, int line) {
  double x[3];
  for (int k = 0; k < 3; k++) {
    char *end;
    while (**at == ' ' || **at == '\t') ++*at;
    x[k] = **at == '\n' || **at == '\r' ? 0 : strtod(*at, &end);
    if (**at == '\n' || **at == '\r' || end == *at)
      return nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, line, "a vertex needs three numbers");
    *at = end;
  }
  return nsm_mesh_add_point(m, x, line);
}

static int read_text(nsm_mesh_maker *m, const char *at) {
  int line = 1, facet = 0, corners = 0;   // facet: the line where it began
  while (*at) {
    if (isspace((unsigned char)*at)) { line += *at++ == '\n'; continue; }
    if (word(&at, "solid") || word(&at, "endsolid")) {
      while (*at && *at != '\n') at++;   // a name
    } else if (word(&at, "facet")) {
      if (facet) return nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, facet, "`endfacet` is missing");
      facet = line;
      corners = 0;
    } else if (word(&at, "vertex")) {
      if (!facet) return nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, line, "a vertex outside of a facet");
      if (!read_vertex(m, &at, line)) return 0;
      corners++;
    } else if (word(&at, "endfacet")) {
      if (!facet || corners != 3)
        return nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, line, "a facet needs three vertices, this has %d", corners);
      int last = m->mesh->points;
      if (!nsm_mesh_add_triangle(m, last - 3, last - 2, last - 1, facet)) return 0;
      facet = 0;
    } else {
      while (*at && !isspace((unsigned char)*at)) at++;   // `outer loop`; the normal, which the corners give
    }
  }
  return !facet || nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, facet, "the file ends within a facet");
}

int nsm_mesh_read_stl(nsm_mesh_maker *m, const char *text, size_t length) {
  const unsigned char *bytes = (const unsigned char *)text;
  const char *at = text;
  uint32_t count = length >= 84 ? whole_at(bytes + 80) : 0;
  int fits = length >= 84 && length == 84 + 50 * (size_t)count;
  while (isspace((unsigned char)*at)) at++;
  if (!fits && !word(&at, "solid")) {
    if (length == 0) return 1;
    if (length < 84) return nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, 0, "neither text nor binary .stl");
    return nsm_mesh_fails(m->fault, NSM_MESH_MALFORMED, 0, "%lu bytes do not hold the %lu triangles of its head",
                          (unsigned long)length, (unsigned long)count);
  }
  int fine = fits ? read_binary(m, bytes, count) : read_text(m, text);
  return fine && nsm_mesh_join_points(m);
}
