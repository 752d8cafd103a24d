#include "write_whole.h"

#include <errno.h>
#include <unistd.h>

bool write_whole(int fd, const char *bytes, size_t n) {
  while (n > 0) {
    ssize_t k = write(fd, bytes, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    bytes += k;
    n -= (size_t)k;
  }
  return true;
}
