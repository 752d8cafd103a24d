// Models: compiled, derived, closed.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "server.h"

// {name: value} as assignments; their units are known only when the model is compiled.
static bool assignments(Serve *s, const nsm_assignment **to, int *n) {
  const Json *first;
  Vec(nsm_assignment) all = { 0 };
  bool good = serve_object(s, "set", &first);
  for (const Json *x = first; good && x; x = x->next) {
    nsm_assignment one = { x->key, 0 };
    good = serve_number(s, x->key, x, NULL, &one.value);
    vec_push(&all, one);
  }
  *n = (int)all.n;
  if (good && all.n) *to = vec_freeze(s->arena, &all);
  else vec_free(&all);
  return good;
}

static bool units_agree(Serve *s, const nsm_program *p) {
  const Json *first;
  double x;
  if (!serve_object(s, "set", &first)) return false;
  for (const Json *o = first; o; o = o->next)
    if (!serve_number(s, o->key, o, nsm_meaning_of(p, o->key).unit, &x)) return false;
  return true;
}

bool serve_compile(Serve *s) {
  const char *path = json_text(s->request, "path"), *text = json_text(s->request, "text");
  const char *name = json_text(s->request, "name");
  nsm_compile_settings set = { .scheme = json_text(s->request, "scheme"), .jit = json_text(s->request, "jit") };
  if (!path == !text) return serve_wrong(s, NSM_USAGE, "\"compile\" takes \"path\", or \"text\" with a \"name\"");
  if (!assignments(s, &set.set, &set.nset)) return false;
  nsm_program *p = path ? nsm_compile_file(path, &set) : nsm_compile_text(text, name ? name : "model.nsm", &set);
  nsm_code status = p ? nsm_program_status(p) : NSM_FILE;
  if (status != NSM_OK || !units_agree(s, p)) {
    if (status != NSM_OK) {
      size_t n = p ? nsm_diagnostics_text(p, NULL, 0) : 0;
      char *said = arena_alloc(s->arena, n + 1);
      *said = 0;
      if (p) nsm_diagnostics_text(p, said, n + 1);
      serve_wrong(s, status, "%s", said);
      if (p) serve_diagnostics(s, &s->wrong, p);
    }
    nsm_program_free(p);
    return false;
  }
  vec_push(&s->model, ((ServedModel){ p, 0, false }));
  text_printf(&s->out, ",\"model\":%zu", s->model.n);
  serve_put_text(s, "name", nsm_program_name(p));
  text_add(&s->out, ",\"parameters\":[");
  for (int i = 0; i < nsm_nparameter(p); i++) {
    nsm_parameter one = nsm_parameter_at(p, i);
    const char *const member[] = { "name", one.name, "unit", one.unit, "doc", one.doc };
    for (size_t k = 0; k < sizeof member / sizeof *member; k += 2) {
      text_printf(&s->out, "%s\"%s\":", k ? "," : i ? ",{" : "{", member[k]);
      text_json_string(&s->out, member[k + 1]);
    }
    text_printf(&s->out, ",\"fixed\":%s}", one.fixed ? "true" : "false");
  }
  text_add(&s->out, "]");
  serve_diagnostics(s, &s->out, p);
  return true;
}

bool serve_derive(Serve *s) {
  long handle;
  const nsm_program *p = serve_model(s, &handle);
  const char *form = json_text(s->request, "form");
  if (!p) return false;
  size_t n = nsm_derivation(p, form, NULL, 0);
  if (n == 0) return serve_wrong(s, NSM_USAGE, "\"form\" is \"latex\", \"json\" or \"mathml\", or is left out");
  char *text = arena_alloc(s->arena, n + 1);
  nsm_derivation(p, form, text, n + 1);
  serve_put_text(s, "text", text);
  return true;
}

bool serve_close(Serve *s) {
  if (json_at(s->request, "run")) {
    ServedRun *r = serve_run(s);
    if (!r) return false;
    nsm_close(r->sim);
    r->sim = NULL;
    s->model.at[r->model - 1].runs--;
    return true;
  }
  long handle;
  nsm_program *p = serve_model(s, &handle);
  if (!p) return false;
  ServedModel *m = &s->model.at[handle - 1];
  if (m->runs > 0)
    return serve_wrong(s, NSM_USAGE, "%d run%s of the model %s open", m->runs, m->runs == 1 ? "" : "s",
                       m->runs == 1 ? "is" : "are");
  m->closed = true;
  nsm_program_free(p);
  return true;
}
