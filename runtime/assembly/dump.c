// --dump-problems DIR: every one-step problem (1) that a run solves, as a file of runtime/problems, so that a hard one
// can be studied apart.
//
// Files are called MODEL-STEP-NUMBER.json, NUMBER counting within the step (islands, pieces, Newton iterations). The
// guess that the solver had is written too, so that `nsm solve` starts where the run did. The only part of a run that
// writes files while it steps; it stops at the first file that cannot be written, and nsm_step says so.
#include "assembly.h"
#include "runtime/problems/reader.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 1200, NAME_ROOM = 256 };

struct sim_dump {
  const char *folder;
  char        model[64], path[PATH_ROOM], name[NAME_ROOM];
  double     *guess;                                       // [rows]
  long        written, step;                               // files; the step of the last, and how many it had
  int         number, error;                               // errno of the first failure
};

// Letters, digits, '_' and '-' of the model's name.
static void file_name(const char *from, char *to, size_t room) {
  size_t n = 0;
  for (; *from && n + 1 < room; from++) {
    int plain = (*from >= 'a' && *from <= 'z') || (*from >= 'A' && *from <= 'Z') || (*from >= '0' && *from <= '9') ||
                *from == '-';
    to[n++] = plain ? *from : '_';
  }
  to[n] = 0;
}

int sim_dump_open(nsm_sim *s, const char *folder, nsm_error *e) {
  if (!folder) return 1;
  struct stat st;
  if (strlen(folder) + 128 > PATH_ROOM) {
    sim_fail(e, NSM_FILE, "--dump-problems: the name of the folder is too long");
    return 0;
  }
  if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || stat(folder, &st) != 0) {
    sim_fail(e, NSM_FILE, "--dump-problems %s: the folder cannot be made: %s", folder, strerror(errno));
    return 0;
  }
  if (!S_ISDIR(st.st_mode)) { sim_fail(e, NSM_FILE, "--dump-problems %s: this is not a folder", folder); return 0; }
  s->dump = SIM_NEW(s, 1, struct sim_dump);
  s->dump->folder = folder;
  s->dump->guess = SIM_NEW(s, s->n.r.n, double);
  s->dump->step = -1;
  file_name(sim_text(s, s->a->m->name), s->dump->model, sizeof s->dump->model);
  return 1;
}

const char *sim_dump_folder(const nsm_sim *s) { return s->dump ? s->dump->folder : NULL; }

long sim_dump_count(const nsm_sim *s) { return s->dump ? s->dump->written : -1; }

typedef struct place { nsm_sim *s; const int *row, *at; } place;

static const char *row_label(void *with, int i) {
  place *w = with;
  sim_row_name(w->s, w->row[w->at[i]], w->s->dump->name, NAME_ROOM);
  return w->s->dump->name;
}

static void write_problem(nsm_sim *s, const nsm_cone_problem *p, const double *lambda, const nsm_cone_result *r,
                          place *w) {
  struct sim_dump *d = s->dump;
  long step = sim_step_number(s);
  if (d->step != step) { d->step = step; d->number = 0; }
  snprintf(d->path, PATH_ROOM, "%s/%s-%07ld-%03d.json", d->folder, d->model, step, d->number++);
  nsm_problem_note note = { .model = sim_text(s, s->a->m->name),
                            .step = step,
                            .time = s->now.t,
                            .label = row_label,
                            .with = w,
                            .guess = s->w.cone.warm ? d->guess : NULL,
                            .lambda = lambda,
                            .result = r };
  unlink(d->path);                                         // one of an earlier run, or a link: not written through
  FILE *f = fopen(d->path, "wx");
  if (!f) { d->error = errno; return; }
  int written = nsm_problem_write(f, p, &note), why = errno;
  if (fclose(f) != 0 && written) { written = 0; why = errno; }
  if (!written) d->error = why ? why : EIO;
  d->written++;
}

// nsm_cone_solve, with the problem and its answer written.
nsm_cone_status sim_dump_solve(nsm_sim *s, const sim_island *k, void *work, nsm_cone_result *r) {
  place w = { s, k->row, k->at };
  memcpy(s->dump->guess, k->lambda, (size_t)k->p.m * sizeof(double));
  nsm_cone_status status = nsm_cone_solve(&k->p, &s->w.cone, work, k->lambda, k->u, r);
  if (!s->dump->error) write_problem(s, &k->p, k->lambda, r, &w);
  return status;
}

int sim_dump_failed(const nsm_sim *s, nsm_error *e) {
  if (!s->dump->error) return 0;
  sim_fail(e, NSM_FILE, "--dump-problems: %s cannot be written: %s", s->dump->path, strerror(s->dump->error));
  return 1;
}
