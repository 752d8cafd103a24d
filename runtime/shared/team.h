// Threads that share out what a step does in parts: sweeps over large piles (cone/sweeps.c). FMUs and pages have none.
#pragma once

typedef void nsm_team_task(void *with, int k);
typedef struct nsm_team {                // run: tasks 0 ... count - 1, in any order; back when all are done
  void (*run)(void *pool, nsm_team_task *task, void *with, int count);
  void  *pool;
} nsm_team;

// NULL: one thread, or no memory for more. A team that is at work for one simulation leaves others to their own thread.
nsm_team *nsm_team_open(int threads);
void      nsm_team_close(nsm_team *t);                     // NULL is allowed
