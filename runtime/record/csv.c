// Rows to a file. Written in large pieces; after a failed write nothing more is written, and the rows that arrived are
// known: pieces go to the file itself, not through the buffer of the stream.
#define _POSIX_C_SOURCE 200809L
#include "record.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void count(nsm_csv *w, const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    w->part++;
    if (bytes[i] == '\n') { w->lines++; w->part = 0; }
  }
}

// Takes back the row that a full disk cut short: only from the end of an ordinary file.
static void take_back(nsm_csv *w, int fd) {
  struct stat st;
  off_t at = lseek(fd, 0, SEEK_CUR);
  if (w->part == 0 || at < (off_t)w->part || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size != at) return;
  if (ftruncate(fd, at - (off_t)w->part) == 0) w->part = 0;
}

static void write_down(nsm_csv *w, int fd) {
  size_t done = 0;
  while (done < w->used && !w->error) {
    ssize_t n = write(fd, w->buffer + done, w->used - done);
    if (n > 0) { count(w, w->buffer + done, (size_t)n); done += (size_t)n; }
    else if (n < 0 && errno != EINTR) w->error = errno ? errno : EIO;
  }
  if (w->error) take_back(w, fd);
}

void nsm_csv_flush(nsm_csv *w) {
  if (!w->error && w->used > 0) {
    int fd = fileno(w->file);                              // -1: a stream in memory
    errno = 0;
    if (fflush(w->file) != 0) w->error = errno ? errno : EIO;
    else if (fd >= 0) write_down(w, fd);
    else if (fwrite(w->buffer, 1, w->used, w->file) < w->used) w->error = EIO;
    else count(w, w->buffer, w->used);
  }
  w->used = 0;
}

static void room(nsm_csv *w, size_t n) {
  if (w->used + n > NSM_CSV_BUFFER) nsm_csv_flush(w);
}

void nsm_csv_text(nsm_csv *w, const char *field, int last) {
  size_t n = strlen(field);
  room(w, 2 * n + 4);
  if (2 * n + 4 > NSM_CSV_BUFFER) return;
  char *p = w->buffer + w->used;
  if (strpbrk(field, ",\"\r\n")) {
    *p++ = '"';
    for (; *field; field++) {
      if (*field == '"') *p++ = '"';
      *p++ = *field;
    }
    *p++ = '"';
  } else {
    memcpy(p, field, n);
    p += n;
  }
  *p++ = last ? '\n' : ',';
  w->used = (size_t)(p - w->buffer);
}

void nsm_csv_row(nsm_csv *w, const double *row, const int *column, int n) {
  for (int i = 0; i < n; i++) {
    room(w, NSM_NUMBER_ROOM + 1);
    w->used += (size_t)nsm_number(row[column[i]], w->buffer + w->used);
    w->buffer[w->used++] = i + 1 < n ? ',' : '\n';
  }
}
