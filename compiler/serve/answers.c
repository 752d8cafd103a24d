// What all requests are read and answered with: handles, numbers with units, lists of columns; diagnostics.
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "../base/suggest.h"
#include "server.h"

// ---- writing --------------------------------------------------------------------------------------------------------
void serve_put_number(Text *t, double x) {
  if (isfinite(x)) text_number(t, x);
  else text_add(t, "null");
}

void serve_put_text(Serve *s, const char *name, const char *text) {
  text_printf(&s->out, ",\"%s\":", name);
  text_json_string(&s->out, text);
}

static const char *kind_of(nsm_code code) {
  switch (code) {
  case NSM_MODEL_WRONG: return "model";
  case NSM_USAGE: return "usage";
  case NSM_FILE: return "file";
  case NSM_CLAIM: return "claim";
  default: return "run";
  }
}

static void begin_wrong(Serve *s, nsm_code code, const char *message) {
  s->wrong.n = 0;
  text_printf(&s->wrong, "\"kind\":\"%s\",\"exit_code\":%d,\"message\":", kind_of(code), (int)code);
  text_json_string(&s->wrong, message);
}

bool serve_wrong(Serve *s, nsm_code code, const char *format, ...) {
  Text message = { 0 };
  va_list ap;
  va_start(ap, format);
  text_vprintf(&message, format, ap);
  va_end(ap);
  begin_wrong(s, code, text_str(&message));
  text_free(&message);
  return false;
}

bool serve_failed(Serve *s, const ServedRun *r, const nsm_error *e) {
  const nsm_program *p = s->model.at[r->model - 1].program;
  size_t n = nsm_run_error_text(p, e, NULL, 0);
  char *text = arena_alloc(s->arena, n + 1);
  nsm_run_error_text(p, e, text, n + 1);
  begin_wrong(s, e->code, text);
  const char *file;
  int line = nsm_error_line(p, e, &file);
  if (line > 0) text_printf(&s->wrong, ",\"line\":%d", line);
  return false;
}

void serve_diagnostics(Serve *s, Text *t, const nsm_program *p) {
  static const char *const severity[] = { "error", "warning", "note" };
  (void)s;
  text_add(t, ",\"diagnostics\":[");
  for (int i = 0; i < nsm_ndiagnostic(p); i++) {
    const nsm_diagnostic *d = &nsm_diagnostics(p)[i];
    text_printf(t, "%s{\"severity\":\"%s\",\"code\":\"%s\",\"line\":%d,\"column\":%d,\"end_line\":%d,\"end_column\":%d",
                i ? "," : "", severity[d->severity], d->code, d->line, d->column, d->end_line, d->end_column);
    const char *const text[] = { "message", d->message, "label", d->label, "hint", d->help, "file", d->file };
    for (size_t k = 0; k < sizeof text / sizeof *text; k += 2) {
      text_printf(t, ",\"%s\":", text[k]);
      text_json_string(t, text[k + 1] ? text[k + 1] : "");
    }
    text_add(t, "}");
  }
  text_add(t, "]");
}

// ---- reading --------------------------------------------------------------------------------------------------------
nsm_program *serve_model(Serve *s, long *handle) {
  long i = json_whole(s->request, "model", 0);
  if (i < 1 || (size_t)i > s->model.n || s->model.at[i - 1].closed) {
    serve_wrong(s, NSM_USAGE, "\"model\" is the number that \"compile\" gave");
    return NULL;
  }
  *handle = i;
  return s->model.at[i - 1].program;
}

ServedRun *serve_run(Serve *s) {
  long i = json_whole(s->request, "run", 0);
  if (i >= 1 && (size_t)i <= s->run.n && s->run.at[i - 1].sim) return &s->run.at[i - 1];
  serve_wrong(s, NSM_USAGE, "\"run\" is the number that \"start\" or \"clone\" gave");
  return NULL;
}

bool serve_number(Serve *s, const char *what, const Json *value, const char *unit, double *to) {
  if (value->kind == JSON_NUMBER && isfinite(value->number)) {
    *to = value->number;
    return true;
  }
  if (value->kind != JSON_STRING) return serve_wrong(s, NSM_USAGE, "%s is a number, or a text with a unit", what);
  const char *wrong = nsm_read_quantity(value->text, unit, to);
  if (!wrong) return true;
  bool known = unit && *unit;
  return serve_wrong(s, NSM_USAGE, "%s = \"%s\": %s%s%s%s", what, value->text, wrong, known ? " (it is in " : "",
                     known ? unit : "", known ? ")" : "");
}

bool serve_object(Serve *s, const char *name, const Json **first) {
  const Json *o = json_at(s->request, name);
  *first = o ? o->first : NULL;
  if (!o || o->kind == JSON_OBJECT) return true;
  return serve_wrong(s, NSM_USAGE, "\"%s\" is an object of values by their names", name);
}

bool serve_no_column(Serve *s, const nsm_program *p, nsm_sim *sim, const char *what, const char *name) {
  char meant[300];
  int parameters = p ? nsm_nparameter(p) : 0, inputs = p && strstr(what, "input") ? nsm_ninput(sim) : 0;
  int own = parameters + inputs, n = own + nsm_ncolumn(sim);
  const char **known = ARENA_ARRAY(s->arena, const char *, n);
  for (int i = 0; i < n; i++) {
    const char *one = i < parameters ? nsm_parameter_at(p, i).name
                      : i < own      ? nsm_input_name(sim, i - parameters) : nsm_column_name(sim, i - own);
    known[i] = arena_strndup(s->arena, one, strlen(one));
  }
  suggest_any(name, known, (size_t)n, meant, sizeof meant);
  return serve_wrong(s, NSM_USAGE, "there is no %s `%s`%s", what, name, meant);
}

bool serve_columns(Serve *s, nsm_sim *sim, const char *list, const int **column, int *n) {
  const Json *l = json_at(s->request, list);
  *column = NULL;
  *n = nsm_ncolumn(sim);
  if (!l) return true;
  if (l->kind != JSON_ARRAY) return serve_wrong(s, NSM_USAGE, "\"%s\" is a list of names of columns", list);
  Vec(int) chosen = { 0 };
  for (const Json *x = l->first; x; x = x->next) {
    int c = x->kind == JSON_STRING ? nsm_find_column(sim, x->text) : -1;
    if (c < 0) {
      vec_free(&chosen);
      return serve_no_column(s, NULL, sim, "column", x->kind == JSON_STRING ? x->text : "");
    }
    vec_push(&chosen, c);
  }
  *n = (int)chosen.n;
  vec_push(&chosen, -1);                                   // none is a list too
  *column = vec_freeze(s->arena, &chosen);
  return true;
}
