// Running the C compiler. What it says goes to a file in memory, so that the reason of a failure can be shown also
// where the disk is full.
#define _GNU_SOURCE
#include "cc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/ending.h"
#include "../base/vec.h"

typedef Vec(char *) Words;

// --- the folder ---

CcFolder cc_folder(Arena *a, const char **why) {
  const char *given = getenv("TMPDIR"), *tmp = given && *given ? given : "/tmp";
  char *path = arena_printf(a, "%s/nsm-XXXXXX", tmp);
  ending_hold();
  bool made = mkdtemp(path) != NULL;
  int kept = errno;
  if (made) ending_folder(path);
  ending_release();
  if (made) return (CcFolder){ path };
  errno = kept;
  *why = arena_printf(a, "no temporary folder can be made in %s: %s\nhelp: set TMPDIR to a folder that can be written",
                      tmp, strerror(errno));
  return (CcFolder){ NULL };
}

const char *cc_path(Arena *a, CcFolder f, const char *name) { return arena_printf(a, "%s/%s", f.path, name); }

void cc_folder_remove(CcFolder f) {
  if (!f.path) return;
  folder_remove(f.path);
  ending_folder(NULL);
}

bool cc_write(Arena *a, CcFolder f, const char *name, const char *text, const char **why) {
  FILE *out = fopen(cc_path(a, f, name), "w");
  bool good = out && fputs(text, out) >= 0;
  if (out && fclose(out) != 0) good = false;
  if (!good)
    *why = arena_printf(a, "%s cannot be written: %s\nhelp: set TMPDIR to a folder with room", cc_path(a, f, name),
                        strerror(errno));
  return good;
}

// --- words ---

// Words of a line as a shell splits them: blanks separate, 'x y', "x y" and \ keep together. False: an open quote.
static bool split(Arena *a, const char *s, Words *out) {
  while (*s) {
    while (*s == ' ' || *s == '\t' || *s == '\n') s++;
    if (!*s) break;
    char *word = arena_strndup(a, s, strlen(s)), *to = word, quote = 0;
    for (; *s && (quote || !strchr(" \t\n", *s)); s++) {
      if (quote && *s == quote) quote = 0;
      else if (!quote && (*s == '\'' || *s == '"')) quote = *s;
      else if (*s == '\\' && quote != '\'' && s[1]) *to++ = *++s;
      else *to++ = *s;
    }
    *to = 0;
    if (quote) return false;
    vec_push(out, word);
  }
  return true;
}

// --- running ---

typedef struct Compiler { CcFolder folder; int said; } Compiler;      // said: a file in memory

static const char *messages(Arena *a, const Compiler *c) {
  char text[4000];
  ssize_t n = pread(c->said, text, sizeof text, 0);
  while (n > 0 && text[n - 1] == '\n') n--;
  return arena_strndup(a, text, n > 0 ? (size_t)n : 0);
}

// A command ends the compiler with itself (ending.h), so that it leads a group with the programs that it calls. In a
// library it is as with system(3): signals of the terminal end the child alone.
static pid_t start(char **argv, const Compiler *c, struct sigaction old[2]) {
  struct sigaction ignore = { .sa_handler = SIG_IGN };
  bool own = ending_watched();
  ending_hold();
  if (!own) {
    sigaction(SIGINT, &ignore, &old[0]);
    sigaction(SIGQUIT, &ignore, &old[1]);
  }
  pid_t child = fork();
  if (child == 0) {
    if (own) setpgid(0, 0);
    else {
      sigaction(SIGINT, &old[0], NULL);
      sigaction(SIGQUIT, &old[1], NULL);
    }
    ending_in_child();
    setenv("TMPDIR", c->folder.path, 1);                   // its own files go with the folder
    setenv("LC_ALL", "C", 1);                              // ran_out reads what it says
    if (dup2(c->said, STDERR_FILENO) < 0 || dup2(c->said, STDOUT_FILENO) < 0) _exit(126);
    execvp(argv[0], argv);
    dprintf(STDERR_FILENO, "%s", strerror(errno));
    _exit(127);
  }
  if (own && child > 0) {
    setpgid(child, child);
    ending_child(child, SIGKILL);
  }
  ending_release();
  return child;
}

// Exit status of the child, -1 where it was killed, -2 by Ctrl-C, or 128 + errno where it could not be started.
static int run(char **argv, const Compiler *c) {
  struct sigaction old[2];
  int status = 0;
  if (ftruncate(c->said, 0) != 0) return -1;
  lseek(c->said, 0, SEEK_SET);
  pid_t child = start(argv, c, old);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  ending_child(0, 0);
  if (!ending_watched()) {
    sigaction(SIGINT, &old[0], NULL);
    sigaction(SIGQUIT, &old[1], NULL);
  }
  if (child < 0) return -1;
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGQUIT ? -2 : -1;
  return WEXITSTATUS(status);
}

