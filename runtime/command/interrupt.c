// See interrupt.h. The timer that ends a step that does not end is started by the signal itself.
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// The only globals of the runtime: a signal handler has nowhere else to write.
static volatile sig_atomic_t interrupted, seen;
static const char *volatile stepping;
static void (*volatile keep)(void *);
static void *volatile with;
static volatile time_t since;
static void (*volatile undo)(void);

static const int caught[NSM_CAUGHT] = { SIGINT, SIGTERM, SIGHUP, SIGXFSZ };
enum { INTERRUPTED = 130, AT_ONCE = 3 };                 // a file that may not be longer is an error of the write

static void catch_all(int count, void (*how)(int), struct sigaction *old) {
  struct sigaction a, was;
  memset(&a, 0, sizeof a);
  sigfillset(&a.sa_mask);
  a.sa_handler = how;
  for (int i = 0; i < count; i++) {
    sigaction(caught[i], &a, &was);
    if (was.sa_handler == SIG_IGN && caught[i] != SIGXFSZ) sigaction(caught[i], &was, NULL);
    if (old) old[i] = was;
  }
}

// ---- at once --------------------------------------------------------------------------------------------------------
static void end(int number) {
  (void)number;
  if (undo) undo();
  _exit(INTERRUPTED);
}

void nsm_end_at_signals(void (*before)(void)) {
  undo = before;
  catch_all(AT_ONCE, end, NULL);
}

// ---- by a flag ------------------------------------------------------------------------------------------------------
// In a step the streams are at rest: nothing is done to them while it is not over.
static void too_late(int number) {
  const char *said = stepping;
  if (said) {
    if (keep) keep(with);
    fflush(NULL);
    if (write(STDERR_FILENO, said, strlen(said)) < 0) end(number);
  }
  end(number);
}

// A program that is waited for has had NSM_LATEST seconds of a processor, or what a slow machine gives it in
// NSM_LATEST_AT_ALL; a program that waits for a reader uses none.
static void wait_for_it(double of_processor, double at_all) {
  const struct itimerval work = { .it_value = { 0, (suseconds_t)(of_processor * 1e6) } };
  const struct itimerval clock = { .it_value = { (time_t)at_all, 0 } };
  setitimer(ITIMER_PROF, &work, NULL);
  setitimer(ITIMER_REAL, &clock, NULL);
}

static void on_signal(int number) {
  if (interrupted && time(NULL) > since + 1) end(number);
  if (interrupted) return;
  interrupted = number;
  since = time(NULL);
  if (seen || number == SIGXFSZ) return;               // the write fails by itself: exit code 4 is for the caller
  struct sigaction a;
  memset(&a, 0, sizeof a);
  sigfillset(&a.sa_mask);
  a.sa_handler = too_late;
  sigaction(SIGPROF, &a, NULL);
  sigaction(SIGALRM, &a, NULL);
  wait_for_it(NSM_LATEST, NSM_LATEST_AT_ALL);
}

void nsm_catch_signals(nsm_signals *s) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  sigemptyset(&a.sa_mask);
  interrupted = seen = 0;
  stepping = NULL;
  a.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &a, &s->pipe);
  catch_all(NSM_CAUGHT, on_signal, s->old);
}

void nsm_interrupt_steps(const char *said, void (*how)(void *), void *it) {
  keep = how;
  with = it;
  stepping = said;
}

void nsm_interrupt_seen(void) {
  seen = 1;
  if (interrupted) wait_for_it(0, 0);
}

void nsm_release_signals(const nsm_signals *s) {
  nsm_interrupt_seen();
  for (int i = 0; i < NSM_CAUGHT; i++) sigaction(caught[i], &s->old[i], NULL);
  sigaction(SIGPIPE, &s->pipe, NULL);
  interrupted = 0;
}

_Static_assert(sizeof(sig_atomic_t) == sizeof(int), "the flag is read as an int");
const volatile int *nsm_interrupt_flag(void) { return &interrupted; }
int nsm_interrupted(void) { return interrupted; }

int nsm_interrupted_code(int code) {
  return interrupted && (code == 0 || interrupted != SIGXFSZ) ? INTERRUPTED : code;
}
