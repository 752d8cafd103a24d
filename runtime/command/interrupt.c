// The flag of Ctrl-C. A second signal, more than a second after the first, ends a step that does not end.
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"
#include <string.h>
#include <time.h>

// The only globals of the runtime: a signal handler has nowhere else to write.
static volatile sig_atomic_t interrupted, seen;
static volatile time_t since;

static void on_signal(int number) {
  if (!interrupted) { interrupted = 1; since = time(NULL); }
  else if (!seen && time(NULL) > since + 1) { signal(number, SIG_DFL); raise(number); }
}

static const int caught[NSM_CAUGHT] = { SIGINT, SIGTERM, SIGHUP, SIGXFSZ };

void nsm_catch_signals(nsm_signals *s) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  sigemptyset(&a.sa_mask);
  interrupted = seen = 0;
  a.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &a, &s->pipe);
  a.sa_handler = on_signal;
  for (int i = 0; i < NSM_CAUGHT; i++) {
    sigaction(caught[i], &a, &s->old[i]);
    if (s->old[i].sa_handler == SIG_IGN && caught[i] != SIGXFSZ) sigaction(caught[i], &s->old[i], NULL);
  }
}

void nsm_release_signals(const nsm_signals *s) {
  for (int i = 0; i < NSM_CAUGHT; i++) sigaction(caught[i], &s->old[i], NULL);
  sigaction(SIGPIPE, &s->pipe, NULL);
  interrupted = 0;
}

_Static_assert(sizeof(sig_atomic_t) == sizeof(int), "the flag is read as an int");
const volatile int *nsm_interrupt_flag(void) { return &interrupted; }
int nsm_interrupted(void) { return interrupted; }
void nsm_interrupt_seen(void) { seen = 1; }
