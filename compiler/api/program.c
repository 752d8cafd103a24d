// Programs, the first half of include/nsm.h: from a file or a text to machine code, with diagnostics as data.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program.h"
#include "runtime/command/options.h"
#include "runtime/nsm_run.h"

const char *nsm_version(void) { return NSM_VERSION; }

nsm_program *program_of(Compilation *c) {
  nsm_program *p = ARENA_NEW(c->arena, nsm_program);
  p->c = c;
  p->message = "";
  p->dual = program_dual_new(c->arena);
  p->scheme = nsm_default_settings();
  return p;
}

bool program_load(nsm_program *p, JitBackend backend, JitStatus *status) {
  double start = now_seconds();
  const char *why = "";
  p->jit = jit_compile(p->c->arena, backend, text_str(&p->c->c), &p->c->kernels, status, &why);
  p->seconds = now_seconds() - start;
  if (p->jit) return true;
  p->message = *status == JIT_REFUSED
                   ? arena_printf(p->c->arena, "the emitted C does not compile, which is a fault of nsm itself:\n%s",
                                  why)
                   : why;
  p->status = *status == JIT_INTERRUPTED ? NSM_INTERRUPTED : NSM_FILE;
  return false;
}

// ---- compiling ------------------------------------------------------------------------------------------------------
static bool backend_named(const char *name, JitBackend *b) {
  static const struct { const char *name; JitBackend b; } all[] = {
    { "tcc", JIT_TCC }, { "cc", JIT_CC }, { "llvm", JIT_LLVM } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!name || !strcmp(all[i].name, name)) { *b = all[i].b; return true; }
  return false;
}

static Override override_of(Arena *a, const nsm_assignment *set) {
  return (Override){ .name = arena_strndup(a, set->name, strlen(set->name)), .value = set->value,
                     .text = arena_printf(a, "%s=%.17g", set->name, set->value) };
}

void list_diagnostics(nsm_program *p) {
  static const nsm_severity severity[] = { [SEV_ERROR] = NSM_ERROR, [SEV_WARNING] = NSM_WARNING,
                                           [SEV_NOTE] = NSM_NOTE };
  DiagText *all;
  p->ndiagnostic = diag_list(p->c->bag, &all);
  p->diagnostic = ARENA_ARRAY(p->c->arena, nsm_diagnostic, p->ndiagnostic + 1);
  for (int i = 0; i < p->ndiagnostic; i++) {
    DiagText d = all[i];
    nsm_diagnostic *out = &p->diagnostic[i];
    *out = (nsm_diagnostic){ .severity = severity[d.severity], .code = diag_code_name(d.code), .message = d.headline,
                             .label = d.label, .help = d.help };
    if (!d.at.file) continue;
    out->file = d.at.file->path;
    out->line = source_line(d.at.file, d.at.lo);
    out->column = source_column(d.at.file, d.at.lo);
    out->end_line = source_line(d.at.file, d.at.hi);
    out->end_column = source_column(d.at.file, d.at.hi);
  }
}

// scheme = "moreau(theta = 0.5, projection = true)": what has to be compiled, and what its simulations begin with.
static bool read_scheme(nsm_program *p, const nsm_compile_settings *s, PipelineOptions *o) {
  nsm_flags given;
  nsm_error e = { .code = NSM_OK };
  if (nsm_flags_scheme(s->scheme, &given, &e) != NSM_OK) {
    p->status = NSM_USAGE;
    p->message = arena_printf(p->c->arena, "%s", e.text + strspn(e.text, "-"));
    return false;
  }
  nsm_options_scheme(&given, &p->scheme);
  o->scheme = s->scheme ? arena_printf(p->c->arena, "%s", given.scheme) : NULL;
  o->order = isnan(given.number[NSM_FLAG_ORDER]) ? s->order : (int)given.number[NSM_FLAG_ORDER];
  o->located = p->scheme.located;
  o->projection = p->scheme.projection;
  return true;
}

static nsm_program *compile(Compilation *c, PipelineOptions *o, const nsm_compile_settings *s) {
  static const nsm_compile_settings none = { 0 };
  JitBackend backend;
  JitStatus status;
  nsm_program *p = program_of(c);
  if (!s) s = &none;
  if (!backend_named(s->jit, &backend)) {
    p->status = NSM_USAGE;
    p->message = arena_printf(c->arena, "there is no backend `%s`; there are tcc, cc and llvm", s->jit);
    return p;
  }
  if (!read_scheme(p, s, o)) return p;
  o->set = ARENA_ARRAY(c->arena, Override, 2 * s->nset + 1);
  for (int i = 0; i < s->nset; i++) o->set[o->nset++] = override_of(c->arena, &s->set[i]);
  p->set = o->set;
  p->nset = o->nset;
  for (int i = 0; i < s->nset; i++) o->set[o->nset++] = (Override){ .name = o->set[i].name, .asked = true };
  o->code_for = backend == JIT_CC ? CODE_FOR_COMPILER : CODE_FOR_LIBTCC;
  bool good = compile_to(c, o, STAGE_C, NULL);
  list_diagnostics(p);
  if (good) list_meanings(p);
  if (!good) {
    p->status = c->usage_trouble ? NSM_USAGE : c->file_trouble ? NSM_FILE : NSM_MODEL_WRONG;
    if (c->trouble) p->message = c->trouble;
  } else program_load(p, backend, &status);
  return p;
}

