// runtime/shapes/mesh.h: a cube as .obj, text .stl and binary .stl; every fault with its line; noise.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "runtime/shapes/mass.h"
#include "runtime/shapes/mesh.h"
#include "chance.h"

static char folder[] = "/tmp/nsm-mesh-XXXXXX", path[64];

static const char *put(const char *name, const void *bytes, size_t length) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, length, f), length);
  fclose(f);
  return path;
}

static nsm_mesh_fault read_text(const char *name, const char *text, nsm_mesh **mesh) {
  nsm_mesh_fault fault;
  *mesh = nsm_mesh_read(put(name, text, strlen(text)), &fault);
  unlink(path);
  return fault;
}

#define POINTS "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
static const char cube[] = "# a cube\no cube\n" POINTS
  "vn 0 0 1\nf 4 3 2 1\nf 5/1 6/2 7/3 8/4\nf 1//1 2//1 6//1 5//1\nf 2/1/1 3/1/1 7/1/1 \\\n 6/1/1\n"
  "f -6 -5 -1 -2\nf 4 1 5 8  # the last\n";

static void is_cube(nsm_mesh *mesh, int single) {
  nsm_mesh_fault fault;
  assert_non_null(mesh);
  assert_int_equal(mesh->points, 8);
  assert_int_equal(mesh->triangles, 12);
  assert_int_equal(mesh->single, single);
  assert_true(nsm_mesh_check(mesh, &fault));
  nsm_mass m;
  nsm_mass_of_triangles(mesh->point, mesh->triangles, mesh->corner, &m);
  assert_true(fabs(m.volume - 1) < 1e-14 && fabs(m.centre[2] - 0.5) < 1e-14 && fabs(m.inertia[0] - 1 / 6.0) < 1e-14);
  int convex;
  nsm_hull_error error;
  nsm_hull *hull = nsm_mesh_hull(mesh, &convex, &error);
  assert_non_null(hull);
  assert_true(convex);
  assert_int_equal(hull->faces, 6);
  nsm_hull_free(hull);
}

static void cubes(void **state) {
  (void)state;
  nsm_mesh *mesh, *same;
  read_text("cube.obj", cube, &mesh);
  is_cube(mesh, 0);
  // The same as text and as binary .stl.
  static char text[8192];
  unsigned char bytes[84 + 12 * 50] = "solid but binary";
  int at = snprintf(text, sizeof text, "solid facet vertex names\n");
  bytes[80] = 12;
  for (int t = 0; t < 12; t++) {
    at += snprintf(text + at, sizeof text - (size_t)at, " facet normal 0 0 nan\n  outer loop\n");
    for (int k = 0; k < 3; k++) {
      const double *x = mesh->point + 3 * mesh->corner[3 * t + k];
      at += snprintf(text + at, sizeof text - (size_t)at, "   vertex %g %e %.1f\r\n", x[0], x[1], x[2]);
      for (int j = 0; j < 3; j++) {
        float value = (float)x[j];
        memcpy(bytes + 84 + 50 * t + 12 + 12 * k + 4 * j, &value, 4);   // least byte first here, too
      }
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "  endloop\n endfacet\n");
  }
  snprintf(text + at, sizeof text - (size_t)at, "endsolid facet vertex names\n");
  read_text("cube.STL", text, &same);
  is_cube(same, 0);
  assert_int_equal(same->line[1], 9);
  nsm_mesh_free(same);
  nsm_mesh_fault fault;
  same = nsm_mesh_read(put("binary.stl", bytes, sizeof bytes), &fault);
  is_cube(same, 1);
  nsm_mesh_free(same);
  assert_null(nsm_mesh_read(put("binary.stl", bytes + 1, sizeof bytes - 8), &fault));   // cut short
  assert_int_equal(fault.error, NSM_MESH_MALFORMED);
  unlink(path);
  nsm_mesh_free(mesh);
}

