// The plan as text (--dump=plan): what is computed once, per step and per iteration.
#include "plan.h"

static const char *const often[] = { "", "once", "at events", "each step", "each iteration" };
static const char *const what[] = {
#define KERNEL(name, field, text) text,
#include "kernels.def"
#undef KERNEL
};

static void print_class(const Plan *p, const PlanClass *pc, Text *out) {
  const System *s = p->sys;
  text_printf(out, "\n%s", pc->c->label);
  for (int i = 0; i < pc->c->nloop; i++) {
    text_printf(out, "%s%s in ", i ? ", " : "   for ", pc->c->loop[i].name);
    ex_print_short(s->pool, pc->c->loop[i].lo, out, PRINT_MOST, sym_name, (void *)s);
    text_addc(out, ':');
    ex_print_short(s->pool, pc->c->loop[i].hi, out, PRINT_MOST, sym_name, (void *)s);
  }
  text_addc(out, '\n');
  for (int i = 0; i < pc->index_num; i++) {
    text_printf(out, "  c%d = ", i);
    ex_print_short(s->pool, pc->num[i], out, PRINT_MOST, sym_name, (void *)s);
    text_addc(out, '\n');
  }
  if (pc->like >= 0) text_printf(out, "  computes as %s\n", p->cls[pc->like].c->label);
  for (int k = 0; k < KERNEL_COUNT && pc->like < 0; k++) {
    const Kernel *kn = &pc->kernel[k];
    if (kn->stage == STAGE_NONE) continue;
    bool asked = k == KERNEL_ENERGY || k == KERNEL_OUT || k == KERNEL_WORK;
    text_printf(out, "  %s, %s:", what[k],
                asked                                          ? "when recorded"
                : k == KERNEL_SIZE                             ? "where the gap is nearly 0"
                : p->scheme->explicit_step && kn->stage == STAGE_STATE ? "each step"
                                                               : often[kn->stage]);
    for (int i = 0; i < kn->n; i++) {
      text_add(out, i ? ", " : " ");
      ex_print_short(s->pool, kn->value[i], out, PRINT_MOST, sym_name, (void *)s);
    }
    text_addc(out, '\n');
  }
}

static const char *matrix_name(const SchemeDescriptor *d) {
  return d->collocates ? "E mu/r - A" : d->explicit_step ? "M" : d->two_point ? "dR/d(q, q')" : "W";
}

void plan_print(const Plan *p, Text *out) {
  text_printf(out, "scheme %s", p->scheme->name);
  if (p->scheme->weights) {
    text_add(out, ", theta = ");
    text_number(out, p->theta);
    text_add(out, ", gamma = ");
    text_number(out, p->gamma);
    text_add(out, " unless the model says otherwise");
  }
  const char *each = p->scheme->explicit_step ? "step" : "iteration";
  if (p->constant_iteration_matrix)
    text_printf(out, "\niteration matrix %s: constant, factored once per step size\n", matrix_name(p->scheme));
  else text_printf(out, "\niteration matrix %s: assembled and factored in each %s\n", matrix_name(p->scheme), each);
  text_printf(out, "one-step matrix%s: ",
              p->scheme->explicit_step ? " D + h C M^-1 B, H M^-1 H'"
              : p->scheme->two_point || p->scheme->collocates ? "" : " D + h gamma C W^-1 B, H W^-1 H'");
  if (p->constant_problem_matrix) text_add(out, "constant, computed once\n");
  else text_printf(out, "computed in each %s\n", each);
  text_printf(out, "outer Newton: %s\n",
              p->scheme->explicit_step   ? "none, the step is explicit"
              : p->one_iteration ? "one iteration is exact"
                                 : "until the residual is at round-off");
  for (int i = 0; i < p->ncls; i++) print_class(p, &p->cls[i], out);
}
