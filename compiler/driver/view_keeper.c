// See view_keeper.h. On the socket: a Question with the connection, and the lines; back comes one byte, TAKEN. Until
// then the server can ask another keeper.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../runtime/command/interrupt.h"
#include "../base/ending.h"
#include "../base/fatal.h"
#include "../base/write_whole.h"
#include "commands.h"
#include "view_keeper.h"

typedef struct Question { bool whole; size_t n; } Question;
static const char TAKEN = 'y';

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

// ---- processes ------------------------------------------------------------------------------------------------------
// A fork that ends with the process that made it, and by signals as a command does.
static pid_t fork_bound(void) {
  pid_t parent = getpid();
  ending_hold();
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(EXIT_INTERRUPTED);
    nsm_end_at_signals(ending_undo);
    ending_in_child();
  } else {
    if (pid > 0) ending_child(pid, SIGTERM);
    ending_release();
  }
  return pid;
}

_Noreturn static void child(const ViewModel *m, const Options *base, const Question *q, char *lines, int out, int err) {
  dup2(err, STDERR_FILENO);
  Text page = {0};
  int code = view_with_values(base, m, q->whole, lines, &page);
  fflush(NULL);
  bool sent = write_whole(out, page.n ? page.at : "", page.n);
  _exit(sent ? code : EXIT_PIPE);
}

