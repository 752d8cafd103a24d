// `ground`: a body that each model has, without its being declared.
#include "elab_body.h"

// A body { fixed } at the origin, or, in the plane, { fixed, position = [0, 0] }.
static Symbol *make_ground(Elab *e, bool planar) {
  Ast *fixed = ARENA_NEW(e->a, Ast), *decl = ARENA_NEW(e->a, Ast), *position = ARENA_NEW(e->a, Ast);
  Ast *origin = ARENA_NEW(e->a, Ast), *zero = ARENA_NEW(e->a, Ast);
  *fixed = (Ast){ .kind = AST_NAME, .name = intern(e->in, "fixed"), .depth = 1 };
  *zero = (Ast){ .kind = AST_NUMBER, .depth = 1 };
  *origin = (Ast){ .kind = AST_VECTOR, .list = { ARENA_ARRAY(e->a, Ast *, 2), 2 }, .depth = 2 };
  origin->list.at[0] = origin->list.at[1] = zero;
  *position = (Ast){ .kind = AST_ARG, .name = intern(e->in, "position"), .a = origin, .depth = 3 };
  *decl = (Ast){ .kind = AST_BODY, .name = e->word.ground, .depth = 4 };
  decl->list2 = (AstList){ ARENA_ARRAY(e->a, Ast *, 2), planar ? 2 : 1 };
  decl->list2.at[0] = fixed;
  decl->list2.at[1] = position;
  Symbol *y = ARENA_NEW(e->a, Symbol);
  *y = (Symbol){ .kind = SY_INSTANCE, .name = e->word.ground, .decl = decl, .env = env_of(e->globals), .id = -1,
                 .used = true };
  return y;
}

Symbol *ground_symbol(Elab *e, bool planar) {
  Symbol **ground = planar ? &e->plane_ground : &e->ground;
  if (!*ground) *ground = make_ground(e, planar);
  return *ground;
}
