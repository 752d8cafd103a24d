// Starts on threads. A start hangs on its own values alone, so ends are the same on any number of threads.
#include "fit.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct starting {
  fit          *f;
  const double *start;
  fit_end      *end;
  int           n;
  pthread_mutex_t lock;
  int           next, bad;              // bad: the first start that ended in an error of the whole, -1: none
  nsm_error     error;
} starting;

// What a run writes to, of its own.
static int copy(const fit *from, fit *to) {
  *to = *from;
  to->runs = 0;
  to->file = malloc((size_t)from->nfile * sizeof *to->file);
  if (!to->file) return 0;
  memcpy(to->file, from->file, (size_t)from->nfile * sizeof *to->file);
  for (int k = 0; k < to->nfile; k++) to->file[k].a.value = to->file[k].a.d = NULL;
  return 1;
}

static void give_back(fit *f) {
  for (int k = 0; f->file && k < f->nfile; k++) { free(f->file[k].a.value); free(f->file[k].a.d); }
  free(f->file);
}

static void *work(void *with) {
  starting *w = with;
  fit own;
  nsm_error e = { .code = NSM_OK };
  int good = copy(w->f, &own);
  pthread_mutex_lock(&w->lock);
  if (!good) { w->bad = 0; sim_no_memory(&w->error, "a fit"); }
  while (w->bad < 0 && w->next < w->n && !(own.set.stop && *own.set.stop)) {
    int i = w->next++;
    pthread_mutex_unlock(&w->lock);
    nsm_code code = fit_from(&own, w->start + (long)i * own.np, &w->end[i], &e);
    pthread_mutex_lock(&w->lock);
    if (code != NSM_OK && (w->bad < 0 || i < w->bad)) { w->bad = i; w->error = e; w->error.code = code; }
  }
  if (good) w->f->runs += own.runs;
  pthread_mutex_unlock(&w->lock);
  if (good) give_back(&own);
  return NULL;
}

nsm_code fit_all(fit *f, const double *start, fit_end *end, int n, int threads, nsm_error *e) {
  starting w = { .f = f, .start = start, .end = end, .n = n, .lock = PTHREAD_MUTEX_INITIALIZER, .bad = -1 };
  int more = (threads < n ? threads : n) - 1, made = 0;
  pthread_t *of = calloc((size_t)(more > 0 ? more : 0) + 1, sizeof *of);
  if (!of) return sim_no_memory(e, "a fit");
  while (made < more && pthread_create(&of[made], NULL, work, &w) == 0) made++;
  work(&w);
  for (int i = 0; i < made; i++) pthread_join(of[i], NULL);
  free(of);
  pthread_mutex_destroy(&w.lock);
  if (w.bad >= 0) { if (e) *e = w.error; return w.error.code; }
  if (f->set.stop && *f->set.stop) return NSM_INTERRUPTED;
  return NSM_OK;
}
