// M of a graph of contacts as M = H S H^T + E (bodies.h): what the bodies are is told by M itself.
//
// The couplings of the contacts of one body are the blocks off the diagonal of  G = H_b M_b^{-1} H_b^T,  whose rank is
// the freedom of the body, six. Its diagonal blocks are not known, since M_cc is the sum over the two bodies of c. They
// follow from the rest where there are contacts enough:
//
//   G_cc = G_cQ G_PQ^+ G_Pc,   P and Q any other contacts whose rows span the body's freedom                       (a)
//   G_cc = G_cP G_PP^+ G_Pc,   where the diagonal blocks of P are known                                            (b)
//   G_cc = M_cc at a wall,  M_cc - G'_cc where the other body's is known                                           (c)
//
// Nothing depends on their being right: off the diagonal H S H^T must agree with M, which is checked, and on it E takes
// what is left. A body of which too little is known takes half of M_cc, and as many columns as its rows, with the signs
// of its eigenvalues in S.
#include "bodies.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 64 * NSM_NODE_ROWS };
static const double rank_tolerance = 1e-9, agreement = 1e-8;

typedef struct maker {
  const nsm_graph *g;
  nsm_bodies *b;
  unsigned char *known;        // [touches] its diagonal block
  double *P;                   // [touches * NSM_NODE_BLOCK]
  double *room[4];             // [MOST * MOST] each
} maker;

static int size_of(const maker *k, int t) { return k->g->node[k->b->touch[t].node].size; }

static const double *coupling(const nsm_graph *g, int c, int d) {
  int low = g->start[c], high = g->start[c + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (g->column[middle] < d) low = middle + 1;
    else high = middle;
  }
  return g->value + g->at[low];
}

// out [rows of `row`, rows of `column`] row-major with leading dimension lda := the blocks of G between touches.
static void blocks(const maker *k, int rows, const int *row, int columns, const int *column, double *out, int lda) {
  for (int i = 0, r = 0; i < rows; r += size_of(k, row[i]), i++)
    for (int j = 0, s = 0; j < columns; s += size_of(k, column[j]), j++) {
      int n = size_of(k, row[i]), m = size_of(k, column[j]), same = row[i] == column[j];
      const double *v = same ? k->P + (size_t)row[i] * NSM_NODE_BLOCK
                             : coupling(k->g, k->b->touch[row[i]].node, k->b->touch[column[j]].node);
      for (int a = 0; a < n; a++)
        for (int c = 0; c < m; c++) out[(r + a) * lda + s + c] = v[same ? a * NSM_NODE_ROWS + c : a * m + c];
    }
}

static int rows_of(const maker *k, int n, const int *touch) {
  int rows = 0;
  for (int i = 0; i < n; i++) rows += size_of(k, touch[i]);
  return rows;
}

// out [n, n] := B A^+ C by elimination with complete pivoting: A [ra, ca], B [n, ca], C [ra, n] are lost.
static int through(int ra, int ca, int n, double *A, double *B, double *C, double *out) {
  double first = 0;
  memset(out, 0, (size_t)(n * n) * sizeof(double));
  for (int step = 0;; step++) {
    int p = -1, q = -1;
    double most = 0;
    for (int i = 0; i < ra; i++)
      for (int j = 0; j < ca; j++) if (fabs(A[i * ca + j]) > most) { most = fabs(A[i * ca + j]); p = i; q = j; }
    if (step == 0) first = most;
    if (p < 0 || most <= rank_tolerance * first || step >= ra || step >= ca) return step;
    double inverse = 1 / A[p * ca + q];
    for (int i = 0; i < n; i++) {
      double f = B[i * ca + q] * inverse;
      for (int j = 0; j < n; j++) out[i * n + j] += f * C[p * n + j];
      for (int j = 0; j < ca; j++) if (j != q) B[i * ca + j] -= f * A[p * ca + j];
      B[i * ca + q] = 0;
    }
    for (int i = 0; i < ra; i++) {
      if (i == p || A[i * ca + q] == 0) continue;
      double f = A[i * ca + q] * inverse;
      for (int j = 0; j < ca; j++) if (j != q) A[i * ca + j] -= f * A[p * ca + j];
      for (int j = 0; j < n; j++) C[i * n + j] -= f * C[p * n + j];
      A[i * ca + q] = 0;
    }
    for (int j = 0; j < ca; j++) A[p * ca + j] = 0;
    for (int j = 0; j < n; j++) C[p * n + j] = 0;
  }
}

