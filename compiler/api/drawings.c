// Pictures of `draw`: their numbers are hidden outputs of the model, classes that only this reads.
#include <stdlib.h>
#include <string.h>
#include "program.h"
#include "runtime/assembly/assembly.h"

int nsm_ndrawing(const nsm_program *p) { return p->jit ? p->c->model->ndraw : 0; }

nsm_drawing nsm_drawing_at(const nsm_program *p, int i) {
  if (i < 0 || i >= nsm_ndrawing(p)) return (nsm_drawing){ .shape = "", .text = "" };
  const MDraw *d = &p->c->model->draw[i];
  nsm_drawing out = { .shape = d->shape, .text = d->text ? d->text : "", .nargument = d->nargument };
  for (int k = 0; k < d->nargument; k++) out.argument[k] = d->argument[k];
  return out;
}

// The class of output number `output` of the model: they are classes in their order, the first ones of this kind.
static int class_of(const nsm_program *p, int output) {
  for (int c = 0; c < p->c->plan->ncls; c++)
    if (p->c->plan->cls[c].c->kind == CLASS_OUTPUT && output-- == 0) return c;
  return -1;
}

int nsm_drawing_members(const nsm_program *p, const nsm_sim *s, int i) {
  if (i < 0 || i >= nsm_ndrawing(p)) return 0;
  return s->a->cls[class_of(p, p->c->model->draw[i].first)].tab.count;
}

void nsm_read_drawing(const nsm_program *p, nsm_sim *s, int i, double *to) {
  int members = nsm_drawing_members(p, s, i), numbers = 0;
  if (members == 0) return;
  const MDraw *d = &p->c->model->draw[i];
  int first = class_of(p, d->first);
  for (int k = 0; k < d->nargument; k++) numbers += d->argument[k];
  double *value = malloc((size_t)members * sizeof *value);
  for (int k = 0; k < numbers; k++) {
    if (value) sim_evaluate_class(s, first + k, value);
    for (int m = 0; m < members; m++) to[m * numbers + k] = value ? value[m] : 0;
  }
  free(value);
}
