/* scow-chunk: one chunk of a job in chunks.  */
#include "spmd/chunks/compute.h"

int main(int argc, char **argv)
{
    return chunk_main(argc, argv);
}
