#define DIRECT_RUN direct_run_generic
#include "kernel/matched/correlators/direct_body.h"
