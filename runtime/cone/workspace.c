// The caller's memory as an arena: what belongs to the matrix stands first and stays while the matrix does; scratch is
// stacked behind it.
#include "solver.h"
#include "../shared/apart.h"
#include <math.h>
#include <string.h>

// BODY_FILL cones^(4/3): room for the factors of bodies that touch in space (bodies.h); fill grows with this power.
enum { ALIGN = 64, BODY_FILL = 120, PIECES = 500 };        // PIECES: more than any solver stacks

static size_t aligned(size_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

// Vectors: 30 of doubles and 10 of integers are more than any solver stacks. Dense room: copy, factor, tableau with two
// extra columns. Small sparse problems get dense room too, so that Lemke can help when pivoting cannot.
size_t nsm_cone_workspace_size(int m, size_t nnz, int bandwidth) {
  return nsm_cone_workspace_size_with(m, nnz, bandwidth, 0);
}

// With cone blocks: the standard form and its matrix, and dense matrices for Newton's method up to NSM_DENSE_ROWS.
size_t nsm_cone_workspace_size_with(int m, size_t nnz, int bandwidth, int cones) {
  if (m < 0) m = 0;
  if (bandwidth < 0) bandwidth = 0;
  if (bandwidth > m) bandwidth = m;
  size_t n = (size_t)m, bytes = aligned(sizeof(nsm_cone_work)) + ALIGN;
  bytes += 30 * aligned(n * sizeof(double)) + 10 * aligned(n * sizeof(int));
  bytes += 10 * aligned(n * sizeof(double)) + 2 * aligned(nnz * sizeof(double)) +     // the balanced problem
           aligned((size_t)(cones > 0 ? cones : 0) * sizeof(nsm_cone_block) + 1) + 12 * ALIGN;
  int large = cones > 0 && m > NSM_DENSE_ROWS,
      dense = !large && (nnz >= n * n || m <= 128 || 4 * (size_t)bandwidth >= n);
  if (dense) bytes += 3 * aligned(n * (n + 2) * sizeof(double)) +
      aligned(nsm_cone_farkas_columns(m) * sizeof(nsm_cone_column));
  else if (!large) bytes += aligned((3 * (size_t)bandwidth + 4) * n * sizeof(double));
  if (cones > 0) {
    bytes += 24 * aligned(n * sizeof(double)) + 8 * aligned(n * sizeof(int)) +
             NSM_CONE_MOST_ROWS * NSM_CONE_MOST_ROWS * aligned((size_t)cones * sizeof(double));
    bytes += 2 * aligned(nnz * (sizeof(double) + sizeof(int)));
    bytes += 240 * aligned(n * sizeof(double)) + 2 * aligned(nnz * sizeof(double));         // sigma_newton.c
    if (cones <= NSM_FACTORED) bytes += aligned((size_t)(BODY_FILL * pow(cones, 4.0 / 3)) * sizeof(double));
    if (!large) bytes += 5 * aligned(n * (n + 2) * sizeof(double));
  }
  return bytes + PIECES * NSM_APART;
}

void nsm_cone_workspace_init(void *workspace, size_t bytes) {
  if (workspace == NULL || bytes < sizeof(nsm_cone_work)) return;
  nsm_cone_work *w = workspace;
  memset(w, 0, sizeof *w);
  w->bytes = bytes;
  w->used = sizeof *w;
}

void *nsm_cone_take(nsm_cone_work *w, size_t bytes) {
  uintptr_t base = (uintptr_t)w, at = (base + w->used + ALIGN - 1) / ALIGN * ALIGN;
  size_t end = (size_t)(at - base) + bytes + NSM_APART;
  if (end > w->bytes) return NULL;
  w->used = end;
  NSM_UNLOCK((void *)at, bytes);
  NSM_LOCK((char *)at + bytes, NSM_APART);
  return (void *)at;
}
