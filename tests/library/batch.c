// Batches by include/nsm.h: each member has the bits of a run alone, with inputs for each step, on 1, 2 and 5 threads;
// members that are put back, saved and restored; mistakes of a call. usage: batch
#include <nsm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 9, STEPS = 40, MOST = 16 };

static const char model[] =
  "model Cart { param m = 2 [kg]; input u : N = 0, w : N = 0; coord x : m = 0, x' = 1 [m/s]; kinetic m*x'^2/2;\n"
  "  force x = u + w; contact wall: 0.3 [m] - x >= 0 with newton(0.5); simulate { until = 1 [s], step = 20 [ms] } }";

static int wrong;
static void need(int good, const char *what) {
  if (good) return;
  printf("FAILED: %s\n", what);
  wrong = 1;
}

static double u_of(int k, int i) { return (k * 37 + i * 101) % 19 - 9; }

static void alone(const nsm_program *p, int i, double *row) {
  nsm_error e;
  nsm_sim *s = nsm_simulate(p, NULL, &e);
  nsm_set_parameter(s, "m", 1 + i, &e);
  for (int k = 0; k < STEPS; k++) {
    nsm_set_input(s, "u", u_of(k, i), &e);
    nsm_set_input(s, "w", i, &e);
    nsm_advance(s, 1, &e);
  }
  nsm_read(s, row);
  nsm_close(s);
}

static nsm_batch *made(const nsm_program *p, int threads) {
  nsm_error e;
  nsm_batch *b = nsm_batch_of(nsm_simulate(p, NULL, &e), N, threads, &e);
  for (int i = 0; b && i < N; i++) nsm_set_parameter(nsm_batch_member(b, i), "m", 1 + i, &e);
  return b;
}

static void same_bits(const nsm_program *p, int threads) {
  static double value[STEPS][N][2], row[N][MOST], own[N][MOST];
  int input[2] = { 1, 0 };                                 // w, u
  nsm_error e;
  nsm_batch *b = made(p, threads);
  int n = nsm_ncolumn(nsm_batch_member(b, 0));
  for (int k = 0; k < STEPS; k++)
    for (int i = 0; i < N; i++) { value[k][i][0] = i; value[k][i][1] = u_of(k, i); }
  double rows[N * MOST];
  nsm_batch_work w = { .ninput = 2, .input = input, .value = &value[0][0][0], .each_step = 1, .steps = STEPS,
                       .ncolumn = n, .row = rows };
  for (int turn = 0; turn < 3; turn++, w.reset = 1) {
    need(nsm_batch_do(b, &w, &e) == NSM_OK, "steps");
    for (int i = 0; i < N; i++) {
      memcpy(row[i], rows + i * n, (size_t)n * sizeof(double));
      alone(p, i, own[i]);
      need(memcmp(row[i], own[i], (size_t)n * sizeof(double)) == 0, "a member has other bits than a run alone");
    }
  }
  nsm_batch_close(b);
}

static void parts(const nsm_program *p) {
  unsigned char who[N] = { 0, 1 };
  nsm_error e;
  nsm_batch *b = made(p, 0);
  int x = nsm_find_column(nsm_batch_member(b, 0), "x"), t = 0;
  double place[N], time[N], to[N] = { 0, 0.25 };
  nsm_batch_work w = { .steps = 10, .ncolumn = 1, .column = &x, .row = place };
  need(nsm_batch_do(b, &w, &e) == NSM_OK, "steps");
  void *state = malloc(nsm_state_size(nsm_batch_member(b, 1)));
  nsm_save(nsm_batch_member(b, 1), state);
  w = (nsm_batch_work){ .who = who, .reset = 1, .nwrite = 1, .write = &x, .written = to };
  need(nsm_batch_do(b, &w, &e) == NSM_OK && nsm_read_column(nsm_batch_member(b, 1), x) == 0.25, "one is put back");
  w = (nsm_batch_work){ .ncolumn = 1, .column = &t, .row = time };
  need(nsm_batch_do(b, &w, &e) == NSM_OK && time[1] == 0 && time[0] > 0.19, "times");
  need(nsm_batch_restore(b, 1, state, NSM_OK, &e) == NSM_OK, "restored");
  need(nsm_read_column(nsm_batch_member(b, 1), x) == place[1], "the place that was saved");
  const double none = strtod("nan", NULL);
  int no = 7, u = 0;
  need(nsm_batch_do(b, &(nsm_batch_work){ .ninput = 1, .input = &no, .value = to, .steps = 1 }, &e) == NSM_USAGE,
       "an input that is none");
  double nans[N];
  for (int i = 0; i < N; i++) nans[i] = none;
  need(nsm_batch_do(b, &(nsm_batch_work){ .ninput = 1, .input = &u, .value = nans, .steps = 1 }, &e) == NSM_USAGE &&
         nsm_batch_code(b, 0) == NSM_OK,
       "an input that is no number");
  need(nsm_batch_do(b, &(nsm_batch_work){ .steps = 1000 }, &e) == NSM_OK, "to the end of the run");
  need(!nsm_batch_of(nsm_simulate(p, NULL, &e), 0, 1, &e) && e.code == NSM_USAGE, "a batch of none");
  need(nsm_batch_size(b) == N && !nsm_batch_member(b, N) && nsm_batch_code(b, -1) == NSM_USAGE, "members");
  free(state);
  nsm_batch_close(b);
  nsm_batch_close(NULL);
}

int main(void) {
  nsm_program *p = nsm_compile_text(model, "cart.nsm", NULL);
  if (nsm_program_status(p) != NSM_OK) { nsm_print_diagnostics(p, stderr); return 1; }
  for (int threads = 1; threads < 6; threads += threads == 1 ? 1 : 3) same_bits(p, threads);
  parts(p);
  nsm_program_free(p);
  if (!wrong) printf("ok\n");
  return wrong;
}
