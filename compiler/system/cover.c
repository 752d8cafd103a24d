// Once for each element: the equations of a family of states and the relations of its multipliers may stand in several
// loops, which together must reach every element once. Loops run here with the values that the parameters have when
// compiled; the runtime does the same before the first step (runtime/assembly/cover.c), for those that they have then.
#include <math.h>
#include "derive.h"

enum { MOST = 2000000 };           // elements, instances, turns of loops: larger models are left to the runtime

typedef struct Cover {
  Deriver *d;
  double   loop[MAX_INDICES];
  int    **owner;                            // [nvar][elements] class + 1, 0: none; NULL: not counted
  double (*lo)[MAX_INDICES], (*n)[MAX_INDICES];
  bool    *open;                             // [nvar] some statement for it could not be counted
  long     budget;
  bool     bad;
} Cover;

static double number(Cover *c, Ex e) { return value_of(c->d->sys, e, c->loop, MAX_INDICES); }

static bool whole(double x) { return x == floor(x) && fabs(x) < 1e9; }

static void open_variables(Cover *c) {
  const System *s = c->d->sys;
  for (int v = 0; v < s->model->nvar; v++) {
    const MVar *m = &s->model->var[v];
    double count = 1;
    bool known = m->kind == MV_STATE || (m->kind == MV_MULTIPLIER && s->solved[v] == EX_NONE);
    for (int k = 0; k < m->ndim && known; k++) {
      double lo = number(c, s->var_lo[k][v]), hi = number(c, s->var_hi[k][v]);
      known = whole(lo) && whole(hi);
      c->lo[v][k] = lo;
      c->n[v][k] = hi >= lo ? hi - lo + 1 : 0;
      count *= c->n[v][k];
    }
    if (!known || !(count <= (double)c->budget)) continue;
    c->budget -= (long)count;
    c->owner[v] = ARENA_ARRAY(c->d->arena, int, count + 1);
  }
}

// Number of the element in its variable; -1: there is none, or it is not known.
static long element(Cover *c, const Slot *t) {
  long at = 0;
  for (int k = 0; k < t->nidx; k++) {
    double i = number(c, t->idx[k]) - c->lo[t->var][k];
    if (!(i >= 0 && i < c->n[t->var][k] && i == floor(i))) return -1;
    at = at * (long)c->n[t->var][k] + (long)i;
  }
  return at;
}

static const char *element_name(Cover *c, int var, long at) {
  const MVar *m = &c->d->sys->model->var[var];
  long index[MAX_INDICES];
  for (int k = m->ndim; k-- > 0; at /= (long)c->n[var][k]) index[k] = (long)c->lo[var][k] + at % (long)c->n[var][k];
  Text t = {0};
  int k = 0;
  for (const char *x = m->name; *x; x++) {
    if (*x == '%' && k < m->ndim) text_printf(&t, "%ld", index[k++]);
    else text_addc(&t, *x);
  }
  const char *r = arena_printf(c->d->arena, "%s", text_str(&t));
  text_free(&t);
  return r;
}

static void twice(Cover *c, const SysClass *a, const SysClass *b, const char *name) {
  bool state = b->kind == CLASS_SMOOTH;
  Diag *g = state ? diag(c->d->bag, DIAG_E0504, b->span, "two equations for %s'", name)
                  : diag(c->d->bag, DIAG_E0206, b->span, "multiplier %s is tied by two relations", name);
  if (a == b) diag_label(g, "its loops reach %s more than once", name);
  else diag_also(g, a->span, "it is %s here", state ? "given" : "tied");
  diag_help(g, "each element has exactly one %s; loops do not overlap: for i in 1:k { ... } for i in k+1:n { ... }",
            state ? "equation" : "relation");
  c->bad = true;
}

static void reach(Cover *c, int cls, const Slot *t) {
  long at = element(c, t);
  if (at < 0) return;                                      // reported elsewhere, or when the run starts
  int *owner = &c->owner[t->var][at];
  if (*owner && !c->bad) twice(c, &c->d->sys->cls[*owner - 1], &c->d->sys->cls[cls], element_name(c, t->var, at));
  *owner = cls + 1;
}

// False: the range of some loop is not known.
static bool run(Cover *c, int cls, const Slot *t, int k) {
  const SysClass *s = &c->d->sys->cls[cls];
  if (k == s->nloop) {
    if (--c->budget < 0) return false;
    reach(c, cls, t);
    return true;
  }
  double lo = number(c, s->loop[k].lo), hi = number(c, s->loop[k].hi);
  if (!whole(lo) || !whole(hi)) return false;
  for (double i = lo; i <= hi; i++) {
    c->loop[k] = i;
    if (--c->budget < 0 || !run(c, cls, t, k + 1)) return false;
  }
  return true;
}

static void missing(Cover *c, int v) {
  const MVar *m = &c->d->sys->model->var[v];
  double count = 1;
  for (int k = 0; k < m->ndim; k++) count *= c->n[v][k];
  for (long i = 0; i < (long)count; i++) {
    if (c->owner[v][i]) continue;
    const char *name = element_name(c, v, i);
    bool state = m->kind == MV_STATE;
    Diag *g = state ? diag(c->d->bag, DIAG_E0203, m->span, "missing equation for state `%s`", name)
                    : diag(c->d->bag, DIAG_E0205, m->span, "multiplier `%s` has no relation", name);
    diag_label(g, state ? "nothing says how %s changes" : "nothing determines %s", name);
    if (state) diag_help(g, "%s' = ...; or loops that together reach every element once", name);
    else diag_help(g, "its relations must together reach every element once");
    return;
  }
}

void derive_cover(Deriver *d) {
  System *s = d->sys;
  int nvar = s->model->nvar;
  Cover c = { .d = d, .budget = MOST };
  c.owner = ARENA_ARRAY(d->arena, int *, nvar + 1);
  c.open = ARENA_ARRAY(d->arena, bool, nvar + 1);
  c.lo = arena_alloc(d->arena, sizeof *c.lo * (size_t)(nvar + 1));
  c.n = arena_alloc(d->arena, sizeof *c.n * (size_t)(nvar + 1));
  open_variables(&c);
  for (int i = 0; i < s->ncls && !c.bad; i++) {
    const SysClass *k = &s->cls[i];
    bool equation = k->kind == CLASS_SMOOTH && k->is_equation, relation = k->kind == CLASS_RELATION && !k->compliant;
    if (!equation && !relation) continue;
    const Slot *t = &k->slot[equation ? k->row[0] : k->lambda_slot];
    if (!c.owner[t->var]) continue;
    if (!run(&c, i, t, 0)) c.open[t->var] = true;
  }
  for (int v = 0; v < nvar && !c.bad; v++)
    if (c.owner[v] && !c.open[v]) missing(&c, v);
}
