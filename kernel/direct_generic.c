#define DIRECT_RUN direct_run_generic
#include "kernel/direct_body.h"
