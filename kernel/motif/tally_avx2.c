#define TALLY_RUN tally_avx2
#include "kernel/motif/tally_body.h"