// Reads both pipes to their ends.
static void gather(int out, int err, Text *page, Text *messages) {
  struct pollfd p[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
  Text *to[2] = { page, messages };
  char part[65536];
  while (p[0].fd >= 0 || p[1].fd >= 0) {
    if (poll(p, 2, -1) <= 0) continue;
    for (int i = 0; i < 2; i++) {
      if (p[i].fd < 0 || !p[i].revents) continue;
      ssize_t n = read(p[i].fd, part, sizeof part);
      if (n > 0) text_addn(to[i], part, (size_t)n);
      else if (n == 0 || errno != EINTR) p[i].fd = -1;
    }
  }
}

// The exit code of the run, -1 where it broke off; page stays empty where there is nothing to show.
static int run(const Options *base, const ViewModel *m, const Question *q, char *lines, Text *page, Text *said) {
  int out[2], messages[2], status = 0;
  if (pipe(out)) return -1;
  if (pipe(messages)) return -1;
  pid_t pid = fork_bound();
  if (pid == 0) {
    close(out[0]);
    close(messages[0]);
    child(m, base, q, lines, out[1], messages[1]);
  }
  close(out[1]);
  close(messages[1]);
  if (pid < 0) return -1;
  gather(out[0], messages[0], page, said);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

_Noreturn static void answer(const Options *base, const ViewModel *m, const Question *q, char *lines, int fd) {
  HttpAnswer a = { 0 };
  Text said = {0};
  int code = run(base, m, q, lines, &a.body, &said);
  bool ran = code >= 0 && a.body.n > 0;
  a.status = ran ? 200 : code >= 0 && code != EXIT_COMPILER ? 422 : 500;
  a.type = !ran ? "text/plain" : q->whole ? "text/html" : "application/octet-stream";
  if (!ran) text_add(&a.body, said.n ? said.at : "the run broke off\n");
  http_answer(fd, &a);
  _exit(EXIT_OK);
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

// ---- the keeper -----------------------------------------------------------------------------------------------------
enum { RUNS_MOST = 8 };                                    // at a time

typedef struct Kept {
  Options base;
  ViewModel m;
  Stamp *stamp; int ninput; const char **input;            // of the files of the model
  pid_t answering[RUNS_MOST]; int nanswering;              // the oldest first
} Kept;

static void load(Kept *k) {
  int code, err = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
  if (null >= 0) dup2(null, STDERR_FILENO);                // a run says what is wrong, to who asked
  (void)view_load(&k->base, NULL, &k->m, &code);
  if (err >= 0) dup2(err, STDERR_FILENO);
  if (err >= 0) close(err);
  if (null >= 0) close(null);
  k->ninput = 0;
  k->input = k->m.p ? compilation_inputs(k->m.c, &k->ninput) : NULL;
  free(k->stamp);
  k->stamp = memory_for(((size_t)k->ninput + 1) * sizeof *k->stamp);
  for (int i = 0; i < k->ninput; i++) k->stamp[i] = stamp_of(k->input[i]);
}

static bool is_current(const Kept *k) {
  for (int i = 0; i < k->ninput; i++) if (!same_stamp(k->stamp[i], stamp_of(k->input[i]))) return false;
  return k->m.p != NULL;
}

static void forget(Kept *k, int at) {
  memmove(&k->answering[at], &k->answering[at + 1], (size_t)(--k->nanswering - at) * sizeof *k->answering);
}

// Room for one more: the oldest run gives way.
static void make_room(Kept *k) {
  for (pid_t done; (done = waitpid(-1, NULL, WNOHANG)) > 0;)
    for (int i = 0; i < k->nanswering; i++) if (k->answering[i] == done) { forget(k, i); break; }
  if (k->nanswering < RUNS_MOST) return;
  kill(k->answering[0], SIGTERM);
  while (waitpid(k->answering[0], NULL, 0) < 0 && errno == EINTR) {}
  forget(k, 0);
}

// A question and the connection that is to be answered. False: the server is gone.
static bool receive(int from, Question *q, int *fd) {
  union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control;
  struct iovec part = { q, sizeof *q };
  struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room,
                      .msg_controllen = sizeof control.room };
  ssize_t n;
  while ((n = recvmsg(from, &m, MSG_WAITALL)) < 0 && errno == EINTR) {}
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  if (n != sizeof *q || !c || c->cmsg_type != SCM_RIGHTS) return false;
  memcpy(fd, CMSG_DATA(c), sizeof *fd);
  return true;
}

_Noreturn static void keep(const Keeper *keeper, int from) {
  for (int fd = STDERR_FILENO + 1; fd < 256; fd++)         // of the server: a connection ends with its last copy
    if (fd != from) close(fd);
  setpgid(0, 0);                                           // all that are ended with it
  ending_family();
  Kept k = { .base = *keeper->o };
  if (k.base.jit == JIT_AUTO) k.base.jit = JIT_TCC;        // no run is worth compiling again in the middle of it
  load(&k);
  Question q;
  for (int fd; receive(from, &q, &fd); close(fd)) {
    char *lines = memory_for(q.n + 1);
    if (!read_whole(from, lines, q.n)) break;
    lines[q.n] = 0;
    if (!write_whole(from, &TAKEN, 1)) break;
    make_room(&k);
    if (!is_current(&k)) {
      view_unload(&k.m);
      load(&k);
    }
    pid_t pid = fork_bound();
    if (pid == 0) {
      close(from);
      answer(&k.base, &k.m, &q, lines, fd);
    }
    ending_family();
    if (pid > 0) k.answering[k.nanswering++] = pid;
    free(lines);
  }
  ending_undo();
  _exit(EXIT_OK);
}

// ---- the server's side ----------------------------------------------------------------------------------------------
static void forget_keeper(Keeper *k) {
  close(k->to);
  kill(k->pid, SIGTERM);
  while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR) {}
  ending_child(0, 0);
  k->pid = 0;
}

static bool start(Keeper *k) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return false;
  k->pid = fork_bound();
  if (k->pid == 0) keep(k, pair[1]);
  close(pair[1]);
  k->to = pair[0];
  if (k->pid > 0) return true;
  close(k->to);
  k->pid = 0;
  return false;
}

static bool tell(const Keeper *k, const HttpRequest *r) {
  union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control;
  Question q;
  memset(&control, 0, sizeof control);
  memset(&q, 0, sizeof q);                                 // its gaps, too, go through the socket
  q.whole = !strcmp(r->method, "GET");
  q.n = r->nbody;
  struct iovec part = { &q, sizeof q };
  struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room,
                      .msg_controllen = sizeof control.room };
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(c), &r->fd, sizeof r->fd);
  ssize_t n;
  while ((n = sendmsg(k->to, &m, MSG_NOSIGNAL)) < 0 && errno == EINTR) {}
  char taken = 0;
  return n == sizeof q && write_whole(k->to, r->body, r->nbody) && read_whole(k->to, &taken, 1) && taken == TAKEN;
}

bool keeper_ask(Keeper *k, const HttpRequest *r) {
  for (int attempt = 0; attempt < 2; attempt++) {          // the second with a keeper of its own
    if (k->pid && waitpid(k->pid, NULL, WNOHANG) != 0) {
      close(k->to);
      ending_child(0, 0);
      k->pid = 0;
    }
    if (!k->pid && !start(k)) return false;
    if (tell(k, r)) return true;
    forget_keeper(k);
  }
  return false;
}
