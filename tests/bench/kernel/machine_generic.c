#define PEAK peak_generic
#define FED_PEAK fed_peak_generic
#include "tests/bench/kernel/machine_body.h"
