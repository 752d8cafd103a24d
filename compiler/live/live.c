// nsm within a page: one module of WebAssembly that compiles a model, runs it and gives what the page shows. A worker
// of the page calls it (compiler/view/page/worker.js):
//
//   live_room(n)             memory for a text that the page writes
//   live_file(...)           a file that the model reads
//   live_open(...)           the command line, one word a line, with the model's text: compiles, gives the exit code
//   live_equations()         the derivation; live_code(): the emitted C
//   live_run(lines)          NAME=VALUE in each line: a run; the exit code; what a page shows is in live_answer
//
// What it says stands on standard error, which the host collects.
#include <stdlib.h>
#include <string.h>
#include "../base/vec.h"
#include "../driver/commands.h"
#include "../driver/view.h"
#include "../view/page.h"

#define FOR_THE_PAGE(name) __attribute__((export_name(#name))) name

// ---- files: the model, and the standard library ---------------------------------------------------------------------
extern const struct { const char *path, *text; } std_parts[];              // CMakeLists.txt makes it; ends with NULL

typedef struct File { const char *path, *text; size_t n; } File;
static Vec(File) given_files;                             // the model, and what it reads

bool live_find(void *with, const char *path, const char **text, size_t *n);
bool live_find(void *with, const char *path, const char **text, size_t *n) {
  (void)with;
  for (size_t i = 0; i < given_files.n; i++)
    if (!strcmp(path, given_files.at[i].path)) {
      *text = given_files.at[i].text;
      *n = given_files.at[i].n;
      return true;
    }
  for (int i = 0; std_parts[i].path; i++)
    if (!strcmp(path, std_parts[i].path)) {
      *text = std_parts[i].text;
      *n = strlen(*text);
      return true;
    }
  return false;
}

// ---- what compiler/driver/commands.h says, without files ------------------------------------------------------------
const Command commands[COMMANDS] = {
#define COMMAND(id, name, run, least, most, files, what, story) \
  { NSM_FOR_##id, name, NULL, least, most, files, "", "" },
#define MANY 1000000
#include "../driver/commands.def"
};

const Command *command_named(const char *name) {
  for (int i = 0; i < COMMANDS; i++) if (!strcmp(name, commands[i].name)) return &commands[i];
  return NULL;
}

void print_commands(FILE *f) { (void)f; }
void say_no_command(const char *name) { (void)name; }

int exit_code_of(const Compilation *c, bool good) {
  return good ? EXIT_OK : c->usage_trouble ? EXIT_USAGE : c->file_trouble ? EXIT_FILE : EXIT_MODEL;
}

Compilation *compile_file(const Options *o, const char *path, PipelineStage last, FILE *dump, int *code) {
  const OpenTexts open = { live_find, NULL };
  Compilation *c = compilation_new();
  PipelineOptions p = { .path = path, .open = &open, .set = o->set, .nset = o->nset, .scheme = o->scheme,
                        .looks = true, .weights = o->weights, .step = o->step, .located = o->located,
                        .code_for = CODE_FOR_PAGE };
  bool good = compile_to(c, &p, last, dump);
  if (c->note) fputs(c->note, stderr);
  if (c->trouble) fprintf(stderr, "error: %s\n", c->trouble);
  compilation_report(c, stderr);
  *code = exit_code_of(c, good);
  if (good) return c;
  compilation_free(c);
  return NULL;
}

const char **compilation_inputs(const Compilation *c, int *n) {
  (void)c;
  *n = 0;
  return NULL;
}

int check_output(const Compilation *c, const char *path) {
  (void)c;
  (void)path;
  return EXIT_OK;
}

// ---- the page's calls -----------------------------------------------------------------------------------------------
static Arena *arena;
static Options options;
static ViewModel model;
static Text answer;

char *FOR_THE_PAGE(live_room)(size_t n) { return malloc(n + 1); }

// All stays.
void FOR_THE_PAGE(live_file)(const char *path, const char *text, size_t n) {
  vec_push(&given_files, ((File){ path, text, n }));
}

// words: of the command line, one a line; the file among them is called path. All three stay.
int FOR_THE_PAGE(live_open)(char *words, const char *path, const char *text) {
  enum { MOST = 200 };
  char *argv[MOST + 1] = { "nsm", "view" }, *save;
  int argc = 2, code;
  for (char *w = strtok_r(words, "\n", &save); w && argc < MOST; w = strtok_r(NULL, "\n", &save)) argv[argc++] = w;
  live_file(path, text, strlen(text));
  arena = arena_new();
  code = options_parse(arena, argc, argv, &options);
  if (code == EXIT_OK) view_load(&options, NULL, &model, &code);
  fflush(NULL);
  return code;
}

int FOR_THE_PAGE(live_run)(char *lines) {
  text_free(&answer);
  int code = view_with_values(&options, &model, false, lines, &answer);
  free(lines);
  fflush(NULL);
  return code;
}

// The derivation in MathML; "" where the model does not compile.
const char *FOR_THE_PAGE(live_equations)(void) {
  static char *text;
  free(text);
  size_t n = model.p ? nsm_derivation(model.p, "mathml", NULL, 0) : 0;
  text = calloc(1, n + 1);
  if (n) nsm_derivation(model.p, "mathml", text, n + 1);
  return text;
}

// The C that was emitted; "" where the model does not compile.
const char *FOR_THE_PAGE(live_code)(void) { return model.p ? text_str(&model.p->c->c) : ""; }

const char *FOR_THE_PAGE(live_answer)(void) { return answer.at; }
size_t FOR_THE_PAGE(live_answer_size)(void) { return answer.n; }
