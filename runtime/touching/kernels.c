// The kernels of rows of contacts: everything stands in the tables that bind.c writes before a step, and ahead.c where
// a scheme asks for the rows of other poses. Energy-consistent schemes have the discrete gradient beside H.
#include "touching.h"
#include <string.h>

static void column(const nsm_table *t, int n, int which, double *out) {
  for (int i = 0; i < t->count; i++) out[i] = t->num[(size_t)i * (size_t)sim_touch_columns(n) + (size_t)which];
}

static inline void rates(const nsm_view *v, const nsm_table *t, int n, double *rate) {
  const double *row = t->num + sim_touch_row(v->touching->there, n);
  const int *ix = t->ix;
  for (int i = 0; i < t->count; i++, row += sim_touch_columns(n), ix += n) {
    double sum = row[SIM_DRIFT];
    for (int e = 0; e < n; e++) sum += row[SIM_H + e] * v->v[ix[e]];
    rate[i] = sum;
  }
}

static inline void gaps(const nsm_view *v, const nsm_table *t, int n, double *gap, double *rate) {
  column(t, n, SIM_GAP, gap);
  rates(v, t, n, rate);
}

static inline void directions(const nsm_view *v, const nsm_table *t, int n, double *out) {
  const double *row = t->num + sim_touch_row(v->touching->there, n);
  for (int i = 0; i < t->count; i++, row += sim_touch_columns(n), out += n)
    memcpy(out, row + SIM_H, (size_t)n * sizeof *out);
}

// ---- two points -----------------------------------------------------------------------------------------------------
// d of touch f over the step, d . xi = g_E - g_B, for the increments of both bodies (touch.h), of planar ones (r,
// angle). Where A is driven its increment is known: what that adds to the gap is returned.
static double gradient(const nsm_view *v, const struct nsm_touching *t, const sim_touch_group *g, const sim_found *f,
                       double *d) {
  const sim_body *body[] = { &t->body[f->a], &t->body[f->b] };
  const nsm_pose *begin[] = { &t->pose[f->a], &t->pose[f->b] };
  const nsm_shape *shape[] = { &t->shape[f->shape_a], &t->shape[f->shape_b] };
  int still = g->variant == SIM_SPATIAL_STILL || g->variant == SIM_PLANAR_STILL;
  int driven = body[0]->kind == NSM_BODY_DRIVEN && t->moved;
  double full[12], moved = 0;
  const double *way = t->way[f->a];
  if (g->variant >= SIM_PLANAR) {
    nsm_planar_step step[2] = { { .pose = begin[0] }, { .pose = begin[1] } };
    for (int k = still; k < 2; k++) {
      for (int i = 0; i < 2; i++) step[k].shift[i] = v->dq[body[k]->z[i]];
      step[k].angle = v->dq[body[k]->z[2]];
    }
    if (driven) {
      memcpy(step[0].shift, way, sizeof step[0].shift);
      step[0].angle = way[2];
    }
    nsm_planar_gradient(shape[0], &step[0], shape[1], &step[1], f->touch.feature, full);
    memcpy(d, full + (still ? 3 : 0), (size_t)(still ? 3 : 6) * sizeof *d);
    for (int i = 0; driven && i < 3; i++) moved += full[i] * way[i];
    return moved;
  }
  nsm_pose end[] = { *begin[0], *begin[1] };
  for (int k = still; k < 2; k++) sim_touch_pose(body[k], v->q, &end[k]);
  if (driven) end[0] = t->pose_end[f->a];
  const nsm_moved A = { shape[0], begin[0], &end[0] }, B = { shape[1], begin[1], &end[1] };
  if (!nsm_touch_gradient(&A, &B, &f->touch, full))
    nsm_touch_row(&f->touch, f->touch.normal, begin[0], begin[1], full);
  memcpy(d, full + (still ? 6 : 0), (size_t)(still ? 6 : 12) * sizeof *d);
  for (int i = 0; driven && i < 6; i++) moved += full[i] * way[i];
  return moved;
}

static void gradients(const nsm_view *v, const nsm_table *t, int n, double *out) {
  const struct nsm_touching *of = v->touching;
  for (int i = 0; i < t->count; i++) {
    const double *num = t->num + (size_t)i * (size_t)sim_touch_columns(n);
    const sim_touch_group *g = &of->group[(int)num[SIM_GROUP]];
    double moved = gradient(v, of, g, &g->found[(int)num[SIM_INDEX]], out + (size_t)i * (size_t)n);
    if (of->moved) of->moved[of->s->a->cls[g->cls].row0 + i] = moved;
  }
}

static const unsigned short columns[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, none[12];
static const unsigned char slots[12] = { NSM_SLOT_VELOCITY, NSM_SLOT_VELOCITY, NSM_SLOT_VELOCITY, NSM_SLOT_VELOCITY,
                                         NSM_SLOT_VELOCITY, NSM_SLOT_VELOCITY, NSM_SLOT_VELOCITY, NSM_SLOT_VELOCITY,
                                         NSM_SLOT_VELOCITY, NSM_SLOT_VELOCITY, NSM_SLOT_VELOCITY, NSM_SLOT_VELOCITY },
                           wrt[12] = { NSM_WRT_V, NSM_WRT_V, NSM_WRT_V, NSM_WRT_V, NSM_WRT_V, NSM_WRT_V,
                                       NSM_WRT_V, NSM_WRT_V, NSM_WRT_V, NSM_WRT_V, NSM_WRT_V, NSM_WRT_V };

#define KERNELS(n)                                                                                                     \
  static void rate_##n(const nsm_view *v, const nsm_table *t, double *rate) { rates(v, t, n, rate); }                  \
  static void gap_##n(const nsm_view *v, const nsm_table *t, double *gap, double *rate) { gaps(v, t, n, gap, rate); }  \
  static void size_##n(const nsm_view *v, const nsm_table *t, double *out) { (void)v; column(t, n, SIM_SIZE, out); }   \
  static void dg_##n(const nsm_view *v, const nsm_table *t, double *out) { gradients(v, t, n, out); }                  \
  static void h_##n(const nsm_view *v, const nsm_table *t, double *out) { directions(v, t, n, out); }
KERNELS(3)
KERNELS(6)
KERNELS(12)

#define ROWS(n)                                                                                                        \
  { .nslot = n, .nnum = SIM_ROW0 + 2 * (SIM_H + n), .slot = slots, .lambda_slot = -1, .y_stage = NSM_TIME,             \
    .h_stage = NSM_TIME, .y_affine = 1, .driven = 1, .h = { n, none, columns, wrt }, .gap_fn = gap_##n,                \
    .rate_fn = rate_##n, .size_fn = size_##n, .h_fn = h_##n, .dg_fn = dg_##n, .e_num = SIM_RESTITUTION,                \
    .mu_num = -1, .mu2_num = -1, .radius_num = -1 }
const nsm_class sim_touch_kernels[SIM_VARIANTS] = {
  [SIM_SPATIAL] = ROWS(12), [SIM_SPATIAL_STILL] = ROWS(6), [SIM_PLANAR] = ROWS(6), [SIM_PLANAR_STILL] = ROWS(3)
};
