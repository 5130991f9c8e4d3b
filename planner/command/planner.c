/* scow-planner: plans, simulates, reports. Commands that need MPI are programs beside it
 * (sibling.h). */
#include <stddef.h>

#include "planner/command/program.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv, NULL);
}
