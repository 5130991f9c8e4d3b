#define PLAIN_RUN plain_run_native
#include "tests/bench/motif/plain.c"
