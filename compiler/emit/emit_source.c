// What tables and comments say of the model's text: lines, files, names.
#include <string.h>
#include "emit_parts.h"

int line_of(Span s) { return s.file ? source_line(s.file, s.lo) : 0; }

int blob_add(Text *blob, const char *s) {
  size_t n = strlen(s);
  if (!blob->n) text_addn(blob, "", 1);
  for (size_t i = 0; i < blob->n; i += strlen(blob->at + i) + 1)
    if (!strcmp(blob->at + i, s)) return (int)i;
  size_t at = blob->n;
  text_addn(blob, s, n + 1);
  return (int)at;
}

int file_of(Emitter *e, Span s) {
  const SourceFile *own = e->plan->sys->model->file;
  return s.file && s.file != own ? blob_add(&e->blob, s.file->path) : 0;
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
