/* scow-go: runs a job that nobody has measured. */
#include "calibrate/go/command.h"

int main(int argc, char **argv)
{
    return go_main(argc, argv);
}
