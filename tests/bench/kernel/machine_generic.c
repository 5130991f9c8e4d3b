#define PEAK peak_generic
#include "tests/bench/kernel/machine_body.h"
