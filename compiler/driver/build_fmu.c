// build -o F.fmu: the emitted C linked with the runtime as a shared object that has the calls of the standard, and the
// archive around it (compiler/fmu).
#include <math.h>
#include <string.h>
#include "../../runtime/shared/sum.h"
#include "../api/installed.h"
#include "../base/vec.h"
#include "../fmu/fmu.h"
#include "../jit/cc.h"
#include "runtime/fmi/exchange.h"
#include "build.h"
#include "commands.h"

// What the object shows of itself is what the standard names.
static const char *exported(Arena *a, int version) {
  return arena_printf(a, "{\n  global: fmi%d*;\n  local: *;\n};\n", version);
}

// The file of this FMU alone.
static void own_file(const Fmu *f, Text *out) {
  text_printf(out, "// By the token the binary knows its modelDescription.xml; parameters are those of "
                   "--set, inputs those of the model.\n"
                   "#include \"nsm_run.h\"\nconst char nsm_fmu_token[] = \"%s\";\n"
                   "const int nsm_fmu_sets = %d;\nconst nsm_assignment nsm_fmu_set[] = {\n", f->token, f->nset);
  for (int i = 0; i < f->nset; i++) {
    text_printf(out, "  { \"%s\", ", f->set[i].name);
    text_number(out, f->set[i].value);
    text_add(out, " },\n");
  }
  text_add(out, "  { 0, 0 }\n};\n");
  text_add(out, "const double nsm_fmu_input[] = { ");
  for (int i = 0; i < nsm_ninput(f->sim); i++) {
    text_number(out, f->input[i]);
    text_add(out, ", ");
  }
  text_add(out, "0 };\n");
}

// An input that the model holds at a number is there at the start; one that moves, or has no value, is at 0.
static const double *input_values(const Compilation *c, nsm_sim *s) {
  double *x = ARENA_ARRAY(c->arena, double, nsm_ninput(s) + 1);
  for (int i = 0; i < nsm_ninput(s); i++) {
    double said = c->model ? model_input_value(c->model, nsm_input_name(s, i)) : NAN;
    x[i] = isnan(said) ? 0 : said;
  }
  return x;
}

// Of the code, of what --set gave, of the version: another model never has it.
static const char *token_of(Compilation *c, const nsm_settings *with, int version) {
  unsigned long long sum = nsm_sum(text_str(&c->c), c->c.n), other = (unsigned)version;
  for (int i = 0; i < with->nset; i++)
    other = other * 31 + nsm_sum(with->set[i].name, strlen(with->set[i].name)) + nsm_sum(&with->set[i].value, 8);
  other = nsm_sum(&other, sizeof other);
  return arena_printf(c->arena, "{%08llx-%04llx-%04llx-%04llx-%012llx}", sum >> 32, (sum >> 16) & 0xffff, sum & 0xffff,
                      other >> 48, other & 0xffffffffffff);
}

// The runtime, and of each of its parts the files or what stands for them. Sanitized, all of it.
static const char *libraries(Arena *a, const Fmu *f) {
  if (*NSM_FMU_LINK_FLAGS) return NSM_FMU_LINK_FLAGS;
  const char *flags = "-Wl,--start-group -lnsm_small";
  for (int part = 0; part < FMI_PARTS; part++)
    flags = arena_printf(a, "%s -lnsm_%s_%s", flags, fmi_needs(f->sim, (fmi_part)part) ? "has" : "no",
                         fmu_parts[part].name);
  return arena_printf(a, "%s -Wl,--end-group -lm -lpthread", flags);
}

// Long code of a model is compiled to be small, as the runtime is. What is not scheduled anew is alike more often, and
// packs smaller.
enum { LONG_CODE = 200000 };

static int link_object(Compilation *c, CcFolder f, const Fmu *fmu, Text *own, const char *object) {
  Arena *a = c->arena;
  const Installed *at = installed(a);
  const char *why = "", *model = cc_path(a, f, "model.c"), *main_c = cc_path(a, f, "main.c");
  const char *script = arena_printf(a, "-Wl,--version-script=%s", cc_path(a, f, "exported"));
  const char *first = arena_printf(a, "-Wl,-u,fmi%dDoStep", fmu->version);
  const char *optimize = c->c.n > LONG_CODE ? "-Os" : "-O2", *names = fmu->debug ? "-g1" : "-s";
  const char *places = arena_printf(a, "-ffile-prefix-map=%s=sources", f.path);
  const char *const arguments[] = { "-std=gnu11", optimize, "-fno-schedule-insns2", "-ffp-contract=off",
                                    "-fno-asynchronous-unwind-tables", "-w", "-fPIC", "-shared", names, places,
                                    "-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,-z,defs",
                                    "-Wl,--compress-debug-sections=zlib", "-I", at->include, "-o", object, model,
                                    main_c, script, first, "-L", at->lib, NULL };
  CcStatus status = CC_SYSTEM;
  if (cc_write(a, f, "model.c", text_str(&c->c), &why) && cc_write(a, f, "main.c", text_str(own), &why) &&
      cc_write(a, f, "exported", exported(a, fmu->version), &why))
    status = cc_run(a, f, arguments, libraries(a, fmu), object, &why);
  return build_status(status, why);
}

