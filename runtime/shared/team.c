// A round of tasks is one number, turn << 32 | count << 16 | next: whoever raises `next` has that task, and the round
// cannot end before it is done. Threads look for the next round a while before they sleep, as rounds of a sweep follow
// each other within microseconds.
#include "team.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { LOOKS = 2000 };                   // before a thread sleeps

typedef struct pool {
  nsm_team        team;
  pthread_mutex_t lock, busy;            // of those who sleep; of the one that has a round
  pthread_cond_t  begin, end;
  _Atomic uint64_t round;
  _Atomic int     done, asleep, waits, closing;
  nsm_team_task  *task;
  void           *with;
  int             n;                     // threads beside the caller
  pthread_t       thread[];
} pool;

static void rest(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static int is_open(uint64_t round) { return (round & 0xffff) < (round >> 16 & 0xffff); }

// Tasks until there are none.
static void take(pool *p) {
  for (;;) {
    uint64_t now = atomic_load(&p->round);
    if (!is_open(now)) return;
    if (!atomic_compare_exchange_weak(&p->round, &now, now + 1)) continue;
    p->task(p->with, (int)(now & 0xffff));
    atomic_fetch_add(&p->done, 1);
    if (!atomic_load(&p->waits)) continue;
    pthread_mutex_lock(&p->lock);
    pthread_cond_signal(&p->end);
    pthread_mutex_unlock(&p->lock);
  }
}

static void *work(void *of) {
  pool *p = of;
  while (!atomic_load(&p->closing)) {
    for (int i = 0; i < LOOKS && !is_open(atomic_load(&p->round)); i++) rest();
    if (!is_open(atomic_load(&p->round))) {
      pthread_mutex_lock(&p->lock);
      atomic_fetch_add(&p->asleep, 1);
      while (!is_open(atomic_load(&p->round)) && !atomic_load(&p->closing)) pthread_cond_wait(&p->begin, &p->lock);
      atomic_fetch_sub(&p->asleep, 1);
      pthread_mutex_unlock(&p->lock);
    }
    take(p);
  }
  return NULL;
}

static void wake(pool *p) {
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->begin);
  pthread_mutex_unlock(&p->lock);
}

static void run(void *of, nsm_team_task *task, void *with, int count) {
  pool *p = of;
  if (count > 0xffff || pthread_mutex_trylock(&p->busy) != 0) {
    for (int k = 0; k < count; k++) task(with, k);
    return;
  }
  p->task = task;
  p->with = with;
  atomic_store(&p->done, 0);
  atomic_store(&p->round, ((atomic_load(&p->round) >> 32) + 1) << 32 | (uint64_t)count << 16);
  if (atomic_load(&p->asleep) > 0) wake(p);
  take(p);
  for (int i = 0; i < LOOKS && atomic_load(&p->done) < count; i++) rest();
  if (atomic_load(&p->done) < count) {
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->waits, 1);
    while (atomic_load(&p->done) < count) pthread_cond_wait(&p->end, &p->lock);
    atomic_store(&p->waits, 0);
    pthread_mutex_unlock(&p->lock);
  }
  pthread_mutex_unlock(&p->busy);
}

nsm_team *nsm_team_open(int threads) {
  pool *p = threads > 1 ? calloc(1, sizeof *p + (size_t)(threads - 1) * sizeof *p->thread) : NULL;
  if (!p) return NULL;
  p->team = (nsm_team){ run, p };
  pthread_mutex_init(&p->lock, NULL);
  pthread_mutex_init(&p->busy, NULL);
  pthread_cond_init(&p->begin, NULL);
  pthread_cond_init(&p->end, NULL);
  while (p->n < threads - 1 && pthread_create(&p->thread[p->n], NULL, work, p) == 0) p->n++;
  return &p->team;
}

void nsm_team_close(nsm_team *t) {
  pool *p = t ? t->pool : NULL;
  if (!p) return;
  atomic_store(&p->closing, 1);
  wake(p);
  for (int i = 0; i < p->n; i++) pthread_join(p->thread[i], NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_mutex_destroy(&p->busy);
  pthread_cond_destroy(&p->begin);
  pthread_cond_destroy(&p->end);
  free(p);
}
