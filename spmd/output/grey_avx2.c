#define GREY_SHADES grey_shades_avx2
#include "spmd/output/grey_body.h"
