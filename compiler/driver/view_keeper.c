// See view_keeper.h. Messages on the pipes: a Question and its lines; an Answer, the page and what was said.
//
// A run needs no new machine code where the values that differ from the command line's are parameters of the compiled
// model that no length depends on, and the scheme is the same. The checks of the model are made anew for every run:
// they cost a tenth of a compilation, and a value may be wrong.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../base/fatal.h"
#include "../base/write_whole.h"
#include "commands.h"
#include "view_keeper.h"

typedef struct Question { bool whole; size_t n; } Question;
typedef struct Answer { int code; size_t npage, nsaid; } Answer;

// All n bytes; false: the other side is gone.
static bool read_whole(int fd, void *to, size_t n) {
  for (char *at = to; n > 0;) {
    ssize_t got = read(fd, at, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    n -= (size_t)got;
  }
  return true;
}

// ---- values ---------------------------------------------------------------------------------------------------------
static bool same_name(const char *a, const char *b) {
  size_t n = strcspn(a, "=");
  return n == strcspn(b, "=") && !strncmp(a, b, n);
}

// The options with one --set for each line in place of what they say of the same parameter. NULL: a line cannot be
// read, which standard error says.
static Options *with_lines(Arena *a, const Options *o, char *text) {
  Options *own = ARENA_NEW(a, Options);
  int lines = 1;
  *own = *o;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  own->flags.set = ARENA_ARRAY(a, const char *, o->flags.nset + lines + 1);
  own->set = ARENA_ARRAY(a, Override, o->nset + lines + 1);
  own->flags.nset = own->nset = 0;
  char *save;
  const char **line = ARENA_ARRAY(a, const char *, lines + 1);
  int n = 0;
  for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) line[n++] = l;
  for (int i = 0; i < o->flags.nset; i++) {
    bool replaced = false;
    for (int k = 0; k < n; k++) replaced |= same_name(o->flags.set[i], line[k]);
    if (!replaced) {
      own->flags.set[own->flags.nset++] = o->flags.set[i];
      if (!options_add_set(a, own, o->flags.set[i])) return NULL;
    }
  }
  for (int k = 0; k < n; k++) {
    own->flags.set[own->flags.nset++] = line[k];
    if (!options_add_set(a, own, line[k])) return NULL;
  }
  return own;
}

// Is every value one that the compiled model takes when it runs? judged: the model with these values, checked.
static bool takes(const ViewModel *m, const Options *base, const Options *own, const Compilation *judged) {
  if (judged->plan->scheme != m->c->plan->scheme) return false;
  for (int i = 0; i < own->nset; i++) {
    bool as_compiled = false, stored = own->set[i].use == SET_STORED;
    for (int k = 0; k < base->nset; k++) as_compiled |= !strcmp(base->set[k].text, own->set[i].text);
    for (int k = 0; k < nsm_nparameter(m->p); k++) {
      nsm_parameter p = nsm_parameter_at(m->p, k);
      if (!strcmp(p.name, own->set[i].name) && p.fixed) stored = false;
    }
    if (!as_compiled && !stored) return false;
  }
  return own->nset >= base->nset;
}

// In the process of a run.
static int show(const ViewModel *m, const Options *base, const Question *q, char *lines, Text *page) {
  Arena *a = arena_new();
  const Options *own = with_lines(a, base, lines);
  ViewWish wish = { .whole = q->whole, .served = true };
  int code;
  if (!own) return EXIT_USAGE;
  if (!m->p) return view_run(own, NULL, &wish, page);
  wish.judged = compile_file(own, own->file[0], STAGE_PLAN, NULL, &code);
  if (!wish.judged) return code;
  if (!takes(m, base, own, wish.judged)) {
    wish.judged = NULL;
    return view_run(own, NULL, &wish, page);
  }
  nsm_program *judged = program_of(wish.judged);
  list_diagnostics(judged);
  m->p->diagnostic = judged->diagnostic;
  m->p->ndiagnostic = judged->ndiagnostic;
  return view_show(own, m, &wish, page);
}

_Noreturn static void child(const ViewModel *m, const Options *base, const Question *q, char *lines, int out, int err) {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  dup2(err, STDERR_FILENO);
  Text page = {0};
  int code = show(m, base, q, lines, &page);
  fflush(NULL);
  bool sent = write_whole(out, page.n ? page.at : "", page.n);
  _exit(sent ? code : EXIT_PIPE);
}