// The diagonal block of touch t is known from now on; by (c) the other one too, and so on.
static void learn(const maker *k, int t, const double *G) {
  int n = size_of(k, t), c = k->b->touch[t].node, other = k->b->of[c][0] == t ? k->b->of[c][1] : k->b->of[c][0];
  const double *M = coupling(k->g, c, c);
  double *P = k->P + (size_t)t * NSM_NODE_BLOCK;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) P[i * NSM_NODE_ROWS + j] = 0.5 * (G[i * n + j] + G[j * n + i]);
  k->known[t] = 1;
  if (other < 0 || k->known[other]) return;
  double *Q = k->P + (size_t)other * NSM_NODE_BLOCK;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) Q[i * NSM_NODE_ROWS + j] = M[i * n + j] - P[i * NSM_NODE_ROWS + j];
  k->known[other] = 1;
}

// Rows and columns of the touches P, Q and t: G_tt = G_tQ G_PQ^+ G_Pt.
static void infer(const maker *k, int t, int np, const int *P, int nq, const int *Q) {
  int n = size_of(k, t), ra = rows_of(k, np, P), ca = rows_of(k, nq, Q);
  double G[NSM_NODE_BLOCK];
  blocks(k, np, P, nq, Q, k->room[0], ca);
  blocks(k, 1, &t, nq, Q, k->room[1], ca);
  blocks(k, np, P, 1, &t, k->room[2], n);
  through(ra, ca, n, k->room[0], k->room[1], k->room[2], G);
  learn(k, t, G);
}

enum { SPAN = 3, FIRST_WALLS = 0, FROM_KNOWN, FROM_REST };     // contacts that span the freedom of a body

// 1 where something was learned about body b.
static int look_at(const maker *k, int b, int from_rest) {
  int known[MOST], unknown[MOST], nk = 0, nu = 0, first = k->b->first[b], end = k->b->first[b + 1];
  for (int t = first; t < end; t++) {
    if (k->known[t]) known[nk++] = t;
    else unknown[nu++] = t;
  }
  if (nu == 0) return 0;
  if (nk >= SPAN) {
    for (int i = 0; i < nu; i++) infer(k, unknown[i], nk, known, nk, known);
    return 1;
  }
  if (!from_rest || end - first < 2 * SPAN + 1) return 0;
  int t = unknown[0], P[MOST], Q[MOST], np = 0, nq = 0;
  for (int s = first; s < end; s++)
    if (s != t) { if ((s - first) % 2) P[np++] = s; else Q[nq++] = s; }
  infer(k, t, np, P, nq, Q);
  return 1;
}

static void find_diagonals(const maker *k) {
  for (int c = 0; c < k->g->nodes; c++)
    if (k->b->of[c][1] < 0) learn(k, k->b->of[c][0], coupling(k->g, c, c));
  for (int again = 1; again;) {
    again = 0;
    for (int b = 0; b < k->b->bodies; b++) again |= look_at(k, b, 0);
    for (int b = 0; b < k->b->bodies && !again; b++) again |= look_at(k, b, 1);
  }
  for (int t = 0; t < k->b->touches; t++) {              // nothing is known: half of it
    if (k->known[t]) continue;
    int n = size_of(k, t), c = k->b->touch[t].node;
    double half[NSM_NODE_BLOCK];
    const double *M = coupling(k->g, c, c);
    for (int i = 0; i < n * n; i++) half[i] = 0.5 * M[i];
    learn(k, t, half);
  }
}

