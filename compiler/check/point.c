// Numbers at which the checks look: the start, generic points, instances of a class; and how they read.
#include <math.h>
#include <string.h>
#include "parts.h"

double start_time(const Check *k) {
  double t = k->s->start == EX_NONE ? 0 : value_of(k->s, k->s->start, NULL, 0);
  return isnan(t) ? 0 : t;
}

// --- points of the expanded system ---

static double leaf(int id, void *point) {
  const Point *p = point;
  const Check *k = p->k;
  const Sym *y = symtab_at(k->s->sym, id);
  if (y->kind == SYM_PARAM) return k->s->param_value[y->id];
  if (y->kind == SYM_TIME) return p->time;
  int i = id < k->nindex ? k->index[id] : -1;
  if (i < 0) return NAN;
  if (i < k->x->nz) return p->value[i];
  if (i >= 2*k->x->nz) return p->attitude[i - 2*k->x->nz];
  return i - k->x->nz < k->x->nq ? p->rate[i - k->x->nz] : 0;
}

double at_point(const Point *p, Ex e) {
  return e == EX_NONE ? 0 : ex_eval(p->k->s->pool, e, leaf, (void *)p);
}

Point start_point(const Check *k) {
  return (Point){ k, k->x->start, k->x->start_rate, start_time(k), k->x->position_start, false };
}

double generic_number(int number, int i) {             // splitmix64
  uint64_t z = UINT64_C(0x9e3779b97f4a7c15)*(uint64_t)(1000003*(int64_t)number + i + 1);
  z = (z ^ (z >> 30))*UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27))*UINT64_C(0x94d049bb133111eb);
  return 2*(double)((z ^ (z >> 31)) >> 11)*0x1p-53 - 1;
}

// Attitudes of bodies, unit quaternions one after another, turned from those of the start.
static double *generic_attitudes(const Check *k, int number, double spread) {
  int n = k->x->np;
  double *p = ARENA_ARRAY(k->arena, double, n + 1);
  for (int i = 0; i < n; i++) {
    double at = k->x->position_start[i];
    p[i] = (isnan(at) ? 0 : at) + spread*generic_number(number, -2 - i);
  }
  for (int i = 0; i + 3 < n; i += 4) {
    double size = sqrt(p[i]*p[i] + p[i + 1]*p[i + 1] + p[i + 2]*p[i + 2] + p[i + 3]*p[i + 3]);
    for (int d = 0; d < 4; d++) p[i + d] /= size;
  }
  return p;
}

Point generic_point(const Check *k, int number, double spread) {
  int n = k->x->nz;
  double *value = ARENA_ARRAY(k->arena, double, n + 1), *rate = ARENA_ARRAY(k->arena, double, n + 1);
  for (int i = 0; i < n; i++) {
    double x = k->x->start[i], v = k->x->start_rate[i];
    value[i] = (isnan(x) ? 0 : x) + spread*fmax(fabs(isnan(x) ? 0 : x), 1)*generic_number(number, 2*i);
    rate[i] = (isnan(v) ? 0 : v) + spread*fmax(fabs(isnan(v) ? 0 : v), 1)*generic_number(number, 2*i + 1);
  }
  double t = start_time(k) + spread*fabs(generic_number(number, -1));
  return (Point){ k, value, rate, t, generic_attitudes(k, number, spread), false };
}

static bool is_moving(int id, void *system) {
  SymKind kind = symtab_at(((const System *)system)->sym, id)->kind;
  return kind == SYM_TIME || kind == SYM_VALUE || kind == SYM_RATE;
}

bool moves(const Check *k, Ex e) {
  return e != EX_NONE && ex_depends_any(k->s->pool, e, is_moving, (void *)k->s);
}

// --- instances of a class ---

double here(int id, void *check) {
  Check *k = check;
  const Sym *y = symtab_at(k->s->sym, id);
  if (y->kind == SYM_VALUE || y->kind == SYM_RATE || y->kind == SYM_TIME) return NAN;
  return value_of(k->s, ex_sym(k->s->pool, id), k->loop, 8);
}

double here_or_one(int id, void *check) {
  double v = here(id, check);
  return isnan(v) ? 1 : v;
}

