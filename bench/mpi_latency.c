/* Barrier and two-rank ping-pong of MPI, for comparison: one JSON object a line, printed by rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

enum { kRounds = 7, kCalls = 500 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double samples[kRounds];
  for (int round = 0; round < kRounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < kCalls; ++i) MPI_Barrier(MPI_COMM_WORLD);
    samples[round] = (MPI_Wtime() - begin) / kCalls * 1e6;
  }
  qsort(samples, kRounds, sizeof samples[0], compare);
  if (rank == 0) printf("{\"name\": \"Open MPI barrier (yielding)\", \"pes\": %d, \"us\": %f}\n", size, samples[kRounds / 2]);
  if (size == 2) {
    double word = 0;
    for (int round = 0; round < kRounds; ++round) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int i = 0; i < kCalls; ++i) {
        if (rank == 0) {
          MPI_Send(&word, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
          MPI_Recv(&word, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
          MPI_Recv(&word, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Send(&word, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
      }
      samples[round] = (MPI_Wtime() - begin) / kCalls / 2 * 1e6;
    }
    qsort(samples, kRounds, sizeof samples[0], compare);
    if (rank == 0) printf("{\"name\": \"Open MPI ping-pong, one way (yielding)\", \"pes\": 2, \"us\": %f}\n", samples[kRounds / 2]);
  }
  MPI_Finalize();
  return 0;
}
