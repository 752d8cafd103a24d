// What --of and --by mean.
#include "answers.h"
#include "runtime/command/flags.h"
#include "runtime/shared/nearest.h"
#include "runtime/shared/trimmed.h"
#include "runtime/shared/unit.h"
#include <stdlib.h>
#include <string.h>

static const struct kind { const char *name; int kind; } kinds[] = {
  { "final", NSM_STAT_FINAL }, { "initial", NSM_STAT_INITIAL }, { "at", NSM_STAT_AT }, { "min", NSM_STAT_MIN },
  { "max", NSM_STAT_MAX }, { "mean", NSM_STAT_MEAN }, { "first", NSM_STAT_FIRST }, { "last", NSM_STAT_LAST },
  { "hit", NSM_STAT_HIT }
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *column_name(void *s, int i) { return nsm_column_name(s, i); }
static const char *parameter_name(void *s, int i) { return sim_text(s, ((nsm_sim *)s)->a->m->par[i].name); }

static nsm_code refuse(const char *flag, const char *word, const char *why, nsm_error *e) {
  sim_fail(e, NSM_USAGE, "%s %s: %s", flag, word, why);
  return NSM_USAGE;
}

// A name that the model does not have.
static nsm_code unknown(const char *flag, const char *word, const char *why, nsm_error *e) {
  sim_fail(e, NSM_USAGE, "E0775: %s %s: %s", flag, word, why);
  return NSM_USAGE;
}

// ---- --of -----------------------------------------------------------------------------------------------------------
// "contact floor", "friction 2 of contact floor": floor
static const char *own_name(const char *full) {
  const char *of = strstr(full, " of "), *own = strchr(of ? of + 4 : full, ' ');
  return own ? own + 1 : full;
}

// A contact or relation by its name, for times of its events.
static int row_named(nsm_sim *s, const char *name) {
  char full[300];
  for (int row = 0; row < s->n.r.n; row++) {
    sim_row_name(s, row, full, sizeof full);
    if (strcmp(full, name) == 0 || strcmp(own_name(full), name) == 0) return row;
  }
  return -1;
}

// A name for each of them: that of the first row alone.
static const char *row_name(void *with, int row) {
  static _Thread_local char full[300];
  if (sim_event_row(with, row) != row) return NULL;
  sim_row_name(with, row, full, sizeof full);
  return own_name(full);
}

static nsm_code find_column(nsm_sim *s, const char *flag, answers_of *of, nsm_error *e) {
  char meant[400], why[700];
  of->column = of->row = -1;
  of->scale = 1;
  if (of->kind == NSM_STAT_FIRST || of->kind == NSM_STAT_LAST || of->kind == NSM_STAT_HIT) {
    of->row = row_named(s, of->of);
    if (of->row >= 0) of->row = sim_event_row(s, of->row);
    int fits = of->row >= 0 && (of->kind != NSM_STAT_HIT || s->a->cls[s->n.r.cls[of->row]].c->kind == NSM_CONTACT);
    if (s->n.r.n > 0) nsm_meant(of->of, s->n.r.n, row_name, s, meant, sizeof meant);
    else *meant = 0;
    snprintf(why, sizeof why, "there is no contact%s `%.200s`%s", of->kind == NSM_STAT_HIT ? "" : " or relation",
             of->of, of->row < 0 ? meant : ": it is a relation, which has first(...) and last(...)");
    return fits ? NSM_OK : unknown(flag, of->name, why, e);
  }
  of->column = nsm_find_column(s, of->of);
  if (of->column >= 0) {
    of->scale = nsm_column_scale(s, of->column);
    of->unit = nsm_column_unit(s, of->column);
    return NSM_OK;
  }
  nsm_meant(of->of, nsm_ncolumn(s) + NSM_ENERGIES, column_name, s, meant, sizeof meant);
  snprintf(why, sizeof why, "there is no column `%.200s`%s", of->of, meant);
  return unknown(flag, of->name, why, e);
}

// Of "(floor, 3)": 3, and what ends the name; 1 where there is no number.
static const char *number_of(const char *open, const char *last, long *number) {
  const char *comma = strrchr(open, ',');
  char word[32], *end;
  *number = 1;
  if (!comma || memchr(comma, ']', (size_t)(last - comma))) return last;       // floor[2,3]
  nsm_trimmed(word, sizeof word, comma + 1, (size_t)(last - comma - 1));
  *number = strtol(word, &end, 10);
  return *word && !*end && *number > 0 ? comma : NULL;
}

// A name alone is its final value.
static nsm_code read_of(nsm_sim *s, const char *flag, answers_of *of, nsm_error *e) {
  char word[256];
  const char *open = strchr(of->name, '('), *end = of->name + strlen(of->name);
  of->kind = NSM_STAT_FINAL;
  nsm_trimmed(of->of, sizeof of->of, of->name, strlen(of->name));
  if (!open || end[-1] != ')') return find_column(s, flag, of, e);
  nsm_trimmed(word, sizeof word, of->name, (size_t)(open - of->name));
  int found = -1;
  for (int i = 0; i < KINDS; i++) if (strcmp(kinds[i].name, word) == 0) found = i;
  if (found < 0) return refuse(flag, of->name, "there are final, initial, at, min, max, mean, first, last and hit", e);
  of->kind = kinds[found].kind;
  const char *last = end - 1;
  if (of->kind == NSM_STAT_AT) {
    const char *comma = strrchr(open, ',');
    if (!comma) return refuse(flag, of->name, "`at` takes a column and a time: at(x, 2.5)", e);
    nsm_trimmed(word, sizeof word, comma + 1, (size_t)(last - comma - 1));
    const char *wrong = nsm_read_quantity(word, "s", &of->time);
    if (wrong) return refuse(flag, of->name, wrong, e);
    if (!(of->time >= s->a->start && of->time <= s->a->until))
      return refuse(flag, of->name, "the run does not reach this time", e);
    last = comma;
  }
  if (of->kind == NSM_STAT_HIT) last = number_of(open, last, &of->number);
  if (!last) return refuse(flag, of->name, "`hit` takes a contact and a number from 1: hit(floor, 3)", e);
  nsm_trimmed(of->of, sizeof of->of, open + 1, (size_t)(last - open - 1));
  return find_column(s, flag, of, e);
}

static int room_for(const char *text) {
  int n = 2;
  for (const char *c = text; *c; c++) n += *c == ',';
  return n;
}

nsm_code answers_read_of(nsm_sim *s, const char *text, answers *a, nsm_error *e) {
  const char *flag = a->of_flag ? a->of_flag : "--of";
  const char *list = text;
  int more;
  a->of = calloc((size_t)room_for(text), sizeof *a->of);
  if (!a->of) return sim_no_memory(e, "what is asked for");
  while ((more = nsm_next_name(&list, a->of[a->nof].name, sizeof a->of->name)) > 0) {
    if (!*a->of[a->nof].name) continue;
    nsm_code code = read_of(s, flag, &a->of[a->nof], e);
    if (code != NSM_OK) return code;
    a->nof++;
  }
  if (more < 0) return refuse(flag, text, "a name is too long", e);
  return a->nof > 0 ? NSM_OK : refuse(flag, text, "nothing is asked for", e);
}

// ---- --by -----------------------------------------------------------------------------------------------------------
static nsm_code initial_value(nsm_sim *s, const char *flag, const char *word, play_name *by,
                              nsm_error *e) {
  char of[256], why[700], meant[400];
  nsm_trimmed(of, sizeof of, word, strlen(word) - 3);
  by->column = nsm_find_column(s, of);
  if (by->column >= 0 && nsm_kind_of_column(s, by->column) == NSM_COLUMN_STATE) {
    by->scale = nsm_column_scale(s, by->column);
    return NSM_OK;
  }
  if (by->column >= 0) return unknown(flag, word, "only states, coordinates and velocities have initial values", e);
  nsm_meant(of, nsm_ncolumn(s), column_name, s, meant, sizeof meant);
  snprintf(why, sizeof why, "there is no state `%.200s`%s", of, meant);
  return unknown(flag, word, why, e);
}

static nsm_code read_by(nsm_sim *s, const char *flag, char *word, play_name *by, nsm_error *e) {
  const nsm_model *m = s->a->m;
  char why[700], meant[400];
  size_t n = strlen(word);
  *by = (play_name){ word, -1, -1, 1 };
  if (n > 3 && strcmp(word + n - 3, "(0)") == 0) return initial_value(s, flag, word, by, e);
  for (int i = 0; i < m->npar; i++) if (strcmp(sim_text(s, m->par[i].name), word) == 0) by->parameter = i;
  for (int i = 0; i < nsm_ninput(s) && by->parameter < 0; i++)
    if (strcmp(nsm_input_name(s, i), word) == 0)
      return unknown(flag, word, "it is an input, no parameter; `nsm analyse --linear --inputs` and the Jacobian of a "
                     "step have derivatives by inputs", e);
  if (by->parameter < 0) {
    nsm_meant(word, m->npar, parameter_name, s, meant, sizeof meant);
    snprintf(why, sizeof why, "there is no parameter `%.200s`%s", word, meant);
    return unknown(flag, word, why, e);
  }
  if (m->par[by->parameter].structural)
    return (sim_fail_at(e, NSM_USAGE, sim_at_parameter(by->parameter),
                        "E0773: %s %s: it is a length: what it counts has no derivative", flag, word), NSM_USAGE);
  by->scale = nsm_unit_scale(sim_text(s, m->par[by->parameter].unit));
  return NSM_OK;
}

nsm_code answers_read_by(nsm_sim *s, const char *text, answers *a, nsm_error *e) {
  const char *flag = a->by_flag ? a->by_flag : "--by";
  const char *list = text;
  char word[256];
  int room = room_for(text), more;
  a->by = calloc((size_t)room, sizeof *a->by);
  a->text = calloc((size_t)room, sizeof *a->text);
  if (!a->by || !a->text) return sim_no_memory(e, "parameters");
  while ((more = nsm_next_name(&list, word, sizeof word)) > 0) {
    if (!*word) continue;
    a->text[a->nby] = strdup(word);
    if (!a->text[a->nby]) return sim_no_memory(e, "parameters");
    nsm_code code = read_by(s, flag, a->text[a->nby], &a->by[a->nby], e);
    if (code != NSM_OK) return code;
    for (int i = 0; i < a->nby; i++)
      if (strcmp(a->text[i], a->text[a->nby]) == 0) return refuse(flag, word, "it is given twice", e);
    a->nby++;
  }
  if (more < 0) return refuse(flag, text, "a name is too long", e);
  return a->nby > 0 ? NSM_OK : refuse(flag, text, "no parameter is named", e);
}

void answers_free(answers *a) {
  for (int i = 0; a->text && i < a->nby + 1; i++) free(a->text[i]);
  free(a->text);
  free(a->of);
  free(a->by);
  free(a->value);
  free(a->d);
}