static void add_text(FmuFiles *files, Arena *a, const char *name, Text *t) {
  vec_push(files, ((FmuFile){ .name = name, .text = arena_strndup(a, text_str(t), t->n), .n = t->n }));
  text_free(t);
}

static int make(Compilation *c, Fmu *fmu, CcFolder f, const char *output) {
  Arena *a = c->arena;
  FmuFiles files = { 0 };
  Text description = { 0 }, page = { 0 }, build = { 0 }, cmake = { 0 }, own = { 0 }, plain = { 0 };
  const char *why = "", *object = cc_path(a, f, "model.so");
  own_file(fmu, &own);
  bool good = fmu_sources(a, fmu, &files, &why);
  int code = good ? link_object(c, f, fmu, &own, object) : EXIT_FILE;
  if (good && code == EXIT_OK) {
    fmu_description(a, fmu, &description);
    fmu_documentation(fmu, &page);
    fmu_build_description(fmu, &build);
    fmu_build_file(fmu, &cmake);
    add_text(&files, a, "modelDescription.xml", &description);
    add_text(&files, a, "documentation/index.html", &page);
    if (fmu->version == 3) add_text(&files, a, "sources/buildDescription.xml", &build);
    add_text(&files, a, "sources/CMakeLists.txt", &cmake);
    add_text(&files, a, "sources/fmu.c", &own);
    if (fmu->debug) text_add(&plain, text_str(&c->c));
    else fmu_plain_c(text_str(&c->c), &plain);
    add_text(&files, a, "sources/model.c", &plain);
    const char *binary = arena_printf(a, "binaries/%s/%s.so", fmu_platform(fmu->version), fmu->name);
    vec_push(&files, ((FmuFile){ .name = binary, .path = object }));
    good = fmu_archive(a, output, &files, &why);
  }
  if (!good) {
    fprintf(stderr, "error: %s\n", why);
    code = EXIT_FILE;
  }
  text_free(&build);
  text_free(&own);
  vec_free(&files);
  return code;
}

// Can an FMU of this kind have the model?
static bool takes(const Options *o, const nsm_program *p, nsm_sim *s, nsm_error *e) {
  if (given(o, NSM_FLAG_EXCHANGE)) return fmi_smooth(s, e);
  *e = (nsm_error){ .code = NSM_USAGE };
  snprintf(e->text, sizeof e->text, "an FMU holds no SUNDIALS, which event_driven takes; give it another scheme, "
           "--scheme 'moreau(located = true)'");
  return jit_model(p->jit)->scheme != SCHEME_EVENT_DRIVEN;
}

int build_fmu(const Options *o, Compilation *c, CcFolder f, const char *output) {
  int code;
  nsm_error e;
  Options in_memory = *o;
  bool exchange = given(o, NSM_FLAG_EXCHANGE);
  in_memory.jit = JIT_TCC;                                 // it is looked at, and not run
  nsm_program *p = load_program(&in_memory, c, &code);
  if (!p) return code;
  list_meanings(p);
  nsm_assignment *set = ARENA_ARRAY(c->arena, nsm_assignment, o->nset + 1);
  nsm_settings with = nsm_default_settings();
  for (int i = 0; i < o->nset; i++)
    if (o->set[i].use == SET_STORED) set[with.nset++] = (nsm_assignment){ o->set[i].name, o->set[i].value };
  with.set = set;
  nsm_sim *s = nsm_simulate(p, &with, &e);
  bool fits = s && takes(o, p, s, &e);
  if (!s || !fits) {
    nsm_print_run_error(p, &e, stderr);
    build_without_exchange(o);
    nsm_close(s);
    jit_free(p->jit);
    return e.code;
  }
  int version = given(o, NSM_FLAG_FMI) ? (int)o->flags.number[NSM_FLAG_FMI] : 3;
  Fmu fmu = { .version = version, .exchange = exchange, .debug = given(o, NSM_FLAG_DEBUG), .program = p, .sim = s,
              .name = nsm_program_name(p), .token = token_of(c, &with, version), .set = set, .nset = with.nset,
              .input = input_values(c, s) };
  code = make(c, &fmu, f, output);
  nsm_close(s);
  jit_free(p->jit);
  return code;
}
