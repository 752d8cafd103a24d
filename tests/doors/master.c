// A master in C, with the headers of the standard, for valgrind: two instances, events, states, wrong calls, and one
// that is freed in the middle of it all. Arguments: the object, its token. Exit code 0 where all went as it should.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fmi3FunctionTypes.h"

static void *library;

#define CALL(name) ((fmi3##name##TYPE *)(uintptr_t)dlsym(library, "fmi3" #name))
#define NEED(condition) \
  do { \
    if (!(condition)) { fprintf(stderr, "line %d: %s\n", __LINE__, #condition); exit(1); } \
  } while (0)

static int errors;
static void logged(fmi3InstanceEnvironment with, fmi3Status status, fmi3String category, fmi3String text) {
  (void)with; (void)category;
  errors += status == fmi3Error && strlen(text) > 0;
}

static fmi3Instance instance(const char *token, fmi3Boolean events) {
  return CALL(InstantiateCoSimulation)("one", token, "/", fmi3False, fmi3True, events, events, NULL, 0, NULL, logged,
                                       NULL);
}

static void start(fmi3Instance i) {
  NEED(CALL(EnterInitializationMode)(i, fmi3False, 0, 0, fmi3True, 2) == fmi3OK);
  NEED(CALL(ExitInitializationMode)(i) == fmi3OK);
}

int main(int argc, char **argv) {
  NEED(argc == 3 && (library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) != NULL);
  NEED(instance("{}", fmi3False) == NULL && errors == 1);
  fmi3Instance a = instance(argv[2], fmi3True), b = instance(argv[2], fmi3False);
  NEED(a && b && strcmp(CALL(GetVersion)(), "3.0") == 0);
  fmi3Boolean event, ends, early, flag[5];
  fmi3Float64 t = 0, next, z, bad = 0;
  fmi3ValueReference height = 1, nothing = 99;
  NEED(CALL(DoStep)(a, 0, 1, fmi3True, &event, &ends, &early, &t) == fmi3Error);
  start(a);
  start(b);
  NEED(CALL(EnterStepMode)(a) == fmi3OK);
  NEED(CALL(DoStep)(a, 0, 2, fmi3True, &event, &ends, &early, &t) == fmi3OK && event && early && t < 1);
  NEED(CALL(EnterEventMode)(a) == fmi3OK);
  NEED(CALL(UpdateDiscreteStates)(a, &flag[0], &flag[1], &flag[2], &flag[3], &flag[4], &next) == fmi3OK && flag[3]);
  fmi3FMUState state = NULL, other = NULL;
  size_t size;
  NEED(CALL(GetFMUState)(a, &state) == fmi3OK && CALL(GetFMUState)(a, &state) == fmi3OK);
  NEED(CALL(SerializedFMUStateSize)(a, state, &size) == fmi3OK);
  fmi3Byte *bytes = malloc(size);
  NEED(CALL(SerializeFMUState)(a, state, bytes, size) == fmi3OK);
  NEED(CALL(DeserializeFMUState)(b, bytes, size, &other) == fmi3OK && CALL(SetFMUState)(b, other) == fmi3OK);
  bytes[size / 2] ^= 1;
  fmi3FMUState broken = NULL;
  NEED(CALL(DeserializeFMUState)(b, bytes, size, &broken) == fmi3OK && CALL(SetFMUState)(b, broken) == fmi3Error);
  NEED(CALL(GetFloat64)(b, &height, 1, &z, 1) == fmi3OK && z > 0.0999 && z < 0.1001);
  NEED(CALL(GetFloat64)(b, &nothing, 1, &z, 1) == fmi3Error && CALL(GetFloat64)(b, &height, 1, &z, 2) == fmi3Error);
  NEED(CALL(SetFloat64)(b, &height, 1, &bad, 1) == fmi3Error);
  NEED(CALL(FreeFMUState)(a, &state) == fmi3OK && state == NULL);
  NEED(CALL(FreeFMUState)(b, &other) == fmi3OK && CALL(FreeFMUState)(b, &broken) == fmi3OK);
  NEED(CALL(Reset)(b) == fmi3OK && CALL(Terminate)(b) == fmi3Error);
  free(bytes);
  CALL(FreeInstance)(a);                                   // in event mode
  CALL(FreeInstance)(b);
  return dlclose(library);
}
