// The friction problems beside the project (../shared/problems/fc2d, fc3d), where they are: each is solved by default
// options, in time, dense and as rows; and the answer stands before a verifier of this file, in extended precision, by
// the words of (2).
#include "friction.h"
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// (2) for contacts (n, t...) alone; *allowed: 1e-12, or what round-off excuses.
static double friction_residual(const friction *f, double *allowed) {
  const nsm_cone_problem *p = &f->b.p;
  const double *lambda = f->b.lambda;
  long double scale = 0, worst = 0, floor = 0;
  for (int i = 0; i < p->m; i++) scale = fmaxl(scale, fabsl((long double)lambda[i]));
  if (scale == 0) scale = 1;
  for (int c = 0; c < p->cones; c++) {
    const nsm_cone_block *k = p->cone + c;
    long double u[3], z[3], trace = 0, size = 0, slip = 0, length = 0, distance = 0;
    for (int r = 0; r < k->size; r++) {
      int i = k->first + r;
      long double row = fabsl((long double)p->q[i]);
      u[r] = p->q[i];
      for (int j = 0; j < p->m; j++) {
        long double t = (long double)p->M[i + j * p->m] * lambda[j];
        u[r] += t;
        row += fabsl(t);
      }
      size += row * row;
      trace += p->M[i + i * p->m];
      if (r) slip += u[r] * u[r];
    }
    long double rho = trace > 0 ? k->size / trace : 1, mu = k->mu, N;
    for (int r = 0; r < k->size; r++) {
      z[r] = lambda[k->first + r] - rho * (u[r] + (r ? 0 : mu * sqrtl(slip)));
      if (r) length += z[r] * z[r];
    }
    length = sqrtl(length);
    N = length <= mu * z[0] ? z[0] : mu * length <= -z[0] ? 0 : (z[0] + mu * length) / (1 + mu * mu);
    for (int r = 0; r < k->size; r++) {
      long double P = r == 0                ? N
                      : length <= mu * z[0] ? z[r]
                      : length > 0          ? mu * N * z[r] / length
                                            : 0,
                  d = lambda[k->first + r] - P;
      distance += d * d;
    }
    worst = fmaxl(worst, sqrtl(distance) / scale);
    floor = fmaxl(floor, rho * DBL_EPSILON * sqrtl(size) * (1 + mu) / scale);
  }
  *allowed = (double)fmaxl(1.01e-12L, 8.1L * floor);
  return (double)worst;
}

static void check_file(const char *name, const char *path) {
  friction f, s;
  if (!friction_read(path, &f)) fail_msg("cannot read %s", path);
  s = friction_sparse(&f);
  for (int form = 0; form < 2; form++) {
    friction *g = form ? &s : &f;
    double allowed, start = now();
    bench_solve(&g->b, NULL, 0);
    double time = now() - start;
    if (form) memcpy(f.b.lambda, s.b.lambda, (size_t)f.b.p.m * 8);
    double r = friction_residual(&f, &allowed);
    if (getenv("NSM_SHOW"))
      printf("%-36s m %4d %-6s residual %9.2e floor %8.1e iterations %5d %8.3f ms by %s\n", name, f.b.p.m,
             form ? "rows" : "dense", r, g->b.r.floor, g->b.r.iterations, 1e3 * time,
             g->b.r.solver ? g->b.r.solver : "-");
    if (g->b.r.status != NSM_CONE_SOLVED) fail_msg("%s: status %d, residual %g", name, g->b.r.status, r);
    if (!(r <= allowed)) fail_msg("%s: residual %g by %s", name, r, g->b.r.solver);
    if (!(time < 30)) fail_msg("%s: %g s", name, time);
  }
  friction_close(&f);
  friction_close(&s);
}

static void all_files(void **state) {
  (void)state;
  int count = 0;
  const char *const kinds[] = { "fc2d", "fc3d" };
  for (int k = 0; k < 2; k++) {
    char folder[600], path[1200];
    snprintf(folder, sizeof folder, "%s/../shared/problems/%s", NSM_SOURCE_DIR, kinds[k]);
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
      if (e->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
      check_file(e->d_name, path);
      count++;
    }
    if (d) closedir(d);
  }
  if (count == 0) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(all_files) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
