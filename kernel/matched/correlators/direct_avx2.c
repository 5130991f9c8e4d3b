#define DIRECT_RUN direct_run_avx2
#include "kernel/matched/correlators/direct_body.h"
