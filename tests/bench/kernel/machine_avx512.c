#define PEAK peak_avx512
#define FED_PEAK fed_peak_avx512
#include "tests/bench/kernel/machine_body.h"
