// Gathering touches: a list of limited room that keeps the deepest.
#include "list.h"
#include "measure.h"
#include "vector.h"
#include <stddef.h>

int nsm_list_add(nsm_touch_list *list, const nsm_touch *touch) {
  if (!(touch->gap < list->margin) || touch->gap < list->least - 1e-13 * list->pair->scale) return 0;
  if (list->n < list->room) {
    list->out[list->n++] = *touch;
    return 1;
  }
  int worst = -1;
  double most = touch->gap;
  for (int i = 0; i < list->n; i++)
    if (list->out[i].gap > most) { most = list->out[i].gap; worst = i; }
  if (worst >= 0) list->out[worst] = *touch;
  return 1;
}

int nsm_pair_form_b(const nsm_core_pair *pair, uint64_t feature, nsm_form *form) {
  double x[3], e[3];
  if (!nsm_form_of(pair->B, feature, form)) return 0;
  turn3(pair->R, form->x, x);
  add3(x, 1, pair->t, form->x);
  if (form->kind == NSM_POINT) return 1;
  turn3(pair->R, form->e, e);
  copy3(form->e, e);
  return 1;
}

int nsm_list_measure(nsm_touch_list *list, uint64_t a, uint64_t b, uint64_t mark, const double *n) {
  nsm_form fa, fb;
  nsm_touch touch;
  if (!nsm_form_of(list->pair->A, a, &fa) || !nsm_pair_form_b(list->pair, b, &fb)) return 0;
  if (!nsm_measure(&fa, &fb, mark, n, &touch)) return 0;
  if (n && dot3(n, touch.normal) < 0.5) return 0;
  touch.feature = nsm_feature_pair(a, b, mark);
  return nsm_list_add(list, &touch);
}

int nsm_list_covers(const nsm_touch_list *list, const double *on_b, const double *normal, double close) {
  for (int i = 0; i < list->n; i++) {
    double d[3];
    sub3(list->out[i].on_b, on_b, d);
    if (dot3(d, d) < close * close && dot3(list->out[i].normal, normal) > 0.99) return 1;
  }
  return 0;
}

double nsm_list_least(const nsm_touch_list *list) {
  double least = INFINITY;
  for (int i = 0; i < list->n; i++) least = fmin(least, list->out[i].gap);
  return least;
}
