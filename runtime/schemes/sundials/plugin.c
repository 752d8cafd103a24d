// Smooth motions by CVODES of SUNDIALS [Hindmarsh and others 2005]: Adams' formulas of order 1 to 12, or backward
// differences of order 1 to 5, both with error control; roots by its Illinois method; its quadratures.
#include <cvodes/cvodes.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include "../flow_solver.h"

typedef struct motion {
  nsm_flow_problem   p;
  SUNContext         context;
  void              *cvode;
  N_Vector           y, quad, quad_atol;
  double            *atol;
  SUNMatrix          matrix;
  SUNLinearSolver    linear;
  SUNNonlinearSolver nonlinear;
  int                begun;
  long               steps, evaluations, before, evaluated;   // of earlier begins; of this one as it was read last
} motion;

static const double never = 1e300;

static int rhs(realtype t, N_Vector y, N_Vector dy, void *with) {
  motion *m = with;
  return m->p.rhs(m->p.with, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
}

static int quad(realtype t, N_Vector y, N_Vector dq, void *with) {
  motion *m = with;
  return m->p.quad(m->p.with, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dq));
}

static int root(realtype t, N_Vector y, realtype *g, void *with) {
  motion *m = with;
  return m->p.root(m->p.with, t, N_VGetArrayPointer(y), g);
}

// 1/(rtol |y| + atol); unlike CVodeSVtolerances it takes other tolerances while the solver goes on.
static int weights(N_Vector y, N_Vector weight, void *with) {
  motion *m = with;
  const double *at = N_VGetArrayPointer(y);
  double *to = N_VGetArrayPointer(weight);
  double t = 0;
  if (CVodeGetCurrentTime(m->cvode, &t) != CV_SUCCESS) return -1;
  m->p.grow(m->p.with, t, at, m->atol);
  for (int i = 0; i < m->p.n; i++) {
    double size = m->p.rtol * fabs(at[i]) + m->atol[i];
    if (!(size > 0)) return -1;
    to[i] = 1 / size;
  }
  return 0;
}

static void silent(int code, const char *module, const char *function, char *text, void *with) {
  (void)code; (void)module; (void)function; (void)text; (void)with;
}

static void close_motion(void *solver) {
  motion *m = solver;
  if (!m) return;
  if (m->cvode) CVodeFree(&m->cvode);
  if (m->nonlinear) SUNNonlinSolFree(m->nonlinear);
  if (m->linear) SUNLinSolFree(m->linear);
  if (m->matrix) SUNMatDestroy(m->matrix);
  if (m->y) N_VDestroy(m->y);
  free(m->atol);
  if (m->quad) N_VDestroy(m->quad);
  if (m->quad_atol) N_VDestroy(m->quad_atol);
  if (m->context) SUNContext_Free(&m->context);
  free(m);
}

// The nonlinear solver of its formulas.
static int solver_of(motion *m, int stiff) {
  if (!stiff) {
    m->nonlinear = SUNNonlinSol_FixedPoint(m->y, 0, m->context);
    return m->nonlinear && CVodeSetNonlinearSolver(m->cvode, m->nonlinear) == CV_SUCCESS;
  }
  m->matrix = SUNDenseMatrix(m->p.n, m->p.n, m->context);
  m->linear = m->matrix ? SUNLinSol_Dense(m->y, m->matrix, m->context) : NULL;
  return m->linear && CVodeSetLinearSolver(m->cvode, m->linear, m->matrix) == CV_SUCCESS;
}

// Roots and directions: what is watched falls.
static int watch(motion *m) {
  if (m->p.nroot == 0) return 1;
  int *falls = malloc((size_t)m->p.nroot * sizeof *falls);
  for (int i = 0; falls && i < m->p.nroot; i++) falls[i] = -1;
  int good = falls && CVodeRootInit(m->cvode, m->p.nroot, root) == CV_SUCCESS &&
             CVodeSetRootDirection(m->cvode, falls) == CV_SUCCESS &&
             CVodeSetNoInactiveRootWarn(m->cvode) == CV_SUCCESS;
  free(falls);
  return good;
}

