// Random garbage through the public header: nan, infinities, the largest and smallest doubles, bounds in the wrong
// order, blocks that overlap or have negative coefficients, rows out of order, workspaces too small, names and
// tolerances of any kind. Whatever comes in: bad input is named as such and good input is not; what is called solved
// holds (1); no nan comes out. Short here; NSM_FUZZ=SECONDS makes it long.
#include "bench.h"
#include <stdio.h>
#include <time.h>

static double pick(const double *x, int n) { return x[(int)((draw() + 1) / 2 * n)]; }
static int    integer(int n) { return (int)((draw() + 1) / 2 * n); }

// Values of a kind that belongs to the whole problem, so that most problems have answers.
static double value(int wild) {
  static const double strange[] = { NAN,      HUGE_VAL, -HUGE_VAL, DBL_MAX, -DBL_MAX, DBL_MIN,
                                    4.9e-324, 1e200,    -1e200,    1e-200,  -0.0 };
  static const double plain[] = { 0, 0, 1, -1, 2, 0.5, 1e6, 1e-6, -1e-6, 1e15, 1e-15 };
  if (wild >= 3 && draw() > 0.97) return pick(strange, 11);
  if (wild == 2) return pick(plain, 11);
  if (wild == 1) return draw() * pow(10, 8 * draw());
  return draw();
}

typedef struct hostile { bench b; nsm_cone_block block[6]; size_t bytes; } hostile;

static void random_problem(hostile *h) {
  int m = draw() > 0.9 ? 1 + integer(40) : 1 + integer(9), sparse = draw() > 0.5, wild = integer(5),
      structure = integer(4);
  size_t n = (size_t)m;
  h->b = bench_open(m, sparse ? m * m : 0, m);
  bench *b = &h->b;
  int rank = 1 + integer(m);
  for (int i = 0; i < m * m; i++) b->M[i] = value(wild);
  if (structure == 1) {
    fill_semidefinite(b, rank, 0);
    for (int i = 0; i < m; i++) b->M[i + i * m] += draw() > 0.9 ? value(wild) : 0;
  }
  if (structure == 2)
    for (int i = 0; i < m * m; i++) b->M[i] = i % (m + 1) == 0 ? fabs(value(wild)) : draw() > 0.7 ? value(wild) : 0;
  if (structure == 3 && draw() > 0.5) memset(b->M, 0, n * n * 8);
  for (int i = 0; i < m; i++) { b->q[i] = value(wild); b->lo[i] = 0; b->hi[i] = HUGE_VAL; }
  if (draw() > 0) fill_bounds(b, 31);
  if (draw() > 0.8) for (int i = 0; i < m; i++) { b->lo[i] = value(wild); b->hi[i] = value(wild); }
  if (draw() > 0.9) memset(b->q, 0, n * 8);
  if (sparse) {
    int k = 0;
    for (int i = 0; i < m; i++) {
      b->row_start[i] = k;
      for (int j = 0; j < m; j++) if (draw() > -0.5) { b->col[k] = j; k++; }
    }
    b->row_start[m] = k;
    if (draw() > 0.95 && k > 0) b->col[integer(k)] = integer(2 * m) - m / 2;
    if (draw() > 0.95) b->row_start[integer(m + 1)] = integer(k + 1);
  }
  int at = 0, cones = draw() > 0 ? 0 : 1 + integer(4);
  for (int c = 0; c < cones; c++) {
    static const int sizes[] = { 3, 3, 4, 2, 2, 0, 0, 0, 4, 3, 4 };
    int type = draw() > 0.4 ? NSM_CONE_CONTENSOU_EXACT + integer(3) : integer(5);
    at += integer(2);
    nsm_cone_block k = {
      (nsm_cone_type)type, at,          sizes[type] - (type == 0 && draw() > 0), fabs(draw()) * (draw() > 0.5 ? 10 : 1),
      fabs(draw()),        fabs(draw())
    };
    if (draw() > 0.9) k.mu = 0;
    if (at + k.size > m && draw() > -0.9) break;
    if (draw() > 0.98) k.type = (nsm_cone_type)(integer(15) - 2);
    if (draw() > 0.98) k.first = integer(3 * m) - m;
    if (draw() > 0.98) k.size = integer(9) - 2;
    if (draw() > 0.98) k.mu = value(4);
    if (draw() > 0.98) k.radius = value(4);
    h->block[b->p.cones++] = k;
    at += k.size > 0 ? k.size : 1;
  }
  b->p.cone = h->block;
  b->p.matrix_id = 0;
  if (draw() > 0.995) b->p.m = -integer(3);
  h->bytes = nsm_cone_workspace_size_with(m, n * n, m, cones);
  if (draw() > 0.8)
    h->bytes =
        nsm_cone_workspace_size(0, 0, 0) + (size_t)integer((int)(h->bytes - nsm_cone_workspace_size(0, 0, 0)) + 1);
  free(b->work);
  b->work = malloc(h->bytes);
  if (!b->work) abort();
  memset(b->work, 0xa5, h->bytes);
  nsm_cone_workspace_init(b->work, h->bytes);
}

