#define PEAK peak_avx2
#define FED_PEAK fed_peak_avx2
#include "tests/bench/kernel/machine_body.h"
