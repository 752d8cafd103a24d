// Bodies with shapes, and contacts between them: tables, laws by pairs of materials, members of families.
#include "emit_parts.h"

static const Model *model_of(const Emitter *e) { return e->plan->sys->model; }

// --- bodies ---

void emit_shapes(Emitter *e) {
  const Model *m = model_of(e);
  Text *o = e->out;
  for (int i = 0; i < m->npoints; i++) {
    text_printf(o, "static const double corners_%d[] = {", i);
    for (int k = 0; k < 3 * m->points[i].n; k++) {
      text_add(o, k % 6 ? ", " : k ? ",\n  " : "\n  ");
      c_number(m->points[i].at[k], o);
    }
    text_add(o, "\n};\n");
  }
  if (m->npoints) {
    text_add(o, "static const nsm_corners corners[] = { ");
    for (int i = 0; i < m->npoints; i++) text_printf(o, "{ %d, corners_%d }, ", m->points[i].n, i);
    text_add(o, "{ 0 } };\n");
  }
  for (int i = 0; i < e->plan->ncls; i++) {
    const SysClass *c = e->plan->cls[i].c;
    if (c->kind != CLASS_BODY) continue;
    text_printf(o, "static const nsm_body_shape shape_%d[] = { ", i);
    for (int k = 0; k < c->solid->nshape; k++)
      text_printf(o, "%s{ %d, %d }", k ? ", " : "", c->solid->shape[k].kind, 15 * k);
    text_add(o, " };\n");
  }
}

void emit_body(Emitter *e, const SysClass *c, int number) {
  static const char *const motion[] = { "NSM_BODY_SPATIAL", "NSM_BODY_PLANAR", "NSM_BODY_FIXED", "NSM_BODY_DRIVEN" };
  text_printf(e->out, "    .body = %s, .nshape = %d, .shape = shape_%d, .pose_num = %d, .material = %d,\n",
              motion[c->solid->motion], c->solid->nshape, number,
              c->solid->motion == MB_FIXED ? 15 * c->solid->nshape : -1, c->solid->material);
}

// --- members ---

// Lists the instances of a class whose indices lie in ranges: a walk over all of them, as fill_N does it.
static void select_function(Emitter *e, const char *name, const SysMembers *m) {
  const SysClass *c = e->plan->cls[m->cls].c;
  Text *o = e->out;
  text_printf(o, "static long %s(nsm_setup *s, const nsm_setup_view *g, int *instance) {\n", name);
  text_add(o, "  const double *p = g->p;\n  long n = 0;\n  int at = 0;\n  (void)s; (void)p;\n");
  for (int i = 0; i < c->nloop; i++) {
    int line = line_of(c->loop[i].span);
    text_printf(o, "  for (long i%d = nsm_bound(s, %d, ", i, line);
    setup_value(e, c->loop[i].lo);
    text_printf(o, "), hi%d = nsm_bound(s, %d, ", i, line);
    setup_value(e, c->loop[i].hi);
    text_printf(o, "); i%d <= hi%d; i%d++)\n", i, i, i);
  }
  text_add(o, "  {\n    if (1");
  for (int i = 0; i < c->nloop; i++) {
    text_printf(o, " && i%d >= ", i);
    setup_value(e, m->lo[i]);
    text_printf(o, " && i%d <= ", i);
    setup_value(e, m->hi[i]);
  }
  text_add(o, ") {\n      if (instance) instance[n] = at;\n      n++;\n    }\n    at++;\n  }\n  return n;\n}\n");
}

static const char *select_name(Emitter *e, int touch, int side, int member) {
  return arena_printf(e->arena, "members_%d_%d_%d", touch, side, member);
}

// --- laws ---

static void law_numbers(Emitter *e, const Ex *law, const char *indent) {
  static const char *const name[ML_NUMBERS] = { "NSM_LAW_E", "NSM_LAW_ET", "NSM_LAW_MU", "NSM_LAW_RADIUS",
                                                 "NSM_LAW_ROLLING", "NSM_LAW_RATIO", "NSM_LAW_EXPONENT" };
  for (int k = 0; k < ML_NUMBERS; k++) {
    if (law[k] == EX_NONE) continue;
    text_printf(e->out, "%slaw[%s] = ", indent, name[k]);
    setup_value(e, law[k]);
    text_add(e->out, ";\n");
  }
}

