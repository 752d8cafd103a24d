// Many simulations of one program, which go on together. Members share nothing, so each has the bits that it has alone,
// whatever the number of threads.
//
// The threads wait for work; the one that calls does its share. Members are given out in blocks, since some take longer
// than others. One piece of work is one call: back to the start, columns written, inputs, steps, columns read.
#include "runtime/assembly/assembly.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 8 };                    // for each thread

struct nsm_batch {
  long       n, block;
  nsm_sim  **sim;                       // [n]
  nsm_code  *code;                      // [n] what the last steps of each gave
  int        nthread;                   // beside the caller
  pthread_t *thread;
  pthread_mutex_t lock;
  pthread_cond_t  begin, end;
  const nsm_batch_work *work;           // at hand; NULL: none
  long       turn, next, busy;          // pieces of work so far; the next member; threads that are at it
  int        closing;
  long       wrong;                     // the first member that did not go well, and what it said
  nsm_error  error;
};

// ---- one member -----------------------------------------------------------------------------------------------------
static nsm_code give(nsm_sim *s, const nsm_batch_work *w, const double *value, nsm_error *e) {
  nsm_code code = NSM_OK;
  for (int i = 0; i < w->ninput && code == NSM_OK; i++) code = nsm_set_input_at(s, w->input[i], value[i], e);
  return code;
}

static nsm_code steps(const nsm_batch *b, long i, const nsm_batch_work *w, nsm_error *e) {
  nsm_sim *s = b->sim[i];
  const double *value = w->value ? w->value + i * w->ninput : NULL;
  nsm_code code = NSM_OK;
  if (!w->each_step || !value) {
    if (value) code = give(s, w, value, e);
    return code == NSM_OK ? nsm_advance(s, w->steps, e) : code;
  }
  for (long k = 0; k < w->steps && code == NSM_OK && nsm_steps_done(s) < nsm_steps_total(s); k++) {
    code = give(s, w, value + k * b->n * w->ninput, e);
    if (code == NSM_OK) code = nsm_advance(s, 1, e);
  }
  return code;
}

// What goes wrong with columns and inputs is a mistake of the call, and no end of the member.
static nsm_code member(nsm_batch *b, long i, const nsm_batch_work *w, nsm_error *e) {
  nsm_sim *s = b->sim[i];
  nsm_code code = NSM_OK;
  const double *written = w->nwrite > 0 ? w->written + i * w->nwrite : NULL;
  if (w->reset) {
    code = nsm_begin(s, w->nwrite, w->write, written, e);
    if (code != NSM_USAGE) b->code[i] = code;
  }
  for (int c = 0; !w->reset && c < w->nwrite && code == NSM_OK; c++)
    code = nsm_write_column(s, w->write[c], written[c], e);
  if (code == NSM_OK && b->code[i] == NSM_OK && w->steps > 0) {
    code = steps(b, i, w, e);
    if (code != NSM_USAGE && code != NSM_INTERRUPTED) b->code[i] = code;
  }
  if (w->code) w->code[i] = b->code[i];
  if (w->row) {
    nsm_error unread;
    nsm_code read = nsm_read_columns(s, w->column, w->ncolumn, w->row + i * w->ncolumn, &unread);
    if (code == NSM_OK && read != NSM_OK) { code = read; *e = unread; }
  }
  return code;
}

// ---- threads --------------------------------------------------------------------------------------------------------
// Blocks until there are none; called and left with the lock.
static void take_blocks(nsm_batch *b) {
  const nsm_batch_work *w = b->work;
  nsm_error one, first;
  b->busy++;
  while (b->next < b->n) {
    long from = b->next, to = from + b->block < b->n ? from + b->block : b->n;
    b->next = to;
    pthread_mutex_unlock(&b->lock);
    long wrong = -1;
    for (long i = from; i < to; i++) {
      nsm_code code = w->who && !w->who[i] ? NSM_OK : member(b, i, w, &one);
      if (code == NSM_OK || code == NSM_STOPPED || wrong >= 0) continue;
      wrong = i;
      first = one;
      first.code = code;
    }
    pthread_mutex_lock(&b->lock);
    if (wrong >= 0 && (b->wrong < 0 || wrong < b->wrong)) {
      b->wrong = wrong;
      b->error = first;
    }
  }
  if (--b->busy == 0) pthread_cond_broadcast(&b->end);
}