// A = L L^T + what is left, with diagonal pivoting, up to `most` columns; L [n, most]. Returns the columns.
static int low_rank(int n, double *A, double *L, int most) {
  double first = 0;
  for (int r = 0;; r++) {
    int p = -1;
    for (int i = 0; i < n; i++) if (A[i * n + i] > (p < 0 ? 0 : A[p * n + p])) p = i;
    if (p >= 0 && r == 0) first = A[p * n + p];
    if (r == most || p < 0 || A[p * n + p] <= rank_tolerance * first) return r;
    double root = sqrt(A[p * n + p]);
    for (int i = 0; i < n; i++) L[i * most + r] = A[i * n + p] / root;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i * n + j] -= L[i * most + r] * L[j * most + r];
  }
}

// A = V diag(A_ii) V^T by rotations (Jacobi 1846): A becomes diagonal.
static void eigenvectors(int n, double *A, double *V) {
  double all = 0;
  for (int i = 0; i < n * n; i++) { all += A[i] * A[i]; V[i] = i % (n + 1) == 0; }
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = 0;
    for (int p = 0; p < n; p++) for (int q = 0; q < p; q++) off += A[p * n + q] * A[p * n + q];
    if (off <= 1e-30 * all) return;
    for (int p = 0; p < n; p++)
      for (int q = 0; q < p; q++) {
        double a = A[p * n + q];
        if (a == 0) continue;
        double z = (A[q * n + q] - A[p * n + p]) / (2 * a), t = (z >= 0 ? 1 : -1) / (fabs(z) + sqrt(z * z + 1)),
               c = 1 / sqrt(t * t + 1), s = c * t;
        for (int i = 0; i < n; i++) {
          double x = A[i * n + p], y = A[i * n + q];
          A[i * n + p] = c * x - s * y; A[i * n + q] = s * x + c * y;
          x = V[i * n + p]; y = V[i * n + q];
          V[i * n + p] = c * x - s * y; V[i * n + q] = s * x + c * y;
        }
        for (int i = 0; i < n; i++) {
          double x = A[p * n + i], y = A[q * n + i];
          A[p * n + i] = c * x - s * y; A[q * n + i] = s * x + c * y;
        }
      }
  }
}

// Does L L^T agree with the couplings of body b? G [n, n].
static int agrees(const maker *k, int n, int b, const double *G, const double *L, int columns, int lda) {
  double most = 0, off = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(G[i * n + i]));
  for (int s = k->b->first[b], i = 0; s < k->b->first[b + 1]; i += size_of(k, s), s++)
    for (int t = k->b->first[b], j = 0; t < s; j += size_of(k, t), t++)
      for (int x = i; x < i + size_of(k, s); x++)
        for (int y = j; y < j + size_of(k, t); y++) {
          double sum = G[x * n + y];
          for (int r = 0; r < columns; r++) sum -= L[x * lda + r] * L[y * lda + r];
          off = fmax(off, fabs(sum));
        }
  return off <= agreement * most;
}

// H and S of body b; *used: of h; 0: too many columns.
static int make_body(const maker *k, int b, size_t *used, size_t room) {
  nsm_bodies *o = k->b;
  int first = o->first[b], count = o->first[b + 1] - first, touch[MOST], column = o->column[b];
  for (int i = 0; i < count; i++) touch[i] = first + i;
  int n = rows_of(k, count, touch), columns, lda = NSM_BODY_COLUMNS;
  double *G = k->room[0], *A = k->room[1], *L = k->room[2];
  blocks(k, count, touch, count, touch, G, n);
  memcpy(A, G, (size_t)(n * n) * sizeof(double));
  columns = low_rank(n, A, L, lda);
  for (int r = 0; r < columns; r++) o->sign[column + r] = 1;
  if (!agrees(k, n, b, G, L, columns, lda)) {
    if (n > NSM_BODY_COLUMNS) return 0;
    double *V = k->room[3], most = 0;
    memcpy(A, G, (size_t)(n * n) * sizeof(double));
    eigenvectors(n, A, V);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(A[i * n + i]));
    columns = 0;
    for (int r = 0; r < n; r++) {
      double e = A[r * n + r];
      if (fabs(e) <= 1e-13 * most) continue;
      o->sign[column + columns] = e > 0 ? 1 : -1;
      for (int i = 0; i < n; i++) L[i * lda + columns] = sqrt(fabs(e)) * V[i * n + r];
      columns++;
    }
  }
  if (columns == 0) { columns = 1; o->sign[column] = 1; for (int i = 0; i < n; i++) L[i * lda] = 0; }
  o->column[b + 1] = column + columns;
  if (*used + (size_t)(n * columns) > room) return 0;
  for (int i = 0, row = 0; i < count; row += size_of(k, touch[i]), i++) {
    o->touch[first + i].at = *used;
    for (int r = 0; r < size_of(k, touch[i]); r++)
      for (int s = 0; s < columns; s++) o->h[(*used)++] = L[(row + r) * lda + s];
  }
  return 1;
}