static void faults_of_files(void **state) {
  (void)state;
  static const struct { const char *name, *text; nsm_mesh_error error; int line; } bad[] = {
    { "a.obj", "", NSM_MESH_EMPTY, 0 },
    { "a.obj", "o nothing\nvt 0 0\n", NSM_MESH_EMPTY, 0 },
    { "a.obj", "v 0 0 0\nv 1 2\n", NSM_MESH_MALFORMED, 2 },
    { "a.obj", "v 0 0 0\nv 1 two 3\n", NSM_MESH_MALFORMED, 2 },
    { "a.obj", "v 0 0 0\n\nv 1 nan 3\n", NSM_MESH_NO_NUMBER, 3 },
    { "a.obj", "v 0 0 1e999\n", NSM_MESH_NO_NUMBER, 1 },
    { "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", NSM_MESH_MALFORMED, 4 },
    { "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", NSM_MESH_MALFORMED, 4 },
    { "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", NSM_MESH_MALFORMED, 4 },
    { "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 \\\n 2\n", NSM_MESH_MALFORMED, 4 },
    { "a.obj", "v 0 0 0\nf a b c\n", NSM_MESH_MALFORMED, 2 },
    { "a.stl", "", NSM_MESH_EMPTY, 0 },
    { "a.stl", "nonsense", NSM_MESH_MALFORMED, 0 },
    { "a.stl", "solid x\nendsolid x\n", NSM_MESH_EMPTY, 0 },
    { "a.stl", "solid x\nfacet\nvertex 1 2\nendfacet", NSM_MESH_MALFORMED, 3 },
    { "a.stl", "solid x\nfacet\nvertex 1 2 3\nendfacet", NSM_MESH_MALFORMED, 4 },
    { "a.stl", "solid x\nvertex 1 2 3\n", NSM_MESH_MALFORMED, 2 },
    { "a.stl", "solid x\nfacet\nvertex 1 2 3\n", NSM_MESH_MALFORMED, 2 },
    { "a.stl", "solid x\nfacet\nvertex 1 2 inf\n", NSM_MESH_NO_NUMBER, 3 },
    { "a.ply", "ply", NSM_MESH_UNKNOWN, 0 },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    nsm_mesh *mesh;
    nsm_mesh_fault fault = read_text(bad[i].name, bad[i].text, &mesh);
    assert_null(mesh);
    assert_int_equal(fault.error, bad[i].error);
    assert_int_equal(fault.line, bad[i].line);
    assert_true(strlen(fault.text) > 5);
  }
  nsm_mesh_fault fault;
  assert_null(nsm_mesh_read("/no/such/file.obj", &fault));
  assert_int_equal(fault.error, NSM_MESH_UNREADABLE);
  assert_non_null(strstr(fault.text, "No such file"));
}

static void faults_of_surfaces(void **state) {
  (void)state;
  static const struct { const char *faces; nsm_mesh_error error; int line; } bad[] = {
    { "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n", NSM_MESH_OPEN, 0 },
    { "f 1 2 3 4\nf 8 7 6 5\nf 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\n", NSM_MESH_INSIDE_OUT, 0 },
    { "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 8 5 1 4\n", NSM_MESH_DISAGREES, 0 },
    { "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 1 7 2\nf 2 7 1\n",
      NSM_MESH_NOT_MANIFOLD, 0 },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[512];
    nsm_mesh *mesh;
    nsm_mesh_fault fault;
    snprintf(text, sizeof text, "%s%s", POINTS, bad[i].faces);
    read_text("a.obj", text, &mesh);
    assert_non_null(mesh);
    assert_false(nsm_mesh_check(mesh, &fault));
    assert_int_equal(fault.error, bad[i].error);
    if (fault.error != NSM_MESH_INSIDE_OUT) assert_in_range(fault.line, 9, 16);
    nsm_mesh_free(mesh);
  }
}

// An L of three cubes is closed, but not convex; points alone have no surface to check.
static void not_convex(void **state) {
  (void)state;
  static const char l[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
    "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
    "f 1 4 3 2\nf 1 6 5 4\nf 7 8 9 10\nf 7 10 11 12\n"
    "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
  nsm_mesh *mesh;
  nsm_mesh_fault fault;
  nsm_hull_error error;
  int convex;
  read_text("l.obj", l, &mesh);
  assert_true(nsm_mesh_check(mesh, &fault));
  nsm_hull *hull = nsm_mesh_hull(mesh, &convex, &error);
  assert_non_null(hull);
  assert_false(convex);
  assert_int_equal(hull->corners, 10);
  nsm_hull_free(hull);
  nsm_mesh_free(mesh);
  read_text("p.obj", POINTS, &mesh);
  assert_true(nsm_mesh_check(mesh, &fault));
  hull = nsm_mesh_hull(mesh, &convex, &error);
  assert_true(convex && hull->faces == 6);
  nsm_hull_free(hull);
  nsm_mesh_free(mesh);
}

static void noise(void **state) {
  (void)state;
  for (int trial = 0; trial < 3000; trial++) {
    char bytes[sizeof cube + 100];
    size_t length = trial % 2 ? sizeof cube - 1 : (size_t)choose(150);
    memcpy(bytes, cube, sizeof cube - 1);
    for (int k = 0; k < (trial % 2 ? 3 : (int)length); k++)
      bytes[trial % 2 ? (size_t)choose((int)length) : (size_t)k] = (char)(trial % 4 ? 32 + choose(96) : choose(256));
    nsm_mesh_fault fault;
    nsm_mesh *mesh = nsm_mesh_read(put(trial % 3 ? "a.obj" : "a.stl", bytes, length), &fault);
    assert_true(mesh ? fault.error == NSM_MESH_FINE : fault.error != NSM_MESH_FINE);
    if (mesh && nsm_mesh_check(mesh, &fault)) {
      int convex;
      nsm_hull_error error;
      nsm_hull_free(nsm_mesh_hull(mesh, &convex, &error));
    }
    nsm_mesh_free(mesh);
    unlink(path);
  }
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cubes), cmocka_unit_test(faults_of_files), cmocka_unit_test(faults_of_surfaces),
    cmocka_unit_test(not_convex), cmocka_unit_test(noise),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