static void *work(void *of) {
  nsm_batch *b = of;
  long turn = 0;
  pthread_mutex_lock(&b->lock);
  for (;;) {
    while (!b->closing && (b->turn == turn || !b->work)) pthread_cond_wait(&b->begin, &b->lock);
    if (b->closing) break;
    turn = b->turn;
    take_blocks(b);
  }
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

nsm_code nsm_batch_do(nsm_batch *b, const nsm_batch_work *w, nsm_error *e) {
  pthread_mutex_lock(&b->lock);
  b->work = w;
  b->next = 0;
  b->wrong = -1;
  b->turn++;
  if (b->nthread > 0) pthread_cond_broadcast(&b->begin);
  take_blocks(b);
  while (b->busy > 0) pthread_cond_wait(&b->end, &b->lock);
  b->work = NULL;
  nsm_code code = b->wrong < 0 ? NSM_OK : b->error.code;
  if (e) *e = b->wrong < 0 ? (nsm_error){ .code = NSM_OK } : b->error;
  pthread_mutex_unlock(&b->lock);
  return code;
}

// ---- opened and closed ----------------------------------------------------------------------------------------------
static int threads_of(long n, int threads) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  long most = threads > 0 ? threads : processors < 1 ? 1 : processors;
  return (int)(most < n ? most : n) - 1;
}

static int clones(nsm_batch *b, nsm_error *e) {
  for (long i = 1; i < b->n; i++)
    if (!(b->sim[i] = nsm_clone(b->sim[0], e))) return 0;
  return 1;
}

nsm_batch *nsm_batch_of(nsm_sim *first, long n, int threads, nsm_error *e) {
  nsm_batch *b = n > 0 ? calloc(1, sizeof *b) : NULL;
  if (b) {
    b->sim = calloc((size_t)n, sizeof(nsm_sim *));
    b->code = calloc((size_t)n, sizeof(nsm_code));
    b->thread = calloc((size_t)threads_of(n, threads) + 1, sizeof(pthread_t));
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->begin, NULL);
    pthread_cond_init(&b->end, NULL);
  }
  if (!b || !b->sim || !b->code || !b->thread) {
    if (n > 0) sim_no_memory(e, "a batch");
    else sim_fail(e, NSM_USAGE, "a batch has at least one simulation, and not %ld", n);
    nsm_close(first);
    nsm_batch_close(b);
    return NULL;
  }
  b->n = n;
  b->sim[0] = first;
  if (!clones(b, e)) {
    nsm_batch_close(b);
    return NULL;
  }
  int wanted = threads_of(n, threads);
  while (b->nthread < wanted && pthread_create(&b->thread[b->nthread], NULL, work, b) == 0) b->nthread++;
  b->block = n / (BLOCKS * (b->nthread + 1));
  if (b->block < 1) b->block = 1;
  return b;
}

void nsm_batch_close(nsm_batch *b) {
  if (!b) return;
  pthread_mutex_lock(&b->lock);
  b->closing = 1;
  pthread_cond_broadcast(&b->begin);
  pthread_mutex_unlock(&b->lock);
  for (int i = 0; i < b->nthread; i++) pthread_join(b->thread[i], NULL);
  for (long i = 0; i < b->n; i++) nsm_close(b->sim[i]);
  pthread_mutex_destroy(&b->lock);
  pthread_cond_destroy(&b->begin);
  pthread_cond_destroy(&b->end);
  free(b->sim);
  free(b->code);
  free(b->thread);
  free(b);
}

long     nsm_batch_size(const nsm_batch *b) { return b->n; }
nsm_sim *nsm_batch_member(const nsm_batch *b, long i) { return i >= 0 && i < b->n ? b->sim[i] : NULL; }

nsm_code nsm_batch_code(const nsm_batch *b, long i) { return i >= 0 && i < b->n ? b->code[i] : NSM_USAGE; }

nsm_code nsm_batch_restore(nsm_batch *b, long i, const void *from, nsm_code code, nsm_error *e) {
  if (i < 0 || i >= b->n) {
    sim_fail(e, NSM_USAGE, "there is no member %ld of %ld", i, b->n);
    return NSM_USAGE;
  }
  nsm_code done = nsm_restore(b->sim[i], from, e);
  if (done == NSM_OK) b->code[i] = code;
  return done;
}
