// What MuJoCo says of a file of MJCF, as JSON: masses; mass matrix and bias force at random states; motion from the
// start with random velocities by RK4, without contacts, limits and dry friction.
// The start is that of the first keyframe, where there is one.
// usage: owner FILE.xml states seconds step actuators
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long seed = 12345;
static double draw(void) {               // even in (-1, 1)
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(seed >> 11) / (double)(1ull << 52) - 1;
}

static void list(const char *name, const mjtNum *x, int n, const char *behind) {
  printf("\"%s\":[", name);
  for (int i = 0; i < n; i++) printf("%s%.17g", i ? "," : "", x[i]);
  printf("]%s", behind);
}

// What MuJoCo makes of the inertia of the file, in the axes of the body: principal moments, and a quaternion.
static void inertia(const mjModel *m, int b) {
  mjtNum R[9], J[9] = { 0 };
  mju_quat2Mat(R, m->body_iquat + 4 * b);
  for (int i = 0; i < 27; i++)
    J[i / 3] += R[i / 9 * 3 + i % 3] * m->body_inertia[3 * b + i % 3] * R[i / 3 % 3 * 3 + i % 3];
  printf("\"mass\":%.17g,", m->body_mass[b]);
  list("inertia", J, 9, "}");
}

static void bodies(const mjModel *m, const mjData *d) {
  printf("\"bodies\":[");
  for (int b = 1, first = 1; b < m->nbody; b++) {
    if (m->body_jntnum[b] == 0) continue;
    mjtNum v[6];
    mj_objectVelocity(m, d, mjOBJ_XBODY, b, v, 0);
    printf("%s{", first ? "" : ",");
    first = 0;
    list("place", d->xpos + 3 * b, 3, ",");
    list("turn", d->xmat + 9 * b, 9, ",");
    list("omega", v, 3, ",");
    list("velocity", v + 3, 3, ",");
    inertia(m, b);
  }
  printf("],");
  list("qpos", d->qpos, m->nq, ",");
  list("qvel", d->qvel, m->nv, "");
}

static void states(const mjModel *m, mjData *d, int count) {
  mjtNum *full = malloc(sizeof *full * (size_t)(m->nv * m->nv + 1)), *dq = malloc(sizeof *dq * (size_t)(m->nv + 1));
  printf("\"states\":[");
  for (int k = 0; k < count; k++) {
    mj_resetData(m, d);
    for (int i = 0; i < m->nv; i++) { dq[i] = draw(); d->qvel[i] = 3 * draw(); }
    mj_integratePos(m, d->qpos, dq, 1);
    mj_forward(m, d);
    mj_fullM(m, full, d->qM);
    printf("%s{", k ? "," : "");
    list("mass", full, m->nv * m->nv, ",");
    list("bias", d->qfrc_bias, m->nv, ",");
    bodies(m, d);
    printf("}");
  }
  printf("],");
  free(full);
  free(dq);
}

int main(int argc, char **argv) {
  char error[1000] = "";
  mjModel *m = argc == 6 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
  if (!m) { fprintf(stderr, "%s\n", error); return 1; }
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  if (!atoi(argv[5])) m->opt.disableflags |= mjDSBL_ACTUATION;
  m->opt.integrator = mjINT_RK4;
  m->opt.timestep = atof(argv[4]);
  mjData *d = mj_makeData(m);
  mjtNum total = 0;                      // of what moves
  for (int b = 1; b < m->nbody; b++) total += m->body_weldid[b] ? m->body_mass[b] : 0;
  printf("{\"total\":%.17g,", total);
  states(m, d, atoi(argv[2]));
  if (m->nkey > 0) mj_resetDataKeyframe(m, d, 0);
  else mj_resetData(m, d);
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 0.5 * draw();
  mj_forward(m, d);
  printf("\"start\":{");
  bodies(m, d);
  long steps = (long)(atof(argv[3]) / m->opt.timestep + 0.5);
  for (long k = 0; k < steps; k++) mj_step(m, d);
  mj_forward(m, d);
  printf("},\"end\":{");
  bodies(m, d);
  printf("}}\n");
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
