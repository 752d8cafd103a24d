// nsm as a library: compiles a model, steps it, saves and restores its state, clones it, reads its energies, controls
// it by a parameter, and shows what a wrong model is told.
//
//   cc example.c $(pkg-config --cflags --libs nsm) -lm -o example && ./example ball.nsm
#include <math.h>
#include <nsm.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void need(int good, const char *what) {
  printf("%s: %s\n", good ? "ok" : "FAILED", what);
  failed |= !good;
}

// Do both stand at the same values, bit by bit?
static int same(nsm_sim *a, nsm_sim *b) {
  int n = nsm_ncolumn(a);
  double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
  nsm_read(a, x);
  nsm_read(b, y);
  int equal = n == nsm_ncolumn(b) && memcmp(x, y, (size_t)n * sizeof *x) == 0;
  free(x);
  free(y);
  return equal;
}

static void steps_and_states(const nsm_program *p) {
  nsm_error e;
  nsm_sim *s = nsm_simulate(p, NULL, &e), *fresh = nsm_simulate(p, NULL, &e);
  nsm_keep_ledger(s);
  need(nsm_advance(s, 100, &e) == NSM_OK && nsm_steps_done(s) == 100, "100 steps");
  void *state = malloc(nsm_state_size(s));
  nsm_save(s, state);
  nsm_sim *twin = nsm_clone(s, &e);
  nsm_advance(s, nsm_steps_total(s), &e);
  nsm_advance(twin, nsm_steps_total(s), &e);
  need(nsm_steps_done(s) == nsm_steps_total(s) && same(s, twin), "a clone goes the same way");
  need(nsm_restore(fresh, state, &e) == NSM_OK && nsm_steps_done(fresh) == 100, "a state is restored");
  nsm_advance(fresh, nsm_steps_total(s), &e);
  need(same(s, fresh), "a restored state goes the same way");
  nsm_energy a;
  need(nsm_get_energy(s, &a) == 2, "there is a ledger");
  double sum = a.initial + a.forces - a.dampers - a.contacts;
  need(fabs(a.kinetic + a.potential - sum) <= 1e-12 * fabs(a.initial), "the ledger closes");
  printf("energy %.17g of %.17g J, contacts took %.17g J\n", a.kinetic + a.potential, a.initial, a.contacts);
  nsm_close(s);
  nsm_close(twin);
  nsm_close(fresh);
  free(state);
}

static void changes(const nsm_program *p) {
  nsm_error e;
  nsm_assignment half = { "e", 0.5 };
  nsm_settings set = nsm_default_settings();
  set.set = &half;
  set.nset = 1;
  nsm_sim *s = nsm_simulate(p, NULL, &e), *other = nsm_simulate(p, &set, &e);
  need(nsm_get_parameter(s, "e") == 0.9 && nsm_get_parameter(other, "e") == 0.5, "parameters are set");
  nsm_advance(s, 50, &e);
  need(nsm_set_parameter(s, "e", 0.5, &e) == NSM_OK, "a parameter changes in a run");
  nsm_advance(s, 150, &e);
  nsm_advance(other, 200, &e);
  need(nsm_time(s) == 1 && same(s, other), "before the first impact e does not matter");
  need(nsm_set_parameter(s, "f", 1, &e) == NSM_USAGE && strstr(e.text, "no parameter"), "unknown parameters are named");
  int z = nsm_find_column(s, "z"), v = nsm_find_column(s, "z'"), l = nsm_find_column(s, "floor.lambda");
  nsm_reset(s);
  need(nsm_write_column(s, z, 3, &e) == NSM_OK && nsm_write_column(s, v, 2, &e) == NSM_OK, "initial values are set");
  need(nsm_read_column(s, z) == 3 && nsm_read_column(s, v) == 2, "and read");
  need(nsm_write_column(s, l, 1, &e) == NSM_USAGE && nsm_write_column(s, z, NAN, &e) == NSM_USAGE, "others are not");
  need(nsm_write_column(s, -1, 1, &e) == NSM_USAGE && nsm_write_column(s, 999, 1, &e) == NSM_USAGE, "nor what is none");
  need(nsm_begin(s, 2, (int[]){ z, v }, (double[]){ 3, 2 }, &e) == NSM_OK && nsm_read_column(s, z) == 3, "a start");
  need(nsm_begin(s, 1, &z, (double[]){ -5 }, &e) == NSM_FAILED && strstr(e.text, "violate"), "that no law allows");
  need(nsm_begin(s, 1, &l, (double[]){ 1 }, &e) == NSM_USAGE && nsm_read_column(s, z) == 1, "of what is no state");
  need(nsm_step_by(s, 1e-4, &e) == NSM_OK && fabs(nsm_time(s) - 1e-4) < 1e-18, "a step of any length");
  nsm_close(s);
  nsm_close(other);
}

