/* An MPI program that does nothing: what any other one takes to begin and to end, too. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
