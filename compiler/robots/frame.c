// Rotations of URDF: R = Rz(yaw) Ry(pitch) Rx(roll).
#include "frame.h"
#include <math.h>

Frame frame_rest(void) { return (Frame){ { 0, 0, 0 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }; }

Frame frame_rpy(const double xyz[3], const double rpy[3]) {
  double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]), sy = sin(rpy[2]);
  return (Frame){ { xyz[0], xyz[1], xyz[2] },
                  { { cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr },
                    { sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr },
                    { -sp, cp * sr, cp * cr } } };
}

void frame_vector(const Frame *f, const double x[3], double to[3]) {
  for (int i = 0; i < 3; i++) to[i] = f->R[i][0] * x[0] + f->R[i][1] * x[1] + f->R[i][2] * x[2];
}

void frame_point(const Frame *f, const double x[3], double to[3]) {
  frame_vector(f, x, to);
  for (int i = 0; i < 3; i++) to[i] += f->r[i];
}

Frame frame_of(const Frame *outer, const Frame *inner) {
  Frame f = frame_rest();
  frame_point(outer, inner->r, f.r);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      f.R[i][k] = 0;
      for (int j = 0; j < 3; j++) f.R[i][k] += outer->R[i][j] * inner->R[j][k];
    }
  return f;
}

void frame_tensor(const Frame *f, const double I[3][3], double to[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      to[i][k] = 0;
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) to[i][k] += f->R[i][a] * I[a][b] * f->R[k][b];
    }
}

Frame frame_about(const double axis[3], double angle) {
  double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), c = cos(angle), s = sin(angle);
  Frame f = frame_rest();
  if (!(n > 0)) return f;
  const double e[3] = { axis[0] / n, axis[1] / n, axis[2] / n };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double across = i == k ? 0 : ((k - i + 3) % 3 == 1 ? -1 : 1) * e[3 - i - k];
      f.R[i][k] = (1 - c) * e[i] * e[k] + (i == k ? c : 0) + s * across;
    }
  return f;
}

// By the quaternion, whose largest part is taken from the diagonal.
double frame_turn(const Frame *f, double axis[3]) {
  const double(*R)[3] = f->R;
  double q[4], four[4] = { 1 + R[0][0] + R[1][1] + R[2][2], 1 + R[0][0] - R[1][1] - R[2][2],
                           1 - R[0][0] + R[1][1] - R[2][2], 1 - R[0][0] - R[1][1] + R[2][2] };
  int m = 0;
  for (int i = 1; i < 4; i++)
    if (four[i] > four[m]) m = i;
  double s = 2 * sqrt(four[m]);
  const double part[4][4] = {
    { s / 4, (R[2][1] - R[1][2]) / s, (R[0][2] - R[2][0]) / s, (R[1][0] - R[0][1]) / s },
    { (R[2][1] - R[1][2]) / s, s / 4, (R[0][1] + R[1][0]) / s, (R[0][2] + R[2][0]) / s },
    { (R[0][2] - R[2][0]) / s, (R[0][1] + R[1][0]) / s, s / 4, (R[1][2] + R[2][1]) / s },
    { (R[1][0] - R[0][1]) / s, (R[0][2] + R[2][0]) / s, (R[1][2] + R[2][1]) / s, s / 4 } };
  for (int i = 0; i < 4; i++) q[i] = part[m][i];
  double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 3; i++) axis[i] = sine > 0 ? q[i + 1] / sine : i == 2;
  return 2 * atan2(sine, q[0]);
}
