// Frames that sensors and actuators are attached to: sites, frames of bodies and of geoms, as what of the body of the
// model that they move with.
#include <string.h>
#include "mjcf.h"

static bool is(const char *a, const char *b) { return a && b && !strcmp(a, b); }

bool mjcf_spot(const Mjcf *m, const char *type, const char *name, MjSpot *to) {
  *to = (MjSpot){ NULL };
  for (size_t i = 0; is(type, "xbody") && i < m->bodies.n; i++)
    if (is(m->bodies.at[i]->name, name)) *to = (MjSpot){ m->bodies.at[i]->rigid, m->bodies.at[i]->at };
  for (size_t i = 0; is(type, "geom") && i < m->geoms.n; i++)
    if (is(m->geoms.at[i]->name, name) && m->geoms.at[i]->shape < MJ_MESH)     // MuJoCo turns the axes of meshes
      *to = (MjSpot){ mjcf_rigid(m->geoms.at[i]->body), m->geoms.at[i]->at };
  for (size_t i = 0; is(type, "site") && i < m->sites.n; i++)
    if (is(m->sites.at[i]->name, name)) *to = (MjSpot){ mjcf_rigid(m->sites.at[i]->body), m->sites.at[i]->at };
  return to->rigid != NULL;
}

static const char *in_body(Mjcf *m, const MjBody *rigid, const double x[3]) {
  double to[3];
  for (int i = 0; i < 3; i++) {
    to[i] = 0;
    for (int k = 0; k < 3; k++) to[i] += rigid->at.R[k][i] * x[k];
  }
  return robot_vector(m->a, to);
}

const char *mjcf_spot_origin(Mjcf *m, const MjSpot *s) {
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = s->at.r[i] - s->rigid->com[i];
  return in_body(m, s->rigid, x);
}

const char *mjcf_spot_vector(Mjcf *m, const MjSpot *s, const double x[3]) {
  double world[3];
  frame_vector(&s->at, x, world);
  return arena_printf(m->a, "%s.vector(%s)", s->rigid->own, in_body(m, s->rigid, world));
}

const char *mjcf_spot_axis(Mjcf *m, const MjSpot *s, int axis) {
  const double x[3] = { axis == 0, axis == 1, axis == 2 };
  return mjcf_spot_vector(m, s, x);
}
