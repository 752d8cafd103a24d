// Write beside, flush to the disk, rename: at every moment the file is the old one or the new one.
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../base/ending.h"
#include "../base/write_whole.h"

static bool failed(Arena *a, const char *what, const char **why) {
  *why = arena_printf(a, "%s: %s", what, strerror(errno));
  return false;
}

// A device or pipe: nothing to keep.
static bool write_into(Arena *a, const char *path, const char *bytes, size_t n, const char **why) {
  int fd = open(path, O_WRONLY);
  if (fd < 0) return failed(a, "it cannot be written", why);
  bool good = write_whole(fd, bytes, n);
  return (close(fd) == 0 && good) || failed(a, "it cannot be written", why);
}

static bool write_beside(Arena *a, const char *real, const char *bytes, size_t n, const struct stat *old, int mode,
                         const char **why) {
  char *beside = arena_printf(a, "%s.XXXXXX", real);
  mode_t mask = umask(0);
  umask(mask);
  ending_hold();
  int fd = mkstemp(beside);
  if (fd >= 0) ending_file(beside);
  ending_release();
  if (fd < 0) return failed(a, "no file can be written beside it, so it stays as it is", why);
  mode_t wanted = old ? (old->st_mode & 07777) | ((mode_t)mode & ~mask & 0111) : (mode_t)mode & ~mask;
  bool good = write_whole(fd, bytes, n);
  if (good && old && (old->st_uid != geteuid() || old->st_gid != getegid()))
    good = fchown(fd, old->st_uid, old->st_gid) == 0 || errno == EPERM;
  good = good && fchmod(fd, wanted) == 0 && fsync(fd) == 0;
  int kept = errno;
  if (close(fd) != 0 && good) { good = false; kept = errno; }
  bool placed = good && rename(beside, real) == 0;
  if (good && !placed) kept = errno;
  if (!placed) unlink(beside);
  ending_file(NULL);
  if (placed) return true;
  errno = kept;
  return failed(a, "the new file could not be written, so it stays as it is", why);
}

bool replace_file(Arena *a, const char *path, const char *bytes, size_t n, int mode, const char **why) {
  struct stat st;
  char real[PATH_MAX];
  bool there = stat(path, &st) == 0;
  if (!there && (errno != ENOENT || !mode)) return failed(a, "it cannot be read", why);
  if (there && S_ISDIR(st.st_mode)) { errno = EISDIR; return failed(a, "it cannot be written", why); }
  if (there && !S_ISREG(st.st_mode)) return write_into(a, path, bytes, n, why);
  if (there && access(path, W_OK) != 0) return failed(a, "it may not be written", why);
  if (there && !realpath(path, real)) return failed(a, "it cannot be found", why);
  if (there) return write_beside(a, real, bytes, n, &st, mode, why);
  int fd = open(path, O_WRONLY | O_CREAT, 0600);           // also at the end of a link that leads nowhere yet
  if (fd < 0) return failed(a, "it cannot be made", why);
  close(fd);
  if (!realpath(path, real)) return failed(a, "it cannot be found", why);
  if (write_beside(a, real, bytes, n, NULL, mode, why)) return true;
  unlink(real);
  return false;
}
