// Modes: E y' = J y, y = e^(lambda t) r, by the pencil (dggev), and shapes of all unknowns.
#include "linear.h"
#include "runtime/assembly/assembly.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

// Of the pencil, whose equations and unknowns are scaled to 1: an eigenvalue of less is that of what stays where it is.
static const double rounding = 16 * DBL_EPSILON;

typedef struct mode { double re, im; int from, pair; } mode;   // from: column of V; pair: 1, -1: first, second of one

static int by_size(const void *a, const void *b) {
  const mode *x = a, *y = b;
  double p = hypot(x->re, x->im), q = hypot(y->re, y->im), near = 1e-9 * fmax(p, q);
  if (fabs(p - q) > near) return p < q ? -1 : 1;
  if (fabs(x->re - y->re) > near) return x->re < y->re ? -1 : 1;
  return x->im < y->im ? 1 : x->im > y->im ? -1 : x->from - y->from;
}

// w = base r, scaled and turned so that its largest displacement or state is 1.
static void shape(const linear *l, const field *f, const double *r, const double *i, double *to, double *to_im) {
  int N = f->n - 1;
  nsm_la_gemv(N, l->n, 1, l->base, N, r, 0, to);
  if (to_im) nsm_la_gemv(N, l->n, 1, l->base, N, i, 0, to_im);
  int at = 0;
  double most = 0;
  for (int k = 0; k < N; k++) {
    double size = hypot(to[k], to_im ? to_im[k] : 0);
    if ((k >= f->nv && k < 2 * f->nv) || k >= 2 * f->nv + f->nx) continue;
    if (size > most * (1 + 1e-9)) { most = size; at = k; }
  }
  if (!(most > 0)) return;
  double a = to[at] / most / most, b = to_im ? -to_im[at] / most / most : 0;   // 1/w_at
  for (int k = 0; k < N; k++) {
    double re = to[k], im = to_im ? to_im[k] : 0;
    to[k] = a * re - b * im;
    if (to_im) to_im[k] = a * im + b * re;
  }
}

nsm_code modes_make(modes *m, const linear *l, const field *f, const nsm_lapack *la, nsm_error *e) {
  size_t n = (size_t)l->n, N = (size_t)(f->n - 1), bytes = sizeof(double);
  *m = (modes){ .n = l->n, .re = calloc(n + 1, bytes), .im = calloc(n + 1, bytes), .V = calloc(n * N + 1, bytes) };
  double *room = calloc(3 * n * n + 3 * n + 2 * N + 1, bytes), *beta = room + 3 * n * n, *re = beta + n, *im = re + n;
  mode *all = calloc(n + 1, sizeof *all);
  nsm_code code = m->re && m->im && m->V && room && all ? NSM_OK : sim_no_memory(e, "modes");
  if (code == NSM_OK) {
    memcpy(room, l->J, n * n * bytes);
    memcpy(room + n * n, l->E, n * n * bytes);
    if (!la->pencil(l->n, room, room + n * n, re, im, beta, room + 2 * n * n)) {
      sim_fail(e, NSM_FAILED, "the eigenvalues did not converge");
      code = NSM_FAILED;
    }
  }
  for (int i = 0; code == NSM_OK && i < l->n; i++) {
    int pair = im[i] > 0 ? 1 : im[i] < 0 ? -1 : 0;
    int still = hypot(re[i], im[i]) <= rounding * (double)N;
    all[i] = (mode){ still ? 0 : re[i] / beta[i], still ? 0 : im[i] / beta[i], pair < 0 ? i - 1 : i, pair };
  }
  if (code == NSM_OK) qsort(all, n, sizeof *all, by_size);
  const double *V = room ? room + 2 * n * n : NULL;
  for (size_t i = 0; code == NSM_OK && i < n; i++) {
    m->re[i] = all[i].re;
    m->im[i] = all[i].im;
    double *to = m->V + i * N, *ready = im + n;
    const double *r = V + (size_t)all[i].from * n;
    if (all[i].pair == 0) shape(l, f, r, NULL, to, NULL);
    else {
      shape(l, f, r, r + n, ready, ready + N);
      memcpy(to, all[i].pair > 0 ? ready : ready + N, N * bytes);
    }
  }
  free(room);
  free(all);
  return code;
}

void modes_free(modes *m) {
  free(m->re);
  free(m->im);
  free(m->V);
}