static void mistakes(void) {
  static const char text[] = "model A {\n  coord x = 1;\n  kinetic x'^2/2;\n  force x = fo;\n}\n";
  nsm_program *p = nsm_compile_text(text, "a.nsm", NULL);
  need(nsm_program_status(p) == NSM_MODEL_WRONG && nsm_ndiagnostic(p) == 1, "a wrong model");
  const nsm_diagnostic *d = nsm_diagnostics(p);
  need(d->severity == NSM_ERROR && d->line == 4 && d->column == 13 && d->end_column == 15 && !strcmp(d->file, "a.nsm"),
       "a diagnostic has its place");
  printf("%s: %s\n", d->code, d->message);
  nsm_error e;
  need(nsm_simulate(p, NULL, &e) == NULL && e.code == NSM_MODEL_WRONG, "it cannot be simulated");
  nsm_program_free(p);
  p = nsm_compile_file("there/is/no.nsm", NULL);
  need(nsm_program_status(p) == NSM_FILE, "a file that is not there");
  nsm_program_free(p);
  nsm_assignment wrong = { "q", 1 };
  nsm_compile_settings set = { .set = &wrong, .nset = 1 };
  p = nsm_compile_text("model A { param m = 1; coord x = 1; kinetic m*x'^2/2; }", "b.nsm", &set);
  need(nsm_program_status(p) == NSM_USAGE && strstr(nsm_program_message(p), "no parameter"), "an unknown parameter");
  nsm_program_free(p);
  p = nsm_compile_text("import \"std/nothing.nsm\";", "c.nsm", &(nsm_compile_settings){ .jit = "x" });
  need(nsm_program_status(p) == NSM_USAGE && strstr(nsm_program_message(p), "tcc"), "an unknown backend");
  nsm_program_free(p);
}

// Samples, resets, delays and inputs belong to the state: saved in the middle, a run goes on with the same bits.
static void events_and_inputs(void) {
  static const char text[] =
      "model Events { input w = 0.5;  state x = 1, y = 0;  discrete u = 0, n = 0;\n"
      "x' = u - delay(x, 0.05);  y' = w + 1;\n"
      "every 7e-3 { u = 0.5*u - x + w; }  when y > 0.2 { y = 0;  n = n + 1; }\n"
      "simulate { until = 1, step = 0.003 } }";
  nsm_error e;
  nsm_program *p = nsm_compile_text(text, "events.nsm", NULL);
  nsm_sim *s = nsm_simulate(p, NULL, &e), *fresh = nsm_simulate(p, NULL, &e);
  need(s && fresh && nsm_advance(s, 150, &e) == NSM_OK, "a model with events steps");
  need(nsm_set_input(s, "w", 0.25, &e) == NSM_OK && nsm_advance(s, 1, &e) == NSM_OK, "an input is set");
  need(nsm_set_input(s, "v", 1, &e) == NSM_USAGE && strstr(e.text, "no input"), "unknown inputs are named");
  void *state = malloc(nsm_state_size(s));
  nsm_save(s, state);
  nsm_sim *twin = nsm_clone(s, &e);
  need(nsm_restore(fresh, state, &e) == NSM_OK, "its state is restored");
  nsm_advance(s, nsm_steps_total(s), &e);
  nsm_advance(fresh, nsm_steps_total(s), &e);
  nsm_advance(twin, nsm_steps_total(s), &e);
  need(same(s, fresh) && same(s, twin), "events go on with the same bits");
  need(nsm_read_column(s, nsm_find_column(s, "n")) > 3, "resets took place");
  nsm_close(s);
  nsm_close(fresh);
  nsm_close(twin);
  nsm_program_free(p);
  free(state);
}

