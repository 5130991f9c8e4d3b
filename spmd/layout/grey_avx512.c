#define GREY_SHADES grey_shades_avx512
#include "spmd/layout/grey_body.h"