// What problem.h calls bad, by its words.
static int is_bad(const hostile *h) {
  const nsm_cone_problem *p = &h->b.p;
  int m = p->m, end = 0, bad = 0;
  if (m < 0) return 1;
  if (m == 0) return p->cones > 0;
  unsigned char *in_block = zeros((size_t)m, 1);
  for (int c = 0; c < p->cones && !bad; c++) {
    const nsm_cone_block *k = &p->cone[c];
    int t = (int)k->type, fits = t == NSM_CONE_COULOMB || t == NSM_CONE_GRIP ? k->size == 2 || k->size == 3
                                 : t == NSM_CONE_ELLIPTIC                    ? k->size == 3
                                 : t == NSM_CONE_CONTENSOU || t == NSM_CONE_CONTENSOU_EXACT || t == NSM_CONE_GRIP3
                                     ? k->size == 4
                                 : t == NSM_CONE_GRIP2 ? k->size == 3 || k->size == 4
                                 : t == NSM_CONE_ROLLING ? k->size == 3 || k->size == 5
                                 : t == NSM_CONE_ELLIPSE ? k->size == 2 || k->size == 3
                                 : t == NSM_CONE_ELLIPSE_EXACT ? k->size == 3
                                                       : t == NSM_CONE_DISK && (k->size == 1 || k->size == 2);
    int reads_mu = t != NSM_CONE_DISK, reads_mu2 = t == NSM_CONE_ELLIPTIC || t >= NSM_CONE_ROLLING,
        reads_radius = t == NSM_CONE_DISK || t == NSM_CONE_CONTENSOU || t == NSM_CONE_CONTENSOU_EXACT ||
                       t >= NSM_CONE_ELLIPSE;
    bad |= !fits || k->first < end || k->first + k->size > m || (reads_mu && !(k->mu >= 0 && k->mu < HUGE_VAL)) ||
           (reads_mu2 && !(k->mu2 >= 0 && k->mu2 < HUGE_VAL)) ||
           (reads_radius && !(k->radius >= 0 && k->radius < HUGE_VAL));
    for (int i = k->first; i < k->first + k->size && !bad; i++) in_block[i] = 1;
    end = k->first + k->size;
  }
  for (int i = 0; i < m && !bad; i++) {
    bad |= !isfinite(p->q[i]);
    if (!in_block[i]) bad |= !(p->lo[i] <= p->hi[i]) || p->lo[i] == HUGE_VAL || p->hi[i] == -HUGE_VAL;
  }
  if (p->row_start && !bad) {
    bad |= p->row_start[0] != 0;
    for (int i = 0; i < m && !bad; i++) {
      bad |= p->row_start[i + 1] < p->row_start[i];
      for (int k = p->row_start[i]; k < p->row_start[i + 1] && !bad; k++)
        bad |= p->col[k] < 0 || p->col[k] >= m || (k > p->row_start[i] && p->col[k] <= p->col[k - 1]) ||
               !isfinite(p->M[k]);
    }
  } else
    for (int i = 0; i < m * m && !bad; i++) bad |= !isfinite(p->M[i]);
  free(in_block);
  return bad;
}

