// Names and what they mean in the block at hand.
#include "unit.h"

const Type type_void = { .kind = TYPE_VOID }, type_int = { .kind = TYPE_INT, .size = 4, .align = 4 },
           type_double = { .kind = TYPE_DOUBLE, .size = 8, .align = 8 };

Name *named(const Unit *u, const char *name) { return map_get(u->name, name); }

Name *declare(Unit *u, const char *name, NameKind kind, const Type *t, long long value) {
  Name *n = ARENA_NEW(u->a, Name);
  *n = (Name){ name, kind, t, value, named(u, name) };
  map_put(u->name, name, n);
  vec_push(&u->open, n);
  return n;
}

void blocks_end(Unit *u, size_t open) {
  while (u->open.n > open) {
    Name *n = vec_last(&u->open);
    map_put(u->name, n->name, n->outer);
    u->open.n--;
  }
}
