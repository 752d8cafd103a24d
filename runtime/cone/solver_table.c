// The solvers, in the order in which the driver tries them. All take free, nonneg and box rows (any intervals);
// `blocks` says which cone blocks they take besides.
// One name stands twice: early where it is quick, and behind a faster one, which proves nothing, where it is not.
// When adding one: its file, its function in solver.h, one line here and in nsm_cone_solver_names, a test.
#include "solver.h"
#include <string.h>

const nsm_cone_solver nsm_cone_solvers[] = {
  // name               function                       most rows         start  blocks and what it takes
  { "contact", nsm_cone_contact, NSM_CONE_MOST_ROWS, 0, NSM_ALL_BLOCKS | NSM_ROLLING | NSM_BLOCKS_ONLY,
    "one block and nothing else, of any kind; exact" },
  { "modes", nsm_cone_modes, NSM_MODES_MAX, NSM_FROM_GUESS, NSM_UNIT_BLOCKS | NSM_BLOCKS_ONLY,
    "planar friction, any M; nonsingular sets of modes, inverses kept while the matrix stays" },
  { "planar", nsm_cone_planar, NSM_PLANAR_QUICK, 0, NSM_UNIT_BLOCKS | NSM_BLOCKS_ONLY,
    "planar friction, few contacts, any M; exact, and proves that there is no solution" },
  { "bases", nsm_cone_bases, NSM_BASES_MAX, 0, 0,
    "any M; nonsingular bases only, inverses kept while the matrix stays" },
  { "enumeration", nsm_cone_enumeration, NSM_BASES_MAX, 0, 0,
    "any M, also singular; exact, and proves that there is no solution" },
  { "pivot", nsm_cone_pivot, 0, NSM_FROM_GUESS, 0,
    "P-matrices and most others with nonsingular bases; dense, tridiagonal, banded" },
  { "lemke", nsm_cone_lemke, 0, 0, 0, "monotone and copositive-plus M, boxes for any M; degenerate problems" },
  { "proximal", nsm_cone_proximal, 0, NSM_FROM_GUESS, 0, "monotone M of any rank; dense, tridiagonal, banded" },
  { "branch", nsm_cone_branch, 0, 0, 0,
    "any M, exact: all ways to be complementary, by bounds; proves that there is no solution" },
  { "sigma", nsm_cone_sigma, 0, NSM_AGAIN | NSM_PILES, (1u << NSM_CONE_COULOMB) | (1u << NSM_CONE_ELLIPTIC) |
      (1u << NSM_CONE_CONTENSOU) | NSM_BLOCKS_ONLY,
    "large friction problems: Newton on a smoothed problem, linear systems on the bodies" },
  { "proximal_newton", nsm_cone_proximal_newton, 0, NSM_FROM_GUESS | NSM_AGAIN,
      NSM_ALL_BLOCKS | NSM_ROLLING | NSM_BLOCKS_OR_SMALL,
    "friction of any rank: proximal point around Newton; dense and sparse" },
  { "farkas", nsm_cone_farkas, 0, NSM_FROM_BEST, NSM_ALL_BLOCKS | NSM_ROLLING | NSM_BLOCKS_ONLY,
    "proves that what every solution has cannot be had; proposes nothing" },
  { "planar", nsm_cone_planar, NSM_PLANAR_MAX, 0, NSM_UNIT_BLOCKS | NSM_BLOCKS_ONLY, "the same where it takes longer" },
  { "rest", nsm_cone_rest, 0, NSM_FROM_BEST | NSM_AGAIN, NSM_UNIT_BLOCKS | NSM_BLOCKS_ONLY,
    "deficient rank: first the velocities at which most contacts rest, then forces" },
  { "sigma", nsm_cone_sigma, 3 * NSM_PILE, NSM_AGAIN, (1u << NSM_CONE_COULOMB) | (1u << NSM_CONE_ELLIPTIC) |
      (1u << NSM_CONE_CONTENSOU) | NSM_BLOCKS_ONLY,
    "the same for others" },
  { "interior", nsm_cone_interior, 0, 0, (NSM_UNIT_BLOCKS & ~(1u << NSM_CONE_GRIP)) | NSM_BLOCKS_ONLY,
    "friction without grips: interior point, made exact by the proximal loop" },
  { "sweeps", nsm_cone_sweeps, 0, NSM_FROM_GUESS | NSM_BY_NAME, NSM_ALL_BLOCKS | NSM_ROLLING | NSM_BLOCKS_ONLY,
    "large friction problems to a few digits, from a guess: accelerated sweeps" },
  { "nsgs", nsm_cone_nsgs, 0, NSM_FROM_GUESS | NSM_LARGE, NSM_ALL_BLOCKS | NSM_ROLLING,
    "every block; block by block, exactly; dense and sparse" },
  { NULL, NULL, 0, 0, 0, NULL }
};

static const char *const names[] = {
  "auto",
  "contact", "modes", "planar",
  "bases", "enumeration", "pivot", "lemke", "proximal", "branch",
  "sigma", "proximal_newton", "farkas", "rest", "interior", "sweeps",
  "nsgs",
  NULL
};

// Names of solvers that are gone, as no problem needed them (cone.md, 3.15), and who solves what they solved.
static const char *const gone[][2] = {
  { "smoothing", "sigma" }, { "continuation", "sigma" }, { "admm", "proximal_newton" },
  { "alart_curnier", "proximal_newton" }, { "fischer_burmeister", "proximal_newton" }, { "nsgs_over", "nsgs" },
  { "pgs", "nsgs" }, { "psor", "nsgs" }, { "jacobi", "nsgs" }
};

const char *const *nsm_cone_solver_names(void) { return names; }

const char *nsm_cone_solver_instead(const char *name) {
  for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) if (strcmp(name, gone[i][0]) == 0) return gone[i][1];
  return NULL;
}

const nsm_cone_solver *nsm_cone_solver_find(const char *name) {
  const nsm_cone_solver *found = NULL;                     // of two, the one for more rows
  for (const nsm_cone_solver *s = nsm_cone_solvers; s->name; s++)
    if (strcmp(s->name, name) == 0 && !(found && !found->max_rows)) found = s;
  return found;
}