static void law_function(Emitter *e, int number, const SysTouch *t) {
  const Model *m = model_of(e);
  int n = m->nmaterial + 1;
  Text *o = e->out;
  text_printf(o, "static void law_of_%d(const nsm_setup_view *g, int a, int b, double *law) {\n", number);
  text_add(o, "  const double *p = g->p;\n  (void)p; (void)a; (void)b; (void)law;\n");
  e->alone = true;
  if (!t->of->by_material) law_numbers(e, t->law[0], "  ");
  for (int i = 0; i < n * n && t->of->by_material; i++) {
    bool any = false;
    for (int k = 0; k < ML_NUMBERS; k++) any |= t->law[i][k] != EX_NONE;
    if (!any) continue;
    text_printf(o, "  if (a == %d && b == %d) {\n", i / n - 1, i % n - 1);
    law_numbers(e, t->law[i], "    ");
    text_add(o, "  }\n");
  }
  e->alone = false;
  text_add(o, "}\n");
}

void emit_touch_functions(Emitter *e) {
  const Model *m = model_of(e);
  for (int i = 0; i < m->ntouch; i++) {
    const SysTouch *t = &e->plan->sys->touch[i];
    text_add(e->out, "\n");
    emit_comment_source(e, t->of->span, "contact between shapes");
    for (int side = 0; side < t->of->nside; side++)
      for (int k = 0; k < t->of->nmember[side]; k++)
        if (!t->member[side][k].whole) select_function(e, select_name(e, i, side, k), &t->member[side][k]);
    law_function(e, i, t);
  }
}

// --- tables ---

void emit_touches(Emitter *e) {
  const Model *m = model_of(e);
  Text *o = e->out;
  for (int i = 0; i < m->ntouch; i++) {
    const SysTouch *t = &e->plan->sys->touch[i];
    for (int side = 0; side < t->of->nside; side++) {
      text_printf(o, "static const nsm_members side_%d_%d[] = { ", i, side);
      for (int k = 0; k < t->of->nmember[side]; k++)
        text_printf(o, "%s{ %d, %s }", k ? ", " : "", t->member[side][k].cls,
                    t->member[side][k].whole ? "0" : select_name(e, i, side, k));
      text_add(o, " };\n");
    }
  }
  if (m->ntouch) text_add(o, "static const nsm_shape_contact shape_contacts[] = {\n");
  for (int i = 0; i < m->ntouch; i++) {
    const MTouch *t = &m->touch[i];
    const char *law = friction_law(t->friction)->abi;
    text_printf(o, "  { .line = %d, .file = %d, .label = %d, .name = %d,\n", line_of(t->span), file_of(e, t->span),
                blob_add(e, arena_printf(e->arena, "contact %s", t->name)), blob_add(e, t->name));
    text_printf(o, "    .nmembers = { %d, %d }, .members = { side_%d_0, ", t->nmember[0], t->nmember[1], i);
    text_printf(o, t->nside == 2 ? "side_%d_1" : "0", i);
    text_printf(o, " }, .friction = %s, .law_fn = law_of_%d },\n", law, i);
  }
  if (m->ntouch) text_add(o, "};\n");
}

// No kernel of a step reads the time: what rests goes on resting (runtime/clock/advance.c). Outputs may.
static bool is_timeless(const Emitter *e) {
  for (int i = 0; i < e->kernels->n; i++) {
    const PlanKernel *k = &e->kernels->at[i];
    if (k->kind != KERNEL_OUT && (k_uses(k->kernel, KN_FIELD, KF_VIEW_t) || k_uses(k->kernel, KN_FIELD, KF_VIEW_t0)))
      return false;
  }
  return true;
}

const char *emit_touch_fields(Emitter *e) {
  const Model *m = model_of(e);
  MImpactLaw impact = model_impact(m);
  return arena_printf(e->arena, "%s%s%s%s",
                      impact == MI_NEWTON ? "" : arena_printf(e->arena, ",\n  .impact = %s",
                                                              impact_law_row(impact)->abi),
                      m->ntouch ? arena_printf(e->arena, ",\n  .nshape_contact = %d, .nmaterial = %d, .shape_contact = "
                                                         "shape_contacts", m->ntouch, m->nmaterial) : "",
                      is_timeless(e) ? ", .timeless = 1" : "",
                      m->npoints ? arena_printf(e->arena, ",\n  .ncorners = %d, .corners = corners", m->npoints) : "");
}
