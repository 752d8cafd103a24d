// Radau IIA with s stages, of order 2 s - 1: nodes, the matrix of collocation and the eigenvalues of its inverse
// [Hairer and Wanner 1996, IV.5 and IV.8].
//
//   s = 2: c = 1/3, 1        s = 3: c = (4 -+ sqrt 6)/10, 1        sum_j a_ij c_j^(k-1) = c_i^k/k,  k = 1..s      (1)
//
// With the eigenvalues mu of omega = (a_ij)^-1 the stages are solved one eigenvalue at a time, a pair as one complex
// system (radau_factor.c).
#include "radau.h"

// X := A^-1 for n <= 3.
static void invert(int n, const double A[RADAU_STAGES][RADAU_STAGES], double X[RADAU_STAGES][RADAU_STAGES]) {
  double column[9] = { 0 }, inverse[9] = { 0 };
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) column[i + j * n] = A[i][j];
  (void)nsm_la_small_inverse(n, column, n, 0, inverse);
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) X[i][j] = inverse[i + j * n];
}

static void collocate(radau_method *m) {
  double power[RADAU_STAGES][RADAU_STAGES] = { { 0 } }, inverse[RADAU_STAGES][RADAU_STAGES];
  for (int j = 0; j < m->s; j++) for (int k = 0; k < m->s; k++) power[j][k] = pow(m->c[j], k);
  invert(m->s, power, inverse);
  for (int i = 0; i < m->s; i++)
    for (int j = 0; j < m->s; j++) {
      m->a[i][j] = 0;
      for (int k = 0; k < m->s; k++) m->a[i][j] += pow(m->c[i], k + 1) / (k + 1) * inverse[k][j];
    }
  invert(m->s, m->a, m->omega);
}

// (a + i b) (c + i d)
static void multiply(double a, double b, double c, double d, double *re, double *im) {
  *re = a * c - b * d;
  *im = a * d + b * c;
}

// Null vectors of omega - mu: the column and the row of its adjugate that are largest; left . right = 1.
static void vectors(radau_method *m, struct radau_mode *v) {
  double B[RADAU_STAGES][RADAU_STAGES][2], adj[RADAU_STAGES][RADAU_STAGES][2], most = 0;
  int s = m->s, row = 0, col = 0;
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      B[i][j][0] = m->omega[i][j] - (i == j ? v->re : 0);
      B[i][j][1] = i == j ? -v->im : 0;
    }
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      double *to = adj[j][i], one[2], two[2];
      if (s == 2) {
        double sign = (i + j) % 2 ? -1 : 1;
        to[0] = sign * B[1 - i][1 - j][0];
        to[1] = sign * B[1 - i][1 - j][1];
      } else {
        int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
        multiply(B[a][c][0], B[a][c][1], B[b][d][0], B[b][d][1], &one[0], &one[1]);
        multiply(B[a][d][0], B[a][d][1], B[b][c][0], B[b][c][1], &two[0], &two[1]);
        to[0] = one[0] - two[0];
        to[1] = one[1] - two[1];
      }
      if (hypot(to[0], to[1]) > most) { most = hypot(to[0], to[1]); row = j; col = i; }
    }
  double dot[2] = { 0, 0 }, part[2];
  for (int i = 0; i < s; i++)
    for (int k = 0; k < 2; k++) {
      v->right[i][k] = adj[i][col][k];
      v->left[i][k] = adj[row][i][k];
    }
  for (int i = 0; i < s; i++) {
    multiply(v->left[i][0], v->left[i][1], v->right[i][0], v->right[i][1], &part[0], &part[1]);
    dot[0] += part[0];
    dot[1] += part[1];
  }
  double size = dot[0] * dot[0] + dot[1] * dot[1];
  for (int i = 0; i < s; i++) {
    multiply(v->left[i][0], v->left[i][1], dot[0] / size, -dot[1] / size, &part[0], &part[1]);
    v->left[i][0] = part[0];
    v->left[i][1] = part[1];
  }
}

// Roots of the characteristic polynomial: the real one by Newton's method, the others by the quadratic that is left.
static void eigenvalues(radau_method *m) {
  const double (*w)[RADAU_STAGES] = m->omega;
  double trace = 0, minors = 0, real = 0;
  for (int i = 0; i < m->s; i++) trace += w[i][i];
  for (int i = 0; i < m->s; i++)
    for (int j = 0; j < i; j++) minors += w[i][i] * w[j][j] - w[i][j] * w[j][i];
  if (m->s == 3) {
    double det = w[0][0] * (w[1][1] * w[2][2] - w[1][2] * w[2][1]) - w[0][1] * (w[1][0] * w[2][2] - w[1][2] * w[2][0]) +
                 w[0][2] * (w[1][0] * w[2][1] - w[1][1] * w[2][0]);
    real = 3.6;                                            // of RADAU5: 3.637834...
    for (int k = 0; k < 20; k++)
      real -= (((real - trace) * real + minors) * real - det) / ((3 * real - 2 * trace) * real + minors);
    minors -= real * (trace - real);                       // of the other two: their product
    trace -= real;
    m->mode[m->modes++] = (struct radau_mode){ .re = real };
  }
  m->mode[m->modes++] = (struct radau_mode){ .re = 0.5 * trace, .im = sqrt(minors - 0.25 * trace * trace) };
}

void radau_method_make(radau_method *m, int stages) {
  *m = (radau_method){ .s = stages };
  if (stages == 2) m->c[0] = 1 / 3.0;
  else {
    m->c[0] = (4 - sqrt(6)) / 10;
    m->c[1] = (4 + sqrt(6)) / 10;
  }
  m->c[stages - 1] = 1;
  collocate(m);
  eigenvalues(m);
  for (int k = 0; k < m->modes; k++) vectors(m, &m->mode[k]);
}

double radau_polynomial(const radau_method *m, const double *f, double x) {
  double sum = 0;
  for (int i = 0; i < m->s; i++) {
    double l = f[i];
    for (int j = 0; j < m->s; j++) if (j != i) l *= (x - m->c[j]) / (m->c[i] - m->c[j]);
    sum += l;
  }
  return sum;
}

double radau_slope(const radau_method *m, const double *f, double x) {
  double sum = 0;
  for (int i = 0; i < m->s; i++)
    for (int k = 0; k < m->s; k++) {
      if (k == i) continue;
      double l = f[i] / (m->c[i] - m->c[k]);
      for (int j = 0; j < m->s; j++) if (j != i && j != k) l *= (x - m->c[j]) / (m->c[i] - m->c[j]);
      sum += l;
    }
  return sum;
}
