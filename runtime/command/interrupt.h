// Ctrl-C and its relatives, for commands that run long: SIGINT, SIGTERM, SIGHUP and SIGXFSZ set a flag; what was
// computed is written, and the exit code is 130. What the caller had ignored (nohup) stays so. Writing to a reader that
// went away is an error of the write (EPIPE), not the end of the program.
#pragma once
#include <signal.h>

enum { NSM_CAUGHT = 4 };
typedef struct nsm_signals { struct sigaction old[NSM_CAUGHT], pipe; } nsm_signals;

void nsm_catch_signals(nsm_signals *s);
void nsm_release_signals(const nsm_signals *s);
int  nsm_interrupted(void);
const volatile int *nsm_interrupt_flag(void);             // for nsm_settings.stop: steps that go on look at it
void nsm_interrupt_seen(void);   // the work that could hang has ended: a second signal ends nothing more
