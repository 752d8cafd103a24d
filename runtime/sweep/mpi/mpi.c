// The plug-in of `nsm sweep` under mpirun: what ranks.c needs of MPI, and nothing else. Built where the distribution's
// MPI is found.
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

enum { TAG = 1 };

int nsm_mpi_start(int *rank, int *size) {
  int given;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) return 0;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return 1;
}

int nsm_mpi_send(int to, const char *bytes, long n) {
  return n <= INT_MAX && MPI_Send(bytes, (int)n, MPI_CHAR, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

int nsm_mpi_receive(int from, char **bytes, long *n) {
  MPI_Status status;
  int count;
  if (MPI_Probe(from, TAG, MPI_COMM_WORLD, &status) != MPI_SUCCESS) return 0;
  MPI_Get_count(&status, MPI_CHAR, &count);
  *bytes = malloc((size_t)count + 1);
  *n = count;
  return *bytes && MPI_Recv(*bytes, count, MPI_CHAR, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

int nsm_mpi_share(long *number) { return MPI_Bcast(number, 1, MPI_LONG, 0, MPI_COMM_WORLD) == MPI_SUCCESS; }
void nsm_mpi_end(void) { MPI_Finalize(); }
void nsm_mpi_give_up(int code) { MPI_Abort(MPI_COMM_WORLD, code); }
