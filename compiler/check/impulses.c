// E0419: the force of a contact or constraint in an equation or a force. A step knows its impulse, also where it is one
// of an impact at an instant; a rate of change cannot contain that. The multiplier of a compliant contact is a force.
#include <string.h>
#include "parts.h"

static bool is_impulse(const Check *k, int var) {
  if (k->s->model->var[var].kind != MV_ROW) return false;
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    if (c->compliant && c->lambda_slot >= 0 && c->slot[c->lambda_slot].var == var) return false;
  }
  return true;
}

void check_impulses(Check *k) {
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    if (c->kind != CLASS_SMOOTH || c->of_compliant) continue;
    for (int e = 0; e < c->b.n; e++) {
      int var = c->slot[c->b.at[e].col].var;
      if (!is_impulse(k, var)) continue;
      const char *name = k->s->model->var[var].plain;
      Diag *d = diag(k->bag, DIAG_E0419, c->span, "%s is an impulse and cannot act in %s", name,
                     c->is_equation ? "an equation" : "a force");
      diag_label(d, "a contact acts by impulses, also at an instant");
      diag_note(d, "friction that slips has the force mu*N, and takes the power mu*N*abs(slip)");
      diag_help(d, "or let a sample hold its mean force: discrete F = 0; every 1 [ms] { F = %.*sforce%s; }",
                (int)(strrchr(name, '.') - name + 1), name, strrchr(name, '.') + 1 + strlen("lambda"));
      break;
    }
  }
}
