#define TALLY_RUN tally_avx512
#include "kernel/motif/tally_body.h"