// choice 0, 1: the first and second pass of every loop, 2: the last. False: there is none.
static bool choose(Check *k, const SysClass *c, int choice) {
  for (int i = 0; i < c->nloop && i < 8; i++) {
    double lo = value_of(k->s, c->loop[i].lo, k->loop, i), hi = value_of(k->s, c->loop[i].hi, k->loop, i);
    if (!(lo <= hi)) return false;
    k->loop[i] = choice == 0 ? lo : choice == 1 ? fmin(lo + 1, hi) : hi;
  }
  return true;
}

void each_instance(Check *k, const SysClass *c, void (*visit)(Check *k, const SysClass *c, void *ctx), void *ctx) {
  double done[3][8] = {{0}};
  for (int choice = 0; choice < (c->nloop ? 3 : 1); choice++) {
    memset(k->loop, 0, sizeof k->loop);
    if (c->nloop > 8 || !choose(k, c, choice)) continue;
    memcpy(done[choice], k->loop, sizeof k->loop);
    bool again = false;
    for (int i = 0; i < choice; i++) again |= !memcmp(done[i], k->loop, sizeof k->loop);
    if (!again) visit(k, c, ctx);
  }
}

typedef struct Walk { void (*visit)(Check *k, const SysClass *c, void *ctx); void *ctx; int left, turns; } Walk;

static void walk(Check *k, const SysClass *c, int depth, Walk *w) {
  if (depth == c->nloop) {
    if (w->left-- > 0) w->visit(k, c, w->ctx);
    return;
  }
  double lo = value_of(k->s, c->loop[depth].lo, k->loop, depth), hi = value_of(k->s, c->loop[depth].hi, k->loop, depth);
  for (double i = lo; i <= hi && w->left > 0 && w->turns-- > 0; i++) {
    k->loop[depth] = i;
    walk(k, c, depth + 1, w);
  }
}

void every_instance(Check *k, const SysClass *c, void (*visit)(Check *k, const SysClass *c, void *ctx), void *ctx) {
  enum { MOST = 2000, MOST_TURNS = 1000000 };                  // loops within may be empty
  Walk w = { visit, ctx, MOST, MOST_TURNS };
  memset(k->loop, 0, sizeof k->loop);
  if (c->nloop <= 8) walk(k, c, 0, &w);
}

// --- text ---

const char *vector_text(const Check *k, const double *v, int i0, int n, const char *mark) {
  enum { SHOWN = 4 };
  double largest = 0;
  int count = 0, shown = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
  for (int i = 0; i < n; i++) count += fabs(v[i]) > 1e-6*largest;
  double sign = 0;                                   // the first one is positive
  Text t = {0};
  for (int i = 0; i < n && shown < SHOWN; i++) {
    if (!(fabs(v[i]) > 1e-6*largest)) continue;
    if (sign == 0) sign = v[i] > 0 ? 1 : -1;
    text_printf(&t, "%s%s%s = %.4g", shown++ ? ", " : "", sym_name(k->x->value[i0 + i], (void *)k->s), mark,
                sign*v[i]/largest);
  }
  if (count > shown) text_add(&t, ", ...");
  const char *copy = arena_strndup(k->arena, text_str(&t), strlen(text_str(&t)));
  text_free(&t);
  return copy;
}

const char *parameters_text(const Check *k, const Ex *e, int n) {
  enum { SHOWN = 4 };
  int reported[SHOWN], nlisted = 0;
  Text t = {0};
  for (int i = 0; i < n; i++) {
    const int *ids;
    int count = e[i] == EX_NONE ? 0 : ex_symbols(k->s->pool, e[i], &ids);
    for (int j = 0; j < count && nlisted < SHOWN; j++) {
      const Sym *y = symtab_at(k->s->sym, ids[j]);
      bool seen = y->kind != SYM_PARAM || isnan(k->s->param_value[y->id]);
      for (int m = 0; m < nlisted; m++) seen |= reported[m] == ids[j];
      if (seen) continue;
      text_printf(&t, "%s%s = %g", nlisted ? ", " : "", sym_name(ids[j], (void *)k->s), k->s->param_value[y->id]);
      reported[nlisted++] = ids[j];
    }
  }
  const char *copy = nlisted ? arena_strndup(k->arena, text_str(&t), strlen(text_str(&t))) : NULL;
  text_free(&t);
  return copy;
}
