// Several threads, each with simulations of its own of one program: each gives what one thread alone gives.
#include <nsm.h>
#include <pthread.h>
#include <string.h>

enum { THREADS = 4, RUNS = 25 };
typedef struct job { const nsm_program *p; int bad; } job;

static double last(const nsm_program *p) {
  nsm_error e;
  nsm_sim *s = nsm_simulate(p, NULL, &e);
  if (!s) return 0;
  nsm_advance(s, 2000, &e);
  double y = nsm_read_column(s, 1);
  nsm_close(s);
  return y;
}

static void *work(void *with) {
  job *j = with;
  double first = last(j->p);
  for (int i = 1; i < RUNS; i++) {
    double y = last(j->p);
    j->bad |= memcmp(&y, &first, sizeof y) != 0;
  }
  return NULL;
}

int main(int argc, char **argv) {
  nsm_program *p = nsm_compile_file(argv[argc - 1], NULL);
  if (nsm_program_status(p) != NSM_OK) { nsm_print_diagnostics(p, stderr); return 1; }
  job j[THREADS];
  pthread_t t[THREADS];
  int bad = 0;
  for (int i = 0; i < THREADS; i++) { j[i] = (job){ p, 0 }; pthread_create(&t[i], NULL, work, &j[i]); }
  for (int i = 0; i < THREADS; i++) { pthread_join(t[i], NULL); bad |= j[i].bad; }
  nsm_program_free(p);
  return bad;
}
