// Eigenvalues and singular values by LAPACK, in a plug-in of its own, libnsm_lapack.so (lapack/plugin.c), opened by
// `nsm analyse` alone: runs never see it. It is linked with the reference BLAS, whose sums do not depend on the
// processor.
//
// Matrices are by columns, without gaps, and are lost. 1; 0: it did not converge, or there is no memory.
#pragma once
#include "runtime/nsm_run.h"

enum { NSM_LAPACK_VERSION = 1 };
typedef struct nsm_lapack {
  int version;
  // A v = lambda v: re + i im [n], V [n, n] right vectors, of a pair its real and its imaginary part. dgeev
  int (*eigen)(int n, double *A, double *re, double *im, double *V);
  // A v = lambda B v: lambda = (re + i im)/beta. dggev
  int (*pencil)(int n, double *A, double *B, double *re, double *im, double *beta, double *V);
  // A [m, n] = U diag(s) V^T, U [m, m], s [min(m, n)], V^T [n, n]. dgesvd
  int (*svd)(int m, int n, double *A, double *s, double *U, double *VT);
} nsm_lapack;

const nsm_lapack *nsm_lapack_plugin(nsm_error *e);         // NULL, with the reason: this nsm was built without it
