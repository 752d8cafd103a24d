// Contacts that are closed where the run starts, and that the forces open at once (W0846): a gap upside down, through
// which what should lie on the floor falls without a word.
//
//   y = 0,  y' = 0,  y'' = H M^-1 F > 0
//
// Where F is constant and nothing else acts on what moves the gap (no other row, no law), the contact never closes
// again. A spring that pulls away from a stop comes back, and so may what bounces between two walls: of these nothing
// is said.
#include <math.h>
#include "parts.h"

typedef struct Falls { Check *k; int row, n, *of; } Falls;      // of [n]: the coordinates that move the gap of the row

static bool acts_on(const Falls *f, int row) {
  const Expanded *x = f->k->x;
  for (int i = 0; i < f->n; i++) {
    Ex h = x->H[row*x->nq + f->of[i]], b = x->B[f->of[i]*x->nr + row];
    const Pool *p = f->k->s->pool;
    if ((h != EX_NONE && !ex_is_num(p, h, 0)) || (b != EX_NONE && !ex_is_num(p, b, 0))) return true;
  }
  return false;
}

// Does a row act there that is neither this contact nor its friction?
static bool held_elsewhere(const Falls *f) {
  const Expanded *x = f->k->x;
  int own = x->row[f->row].cls;
  for (int r = 0; r < x->nr; r++) {
    const SysClass *c = &f->k->s->cls[x->row[r].cls];
    bool friction = c->kind == CLASS_FRICTION && c->normal == own;
    if (r != f->row && !friction && acts_on(f, r)) return true;
  }
  return false;
}

// The force on a coordinate beyond the inertia terms; nan where it is not constant.
static double constant_force(const Check *k, const Expanded *x, int i) {
  Point at[] = { start_point(k), generic_point(k, 1, 1), generic_point(k, 2, 10), generic_point(k, 3, 1e-2) };
  double first = 0;
  for (int n = 0; n < 4; n++) {
    double force = at_point(&at[n], x->f[i]), inertia = at_point(&at[n], x->inertia[i]);
    if (n == 0) first = force + inertia;
    if (!(fabs(force + inertia - first) <= 1e-9*(fabs(force) + fabs(inertia)))) return NAN;
  }
  return first;
}

// y'' at the start, of free motion; nan where it is not known or other coordinates have a part in it.
static double opening(const Falls *f, const Expanded *x, const Point *p) {
  const Check *k = f->k;
  int n = f->n;
  double *M = ARENA_ARRAY(k->arena, double, n*n + 1), *a = ARENA_ARRAY(k->arena, double, n + 1), sum = 0, size = 0;
  for (int i = 0; i < n; i++) {
    a[i] = constant_force(k, x, f->of[i]);
    for (int j = 0; j < x->nz; j++) {
      bool own = false;
      for (int m = 0; m < n; m++) own |= f->of[m] == j;
      if (!own && at_point(p, x->M[f->of[i]*x->nz + j]) != 0) return NAN;
    }
    for (int j = 0; j < n; j++) M[i*n + j] = at_point(p, x->M[f->of[i]*x->nz + f->of[j]]);
  }
  for (int i = 0; i < n; i++) if (!isfinite(a[i])) return NAN;
  for (int i = 0; i < n*n; i++) if (!isfinite(M[i])) return NAN;
  if (!solve_dense_system(M, a, n, 1)) return NAN;
  for (int i = 0; i < n; i++) {
    double part = at_point(p, k->x->H[f->row*x->nq + f->of[i]])*a[i];
    sum += part;
    size += fabs(part);
  }
  return sum > 1e-9*size ? sum : NAN;
}

static bool closed_at_rest(Falls *f, const Point *p) {
  const Expanded *x = f->k->x;
  f->n = 0;
  if (!(fabs(at_point(p, x->row[f->row].y)) <= 1e-9)) return false;
  for (int i = 0; i < x->nq; i++) {
    double h = at_point(p, x->H[f->row*x->nq + i]);
    if (h == 0) continue;
    if (!isfinite(h) || x->start_rate[i] != 0) return false;
    f->of[f->n++] = i;
  }
  return f->n > 0;
}

void check_falls(Check *k) {
  if (!k->x || k->x->clipped) return;
  Falls f = { .k = k, .of = ARENA_ARRAY(k->arena, int, k->x->nq + 1) };
  Point p = start_point(k);
  const Expanded *forces = NULL;
  for (int r = 0, reported = -1; r < k->x->nr; r++) {
    const SysClass *c = &k->s->cls[k->x->row[r].cls];
    f.row = r;
    if (c->kind != CLASS_CONTACT || reported == k->x->row[r].cls) continue;
    if (!closed_at_rest(&f, &p) || held_elsewhere(&f)) continue;
    if (!forces) forces = expand_system(k->arena, k->s, k->x->nz + k->x->nr, 0, EXPAND_FORCES);
    double rate = forces ? opening(&f, forces, &p) : NAN;
    if (isnan(rate)) continue;
    reported = k->x->row[r].cls;
    Diag *d = diag(k->bag, DIAG_W0846, c->y_span,
                   "this contact is closed at the start, and the forces open it at once");
    diag_label(d, "its gap grows by %.3g t^2", rate/2);
    diag_note(d, "nothing else acts on what it touches: it never closes again");
    diag_help(d, "a gap is positive where bodies are apart: is this one upside down?");
  }
}
