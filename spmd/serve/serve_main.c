/* scow-serve: lets workers join a run. */
#include "spmd/serve/serve.h"

int main(int argc, char **argv)
{
    return serve_main(argc, argv);
}
