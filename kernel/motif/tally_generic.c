#define TALLY_RUN tally_generic
#include "kernel/motif/tally_body.h"