static int set_up(motion *m, int stiff) {
  if (SUNContext_Create(NULL, &m->context) != 0) return 0;
  m->y = N_VNew_Serial(m->p.n, m->context);
  m->atol = calloc((size_t)m->p.n, sizeof *m->atol);
  m->quad = N_VNew_Serial(m->p.nquad, m->context);
  m->quad_atol = N_VNew_Serial(m->p.nquad, m->context);
  m->cvode = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, m->context);
  if (!m->y || !m->atol || !m->quad || !m->quad_atol || !m->cvode) return 0;
  N_VConst(0, m->y);
  N_VConst(0, m->quad);
  return CVodeSetErrHandlerFn(m->cvode, silent, m) == CV_SUCCESS && CVodeInit(m->cvode, rhs, 0, m->y) == CV_SUCCESS &&
         CVodeSetUserData(m->cvode, m) == CV_SUCCESS &&
         CVodeWFtolerances(m->cvode, weights) == CV_SUCCESS &&
         CVodeSetMaxHnilWarns(m->cvode, -1) == CV_SUCCESS &&
         CVodeSetMaxStep(m->cvode, m->p.longest) == CV_SUCCESS && solver_of(m, stiff) && watch(m) &&
         CVodeQuadInit(m->cvode, quad, m->quad) == CV_SUCCESS && CVodeSetQuadErrCon(m->cvode, SUNTRUE) == CV_SUCCESS;
}

static void *open_motion(const nsm_flow_problem *p, int stiff) {
  motion *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->p = *p;
  if (set_up(m, stiff)) return m;
  close_motion(m);
  return NULL;
}

static void read_counts(motion *m) {
  if (!m->begun) return;
  CVodeGetNumSteps(m->cvode, &m->before);
  CVodeGetNumRhsEvals(m->cvode, &m->evaluated);
}

static int begin(void *solver, double t, const double *y, double first) {
  motion *m = solver;
  read_counts(m);
  m->steps += m->before;
  m->evaluations += m->evaluated;
  m->before = m->evaluated = 0;
  m->begun = 1;
  memcpy(N_VGetArrayPointer(m->y), y, (size_t)m->p.n * sizeof *y);
  N_VConst(0, m->quad);
  for (int i = 0; i < m->p.nquad; i++) N_VGetArrayPointer(m->quad_atol)[i] = m->p.rtol * m->p.quad_size[i];
  return CVodeReInit(m->cvode, t, m->y) != CV_SUCCESS || CVodeQuadReInit(m->cvode, m->quad) != CV_SUCCESS ||
         CVodeQuadSVtolerances(m->cvode, m->p.rtol, m->quad_atol) != CV_SUCCESS ||
         CVodeSetInitStep(m->cvode, first) != CV_SUCCESS;
}

static int go(void *solver, double to, double stop, long most, double *t, double *y, double *quads, int *hits) {
  motion *m = solver;
  if (CVodeSetMaxNumSteps(m->cvode, most) != CV_SUCCESS) return NSM_FLOW_FAILED;
  if (CVodeSetStopTime(m->cvode, fmin(stop, never)) != CV_SUCCESS) return NSM_FLOW_FAILED;
  double at = *t;
  int code = CVode(m->cvode, to, m->y, &at, CV_NORMAL);
  if (code == CV_TOO_MUCH_WORK) return NSM_FLOW_TOO_MUCH;
  if (code == CV_ILL_INPUT) return NSM_FLOW_NEAR;
  if (code < 0) return NSM_FLOW_FAILED;
  *t = at;
  double there;
  if (CVodeGetQuad(m->cvode, &there, m->quad) != CV_SUCCESS) return NSM_FLOW_FAILED;
  memcpy(y, N_VGetArrayPointer(m->y), (size_t)m->p.n * sizeof *y);
  memcpy(quads, N_VGetArrayPointer(m->quad), (size_t)m->p.nquad * sizeof *quads);
  if (code != CV_ROOT_RETURN) return NSM_FLOW_THERE;
  return CVodeGetRootInfo(m->cvode, hits) == CV_SUCCESS ? NSM_FLOW_ROOT : NSM_FLOW_FAILED;
}

static void counts(void *solver, long *steps, long *evaluations) {
  motion *m = solver;
  read_counts(m);
  *steps = m->steps + m->before;
  *evaluations = m->evaluations + m->evaluated;
}

static int order(void *solver) {
  int last = 0;
  return CVodeGetLastOrder(((motion *)solver)->cvode, &last) == CV_SUCCESS ? last : 0;
}

static double first(void *solver) {
  double h = 0;
  return CVodeGetActualInitStep(((motion *)solver)->cvode, &h) == CV_SUCCESS ? h : 0;
}

extern const nsm_flow_solver nsm_sundials;
const nsm_flow_solver nsm_sundials = {
  NSM_FLOW_VERSION, open_motion, close_motion, begin, go, counts, order, first
};
