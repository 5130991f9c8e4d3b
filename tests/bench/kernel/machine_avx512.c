#define PEAK peak_avx512
#include "tests/bench/kernel/machine_body.h"
