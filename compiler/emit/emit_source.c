// What tables and comments say of the model's text: lines, files, names.
#include <stdint.h>
#include <string.h>
#include "emit_parts.h"

int line_of(Span s) { return s.file ? source_line(s.file, s.lo) : 0; }

int blob_add(Emitter *e, const char *s) {
  if (!e->blob.n) text_addn(&e->blob, "", 1);
  if (!*s) return 0;
  const char *word = intern(e->words, s);
  uintptr_t known = (uintptr_t)map_get(e->word_at, word);
  if (known) return (int)known - 1;
  size_t at = e->blob.n;
  text_addn(&e->blob, s, strlen(s) + 1);
  map_put(e->word_at, word, (void *)(at + 1));
  return (int)at;
}

int file_of(Emitter *e, Span s) {
  const SourceFile *own = e->plan->sys->model->file;
  return s.file && s.file != own ? blob_add(e, s.file->path) : 0;
}

void emit_comment_source(Emitter *e, Span span, const char *before) {
  Text t = {0};
  text_add(&t, before);
  if (span.file) {
    const char *line = span.file->text + span.file->line_start[line_of(span) - 1];
    size_t n = strcspn(line, "\r\n");
    while (n && (*line == ' ' || *line == '\t')) { line++; n--; }
    text_printf(&t, "; line %d: ", line_of(span));
    text_addn(&t, line, n < 160 ? n : 160);
  }
  c_comment(text_str(&t), e->out);
  text_addc(e->out, '\n');
  text_free(&t);
}