// E := the diagonal blocks of M without those of H S H^T.
static void take_rest(const nsm_graph *g, const nsm_bodies *b) {
  for (int c = 0; c < g->nodes; c++) {
    int n = g->node[c].size;
    const double *M = coupling(g, c, c);
    double *E = b->rest + (size_t)c * NSM_NODE_BLOCK;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = M[i * n + j];
        for (int s = 0; s < 2 && b->of[c][s] >= 0; s++) {
          const nsm_body_node *t = b->touch + b->of[c][s];
          int columns = b->column[t->body + 1] - b->column[t->body];
          const double *h = b->h + t->at, *sign = b->sign + b->column[t->body];
          for (int r = 0; r < columns; r++) sum -= h[i * columns + r] * sign[r] * h[j * columns + r];
        }
        E[i * NSM_NODE_ROWS + j] = fabs(sum) > 1e-13 * fabs(M[i * n + i]) ? sum : 0;
      }
  }
}

static int is_symmetric(const nsm_graph *g) {
  for (int c = 0; c < g->nodes; c++)
    for (int k = g->start[c]; k < g->start[c + 1]; k++) {
      int d = g->column[k], n = g->node[c].size, m = g->node[d].size;
      const double *A = g->value + g->at[k], *B = coupling(g, d, c);
      for (int i = 0; i < n && d <= c; i++)
        for (int j = 0; j < m; j++)
          if (!(fabs(A[i * m + j] - B[j * n + i]) <= 1e-10 * sqrt(g->node[c].metric * g->node[d].metric))) return 0;
    }
  return 1;
}

int nsm_bodies_make(const nsm_graph *g, nsm_cone_work *w, nsm_bodies *b) {
  if (!is_symmetric(g) || !nsm_bodies_find(g, w, b)) return 0;
  size_t touches = (size_t)b->touches, room = touches * 3 * NSM_BODY_COLUMNS, used = 0;
  b->rest = nsm_cone_take_doubles(w, (size_t)g->nodes * NSM_NODE_BLOCK);
  b->column = nsm_cone_take_ints(w, (size_t)b->bodies + 1);
  b->sign = nsm_cone_take_doubles(w, (size_t)b->bodies * NSM_BODY_COLUMNS);
  b->h = nsm_cone_take_doubles(w, room);
  if (!b->rest || !b->column || !b->sign || !b->h) return 0;
  size_t mark = w->used;
  maker k = { .g = g, .b = b, .known = nsm_cone_take(w, touches),
              .P = nsm_cone_take_doubles(w, touches * NSM_NODE_BLOCK) };
  for (int i = 0; i < 4; i++) k.room[i] = nsm_cone_take_doubles(w, MOST * MOST);
  if (!k.known || !k.P || !k.room[3]) return 0;
  memset(k.known, 0, touches);
  find_diagonals(&k);
  b->column[0] = 0;
  for (int i = 0; i < b->bodies; i++) if (!make_body(&k, i, &used, room)) return 0;
  w->used = mark;
  take_rest(g, b);
  return 1;
}
