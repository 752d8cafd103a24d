// Ctrl-C and its relatives, SIGINT, SIGTERM, SIGHUP, and SIGXFSZ from outside: the exit code is 130. What the caller
// had ignored (nohup) stays so.
//
// A command ends at once where nothing of what it did so far is of use (not by SIGXFSZ): nsm_end_at_signals. While it
// runs a simulation a flag is set, steps look at it, and what was computed is written: between nsm_catch_signals and
// nsm_release_signals. There, what has not looked for NSM_LATEST seconds of a processor, or NSM_LATEST_AT_ALL of a
// clock, is not waited for, and a second signal, more than a second later, ends also the writing. Writing to a reader
// that went away is an error of the write (EPIPE), not the end of the program.
#pragma once
#include <signal.h>

#define NSM_LATEST 0.12
#define NSM_LATEST_AT_ALL 2
enum { NSM_CAUGHT = 4 };
typedef struct nsm_signals { struct sigaction old[NSM_CAUGHT], pipe; } nsm_signals;

// undo: called before the end, by a signal handler: it may do only what such a one may. NULL: nothing.
void nsm_end_at_signals(void (*undo)(void));

void nsm_catch_signals(nsm_signals *s);
void nsm_release_signals(const nsm_signals *s);
int  nsm_interrupted(void);      // the number of the signal; 0: none came
// Of what ended with this code: 130 after a signal, but for a limit on the length of a file, of which a write has told.
int  nsm_interrupted_code(int code);
const volatile int *nsm_interrupt_flag(void);             // for nsm_settings.stop: steps that go on look at it
// Not NULL: steps are taken, and nobody writes. Where they are not waited for, the rows so far are written all the
// same, and this text is said; it lives as long as the program. `keep` writes what does not stand in a stream.
void nsm_interrupt_steps(const char *said, void (*keep)(void *), void *with);
void nsm_interrupt_seen(void);   // the work that could hang has ended: what is left is written, however long it takes
