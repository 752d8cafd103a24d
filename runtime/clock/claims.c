// The claims of a model (`expect`) for programs that call nsm_record: kept from a state on, told when asked.
#include <math.h>
#include <stdlib.h>
#include "clock.h"

struct sim_claims {
  nsm_statistic *of;                    // [nstat]
  double        *value;                 // [nstat]
};

int nsm_nclaim(const nsm_sim *s) { return s->a->m->nexpect; }

void sim_drop_claims(nsm_sim *s) {
  if (!s->claims) return;
  free(s->claims->of);
  free(s->claims->value);
  free(s->claims);
  s->claims = NULL;
}

nsm_code nsm_keep_claims(nsm_sim *s, nsm_error *e) {
  const nsm_model *m = s->a->m;
  if (e) *e = (nsm_error){ .code = NSM_OK };
  sim_drop_claims(s);
  struct sim_claims *c = s->claims = calloc(1, sizeof *c);
  if (c) {
    c->of = calloc((size_t)m->nstat + 1, sizeof *c->of);
    c->value = calloc((size_t)m->nstat + 1, sizeof *c->value);
  }
  if (!c || !c->of || !c->value) {
    sim_drop_claims(s);
    return sim_no_memory(e, "the claims");
  }
  if (sim_claims_ledger(m) && s->a->on.energy.n > 0 && !s->now.ledger.on) sim_ledger_start(s);
  nsm_statistics_start(s, c->of);
  return NSM_OK;
}

long sim_claims_idle(const nsm_sim *s, long n) {
  if (!s->claims || s->a->m->nstat == 0) return n;
  long before = sim_steps_before(s, nsm_statistics_idle(s->a->m, s->claims->of));
  return before < n ? before : n;
}

void sim_claims_step(nsm_sim *s) {
  if (s->claims) nsm_statistics_step(s, s->claims->of);
}

int sim_claims_ledger(const nsm_model *m) {
  int any = 0;
  for (int i = 0; i < m->nstat; i++) any |= m->stat[i].cls <= -4 && m->stat[i].cls >= -7;
  return any;
}

int nsm_claim_at(nsm_sim *s, int i, nsm_claim *to) {
  const nsm_model *m = s->a->m;
  if (!s->claims || i < 0 || i >= m->nexpect) return 0;
  const struct sim_claims *c = s->claims;
  const char *file;
  nsm_statistics_end(s, c->of, c->value);
  int first = m->expect_stat[i], end = m->expect_stat[i + 1], late = 0;
  for (int k = first; k < end; k++) late |= m->stat[k].kind == NSM_STAT_AT && c->of[k].outside;
  *to = (nsm_claim){ .text = sim_text(s, m->expect_text[i]), .held = late ? -1 : m->expect(s->a->p, c->value, i) != 0,
                     .line = nsm_place_line(m, (nsm_place){ NSM_AT_CLAIM, i, 0 }, &file),
                     .nvalue = end - first, .value = c->value + first };
  return 1;
}