// ---- the keeper -----------------------------------------------------------------------------------------------------
// Reads both pipes to their ends.
static void gather(const volatile int *ended, int out, int err, Text *page, Text *messages) {
  struct pollfd p[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
  Text *to[2] = { page, messages };
  char part[65536];
  while ((p[0].fd >= 0 || p[1].fd >= 0) && !*ended) {
    if (poll(p, 2, 200) <= 0) continue;
    for (int i = 0; i < 2; i++) {
      if (p[i].fd < 0 || !p[i].revents) continue;
      ssize_t n = read(p[i].fd, part, sizeof part);
      if (n > 0) text_addn(to[i], part, (size_t)n);
      else if (n == 0 || errno != EINTR) p[i].fd = -1;
    }
  }
}

static int run(const Keeper *k, const Options *base, const ViewModel *m, const Question *q, char *lines, Text *out,
               Text *said) {
  int page[2], messages[2], status = 0;
  if (pipe(page)) return -1;
  if (pipe(messages)) { close(page[0]); close(page[1]); return -1; }
  pid_t pid = fork();
  if (pid == 0) {
    close(page[0]);
    close(messages[0]);
    child(m, base, q, lines, page[1], messages[1]);
  }
  close(page[1]);
  close(messages[1]);
  if (pid > 0) {
    gather(k->ended, page[0], messages[0], out, said);
    if (*k->ended) kill(pid, SIGTERM);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  }
  close(page[0]);
  close(messages[0]);
  return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

typedef struct Stamp { struct timespec changed; off_t size; ino_t number; } Stamp;

static Stamp stamp_of(const char *path) {
  struct stat s;
  if (stat(path, &s)) return (Stamp){ 0 };
  return (Stamp){ s.st_mtim, s.st_size, s.st_ino };
}

static bool same_stamp(Stamp a, Stamp b) {
  return a.changed.tv_sec == b.changed.tv_sec && a.changed.tv_nsec == b.changed.tv_nsec && a.size == b.size &&
         a.number == b.number;
}

_Noreturn static void keep(const Keeper *k, int from, int to) {
  for (int fd = STDERR_FILENO + 1; fd < 256; fd++)         // of the server: a connection ends with its last copy
    if (fd != from && fd != to) close(fd);
  Options base = *k->o;
  if (base.jit == JIT_AUTO) base.jit = JIT_TCC;            // no run is worth compiling again in the middle of it
  ViewModel m;
  int code, n = 0, err = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
  if (null >= 0) dup2(null, STDERR_FILENO);                // a run says what is wrong, to who asked
  (void)view_load(&base, NULL, &m, &code);
  if (err >= 0) dup2(err, STDERR_FILENO);
  const char **input = m.p ? compilation_inputs(m.c, &n) : NULL;
  Stamp *stamp = memory_for(((size_t)n + 1) * sizeof *stamp);
  for (int i = 0; i < n; i++) stamp[i] = stamp_of(input[i]);
  Question q;
  while (!*k->ended && read_whole(from, &q, sizeof q)) {
    Text page = {0}, said = {0};
    char *lines = memory_for(q.n + 1);
    if (!read_whole(from, lines, q.n)) break;
    lines[q.n] = 0;
    for (int i = 0; i < n; i++)
      if (!same_stamp(stamp[i], stamp_of(input[i]))) _exit(EXIT_OK);
    Answer a = { .code = run(k, &base, &m, &q, lines, &page, &said) };
    a.npage = page.n;
    a.nsaid = said.n;
    if (!write_whole(to, (const char *)&a, sizeof a) || !write_whole(to, page.n ? page.at : "", page.n) ||
        !write_whole(to, said.n ? said.at : "", said.n) || !m.p) break;
    text_free(&page);
    text_free(&said);
    free(lines);
  }
  _exit(EXIT_OK);
}

// ---- the server's side ----------------------------------------------------------------------------------------------
void keeper_close(Keeper *k) {
  if (!k->pid) return;
  close(k->to);
  close(k->from);
  if (*k->ended) kill(k->pid, SIGTERM);
  while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR) {}
  k->pid = 0;
}

static bool start(Keeper *k) {
  int to[2], from[2];
  if (pipe(to)) return false;
  if (pipe(from)) { close(to[0]); close(to[1]); return false; }
  k->pid = fork();
  if (k->pid == 0) {
    close(to[1]);
    close(from[0]);
    keep(k, to[0], from[1]);
  }
  close(to[0]);
  close(from[1]);
  k->to = to[1];
  k->from = from[0];
  if (k->pid > 0) return true;
  close(k->to);
  close(k->from);
  k->pid = 0;
  return false;
}

static bool answered(const Keeper *k, Answer *a, Text *page, Text *said) {
  struct pollfd p = { k->from, POLLIN, 0 };
  while (!*k->ended && poll(&p, 1, 200) <= 0) {}
  if (*k->ended || !read_whole(k->from, a, sizeof *a)) return false;
  struct { Text *to; size_t n; } part[] = { { page, a->npage }, { said, a->nsaid } };
  for (int i = 0; i < 2; i++) {
    char *bytes = memory_for(part[i].n + 1);
    bool got = read_whole(k->from, bytes, part[i].n);
    if (got) text_addn(part[i].to, bytes, part[i].n);
    free(bytes);
    if (!got) return false;
  }
  return true;
}

int keeper_ask(Keeper *k, bool whole, const char *lines, size_t n, Text *page, Text *said) {
  Question q;
  memset(&q, 0, sizeof q);                                 // its gaps, too, go through the pipe
  q.whole = whole;
  q.n = n;
  for (int attempt = 0; attempt < 2 && !*k->ended; attempt++) {    // the second with a keeper of its own
    Answer a;
    if (!k->pid && !start(k)) return -1;
    if (write_whole(k->to, (const char *)&q, sizeof q) && write_whole(k->to, lines, n) && answered(k, &a, page, said))
      return a.code;
    keeper_close(k);
  }
  return -1;
}
