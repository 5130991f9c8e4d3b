/* scow: plans, simulates, reports; calibrate and run are sibling programs. */
#include <stddef.h>

#include "planner/command/program.h"

int main(int argc, char **argv)
{
    return program_main(argc, argv, NULL);
}
