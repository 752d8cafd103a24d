// W0860: a body that moves freely, with a shape, beside other shapes, and no contact that names it: it falls through
// them without a word. Bodies that a joint, a formula contact or another row holds have shapes for mass and looks.
#include <string.h>
#include "parts.h"

static bool is_named(const Check *k, int cls) {
  const System *s = k->s;
  for (int t = 0; t < s->model->ntouch; t++)
    for (int side = 0; side < s->touch[t].of->nside; side++)
      for (int i = 0; i < s->touch[t].of->nmember[side]; i++)
        if (s->touch[t].member[side][i].cls == cls) return true;
  return false;
}

static bool reads(const SysClass *c, const MSolid *b) {
  for (int i = 0; i < c->nslot; i++) {
    int var = c->slot[i].var;
    if (var == b->place || var == b->attitude || var == b->turn || var == b->angle) return true;
  }
  return false;
}

// Does a row act on the body, or a law between it and another?
static bool is_held(const Check *k, const MSolid *b) {
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    if ((c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT || c->kind == CLASS_RELATION) && reads(c, b))
      return true;
  }
  return false;
}

static void report(Check *k, const SysClass *c, const SysClass *other) {
  const MSolid *b = c->solid;
  Diag *d = diag(k->bag, DIAG_W0860, c->span, "no contact names `%s`: it passes through all shapes", b->plain);
  diag_label(d, "its shape touches nothing");
  diag_also(d, other->span, "`%s` has a shape too", other->solid->plain);
  diag_help(d, "contact hit { between = %s, %s; with newton(e = 0.5), coulomb(mu = 0.3); }", b->plain,
            other->solid->plain);
}

void check_untouched(Check *k) {
  const System *s = k->s;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i], *other = NULL;
    if (c->kind != CLASS_BODY || c->solid->motion >= MB_FIXED || c->solid->nshape == 0) continue;
    if (is_named(k, i) || is_held(k, c->solid)) continue;
    for (int j = 0; j < s->ncls && !other; j++)
      if (j != i && s->cls[j].kind == CLASS_BODY && s->cls[j].solid->nshape > 0) other = &s->cls[j];
    if (other) report(k, c, other);
  }
}
