// --set NAME=VALUE, of the command line and of a page; and names that stand as parameters in other flags.
#include <string.h>
#include "../../runtime/record/record.h"
#include "options.h"

bool options_add_set(Arena *a, Options *o, const char *text) {
  const char *eq = strchr(text, '=');
  if (!eq || eq == text || !eq[1]) {
    fprintf(stderr, "error: --set %s: it takes NAME=VALUE\n", text);
    return false;
  }
  size_t n = (size_t)(eq - text);
  while (n > 0 && text[n - 1] == ' ') n--;
  Override v = { .name = arena_strndup(a, text, n), .text = text };
  int has_unit;
  nsm_unit unit;
  const char *wrong = nsm_read_any_quantity(eq + 1, &v.value, &has_unit, &unit);
  if (wrong) {
    fprintf(stderr, "error: --set %s: the value of %s is `%s`: %s\n", text, v.name, eq + 1, wrong);
    return false;
  }
  v.has_unit = has_unit;
  if (has_unit) v.unit = unit_of_shared(&unit);
  o->set[o->nset++] = v;
  return true;
}

// --- what is asked for ---

static const nsm_flag_id naming[] = { NSM_FLAG_BY,   NSM_FLAG_RUN_SENS, NSM_FLAG_VARY,    NSM_FLAG_SAMPLE,
                                      NSM_FLAG_BODE, NSM_FLAG_FIT_VARY, NSM_FLAG_PRIOR,   NSM_FLAG_EACH,
                                      NSM_FLAG_INPUTS, NSM_FLAG_PERIOD, NSM_FLAG_PROFILE, NSM_FLAG_FOLLOW,
                                      NSM_FLAG_BIFURCATION };
enum { NAMING = sizeof naming / sizeof *naming };

static int names_in(const char *list) {
  int n = 1;
  for (; *list; list++) n += *list == ',';
  return n;
}

// "a.R, b[2].k=1:3": at most so many names of parts, into o->set, which has room.
static void add_names(Arena *a, Options *o, const char *list, int most) {
  char name[256];
  for (; most > 0 && nsm_next_name(&list, name, sizeof name) > 0; most--) {
    name[strcspn(name, "=~")] = 0;
    size_t n = strlen(name);
    while (n > 0 && name[n - 1] == ' ') n--;
    name[n] = 0;
    bool known = !strchr(name, '.');
    for (int i = 0; i < o->nset && !known; i++) known = o->set[i].asked && !strcmp(o->set[i].name, name);
    if (!known) o->set[o->nset++] = (Override){ .name = arena_strndup(a, name, n), .asked = true };
  }
}

// The flags that name parameters, and of how many words; of --bode U,Y the first.
static int naming_flags(const nsm_flags *f, const char **text, int *most) {
  int n = 0;
  for (int k = 0; k < NAMING; k++) {
    if (f->text[naming[k]]) text[n++] = f->text[naming[k]];
    for (int i = 0; i < f->nlist; i++) if (f->list[i].flag == naming[k]) text[n++] = f->list[i].text;
    for (int i = 0; i < n; i++) most[i] = text[i] == f->text[NSM_FLAG_BODE] ? 1 : names_in(text[i]);
  }
  return n;
}

void options_add_asked(Arena *a, Options *o) {
  const nsm_flags *f = &o->flags;
  const char **text = ARENA_ARRAY(a, const char *, NAMING + f->nlist + 1);
  int *most = ARENA_ARRAY(a, int, NAMING + f->nlist + 1), given = o->nset, room = 2 * given + 1;
  int n = naming_flags(f, text, most);
  for (int i = 0; i < n; i++) room += most[i];
  Override *all = ARENA_ARRAY(a, Override, room);
  if (given) memcpy(all, o->set, (size_t)given * sizeof *all);
  o->set = all;
  for (int i = 0; i < given && o->command == NSM_FOR_BUILD; i++) add_names(a, o, o->set[i].name, 1);
  for (int i = 0; i < n; i++) add_names(a, o, text[i], most[i]);
}
