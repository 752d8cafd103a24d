// What libtcc calls the streams and the environment inside of libnsm.so; see CMakeLists.txt.
#include <stdio.h>

extern char **environ;
FILE *tcc_stdin, *tcc_stdout, *tcc_stderr;
char **tcc_environ;

static void __attribute__((constructor)) take_streams(void) {
  tcc_stdin = stdin;
  tcc_stdout = stdout;
  tcc_stderr = stderr;
  tcc_environ = environ;
}
