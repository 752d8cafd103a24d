// The solvers, in the order in which the driver tries them. All take free, nonneg and box rows (any intervals); `blocks` says which cone
// blocks they take besides.
// When adding one: its file, its function in solver.h, one line here and in nsm_cone_solver_names, a line in CMakeLists.txt, a test.
#include "solver.h"
#include <string.h>

const nsm_cone_solver nsm_cone_solvers[] = {
  // name          function              most rows       dense  direct  blocks           takes
  { "bases",       nsm_cone_bases,       NSM_BASES_MAX,  1,     1,      0,               "any M; nonsingular bases only, inverses kept while the matrix stays" },
  { "enumeration", nsm_cone_enumeration, NSM_BASES_MAX,  1,     1,      0,               "any M, also singular; exact, and proves that there is no solution" },
  { "pivot",       nsm_cone_pivot,       0,              0,     1,      0,               "P-matrices and most others with nonsingular bases; dense, tridiagonal, banded" },
  { "lemke",       nsm_cone_lemke,       0,              1,     1,      0,               "monotone and copositive-plus M, boxes for any M; degenerate problems" },
  { "proximal",    nsm_cone_proximal,    0,              0,     0,      0,               "monotone M of any rank; dense, tridiagonal, banded" },
  { "branch",      nsm_cone_branch,      0,              1,     0,      0,               "any M, exact: all ways to be complementary, by bounds; proves that there is no solution" },
  { "proximal_newton", nsm_cone_proximal_newton, 0,      0,     0,      NSM_ALL_BLOCKS,  "friction of any rank: proximal point around Newton; dense and sparse" },
  { "interior",    nsm_cone_interior,    0,              0,     0,      NSM_ALL_BLOCKS & ~(1u << NSM_CONE_GRIP), "friction without grips: interior point, then proximal_newton" },
  { "alart_curnier", nsm_cone_alart_curnier, 0,          0,     0,      NSM_ALL_BLOCKS,  "semismooth Newton alone; few contacts per body" },
  { "pgs",         nsm_cone_pgs,         0,              0,     0,      NSM_ALL_BLOCKS,  "symmetric definite M, all blocks; dense and sparse" },
  { "psor",        nsm_cone_psor,        0,              0,     0,      NSM_ALL_BLOCKS,  "as pgs, over-relaxed by 1.4" },
  { "jacobi",      nsm_cone_jacobi,      0,              0,     0,      NSM_ALL_BLOCKS,  "as pgs, all rows at once" },
  { NULL, NULL, 0, 0, 0, 0, NULL }
};

static const char *const names[] = { "auto", "bases", "enumeration", "pivot", "lemke", "proximal", "branch", "proximal_newton", "interior", "alart_curnier", "pgs", "psor", "jacobi", NULL };

const char *const *nsm_cone_solver_names(void) { return names; }

const nsm_cone_solver *nsm_cone_solver_find(const char *name) {
  for (const nsm_cone_solver *s = nsm_cone_solvers; s->name; s++)
    if (strcmp(s->name, name) == 0) return s;
  return NULL;
}
