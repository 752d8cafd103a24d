// From the name of a feature to its form.
#include "core.h"
#include "vector.h"

// A cylinder's axis is z; end 0 looks down, end 1 up.
static int cylinder_form(const nsm_shape *shape, nsm_feature_kind kind, int i, nsm_form *form) {
  static const double cosine[4] = { 1, 0, -1, 0 }, sine[4] = { 0, 1, 0, -1 };
  double r = shape->size[0], h = shape->size[1];
  int end = kind == NSM_RIM_POINT ? i / 4 : i;
  if (end > 1) return 0;
  double sign = end ? 1 : -1, z[3] = { 0, 0, sign * h }, out[3] = { 0, 0, sign };
  copy3(form->x, z);
  copy3(form->e, out);
  switch (kind) {
    case NSM_SIDE:
      form->kind = NSM_LINE;
      form->x[2] = 0;
      form->e[2] = 1;
      form->rounding = r;
      return 1;
    case NSM_CAP: form->kind = NSM_PLANE; return 1;
    case NSM_RIM:
      form->kind = NSM_CIRCLE;
      form->radius = r;
      return 1;
    case NSM_RIM_POINT:
      form->kind = NSM_POINT;
      form->x[0] = r * cosine[i % 4];
      form->x[1] = r * sine[i % 4];
      return 1;
    default: return 0;
  }
}

int nsm_form_of(const nsm_shape *shape, uint64_t feature, nsm_form *form) {
  nsm_feature_kind kind = (nsm_feature_kind)(feature >> NSM_INDEX_BITS);
  int i = (int)(feature & ((1ul << NSM_INDEX_BITS) - 1));
  nsm_core core;
  form->radius = form->rounding = 0;
  if (shape->kind == NSM_CYLINDER) return cylinder_form(shape, kind, i, form);
  if (shape->kind == NSM_HALFSPACE) {
    static const double up[3] = { 0, 0, 1 };
    form->kind = NSM_PLANE;
    for (int k = 0; k < 3; k++) form->x[k] = 0;
    copy3(form->e, up);
    return kind == NSM_FACE && i == 0;
  }
  nsm_core_make(shape, &core);
  return nsm_core_form(&core, kind, i, form);
}
