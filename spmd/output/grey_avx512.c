#define GREY_SHADES grey_shades_avx512
#include "spmd/output/grey_body.h"
