// See ending.h. The notes are the globals of this file: a signal handler has nowhere else to look.
#define _GNU_SOURCE
#include "ending.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool watched;
static char folder[PATH_MAX], file[PATH_MAX];
static volatile pid_t child;
static volatile int child_number;
static volatile bool family;
static pid_t owner;                                      // a process that was forked from it undoes nothing

// ---- folders --------------------------------------------------------------------------------------------------------
// getdents64(2), which readdir(3) allocates for.
struct entry { uint64_t inode; int64_t offset; unsigned short length; unsigned char type; char name[]; };

static void remove_files(int fd) {
  _Alignas(struct entry) char room[4096];
  for (;;) {
    long n = syscall(SYS_getdents64, fd, room, sizeof room);
    if (n <= 0) return;
    for (long at = 0; at < n;) {
      const struct entry *e = (const struct entry *)(const void *)(room + at);
      unlinkat(fd, e->name, 0);                          // of "." and ".." it fails
      at += e->length;
    }
  }
}

// A compiler that is being ended may still make a file: a few attempts.
bool folder_remove(const char *path) {
  for (int attempt = 0; attempt < 20; attempt++) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
      remove_files(fd);
      close(fd);
    }
    if (rmdir(path) == 0) return true;
    if (errno != ENOTEMPTY && errno != EEXIST) return false;
    nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
  }
  return false;
}

// ---- notes ----------------------------------------------------------------------------------------------------------
static void at_exit(void) { ending_undo(); }

void ending_watch(void) {
  watched = true;
  owner = getpid();
  atexit(at_exit);
}

bool ending_watched(void) { return watched && owner == getpid(); }

static sigset_t before;

void ending_hold(void) {
  sigset_t all;
  sigfillset(&all);
  if (ending_watched()) sigprocmask(SIG_SETMASK, &all, &before);
}

void ending_release(void) {
  if (ending_watched()) sigprocmask(SIG_SETMASK, &before, NULL);
}

void ending_in_child(void) {
  if (!watched) return;
  owner = getpid();
  *folder = *file = 0;
  child = 0;
  family = false;
  sigprocmask(SIG_SETMASK, &before, NULL);
}

static void note(char *to, const char *path) {
  if (!ending_watched()) return;
  size_t n = path ? strlen(path) : 0;
  *to = 0;
  if (n > 0 && n < PATH_MAX) memcpy(to, path, n + 1);
}

void ending_folder(const char *path) { note(folder, path); }
void ending_file(const char *path) { note(file, path); }

void ending_child(pid_t process, int number) {
  if (!ending_watched()) return;
  child_number = number;
  child = process;
}

void ending_family(void) {
  ending_child(0, 0);
  family = ending_watched();
}

// ---- the end --------------------------------------------------------------------------------------------------------
void ending_undo(void) {
  if (!ending_watched()) return;
  int kept = errno;
  if (child > 0) {
    if (kill(-child, child_number) != 0) kill(child, child_number);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    child = 0;
  }
  if (family) {
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {}
    family = false;
  }
  if (*folder) folder_remove(folder);
  if (*file) unlink(file);
  *folder = *file = 0;
  errno = kept;
}
