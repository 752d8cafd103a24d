// Gaps and outputs that never reach zero, by interval arithmetic over all positions and times: a contact that cannot
// close does nothing (W0826), one that cannot open has no state to be in (E0417); likewise complementarities,
// constraints and bounds.
#include <math.h>
#include "parts.h"

static ExRange anything(int id, void *check) {
  Check *k = check;
  double v = here(id, check);
  if (!isnan(v)) return (ExRange){ v, v };
  return (ExRange){ id == k->s->sym_time ? start_time(k) : -INFINITY, INFINITY };
}

typedef struct Reach { Ex y; double lo, hi; bool any; } Reach;

// The hull over the instances looked at.
static void widen(Check *k, const SysClass *c, void *ctx) {
  Reach *r = ctx;
  (void)c;
  ExRange a = ex_range(k->s->pool, r->y, anything, k);
  r->lo = r->any ? fmin(r->lo, a.lo) : a.lo;
  r->hi = r->any ? fmax(r->hi, a.hi) : a.hi;
  r->any = true;
}

static void with_values(Check *k, Diag *d, Ex y) {
  const char *with = parameters_text(k, &y, 1);
  if (with) diag_label(d, "with %s", with);
}

static void never(Check *k, const SysClass *c, const Reach *r, const char *what) {
  bool negative = r->hi < 0;
  Diag *d = diag(k->bag, DIAG_E0417, c->y_span, "%s is never %s: it is at %s %.4g", what,
                 c->kind == CLASS_CONSTRAINT ? "zero" : "positive", negative ? "most" : "least",
                 negative ? r->hi : r->lo);
  with_values(k, d, r->y);
  diag_help(d, c->kind == CLASS_CONSTRAINT ? "no position meets this constraint: check its signs"
                                           : "the law cannot hold anywhere: is the sign wrong?");
}

static void idle(Check *k, const SysClass *c, const Reach *r) {
  bool gap = c->kind == CLASS_CONTACT;
  Diag *d = diag(k->bag, DIAG_W0826, c->y_span, gap ? "this contact never closes: its gap is at least %.4g"
                                                    : "this law never acts: its output is at least %.4g", r->lo);
  with_values(k, d, r->y);
  diag_help(d, gap ? "a gap is zero where the bodies touch: is a sign wrong?" : "the multiplier is 0 for ever");
}

void check_reach(Check *k) {
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    bool gap = c->kind == CLASS_CONTACT, constraint = c->kind == CLASS_CONSTRAINT && !c->velocity_level;
    bool law = c->kind == CLASS_RELATION && c->row_type == 0;
    if (!gap && !constraint && !(law && c->reldeg >= 0)) continue;   // W0811 says that nothing acts
    Reach r = { .y = c->y };
    each_instance(k, c, widen, &r);
    if (!r.any) continue;
    double slack = 1e-12*fmax(fabs(r.lo), fabs(r.hi));
    if (isinf(slack)) slack = 1e-12*fmin(fabs(r.lo), fabs(r.hi));
    if (r.hi < -slack || (constraint && r.lo > slack))
      never(k, c, &r, gap ? "this gap" : constraint ? "this constraint" : "this output");
    else if (!constraint && r.lo > slack) idle(k, c, &r);
  }
}