static void attack(uint64_t seed) {
  static const char *const wrong[] = { "", "Lemke", "auto ", "nsgs\n" };
  bench_seed = seed;
  for (int i = 0; i < 3; i++) draw();
  hostile h = { 0 };
  random_problem(&h);
  bench *b = &h.b;
  int bad = is_bad(&h), names = 0;
  while (nsm_cone_solver_names()[names]) names++;
  for (int call = 0; call < 2; call++) {
    static const double tolerances[] = { 0, 0, 0, 1e-12, 1e-8, 1e-3, 1e-300, -1, NAN, HUGE_VAL };
    const char *name = draw() > 0 ? NULL : nsm_cone_solver_names()[integer(names)];
    int unknown = draw() > 0.99, m = b->p.m;
    if (unknown) name = wrong[integer(4)];
    nsm_cone_options o = {
      .solver = name, .tolerance = pick(tolerances, 10), .max_iterations = draw() > 0.8 ? integer(200) - 20 : 0,
      .warm = draw() > 0.5, .budget = 0.02
    };
    for (int i = 0; i < m; i++) b->lambda[i] = o.warm ? value(4) : 0;
    nsm_cone_status s = nsm_cone_solve(&b->p, &o, b->work, b->lambda, b->u, &b->r);
    if (s != b->r.status) fail_msg("seed %llu: two statuses", (unsigned long long)seed);
    if ((bad || (unknown && m > 0)) != (s == NSM_CONE_BAD_INPUT))
      fail_msg("seed %llu: bad input %d, status %d, m %d", (unsigned long long)seed, bad, s, m);
    if (s == NSM_CONE_BAD_INPUT || m <= 0) continue;
    if (isnan(b->r.residual) || isnan(b->r.floor))
      fail_msg("seed %llu: residual %g, floor %g, status %d by %s", (unsigned long long)seed, b->r.residual, b->r.floor,
               s, b->r.solver);
    for (int i = 0; i < m; i++)
      if (isnan(b->lambda[i]))
        fail_msg("seed %llu: nan in lambda, status %d by %s", (unsigned long long)seed, s,
                 b->r.solver ? b->r.solver : "-");
    if (s != NSM_CONE_SOLVED) continue;
    double tolerance = o.tolerance > 0 && o.tolerance < HUGE_VAL ? o.tolerance : 1e-12, floor,
           r = nsm_cone_residual(&b->p, b->lambda, &floor, NULL);
    if (!(r <= fmax(tolerance, 9 * floor)))
      fail_msg("seed %llu: solved, residual %g, floor %g, by %s", (unsigned long long)seed, r, floor, b->r.solver);
    int i = 0;
    for (int c = 0; c <= b->p.cones; c++) {
      int end = c < b->p.cones ? b->p.cone[c].first : m;
      for (; i < end; i++)
        if (!(b->lambda[i] >= b->lo[i] && b->lambda[i] <= b->hi[i]))
          fail_msg("seed %llu: lambda outside, by %s", (unsigned long long)seed, b->r.solver);
      i += c < b->p.cones ? b->p.cone[c].size : 0;
    }
  }
  bench_close(b);
}

static void garbage(void **state) {
  (void)state;
  const char *long_run = getenv("NSM_FUZZ"), *one = getenv("NSM_SEED");
  if (one) { attack(strtoull(one, NULL, 10)); return; }
  for (uint64_t seed = 1; seed <= (THIN > 1 ? 360 : 1600); seed++) attack(seed * 0x9E3779B97F4A7C15u);
  time_t end = time(NULL) + (long_run ? atoi(long_run) : 0);
  for (uint64_t seed = (uint64_t)end * 1000003u; time(NULL) < end; seed++) attack(seed * 0x9E3779B97F4A7C15u);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(garbage) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
