// An importer in C, of VERSION 2 or 3, that includes the headers of the standard as they are. It prints the values at
// the communication points, keeps the state in the middle of them, goes on from its bytes in another instance, and runs
// eight instances in eight threads; exit code 1 where one bit differs.
//
//     importer OBJECT TOKEN < "START STOP  NREF REF SIZE ...  NPOINT TIME ..."
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if VERSION == 3
#include "fmi3FunctionTypes.h"
#define CALL(name) ((fmi3##name##TYPE *)(uintptr_t)dlsym(library, "fmi3" #name))
typedef fmi3Instance Instance;
typedef fmi3FMUState State;
typedef fmi3ValueReference Reference;
typedef fmi3Byte Byte;
#define FINE fmi3OK
#else
#include "fmi2FunctionTypes.h"
#define CALL(name) ((fmi2##name##TYPE *)(uintptr_t)dlsym(library, "fmi2" #name))
typedef fmi2Component Instance;
typedef fmi2FMUstate State;
typedef fmi2ValueReference Reference;
typedef fmi2Byte Byte;
#define FINE fmi2OK
#endif

static void *library;
static const char *token;
static double start, stop, *at;
static Reference *of;
static size_t *size, nref, npoint, nvalue;

#define NEED(condition) \
  do { \
    if (!(condition)) { fprintf(stderr, "importer.c:%d: %s\n", __LINE__, #condition); exit(1); } \
  } while (0)

// ---- what differs between the versions ------------------------------------------------------------------------------
#if VERSION == 3
static void logged(fmi3InstanceEnvironment with, fmi3Status status, fmi3String category, fmi3String text) {
  (void)with;
  fprintf(stderr, "%d %s: %s\n", (int)status, category, text);
}

static Instance begun(void) {
  Instance i = CALL(InstantiateCoSimulation)("one", token, "/", fmi3False, fmi3False, fmi3False, fmi3False, NULL, 0,
                                             NULL, logged, NULL);
  NEED(i && CALL(EnterInitializationMode)(i, fmi3False, 0, start, fmi3True, stop) == fmi3OK);
  NEED(CALL(ExitInitializationMode)(i) == fmi3OK);
  return i;
}

static void get(Instance i, double *value) { NEED(CALL(GetFloat64)(i, of, nref, value, nvalue) == fmi3OK); }

static int step(Instance i, double t, double h) {          // 0: the model has ended the run
  fmi3Boolean event, ends, early;
  fmi3Float64 last;
  fmi3Status status = CALL(DoStep)(i, t, h, fmi3True, &event, &ends, &early, &last);
  NEED(status == fmi3OK || status == fmi3Warning);
  return !ends;
}
#define KEEP(i, state) CALL(GetFMUState)(i, state)
#define SIZE(i, state, size) CALL(SerializedFMUStateSize)(i, state, size)
#define WRITE(i, state, to, size) CALL(SerializeFMUState)(i, state, to, size)
#define READ(i, from, size, state) CALL(DeserializeFMUState)(i, from, size, state)
#define TAKE(i, state) CALL(SetFMUState)(i, state)
#define DROP(i, state) CALL(FreeFMUState)(i, state)
#else
static void logged(fmi2ComponentEnvironment with, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String text, ...) {
  (void)with; (void)name;
  va_list list;
  va_start(list, text);
  fprintf(stderr, "%d %s: ", (int)status, category);
  vfprintf(stderr, text, list);
  fprintf(stderr, "\n");
  va_end(list);
}

static Instance begun(void) {
  static const fmi2CallbackFunctions call = { logged, calloc, free, NULL, NULL };
  Instance i = CALL(Instantiate)("one", fmi2CoSimulation, token, "file:///", &call, fmi2False, fmi2False);
  NEED(i && CALL(SetupExperiment)(i, fmi2False, 0, start, fmi2True, stop) == fmi2OK);
  NEED(CALL(EnterInitializationMode)(i) == fmi2OK && CALL(ExitInitializationMode)(i) == fmi2OK);
  return i;
}

static void get(Instance i, double *value) { NEED(CALL(GetReal)(i, of, nref, value) == fmi2OK); }

static int step(Instance i, double t, double h) {
  fmi2Status status = CALL(DoStep)(i, t, h, fmi2True);
  fmi2Boolean ended = fmi2False;
  if (status == fmi2OK) return 1;
  NEED(status == fmi2Discard && CALL(GetBooleanStatus)(i, fmi2Terminated, &ended) == fmi2OK && ended);
  return 0;
}
#define KEEP(i, state) CALL(GetFMUstate)(i, state)
#define SIZE(i, state, size) CALL(SerializedFMUstateSize)(i, state, size)
#define WRITE(i, state, to, size) CALL(SerializeFMUstate)(i, state, to, size)
#define READ(i, from, size, state) CALL(DeSerializeFMUstate)(i, from, size, state)
#define TAKE(i, state) CALL(SetFMUstate)(i, state)
#define DROP(i, state) CALL(FreeFMUstate)(i, state)
#endif

// ---- runs -----------------------------------------------------------------------------------------------------------
// From point `from` on, where the instance is, into value; how many points there are until the model ends the run.
static size_t run(Instance i, size_t from, size_t to, double *value) {
  size_t k = from;
  int on = 1;
  for (; k < to && on; k++) {
    if (k > from) on = step(i, at[k - 1], at[k] - at[k - 1]);
    get(i, value + k * nvalue);
  }
  return k;
}

static double *room(void) {
  double *value = calloc(npoint * nvalue + 1, sizeof *value);
  NEED(value);
  return value;
}

static int same(const double *a, const double *b, size_t from, size_t to) {
  return memcmp(a + from * nvalue, b + from * nvalue, (to - from) * nvalue * sizeof *a) == 0;
}

static void *alone(void *unused) {
  (void)unused;
  double *value = room();
  Instance i = begun();
  run(i, 0, npoint, value);
  CALL(FreeInstance)(i);
  return value;
}

static void read_input(void) {
  NEED(scanf("%lf %lf %zu", &start, &stop, &nref) == 3);
  of = calloc(nref + 1, sizeof *of);
  size = calloc(nref + 1, sizeof *size);
  for (size_t i = 0; i < nref; i++) {
    unsigned reference;
    NEED(scanf("%u %zu", &reference, &size[i]) == 2);
    of[i] = reference;
    nvalue += size[i];
  }
  NEED(scanf("%zu", &npoint) == 1 && npoint > 1);
  at = calloc(npoint, sizeof *at);
  for (size_t i = 0; i < npoint; i++) NEED(scanf("%lf", &at[i]) == 1);
}

int main(int argc, char **argv) {
  NEED(argc == 3 && (library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) != NULL);
  token = argv[2];
  read_input();
  double *value = room(), *again = room();
  Instance a = begun(), b = begun();
  State state = NULL, other = NULL;
  size_t middle = npoint / 2, bytes, n = run(a, 0, middle + 1, value);
  NEED(KEEP(a, &state) == FINE && SIZE(a, state, &bytes) == FINE);
  Byte *to = malloc(bytes);
  NEED(WRITE(a, state, to, bytes) == FINE);
  if (n == middle + 1) n = run(a, middle, npoint, value);
  NEED(READ(b, to, bytes, &other) == FINE && TAKE(b, other) == FINE);
  NEED(n <= middle || (run(b, middle, npoint, again) == n && same(value, again, middle, n)));
  NEED(TAKE(a, state) == FINE);
  NEED(n <= middle || (run(a, middle, npoint, again) == n && same(value, again, middle, n)));
  NEED(DROP(a, &state) == FINE && DROP(b, &other) == FINE && !state && !other);
  CALL(FreeInstance)(a);
  CALL(FreeInstance)(b);
  pthread_t thread[8];
  for (int i = 0; i < 8; i++) NEED(pthread_create(&thread[i], NULL, alone, NULL) == 0);
  for (int i = 0; i < 8; i++) {
    void *got;
    NEED(pthread_join(thread[i], &got) == 0 && same(value, got, 0, n));
    free(got);
  }
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < nvalue; i++) printf("%.17g%c", value[k * nvalue + i], i + 1 < nvalue ? ' ' : '\n');
  free(to); free(value); free(again); free(of); free(size); free(at);
  return dlclose(library);
}
