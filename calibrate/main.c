/* scow-calibrate: measures a cluster with short probe runs and writes its profile. */
#include "calibrate/command.h"

int main(int argc, char **argv)
{
    return calibrate_main(argc, argv);
}
