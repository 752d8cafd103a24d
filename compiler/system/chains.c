// The chain of derivatives of each row, for people: y, y', ... along the motion until the multiplier appears.
//
//   d/dt y = dy/dt + dy/dq q' + dy/dv M^-1 (f + g + H' lambda) + ...
//
// Only what prints a system makes them: they are of no use to a run and may be larger than all that is derived.
#include <string.h>
#include "along.h"
#include "chains.h"

static bool diagonal_mass(const Expanded *x, int i) {
  for (int j = 0; j < x->nz; j++) if (j != i && x->M[i * x->nz + j] != EX_NONE) return false;
  return x->M[i * x->nz + i] != EX_NONE;
}

// e/m with the factor m struck out of the terms that have it: an inertia is not zero.
static Ex divide_by_mass(Pool *p, Ex e, Ex m) {
  Ex r = ex_num(p, 0);
  bool is_sum = ex_operator(p, e) == OP_ADD;
  for (int i = 0; i < (is_sum ? ex_nargs(p, e) : 1); i++) {
    Ex t = is_sum ? ex_arg(p, e, i) : e, q = EX_NONE;
    if (t == m) q = ex_num(p, 1);
    for (int k = 0; q == EX_NONE && ex_operator(p, t) == OP_MUL && k < ex_nargs(p, t); k++) {
      if (ex_arg(p, t, k) != m) continue;
      q = ex_num(p, 1);
      for (int l = 0; l < ex_nargs(p, t); l++) if (l != k) q = ex_mul(p, q, ex_arg(p, t, l));
    }
    r = ex_add(p, r, q == EX_NONE ? ex_div(p, t, m) : q);
  }
  return r;
}

// Right-hand side of row i: (f + g + H' lambda)/M, for rows with a diagonal mass.
static Ex right_hand_side(const Expanded *x, int i) {
  Pool *p = x->sys->pool;
  Ex f = ex_num(p, 0), m = x->M[i * x->nz + i];
  if (x->f[i] != EX_NONE) f = ex_add(p, f, x->f[i]);
  if (x->g[i] != EX_NONE) f = ex_add(p, f, x->g[i]);
  for (int r = 0; i < x->nq && r < x->nr; r++)
    if (x->H[r * x->nq + i] != EX_NONE) f = ex_add(p, f, ex_mul(p, x->H[r * x->nq + i], ex_sym(p, x->row[r].lambda)));
  return m == EX_NONE ? f : divide_by_mass(p, ex_open(p, f), ex_open(p, m));
}

// d/dt of y along the motion; accelerations and state rates replaced where the mass matrix is diagonal.
static Ex time_derivative(const Expanded *x, Ex y) {
  Pool *p = x->sys->pool;
  Ex dy = ex_diff(p, y, x->sys->sym_time);
  for (int i = 0; i < x->nz; i++) {
    Ex by_value = ex_diff(p, y, x->value[i]), by_rate = ex_diff(p, y, x->rate[i]);
    if (i < x->nq) {
      dy = ex_add(p, dy, ex_mul(p, by_value, ex_sym(p, x->rate[i])));
      if (!ex_is_num(p, by_rate, 0)) dy = ex_add(p, dy, ex_mul(p, by_rate, right_hand_side(x, i)));
    } else if (!ex_is_num(p, by_value, 0)) dy = ex_add(p, dy, ex_mul(p, by_value, right_hand_side(x, i)));
  }
  for (int i = 0; i < x->np; i++) {
    Ex by_value = ex_diff(p, y, x->position[i]);
    if (!ex_is_num(p, by_value, 0) && is_position(x->sys, x->position[i]))
      dy = ex_add(p, dy, ex_mul(p, by_value, attitude_rate(x->sys, x->position[i])));
  }
  return dy;
}

// Does y's derivative need an acceleration (or state rate) that only the inverse of a full mass matrix gives?
static bool chain_is_printable(const Expanded *x, Ex y) {
  for (int i = 0; i < x->nz; i++)
    if (ex_depends(x->sys->pool, y, i < x->nq ? x->rate[i] : x->value[i]) && !diagonal_mass(x, i)) return false;
  return true;
}

static void multipliers_in(const Expanded *x, Ex y, Text *t) {
  int n = 0;
  for (int r = 0; r < x->nr; r++)
    if (ex_depends(x->sys->pool, y, x->row[r].lambda)) {
      text_add(t, n++ ? ", " : "   (");
      text_add(t, sym_name(x->row[r].lambda, (void *)x->sys));
    }
  if (n) text_add(t, n == 1 ? " appears)" : " appear)");
}

Chain chain_of_row(Arena *a, const Expanded *x, int r) {
  static const char *const prime[] = { "", "'", "''", "'''", "''''", "'''''", "''''''" };
  const XRow *row = &x->row[r];
  int reldeg = x->sys->cls[row->cls].reldeg, last = reldeg < 0 ? 1 : reldeg;
  Ex y = row->y;
  Chain c = { 0, ARENA_ARRAY(a, const char *, MAX_DEGREE + 2) };
  for (int k = 0; k <= last && k < 7; k++) {
    Text t = {0};
    bool full = k > 0 && !chain_is_printable(x, y);
    if (full)
      text_printf(&t, "y%s: by the inverse of the full mass matrix%s", prime[last],
                  reldeg >= 0 ? "   (the multiplier appears)" : "");
    else {
      if (k > 0) y = time_derivative(x, y);
      text_printf(&t, "y%s = ", prime[k]);
      ex_print_short(x->sys->pool, y, &t, PRINT_MOST, sym_name, (void *)x->sys);
      multipliers_in(x, y, &t);
    }
    c.text[c.n++] = arena_strndup(a, text_str(&t), strlen(text_str(&t)));
    text_free(&t);
    if (full) break;
  }
  return c;
}

Chain *derivative_chains(Arena *a, const System *s) {
  Chain *chain = ARENA_ARRAY(a, Chain, s->ncls + 1);
  bool rows = false;
  for (int i = 0; i < s->ncls; i++) rows |= s->cls[i].kind >= CLASS_RELATION && s->cls[i].kind <= CLASS_FRICTION;
  if (!rows || s->algebraic_states) return chain;          // without inertia there is no chain to follow
  const Expanded *x = expand_system(a, s, DEGREE_SIZE, DEGREE_CLIP, EXPAND_FORCES);
  for (int r = 0; x && r < x->nr; r++)
    if (!chain[x->row[r].cls].n) chain[x->row[r].cls] = chain_of_row(a, x, r);
  return chain;
}
