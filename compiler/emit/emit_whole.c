// The whole step and what the runtime compares before it uses it.
#include "emit_parts.h"

static void integers(Text *o, const char *name, const int *at, int n) {
  text_printf(o, "static const int %s[] = {", name);
  for (int i = 0; i < n; i++) text_printf(o, "%s%d", i == 0 ? " " : i % 24 == 0 ? ",\n  " : ", ", at[i]);
  text_add(o, n ? " };\n" : " 0 };\n");
}

void emit_whole(Emitter *e, const Whole *w) {
  static const char *const kind[] = { "0", "NSM_WHOLE_LINEAR", "NSM_WHOLE_PIECE", "NSM_WHOLE_TWO_POINT" };
  Text *o = e->out;
  if (!w) return;
  text_add(o, "\n/* --- the whole step --- */\n");
  c_kernel(e->arena, w->kernel, e->part, o);
  int *place = ARENA_ARRAY(e->arena, int, 3 * w->nconstant + 1);
  for (int i = 0; i < w->nconstant; i++) {
    place[3 * i] = w->constant[i].cls;
    place[3 * i + 1] = w->constant[i].instance;
    place[3 * i + 2] = w->constant[i].column;
  }
  integers(o, "whole_count", w->count, w->ncls);
  integers(o, "whole_ix", w->ix, w->nix);
  integers(o, "whole_row_l", w->row_l, w->nrow);
  integers(o, "whole_constant", place, 3 * w->nconstant);
  integers(o, "whole_row", w->row, w->npattern);
  integers(o, "whole_col", w->col, w->npattern);
  integers(o, "whole_m_row", w->m_row, w->nm);
  integers(o, "whole_m_col", w->m_col, w->nm);
  integers(o, "whole_x_row", w->x_row, w->nx);
  integers(o, "whole_x_col", w->x_col, w->nx);
  integers(o, "whole_timed", w->timed, w->ntimed);
  text_printf(o,
              "static const nsm_whole whole_step = {\n  .kind = %s, .count = whole_count, .nix = %d, .ix = whole_ix,\n"
              "  .nrow = %d, .row_l = whole_row_l, .nconstant = %d, .constant = whole_constant,\n"
              "  .npattern = %d, .row = whole_row, .col = whole_col, .ntimed = %d, .timed = whole_timed,\n"
              "  .nm = %d, .m_row = whole_m_row, .m_col = whole_m_col, .nx = %d, .x_row = whole_x_row, .x_col = "
              "whole_x_col,\n  .here = %d, .stays = %d, .drifts = %d, .with_rest = %u,\n"
              "  .nstruck = %d, .struck = { %d, %d }%s\n"
              "};\n",
              kind[w->kind], w->nix, w->nrow, w->nconstant, w->npattern, w->ntimed, w->nm, w->nx, w->here,
              w->stays, w->drifts, w->with_rest, w->nstruck, w->struck[0], w->struck[1],
              w->located ? ", .located = 1" : "");
}
