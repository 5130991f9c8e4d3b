#define DIRECT_RUN direct_run_avx512
#include "kernel/matched/correlators/direct_body.h"
