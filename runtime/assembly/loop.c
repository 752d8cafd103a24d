// Diodes in a network whose multipliers move nothing: their current runs through sources alone, or a source drives it
// against them. Which parts carry it is seen from the recorded columns, which are the currents of the parts among them:
// those that move with the multipliers.
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

static int is_in(const char *name, const char *const *of, int n) {
  for (int i = 0; i < n; i++) if (strcmp(name, of[i]) == 0) return 1;
  return 0;
}

// Behind the names of their own parts those whose currents move.
static void name_parts(nsm_sim *s, const double *column, const double *moved, const char *const *own, int nown,
                       char *out, size_t size) {
  char name[256], part[256], line[32], last[300] = "";
  size_t used = strlen(out);
  for (int c = 1, n = 0; c < s->a->ncolumn && n < 6; c++) {
    if (!(fabs(moved[c] - column[c]) > 1e-9) || strcmp(nsm_column_unit(s, c), "A") != 0) continue;
    snprintf(name, sizeof name, "%s", nsm_column_name(s, c));
    part_of(name, part, sizeof part);
    if (!ends_with(name, ".i") || is_in(part, own, nown)) continue;
    if (*last && used < size) used += (size_t)snprintf(out + used, size - used, ", %s", last);
    snprintf(last, sizeof last, "%s%s", part, line_of(s, name, line, sizeof line));
    n++;
  }
  if (used >= size) return;
  if (*last) snprintf(out + used, size - used, " and %s form a loop in which nothing limits the current", last);
  else if (nown > 1) snprintf(out + used, size - used, " form a loop in which nothing limits the current");
  else snprintf(out + used, size - used, ": nothing limits its current");
}

static int any_moves(nsm_sim *s, const double *column, const double *moved, const char *unit) {
  for (int c = 1; c < s->a->ncolumn; c++)
    if (fabs(moved[c] - column[c]) > 1e-9 && strcmp(nsm_column_unit(s, c), unit) == 0) return 1;
  return 0;
}

// Relations whose multipliers may grow along y [n] for ever, as nothing that they meet moves (a proof that there is no
// solution): a current that runs through sources and diodes alone, SIM_NO_RESISTANCE, or a voltage, SIM_NO_WAY.
int sim_unlimited_loop(nsm_sim *s, const int *row, const double *y, int n, char *out, size_t size) {
  enum { MOST_PARTS = 4 };
  const sim_rows *r = &s->n.r;
  char name[256], part[MOST_PARTS][256];
  const char *own[MOST_PARTS];
  int nown = 0;
  if (!sim_is_network(s)) return 0;
  for (int i = 0; i < n; i++)
    if (fabs(y[i]) > 1e-9 && (s->a->cls[r->cls[row[i]]].c->kind != NSM_RELATION || nown++ == MOST_PARTS)) return 0;
  double *column = SIM_LEND(s, 2 * s->a->ncolumn + n, double), *moved = column + s->a->ncolumn,
         *kept = moved + s->a->ncolumn;
  nsm_read(s, column);
  for (int i = 0; i < n; i++) kept[i] = s->now.l[r->l[row[i]]];
  for (int i = 0; i < n; i++) s->now.l[r->l[row[i]]] += y[i];
  nsm_read(s, moved);
  for (int i = 0; i < n; i++) s->now.l[r->l[row[i]]] = kept[i];
  int kind = any_moves(s, column, moved, "A") ? SIM_NO_RESISTANCE : any_moves(s, column, moved, "V") ? SIM_NO_WAY : 0;
  nown = 0;
  if (kind) *out = 0;
  for (int i = 0; kind && i < n; i++) {
    if (!(fabs(y[i]) > 1e-9)) continue;
    sim_row_name(s, row[i], name, sizeof name);
    part_of(name, part[nown], sizeof part[nown]);
    own[nown] = part[nown];
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used ? ", " : "", own[nown++]);
  }
  if (kind == SIM_NO_RESISTANCE) name_parts(s, column, moved, own, nown, out, size);
  size_t used = kind ? strlen(out) : 0;
  if (kind == SIM_NO_WAY) snprintf(out + used, size - used, ": nothing limits the voltage there");
  sim_give(s, column);
  return kind;
}
