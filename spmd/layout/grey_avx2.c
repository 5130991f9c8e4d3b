#define GREY_SHADES grey_shades_avx2
#include "spmd/layout/grey_body.h"