nsm_program *nsm_compile_file(const char *path, const nsm_compile_settings *s) {
  return compile(compilation_new(), &(PipelineOptions){ .path = path ? path : "" }, s);
}

nsm_program *nsm_compile_text(const char *text, const char *name, const nsm_compile_settings *s) {
  PipelineOptions o = { .path = name ? name : "model.nsm", .text = text ? text : "" };
  return compile(compilation_new(), &o, s);
}

void nsm_program_free(nsm_program *p) {
  if (!p) return;
  program_dual_free(p);
  jit_free(p->jit);
  compilation_free(p->c);                                  // the program is in its arena
}

// ---- what it is -----------------------------------------------------------------------------------------------------
nsm_code nsm_program_status(const nsm_program *p) { return p->status; }
const char *nsm_program_message(const nsm_program *p) { return p->message; }
const char *nsm_program_name(const nsm_program *p) { return p->c->model ? p->c->model->name : ""; }
const char *nsm_program_c(const nsm_program *p) { return text_str(&p->c->c); }
int nsm_ndiagnostic(const nsm_program *p) { return p->ndiagnostic; }
const nsm_diagnostic *nsm_diagnostics(const nsm_program *p) { return p->diagnostic; }

int nsm_nparameter(const nsm_program *p) { return p->jit ? jit_model(p->jit)->npar : 0; }

nsm_parameter nsm_parameter_at(const nsm_program *p, int i) {
  const nsm_model *m = p->jit ? jit_model(p->jit) : NULL;
  if (!m || i < 0 || i >= m->npar) return (nsm_parameter){ "", "", "", 0 };
  const char *text = (const char *)m->text;
  return (nsm_parameter){ text + m->par[i].name, text + m->par[i].unit, text + m->par[i].doc, m->par[i].structural };
}

// ---- simulations of it ----------------------------------------------------------------------------------------------
// What the program was compiled with stays, unless the simulation says otherwise; what was written into the compiled
// model is there already.
static int base_of(const nsm_program *p, nsm_assignment *set) {
  int n = 0;
  for (int i = 0; i < p->nset; i++)
    if (p->set[i].use == SET_STORED) set[n++] = (nsm_assignment){ p->set[i].name, p->set[i].value };
  return n;
}

// What a simulation leaves open is as the arguments of the scheme say.
static void by_scheme(const nsm_settings *scheme, nsm_settings *own) {
  if (isnan(own->theta)) own->theta = scheme->theta;
  if (isnan(own->gamma)) own->gamma = scheme->gamma;
  if (!(own->rtol > 0)) own->rtol = scheme->rtol;
  if (!(own->atol > 0)) own->atol = scheme->atol;
  if (!own->located) own->located = scheme->located;
  if (!own->projection) own->projection = scheme->projection;
  if (!own->stages) own->stages = scheme->stages;
}

nsm_assignment *program_settings(const nsm_program *p, const nsm_settings *set, nsm_settings *own, nsm_error *e) {
  *own = set ? *set : nsm_default_settings();
  by_scheme(&p->scheme, own);
  nsm_assignment *all = p->jit ? calloc((size_t)(p->nset + own->nset) + 1, sizeof *all) : NULL;
  if (!p->jit && e) *e = (nsm_error){ .code = p->status, .text = "the model did not compile" };
  if (p->jit && !all && e) *e = (nsm_error){ .code = NSM_FILE, .text = "not enough memory for the parameters" };
  if (!all) return NULL;
  int n = base_of(p, all);
  if (own->nset) memcpy(all + n, own->set, (size_t)own->nset * sizeof *all);
  own->set = all;
  own->nset += n;
  return all;
}

nsm_sim *nsm_simulate(const nsm_program *p, const nsm_settings *set, nsm_error *e) {
  nsm_settings own;
  nsm_assignment *all = program_settings(p, set, &own, e);
  nsm_sim *s = all ? nsm_open(jit_model(p->jit), &own, e) : NULL;
  free(all);
  return s;
}

int nsm_error_line(const nsm_program *p, const nsm_error *e, const char **file) {
  return p->jit ? nsm_place_line(jit_model(p->jit), e->at, file) : 0;
}