// Many steps in one call give the rows that single ones give; texts come in pieces that fit; names have meanings.
static void rows_and_texts(void) {
  static const char text[] =
      "model Rows {\n  param n = 3, k = 2 [N/m] \"stiffness\";\n  coord x[n] : m = 1;\n"
      "  for i in 1:n { kinetic (1 [kg])*x[i]'^2/2; potential k*x[i]^2/2; }\n"
      "  output pair : m = x[1] + x[2] \"of two\";\n  assert time < 0.85 [s];\n"
      "  simulate { until = 1, step = 0.1 }\n}\n";
  nsm_error e;
  nsm_program *p = nsm_compile_text(text, "rows.nsm", NULL);
  nsm_sim *s = nsm_simulate(p, NULL, &e), *single = nsm_simulate(p, NULL, &e);
  need(s && single, "a family is simulated");
  int n = nsm_ncolumn(s), energy = nsm_find_column(s, "energy"), sum = nsm_find_column(s, "pair");
  need(energy == n && !strcmp(nsm_column_name(s, n + 3), "energy.residue"), "energies stand behind the columns");
  int column[4] = { energy, sum, nsm_find_column(s, "x[2]"), n + NSM_ENERGIES };
  double rows[32], whole[32], now[4];
  long nrow = 0;
  need(nsm_record(s, 7, 2, column, 4, rows, &nrow, &e) == NSM_OK && nrow == 3, "each second of seven steps");
  for (int k = 0; k < 3; k++) {
    nsm_advance(single, 2, &e);
    nsm_read(single, whole);
    int good = rows[4*k + 1] == whole[sum] && rows[4*k + 2] == whole[column[2]] && isnan(rows[4*k + 3]);
    need(good && rows[4*k + 0] == nsm_read_column(single, energy), "a row has the values of its step");
  }
  need(nsm_record(s, 1, 2, column, 4, rows, &nrow, &e) == NSM_OK && nrow == 4, "the eighth counts as such");
  need(nsm_record(s, 9, 1, NULL, n, rows, &nrow, &e) == NSM_CLAIM && nrow == 5, "an assertion fails behind a step");
  need(nsm_read_columns(s, column, 4, now, &e) == NSM_OK && now[1] == nsm_read_column(s, sum), "the row of now");
  nsm_error claim = { .code = NSM_OK };
  nsm_advance(single, 9, &claim);
  char all[2048], part[8];
  size_t length = nsm_run_error_text(p, &claim, all, sizeof all);
  need(length == strlen(all) && strstr(all, "^^^^") && strstr(all, "rows.nsm:6:10"), "an error of a run has its place");
  need(nsm_run_error_text(p, &claim, part, sizeof part) == length && !strncmp(part, all, 7) && !part[7], "cut short");
  need(nsm_derivation(p, NULL, all, sizeof all) > 100 && strstr(all, "model Rows"), "the derivation");
  need(nsm_derivation(p, "latex", NULL, 0) > 100 && nsm_derivation(p, "pdf", all, 9) == 0 && !*all, "its forms");
  nsm_meaning k = nsm_meaning_of(p, "k"), x = nsm_meaning_of(p, "x[2]'"), of_sum = nsm_meaning_of(p, "pair");
  need(!strcmp(k.unit, "N/m") && !strcmp(k.doc, "stiffness") && !strcmp(x.unit, "m/s"), "units, descriptions");
  need(!strcmp(of_sum.doc, "of two") && !strcmp(nsm_meaning_of(p, "x[]").unit, ""), "of outputs; of no name");
  nsm_close(s);
  nsm_close(single);
  nsm_program_free(p);
  p = nsm_compile_text("model A { coord x = ; }", "wrong.nsm", NULL);
  length = nsm_diagnostics_text(p, all, sizeof all);
  need(length == strlen(all) && strstr(all, "wrong.nsm:1:20") && strstr(all, "1 error"), "diagnostics as text");
  need(nsm_derivation(p, NULL, NULL, 0) == 0, "nothing was derived");
  nsm_program_free(p);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  events_and_inputs();
  rows_and_texts();
  nsm_program *p = nsm_compile_file(argv[1], NULL);
  if (nsm_program_status(p) != NSM_OK) { nsm_print_diagnostics(p, stderr); return 1; }
  printf("nsm %s: %s, %d parameters\n", nsm_version(), nsm_program_name(p), nsm_nparameter(p));
  steps_and_states(p);
  changes(p);
  mistakes();
  nsm_program_free(p);
  return failed;
}
