// A diode in a network whose multiplier moves nothing: its current runs through sources alone. Which parts carry it is
// seen from the recorded columns, which are the currents of the parts among them: those that move with the multiplier.
#include "assembly.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// "d" of "relation d.law", "s" of "s.i".
static void part_of(const char *name, char *out, size_t size) {
  const char *from = strncmp(name, "relation ", 9) == 0 ? name + 9 : name, *dot = strrchr(from, '.');
  snprintf(out, size, "%.*s", dot ? (int)(dot - from) : (int)strlen(from), from);
}

// " (line 5)" of the variable with this name: where its part is asked for. A member of a family has none.
static const char *line_of(const nsm_sim *s, const char *name, char *out, size_t size) {
  const nsm_model *m = s->a->m;
  *out = 0;
  for (int i = 0; i < m->nvar && !*out; i++)
    if (strcmp(sim_text(s, m->var[i].name), name) == 0) snprintf(out, size, " (line %d)", m->var[i].line);
  return out;
}

static int ends_with(const char *name, const char *end) {
  size_t n = strlen(name), m = strlen(end);
  return n > m && strcmp(name + n - m, end) == 0;
}

int sim_unlimited_loop(nsm_sim *s, int row, char *out, size_t size) {
  const sim_rows *r = &s->n.r;
  char name[256], part[256], own[256], line[32];
  size_t used = 0;
  if (!sim_is_network(s) || s->a->cls[r->cls[row]].c->kind != NSM_RELATION || r->b0[row] != r->b0[row + 1] ||
      r->d0[row] != r->d0[row + 1]) return 0;
  double *column = SIM_LEND(s, 2 * s->a->ncolumn, double), *moved = column + s->a->ncolumn,
         kept = s->now.l[r->l[row]];
  nsm_read(s, column);
  s->now.l[r->l[row]] = kept + 1;
  nsm_read(s, moved);
  s->now.l[r->l[row]] = kept;
  sim_row_name(s, row, name, sizeof name);
  part_of(name, own, sizeof own);
  used = (size_t)snprintf(out, size, "%s", own);
  for (int c = 1, n = 0; c < s->a->ncolumn && n < 6; c++) {
    if (!(fabs(moved[c] - column[c]) > 0) || strcmp(nsm_column_unit(s, c), "A") != 0) continue;
    snprintf(name, sizeof name, "%s", nsm_column_name(s, c));
    part_of(name, part, sizeof part);
    if (!ends_with(name, ".i") || strcmp(part, own) == 0 || used >= size) continue;
    used += (size_t)snprintf(out + used, size - used, "%s%s%s", n++ > 0 ? ", " : " and ", part,
                             line_of(s, name, line, sizeof line));
  }
  sim_give(s, column);
  if (used < size) snprintf(out + used, size - used, " form a loop in which nothing limits the current");
  return 1;
}
