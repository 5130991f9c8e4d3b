#define DIRECT_RUN direct_run_avx512
#include "kernel/direct_body.h"
