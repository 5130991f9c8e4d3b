/* scow-collect: the results of a job in chunks, in one output.  */
#include "spmd/serve/collect.h"

int main(int argc, char **argv)
{
    return collect_main(argc, argv);
}
