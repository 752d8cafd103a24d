// A kernel by its slopes (slopes.h), in dual numbers: what is compiled gives values and slopes once, for all
// directions.
#include <stdlib.h>
#include "../base/fatal.h"
#include "../../runtime/nsm_abi.h"
#include "kernels_dual.h"

enum { FEW = 600, STRIDE = sizeof(dual) / sizeof(double) };

// ---- what has been computed -----------------------------------------------------------------------------------------
// The numbers of the next call, which are those of before where it is made again.
static double *next(dual_memo *m, size_t n) {
  if (m->used + n > m->room) {
    size_t room = 2 * (m->used + n);
    double *more = realloc(m->at, room * sizeof *more);
    if (!more) FATAL("no memory for slopes");
    m->at = more;
    m->room = room;
  }
  double *to = m->at + m->used;
  m->used += n;
  return to;
}

// ---- what is read ---------------------------------------------------------------------------------------------------
static void take_arrays(const dual_view *v, const dual_table *t, const dual **at) {
  at[KF_VIEW_t] = &v->t;
  at[KF_VIEW_t0] = &v->t0;
  at[KF_VIEW_h] = &v->h;
  at[SLOPE_num] = t->num;
#define ARRAY(name) at[KF_VIEW_##name] = v->name;
  ARRAY(q) ARRAY(v) ARRAY(x) ARRAY(l) ARRAY(q0) ARRAY(v0) ARRAY(k) ARRAY(dq) ARRAY(dv) ARRAY(dx) ARRAY(d) ARRAY(d_rate)
#undef ARRAY
}

static inline int index_of(const SlopePlace *p, const dual_table *t, int instance) {
  int i = p->first + p->by * instance;
  return p->by_ix ? t->ix[i] : i;
}

static nsm_view view_of(const dual_view *v) {
#define ARRAY(name) .name = (const double *)v->name
  return (nsm_view){ .t = v->t.a[0], .t0 = v->t0.a[0], .h = v->h.a[0], ARRAY(q), ARRAY(v), ARRAY(x), ARRAY(l),
                     ARRAY(q0), ARRAY(v0), ARRAY(k), ARRAY(dq), ARRAY(dv), ARRAY(dx), ARRAY(d), ARRAY(d_rate) };
#undef ARRAY
}

// ---- what is stored -------------------------------------------------------------------------------------------------
// Of an instance what it reads, NULL where that varies with none of the directions. Does any of it?
static int take_read(const Slopes *s, const dual_table *t, int instance, const dual *const *array, const dual **read) {
  int any = 0;
  for (int i = 0; i < s->nread; i++) {
    const dual *x = &array[s->read[i].array][index_of(&s->read[i], t, instance)];
    read[i] = dual_varies(*x) ? x : NULL;
    any |= read[i] != NULL;
  }
  return any;
}

static void apply(const Slopes *s, const dual_view *v, const dual_table *t, dual *const *out, const double *x) {
  const double *by = x + (size_t)t->count * (size_t)s->nvalue;
  const dual *array[SLOPE_ARRAYS], *read[s->nread + 1];
  take_arrays(v, t, array);
  for (int i = 0; i < t->count; i++, x += s->nvalue, by += s->nslope) {
    int any = take_read(s, t, i, array, read);
    for (int j = 0; j < s->nvalue; j++) {
      const SlopeValue *value = &s->value[j];
      dual sum = dual_of(0), *to = &out[value->to.array][index_of(&value->to, t, i)];
      for (int k = value->first; any && k < value[1].first; k++)
        if (read[s->by[k]] && by[k] != 0) dual_more(&sum, by[k], read[s->by[k]]);
      sum.a[0] = x[j];
      *to = value->adds ? dual_add(*to, sum) : sum;
    }
  }
}

#ifdef DUAL_RECORDED
// The view with what the kernel reads alone: nothing else is to be kept for it.
static dual_view what_is_read(const Slopes *s, const dual_view *v) {
  dual_view r = *v;
  dual *time[] = { [KF_VIEW_t] = &r.t, [KF_VIEW_t0] = &r.t0, [KF_VIEW_h] = &r.h };
  for (int i = 0; i < (int)(sizeof time / sizeof *time); i++)
    if (time[i] && !s->fields[i]) *time[i] = (dual){ { 0 }, 0 };
#define ARRAY(name) if (!s->fields[KF_VIEW_##name]) r.name = NULL;
  ARRAY(q) ARRAY(v) ARRAY(x) ARRAY(l) ARRAY(q0) ARRAY(v0) ARRAY(k) ARRAY(dq) ARRAY(dv) ARRAY(dx) ARRAY(d) ARRAY(d_rate)
#undef ARRAY
  return r;
}

static void note_call(const Slopes *s, const dual_view *v, const dual_table *t, dual *const *out) {
  struct trace *trace = record_now->trace;
  const dual *array[SLOPE_ARRAYS];
  dual_view read = what_is_read(s, v);
  int call = trace_call_begin(trace, s->run, &read, t, t->count * s->nvalue, t->count * s->nslope);
  take_arrays(v, t, array);
  for (int i = 0; i < t->count && call >= 0; i++)
    for (int j = 0; j < s->nvalue; j++) {
      const SlopeValue *value = &s->value[j];
      int n = 0, first = value->first, last = value[1].first;
      trace_slope by[last - first + 1];
      for (int k = first; k < last; k++) {
        const SlopePlace *p = &s->read[s->by[k]];
        int node = array[p->array][index_of(p, t, i)].node;
        if (node) by[n++] = (trace_slope){ node, i * s->nslope + k, s->moves[k] };
      }
      dual y = trace_call_value(trace, call, i * s->nvalue + j, by, n);
      dual *to = &out[value->to.array][index_of(&value->to, t, i)];
      *to = value->adds ? dual_add(*to, y) : y;
    }
}
#endif

void slopes_run(const Slopes *s, const dual_view *v, const dual_table *t, dual *const *out) {
#ifdef DUAL_RECORDED
  if (record_now->trace) { note_call(s, v, t, out); return; }
#endif
  size_t values = (size_t)t->count * (size_t)s->nvalue, n = values + (size_t)t->count * (size_t)s->nslope;
  double few[FEW], *x = t->memo ? next(t->memo, n) : n <= FEW ? few : malloc(n * sizeof *x);
  if (!x) FATAL("no memory for slopes");
  if (!t->memo || !t->memo->again) {
    nsm_view view = view_of(v);
    nsm_table table = { .count = t->count, .ix = t->ix, .num = (const double *)t->num };
    s->run(&view, &table, STRIDE, x, x + values);
  }
  apply(s, v, t, out, x);
  if (!t->memo && x != few) free(x);
}
