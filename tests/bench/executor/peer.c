/*
 * The loop with DLS4LB (https://github.com/unibas-dmi-hpc/DLS4LB), whose sources are given to the
 * benchmark by their path and are no part of scow. Prints a line for each scheme: its name, the
 * ideal time, and the time that it took, from the first chunk to the last rank's end. usage:
 * mpiexec -n RANKS peer TASKS SHAPE MANNER SCHEME...; numbers as in loop.h and DLS.h
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "DLS.h"
#include "loop.h"

static double ideal(int64_t tasks, enum loop_shape shape, int ranks)
{
    double sum_s = 0;
    for (int64_t task = 0; task < tasks; task++)
        sum_s += loop_seconds(task, tasks, shape);
    return sum_s / ranks;
}

/* Sleeps or computes a chunk as scow's core task does. */
static void chunk(int first, int count, int tasks, enum loop_shape shape, bool sleeps)
{
    double end_s = loop_now();
    for (int k = 0; k < count; k++) {
        end_s += loop_seconds(first + k, tasks, shape);
        if (!sleeps || k % 20 == 19 || k + 1 == count)
            loop_until(end_s, sleeps);
    }
}

static double loop_run(int tasks, enum loop_shape shape, bool sleeps, int scheme, int ranks)
{
    infoDLS info = {0};
    int first, count, done = 0, counted;
    double work_s, took_s, longest_s;
    /* Its own defaults: when to ask, when to look, the least chunk; h and sigma for FSC, equal
     * processors. */
    DLS_Parameters_Setup(MPI_COMM_WORLD, &info, ranks, -1, -1, 1, 1e-5, 1e-5, 0, 1, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun_s = MPI_Wtime();
    DLS_StartLoop(&info, 0, tasks - 1, scheme);
    while (!DLS_Terminated(&info)) {
        DLS_StartChunk(&info, &first, &count);
        chunk(first, count, tasks, shape, sleeps);
        done += count;
        DLS_EndChunk(&info);
    }
    took_s = MPI_Wtime() - begun_s;
    DLS_EndLoop(&info, &counted, &work_s); /* which AF counts otherwise */
    MPI_Allreduce(&took_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    int all = 0;
    MPI_Allreduce(&done, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all != tasks) {
        fprintf(stderr, "peer: scheme %d did %d of %d tasks\n", scheme, all, tasks);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    free(info.stats);
    free(info.weights);
    return longest_s;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int tasks = atoi(argv[1]);
    const enum loop_shape shape = (enum loop_shape)atoi(argv[2]);
    const bool sleeps = atoi(argv[3]) != 0;
    for (int k = 4; k < argc; k++) {
        const int scheme = atoi(argv[k]);
        const double took_s = loop_run(tasks, shape, sleeps, scheme, ranks);
        if (rank == 0)
            printf("%d %.6f %.6f\n", scheme, ideal(tasks, shape, ranks), took_s);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
