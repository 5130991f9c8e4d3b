/* scow-work: joins a run that scow-serve leads. */
#include "spmd/serve/work.h"

int main(int argc, char **argv)
{
    return work_main(argc, argv);
}
