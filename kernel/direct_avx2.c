#define DIRECT_RUN direct_run_avx2
#include "kernel/direct_body.h"
