// Places and attitudes: what is at x in the axes of a frame is at r + R x outside of it.
#pragma once
typedef struct Frame { double r[3], R[3][3]; } Frame;

Frame frame_rest(void);
Frame frame_rpy(const double xyz[3], const double rpy[3]); // about x, then y, then z, fixed axes
Frame frame_of(const Frame *outer, const Frame *inner);    // inner, which stands in outer, as seen from outside
void  frame_point(const Frame *f, const double x[3], double to[3]);
void  frame_vector(const Frame *f, const double x[3], double to[3]);
void  frame_tensor(const Frame *f, const double I[3][3], double to[3][3]);  // R I R'
Frame frame_about(const double axis[3], double angle);      // a turn; at rest where the axis is 0
// Axis and angle of R.
double frame_turn(const Frame *f, double axis[3]);
