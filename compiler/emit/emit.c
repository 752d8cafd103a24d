// The emitter's table of contents, and what its parts share.
#include <string.h>
#include "emit_parts.h"

int line_of(Span s) { return s.file ? source_line(s.file, s.lo) : 0; }

int file_of(Emitter *e, Span s) {
  const SourceFile *own = e->plan->sys->model->file;
  return s.file && s.file != own ? blob_add(&e->blob, s.file->path) : 0;
}

int blob_add(TextBlob *b, const char *s) {
  size_t n = strlen(s);
  if (!b->t.n) text_addn(&b->t, "", 1);
  for (size_t i = 0; i < b->t.n; i += strlen(b->t.at + i) + 1)
    if (!strcmp(b->t.at + i, s)) return (int)i;
  size_t at = b->t.n;
  text_addn(&b->t, s, n + 1);
  return (int)at;
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

static void class_section(Emitter *e, const PlanClass *c, int number) {
  text_add(e->out, "\n");
  Text t = {0};
  text_printf(&t, "--- class %d: %s", number, c->c->label);
  emit_comment_source(e, c->c->span, text_str(&t));
  text_free(&t);
  emit_fill(e, c, number);
  emit_kernels(e, c, number);
}

void emit_c(Arena *a, const Plan *p, Text *out) {
  Emitter e = { .arena = a, .plan = p, .out = out };
  text_add(out, "#include \"nsm_abi.h\"\n\n");
  Text t = {0};
  text_printf(&t, "model %s, scheme %s", p->sys->model->name, p->scheme);
  c_comment(text_str(&t), out);
  text_add(out, "\n");
  text_free(&t);
  for (int i = 0; i < p->ncls; i++) class_section(&e, &p->cls[i], i);
  emit_setup(&e);
  emit_tables(&e);
  text_free(&e.blob.t);
}
