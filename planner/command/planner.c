/* scow-planner: plans, simulates, reports; calibrate and run are siblings. */
#include <stddef.h>

#include "planner/command/program.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv, NULL);
}
