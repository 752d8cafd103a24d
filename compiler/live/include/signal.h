// For wasm32: no signal comes. A page ends a run from outside.
#pragma once
typedef int sig_atomic_t;
enum { SIGPIPE = 13, SIGXFSZ = 25 };
#define SIG_IGN ((void (*)(int))1)
#define SIG_DFL ((void (*)(int))0)
static inline void (*signal(int number, void (*how)(int)))(int) { (void)number; return how; }
static inline int raise(int number) { (void)number; return -1; }
struct sigaction { int unused; };
