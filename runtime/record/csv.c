// Rows to a file. Written in large pieces; after a failed write nothing more is written, and the lines that arrived are
// known.
#include "record.h"
#include <errno.h>
#include <string.h>

void nsm_csv_flush(nsm_csv *w) {
  if (w->error || w->used == 0) { w->used = 0; return; }
  errno = 0;
  size_t taken = fwrite(w->buffer, 1, w->used, w->file);
  int failed = taken < w->used || fflush(w->file) != 0;
  if (failed) w->error = errno ? errno : EIO;
  // With stdio buffering in between, a failed flush leaves unknown what arrived: count this piece as lost.
  if (!failed)
    for (size_t i = 0; i < w->used; i++) w->lines += w->buffer[i] == '\n';
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
