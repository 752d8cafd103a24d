// nsm: the table of contents. Each command is one call (commands.def).
#include "../../runtime/command/command.h"
#include "../../runtime/command/outputs.h"
#include <unistd.h>
#include "../base/ending.h"
#include "../../runtime/command/interrupt.h"
#include "commands.h"
#include "memory.h"

static int command(const Options *o) {
  for (int i = 0; i < COMMANDS; i++) {
    if (commands[i].id != o->command) continue;
    if (!given(o, NSM_FLAG_HELP)) return commands[i].run(o);
    print_command(&commands[i], stdout);
    return EXIT_OK;
  }
  return EXIT_COMPILER;
}

int main(int argc, char **argv) {
  use_large_pages();
  nsm_guard_streams();
  ending_watch();
  nsm_end_at_signals(ending_undo);
  Arena *a = arena_new();
  Options o;
  int code = options_parse(a, argc, argv, &o);
  if (code == EXIT_OK) code = command(&o);
  if (code == EXIT_INTERRUPTED) {                          // at once: LLVM may still be compiling in a thread
    fflush(NULL);
    ending_undo();
    _exit(code);
  }
  options_free(&o);
  arena_free(a);
  return nsm_exit(code);
}
