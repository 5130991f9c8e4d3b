#define PEAK peak_avx2
#include "tests/bench/kernel/machine_body.h"
