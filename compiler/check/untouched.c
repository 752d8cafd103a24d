// W0860: a body that moves freely, with a shape, beside other shapes, and no contact that names it: it falls through
// them without a word. Bodies that a joint, a formula contact or another row holds have shapes for mass and looks.
#include <string.h>
#include "parts.h"

// Does a contact name the instance of class `cls` at hand? In doubt, yes.
static bool is_named(const Check *k, int cls) {
  const System *s = k->s;
  for (int t = 0; t < s->model->ntouch; t++)
    for (int side = 0; side < s->touch[t].of->nside; side++)
      for (int i = 0; i < s->touch[t].of->nmember[side]; i++) {
        const SysMembers *m = &s->touch[t].member[side][i];
        bool in = m->cls == cls;
        for (int l = 0; in && !m->whole && l < s->cls[cls].nloop; l++)
          in = !(k->loop[l] < value_of(s, m->lo[l], NULL, 0)) && !(k->loop[l] > value_of(s, m->hi[l], NULL, 0));
        if (in) return true;
      }
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

// b of b[i]: a family is named as a whole.
static int name_length(const MSolid *b) { return (int)strcspn(b->plain, "["); }

typedef struct Untouched { int cls; const SysClass *other; int all, missed; double first[8]; } Untouched;

static void look(Check *k, const SysClass *c, void *ctx) {
  Untouched *u = ctx;
  (void)c;
  u->all++;
  if (is_named(k, u->cls)) return;
  if (!u->missed++) memcpy(u->first, k->loop, sizeof u->first);
}

static void report(Check *k, const SysClass *c, const Untouched *u) {
  const MSolid *b = c->solid, *other = u->other->solid;
  const char *name = b->plain, *member = arena_printf(k->arena, "%.*s", name_length(b), name);
  if (u->missed < u->all && c->nloop == 1) name = member = arena_printf(k->arena, "%s[%g]", member, u->first[0]);
  Diag *d = diag(k->bag, DIAG_W0860, c->span, "no contact names `%s`: it passes through all shapes", name);
  if (u->missed < u->all) diag_label(d, "%d of %d members touch nothing", u->missed, u->all);
  else diag_label(d, "its shape touches nothing");
  diag_also(d, u->other->span, "`%s` has a shape too", other->plain);
  diag_help(d, "contact hit { between = %s, %.*s; with newton(e = 0.5), coulomb(mu = 0.3); }", member,
            name_length(other), other->plain);
}

void check_untouched(Check *k) {
  const System *s = k->s;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    Untouched u = { .cls = i };
    if (c->kind != CLASS_BODY || c->solid->motion >= MB_FIXED || c->solid->nshape == 0) continue;
    if (is_held(k, c->solid)) continue;
    for (int j = 0; j < s->ncls; j++) {                    // what stands still is the likely one
      const SysClass *o = &s->cls[j];
      if (j == i || o->kind != CLASS_BODY || o->solid->nshape == 0) continue;
      if (!u.other || (u.other->solid->motion < MB_FIXED && o->solid->motion >= MB_FIXED)) u.other = o;
    }
    if (u.other) every_instance(k, c, look, &u);
    if (u.missed) report(k, c, &u);
  }
}
