// What the compiler and the runtime ask of a machine and a page does not have: signals, files that are undone,
// libraries beside the program, other threads and processes.
#include <stdlib.h>
#include "../../runtime/command/interrupt.h"
#include "../../runtime/record/hdf5.h"
#include "../../runtime/schemes/flow_solver.h"
#include "../../runtime/shared/team.h"
#include "../../runtime/sweep/sweep.h"
#include "../api/installed.h"
#include "../base/ending.h"
#include "../driver/view.h"
#include "../view/page_parts.h"

// ---- compiler/base/ending.h -----------------------------------------------------------------------------------------
void ending_watch(void) {}
bool ending_watched(void) { return false; }
void ending_folder(const char *path) { (void)path; }
void ending_file(const char *path) { (void)path; }
void ending_undo(void) {}

// ---- compiler/api/installed.h ---------------------------------------------------------------------------------------
const Installed *installed(Arena *a) {
  static const Installed at = { "/std", "", "" };
  (void)a;
  return &at;
}

// ---- runtime/command/interrupt.h ------------------------------------------------------------------------------------
static const volatile int never = 0;
void nsm_catch_signals(nsm_signals *s) { (void)s; }
void nsm_release_signals(const nsm_signals *s) { (void)s; }
void nsm_end_at_signals(void (*undo)(void)) { (void)undo; }
int  nsm_interrupted(void) { return 0; }
int  nsm_interrupted_code(int code) { return code; }
const volatile int *nsm_interrupt_flag(void) { return &never; }
void nsm_interrupt_steps(const char *said, void (*keep)(void *), void *with) { (void)said, (void)keep, (void)with; }
void nsm_interrupt_seen(void) {}

// ---- runtime/shared/team.h: one thread ------------------------------------------------------------------------------
nsm_team *nsm_team_open(int threads) { (void)threads; return NULL; }
void      nsm_team_close(nsm_team *t) { (void)t; }

// ---- files: there are none ------------------------------------------------------------------------------------------
int flock(int file, int how);
int flock(int file, int how) { (void)file; (void)how; return -1; }
char *realpath(const char *path, char *to);
char *realpath(const char *path, char *to) { (void)path; (void)to; return NULL; }

// ---- compiler/view/page_parts.h: the page is there already ----------------------------------------------------------
void page_fit(Trace *t, const PageFacts *f) { (void)t; (void)f; }
void page_write(const Trace *t, const PageFacts *f, Text *out) { (void)t; (void)f; (void)out; }

// ---- compiler/driver/view.h: the page has them already --------------------------------------------------------------
const char *view_vocabulary(Arena *a) { (void)a; return ""; }

// ---- runtime/record/hdf5.h, runtime/sweep/sweep.h: of other commands ------------------------------------------------
int nsm_h5_is(const char *path) { (void)path; return 0; }
const nsm_h5 *nsm_h5_plugin(nsm_error *e) { (void)e; return NULL; }
const nsm_flow_solver *nsm_flow_plugin(nsm_error *e) {
  *e = (nsm_error){ .code = NSM_USAGE, .text = "event_driven needs SUNDIALS, which pages do not have" };
  return NULL;
}

int nsm_sweep_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host) {
  (void)m;
  (void)f;
  (void)host;
  return 2;
}
