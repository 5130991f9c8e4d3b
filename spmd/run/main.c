/* scow-run: executes a plan. The same program runs on every rank; rank 0 is the master. */
#include "spmd/run/command.h"

int main(int argc, char **argv)
{
    return run_main(argc, argv);
}