static const char *joined(Arena *a, const Words *w, size_t n) {
  const char *all = "";
  for (size_t i = 0; i < n; i++) all = arena_printf(a, "%s%s%s", all, i ? " " : "", w->at[i]);
  return all;
}

static bool is_file(const char *word, CcFolder f, const char *name) {
  size_t n = strlen(f.path);
  return strncmp(word, f.path, n) == 0 && word[n] == '/' && strcmp(word + n + 1, name) == 0;
}

// The same command on a file that says nothing: does it fail for the text, or at all?
static bool works(Arena *a, const Compiler *c, const Words *w) {
  const char *ignored;
  Words probe = {0};
  if (!cc_write(a, c->folder, "probe.c", "int main(void) { return 0; }\n", &ignored)) return false;
  for (size_t i = 0; i < w->n; i++)
    if (is_file(w->at[i], c->folder, "model.c")) vec_push(&probe, (char *)(uintptr_t)cc_path(a, c->folder, "probe.c"));
    else if (!is_file(w->at[i], c->folder, "main.c")) vec_push(&probe, w->at[i]);
  vec_push(&probe, NULL);
  int status = run(probe.at, c);
  vec_free(&probe);
  return status == 0;
}

// The same command without an output: is the text right C, and what failed is what was to be written?
static bool reads(const Compiler *c, const Words *w) {
  Words alone = {0};
  for (size_t i = 0; i < w->n; i++) vec_push(&alone, w->at[i]);
  vec_push(&alone, (char *)"-fsyntax-only");
  vec_push(&alone, NULL);
  int status = run(alone.at, c);
  vec_free(&alone);
  return status == 0;
}

// A compiler ends like this where its own parts were killed or found no memory, or no room on the disk.
static bool ran_out(const char *said) {
  return strstr(said, "terminated program") || strstr(said, "memory") || strstr(said, "Killed");
}

static bool no_room(const char *said) {
  return strstr(said, "No space left") || strstr(said, "Disk quota") || strstr(said, "File too large");
}

// What to do where the compiler fails for other reasons than the text.
static const char *help(const char *said, bool text_is_right) {
  return ran_out(said) ? "it seems to lack memory: give it more (ulimit -v)"
       : no_room(said) || text_is_right ? "set TMPDIR to a folder with room (ulimit -f: how long a file may be)"
                                        : "install gcc, or set CC to a C compiler and its arguments";
}

static CcStatus failed(Arena *a, const Compiler *c, const Words *w, const char *name, const char **why) {
  const char *said = messages(a, c);
  bool lacks = ran_out(said) || no_room(said), right = !lacks && reads(c, w);
  if (!*said) said = "(nothing)";
  *why = said;
  if (!lacks && !right && works(a, c, w)) return CC_REFUSED;
  *why = arena_printf(a, "the C compiler '%s' does not work here; it says:\n%s\nhelp: %s", name, said,
                      help(said, right));
  return CC_SYSTEM;
}

CcStatus cc_run(Arena *a, CcFolder f, const char *const *arguments, const char *last, const char *made,
                const char **why) {
  const char *cc = getenv("CC");
  Words w = {0};
  CcStatus result = CC_OK;
  if (!split(a, cc ? cc : "", &w)) {
    *why = arena_printf(a, "CC has a quote that is never closed: %s", cc);
    vec_free(&w);
    return CC_SYSTEM;
  }
  if (w.n == 0) vec_push(&w, (char *)"cc");
  size_t own = w.n;
  for (; *arguments; arguments++) vec_push(&w, (char *)(uintptr_t)*arguments);
  split(a, last, &w);
  vec_push(&w, NULL);
  const char *name = joined(a, &w, own);
  Compiler c = { f, memfd_create("messages", MFD_CLOEXEC) };
  int status = c.said < 0 ? -1 : run(w.at, &c);
  w.n--;
  if (status == -2) result = CC_INTERRUPTED;
  else if (status == -1) {
    *why = arena_printf(a, "the C compiler '%s' was ended by the system; is there memory and room for it?\n%s", name,
                        messages(a, &c));
    result = CC_SYSTEM;
  } else if (status == 127 || status == 126) {
    *why = arena_printf(a, "the C compiler '%s' cannot be started: %s\n"
                           "help: install gcc, or set CC to a C compiler and its arguments", name, messages(a, &c));
    result = CC_SYSTEM;
  } else if (status != 0 || access(made, F_OK) != 0) result = failed(a, &c, &w, name, why);
  if (c.said >= 0) close(c.said);
  vec_free(&w);
  return result;
}
