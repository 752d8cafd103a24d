// The sources of an FMU: the emitted C, the rooms of the runtime that it needs, and how they are compiled, as a file of
// FMI 3.0 and as one of cmake.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "../api/installed.h"
#include "../base/vec.h"
#include "fmu.h"

typedef Vec(const char *) Names;

static bool ends(const char *name, const char *with) {
  size_t n = strlen(name), m = strlen(with);
  return n > m && !strcmp(name + n - m, with);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

const FmuPart fmu_parts[FMI_PARTS] = {
  [FMI_TWO_POINT] = { "two_point", NSM_FMU_TWO_POINT }, [FMI_GALERKIN] = { "galerkin", NSM_FMU_GALERKIN },
  [FMI_ONE_POINT] = { "one_point", NSM_FMU_ONE_POINT }, [FMI_RADAU] = { "radau", NSM_FMU_RADAU },
  [FMI_TOUCHING] = { "touching", NSM_FMU_TOUCHING }, [FMI_FRICTION] = { "friction", NSM_FMU_FRICTION },
  [FMI_IMPACTS] = { "impacts", NSM_FMU_IMPACTS }, [FMI_LOCATED] = { "located", NSM_FMU_LOCATED },
  [FMI_FLOW] = { "flow", NSM_FMU_FLOW }, [FMI_SETS] = { "sets", NSM_FMU_SETS },
  [FMI_CLOSED] = { "closed", NSM_FMU_CLOSED }, [FMI_SOLVERS] = { "solvers", NSM_FMU_SOLVERS },
  [FMI_EVENTS] = { "events", NSM_FMU_EVENTS }
};

// Not those that are left out, of parts those that the model needs, else what stands for them; of fmi/ one version.
static bool compiled(const Fmu *f, const char *room, const char *name) {
  char file[256];
  snprintf(file, sizeof file, " %s/%.*s ", room, (int)strlen(name) - 2, name);
  for (int part = 0; part < FMI_PARTS; part++) {
    char stands[64];
    int has = fmi_needs(f->sim, (fmi_part)part);
    snprintf(stands, sizeof stands, " fmi/small/no_%s ", fmu_parts[part].name);
    if (has ? !strcmp(file, stands) : strstr(fmu_parts[part].files, file) != NULL) return false;
  }
  return ends(name, ".c") && !strstr(NSM_FMU_LEFT_OUT, file) &&
         strcmp(name, f->version == 3 ? "fmi2.c" : "fmi3.c") != 0;
}

static void add_file(const Fmu *f, FmuFiles *files, const char *name, const char *path) {
  vec_push(files, ((FmuFile){ .name = name, .path = path, .plain = !f->debug }));
}

static bool add_room(Arena *a, const Fmu *f, const char *runtime, const char *room, FmuFiles *files, Names *sources) {
  const char *at = *room ? arena_printf(a, "%s/%s", runtime, room) : runtime;
  DIR *folder = opendir(at);
  Names names = { 0 };
  for (const struct dirent *entry; folder && (entry = readdir(folder));)
    if (ends(entry->d_name, ".h") || ends(entry->d_name, ".def") || compiled(f, room, entry->d_name))
      vec_push(&names, arena_strndup(a, entry->d_name, strlen(entry->d_name)));
  if (folder) closedir(folder);
  if (names.n) qsort(names.at, names.n, sizeof *names.at, by_name);
  for (size_t i = 0; i < names.n; i++) {
    const char *name = arena_printf(a, "runtime/%s%s%s", room, *room ? "/" : "", names.at[i]);
    add_file(f, files, arena_printf(a, "sources/%s", name), arena_printf(a, "%s/%s", at, names.at[i]));
    if (ends(name, ".c")) vec_push(sources, name);
  }
  bool any = names.n > 0;
  vec_free(&names);
  return any;
}

static bool includes(const char *text, const char *name) {
  size_t n = strlen(name);
  for (const char *at = text; (at = strstr(at, name)); at += n)
    if (at > text && (at[-1] == '"' || at[-1] == '/') && at[n] == '"') return true;
  return false;
}

// Headers that no file includes, nor one that is included, are left out. Headers of one name are kept together.
static bool reached_ones(Arena *a, FmuFiles *files, const char **why) {
  bool *kept = ARENA_ARRAY(a, bool, files->n + 1);
  size_t n = 0;
  for (size_t i = 0; i < files->n; i++) {
    if (!fmu_read(a, &files->at[i], why)) return false;
    kept[i] = ends(files->at[i].name, ".c");
  }
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < files->n; i++)
      for (size_t j = 0; !kept[i] && j < files->n; j++)
        if (kept[j] && includes(files->at[j].text, strrchr(files->at[i].name, '/') + 1)) kept[i] = more = true;
  }
  for (size_t i = 0; i < files->n; i++) if (kept[i]) files->at[n++] = files->at[i];
  files->n = n;
  return true;
}

bool fmu_sources(Arena *a, Fmu *f, FmuFiles *files, const char **why) {
  const char *runtime = installed(a)->include;
  Names sources = { 0 };
  bool good = true;
  vec_push(&sources, "fmu.c");
  vec_push(&sources, "model.c");
  for (const char *at = " " NSM_FMU_ROOMS; *at && good;) {   // the first one is runtime/ itself
    const char *room = arena_strndup(a, at, strcspn(at, " "));
    at += strlen(room) + (at[strlen(room)] == ' ');
    good = add_room(a, f, runtime, room, files, &sources);
    if (!good) *why = arena_printf(a, "the sources of the runtime are not in %s/%s", runtime, room);
  }
  add_file(f, files, "sources/include/nsm.h", arena_printf(a, "%s/../include/nsm.h", runtime));
  good = good && reached_ones(a, files, why);
  f->nsource = (int)sources.n;
  f->source = vec_freeze(a, &sources);
  return good;
}

void fmu_build_description(const Fmu *f, Text *out) {
  text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
                "  <BuildConfiguration");
  xml_attribute(out, "modelIdentifier", f->name);
  text_add(out, ">\n    <SourceFileSet language=\"C11\" compilerOptions=\"-O2 -ffp-contract=off\">\n");
  for (int i = 0; i < f->nsource; i++) {
    text_add(out, "      <SourceFile");
    xml_attribute(out, "name", f->source[i]);
    text_add(out, "/>\n");
  }
  text_add(out, "      <IncludeDirectory name=\".\"/>\n      <IncludeDirectory name=\"runtime\"/>\n"
                "    </SourceFileSet>\n    <Library name=\"m\" external=\"true\"/>\n"
                "    <Library name=\"pthread\" external=\"true\"/>\n"
                "  </BuildConfiguration>\n</fmiBuildDescription>\n");
}

void fmu_build_file(const Fmu *f, Text *out) {
  text_printf(out, "# The binary of this FMU, for a platform that it has none for:\n"
                   "#   cmake -B build && cmake --build build\n"
                   "# It belongs into binaries/ of the FMU, in the folder that the standard names for the platform.\n"
                   "cmake_minimum_required(VERSION 3.13)\nproject(%s C)\nset(CMAKE_C_STANDARD 11)\n"
                   "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n"
                   "add_compile_options(-ffp-contract=off)\nadd_library(%s MODULE\n", f->name, f->name);
  for (int i = 0; i < f->nsource; i++) text_printf(out, "  %s\n", f->source[i]);
  text_printf(out, "  )\nset_target_properties(%s PROPERTIES PREFIX \"\")\n"
                   "target_include_directories(%s PRIVATE . runtime)\ntarget_link_libraries(%s m pthread)\n",
              f->name, f->name, f->name);
}
