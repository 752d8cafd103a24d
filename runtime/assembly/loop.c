// Diodes in a network whose multipliers together move nothing: their current runs through sources alone. Which parts
// carry it is seen from the recorded columns, which are the currents of the parts among them: those that move with
// these multipliers.
#include "assembly.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double rounding = 1e-9;     // of the largest current in the loop, which is 1

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

// Is `part` that of one of the rows?
static int is_own(const nsm_sim *s, const int *row, int n, const char *part) {
  char name[256], own[256];
  int any = 0;
  for (int i = 0; i < n; i++) {
    sim_row_name(s, row[i], name, sizeof name);
    part_of(name, own, sizeof own);
    any |= strcmp(own, part) == 0;
  }
  return any;
}

int sim_unlimited_loop(nsm_sim *s, const int *row, const double *y, int n, char *out, size_t size) {
  const sim_rows *r = &s->n.r;
  char name[256], part[256], line[32];
  size_t used = 0;
  for (int i = 0; i < n; i++) if (s->a->cls[r->cls[row[i]]].c->kind != NSM_RELATION) return 0;
  if (!sim_is_network(s) || n == 0) return 0;
  double *column = SIM_LEND(s, 2 * s->a->ncolumn, double), *moved = column + s->a->ncolumn;
  nsm_read(s, column);
  for (int i = 0; i < n; i++) s->now.l[r->l[row[i]]] += y[i];
  nsm_read(s, moved);
  for (int i = 0; i < n; i++) s->now.l[r->l[row[i]]] -= y[i];
  for (int i = 0; i < n && used < size; i++) {
    sim_row_name(s, row[i], name, sizeof name);
    part_of(name, part, sizeof part);
    used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", part);
  }
  for (int c = 1, others = 0; c < s->a->ncolumn && others < 6; c++) {
    if (!(fabs(moved[c] - column[c]) > rounding) || strcmp(nsm_column_unit(s, c), "A") != 0) continue;
    snprintf(name, sizeof name, "%s", nsm_column_name(s, c));
    part_of(name, part, sizeof part);
    if (!ends_with(name, ".i") || is_own(s, row, n, part) || used >= size) continue;
    used += (size_t)snprintf(out + used, size - used, "%s%s%s", others++ > 0 ? ", " : " and ", part,
                             line_of(s, name, line, sizeof line));
  }
  sim_give(s, column);
  if (used < size) snprintf(out + used, size - used, " form a loop in which nothing limits the current");
  return 1;
}
